//! Requests of a command-line agent, passed on to its one model with the key that the agent never sees.
//!
//! The body is what a list allows of the agent's own, for the plan's model, with a bound on the reply and the wish to be
//! told tokens. Tries that the provider refuses are the agent's to repeat: it has a patience of its own. An answer that was
//! lost or is none is asked for again here, since not every agent expects one.

use super::allowed::{Allowed, allowed};
use super::guarded::{clean, guard};
use super::http::{Http, Partial, Sent, Tried};
use super::speech::{Said, speech};
use super::told::{completion, conversation};
use super::{CallLog, Dialect, Gateway, GatewayError, ModelEntry, Reply, Secrets};
use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Instant;

/// What an agent asks.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Path of the address, without a query.
    pub path: String,
    /// The agent's own headers; all but those that the model's entry allows are left out.
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

/// Headers that name features on trial, of which the model's entry may allow some.
const FEATURES: [&str; 2] = ["anthropic-beta", "openai-beta"];

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
        let Ok(Value::Object(body)) = serde_json::from_slice(&asked.body) else {
            return Passed::refused(400, "the body is no JSON object");
        };
        if !body.get("messages").is_some_and(Value::is_array) {
            return Passed::refused(400, "messages is no list");
        }
        let asked_for = allowed(body, self.http.entry(), most_output);
        let headers = features(&asked.headers, &self.http.entry().features);
        let mut log = guard(&self.secrets, log);
        self.ask(&asked_for, &headers, seconds_left, &mut log).await
    }

    fn entry(&self) -> &ModelEntry {
        self.http.entry()
    }

    fn path(&self) -> &'static str {
        self.http.speech.path
    }
}

impl Over {
    /// Asks until there is an answer, or an error that is the agent's to see. Every try is logged.
    async fn ask(&self, asked: &Allowed, headers: &HeaderMap, seconds: f64, log: &mut dyn CallLog) -> Passed {
        let (begun, mut number, mut waited) = (Instant::now(), 0, 0.0);
        let messages = asked.body.get("messages").and_then(Value::as_array);
        let answered = messages.is_some_and(|all| all.iter().any(|m| m.get("role").is_some_and(|r| r == "assistant")));
        loop {
            number += 1;
            let seconds_left = seconds - begun.elapsed().as_secs_f64();
            let sent = Sent { body: &asked.body, headers: headers.clone(), seconds_left, answered };
            let place = self.http.pace.enter().await;
            let Tried { mut call, end, answer, mended } = self.http.once(&sent).await;
            drop(place);
            call.left_out.clone_from(&asked.left_out);
            let (usage, cost_usd, seconds_asked) = (call.usage, call.cost_usd, call.seconds);
            let pause = self.http.retry.wait(number, call.retry_after, &self.http.seed);
            log.call(call);
            let failed = match end {
                Ok(Said { text, tool_calls, finish }) => {
                    let seconds = seconds_asked;
                    let reply = Reply { text, tool_calls, finish, usage, cost_usd, seconds, waited_seconds: waited };
                    return self.passed(answer, mended, Some(reply), None);
                }
                Err(failed) => failed,
            };
            // A status that refuses is an answer, which the agent understands.
            let refuses = answer.status.is_some_and(|status| status >= 400);
            let in_time = begun.elapsed().as_secs_f64() + pause.as_secs_f64() < seconds;
            if refuses || !in_time || !self.http.may_ask_again(&failed, number, log) {
                // What the agent cannot read either is told to it as an error.
                let answer = if refuses || failed.is_told { answer } else { Partial::default() };
                return self.passed(answer, mended, None, Some(failed.error));
            }
            waited += seconds_asked + pause.as_secs_f64();
            tokio::time::sleep(pause).await;
        }
    }

    /// The answer for the agent.
    fn passed(
        &self,
        answer: Partial,
        mended: Option<String>,
        reply: Option<Reply>,
        error: Option<GatewayError>,
    ) -> Passed {
        let error = error.map(|error| clean(&self.secrets, error));
        match answer.status {
            Some(status) if !answer.bytes.is_empty() => {
                // What is no text has been made one; a provider that repeats a key must not tell it to the sandbox.
                let text = mended.unwrap_or_else(|| String::from_utf8_lossy(&answer.bytes).into_owned());
                let body = self.secrets.without_known(&text).into_bytes();
                Passed { status, kind: answer.kind.unwrap_or_else(|| JSON.to_owned()), body, reply, error }
            }
            _ => {
                let why = error.as_ref().map_or_else(|| "the provider said nothing".to_owned(), ToString::to_string);
                Passed { reply, error, ..Passed::refused(502, &why) }
            }
        }
    }
}

/// The headers of the agent that name features which the model's entry allows, and no other.
fn features(headers: &[(String, String)], allowed: &[String]) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let Some(name) = FEATURES.into_iter().find(|feature| name.eq_ignore_ascii_case(feature)) else { continue };
        let words = value.split(',').map(str::trim).filter(|word| allowed.iter().any(|known| known == word));
        let value = words.collect::<Vec<_>>().join(",");
        if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_str(&value)) {
            kept.append(HeaderName::from_static(name), value);
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

    #[test]
    fn one_path_leads_to_the_model_and_keys_of_the_agent_lead_nowhere() {
        assert!(leads("/v1/chat/completions", "/chat/completions") && leads("/v1/messages", "/v1/messages"));
        assert!(!leads("/v1/models", "/chat/completions") && !leads("/v1/v1/chat/completions", "/chat/completions"));
        let headers = [
            ("authorization", "Bearer x"),
            ("Anthropic-Beta", "context-1m, cheap-2"),
            ("openai-beta", "x"),
            ("x-api-key", "k"),
            ("host", "h"),
        ];
        let headers = headers.map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert!(features(&headers, &[]).is_empty());
        let kept = features(&headers, &["cheap-2".to_owned()]);
        assert_eq!((kept.len(), kept["anthropic-beta"].to_str().unwrap()), (1, "cheap-2"));
    }
}
