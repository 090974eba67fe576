use crate::schema::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One try of one request, as evidence. It holds no key: headers are not part of it, and answers are redacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The body that was sent.
    pub request: Value,
    /// Where something of a program's own request was not passed on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The body that came: JSON as it was, or a string with the beginning of anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
    /// Status of the answer, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Kind of fault ([`super::GatewayError::class`]), if the try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The fault in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Seconds that the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<f64>,
    /// Start, RFC 3339.
    pub started_at: String,
    /// Seconds from the start to the last byte or the fault.
    pub seconds: f64,
    /// Tokens, where the provider told them, also of a reply that could not be used.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Why the tokens that the provider told are none, where they cannot be counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage_refused: Option<String>,
    /// The model that the provider says it used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_model: Option<String>,
    /// US dollars; none where unknown.
    #[serde(default)]
    pub cost_usd: Option<f64>,
    /// True where the provider may have charged for the try: it answered with a reply, or broke off after the request
    /// had been sent. An error status and a connection that was never made cost nothing.
    pub billable: bool,
}

/// Keeps every try.
pub trait CallLog: Send {
    /// Keep one try.
    fn call(&mut self, call: Call);

    /// Whether there is money for one more try of a request of which a try may have been paid for.
    fn affords_another(&mut self) -> bool {
        true
    }
}

impl CallLog for Vec<Call> {
    fn call(&mut self, call: Call) {
        self.push(call);
    }
}
