use super::glob::Globs;
use std::collections::BTreeMap;

/// A read-only view of a tree; paths are relative to its root, with `/`.
pub trait Files {
    /// The bytes of a plain file.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// Every path, in order.
    fn paths(&self) -> Vec<String>;

    /// A file as text; bytes that are no text are replaced.
    fn text(&self, path: &str) -> Option<String> {
        self.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Whether there is such a file.
    fn has(&self, path: &str) -> bool {
        self.read(path).is_some()
    }
}

impl Files for BTreeMap<String, Vec<u8>> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.get(path).cloned()
    }

    fn paths(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }
}

/// Where things are for the commands; absolute paths without spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Root of the tree.
    pub tree: String,
    /// A folder outside the tree that the install fills and the tests use: environments, caches, packages.
    pub home: String,
    /// The folder of [`super::Language::tools`], which the tests cannot write.
    pub tools: String,
    /// A folder that does not exist yet, of a name that cannot be guessed; the tests can create it.
    pub report: String,
    /// The sandbox's own `PATH`.
    pub path: String,
}

/// A file of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name below [`Places::tools`].
    pub name: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
}

/// What a tree says about its installation and its tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Version of the runtime that is asked for, as exact as the tree says; empty where any will do.
    pub runtime: String,
    /// What installs packages: `pip`, `npm`, `maven` …, with `@version` where the tree pins one.
    pub manager: String,
    /// What runs the tests: `pytest`, `vitest`, `surefire` …
    pub runner: String,
    /// The folder of the package under test; empty for the root.
    pub package: String,
    /// What the language found out for itself: a module path, extras, flags.
    pub facts: BTreeMap<String, Vec<String>>,
    /// Globs of paths whose every change by a patch is dropped.
    pub protected: Vec<String>,
    /// Globs of paths whose changes go through [`super::Language::merge`].
    pub mixed: Vec<String>,
    /// Folders below [`Places::home`] that hold downloads alone, which the installs of a suite share, each with a name.
    pub caches: Vec<(String, String)>,
    /// What a reader of the plan should know.
    pub notes: Vec<String>,
}

impl Plan {
    /// The first value of a fact.
    pub(super) fn fact(&self, name: &str) -> Option<&str> {
        self.facts.get(name).and_then(|v| v.first()).map(String::as_str)
    }

    /// All values of a fact.
    pub(super) fn facts(&self, name: &str) -> &[String] {
        self.facts.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn learn(&mut self, name: &str, values: impl IntoIterator<Item = String>) {
        self.facts.entry(name.to_owned()).or_default().extend(values);
    }

    /// The folder of the package below the tree.
    pub(super) fn dir(&self, at: &Places) -> String {
        if self.package.is_empty() { at.tree.clone() } else { format!("{}/{}", at.tree, self.package) }
    }
}

/// Whether one of these globs protects a path, in whatever letters: some tools fold them when they look for their files.
pub fn protects(globs: &[String], path: &str) -> bool {
    Globs::folded(globs).cover(path)
}

/// One command of an install.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The command, as words.
    pub words: Vec<String>,
    /// The folder to run in.
    pub dir: String,
    /// Environment beside the sandbox's own.
    pub env: Vec<(String, String)>,
    /// Whether the install goes on when it fails.
    pub may_fail: bool,
}

/// The command that runs the tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCommand {
    /// The command, as words.
    pub words: Vec<String>,
    /// The folder to run in.
    pub dir: String,
    /// Environment beside the sandbox's own.
    pub env: Vec<(String, String)>,
    /// What it gets on standard input: key, report folder and root, which no environment and no argument may hold.
    pub stdin: Vec<u8>,
}

/// A text as words, cut at blanks.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Pairs of an environment.
pub(super) fn env(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
}

/// What every reporter reads first.
pub(super) fn stdin(at: &Places, key: &crate::reports::Key) -> Vec<u8> {
    format!("{}\n{}\n{}\n", key.word(), at.report, at.tree).into_bytes()
}
