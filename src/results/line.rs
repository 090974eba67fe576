//! The fast path: one line that keeps the contract, read without allocating.

use super::key::{self, Key};
use super::row::{NONE_COST, NONE_U32, NONE_U64};
use super::scan::Scan;
use super::values::{
    MAX_SMALL, failure, is_plain_time, nullable, once, pair, patch, same, small, span, time, whole, words,
};
use super::{Row, Stop};
use crate::schema::{ATTEMPT_SCHEMA, Outcome, Run};
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

    /// As [`Plan::task`], looking first at the place of an earlier line's task and the one after it.
    #[inline]
    pub fn task_near(&self, id: &str, guess: u32) -> Option<u32> {
        let is = |i: u32| self.run.tasks.get(i as usize).is_some_and(|t| t == id);
        [guess, guess + 1].into_iter().find(|i| is(*i)).or_else(|| self.task(id))
    }

    pub fn model(&self, id: &str) -> Option<u16> {
        match self.run.models.as_slice() {
            [only] => (only.id == id).then_some(0),
            _ => self.models.get(id).copied(),
        }
    }
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
    /// The newest end of an attempt, RFC 3339 in UTC.
    pub newest: String,
    /// Where the task of the last line stands in the plan: the next line's is most often there or just after it.
    task: u32,
}

/// The agent and condition of a line.
pub(super) type Variant = (String, String);

/// The agent of a line that does not name one.
pub(super) const DEFAULT_AGENT: &str = "shell@1";
/// The condition of a line that does not name one.
pub(super) const DEFAULT_CONDITION: &str = "default";
/// The largest cost of one attempt in dollars: in nano-dollars it is still exact in a double, and thousands sum in 64 bits.
pub(super) const MAX_COST: f64 = 1e6;
/// What one line says, as far as rows and checks need it.
struct Line<'a> {
    row: Row,
    seen: u32,
    repeat: Option<u32>,
    outcome: Option<Outcome>,
    agent: Option<Cow<'a, str>>,
    condition: Option<Cow<'a, str>>,
    score: Option<(u32, u32)>,
    finished_at: Option<Cow<'a, str>>,
    error: Option<(Cow<'a, str>, Cow<'a, str>)>,
}

/// The fields that every line must have, as bits of [`Line::seen`].
const REQUIRED: u32 = 0b111_1111;

/// Reads a line that keeps the contract; none sends the caller to the diagnosis.
pub(super) fn fast(text: &str, plan: &Plan<'_>, aside: &mut Aside, number: u32) -> Option<Row> {
    if text.ends_with('\r') {
        return None;
    }
    let mut line = Line {
        row: blank(number),
        seen: 0,
        repeat: None,
        outcome: None,
        agent: None,
        condition: None,
        score: None,
        finished_at: None,
        error: None,
    };
    let mut scan = Scan::new(text);
    let guess = aside.task;
    scan.object(|s, key| line.field(s, key, plan, guess))?;
    if !scan.is_done() || line.seen & REQUIRED != REQUIRED {
        return None;
    }
    let (repeat, outcome) = (line.repeat?, line.outcome?);
    let agent = line.agent.as_deref().unwrap_or(DEFAULT_AGENT);
    let condition = line.condition.as_deref().unwrap_or(DEFAULT_CONDITION);
    if repeat >= plan.run.repeats || agent != plan.agent || !planned_condition(condition, plan) {
        return None;
    }
    if line.score.is_some_and(|(passed, total)| (passed == total) != (outcome == Outcome::Resolved)) {
        return None;
    }
    if let Some(end) = &line.finished_at {
        aside.note_end(end);
    }
    let mut row = line.row;
    row.repeat = repeat;
    row.outcome = outcome;
    row.variant = variant_index(agent, condition, &mut aside.variants);
    row.has_error = line.error.is_some();
    aside.task = row.task;
    if let Some((class, message)) = line.error {
        aside.errors.push(ErrorText {
            line: number,
            class: class.into_owned(),
            message: message.chars().take(ERROR_CHARS).collect(),
        });
    }
    Some(row)
}

impl<'a> Line<'a> {
    /// Reads the value of one key; a key that stands twice is refused.
    #[inline]
    fn field(&mut self, s: &mut Scan<'a>, key: Key, plan: &Plan<'_>, guess: u32) -> Option<()> {
        match key {
            key::SCHEMA => self.first(0).and_then(|()| same(s, ATTEMPT_SCHEMA)),
            key::RUN => self.first(1).and_then(|()| same(s, &plan.run.run)),
            key::SUITE => self.first(2).and_then(|()| same(s, &plan.run.suite)),
            key::TASK => {
                self.first(3)?;
                self.row.task = plan.task_near(&s.text()?, guess)?;
                Some(())
            }
            key::MODEL => {
                self.first(4)?;
                self.row.model = plan.model(&s.text()?)?;
                Some(())
            }
            key::REPEAT => {
                self.first(5)?;
                self.repeat = Some(s.number()?.whole(MAX_SMALL)? as u32);
                Some(())
            }
            key::OUTCOME => {
                self.first(6)?;
                self.outcome = Some(Outcome::from_word(&s.text()?)?);
                Some(())
            }
            _ => self.detail(s, key),
        }
    }

    /// Reads the value of a field that a line may leave out.
    #[inline]
    fn detail(&mut self, s: &mut Scan<'a>, key: Key) -> Option<()> {
        match key {
            key::AGENT => self.first(7).and_then(|()| words(s)).map(|t| self.agent = t),
            key::CONDITION => self.first(8).and_then(|()| words(s)).map(|t| self.condition = t),
            key::STOP => {
                self.first(9)?;
                self.row.stop = words(s)?.map_or(Stop::Unsaid, |w| Stop::from_word(&w));
                Some(())
            }
            key::SCORE => self.first(10).and_then(|()| nullable(s, |s| pair(s, false))).map(|p| self.score = p),
            key::TESTS => self.first(11).and_then(|()| nullable(s, |s| self.tests(s))).map(|_| ()),
            key::PATCH => self.first(12).and_then(|()| nullable(s, patch)).map(|_| ()),
            key::USAGE => self.first(13).and_then(|()| nullable(s, |s| self.usage(s))).map(|_| ()),
            key::COST_USD => {
                self.first(14)?;
                let dollars = nullable(s, |s| s.number()?.value())?;
                self.row.cost_nano = dollars
                    .map_or(Some(NONE_COST), |c| (0.0..=MAX_COST).contains(&c).then(|| (c * 1e9).round() as i64))?;
                Some(())
            }
            key::SECONDS => self.first(15).and_then(|()| nullable(s, |s| self.seconds(s))).map(|_| ()),
            key::TURNS => {
                self.first(16)?;
                self.row.turns = small(s)?.unwrap_or(NONE_U32);
                Some(())
            }
            key::RETRIES => self.first(17).and_then(|()| small(s)).map(|_| ()),
            key::ERROR => self.first(18).and_then(|()| nullable(s, failure)).map(|e| self.error = e),
            key::DIGESTS => self.first(19).and_then(|()| nullable(s, |s| s.object(|s, _| s.skip()))).map(|_| ()),
            key::TOOL => self.first(20).and_then(|()| words(s)).map(|_| ()),
            key::STARTED_AT => self.first(21).and_then(|()| time(s)).map(|_| ()),
            key::FINISHED_AT => self.first(22).and_then(|()| time(s)).map(|t| self.finished_at = t),
            _ => s.skip(),
        }
    }

    fn first(&mut self, bit: u32) -> Option<()> {
        once(&mut self.seen, bit)
    }

    fn tests(&mut self, s: &mut Scan<'a>) -> Option<()> {
        let mut seen = 0;
        s.object(|s, key| match key {
            key::TARGETS => once(&mut seen, 0)
                .and_then(|()| nullable(s, |s| pair(s, true)))
                .map(|p| self.row.targets = p.unwrap_or((0, 0))),
            key::GUARDS => once(&mut seen, 1)
                .and_then(|()| nullable(s, |s| pair(s, true)))
                .map(|p| self.row.guards = p.unwrap_or((0, 0))),
            _ => s.skip(),
        })
    }

    fn usage(&mut self, s: &mut Scan<'a>) -> Option<()> {
        let (mut seen, mut input, mut output) = (0, None, None);
        s.object(|s, key| match key {
            key::INPUT => once(&mut seen, 0).and_then(|()| whole(s)).map(|n| input = n),
            key::OUTPUT => once(&mut seen, 1).and_then(|()| whole(s)).map(|n| output = n),
            key::CACHED_INPUT => once(&mut seen, 2).and_then(|()| whole(s)).map(|_| ()),
            key::CACHE_WRITE => once(&mut seen, 3).and_then(|()| whole(s)).map(|_| ()),
            key::REQUESTS => once(&mut seen, 4).and_then(|()| whole(s)).map(|_| ()),
            _ => s.skip(),
        })?;
        (self.row.tokens_in, self.row.tokens_out) = input.zip(output).unwrap_or((NONE_U64, NONE_U64));
        Some(())
    }

    fn seconds(&mut self, s: &mut Scan<'a>) -> Option<()> {
        let mut seen = 0;
        s.object(|s, key| match key {
            key::AGENT => once(&mut seen, 0).and_then(|()| span(s)).map(|t| self.row.agent_seconds = t),
            key::TOTAL => once(&mut seen, 1).and_then(|()| span(s)).map(|t| self.row.total_seconds = t),
            key::INSTALL => once(&mut seen, 2).and_then(|()| span(s)).map(|_| ()),
            key::TESTS => once(&mut seen, 3).and_then(|()| span(s)).map(|_| ()),
            _ => s.skip(),
        })
    }
}

impl Aside {
    fn note_end(&mut self, end: &str) {
        // In UTC and without the Z, times sort as texts, fractions of a second included.
        let bare = |t: &str| t.trim_end_matches('Z').len();
        if is_plain_time(end) {
            if end[..bare(end)] > self.newest[..bare(&self.newest)] {
                end.clone_into(&mut self.newest);
            }
        } else if let Ok(time) = end.parse::<jiff::Timestamp>() {
            let end = time.to_string();
            if end[..bare(&end)] > self.newest[..bare(&self.newest)] {
                self.newest = end;
            }
        }
    }
}

fn blank(number: u32) -> Row {
    Row {
        task: 0,
        repeat: 0,
        model: 0,
        variant: 0,
        outcome: Outcome::Observed,
        stop: Stop::Unsaid,
        superseded: false,
        has_error: false,
        line: number,
        turns: NONE_U32,
        cost_nano: NONE_COST,
        agent_seconds: f64::NAN,
        total_seconds: f64::NAN,
        tokens_in: NONE_U64,
        tokens_out: NONE_U64,
        targets: (0, 0),
        guards: (0, 0),
    }
}

/// A run holds its own condition and, beside it, the canonical one.
pub(super) fn planned_condition(condition: &str, plan: &Plan<'_>) -> bool {
    condition == plan.run.condition || condition == DEFAULT_CONDITION
}

fn variant_index(agent: &str, condition: &str, variants: &mut Vec<Variant>) -> u16 {
    if let Some(i) = variants.iter().position(|(a, c)| a == agent && c == condition) {
        return i as u16;
    }
    variants.push((agent.to_owned(), condition.to_owned()));
    (variants.len() - 1) as u16
}
