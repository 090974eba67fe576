//! Anthropic's messages.

use super::speech::{Said, Speech, argument_object, arguments, malformed, model, most_output};
use super::usage::Told;
use super::{Finish, GatewayError, Message, ModelEntry, Request, Role, ToolCall};
use crate::schema::Usage;
use serde_json::{Value, json};

pub(super) const SPEECH: Speech = Speech {
    path: "/v1/messages",
    key: ("x-api-key", ""),
    headers: &[("anthropic-version", "2023-06-01")],
    body,
    usage,
    said,
};

fn body(entry: &ModelEntry, request: &Request) -> Value {
    let system: Vec<&str> =
        request.messages.iter().filter(|m| m.role == Role::System).map(|m| m.text.as_str()).collect();
    let mut body = json!({
        "model": model(entry),
        "max_tokens": most_output(entry, request),
        "messages": messages(&request.messages),
    });
    if !system.is_empty() {
        body["system"] = system.join("\n\n").into();
    }
    if let Some(temperature) = entry.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(effort) = &entry.reasoning_effort {
        body["output_config"] = json!({"effort": effort});
    }
    if let Some(tier) = &entry.service_tier {
        body["service_tier"] = tier.as_str().into();
    }
    if !request.tools.is_empty() {
        let tools = request
            .tools
            .iter()
            .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters}));
        body["tools"] = tools.collect();
    }
    body
}

/// Turns of blocks: what follows from the same side is one turn, and results of tools are said by the user.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in messages.iter().filter(|m| m.role != Role::System) {
        let side = if message.role == Role::Assistant { "assistant" } else { "user" };
        let blocks = blocks(message);
        match turns.last_mut() {
            Some((last, all)) if *last == side => all.extend(blocks),
            _ => turns.push((side, blocks)),
        }
    }
    // Everything up to the newest block is read from the cache next time.
    if let Some(block) = turns.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
    turns.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    if let Some(id) = &message.tool_call_id {
        return vec![json!({"type": "tool_result", "tool_use_id": id, "content": message.text})];
    }
    let mut blocks = Vec::new();
    if !message.text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": message.text}));
    }
    blocks.extend(message.tool_calls.iter().map(
        |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": argument_object(&call.arguments)}),
    ));
    if blocks.is_empty() {
        // The interface refuses a turn that says nothing.
        blocks.push(json!({"type": "text", "text": "(no output)"}));
    }
    blocks
}

fn usage(answer: &Value) -> Result<Option<Usage>, String> {
    let Some(told) = Told::within(answer) else { return Ok(None) };
    let (input, output) = (told.count(&["input_tokens"])?, told.count(&["output_tokens"])?);
    let cached_input = told.count(&["cache_read_input_tokens"])?.unwrap_or(0);
    let cache_write = told.count(&["cache_creation_input_tokens"])?.unwrap_or(0);
    let (Some(input), Some(output)) = (input, output) else { return Ok(None) };
    Ok(Some(Usage { input, cached_input, cache_write, output, requests: 1 }))
}

fn said(answer: &Value) -> Result<Said, GatewayError> {
    let blocks = answer.get("content").and_then(Value::as_array).ok_or_else(|| malformed("content is not a list"))?;
    let word = |block: &Value, name: &str| block.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let (mut text, mut tool_calls) = (String::new(), Vec::new());
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => text.push_str(&word(block, "text")),
            Some("tool_use") => tool_calls.push(ToolCall {
                id: word(block, "id"),
                name: word(block, "name"),
                arguments: arguments(block.get("input")),
            }),
            // Thinking and kinds to come are kept in the record of the call.
            Some(_) => {}
            None => return Err(malformed("a block of content has no type")),
        }
    }
    let finish = match answer.get("stop_reason").and_then(Value::as_str) {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("tool_use") => Finish::Tools,
        Some("refusal") => Finish::Refusal,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Other("none".to_owned()),
    };
    Ok(Said { text, tool_calls, finish })
}
