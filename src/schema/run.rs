use super::Infra;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where a run's lines come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Run by the publisher of this site with this tool.
    Own,
    /// Transcribed from another system's published outcomes.
    Imported,
    /// Reported by the maker of a model or a benchmark; never ranked.
    Publisher,
}

/// The tool whose files an imported run was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Importer {
    /// A job folder of Harbor.
    Harbor,
    /// A log of Inspect.
    Inspect,
    /// The figures that TS-Bench published.
    TsBench,
    /// A word of a later version.
    #[serde(other)]
    Other,
}

/// Whether a model is paid for by use or runs on the reproducer's own machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Billed by use.
    Paid,
    /// Served locally.
    Local,
}

/// One model of a run's plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// The identity used in raw lines.
    pub id: String,
    /// The name shown to readers.
    pub name: String,
    /// Who makes it.
    pub maker: String,
    /// How it is paid for.
    pub tier: Tier,
    /// Knowledge cutoff, `YYYY-MM-DD`, where it is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<String>,
}

/// The scaffold that drives a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// Name, such as `shell`.
    pub name: String,
    /// Version, such as `1`.
    pub version: String,
    /// Digest of its prompt files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// How a run scores faults of the infrastructure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scoring {
    /// Excluded, or counted as failed.
    #[serde(default)]
    pub infra: Infra,
}

/// What a site needs to know of a task that has no folder here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskDetail {
    /// Task identity.
    pub id: String,
    /// `owner/name` of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Language of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Day on which the human fix was merged, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// `easy`, `medium` or `hard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// What the work is; a task may be of several kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_cases: Vec<String>,
    /// Number of targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<u64>,
    /// Number of guards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guards: Option<u64>,
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

fn default_condition() -> String {
    "default".to_owned()
}

/// A plan locked before its first attempt: models × tasks × repeats × condition.
///
/// Unknown fields survive a read and rewrite through [`crate::results::rewrite`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`super::RUN_SCHEMA`].
    pub schema: String,
    /// Identity.
    pub run: String,
    /// Suite with its version, `name@version`.
    pub suite: String,
    /// Digest of the suite's tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_digest: Option<String>,
    /// Where the lines come from.
    pub source: Source,
    /// Whose files an imported run was made of, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<Importer>,
    /// Planned models.
    pub models: Vec<Model>,
    /// The scaffold.
    pub agent: Agent,
    /// Prompt pack.
    #[serde(default = "default_condition")]
    pub condition: String,
    /// Planned tasks.
    pub tasks: Vec<String>,
    /// Facts about the tasks, for suites whose folders are not kept here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub task_details: Vec<TaskDetail>,
    /// Attempts planned for each task and model.
    pub repeats: u32,
    /// Limits of an attempt, as the agent was given them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub limits: Map<String, Value>,
    /// Attempts planned in all, under every condition. Plans of earlier versions count those of [`Run::condition`] alone.
    pub planned_attempts: u64,
    /// Policy for faults of the infrastructure.
    #[serde(default)]
    pub scoring: Scoring,
    /// When the plan was locked, RFC 3339.
    pub created_at: String,
    /// Program and version that wrote the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Provenance and remarks, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Run {
    /// The agent as raw lines name it, `name@version`.
    pub fn agent_word(&self) -> String {
        format!("{}@{}", self.agent.name, self.agent.version)
    }

    /// Attempts of all models at all tasks under one condition.
    pub fn attempts_each(&self) -> u128 {
        self.models.len() as u128 * self.tasks.len() as u128 * u128::from(self.repeats)
    }

    /// The conditions whose attempts are planned: the run's own, and before it the canonical one where the plan counts it.
    pub fn planned_conditions(&self) -> Vec<&str> {
        let both = self.condition != CANONICAL && u128::from(self.planned_attempts) == 2 * self.attempts_each();
        if both { vec![CANONICAL, &self.condition] } else { vec![&self.condition] }
    }
}

/// The condition that every run holds beside its own.
const CANONICAL: &str = "default";
