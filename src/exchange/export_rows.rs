//! Tasks become rows, and their trees, where they are in no repository, commits of mirrors made for them.

use super::import_rows::ORIGIN;
use super::instance::{Beside, Instance, RowFormat, read as read_row, write as write_row};
use super::record::test_patch;
use super::{ExchangeError, Losses, rows};
use crate::schema::TaskSpec;
use crate::tasks::{Material, Task, TaskSuite, read_folder};
use serde_json::Value;
use std::path::Path;

/// Where trees are that are in no repository.
#[derive(Clone, Copy, Debug)]
pub struct Mirrors<'a> {
    /// Bare mirrors that are read.
    pub read: &'a Path,
    /// Folder in which mirrors are made; none where they are not wanted.
    pub write: Option<&'a Path>,
}

/// Writes a suite's tasks as rows; how many, and what is lost.
pub fn export(
    format: RowFormat,
    suite: &TaskSuite,
    mirrors: Mirrors<'_>,
    out: &Path,
) -> Result<(usize, Losses), ExchangeError> {
    if out.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(out.to_owned()));
    }
    let mut losses = Losses::default();
    let mut all = Vec::new();
    for task in &suite.tasks {
        let id = &task.spec.id;
        if task.spec.sealed.is_some() {
            losses.add(id, "left out: it is sealed, and a row shows everything");
        } else if task.spec.scorecard.is_some() {
            losses.add(id, "left out: it is judged by checks, and a row names tests");
        } else {
            let (instance, origin) = instance_of(format, task, mirrors, &mut losses)?;
            all.push(write_row(format, &instance, origin.as_ref(), &suite.suite.version));
        }
    }
    rows::write(out, &all)?;
    Ok((all.len(), losses))
}

/// A task as an instance, and its row as it came, if it came from this format.
fn instance_of(
    format: RowFormat,
    task: &Task,
    mirrors: Mirrors<'_>,
    losses: &mut Losses,
) -> Result<(Instance, Option<Value>), ExchangeError> {
    let spec = &task.spec;
    let material = Material::prepare(task, mirrors.read)?;
    let origin = origin_of(format, task)?;
    let known = origin.as_ref().and_then(|row| read_row(format, row).ok());
    let (repo, base_commit) = place(task, &material, mirrors, losses)?;
    let tests = match std::fs::read(task.dir.join("tests.patch")) {
        // Made anew, the same change may have other words around it.
        Ok(bytes) if known.is_some() => bytes,
        _ => test_patch(&material)?,
    };
    let text = |bytes: Vec<u8>, what: &str| {
        String::from_utf8(bytes).map_err(|_| {
            let what = format!("{what} of {:?} is not UTF-8", spec.id);
            ExchangeError::bad(&task.dir, what, "rows hold texts alone; the dataset format keeps every byte")
        })
    };
    for what in lost(task) {
        losses.add(&spec.id, format!("{what} has no place in {}", format.word()));
    }
    let instance = Instance {
        id: spec.id.clone(),
        repo,
        base_commit,
        patch: text(material.solution.clone(), "the fix")?,
        test_patch: text(tests, "the hidden tests")?,
        problem: task.problem.clone(),
        title: Some(spec.title.clone()),
        targets: spec.targets.clone(),
        guards: spec.guards.clone(),
        language: Some(spec.language.clone()),
        day: spec.merged_at().map(str::to_owned),
        difficulty: spec.difficulty.clone(),
        beside: beside(spec),
        used: Vec::new(),
    };
    Ok((instance, origin))
}

/// Repository and commit of the starting tree; made, where it has none.
fn place(
    task: &Task,
    material: &Material,
    mirrors: Mirrors<'_>,
    losses: &mut Losses,
) -> Result<(String, String), ExchangeError> {
    let spec = &task.spec;
    if let Some(source) = &spec.source {
        return Ok((source.repo.clone(), source.base_commit.clone()));
    }
    if let Some(base) = &spec.base {
        return Ok((base.repo.clone(), base.commit.clone()));
    }
    let suite = task.suite.split('@').next().unwrap_or_default();
    let repo = format!("{suite}/{}", spec.id);
    let scratch = tempfile::tempdir().map_err(ExchangeError::io(std::env::temp_dir()))?;
    if mirrors.write.is_none() {
        losses.add(&spec.id, "the starting tree is in no repository, and no mirror was asked for with --write-mirrors");
    }
    let dir = mirrors.write.unwrap_or(scratch.path()).join(format!("{suite}__{}.git", spec.id));
    if dir.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(dir));
    }
    Ok((repo, material.store.publish(&material.start, &dir)?.0))
}

/// The row that a task was made of.
fn origin_of(format: RowFormat, task: &Task) -> Result<Option<Value>, ExchangeError> {
    let path = task.dir.join(ORIGIN);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(ExchangeError::io(path)(e)),
    };
    let mut value: Value = serde_json::from_slice(&bytes).map_err(|e| {
        ExchangeError::bad(&path, e.to_string(), "it is what tasks import wrote; remove it to do without")
    })?;
    let same = value.get("format").and_then(Value::as_str) == Some(format.word());
    Ok(same.then(|| value["row"].take()))
}

/// What a task has and the format has no place for, as a column of its own.
fn beside(spec: &TaskSpec) -> Beside {
    Beside {
        title: Some(spec.title.clone()),
        difficulty: spec.difficulty.clone(),
        runtime: spec.runtime.clone(),
        package: spec.package.clone(),
        use_cases: spec.use_cases.clone(),
        protected: spec.protected.clone(),
        unprotected: spec.unprotected.clone(),
        limits: spec.limits.clone(),
    }
}

/// What a row cannot hold of a task.
fn lost(task: &Task) -> Vec<String> {
    let held = ["task.toml", "problem.md", "solution.patch", "tests.patch", ORIGIN];
    let folders = ["repo/", "tests/"];
    let files = read_folder(&task.dir).unwrap_or_default();
    let other = |p: &&String| !held.contains(&p.as_str()) && !folders.iter().any(|f| p.starts_with(f));
    let mut all: Vec<String> =
        files.keys().filter(other).map(|p| p.split_once('/').map_or(p.clone(), |(f, _)| format!("{f}/"))).collect();
    all.dedup();
    all.extend(task.spec.source.is_some().then(|| "fix_commit".to_owned()));
    all
}
