//! The site: raw results and content in, pages and their verification out.
//!
//! Every number is computed once ([`numbers`]), has an id, and is quoted by it in pages, charts and files.
//! This room writes into one folder and reads nothing but what it is given; it must not know of sandboxes,
//! models or networks, and has no clock: times come from the data.

mod artifacts;
mod assets;
mod audits;
mod board;
mod build;
mod check;
mod config;
mod content;
mod copies;
mod csv;
mod diagrams;
mod diff;
mod error;
mod evidence;
mod extract;
mod feed;
mod fetch;
mod folder;
mod forbidden;
mod highlight;
mod init;
mod limits;
mod names;
pub mod numbers;
mod pages;
mod preview;
mod promises;
mod published;
mod render;
mod roster;
mod shown;
mod statement;
mod suite_files;
mod suites;
mod table;
mod text;
mod verify;
mod whole;
mod wording;
mod write;

pub use board::{Board, Entry};
pub use build::{Built, Request, Watcher, build};
pub use check::{Checked, Problem, check};
pub use config::Config;
pub use diff::{Change, diff};
pub use error::SiteError;
pub use fetch::{Bounds, fetch};
pub use init::init;
pub use limits::{MOST_BYTES, MOST_FILES, Plan};
pub use pages::ordered;
pub use verify::{Difference, Verified, verify};
pub use write::{SUMS, Written};
