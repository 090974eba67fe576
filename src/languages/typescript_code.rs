use super::paths::{join, parent};
use super::typescript_modules::{normal, resolved};
use super::typescript_named::short;
use super::typescript_text::imported;
use super::{Files, is_test_path, json};
use std::cell::OnceCell;
use std::collections::{BTreeSet, VecDeque};

/// Folders that hold code wherever they stand.
pub(super) const FOLDERS: [&str; 6] = ["src", "lib", "source", "sources", "app", "dist"];

/// Files that are read to see what tests and entries of packages reach.
const MOST: usize = 400;

/// Which files of a tree are the code that its tests test.
pub(super) struct Code<'a> {
    tree: &'a dyn Files,
    paths: &'a BTreeSet<String>,
    folders: &'a [String],
    reached: OnceCell<BTreeSet<String>>,
}

impl<'a> Code<'a> {
    /// The code of a tree with packages in these folders.
    pub(super) fn new(tree: &'a dyn Files, paths: &'a BTreeSet<String>, folders: &'a [String]) -> Code<'a> {
        Code { tree, paths, folders, reached: OnceCell::new() }
    }

    /// Whether a file stands among code, or is reached from the entries of a package or from a test.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.is_in_code(path) || self.reached.get_or_init(|| self.reach()).contains(path)
    }

    /// Whether a file stands among code by its folders alone.
    pub(super) fn is_in_code(&self, path: &str) -> bool {
        parent(path).split('/').any(|f| FOLDERS.contains(&f))
    }

    fn reach(&self) -> BTreeSet<String> {
        let mut queue: VecDeque<String> = VecDeque::new();
        for dir in self.folders {
            let map = self.tree.text(&join(dir, "package.json")).and_then(|t| json::object(&t)).unwrap_or_default();
            let mut entries = json::entries(&map);
            entries.push("./index".to_owned());
            queue
                .extend(entries.iter().take(100).filter_map(|e| normal(dir, e)).flat_map(|p| resolved(self.paths, &p)));
        }
        let tests = self.paths.iter().filter(|p| is_test_path(p) && !p.contains("node_modules/") && is_script(p));
        queue.extend(tests.take(MOST / 2).cloned());
        let mut seen = BTreeSet::new();
        while let Some(path) = queue.pop_front() {
            // What a test does with a configuration makes no code of what that one imports.
            if seen.len() >= MOST || path.contains(".config.") || !is_script(&path) || !seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = short(self.tree, &path) else { continue };
            let names = imported(&text).into_iter().filter(|r| r.name.starts_with('.'));
            queue.extend(names.filter_map(|r| normal(parent(&path), &r.name)).flat_map(|p| resolved(self.paths, &p)));
        }
        seen
    }
}

fn is_script(path: &str) -> bool {
    [".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".vue", ".svelte"].iter().any(|e| path.ends_with(e))
}
