//! The record contract: every fault is one error with file, line, field and remedy, and nothing else is lost.

mod amounts;
mod command;
pub mod folder;
mod lines;
mod plans;
mod properties;
mod shards;
