//! A task as one row of a dataset: columns that readers of other benchmarks know, and every file of its folder, so that
//! the row alone brings the task back.

use super::{ExchangeError, Losses};
use crate::git::{Applied, Mode};
use crate::tasks::{Files, Material, Task, read_folder, sha256};
use base64::Engine as _;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::path::Path;

/// A row. Every column is there in every row and none is null, so that each reader finds the same types everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Identity of the task.
    pub instance_id: String,
    /// Suite, `id@version`.
    pub suite: String,
    /// Title.
    pub title: String,
    /// Language.
    pub language: String,
    /// `easy`, `medium`, `hard`, or empty.
    pub difficulty: String,
    /// What the work is.
    pub use_cases: Vec<String>,
    /// `owner/name` of the repository; empty for a task with a tree of its own.
    pub repo: String,
    /// Commit of the starting tree, or empty.
    pub base_commit: String,
    /// Commit of the human fix, or empty.
    pub fix_commit: String,
    /// Day of the merge, `YYYY-MM-DD`, or empty.
    pub merged_at: String,
    /// What an agent is told.
    pub problem_statement: String,
    /// The human fix; empty where it is sealed.
    pub patch: String,
    /// The hidden tests as a patch; empty where they are sealed or there are none.
    pub test_patch: String,
    /// Targets.
    #[serde(rename = "FAIL_TO_PASS")]
    pub fail_to_pass: Vec<String>,
    /// Guards.
    #[serde(rename = "PASS_TO_PASS")]
    pub pass_to_pass: Vec<String>,
    /// Checks of a scorecard.
    pub checks: Vec<String>,
    /// SHA-256 over all that makes the task what it is, as raw lines have it; empty where the task is sealed.
    pub digest: String,
    /// SHA-256 over the files of the folder.
    pub files_sha256: String,
    /// The folder.
    pub files: Vec<RecordFile>,
}

/// A file of a task's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordFile {
    /// Path.
    pub path: String,
    /// `100644`, `100755`, or `120000` for a link.
    pub mode: String,
    /// `text`, or `base64` for what is no text.
    pub encoding: String,
    /// The bytes.
    pub content: String,
}

impl Record {
    /// The row of a task; what its columns cannot hold is told, the files hold everything.
    pub fn of(task: &Task, mirrors: &Path, losses: &mut Losses) -> Result<Record, ExchangeError> {
        let spec = &task.spec;
        let mut record = Record::stated(task)?;
        if spec.sealed.is_some() {
            losses.add(&spec.id, "sealed: the columns of patches and tests are empty until it is opened");
            return Ok(record);
        }
        let material = Material::prepare(task, mirrors)?;
        let tests = test_patch(&material)?;
        let mut text = |bytes: &[u8], what: &str| {
            String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| {
                losses.add(&spec.id, format!("{what} is not UTF-8: its column is empty, the files have it"));
                String::new()
            })
        };
        record.patch = text(&material.solution, "patch");
        record.test_patch = text(&tests, "test_patch");
        record.digest = material.digest;
        Ok(record)
    }

    /// The row as far as the files of the folder state it themselves: without patches and digest.
    pub(super) fn stated(task: &Task) -> Result<Record, ExchangeError> {
        let spec = &task.spec;
        let files = read_folder(&task.dir)?;
        let source = spec.source.as_ref();
        let or_empty = |text: Option<&str>| text.unwrap_or_default().to_owned();
        let base = spec.base.as_ref();
        Ok(Record {
            instance_id: spec.id.clone(),
            suite: task.suite.clone(),
            title: spec.title.clone(),
            language: spec.language.clone(),
            difficulty: or_empty(spec.difficulty.as_deref()),
            use_cases: spec.use_cases.clone(),
            repo: or_empty(source.map(|s| s.repo.as_str()).or(base.map(|b| b.repo.as_str()))),
            base_commit: or_empty(source.map(|s| s.base_commit.as_str()).or(base.map(|b| b.commit.as_str()))),
            fix_commit: or_empty(source.map(|s| s.fix_commit.as_str())),
            merged_at: or_empty(spec.merged_at()),
            problem_statement: task.problem.clone(),
            patch: String::new(),
            test_patch: String::new(),
            fail_to_pass: spec.targets.clone(),
            pass_to_pass: spec.guards.clone(),
            checks: spec.scorecard.as_ref().map(|c| c.checks.clone()).unwrap_or_default(),
            digest: String::new(),
            files_sha256: files_sha256(&files),
            files: files.iter().map(|(path, (mode, bytes))| RecordFile::of(path, *mode, bytes)).collect(),
        })
    }

    /// The row without what the files of the folder do not state themselves.
    pub(super) fn stated_part(&self) -> Record {
        let (patch, test_patch, digest) = Default::default();
        Record { patch, test_patch, digest, ..self.clone() }
    }

    /// The columns in which two rows of a task differ.
    pub(super) fn differing(&self, other: &Record) -> Vec<String> {
        let columns =
            |r: &Record| serde_json::to_value(r).ok().and_then(|v| v.as_object().cloned()).unwrap_or_default();
        let (mine, theirs) = (columns(self), columns(other));
        mine.iter().filter(|(key, value)| theirs.get(*key) != Some(value)).map(|(key, _)| key.clone()).collect()
    }

    /// The files of the folder, held against their digest.
    pub fn folder(&self) -> Result<Files, String> {
        let mut files = Files::new();
        for file in &self.files {
            if files.insert(file.path.clone(), file.bytes()?).is_some() {
                return Err(format!("the file {:?} stands twice", file.path));
            }
        }
        let found = files_sha256(&files);
        if found != self.files_sha256 {
            return Err(format!("its files have the digest {found}, not {}", self.files_sha256));
        }
        Ok(files)
    }
}

impl RecordFile {
    fn of(path: &str, mode: Mode, bytes: &[u8]) -> RecordFile {
        // Tables of other programs end a text at a zero byte.
        let text = std::str::from_utf8(bytes).ok().filter(|t| !t.contains('\0'));
        let (encoding, content) = match text {
            Some(text) => ("text", text.to_owned()),
            None => ("base64", base64::engine::general_purpose::STANDARD.encode(bytes)),
        };
        RecordFile { path: path.to_owned(), mode: mode.word().to_owned(), encoding: encoding.to_owned(), content }
    }

    fn bytes(&self) -> Result<(Mode, Vec<u8>), String> {
        let mode = Mode::from_word(&self.mode).ok_or_else(|| format!("the mode {:?} of {:?}", self.mode, self.path))?;
        let bytes = match self.encoding.as_str() {
            "text" => self.content.clone().into_bytes(),
            "base64" => base64::engine::general_purpose::STANDARD
                .decode(&self.content)
                .map_err(|e| format!("the base64 of {:?}: {e}", self.path))?,
            other => return Err(format!("the encoding {other:?} of {:?}; expected text or base64", self.path)),
        };
        Ok((mode, bytes))
    }
}

/// The hidden tests as a patch on the starting tree.
pub(super) fn test_patch(material: &Material) -> Result<Vec<u8>, ExchangeError> {
    let with = material.with_hidden(&material.start)?;
    if with == material.start {
        return Ok(Vec::new());
    }
    Ok(material.store.diff(&material.start, &with, &[])?)
}

/// The columns of patches that do something else than the task's own. One that is no text is empty.
pub(super) fn changed(record: &Record, material: &Material) -> Result<Vec<String>, ExchangeError> {
    let store = &material.store;
    let differs = |column: &str, own: &[u8]| -> Result<bool, ExchangeError> {
        if column.as_bytes() == own || column.is_empty() && std::str::from_utf8(own).is_err() {
            return Ok(false);
        }
        // The same change may be written in other words by another version of git.
        let after = |patch: &[u8]| match store.apply(&material.start, patch)? {
            Applied::Strict(tree) | Applied::Lenient(tree) => Ok::<_, ExchangeError>(Some(tree)),
            Applied::Empty | Applied::Refused(_) => Ok(None),
        };
        let (column, own) = (after(column.as_bytes())?, after(own)?);
        Ok(column.is_none() || column != own)
    };
    let tests = test_patch(material)?;
    let both = [("patch", &record.patch, &material.solution), ("test_patch", &record.test_patch, &tests)];
    let mut found = Vec::new();
    for (name, column, own) in both {
        if differs(column, own)? {
            found.push(name.to_owned());
        }
    }
    Ok(found)
}

/// SHA-256 over the names, modes and digests of files.
pub fn files_sha256(files: &Files) -> String {
    let mut text = String::from("tsbench.files/1\n");
    for (path, (mode, bytes)) in files {
        let _ = writeln!(text, "{} {} {path}", mode.word(), sha256(bytes));
    }
    sha256(text.as_bytes())
}
