use super::classify::Dropped;
use super::leak::Leak;
use super::unread::Unread;
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
    /// Which these are, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_paths: Vec<Unread>,
    /// Files and folders that no command of an agent can read, since neither it nor root may.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed_paths: Vec<Unread>,
    /// Lines of the fix and of the hidden tests that were looked for.
    pub lines: u64,
    /// What was found; a task with a finding is rejected.
    pub findings: Vec<Leak>,
    /// What was found and is no answer: lines that happen to stand elsewhere, older releases of the project.
    pub harmless: Vec<Leak>,
}

/// A candidate that is neither accepted nor rejected, for something took too long: one line of `undecided.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undecided {
    /// `tsbench.undecided/1`.
    pub schema: String,
    /// Id that the task would have.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that holds the fix.
    pub fix_commit: String,
    /// What took too long: `install`, or a kind of run.
    pub what: String,
    /// The limit that it ran into, in seconds.
    pub seconds: u64,
    /// The flag that raises the limit.
    pub flag: String,
    /// When, RFC 3339.
    pub at: String,
}

impl Undecided {
    /// Of a step of a candidate and the limit that it ran into.
    pub fn new(repo: &str, id: &str, fix: &str, what: &str, seconds: u64) -> Undecided {
        let flag = if what == "install" { "--install-seconds" } else { "--tests-seconds" };
        Undecided {
            schema: "tsbench.undecided/1".to_owned(),
            id: id.to_owned(),
            repo: repo.to_owned(),
            fix_commit: fix.to_owned(),
            what: what.to_owned(),
            seconds,
            flag: flag.to_owned(),
            at: String::new(),
        }
    }

    /// What happened, in words.
    pub fn reason(&self) -> String {
        let what =
            if self.what == "install" { "the installation".to_owned() } else { format!("the {} run", self.what) };
        format!("{what} took longer than {} s, beside other work and alone", self.seconds)
    }

    /// What to do.
    pub fn hint(&self) -> String {
        format!("raise the limit with {} and call it again: nothing is decided", self.flag)
    }
}
