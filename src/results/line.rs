//! The fast path: one line that keeps the contract, read without allocating.

use super::row::{NONE_COST, NONE_U32, NONE_U64};
use super::{Row, Stop};
use crate::schema::{ATTEMPT_SCHEMA, Outcome, Run};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// What a line is checked against: its run's plan, ready for look-ups.
pub(super) struct Plan<'r> {
    pub run: &'r Run,
    pub agent: String,
    tasks: HashMap<&'r str, u32>,
    models: HashMap<&'r str, u16>,
}

impl<'r> Plan<'r> {
    pub fn new(run: &'r Run) -> Plan<'r> {
        Plan {
            run,
            agent: run.agent_word(),
            tasks: run.tasks.iter().enumerate().map(|(i, t)| (t.as_str(), i as u32)).collect(),
            models: run.models.iter().enumerate().map(|(i, m)| (m.id.as_str(), i as u16)).collect(),
        }
    }

    pub fn task(&self, id: &str) -> Option<u32> {
        self.tasks.get(id).copied()
    }

    pub fn model(&self, id: &str) -> Option<u16> {
        self.models.get(id).copied()
    }
}

#[derive(Deserialize)]
struct Slim<'a> {
    #[serde(borrow)]
    schema: Cow<'a, str>,
    #[serde(borrow)]
    run: Cow<'a, str>,
    #[serde(borrow)]
    suite: Cow<'a, str>,
    #[serde(borrow)]
    task: Cow<'a, str>,
    #[serde(borrow)]
    model: Cow<'a, str>,
    repeat: u32,
    #[serde(borrow)]
    outcome: Cow<'a, str>,
    #[serde(borrow, default)]
    agent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    condition: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    stop: Option<Cow<'a, str>>,
    #[serde(default)]
    score: Option<Pair>,
    #[serde(default)]
    tests: Option<Tests>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    cost_usd: Option<f64>,
    #[serde(default)]
    seconds: Option<Seconds>,
    #[serde(default)]
    turns: Option<u32>,
    #[serde(borrow, default)]
    error: Option<Error<'a>>,
    #[serde(borrow, default)]
    finished_at: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default, Clone, Copy)]
struct Pair {
    passed: u32,
    total: u32,
}

#[derive(Deserialize, Default)]
struct Tests {
    #[serde(default)]
    targets: Pair,
    #[serde(default)]
    guards: Pair,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input: Option<u64>,
    #[serde(default)]
    output: Option<u64>,
}

#[derive(Deserialize)]
struct Seconds {
    #[serde(default)]
    agent: Option<f64>,
    #[serde(default)]
    total: Option<f64>,
}

#[derive(Deserialize)]
struct Error<'a> {
    #[serde(borrow, default)]
    class: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
}

/// What went wrong in one attempt, as its line says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// 1-based line of the attempts file.
    pub line: u32,
    /// Kind of fault.
    pub class: String,
    /// The first [`ERROR_CHARS`] characters of the message.
    pub message: String,
}

/// Longer messages are cut; the raw line has the whole.
const ERROR_CHARS: usize = 400;

/// What is collected beside the rows of one piece.
#[derive(Default)]
pub(super) struct Aside {
    pub variants: Vec<Variant>,
    pub errors: Vec<ErrorText>,
    /// The newest end of an attempt, as RFC 3339 in UTC, which sorts as text.
    pub newest: String,
}

/// The agent and condition of a line.
pub(super) type Variant = (String, String);

/// The largest cost of one attempt that whole nano-dollars can hold with room to sum.
pub(super) const MAX_COST: f64 = 1e8;

/// Reads a line that keeps the contract; none sends the caller to the diagnosis.
pub(super) fn fast(line: &str, plan: &Plan<'_>, aside: &mut Aside, number: u32) -> Option<Row> {
    if line.ends_with('\r') {
        return None;
    }
    let s: Slim<'_> = serde_json::from_str(line).ok()?;
    if s.schema != ATTEMPT_SCHEMA || s.run != plan.run.run.as_str() || s.suite != plan.run.suite.as_str() {
        return None;
    }
    let outcome = Outcome::from_word(&s.outcome)?;
    let (task, model) = (plan.task(&s.task)?, plan.model(&s.model)?);
    let agent = s.agent.as_deref().unwrap_or(&plan.agent);
    let condition = s.condition.as_deref().unwrap_or("default");
    if s.repeat >= plan.run.repeats || agent != plan.agent || !planned_condition(condition, plan) {
        return None;
    }
    let (targets, guards) = s.tests.map_or((Pair::default(), Pair::default()), |t| (t.targets, t.guards));
    let pairs_hold = targets.passed <= targets.total && guards.passed <= guards.total;
    let score_holds = s.score.is_none_or(|p| p.passed <= p.total && (p.passed == p.total) == (outcome == Outcome::Resolved));
    let cost_nano = match s.cost_usd {
        None => NONE_COST,
        Some(c) if (0.0..=MAX_COST).contains(&c) => (c * 1e9).round() as i64,
        Some(_) => return None,
    };
    let (agent_seconds, total_seconds) = s.seconds.map_or((None, None), |t| (t.agent, t.total));
    if !pairs_hold || !score_holds || [agent_seconds, total_seconds].iter().flatten().any(|t| !(0.0..f64::INFINITY).contains(t)) {
        return None;
    }
    if let Some(end) = &s.finished_at
        && end.ends_with('Z')
        && **end > *aside.newest
    {
        aside.newest = end.clone().into_owned();
    }
    if let Some(error) = &s.error {
        let message = error.message.as_deref().unwrap_or("").chars().take(ERROR_CHARS).collect();
        aside.errors.push(ErrorText { line: number, class: error.class.as_deref().unwrap_or("").to_owned(), message });
    }
    let tokens = s.usage.as_ref().and_then(|u| u.input.zip(u.output));
    Some(Row {
        task,
        repeat: s.repeat,
        model,
        variant: variant_index(agent, condition, &mut aside.variants),
        outcome,
        stop: s.stop.as_deref().map_or(Stop::Unsaid, Stop::from_word),
        superseded: false,
        has_error: s.error.is_some(),
        line: number,
        turns: s.turns.unwrap_or(NONE_U32),
        cost_nano,
        agent_seconds: agent_seconds.unwrap_or(f64::NAN),
        total_seconds: total_seconds.unwrap_or(f64::NAN),
        tokens_in: tokens.map_or(NONE_U64, |t| t.0),
        tokens_out: tokens.map_or(NONE_U64, |t| t.1),
        targets: (targets.passed, targets.total),
        guards: (guards.passed, guards.total),
    })
}

/// A run holds its own condition and, beside it, the canonical one.
pub(super) fn planned_condition(condition: &str, plan: &Plan<'_>) -> bool {
    condition == plan.run.condition || condition == "default"
}

fn variant_index(agent: &str, condition: &str, variants: &mut Vec<Variant>) -> u16 {
    if let Some(i) = variants.iter().position(|(a, c)| a == agent && c == condition) {
        return i as u16;
    }
    variants.push((agent.to_owned(), condition.to_owned()));
    (variants.len() - 1) as u16
}
