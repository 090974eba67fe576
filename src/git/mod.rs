//! Plumbing over git objects, through the git program: trees, diffs, patches.
//!
//! In: bare mirrors, files as bytes, patches as bytes. Out: trees, blobs and patches as bytes. Nothing is ever
//! checked out: a patch is applied to an index, so that no hostile path or link meets a file system.
//! This room must not know of tasks, languages or verdicts.

mod history;
mod ignore;
mod program;
mod store;
mod tree;

pub use history::{Commit, tags};
pub use program::GitError;
pub use store::{Applied, Store, TreeId};
pub use tree::{Entry, Mode, Tree};
