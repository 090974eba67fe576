//! What a project's own files say to pytest, from whichever of them it reads.

use super::Files;
use super::paths::join;
use toml::{Table, Value};

/// Files of pytest's configuration that are no TOML.
const INI: [&str; 4] = ["pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg"];

/// Keys of the configuration with all their words, of every file that pytest could read: which one it takes depends on
/// what the others hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Config(Vec<(String, Vec<String>)>);

impl Config {
    /// Reads the files of a package, or those of the root where it has none.
    pub fn read(tree: &dyn Files, package: &str) -> Config {
        let text = |name: &str| tree.text(&join(package, name)).or_else(|| tree.text(name));
        let table = |name: &str| text(name).and_then(|t| toml::from_str::<Table>(&t).ok()).unwrap_or_default();
        let mut found = Vec::new();
        let tool = table("pyproject.toml");
        let pytest = tool.get("tool").and_then(|t| t.get("pytest"));
        for of_tool in [pytest, pytest.and_then(|p| p.get("ini_options"))].into_iter().flatten() {
            of_table(of_tool, &mut found);
        }
        for name in ["pytest.toml", ".pytest.toml"] {
            if let Some(own) = table(name).get("pytest") {
                of_table(own, &mut found);
            }
        }
        for name in INI {
            of_ini(&text(name).unwrap_or_default(), &mut found);
        }
        Config(found)
    }

    /// The words of a key, of all files.
    pub fn words(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|(k, _)| k == key).flat_map(|(_, words)| words.iter().map(String::as_str)).collect()
    }

    /// The words of all keys.
    pub fn all(&self) -> Vec<&str> {
        self.0.iter().flat_map(|(_, words)| words.iter().map(String::as_str)).collect()
    }
}

fn of_table(value: &Value, found: &mut Vec<(String, Vec<String>)>) {
    for (key, value) in value.as_table().into_iter().flatten() {
        let mut all = Vec::new();
        for text in value.as_array().map_or_else(|| vec![value], |list| list.iter().collect()) {
            all.extend(text.as_str().into_iter().flat_map(words));
        }
        found.push((key.clone(), all));
    }
}

fn of_ini(text: &str, found: &mut Vec<(String, Vec<String>)>) {
    let (mut inside, mut open) = (false, false);
    for line in text.lines().filter(|l| !l.trim_start().starts_with(['#', ';'])) {
        let heading = line.trim_end().strip_prefix('[').and_then(|l| l.strip_suffix(']'));
        if let Some(name) = heading {
            (inside, open) = (["pytest", "tool:pytest"].contains(&name.trim()), false);
        } else if !inside {
            continue;
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, known)) = found.last_mut().filter(|_| open) {
                known.extend(words(line));
            }
        } else if let Some((key, value)) = line.split_once(['=', ':']) {
            found.push((key.trim().to_owned(), words(value).collect()));
            open = true;
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn options_are_read_from_every_kind_of_file_and_from_lines_that_go_on() {
        for (path, text) in [
            ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-p a.b'"),
            ("pyproject.toml", "[tool.pytest]\naddopts = ['-p', 'a.b']"),
            ("pytest.toml", "[pytest]\naddopts = ['-p', \"a.b\"]"),
            ("pytest.ini", "[pytest]\naddopts = \n  # why\n  -p \"a.b\"\nother = x"),
            ("tox.ini", "[pytest]\naddopts: -p a.b\n[testenv]\n  x"),
            ("setup.cfg", "[tool:pytest]\naddopts=-p\n\ta.b\n"),
        ] {
            let tree: BTreeMap<String, Vec<u8>> = [(format!("sub/{path}"), text.into())].into();
            assert_eq!(Config::read(&tree, "sub").words("addopts"), ["-p", "a.b"], "{path}");
        }
    }
}
