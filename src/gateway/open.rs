use super::guarded::Guarded;
use super::http::{Http, headers};
use super::mock::{Mock, unknown};
use super::pace::Pace;
use super::relay::{Over, Relay, Told};
use super::retry::Retry;
use super::script::Script;
use super::speech::speech;
use super::{Dialect, Gateway, GatewayError, MockContext, ModelEntry, Secrets};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Time to make a connection.
const CONNECT: Duration = Duration::from_secs(30);

/// Opens the gateways of one run, which share connections and the limits of each model's rate.
#[derive(Debug, Default)]
pub struct Gateways {
    secrets: Arc<Secrets>,
    retry: Retry,
    /// For other machines, and for this one, to which no proxy leads.
    clients: [OnceLock<Result<reqwest::Client, String>>; 2],
    paces: Mutex<BTreeMap<String, Arc<Pace>>>,
}

impl Gateways {
    /// Gateways with these keys.
    pub fn new(secrets: Secrets) -> Gateways {
        Gateways { secrets: Arc::new(secrets), ..Gateways::default() }
    }

    /// The same with another patience between tries.
    #[must_use]
    pub fn with_retry(self, retry: Retry) -> Gateways {
        Gateways { retry, ..self }
    }

    /// The secrets, to redact with.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// A gateway for one attempt.
    pub fn open(&self, entry: &ModelEntry, mock: MockContext) -> Result<Box<dyn Gateway>, GatewayError> {
        let inner: Box<dyn Gateway> = match entry.dialect {
            Dialect::Mock => {
                let what = entry.id.strip_prefix("mock/").ok_or_else(|| unknown(&entry.id))?;
                match what.strip_prefix("script:") {
                    Some(file) => Box::new(Script::scripted(entry, Path::new(file))?),
                    None => Box::new(Mock::new(entry, what, mock)?),
                }
            }
            Dialect::Replay => {
                let file = entry.id.strip_prefix("replay:").ok_or_else(|| unknown(&entry.id))?;
                Box::new(Script::recorded(entry, Path::new(file))?)
            }
            Dialect::Openai | Dialect::Anthropic | Dialect::Ollama => Box::new(self.over_http(entry, mock.seed)?),
        };
        Ok(Box::new(Guarded { inner, secrets: self.secrets.clone() }))
    }

    /// The way of a command-line agent to a model, for one attempt.
    pub fn relay(&self, entry: &ModelEntry, mock: MockContext) -> Result<Box<dyn Relay>, GatewayError> {
        Ok(match entry.dialect {
            Dialect::Mock | Dialect::Replay => Box::new(Told { gateway: self.open(entry, mock)? }),
            Dialect::Openai | Dialect::Anthropic | Dialect::Ollama => {
                Box::new(Over { http: self.over_http(entry, mock.seed)?, secrets: self.secrets.clone() })
            }
        })
    }

    fn over_http(&self, entry: &ModelEntry, seed: String) -> Result<Http, GatewayError> {
        let base = entry.base_url.clone().unwrap_or_default();
        let setup = |cause: String| GatewayError::Setup { address: base.clone(), cause };
        let key = match &entry.key_env {
            None => None,
            Some(variable) => Some(
                self.secrets
                    .key(variable)
                    .ok_or_else(|| GatewayError::MissingKey { model: entry.id.clone(), variable: variable.clone() })?,
            ),
        };
        let speech = speech(entry.dialect).ok_or_else(|| unknown(&entry.id))?;
        let headers = headers(speech, key)
            .ok_or_else(|| setup("the key has characters that no key has; look at how the variable is set".into()))?;
        let here = is_loopback(&base);
        let client = self.clients[usize::from(here)].get_or_init(|| client(here)).clone().map_err(setup)?;
        let pace = {
            let mut paces = self.paces.lock().unwrap_or_else(PoisonError::into_inner);
            paces.entry(entry.id.clone()).or_insert_with(|| Arc::new(Pace::of(entry))).clone()
        };
        Ok(Http {
            entry: entry.clone(),
            client,
            url: format!("{}{}", base.trim_end_matches('/'), speech.path),
            headers,
            speech,
            secrets: self.secrets.clone(),
            pace,
            retry: self.retry,
            seed,
            accepted: Mutex::new(None),
        })
    }
}

/// A client that follows no redirect: an answer from elsewhere is no answer, and a key goes to one address only.
fn client(here: bool) -> Result<reqwest::Client, String> {
    // The one TLS provider of this program; another room may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = || {
        reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .user_agent(concat!("tsbench/", env!("CARGO_PKG_VERSION")))
    };
    if here {
        // A machine without certificates of authorities can still ask a model of its own.
        let own = builder().no_proxy();
        return own.build().or_else(|_| builder().no_proxy().tls_certs_only([]).build()).map_err(told);
    }
    builder().build().map_err(told)
}

/// An error with its causes.
pub(super) fn told(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut deeper = std::error::Error::source(&error);
    while let Some(e) = deeper {
        text = format!("{text}: {e}");
        deeper = e.source();
    }
    text
}

/// True for an address of this machine.
fn is_loopback(base: &str) -> bool {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or(rest);
    host == "localhost" || host.starts_with("localhost:") || host.starts_with("127.") || host.starts_with("[::1]")
}

/// One gateway by itself; a run uses [`Gateways`].
pub fn open(entry: &ModelEntry, secrets: &Secrets, mock: MockContext) -> Result<Box<dyn Gateway>, GatewayError> {
    Gateways::new(secrets.clone()).open(entry, mock)
}
