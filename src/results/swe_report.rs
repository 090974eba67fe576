//! The report of a run as SWE-bench writes it, version 2.

use crate::schema::{Failure, Outcome};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What became of one prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The instance.
    pub instance_id: String,
    /// How it counts.
    pub outcome: Outcome,
    /// What went wrong, if something did.
    pub error: Option<Failure>,
}

/// The sets of a report.
#[derive(Default)]
struct Sets<'a> {
    resolved: BTreeSet<&'a str>,
    unresolved: BTreeSet<&'a str>,
    infra: BTreeSet<&'a str>,
    ambiguous: BTreeSet<&'a str>,
    empty: BTreeSet<&'a str>,
    error: BTreeSet<&'a str>,
    reasons: BTreeMap<&'a str, &'a str>,
}

impl<'a> Sets<'a> {
    fn add(&mut self, one: &'a Scored) {
        let class = one.error.as_ref().map_or("", |e| e.class.as_str());
        let set = match one.outcome {
            Outcome::Resolved => &mut self.resolved,
            Outcome::NoPatch => &mut self.empty,
            // No test was run, so that there is no report of the instance.
            Outcome::PatchFailed | Outcome::Observed => &mut self.error,
            Outcome::InfraError | Outcome::Stopped => &mut self.infra,
            Outcome::TimedOut => &mut self.ambiguous,
            Outcome::Unresolved => match reason(class) {
                Some(Reason::Environment) => &mut self.infra,
                Some(Reason::Ambiguous) => &mut self.ambiguous,
                None => &mut self.unresolved,
            },
        };
        set.insert(&one.instance_id);
        let word = match one.outcome {
            Outcome::TimedOut => "tests_timed_out",
            _ => theirs(class),
        };
        if (self.infra.contains(one.instance_id.as_str()) || self.ambiguous.contains(one.instance_id.as_str()))
            && !word.is_empty()
        {
            self.reasons.insert(&one.instance_id, word);
        }
    }
}

/// Whether a failure is the environment's, or may be.
enum Reason {
    Environment,
    Ambiguous,
}

fn reason(class: &str) -> Option<Reason> {
    match class {
        "out_of_memory" => Some(Reason::Environment),
        "no_tests" | "tests_timed_out" => Some(Reason::Ambiguous),
        _ => None,
    }
}

/// The format's word for a class of failures of ours, or ours where it has none.
fn theirs(class: &str) -> &str {
    match class {
        "no_tests" => "no_tests_collected",
        other => other,
    }
}

/// Whether bytes are a report as this program writes it: its keys, and its way to set them.
pub fn is_swe_bench_report(bytes: &[u8]) -> bool {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return false };
    let keys = |v: &Value| v.as_object().map(|m| m.keys().cloned().collect::<BTreeSet<String>>());
    keys(&value) == keys(&swe_bench_report(&[], &[], &[])) && format!("{value:#}\n").as_bytes() == bytes
}

/// The report. `instances` are all of the dataset, `submitted` all of the predictions; an instance that was submitted and
/// not scored is an error.
pub fn swe_bench_report(instances: &[String], submitted: &[String], scored: &[Scored]) -> Value {
    let mut sets = Sets::default();
    scored.iter().for_each(|one| sets.add(one));
    let done: BTreeSet<&str> = scored.iter().map(|s| s.instance_id.as_str()).collect();
    let submitted: BTreeSet<&str> = submitted.iter().map(String::as_str).collect();
    sets.error.extend(submitted.iter().filter(|id| !done.contains(*id)));
    let incomplete: BTreeSet<&str> =
        instances.iter().map(String::as_str).filter(|id| !submitted.contains(id)).collect();
    let completed: BTreeSet<&str> =
        [&sets.resolved, &sets.unresolved, &sets.infra, &sets.ambiguous].into_iter().flatten().copied().collect();
    json!({
        "total_instances": instances.len(),
        "submitted_instances": submitted.len(),
        "completed_instances": completed.len(),
        "resolved_instances": sets.resolved.len(),
        "unresolved_instances": sets.unresolved.len(),
        "infra_failure_instances": sets.infra.len(),
        "ambiguous_failure_instances": sets.ambiguous.len(),
        "empty_patch_instances": sets.empty.len(),
        "error_instances": sets.error.len(),
        "completed_ids": completed,
        "incomplete_ids": incomplete,
        "empty_patch_ids": sets.empty,
        "submitted_ids": submitted,
        "resolved_ids": sets.resolved,
        "unresolved_ids": sets.unresolved,
        "infra_failure_ids": sets.infra,
        "ambiguous_failure_ids": sets.ambiguous,
        "failure_reasons": sets.reasons,
        "error_ids": sets.error,
        "schema_version": 2,
    })
}
