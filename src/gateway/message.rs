use crate::schema::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The harness, with standing instructions.
    System,
    /// The harness, with the problem and with observations.
    User,
    /// The model.
    Assistant,
    /// The result of a tool that the model called.
    Tool,
}

/// A call of a tool, as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Joins the call and its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as text: JSON, if the model kept to it.
    pub arguments: String,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said; may be empty beside calls.
    #[serde(default)]
    pub text: String,
    /// Calls of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    fn plain(role: Role, text: impl Into<String>) -> Message {
        Message { role, text: text.into(), tool_calls: Vec::new(), tool_call_id: None }
    }

    /// Standing instructions.
    pub fn system(text: impl Into<String>) -> Message {
        Message::plain(Role::System, text)
    }

    /// The problem, or an observation.
    pub fn user(text: impl Into<String>) -> Message {
        Message::plain(Role::User, text)
    }

    /// What the model replied.
    pub fn assistant(reply: &Reply) -> Message {
        Message { tool_calls: reply.tool_calls.clone(), ..Message::plain(Role::Assistant, reply.text.clone()) }
    }

    /// The result of the call `id`.
    pub fn tool(id: impl Into<String>, text: impl Into<String>) -> Message {
        Message { tool_call_id: Some(id.into()), ..Message::plain(Role::Tool, text) }
    }
}

/// A tool that the model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// Tools; none for a model that answers in text.
    pub tools: Vec<Tool>,
    /// Most tokens of the reply; the model's own limit holds where it is lower.
    pub max_output_tokens: u64,
    /// Seconds in which the model may still answer. They bound each try; waits between tries are not the model's time
    /// and do not count.
    pub seconds_left: f64,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It had said everything.
    Stop,
    /// It reached the most tokens of a reply.
    Length,
    /// It called tools.
    Tools,
    /// It, or its maker's filter, declined.
    Refusal,
    /// The provider's own word.
    Other(String),
}

/// What a model replied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// Its text; may be empty.
    #[serde(default)]
    pub text: String,
    /// Its calls of tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why it stopped.
    pub finish: Finish,
    /// Tokens of the try that gave the reply; none where the provider did not tell.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// US dollars of the try that gave the reply; none where usage or price is unknown.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// Seconds of the try that gave the reply: the model's own time.
    #[serde(default)]
    pub seconds: f64,
    /// Seconds of failed tries and of waits before them: the provider's time, not the model's.
    #[serde(default)]
    pub waited_seconds: f64,
}

impl Reply {
    /// Neither text nor a call.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.tool_calls.is_empty()
    }
}
