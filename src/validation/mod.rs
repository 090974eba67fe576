//! A change of a repository in, a proven task or a rejection with its reason out.
//!
//! In: a candidate and a bare mirror. Out: the task's folder with every run's raw outcomes and a certificate that the
//! image holds no answer, or a line in the suite's log of rejections, or of those that ran out of time. The runs are those that score: before the fix,
//! after it, and after it in other surroundings. This room must not know where candidates come from, nor what a model
//! does with a task.

mod accept;
mod candidate;
mod classify;
mod error;
mod keep;
mod leak;
mod names;
mod papers;
mod record;
mod runs;
mod silent;
mod survey;
mod turns;
mod unread;

pub use accept::{Decision, Options, Raised, validate};
pub use candidate::{named, read_candidates};
pub use classify::{Dropped, Fate};
pub use error::ValidationError;
pub use keep::{Kept, reject, sweep_drafts};
pub use leak::Leak;
pub use record::{Certificate, RunRecord, Undecided, Validation};
pub use turns::{Pace, Turns};
pub use unread::Unread;
