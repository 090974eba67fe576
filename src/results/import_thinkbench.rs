//! The published aggregates of Thinkbench as a publisher-reported record: no attempts exist, so none are made up.

use super::ResultsError;
use super::import_stage::{Folder, contradiction, pretty, publish};
use super::plan::slug;
use crate::schema::{Model, PUBLISHER_SCHEMA, PublishedRow, PublisherRecord, Tier};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Figures {
    #[serde(default)]
    note: String,
    results_json: Results,
}

type ByModel = BTreeMap<String, Aggregate>;

#[derive(Deserialize)]
struct Results {
    run_ids: Vec<i64>,
    models: Vec<String>,
    trials: u32,
    effort_mode: String,
    #[serde(default)]
    config: Map<String, Value>,
    overall_graded: ByModel,
    by_type: BTreeMap<String, ByModel>,
    by_task: BTreeMap<String, Task>,
    #[serde(default)]
    observed: BTreeMap<String, ByModel>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "type")]
    kind: String,
    models: ByModel,
}

#[derive(Deserialize)]
struct Aggregate {
    n: u64,
    solved: u64,
    mean_score: f64,
    avg_secs: f64,
    avg_tokens: f64,
    cached_frac: f64,
    total_cost_usd: f64,
}

/// Turns the published aggregates in `file` into a record under `out`; returns its folder.
pub fn import_thinkbench(file: &Path, out: &Path, tool: &str) -> Result<PathBuf, ResultsError> {
    let bytes = fs::read(file).map_err(ResultsError::io(file))?;
    let bad = |what: String, hint: &str| ResultsError::Import { path: file.to_owned(), what, hint: hint.to_owned() };
    let figures: Figures = serde_json::from_slice(&bytes)
        .map_err(|e| bad(e.to_string(), "expected the published Thinkbench figures with results_json"))?;
    let results = &figures.results_json;
    check(results).map_err(|e| contradiction(file, e))?;
    let last = results.run_ids.iter().max().copied().unwrap_or(0);
    let time = jiff::Timestamp::from_second(last)
        .map_err(|e| bad(format!("run id {last} is not a time: {e}"), "run ids are Unix seconds"))?;
    let day = time.strftime("%Y-%m-%d").to_string();
    let record = PublisherRecord {
        schema: PUBLISHER_SCHEMA.into(),
        run: format!("{day}-thinkbench-{}", slug(&results.models.join("-vs-"))),
        suite: "thinkbench@1.0".into(),
        publisher: "Thinkbench".into(),
        created_at: time.to_string(),
        models: results
            .models
            .iter()
            .map(|id| Model { id: id.clone(), name: id.clone(), maker: String::new(), tier: Tier::Paid, cutoff: None })
            .collect(),
        agent: None,
        repeats: results.trials,
        rows: rows(results),
        settings: settings(results),
        tool: Some(tool.to_owned()),
        note: Some(format!(
            "{} The time is that of the newest of the {} runs that the publisher merged; the publisher does not say which figure came from which run. {} tasks have no grader: they carry times, tokens and costs only.",
            figures.note,
            results.run_ids.len(),
            results.observed.len()
        )),
    };
    let folder = Folder { name: record.run.clone(), files: vec![("publisher.json", pretty(&record)?)] };
    publish(file, out, &[folder])?.pop().ok_or_else(|| contradiction(file, "it holds no record"))
}

/// The tasks of a group sum to the group, and the groups to the whole.
fn check(results: &Results) -> Result<(), String> {
    for (model, overall) in &results.overall_graded {
        let sum = |parts: &mut dyn Iterator<Item = &ByModel>| {
            parts.filter_map(|m| m.get(model)).fold((0, 0), |(n, solved), a| (n + a.n, solved + a.solved))
        };
        let groups = sum(&mut results.by_type.values());
        let tasks = sum(&mut results.by_task.values().map(|t| &t.models));
        if groups != (overall.n, overall.solved) || tasks != (overall.n, overall.solved) {
            return Err(format!(
                "model {model:?} states {} solved of {}; its groups sum to {groups:?} and its tasks to {tasks:?}",
                overall.solved, overall.n
            ));
        }
        for (group, models) in &results.by_type {
            let tasks = sum(&mut results.by_task.values().filter(|t| t.kind == *group).map(|t| &t.models));
            if models.get(model).is_none_or(|a| tasks != (a.n, a.solved)) {
                return Err(format!(
                    "model {model:?}: the tasks of group {group:?} sum to {tasks:?}, not to the group"
                ));
            }
        }
    }
    Ok(())
}

fn settings(results: &Results) -> Map<String, Value> {
    let mut map = results.config.clone();
    map.insert("effort_mode".into(), results.effort_mode.clone().into());
    map.insert("run_ids".into(), results.run_ids.clone().into());
    map
}

fn rows(results: &Results) -> Vec<PublishedRow> {
    let mut rows = Vec::new();
    let mut push = |scope: &str, name: &str, group: Option<&str>, models: &ByModel, graded: bool| {
        for (model, a) in models {
            rows.push(PublishedRow {
                model: model.clone(),
                scope: scope.into(),
                name: name.into(),
                group: group.map(str::to_owned),
                attempts: a.n,
                // A task without a grader has no score; the published zeros there mean nothing.
                solved: graded.then_some(a.solved),
                mean_score: graded.then_some(a.mean_score),
                seconds: Some(a.avg_secs),
                tokens: Some(a.avg_tokens),
                cached_share: Some(a.cached_frac),
                cost_usd: Some(a.total_cost_usd),
            });
        }
    };
    push("overall", "", None, &results.overall_graded, true);
    for (group, models) in &results.by_type {
        push("group", group, None, models, true);
    }
    for (task, t) in &results.by_task {
        push("task", task, Some(&t.kind), &t.models, true);
    }
    for (task, models) in &results.observed {
        push("observed", task, Some("ambiguous-spec"), models, false);
    }
    rows
}
