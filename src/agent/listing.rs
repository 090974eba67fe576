//! What stands in a workspace, read from the list that `find` makes of it.

use std::collections::BTreeMap;

/// Folders that tools fill: never part of a patch.
const MADE: [&str; 8] =
    ["node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", ".gradle", ".tox"];

/// A command that prints of each file, fields and files ended by NUL: kind, mode, bytes, path, target of a link. A capital
/// stands for a folder or a file that cannot be read.
pub(super) fn find() -> String {
    let made: Vec<String> = MADE.iter().map(|name| format!("-name {name}")).collect();
    let made = made.join(" -o ");
    format!(
        r"find . -mindepth 1 \( -iname .git -o {made} \) -prune \
 -o -type d -readable -executable -printf 'd\0%m\0%s\0%P\0\0' -o -type d -printf 'D\0%m\0%s\0%P\0\0' -prune \
 -o -type f -readable -printf 'f\0%m\0%s\0%P\0\0' -o -type f -printf 'F\0%m\0%s\0%P\0\0' \
 -o -printf '%y\0%m\0%s\0%P\0%l\0'"
    )
}

/// Fields of a file in the list.
const FIELDS: usize = 5;
/// Links that one path may lead through.
const MOST_LINKS: usize = 40;

/// What a path holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A folder.
    Folder,
    /// A file with these permission bits and this many bytes.
    File { mode: u32, bytes: u64 },
    /// A link to this place.
    Link(Vec<u8>),
    /// Something that no patch can hold, and what it is.
    Unusable(&'static str),
}

/// The workspace by path, as bytes. None where the list is not whole.
pub(super) fn read(list: &[u8]) -> Option<BTreeMap<Vec<u8>, Found>> {
    let mut fields: Vec<&[u8]> = list.split(|b| *b == 0).collect();
    // What stands behind the last NUL.
    if !fields.pop()?.is_empty() || !fields.len().is_multiple_of(FIELDS) {
        return None;
    }
    let number = |field: &[u8], radix| u64::from_str_radix(std::str::from_utf8(field).ok()?, radix).ok();
    let mut found = BTreeMap::new();
    for file in fields.chunks_exact(FIELDS) {
        let [kind, mode, bytes, path, target] = file else { return None };
        let what = match *kind {
            b"d" => Found::Folder,
            b"f" => Found::File { mode: u32::try_from(number(mode, 8)?).ok()?, bytes: number(bytes, 10)? },
            b"l" => Found::Link(target.to_vec()),
            b"D" => Found::Unusable("is a folder that cannot be read"),
            b"F" => Found::Unusable("cannot be read"),
            b"p" => Found::Unusable("is a named pipe"),
            b"s" => Found::Unusable("is a socket"),
            _ => Found::Unusable("is a device"),
        };
        found.insert(path.to_vec(), what);
    }
    Some(found)
}

/// Why a link cannot be part of a patch; none where it leads to a place of the workspace, through whatever links.
pub(super) fn refusal_of_link(all: &BTreeMap<Vec<u8>, Found>, path: &[u8], target: &[u8]) -> Option<&'static str> {
    let parts = |text: &[u8]| -> Vec<Vec<u8>> { text.split(|b| *b == b'/').rev().map(<[u8]>::to_vec).collect() };
    let mut at: Vec<Vec<u8>> = path.split(|b| *b == b'/').map(<[u8]>::to_vec).collect();
    at.pop();
    let mut ahead = parts(target);
    let mut links = 0;
    if target.is_empty() || target.starts_with(b"/") {
        return Some("is a link out of the workspace");
    }
    while let Some(part) = ahead.pop() {
        match part.as_slice() {
            b"" | b"." => {}
            b".." => {
                if at.pop().is_none() {
                    return Some("is a link out of the workspace");
                }
            }
            _ => {
                at.push(part);
                if let Some(Found::Link(next)) = all.get(&at.join(&b'/')) {
                    links += 1;
                    if links > MOST_LINKS {
                        return Some("is a link that leads to itself");
                    }
                    if next.starts_with(b"/") {
                        return Some("is a link out of the workspace");
                    }
                    at.pop();
                    ahead.extend(parts(next));
                }
            }
        }
    }
    std::str::from_utf8(target).is_err().then_some("is a link to a name that is not UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(links: &[(&str, &str)]) -> BTreeMap<Vec<u8>, Found> {
        links.iter().map(|(path, to)| (path.as_bytes().to_vec(), Found::Link(to.as_bytes().to_vec()))).collect()
    }

    #[test]
    fn a_link_is_kept_where_it_stays_inside_and_refused_where_any_way_leads_out() {
        let links = [
            ("in", "a/b"),
            ("dir/up", "../in"),
            ("a/b/top", "../.."),
            ("a/b/out", "top/../x"),
            ("abs", "/etc/passwd"),
            ("by", "abs/x"),
            ("above", ".."),
            ("self", "self"),
            ("ping", "pong"),
            ("pong", "ping"),
            ("here", "."),
            ("gone", "not/there"),
        ];
        let all = all(&links);
        let refused: Vec<&str> = links
            .iter()
            .filter(|(path, to)| refusal_of_link(&all, path.as_bytes(), to.as_bytes()).is_some())
            .map(|(path, _)| *path)
            .collect();
        assert_eq!(refused, ["a/b/out", "abs", "by", "above", "self", "ping", "pong"]);
    }

    #[test]
    fn a_list_that_is_cut_is_no_list() {
        let whole = b"f\x00644\x003\0a\nb\0\0l\x00777\x001\0l\0a\0p\x00644\x000\0pipe\0\0";
        let found = read(whole).unwrap();
        assert_eq!(found[b"a\nb".as_slice()], Found::File { mode: 0o644, bytes: 3 });
        assert_eq!(found[b"l".as_slice()], Found::Link(b"a".to_vec()));
        assert_eq!(found[b"pipe".as_slice()], Found::Unusable("is a named pipe"));
        assert_eq!(read(b"").unwrap().len(), 0);
        for end in 1..whole.len() {
            assert!(read(&whole[..end]).is_none_or(|found| found.len() < 3), "{end}");
        }
    }

    proptest! {
        #[test]
        fn every_walk_over_links_ends(links in prop::collection::btree_map("[ab](/[ab]){0,2}", "[ab./]{0,8}", 0..8)) {
            let all: BTreeMap<Vec<u8>, Found> =
                links.iter().map(|(p, t)| (p.clone().into_bytes(), Found::Link(t.clone().into_bytes()))).collect();
            for (path, target) in &links {
                refusal_of_link(&all, path.as_bytes(), target.as_bytes());
            }
        }
    }
}
