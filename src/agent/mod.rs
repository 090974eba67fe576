//! A model at work on a task.
//!
//! In: a workspace in a sandbox, a gateway to a model, the files of a prompt pack, limits. Out: why the work ended, the
//! patch that the harness itself took from the workspace, and a trajectory of which each line is on the disk before the
//! next turn begins. What a model does wrong is an observation for it or a word for how it stopped; an error is ours.
//! This room must not know the human fix, the hidden tests, or what a verdict is.

mod budget;
mod capture;
mod command;
mod cut;
mod door;
mod error;
mod fence;
mod left_out;
mod limits;
mod listing;
mod lookup;
mod program;
mod prompts;
mod repetition;
mod session;
mod shell;
mod tool_calls;
mod tools;
mod trace;
mod work;
mod workspace;

pub use budget::{Budget, Reservation};
pub use capture::{Captured, Files, Unpatched, capture};
pub use command::{Way, install_program, put_program};
pub use cut::cut;
pub use door::Door;
pub use error::AgentError;
pub use fence::last_command;
pub use left_out::LeftOut;
pub use limits::{Limits, Stop};
pub use program::Program;
pub use prompts::{Prompts, conditions_of};
pub use repetition::{Repetition, Step};
pub use trace::{Output, Trace, Turn, spent_of};
pub use work::{Ended, Kind, Means, SUBMIT, Tools, Work, attempt};
pub use workspace::{Prints, Taken, begin, patch, prints};
