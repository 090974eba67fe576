use super::candidate::Candidate;
use super::classify::Dropped;
use super::leak::Leak;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a candidate failed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The change itself: no code, no tests, no base.
    Source,
    /// Its statement: the tests use names that nobody could know.
    Unsolvable,
    /// The installation of the starting tree.
    Install,
    /// The runs before the fix.
    Red,
    /// The runs after the fix.
    Green,
    /// The fix breaks tests that passed before it.
    Regression,
    /// Runs that differ among themselves.
    Flaky,
    /// The image holds the answer.
    Leak,
    /// The task that came of it has faults.
    Check,
}

/// Why a candidate is no task; one line of `rejections.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Id that the task would have had.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that holds the fix.
    pub fix_commit: String,
    /// What it failed at.
    pub stage: Stage,
    /// Why, for a person.
    pub reason: String,
    /// Names, paths and lines that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// When, RFC 3339.
    pub at: String,
}

/// Pieces of evidence that are kept of a rejection, and the length of each.
const MOST_EVIDENCE: (usize, usize) = (200, 4000);

impl Rejection {
    /// A rejection; its time is filled in when it is written.
    pub fn new(
        candidate: &Candidate,
        id: &str,
        fix: &str,
        stage: Stage,
        reason: &str,
        evidence: Vec<String>,
    ) -> Rejection {
        let cut = |text: String| text.chars().take(MOST_EVIDENCE.1).collect();
        Rejection {
            id: id.to_owned(),
            repo: candidate.repo.clone(),
            fix_commit: fix.to_owned(),
            stage,
            reason: reason.to_owned(),
            evidence: evidence.into_iter().take(MOST_EVIDENCE.0).map(cut).collect(),
            at: String::new(),
        }
    }
}

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
