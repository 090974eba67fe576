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
    let why = if std::str::from_utf8(path).is_err() {
        "is not UTF-8".to_owned()
    } else if path.split(|b| *b == b'/').any(|part| part.len() > MOST_PART) {
        format!("has a part of more than {MOST_PART} bytes")
    } else if path.len() > MOST_PATH {
        format!("is longer than {MOST_PATH} bytes")
    } else if path.iter().filter(|b| **b == b'/').count() > MOST_FOLDERS {
        format!("is deeper than {MOST_FOLDERS} folders")
    } else {
        return None;
    };
    let shown = &path[..path.len().min(120)];
    let rest = if shown.len() < path.len() { "…" } else { "" };
    Some(format!("the path \"{}{rest}\" {why}", shown.escape_ascii()))
}
