use std::collections::BTreeMap;

/// Kind of a file in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A plain file.
    File,
    /// A file that may be run.
    Executable,
    /// A symbolic link; its bytes are the target.
    Link,
}

impl Mode {
    /// Git's word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Mode::File => "100644",
            Mode::Executable => "100755",
            Mode::Link => "120000",
        }
    }

    /// The mode of git's word; none for submodules and folders.
    pub fn from_word(word: &str) -> Option<Mode> {
        match word {
            "100644" | "100664" => Some(Mode::File),
            "100755" => Some(Mode::Executable),
            "120000" => Some(Mode::Link),
            _ => None,
        }
    }
}

/// A file of a tree: its mode and its blob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Mode.
    pub mode: Mode,
    /// Blob, hex.
    pub blob: String,
}

/// The files of a tree by path. Paths are text: a repository with other names is refused when it is read.
pub type Tree = BTreeMap<String, Entry>;

/// Bytes of one part of a path: what file systems take.
const MOST_PART: usize = 255;
/// Bytes of a path: the 4,096 that a kernel takes, less room for the folder that the tree is put into.
const MOST_PATH: usize = 4096 - 256;
/// Folders above a file.
const MOST_FOLDERS: usize = 100;

/// Why no sandbox could hold a file of this name, if none could.
pub(super) fn unusable(path: &[u8]) -> Option<String> {
    let why = why_unusable(path)?;
    let shown = &path[..path.len().min(120)];
    let rest = if shown.len() < path.len() { "…" } else { "" };
    Some(format!("the path \"{}{rest}\" {why}", shown.escape_ascii()))
}

fn why_unusable(path: &[u8]) -> Option<String> {
    if std::str::from_utf8(path).is_err() {
        Some("is not UTF-8".to_owned())
    } else if path.split(|b| *b == b'/').any(|part| part.len() > MOST_PART) {
        Some(format!("has a part of more than {MOST_PART} bytes"))
    } else if path.len() > MOST_PATH {
        Some(format!("is longer than {MOST_PATH} bytes"))
    } else if path.iter().filter(|b| **b == b'/').count() > MOST_FOLDERS {
        Some(format!("is deeper than {MOST_FOLDERS} folders"))
    } else {
        None
    }
}

/// Why a file of this path cannot be part of a tree, to follow its name; none where it can.
pub fn refusal_of_path(path: &[u8], is_link: bool) -> Option<String> {
    if let Some(why) = why_unusable(path) {
        return Some(why);
    }
    // Git takes a backslash for a separator here, since some systems do.
    let own = |part: &[u8]| is_name_of_git(&String::from_utf8_lossy(part), is_link);
    path.split(|b| matches!(b, b'/' | b'\\')).any(own).then(|| "is a name that git keeps to itself".to_owned())
}

/// Whether git keeps a name to itself, in all the ways in which some file system would read it.
fn is_name_of_git(part: &str, is_link: bool) -> bool {
    let lower = part.to_ascii_lowercase();
    let name = lower.split(':').next().unwrap_or("").trim_end_matches([' ', '.']);
    let settings = [".gitmodules", "gitmod~1", "gitmod~2", "gitmod~3", "gitmod~4"];
    matches!(name, ".git" | "git~1") || lower == ".git" || is_link && settings.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Store;

    #[test]
    fn every_path_that_is_not_refused_can_be_written_into_a_tree() {
        let store = Store::new().unwrap();
        let blob = store.blob(b"x").unwrap();
        let deep = "d/".repeat(200) + "f";
        let names = [
            "a",
            ".git",
            ".GIT/x",
            "a/.git/b",
            "git~1",
            "GIT~1/x",
            ".git ",
            ".git.",
            ".git::$INDEX_ALLOCATION/x",
            "a\\.git",
            ".gitignore",
            ".gitmodules",
            "gitmod~1",
            ".github/x",
            "git~2",
            "a.git",
            "-rf",
            "new\nline",
            "c:/x",
            "..a",
            "con",
            &deep,
            "\u{202e}txt.py",
            ".git\u{200c}",
            "a\\b",
        ];
        for name in names {
            for mode in [Mode::File, Mode::Link] {
                let tree = Tree::from([(name.to_owned(), Entry { mode, blob: blob.clone() })]);
                let (refused, written) = (refusal_of_path(name.as_bytes(), mode == Mode::Link), store.write(&tree));
                assert!(refused.is_some() || written.is_ok(), "{name:?} {mode:?}: {written:?}");
            }
        }
        for good in ["a", ".gitignore", ".github/x", "a.git", "git~2", "-rf", "a\\b"] {
            assert_eq!(refusal_of_path(good.as_bytes(), false), None, "{good}");
        }
    }
}
