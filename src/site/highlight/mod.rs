//! Colours for code: the text of a code block and the name of its language in, HTML with classes out.
//!
//! A lexer of our own, because statements are hostile and a benchmark has ten thousand of them: libraries for this work
//! with regular expressions, are many times slower, and can be driven into backtracking by the text. Here each byte is
//! looked at a fixed number of times, whatever the text: what is opened and never closed goes on to the end of its line
//! or of the text, and is not tried again. The text itself is never changed: without the spans it is what came in,
//! escaped. This part must not know of pages, and has no opinion about colours: those are the style sheet's.
//!
//! Classes: `k` keyword, `s` string, `c` comment, `n` number, `t` annotation or section, `a` key or attribute,
//! `v` variable, `i` and `d` lines added and removed, `h` head of a change, `p` prompt.

mod language;
mod lines;
mod markup;
mod program;
mod words;

use language::{Kind, find};

/// Appends the text of a code block as HTML; a language that is not known is plain text.
pub fn push_code(out: &mut String, language: &str, text: &str) {
    let mut paper = Paper { out, text, done: 0 };
    match find(language) {
        None => {}
        Some(Kind::Program(p)) => program::scan(&mut paper, p, 0, text.len()),
        Some(Kind::Console(p)) => lines::console(&mut paper, p),
        Some(Kind::Diff) => lines::diff(&mut paper),
        Some(Kind::Markup) => markup::scan(&mut paper),
    }
    paper.plain_until(text.len());
}

/// The text on its way to HTML: everything before `done` is written.
struct Paper<'o, 't> {
    out: &'o mut String,
    text: &'t str,
    done: usize,
}

impl<'t> Paper<'_, 't> {
    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Writes what lies between two marks without a class.
    fn plain_until(&mut self, end: usize) {
        let mut rest = &self.text[self.done..end];
        self.done = end;
        while let Some(at) = memchr::memchr3(b'&', b'<', b'>', rest.as_bytes()) {
            self.out.push_str(&rest[..at]);
            self.out.push_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                _ => "&gt;",
            });
            rest = &rest[at + 1..];
        }
        self.out.push_str(rest);
    }

    /// Gives the text from `start` to `end` a class; what comes before it is plain.
    fn mark(&mut self, start: usize, end: usize, class: char) {
        self.plain_until(start);
        if start < end {
            self.out.push_str("<span class=\"");
            self.out.push(class);
            self.out.push_str("\">");
            self.plain_until(end);
            self.out.push_str("</span>");
        }
    }
}

/// Whether a byte belongs to a word: a letter, a digit, `_`, or a part of any character beyond ASCII.
const fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

/// The end of the line that a position is in: the place of its line end, or the end of the text.
fn line_end(bytes: &[u8], at: usize, end: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..end]).map_or(end, |i| at + i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn html(language: &str, text: &str) -> String {
        let mut out = String::new();
        push_code(&mut out, language, text);
        out
    }

    /// The text of HTML, and whether its spans are balanced and never in each other.
    fn read(html: &str) -> Option<String> {
        let (mut text, mut open) = (String::new(), false);
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("</span>").filter(|_| open) {
                (open, rest) = (false, after);
            } else {
                let after = rest.strip_prefix("<span class=\"").filter(|_| !open)?;
                let mut chars = after.chars();
                chars.next().filter(|c| "kscntavidhp".contains(*c))?;
                (open, rest) = (true, chars.as_str().strip_prefix("\">")?);
            }
        }
        text.push_str(rest);
        (!open).then(|| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    }

    #[test]
    fn words_strings_comments_and_numbers_have_their_classes() {
        for (language, text, wanted) in [
            (
                "rust",
                "let x: &'a str = 'x'; // y",
                "<span class=\"k\">let</span> x: &amp;'a str = <span class=\"s\">'x'</span>; <span class=\"c\">// y</span>",
            ),
            (
                "rust",
                "r#\"a\"b\"# /* 1 /* 2 */ */ 0x1f",
                "<span class=\"s\">r#\"a\"b\"#</span> <span class=\"c\">/* 1 /* 2 */ */</span> <span class=\"n\">0x1f</span>",
            ),
            (
                "py",
                "@dec\ndef f(): '''a\nb''' # c",
                "<span class=\"t\">@dec</span>\n<span class=\"k\">def</span> f(): <span class=\"s\">'''a\nb'''</span> <span class=\"c\"># c</span>",
            ),
            ("tsx", "const a = `x\n${y}`", "<span class=\"k\">const</span> a = <span class=\"s\">`x\n${y}`</span>"),
            (
                "go",
                "func f() `\\` \"a\\\"b\"",
                "<span class=\"k\">func</span> f() <span class=\"s\">`\\`</span> <span class=\"s\">\"a\\\"b\"</span>",
            ),
            (
                "json",
                "{\"a\" : [1, \"b\", true]}",
                "{<span class=\"a\">\"a\"</span> : [<span class=\"n\">1</span>, <span class=\"s\">\"b\"</span>, <span class=\"k\">true</span>]}",
            ),
            (
                "yaml",
                "- a-b: c # d\nurl: http://x#y",
                "- <span class=\"a\">a-b</span>: c <span class=\"c\"># d</span>\n<span class=\"a\">url</span>: http://x#y",
            ),
            (
                "toml",
                "[a.b]\nc = \"d\" # e",
                "<span class=\"t\">[a.b]</span>\n<span class=\"a\">c</span> = <span class=\"s\">\"d\"</span> <span class=\"c\"># e</span>",
            ),
            (
                "sh",
                "if [ $# -gt 1 ]; then echo \"$x\" # no",
                "<span class=\"k\">if</span> [ <span class=\"v\">$#</span> -gt <span class=\"n\">1</span> ]; <span class=\"k\">then</span> <span class=\"k\">echo</span> <span class=\"s\">\"$x\"</span> <span class=\"c\"># no</span>",
            ),
            (
                "console",
                "$ export A=1\nout for 1",
                "<span class=\"p\">$ </span><span class=\"k\">export</span> A=<span class=\"n\">1</span>\nout for 1",
            ),
            (
                "diff",
                "@@ -1 +1 @@\n-a\n+b\n c",
                "<span class=\"h\">@@ -1 +1 @@</span>\n<span class=\"d\">-a</span>\n<span class=\"i\">+b</span>\n c",
            ),
            (
                "sql",
                "Select 'it''s' -- x",
                "<span class=\"k\">Select</span> <span class=\"s\">'it'</span><span class=\"s\">'s'</span> <span class=\"c\">-- x</span>",
            ),
            (
                "html",
                "<a href=\"x\">1 < 2</a><!-- c -->",
                "<span class=\"k\">&lt;a</span> <span class=\"a\">href</span>=<span class=\"s\">\"x\"</span><span class=\"k\">&gt;</span>1 &lt; 2<span class=\"k\">&lt;/a</span><span class=\"k\">&gt;</span><span class=\"c\">&lt;!-- c --&gt;</span>",
            ),
            ("brainfuck", "let x = 1;", "let x = 1;"),
        ] {
            assert_eq!(html(language, text), wanted, "{language}");
        }
    }

    #[test]
    fn what_is_never_closed_ends_with_its_line_or_with_the_text() {
        assert_eq!(html("js", "a = 'b\nlet c"), "a = <span class=\"s\">'b</span>\n<span class=\"k\">let</span> c");
        assert_eq!(html("js", "/* b\nlet c"), "<span class=\"c\">/* b\nlet c</span>");
    }

    #[test]
    fn a_text_that_opens_everything_and_closes_nothing_is_read_once() {
        // Twice the text gives less than three times the HTML; a reader that tried again would not end here at all.
        let all = "\"'`/*<!--r#\"{${[(@#$\\-- <a b=\"'''\"\"\"";
        for language in language::names() {
            let (one, two) = (all.repeat(20_000), all.repeat(40_000));
            let (one, two) = (html(language, &one).len(), html(language, &two).len());
            assert!(two < 3 * one, "{language}: {one} and {two}");
        }
    }

    fn any_code() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![
                "\\PC{0,6}",
                "[-+@#$%&<>=:;'\"`/*!\\\\(){}\\[\\] \n\t]{1,4}",
                "[a-zA-Z_0-9.\u{e9}\u{4e16}]{1,5}",
                proptest::sample::select(vec![
                    "let",
                    "def ",
                    "r#\"",
                    "\"#",
                    "'''",
                    "\"\"\"",
                    "/*",
                    "*/",
                    "<!--",
                    "-->",
                    "$ ",
                    "${",
                    "@@",
                    "+++",
                    "---",
                    "br##\"",
                    "<a b='",
                    "/>",
                    "key: ",
                    "[x]\n",
                    "a = ",
                    "\\\u{4e16}",
                    "'\u{4e16}'",
                    "- ",
                ])
                .prop_map(str::to_owned),
            ],
            0..40,
        )
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn the_text_of_any_code_is_kept_and_its_spans_are_balanced(code in any_code()) {
            for language in language::names() {
                let kept = read(&html(language, &code));
                prop_assert_eq!(kept.as_ref(), Some(&code), "{}", language);
            }
        }
    }
}
