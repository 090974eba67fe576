//! Words, strings, comments and numbers of a language whose marks a table holds.

use super::language::{Keys, Program, Str};
use super::{Paper, is_word, line_end};

/// What a byte may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Nothing,
    Word,
    Number,
    Line,
    Mark,
}

/// Gives the part from `at` to `end` its classes.
pub(super) fn scan(paper: &mut Paper<'_, '_>, p: &Program, at: usize, end: usize) {
    let table = table(p);
    let mut s = Scan { bytes: paper.bytes(), p, lengths: lengths(p), end, paper };
    let mut at = s.line_start(at);
    while at < end {
        at = match table[usize::from(s.bytes[at])] {
            Begins::Nothing => at + 1,
            Begins::Word => s.word(at),
            Begins::Number => s.number(at),
            Begins::Line => s.line_start(at + 1),
            Begins::Mark => s.mark(at),
        };
    }
}

/// What each byte may begin in a language.
fn table(p: &Program) -> [Begins; 256] {
    let mut table = [Begins::Nothing; 256];
    for (b, begins) in table.iter_mut().enumerate() {
        let b = b as u8;
        if b.is_ascii_digit() {
            *begins = Begins::Number;
        } else if is_word(b) {
            *begins = Begins::Word;
        }
    }
    if p.keys != Keys::None {
        table[usize::from(b'\n')] = Begins::Line;
    }
    let marks = p.line.iter().copied().chain(p.block.map(|b| b.0)).chain(p.strings.iter().map(|s| s.open));
    let firsts = marks.filter_map(|m| m.bytes().next()).chain(p.sigil.map(|s| s.0)).chain(p.is_rust.then_some(b'\''));
    for b in firsts {
        table[usize::from(b)] = Begins::Mark;
    }
    table
}

/// The longest keyword of any language.
const LONGEST: usize = 12;

/// For each first byte, the lengths that keywords have: most words of a text are told from them by that alone.
fn lengths(p: &Program) -> [u16; 256] {
    let mut lengths = [0; 256];
    for word in p.words {
        let first = word.as_bytes()[0];
        let bit = 1 << word.len().min(LONGEST);
        lengths[usize::from(first)] |= bit;
        if p.folded {
            lengths[usize::from(first.to_ascii_uppercase())] |= bit;
        }
    }
    lengths
}

struct Scan<'s, 'o, 't> {
    bytes: &'t [u8],
    p: &'s Program,
    lengths: [u16; 256],
    end: usize,
    paper: &'s mut Paper<'o, 't>,
}

impl Scan<'_, '_, '_> {
    fn is_at(&self, at: usize, mark: &str) -> bool {
        self.bytes[at..self.end].starts_with(mark.as_bytes())
    }

    /// The first place from `at` on where the test fails.
    fn skip(&self, at: usize, test: impl Fn(u8) -> bool) -> usize {
        self.bytes[at..self.end].iter().position(|b| !test(*b)).map_or(self.end, |i| at + i)
    }

    fn word(&mut self, at: usize) -> usize {
        let end = self.skip(at, is_word);
        let word = &self.bytes[at..end];
        if self.p.is_rust && matches!(word, b"r" | b"br" | b"cr") {
            let quote = self.skip(end, |b| b == b'#');
            if self.is_at(quote, "\"") {
                return self.raw_string(at, quote, quote - end);
            }
        }
        if self.is_keyword(word) {
            self.paper.mark(at, end, 'k');
        }
        end
    }

    fn is_keyword(&self, word: &[u8]) -> bool {
        let length = word.len();
        if length > LONGEST || self.lengths[usize::from(word[0])] & (1 << length) == 0 {
            return false;
        }
        let mut small = [0; LONGEST];
        let small = &mut small[..length];
        small.copy_from_slice(word);
        if self.p.folded {
            small.make_ascii_lowercase();
        }
        self.p.words.binary_search_by(|w| w.as_bytes().cmp(small)).is_ok()
    }

    fn number(&mut self, at: usize) -> usize {
        let mut end = at;
        loop {
            end = self.skip(end, is_word);
            // A full stop belongs to a number only between digits: `1..2` and `1.max(2)` are not one.
            let goes_on = self.is_at(end, ".") && self.bytes[end + 1..self.end].first().is_some_and(u8::is_ascii_digit);
            if !goes_on {
                break;
            }
            end += 1;
        }
        self.paper.mark(at, end, 'n');
        end
    }

    /// A comment, a string, or a name behind a sigil; where it is none of them, one byte.
    fn mark(&mut self, at: usize) -> usize {
        let after_space = at == 0 || self.bytes[at - 1].is_ascii_whitespace() || self.bytes[at - 1] == b';';
        if self.p.line.iter().any(|m| self.is_at(at, m)) && (after_space || !self.p.line_after_space) {
            let end = line_end(self.bytes, at, self.end);
            self.paper.mark(at, end, 'c');
            return end;
        }
        if let Some((open, close)) = self.p.block.filter(|b| self.is_at(at, b.0)) {
            let end = self.comment_end(at, open, close);
            self.paper.mark(at, end, 'c');
            return end;
        }
        if let Some(s) = self.p.strings.iter().find(|s| self.is_at(at, s.open)) {
            let end = self.string_end(at + s.open.len(), s);
            let is_key = self.p.keys == Keys::Quoted && self.is_at(self.skip(end, |b| b.is_ascii_whitespace()), ":");
            self.paper.mark(at, end, if is_key { 'a' } else { 's' });
            return end;
        }
        match self.p.sigil {
            Some((sigil, class)) if self.bytes[at] == sigil => self.sigil(at, class),
            _ if self.p.is_rust && self.bytes[at] == b'\'' => self.character(at),
            _ => at + 1,
        }
    }

    fn sigil(&mut self, at: usize, class: char) -> usize {
        let from = if self.is_at(at, "${") { at + 2 } else { at + 1 };
        let mut end = self.skip(from, |b| is_word(b) || (class == 't' && b == b'.'));
        // `$#`, `$?` and their like.
        if class == 'v' && end == at + 1 && self.bytes[end..self.end].first().is_some_and(|b| b"#?@*!$-".contains(b)) {
            end += 1;
        }
        if end > from || end > at + 1 {
            self.paper.mark(at, end, class);
        }
        end
    }

    fn comment_end(&self, at: usize, open: &str, close: &str) -> usize {
        let mut from = at + open.len();
        let mut depth = 1;
        while let Some(i) = memchr::memchr2(open.as_bytes()[0], close.as_bytes()[0], &self.bytes[from..self.end]) {
            from += i;
            if self.is_at(from, close) {
                from += close.len();
                depth -= 1;
                if depth == 0 {
                    return from;
                }
            } else if self.p.is_rust && self.is_at(from, open) {
                from += open.len();
                depth += 1;
            } else {
                from += 1;
            }
        }
        self.end
    }

    /// The end of a string whose inside begins at `at`.
    fn string_end(&self, mut at: usize, s: &Str) -> usize {
        let close = s.close.as_bytes()[0];
        let escape = if s.escapes { b'\\' } else { close };
        let stop = if s.many_lines { close } else { b'\n' };
        while let Some(i) = memchr::memchr3(close, escape, stop, &self.bytes[at.min(self.end)..self.end]) {
            at += i;
            if self.is_at(at, s.close) {
                return at + s.close.len();
            }
            match self.bytes[at] {
                b'\n' if !s.many_lines => return at,
                b'\\' if s.escapes => at += 2,
                _ => at += 1,
            }
        }
        self.end
    }

    fn raw_string(&mut self, at: usize, quote: usize, hashes: usize) -> usize {
        let mut from = quote + 1;
        let mut end = self.end;
        while let Some(i) = memchr::memchr(b'"', &self.bytes[from..self.end]) {
            from += i + 1;
            let closing = self.bytes[from..self.end].iter().take(hashes).take_while(|b| **b == b'#').count();
            if closing == hashes {
                end = from + hashes;
                break;
            }
            // Hashes that were too few are not looked at again.
            from += closing;
        }
        self.paper.mark(at, end, 's');
        end
    }

    /// A character of Rust; a lifetime stays plain.
    fn character(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at + 1..self.end];
        let end = match rest.first() {
            Some(b'\\') => rest.iter().take(12).skip(2).position(|b| *b == b'\'').map(|i| i + 3),
            Some(b) if *b != b'\n' => {
                let width = self.paper.text[at + 1..].chars().next().map_or(1, char::len_utf8);
                (rest.get(width) == Some(&b'\'')).then_some(width + 1)
            }
            _ => None,
        };
        let Some(end) = end.map(|e| at + 1 + e) else { return at + 1 };
        self.paper.mark(at, end, 's');
        end
    }

    /// Marks the key or section that the line at `at` begins with; returns where to go on.
    fn line_start(&mut self, at: usize) -> usize {
        let start = self.skip(at, |b| matches!(b, b' ' | b'\t'));
        match self.p.keys {
            Keys::None | Keys::Quoted => at,
            Keys::Equals if self.is_at(start, "[") => {
                let line = &self.bytes[start..line_end(self.bytes, start, self.end)];
                let end = memchr::memrchr(b']', line).map(|i| start + i + 1);
                let is_section = line.iter().all(|b| is_word(*b) || b"[].-\"' \t".contains(b));
                let Some(end) = end.filter(|_| is_section) else { return at };
                self.paper.mark(start, end, 't');
                end
            }
            Keys::Equals => self.key(at, start, b"=", |b| is_word(b) || b"-. ".contains(&b)),
            Keys::Colon => {
                let start = self.skip(start, |b| matches!(b, b'-' | b' '));
                self.key(at, start, b":", |b| is_word(b) || b"-./ @$".contains(&b))
            }
        }
    }

    fn key(&mut self, at: usize, start: usize, mark: &[u8], inside: impl Fn(u8) -> bool) -> usize {
        let end = self.skip(start, inside);
        let after = self.bytes[end..self.end].get(1).copied();
        let ends = self.bytes[end..self.end].starts_with(mark)
            && (mark == b"=" || after.is_none_or(|b| b.is_ascii_whitespace()));
        if !ends || end == start {
            return at;
        }
        let trimmed = self.bytes[start..end].iter().rposition(|b| *b != b' ').map_or(start, |i| start + i + 1);
        self.paper.mark(start, trimmed, 'a');
        end
    }
}
