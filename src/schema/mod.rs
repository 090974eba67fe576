//! The words of the glossary as types.
//!
//! In: nothing. Out: the records that every other room speaks. This room does no I/O and must not
//! know how a record is stored, counted or shown.

mod attempt;
mod candidate;
mod exposure;
mod health;
mod outcome;
mod paths;
mod publisher;
mod run;
mod task;
mod text;
mod verdict;

pub use attempt::{Attempt, Counts, Failure, Patch, Seconds, TestCounts, Tests, Usage};
pub use candidate::{Candidate, Rejection, Stage, id_of_commit};
pub use exposure::Exposure;
pub use health::{HealthLine, HealthProof, HealthState, ProofKind};
pub use outcome::{Infra, Outcome};
pub use paths::{glob_fault, is_test_path, wildcard};
pub use publisher::{PublishedRow, PublisherRecord};
pub use run::{Agent, Importer, Model, Run, Scoring, Source, TaskDetail, Tier};
pub use task::{Limits, Scorecard, Sealed, Suite, TaskBase, TaskSource, TaskSpec};
pub use text::no_text;
pub use verdict::{Verdict, VerdictDigests, not_scored};

/// Version of a stored attempt line.
pub const ATTEMPT_SCHEMA: &str = "tsbench.attempt/1";
/// Version of a stored run plan.
pub const RUN_SCHEMA: &str = "tsbench.run/1";
/// Version of a line of a health log.
pub const HEALTH_SCHEMA: &str = "tsbench.health/1";
/// Version of a stored publisher-reported record.
pub const PUBLISHER_SCHEMA: &str = "tsbench.publisher/1";
