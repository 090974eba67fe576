//! Models without a network: the human fix, nothing at all, and a coin between the two.

use super::{Call, CallLog, Finish, Gateway, GatewayError, ModelEntry, Reply, Request, ToolCall};
use crate::schema::Usage;
use async_trait::async_trait;
use base64::Engine as _;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How the agent that asks expects to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// One command in one fenced block.
    Shell {
        /// The command that ends the attempt.
        submit: String,
    },
    /// Calls of tools.
    Tools {
        /// The tool that runs a command.
        run: String,
        /// Its argument that holds the command.
        argument: String,
        /// The tool that ends the attempt; without one, a reply that calls no tool ends it.
        submit: Option<String>,
    },
}

/// What the models without a network are given to know.
#[derive(Clone, Debug)]
pub struct MockContext {
    /// The human fix as a patch.
    pub solution: Vec<u8>,
    /// `run|task|model|repeat`: chance depends on nothing else. It also spreads the waits between tries.
    pub seed: String,
    /// How to answer.
    pub agent: AgentKind,
}

/// Characters of base64 in one command: well below the 128 KiB that one argument of a program may have.
const PIECE: usize = 60_000;

/// Longer fixes are collected here: inside the workspace, and no part of its tree.
const COLLECTED: &str = ".git/collected.patch";

/// A model whose commands are known from the start.
pub(super) struct Mock {
    entry: ModelEntry,
    agent: AgentKind,
    commands: Vec<String>,
    turn: AtomicUsize,
}

impl Mock {
    /// The model `mock/<what>`.
    pub(super) fn new(entry: &ModelEntry, what: &str, context: MockContext) -> Result<Mock, GatewayError> {
        let solves = match what.split_once(':') {
            None if what == "gold" => true,
            None if what == "empty" => false,
            Some(("random", p)) => chance(&context.seed) < probability(&entry.id, p)?,
            _ => return Err(unknown(&entry.id)),
        };
        let commands = if solves { commands(&context.solution) } else { Vec::new() };
        Ok(Mock { entry: entry.clone(), agent: context.agent, commands, turn: AtomicUsize::new(0) })
    }

    fn reply(&self, turn: usize) -> Reply {
        let command = self.commands.get(turn);
        let (text, tool_calls) = match &self.agent {
            AgentKind::Shell { submit } => {
                (format!("```bash\n{}\n```\n", command.unwrap_or(submit).trim_end()), Vec::new())
            }
            AgentKind::Tools { run, argument, submit } => {
                let call = |name: &str, arguments: serde_json::Value| ToolCall {
                    id: format!("call_{turn}"),
                    name: name.to_owned(),
                    arguments: arguments.to_string(),
                };
                match (command, submit) {
                    (Some(command), _) => (String::new(), vec![call(run, json!({argument: command}))]),
                    (None, Some(submit)) => (String::new(), vec![call(submit, json!({}))]),
                    (None, None) => ("Done.".to_owned(), Vec::new()),
                }
            }
        };
        let finish = if tool_calls.is_empty() { Finish::Stop } else { Finish::Tools };
        Reply { text, tool_calls, finish, usage: None, cost_usd: None, seconds: 0.0, waited_seconds: 0.0 }
    }
}

#[async_trait]
impl Gateway for Mock {
    async fn complete(&self, request: &Request, log: &mut dyn CallLog) -> Result<Reply, GatewayError> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut reply = self.reply(turn);
        reply.usage = Some(Usage { requests: 1, ..Usage::default() });
        reply.cost_usd = Some(0.0);
        log.call(told(request, &reply));
        Ok(reply)
    }

    fn entry(&self) -> &ModelEntry {
        &self.entry
    }
}

/// The record of a reply that came from no network.
pub(super) fn told(request: &Request, reply: &Reply) -> Call {
    Call {
        request: json!({"messages": request.messages, "tools": request.tools}),
        left_out: Vec::new(),
        response: serde_json::to_value(reply).ok(),
        status: None,
        class: None,
        error: None,
        retry_after: None,
        started_at: now(),
        seconds: reply.seconds,
        usage: reply.usage,
        usage_refused: None,
        served_model: None,
        cost_usd: reply.cost_usd,
        billable: true,
    }
}

/// The time of a call: evidence, on which no result depends.
pub(super) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

pub(super) fn unknown(id: &str) -> GatewayError {
    GatewayError::NoModel {
        id: id.to_owned(),
        hint: "without a network there are mock/gold, mock/empty, mock/random:P, mock/script:FILE and replay:FILE"
            .into(),
    }
}

/// The probability of `mock/random:P`.
pub(super) fn probability(id: &str, text: &str) -> Result<f64, GatewayError> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
        _ => Err(GatewayError::NoModel {
            id: id.to_owned(),
            hint: "P is a probability from 0 to 1, such as mock/random:0.3".into(),
        }),
    }
}

/// A number from 0 to below 1 that a seed stands for: the first 53 bits of its SHA-256.
pub(super) fn chance(seed: &str) -> f64 {
    let digest = Sha256::digest(seed.as_bytes());
    let bits = digest.iter().take(8).fold(0u64, |all, byte| all << 8 | u64::from(*byte));
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// The commands that apply a patch in a workspace.
fn commands(solution: &[u8]) -> Vec<String> {
    if solution.is_empty() {
        return Vec::new();
    }
    let text = base64::engine::general_purpose::STANDARD.encode(solution);
    if text.len() <= PIECE {
        return vec![format!("base64 -d <<'END' | git apply --whitespace=nowarn -\n{}END\n", lines(&text))];
    }
    // PIECE is a multiple of 4, so that each piece is base64 of its own.
    let mut commands: Vec<String> = text
        .as_bytes()
        .chunks(PIECE)
        .map(|piece| format!("base64 -d >>{COLLECTED} <<'END'\n{}END\n", lines(&String::from_utf8_lossy(piece))))
        .collect();
    commands.push(format!("git apply --whitespace=nowarn {COLLECTED} && rm {COLLECTED}\n"));
    commands
}

fn lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 76 + 1);
    for (i, c) in text.chars().enumerate() {
        if i > 0 && i % 76 == 0 {
            out.push('\n');
        }
        out.push(c);
    }
    out.push('\n');
    out
}
