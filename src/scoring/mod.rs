//! A task and a patch in, a verdict out.
//!
//! The order is fixed: a fresh sandbox of the task's image, the patch as bytes, protected paths restored, hidden tests
//! written last, the suite run without a network, the sealed report read, the exit code held against it.
//! This room must not know which model or agent made a patch, nor what a verdict does to a leaderboard.

mod candidate;
mod error;
mod image;
mod judge;
mod links;
mod run;
mod score;
mod scorecard;

pub use candidate::{Candidate, candidate};
pub use error::ScoreError;
pub use image::{Ready, TREE, prepare, runtime_in};
pub use run::{Around, Network, Observed, observe, open, open_for_agent, surroundings};
pub use score::{Scored, score};

/// Name and version of the way verdicts are made; part of every verdict's digests.
pub const GRADER: &str = "tsbench-score/6";
