//! The published figures of TS-Bench v0.2 as runs: one a model, outcomes as published.

use super::ResultsError;
use super::plan::slug;
use crate::schema::{ATTEMPT_SCHEMA, Agent, Attempt, Model, Outcome, RUN_SCHEMA, Run, Scoring, Source, TaskDetail, Tier};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Figures {
    note: String,
    generated_at: String,
    dataset: DatasetInfo,
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
pub fn import_ts_bench(file: &Path, out: &Path, tool: &str) -> Result<Vec<PathBuf>, ResultsError> {
    let text = fs::read_to_string(file).map_err(ResultsError::io(file))?;
    let bad = |what: String, hint: &str| ResultsError::Import { path: file.to_owned(), what, hint: hint.to_owned() };
    let figures: Figures = serde_json::from_str(&text).map_err(|e| bad(e.to_string(), "expected the published TS-Bench figures: models, instances and attempts"))?;
    let mut written = Vec::new();
    for model in &figures.models {
        let rows: Vec<&[u32; 4]> = figures.attempts.iter().filter(|a| a[0] == model.index).collect();
        if rows.len() as u64 != model.attempts {
            return Err(bad(format!("model {:?} states {} attempts and lists {}", model.id, model.attempts, rows.len()), "the figures contradict themselves"));
        }
        let run = plan(&figures, model, tool);
        let lines = rows.into_iter().map(|r| attempt(&figures, model, &run, r)).collect::<Result<Vec<_>, String>>().map_err(|e| bad(e, "the figures contradict themselves"))?;
        let fixed = lines.iter().filter(|l| l.outcome == Outcome::Resolved).count() as u64;
        if fixed != model.resolved {
            return Err(bad(format!("model {:?} states {} fixes and lists {fixed}", model.id, model.resolved), "the figures contradict themselves"));
        }
        written.push(write_run(out, &run, &lines)?);
    }
    Ok(written)
}

fn plan(figures: &Figures, model: &PublishedModel, tool: &str) -> Run {
    let tasks = figures.instances.len() as u64;
    Run {
        schema: RUN_SCHEMA.into(),
        run: format!("{}-ts-bench-{}-{}", figures.generated_at, figures.dataset.version, slug(&model.name.to_lowercase().replace(' ', "-"))),
        suite: format!("ts-bench@{}", figures.dataset.version.trim_start_matches('v')),
        suite_digest: None,
        source: Source::Imported,
        models: vec![Model { id: model.id.clone(), name: model.name.clone(), maker: model.maker.clone(), tier: model.tier, cutoff: None }],
        agent: Agent { name: "ts-bench-shell".into(), version: figures.dataset.version.clone(), digest: None },
        condition: "default".into(),
        tasks: figures.instances.iter().map(|i| i.id.clone()).collect(),
        task_details: figures.instances.iter().map(detail).collect(),
        repeats: (model.planned_attempts / tasks.max(1)) as u32,
        limits: limits(),
        planned_attempts: model.planned_attempts,
        scoring: Scoring::default(),
        created_at: format!("{}T00:00:00Z", figures.generated_at),
        tool: Some(tool.to_owned()),
        note: Some(format!(
            "{} Transcribed on import: one line for each published attempt. Not published, so absent here: patches, transcripts, turns, times, tokens, and the attempts that the original excluded. Cost of single attempts was published for one model only; a local model's cost is stated there as zero.",
            figures.note
        )),
    }
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
        merged_at: Some(i.merge_date.clone()),
        targets: Some(i.fail_to_pass),
        guards: Some(i.pass_to_pass),
        title: None,
    }
}

fn attempt(figures: &Figures, model: &PublishedModel, run: &Run, row: &[u32; 4]) -> Result<Attempt, String> {
    let [_, instance, repeat, code] = *row;
    let task = figures.instances.iter().find(|i| i.index == instance).ok_or_else(|| format!("attempt {row:?} names an unknown instance"))?;
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
        Some(c) if c.resolved != (outcome == Outcome::Resolved) => Err(format!("task {task:?}: the published cost and the attempt disagree on its outcome")),
        Some(c) => Ok(Some(c.cost_usd)),
        None => Ok(None),
    }
}

/// Writes a run folder; an existing one is never touched.
fn write_run(out: &Path, run: &Run, lines: &[Attempt]) -> Result<PathBuf, ResultsError> {
    let dir = out.join(&run.run);
    if dir.exists() {
        return Err(ResultsError::Exists(dir));
    }
    fs::create_dir_all(&dir).map_err(ResultsError::io(&dir))?;
    let path = dir.join("run.json");
    let mut text = serde_json::to_string_pretty(run)?;
    text.push('\n');
    fs::write(&path, text).map_err(ResultsError::io(&path))?;
    let path = dir.join("attempts.jsonl");
    let mut file = std::io::BufWriter::new(fs::File::create_new(&path).map_err(ResultsError::io(&path))?);
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n").map_err(ResultsError::io(&path))?;
    }
    file.flush().map_err(ResultsError::io(&path))?;
    Ok(dir)
}
