//! Reading, checking and importing raw results.
//!
//! In: `results/<run>/run.json`, `attempts.jsonl` and `publisher.json`, other systems' published figures.
//! Out: a [`Dataset`] of compact rows with every fault named, and run files made from imports.
//! This room must not know what a row means for a leaderboard: rates, intervals and pages are not its business.

mod chunk;
mod dataset;
mod diagnose;
mod fault;
mod fields;
mod found;
mod import_stage;
mod import_thinkbench;
mod import_tsbench;
mod key;
mod line;
mod number;
mod piece;
mod plan;
mod rewrite;
mod row;
mod scan;
mod shape;
mod shard;
mod slot;
mod values;
mod whole;

pub use dataset::{Dataset, OnShard, RunFile, read, read_with};
pub use fault::{Fault, Level, ResultsError};
pub use import_thinkbench::import_thinkbench;
pub use import_tsbench::import_ts_bench;
pub use line::ErrorText;
pub use plan::{PublisherFile, slug};
pub use rewrite::rewrite;
pub use row::{Row, Stop};
pub use shard::{MAX_LINE, SHARD_BYTES, Shard};
pub use whole::artifacts_of;
