//! Plumbing over git objects, through the git program: trees, diffs, patches.
//!
//! In: bare mirrors, files as bytes, patches as bytes. Out: trees, blobs, patches and commits; mirrors made and kept.
//! Nothing is ever checked out: a patch is applied to an index, so that no hostile path or link meets a file system.
//! This room must not know of tasks, languages or verdicts.

mod apply;
mod bare;
mod blobs;
mod history;
mod ignore;
mod marks;
mod mirror;
mod patch_text;
mod program;
mod store;
mod tree;

pub use apply::{Applied, AppliedBeside};
pub use history::{Commit, main_line, tags};
pub use mirror::{Origin, add_mirror, is_commit, is_name, mirror_folder, mirrors, repo_of_folder, update_mirror};
pub use program::{GitError, run_blocking};
pub use store::{Store, TreeId};
pub use tree::{Entry, Mode, Tree, refusal_of_path};
