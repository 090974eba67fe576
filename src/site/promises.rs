//! What pages promise and only the configuration can keep: a way to the source, and to whoever corrects a number.

use super::config::Config;
use super::content::Source;
use crate::results::{Fault, Level};

/// Words with which a page sends its reader to the source or asks for a report, in small letters.
const PROMISES: [&str; 7] = [
    "source repository",
    "foot of each page",
    "open an issue",
    "file an issue",
    "report it",
    "history of the source",
    "issue tracker",
];

/// A warning that names the pages whose words lead nowhere, where the site does not say where its source is.
pub(super) fn without_source(config: &Config, content: &[Source]) -> Option<Fault> {
    if !config.source_url.is_empty() {
        return None;
    }
    let pages: Vec<String> = content.iter().filter(|s| promises(&s.body)).map(|s| format!("{}.md", s.name)).collect();
    (!pages.is_empty()).then(|| Fault {
        level: Level::Warning,
        file: "content/site.toml".to_owned(),
        line: None,
        field: Some("source_url".to_owned()),
        what: format!(
            "is empty, and {} {} to the source or a way to report an error",
            pages.join(", "),
            if pages.len() == 1 { "sends readers" } else { "send readers" }
        ),
        hint:
            "write the address of the repository, which then stands at the foot of each page; or take the sentences out"
                .to_owned(),
    })
}

/// Whether a page's words need an address of the source.
fn promises(body: &str) -> bool {
    let words = body.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let plain = words.replace(['[', ']', '*', '_'], "");
    plain.contains("source(") || PROMISES.iter().any(|p| plain.contains(p))
}

/// Where a reader reports an error: the list of issues, on hosts whose addresses are known, else the source itself.
pub(super) fn report_url(source_url: &str) -> String {
    let address = source_url.trim_end_matches('/').trim_end_matches(".git");
    let rest = address.split_once("://").map_or("", |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let is_repository = path.split('/').filter(|part| !part.is_empty()).count() == 2;
    match host.trim_start_matches("www.") {
        "github.com" | "codeberg.org" if is_repository => format!("{address}/issues"),
        "gitlab.com" if is_repository => format!("{address}/-/issues"),
        _ => source_url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_is_found_across_lines_and_marks() {
        assert!(promises("Open an issue in the source\nrepository."));
        assert!(promises("please [report it](corrections)"));
        assert!(promises("in the {{ source(\"repository\") }}"));
        assert!(!promises("The source of a number is its raw line."));
    }

    #[test]
    fn the_list_of_issues_is_made_for_hosts_whose_addresses_are_known() {
        let url = |u: &str| report_url(u);
        assert_eq!(url("https://github.com/a/b"), "https://github.com/a/b/issues");
        assert_eq!(url("https://github.com/a/b.git"), "https://github.com/a/b/issues");
        assert_eq!(url("https://gitlab.com/a/b/"), "https://gitlab.com/a/b/-/issues");
        assert_eq!(url("https://github.com/a"), "https://github.com/a");
        assert_eq!(url("https://git.example.org/a/b"), "https://git.example.org/a/b");
        assert_eq!(url(""), "");
    }
}
