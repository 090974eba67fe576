use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A change that may become a task; one line of a file of candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Id of the task; `owner__name-<pull request>` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Suite of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<String>,
    /// `owner/name`; the mirror is `owner__name.git`.
    pub repo: String,
    /// The commit that holds the fix.
    pub fix: String,
    /// The commit that the fix was made on; the fix's first parent where it is absent, which is right for merge commits
    /// and squashed ones alike: nothing that the main line gained in the meantime is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Whether the base may be a commit that does not come before the fix.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrelated_base: bool,
    /// Language; found out where it is absent and only one fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Folder of the package inside a monorepo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Version of the runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// Number of the issue that it closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// File with the problem statement, seen from the folder of the file of candidates; the commit's message where there
    /// is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<PathBuf>,
    /// What a person should look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Digits of a commit in the id of a candidate that no pull request names.
const DIGITS: usize = 10;

/// The end of the id of a candidate that has no number, by its commit.
pub fn id_of_commit(commit: &str) -> &str {
    commit.get(..DIGITS).unwrap_or(commit)
}

/// What a candidate failed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What can be seen of the change without its trees: it closes nothing, tests nothing, or fixes nothing.
    Mining,
    /// The change itself: no code, no tests, no base.
    Source,
    /// Its statement: the tests use names that nobody could know.
    Unsolvable,
    /// The installation of the starting tree.
    Install,
    /// A changed file of tests of which no test was run.
    Empty,
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
    /// The proof of the task: the fix does not resolve it, or something else does.
    Gate,
}

impl Stage {
    /// The word in files and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Stage::Mining => "mining",
            Stage::Source => "source",
            Stage::Unsolvable => "unsolvable",
            Stage::Install => "install",
            Stage::Empty => "empty",
            Stage::Red => "red",
            Stage::Green => "green",
            Stage::Regression => "regression",
            Stage::Flaky => "flaky",
            Stage::Leak => "leak",
            Stage::Check => "check",
            Stage::Gate => "gate",
        }
    }
}

/// Why a candidate is no task; one line of `rejections.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejection {
    /// Id that the task would have had.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that holds the fix; empty where none is known.
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

/// Pieces of evidence that are kept of a rejection, and the length of each in characters.
const MOST_EVIDENCE: (usize, usize) = (200, 4000);

impl Rejection {
    /// A rejection; its time is filled in when it is written.
    pub fn new(repo: &str, id: &str, fix: &str, stage: Stage, reason: &str, evidence: Vec<String>) -> Rejection {
        let cut = |text: String| text.chars().take(MOST_EVIDENCE.1).collect();
        Rejection {
            id: id.to_owned(),
            repo: repo.to_owned(),
            fix_commit: fix.to_owned(),
            stage,
            reason: reason.to_owned(),
            evidence: evidence.into_iter().take(MOST_EVIDENCE.0).map(cut).collect(),
            at: String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_stage_is_the_one_in_files() {
        for stage in [Stage::Mining, Stage::Unsolvable, Stage::Empty, Stage::Regression, Stage::Gate] {
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.word());
        }
    }
}
