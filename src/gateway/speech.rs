//! What the dialects have in common: how each asks, and how its answers are read.

use super::sound::sound_arguments;
use super::{Dialect, Finish, GatewayError, ModelEntry, Request, ToolCall, anthropic, ollama, openai};
use crate::schema::Usage;
use serde_json::Value;

/// What an answer says, before time and price are known.
#[derive(Debug, PartialEq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) finish: Finish,
}

/// One dialect.
pub(super) struct Speech {
    /// What follows the base address.
    pub(super) path: &'static str,
    /// Name of the header that carries the key, and what stands before it.
    pub(super) key: (&'static str, &'static str),
    /// Headers of every request.
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// The body of a request.
    pub(super) body: fn(&ModelEntry, &Request) -> Value,
    /// The tokens that an answer tells: none unless all of them are told, and a remark where one cannot be a count.
    pub(super) usage: fn(&Value) -> Result<Option<Usage>, String>,
    /// What an answer says.
    pub(super) said: fn(&Value) -> Result<Said, GatewayError>,
}

/// The dialect's ways, if it is spoken over HTTP.
pub(super) const fn speech(dialect: Dialect) -> Option<&'static Speech> {
    match dialect {
        Dialect::Openai => Some(&openai::SPEECH),
        Dialect::Anthropic => Some(&anthropic::SPEECH),
        Dialect::Ollama => Some(&ollama::SPEECH),
        Dialect::Mock | Dialect::Replay => None,
    }
}

/// The provider's identity of a model.
pub(super) fn model(entry: &ModelEntry) -> &str {
    entry.model.as_deref().unwrap_or(&entry.id)
}

/// Most tokens of a reply.
pub(super) fn most_output(entry: &ModelEntry, request: &Request) -> u64 {
    entry.max_output_tokens.min(request.max_output_tokens)
}

/// An answer that breaks the provider's own contract.
pub(super) fn malformed(what: impl Into<String>) -> GatewayError {
    GatewayError::Malformed { what: what.into() }
}

/// Arguments of a call as text; some servers send them as an object.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "{}".to_owned(),
        Some(Value::String(text)) => sound_arguments(text),
        Some(value) => value.to_string(),
    }
}

/// Arguments of a call as the object that some servers ask for, whatever the model wrote.
pub(super) fn argument_object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ => serde_json::json!({"arguments": text}),
    }
}

/// The model that an answer says it is from.
pub(super) fn served(answer: &Value) -> Option<String> {
    let name = answer.get("model").and_then(Value::as_str)?.trim();
    let name: String = name.chars().filter(|c| !c.is_control()).take(200).collect();
    (!name.is_empty()).then_some(name)
}
