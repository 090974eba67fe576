//! The trajectory of an attempt: one line a step, redacted before it is written, on the disk before the next turn.

use super::AgentError;
use crate::gateway::{Call, CallLog, Reply, Secrets, Spent};
use crate::schema::Usage;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "tsbench.turn/1";

/// What came of a command, as the model was shown it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Output {
    /// Exit code; -1 where it did not end by itself.
    pub exit: i64,
    /// How it ended, where that is not by itself: `timed_out`, `out_of_memory`, `disk_limit`, `signal`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<&'static str>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Bytes of both that were left out.
    pub cut: u64,
}

/// One step: a reply, and what was done with it. Further calls of tools of one reply are lines without a reply.
#[derive(Clone, Debug, Default)]
pub struct Turn<'a> {
    /// The reply, as it can be replayed.
    pub reply: Option<&'a Reply>,
    /// The tool, for agents that have several.
    pub tool: Option<&'a str>,
    /// The command, or the arguments of the tool.
    pub command: Option<&'a str>,
    /// What came of it.
    pub output: Option<Output>,
    /// What the model was told beside or instead of an output.
    pub note: Option<&'a str>,
    /// Seconds of the step.
    pub seconds: f64,
}

/// Keeps calls and steps of one attempt.
pub struct Trace {
    path: PathBuf,
    file: File,
    secrets: Secrets,
    clock: fn() -> String,
    calls: Vec<Call>,
    spent: Spent,
    /// Messages of the last request that was written, so that the next one need not repeat them.
    messages: Vec<Value>,
    turn: u64,
    /// Models that the provider says it used.
    served_models: BTreeSet<String>,
}

impl CallLog for Trace {
    fn call(&mut self, call: Call) {
        self.spent.add(&call);
        self.served_models.extend(call.served_model.clone());
        self.calls.push(call);
    }
}

impl Trace {
    /// A new trajectory; what was spent before it on the same attempt counts too.
    pub fn create(path: &Path, secrets: Secrets, clock: fn() -> String, before: Spent) -> Result<Trace, AgentError> {
        let bad = |cause| AgentError::Trace { path: path.to_owned(), cause };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(bad)?;
        }
        let file = File::create(path).map_err(bad)?;
        let (calls, messages) = (Vec::new(), Vec::new());
        let (path, served_models) = (path.to_owned(), BTreeSet::new());
        Ok(Trace { path, file, secrets, clock, calls, spent: before, messages, turn: 0, served_models })
    }

    /// The models that the provider says it used, in the order of their names.
    pub fn served_models(&self) -> Vec<String> {
        self.served_models.iter().cloned().collect()
    }

    /// What the calls used and cost so far.
    pub fn spent(&self) -> &Spent {
        &self.spent
    }

    /// Replies so far.
    pub fn turns(&self) -> u64 {
        self.turn
    }

    /// Writes one step and every call since the last one.
    pub fn step(&mut self, step: &Turn<'_>) -> Result<(), AgentError> {
        self.turn += u64::from(step.reply.is_some());
        let calls: Vec<Value> = std::mem::take(&mut self.calls).iter().map(|c| self.shortened(c)).collect();
        let usage: Option<Usage> = step.reply.and_then(|r| r.usage);
        let mut line = json!({
            "schema": SCHEMA, "turn": self.turn, "at": (self.clock)(), "reply": step.reply, "command": step.command,
            "output": step.output, "seconds": millis(step.seconds), "usage": usage,
            "cost_usd": step.reply.and_then(|r| r.cost_usd), "calls": calls,
        });
        for (name, value) in [("tool", step.tool), ("note", step.note)] {
            if let Some(value) = value {
                line[name] = value.into();
            }
        }
        let mut bytes = self.secrets.redact_json(line).to_string().into_bytes();
        bytes.push(b'\n');
        self.file.write_all(&bytes).map_err(|cause| AgentError::Trace { path: self.path.clone(), cause })
    }

    /// Writes calls that no step told of, if there are any, and waits for the disk.
    pub fn finish(&mut self, note: Option<&str>) -> Result<(), AgentError> {
        if note.is_some() || !self.calls.is_empty() {
            self.step(&Turn { note, ..Turn::default() })?;
        }
        self.file.sync_all().map_err(|cause| AgentError::Trace { path: self.path.clone(), cause })
    }

    /// A call whose request leaves out the messages that the request before it had: `messages_before` counts them.
    fn shortened(&mut self, call: &Call) -> Value {
        let mut value = serde_json::to_value(call).unwrap_or(Value::Null);
        if let Some(Value::Array(messages)) = value.pointer_mut("/request/messages") {
            let same = messages.iter().zip(&self.messages).take_while(|(a, b)| a == b).count();
            let added = messages.split_off(same);
            let kept = std::mem::replace(messages, added.clone());
            self.messages = kept.into_iter().chain(added).collect();
            value["messages_before"] = same.into();
        }
        value
    }
}

fn millis(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// What the calls of a trajectory used and cost, also of one that was cut off.
pub fn spent_of(path: &Path) -> Spent {
    let mut spent = Spent::default();
    let Ok(file) = File::open(path) else { return spent };
    for line in std::io::BufReader::new(file).lines().map_while(Result::ok) {
        let Ok(mut value) = serde_json::from_str::<Value>(&line) else { continue };
        let calls = value.get_mut("calls").map(Value::take);
        let calls: Vec<Call> = calls.and_then(|c| serde_json::from_value(c).ok()).unwrap_or_default();
        calls.iter().for_each(|c| spent.add(c));
    }
    spent
}
