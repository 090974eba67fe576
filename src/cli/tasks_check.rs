//! Everything wrong with suites and tasks that can be seen without running them, all of it in one call.

use super::Exit;
use super::proving::tasks_word;
use super::say;
use super::tasks::{Which, opened};
use crate::languages::{Language, by_name};
use crate::scoring::candidate;
use crate::tasks::{Material, Survey, Task, check, check_suite, find_in, survey};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// A suite or a task, and what is wrong with it.
struct Found {
    suite: String,
    task: Option<String>,
    sealed: bool,
    faults: Vec<String>,
}

impl Found {
    fn name(&self) -> &str {
        self.task.as_deref().unwrap_or(&self.suite)
    }
}

/// Runs `tsbench tasks check`: 1 where something is wrong.
pub fn run(which: &Which, as_json: bool) -> anyhow::Result<Exit> {
    let found = look(which)?;
    let bad = found.iter().filter(|f| !f.faults.is_empty()).count();
    let sealed = found.iter().filter(|f| f.sealed).count();
    if as_json {
        let of = |f: &Found| match &f.task {
            Some(task) => json!({"task": task, "faults": f.faults, "sealed": f.sealed}),
            None => json!({"suite": f.suite, "faults": f.faults}),
        };
        say!("{}", serde_json::to_string_pretty(&found.iter().map(of).collect::<Vec<_>>())?);
    } else {
        for one in &found {
            for fault in &one.faults {
                say!("{}: {fault}", one.name());
            }
        }
    }
    if sealed > 0 {
        eprintln!(
            "the sealed parts of {} were not checked: tests, fix and names of tests\nhint: name the file of a key that \
             opens them with --seal-key",
            tasks_word(sealed)
        );
    }
    let tasks = found.iter().filter(|f| f.task.is_some()).count();
    let suites = found.iter().filter(|f| f.task.is_none()).count();
    let suites = if suites == 0 { String::new() } else { format!(" ({suites} of them suites)") };
    eprintln!("{}, {bad} with faults{suites}", tasks_word(tasks));
    Ok(if bad == 0 { Exit::Good } else { Exit::No })
}

/// Everything that is meant, in order: what cannot be read has a fault, and does not keep the rest from being looked at.
fn look(which: &Which) -> anyhow::Result<Vec<Found>> {
    let (suite, task) = (which.suite(), which.task());
    let Survey { suites, broken } = survey(&which.tasks)?;
    let meant = |id: &str, word: &str| suite.is_none_or(|w| w == id || w == word);
    let mut found = Vec::new();
    let half = |id: &str| broken.iter().any(|b| b.suite == id);
    // A suite whose tasks cannot be read has some.
    let whole: Vec<bool> = suites.iter().map(|s| !s.tasks.is_empty() || !half(&s.suite.id)).collect();
    for b in broken {
        let asked = suite.is_none_or(|w| w.split('@').next() == Some(b.suite.as_str()));
        if asked && (task.is_none() || task == b.task.as_deref()) {
            let faults = vec![b.error.to_string()];
            found.push(Found { suite: b.suite, task: b.task, sealed: false, faults });
        }
    }
    for (one, whole) in suites.iter().zip(whole).filter(|(s, _)| meant(&s.suite.id, &s.suite.word())) {
        let faults = if task.is_none() && whole { check_suite(one) } else { Vec::new() };
        if !faults.is_empty() {
            found.push(Found { suite: one.suite.id.clone(), task: None, sealed: false, faults });
        }
        let tasks = one.tasks.iter().filter(|t| task.is_none_or(|w| w == t.spec.id)).cloned().collect();
        for t in opened(tasks, which.seal_key.as_deref())? {
            let faults = faults_of(&t, &which.mirrors);
            let (suite, sealed) = (one.suite.id.clone(), t.spec.sealed.is_some());
            found.push(Found { suite, task: Some(t.spec.id), sealed, faults });
        }
    }
    if found.is_empty() {
        // Nothing of that name, and the words for it are those of every other verb.
        find_in(&which.tasks, suite, task)?;
    }
    found.sort_by(|a, b| (&a.suite, &a.task).cmp(&(&b.suite, &b.task)));
    Ok(found)
}

/// What is wrong with a task, as far as that can be told without running it.
fn faults_of(task: &Task, mirrors: &Path) -> Vec<String> {
    let mut faults = check(task, mirrors);
    match by_name(&task.spec.language) {
        Err(e) => faults.push(e.to_string().replace("\nhint: ", "; ")),
        Ok(language) if faults.is_empty() && task.spec.sealed.is_none() => {
            faults.extend(undone(task, language, mirrors));
        }
        Ok(_) => {}
    }
    faults
}

/// A fix of which scoring would undo everything resolves nothing. A tree that its language cannot read is left to the gate.
fn undone(task: &Task, language: &dyn Language, mirrors: &Path) -> Option<String> {
    let m = Material::prepare(task, mirrors).ok()?;
    let tree = m.store.read(&m.start).ok()?;
    let blobs: Vec<&str> = tree.values().map(|e| e.blob.as_str()).collect();
    let files: BTreeMap<String, Vec<u8>> = tree.keys().cloned().zip(m.store.many(&blobs).ok()?).collect();
    let plan = language.detect(&files, task.spec.package.as_deref(), task.spec.runtime.as_deref()).ok()?;
    let made = candidate(task, &m, language, &plan, &m.solution).ok()?;
    (made.files > 0 && made.dropped.len() as u64 == made.files).then(|| {
        format!(
            "solution.patch changes protected paths alone, which are restored before scoring: {}; see protected in task.toml",
            made.dropped.join(", ")
        )
    })
}
