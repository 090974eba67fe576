//! What trees say about themselves, what patches may not touch, and tests of the demo suite run by their own tools.

mod detect;
mod node_guard;
mod protect;
mod run;
mod trusted_java;
mod trusted_python;
mod typescript;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tsbench::languages::{Merged, Mixed, Places, Plan, by_name};

pub type Tree = BTreeMap<String, Vec<u8>>;

pub fn tree(files: &[(&str, &str)]) -> Tree {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// Whether a patch's change of a path counts for nothing.
pub fn dropped(plan: &Plan, path: &str) -> bool {
    plan.protects(path)
}

/// What a language makes of a patch's version of a file that is both code and configuration.
pub fn merged(language: &str, path: &str, trusted: &[u8], theirs: &[u8]) -> Option<Merged> {
    let start = Tree::new();
    by_name(language).unwrap().merge(&Mixed { start: &start, path, trusted, theirs, runtime: None })
}

/// Every one of these changes counts for nothing.
pub fn all_dropped(plan: &Plan, paths: &[&str]) {
    paths.iter().for_each(|path| assert!(dropped(plan, path), "{path}"));
}

/// None of them does.
pub fn none_dropped(plan: &Plan, paths: &[&str]) {
    paths.iter().for_each(|path| assert!(!dropped(plan, path), "{path}"));
}

pub fn demo(task: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo").join(task)
}

/// Every file below a folder.
pub fn files(root: &Path) -> Tree {
    walkdir::WalkDir::new(root)
        .into_iter()
        .map(Result::unwrap)
        .filter(|e| e.file_type().is_file())
        .map(|e| {
            let path = e.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (path, std::fs::read(e.path()).unwrap())
        })
        .collect()
}

pub fn places() -> Places {
    Places {
        tree: "/w/tree".into(),
        home: "/w/home".into(),
        tools: "/w/tools".into(),
        report: "/w/report".into(),
        path: "/usr/bin".into(),
    }
}
