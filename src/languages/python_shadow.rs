//! Modules that would stand before installed ones: new ones, in folders that are on Python's path while tests run.

use super::paths::{join, literal, parent};
use super::python_config::Config;
use super::python_names::{BROUGHT, LIBRARIES, STANDARD};
use super::{Files, is_test_path, python_requires as requires};
use std::collections::BTreeSet;

/// Folders that are looked at, those of the package under test first.
const MOST_ROOTS: usize = 16;
/// Names beside the fixed ones, so that a long list of packages does not make every change of a patch slow to judge.
const MOST_NAMES: usize = 1_000;
/// Files of tests whose imports are read.
const MOST_TESTS: usize = 3_000;

/// What keeps new modules from standing before installed ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shadows {
    /// Globs of modules that are not the tree's own.
    pub globs: Vec<String>,
    /// Files without which a folder of tests would put another folder on the path; they may change and not go.
    pub kept: Vec<String>,
}

/// Reads what the tree is called, needs and imports. `plugins` are modules that are installed for certain.
pub(super) fn shadows(
    tree: &dyn Files,
    paths: &[String],
    config: &Config,
    package: &str,
    plugins: &BTreeSet<String>,
) -> Shadows {
    let tests: Vec<&String> = paths.iter().filter(|p| p.ends_with(".py") && is_test_path(p)).collect();
    let mut imported = BTreeSet::new();
    for path in tests.iter().take(MOST_TESTS) {
        imported.extend(imports(&tree.text(path).unwrap_or_default()));
    }
    let packages: BTreeSet<&str> = paths.iter().filter_map(|p| p.strip_suffix("/__init__.py")).collect();
    let bases = bases(&tests, &packages);
    let above: BTreeSet<&str> = packages.iter().map(|p| parent(p)).filter(|p| !packages.contains(p)).collect();
    let mut roots: BTreeSet<String> = BTreeSet::new();
    for folder in [package, ""] {
        let usual = ["src", "lib", "python"].map(|name| join(folder, name));
        roots.extend(usual.into_iter().filter(|r| paths.iter().any(|p| p.starts_with(&format!("{r}/")))));
        roots.insert(folder.to_owned());
        let named = config.words("pythonpath").into_iter().filter_map(inside);
        roots.extend(named.map(|w| join(folder, &w).trim_end_matches('/').to_owned()));
    }
    // Parents of packages, of which parts of a package without a file of its own are no roots by themselves.
    let inner = |r: &&String| !r.is_empty() && *r != package;
    let within = |p: &str| roots.iter().filter(inner).any(|r| p.starts_with(&format!("{r}/")));
    let code = |p: &&&str| !is_test_path(&join(p, "a.py")) && !p.split('/').any(|part| imported.contains(part));
    let derived: Vec<String> = above.iter().filter(code).filter(|p| !within(p)).map(|p| (*p).to_owned()).collect();
    roots.extend(derived.into_iter().chain(bases.folders));
    let mut nearest: Vec<String> = roots.into_iter().collect();
    let elsewhere = |r: &str| !r.is_empty() && r != package && !r.starts_with(&join(package, ""));
    nearest.sort_by_key(|r| (elsewhere(r), r.split('/').filter(|p| !p.is_empty()).count(), r.clone()));
    nearest.truncate(MOST_ROOTS);

    let own = own(paths, nearest.iter().map(String::as_str).chain(above.iter().copied()));
    let mut names: BTreeSet<String> = imported;
    names.extend(plugins.iter().filter_map(|p| p.split('.').next()).map(str::to_owned));
    let needed = requires::modules(tree, paths, package);
    let locked = requires::locked(tree, package);
    // A library of tests that nothing here needs is not installed, so that a module of its name stands before nothing.
    let all_known = locked.is_some() || needed.iter().all(|n| BROUGHT.split_whitespace().any(|b| b == n));
    let sure = all_known && !brings_more(tree, config, package);
    names.extend(needed);
    let mut names: BTreeSet<String> = names.into_iter().take(MOST_NAMES).collect();
    names.extend(locked.into_iter().flatten());
    let fixed = [STANDARD, BROUGHT, if sure { "" } else { LIBRARIES }];
    names.extend(fixed.iter().flat_map(|list| list.split_whitespace()).map(str::to_owned));
    let mut found = Shadows { globs: Vec::new(), kept: bases.kept };
    for root in &nearest {
        let root = literal(root);
        // A folder without this file stands before nothing: Python looks on for a real module.
        let foreign = names.iter().filter(|n| !own.contains(n.as_str()));
        found.globs.extend(foreign.map(|n| join(&root, &format!("{n}{{,.py,.*so,/__init__.*}}"))));
    }
    found
}

/// Whether more may be installed than a project's lists of requirements say: what a script computes, or plugins of pytest
/// that its options ask for.
fn brings_more(tree: &dyn Files, config: &Config, package: &str) -> bool {
    const PLUGINS: [&str; 6] = ["--cov", "-n", "--numprocesses", "--timeout", "--asyncio", "--benchmark"];
    let options = config.words("addopts");
    let asks = options.iter().any(|o| PLUGINS.iter().any(|p| o.starts_with(p)));
    let computes = |folder: &str| {
        let dynamic = tree.text(&join(folder, "pyproject.toml")).is_some_and(|t| t.contains("dynamic"));
        dynamic || ["setup.py", "setup.cfg"].iter().any(|name| tree.has(&join(folder, name)))
    };
    asks || computes("") || computes(package)
}

/// The names that the tree itself has in its roots.
fn own<'a>(paths: &'a [String], roots: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let roots: BTreeSet<&str> = roots.collect();
    let mut found = BTreeSet::new();
    for path in paths.iter().filter(|p| [".py", ".pyx", ".so"].iter().any(|e| p.ends_with(e)) && !is_test_path(p)) {
        let inside = |(at, _)| roots.contains(&path[..at]).then(|| &path[at + 1..]);
        let here = roots.contains("").then_some(path.as_str());
        for rest in path.match_indices('/').filter_map(inside).chain(here) {
            found.extend(rest.split(['/', '.']).next());
        }
    }
    found
}

/// What files of tests put on the path by where they stand.
#[derive(Default)]
struct Bases {
    folders: BTreeSet<String>,
    kept: Vec<String>,
}

/// pytest puts the first folder above a test on the path that is no package. A patch could make it one, so that the
/// folders above count too; and where packages of the project lie between, they must stay packages.
fn bases(tests: &[&String], packages: &BTreeSet<&str>) -> Bases {
    let mut found = Bases::default();
    let mut kept = BTreeSet::new();
    for folder in tests.iter().map(|t| parent(t)).collect::<BTreeSet<_>>() {
        let mut base = folder;
        while packages.contains(base) && !base.is_empty() {
            kept.insert(base);
            base = parent(base);
        }
        // What lies in a folder of tests is not the patch's to change.
        while !is_test_path(&join(base, "a.py")) {
            found.folders.insert(base.to_owned());
            if base.is_empty() {
                break;
            }
            base = parent(base);
        }
    }
    let code = kept.into_iter().map(|p| format!("{p}/__init__.py")).filter(|p| !is_test_path(p));
    found.kept = code.map(|p| literal(&p)).collect();
    found
}

/// A path of a configuration without parts that say nothing, where it does not lead out of its folder.
fn inside(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    (!path.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
}

/// The first parts of the names that a module imports, of those that name no place relative to it.
fn imports(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines().map(str::trim_start) {
        let line = line.trim_start_matches(">>> ");
        let names = match () {
            () if line.starts_with("import ") => line[7..].split('#').next().unwrap_or(""),
            () if line.starts_with("from ") => line[5..].split(" import").next().unwrap_or(""),
            () => continue,
        };
        let first = |name: &str| name.split_whitespace().next()?.split('.').next().map(str::to_owned);
        let word = |n: &String| !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || c == '_');
        found.extend(names.split([',', ';']).filter_map(first).filter(word));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_with_their_first_parts_alone() {
        let text = "import os, a.b as c  # d\n  from e.f import g\nfrom . import h\nfrom .i import j\nimportant = 1\nfrom k import (l,\n m)";
        assert_eq!(imports(text).into_iter().collect::<Vec<_>>(), ["a", "e", "k", "os"]);
    }
}
