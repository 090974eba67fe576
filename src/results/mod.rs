//! Reading, checking and importing raw results.
//!
//! In: `results/<run>/run.json`, `attempts.jsonl` and `publisher.json`, other systems' published figures.
//! Out: a [`Dataset`] of compact rows with every fault named, run files made from imports, and other tools' files of runs.
//! This room must not know what a row means for a leaderboard: rates, intervals and pages are not its business.

mod chunk;
mod claims;
mod dataset;
mod diagnose;
mod doubled;
mod draft;
mod evidence;
mod export_run;
mod fault;
mod fields;
mod found;
mod harbor_dead;
mod import_harbor;
mod import_inspect;
mod import_stage;
mod import_thinkbench;
mod import_tsbench;
mod json_text;
mod key;
mod line;
mod number;
mod piece;
mod plan;
mod predictions;
mod rewrite;
mod row;
mod scan;
mod shape;
mod shard;
mod slot;
mod swe_report;
mod to_atif;
mod to_mini;
mod trajectory;
mod values;
mod whole;

pub use dataset::{Dataset, OnShard, RunFile, read, read_with};
pub use diagnose::{RECORDS, faults_of_line};
pub use draft::ImportedRuns;
pub use evidence::{Evidence, contradicted};
pub use export_run::{Slice, attempts_of, predictions_of, report_name, report_of};
pub use fault::{Fault, Level, ResultsError};
pub use import_harbor::import_harbor;
pub use import_inspect::import_inspect;
pub use import_thinkbench::import_thinkbench;
pub use import_tsbench::import_ts_bench;
pub use line::ErrorText;
pub use plan::{PublisherFile, slug};
pub use predictions::{Prediction, PredictionForm, Predictions, predictions_text, read_predictions};
pub use rewrite::rewrite;
pub use row::{Row, Stop};
pub use shard::{MAX_LINE, SHARD_BYTES, Shard};
pub use swe_report::{Scored, is_swe_bench_report, swe_bench_report};
pub use to_atif::atif_trajectory;
pub use to_mini::mini_trajectory;
pub use whole::artifacts_of;
