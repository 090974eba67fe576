//! What no page of a site may hold: scripts in the page, frames, and files of other sites.

use super::extract::{attribute, decode, tag_name};

/// Why a tag may not stand in a page: it runs, frames or fetches what is not the site's own; none where it may.
pub fn forbidden(tag: &str) -> Option<String> {
    let name = tag_name(tag).to_ascii_lowercase();
    if matches!(
        name.as_str(),
        "iframe" | "frame" | "frameset" | "object" | "embed" | "applet" | "style" | "base" | "form" | "portal"
    ) {
        return Some(format!("holds <{name}>, which the policy forbids"));
    }
    let source = attributes(tag).into_iter().find(|(n, _)| n == "src").map(|a| a.1);
    if name == "script" && source.is_none() {
        return Some("holds a script without src, which the policy forbids".into());
    }
    for (attribute, value) in attributes(tag) {
        let address: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
        let address = address.to_ascii_lowercase();
        let why = match attribute.as_str() {
            "style" | "srcdoc" => "which the policy forbids",
            "http-equiv" => "which may lead away or loosen the policy",
            a if a.starts_with("on") => "which the policy forbids",
            "src" | "srcset" | "poster" | "data" if is_foreign(&address) => "which loads from another site",
            "href" if name == "link" && is_foreign(&address) && is_loaded(tag) => "which loads from another site",
            "href" | "src" | "action" | "formaction" | "xlink:href" | "ping"
                if ["javascript:", "vbscript:"].iter().any(|s| address.starts_with(s)) =>
            {
                "which runs code"
            }
            "href" if name == "a" && address.starts_with("data:") => "which is no page",
            _ => continue,
        };
        return Some(format!("holds {attribute}={value:?} in <{name}>, {why}"));
    }
    None
}

fn is_foreign(address: &str) -> bool {
    (address.contains("://") && !address.starts_with("data:")) || address.starts_with("//")
}

/// Whether a `link` makes a browser fetch something at once.
fn is_loaded(tag: &str) -> bool {
    !attribute(tag, "rel").is_some_and(|r| matches!(r.as_str(), "canonical" | "alternate" | "license" | "author"))
}

/// Every attribute of a tag however it is quoted, names in small letters, values decoded.
fn attributes(tag: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = tag[tag_name(tag).len()..].trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '=' || c == '/').unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|q| matches!(q, '"' | '\''));
            (value, rest) = match quote {
                Some(q) => after[1..].split_once(q).unwrap_or((&after[1..], "")),
                None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
        }
        if !name.is_empty() {
            found.push((name, decode(value)));
        }
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/' || c == '=');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_or_fetches_from_elsewhere_is_forbidden_however_it_is_written() {
        for tag in [
            "script",
            "script type=\"module\"",
            "script src=\"https://x.example/a.js\"",
            "img src=//x.example/a.png",
            "a href=\"java\nscript:alert(1)\"",
            "a href='JavaScript:alert(1)'",
            "p onclick=go()",
            "p\nONCLICK = 'go()'",
            "IFRAME",
            "svg/onload=go()",
            "link rel=\"stylesheet\" href=\"https://x.example/a.css\"",
        ] {
            assert!(forbidden(tag).is_some(), "{tag}");
        }
        for tag in [
            "a href=\"https://x.example\" rel=\"noopener\"",
            "script src=\"../assets/a.js\" defer",
            "img src=\"a.png\" /",
        ] {
            assert_eq!(forbidden(tag), None, "{tag}");
        }
    }
}
