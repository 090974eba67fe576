//! Ollama's own chat.

use super::speech::{Said, Speech, argument_object, arguments, malformed, model, most_output};
use super::usage::Told;
use super::{Finish, GatewayError, Message, ModelEntry, Request, ToolCall};
use crate::schema::Usage;
use serde_json::{Value, json};

pub(super) const SPEECH: Speech =
    Speech { path: "/api/chat", key: ("authorization", "Bearer "), headers: &[], body, usage, said };

fn body(entry: &ModelEntry, request: &Request) -> Value {
    let mut options = json!({"num_predict": most_output(entry, request)});
    if let Some(temperature) = entry.temperature {
        options["temperature"] = temperature.into();
    }
    if let Some(context) = entry.context_tokens {
        options["num_ctx"] = context.into();
    }
    // Without these two, a conversation that is too long would lose its beginning in silence.
    let mut body = json!({
        "model": model(entry),
        "messages": messages(&request.messages),
        "stream": false,
        "truncate": false,
        "shift": false,
        "options": options,
    });
    match entry.reasoning_effort.as_deref() {
        None => {}
        Some("none" | "false") => body["think"] = false.into(),
        Some("true") => body["think"] = true.into(),
        Some(effort) => body["think"] = effort.into(),
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| json!({"type": "function", "function": tool}));
        body["tools"] = tools.collect();
    }
    body
}

fn messages(messages: &[Message]) -> Vec<Value> {
    let said = |(i, message): (usize, &Message)| {
        let mut out = json!({"role": message.role, "content": message.text});
        if !message.tool_calls.is_empty() {
            let calls = message
                .tool_calls
                .iter()
                .map(|call| json!({"function": {"name": call.name, "arguments": argument_object(&call.arguments)}}));
            out["tool_calls"] = calls.collect();
        }
        if let Some(id) = &message.tool_call_id {
            // Results are joined to calls by the tool's name here.
            let call = messages[..i].iter().rev().flat_map(|m| &m.tool_calls).find(|call| call.id == *id);
            out["tool_name"] = call.map_or("", |call| call.name.as_str()).into();
        }
        out
    };
    messages.iter().enumerate().map(said).collect()
}

fn usage(answer: &Value) -> Result<Option<Usage>, String> {
    let Some(told) = Told::itself(answer) else { return Ok(None) };
    let (input, output) = (told.count(&["prompt_eval_count"])?, told.count(&["eval_count"])?);
    let (Some(input), Some(output)) = (input, output) else { return Ok(None) };
    Ok(Some(Usage { input, output, requests: 1, ..Usage::default() }))
}

fn said(answer: &Value) -> Result<Said, GatewayError> {
    let message = answer.get("message").filter(|m| m.is_object()).ok_or_else(|| malformed("there is no message"))?;
    if answer.get("done").and_then(Value::as_bool) != Some(true) {
        return Err(malformed("the answer is not done"));
    }
    let calls = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let tool_calls: Vec<ToolCall> = calls
        .iter()
        .enumerate()
        .map(|(i, call)| ToolCall {
            id: format!("call_{i}"),
            name: call.pointer("/function/name").and_then(Value::as_str).unwrap_or("").to_owned(),
            arguments: arguments(call.pointer("/function/arguments")),
        })
        .collect();
    let finish = match answer.get("done_reason").and_then(Value::as_str) {
        Some("length") => Finish::Length,
        Some("stop") | None if tool_calls.is_empty() => Finish::Stop,
        Some("stop") | None => Finish::Tools,
        Some(other) => Finish::Other(other.to_owned()),
    };
    let text = message.get("content").and_then(Value::as_str).unwrap_or("").to_owned();
    Ok(Said { text, tool_calls, finish })
}
