//! Merged changes that may become tasks, from GitHub or from a bare mirror alone.
//!
//! In: pages of GitHub's GraphQL interface, or a mirror's log. Out: candidates with their statements, and a reasoned
//! rejection of every other change, appended to a folder the moment each is known. Nothing is run and nothing is proven:
//! this room must not know how a candidate becomes a task.

mod answer;
mod api;
mod client;
mod error;
mod github;
mod landing;
mod ledger;
mod look;
mod mirror;
mod pages;
mod records;
mod wanted;

pub use api::{Api, GITHUB, Http, Reply};
pub use client::{Around, Client};
pub use error::MiningError;
pub use github::mine_github;
pub use ledger::Ledger;
pub use mirror::mine_mirror;
pub use pages::Pages;
pub use wanted::{Wanted, glob_fault};

/// What one call of a miner saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mined {
    /// Merged pull requests, or commits of the main line.
    pub seen: u64,
    /// Those of them that were decided by an earlier call.
    pub known: u64,
    /// Those that are not what was asked for: too old, in another language, elsewhere in the tree.
    pub left_out: u64,
}
