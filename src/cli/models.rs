use super::Exit;
use super::keys::Keys;
use super::say;
use crate::gateway::{
    AgentKind, Finish, GatewayError, Gateways, MockContext, ModelEntry, Models as Known, Probe, probe,
};
use anyhow::Context;
use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

/// List the models, or ask each for one word.
#[derive(Args, Debug)]
pub struct Models {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List the models with price, limits and whether their key is set
    List {
        #[command(flatten)]
        keys: Keys,
        /// Print as JSON
        #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
        json: bool,
    },
    /// Ask models for one word: 1 where one does not answer, 3 where a key is missing
    Probe {
        /// Models; without any, all of the file whose keys are set
        ids: Vec<String>,
        #[command(flatten)]
        keys: Keys,
        /// Print as JSON
        #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
        json: bool,
    },
}

/// Runs `tsbench models`.
pub fn run(args: &Models) -> anyhow::Result<Exit> {
    match &args.verb {
        Verb::List { keys, json } => list(keys, *json),
        Verb::Probe { ids, keys, json } => probe_all(ids, keys, *json),
    }
}

fn list(keys: &Keys, as_json: bool) -> anyhow::Result<Exit> {
    let (models, secrets) = keys.read()?;
    let set = |m: &ModelEntry| m.key_env.as_ref().map(|name| secrets.key(name).is_some());
    if as_json {
        let mut all = Vec::new();
        for model in &models.list {
            let mut entry = serde_json::to_value(model)?;
            entry["key_set"] = set(model).map_or(Value::Null, Value::Bool);
            all.push(entry);
        }
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(Exit::Good);
    }
    let width = models.list.iter().map(|m| m.id.len()).max().unwrap_or(2);
    say!("{:width$}  {:9}  {:>19}  {:10}  key", "id", "dialect", "USD/M in, out", "cutoff");
    for model in &models.list {
        let price = model.price.map_or("unknown".to_owned(), |p| format!("{}, {}", p.input, p.output));
        let key = match (&model.key_env, set(model)) {
            (Some(name), Some(true)) => format!("{name} is set"),
            (Some(name), _) => format!("{name} is missing"),
            (None, _) => "none needed".to_owned(),
        };
        let dialect = format!("{:?}", model.dialect).to_lowercase();
        say!(
            "{:width$}  {dialect:9}  {price:>19}  {:10}  {key}",
            model.id,
            model.cutoff.as_deref().unwrap_or("unknown")
        );
    }
    eprintln!(
        "{} models; mock/gold, mock/empty, mock/random:P, mock/script:FILE and replay:FILE need no entry",
        models.list.len()
    );
    Ok(Exit::Good)
}

fn probe_all(ids: &[String], keys: &Keys, as_json: bool) -> anyhow::Result<Exit> {
    let (models, secrets) = keys.read()?;
    let chosen = chosen(&models, ids, |name| secrets.key(name).is_some())?;
    let gateways = Gateways::new(secrets);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("start the runtime")?;
    let mut exit = Exit::Good;
    let mut all = Vec::new();
    for entry in &chosen {
        let mock = MockContext {
            solution: Vec::new(),
            seed: format!("probe|{}", entry.id),
            agent: AgentKind::Shell { submit: "ready".into() },
        };
        let probed = match gateways.open(entry, mock) {
            Ok(gateway) => runtime.block_on(probe(gateway.as_ref())),
            Err(error) => Probe { end: Err(error), calls: Vec::new() },
        };
        exit = match &probed.end {
            Ok(_) => exit,
            Err(GatewayError::MissingKey { .. }) => Exit::Missing,
            Err(_) if exit == Exit::Missing => exit,
            Err(_) => Exit::No,
        };
        let told = told(&entry.id, &probed, gateways.secrets());
        if as_json { all.push(told.0) } else { say!("{}", told.1) }
    }
    if as_json {
        say!("{}", serde_json::to_string_pretty(&all)?);
    }
    if chosen.is_empty() {
        eprintln!("no model of {} has its key set", keys.models.display());
        return Ok(Exit::Missing);
    }
    Ok(exit)
}

/// The models asked for, or all that can be asked.
fn chosen(models: &Known, ids: &[String], set: impl Fn(&str) -> bool) -> Result<Vec<ModelEntry>, GatewayError> {
    if ids.is_empty() {
        let able = models.list.iter().filter(|m| m.key_env.as_ref().is_none_or(|name| set(name)));
        return Ok(able.cloned().collect());
    }
    ids.iter().map(|id| models.find(id)).collect()
}

/// What came of a probe, for programs and for people.
fn told(id: &str, probed: &Probe, secrets: &crate::gateway::Secrets) -> (Value, String) {
    let spent = probed.spent();
    let cost = spent.cost_usd();
    let shown_cost = cost.map_or("cost unknown".to_owned(), |usd| format!("${usd:.6}"));
    match &probed.end {
        Ok(reply) => {
            let text = secrets.redact(reply.text.trim());
            let first: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(40).collect();
            let tokens = reply.usage.map_or("tokens unknown".to_owned(), |u| {
                format!("{} + {} tokens", u.input + u.cached_input + u.cache_write, u.output)
            });
            let finish = match &reply.finish {
                Finish::Other(word) => word.clone(),
                word => format!("{word:?}").to_lowercase(),
            };
            let line = format!(
                "answers   {id}: {first:?} after {:.2} s, {} tries, {tokens}, {shown_cost}, finish {finish}",
                reply.seconds,
                probed.calls.len()
            );
            let value = json!({"id": id, "answers": true, "text": text, "finish": finish, "seconds": reply.seconds,
                "tries": probed.calls.len(), "usage": reply.usage, "cost_usd": cost});
            (value, line)
        }
        Err(error) => {
            let line = format!("no answer {id}: failed to {error}");
            let value = json!({"id": id, "answers": false, "class": error.class(), "infra": error.is_infra(),
                "error": error.to_string(), "tries": probed.calls.len(), "cost_usd": cost});
            (value, line)
        }
    }
}
