//! A task's statement from Markdown: hostile text that may neither run, load, nor take the place of what is around it.

use super::highlight::push_code;
use super::text::{clean, escape};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// Lists and quotations inside each other beyond this depth are shown flat.
const DEEPEST: usize = 24;

/// A statement as HTML: headings begin below the page's own, nothing has an id, raw HTML is text.
pub fn statement(markdown: &str) -> String {
    let text = markdown.replace("\r\n", "\n");
    let text = clean(&text);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut out = String::with_capacity(text.len() * 3 / 2);
    html::push_html(
        &mut out,
        Tamed { events: Parser::new_ext(&text, options), kept: Vec::new(), links: 0, blank: false, code: None },
    );
    out
}

/// Events of a parser, each made harmless.
struct Tamed<'t> {
    events: Parser<'t>,
    /// What became of each open element.
    kept: Vec<Kept>,
    /// Open links.
    links: usize,
    /// Whether the open link shows nothing yet.
    blank: bool,
    /// The language and text of an open code block.
    code: Option<(String, String)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kept {
    AsIs,
    /// The element is left out, what it holds is not.
    Inside,
    /// A link of ours.
    Link,
    /// A heading moved down.
    Heading(HeadingLevel),
}

impl<'t> Iterator for Tamed<'t> {
    type Item = Event<'t>;

    fn next(&mut self) -> Option<Event<'t>> {
        loop {
            let event = self.events.next()?;
            if let Some((_, text)) = &mut self.code {
                match event {
                    Event::Text(t) => text.push_str(&t),
                    Event::End(TagEnd::CodeBlock) => {
                        let (language, text) = self.code.take()?;
                        return Some(Event::Html(code_block(&language, &text).into()));
                    }
                    _ => {}
                }
                continue;
            }
            match event {
                Event::Start(Tag::CodeBlock(kind)) => self.code = Some((language(&kind).to_owned(), String::new())),
                Event::Start(Tag::HtmlBlock) => return Some(Event::Start(Tag::Paragraph)),
                Event::End(TagEnd::HtmlBlock) => return Some(Event::End(TagEnd::Paragraph)),
                Event::Start(tag) => {
                    if let Some(event) = self.start(tag) {
                        return Some(event);
                    }
                }
                Event::End(end) => {
                    if let Some(event) = self.end(end) {
                        return Some(event);
                    }
                }
                // Templates of issues are full of remarks to the author.
                Event::Html(t) | Event::InlineHtml(t) if t.trim_start().starts_with("<!--") => {}
                Event::Html(t) | Event::InlineHtml(t) => return Some(Event::Text(t)),
                other => {
                    self.blank &= !matches!(other, Event::Text(_) | Event::Code(_));
                    return Some(other);
                }
            }
        }
    }
}

impl<'t> Tamed<'t> {
    fn start(&mut self, tag: Tag<'t>) -> Option<Event<'t>> {
        let (kept, event) = match tag {
            Tag::Link { link_type: LinkType::Email, dest_url, .. } => self.link(&format!("mailto:{dest_url}")),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            // A picture would be loaded from elsewhere: its words lead there.
            Tag::Image { dest_url, .. } => self.link(&dest_url),
            Tag::Heading { level, .. } => {
                let level = lowered(level);
                let event = Event::Start(Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() });
                (Kept::Heading(level), Some(event))
            }
            Tag::BlockQuote(_) if self.kept.len() < DEEPEST => (Kept::AsIs, Some(Event::Start(Tag::BlockQuote(None)))),
            Tag::BlockQuote(_) | Tag::List(_) | Tag::Item if self.kept.len() >= DEEPEST => (Kept::Inside, None),
            other => (Kept::AsIs, Some(Event::Start(other))),
        };
        self.kept.push(kept);
        event
    }

    fn link(&mut self, address: &str) -> (Kept, Option<Event<'t>>) {
        if self.links > 0 || !is_followed(address) {
            return (Kept::Inside, None);
        }
        (self.links, self.blank) = (self.links + 1, true);
        let html = format!("<a href=\"{}\" rel=\"nofollow noopener\">", escape(address));
        (Kept::Link, Some(Event::InlineHtml(html.into())))
    }

    fn end(&mut self, end: TagEnd) -> Option<Event<'t>> {
        match self.kept.pop() {
            Some(Kept::Inside) | None => None,
            Some(Kept::Link) => {
                self.links -= 1;
                Some(Event::InlineHtml(if self.blank { "link</a>" } else { "</a>" }.into()))
            }
            Some(Kept::Heading(level)) => Some(Event::End(TagEnd::Heading(level))),
            Some(Kept::AsIs) => Some(Event::End(match end {
                TagEnd::BlockQuote(_) => TagEnd::BlockQuote(None),
                other => other,
            })),
        }
    }
}

/// The page has a title and the section a heading: what the statement begins with is the next one.
fn lowered(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

/// Whether an address leads to a page or a mail program, and says so plainly.
fn is_followed(address: &str) -> bool {
    let scheme = address.split_once(':').map(|(s, _)| s.to_ascii_lowercase());
    scheme.is_some_and(|s| matches!(s.as_str(), "https" | "http" | "mailto"))
        && !address.contains(|c: char| c.is_control() || c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\\'))
}

/// The first word after the fence.
pub fn language<'k>(kind: &'k CodeBlockKind<'_>) -> &'k str {
    match kind {
        CodeBlockKind::Fenced(words) => words.split([' ', ',', '{', '\t']).next().unwrap_or(""),
        CodeBlockKind::Indented => "",
    }
}

/// A block of code as HTML, coloured by its language.
pub fn code_block(language: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2 + 40);
    out.push_str("<pre><code>");
    push_code(&mut out, language, &clean(text));
    out.push_str("</code></pre>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::extract::{links_and_ids, tags};
    use crate::site::forbidden::forbidden;
    use proptest::prelude::*;

    #[test]
    fn raw_html_is_text_and_remarks_are_gone() {
        let html = statement("a <script>alert(1)</script> <b onclick=x>b</b>\n\n<!-- say what -->\n\n<iframe src=x>\n");
        assert!(
            html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && html.contains("&lt;iframe src=x&gt;"),
            "{html}"
        );
        assert!(!html.contains("say what") && !html.contains("<script") && !html.contains("<iframe"), "{html}");
    }

    #[test]
    fn links_lead_to_pages_alone_and_pictures_are_links() {
        let html = statement(
            "[a](https://x.example/?q='1'&r) [z](<https://x.example/\" q>) [b](javascript:alert(1)) [c](../other) [d](data:text/html,x) \
             ![pic](https://x.example/p.png) [![in](https://x.example/q.png)](http://x.example) <me@x.example>",
        );
        let to = |start: &str| html.matches(&format!("<a href=\"{start}")).count();
        assert_eq!((to("https:"), to("http:"), to("mailto:"), to("")), (2, 1, 1, 4), "{html}");
        assert_eq!(html.matches("<a ").count(), html.matches(" rel=\"nofollow noopener\"").count());
        assert!(!html.contains("<img") && html.contains(">pic</a>") && html.contains(">in</a>"), "{html}");
        assert!(html.contains("</a> z b c d <a"), "an address that is not followed leaves its words: {html}");
    }

    #[test]
    fn headings_stand_below_those_of_the_page_and_have_no_id() {
        let html = statement("# One {#main}\n\n## Two\n\n###### Six\n");
        assert!(
            html.contains("<h3>One {#main}</h3>") && html.contains("<h4>Two</h4>") && html.contains("<h6>Six</h6>")
        );
        assert!(links_and_ids(&html).1.is_empty());
    }

    #[test]
    fn a_thousand_quotations_in_each_other_are_shown_flat() {
        let html = statement(&format!("{} x\n", ">".repeat(1000)));
        assert!(html.matches("<blockquote>").count() <= DEEPEST && html.contains('x'), "{html}");
        assert_eq!(html.matches("<blockquote>").count(), html.matches("</blockquote>").count());
    }

    proptest! {
        #[test]
        fn no_statement_runs_loads_or_closes_what_is_around_it(
            text in "([#>*_`\\[\\]()!<>/a-c \n\"'&:-]|https://|<script>|</div>|<!--|-->|\\|){0,120}"
        ) {
            let html = statement(&text);
            let mut open = Vec::new();
            for part in html.split('<').skip(1) {
                let tag = part.split('>').next().unwrap();
                prop_assert!(forbidden(tag).is_none(), "{} in {}", tag, html);
                let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
                prop_assert!(!matches!(name, "div" | "main" | "script" | "img" | "data" | "section"), "{}", html);
                if tag.starts_with('/') {
                    prop_assert_eq!(open.pop(), Some(name), "{}", &html);
                } else if !matches!(name, "br" | "hr") {
                    open.push(name);
                }
            }
            prop_assert!(open.is_empty(), "{}", html);
            prop_assert!(tags(&html).all(|t| !t.contains(" id=")));
        }
    }
}
