//! `models.toml`: what there is to know of each model, data only.

use super::mock::{probability, unknown};
use super::{GatewayError, Price, Secrets};
use crate::schema::{Model, Tier};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The language in which a model is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI's chat completions, which most servers speak.
    Openai,
    /// Anthropic's messages.
    Anthropic,
    /// Ollama's own chat.
    Ollama,
    /// No network: gold, empty, random or a script. Needs no entry.
    Mock,
    /// No network: a recorded trajectory. Needs no entry.
    Replay,
}

/// One model as `models.toml` describes it. It holds the name of its key's variable and never the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// The identity in raw lines.
    pub id: String,
    /// The name shown to readers.
    pub name: String,
    /// Who makes it.
    pub maker: String,
    /// How it is paid for.
    pub tier: Tier,
    /// Knowledge cutoff, `YYYY-MM-DD`, where it is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<String>,
    /// How it is asked.
    pub dialect: Dialect,
    /// Address up to and without `/chat/completions`, `/v1/messages` or `/api/chat`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Its identity at the provider; `id` where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Name of the variable that holds the key; none for a server without keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Price; without one, costs are unknown, which is not zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Sent as it is where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Sent as it is where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// Features on trial that a program may ask for by `anthropic-beta` or `openai-beta`; all others stay out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// Most tokens of one reply.
    #[serde(default = "max_output_tokens")]
    pub max_output_tokens: u64,
    /// Name of the option that carries `max_output_tokens` in the `openai` dialect: `max_tokens`, or
    /// `max_completion_tokens` for models that refuse it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_option: Option<String>,
    /// Temperature; not sent where it is not given, since some models refuse it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Tokens of conversation and reply together, where it is known; Ollama is given it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Most seconds of one try.
    #[serde(default = "request_seconds")]
    pub request_seconds: f64,
    /// Most seconds of silence within an answer that has begun.
    #[serde(default = "idle_seconds")]
    pub idle_seconds: f64,
    /// Most tries begun in a minute, over all attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<f64>,
    /// Most tries at one time, over all attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub concurrent: Option<usize>,
}

const fn max_output_tokens() -> u64 {
    4096
}

const fn request_seconds() -> f64 {
    300.0
}

const fn idle_seconds() -> f64 {
    60.0
}

impl ModelEntry {
    fn without_network(id: &str, name: String, dialect: Dialect) -> ModelEntry {
        ModelEntry {
            id: id.to_owned(),
            name,
            maker: "TS-Bench".to_owned(),
            tier: Tier::Local,
            cutoff: None,
            dialect,
            base_url: None,
            model: None,
            key_env: None,
            price: Some(Price::FREE),
            reasoning_effort: None,
            service_tier: None,
            features: Vec::new(),
            max_output_tokens: max_output_tokens(),
            max_tokens_option: None,
            temperature: None,
            context_tokens: None,
            request_seconds: request_seconds(),
            idle_seconds: idle_seconds(),
            requests_per_minute: None,
            concurrent: None,
        }
    }

    /// What a run's plan says of the model.
    pub fn planned(&self) -> Model {
        Model {
            id: self.id.clone(),
            name: self.name.clone(),
            maker: self.maker.clone(),
            tier: self.tier,
            cutoff: self.cutoff.clone(),
        }
    }

    /// The first fault with what to do about it.
    fn fault(&self) -> Option<(String, &'static str)> {
        let of = |what: &str| format!("{:?}: {what}", self.id);
        let seconds = |s: f64| s.is_finite() && s > 0.0 && s <= 86_400.0;
        let date = |d: &String| d.len() == 10 && d.parse::<jiff::civil::Date>().is_ok();
        if matches!(self.dialect, Dialect::Mock | Dialect::Replay) || without_network(&self.id) {
            return Some((of("models without a network need no entry"), "remove it; their names are enough"));
        }
        if self.id.trim().is_empty() || self.id.contains(char::is_control) || self.id.contains([',', ' ']) {
            return Some((of("id must be a word without commas"), "such as openrouter/maker/model"));
        }
        let Some(url) = &self.base_url else {
            return Some((of("base_url is missing"), "give the provider's address, such as http://127.0.0.1:11434"));
        };
        if let Some(what) = address_fault(url) {
            return Some((
                of(what),
                "an address is http(s)://host[:port]/path and nothing else; keys belong into key_env",
            ));
        }
        if self.key_env.as_ref().is_some_and(|name| !is_variable(name)) {
            return Some((of("key_env must be the name of a variable"), "never write a key into this file"));
        }
        if let Some(name) = self.price.and_then(|price| price.fault()) {
            return Some((
                of(&format!("price.{name} must be a number of US dollars from 0")),
                "leave price out where it is unknown",
            ));
        }
        if !seconds(self.request_seconds) || !seconds(self.idle_seconds) {
            return Some((
                of("request_seconds and idle_seconds must be above 0 and at most 86400"),
                "leave them out for the defaults",
            ));
        }
        if self.max_output_tokens == 0 || self.context_tokens.is_some_and(|all| all <= self.max_output_tokens) {
            return Some((
                of("max_output_tokens must be above 0 and below context_tokens"),
                "a conversation needs room beside the reply",
            ));
        }
        if self.requests_per_minute.is_some_and(|n| !(n.is_finite() && n > 0.0)) || self.concurrent == Some(0) {
            return Some((of("requests_per_minute and concurrent must be above 0"), "leave them out for no limit"));
        }
        if self.temperature.is_some_and(|t| !(0.0..=2.0).contains(&t)) {
            return Some((of("temperature must be from 0 to 2"), "leave it out to not send it"));
        }
        if self.cutoff.as_ref().is_some_and(|d| !date(d)) {
            return Some((of("cutoff must be a day as YYYY-MM-DD"), "leave it out where it is not published"));
        }
        None
    }
}

fn without_network(id: &str) -> bool {
    id.starts_with("mock/") || id.starts_with("replay:")
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// What is wrong with an address. Its text is not quoted: it may hold a key.
fn address_fault(url: &str) -> Option<&'static str> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Some("base_url must begin with http:// or https://");
    };
    if rest.contains(['@', '?', '#', ' ']) || rest.contains(char::is_control) {
        return Some("base_url must have no user, query or fragment");
    }
    rest.starts_with(['/', ':']).then_some("base_url has no host").or(rest.is_empty().then_some("base_url has no host"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    models: Vec<ModelEntry>,
}

/// The models of a file, and those that need no entry.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// Entries in the order of the file.
    pub list: Vec<ModelEntry>,
}

impl Models {
    /// Read and check `models.toml`.
    pub fn read(path: &Path) -> Result<Models, GatewayError> {
        let bad = |what: String, hint: &str| GatewayError::File { file: path.to_owned(), what, hint: hint.to_owned() };
        let text = std::fs::read_to_string(path).map_err(|e| {
            bad(e.to_string(), "name the file with --models; the one of this repository is models.toml")
        })?;
        let file: File = toml::from_str(&text).map_err(|e| {
            // The message quotes its line, into which somebody may have written a key.
            bad(
                Secrets::default().redact(&e.to_string()),
                "the fields are explained at the beginning of the repository's models.toml",
            )
        })?;
        let mut ids = BTreeSet::new();
        for entry in &file.models {
            if let Some((what, hint)) = entry.fault() {
                return Err(bad(format!("{}{what}", line_of(&text, &entry.id)), hint));
            }
            if !ids.insert(&entry.id) {
                return Err(bad(format!("two models have the id {:?}", entry.id), "an id names one model"));
            }
        }
        Ok(Models { list: file.models })
    }

    /// The model of an id: of the file, or one that needs no entry.
    pub fn find(&self, id: &str) -> Result<ModelEntry, GatewayError> {
        if let Some(entry) = self.list.iter().find(|entry| entry.id == id) {
            return Ok(entry.clone());
        }
        if let Some(file) = id.strip_prefix("replay:").filter(|file| !file.is_empty()) {
            return Ok(ModelEntry::without_network(id, format!("Replay of {file}"), Dialect::Replay));
        }
        if let Some(what) = id.strip_prefix("mock/") {
            let name = match what.split_once(':') {
                None if what == "gold" => "Mock: the human fix".to_owned(),
                None if what == "empty" => "Mock: no change".to_owned(),
                Some(("random", p)) => format!("Mock: the human fix with probability {}", probability(id, p)?),
                Some(("script", file)) if !file.is_empty() => format!("Mock: the script {file}"),
                _ => return Err(unknown(id)),
            };
            return Ok(ModelEntry::without_network(id, name, Dialect::Mock));
        }
        let known: Vec<&str> = self.list.iter().map(|entry| entry.id.as_str()).collect();
        let hint = format!(
            "there are: {}; and mock/gold, mock/empty, mock/random:P, mock/script:FILE, replay:FILE",
            known.join(", ")
        );
        Err(GatewayError::NoModel { id: id.to_owned(), hint })
    }

    /// Names of all variables that hold keys.
    pub fn key_names(&self) -> BTreeSet<&str> {
        self.list.iter().filter_map(|entry| entry.key_env.as_deref()).collect()
    }
}

/// `line N: ` of an entry, by its id.
fn line_of(text: &str, id: &str) -> String {
    let quoted = toml::Value::String(id.to_owned()).to_string();
    let found = text.lines().position(|line| {
        line.trim().strip_prefix("id").is_some_and(|rest| rest.trim_start().starts_with('=') && rest.contains(&quoted))
    });
    found.map_or(String::new(), |i| format!("line {}: ", i + 1))
}
