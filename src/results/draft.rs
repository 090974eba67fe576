//! Attempts of other tools on their way into run folders.

use super::ResultsError;
use super::import_stage::{Folder, pretty, publish};
use crate::schema::{
    ATTEMPT_SCHEMA, Agent, Attempt, Failure, Importer, Model, Outcome, RUN_SCHEMA, Run, Scoring, Seconds, Source, Tier,
    Usage,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One attempt as another tool tells of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    pub task: String,
    pub model: String,
    /// What puts attempts of one task and model in order; for those whose repeat is not told.
    pub order: String,
    pub repeat: Option<u32>,
    pub outcome: Option<Outcome>,
    pub stop: Option<&'static str>,
    pub error: Option<Failure>,
    pub usage: Option<Usage>,
    pub cost_usd: Option<f64>,
    pub seconds: Seconds,
    pub turns: Option<u64>,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    /// What the tool says beside it, kept in the line.
    pub extra: Map<String, Value>,
}

/// A run to be: who worked, and what came of it.
pub(super) struct Draft {
    pub name: String,
    pub suite: String,
    pub from: Importer,
    pub agent: Agent,
    pub created_at: String,
    pub note: String,
    pub limits: Map<String, Value>,
    pub attempts: Vec<Told>,
}

/// What was taken in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportedRuns {
    /// The run folders.
    pub dirs: Vec<PathBuf>,
    /// What has no place in a run, or was guessed.
    pub losses: Vec<String>,
}

/// Writes drafts as run folders below `out`, after the checks that every results folder passes.
pub(super) fn write(source: &Path, out: &Path, drafts: Vec<Draft>, tool: &str) -> Result<Vec<PathBuf>, ResultsError> {
    let folders = drafts.into_iter().map(|d| folder(d, tool)).collect::<Result<Vec<_>, ResultsError>>()?;
    publish(source, out, &folders)
}

fn folder(mut draft: Draft, tool: &str) -> Result<Folder, ResultsError> {
    number(&mut draft.attempts);
    let run = plan(&draft, tool);
    let mut text = Vec::new();
    for told in draft.attempts {
        let extra = told.extra.clone();
        let mut line = serde_json::to_value(line(&run, told))?;
        if let Some(map) = line.as_object_mut() {
            map.extend(extra);
        }
        serde_json::to_writer(&mut text, &line)?;
        text.push(b'\n');
    }
    // The name is fit for a folder as it is: made so once more, it would be another.
    Ok(Folder { name: run.run.clone(), files: vec![("run.json", pretty(&run)?), ("attempts.jsonl", text)] })
}

/// Repeats, counted in order where the tool does not count them.
fn number(attempts: &mut [Told]) {
    attempts.sort_by(|a, b| (&a.task, &a.model, a.repeat, &a.order).cmp(&(&b.task, &b.model, b.repeat, &b.order)));
    let mut next: BTreeMap<(String, String), u32> = BTreeMap::new();
    for told in attempts {
        let count = next.entry((told.task.clone(), told.model.clone())).or_default();
        let repeat = told.repeat.unwrap_or(*count);
        told.repeat = Some(repeat);
        *count = repeat + 1;
    }
}

fn plan(draft: &Draft, tool: &str) -> Run {
    let mut tasks: Vec<String> = draft.attempts.iter().map(|t| t.task.clone()).collect();
    let mut models: Vec<String> = draft.attempts.iter().map(|t| t.model.clone()).collect();
    for list in [&mut tasks, &mut models] {
        list.sort();
        list.dedup();
    }
    let repeats = draft.attempts.iter().filter_map(|t| t.repeat).max().map_or(1, |r| r + 1);
    let planned = tasks.len() as u64 * models.len() as u64 * u64::from(repeats);
    let model = |id: String| {
        let (maker, name) = id.split_once('/').unwrap_or(("", id.as_str()));
        Model { name: name.to_owned(), maker: maker.to_owned(), tier: Tier::Paid, cutoff: None, id: id.clone() }
    };
    Run {
        schema: RUN_SCHEMA.to_owned(),
        run: draft.name.clone(),
        suite: draft.suite.clone(),
        suite_digest: None,
        source: Source::Imported,
        imported_from: Some(draft.from),
        models: models.into_iter().map(model).collect(),
        agent: draft.agent.clone(),
        condition: "default".to_owned(),
        tasks,
        task_details: Vec::new(),
        repeats,
        limits: draft.limits.clone(),
        planned_attempts: planned,
        scoring: Scoring::default(),
        created_at: draft.created_at.clone(),
        tool: Some(tool.to_owned()),
        note: Some(draft.note.clone()),
    }
}

fn line(run: &Run, told: Told) -> Attempt {
    let outcome = told.outcome.unwrap_or(Outcome::InfraError);
    let seconds = (told.seconds != Seconds::default()).then_some(told.seconds);
    Attempt {
        schema: ATTEMPT_SCHEMA.to_owned(),
        run: run.run.clone(),
        suite: run.suite.clone(),
        task: told.task,
        model: told.model,
        agent: run.agent_word(),
        condition: run.condition.clone(),
        repeat: told.repeat.unwrap_or(0),
        outcome,
        score: None,
        stop: told.stop.map(str::to_owned),
        tests: None,
        patch: None,
        usage: told.usage,
        cost_usd: told.cost_usd,
        seconds,
        turns: told.turns,
        served_models: Vec::new(),
        retries: None,
        error: told.error,
        digests: None,
        host: None,
        tool: None,
        started_at: told.started_at,
        finished_at: told.finished_at,
    }
}

/// A name of letters, digits and dashes for a run, made of what a tool calls it. Two may become one: then the second is
/// refused, as every run that is there already.
pub(super) fn plain_name(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { '-' };
    let name: String = text.chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|p| !p.is_empty()).collect();
    if parts.is_empty() { "run".to_owned() } else { parts.join("-").chars().take(100).collect() }
}

/// Why a text is no name of a suite, if it is none.
pub(super) fn suite_fault(suite: &str) -> Option<String> {
    let whole = suite.split_once('@').is_some_and(|(id, version)| !id.is_empty() && !version.is_empty());
    (!whole).then(|| format!("the suite {suite:?} is not of the form id@version"))
}

/// Seconds between two times.
pub(super) fn between(from: Option<&str>, to: Option<&str>) -> Option<f64> {
    let at = |text: Option<&str>| super::trajectory::seconds(&zoned(text?));
    Some(at(to)? - at(from)?).filter(|s| *s >= 0.0)
}

/// A time with a zone: tools that leave it out mean UTC.
pub(super) fn zoned(text: &str) -> String {
    let time = text.get(10..).unwrap_or_default();
    let has_zone = time.ends_with(['Z', 'z']) || time.contains('+') || time.contains('-');
    if has_zone { text.to_owned() } else { format!("{text}Z") }
}
