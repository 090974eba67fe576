//! Modules that are called like tests and are code: others of the project import them, and nothing of tests is in them.

use super::paths::{join, parent};
use super::{Suspect, is_test_path};

/// Words that a module of tests, or one that pytest listens to, has in it.
const OF_TESTS: [&str; 8] =
    ["pytest", "unittest", "def test", "class Test", "doctest", "nose", "setup_module", "teardown_module"];

/// Whether a module may be code although its name is that of tests: by its own name, and not by a folder of tests.
pub(super) fn may_be_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
    // A file of any other name in its place tells whether the folder makes it one of tests.
    plain && name.ends_with(".py") && name != "conftest.py" && !is_test_path(&join(parent(path), "a.py"))
}

/// Whether a module is code: code beside it imports it, and neither before nor now does it hold anything of tests.
pub(super) fn is_code(suspect: &Suspect<'_>) -> bool {
    let name = suspect.path.rsplit('/').next().unwrap_or("").trim_end_matches(".py");
    let imports = |text: &str| {
        let lines = text.lines().map(str::trim_start).filter(|l| l.starts_with("import ") || l.starts_with("from "));
        lines.flat_map(|l| l.split(|c: char| !(c.is_alphanumeric() || c == '_'))).any(|word| word == name)
    };
    let code = suspect.sources.iter().filter(|(p, _)| *p != suspect.path && !is_test_path(p));
    let mut code = code.map(|(_, bytes)| String::from_utf8_lossy(bytes));
    // pytest keeps modules of tests by their last names: one that a test has is not free.
    let free = |known: &&str| known.rsplit('/').next() != suspect.path.rsplit('/').next() || *known == suspect.path;
    suspect.after.is_some()
        && suspect.known.iter().all(free)
        && !suspect.texts().any(|text| OF_TESTS.iter().any(|word| text.contains(word)))
        && code.any(|text| imports(&text))
}
