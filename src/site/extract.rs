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
            self.at += rest.find("-->").map_or(rest.len(), |i| i + 3);
            return self.next();
        }
        // Attribute values of ours never hold a bare `>`: it is escaped.
        let end = memchr::memchr(b'>', rest.as_bytes()).map_or(rest.len(), |i| i + 1);
        self.at += end;
        let tag = rest[1..end].trim_end_matches('>');
        Some(tag.strip_prefix('/').map_or(Piece::Open(tag), Piece::Close))
    }
}

fn tag_name(tag: &str) -> &str {
    tag.split([' ', '/', '\n', '\t']).next().unwrap_or(tag)
}

/// The value of an attribute, decoded.
pub fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut from = 0;
    while let Some(i) = tag[from..].find(name) {
        let at = from + i;
        let rest = &tag[at + name.len()..];
        if tag[..at].ends_with([' ', '\n', '\t'])
            && let Some(rest) = rest.strip_prefix("=\"")
        {
            return rest.find('"').map(|end| decode(&rest[..end]));
        }
        from = at + name.len();
    }
    None
}

/// Text with the entities that we write turned back.
pub fn decode(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
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

/// Digits of a page's main part that are not in an element made for them: each with the text around it.
///
/// Allowed are `data`, `code`, `pre`, `time`, `svg`, `script`, `style`, `option`, and anything of class `name`.
pub fn loose_digits(html: &str) -> Vec<String> {
    let html = html.find("<main").map_or(html, |i| &html[i..]);
    let html = html.find("</main>").map_or(html, |i| &html[..i]);
    let mut found = Vec::new();
    let mut allowed: Vec<&str> = Vec::new();
    for piece in (Walk { html, at: 0 }) {
        match piece {
            Piece::Open(tag) => {
                let name = tag_name(tag);
                if let Some(top) = allowed.last().copied() {
                    // Only the same element can nest before it closes.
                    if top == name && !tag.ends_with('/') {
                        allowed.push(name);
                    }
                } else if matches!(name, "data" | "code" | "pre" | "time" | "svg" | "script" | "style" | "option")
                    || (tag.contains("class=\"name") && !tag.ends_with('/'))
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
                if allowed.is_empty() && text.bytes().any(|b| b.is_ascii_digit()) && decode_has_digit(text) {
                    found.push(text.trim().chars().take(120).collect());
                }
            }
        }
    }
    found
}

/// Whether a digit stands outside a character reference such as `&#39;`.
fn decode_has_digit(text: &str) -> bool {
    decode(text).bytes().any(|b| b.is_ascii_digit())
}

/// Every `href`, `src` and `action` of a page, decoded, and every `id`.
pub fn links_and_ids(html: &str) -> (Vec<String>, Vec<String>) {
    let (mut links, mut ids) = (Vec::new(), Vec::new());
    for piece in (Walk { html, at: 0 }) {
        if let Piece::Open(tag) = piece {
            for name in ["href", "src"] {
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

    proptest! {
        #[test]
        fn any_text_is_walked_without_a_panic(html in ".{0,200}") {
            let _ = (stated(&html), loose_digits(&html), links_and_ids(&html));
        }
        #[test]
        fn an_escaped_attribute_reads_back(text in "[^\\p{C}]{0,40}") {
            let tag = format!("a href=\"{}\"", crate::site::text::escape(&text));
            prop_assert_eq!(attribute(&tag, "href"), Some(text));
        }
    }
}
