use super::mock::{Mock, unknown};
use super::script::Script;
use super::{Dialect, Gateway, GatewayError, MockContext, ModelEntry, Secrets};
use std::path::Path;

/// Opens the gateways of one run, which share connections and the limits of each model's rate.
#[derive(Debug, Default)]
pub struct Gateways {
    secrets: Secrets,
}

impl Gateways {
    /// Gateways with these keys.
    pub fn new(secrets: Secrets) -> Gateways {
        Gateways { secrets }
    }

    /// The secrets, to redact with.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A gateway for one attempt.
    pub fn open(&self, entry: &ModelEntry, mock: MockContext) -> Result<Box<dyn Gateway>, GatewayError> {
        match entry.dialect {
            Dialect::Mock => {
                let what = entry.id.strip_prefix("mock/").ok_or_else(|| unknown(&entry.id))?;
                match what.strip_prefix("script:") {
                    Some(file) => Ok(Box::new(Script::scripted(entry, Path::new(file))?)),
                    None => Ok(Box::new(Mock::new(entry, what, mock)?)),
                }
            }
            Dialect::Replay => {
                let file = entry.id.strip_prefix("replay:").ok_or_else(|| unknown(&entry.id))?;
                Ok(Box::new(Script::recorded(entry, Path::new(file))?))
            }
            Dialect::Openai | Dialect::Anthropic | Dialect::Ollama => Err(GatewayError::Setup {
                address: entry.base_url.clone().unwrap_or_default(),
                cause: "this dialect is not built in".into(),
            }),
        }
    }
}

/// One gateway by itself; a run uses [`Gateways`].
pub fn open(entry: &ModelEntry, secrets: &Secrets, mock: MockContext) -> Result<Box<dyn Gateway>, GatewayError> {
    Gateways::new(secrets.clone()).open(entry, mock)
}
