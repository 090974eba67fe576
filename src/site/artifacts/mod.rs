//! What lies beside the lines of a run: patches, trajectories and reports, as a site publishes them.
//!
//! In: the folders `artifacts/` of runs, or what a site published of them. Out: the files of each attempt, each with its
//! size and digest, and an index a run that also names what was cut or left out. Only files of three names, in folders of
//! attempts that a line tells of, are published: as they are, at most as long as the host takes. No link is followed.
//! This part must not know what stands in the files.

mod gather;
mod published;

pub use gather::{gather, room};

use super::SiteError;
use super::limits::MOST_BYTES;
use super::suites::SuiteFile;
use super::write::hex;
use crate::results::{RunFile, artifacts_of, slug};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Version of a line of an index.
const SCHEMA: &str = "tsbench.artifact/1";
/// The change that an attempt handed in.
pub const PATCH: &str = "patch.diff";
/// Its turns, one line each.
pub const TRAJECTORY: &str = "trajectory.jsonl";
/// Its verdict, and what the tests printed.
pub const REPORT: &str = "report.json";
/// The files of an attempt, in the order in which they are published where not all fit.
const NAMES: [&str; 3] = [PATCH, TRAJECTORY, REPORT];
/// Where files of a run lie in the folder of its artifacts; the index lies beside it.
const FILES: &str = "files";

/// A file beside a line: one line of a run's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    schema: String,
    /// Path below the run's `artifacts/`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// How many of them are published, from the first: fewer where the host takes no more, none where it is left out.
    pub published: u64,
    /// SHA-256 of those that are published, in hex; empty where it is left out.
    pub sha256: String,
}

impl Artifact {
    /// The name of the file.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether the file is not published.
    pub fn is_left_out(&self) -> bool {
        self.sha256.is_empty()
    }

    /// SHA-256 of as much of the file as is published, in a run's own folder; none where it is shorter or missing.
    pub fn digest_in(&self, run: &Path) -> Option<String> {
        let bytes = beginning(&run.join("artifacts").join(&self.path), self.published).ok()?;
        (bytes.len() as u64 == self.published).then(|| hex(&bytes))
    }

    /// Whether only its beginning is published.
    pub fn is_cut(&self) -> bool {
        !self.is_left_out() && self.published < self.bytes
    }
}

/// The files beside the lines of one run.
#[derive(Debug, Default)]
pub struct RunArtifacts {
    /// Where the files lie that paths are relative to.
    root: PathBuf,
    /// The folder in the site.
    folder: String,
    /// Files by the folder of their attempt; those of earlier tries are among them.
    attempts: BTreeMap<String, Vec<Artifact>>,
    /// The index in pieces.
    pub index: Vec<SuiteFile>,
}

/// The files beside the lines of all runs that have any.
#[derive(Debug, Default)]
pub struct Artifacts {
    runs: BTreeMap<String, RunArtifacts>,
}

impl Artifacts {
    /// Those of a run; none where it published outcomes alone.
    pub fn of(&self, run: &str) -> Option<&RunArtifacts> {
        // Most boards have none: nothing is looked up for their attempts.
        if self.runs.is_empty() { None } else { self.runs.get(run) }
    }

    /// Runs with their files, in byte order of their names.
    pub fn runs(&self) -> impl Iterator<Item = (&str, &RunArtifacts)> {
        self.runs.iter().map(|(run, of)| (run.as_str(), of))
    }
}

impl RunArtifacts {
    /// The files of an attempt in byte order of their paths, and the folder that holds them.
    pub fn attempt(&self, task: &str, model: &str, condition: &str, repeat: u32) -> (&[Artifact], String) {
        let folder = artifacts_of(task, model, condition, repeat);
        (self.attempts.get(&folder).map_or(&[], Vec::as_slice), folder)
    }

    /// Every file.
    pub fn files(&self) -> impl Iterator<Item = &Artifact> {
        self.attempts.values().flatten()
    }

    /// The path of a file in the site.
    pub fn site_path(&self, file: &Artifact) -> String {
        format!("{}/{FILES}/{}", self.folder, file.path)
    }

    /// The folder of the files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the files as the site names it.
    pub fn shown(&self) -> String {
        format!("{}/{FILES}", self.folder)
    }

    /// The published bytes of a file; none where they cannot be read.
    pub fn read(&self, file: &Artifact) -> Option<Vec<u8>> {
        if file.is_left_out() {
            return None;
        }
        let bytes = beginning(&self.root.join(&file.path), file.published).ok()?;
        (bytes.len() as u64 == file.published).then_some(bytes)
    }
}

/// The folder of a run's artifacts in a site.
fn folder_of(run: &str) -> String {
    format!("data/artifacts/{}", slug(run))
}

/// The first bytes of a file that is no link.
fn beginning(path: &Path, most: u64) -> Result<Vec<u8>, SiteError> {
    let bad = SiteError::io(path);
    let read = || {
        if !std::fs::symlink_metadata(path)?.is_file() {
            return Err(std::io::Error::other("is no file"));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(bad)
}

/// The folders of the attempts that a run's lines tell of.
fn folders_of(run: &RunFile) -> HashSet<String> {
    let plan = &run.run;
    let of = |row: &crate::results::Row| {
        let condition = &run.variants[usize::from(row.variant)].1;
        artifacts_of(&plan.tasks[row.task as usize], &plan.models[usize::from(row.model)].id, condition, row.repeat)
    };
    run.effective().map(of).collect()
}

/// The attempt's folder that a path of one of our names lies in, and the place of its kind in the order of kinds.
fn place<'p>(path: &'p str, folders: &HashSet<String>) -> Option<(&'p str, usize)> {
    let (folder, name) = path.rsplit_once('/')?;
    let kind = NAMES.iter().position(|n| *n == name)?;
    if folders.contains(folder) {
        return Some((folder, kind));
    }
    let (attempt, aside) = folder.rsplit_once('/')?;
    let number = aside.strip_prefix("try-")?;
    let is_number = (1..=6).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && folders.contains(attempt)).then_some((attempt, NAMES.len()))
}

/// The index of files, in pieces.
fn index_of(folder: &str, attempts: &BTreeMap<String, Vec<Artifact>>) -> Result<Vec<SuiteFile>, SiteError> {
    let lines: Vec<Vec<u8>> = attempts.values().flatten().map(serde_json::to_vec).collect::<Result<_, _>>()?;
    Ok(super::suites::pieces(&format!("{folder}/index"), "", lines.iter().map(Vec::as_slice)))
}

/// As many bytes of a file as the host takes, to the last line end among them, with their digest.
fn shortened(mut bytes: Vec<u8>, whole: u64) -> (Vec<u8>, String) {
    if (bytes.len() as u64) < whole {
        bytes.truncate(memchr::memrchr(b'\n', &bytes).map_or(bytes.len(), |i| i + 1));
    }
    let sha256 = hex(&bytes);
    (bytes, sha256)
}

/// Bytes of one file that are published.
const MOST: u64 = MOST_BYTES;
