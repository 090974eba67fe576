//! What may stand in a picture as text, and how much room it takes.

/// Advance widths of the printable ASCII characters in hundredths of the font size. They are those of
/// DejaVu Sans, the widest common interface font, so that a text fits where another font is used.
const ASCII: [u8; 95] = [
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84,
    84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63, 61, 73, 68, 99, 69,
    61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63,
    59, 82, 59, 59, 52, 64, 34, 64, 84,
];
const ELLIPSIS: char = '…';
/// Heavy letters are wider than the table says.
pub(super) const BOLD: f64 = 1.12;

/// Whether a character can be shown: no control, no direction override, nothing that XML forbids.
fn shows(c: char) -> bool {
    !(c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}'..='\u{206f}'
            | '\u{202a}'..='\u{202e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}'))
}

/// The text on one line, without anything invisible that could disguise it.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => out.push(' '),
            c if shows(c) => out.push(c),
            _ => {}
        }
    }
    out
}

/// Appends cleaned text, escaped for XML text and attributes.
pub(super) fn push_escaped(out: &mut String, text: &str) {
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

/// The text with every character outside `A-Z a-z 0-9 - _ . :` turned into a hyphen, for ids and classes.
pub(super) fn token(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.:".contains(c) { c } else { '-' }).collect()
}

fn advance(c: char) -> u32 {
    let code = c as u32;
    match code {
        32..=126 => u32::from(ASCII[(code - 32) as usize]),
        0xb7 | 0x2013 => 50,
        0xa0..=0x2af => 70,
        // Wide scripts and pictographs fill the em.
        0x1100..=0x11ff | 0x2e80..=0xd7ff | 0xf900..=0xfaff | 0xff00..=0xffef => 105,
        0x1f000..=0x3ffff => 135,
        _ => 100,
    }
}

/// Room that the text takes at this font size, in pixels; rather too much than too little.
pub(super) fn width(text: &str, size: f64) -> f64 {
    f64::from(text.chars().filter(|c| shows(*c)).map(advance).sum::<u32>()) * size / 100.0
}

/// The text, cut with an ellipsis where it is wider than the room, and whether it was cut.
pub(super) fn fit(text: &str, size: f64, room: f64) -> (String, bool) {
    let text = clean(text);
    // A room that was measured from this very text must not lose it to rounding.
    if width(&text, size) <= room + 0.1 {
        return (text, false);
    }
    let mut out = String::new();
    let mut used = width("…", size);
    for c in text.chars() {
        used += f64::from(advance(c)) * size / 100.0;
        if used > room {
            break;
        }
        out.push(c);
    }
    let mut out = out.trim_end().to_owned();
    out.push(ELLIPSIS);
    (out, true)
}

/// The text in lines of at most this room; a single word that is wider is broken.
pub(super) fn wrap(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in clean(text).split_whitespace() {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width(&joined, size) <= room {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            let next = width(&line, size) + f64::from(advance(c)) * size / 100.0;
            if next > room && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_or_reversing_survives() {
        assert_eq!(clean("a\u{202e}b\u{0}c\u{7}\td\u{2066}e\u{feff}\u{200b}\u{e0041}"), "abc de");
    }

    #[test]
    fn markup_is_escaped() {
        let mut out = String::new();
        push_escaped(&mut out, "<b onload='x'>&\"");
        assert_eq!(out, "&lt;b onload=&#39;x&#39;&gt;&amp;&quot;");
    }

    #[test]
    fn a_text_that_fits_is_left_alone_and_another_ends_in_an_ellipsis() {
        assert_eq!(fit("haiku", 13.0, 60.0), ("haiku".into(), false));
        let (short, cut) = fit("a-very-long-model-name-2026-01-31", 13.0, 100.0);
        assert!(cut && short.ends_with('…') && width(&short, 13.0) <= 100.0, "{short}");
    }

    #[test]
    fn wrapped_lines_keep_every_letter_and_fit() {
        let text = "one two three incomprehensibilities four";
        let lines = wrap(text, 12.0, 60.0);
        assert!(lines.iter().all(|l| width(l, 12.0) <= 60.0), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert!(wrap("  ", 12.0, 60.0).is_empty());
    }
}
