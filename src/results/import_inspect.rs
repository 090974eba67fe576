//! Logs of Inspect, as `inspect log dump` prints them, as runs.

use super::ResultsError;
use super::draft::{Draft, ImportedRuns, Told, plain_name, suite_fault, write, zoned};
use super::json_text::python_json;
use super::plan::slug;
use super::values::is_time;
use crate::schema::{Agent, Failure, Importer, Outcome, Seconds, Usage, no_text};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
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
    if let Some((what, hint)) = no_text(&bytes) {
        return Err(bad(&what, hint));
    }
    if let Some(why) = suite.and_then(suite_fault) {
        return Err(bad(&why, "write --suite as id@version"));
    }
    let log: Value = python_json(&bytes).map_err(|e| bad(&e.to_string(), "expected what inspect log dump prints"))?;
    if log.get("version").and_then(Value::as_u64) != Some(2) {
        let found = log.get("version").map_or_else(|| "no version".to_owned(), |v| format!("the version {v}"));
        return Err(bad(
            &format!("it has {found}"),
            "expected a log of version 2: dump it with a current inspect log dump",
        ));
    }
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
    let alike = printed_alike(samples);
    if !alike.is_empty() {
        losses.push(format!(
            "ids that are a number in one sample and a text in another: the text stands in quotes: {alike:?}"
        ));
    }
    let attempts =
        samples.iter().map(|s| told(s, model, (&name, &alike), &mut losses)).collect::<Result<Vec<_>, String>>();
    let attempts = attempts.map_err(|why| bad(&why, "expected a log of version 2"))?;
    if let Some((task, repeat)) = twice(&attempts) {
        let what = format!("the sample {task:?} stands twice with the epoch {}", repeat + 1);
        return Err(bad(&what, "a sample is one attempt for each epoch: correct the log"));
    }
    let task = text(&log, "/eval/task").unwrap_or("inspect");
    let version = log.pointer("/eval/task_version").map(plain).filter(|v| !v.is_empty());
    let created = text(&log, "/eval/created").or(text(&log, "/stats/started_at")).map(zoned);
    let created = created
        .ok_or_else(|| bad("eval.created is missing", "expected a log of version 2, which tells when it was made"))?;
    if !is_time(&created) {
        return Err(bad(
            &format!("eval.created is {created:?}, which is no time"),
            "expected a time as 2026-01-31T12:00:00Z",
        ));
    }
    let config = log.pointer("/eval/config").and_then(Value::as_object).cloned().unwrap_or_default();
    let solver = text(&log, "/eval/solver").unwrap_or("inspect");
    let package = text(&log, "/eval/packages/inspect_ai").unwrap_or("unknown");
    let draft = Draft {
        name: plain_name(&format!("{}-{task}-{model}", created.get(..10).unwrap_or_default())),
        suite: suite
            .map_or_else(|| format!("{}@{}", slug(task), version.as_deref().unwrap_or("imported")), str::to_owned),
        from: Importer::Inspect,
        agent: Agent { name: solver.to_owned(), version: package.to_owned(), digest: None },
        created_at: created,
        note: format!("Imported from a log of Inspect: outcomes by its scorer {name:?}, with its limits."),
        limits: config,
        attempts,
    };
    let dirs = write(from, out, vec![draft], tool)?;
    losses.sort();
    losses.dedup();
    Ok(ImportedRuns { dirs, losses })
}

/// An attempt that is told of twice.
fn twice(attempts: &[Told]) -> Option<(String, u32)> {
    let mut seen = BTreeSet::new();
    let of = |t: &Told| (t.task.clone(), t.repeat.unwrap_or(0));
    attempts.iter().map(of).find(|key| !seen.insert(key.clone()))
}

fn text<'v>(value: &'v Value, at: &str) -> Option<&'v str> {
    value.pointer(at).and_then(Value::as_str)
}

/// A text or a number as text.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Ids that some samples have as a number and others as the text of it: to Inspect these are two samples.
fn printed_alike(samples: &[Value]) -> BTreeSet<String> {
    let ids = |is_text: bool| {
        let ids = samples.iter().filter_map(|s| s.get("id")).filter(move |id| id.is_string() == is_text);
        ids.map(plain).collect::<BTreeSet<String>>()
    };
    ids(true).intersection(&ids(false)).cloned().collect()
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

fn told(
    sample: &Value,
    model: &str,
    (scorer, alike): (&str, &BTreeSet<String>),
    losses: &mut Vec<String>,
) -> Result<Told, String> {
    let id = sample.get("id").filter(|id| !id.is_null()).ok_or("a sample has no id")?;
    let task = match id.as_str() {
        Some(text) if alike.contains(text) => id.to_string(),
        _ => plain(id),
    };
    let epoch = sample.get("epoch").and_then(Value::as_u64).unwrap_or(1).max(1);
    let value = sample.get("scores").and_then(|s| s.get(scorer)).and_then(|s| s.get("value"));
    let (outcome, stop, error) = ended(sample, value, losses);
    let usage = sample.get("model_usage").and_then(Value::as_object);
    let sum = |key: &str| -> u64 { usage.into_iter().flat_map(Map::values).filter_map(|u| u.get(key)?.as_u64()).sum() };
    let costs: Option<Vec<f64>> =
        usage.map(|u| u.values().map(|m| m.get("total_cost").and_then(Value::as_f64)).collect()).unwrap_or_default();
    for (model, used) in usage.into_iter().flatten() {
        for key in ["input_tokens", "output_tokens", "input_tokens_cache_read", "input_tokens_cache_write"] {
            if let Some(value) = used.get(key).filter(|v| !v.is_null() && v.as_u64().is_none()) {
                losses
                    .push(format!("{key} of {model} is {value} in the sample {task:?}, which is no number of tokens"));
            }
        }
    }
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
    let good = match value.map(read) {
        None | Some(Score::None) => None,
        Some(Score::Unscored) => {
            losses.push(
                "samples whose score is NaN: Inspect marks with it what it did not score, and they are not counted"
                    .into(),
            );
            None
        }
        Some(Score::Number(n)) => {
            if n > 0.0 && n < 1.0 {
                losses.push(PARTLY.into());
            }
            Some(n >= 1.0)
        }
        Some(Score::Other(what)) => {
            losses.push(format!(
                "samples whose score is {what}: no single outcome can be read from it, and they are not counted"
            ));
            let error =
                Failure { class: "no_score".into(), message: format!("the score is {what}, which is no outcome") };
            return (Outcome::InfraError, Some("harness_error"), Some(error));
        }
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

const PARTLY: &str = "samples that are scored as partly right count as not fixed; the line keeps the score";

/// A score as Inspect itself turns it into a number.
enum Score {
    Number(f64),
    /// There is none.
    None,
    /// The mark with which Inspect says that a scorer left the sample out.
    Unscored,
    /// It is something else, in words.
    Other(String),
}

fn read(value: &Value) -> Score {
    let number = |good: bool| Score::Number(if good { 1.0 } else { 0.0 });
    match value {
        Value::Null => Score::None,
        Value::Bool(good) => number(*good),
        Value::Number(n) => n.as_f64().map_or(Score::None, Score::Number),
        Value::String(text) => match (text.as_str(), text.trim().to_lowercase().as_str()) {
            ("C", _) => number(true),
            ("I" | "N", _) => number(false),
            ("P", _) => Score::Number(0.5),
            (_, "nan") => Score::Unscored,
            (_, "yes" | "true" | "y" | "on") => number(true),
            (_, "no" | "false" | "n" | "off") => number(false),
            (_, word) => match word.parse::<f64>().ok().filter(|n| n.is_finite()) {
                Some(n) => Score::Number(n),
                None => Score::Other(format!("the text {:?}", text.chars().take(40).collect::<String>())),
            },
        },
        Value::Array(_) => Score::Other("a list".into()),
        Value::Object(map) => {
            let names: Vec<&str> = map.keys().take(5).map(String::as_str).collect();
            Score::Other(format!("a map of {}", names.join(", ")))
        }
    }
}
