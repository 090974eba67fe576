//! A trajectory as mini-swe-agent writes it.

use super::ResultsError;
use super::trajectory::{Turn, exit_status, printed, read, seconds};
use crate::schema::Attempt;
use serde_json::{Value, json};
use std::path::Path;

/// Characters of an output that are shown whole; a longer one is cut to a head and a tail of half of them.
const MOST_SHOWN: usize = 10_000;

/// The content of a `.traj.json` of an attempt, from the folder of its artifacts.
pub fn mini_trajectory(attempt: &Attempt, artifacts: &Path) -> Result<Value, ResultsError> {
    let found = read(&artifacts.join("trajectory.jsonl"))?;
    let submission = submission(artifacts)?;
    let mut messages: Vec<Value> =
        found.opening.iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
    for turn in &found.turns {
        messages.extend(of_turn(turn));
    }
    let status = exit_status(attempt);
    messages.push(json!({
        "role": "exit", "content": submission, "extra": {"exit_status": status, "submission": submission},
    }));
    let requests = attempt.usage.map(|u| u.requests).or(attempt.turns).unwrap_or(0);
    let (agent, version) = attempt.agent.rsplit_once('@').unwrap_or((attempt.agent.as_str(), ""));
    let mut info = json!({
        "model_stats": {"instance_cost": attempt.cost_usd, "api_calls": requests},
        "config": {
            "agent": {"name": agent, "version": version, "condition": attempt.condition}, "agent_type": "tsbench",
            "model": {"model_name": attempt.model}, "model_type": "tsbench",
            "environment": {}, "environment_type": "tsbench",
        },
        "mini_version": attempt.tool.clone().unwrap_or_default(), "exit_status": status, "submission": submission,
    });
    if let Some(error) = &attempt.error {
        info["exception_str"] = format!("{}: {}", error.class, error.message).into();
    }
    Ok(json!({
        "info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1", "instance_id": attempt.task,
    }))
}

/// The patch of an attempt; empty where it left none.
pub(super) fn submission(artifacts: &Path) -> Result<String, ResultsError> {
    let path = artifacts.join("patch.diff");
    match std::fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(ResultsError::io(path)(e)),
    }
}

fn of_turn(turn: &Turn) -> Vec<Value> {
    let called = turn.acts.iter().any(|a| a.id.is_some());
    let actions: Vec<Value> = turn
        .acts
        .iter()
        .map(|a| {
            let command = a.arguments.get("command").and_then(Value::as_str).map(str::to_owned);
            let command = command.unwrap_or_else(|| format!("{} {}", a.tool, Value::Object(a.arguments.clone())));
            let mut action = json!({"command": command});
            if let Some(id) = &a.id {
                action["tool_call_id"] = id.as_str().into();
            }
            action
        })
        .collect();
    let mut assistant = json!({
        "role": "assistant", "content": turn.text,
        "extra": {"actions": actions, "cost": turn.cost_usd, "timestamp": seconds(&turn.at)},
    });
    if called {
        let calls = turn.acts.iter().map(|a| {
            let function = json!({"name": a.tool, "arguments": Value::Object(a.arguments.clone()).to_string()});
            json!({"id": a.id, "type": "function", "function": function})
        });
        assistant["tool_calls"] = calls.collect();
    }
    let mut messages = vec![assistant];
    for act in &turn.acts {
        let Some(output) = &act.output else { continue };
        let code = output.get("exit").and_then(Value::as_i64).unwrap_or(-1);
        let raw = printed(output);
        let content = format!("<returncode>{code}</returncode>\n{}", shown(&raw));
        let extra = json!({"returncode": code, "raw_output": raw, "timestamp": seconds(&turn.at)});
        messages.push(match &act.id {
            Some(id) => json!({"role": "tool", "tool_call_id": id, "content": content, "extra": extra}),
            None => json!({"role": "user", "content": content, "extra": extra}),
        });
    }
    messages.extend(turn.notes.iter().map(|note| json!({"role": "user", "content": note})));
    messages
}

fn shown(raw: &str) -> String {
    let count = raw.chars().count();
    if count < MOST_SHOWN {
        return format!("<output>\n{raw}\n</output>");
    }
    let half = MOST_SHOWN / 2;
    let head: String = raw.chars().take(half).collect();
    let tail: String = raw.chars().skip(count - half).collect();
    format!(
        "<output_head>\n{head}\n</output_head>\n<elided_chars>\n{} characters elided\n</elided_chars>\n<output_tail>\n{tail}\n</output_tail>",
        count - MOST_SHOWN
    )
}
