//! Files of a tree that pytest loads or reads since the project's own options or tests name them.

use super::paths::{join, literal};
use super::python_config::Config;
use super::{Files, is_test_path};
use std::collections::BTreeSet;

/// Modules that are followed for more modules; no honest project comes near it.
const MOST: usize = 1_000;

/// What a project names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Globs of the files and packages of it that are in the tree.
    pub globs: Vec<String>,
    /// Modules that are not: plugins that are installed.
    pub installed: BTreeSet<String>,
}

/// Plugins that options, tests and other plugins name, and the files that options name.
pub(super) fn named(tree: &dyn Files, paths: &[String], config: &Config, package: &str) -> Named {
    let mut found = Named::default();
    let mut left = of_options(config);
    for path in paths.iter().filter(|p| p.ends_with(".py") && is_test_path(p)) {
        left.extend(of_module(&tree.text(path).unwrap_or_default()));
    }
    let mut seen = BTreeSet::new();
    while let Some(name) = left.pop() {
        if seen.len() >= MOST || !is_module(&name) || !seen.insert(name.clone()) {
            continue;
        }
        let place = name.replace('.', "/");
        let ends = [format!("{place}.py"), format!("{place}/__init__.py")];
        let own = |p: &&String| ends.iter().any(|e| *p == e || p.ends_with(&format!("/{e}")));
        let files: Vec<&String> = paths.iter().filter(own).collect();
        if files.is_empty() {
            found.installed.insert(name);
            continue;
        }
        found.globs.push(format!("**/{place}{{,.py,.*so,/**}}"));
        for file in files {
            left.extend(of_module(&tree.text(file).unwrap_or_default()));
        }
    }
    found.globs.extend(files_of_options(paths, config, package));
    found.globs.extend(patterns(config));
    found
}

/// Modules that options load: `-p NAME`, `-pNAME`, and the variable of that purpose where a key sets the environment.
fn of_options(config: &Config) -> Vec<String> {
    let words = config.words("addopts");
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let name = match word.strip_prefix("-p") {
            Some("") => words.get(at + 1).copied(),
            name => name,
        };
        // `--import-mode` and the like begin with two dashes; a plugin that is switched off is not loaded.
        found.extend(name.filter(|n| !n.starts_with("no:")).map(str::to_owned));
    }
    let all = config.all();
    for (at, word) in all.iter().enumerate() {
        let Some((_, value)) = word.split_once("PYTEST_PLUGINS") else { continue };
        let value = value.trim_start_matches(['=', ':']);
        let value =
            if value.is_empty() { all[at + 1..].iter().find(|w| **w != "=").copied().unwrap_or("") } else { value };
        found.extend(value.split(',').map(str::to_owned));
    }
    found
}

/// Modules that a module names in its `pytest_plugins`.
fn of_module(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in text.match_indices("pytest_plugins") {
        let rest = &text[at + word.len()..];
        let line = rest.lines().next().unwrap_or("");
        // After the sign, where there is one: what stands before it may be a type with brackets of its own.
        let rest = line.find('=').map_or(rest, |sign| &rest[sign + 1..]);
        let opens = rest.lines().next().unwrap_or("").contains(['[', '(']);
        let end = if opens { rest.find([']', ')']) } else { rest.find('\n') };
        for line in rest[..end.unwrap_or(rest.len())].lines() {
            let code = line.split('#').next().unwrap_or("");
            let strings = code.split(['"', '\'']).skip(1).step_by(2);
            found.extend(strings.flat_map(|s| s.split(',')).map(|s| s.trim().to_owned()));
        }
    }
    found
}

fn is_module(name: &str) -> bool {
    !name.is_empty()
        && name.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Files that the configuration names, whatever for: more configuration, arguments, environments. Code is not meant,
/// which options name to say what to measure or to test.
fn files_of_options<'a>(paths: &'a [String], config: &Config, package: &'a str) -> Vec<String> {
    let known: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    for word in config.all().iter().flat_map(|w| w.split(['=', '@', ',', ':'])) {
        let word = word.trim_start_matches("./");
        let places = [join(package, word), word.to_owned()];
        found.extend(places.into_iter().filter(|p| known.contains(p.as_str()) && !p.ends_with(".py")));
    }
    found.iter().map(|p| literal(p)).collect()
}

/// Files of tests by the project's own pattern.
fn patterns(config: &Config) -> Vec<String> {
    let words = config.words("python_files");
    // `test*.py` is also `testing.py`, which is code.
    let narrow = |w: &&str| w.contains('_') || !w.contains('*');
    let plain = |w: &&&str| w.ends_with(".py") && !w.contains(['[', '/', '{']) && narrow(w);
    words.iter().filter(plain).map(|w| format!("**/{w}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_of_a_module_are_found_however_they_are_written() {
        for text in [
            "pytest_plugins = 'a.b'\nx = 'c'",
            "pytest_plugins: list[str] = [  # it's\n  \"a.b\",\n]\nx = ['c']",
            "pytest_plugins += (\"a.b\",)",
            "pytest_plugins.append('a.b')",
            "pytest_plugins = ['a.b'] + other",
        ] {
            assert_eq!(of_module(text).first().map(String::as_str), Some("a.b"), "{text}");
            assert!(!of_module(text).contains(&"c".to_owned()), "{text}");
        }
        assert_eq!(of_module("pytest_plugins = 'a.b, d'"), ["a.b", "d"]);
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_search_for_plugins(text in "(pytest_plugins|[=\\[\\](){}'\"#, \n\u{e9}]|[a-z.]{1,3}){0,40}") {
            of_module(&text);
        }
    }
}
