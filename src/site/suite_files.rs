//! Suites and tasks from their folders: only what really lies there is read.

use super::SiteError;
use super::suites::{MOST_SHOWN, SuiteText, TASK_SCHEMA, TaskText};
use super::write::hex;
use crate::schema::{Suite, TaskSpec};
use rayon::prelude::*;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Bytes of one file of a task folder; more is a mistake.
const MOST_BYTES: u64 = 16 << 20;

/// A suite and its tasks; the first file that cannot be used ends it.
pub(super) fn read_suite(dir: &Path) -> Result<SuiteText, SiteError> {
    let path = dir.join("suite.toml");
    let suite: Suite = parse(&path, &text(&path)?)?;
    same_name(dir, &path, &suite.id)?;
    let dirs = folders(dir)?;
    let tasks: Vec<Result<Option<TaskText>, SiteError>> = dirs.par_iter().map(|d| read_task(d, &suite)).collect();
    // In the order of the folders: the fault that is named is the same one each time.
    let tasks: Vec<Option<TaskText>> = tasks.into_iter().collect::<Result<_, _>>()?;
    let mut tasks: Vec<TaskText> = tasks.into_iter().flatten().collect();
    tasks.sort_by(|a, b| a.task.cmp(&b.task));
    Ok(SuiteText { word: suite.word(), title: suite.title, note: suite.note, tasks })
}

/// The task of a folder; none where the folder has no `task.toml`.
fn read_task(dir: &Path, suite: &Suite) -> Result<Option<TaskText>, SiteError> {
    let path = dir.join("task.toml");
    let Some(toml) = text_if_there(&path)? else { return Ok(None) };
    let spec: TaskSpec = parse(&path, &toml)?;
    same_name(dir, &path, &spec.id)?;
    let problem = text(&dir.join("problem.md"))?;
    Ok(Some(TaskText {
        schema: TASK_SCHEMA.into(),
        suite: suite.word(),
        task: spec.id,
        title: spec.title,
        language: spec.language,
        runtime: spec.runtime,
        difficulty: spec.difficulty,
        use_cases: spec.use_cases,
        package: spec.package,
        targets: spec.sealed.as_ref().map_or(spec.targets.len() as u64, |s| s.targets),
        guards: spec.sealed.as_ref().map_or(spec.guards.len() as u64, |s| s.guards),
        checks: spec.sealed.as_ref().map_or(spec.scorecard.map(|c| c.checks.len() as u64), |s| s.checks),
        sealed: spec.sealed.map(|s| s.archive_sha256),
        limits: spec.limits.unwrap_or_else(|| suite.limits.clone()),
        source: spec.source,
        task_sha256: hex(toml.as_bytes()),
        problem_sha256: hex(problem.as_bytes()),
        problem_bytes: problem.len() as u64,
        problem: shown(&problem).to_owned(),
    }))
}

/// As much of a statement as pages show: whole lines, or whole characters of a line that is too long by itself.
fn shown(problem: &str) -> &str {
    if problem.len() <= MOST_SHOWN {
        return problem;
    }
    let cut = &problem[..problem.floor_char_boundary(MOST_SHOWN)];
    cut.rfind('\n').map_or(cut, |end| &cut[..=end])
}

fn same_name(dir: &Path, file: &Path, id: &str) -> Result<(), SiteError> {
    let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if id == name {
        return Ok(());
    }
    let what = format!("id {id:?} is not the folder's name {name:?}");
    Err(SiteError::content(file.display().to_string(), what, "give the folder and what it holds one name"))
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, SiteError> {
    toml::from_str(text).map_err(|e| {
        let what = e.to_string();
        SiteError::content(path.display().to_string(), what.trim_end(), "correct the field that the marker points at")
    })
}

/// The text of a file that is really in the folder: what a link leads to is not published.
fn text(path: &Path) -> Result<String, SiteError> {
    let missing = || SiteError::io(path)(std::io::ErrorKind::NotFound.into());
    text_if_there(path)?.ok_or_else(missing)
}

/// As [`text`]; none where there is no file. Three calls of the system a file: a suite may have thousands.
fn text_if_there(path: &Path) -> Result<Option<String>, SiteError> {
    let bad = |what: &str, hint: &str| Err(SiteError::content(path.display().to_string(), what, hint));
    let no_file = || bad("is a link or no file", "put the file itself into the task's folder");
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(e) if e.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => return no_file(),
        Err(e) => return Err(SiteError::io(path)(e)),
    };
    let meta = file.metadata().map_err(SiteError::io(path))?;
    if !meta.is_file() {
        return no_file();
    }
    if meta.len() > MOST_BYTES {
        return bad("is larger than any statement or list of tests", "move what is no part of the task out of it");
    }
    let mut bytes = vec![0; meta.len() as usize];
    file.read_exact(&mut bytes).map_err(SiteError::io(path))?;
    String::from_utf8(bytes).map(Some).or_else(|_| bad("is not UTF-8", "save the file as UTF-8"))
}

/// The real folders in a folder, by name.
pub(super) fn folders(root: &Path) -> Result<Vec<PathBuf>, SiteError> {
    list(root, |kind| kind.is_dir()).map(|names| names.into_iter().map(|n| root.join(n)).collect())
}

/// The files in a folder, by name.
pub(super) fn names(root: &Path) -> Result<Vec<String>, SiteError> {
    list(root, |kind| kind.is_file())
}

fn list(root: &Path, keep: fn(std::fs::FileType) -> bool) -> Result<Vec<String>, SiteError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).map_err(SiteError::io(root))? {
        let entry = entry.map_err(SiteError::io(root))?;
        if keep(entry.file_type().map_err(SiteError::io(root))?)
            && let Some(name) = entry.file_name().to_str()
        {
            found.push(name.to_owned());
        }
    }
    found.sort();
    Ok(found)
}
