//! Files that are called like tests or like the file of a tool, and are code.

use super::paths::parent;
use super::typescript_code::FOLDERS;
use super::typescript_modules::{normal, resolved, script_stem};
use super::typescript_text::imported;
use super::{Suspect, is_test_path, json};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Folders of tests that are one of code where nothing of tests stands in it.
const OF_TESTS: [&str; 2] = ["test", "tests"];

/// Words that a file of tests has in it.
const WORDS: [&str; 14] = [
    "vitest",
    "jest",
    "mocha",
    "chai",
    "sinon",
    "node:test",
    "expect(",
    "assert(",
    "describe(",
    "it(",
    "test(",
    "beforeEach",
    "afterEach",
    "import.meta.vitest",
];

/// Programs that read a file `.NAMErc` though no package of the tree has their name.
const PROGRAMS: [&str; 22] = [
    "asdf",
    "bash",
    "bun",
    "c8",
    "corepack",
    "curl",
    "deno",
    "direnv",
    "env",
    "git",
    "http",
    "mise",
    "node",
    "npm",
    "nvm",
    "pnpm",
    "rtx",
    "tool-versions",
    "volta",
    "wget",
    "yarn",
    "zsh",
];

/// Files that name every package of a tree.
const LOCKS: [&str; 4] = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"];

/// Words of a runner's configuration by which files of other names are tests.
const CHOOSES: [&str; 6] = ["include", "testMatch", "testRegex", "testDir", "roots", "dir:"];

/// Whether a file may be code although its name is suspect.
pub(super) fn may_be_code(path: &str) -> bool {
    of_tool(path).is_some() || script_stem(path).is_some() && is_test_path(path)
}

/// Whether a file is code.
pub(super) fn is_code(suspect: &Suspect<'_>) -> bool {
    let path = suspect.path;
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_./-@".contains(c));
    if !plain || suspect.after.is_none() || !among_code(parent(path)) {
        return false;
    }
    match of_tool(path) {
        Some(tool) => is_data(path) && !is_test_path(path) && is_nobodys(suspect, &tool),
        None => script_stem(path).is_some() && is_module(suspect),
    }
}

/// Whether a folder is one of code or stands in one.
fn among_code(folder: &str) -> bool {
    folder.split('/').any(|part| FOLDERS.contains(&part))
}

/// Whether nothing runs a file by its ending.
fn is_data(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    script_stem(name).is_none()
}

/// The tool whose own file this is, by its name `.NAMErc` or `.NAMErc.ENDING`.
fn of_tool(path: &str) -> Option<String> {
    let name = path.rsplit('/').next()?.strip_prefix('.')?.to_lowercase();
    let stem = name.split('.').next()?;
    stem.strip_suffix("rc").filter(|tool| tool.len() > 1).map(str::to_owned)
}

/// Whether no program and no package that may be installed has anything of a tool's name in its own.
fn is_nobodys(suspect: &Suspect<'_>, tool: &str) -> bool {
    let bare = |text: &str| text.to_lowercase().replace(['-', '_'], "");
    let tool = bare(tool);
    let files = |name: &'static str| {
        suspect.known.iter().filter(move |p| ends_with_name(p, name) && !p.contains("node_modules/")).take(100)
    };
    let locks: Vec<(&str, String)> =
        LOCKS.iter().flat_map(|lock| files(lock)).filter_map(|p| Some((*p, suspect.start.text(p)?))).collect();
    // Packages of the tree's own are no tools: a lock of npm names others by their folders alone.
    let locked = |(path, text): &(&str, String)| {
        let of_npm = path.ends_with(".json");
        text.lines()
            .filter(|l| if of_npm { l.contains("node_modules/") } else { !l.contains("@workspace:") })
            .any(|l| bare(l).contains(&tool))
    };
    let needed = |map: &Map<String, Value>| {
        let tables = map.iter().filter(|(key, _)| key.ends_with("ependencies") || *key == "scripts");
        tables.into_iter().any(|(_, table)| bare(&table.to_string()).contains(&tool))
    };
    !PROGRAMS.contains(&tool.as_str())
        && !locks.is_empty()
        && !locks.iter().any(locked)
        && !files("package.json").filter_map(|p| json::object(&suspect.start.text(p)?)).any(|map| needed(&map))
}

fn ends_with_name(path: &str, name: &str) -> bool {
    path.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Whether a script called like a test is a module of code: other code imports it, nothing of tests is in it, no runner
/// takes it for a test unless it is told not to, and it stands before no file of tests.
fn is_module(suspect: &Suspect<'_>) -> bool {
    let vitest = suspect.plan.runner == "vitest";
    if !vitest && suspect.plan.runner != "jest" {
        return false;
    }
    // A file that looks like a test by its own name is left out of the run, which only one runner can be told.
    let by_name = is_test_path(&format!("src/{}", suspect.path.rsplit('/').next().unwrap_or("")));
    let folders: Vec<usize> = suspect
        .path
        .match_indices('/')
        .map(|(end, _)| end)
        .filter(|end| is_test_path(&format!("{}/a.ts", &suspect.path[..*end])))
        .collect();
    let folder_is_new = folders.first().is_none_or(|end| {
        let folder = &suspect.path[..=*end];
        let name = suspect.path[..*end].rsplit('/').next().unwrap_or("");
        let there = suspect.known.range(folder..).next().is_some_and(|p| p.starts_with(folder));
        OF_TESTS.contains(&name) && among_code(parent(&suspect.path[..*end])) && !there
    });
    // Within it no further folder has a meaning of its own.
    let inner = folders.first().map_or("", |end| &suspect.path[*end + 1..]);
    let odd = inner.split('/').any(|part| part.starts_with("__") || OF_TESTS.contains(&part));
    (!by_name || vitest)
        && folder_is_new
        && !odd
        && !stands_before_known(suspect)
        && !suspect.texts().any(|text| WORDS.iter().any(|word| text.contains(word)))
        && !chooses_otherwise(suspect)
        && is_imported(suspect)
}

/// Whether a file that was there, of tests or not, could be taken for this one.
fn stands_before_known(suspect: &Suspect<'_>) -> bool {
    let stem = script_stem(suspect.path).unwrap_or(suspect.path);
    let (dotted, folder) = (format!("{stem}."), format!("{stem}/"));
    let same = |p: &&str| *p != suspect.path && (p.starts_with(&dotted) || p.starts_with(&folder));
    suspect.known.range(stem..).take_while(|p| p.starts_with(stem)).any(same)
}

/// Whether a configuration of the tree has a say over which files are tests.
fn chooses_otherwise(suspect: &Suspect<'_>) -> bool {
    let of_runner = |p: &&&str| {
        let name = p.rsplit('/').next().unwrap_or("");
        let named = ["vitest.", "vite.config.", "jest.config."].iter().any(|begin| name.starts_with(begin));
        (named || name == "package.json") && !p.contains("node_modules/")
    };
    let argued = suspect.plan.facts("arguments").iter().any(|word| word.starts_with('-'));
    argued
        || suspect.known.iter().filter(of_runner).take(100).filter_map(|p| suspect.start.text(p)).any(|text| {
            let jest_alone = text.contains("\"jest\"") || !text.trim_start().starts_with('{');
            jest_alone && CHOOSES.iter().any(|word| text.contains(word))
        })
}

/// Whether code, which is no test itself, imports the file.
fn is_imported(suspect: &Suspect<'_>) -> bool {
    let paths: BTreeSet<String> = suspect.sources.keys().cloned().collect();
    let code = suspect.sources.iter().filter(|(p, _)| *p != suspect.path && among_code(parent(p)) && !is_test_path(p));
    code.map(|(p, bytes)| (p, String::from_utf8_lossy(bytes))).any(|(from, text)| {
        let names = imported(&text).into_iter().filter(|r| r.name.starts_with('.'));
        let places = names.filter_map(|r| normal(parent(from), &r.name));
        places.flat_map(|place| resolved(&paths, &place)).any(|found| found == suspect.path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_of_a_file_is_read_from_its_name() {
        assert_eq!(of_tool("src/.cacherc.json").as_deref(), Some("cache"));
        assert_eq!(of_tool("src/.lint-stagedrc").as_deref(), Some("lint-staged"));
        for other in ["src/.rc", "src/cacherc.json", "src/.cache", "src/.xrc.json"] {
            assert_eq!(of_tool(other).as_deref(), None, "{other}");
        }
    }
}
