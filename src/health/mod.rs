//! The health of tasks: what each audit found, one line a task, and what follows from the lines.
//!
//! In: proofs of an audit, and `health/<suite>.jsonl`. Out: lines, the state of each task, and the tasks in quarantine.
//! There is no list of quarantined tasks that somebody could forget: a task is in quarantine while its newest answer is
//! anything but healthy, and out of it with the next healthy one. This room must not know how a task is proven, and has
//! no clock.

mod log;
mod state;

pub use log::{HealthError, LogFile, Torn, append, parse, read, read_all};
pub use state::{Standing, failed_shown, judged, lost, standings};
