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
    /// Globs of names that say what a file most often is: a change is dropped unless [`super::Language::is_code`] says
    /// that this one is code all the same.
    pub suspect: Vec<String>,
    /// Globs of paths whose changes go through [`super::Language::merge`] whatever else covers them: of what the patch
    /// says there, the language writes a file of its own.
    pub rewritten: Vec<String>,
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

    /// Whether the name of a path alone protects it.
    pub fn protects(&self, path: &str) -> bool {
        super::is_test_path(path) || protects(&self.protected, path) || protects(&self.suspect, path)
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

/// A file of a patch that is both code and configuration of tests.
#[derive(Clone, Copy)]
pub struct Mixed<'a> {
    /// The starting tree.
    pub start: &'a dyn Files,
    /// Its path.
    pub path: &'a str,
    /// What it held before; nothing where it is new.
    pub trusted: &'a [u8],
    /// What the patch makes of it.
    pub theirs: &'a [u8],
    /// What the runtime that will run the tests calls itself; any version of the language will do where none is given.
    pub runtime: Option<&'a str>,
}

/// What a language makes of a patch's version of a file that is both code and configuration of tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The file as it counts.
    pub bytes: Vec<u8>,
    /// Parts of the patch's version that were put back, as they are called in such a file.
    pub put_back: Vec<String>,
    /// The version of the language that the patch asks for, where it raises it.
    pub version: Option<String>,
}

impl Merged {
    /// The patch's version as it is.
    pub(super) fn whole(theirs: &[u8]) -> Merged {
        Merged { bytes: theirs.to_vec(), ..Merged::default() }
    }
}

/// A file of a patch whose name is protected, for a language to say what it is.
#[derive(Clone, Copy)]
pub struct Suspect<'a> {
    /// How the tree is tested.
    pub plan: &'a Plan,
    /// Its path.
    pub path: &'a str,
    /// What it held before, if it was there.
    pub before: Option<&'a [u8]>,
    /// What it holds now, unless it is gone.
    pub after: Option<&'a [u8]>,
    /// The starting tree.
    pub start: &'a dyn Files,
    /// The code of the patched tree, by the language's own endings.
    pub sources: &'a BTreeMap<String, Vec<u8>>,
    /// Paths of the starting tree and of the hidden tests.
    pub known: &'a std::collections::BTreeSet<&'a str>,
}

impl Mixed<'_> {
    /// What follows the name of a version of the language that is put back, where the runtime does not know it.
    pub(super) fn why_unknown(&self) -> String {
        self.runtime.map(|runtime| format!(", which the runtime ({runtime}) does not know")).unwrap_or_default()
    }
}

impl Suspect<'_> {
    /// What it holds, before and now, as text.
    pub(super) fn texts(&self) -> impl Iterator<Item = String> {
        [self.before, self.after].into_iter().flatten().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
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
