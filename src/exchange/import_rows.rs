//! Rows become tasks: the tree from a mirror, fix and hidden tests beside it, and the row as it came.

use super::instance::{Instance, RowFormat, read as read_row};
use super::intake::{Intake, plain_spec, spec_text};
use super::{ExchangeError, Losses, rows};
use crate::git::Mode;
use crate::schema::{Suite, TaskBase, TaskSpec};
use crate::tasks::Files;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file beside a task that keeps what it was made of.
pub(super) const ORIGIN: &str = "origin.json";

/// What became of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// The suite's folder, if there is a task for it.
    pub dir: Option<PathBuf>,
    /// Tasks that were taken in.
    pub tasks: Vec<String>,
    /// What was not, with the reason.
    pub refused: Vec<(String, String)>,
    /// What is lost or was guessed.
    pub losses: Losses,
    /// Repositories whose mirrors the tasks need.
    pub repos: BTreeSet<String>,
}

/// Takes the rows of a file in as tasks of a suite below `root`.
pub fn import(format: RowFormat, from: &Path, root: &Path, suite: &Suite) -> Result<Imported, ExchangeError> {
    let rows = rows::read(from)?;
    let mut intake = Intake::new(root, suite)?;
    let mut out = Imported::default();
    for (i, row) in rows.into_iter().enumerate() {
        let place = || format!("row {}", i + 1);
        let instance = match read_row(format, &row).and_then(|found| {
            let language = language(&found)?;
            checked(found).map(|found| (found, language))
        }) {
            Ok(found) => found,
            Err(why) => {
                let id = row.get("instance_id").and_then(Value::as_str).map_or_else(place, str::to_owned);
                out.refused.push((id, why));
                continue;
            }
        };
        let (instance, language) = instance;
        let mut losses = Losses::default();
        tell(&instance, &row, &mut losses);
        let files = files_of(format, &instance, language, &row)?;
        match intake.add(&instance.id, &files)? {
            Some(why) => out.refused.push((instance.id, why)),
            None => {
                instance.beside.suite.iter().for_each(|suite| intake.is_from(suite));
                out.losses.extend(losses);
                out.repos.insert(instance.repo);
                out.tasks.push(instance.id);
            }
        }
    }
    out.dir = intake.finish(&mut out.losses)?;
    Ok(out)
}

/// What a task cannot be made without.
fn checked(instance: Instance) -> Result<Instance, String> {
    let commit = &instance.base_commit;
    if commit.len() != 40 || !commit.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("base_commit {commit:?} is no commit of 40 hex digits"));
    }
    let mut parts = instance.repo.split('/');
    let fine = |p: Option<&str>| p.is_some_and(|p| super::intake::unusable(p).is_none());
    if !fine(parts.next()) || !fine(parts.next()) || parts.next().is_some() {
        return Err(format!("repo {:?} is not owner/name", instance.repo));
    }
    if instance.targets.is_empty() {
        return Err("it names no test that the fix must make pass".into());
    }
    if instance.patch.trim().is_empty() || instance.test_patch.trim().is_empty() {
        return Err("it has no fix, or no hidden tests".into());
    }
    if instance.problem.trim().is_empty() {
        return Err("it has no statement".into());
    }
    Ok(instance)
}

/// The language of an instance: as stated, or that of most files of its patches.
fn language(instance: &Instance) -> Result<&'static str, String> {
    const KNOWN: [(&str, &[&str], &[&str]); 4] = [
        ("python", &["python", "py"], &[".py"]),
        ("typescript", &["typescript", "javascript", "ts", "js"], &[".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"]),
        ("java", &["java"], &[".java"]),
        ("go", &["go", "golang"], &[".go"]),
    ];
    if let Some(stated) = instance.language.as_ref().filter(|l| !l.is_empty()) {
        let stated = stated.to_lowercase();
        let found = KNOWN.iter().find(|(_, words, _)| words.contains(&stated.as_str())).map(|(name, ..)| *name);
        return found.ok_or_else(|| format!("there is no runner for the language {stated:?}"));
    }
    let files: Vec<String> =
        [&instance.patch, &instance.test_patch].into_iter().flat_map(|p| super::instance::test_files(p)).collect();
    let count = |ends: &[&str]| files.iter().filter(|f| ends.iter().any(|e| f.ends_with(e))).count();
    let most = KNOWN.iter().max_by_key(|(_, _, ends)| count(ends)).filter(|(_, _, ends)| count(ends) > 0);
    most.map(|(name, ..)| *name)
        .ok_or_else(|| "no file of its patches is of a language that there is a runner for".into())
}

/// Names what has no place in a task, and what a runner here will never report.
fn tell(instance: &Instance, row: &Value, losses: &mut Losses) {
    let id = &instance.id;
    let blank = |v: &Value| match v {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty() || text == "[]",
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    };
    for (key, _) in
        row.as_object().into_iter().flatten().filter(|(k, v)| !instance.used.contains(&k.as_str()) && !blank(v))
    {
        losses.add(id, format!("{key} decides nothing here; {ORIGIN} keeps it"));
    }
    if instance.day.is_some() {
        losses.add(id, "created_at stands for the day of the merge, which the row does not tell");
    }
    let names = || instance.targets.iter().chain(&instance.guards);
    let open = |n: &&String| n.matches('[').count() > n.matches(']').count();
    if names().any(|n| open(&n)) {
        losses
            .add(id, "names of tests end within their parameters, so that no report can have them: the gate will tell");
    }
    if names().any(|n| !n.contains("::")) {
        losses.add(
            id,
            "names of tests are not in the form file::name, so that no report here has them: the gate will tell",
        );
    }
}

fn files_of(format: RowFormat, instance: &Instance, language: &str, row: &Value) -> Result<Files, ExchangeError> {
    let title = instance.title.clone().unwrap_or_else(|| title_of(&instance.problem));
    let beside = instance.beside.clone();
    let mut spec = TaskSpec {
        difficulty: instance.difficulty.clone().or(beside.difficulty),
        runtime: beside.runtime,
        package: beside.package,
        use_cases: beside.use_cases,
        protected: beside.protected,
        unprotected: beside.unprotected,
        limits: beside.limits,
        ..plain_spec(&instance.id, &beside.title.unwrap_or(title), language)
    };
    spec.targets.clone_from(&instance.targets);
    spec.guards.clone_from(&instance.guards);
    spec.base = Some(TaskBase {
        repo: instance.repo.clone(),
        commit: instance.base_commit.to_lowercase(),
        merged_at: instance.day.clone(),
    });
    let mut origin = serde_json::to_vec_pretty(&json!({"format": format.word(), "row": row}))
        .map_err(|e| ExchangeError::io(ORIGIN)(e.into()))?;
    origin.push(b'\n');
    let all = [
        ("task.toml", spec_text(&spec)?),
        ("problem.md", instance.problem.clone().into_bytes()),
        ("solution.patch", instance.patch.clone().into_bytes()),
        ("tests.patch", instance.test_patch.clone().into_bytes()),
        (ORIGIN, origin),
    ];
    Ok(all.into_iter().map(|(path, bytes)| (path.to_owned(), (Mode::File, bytes))).collect())
}

/// Characters of a title.
const MOST_TITLE: usize = 100;

/// The first line of a statement, as far as a title goes.
pub(super) fn title_of(problem: &str) -> String {
    let line = problem.lines().map(|l| l.trim().trim_start_matches('#').trim()).find(|l| !l.is_empty());
    let line = line.unwrap_or("Untitled");
    if line.chars().count() <= MOST_TITLE {
        return line.to_owned();
    }
    let cut: String = line.chars().take(MOST_TITLE - 1).collect();
    format!("{}…", cut.trim_end())
}
