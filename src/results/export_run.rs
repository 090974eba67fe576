//! A run given out in the formats of other tools.

use super::predictions::Prediction;
use super::swe_report::{Scored, swe_bench_report};
use super::to_mini::submission;
use super::{ResultsError, RunFile, artifacts_of, slug};
use crate::schema::{Attempt, Outcome};
use serde_json::Value;
use std::path::PathBuf;

/// What of a run is meant: a model, a condition and a repeat.
#[derive(Clone, Debug)]
pub struct Slice<'a> {
    /// The model.
    pub model: &'a str,
    /// The condition.
    pub condition: &'a str,
    /// The repeat.
    pub repeat: u32,
}

/// What counts of a slice of a run, with the folder of each attempt's artifacts.
pub fn attempts_of(run: &RunFile, slice: &Slice<'_>) -> Vec<(Attempt, PathBuf)> {
    let all = run.effective().filter(|r| r.repeat == slice.repeat).filter_map(|r| run.attempt(r.line));
    let mut found: Vec<(Attempt, PathBuf)> = all
        .filter(|a| a.model == slice.model && a.condition == slice.condition)
        .map(|a| {
            let dir = run.dir.join("artifacts").join(artifacts_of(&a.task, &a.model, &a.condition, a.repeat));
            (a, dir)
        })
        .collect();
    found.sort_by(|a, b| a.0.task.cmp(&b.0.task));
    found
}

/// The predictions of a slice. What ended by a fault of ours is left out: as an empty patch it would count against the
/// model. The texts name it.
pub fn predictions_of(run: &RunFile, slice: &Slice<'_>) -> Result<(Vec<Prediction>, Vec<String>), ResultsError> {
    let (mut list, mut lost) = (Vec::new(), Vec::new());
    for (attempt, dir) in attempts_of(run, slice) {
        if attempt.outcome.excluded(run.run.scoring.infra) {
            lost.push(format!("{:?} ended as {} and is no prediction", attempt.task, attempt.outcome));
            continue;
        }
        let patch = submission(&dir)?;
        let tested = matches!(attempt.outcome, Outcome::Resolved | Outcome::Unresolved | Outcome::PatchFailed);
        if patch.is_empty() && (tested || attempt.patch.is_some()) {
            lost.push(format!("{:?}: its patch is not here, and an empty one is no prediction", attempt.task));
            continue;
        }
        list.push(Prediction { instance_id: attempt.task, model: attempt.model, patch });
    }
    Ok((list, lost))
}

/// The report of a slice as SWE-bench writes it, and what is lost in it.
pub fn report_of(run: &RunFile, slice: &Slice<'_>) -> (Value, Vec<String>) {
    let all = attempts_of(run, slice);
    let scored: Vec<Scored> = all
        .iter()
        .map(|(a, _)| Scored { instance_id: a.task.clone(), outcome: a.outcome, error: a.error.clone() })
        .collect();
    let ids: Vec<String> = scored.iter().map(|s| s.instance_id.clone()).collect();
    let mut lost = Vec::new();
    let partial = all.iter().filter(|(a, _)| a.score.is_some_and(|s| s.passed > 0) && a.outcome != Outcome::Resolved);
    lost.extend(partial.map(|(a, _)| format!("{:?}: its score of checks; the report knows resolved or not", a.task)));
    let usage = all.iter().any(|(a, _)| a.usage.is_some() || a.cost_usd.is_some());
    lost.extend(usage.then(|| "tokens, costs and times have no place in the report".to_owned()));
    (swe_bench_report(&run.run.tasks, &ids, &scored), lost)
}

/// The name of a report's file, as SWE-bench names it.
pub fn report_name(model: &str, run: &str) -> String {
    let plain = |text: &str| slug(&text.replace('/', "__"));
    format!("{}.{}.json", plain(model), plain(run))
}
