//! A trajectory in the agent trajectory interchange format, version 1.6.

use super::ResultsError;
use super::trajectory::{Act, Trajectory, Turn, printed, read};
use crate::schema::{Attempt, Usage};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The content of a `trajectory.json` of an attempt, from the folder of its artifacts. The format knows no other key than
/// those that stand here.
pub fn atif_trajectory(attempt: &Attempt, artifacts: &Path) -> Result<Value, ResultsError> {
    let found = read(&artifacts.join("trajectory.jsonl"))?;
    let (name, version) = attempt.agent.rsplit_once('@').unwrap_or((attempt.agent.as_str(), ""));
    let steps = steps(&found, &attempt.model);
    let mut metrics = Map::from_iter([("total_steps".to_owned(), steps.len().into())]);
    if let Some(usage) = &attempt.usage {
        metrics.insert("total_prompt_tokens".into(), prompt(usage).into());
        metrics.insert("total_completion_tokens".into(), usage.output.into());
        metrics.insert("total_cached_tokens".into(), usage.cached_input.into());
    }
    if let Some(cost) = attempt.cost_usd {
        metrics.insert("total_cost_usd".into(), cost.into());
    }
    Ok(json!({
        "schema_version": "ATIF-v1.6",
        "session_id": format!("{}/{}/{}/{}", attempt.run, attempt.task, attempt.model, attempt.repeat),
        "agent": {"name": name, "version": version, "model_name": attempt.model},
        "steps": steps,
        "final_metrics": metrics,
        "extra": {"outcome": attempt.outcome.word(), "stop": attempt.stop, "condition": attempt.condition},
    }))
}

/// Input tokens, those that were cached or put into a cache included.
fn prompt(usage: &Usage) -> u64 {
    usage.input.saturating_add(usage.cached_input).saturating_add(usage.cache_write)
}

fn steps(found: &Trajectory, model: &str) -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    let mut push = |mut step: Value| {
        step["step_id"] = (steps.len() + 1).into();
        steps.push(step);
    };
    for (role, text) in &found.opening {
        let source = match role.as_str() {
            "system" => "system",
            "assistant" => "agent",
            _ => "user",
        };
        push(json!({"source": source, "message": text}));
    }
    for (n, turn) in found.turns.iter().enumerate() {
        push(of_turn(turn, n, model));
        turn.notes.iter().for_each(|note| push(json!({"source": "user", "message": note})));
    }
    steps
}

fn of_turn(turn: &Turn, n: usize, model: &str) -> Value {
    let mut step = json!({"source": "agent", "model_name": model, "message": turn.text});
    if !turn.at.is_empty() {
        step["timestamp"] = turn.at.as_str().into();
    }
    // Every call needs an identity, and models that write commands give none.
    let id = |i: usize, act: &Act| act.id.clone().unwrap_or_else(|| format!("call_{}_{}", n + 1, i + 1));
    if !turn.acts.is_empty() {
        let call = |(i, act): (usize, &Act)| json!({"tool_call_id": id(i, act), "function_name": act.tool, "arguments": act.arguments});
        step["tool_calls"] = turn.acts.iter().enumerate().map(call).collect();
    }
    let results: Vec<Value> = turn
        .acts
        .iter()
        .enumerate()
        .filter_map(|(i, act)| {
            let output = act.output.as_ref()?;
            let code = output.get("exit").and_then(Value::as_i64).unwrap_or(-1);
            let content = format!("exit code {code}\n{}", printed(output));
            Some(json!({"source_call_id": id(i, act), "content": content}))
        })
        .collect();
    if !results.is_empty() {
        step["observation"] = json!({"results": results});
    }
    if let Some(usage) = &turn.usage {
        let mut metrics = json!({
            "prompt_tokens": prompt(usage), "completion_tokens": usage.output, "cached_tokens": usage.cached_input,
        });
        if let Some(cost) = turn.cost_usd {
            metrics["cost_usd"] = cost.into();
        }
        step["metrics"] = metrics;
    }
    step
}
