//! The modules of the distributions that a Python project says it needs.

use super::Files;
use super::paths::join;
use super::python_names::RENAMED;
use super::releases::plain;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Files of requirements that are read.
const MOST_FILES: usize = 100;

/// Modules by the names of the distributions, wherever the project names them, without its own.
pub(super) fn modules(tree: &dyn Files, paths: &[String], package: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut own = BTreeSet::new();
    let folders: BTreeSet<&str> = ["", package].into();
    for folder in folders {
        let text = |name: &str| tree.text(&join(folder, name)).unwrap_or_default();
        let table = |name: &str| toml::from_str::<Table>(&text(name)).unwrap_or_default();
        let project = Value::Table(table("pyproject.toml"));
        for path in [&["project", "name"][..], &["tool", "poetry", "name"]] {
            own.extend(at(&project, path).and_then(Value::as_str).map(plain));
        }
        for path in LISTS {
            strings(at(&project, path), &mut found);
        }
        for path in KEYS {
            keys(at(&project, path), &mut found);
        }
        for group in at(&project, &["tool", "poetry", "group"]).and_then(Value::as_table).into_iter().flatten() {
            keys(group.1.get("dependencies"), &mut found);
        }
        let pipfile = Value::Table(table("Pipfile"));
        keys(pipfile.get("packages"), &mut found);
        keys(pipfile.get("dev-packages"), &mut found);
        found.extend(of_setup_cfg(&text("setup.cfg")));
        found.extend(of_setup_py(&text("setup.py")));
    }
    let lists = paths.iter().filter(|p| p.contains("requirement") && [".txt", ".in"].iter().any(|e| p.ends_with(e)));
    for path in lists.take(MOST_FILES) {
        found.extend(tree.text(path).unwrap_or_default().lines().filter_map(distribution));
    }
    found.difference(&own).flat_map(|name| of(name)).collect()
}

/// Modules by the names of every distribution that a lockfile has; nothing where there is none, so that what a project
/// needs may need more.
pub(super) fn locked(tree: &dyn Files, package: &str) -> Option<BTreeSet<String>> {
    let folders: BTreeSet<&str> = ["", package].into();
    let text = |name: &str| folders.iter().find_map(|folder| tree.text(&join(folder, name)));
    let quoted = |line: &str| line.split('"').nth(1).map(plain);
    let listed = ["uv.lock", "poetry.lock"]
        .iter()
        .find_map(|name| text(name))
        .map(|text| text.lines().filter(|l| l.starts_with("name = ")).filter_map(quoted).collect::<BTreeSet<String>>());
    let keys = || {
        let text = text("Pipfile.lock")?;
        Some(text.lines().filter(|l| l.trim_end().ends_with("\": {")).filter_map(quoted).collect())
    };
    Some(listed.or_else(keys)?.iter().flat_map(|name| of(name)).collect())
}

/// Lists of requirements in a `pyproject.toml`, also one level below in tables.
const LISTS: [&[&str]; 6] = [
    &["project", "dependencies"],
    &["project", "optional-dependencies"],
    &["dependency-groups"],
    &["tool", "uv", "dev-dependencies"],
    &["tool", "pdm", "dev-dependencies"],
    &["tool", "hatch", "envs"],
];

/// Tables whose keys are requirements.
const KEYS: [&[&str]; 2] = [&["tool", "poetry", "dependencies"], &["tool", "poetry", "dev-dependencies"]];

fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key))
}

/// Every requirement in a list, in the lists of a table, or in `dependencies` and `extra-dependencies` of its tables.
fn strings(value: Option<&Value>, found: &mut BTreeSet<String>) {
    match value {
        Some(Value::Array(list)) => found.extend(list.iter().filter_map(Value::as_str).filter_map(distribution)),
        Some(Value::Table(table)) => {
            for inner in table.values() {
                match inner {
                    Value::Array(_) => strings(Some(inner), found),
                    inner => ["dependencies", "extra-dependencies"]
                        .iter()
                        .filter_map(|key| inner.get(key)?.as_array())
                        .for_each(|list| found.extend(list.iter().filter_map(Value::as_str).filter_map(distribution))),
                }
            }
        }
        _ => {}
    }
}

fn keys(value: Option<&Value>, found: &mut BTreeSet<String>) {
    found.extend(value.and_then(Value::as_table).into_iter().flat_map(|t| t.keys()).map(|k| plain(k)));
}

/// The indented lines below a key that speaks of what is required, or below the extras.
fn of_setup_cfg(text: &str) -> Vec<String> {
    let (mut extras, mut wanted) = (false, false);
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            extras = line.contains("extras_require");
            wanted = false;
        } else if !line.starts_with([' ', '\t']) {
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            wanted = extras || key.contains("_require");
            found.extend(Some(value).filter(|_| wanted).and_then(distribution));
        } else if wanted {
            found.extend(distribution(line));
        }
    }
    found
}

/// The strings in brackets after words that speak of what is required.
fn of_setup_py(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in ["install_requires", "tests_require", "extras_require", "setup_requires", "requirements"] {
        for (start, _) in text.match_indices(word) {
            let rest = text[start + word.len()..].trim_start().trim_start_matches(['=', ':']).trim_start();
            let Some(open) = rest.chars().next().filter(|c| "[{(".contains(*c)) else { continue };
            let close = match open {
                '[' => ']',
                '{' => '}',
                _ => ')',
            };
            // Brackets of extras in a name do no harm: what follows them is found or is a version.
            let mut depth = 0_usize;
            let end = rest.char_indices().find(|(_, c)| {
                depth = (depth + usize::from(*c == open)).saturating_sub(usize::from(*c == close));
                depth == 0
            });
            let inside = &rest[..end.map_or(rest.len(), |(i, _)| i)];
            found.extend(inside.split(['"', '\'']).skip(1).step_by(2).filter_map(distribution));
        }
    }
    found
}

/// The name that a requirement begins with; nothing for options, addresses and paths.
fn distribution(line: &str) -> Option<String> {
    let line = line.trim();
    let name: String = line.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).collect();
    let rest = line[name.len()..].trim_start();
    let ends = rest.is_empty() || rest.starts_with(['=', '<', '>', '~', '!', '[', ';', '@', '#', '(', ',']);
    (ends && name.starts_with(|c: char| c.is_ascii_alphanumeric())).then(|| plain(&name))
}

/// Modules that a distribution can be expected to have.
fn of(name: &str) -> Vec<String> {
    let mut found: Vec<String> =
        RENAMED.iter().filter(|(n, _)| *n == name).map(|(_, module)| (*module).to_owned()).collect();
    found.push(name.replace('-', "_"));
    let short = name.strip_prefix("python-").or_else(|| name.strip_suffix("-python"));
    found.extend(short.map(|s| s.replace('-', "_")));
    found.retain(|n| !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || c == '_'));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn what_a_project_needs_is_read_from_wherever_it_says_so() {
        for (path, text) in [
            ("pyproject.toml", "[project]\ndependencies=['PyYAML>=5']"),
            ("pyproject.toml", "[project.optional-dependencies]\nx=['pyyaml[a]; python_version > \"3\"']"),
            ("pyproject.toml", "[dependency-groups]\nx=[{include-group='y'}, 'pyyaml']"),
            ("pyproject.toml", "[tool.poetry.group.x.dependencies]\nPyYAML='^5'"),
            ("pyproject.toml", "[tool.poetry.dev-dependencies]\nPyYAML={version='*'}"),
            ("pyproject.toml", "[tool.hatch.envs.default]\ndependencies=['pyyaml']"),
            ("Pipfile", "[dev-packages]\npyyaml='*'"),
            ("requirements-dev.txt", "# x\n-r other.txt\npyyaml==5 # y\n"),
            ("setup.cfg", "[options]\ninstall_requires =\n    six\n    PyYAML >= 5\n"),
            ("setup.cfg", "[options.extras_require]\nx = pyyaml\n"),
            ("setup.py", "setup(name='a', install_requires=['six', 'PyYAML>=5'])"),
            ("setup.py", "setup(extras_require={'x': ['six[a]', \"pyyaml\"]})"),
        ] {
            let tree: BTreeMap<String, Vec<u8>> = [(path.to_owned(), text.into())].into();
            assert!(modules(&tree, &tree.paths(), "").contains("yaml"), "{path}: {text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_setup_breaks_the_search(text in "(install_requires|extras_require|[=\\[\\](){}'\"#, \n\u{e9}]|[a-z.-]{1,3}){0,40}") {
            of_setup_py(&text);
            of_setup_cfg(&text);
        }
    }
}
