//! What is known of each language: words and marks, no rules.

use super::words::{GO, JAVA, JSON, PYTHON, RUST, SCRIPT, SHELL, SQL, TOML, YAML};

/// How a language is read.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Words, strings, comments.
    Program(&'static Program),
    /// Commands behind prompts, and what they print.
    Console(&'static Program),
    /// Lines added and removed.
    Diff,
    /// Tags.
    Markup,
}

/// Marks and words of a language.
pub(super) struct Program {
    /// What begins a comment that ends with its line.
    pub line: &'static [&'static str],
    /// Whether such a comment begins only where a word could.
    pub line_after_space: bool,
    /// What begins and ends a longer comment.
    pub block: Option<(&'static str, &'static str)>,
    /// Strings, those with longer marks first.
    pub strings: &'static [Str],
    /// Keywords in byte order; in small letters where `folded`.
    pub words: &'static [&'static str],
    /// Whether keywords are known in any case.
    pub folded: bool,
    /// A byte that begins a name of its own class: `@` of an annotation, `$` of a variable.
    pub sigil: Option<(u8, char)>,
    /// Keys and sections.
    pub keys: Keys,
    /// Lifetimes, and raw strings with marks of any length.
    pub is_rust: bool,
}

/// A kind of string.
pub(super) struct Str {
    pub open: &'static str,
    pub close: &'static str,
    /// Whether a backslash takes the next byte with it.
    pub escapes: bool,
    /// Whether it may go on in the next line.
    pub many_lines: bool,
}

/// What a key looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// There are none.
    None,
    /// A string before a colon.
    Quoted,
    /// What a line begins with, up to a colon.
    Colon,
    /// What a line begins with, up to an equals sign; lines in brackets are sections.
    Equals,
}

const LANGUAGES: &[(&str, Kind)] = &[
    ("rust", Kind::Program(&RUST)),
    ("rs", Kind::Program(&RUST)),
    ("python", Kind::Program(&PYTHON)),
    ("py", Kind::Program(&PYTHON)),
    ("pycon", Kind::Program(&PYTHON)),
    ("javascript", Kind::Program(&SCRIPT)),
    ("js", Kind::Program(&SCRIPT)),
    ("mjs", Kind::Program(&SCRIPT)),
    ("jsx", Kind::Program(&SCRIPT)),
    ("typescript", Kind::Program(&SCRIPT)),
    ("ts", Kind::Program(&SCRIPT)),
    ("tsx", Kind::Program(&SCRIPT)),
    ("go", Kind::Program(&GO)),
    ("golang", Kind::Program(&GO)),
    ("java", Kind::Program(&JAVA)),
    ("sh", Kind::Program(&SHELL)),
    ("bash", Kind::Program(&SHELL)),
    ("shell", Kind::Program(&SHELL)),
    ("zsh", Kind::Program(&SHELL)),
    ("console", Kind::Console(&SHELL)),
    ("shell-session", Kind::Console(&SHELL)),
    ("json", Kind::Program(&JSON)),
    ("jsonc", Kind::Program(&JSON)),
    ("json5", Kind::Program(&JSON)),
    ("jsonl", Kind::Program(&JSON)),
    ("toml", Kind::Program(&TOML)),
    ("yaml", Kind::Program(&YAML)),
    ("yml", Kind::Program(&YAML)),
    ("diff", Kind::Diff),
    ("patch", Kind::Diff),
    ("sql", Kind::Program(&SQL)),
    ("html", Kind::Markup),
    ("xml", Kind::Markup),
    ("svg", Kind::Markup),
];

/// A language by its name on a fence, in any case.
pub(super) fn find(name: &str) -> Option<Kind> {
    LANGUAGES.iter().find(|l| l.0.eq_ignore_ascii_case(name)).map(|l| l.1)
}

/// Every name.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|l| l.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_in_order_so_that_they_are_found() {
        for (name, kind) in LANGUAGES {
            if let Kind::Program(p) | Kind::Console(p) = kind {
                assert!(p.words.is_sorted_by(|a, b| a < b), "{name}");
                assert!(p.words.iter().all(|w| w.len() <= 12 && w.bytes().all(|b| b.is_ascii_alphabetic())), "{name}");
                assert!(!p.folded || p.words.iter().all(|w| *w == w.to_ascii_lowercase()), "{name}");
            }
        }
    }
}
