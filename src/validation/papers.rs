//! What is written beside a task: how it was proven, and what its image was searched for.

use super::candidate::Change;
use super::classify::Sorted;
use super::record::{Certificate, Validation};
use super::runs::Made;
use super::survey::Surveyed;
use crate::sandbox::Provider;
use crate::scoring::Ready;

/// Name and version of the program.
fn tool() -> String {
    format!("tsbench {}", env!("CARGO_PKG_VERSION"))
}

pub(super) fn certificate(ready: &Ready, seen: Surveyed, lines: usize, provider: &Provider, at: &str) -> Certificate {
    Certificate {
        schema: "tsbench.certificate/1".to_owned(),
        task: ready.task.spec.id.clone(),
        image: ready.image_id.clone(),
        isolation: provider.isolation().to_owned(),
        tool: tool(),
        at: at.to_owned(),
        files: seen.files,
        bytes: seen.bytes,
        unread: seen.unread.len() as u64,
        unread_paths: seen.unread,
        closed_paths: seen.closed,
        lines: lines as u64,
        findings: seen.findings,
        harmless: seen.harmless,
    }
}

pub(super) fn record(
    change: &Change,
    ready: &Ready,
    made: Made,
    sorted: Sorted,
    provider: &Provider,
    at: &str,
) -> Validation {
    Validation {
        schema: "tsbench.validation/1".to_owned(),
        task: change.id.clone(),
        runtime: ready.runtime.clone(),
        image: ready.image_id.clone(),
        isolation: provider.isolation().to_owned(),
        tool: tool(),
        at: at.to_owned(),
        targets: sorted.targets.len() as u64,
        guards: sorted.guards.len() as u64,
        tests: made.letters(),
        runs: made.records,
        dropped: sorted.dropped,
        warnings: change.warnings.clone(),
    }
}
