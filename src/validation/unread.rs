//! Paths that a search of an image could not look into, as `find` and `grep` tell of them.

use serde::{Deserialize, Serialize};

/// A file or folder that was not looked into.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unread {
    /// The path.
    pub path: String,
    /// Why, in the words of the search.
    pub why: String,
}

impl Unread {
    /// Whether its rights are why: another user may be let in.
    pub(super) fn is_denied(&self) -> bool {
        self.why.contains("Permission denied")
    }
}

/// The complaints of a search, one for each path.
pub(super) fn complaints(said: &str) -> Vec<Unread> {
    let mut found: Vec<Unread> = said.lines().filter_map(complaint).collect();
    found.sort();
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// `find: '/a': Permission denied`, or `grep: /a: Permission denied`.
fn complaint(line: &str) -> Option<Unread> {
    let (_, rest) = line.split_once(": ")?;
    let (path, why) = rest.rsplit_once(": ")?;
    let path = path.trim_matches(['\'', '\u{2018}', '\u{2019}', '`']);
    path.starts_with('/').then(|| Unread { path: path.to_owned(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_named_once_with_the_reason() {
        let said = "find: '/a b/c': Permission denied\ngrep: /a b/c: Permission denied\ngrep: /d: Input/output error\nfind: \u{2018}/e: f\u{2019}: Permission denied\nsomething else\n";
        let found = complaints(said);
        let told: Vec<(&str, bool)> = found.iter().map(|u| (u.path.as_str(), u.is_denied())).collect();
        assert_eq!(told, [("/a b/c", true), ("/d", false), ("/e: f", true)]);
        assert_eq!(found[1].why, "Input/output error");
    }
}
