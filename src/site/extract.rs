//! Finds the numbers that a page states, and the digits that it should not hold.

/// A number as a page states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// Identity that it claims.
    pub id: String,
    /// Its machine value, as written.
    pub value: String,
    /// Its text.
    pub text: String,
}

/// A walk over the tags and texts of a page that we wrote; it is not a parser for foreign HTML.
struct Walk<'h> {
    html: &'h str,
    at: usize,
}

enum Piece<'h> {
    Open(&'h str),
    Close(&'h str),
    Text(&'h str),
}

impl<'h> Iterator for Walk<'h> {
    type Item = Piece<'h>;

    fn next(&mut self) -> Option<Piece<'h>> {
        let rest = self.html.get(self.at..).filter(|r| !r.is_empty())?;
        if !rest.starts_with('<') {
            let end = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.at += end;
            return Some(Piece::Text(&rest[..end]));
        }
        if rest.starts_with("<!--") {
            self.at += memchr::memmem::find(rest.as_bytes(), b"-->").map_or(rest.len(), |i| i + 3);
            return self.next();
        }
        // Attribute values of ours never hold a bare `>`: it is escaped.
        let end = memchr::memchr(b'>', rest.as_bytes()).map_or(rest.len(), |i| i + 1);
        self.at += end;
        let tag = rest[1..end].trim_end_matches('>');
        Some(tag.strip_prefix('/').map_or(Piece::Open(tag), Piece::Close))
    }
}

/// The name of a tag.
pub fn tag_name(tag: &str) -> &str {
    tag.split([' ', '/', '\n', '\t']).next().unwrap_or(tag)
}

/// The attributes of a tag that have a value in quotes: names and values as written.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &tag[at..];
            let open = memchr::memchr(b'"', rest.as_bytes())?;
            let end = open + 1 + memchr::memchr(b'"', &rest.as_bytes()[open + 1..])?;
            at += end + 1;
            if let Some(before) = rest[..open].strip_suffix('=') {
                let from =
                    before.as_bytes().iter().rposition(|b| matches!(b, b' ' | b'\n' | b'\t')).map_or(0, |i| i + 1);
                return Some((&before[from..], &rest[open + 1..end]));
            }
        }
    })
}

/// The value of an attribute, decoded.
pub fn attribute(tag: &str, name: &str) -> Option<String> {
    attributes(tag).find(|a| a.0 == name).map(|a| decode(a.1))
}

/// Text with the entities that we write turned back.
pub fn decode(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

/// The tag around the text of a task, which is quoted from its author, digits and all.
pub const STATEMENT: &str = "blockquote class=\"statement\"";

/// How many quoted statements a page holds.
pub fn statements(html: &str) -> usize {
    tags(html).filter(|t| *t == STATEMENT).count()
}

/// Every number that a page states, in order: `<data data-n>` and SVG texts with `data-n`.
///
/// An id that begins with `/` is completed by the nearest `data-base` before it; a base that begins with `+` by the
/// nearest one before that which does not.
pub fn stated(html: &str) -> Vec<Stated> {
    let mut found = Vec::new();
    let mut open: Option<(String, String, String, String)> = None;
    let (mut outer, mut base) = (String::new(), String::new());
    for piece in (Walk { html, at: 0 }) {
        match piece {
            Piece::Open(tag) => {
                if let Some(b) = tag.contains("data-base=").then(|| attribute(tag, "data-base")).flatten() {
                    match b.strip_prefix('+') {
                        Some(rest) => base = format!("{outer}{rest}"),
                        None => {
                            outer = b.clone();
                            base = b;
                        }
                    }
                }
                if tag.contains("data-n=") {
                    let id = attribute(tag, "data-n").unwrap_or_default();
                    let id = if id.starts_with('/') { format!("{base}{id}") } else { id };
                    let value = attribute(tag, "value").or_else(|| attribute(tag, "data-value")).unwrap_or_default();
                    open = Some((tag_name(tag).to_owned(), id, value, String::new()));
                }
            }
            Piece::Text(text) => {
                if let Some(o) = &mut open {
                    o.3.push_str(text);
                }
            }
            Piece::Close(tag) => {
                if open.as_ref().is_some_and(|o| o.0 == tag_name(tag))
                    && let Some((_, id, value, text)) = open.take()
                {
                    found.push(Stated { id, value, text: decode(&text) });
                }
            }
        }
    }
    found
}

/// Digits of a page's body that are not in an element made for them: each with the text around it.
///
/// Allowed are `data` with an id, `code`, `pre`, `time`, `svg`, `script`, `style`, `option`, anything of class `name`,
/// and a quoted statement, which verification holds against its published source. Words that a reader is told but does not see in the text, such as `alt`, hold none at all outside a picture.
pub fn loose_digits(html: &str) -> Vec<String> {
    let html = memchr::memmem::find(html.as_bytes(), b"<body").map_or(html, |i| &html[i..]);
    let mut found = Vec::new();
    let mut allowed: Vec<&str> = Vec::new();
    let excerpt = |text: &str| text.trim().chars().take(120).collect::<String>();
    for piece in (Walk { html, at: 0 }) {
        match piece {
            Piece::Open(tag) => {
                let name = tag_name(tag);
                if allowed.first().is_none_or(|top| *top != "svg") {
                    let told = attributes(tag)
                        .filter(|(name, _)| {
                            matches!(*name, "title" | "alt" | "aria-label" | "aria-description" | "placeholder")
                        })
                        .map(|(_, text)| decode(text));
                    found.extend(told.filter(|t| has_digit(t)).map(|t| excerpt(&t)));
                }
                if let Some(top) = allowed.last().copied() {
                    // Only the same element can nest before it closes.
                    if top == name && !tag.ends_with('/') {
                        allowed.push(name);
                    }
                } else if !tag.ends_with('/')
                    && (matches!(name, "code" | "pre" | "time" | "svg" | "script" | "style" | "option")
                        || (name == "data" && tag.contains(" data-n=\""))
                        || tag == STATEMENT
                        || is_name(tag))
                {
                    allowed.push(name);
                }
            }
            Piece::Close(tag) => {
                if allowed.last().is_some_and(|top| *top == tag_name(tag)) {
                    allowed.pop();
                }
            }
            Piece::Text(text) => {
                if allowed.is_empty() && has_digit(text) && has_digit(&decode(text)) {
                    found.push(excerpt(text));
                }
            }
        }
    }
    found
}

/// Whether an element is of class `name`.
fn is_name(tag: &str) -> bool {
    attributes(tag).any(|(name, classes)| name == "class" && classes.split(' ').any(|c| c == "name"))
}

/// Whether text holds a digit of any script, a fraction or another character that stands for a number.
pub fn has_digit(text: &str) -> bool {
    // Most texts are plain and have none: a look at all bytes at once tells.
    let other = text.bytes().fold(false, |found, b| found | b.is_ascii_digit() | (b >= 0x80));
    // Squares and cubes belong to formulas.
    other && text.contains(|c: char| c.is_numeric() && !matches!(c, '²' | '³'))
}

/// The texts of elements that may hold digits because of what they are: names, and times.
pub fn named(html: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut open: Option<(&'static str, &str, String)> = None;
    for piece in (Walk { html, at: 0 }) {
        match piece {
            Piece::Open(tag) if open.is_none() && !tag.ends_with('/') => {
                let kind = if is_name(tag) { Some("name") } else { (tag_name(tag) == "time").then_some("time") };
                open = kind.map(|kind| (kind, tag_name(tag), String::new()));
            }
            Piece::Text(text) => {
                if let Some(o) = &mut open {
                    o.2.push_str(text);
                }
            }
            Piece::Close(tag) if open.as_ref().is_some_and(|o| o.1 == tag_name(tag)) => {
                found.extend(open.take().map(|(kind, _, text)| (kind, decode(&text))));
            }
            _ => {}
        }
    }
    found
}

/// Texts of charts that are numbers as they are written here, and have no id; marks of an axis are none.
pub fn bare_values(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut bare = false;
    for piece in (Walk { html, at: 0 }) {
        match piece {
            Piece::Open(tag) if tag_name(tag) == "svg" => depth += usize::from(!tag.ends_with('/')),
            Piece::Close(tag) if tag_name(tag) == "svg" => depth = depth.saturating_sub(1),
            Piece::Open(tag) if depth > 0 && tag_name(tag) == "text" => {
                let is_mark = attribute(tag, "class").is_some_and(|c| c.split(' ').any(|c| c == "tick"));
                bare = !tag.contains(" data-n=\"") && !is_mark;
            }
            Piece::Close(tag) if tag_name(tag) == "text" => bare = false,
            Piece::Text(text) if bare && depth > 0 => {
                let text = decode(text);
                let inner = text.trim().trim_start_matches(['<', '>', '+', '\u{2212}']).trim_start_matches('$');
                let inner = ["%", " points", " s"].iter().find_map(|u| inner.strip_suffix(u)).unwrap_or(inner);
                if has_digit(inner) && inner.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',') {
                    found.push(text.trim().to_owned());
                }
            }
            _ => {}
        }
    }
    found
}

/// Every opening tag of a page, without its angle brackets.
pub fn tags(html: &str) -> impl Iterator<Item = &str> {
    (Walk { html, at: 0 }).filter_map(|piece| match piece {
        Piece::Open(tag) => Some(tag),
        _ => None,
    })
}

/// Every `href`, `src` and `action` of a page, decoded, and every `id`.
pub fn links_and_ids(html: &str) -> (Vec<String>, Vec<String>) {
    let (mut links, mut ids) = (Vec::new(), Vec::new());
    for piece in (Walk { html, at: 0 }) {
        if let Piece::Open(tag) = piece {
            // Where the author of a task leads to is not ours to answer for.
            let quoted = tag.ends_with(" rel=\"nofollow noopener\"");
            for name in ["href", "src"].into_iter().filter(|_| !quoted) {
                if tag.contains(name)
                    && let Some(link) = attribute(tag, name)
                {
                    links.push(link);
                }
            }
            if tag.contains("id=")
                && let Some(id) = attribute(tag, "id")
            {
                ids.push(id);
            }
        }
    }
    (links, ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stated_numbers_are_found_in_text_and_in_charts() {
        let html = r#"<p>It is <data value="0.3" data-n="a.rate">30.0%</data>.</p><svg><text x="1" data-n="b" data-value="0">0.0%</text></svg>
<tbody data-base="line|r|t|m|default|"><tr data-base="+0|"><td><data value="" data-n="/cost_usd">no data</data></td></tr></tbody>"#;
        let found = stated(html);
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].id.as_str(), found[0].value.as_str(), found[0].text.as_str()), ("a.rate", "0.3", "30.0%"));
        assert_eq!((found[1].id.as_str(), found[1].value.as_str()), ("b", "0"));
        assert_eq!(found[2].id, "line|r|t|m|default|0|/cost_usd");
    }

    #[test]
    fn a_typed_digit_is_found_and_a_quoted_number_is_not() {
        let html = "<main><p>Six of 20 fixed, <data value=\"6\" data-n=\"x\">6</data>, <code>1.96</code>, <a class=\"name\">GPT-4</a>, it&#39;s</p></main>";
        assert_eq!(loose_digits(html), vec!["Six of 20 fixed,".to_owned()]);
        assert!(loose_digits("<main><svg><g><text>12</text></g></svg><pre>1<b>2</b></pre></main>").is_empty());
    }

    #[test]
    fn digits_hide_in_no_script_no_attribute_and_no_number_without_an_id() {
        for html in [
            "<p>\u{663}\u{660}% fixed</p>",
            "<p>\u{bd} fixed</p>",
            "<img alt=\"30% fixed\">",
            "<a href=\"x\" title=\"30%\">here</a>",
            "<code aria-label=\"30%\">x</code>",
            "<data value=\"3\">3</data>",
            "<span class=\"nameless\">3</span>",
        ] {
            assert_eq!(loose_digits(html).len(), 1, "{html}");
        }
    }

    #[test]
    fn a_value_in_a_chart_without_an_id_is_found_and_a_mark_of_an_axis_is_none() {
        let html = r#"<svg><text class="tick">20%</text><text class="name">GPT 4</text><text data-n="a" data-value="1">1</text><text class="value">&lt;99.0%</text></svg><p>5</p>"#;
        assert_eq!(bare_values(html), vec!["<99.0%".to_owned()]);
    }

    proptest! {
        #[test]
        fn any_text_is_walked_without_a_panic(html in ".{0,200}") {
            let _ = (stated(&html), loose_digits(&html), links_and_ids(&html));
        }
        #[test]
        fn any_tag_is_judged_without_a_panic(tag in ".{0,80}") {
            let _ = (crate::site::forbidden::forbidden(&tag), named(&tag));
        }
        #[test]
        fn an_escaped_attribute_reads_back(text in "[^\\p{C}]{0,40}") {
            let tag = format!("a href=\"{}\"", crate::site::text::escape(&text));
            prop_assert_eq!(attribute(&tag, "href"), Some(text));
        }
    }
}
