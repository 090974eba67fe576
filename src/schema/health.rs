use super::{Counts, Failure, Outcome, TestCounts};
use serde::{Deserialize, Serialize};

/// How a task stood when it was audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    /// The fix resolves it, nothing else does, in every run.
    Healthy,
    /// It was healthy once and is not now, or runs of the same thing differ.
    Drifted,
    /// It was never healthy.
    Broken,
    /// A fault of ours kept the audit from an answer.
    Unknown,
}

impl HealthState {
    /// The word in lines and on pages.
    pub const fn word(self) -> &'static str {
        match self {
            HealthState::Healthy => "healthy",
            HealthState::Drifted => "drifted",
            HealthState::Broken => "broken",
            HealthState::Unknown => "unknown",
        }
    }
}

/// What a proof tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofKind {
    /// The human fix, which must resolve the task.
    Fix,
    /// No change at all, which must not.
    Empty,
    /// A cheat, which must not.
    Exploit,
    /// Another correct solution, which must resolve the task.
    Alternate,
    /// A wrong solution, which must not.
    Wrong,
}

impl ProofKind {
    /// Every kind, in the order in which they are told.
    pub const ALL: [ProofKind; 5] =
        [ProofKind::Fix, ProofKind::Empty, ProofKind::Exploit, ProofKind::Alternate, ProofKind::Wrong];

    /// Whether such a try must resolve the task; every other must not.
    pub const fn must_resolve(self) -> bool {
        matches!(self, ProofKind::Fix | ProofKind::Alternate)
    }

    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            ProofKind::Fix => "fix",
            ProofKind::Empty => "empty patch",
            ProofKind::Exploit => "cheat",
            ProofKind::Alternate => "alternate",
            ProofKind::Wrong => "wrong solution",
        }
    }
}

/// One try of an audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthProof {
    /// What was tried.
    pub kind: ProofKind,
    /// The cheat's name, or the try's number.
    pub name: String,
    /// Whether it went as it must.
    pub good: bool,
    /// How the patch counted.
    pub outcome: Outcome,
    /// What went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Targets; the names of those that failed may be fewer than failed.
    pub targets: TestCounts,
    /// Guards, as the targets.
    pub guards: TestCounts,
    /// Checks, for tasks graded by a scorecard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Counts>,
    /// Seconds that it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A line of `health/<suite>.jsonl`: one audit of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HealthLine {
    /// [`super::HEALTH_SCHEMA`].
    pub schema: String,
    /// Suite, `id@version`.
    pub suite: String,
    /// Task.
    pub task: String,
    /// When the audit of the task ended, RFC 3339.
    pub at: String,
    /// Program and version.
    pub tool: String,
    /// `docker`, or `none`.
    pub isolation: String,
    /// SHA-256 over all that makes the task what it is; none where it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_sha256: Option<String>,
    /// The image it ran in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// How it stood.
    pub state: HealthState,
    /// Why it is not healthy, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Every try.
    pub proofs: Vec<HealthProof>,
}

impl HealthLine {
    /// How many tries of a kind there were, and how many of them resolved the task.
    pub fn count(&self, kind: ProofKind) -> Counts {
        let of_kind = || self.proofs.iter().filter(|p| p.kind == kind);
        let passed = of_kind().filter(|p| p.outcome == Outcome::Resolved).count() as u64;
        Counts { passed, total: of_kind().count() as u64 }
    }
}
