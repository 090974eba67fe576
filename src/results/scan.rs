//! One JSON text, read strictly from its first byte to its last, without allocating.
//!
//! It accepts what RFC 8259 and `serde_json::Value` accept, no more: numbers fit a double, escapes name characters,
//! and nesting ends at [`MAX_DEPTH`]. Every reader gives none where the text is not what was asked for.

use super::chunk::{WIDE, plain_stop, stop};
use super::key::{Key, pack};
use std::borrow::Cow;

/// Levels of nesting, the outermost included; deeper texts are refused so that no reader of ours recurses without end.
pub(super) const MAX_DEPTH: u32 = 127;

/// Lines in UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    /// All of it is ASCII, and no backslash is in it: most files are so, and their strings are passed over faster.
    plain: bool,
}

impl<'a> Text<'a> {
    /// The text of bytes, none where they are no UTF-8.
    pub fn new(bytes: &'a [u8]) -> Option<Text<'a>> {
        // Without an end within the block, so that many bytes are looked at in one step.
        let other = |block: &[u8]| block.iter().fold(0, |found, b| found | (b & 0x80) | u8::from(*b == b'\\')) != 0;
        let plain = !bytes.chunks(4096).any(other);
        (plain || std::str::from_utf8(bytes).is_ok()).then_some(Text { bytes, plain })
    }

    /// The bytes of the text.
    #[inline]
    pub fn bytes(self) -> &'a [u8] {
        self.bytes
    }
}

/// A reader and its place in the text, which may hold other lines after this one: no reader passes over a line end.
pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    plain: bool,
    pub(super) at: usize,
    depth: u32,
}

impl<'a> Scan<'a> {
    /// A reader that begins at an offset, within so many levels of nesting.
    #[inline]
    pub fn new(text: Text<'a>, at: usize, depth: u32) -> Scan<'a> {
        Scan { bytes: text.bytes, plain: text.plain, at, depth }
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
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        match self.text_bytes()? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    /// Reads a string as its UTF-8 bytes.
    #[inline]
    pub fn text_bytes(&mut self) -> Option<Cow<'a, [u8]>> {
        let (start, escaped) = self.string()?;
        if escaped {
            // Rare, and checked already: the text with its quotes is one JSON string.
            let text = serde_json::from_slice::<String>(&self.bytes[start - 1..self.at]).ok()?;
            return Some(Cow::Owned(text.into_bytes()));
        }
        Some(Cow::Borrowed(&self.bytes[start..self.at - 1]))
    }

    /// The text from one offset to another.
    #[inline]
    pub(super) fn said(&self, start: usize, end: usize) -> Option<&'a str> {
        std::str::from_utf8(&self.bytes[start..end]).ok()
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
        if let Some(chunk) = self.ahead::<{ WIDE + 1 }>()
            && let [b'"', key @ ..] = chunk
            && let Some(length) = stop(key)
            && key[length] == b'"'
        {
            self.at += length + 2;
            return Some(Key::from_le_bytes(*key) & !(Key::MAX << (8 * length)));
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

    /// The next bytes, where there are so many.
    #[inline]
    pub(super) fn ahead<const N: usize>(&self) -> Option<&'a [u8; N]> {
        self.bytes.get(self.at..)?.first_chunk()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
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
        self.bytes[self.at..].starts_with(word.as_bytes()).then(|| self.at += word.len())
    }

    /// Passes over a string; gives where its characters begin and whether any of them is escaped.
    #[inline]
    fn string(&mut self) -> Option<(usize, bool)> {
        self.space();
        self.eat(b'"')?;
        let start = self.at;
        if let Some(end) = self.plain_end() {
            self.at = end + 1;
            return Some((start, false));
        }
        self.plain_characters();
        if self.ate_here(b'"') { Some((start, false)) } else { self.rest_of_string().map(|()| (start, true)) }
    }

    /// Where the string ends in a plain text, unless it is near the end of the text or broken.
    #[inline]
    fn plain_end(&self) -> Option<usize> {
        let mut at = self.plain.then_some(self.at)?;
        loop {
            let chunk = self.bytes.get(at..)?.first_chunk()?;
            if let Some(length) = plain_stop(chunk) {
                return (chunk[length] == b'"').then_some(at + length);
            }
            at += WIDE;
        }
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
        while let Some(chunk) = self.ahead() {
            if let Some(length) = stop(chunk) {
                self.at += length;
                return;
            }
            self.at += WIDE;
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
        let digits = self.bytes.get(self.at + 1..self.at + 5)?;
        self.at += 5;
        digits.iter().try_fold(0, |n, digit| Some(n * 16 + char::from(*digit).to_digit(16)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn accepts(text: &str) -> bool {
        let text = Text::new(text.as_bytes()).unwrap();
        let [slow, fast] = [false, text.plain].map(|plain| {
            let mut scan = Scan::new(Text { plain, ..text }, 0, 0);
            scan.skip().is_some() && scan.is_done()
        });
        assert_eq!(slow, fast);
        fast
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
            prop_assert_eq!(Scan::new(Text::new(json.as_bytes()).unwrap(), 0, 0).text().map(Cow::into_owned), Some(text));
        }
    }
}
