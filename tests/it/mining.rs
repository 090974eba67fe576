//! Mining: a server that answers as GitHub documents, mirrors of made-up repositories, and the whole chain in Docker.

mod chain;
mod github;
mod hub;
mod lessons;
mod limits;
mod mirrors;
pub(crate) mod world;

use serde_json::Value;
use std::path::Path;

/// The lines of a file, in order.
fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Texts of one field of lines.
fn field(lines: &[Value], name: &str) -> Vec<String> {
    lines.iter().map(|l| l[name].as_str().unwrap().to_owned()).collect()
}
