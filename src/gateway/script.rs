//! Models that say what a file says: a script written by hand, or the recorded trajectory of an attempt.

use super::mock::{now, told};
use super::{Call, CallLog, Expired, Finish, Gateway, GatewayError, ModelEntry, Reply, Request, ToolCall};
use crate::schema::Usage;
use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A line of a script: a reply, or a fault instead of one.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    text: String,
    #[serde(default)]
    tool_calls: Vec<ScriptedCall>,
    #[serde(default)]
    finish: Option<Finish>,
    #[serde(default)]
    usage: Option<Usage>,
    #[serde(default)]
    cost_usd: Option<f64>,
    /// Seconds before the answer.
    #[serde(default)]
    wait_seconds: f64,
    /// A fault instead of a reply.
    #[serde(default)]
    error: Option<Fault>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedCall {
    name: String,
    /// JSON, or text that is handed on as it is.
    #[serde(default)]
    arguments: Value,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fault {
    Auth,
    BadRequest,
    ContextOverflow,
    RateLimited,
    Server,
    Connection,
    Timeout,
    Malformed,
}

impl Fault {
    fn error(self) -> GatewayError {
        let text = "as the script says".to_owned();
        match self {
            Fault::Auth => GatewayError::Auth { status: 401, text },
            Fault::BadRequest => GatewayError::BadRequest { status: 400, text },
            Fault::ContextOverflow => GatewayError::ContextOverflow { text },
            Fault::RateLimited => GatewayError::RateLimited { text },
            Fault::Server => GatewayError::Server { status: 500, text },
            Fault::Connection => GatewayError::Connection { address: "the script".into(), cause: text },
            Fault::Timeout => GatewayError::Timeout { what: Expired::Idle, seconds: 0.0 },
            Fault::Malformed => GatewayError::Malformed { what: text },
        }
    }
}

#[derive(Clone, Debug)]
enum Turn {
    Reply(Reply, f64),
    Fault(GatewayError, f64),
}

/// A model that says what a file says.
pub(super) struct Script {
    entry: ModelEntry,
    file: PathBuf,
    turns: Vec<Turn>,
    turn: AtomicUsize,
}

impl Script {
    /// The lines of a script: one JSON object for each turn.
    pub(super) fn scripted(entry: &ModelEntry, file: &Path) -> Result<Script, GatewayError> {
        let hint = "one JSON object a line, such as {\"text\": \"…\"} or {\"error\": \"server\"}";
        let turns = each_line(file, hint, |number, line| {
            let line: Line = serde_json::from_value(line).map_err(|e| e.to_string())?;
            if !(0.0..=86_400.0).contains(&line.wait_seconds) {
                return Err("wait_seconds must be from 0 to 86400".into());
            }
            Ok(Some(scripted_turn(number, line)))
        })?;
        Ok(Script { entry: entry.clone(), file: file.to_owned(), turns, turn: AtomicUsize::new(0) })
    }

    /// The replies of a recorded trajectory, with their tokens and costs.
    pub(super) fn recorded(entry: &ModelEntry, file: &Path) -> Result<Script, GatewayError> {
        let hint = "a trajectory.jsonl of an attempt has a reply in each line of a turn";
        let turns = each_line(file, hint, |_, mut line| match line.get_mut("reply").map(Value::take) {
            None | Some(Value::Null) => Ok(None),
            Some(reply) => {
                let reply: Reply = serde_json::from_value(reply).map_err(|e| format!("reply: {e}"))?;
                Ok(Some(Turn::Reply(reply, 0.0)))
            }
        })?;
        Ok(Script { entry: entry.clone(), file: file.to_owned(), turns, turn: AtomicUsize::new(0) })
    }
}

fn scripted_turn(number: usize, line: Line) -> Turn {
    if let Some(fault) = line.error {
        return Turn::Fault(fault.error(), line.wait_seconds);
    }
    let tool_calls: Vec<ToolCall> = line
        .tool_calls
        .into_iter()
        .enumerate()
        .map(|(i, call)| ToolCall {
            id: format!("call_{number}_{i}"),
            name: call.name,
            arguments: match call.arguments {
                Value::String(text) => text,
                Value::Null => "{}".to_owned(),
                value => value.to_string(),
            },
        })
        .collect();
    let finish = line.finish.unwrap_or(if tool_calls.is_empty() { Finish::Stop } else { Finish::Tools });
    let usage = line.usage.unwrap_or(Usage { requests: 1, ..Usage::default() });
    let cost_usd = Some(line.cost_usd.unwrap_or(0.0));
    let reply =
        Reply { text: line.text, tool_calls, finish, usage: Some(usage), cost_usd, seconds: 0.0, waited_seconds: 0.0 };
    Turn::Reply(reply, line.wait_seconds)
}

fn each_line(
    file: &Path,
    hint: &str,
    turn: impl Fn(usize, Value) -> Result<Option<Turn>, String>,
) -> Result<Vec<Turn>, GatewayError> {
    let bad = |what: String| GatewayError::File { file: file.to_owned(), what, hint: hint.to_owned() };
    let text = std::fs::read_to_string(file).map_err(|e| bad(e.to_string()))?;
    let mut turns = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = |what: String| bad(format!("line {}: {what}", i + 1));
        let value: Value = serde_json::from_str(line).map_err(|e| at(e.to_string()))?;
        turns.extend(turn(i + 1, value).map_err(at)?);
    }
    if turns.is_empty() {
        return Err(bad("there is no reply in it".into()));
    }
    Ok(turns)
}

#[async_trait]
impl Gateway for Script {
    async fn complete(&self, request: &Request, log: &mut dyn CallLog) -> Result<Reply, GatewayError> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let Some(turn) = self.turns.get(turn) else {
            return Err(GatewayError::Exhausted { file: self.file.display().to_string(), turns: self.turns.len() });
        };
        let (Turn::Reply(_, wait) | Turn::Fault(_, wait)) = turn;
        let seconds = wait.min(request.seconds_left.max(0.0));
        if seconds > 0.0 {
            tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        }
        let (call, end) = match turn {
            _ if seconds < *wait => {
                let error = GatewayError::OutOfTime { seconds };
                (failed(request, &error, seconds), Err(error))
            }
            Turn::Fault(error, _) => (failed(request, error, seconds), Err(error.clone())),
            Turn::Reply(reply, _) => {
                let reply = Reply { seconds: reply.seconds.max(seconds), ..reply.clone() };
                (told(request, &reply), Ok(reply))
            }
        };
        log.call(call);
        end
    }

    fn entry(&self) -> &ModelEntry {
        &self.entry
    }
}

fn failed(request: &Request, error: &GatewayError, seconds: f64) -> Call {
    Call {
        request: json!({"messages": request.messages, "tools": request.tools}),
        left_out: Vec::new(),
        response: None,
        status: None,
        class: Some(error.class().to_owned()),
        error: Some(error.to_string()),
        retry_after: None,
        started_at: now(),
        seconds,
        usage: None,
        usage_refused: None,
        served_model: None,
        cost_usd: None,
        billable: false,
    }
}
