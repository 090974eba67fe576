//! Requests of a command-line agent, passed on to its one model with the key that the agent never sees.
//!
//! The body stays the agent's own, but for the model, which is the plan's, for a bound on the reply, and for the wish to
//! be told tokens. Tries that fail are the agent's to repeat: it has a patience of its own.

use super::guarded::guard;
use super::http::{Http, Sent, Tried};
use super::speech::{model, speech};
use super::told::{completion, conversation};
use super::{CallLog, Dialect, Gateway, GatewayError, ModelEntry, Reply, Secrets};
use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::sync::Arc;

/// What an agent asks.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Path of the address, without a query.
    pub path: String,
    /// The agent's own headers; all but those that choose versions of the interface are left out.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What it is answered.
#[derive(Clone, Debug)]
pub struct Passed {
    /// HTTP status.
    pub status: u16,
    /// Kind of the content.
    pub kind: String,
    /// The body, without a key.
    pub body: Vec<u8>,
    /// The reply of the model, if there was one.
    pub reply: Option<Reply>,
    /// What went wrong on the way, if something did.
    pub error: Option<GatewayError>,
}

impl Passed {
    /// An answer of ours: why a request goes nowhere.
    pub fn refused(status: u16, why: &str) -> Passed {
        let body = json!({"type": "error", "error": {"type": "tsbench", "message": why}});
        Passed { status, kind: JSON.to_owned(), body: body.to_string().into_bytes(), reply: None, error: None }
    }
}

/// The one way from a sandbox to a model.
#[async_trait]
pub trait Relay: Send + Sync {
    /// Passes a request on, with at most so many tokens of reply and within so many seconds. Every try is logged.
    async fn pass(&self, asked: &Asked, most_output: u64, seconds_left: f64, log: &mut dyn CallLog) -> Passed;

    /// What `models.toml` says of the model.
    fn entry(&self) -> &ModelEntry;

    /// The path that alone leads to the model; with `/v1` before it, it is the same.
    fn path(&self) -> &'static str;
}

const JSON: &str = "application/json";

/// Headers that choose between versions of an interface and hold no secret.
const PASSED_ON: [&str; 2] = ["anthropic-version", "anthropic-beta"];

/// Whether a path leads to the model.
pub(super) fn leads(path: &str, to: &str) -> bool {
    path == to || path.strip_prefix("/v1") == Some(to)
}

/// A model over HTTP.
pub(super) struct Over {
    pub(super) http: Http,
    pub(super) secrets: Arc<Secrets>,
}

#[async_trait]
impl Relay for Over {
    async fn pass(&self, asked: &Asked, most_output: u64, seconds_left: f64, log: &mut dyn CallLog) -> Passed {
        if !leads(&asked.path, self.path()) {
            return Passed::refused(404, &format!("only {} leads to the model", self.path()));
        }
        let Ok(Value::Object(_)) = serde_json::from_slice(&asked.body) else {
            return Passed::refused(400, "the body is no JSON object");
        };
        let mut body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        shape(&mut body, self.http.entry(), most_output);
        let sent = Sent { body: &body, headers: versions(&asked.headers), seconds_left, answered: false };
        let place = self.http.pace.enter().await;
        let Tried { call, end, answer } = self.http.once(&sent).await;
        drop(place);
        let (usage, cost_usd, seconds) = (call.usage, call.cost_usd, call.seconds);
        guard(&self.secrets, log).call(call);
        let (reply, error) = match end {
            Ok(said) => {
                let super::speech::Said { text, tool_calls, finish } = said;
                (Some(Reply { text, tool_calls, finish, usage, cost_usd, seconds, waited_seconds: 0.0 }), None)
            }
            Err(failed) => (None, Some(super::guarded::clean(&self.secrets, failed.error))),
        };
        match answer.status {
            // A provider that repeats a key must not tell it to the sandbox.
            Some(status) if !answer.bytes.is_empty() => {
                let body = match String::from_utf8(answer.bytes) {
                    Ok(text) => self.secrets.without_known(&text).into_bytes(),
                    Err(_) => return Passed { error, ..Passed::refused(502, "the provider's answer is no text") },
                };
                Passed { status, kind: answer.kind.unwrap_or_else(|| JSON.to_owned()), body, reply, error }
            }
            _ => {
                let why = error.as_ref().map_or_else(|| "the provider said nothing".to_owned(), ToString::to_string);
                Passed { reply, error, ..Passed::refused(502, &why) }
            }
        }
    }

    fn entry(&self) -> &ModelEntry {
        self.http.entry()
    }

    fn path(&self) -> &'static str {
        self.http.speech.path
    }
}

/// Makes a body ask the plan's model, for no more than may be paid for.
fn shape(body: &mut Value, entry: &ModelEntry, most_output: u64) {
    body["model"] = model(entry).into();
    let bound = |value: &Value| value.as_u64().map_or(most_output, |n| n.min(most_output));
    match entry.dialect {
        Dialect::Ollama => {
            if !body["options"].is_object() {
                body["options"] = json!({});
            }
            body["options"]["num_predict"] = bound(&body["options"]["num_predict"]).into();
        }
        Dialect::Openai => {
            let own = entry.max_tokens_option.as_deref().unwrap_or("max_tokens");
            let names = ["max_tokens", "max_completion_tokens"].into_iter().filter(|n| !body[*n].is_null());
            let names: Vec<&str> = names.collect();
            for name in if names.is_empty() { vec![own] } else { names } {
                body[name] = bound(&body[name]).into();
            }
            // More replies at once would cost more than one.
            if !body["n"].is_null() {
                body["n"] = 1.into();
            }
            if body["stream"] == true {
                if !body["stream_options"].is_object() {
                    body["stream_options"] = json!({});
                }
                body["stream_options"]["include_usage"] = true.into();
            }
        }
        _ => body["max_tokens"] = bound(&body["max_tokens"]).into(),
    }
}

fn versions(headers: &[(String, String)]) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in headers.iter().filter(|(name, _)| PASSED_ON.contains(&name.as_str())) {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_str(value)) {
            kept.insert(name, value);
        }
    }
    kept
}

/// A model without a network, asked as OpenAI's chat completions are.
pub(super) struct Told {
    pub(super) gateway: Box<dyn Gateway>,
}

#[async_trait]
impl Relay for Told {
    async fn pass(&self, asked: &Asked, most_output: u64, seconds_left: f64, log: &mut dyn CallLog) -> Passed {
        if !leads(&asked.path, self.path()) {
            return Passed::refused(404, &format!("only {} leads to the model", self.path()));
        }
        let (mut request, stream) = match conversation(&asked.body) {
            Ok(asked) => asked,
            Err(why) => return Passed::refused(400, &why),
        };
        request.max_output_tokens = most_output;
        request.seconds_left = seconds_left;
        match self.gateway.complete(&request, log).await {
            Ok(reply) => {
                let (kind, body) = completion(self.gateway.entry(), &reply, stream);
                Passed { status: 200, kind, body, reply: Some(reply), error: None }
            }
            Err(error) => Passed { error: Some(error.clone()), ..Passed::refused(502, &error.to_string()) },
        }
    }

    fn entry(&self) -> &ModelEntry {
        self.gateway.entry()
    }

    fn path(&self) -> &'static str {
        speech(Dialect::Openai).map_or("", |speech| speech.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(dialect: &str) -> ModelEntry {
        let text = format!(
            "id='m'\nname='M'\nmaker='A'\ntier='paid'\ndialect='{dialect}'\nmodel='real'\nbase_url='http://127.0.0.1:1'\n"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn a_request_asks_the_plans_model_for_no_more_than_may_be_paid() {
        let shaped = |dialect: &str, mut body: Value| {
            shape(&mut body, &entry(dialect), 100);
            body
        };
        let body = shaped("openai", json!({"model": "dearer", "max_completion_tokens": 5000, "n": 8, "stream": true}));
        assert_eq!(
            (&body["model"], &body["max_completion_tokens"], &body["n"]),
            (&json!("real"), &json!(100), &json!(1))
        );
        assert_eq!((&body["max_tokens"], &body["stream_options"]["include_usage"]), (&Value::Null, &json!(true)));
        assert_eq!(shaped("openai", json!({}))["max_tokens"], 100);
        assert_eq!(shaped("anthropic", json!({"max_tokens": 7}))["max_tokens"], 7);
        assert_eq!(shaped("ollama", json!({"options": 3}))["options"]["num_predict"], 100);
    }

    #[test]
    fn one_path_leads_to_the_model_and_keys_of_the_agent_lead_nowhere() {
        assert!(leads("/v1/chat/completions", "/chat/completions") && leads("/v1/messages", "/v1/messages"));
        assert!(!leads("/v1/models", "/chat/completions") && !leads("/v1/v1/chat/completions", "/chat/completions"));
        let headers = [("authorization", "Bearer x"), ("anthropic-beta", "b"), ("x-api-key", "k"), ("host", "h")];
        let kept = versions(&headers.map(|(n, v)| (n.to_owned(), v.to_owned())));
        assert_eq!(kept.len(), 1);
        assert_eq!(kept["anthropic-beta"], "b");
    }
}
