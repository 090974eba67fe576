//! Tasks become rows, and their trees, where they are in no repository, commits of mirrors made for them.

use super::evaluation::evaluation;
use super::import_rows::ORIGIN;
use super::instance::{BESIDE, Beside, Instance, RowFormat, read as read_row, write as write_row};
use super::record::test_patch;
use super::{ExchangeError, Losses, rows};
use crate::schema::{Limits, Suite, TaskSpec};
use crate::tasks::{Material, Task, TaskSuite, read_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    rows::can_write(out)?;
    let mut losses = Losses::default();
    let (mut all, mut made) = (Vec::new(), Made::default());
    for task in &suite.tasks {
        let id = &task.spec.id;
        if task.spec.sealed.is_some() {
            losses.add(id, "left out: it is sealed, and a row shows everything");
        } else if task.spec.scorecard.is_some() {
            losses.add(id, "left out: it is judged by checks, and a row names tests");
        } else {
            let (instance, origin) = instance_of(format, suite, task, mirrors, &mut made, &mut losses)?;
            all.push(write_row(format, &instance, origin.as_ref(), &suite.suite.version));
        }
    }
    if !all.is_empty() {
        rows::write(out, &all)?;
    }
    made.keep();
    Ok((all.len(), losses))
}

/// Mirrors that were made for rows: they go again where the rows cannot be written.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for dir in &self.0 {
            let _ = std::fs::remove_dir_all(dir);
        }
    }
}

/// A task as an instance, and its row as it came, if it came from this format.
fn instance_of(
    format: RowFormat,
    suite: &TaskSuite,
    task: &Task,
    mirrors: Mirrors<'_>,
    made: &mut Made,
    losses: &mut Losses,
) -> Result<(Instance, Option<Value>), ExchangeError> {
    let spec = &task.spec;
    let material = Material::prepare(task, mirrors.read)?;
    let origin = origin_of(format, task)?;
    let known = origin.as_ref().and_then(|row| read_row(format, row).ok());
    let (repo, base_commit) = place(task, &material, mirrors, made, losses)?;
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
    let ours = origin.as_ref().is_none_or(|row| row.get(BESIDE).is_some());
    if !ours && is_special(&suite.suite) {
        losses.add(&spec.id, "version, repeats and limits of the suite: a row of others goes out as it came in");
    }
    let mut instance = Instance {
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
        beside: beside(spec, &suite.suite),
        used: Vec::new(),
        evaluation: Default::default(),
    };
    // A row of others has what its harness needs, and goes out with it.
    if format == RowFormat::SweBench && ours {
        instance.evaluation = evaluation(task, &material, &instance, losses);
    }
    Ok((instance, origin))
}

/// Repository and commit of the starting tree; made, where it has none.
fn place(
    task: &Task,
    material: &Material,
    mirrors: Mirrors<'_>,
    made: &mut Made,
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
    let (commit, new) = material.store.publish(&material.start, &dir)?;
    if new {
        made.0.push(dir);
    }
    Ok((repo, commit))
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
fn beside(spec: &TaskSpec, suite: &Suite) -> Beside {
    Beside {
        title: Some(spec.title.clone()),
        difficulty: spec.difficulty.clone(),
        runtime: spec.runtime.clone(),
        package: spec.package.clone(),
        use_cases: spec.use_cases.clone(),
        protected: spec.protected.clone(),
        unprotected: spec.unprotected.clone(),
        limits: spec.limits.clone(),
        targets: Vec::new(),
        guards: Vec::new(),
        suite: Some(suite.clone()),
    }
}

/// Whether a suite has other rules than one that is made for tasks that are taken in.
fn is_special(suite: &Suite) -> bool {
    (suite.version.as_str(), suite.repeats) != ("1.0", 3) || suite.limits != Limits::default()
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
