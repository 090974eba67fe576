//! Answers whose characters are no good, made sound: what no text can hold becomes U+FFFD, and the rest stays.
//!
//! Providers send halves of surrogate pairs, bytes that are no UTF-8, escapes that do not exist, bare control characters
//! and numbers that JSON does not know. None of them is a reason to lose a reply.

use super::Dialect;
use super::stream::folded;
use serde_json::Value;

/// Stands where a character cannot stand.
const UNKNOWN: char = '\u{FFFD}';

/// An answer as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// The answer in one piece; none where the bytes hold none.
    pub(super) answer: Option<Value>,
    /// It came in pieces.
    pub(super) streamed: bool,
    /// The bytes as a text with sound characters, where they had to be changed.
    pub(super) mended: Option<String>,
}

/// Reads an answer: JSON in one piece, or a stream of the dialect.
pub(super) fn heard(dialect: Dialect, bytes: &[u8]) -> Heard {
    // An escaped NUL is good JSON, and no program takes it.
    let nul = memchr::memmem::find(bytes, b"\\u0000").is_some();
    if let (false, Ok(answer)) = (nul, serde_json::from_slice(bytes)) {
        return Heard { answer: Some(answer), ..Heard::default() };
    }
    let whole = sound_json(bytes);
    if let Ok(answer) = serde_json::from_str(&whole) {
        return Heard { answer: Some(answer), streamed: false, mended: changed(whole, bytes) };
    }
    let lines = sound_lines(bytes);
    let answer = folded(dialect, &lines);
    Heard { streamed: answer.is_some(), answer, mended: changed(lines, bytes) }
}

fn changed(text: String, bytes: &[u8]) -> Option<String> {
    (text.as_bytes() != bytes).then_some(text)
}

/// A text of a model, such as the arguments of a call, with sound characters: half a pair is all that is mended there,
/// since what else is wrong with it is the model's to hear of.
pub(super) fn sound_arguments(text: &str) -> String {
    let mended = || Some(sound_json(text.as_bytes())).filter(|m| serde_json::from_str::<Value>(m).is_ok());
    let surrogate = memchr::memmem::find_iter(text.as_bytes(), "\\u")
        .any(|at| hex(text.as_bytes(), at + 2).is_some_and(|unit| unit == 0 || is_high(unit) || is_low(unit)));
    if surrogate { mended().unwrap_or_else(|| text.to_owned()) } else { text.to_owned() }
}

/// A stream, line by line: what stands after `data:`, or a line of JSON by itself.
fn sound_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let body = line.trim_end_matches(['\r', '\n']);
        let end = &line[body.len()..];
        let name = if body.starts_with("data:") { "data:".len() } else { 0 };
        if name > 0 || body.trim_start().starts_with('{') {
            out.push_str(&body[..name]);
            out.push_str(&sound_json(&body.as_bytes()[name..]));
        } else {
            out.push_str(body);
        }
        out.push_str(end);
    }
    out
}

/// A text of JSON in which every character can stand; good JSON without NUL stays as it is.
fn sound_json(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut within) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        let taken = match (within, c) {
            (true, '\\') => escape(text, at, &mut out),
            (true, c) if c < ' ' => {
                match c {
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    _ => out.push(UNKNOWN),
                }
                1
            }
            (false, 'N' | 'I' | '-' | '0'..='9') => number(text, at, &mut out),
            (_, c) => {
                within ^= c == '"';
                out.push(c);
                c.len_utf8()
            }
        };
        at += taken;
    }
    out
}

/// What an escape at `at` is, and how many bytes it takes.
fn escape(text: &str, at: usize, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let mut copy = |n: usize| {
        out.push_str(&text[at..at + n]);
        n
    };
    match bytes.get(at + 1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => copy(2),
        Some(b'u') => match hex(bytes, at + 2) {
            Some(unit) if is_high(unit) => {
                let low = bytes.get(at + 6..at + 8) == Some(b"\\u") && hex(bytes, at + 8).is_some_and(is_low);
                if low { copy(12) } else { unknown(out, 6) }
            }
            Some(unit) if unit == 0 || is_low(unit) => unknown(out, 6),
            Some(_) => copy(6),
            None => unknown(out, 1),
        },
        _ => unknown(out, 1),
    }
}

fn unknown(out: &mut String, taken: usize) -> usize {
    out.push(UNKNOWN);
    taken
}

/// A number, or a word that stands for one; what no double holds is unknown, which is null.
fn number(text: &str, at: usize, out: &mut String) -> usize {
    let rest = &text[at..];
    for word in ["NaN", "-Infinity", "Infinity", "-NaN"] {
        if rest.starts_with(word) {
            out.push_str("null");
            return word.len();
        }
    }
    let end = rest.find(|c: char| !matches!(c, '-' | '+' | '.' | 'e' | 'E' | '0'..='9')).unwrap_or(rest.len());
    let end = end.max(1);
    let infinite = rest[..end].parse::<f64>().is_ok_and(f64::is_infinite);
    out.push_str(if infinite { "null" } else { &rest[..end] });
    end
}

fn hex(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = std::str::from_utf8(bytes.get(at..at + 4)?).ok()?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

fn is_high(unit: u32) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u32) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn value(text: &[u8]) -> Value {
        heard(Dialect::Openai, text).answer.unwrap()
    }

    #[test]
    fn what_no_text_can_hold_becomes_one_character() {
        for (text, means) in [
            (&br#"{"a":"x\ud83d"}"#[..], "x\u{FFFD}"),
            (br#"{"a":"\udc00x"}"#, "\u{FFFD}x"),
            (br#"{"a":"\ud83d\ud83d\ude00"}"#, "\u{FFFD}\u{1F600}"),
            (br#"{"a":"\ud83d\ude00"}"#, "\u{1F600}"),
            (br#"{"a":"\\ud83d"}"#, "\\ud83d"),
            (br#"{"a":"\u0000!"}"#, "\u{FFFD}!"),
            (b"{\"a\":\"\0!\"}", "\u{FFFD}!"),
            (b"{\"a\":\"\xff\xfe!\"}", "\u{FFFD}\u{FFFD}!"),
            (b"{\"a\":\"\xed\xa0\xbd!\"}", "\u{FFFD}\u{FFFD}\u{FFFD}!"),
            (b"{\"a\":\"one\ntwo\t\"}", "one\ntwo\t"),
            (br#"{"a":"\x41\u12"}"#, "\u{FFFD}x41\u{FFFD}u12"),
            (b"\xef\xbb\xbf{\"a\":\"mark\"}", "mark"),
        ] {
            assert_eq!(value(text)["a"], means, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!(value(br#"{"\ud800":[{"b":"\udfff"}]}"#), json!({"\u{FFFD}": [{"b": "\u{FFFD}"}]}));
    }

    #[test]
    fn numbers_that_json_does_not_know_are_unknown() {
        let read = value(br#"{"a":NaN,"b":[-Infinity,Infinity],"c":1e999,"d":-1.5e3,"e":"NaN 1e999"}"#);
        assert_eq!(read, json!({"a": null, "b": [null, null], "c": null, "d": -1500.0, "e": "NaN 1e999"}));
    }

    #[test]
    fn good_answers_stay_as_they_came_and_bad_ones_stay_bad() {
        let good = heard(Dialect::Openai, br#"{"a":"\ud83d\ude00 \n","n":1}"#);
        assert!(good.mended.is_none() && !good.streamed);
        for bad in [&b""[..], b"<html>", b"{\"a\":\"x", b"{\"a\":", b"\xff"] {
            assert_eq!(heard(Dialect::Openai, bad).answer, None);
        }
        assert_eq!(sound_arguments(r#"{"a":"\d"}"#), r#"{"a":"\d"}"#, "the model hears of its own mistakes");
        assert_eq!(sound_arguments(r#"{"a":"\ud800"}"#), "{\"a\":\"\u{FFFD}\"}");
    }

    proptest::proptest! {
        #[test]
        fn good_json_without_nul_is_left_alone(text in "\\PC{0,40}") {
            let json = json!({"a": text, "b": [1.5, -2, true, null]}).to_string();
            proptest::prop_assert_eq!(sound_json(json.as_bytes()), json);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            for dialect in [Dialect::Openai, Dialect::Anthropic, Dialect::Ollama] {
                let _ = heard(dialect, &bytes);
            }
        }
    }
}
