//! The published figures of TS-Bench v0.2 as runs: one a model, outcomes as published.

use super::ResultsError;
use super::import_stage::{Folder, contradiction, pretty, publish};
use super::plan::slug;
use crate::schema::{
    ATTEMPT_SCHEMA, Agent, Attempt, Importer, Model, Outcome, RUN_SCHEMA, Run, Scoring, Source, TaskDetail, Tier,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Figures {
    note: String,
    generated_at: String,
    dataset: DatasetInfo,
    totals: Option<Totals>,
    models: Vec<PublishedModel>,
    instances: Vec<Instance>,
    attempts: Vec<[u32; 4]>,
    #[serde(default)]
    haiku_cost_per_instance: HashMap<String, PublishedCost>,
}

#[derive(Deserialize)]
struct DatasetInfo {
    version: String,
}

#[derive(Deserialize)]
struct Totals {
    attempts: u64,
}

#[derive(Deserialize)]
struct PublishedModel {
    index: u32,
    id: String,
    name: String,
    maker: String,
    tier: Tier,
    attempts: u64,
    planned_attempts: u64,
    resolved: u64,
    cost_usd: f64,
    cost_per_attempt: Option<f64>,
}

#[derive(Deserialize)]
struct Instance {
    index: u32,
    id: String,
    repo: String,
    language: String,
    merge_date: String,
    fail_to_pass: u64,
    pass_to_pass: u64,
}

#[derive(Deserialize)]
struct PublishedCost {
    resolved: bool,
    cost_usd: f64,
}

/// Turns the published figures in `file` into run folders under `out`; returns the folders.
///
/// Nothing is invented: an attempt has the outcome that was published for it and, where one was published, its cost.
/// Figures that contradict themselves are refused, and then nothing is written.
pub fn import_ts_bench(file: &Path, out: &Path, tool: &str) -> Result<Vec<PathBuf>, ResultsError> {
    let bytes = fs::read(file).map_err(ResultsError::io(file))?;
    let figures: Figures = serde_json::from_slice(&bytes).map_err(|e| ResultsError::Import {
        path: file.to_owned(),
        what: e.to_string(),
        hint: "expected the published TS-Bench figures: models, instances and attempts".into(),
    })?;
    let folders = check(&figures)
        .and_then(|()| figures.models.iter().map(|m| folder(&figures, m, tool)).collect::<Result<Vec<_>, String>>())
        .map_err(|e| contradiction(file, e))?;
    publish(file, out, &folders)
}

/// What must agree before any single model is looked at.
fn check(figures: &Figures) -> Result<(), String> {
    let (models, instances): (HashSet<u32>, HashSet<u32>) =
        (figures.models.iter().map(|m| m.index).collect(), figures.instances.iter().map(|i| i.index).collect());
    if models.len() != figures.models.len() || instances.len() != figures.instances.len() {
        return Err("two models or two instances have one index".into());
    }
    if let Some(stray) = figures.attempts.iter().find(|a| !models.contains(&a[0]) || !instances.contains(&a[1])) {
        return Err(format!("attempt {stray:?} names an unknown model or instance"));
    }
    let listed = figures.attempts.len() as u64;
    if figures.totals.as_ref().is_some_and(|t| t.attempts != listed) {
        return Err(format!("the totals do not state the {listed} attempts that are listed"));
    }
    let paid = figures.models.iter().filter(|m| m.tier == Tier::Paid && m.attempts > 0).count();
    if paid > 1 && !figures.haiku_cost_per_instance.is_empty() {
        return Err("the table of single costs does not say which of the paid models it belongs to".into());
    }
    let stray = figures.haiku_cost_per_instance.keys().find(|task| figures.instances.iter().all(|i| i.id != **task));
    stray.map_or(Ok(()), |task| Err(format!("a cost is stated for the unknown instance {task:?}")))
}

/// The run folder of one model.
fn folder(figures: &Figures, model: &PublishedModel, tool: &str) -> Result<Folder, String> {
    let rows: Vec<&[u32; 4]> = figures.attempts.iter().filter(|a| a[0] == model.index).collect();
    if rows.len() as u64 != model.attempts {
        return Err(format!("model {:?} states {} attempts and lists {}", model.id, model.attempts, rows.len()));
    }
    let run = plan(figures, model, tool)?;
    let lines = rows.into_iter().map(|r| attempt(figures, model, &run, r)).collect::<Result<Vec<_>, String>>()?;
    let fixed = lines.iter().filter(|l| l.outcome == Outcome::Resolved).count() as u64;
    if fixed != model.resolved {
        return Err(format!("model {:?} states {} fixes and lists {fixed}", model.id, model.resolved));
    }
    check_cost(figures, model, &lines)?;
    let mut text = Vec::new();
    for line in &lines {
        serde_json::to_writer(&mut text, line).map_err(|e| e.to_string())?;
        text.push(b'\n');
    }
    let plan = pretty(&run).map_err(|e| e.to_string())?;
    Ok(Folder { name: run.run, files: vec![("run.json", plan), ("attempts.jsonl", text)] })
}

/// The single costs belong to one attempt each and sum to the published total, to the cent.
fn check_cost(figures: &Figures, model: &PublishedModel, lines: &[Attempt]) -> Result<(), String> {
    if model.tier == Tier::Local || figures.haiku_cost_per_instance.is_empty() || lines.is_empty() {
        return Ok(());
    }
    let known: Vec<f64> = lines.iter().filter_map(|l| l.cost_usd).collect();
    if known.len() != figures.haiku_cost_per_instance.len() {
        return Err(format!(
            "model {:?}: {} single costs are published for {} attempts that have one",
            model.id,
            figures.haiku_cost_per_instance.len(),
            known.len()
        ));
    }
    let sum: f64 = known.iter().sum();
    if known.len() == lines.len() && (sum - model.cost_usd).abs() > 0.01 {
        return Err(format!("model {:?} states a cost of {} and single costs of {sum:.4}", model.id, model.cost_usd));
    }
    Ok(())
}

fn plan(figures: &Figures, model: &PublishedModel, tool: &str) -> Result<Run, String> {
    let tasks = figures.instances.len() as u64;
    let repeats = model
        .planned_attempts
        .checked_div(tasks)
        .and_then(|r| u32::try_from(r).ok())
        .filter(|r| u64::from(*r) * tasks == model.planned_attempts);
    let repeats = repeats.ok_or_else(|| {
        format!(
            "model {:?}: {} planned attempts are no whole number of repeats of {tasks} instances",
            model.id, model.planned_attempts
        )
    })?;
    Ok(Run {
        schema: RUN_SCHEMA.into(),
        // The name becomes a folder, so every part of it is made plain.
        run: slug(
            &format!("{}-ts-bench-{}-{}", figures.generated_at, figures.dataset.version, model.name)
                .to_lowercase()
                .replace(' ', "-"),
        ),
        suite: format!("ts-bench@{}", figures.dataset.version.trim_start_matches('v')),
        suite_digest: None,
        source: Source::Imported,
        imported_from: Some(Importer::TsBench),
        models: vec![Model {
            id: model.id.clone(),
            name: model.name.clone(),
            maker: model.maker.clone(),
            tier: model.tier,
            cutoff: None,
        }],
        agent: Agent { name: "ts-bench-shell".into(), version: figures.dataset.version.clone(), digest: None },
        condition: "default".into(),
        tasks: figures.instances.iter().map(|i| i.id.clone()).collect(),
        task_details: figures.instances.iter().map(detail).collect(),
        repeats,
        limits: limits(),
        planned_attempts: model.planned_attempts,
        scoring: Scoring::default(),
        created_at: format!("{}T00:00:00Z", figures.generated_at),
        tool: Some(tool.to_owned()),
        note: Some(format!(
            "{} Transcribed on import: one line for each published attempt. Not published, so absent here: patches, transcripts, turns, times, tokens, and the attempts that the original excluded. Cost of single attempts was published for one model only; a local model's cost is stated there as zero.",
            figures.note
        )),
    })
}

fn limits() -> Map<String, Value> {
    match json!({"turns": 40, "wall_seconds": 900, "command_seconds": 60}) {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn detail(i: &Instance) -> TaskDetail {
    TaskDetail {
        id: i.id.clone(),
        repo: Some(i.repo.clone()),
        language: Some(i.language.clone()),
        difficulty: None,
        use_cases: Vec::new(),
        merged_at: Some(i.merge_date.clone()),
        targets: Some(i.fail_to_pass),
        guards: Some(i.pass_to_pass),
        title: None,
    }
}

fn attempt(figures: &Figures, model: &PublishedModel, run: &Run, row: &[u32; 4]) -> Result<Attempt, String> {
    let [_, instance, repeat, code] = *row;
    let task = figures
        .instances
        .iter()
        .find(|i| i.index == instance)
        .ok_or_else(|| format!("attempt {row:?} names an unknown instance"))?;
    let outcome = match code {
        0 => Outcome::Unresolved,
        1 => Outcome::Resolved,
        2 => Outcome::TimedOut,
        3 => Outcome::PatchFailed,
        other => return Err(format!("attempt {row:?} has the unknown outcome code {other}")),
    };
    Ok(Attempt {
        schema: ATTEMPT_SCHEMA.into(),
        run: run.run.clone(),
        suite: run.suite.clone(),
        task: task.id.clone(),
        model: model.id.clone(),
        agent: run.agent_word(),
        condition: run.condition.clone(),
        repeat,
        outcome,
        score: None,
        stop: None,
        tests: None,
        patch: None,
        usage: None,
        cost_usd: cost(figures, model, &task.id, outcome)?,
        seconds: None,
        turns: None,
        served_models: Vec::new(),
        retries: None,
        error: None,
        digests: None,
        host: None,
        tool: None,
        started_at: None,
        finished_at: None,
    })
}

/// A cost is known where the attempt's own was published, or where the model is local and its whole cost is stated as zero.
fn cost(figures: &Figures, model: &PublishedModel, task: &str, outcome: Outcome) -> Result<Option<f64>, String> {
    if model.tier == Tier::Local {
        let free = model.cost_usd == 0.0 && model.cost_per_attempt.unwrap_or(0.0) == 0.0;
        return Ok(free.then_some(0.0));
    }
    // The table of single costs is that of the one paid model.
    match figures.haiku_cost_per_instance.get(task) {
        Some(c) if c.resolved != (outcome == Outcome::Resolved) => {
            Err(format!("task {task:?}: the published cost and the attempt disagree on its outcome"))
        }
        Some(c) => Ok(Some(c.cost_usd)),
        None => Ok(None),
    }
}
