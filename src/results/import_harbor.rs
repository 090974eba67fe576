//! Jobs of Harbor as runs: one a scaffold, outcomes as its verifier rewarded them.

use super::ResultsError;
use super::draft::{Draft, ImportedRuns, Told, between, plain_name, suite_fault, write, zoned};
use super::harbor_dead;
use super::json_text::python_json;
use super::plan::slug;
use super::values::is_time;
use crate::schema::{Agent, Failure, Importer, Outcome, Seconds, Usage, no_text};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Exceptions after which the trial was rewarded all the same: the model's own doing.
const OF_THE_MODEL: [&str; 5] = ["NonZeroAgentExit", "AgentTimeout", "ContextWindow", "OutputToken", "Refusal"];
/// Exceptions by which somebody ended the trial.
const CANCELLED: [&str; 2] = ["Cancelled", "KeyboardInterrupt"];

/// Runs to be, by scaffold and dataset.
pub(super) type Drafts = BTreeMap<(String, String), Draft>;

/// Turns the trials of a job's folder, or of one trial's, into run folders below `out`.
///
/// A trial without a reward is a fault of the infrastructure, and so is one that ended by an exception of an unknown kind.
pub fn import_harbor(from: &Path, out: &Path, suite: Option<&str>, tool: &str) -> Result<ImportedRuns, ResultsError> {
    let mut losses = Vec::new();
    let mut drafts = Drafts::new();
    if let Some(what) = suite.and_then(suite_fault) {
        let hint = "write --suite as id@version".into();
        return Err(ResultsError::Import { path: from.to_owned(), what, hint });
    }
    let files = trials(from)?;
    for path in &files {
        let bytes = std::fs::read(path).map_err(ResultsError::io(path))?;
        let bad = |what: String| ResultsError::Import {
            path: path.clone(),
            what,
            hint: "expected the result.json of a trial of Harbor".into(),
        };
        if let Some((what, _)) = no_text(&bytes) {
            return Err(bad(what));
        }
        let trial: Value = python_json(&bytes).map_err(|e| bad(e.to_string()))?;
        let agent = agent(&trial);
        let source = text(&trial, "/source").unwrap_or("harbor").to_owned();
        let told = told(&trial, &mut losses).map_err(bad)?;
        let key = (format!("{}@{}", agent.name, agent.version), source.clone());
        let started = told.started_at.clone();
        let draft = drafts.entry(key).or_insert_with(|| draft(agent, &source, suite));
        let first = started.unwrap_or_default();
        if draft.created_at.is_empty() || !first.is_empty() && first < draft.created_at {
            draft.created_at = first;
        }
        draft.attempts.push(told);
    }
    harbor_dead::add(from, &mut drafts, suite, &mut losses);
    if suite.is_none() {
        losses
            .push("the version of the dataset is not in the job: the suite is named …@imported, or by --suite".into());
    }
    losses.push("patches, trajectories and reports stay in the job's folder".into());
    let job = from.file_name().and_then(|n| n.to_str()).unwrap_or("job").to_owned();
    let many = drafts.len() > 1;
    let named = drafts.into_values().map(|mut draft| {
        draft.name = plain_name(&if many { format!("{job}-{}", draft.agent.name) } else { job.clone() });
        if draft.created_at.is_empty() {
            losses.push("no trial tells when it began: the run's day is the first of 1970".into());
            draft.created_at = "1970-01-01T00:00:00Z".into();
        }
        draft
    });
    let dirs = write(from, out, named.collect(), tool)?;
    losses.sort();
    losses.dedup();
    Ok(ImportedRuns { dirs, losses })
}

/// A run without attempts.
pub(super) fn draft(agent: Agent, source: &str, suite: Option<&str>) -> Draft {
    Draft {
        name: String::new(),
        suite: suite.map_or_else(|| format!("{}@imported", slug(source)), str::to_owned),
        from: Importer::Harbor,
        agent,
        created_at: String::new(),
        note: "Imported from a job of Harbor: outcomes as its verifier rewarded them, in its containers and with its limits."
            .into(),
        limits: Map::new(),
        attempts: Vec::new(),
    }
}

/// The results of trials below a folder; the job's own, which has no trial's name, is left out.
fn trials(from: &Path) -> Result<Vec<PathBuf>, ResultsError> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(from).min_depth(1).max_depth(2).sort_by_file_name() {
        let entry = entry.map_err(|e| ResultsError::Io { path: from.to_owned(), cause: e.into() })?;
        // The docs call it results.json, the program writes result.json.
        if entry.file_type().is_file() && ["result.json", "results.json"].iter().any(|n| entry.file_name() == *n) {
            let bytes = std::fs::read(entry.path()).map_err(ResultsError::io(entry.path()))?;
            let is_job = python_json(&bytes).is_ok_and(|v| v.get("n_total_trials").is_some());
            if !is_job {
                found.push(entry.into_path());
            }
        }
    }
    if found.is_empty() {
        return Err(ResultsError::Import {
            path: from.to_owned(),
            what: format!(
                "no trial below it has a result.json{}",
                match harbor_dead::folders(from).len() {
                    0 => String::new(),
                    n => format!("; {n} folders of trials have none"),
                }
            ),
            hint: "name the folder of a job, as Harbor writes it below jobs/".into(),
        });
    }
    Ok(found)
}

pub(super) fn text<'v>(value: &'v Value, at: &str) -> Option<&'v str> {
    value.pointer(at).and_then(Value::as_str)
}

fn agent(trial: &Value) -> Agent {
    let or = |at: &str, other: &str| text(trial, at).filter(|t| !t.is_empty()).unwrap_or(other).to_owned();
    Agent { name: or("/agent_info/name", "unknown"), version: or("/agent_info/version", "unknown"), digest: None }
}

fn told(trial: &Value, losses: &mut Vec<String>) -> Result<Told, String> {
    let task = text(trial, "/task_name").filter(|t| !t.is_empty()).ok_or("task_name is missing")?.to_owned();
    let name = text(trial, "/trial_name").unwrap_or_default();
    let model = text(trial, "/agent_info/model_info/name").unwrap_or("unknown");
    let model = text(trial, "/agent_info/model_info/provider").map_or(model.to_owned(), |p| format!("{p}/{model}"));
    let rewards = trial.pointer("/verifier_result/rewards").and_then(Value::as_object).cloned().unwrap_or_default();
    let reward = reward(&rewards);
    if rewards.len() > 1 {
        losses.push("several rewards of one trial: the one named reward counts, else the smallest".into());
    }
    if reward.is_some_and(|r| r > 0.0 && r < 1.0) {
        losses.push("rewards between 0 and 1 count as not fixed; the line keeps them".into());
    }
    let (outcome, stop, error) = ended(trial, reward, &rewards, losses);
    for at in ["/started_at", "/finished_at"] {
        if let Some(time) = text(trial, at).filter(|t| !is_time(&zoned(t))) {
            return Err(format!("{} is {time:?}, which is no time", &at[1..]));
        }
    }
    for at in ["n_input_tokens", "n_cache_tokens", "n_output_tokens"] {
        let value = trial.pointer(&format!("/agent_result/{at}")).filter(|v| !v.is_null());
        if let Some(value) = value.filter(|v| v.as_u64().is_none()) {
            losses.push(format!("agent_result.{at} is {value} in a trial of {task}, which is no number of tokens"));
        }
    }
    let cost = trial.pointer("/agent_result/cost_usd").filter(|v| !v.is_null());
    if let Some(value) = cost.filter(|v| !v.as_f64().is_some_and(|c| c >= 0.0)) {
        losses.push(format!("agent_result.cost_usd is {value} in a trial of {task}, which is no cost"));
    }
    let number = |at: &str| trial.pointer(at).and_then(Value::as_u64);
    let cached = number("/agent_result/n_cache_tokens").unwrap_or(0);
    let usage = number("/agent_result/n_input_tokens").map(|input| Usage {
        input: input.saturating_sub(cached),
        cached_input: cached,
        cache_write: 0,
        output: number("/agent_result/n_output_tokens").unwrap_or(0),
        requests: 0,
    });
    let span = |phase: &str| {
        between(text(trial, &format!("/{phase}/started_at")), text(trial, &format!("/{phase}/finished_at")))
    };
    let keep = |key: &str, at: &str| trial.pointer(at).filter(|v| !v.is_null()).map(|v| (key.to_owned(), v.clone()));
    let extra = [
        keep("harbor_trial", "/trial_name"),
        keep("harbor_task_checksum", "/task_checksum"),
        (!rewards.is_empty()).then(|| ("harbor_rewards".to_owned(), json!(rewards))),
    ];
    Ok(Told {
        task,
        model,
        order: format!("{} {name}", text(trial, "/started_at").unwrap_or_default()),
        outcome: Some(outcome),
        stop,
        error,
        usage,
        cost_usd: cost.and_then(Value::as_f64).filter(|c| *c >= 0.0),
        seconds: Seconds {
            agent: span("agent_execution"),
            install: None,
            tests: span("verifier"),
            total: between(text(trial, "/started_at"), text(trial, "/finished_at")),
        },
        started_at: text(trial, "/started_at").map(zoned),
        finished_at: text(trial, "/finished_at").map(zoned),
        extra: extra.into_iter().flatten().collect(),
        ..Told::default()
    })
}

/// The number that decides; none where there is none that is finite.
fn reward(rewards: &Map<String, Value>) -> Option<f64> {
    let of = |v: &Value| match v {
        Value::Bool(good) => Some(if *good { 1.0 } else { 0.0 }),
        Value::String(text) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite()),
        v => v.as_f64().filter(|n| n.is_finite()),
    };
    match rewards.get("reward") {
        Some(value) => of(value),
        None => rewards.values().map(of).collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::min),
    }
}

type Ended = (Outcome, Option<&'static str>, Option<Failure>);

fn ended(trial: &Value, reward: Option<f64>, rewards: &Map<String, Value>, losses: &mut Vec<String>) -> Ended {
    let by_reward = |r: f64| if r >= 1.0 { Outcome::Resolved } else { Outcome::Unresolved };
    let Some(kind) = text(trial, "/exception_info/exception_type") else {
        return match reward {
            Some(r) => (by_reward(r), Some("submitted"), None),
            None => (Outcome::InfraError, Some("harness_error"), no_reward(rewards)),
        };
    };
    let message = text(trial, "/exception_info/exception_message").unwrap_or_default();
    let error = failure(kind, message);
    if CANCELLED.iter().any(|c| kind.contains(c)) {
        return (Outcome::Stopped, Some("cancelled"), error);
    }
    let valid = trial.pointer("/exception_info/policy/has_valid_reward").and_then(Value::as_bool);
    let timed = kind.contains("AgentTimeout");
    let known = OF_THE_MODEL.iter().any(|c| kind.contains(c));
    let stop = if timed { "time_limit" } else { "other" };
    match (known, reward) {
        (true, Some(r)) if r >= 1.0 => (Outcome::Resolved, Some(stop), error),
        (true, _) if timed => (Outcome::TimedOut, Some(stop), error),
        (true, Some(r)) => (by_reward(r), Some(stop), error),
        (true, None) => (Outcome::NoPatch, Some(stop), error),
        (false, _) => {
            if valid == Some(true) {
                losses.push(format!(
                    "{kind}: Harbor counts its reward; here what ended by an unknown fault is not counted"
                ));
            }
            (Outcome::InfraError, Some("harness_error"), error)
        }
    }
}

/// Why no reward decides.
fn no_reward(rewards: &Map<String, Value>) -> Option<Failure> {
    if rewards.is_empty() {
        return failure("no_reward", "the verifier left no reward");
    }
    failure("no_reward", &format!("the verifier left no reward that is a number: {}", Value::Object(rewards.clone())))
}

/// Characters of a fault's text.
const MOST_MESSAGE: usize = 2000;

pub(super) fn failure(class: &str, message: &str) -> Option<Failure> {
    Some(Failure { class: class.to_owned(), message: message.chars().take(MOST_MESSAGE).collect() })
}
