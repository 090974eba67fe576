//! Texts of models, tests and tasks on a page: cut, cleaned, escaped, and never anything but text.

use crate::site::text::push_escaped;
use std::borrow::Cow;
use std::fmt::Write;

/// A text of at most `most` characters: its first and last half, with a line between that says how much is missing.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    // A character has at least one byte.
    let Some(gone) = text.len().checked_sub(most).and_then(|_| text.chars().count().checked_sub(most)) else {
        return Cow::Borrowed(text);
    };
    if gone == 0 {
        return Cow::Borrowed(text);
    }
    let head = most.div_ceil(2);
    let from = text.char_indices().nth(head).map_or(text.len(), |(i, _)| i);
    let to = text.char_indices().nth(head + gone).map_or(text.len(), |(i, _)| i);
    Cow::Owned(format!("{}\n[… {gone} characters are left out here …]\n{}", &text[..from], &text[to..]))
}

/// The first line of a text, at most so many characters of it.
pub fn first_line(text: &str, most: usize) -> Cow<'_, str> {
    let line = text.trim_start().lines().next().unwrap_or("").trim_end();
    match line.char_indices().nth(most) {
        None if line.len() == text.trim().len() => Cow::Borrowed(line),
        None => Cow::Owned(format!("{line} …")),
        Some((end, _)) => Cow::Owned(format!("{}…", &line[..end])),
    }
}

/// Appends a text as it was printed, at most so many characters of it.
pub fn push_block(out: &mut String, text: &str, most: usize) {
    let text = text.replace("\r\n", "\n");
    out.push_str("<pre><code>");
    push_escaped(out, shortened(text.trim_end_matches('\n'), most).as_ref());
    out.push_str("</code></pre>\n");
}

/// Appends a short text on one line, digits and all.
pub fn push_code(out: &mut String, text: &str, most: usize) {
    out.push_str("<code>");
    let end = text.char_indices().nth(most).map_or(text.len(), |(i, _)| i);
    push_escaped(out, &text[..end]);
    out.push_str(if end < text.len() { "…</code>" } else { "</code>" });
}

/// A short text on one line.
pub fn code(text: &str, most: usize) -> String {
    let mut out = String::new();
    push_code(&mut out, text, most);
    out
}

/// A whole number with commas, as code: it is quoted from a raw line or file.
pub fn whole(value: u64) -> String {
    format!("<code>{}</code>", crate::stats::display::Format::Count.text(Some(value as f64)))
}

/// A number as it is written in a raw line.
pub fn number(value: f64, unit: &str) -> String {
    let mut out = String::from("<code>");
    // Not `{}`: a number of a hostile file would have three hundred digits.
    let _ = write!(out, "{value:?}{unit}</code>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("äbcdef", 3), "äb\n[… 3 characters are left out here …]\nf");
        assert_eq!(first_line("\n ls -la\ncd x", 80), "ls -la …");
        assert_eq!(first_line("abcdef", 3), "abc…");
        assert_eq!(first_line(" abc ", 3), "abc");
    }

    #[test]
    fn a_quoted_text_closes_nothing_and_shows_its_controls() {
        let mut out = String::new();
        push_block(&mut out, "</code></pre></details><script>\u{1b}[31m\u{202e}x\r\n\n", 100);
        assert_eq!(
            out,
            "<pre><code>&lt;/code&gt;&lt;/pre&gt;&lt;/details&gt;&lt;script&gt;\u{fffd}[31m\u{fffd}x</code></pre>\n"
        );
        assert_eq!(number(1e300, " s"), "<code>1e300 s</code>");
    }

    proptest! {
        #[test]
        fn any_text_is_cut_to_its_measure(text in "\\PC{0,80}", most in 1usize..40) {
            let cut = shortened(&text, most);
            prop_assert!(cut.chars().filter(|c| *c != '\n').count() <= most + 45);
            prop_assert!(first_line(&text, most).chars().count() <= most + 2);
            prop_assert!(!code(&text, most)[6..].trim_end_matches("</code>").contains('<'));
        }
    }
}
