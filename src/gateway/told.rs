//! Chat completions as a model without a network hears and gives them.

use super::{Finish, Message, ModelEntry, Reply, Request, Role, Tool, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Body {
    messages: Vec<Value>,
    #[serde(default)]
    tools: Vec<Value>,
    #[serde(default)]
    stream: bool,
}

/// What a body asks, and whether it wants a stream.
pub(super) fn conversation(body: &[u8]) -> Result<(Request, bool), String> {
    let body: Body = serde_json::from_slice(body).map_err(|e| format!("the body is no chat completion: {e}"))?;
    let messages = body.messages.iter().map(message).collect::<Result<_, _>>()?;
    let tools = body.tools.iter().filter_map(|t| tool(t.get("function")?)).collect();
    Ok((Request { messages, tools, max_output_tokens: 0, seconds_left: 0.0 }, body.stream))
}

fn message(value: &Value) -> Result<Message, String> {
    let role = match value.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        other => return Err(format!("role {other:?}; expected system, user, assistant or tool")),
    };
    let text = match value.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|p| p.get("text").and_then(Value::as_str)).collect(),
        _ => String::new(),
    };
    let calls = value.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    let word = |value: &Value, at: &str| value.pointer(at).and_then(Value::as_str).unwrap_or("").to_owned();
    Ok(Message {
        role,
        text,
        tool_calls: calls
            .map(|c| ToolCall {
                id: word(c, "/id"),
                name: word(c, "/function/name"),
                arguments: word(c, "/function/arguments"),
            })
            .collect(),
        tool_call_id: value.get("tool_call_id").and_then(Value::as_str).map(str::to_owned),
    })
}

fn tool(function: &Value) -> Option<Tool> {
    Some(Tool {
        name: function.get("name")?.as_str()?.to_owned(),
        description: function.get("description").and_then(Value::as_str).unwrap_or("").to_owned(),
        parameters: function.get("parameters").cloned().unwrap_or_else(|| json!({})),
    })
}

/// Kind and bytes of the answer that says a reply.
pub(super) fn completion(entry: &ModelEntry, reply: &Reply, stream: bool) -> (String, Vec<u8>) {
    let finish = match &reply.finish {
        Finish::Stop => "stop",
        Finish::Length => "length",
        Finish::Tools => "tool_calls",
        Finish::Refusal => "content_filter",
        Finish::Other(word) => word,
    };
    let mut message = json!({"role": "assistant", "content": reply.text});
    let calls: Vec<Value> = (0..)
        .zip(&reply.tool_calls)
        .map(|(index, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"index": index, "id": call.id, "type": "function", "function": function})
        })
        .collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let usage = reply.usage.map(|u| json!({"prompt_tokens": u.input, "completion_tokens": u.output}));
    let said = if stream { "delta" } else { "message" };
    let object = if stream { "chat.completion.chunk" } else { "chat.completion" };
    let answer = json!({
        "id": "reply", "object": object, "created": 0, "model": entry.id, "usage": usage,
        "choices": [{"index": 0, said: message, "finish_reason": finish}],
    });
    if stream {
        return ("text/event-stream".to_owned(), format!("data: {answer}\n\ndata: [DONE]\n\n").into_bytes());
    }
    ("application/json".to_owned(), answer.to_string().into_bytes())
}
