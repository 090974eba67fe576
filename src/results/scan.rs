//! One JSON text, read strictly from its first byte to its last, without allocating.
//!
//! It accepts what RFC 8259 and `serde_json::Value` accept, no more: numbers fit a double, escapes name characters,
//! and nesting ends at [`MAX_DEPTH`]. Every reader gives none where the text is not what was asked for.

use super::chunk::{WIDE, stop};
use super::key::{Key, pack};
use std::borrow::Cow;

/// Levels of nesting, the outermost included; deeper texts are refused so that no reader of ours recurses without end.
pub(super) const MAX_DEPTH: u32 = 127;

/// A reader and its place in the text, which may hold other lines after this one: no reader passes over a line end.
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: u32,
}

impl<'a> Scan<'a> {
    /// A reader that begins at an offset, within so many levels of nesting.
    #[inline]
    pub fn new(text: &'a str, at: usize, depth: u32) -> Scan<'a> {
        Scan { text, at, depth }
    }

    /// Whether nothing but white space is left of the line.
    pub fn is_done(&mut self) -> bool {
        self.space();
        matches!(self.peek(), None | Some(b'\n'))
    }

    /// The offset of the reader.
    #[inline]
    pub fn place(&self) -> usize {
        self.at
    }

    /// Levels of nesting around the reader.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Reads an object; `field` reads the value of each key.
    #[inline]
    pub fn object(&mut self, mut field: impl FnMut(&mut Self, Key) -> Option<()>) -> Option<()> {
        self.open(b'{')?;
        if self.ate(b'}') {
            self.depth -= 1;
            return Some(());
        }
        loop {
            let key = self.key()?;
            self.space();
            self.eat(b':')?;
            field(self, key)?;
            if self.closes(b'}')? {
                return Some(());
            }
        }
    }

    /// Reads an array; `item` reads each value.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.open(b'[')?;
        if self.ate(b']') {
            self.depth -= 1;
            return Some(());
        }
        loop {
            item(self)?;
            if self.closes(b']')? {
                return Some(());
            }
        }
    }

    /// Reads a string.
    #[inline]
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        let (start, escaped) = self.string()?;
        if escaped {
            // Rare, and checked already: the text with its quotes is one JSON string.
            return serde_json::from_str::<String>(&self.text[start - 1..self.at]).ok().map(Cow::Owned);
        }
        Some(Cow::Borrowed(&self.text[start..self.at - 1]))
    }

    /// Passes over a string.
    #[inline]
    pub fn pass_text(&mut self) -> Option<()> {
        self.string().map(|_| ())
    }

    /// Reads a string as a key.
    #[inline]
    pub fn key(&mut self) -> Option<Key> {
        self.space();
        // Nearly every key is short and has no escapes: its end is within the first sixteen bytes.
        if let Some(chunk) = self.text.as_bytes().get(self.at..).and_then(|rest| rest.first_chunk::<{ WIDE + 1 }>())
            && let [b'"', key @ ..] = chunk
        {
            let length = stop(key);
            if key.get(length) == Some(&b'"') {
                self.at += length + 2;
                return Some(Key::from_le_bytes(*key) & !(Key::MAX << (8 * length)));
            }
        }
        self.text().map(|text| pack(&text))
    }

    /// Passes over one value of any kind.
    pub fn skip(&mut self) -> Option<()> {
        self.space();
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' => self.object(|s, _| s.skip()),
            b'[' => self.array(Self::skip),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number().map(|_| ()),
        }
    }

    /// Whether a null stood here; it is passed over.
    #[inline]
    pub fn null(&mut self) -> bool {
        self.space();
        self.peek() == Some(b'n') && self.word("null").is_some()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes over white space.
    #[inline]
    pub fn space(&mut self) {
        // One comparison tells most bytes from white space.
        while self.peek().is_some_and(|b| b <= b' ' && matches!(b, b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        self.ate_here(byte).then_some(())
    }

    #[inline]
    pub(super) fn ate_here(&mut self, byte: u8) -> bool {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is
    }

    fn ate(&mut self, byte: u8) -> bool {
        self.space();
        self.ate_here(byte)
    }

    fn open(&mut self, byte: u8) -> Option<()> {
        self.space();
        self.eat(byte)?;
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// After a value: whether the closing byte follows; none where neither it nor a comma does.
    #[inline]
    fn closes(&mut self, byte: u8) -> Option<bool> {
        self.space();
        if self.ate_here(b',') {
            return Some(false);
        }
        self.eat(byte)?;
        self.depth -= 1;
        Some(true)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.text.as_bytes()[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// Passes over a string; gives where its characters begin and whether any of them is escaped.
    #[inline]
    fn string(&mut self) -> Option<(usize, bool)> {
        self.space();
        self.eat(b'"')?;
        let start = self.at;
        self.plain_characters();
        if self.ate_here(b'"') { Some((start, false)) } else { self.rest_of_string().map(|()| (start, true)) }
    }

    #[cold]
    #[inline(never)]
    fn rest_of_string(&mut self) -> Option<()> {
        while !self.ate_here(b'"') {
            // A control character is none.
            (self.peek()? == b'\\').then_some(())?;
            self.escape()?;
            self.plain_characters();
        }
        Some(())
    }

    /// Goes to the next quote, backslash or control character.
    #[inline]
    fn plain_characters(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(chunk) = bytes.get(self.at..).and_then(|rest| rest.first_chunk()) {
            let length = stop(chunk);
            self.at += length;
            if length < WIDE {
                return;
            }
        }
        while self.peek().is_some_and(|b| b >= 0x20 && b != b'"' && b != b'\\') {
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Option<()> {
        self.at += 1;
        match self.peek()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.at += 1;
                Some(())
            }
            b'u' => match self.hex()? {
                // Half of a character above the basic plane: the other half must follow.
                0xd800..=0xdbff => {
                    self.eat(b'\\')?;
                    (self.peek()? == b'u').then_some(())?;
                    matches!(self.hex()?, 0xdc00..=0xdfff).then_some(())
                }
                0xdc00..=0xdfff => None,
                _ => Some(()),
            },
            _ => None,
        }
    }

    /// At a `u`: the four hexadecimal digits after it.
    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at + 1..self.at + 5).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        self.at += 5;
        u32::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn accepts(text: &str) -> bool {
        let mut scan = Scan::new(text, 0, 0);
        scan.skip().is_some() && scan.is_done()
    }

    #[test]
    fn it_accepts_and_refuses_what_serde_json_does() {
        for text in [
            "{}",
            "[]",
            "0",
            "-0",
            "01",
            "1.",
            ".1",
            "1.5e",
            "1e5",
            "1E+5",
            "1e-999",
            "1e999",
            "-",
            "+1",
            "\"\\u00e9\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83d\\u0041\"",
            "\"\\x\"",
            "\"a\tb\"",
            "\"",
            "tru",
            "true ",
            "nul",
            "[1,]",
            "[1 2]",
            "{\"a\":1,}",
            "{\"a\" : [ 1 , {} ] }",
            "{a:1}",
            "{\"a\"}",
            "[1]]",
            "NaN",
            "Infinity",
            "",
            " ",
            "\u{7f}",
            "\"\u{7f}é\"",
            "\"\\u12\"",
            "\"\\u12é\"",
        ] {
            assert_eq!(accepts(text), serde_json::from_str::<Value>(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn nesting_ends_where_serde_json_ends_it() {
        for depth in [1, 126, 127, 128, 129, 100_000] {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            assert_eq!(accepts(&text), serde_json::from_str::<Value>(&text).is_ok(), "{depth}");
        }
    }

    proptest! {
        #[test]
        fn a_text_of_json_characters_is_judged_as_serde_json_judges_it(text in "[\\[\\]{},:\"\\\\u0-9a-f.eE+ntrul -]{0,24}") {
            prop_assert_eq!(accepts(&text), serde_json::from_str::<Value>(&text).is_ok());
        }
        #[test]
        fn a_written_text_reads_back(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(Scan::new(&json, 0, 0).text().map(Cow::into_owned), Some(text));
        }
    }
}
