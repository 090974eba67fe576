//! OpenAI's chat completions, as its many servers speak them.

use super::speech::{Said, Speech, arguments, malformed, model, most_output};
use super::usage::Told;
use super::{Finish, GatewayError, Message, ModelEntry, Request, Role, ToolCall};
use crate::schema::Usage;
use serde_json::{Value, json};

pub(super) const SPEECH: Speech =
    Speech { path: "/chat/completions", key: ("authorization", "Bearer "), headers: &[], body, usage, said };

fn body(entry: &ModelEntry, request: &Request) -> Value {
    let mut body = json!({
        "model": model(entry),
        "messages": request.messages.iter().map(message).collect::<Vec<_>>(),
    });
    let most = entry.max_tokens_option.as_deref().unwrap_or("max_tokens");
    body[most] = most_output(entry, request).into();
    if let Some(temperature) = entry.temperature {
        body["temperature"] = temperature.into();
    }
    if let Some(effort) = &entry.reasoning_effort {
        body["reasoning_effort"] = effort.as_str().into();
    }
    if let Some(tier) = &entry.service_tier {
        body["service_tier"] = tier.as_str().into();
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| json!({"type": "function", "function": tool}));
        body["tools"] = tools.collect();
    }
    body
}

fn message(message: &Message) -> Value {
    let mut out = json!({"role": message.role, "content": message.text});
    if message.role == Role::Assistant && !message.tool_calls.is_empty() {
        if message.text.is_empty() {
            out["content"] = Value::Null;
        }
        let calls = message.tool_calls.iter().map(|call| {
            json!({"id": call.id, "type": "function",
                "function": {"name": call.name, "arguments": call.arguments}})
        });
        out["tool_calls"] = calls.collect();
    }
    if let Some(id) = &message.tool_call_id {
        out["tool_call_id"] = id.as_str().into();
    }
    out
}

fn usage(answer: &Value) -> Result<Option<Usage>, String> {
    let Some(told) = Told::within(answer) else { return Ok(None) };
    let (prompt, output) = (told.count(&["prompt_tokens"])?, told.count(&["completion_tokens"])?);
    let (Some(prompt), Some(output)) = (prompt, output) else { return Ok(None) };
    let cached = told.count(&["prompt_tokens_details", "cached_tokens"])?;
    let cached = cached.map_or_else(|| told.count(&["prompt_cache_hit_tokens"]), |n| Ok(Some(n)))?;
    let written = told.count(&["prompt_tokens_details", "cache_write_tokens"])?;
    // Parts of the prompt can never be more than the prompt.
    let cached_input = cached.unwrap_or(0).min(prompt);
    let cache_write = written.unwrap_or(0).min(prompt - cached_input);
    Ok(Some(Usage { input: prompt - cached_input - cache_write, cached_input, cache_write, output, requests: 1 }))
}

fn said(answer: &Value) -> Result<Said, GatewayError> {
    let choice = answer.pointer("/choices/0").ok_or_else(|| malformed("there is no choices[0]"))?;
    let reason = choice.get("finish_reason").and_then(Value::as_str);
    let fault = choice.get("error").filter(|error| !error.is_null());
    if fault.is_some() || reason == Some("error") {
        // The provider failed in the middle of a reply.
        let status =
            fault.and_then(|e| e.get("code")).and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let text = fault.and_then(|e| e.get("message")).and_then(Value::as_str).unwrap_or("finish_reason is \"error\"");
        return Err(GatewayError::Server { status: status.unwrap_or(502), text: text.to_owned() });
    }
    let message =
        choice.get("message").filter(|m| m.is_object()).ok_or_else(|| malformed("there is no choices[0].message"))?;
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty());
    let mut text = content(message.get("content"))?;
    if let Some(refusal) = refusal.filter(|_| text.is_empty()) {
        text = refusal.to_owned();
    }
    let tool_calls = calls(message.get("tool_calls"))?;
    let finish = match reason {
        _ if refusal.is_some() => Finish::Refusal,
        Some("content_filter" | "refusal") => Finish::Refusal,
        Some("stop") if tool_calls.is_empty() => Finish::Stop,
        Some("stop" | "tool_calls" | "function_call") => Finish::Tools,
        Some("length") => Finish::Length,
        Some(other) => Finish::Other(other.to_owned()),
        None => Finish::Other("none".to_owned()),
    };
    Ok(Said { text, tool_calls, finish })
}

/// Text, or the texts of parts.
fn content(value: Option<&Value>) -> Result<String, GatewayError> {
    match value {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            Ok(parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect())
        }
        Some(_) => Err(malformed("choices[0].message.content is neither text nor a list")),
    }
}

fn calls(value: Option<&Value>) -> Result<Vec<ToolCall>, GatewayError> {
    let Some(list) = value.filter(|v| !v.is_null()) else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or_else(|| malformed("choices[0].message.tool_calls is not a list"))?;
    let call = |(i, call): (usize, &Value)| {
        let function = call.get("function").ok_or_else(|| malformed("a call of a tool has no function"))?;
        Ok(ToolCall {
            id: call
                .get("id")
                .and_then(Value::as_str)
                .filter(|id| !id.is_empty())
                .map_or_else(|| format!("call_{i}"), str::to_owned),
            name: function.get("name").and_then(Value::as_str).unwrap_or("").to_owned(),
            arguments: arguments(function.get("arguments")),
        })
    };
    list.iter().enumerate().map(call).collect()
}
