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
    /// Parts of files that count otherwise, which were put back, each after the path of its file: keys of tools, scripts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<String>,
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

impl Verdict {
    /// What of the patch was not scored, in one line, where something was not.
    pub fn not_scored(&self) -> Option<String> {
        not_scored(&self.dropped, &self.put_back)
    }
}

/// Changes of a kind that a line about them names, and letters that their names have together.
const MOST_NAMED: usize = 10;
const MOST_LETTERS: usize = 350;

/// What of a patch was not scored, in one line: paths whose changes were dropped, and parts of files that were put back.
pub fn not_scored(dropped: &[String], put_back: &[String]) -> Option<String> {
    let list = |names: &[String]| {
        let (mut all, mut left): (Vec<String>, usize) = (Vec::new(), MOST_LETTERS);
        for name in names.iter().take(MOST_NAMED) {
            let shown: String = name.chars().take(left).collect();
            left -= shown.chars().count();
            all.push(if shown.len() < name.len() { format!("{shown}…") } else { shown });
            if left == 0 {
                break;
            }
        }
        if names.len() > all.len() {
            all.push(format!("{} more", names.len() - all.len()));
        }
        all.join(", ")
    };
    let parts = [("changes dropped", dropped), ("put back", put_back)];
    let told: Vec<String> = parts
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {}", list(names)))
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
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
