//! What a task states of itself and cannot be meant: nothing may be scored by it.

use super::Task;
use crate::schema::glob_fault;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Bounds of the limits: name, least, most. Beyond them a limit limits nothing, or nothing can run.
type Bound = (&'static str, u64, u64, u64);

const WEEK: u64 = 7 * 24 * 3600;

/// Every fault, with the file that holds it.
pub(super) fn unsound(task: &Task) -> Vec<(PathBuf, String)> {
    let mut found: Vec<String> = Vec::new();
    globs(task, &mut found);
    ids(task, &mut found);
    card(task, &mut found);
    let file = task.dir.join("task.toml");
    let mut all: Vec<(PathBuf, String)> = found.into_iter().map(|what| (file.clone(), what)).collect();
    // Without limits of its own it has those of its suite.
    let of_limits = match &task.spec.limits {
        Some(_) => file,
        None => task.dir.parent().unwrap_or(&task.dir).join("suite.toml"),
    };
    all.extend(limits(task).into_iter().map(|what| (of_limits.clone(), what)));
    all
}

fn globs(task: &Task, found: &mut Vec<String>) {
    for (field, globs) in [("protected", &task.spec.protected), ("unprotected", &task.spec.unprotected)] {
        for glob in globs {
            found.extend(glob_fault(glob).map(|why| format!("{field} has the glob {glob:?}, which {why}")));
        }
    }
}

fn ids(task: &Task, found: &mut Vec<String>) {
    let checks: &[String] = task.spec.scorecard.as_ref().map_or(&[], |c| &c.checks);
    let lists = [("targets", &task.spec.targets[..]), ("guards", &task.spec.guards), ("scorecard.checks", checks)];
    for (field, list) in lists {
        let mut seen = BTreeSet::new();
        for id in list {
            if id.trim().is_empty() {
                found.push(format!("{field} has an empty id {id:?}: name a test, or leave it out"));
            } else if !seen.insert(id) {
                found.push(format!("{field} has {id:?} twice: name it once"));
            }
        }
    }
    let targets: BTreeSet<&String> = task.spec.targets.iter().collect();
    for guard in task.spec.guards.iter().filter(|g| targets.contains(g)) {
        found.push(format!("{guard:?} is both a target and a guard: it fails before the fix, or passes"));
    }
}

fn card(task: &Task, found: &mut Vec<String>) {
    let Some(card) = &task.spec.scorecard else { return };
    if card.checks.is_empty() {
        found.push("scorecard.checks is empty: the list is the denominator".into());
    }
    let Some(program) = card.command.first().filter(|p| !p.trim().is_empty()) else {
        found.push("scorecard.command is empty: name the program that runs one check".into());
        return;
    };
    // An error of reading is told where the files are read.
    let Ok(files) = task.grader_files() else { return };
    if files.is_empty() {
        found.push("there is a scorecard and no folder grader/: the program that judges stands there".into());
    }
    let name = program.strip_prefix("./").unwrap_or(program);
    if files.contains_key(name) {
        found.push(format!(
            "scorecard.command begins with {program:?}, a file of grader/, and files of it cannot be started: name an interpreter before it"
        ));
    }
}

fn limits(task: &Task) -> Vec<String> {
    let l = &task.limits;
    let bounds: [Bound; 7] = [
        ("install_seconds", l.install_seconds, 1, WEEK),
        ("tests_seconds", l.tests_seconds, 1, WEEK),
        ("memory_mb", l.memory_mb, 16, 16 << 20),
        ("cpu_thousandths", l.cpu_thousandths, 1, 1_024_000),
        ("processes", l.processes, 4, 4 << 20),
        ("disk_mb", l.disk_mb, 1, 64 << 20),
        ("output_bytes", l.output_bytes as u64, 256, 1 << 30),
    ];
    let beyond = bounds.into_iter().filter(|(_, value, least, most)| !(least..=most).contains(&value));
    beyond.map(|(name, value, least, most)| format!("limits.{name} is {value}; expected {least} to {most}")).collect()
}
