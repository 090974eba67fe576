//! Tasks on disk: read, checked, digested.
//!
//! In: `tasks/<suite>/suite.toml` and one folder a task. Out: checked values, and of each task its starting tree,
//! human fix and hidden tests as git objects; statements, and what they tell or leave out. This room must not know how a task is installed, run or scored.

mod check;
mod compare;
mod declared;
mod error;
mod files;
mod load;
mod material;
mod message;
mod programs;
mod sealed;
mod solvable;
mod sound;
mod stage;
mod statement;
mod syntax;

pub use check::{check, check_suite};
pub use compare::{Compare, Compared, Sides, added, compare};
pub use error::TaskError;
pub use files::{Files, leaves, read_folder, write_folder, write_links};
pub use load::{Broken, Survey, Task, TaskSuite, find, find_in, load, survey};
pub use material::{Hidden, Material, links_stay, sha256, sides, split};
pub use message::{Named, closed, named};
pub use sealed::{Key, SEALED_FILE, disclosed, new_key, recipients, seal, unseal, unseal_in_place};
pub use solvable::Missing;
pub use stage::{Stage, sweep};
pub use statement::{
    Statement, of_commit as statement_of_commit, of_issues as statement_of_issues, of_text as statement_of_text,
};
