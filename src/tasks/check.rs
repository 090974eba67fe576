use super::{Material, Task, TaskSuite};
use crate::git::{Applied, GitError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Everything wrong with a task that can be seen without running it.
pub fn check(task: &Task, mirrors: &Path) -> Vec<String> {
    let mut found = super::disclosed(task).unwrap_or_else(|e| vec![e.to_string()]);
    if task.spec.sealed.is_some() {
        // What is sealed is checked when a key has opened it.
        return found;
    }
    names(task, &mut found);
    found.extend(strays(&task.dir));
    let unsound = super::sound::unsound(task);
    let named = |(file, what): &(PathBuf, String)| {
        format!("{}: {what}", file.file_name().and_then(|n| n.to_str()).unwrap_or("task.toml"))
    };
    found.extend(unsound.iter().map(named));
    found.extend(super::links_stay(task).err().map(|e| e.to_string()));
    // Nothing can be prepared by it then, and its faults are told.
    let prepared =
        if unsound.is_empty() { Material::prepare(task, mirrors) } else { Material::assemble(task, mirrors) };
    match prepared {
        Ok(material) => {
            if let Err(e) = trees(task, &material, &mut found) {
                found.push(e.to_string());
            }
        }
        Err(e) => found.push(e.to_string()),
    }
    // What keeps a file from being read is met by each who reads it.
    let mut seen = BTreeSet::new();
    found.retain(|fault| seen.insert(fault.clone()));
    found
}

/// What is wrong with a suite itself; what makes it unusable is told where it is read.
pub fn check_suite(suite: &TaskSuite) -> Vec<String> {
    let mut found = Vec::new();
    if suite.suite.title.trim().is_empty() {
        found.push("suite.toml: title is empty: name the suite for readers".to_owned());
    }
    let folders = std::fs::read_dir(&suite.dir).into_iter().flatten().flatten().map(|e| e.path());
    let mut without: Vec<PathBuf> = folders.filter(|d| d.is_dir() && !d.join("task.toml").exists()).collect();
    without.sort();
    for dir in without {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            found.push(format!(
                "the folder {name:?} has no task.toml and is not read: every folder of a suite is a task"
            ));
        }
    }
    if suite.tasks.is_empty() {
        found.push("suite.toml: the suite has no task: a task is a folder beside it with a task.toml".to_owned());
    }
    found
}

/// What a task's folder may hold; whatever else stands there is read by nobody.
const PARTS: [&str; 11] = [
    "task.toml",
    "problem.md",
    "solution.patch",
    "tests.patch",
    "repo",
    "tests",
    "grader",
    "alternates",
    "wrong",
    "certificate.json",
    "validation.json",
];

/// Entries of a task's folder that look like a part of a task and are none. Other files are its author's own.
fn strays(dir: &Path) -> Vec<String> {
    let Ok(listed) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut names: Vec<String> = listed.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let plain = |name: &str| name.to_lowercase().trim_end_matches('s').to_owned();
    let stray = |name: &String| {
        if PARTS.contains(&name.as_str()) || name.starts_with('.') {
            return None;
        }
        let meant = PARTS.iter().find(|part| plain(part) == plain(name));
        match meant {
            Some(part) => Some(format!("{name:?} is no part of a task and is not read; {part:?} would be")),
            None if !dir.join(name).is_dir() => None,
            None => Some(format!("{name:?} is no part of a task and is not read: a task has {}", PARTS.join(", "))),
        }
    };
    names.iter().filter_map(stray).collect()
}

fn names(task: &Task, found: &mut Vec<String>) {
    let spec = &task.spec;
    if spec.title.chars().any(char::is_control) {
        found.push("task.toml: title has a control character: write it in one line of text".into());
    }
    if let Some(runtime) = &spec.runtime
        && !runtime.chars().all(|c| c.is_ascii_alphanumeric() || ".+-_".contains(c))
    {
        found.push(format!("task.toml: runtime {runtime:?}; expected a version such as 3.12"));
    }
    if spec.title.trim().is_empty() {
        found.push("task.toml: title is empty: name the task for readers".into());
    }
    if task.problem.trim().is_empty() {
        found.push("problem.md is empty: write what is wrong as a user would".into());
    }
    if spec.scorecard.is_none() && spec.targets.is_empty() {
        found.push("task.toml: targets is empty: name the tests that fail before the fix and pass after it".into());
    }
    if let Some(difficulty) = &spec.difficulty
        && !["easy", "medium", "hard"].contains(&difficulty.as_str())
    {
        found.push(format!("task.toml: difficulty {difficulty:?}; expected easy, medium or hard"));
    }
}

/// Solutions that do not apply prove nothing.
fn further(task: &Task, m: &Material, found: &mut Vec<String>) -> Result<(), GitError> {
    for (folder, patches) in [("alternates", task.alternates()), ("wrong", task.wrong())] {
        let patches = match patches {
            Ok(patches) => patches,
            Err(e) => {
                found.push(e.to_string());
                continue;
            }
        };
        for (name, patch) in patches {
            match m.store.apply(&m.start, &patch)? {
                Applied::Strict(_) => {}
                Applied::Empty => found.push(format!("{folder}/{name}.patch is empty")),
                Applied::Lenient(_) => {
                    found.push(format!("{folder}/{name}.patch applies only leniently: make it against repo/"));
                }
                Applied::Refused(why) => found.push(format!("{folder}/{name}.patch does not apply: {why}")),
            }
        }
    }
    Ok(())
}

fn trees(task: &Task, m: &Material, found: &mut Vec<String>) -> Result<(), GitError> {
    let start = m.store.read(&m.start)?;
    if start.is_empty() {
        found.push("repo/ is empty: an agent needs a tree to start from".into());
    }
    if m.hidden.files.is_empty() && m.hidden.removed.is_empty() && task.spec.scorecard.is_none() {
        found.push("there are no hidden tests: add tests/ or tests.patch".into());
    }
    if let Some(package) = &task.spec.package
        && !start.keys().any(|p| p.starts_with(&format!("{package}/")))
    {
        found.push(format!("task.toml: package {package:?} is not a folder of the tree"));
    }
    further(task, m, found)?;
    if task.spec.scorecard.is_none() {
        let lists = [("targets", &task.spec.targets[..]), ("guards", &task.spec.guards[..])];
        found.extend(super::declared::undeclared(&task.spec.language, &lists, m)?);
    }
    match m.store.apply(&m.start, &m.solution)? {
        Applied::Strict(fixed) => {
            let after = m.store.read(&fixed)?;
            for path in m.hidden.files.keys().filter(|p| start.get(*p) != after.get(*p)) {
                found.push(format!(
                    "solution.patch changes {path:?}, which the hidden tests bring: a fix does not touch its tests"
                ));
            }
            let changed = start.keys().chain(after.keys()).filter(|p| start.get(*p) != after.get(*p));
            let of_tests: BTreeSet<&String> =
                changed.filter(|p| crate::schema::is_test_path(p) && !m.hidden.files.contains_key(*p)).collect();
            // Which paths a task frees is a matter of scoring; that it frees any is enough to leave this to the gate.
            for path in of_tests.into_iter().filter(|_| task.spec.unprotected.is_empty()) {
                found.push(format!(
                    "solution.patch changes {path:?}, a file of tests: it is restored before scoring, move it to tests/"
                ));
            }
        }
        Applied::Empty => found.push("solution.patch is empty".into()),
        Applied::Lenient(_) => found.push("solution.patch applies only leniently: make it against repo/".into()),
        Applied::Refused(why) => found.push(format!("solution.patch does not apply: {why}")),
    }
    Ok(())
}
