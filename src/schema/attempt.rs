use super::Outcome;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Passed and total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// How many passed.
    pub passed: u64,
    /// Out of how many.
    pub total: u64,
}

/// Passed, total and the names of those that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCounts {
    /// How many passed.
    pub passed: u64,
    /// Out of how many.
    pub total: u64,
    /// Names that did not pass.
    #[serde(default)]
    pub failed: Vec<String>,
}

/// Facts about the patch that was scored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// How many files it touches.
    pub files: u64,
    /// How it was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<String>,
    /// Paths left out, such as protected ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// Parts of files that count otherwise, which were put back, each after the path of its file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put_back: Vec<String>,
    /// Files of the workspace that no patch can have, each with the reason after its path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Tokens and requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens that were not cached.
    #[serde(default)]
    pub input: u64,
    /// Input tokens read from a cache.
    #[serde(default)]
    pub cached_input: u64,
    /// Input tokens written to a cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Output tokens.
    #[serde(default)]
    pub output: u64,
    /// Calls of the model.
    #[serde(default)]
    pub requests: u64,
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// The agent at work.
    #[serde(default)]
    pub agent: Option<f64>,
    /// Installing dependencies.
    #[serde(default)]
    pub install: Option<f64>,
    /// Running the tests.
    #[serde(default)]
    pub tests: Option<f64>,
    /// All of it.
    #[serde(default)]
    pub total: Option<f64>,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Kind of fault.
    pub class: String,
    /// Text of the fault.
    pub message: String,
}

/// One line of `attempts.jsonl`: one cell of a run.
///
/// Unknown fields survive a read and rewrite through [`crate::results::rewrite`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// [`super::ATTEMPT_SCHEMA`].
    pub schema: String,
    /// Run.
    pub run: String,
    /// Suite with its version.
    pub suite: String,
    /// Task.
    pub task: String,
    /// Model.
    pub model: String,
    /// Agent as `name@version`.
    #[serde(default = "default_agent")]
    pub agent: String,
    /// Prompt pack.
    #[serde(default = "default_condition")]
    pub condition: String,
    /// 0-based repeat.
    pub repeat: u32,
    /// How it counts.
    pub outcome: Outcome,
    /// Scorecard of a task that is graded by checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Counts>,
    /// Why the agent stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
    /// Targets and guards, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<Tests>,
    /// The patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<Patch>,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Cost in US dollars; none where it is unknown, which is not zero.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
    /// Models that the provider says it used, in the order of their names; none where it says nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub served_models: Vec<String>,
    /// Turns of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Retries of the whole attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// What went wrong, if something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Digests of task, image, prompt, agent and grader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<Map<String, Value>>,
    /// Where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Value>,
    /// Program and version that wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Start, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// End, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
}

/// Targets and guards of one attempt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// Tests that fail before the human fix and pass after it.
    #[serde(default)]
    pub targets: TestCounts,
    /// Tests that pass before and after.
    #[serde(default)]
    pub guards: TestCounts,
}

fn default_agent() -> String {
    "shell@1".to_owned()
}

fn default_condition() -> String {
    "default".to_owned()
}
