//! Tasks on disk: read, checked, digested.
//!
//! In: `tasks/<suite>/suite.toml` and one folder a task. Out: checked values, and of each task its starting tree,
//! human fix and hidden tests as git objects. This room must not know how a task is installed, run or scored.

mod check;
mod error;
mod load;
mod material;
mod solvable;
mod statement;

pub use check::check;
pub use error::TaskError;
pub use load::{Task, TaskSuite, find, load};
pub use material::{Hidden, Material, sha256, split};
pub use solvable::{names_of, unknown_names};
pub use statement::{Statement, of_commit as statement_of_commit, of_text as statement_of_text};
