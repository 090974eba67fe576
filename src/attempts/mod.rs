//! Runs: a plan, locked, and its attempts, side by side.
//!
//! In: a plan of models, tasks, repeats and conditions, and everything that it needs, ready to be used. Out: one line for
//! each finished attempt, on the disk the moment it exists, with trajectory, patch and report beside it; a run that was
//! cut off anywhere goes on where it was. A fault of ours is tried again and never counts against a model.
//! This room must not know what a line means for a leaderboard, nor how a run is shown while it goes on.

mod bench;
mod burst;
mod cells;
mod daemon;
mod error;
mod evidence;
mod fault;
mod ledger;
mod line;
mod one;
mod own_line;
mod plan;
mod run;
mod scored;
mod worked;

pub use bench::{Bench, Parts, Phase};
pub use burst::{Burst, MOST_FAULTS};
pub use cells::{Cell, cells, remaining};
pub use error::AttemptsError;
pub use evidence::{folder_of, leftover_spent};
pub use fault::{Fault, Origin};
pub use ledger::{Ledger, Torn, parse};
pub use plan::{Plan, differences, digest_of_suite, lock, read_plan};
pub use run::{Ending, Seen, run};
