//! Logs of Inspect, as `inspect log dump` prints them, as runs.

use super::ResultsError;
use super::draft::{Draft, ImportedRuns, Told, write, zoned};
use super::plan::slug;
use crate::schema::{Agent, Failure, Outcome, Seconds, Usage};
use serde_json::{Map, Value, json};
use std::path::Path;

/// Turns a dumped log into a run folder below `out`. `scorer` names the score that decides, where there are several.
pub fn import_inspect(
    from: &Path,
    out: &Path,
    suite: Option<&str>,
    scorer: Option<&str>,
    tool: &str,
) -> Result<ImportedRuns, ResultsError> {
    let bytes = std::fs::read(from).map_err(ResultsError::io(from))?;
    let bad =
        |what: &str, hint: &str| ResultsError::Import { path: from.to_owned(), what: what.into(), hint: hint.into() };
    if bytes.starts_with(b"PK") {
        return Err(bad("is an archive", "print it as JSON first: inspect log dump FILE"));
    }
    let log: Value =
        serde_json::from_slice(&bytes).map_err(|e| bad(&e.to_string(), "expected what inspect log dump prints"))?;
    let samples = log.get("samples").and_then(Value::as_array).filter(|s| !s.is_empty());
    let samples =
        samples.ok_or_else(|| bad("there are no samples in it", "dump the whole log, not its header alone"))?;
    let mut losses = vec!["messages, events and outputs of samples stay in the log".to_owned()];
    let status = text(&log, "/status").unwrap_or("unknown");
    if status != "success" {
        losses.push(format!("the log's status is {status}: samples that did not run are no attempts"));
    }
    let name = chosen(samples, scorer).map_err(|why| bad(&why, "name one with --scorer"))?;
    let model = text(&log, "/eval/model").ok_or_else(|| bad("eval.model is missing", "expected a log of version 2"))?;
    let attempts = samples.iter().map(|s| told(s, model, &name, &mut losses)).collect::<Result<Vec<_>, String>>();
    let attempts = attempts.map_err(|why| bad(&why, "expected a log of version 2"))?;
    let task = text(&log, "/eval/task").unwrap_or("inspect");
    let version = log.pointer("/eval/task_version").map(plain).filter(|v| !v.is_empty());
    let created = text(&log, "/eval/created").map(zoned);
    let config = log.pointer("/eval/config").and_then(Value::as_object).cloned().unwrap_or_default();
    let solver = text(&log, "/eval/solver").unwrap_or("inspect");
    let package = text(&log, "/eval/packages/inspect_ai").unwrap_or("unknown");
    let draft = Draft {
        name: slug(
            &format!("{}-{task}-{model}", created.as_deref().map_or("", |c| &c[..10.min(c.len())])).to_lowercase(),
        ),
        suite: suite
            .map_or_else(|| format!("{}@{}", slug(task), version.as_deref().unwrap_or("imported")), str::to_owned),
        agent: Agent { name: solver.to_owned(), version: package.to_owned(), digest: None },
        created_at: created.unwrap_or_else(|| "1970-01-01T00:00:00Z".into()),
        note: format!("Imported from a log of Inspect: outcomes by its scorer {name:?}, with its limits."),
        limits: config,
        attempts,
    };
    let dirs = write(from, out, vec![draft], tool)?;
    losses.sort();
    losses.dedup();
    Ok(ImportedRuns { dirs, losses })
}

fn text<'v>(value: &'v Value, at: &str) -> Option<&'v str> {
    value.pointer(at).and_then(Value::as_str)
}

/// A text or a number as text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The scorer that decides: the one that is named, or the only one.
fn chosen(samples: &[Value], wanted: Option<&str>) -> Result<String, String> {
    let mut names: Vec<&String> =
        samples.iter().filter_map(|s| s.get("scores")?.as_object()).flat_map(Map::keys).collect();
    names.sort();
    names.dedup();
    match wanted {
        Some(name) if names.iter().any(|n| *n == name) => Ok(name.to_owned()),
        Some(name) => Err(format!("no sample was scored by {name:?}; there are: {names:?}")),
        None if names.len() == 1 => Ok(names[0].clone()),
        None => Err(format!("{} scorers decide over samples: {names:?}", names.len())),
    }
}

fn told(sample: &Value, model: &str, scorer: &str, losses: &mut Vec<String>) -> Result<Told, String> {
    let task = sample.get("id").map(plain).filter(|t| t != "null").ok_or("a sample has no id")?;
    let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1).max(1);
    let value = sample.get("scores").and_then(|s| s.get(scorer)).and_then(|s| s.get("value"));
    let (outcome, stop, error) = ended(sample, value, losses);
    let usage = sample.get("model_usage").and_then(Value::as_object);
    let sum = |key: &str| -> u64 { usage.into_iter().flat_map(Map::values).filter_map(|u| u.get(key)?.as_u64()).sum() };
    let costs: Option<Vec<f64>> =
        usage.map(|u| u.values().map(|m| m.get("total_cost").and_then(Value::as_f64)).collect()).unwrap_or_default();
    let seconds = |key: &str| sample.get(key).and_then(Value::as_f64);
    let extra = value.map(|v| ("inspect_score".to_owned(), json!({"scorer": scorer, "value": v})));
    Ok(Told {
        task,
        model: model.to_owned(),
        repeat: Some(u32::try_from(epoch - 1).map_err(|_| format!("the epoch {epoch}"))?),
        outcome: Some(outcome),
        stop,
        error,
        usage: usage.map(|_| Usage {
            input: sum("input_tokens"),
            cached_input: sum("input_tokens_cache_read"),
            cache_write: sum("input_tokens_cache_write"),
            output: sum("output_tokens"),
            requests: 0,
        }),
        cost_usd: costs.filter(|c| !c.is_empty()).map(|c| c.iter().sum()),
        seconds: Seconds { agent: seconds("working_time"), total: seconds("total_time"), ..Seconds::default() },
        started_at: text(sample, "/started_at").map(zoned),
        finished_at: text(sample, "/completed_at").map(zoned),
        extra: extra.into_iter().collect(),
        ..Told::default()
    })
}

type Ended = (Outcome, Option<&'static str>, Option<Failure>);

fn ended(sample: &Value, value: Option<&Value>, losses: &mut Vec<String>) -> Ended {
    if let Some(error) = sample.get("error").filter(|e| !e.is_null()) {
        let message = error.get("message").map(plain).unwrap_or_default();
        let error = Failure { class: "sample_error".into(), message: message.chars().take(2000).collect() };
        return (Outcome::InfraError, Some("harness_error"), Some(error));
    }
    let limit = text(sample, "/limit/type");
    let stop = match limit {
        None => "submitted",
        Some("time" | "working") => "time_limit",
        Some("message" | "turn" | "conversation") => "turn_limit",
        Some("cost") => "cost_limit",
        Some("token" | "context") => "context_limit",
        Some(_) => "other",
    };
    let good = match value {
        Some(Value::String(letter)) => match letter.as_str() {
            "C" => Some(true),
            "I" | "N" => Some(false),
            "P" => {
                losses.push(
                    "samples that are scored as partly right count as not fixed; the line keeps the score".into(),
                );
                Some(false)
            }
            other => other.parse::<f64>().ok().map(|n| n >= 1.0),
        },
        Some(Value::Bool(good)) => Some(*good),
        Some(Value::Number(n)) => n.as_f64().map(|n| n >= 1.0),
        _ => None,
    };
    match good {
        Some(true) => (Outcome::Resolved, Some(stop), None),
        Some(false) if stop == "time_limit" => (Outcome::TimedOut, Some(stop), None),
        Some(false) => (Outcome::Unresolved, Some(stop), None),
        None => {
            let error = Failure { class: "no_score".into(), message: "the sample was not scored".into() };
            (Outcome::InfraError, Some("harness_error"), Some(error))
        }
    }
}
