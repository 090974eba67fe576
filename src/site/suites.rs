//! The suites of `tasks/` as pages need them: read from task folders, published as lines, read back from a site.

use super::SiteError;
use super::audits::{self, Audit, Audits};
use super::suite_files::{folders, names, read_suite};
use super::write::{Output, hex};
use crate::health::Torn;
use crate::results::slug;
use crate::schema::{Limits, TaskSource};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of a published task.
pub(super) const TASK_SCHEMA: &str = "tsbench.task/1";
/// Version of a published suite.
const SUITE_SCHEMA: &str = "tsbench.suite/1";
/// Bytes of a statement that pages show.
pub const MOST_SHOWN: usize = 64 << 10;
/// Published lines are cut into pieces of about this size.
pub const PIECE: usize = 2 << 20;

/// A task as its page tells it: one published line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskText {
    pub(super) schema: String,
    /// Suite, `id@version`.
    pub suite: String,
    /// Identity.
    pub task: String,
    /// Title.
    pub title: String,
    /// Language.
    pub language: String,
    /// Exact version of the language's runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// `easy`, `medium` or `hard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// What the work is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_cases: Vec<String>,
    /// Folder of the package under test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Number of targets.
    pub targets: u64,
    /// Number of guards.
    pub guards: u64,
    /// Number of a scorecard's checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<u64>,
    /// Limits of one scoring.
    pub limits: Limits,
    /// Where tree and patches come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TaskSource>,
    /// SHA-256 to which the publisher of a sealed task has committed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<String>,
    /// SHA-256 of `task.toml`.
    pub task_sha256: String,
    /// SHA-256 of `problem.md`.
    pub problem_sha256: String,
    /// Bytes of `problem.md`, which may be more than are published.
    pub problem_bytes: u64,
    /// `problem.md`, as far as pages show it.
    pub problem: String,
}

/// A suite as its page tells it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    suite: String,
    title: String,
    note: String,
}

/// A suite and its tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteText {
    /// `id@version`.
    pub word: String,
    /// Title.
    pub title: String,
    /// What it is.
    pub note: String,
    /// Tasks in byte order of their ids.
    pub tasks: Vec<TaskText>,
}

/// A file that is published as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteFile {
    /// Path in the site.
    pub path: String,
    /// Suite, `id@version`.
    pub suite: String,
    /// Content.
    pub bytes: Vec<u8>,
    /// SHA-256 in hex.
    pub sha256: String,
    /// Lines, for pieces of a longer file.
    pub lines: Option<u64>,
}

/// Every suite of a site, and the files that say what they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suites {
    /// Suites in order of their words.
    pub list: Vec<SuiteText>,
    /// Files in byte order of their paths.
    pub files: Vec<SuiteFile>,
    /// What audits found.
    pub audits: Audits,
    /// Lines of audits that were cut off.
    pub torn: Vec<Torn>,
}

impl TaskText {
    /// The number at a JSON pointer of the line, of those that pages state.
    pub fn number(&self, pointer: &str) -> Option<u64> {
        let l = &self.limits;
        Some(match pointer {
            "/targets" => self.targets,
            "/guards" => self.guards,
            "/checks" => self.checks?,
            "/problem_bytes" => self.problem_bytes,
            "/limits/install_seconds" => l.install_seconds,
            "/limits/tests_seconds" => l.tests_seconds,
            "/limits/memory_mb" => l.memory_mb,
            "/limits/processes" => l.processes,
            _ => return None,
        })
    }
}

impl SuiteText {
    /// One of its tasks.
    pub fn task(&self, id: &str) -> Option<&TaskText> {
        self.tasks.binary_search_by(|t| t.task.as_str().cmp(id)).ok().map(|i| &self.tasks[i])
    }
}

impl Suites {
    /// Reads every suite of a folder `tasks/`, and the logs of `health/`; the first file that cannot be used ends it.
    pub fn read(root: Option<&Path>, health: &Path) -> Result<Suites, SiteError> {
        let mut list = Vec::new();
        for dir in root.map(folders).transpose()?.unwrap_or_default() {
            if dir.join("suite.toml").is_file() {
                list.push(read_suite(&dir)?);
            }
        }
        list.sort_by(|a, b| a.word.cmp(&b.word));
        let (audits, files, torn) = audits::read(health)?;
        let mut out = Suites { list, files, audits, torn };
        for suite in &out.list {
            out.files.extend(files_of(suite)?);
        }
        out.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(out)
    }

    /// Reads what a site publishes, and says what of it cannot be used: path and reason.
    pub fn published(site: &Path) -> Result<(Suites, Vec<(String, String)>), SiteError> {
        let root = site.join("data/tasks");
        let (mut out, mut faults) = (Suites::default(), Vec::new());
        for dir in if root.is_dir() { folders(&root)? } else { Vec::new() } {
            let name = dir.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let mut suite = None;
            let mut tasks: Vec<TaskText> = Vec::new();
            for file in names(&dir)? {
                let path = format!("data/tasks/{name}/{file}");
                let bytes = std::fs::read(dir.join(&file)).map_err(SiteError::io(dir.join(&file)))?;
                let mut lines = None;
                if file == "suite.json" {
                    match serde_json::from_slice::<Head>(&bytes) {
                        Ok(head) => suite = Some(head),
                        Err(e) => faults.push((path.clone(), e.to_string())),
                    }
                } else {
                    let text = String::from_utf8_lossy(&bytes);
                    lines = Some(text.lines().count() as u64);
                    for (i, line) in text.lines().enumerate() {
                        match serde_json::from_str(line) {
                            Ok(task) => tasks.push(task),
                            Err(e) => faults.push((path.clone(), format!("line {}: {e}", i + 1))),
                        }
                    }
                }
                out.files.push(SuiteFile { path, suite: String::new(), sha256: hex(&bytes), bytes, lines });
            }
            let Some(head) = suite else { continue };
            out.files.iter_mut().filter(|f| f.suite.is_empty()).for_each(|f| f.suite.clone_from(&head.suite));
            tasks.sort_by(|a, b| a.task.cmp(&b.task));
            if let Some(t) = tasks.iter().find(|t| t.suite != head.suite) {
                faults.push((format!("data/tasks/{name}"), format!("the task {:?} is of another suite", t.task)));
            }
            out.list.push(SuiteText { word: head.suite, title: head.title, note: head.note, tasks });
        }
        out.list.sort_by(|a, b| a.word.cmp(&b.word));
        let mut logs = health_files(site)?;
        let (audits, wrong) = audits::published(&mut logs);
        out.audits = audits;
        faults.extend(wrong);
        out.files.extend(logs);
        out.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((out, faults))
    }

    /// The suite of a word `id@version`.
    pub fn of(&self, word: &str) -> Option<&SuiteText> {
        self.list.iter().find(|s| s.word == word)
    }

    /// The audits of a task, oldest first.
    pub fn audits_of(&self, suite: &str, task: &str) -> &[Audit] {
        self.audits.get(&(suite.to_owned(), task.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Stages the files.
    pub fn write(&self, out: &Output) -> Result<(), SiteError> {
        self.files.par_iter().try_for_each(|f| out.put_with_digest(&f.path, &f.bytes, f.sha256.clone()))
    }
}

/// The pieces of logs that a site publishes.
fn health_files(site: &Path) -> Result<Vec<SuiteFile>, SiteError> {
    let root = site.join("data/health");
    let mut found = Vec::new();
    for dir in if root.is_dir() { folders(&root)? } else { Vec::new() } {
        let folder = dir.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        for name in names(&dir)? {
            let bytes = std::fs::read(dir.join(&name)).map_err(SiteError::io(dir.join(&name)))?;
            let lines = Some(bytes.iter().filter(|b| **b == b'\n').count() as u64);
            let path = format!("data/health/{folder}/{name}");
            found.push(SuiteFile { path, suite: String::new(), sha256: hex(&bytes), bytes, lines });
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The published form of a suite: a head, and its tasks as lines in pieces.
fn files_of(suite: &SuiteText) -> Result<Vec<SuiteFile>, SiteError> {
    let head = Head {
        schema: SUITE_SCHEMA.into(),
        suite: suite.word.clone(),
        title: suite.title.clone(),
        note: suite.note.clone(),
    };
    let folder = format!("data/tasks/{}", slug(&suite.word));
    let mut bytes = serde_json::to_vec(&head)?;
    bytes.push(b'\n');
    let mut files = vec![SuiteFile {
        path: format!("{folder}/suite.json"),
        suite: suite.word.clone(),
        sha256: hex(&bytes),
        bytes,
        lines: None,
    }];
    let lines: Vec<Vec<u8>> = suite.tasks.par_iter().map(serde_json::to_vec).collect::<Result<_, _>>()?;
    files.extend(pieces(&format!("{folder}/tasks"), &suite.word, lines.iter().map(Vec::as_slice)));
    Ok(files)
}

/// Lines, without their ends, as files `<stem>-0000.jsonl` and on.
pub fn pieces<'l>(stem: &str, suite: &str, lines: impl Iterator<Item = &'l [u8]>) -> Vec<SuiteFile> {
    let mut files: Vec<SuiteFile> = Vec::new();
    let mut piece = (Vec::new(), 0);
    let mut end = |(bytes, count): (Vec<u8>, u64)| {
        if count > 0 {
            let path = format!("{stem}-{:04}.jsonl", files.len());
            files.push(SuiteFile { path, suite: suite.to_owned(), sha256: hex(&bytes), bytes, lines: Some(count) });
        }
    };
    for line in lines {
        if piece.1 > 0 && piece.0.len() + line.len() + 1 > PIECE {
            end(std::mem::take(&mut piece));
        }
        piece.0.extend_from_slice(line);
        piece.0.push(b'\n');
        piece.1 += 1;
    }
    end(piece);
    files
}
