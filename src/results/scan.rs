//! One JSON text, read strictly from its first byte to its last, without allocating.
//!
//! It accepts what RFC 8259 and `serde_json::Value` accept, no more: numbers fit a double, escapes name characters,
//! and nesting ends at [`MAX_DEPTH`]. Every reader gives none where the text is not what was asked for.

use super::key::{Key, pack};
use super::number::Number;
use std::borrow::Cow;

/// Levels of nesting, the outermost included; deeper texts are refused so that no reader of ours recurses without end.
pub(super) const MAX_DEPTH: u32 = 127;

/// A reader and its place in the text.
pub(super) struct Scan<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// The high bit of every byte of eight at which a string cannot go on: a quote, a backslash, a control character.
///
/// The lowest bit is exact; a borrow can only mark bytes after it.
#[inline]
fn stops(eight: u64) -> u64 {
    let (quote, slash) = (eight ^ (ONES * 0x22), eight ^ (ONES * 0x5c));
    let control = eight.wrapping_sub(ONES * 0x20) & !eight;
    (control | (quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash)) & HIGH
}

impl<'a> Scan<'a> {
    pub fn new(text: &'a str) -> Scan<'a> {
        Scan { text, at: 0, depth: 0 }
    }

    /// Whether nothing but white space is left.
    pub fn is_done(&mut self) -> bool {
        self.space();
        self.at == self.text.len()
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

    /// Reads the key of an object.
    #[inline]
    fn key(&mut self) -> Option<Key> {
        self.space();
        // Nearly every key is short and has no escapes: its end is within the first sixteen bytes.
        if let Some(chunk) = self.text.as_bytes().get(self.at..).and_then(|rest| rest.first_chunk::<17>())
            && let [b'"', key @ ..] = chunk
        {
            let all = Key::from_le_bytes(*key);
            let (low, high) = (stops(all as u64), stops((all >> 64) as u64));
            let length = if low != 0 { low.trailing_zeros() / 8 } else { 8 + high.trailing_zeros() / 8 };
            if key.get(length as usize) == Some(&b'"') {
                self.at += length as usize + 2;
                return Some(all & !(Key::MAX << (8 * length)));
            }
        }
        self.text().map(|text| pack(&text))
    }

    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Option<Number<'a>> {
        self.space();
        let bytes = self.text.as_bytes();
        let start = self.at;
        let negative = self.ate_here(b'-');
        let first = self.at;
        let mut digits = 0u64;
        while let Some(d) = bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(d - b'0'));
            self.at += 1;
        }
        let mut count = self.at - first;
        if count == 0 || (count > 1 && bytes[first] == b'0') {
            return None;
        }
        let mut fraction = 0;
        if self.ate_here(b'.') {
            let point = self.at;
            while let Some(d) = bytes.get(self.at).filter(|b| b.is_ascii_digit()) {
                digits = digits.wrapping_mul(10).wrapping_add(u64::from(d - b'0'));
                self.at += 1;
            }
            fraction = self.at - point;
            count += fraction;
            if fraction == 0 {
                return None;
            }
        }
        let power = matches!(bytes.get(self.at), Some(b'e' | b'E'));
        if power {
            self.at += 1;
            if !self.ate_here(b'+') {
                self.ate_here(b'-');
            }
            let from = self.at;
            while bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
                self.at += 1;
            }
            if self.at == from {
                return None;
            }
        }
        let number = Number { raw: &self.text[start..self.at], digits, count, fraction, plain: !negative && !power };
        // A power or a great many digits may name what no double holds.
        if (power || count > 300) && number.value().is_none() {
            return None;
        }
        Some(number)
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
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn space(&mut self) {
        // One comparison tells most bytes from white space.
        while self.peek().is_some_and(|b| b <= b' ' && matches!(b, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    #[inline]
    fn eat(&mut self, byte: u8) -> Option<()> {
        self.ate_here(byte).then_some(())
    }

    #[inline]
    fn ate_here(&mut self, byte: u8) -> bool {
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
        let mut escaped = false;
        loop {
            self.plain_characters();
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some((start, escaped));
                }
                b'\\' => {
                    self.escape()?;
                    escaped = true;
                }
                // A control character.
                _ => return None,
            }
        }
    }

    /// Goes to the next quote, backslash or control character, eight bytes at a time.
    #[inline]
    fn plain_characters(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(eight) = bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let c = u64::from_le_bytes(*eight);
            let stops = stops(c);
            if stops != 0 {
                self.at += (stops.trailing_zeros() / 8) as usize;
                return;
            }
            self.at += 8;
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
        let mut scan = Scan::new(text);
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
        fn a_written_number_reads_back_to_the_bit(value in prop::num::f64::POSITIVE | prop::num::f64::NORMAL, places in 0_usize..18) {
            for text in [format!("{value:?}"), format!("{:.places$}", value % 1e6), format!("{value:e}")] {
                let number = Scan::new(&text).number().and_then(|n| n.value());
                prop_assert_eq!(number.map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits));
            }
        }
        #[test]
        fn a_written_text_reads_back(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(Scan::new(&json).text().map(Cow::into_owned), Some(text));
        }
    }
}
