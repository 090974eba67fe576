use super::Model;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Figures that a publisher reports without the attempts behind them.
///
/// A board shows them apart and never ranks them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublisherRecord {
    /// [`super::PUBLISHER_SCHEMA`].
    pub schema: String,
    /// Identity of the record, unique among runs and records.
    pub run: String,
    /// Suite with its version.
    pub suite: String,
    /// Who reports.
    pub publisher: String,
    /// When it was published, RFC 3339.
    pub created_at: String,
    /// The models.
    pub models: Vec<Model>,
    /// The agent, in the publisher's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Attempts at each task and model.
    pub repeats: u32,
    /// Published aggregates.
    pub rows: Vec<PublishedRow>,
    /// Settings that the publisher names.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub settings: Map<String, Value>,
    /// Program and version that wrote the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Provenance, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One published aggregate: a model over everything, over a group, or at one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublishedRow {
    /// Model identity.
    pub model: String,
    /// `overall`, `group`, `task` or `observed`.
    pub scope: String,
    /// Group or task name; empty for `overall`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Group that a task belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Attempts.
    pub attempts: u64,
    /// Attempts that passed every check; none where nothing was graded.
    #[serde(default)]
    pub solved: Option<u64>,
    /// Mean share of checks passed, 0 to 1; none where nothing was graded.
    #[serde(default)]
    pub mean_score: Option<f64>,
    /// Mean seconds.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// Mean tokens, input and output together.
    #[serde(default)]
    pub tokens: Option<f64>,
    /// Share of input tokens that came from a cache, 0 to 1.
    #[serde(default)]
    pub cached_share: Option<f64>,
    /// Total cost in US dollars.
    #[serde(default)]
    pub cost_usd: Option<f64>,
}
