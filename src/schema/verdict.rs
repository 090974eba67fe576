use super::{Counts, Failure, Outcome, Seconds, TestCounts};
use serde::{Deserialize, Serialize};

/// What scoring says of one patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Task.
    pub task: String,
    /// How the patch counts.
    pub outcome: Outcome,
    /// `strict`, `lenient` or `empty`; none where the patch did not apply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<String>,
    /// Paths whose changes were dropped: tests, runner configuration, what the task protects, and links out of the tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Files that the patch changes.
    pub files: u64,
    /// Tests that the fix must make pass.
    pub targets: TestCounts,
    /// Tests that must keep passing.
    pub guards: TestCounts,
    /// Checks, for tasks graded by a scorecard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Counts>,
    /// What went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Where the time went.
    pub seconds: Seconds,
    /// What it was scored with.
    pub digests: VerdictDigests,
    /// `docker`, or `none` where nothing kept the patch from the host.
    pub isolation: String,
}

/// What a verdict rests on; the same digests give the same verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictDigests {
    /// The task.
    pub task: String,
    /// The image it ran in.
    pub image: String,
    /// The patch, SHA-256 of its bytes.
    pub patch: String,
    /// The program and the way it grades.
    pub grader: String,
}
