//! Files of a workspace that cannot be in a patch, by name.

use std::collections::{BTreeMap, BTreeSet};

/// Files that are named.
const MOST_NAMED: usize = 50;
/// Characters of a name that is shown.
const MOST_NAME: usize = 200;

/// Paths that cannot be in a patch, each with the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<Vec<u8>, String>);

impl LeftOut {
    /// Adds a path.
    pub fn add(&mut self, path: &[u8], why: &str) {
        self.0.insert(path.to_vec(), why.to_owned());
    }

    /// The paths alone.
    pub fn paths(&self) -> BTreeSet<Vec<u8>> {
        self.0.keys().cloned().collect()
    }

    /// Whether this path, or a folder above it, was left out.
    pub fn covers(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        !self.0.is_empty() && above.chain([path]).any(|p| self.0.contains_key(p.as_bytes()))
    }

    /// The paths that were not left out before, for people: each with its reason, and the number of those beyond a bound.
    pub fn since(&self, before: &BTreeSet<Vec<u8>>) -> Vec<String> {
        let new: Vec<_> = self.0.iter().filter(|(path, _)| !before.contains(*path)).collect();
        let mut named: Vec<String> =
            new.iter().take(MOST_NAMED).map(|(path, why)| format!("{}: {why}", shown(path))).collect();
        if new.len() > MOST_NAMED {
            named.push(format!("and {} more", new.len() - MOST_NAMED));
        }
        named
    }
}

/// A name in one line: bytes that are no text or that move the cursor are escaped, and a long one is cut.
fn shown(path: &[u8]) -> String {
    let plain = std::str::from_utf8(path).ok().filter(|text| !text.chars().any(char::is_control));
    let text = plain.map_or_else(|| path.escape_ascii().to_string(), str::to_owned);
    match text.char_indices().nth(MOST_NAME) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_named_in_bounds_and_covers_what_is_below_it() {
        let mut left = LeftOut::default();
        for path in [&b"src"[..], b"caf\xe9", b"a\nb", b"old", "é".as_bytes()] {
            left.add(path, "odd");
        }
        let before = BTreeSet::from([b"old".to_vec()]);
        assert_eq!(left.since(&before), ["a\\nb: odd", "caf\\xe9: odd", "src: odd", "é: odd"]);
        assert!(left.covers("src") && left.covers("src/a/b") && !left.covers("src2") && !left.covers("a"));
        for i in 0..100 {
            left.add(format!("{i:03}{}", "x".repeat(300)).as_bytes(), "odd");
        }
        let named = left.since(&before);
        assert_eq!((named.len(), named[50].as_str()), (51, "and 54 more"));
        assert!(named.iter().all(|n| n.chars().count() < 210));
    }
}
