//! The last wall before a record: whatever a gateway tells of its tries and faults, no secret is in it.

use super::{Call, CallLog, Gateway, GatewayError, ModelEntry, Reply, Request, Secrets, ToolCall};
use async_trait::async_trait;
use std::sync::Arc;

/// A gateway whose records, errors and replies are without secrets: what a model says goes into a sandbox.
pub(super) struct Guarded {
    pub(super) inner: Box<dyn Gateway>,
    pub(super) secrets: Arc<Secrets>,
}

#[async_trait]
impl Gateway for Guarded {
    async fn complete(&self, request: &Request, log: &mut dyn CallLog) -> Result<Reply, GatewayError> {
        let mut log = guard(&self.secrets, log);
        let reply = self.inner.complete(request, &mut log).await.map_err(|error| clean(&self.secrets, error))?;
        let tool_calls = reply
            .tool_calls
            .into_iter()
            .map(|call| ToolCall { arguments: self.secrets.without_known(&call.arguments), ..call });
        Ok(Reply { text: self.secrets.without_known(&reply.text), tool_calls: tool_calls.collect(), ..reply })
    }

    fn entry(&self) -> &ModelEntry {
        self.inner.entry()
    }
}

/// A log that is told of each try without its secrets.
pub(super) fn guard<'a>(secrets: &'a Secrets, log: &'a mut dyn CallLog) -> Clean<'a> {
    Clean { secrets, log }
}

/// Takes secrets out of each try on its way to the log.
pub(super) struct Clean<'a> {
    secrets: &'a Secrets,
    log: &'a mut dyn CallLog,
}

impl CallLog for Clean<'_> {
    fn call(&mut self, call: Call) {
        self.log.call(Call {
            // A model that was told a key, or guessed it, says it, and the next request repeats what it said.
            request: self.secrets.redact_json(call.request),
            response: call.response.map(|response| self.secrets.redact_json(response)),
            error: call.error.map(|text| self.secrets.redact(&text)),
            served_model: call.served_model.map(|name| self.secrets.redact(&name)),
            usage_refused: call.usage_refused.map(|text| self.secrets.redact(&text)),
            ..call
        });
    }

    fn affords_another(&mut self) -> bool {
        self.log.affords_another()
    }
}

/// The same error without secrets: providers repeat keys that they do not know.
pub(super) fn clean(secrets: &Secrets, error: GatewayError) -> GatewayError {
    let clean = |text: String| secrets.redact(&text);
    match error {
        GatewayError::Auth { status, text } => GatewayError::Auth { status, text: clean(text) },
        GatewayError::BadRequest { status, text } => GatewayError::BadRequest { status, text: clean(text) },
        GatewayError::ContextOverflow { text } => GatewayError::ContextOverflow { text: clean(text) },
        GatewayError::RateLimited { text } => GatewayError::RateLimited { text: clean(text) },
        GatewayError::Server { status, text } => GatewayError::Server { status, text: clean(text) },
        GatewayError::Connection { address, cause } => GatewayError::Connection { address, cause: clean(cause) },
        GatewayError::Malformed { what } => GatewayError::Malformed { what: clean(what) },
        // These hold names, numbers and words of our own.
        error @ (GatewayError::File { .. }
        | GatewayError::NoModel { .. }
        | GatewayError::MissingKey { .. }
        | GatewayError::Setup { .. }
        | GatewayError::Timeout { .. }
        | GatewayError::OutOfTime { .. }
        | GatewayError::TooLarge { .. }
        | GatewayError::Exhausted { .. }) => error,
    }
}
