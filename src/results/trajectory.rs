//! Trajectories as other tools read them.

use super::ResultsError;
use crate::schema::{Attempt, Usage};
use serde_json::{Map, Value};
use std::path::Path;

/// One call of a tool, or one command.
pub(super) struct Act {
    /// Identity of the call, where the model gave one.
    pub id: Option<String>,
    /// The tool.
    pub tool: String,
    /// Its arguments; a command is the argument `command`.
    pub arguments: Map<String, Value>,
    /// What came of it, as the model was shown it.
    pub output: Option<Value>,
}

/// A reply and what was done with it.
pub(super) struct Turn {
    pub at: String,
    pub text: String,
    pub acts: Vec<Act>,
    /// What the model was told beside an output.
    pub notes: Vec<String>,
    pub usage: Option<Usage>,
    pub cost_usd: Option<f64>,
}

/// A trajectory: how the conversation began, and its turns.
pub(super) struct Trajectory {
    /// Role and text.
    pub opening: Vec<(String, String)>,
    pub turns: Vec<Turn>,
}

/// Reads `trajectory.jsonl`; a line that is none ends it, as a crash would have.
pub(super) fn read(path: &Path) -> Result<Trajectory, ResultsError> {
    let text = std::fs::read(path).map_err(ResultsError::io(path))?;
    let mut found = Trajectory { opening: Vec::new(), turns: Vec::new() };
    for line in text.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { break };
        if found.opening.is_empty() {
            found.opening = opening(&line);
        }
        take(&mut found.turns, &line);
    }
    Ok(found)
}

/// The messages of the first request, whatever the dialect.
fn opening(line: &Value) -> Vec<(String, String)> {
    let Some(request) = line.pointer("/calls/0/request") else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(system) = request.get("system").map(plain).filter(|t| !t.is_empty()) {
        found.push(("system".to_owned(), system));
    }
    for message in request.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("user").to_owned();
        let text = message.get("content").or_else(|| message.get("text")).map(plain).unwrap_or_default();
        found.push((role, text));
    }
    found
}

/// A text, or the texts of a list of parts.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|p| p.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn take(turns: &mut Vec<Turn>, line: &Value) {
    let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
    let reply = line.get("reply").filter(|r| !r.is_null());
    if let Some(reply) = reply {
        turns.push(Turn {
            at: text("at").unwrap_or_default(),
            text: reply.get("text").and_then(Value::as_str).unwrap_or_default().to_owned(),
            acts: Vec::new(),
            notes: Vec::new(),
            usage: line.get("usage").and_then(|u| serde_json::from_value(u.clone()).ok()),
            cost_usd: line.get("cost_usd").and_then(Value::as_f64),
        });
    }
    let Some(turn) = turns.last_mut() else { return };
    turn.notes.extend(text("note"));
    let Some(command) = text("command") else { return };
    let place = turn.acts.len();
    let call = reply.and_then(|r| r.get("tool_calls")?.get(place)).and_then(|c| c.get("id")?.as_str());
    let (tool, arguments) = match text("tool") {
        // The arguments of a tool are JSON; where a model wrote something else, that is kept as it is.
        Some(tool) => match serde_json::from_str::<Value>(&command) {
            Ok(Value::Object(map)) => (tool, map),
            _ => (tool, one("input", command)),
        },
        None => ("bash".to_owned(), one("command", command)),
    };
    let output = line.get("output").filter(|o| !o.is_null()).cloned();
    turn.acts.push(Act { id: call.map(str::to_owned), tool, arguments, output });
}

fn one(key: &str, value: String) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value.into())])
}

/// What a command printed, both streams in their order of keeping.
pub(super) fn printed(output: &Value) -> String {
    let of = |key: &str| output.get(key).and_then(Value::as_str).unwrap_or_default();
    format!("{}{}", of("stdout"), of("stderr"))
}

/// How the agent ended, in the words of mini-swe-agent.
pub(super) fn exit_status(attempt: &Attempt) -> String {
    match attempt.stop.as_deref() {
        Some("submitted") | None => "Submitted".to_owned(),
        Some("turn_limit" | "cost_limit") => "LimitsExceeded".to_owned(),
        Some("time_limit") => "TimeExceeded".to_owned(),
        Some(other) => other.split('_').map(capital).collect(),
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_ascii_uppercase().to_string() + chars.as_str()).unwrap_or_default()
}

/// Seconds since 1970 of a time as lines have it.
pub(super) fn seconds(at: &str) -> Option<f64> {
    let at: jiff::Timestamp = at.parse().ok()?;
    Some(at.as_millisecond() as f64 / 1000.0)
}
