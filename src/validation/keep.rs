use super::ValidationError;
use super::accept::Options;
use super::candidate::{Change, named};
use super::record::{Certificate, Undecided, Validation};
use crate::schema::{Rejection, Suite, TaskSpec};
use crate::tasks::{Stage, Task, find, load, sweep};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A task that is being made, in a folder beside the suites that nothing reads.
pub struct Draft {
    /// Vanishes with the draft, whatever it holds.
    root: Stage,
    /// Folder of suites that the task will come into.
    out: PathBuf,
    suite: Suite,
    /// What the task states so far.
    pub spec: TaskSpec,
}

/// How the folders of drafts begin.
const STAGE: &str = ".validate-";

/// Removes what calls that were killed left half made below a folder of suites; how many tasks that were.
pub fn sweep_drafts(out: &Path) -> usize {
    sweep(out, STAGE)
}

/// Where a task went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its folder.
    pub dir: PathBuf,
    /// Whether another one was replaced.
    pub replaced: bool,
}

impl Draft {
    /// Writes what is known of a task before it is proven: everything but its targets and guards.
    pub(super) fn new(
        change: &Change,
        language: &str,
        suite: &str,
        options: &Options<'_>,
    ) -> Result<Draft, ValidationError> {
        let out = options.out;
        named(suite, "id of a suite")?;
        std::fs::create_dir_all(out).map_err(ValidationError::io(out))?;
        let root = Stage::new(out, STAGE)?;
        let candidate = &change.candidate;
        let spec = TaskSpec {
            id: change.id.clone(),
            title: change.statement.title.clone(),
            language: language.to_owned(),
            runtime: candidate.runtime.clone(),
            difficulty: None,
            use_cases: Vec::new(),
            package: candidate.package.clone(),
            targets: Vec::new(),
            guards: Vec::new(),
            protected: Vec::new(),
            unprotected: Vec::new(),
            limits: None,
            source: Some(change.source()),
            base: None,
            scorecard: None,
            sealed: None,
        };
        let mut draft = Draft { root, out: out.to_owned(), suite: suite_of(out, suite)?, spec };
        // A task that needs more time than its suite gives needs it whenever it is scored.
        draft.spec.limits = options.raised.over(&draft.suite.limits);
        let dir = draft.dir();
        std::fs::create_dir_all(&dir).map_err(ValidationError::io(&dir))?;
        write(&draft.root.path().join(suite).join("suite.toml"), &toml_of(&draft.suite, &dir)?)?;
        write(&dir.join("problem.md"), change.statement.text.as_bytes())?;
        write(&dir.join("task.toml"), &toml_of(&draft.spec, &dir)?)?;
        Ok(draft)
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join(&self.suite.id).join(&self.spec.id)
    }

    /// The task as its reader sees it.
    pub(super) fn task(&self) -> Result<Task, ValidationError> {
        let suites = load(self.root.path())?;
        Ok(find(&suites, Some(&self.suite.id), Some(&self.spec.id))?.remove(0))
    }

    /// Writes what the task has become.
    pub(super) fn finish(&self, certificate: &Certificate, validation: &Validation) -> Result<(), ValidationError> {
        let dir = self.dir();
        write(&dir.join("task.toml"), &toml_of(&self.spec, &dir)?)?;
        write(&dir.join("certificate.json"), &json_of(certificate, &dir)?)?;
        write(&dir.join("validation.json"), &json_of(validation, &dir)?)
    }
}

/// Moves a finished task into its suite, whole or not at all; the suite is made where it is missing.
pub fn keep(draft: &Draft, force: bool) -> Result<Kept, ValidationError> {
    let suite = draft.out.join(&draft.suite.id);
    std::fs::create_dir_all(&suite).map_err(ValidationError::io(&suite))?;
    let file = suite.join("suite.toml");
    if !file.exists() {
        replace(&file, &toml_of(&draft.suite, &file)?)?;
    }
    let dir = suite.join(&draft.spec.id);
    let replaced = dir.exists();
    if replaced {
        if !force {
            return Err(there_already(&dir));
        }
        let old = draft.root.path().join("replaced");
        std::fs::rename(&dir, &old).map_err(ValidationError::io(&dir))?;
    }
    std::fs::rename(draft.dir(), &dir).map_err(ValidationError::io(&dir))?;
    Ok(Kept { dir, replaced })
}

/// Refuses a task whose folder is there already.
pub(super) fn check_free(out: &Path, suite: &str, id: &str, force: bool) -> Result<(), ValidationError> {
    let dir = out.join(suite).join(id);
    if dir.exists() && !force { Err(there_already(&dir)) } else { Ok(()) }
}

fn there_already(dir: &Path) -> ValidationError {
    ValidationError::input(
        format!("the folder {}: the task is there already", dir.display()),
        "--force replaces it; another --id makes a second one",
    )
}

/// Appends a rejection to the suite's log; the line is whole on disk when this returns.
pub fn reject(rejection: &Rejection, suite: &str, out: &Path) -> Result<PathBuf, ValidationError> {
    append(rejection, "rejections.jsonl", suite, out)
}

/// Appends a candidate that ran out of time to a log of its own: it is not rejected, and every call tries it again.
pub(super) fn postpone(undecided: &Undecided, suite: &str, out: &Path) -> Result<PathBuf, ValidationError> {
    append(undecided, "undecided.jsonl", suite, out)
}

fn append(line: &impl Serialize, log: &str, suite: &str, out: &Path) -> Result<PathBuf, ValidationError> {
    named(suite, "id of a suite")?;
    let dir = out.join(suite);
    std::fs::create_dir_all(&dir).map_err(ValidationError::io(&dir))?;
    let path = dir.join(log);
    let mut line =
        serde_json::to_vec(line).map_err(|e| ValidationError::Write { path: path.clone(), cause: e.to_string() })?;
    line.push(b'\n');
    let mut file =
        std::fs::OpenOptions::new().create(true).append(true).open(&path).map_err(ValidationError::io(&path))?;
    file.write_all(&line).and_then(|()| file.sync_data()).map_err(ValidationError::io(&path))?;
    Ok(path)
}

/// The suite of that name, or a new one.
fn suite_of(out: &Path, id: &str) -> Result<Suite, ValidationError> {
    let file = out.join(id).join("suite.toml");
    if file.is_file() {
        let found = load(out)?.into_iter().map(|s| s.suite).find(|s| s.id == id);
        return found.ok_or_else(|| ValidationError::input(format!("{}", file.display()), "give it the folder's name"));
    }
    Ok(Suite {
        id: id.to_owned(),
        version: "0.1".to_owned(),
        title: id.to_owned(),
        note: String::new(),
        licence: None,
        infra: crate::schema::Infra::default(),
        repeats: 3,
        limits: crate::schema::Limits::default(),
    })
}

fn toml_of(value: &impl Serialize, path: &Path) -> Result<Vec<u8>, ValidationError> {
    let text = toml::to_string_pretty(value);
    text.map(String::into_bytes).map_err(|e| ValidationError::Write { path: path.to_owned(), cause: e.to_string() })
}

fn json_of(value: &impl Serialize, path: &Path) -> Result<Vec<u8>, ValidationError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|e| ValidationError::Write { path: path.to_owned(), cause: e.to_string() })?;
    text.push(b'\n');
    Ok(text)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ValidationError> {
    std::fs::write(path, bytes).map_err(ValidationError::io(path))
}

/// Writes a file in one step.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), ValidationError> {
    let folder = path.parent().unwrap_or(path);
    // Readable by others, as a file of a repository is; a temporary one is not by itself.
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let file = tempfile::Builder::new().permissions(open).tempfile_in(folder);
    let mut file = file.map_err(ValidationError::io(folder))?;
    file.write_all(bytes).map_err(ValidationError::io(path))?;
    file.persist(path).map_err(|e| ValidationError::Io { path: path.to_owned(), cause: e.error })?;
    Ok(())
}
