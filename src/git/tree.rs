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
