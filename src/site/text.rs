//! Hostile text made harmless in pages.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character could change how the text around it is read or shown.
fn is_treacherous(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Text with control and direction characters replaced by the replacement character.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.bytes().any(|b| (b < 0x20 && b != b'\n' && b != b'\t') || b == 0x7f) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_treacherous(c) { '\u{fffd}' } else { c }).collect())
}

/// Appends text to HTML, in an element or in a quoted attribute.
pub fn push_escaped(out: &mut String, text: &str) {
    // Most names need nothing.
    if text.bytes().all(|b| matches!(b, b' '..=b'~') && !matches!(b, b'&' | b'<' | b'>' | b'"' | b'\'')) {
        out.push_str(text);
        return;
    }
    for c in clean(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Text as HTML, for an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_escaped(&mut out, text);
    out
}

/// A name of a model, task or run in running text.
pub fn name(text: &str) -> String {
    format!("<span class=\"name\">{}</span>", escape(text))
}

/// A publisher's sentence as HTML: what stands in backticks is set as code, as in content pages.
pub fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let parts: Vec<&str> = text.split('`').collect();
    for (i, part) in parts.iter().enumerate() {
        match (i % 2, i + 1 == parts.len()) {
            (1, false) => out.extend(["<code>", &escape(part), "</code>"]),
            // A backtick without a second one is itself.
            (1, true) => out.extend(["`", &escape(part)]),
            _ => push_escaped(&mut out, part),
        }
    }
    out
}

/// A link to an address of ours around HTML.
pub fn link(href: &str, html: &str) -> String {
    format!("<a href=\"{}\">{html}</a>", escape(href))
}

/// A string as a JSON string that is also harmless inside HTML.
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn markup_ansi_and_direction_controls_are_neutral() {
        let text = escape("</script>\u{1b}[31m\u{202e}gpj.exe\u{2066}'\"&");
        assert_eq!(text, "&lt;/script&gt;\u{fffd}[31m\u{fffd}gpj.exe\u{fffd}&#39;&quot;&amp;");
    }

    proptest! {
        #[test]
        fn escaped_text_holds_no_markup(text in "\\PC*|.*") {
            let e = escape(&text);
            prop_assert!(!e.contains('<') && !e.contains('>') && !e.contains('"') && !e.contains('\''));
        }
        #[test]
        fn a_json_string_reads_back_as_it_was(text in ".*") {
            prop_assert_eq!(serde_json::from_str::<String>(&json_string(&text)).unwrap(), text);
        }
    }
}
