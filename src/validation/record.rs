use super::classify::Dropped;
use super::leak::Leak;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run of the tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// `red` (hidden tests on the starting tree), `green` (with the fix), `before` (the starting tree with its own
    /// tests), `elsewhere` (green in another time zone and language), `zoneless` (green without a time-zone database),
    /// `slower` (green on a slow machine).
    pub kind: String,
    /// Seconds that the tests took.
    pub seconds: f64,
    /// Cases reported.
    pub cases: u64,
    /// Cases passed.
    pub passed: u64,
    /// Whether something did not build or could not be loaded.
    pub unbuilt: bool,
    /// Why the report cannot be believed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objection: Option<String>,
    /// What went wrong beside cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// `validation.json`: how a task was proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// `tsbench.validation/1`.
    pub schema: String,
    /// Task.
    pub task: String,
    /// Exact version of the runtime, as the image says it.
    pub runtime: String,
    /// Content address of the image.
    pub image: String,
    /// `docker` or `none`.
    pub isolation: String,
    /// The program.
    pub tool: String,
    /// When, RFC 3339.
    pub at: String,
    /// Number of targets.
    pub targets: u64,
    /// Number of guards.
    pub guards: u64,
    /// Every run, in order.
    pub runs: Vec<RunRecord>,
    /// Tests that are neither, with the reason.
    pub dropped: Vec<Dropped>,
    /// What a person should look at.
    pub warnings: Vec<String>,
    /// How every test ended in every run, one letter a run in the order of `runs`: P passed, F failed, E errored,
    /// S skipped, X expected failure, U unexpected pass, - not reported.
    pub tests: BTreeMap<String, String>,
}

/// `certificate.json`: that the image an agent gets does not hold the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// `tsbench.certificate/1`.
    pub schema: String,
    /// Task.
    pub task: String,
    /// Content address of the image.
    pub image: String,
    /// `docker`, or `none` where the folder of the sandbox stands for an image.
    pub isolation: String,
    /// The program.
    pub tool: String,
    /// When, RFC 3339.
    pub at: String,
    /// Files looked into.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files and folders that could not be read.
    pub unread: u64,
    /// Lines of the fix and of the hidden tests that were looked for.
    pub lines: u64,
    /// What was found; a task with a finding is rejected.
    pub findings: Vec<Leak>,
    /// What was found and is no answer: lines that happen to stand elsewhere, older releases of the project.
    pub harmless: Vec<Leak>,
}
