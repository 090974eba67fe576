//! Models over HTTP: tries, patience, and what became of each.

use super::faults::{Answer, judge};
use super::mock::now;
use super::open::told;
use super::overflow::{Accepted, Evidence};
use super::pace::Pace;
use super::retry::{Retry, asked};
use super::sound::{Heard, heard};
use super::speech::{Said, Speech, malformed, served};
use super::spent::is_cost;
use super::{Call, CallLog, Expired, Finish, Gateway, GatewayError, ModelEntry, Reply, Request, Role, Secrets};
use crate::schema::Usage;
use async_trait::async_trait;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of an answer.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// Most bytes of an answer that is not JSON, in the record.
const MOST_TEXT: usize = 64 << 10;

/// A model over HTTP.
pub(super) struct Http {
    pub(super) entry: ModelEntry,
    pub(super) client: reqwest::Client,
    pub(super) url: String,
    pub(super) headers: HeaderMap,
    pub(super) speech: &'static Speech,
    pub(super) secrets: Arc<Secrets>,
    pub(super) pace: Arc<Pace>,
    pub(super) retry: Retry,
    pub(super) seed: String,
    /// The longest request that was accepted.
    pub(super) accepted: Mutex<Option<Accepted>>,
}

/// The headers of a dialect, with the key; its value is marked so that nothing prints it.
pub(super) fn headers(speech: &Speech, key: Option<&str>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    for (name, value) in speech.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(key) = key {
        let mut value = HeaderValue::from_str(&format!("{}{key}", speech.key.1)).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(speech.key.0), value);
    }
    Some(headers)
}

/// What has come of an answer so far; it survives when patience ends.
#[derive(Default)]
pub(super) struct Partial {
    pub(super) status: Option<u16>,
    retry_after: Option<f64>,
    /// Kind of the content, as the provider names it.
    pub(super) kind: Option<String>,
    pub(super) bytes: Vec<u8>,
    /// The request may have reached the provider.
    sent: bool,
}

/// How a try failed.
pub(super) struct Failed {
    pub(super) error: GatewayError,
    /// Another try may help.
    pub(super) again: bool,
    /// The provider answered with an error, for which nobody pays.
    pub(super) free: bool,
    /// The provider told it in words of its own.
    pub(super) is_told: bool,
}

impl Failed {
    fn finally(error: GatewayError) -> Failed {
        Failed { error, again: false, free: false, is_told: false }
    }

    /// The answer was lost or is none, though the request was good: to ask once more costs one reply, to begin anew costs
    /// all replies so far.
    fn broken(error: GatewayError) -> Failed {
        Failed { error, again: true, free: false, is_told: false }
    }
}

/// An answer without secrets: JSON, or else its text.
struct Clean {
    json: Option<Value>,
    text: String,
}

impl Clean {
    /// The answer for the record.
    fn kept(self) -> Option<Value> {
        match self.json {
            Some(json) => Some(json),
            None if self.text.is_empty() => None,
            None => {
                let most = self.text.floor_char_boundary(MOST_TEXT);
                Some(self.text[..most].into())
            }
        }
    }
}

/// A try that is over.
pub(super) struct Tried {
    pub(super) call: Call,
    pub(super) end: Result<Said, Failed>,
    /// The answer as it came.
    pub(super) answer: Partial,
    /// Its bytes with sound characters, where they had to be changed.
    pub(super) mended: Option<String>,
}

/// A request on its way: what it says, what it says beside the headers of every request, and how long it may take.
pub(super) struct Sent<'a> {
    pub(super) body: &'a Value,
    pub(super) headers: HeaderMap,
    pub(super) seconds_left: f64,
    /// The conversation has replies already.
    pub(super) answered: bool,
}

#[async_trait]
impl Gateway for Http {
    async fn complete(&self, request: &Request, log: &mut dyn CallLog) -> Result<Reply, GatewayError> {
        let body = (self.speech.body)(&self.entry, request);
        let mut waited = Duration::ZERO;
        let mut tried = 0;
        loop {
            let begun = Instant::now();
            let place = self.pace.enter().await;
            waited += begun.elapsed();
            tried += 1;
            let answered = request.messages.iter().any(|m| m.role == Role::Assistant);
            let sent = Sent { body: &body, headers: HeaderMap::new(), seconds_left: request.seconds_left, answered };
            let Tried { call, end, .. } = self.once(&sent).await;
            drop(place);
            let (usage, cost_usd, seconds, asked) = (call.usage, call.cost_usd, call.seconds, call.retry_after);
            log.call(call);
            match end {
                Ok(Said { text, tool_calls, finish }) => {
                    let waited_seconds = waited.as_secs_f64();
                    return Ok(Reply { text, tool_calls, finish, usage, cost_usd, seconds, waited_seconds });
                }
                Err(failed) if !self.may_ask_again(&failed, tried, log) => return Err(failed.error),
                Err(_) => {
                    let pause = self.retry.wait(tried, asked, &self.seed);
                    tokio::time::sleep(pause).await;
                    waited += pause + Duration::from_secs_f64(seconds);
                }
            }
        }
    }

    fn entry(&self) -> &ModelEntry {
        &self.entry
    }
}

impl Http {
    /// Whether the same is asked once more after so many tries. What may have been paid for is asked again only as long as
    /// there is money for it, and a model that took all of its time is given it once more at most.
    pub(super) fn may_ask_again(&self, failed: &Failed, tried: u32, log: &mut dyn CallLog) -> bool {
        let most = match failed.error {
            GatewayError::Timeout { .. } => self.retry.tries.min(2),
            _ => self.retry.tries,
        };
        failed.again && tried < most && (failed.free || log.affords_another())
    }

    /// What is known of a request, should it be refused.
    fn evidence(&self, sent: &Sent<'_>, bytes: u64) -> Evidence {
        let accepted = *self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        let most = ["max_tokens", "max_completion_tokens"].iter().find_map(|name| sent.body.get(*name)?.as_u64());
        let most_output = most.unwrap_or(self.entry.max_output_tokens);
        Evidence { answered: sent.answered, bytes, most_output, window: self.entry.context_tokens, accepted }
    }

    /// Remembers the longest request that was accepted.
    fn accept(&self, bytes: u64, usage: Option<&Usage>) {
        let mut accepted = self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if accepted.is_none_or(|longest| longest.bytes <= bytes) {
            let tokens = usage.map(|u| u.input + u.cached_input + u.cache_write).filter(|tokens| *tokens > 0);
            *accepted = Some(Accepted { bytes, tokens });
        }
    }

    /// One try.
    pub(super) async fn once(&self, sent: &Sent<'_>) -> Tried {
        let (started_at, begun) = (now(), Instant::now());
        let mut partial = Partial::default();
        let bytes = sent.body.to_string().into_bytes();
        let sent_bytes = bytes.len() as u64;
        let left = sent.seconds_left.max(0.0);
        let patience = Duration::from_secs_f64(self.entry.request_seconds.min(left));
        let exchanged = match tokio::time::timeout(patience, self.exchange(sent, bytes, &mut partial)).await {
            Ok(end) => end,
            Err(_) if left < self.entry.request_seconds => {
                Err(Failed::finally(GatewayError::OutOfTime { seconds: left }))
            }
            Err(_) => {
                let seconds = self.entry.request_seconds;
                Err(Failed::broken(GatewayError::Timeout { what: Expired::Total, seconds }))
            }
        };
        // An error status says enough, whatever became of its body.
        let refused = partial.status.is_some_and(|status| status >= 400);
        let exchanged = match exchanged {
            Err(_) if refused => Ok(()),
            other => other,
        };
        let seconds = begun.elapsed().as_secs_f64();
        let Heard { answer, streamed, mended } = heard(self.entry.dialect, &partial.bytes);
        let (usage, usage_refused) = match answer.as_ref().map_or(Ok(None), self.speech.usage) {
            Ok(usage) => (usage, None),
            Err(why) => (None, Some(why)),
        };
        let clean = self.clean(answer.as_ref(), &partial.bytes);
        let status = partial.status.unwrap_or(0);
        let evidence = self.evidence(sent, sent_bytes);
        let end = exchanged.and_then(|()| match judge(status, clean.json.as_ref(), &clean.text, &evidence) {
            Some(Answer::Fault { error, again }) => Err(Failed { error, again, free: usage.is_none(), is_told: true }),
            Some(Answer::Garbled(text)) => Ok(Said { text, tool_calls: Vec::new(), finish: garbled() }),
            None => self.read(answer.as_ref(), &clean.text).map_err(Failed::broken),
        });
        if end.is_ok() {
            self.accept(sent_bytes, usage.as_ref());
        }
        // A server that could not read what the model wrote has made it write.
        let garbled = matches!(&end, Ok(said) if said.finish == garbled());
        let free = matches!(&end, Err(Failed { free: true, .. }));
        let billable = usage.is_some() || garbled || partial.sent && !free;
        let call = Call {
            request: sent.body.clone(),
            left_out: Vec::new(),
            served_model: answer.as_ref().and_then(served),
            // A stream is kept as it came.
            response: if streamed { self.clean(None, &partial.bytes).kept() } else { clean.kept() },
            status: partial.status,
            class: end.as_ref().err().map(|failed| failed.error.class().to_owned()),
            error: end.as_ref().err().map(|failed| failed.error.to_string()),
            retry_after: partial.retry_after,
            started_at,
            seconds,
            usage,
            usage_refused,
            cost_usd: self.cost(usage.as_ref(), billable),
            billable,
        };
        Tried { call, end, answer: partial, mended }
    }

    /// Sends the request and takes in the answer.
    async fn exchange(&self, sent: &Sent<'_>, bytes: Vec<u8>, partial: &mut Partial) -> Result<(), Failed> {
        // Our own come last: nobody else's replaces the key.
        let request =
            self.client.post(&self.url).headers(sent.headers.clone()).headers(self.headers.clone()).body(bytes);
        // Nothing is known of a request that is given up now, so it may have been served.
        partial.sent = true;
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => {
                partial.sent = !error.is_connect();
                return Err(Failed { error: self.broken(error), again: true, free: !partial.sent, is_told: false });
            }
        };
        partial.status = Some(response.status().as_u16());
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        partial.kind = header("content-type").map(str::to_owned);
        let millis = header("retry-after-ms").and_then(|ms| ms.trim().parse::<f64>().ok()).map(|ms| ms / 1000.0);
        partial.retry_after = millis
            .filter(|seconds| seconds.is_finite() && *seconds >= 0.0)
            .or_else(|| asked(header("retry-after")?, jiff::Timestamp::now()));
        let too_large = || Failed::finally(GatewayError::TooLarge { most: MOST_BYTES });
        if response.content_length().is_some_and(|length| length > MOST_BYTES as u64) {
            return Err(too_large());
        }
        let idle = Duration::from_secs_f64(self.entry.idle_seconds);
        loop {
            match tokio::time::timeout(idle, response.chunk()).await {
                Ok(Ok(Some(chunk))) if partial.bytes.len() + chunk.len() > MOST_BYTES => return Err(too_large()),
                Ok(Ok(Some(chunk))) => partial.bytes.extend_from_slice(&chunk),
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(error)) => return Err(Failed::broken(self.broken(error))),
                Err(_) => {
                    let seconds = self.entry.idle_seconds;
                    return Err(Failed::broken(GatewayError::Timeout { what: Expired::Idle, seconds }));
                }
            }
        }
    }

    /// What a good answer says.
    fn read(&self, answer: Option<&Value>, text: &str) -> Result<Said, GatewayError> {
        (self.speech.said)(answer.ok_or_else(|| malformed(not_json(text)))?)
    }

    /// US dollars, where they are known.
    fn cost(&self, usage: Option<&Usage>, billable: bool) -> Option<f64> {
        let price = self.entry.price?;
        match usage {
            Some(usage) => Some(price.of(usage)).filter(is_cost),
            None if !billable => None,
            None => price.is_free().then_some(0.0),
        }
    }

    /// The answer without secrets, before anything is cut out of it: half a key would not be known again.
    fn clean(&self, answer: Option<&Value>, bytes: &[u8]) -> Clean {
        match answer {
            Some(answer) => Clean { json: Some(self.secrets.redact_json(answer.clone())), text: String::new() },
            None => Clean { json: None, text: self.secrets.redact_cut(&String::from_utf8_lossy(bytes)) },
        }
    }

    /// A connection that could not be made, or broke.
    fn broken(&self, error: reqwest::Error) -> GatewayError {
        GatewayError::Connection { address: self.entry.base_url.clone().unwrap_or_default(), cause: told(error) }
    }
}

/// How a reply ends whose call of a tool its server could not read.
fn garbled() -> Finish {
    Finish::Other("malformed_tool_call".to_owned())
}

fn not_json(text: &str) -> String {
    let start: String = text.trim_start().chars().take(80).collect();
    if start.is_empty() {
        "expected JSON, found nothing".to_owned()
    } else {
        format!("expected JSON, found {start:?}…")
    }
}
