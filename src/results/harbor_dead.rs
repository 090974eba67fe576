//! Trials of Harbor that left no result: they were begun, and are told of as faults of the infrastructure.

use super::draft::Told;
use super::import_harbor::{Drafts, draft, failure, text};
use crate::schema::{Agent, Outcome};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folders of a job's trials that hold no result, in order of their names.
pub(super) fn folders(job: &Path) -> Vec<PathBuf> {
    let is_job = json(&job.join("result.json")).is_some_and(|v| v.get("n_total_trials").is_some());
    if is_job || job.join("config.json").exists() {
        resultless(job).into_iter().filter(|d| is_trial(d)).collect()
    } else {
        Vec::new()
    }
}

/// Whether a folder without a result is a trial's: it is named TASK__CODE, or says itself what it is.
fn is_trial(dir: &Path) -> bool {
    dir.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.contains("__"))
        || ["config.json", "trial.log", "agent", "verifier"].iter().any(|n| dir.join(n).exists())
}

/// The folders of a job without a result.
fn resultless(job: &Path) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(job)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|e| e.file_type().is_dir())
        .map(walkdir::DirEntry::into_path);
    all.filter(|dir| !["result.json", "results.json"].iter().any(|name| dir.join(name).exists())).collect()
}

/// Adds them to the runs that they belong to.
pub(super) fn add(job: &Path, drafts: &mut Drafts, suite: Option<&str>, losses: &mut Vec<String>) {
    let found: usize = drafts.values().map(|d| d.attempts.len()).sum();
    let dead = folders(job);
    for dir in &dead {
        let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let config = json(&dir.join("config.json")).unwrap_or_default();
        let agent = text(&config, "/agent/name").or(text(&config, "/config/agent/name")).map(str::to_owned);
        let key =
            drafts.iter().find(|(_, d)| agent.as_ref().is_none_or(|a| *a == d.agent.name)).map(|(k, _)| k.clone());
        let key = key.unwrap_or_else(|| {
            let agent = agent.clone().unwrap_or_else(|| "unknown".into());
            let source = drafts.keys().next().map_or_else(|| "harbor".to_owned(), |(_, source)| source.clone());
            let new = draft(Agent { name: agent.clone(), version: "unknown".into(), digest: None }, &source, suite);
            let key = (format!("{agent}@unknown"), source);
            drafts.insert(key.clone(), new);
            key
        });
        let Some(run) = drafts.get_mut(&key) else { continue };
        let told = told(&name, &config, &run.attempts);
        losses.push(format!(
            "the trial {name} left no result.json: it counts as a fault of the infrastructure ({} with {})",
            told.task, told.model
        ));
        run.attempts.push(told);
    }
    let is_job = job.join("result.json").exists() || job.join("config.json").exists();
    for dir in resultless(job).iter().filter(|d| is_job && !is_trial(d)) {
        losses.push(format!("the folder {} holds nothing of a trial and is left out", dir.display()));
    }
    let planned = json(&job.join("result.json")).and_then(|v| v.get("n_total_trials")?.as_u64());
    if let Some(planned) = planned.filter(|n| *n > (found + dead.len()) as u64) {
        losses.push(format!("the job planned {planned} trials; of {} there is a folder", found + dead.len()));
    }
}

/// What can be told of a trial by its folder, its plan and the others.
fn told(name: &str, config: &Value, others: &[Told]) -> Told {
    let path = text(config, "/task/path").or(text(config, "/task/name")).map(|p| p.trim_end_matches('/'));
    let short = path.and_then(|p| p.rsplit('/').next());
    let short = short.or(name.rsplit_once("__").map(|(task, _)| task)).unwrap_or(name);
    let same = |task: &str| task == short || task.rsplit('/').next() == Some(short);
    let task = others.iter().map(|t| t.task.as_str()).find(|t| same(t)).unwrap_or(short).to_owned();
    let said = text(config, "/agent/model_name").map(str::to_owned);
    let mut models: Vec<&String> = others.iter().map(|t| &t.model).collect();
    models.sort();
    models.dedup();
    let only = if let [only] = models.as_slice() { Some((*only).clone()) } else { None };
    Told {
        task,
        model: said.or(only).unwrap_or_else(|| "unknown".to_owned()),
        order: format!("~ {name}"),
        outcome: Some(Outcome::InfraError),
        stop: Some("harness_error"),
        error: failure("no_result", "the trial left no result.json"),
        extra: [("harbor_trial".to_owned(), name.into())].into_iter().collect(),
        ..Told::default()
    }
}

fn json(path: &Path) -> Option<Value> {
    super::json_text::python_json(&std::fs::read(path).ok()?).ok()
}
