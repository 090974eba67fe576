//! Files that the test command and the configurations of a tree name, and what those import in turn.
//!
//! What is named is protected whatever it is. What is imported is protected as long as it is no code: a plugin that is
//! tested by way of the project's own configuration must stay changeable. Candidates of a name are protected too, so that
//! no new `shared.js` is found before `shared.ts`.

use super::paths::{join, literal, parent};
use super::typescript_code::Code;
use super::typescript_keys::How;
use super::typescript_modules::{bare, candidates, normal, resolved, script_stem, stem_of_index};
use super::typescript_paths::is_configuration;
use super::typescript_shadow as shadow;
use super::typescript_text::{self as text, Reference};
use super::{Files, Plan, is_test_path, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Configurations that are read, the part of each that is, and globs that come of them: a tree may hold anything.
const MOST_FILES: usize = 400;
const MOST_BYTES: usize = 128 * 1024;
const MOST_GLOBS: usize = 500;

/// What is to be read, and whether it is loaded around tests rather than configuration: such a file imports code freely.
type Read = (String, bool);

struct Walk<'a> {
    tree: &'a dyn Files,
    paths: &'a BTreeSet<String>,
    package: &'a str,
    mocha: bool,
    code: Code<'a>,
    /// Folders of the tree's own packages, by name.
    packages: BTreeMap<String, String>,
    /// Folders of those that configuration uses: their entries are no code.
    shared: BTreeSet<String>,
    globs: BTreeSet<String>,
    queue: VecDeque<Read>,
    seen: BTreeSet<String>,
    /// Whether a configuration lets bare names mean files of the tree.
    shadows: bool,
    /// How many more patterns are held against every path.
    patterns: Cell<usize>,
}

/// Globs of everything that is named.
pub(super) fn named(tree: &dyn Files, plan: &Plan, paths: &BTreeSet<String>, folders: &[String]) -> Vec<String> {
    let packages = folders.iter().filter_map(|dir| {
        let name = json::text_of(&tree.read(&join(dir, "package.json"))?, "name")?;
        Some((name, dir.clone()))
    });
    let mut walk = Walk {
        tree,
        paths,
        package: &plan.package,
        mocha: plan.runner == "mocha",
        code: Code::new(tree, paths, folders),
        packages: packages.collect(),
        shared: BTreeSet::new(),
        globs: BTreeSet::new(),
        queue: VecDeque::new(),
        seen: BTreeSet::new(),
        shadows: false,
        patterns: Cell::new(50),
    };
    let mut words = plan.facts("arguments").to_vec();
    for (_, value) in plan.facts("environment").iter().filter_map(|e| e.split_once('=')) {
        words.extend(value.split_whitespace().map(str::to_owned));
    }
    walk.follow(&text::references_of_command(&words), &plan.package, false);
    // Runners of files take them as plain words; to others a word is a part of names of tests.
    let of_files = ["mocha", "node"].contains(&plan.runner.as_str());
    for file in words.iter().filter(|_| of_files).filter_map(|w| normal(&plan.package, w)) {
        walk.globs.extend(paths.contains(&file).then(|| literal(&file)));
    }
    let set: BTreeSet<&str> = folders.iter().map(String::as_str).collect();
    let mut configurations: Vec<&String> = paths.iter().filter(|p| is_configuration(p, &set)).collect();
    configurations.sort_by_key(|p| (!p.starts_with(&plan.package), p.matches('/').count()));
    walk.queue.extend(configurations.into_iter().take(MOST_FILES).map(|path| (path.clone(), false)));
    walk.run();
    let mut globs: Vec<String> = walk.globs.into_iter().collect();
    if walk.shadows {
        globs.extend(shadow::globs(tree, paths, folders));
    }
    globs
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut left = MOST_FILES;
        while let Some((path, around)) = self.queue.pop_front() {
            if left == 0 || self.globs.len() >= MOST_GLOBS {
                break;
            }
            left -= 1;
            self.seen.insert(path.clone());
            let Some(text) = short(self.tree, &path) else { continue };
            self.shadows |= shadow::lets_files_shadow(&text);
            self.follow(&references(&path, &text), parent(&path), around);
        }
    }

    fn read_later(&mut self, path: &str, around: bool) {
        if self.seen.insert(path.to_owned()) {
            // What the walk finds comes before the rest of a large tree's configurations.
            self.queue.push_front((path.to_owned(), around));
        }
    }

    /// Protects what a file in a folder names, and reads it later.
    fn follow(&mut self, found: &[Reference], dir: &str, around: bool) {
        for reference in found {
            if self.globs.len() >= MOST_GLOBS {
                return;
            }
            let name = bare(&reference.name);
            if reference.how == How::Import {
                match name.starts_with('.') {
                    true => normal(dir, name).into_iter().for_each(|path| self.import(&path, dir, around)),
                    false => self.workspace(name, around),
                }
                continue;
            }
            if reference.how == How::Require && self.mocha {
                // Mocha looks for a file of this name in its folder before it asks for a package.
                let here = normal(self.package, name).map(|path| candidates(&path));
                self.globs.extend(here.into_iter().flatten());
            }
            let around = reference.how != How::Config;
            let relative = name.starts_with('.');
            let bases = BTreeSet::from([dir, self.package, ""]);
            let places: Vec<String> = bases.into_iter().filter_map(|base| normal(base, name)).collect();
            let mut there: Vec<String> = places.iter().flat_map(|p| self.matching(p)).collect();
            // A pattern or a folder that is named means configurations in it, not its code.
            let exact = |p: &str| !name.contains('*') && stem_of_index(p, &places) == p;
            there.retain(|p| exact(p) || !self.code.holds(p));
            let a_file = relative || name.len() < reference.name.len() || name.contains(['/', '.']);
            if !there.is_empty() && a_file {
                for path in there {
                    self.globs.extend(candidates(stem_of_index(&path, &places)));
                    self.read_later(&path, around);
                }
            } else if relative {
                let missing = normal(dir, name).filter(|p| !self.is_folder(p)).map(|p| candidates(&p));
                self.globs.extend(missing.into_iter().flatten());
            } else {
                self.workspace(name, around);
            }
        }
    }

    fn import(&mut self, path: &str, dir: &str, around: bool) {
        let there = self.matching(path);
        let target = there.first().map_or(path, String::as_str);
        let below = parent(target) == dir || !dir.is_empty() && target.starts_with(&format!("{dir}/"));
        let shared = self.shared.iter().any(|s| target.starts_with(&format!("{s}/")));
        let code = if shared { self.code.is_in_code(target) } else { self.code.holds(target) };
        if code || around && !below {
            return;
        }
        self.globs.extend(candidates(path));
        for path in there {
            self.read_later(&path, around);
        }
    }

    /// A package of the tree itself that configuration uses, such as a shared preset. One that has tests is code.
    fn workspace(&mut self, name: &str, around: bool) {
        let own = |package: &str| name.strip_prefix(package).is_some_and(|r| r.is_empty() || r.starts_with('/'));
        let Some((package, dir)) = self.packages.iter().find(|(p, _)| own(p)).map(|(p, d)| (p.clone(), d.clone()))
        else {
            return;
        };
        let Some(manifest) = self.tree.text(&join(&dir, "package.json")).and_then(|t| json::object(&t)) else { return };
        let mut files = json::entries(&manifest);
        files.push(format!(".{}", &name[package.len()..]));
        let files: Vec<String> = files.iter().take(MOST_FILES).filter_map(|f| normal(&dir, f)).collect();
        let found: Vec<String> = files.iter().flat_map(|f| self.matching(f)).collect();
        let below = format!("{dir}/");
        let tested = self.paths.range(below.clone()..).take_while(|p| p.starts_with(&below)).any(|p| is_test_path(p));
        if dir.is_empty() || dir == self.package || tested || found.iter().any(|f| self.code.is_in_code(f)) {
            return;
        }
        self.shared.insert(dir.clone());
        self.globs.insert(literal(&join(&dir, "package.json")));
        for path in found {
            self.globs.extend(candidates(&path));
            self.read_later(&path, around);
        }
    }

    /// Files that a path without its extension, or a pattern, may mean.
    fn matching(&self, path: &str) -> Vec<String> {
        if path.contains('*') {
            let patterns = self.patterns.get();
            if patterns == 0 || path.matches('{').count() > 4 {
                return Vec::new();
            }
            self.patterns.set(patterns - 1);
            let named = |p: &&String| ["config", "jest", "vite", "mocha", "test"].iter().any(|n| p.contains(n));
            let hit = self.paths.iter().filter(named).filter(|p| super::glob_matches(path, p));
            return hit.filter(|p| !p.contains("node_modules/")).take(MOST_FILES).cloned().collect();
        }
        resolved(self.paths, path)
    }

    fn is_folder(&self, path: &str) -> bool {
        let start = format!("{path}/");
        self.paths.range(start.clone()..).next().is_some_and(|p| p.starts_with(&start))
    }
}

/// What a file names, by its kind.
fn references(path: &str, content: &str) -> Vec<Reference> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rc = name.starts_with('.') || name.starts_with("nyc.");
    if name == "package.json" {
        return text::references(&json::settings(content), true);
    }
    let yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    if yaml || rc && script_stem(name).is_none() && !content.trim_start().starts_with('{') {
        return text::references_of_yaml(content);
    }
    let mut found = text::references(content, rc);
    if name.starts_with("vitest.workspace.") || name.starts_with("vitest.projects.") {
        found.extend(text::strings(content));
    }
    found
}

/// A text, cut where it is longer than any that a person writes.
pub(super) fn short(tree: &dyn Files, path: &str) -> Option<String> {
    let mut bytes = tree.read(path)?;
    bytes.truncate(MOST_BYTES);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
