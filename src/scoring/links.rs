//! The names that a file of a tree has because links lead to it.

use crate::git::{GitError, Mode, Store, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Links that one path may lead through, as many as a kernel follows.
const MOST_STEPS: usize = 40;
/// Names of one file that are looked at. Links that go in circles give a file names without end.
const MOST_NAMES: usize = 1_000;

/// The links of a tree, each with the path that it leads to in the end, were there a file or a folder.
pub(super) struct Links(BTreeMap<String, String>);

impl Links {
    /// The links of a tree. Those that lead out of it or nowhere are left out: no sandbox takes the first, and nothing is
    /// found through the others.
    pub fn of(store: &Store, files: &Tree) -> Result<Links, GitError> {
        let links: Vec<(&String, &str)> =
            files.iter().filter(|(_, e)| e.mode == Mode::Link).map(|(p, e)| (p, e.blob.as_str())).collect();
        let bodies = store.many(&links.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).ok();
        let next: BTreeMap<String, String> = links
            .iter()
            .zip(bodies)
            .filter_map(|((path, _), bytes)| Some(((*path).clone(), from(path, &text(bytes)?)?)))
            .collect();
        let ends = next.keys().filter_map(|path| Some((path.clone(), end_of(&next, path)?))).collect();
        Ok(Links(ends))
    }

    /// The path that a link leads to in the end.
    pub fn target(&self, link: &str) -> Option<&str> {
        self.0.get(link).map(String::as_str)
    }

    /// Every other name of a path, through one link or several; nothing where there are too many to look at.
    pub fn names(&self, path: &str) -> Option<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        let mut left = vec![path.to_owned()];
        while let Some(name) = left.pop() {
            for (link, target) in &self.0 {
                let Some(rest) = below(target, &name) else { continue };
                // A link into a folder above it gives each file one name more, and then the same again and again.
                if name != path && below(target, link).is_some() {
                    continue;
                }
                let other = format!("{link}{rest}");
                if found.len() >= MOST_NAMES {
                    return None;
                }
                if found.insert(other.clone()) {
                    left.push(other);
                }
            }
        }
        Some(found)
    }
}

/// What follows a folder in a path below it, with its slash; empty where they are the same.
fn below<'a>(folder: &str, path: &'a str) -> Option<&'a str> {
    if folder.is_empty() {
        return None; // a link to the whole tree is refused by itself
    }
    path.strip_prefix(folder).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Where a link leads, as a path of the tree; the root is empty.
fn from(link: &str, target: &str) -> Option<String> {
    if target.starts_with('/') || target.is_empty() {
        return None;
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A path with every link on its way followed; nothing where they go in circles.
fn end_of(next: &BTreeMap<String, String>, path: &str) -> Option<String> {
    let mut path = path.to_owned();
    for _ in 0..MOST_STEPS {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let Some((link, rest)) = ends.map(|at| path.split_at(at)).find(|(head, _)| next.contains_key(*head)) else {
            return Some(path);
        };
        path = format!("{}{rest}", next[link]);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(pairs: &[(&str, &str)]) -> Links {
        let next: BTreeMap<String, String> =
            pairs.iter().filter_map(|(link, target)| Some(((*link).to_owned(), from(link, target)?))).collect();
        Links(next.keys().filter_map(|p| Some((p.clone(), end_of(&next, p)?))).collect())
    }

    fn names(pairs: &[(&str, &str)], path: &str) -> Vec<String> {
        links(pairs).names(path).unwrap().into_iter().collect()
    }

    #[test]
    fn a_file_has_a_name_through_each_link_to_it_or_above_it() {
        assert_eq!(names(&[(".mvn", "mm")], "mm/maven.config"), [".mvn/maven.config"]);
        assert_eq!(names(&[("a/b", "../c/d")], "c/d/e/f"), ["a/b/e/f"]);
        assert_eq!(names(&[("a", "b"), ("b", "c")], "c/x"), ["a/x", "b/x"]);
        assert_eq!(names(&[("a/link", "../d"), ("z", "a")], "d/x"), ["a/link/x", "z/link/x"]);
        assert_eq!(names(&[("l", "f.txt")], "f.txt"), ["l"]);
        assert_eq!(names(&[("l", "f.txt")], "f.txt2"), Vec::<String>::new());
        assert_eq!(links(&[("a", "b"), ("b", "c")]).target("a"), Some("c"));
    }

    #[test]
    fn links_in_circles_and_out_of_the_tree_end() {
        assert_eq!(links(&[("a", "b"), ("b", "a")]).target("a"), None);
        assert_eq!(links(&[("a", "../../x")]).target("a"), None);
        assert_eq!(links(&[("a", "/etc")]).target("a"), None);
        assert_eq!(names(&[("d/up", "../d")], "d/x"), ["d/up/x"], "and d/up/up/x, which says no more");
        assert_eq!(links(&[("a/x", "../b"), ("b/y", "../a")]).names("b/f"), None, "a/x/y/x/y/f, without end");
    }

    proptest::proptest! {
        #[test]
        fn no_set_of_links_takes_for_ever(pairs in proptest::collection::vec(("[ab](/[ab]){0,2}", "(\\.\\./|[ab]/){0,3}[ab]"), 0..6), path in "[ab](/[ab]){0,3}") {
            let pairs: Vec<(&str, &str)> = pairs.iter().map(|(l, t)| (l.as_str(), t.as_str())).collect();
            let found = links(&pairs).names(&path);
            proptest::prop_assert!(found.is_none_or(|names| names.len() <= MOST_NAMES));
        }
    }
}
