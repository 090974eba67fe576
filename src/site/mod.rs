//! The site: raw results and content in, pages and their verification out.
//!
//! Every number is computed once ([`numbers`]), has an id, and is quoted by it in pages, charts and files.
//! This room writes into one folder and reads nothing but what it is given; it must not know of sandboxes,
//! models or networks, and has no clock: times come from the data.

mod assets;
mod board;
mod config;
mod content;
mod error;
mod extract;
mod feed;
pub mod numbers;
mod render;
mod table;
mod text;
mod write;

pub use config::Config;
pub use error::SiteError;
