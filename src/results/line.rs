//! One line that keeps the contract, read without allocating.

use super::claims::{Applied, Claims, PatchClaim, Tested, is_failure, is_own_grader};
use super::row::{NONE_U32, NONE_U64};
use super::scan::{Scan, Text};
use super::slot::Slot;
use super::values::{
    MAX_SMALL, MAX_WHOLE, failure, grader, is_plain_time, nullable, outcome, same, span, stop, texts, time, words,
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
    pub fn task_near(&self, id: &[u8], guess: u32) -> Option<u32> {
        let is = |i: u32| self.run.tasks.get(i as usize).is_some_and(|t| t.as_bytes() == id);
        [guess, guess + 1].into_iter().find(|i| is(*i)).or_else(|| self.task(std::str::from_utf8(id).ok()?))
    }

    pub fn model(&self, id: &str) -> Option<u16> {
        self.models.get(id).copied()
    }

    /// As [`Plan::model`], looking first at the place of an earlier line's model.
    #[inline]
    pub fn model_near(&self, id: &[u8], guess: u16) -> Option<u16> {
        let is = self.run.models.get(usize::from(guess)).is_some_and(|m| m.id.as_bytes() == id);
        if is { Some(guess) } else { self.model(std::str::from_utf8(id).ok()?) }
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
    /// Who scored, from which line on.
    pub graders: Vec<GradedFrom>,
    /// The newest end of an attempt, RFC 3339 in UTC.
    pub newest: String,
    /// Where the task of the last line stands in the plan: the next line's is most often there or just after it.
    pub task: u32,
}

/// Who scored the lines from one line on: versions change seldom, so this is short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedFrom {
    /// 1-based line of the attempts file.
    pub line: u32,
    /// The grader as lines name it, empty where they name none.
    pub grader: String,
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
pub(super) struct Line<'a> {
    pub row: Row,
    /// The fields that the line has, by their bits.
    pub seen: u64,
    score: (u32, u32),
    /// Names of targets and of guards that are listed as failed, where there are lists.
    failed: (Option<u32>, Option<u32>),
    patch: PatchClaim,
    agent: Option<Cow<'a, str>>,
    condition: Option<Cow<'a, str>>,
    finished_at: Option<Cow<'a, [u8]>>,
    error: Option<(Cow<'a, str>, Cow<'a, str>)>,
    grader: Option<Cow<'a, str>>,
}

/// Where a value stood that may differ in the next line.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    pub slot: Slot,
    pub depth: u32,
    pub start: usize,
    pub end: usize,
}

/// Reads the line that begins at an offset and marks its values; gives where it ends, before its line end.
pub(super) fn read_line<'a>(
    (text, start): (Text<'a>, usize),
    plan: &Plan<'_>,
    aside: &mut Aside,
    marks: &mut Vec<Mark>,
    number: u32,
) -> Option<(Row, u64, usize)> {
    let mut line = Line::new(Row { task: aside.task, ..blank(number) }, 0);
    let mut scan = Scan::new(text, start, 0);
    line.value(&mut scan, Slot::Line, plan, marks)?;
    // A carriage return is white space, but belongs to no line end of ours.
    if !scan.is_done() || text.bytes()[..scan.place()].ends_with(b"\r") {
        return None;
    }
    let agent = line.agent.as_deref().unwrap_or(DEFAULT_AGENT);
    let condition = line.condition.as_deref().unwrap_or(DEFAULT_CONDITION);
    if agent != plan.agent || !planned_condition(condition, plan) || !line.agrees(plan) {
        return None;
    }
    line.row.variant = variant_index(agent, condition, &mut aside.variants);
    let seen = line.seen;
    Some((line.note(aside), seen, scan.place()))
}

impl<'a> Line<'a> {
    #[inline]
    pub fn new(row: Row, seen: u64) -> Line<'a> {
        Line {
            row,
            seen,
            score: (0, 0),
            failed: (None, None),
            patch: PatchClaim::default(),
            agent: None,
            condition: None,
            finished_at: None,
            error: None,
            grader: None,
        }
    }

    /// Reads the value of one field and marks it; a field that stands twice is refused.
    fn value(&mut self, s: &mut Scan<'a>, slot: Slot, plan: &Plan<'_>, marks: &mut Vec<Mark>) -> Option<()> {
        if slot != Slot::Other {
            (self.seen & slot.bit() == 0).then_some(())?;
            self.seen |= slot.bit();
        }
        if slot.is_object() {
            if slot != Slot::Line && s.null() {
                return Some(());
            }
            s.object(|s, key| self.value(s, slot.field(key), plan, marks))?;
            return (self.seen & slot.required() == slot.required()).then_some(());
        }
        s.space();
        let (start, depth) = (s.place(), s.depth());
        self.leaf(s, slot, plan)?;
        marks.push(Mark { slot, depth, start, end: s.place() });
        Some(())
    }

    /// Reads the value of a field that is no object of slots.
    #[inline]
    pub fn leaf(&mut self, s: &mut Scan<'a>, slot: Slot, plan: &Plan<'_>) -> Option<()> {
        let row = &mut self.row;
        match slot {
            Slot::Schema => same(s, ATTEMPT_SCHEMA)?,
            Slot::Run => same(s, &plan.run.run)?,
            Slot::Suite => same(s, &plan.run.suite)?,
            Slot::Task => row.task = plan.task_near(&s.text_bytes()?, row.task)?,
            Slot::Model => row.model = plan.model_near(&s.text_bytes()?, row.model)?,
            Slot::Repeat => row.repeat = count(s)?,
            Slot::Outcome => row.outcome = outcome(s)?,
            Slot::Agent => self.agent = words(s)?,
            Slot::Condition => self.condition = words(s)?,
            Slot::Stop => row.stop = nullable(s, stop)?.unwrap_or(Stop::Unsaid),
            Slot::ScorePassed => self.score.0 = count(s)?,
            Slot::ScoreTotal => self.score.1 = count(s)?,
            Slot::TargetsPassed => row.targets.0 = count(s)?,
            Slot::TargetsTotal => row.targets.1 = count(s)?,
            Slot::GuardsPassed => row.guards.0 = count(s)?,
            Slot::GuardsTotal => row.guards.1 = count(s)?,
            Slot::Input => row.tokens_in = s.whole(MAX_WHOLE)?.unwrap_or(NONE_U64),
            Slot::Output => row.tokens_out = s.whole(MAX_WHOLE)?.unwrap_or(NONE_U64),
            Slot::Cost => row.cost = cost(s)?,
            Slot::AgentSeconds => row.agent_seconds = span(s)?,
            Slot::TotalSeconds => row.total_seconds = span(s)?,
            Slot::Turns => row.turns = s.whole(MAX_SMALL)?.map_or(NONE_U32, |n| n as u32),
            Slot::Error => self.error = nullable(s, failure)?,
            Slot::FinishedAt => self.finished_at = time(s)?,
            Slot::TargetsFailed => self.failed.0 = nullable(s, texts)?,
            Slot::GuardsFailed => self.failed.1 = nullable(s, texts)?,
            Slot::PatchSha256 => {
                self.patch.digest_of_none = nullable(s, Scan::text_bytes)?.map(|d| PatchClaim::is_digest_of_none(&d));
            }
            Slot::PatchApplied => {
                self.patch.applied = nullable(s, Scan::text_bytes)?.map(|word| Applied::of_word(&word));
            }
            Slot::PatchBytes => self.patch.bytes = s.whole(MAX_WHOLE)?,
            // What neither a row nor a claim holds is checked all the same.
            Slot::PatchDropped | Slot::PatchPutBack => _ = nullable(s, texts)?,
            Slot::Tool => _ = nullable(s, Scan::pass_text)?,
            Slot::PatchFiles | Slot::CachedInput | Slot::CacheWrite | Slot::Requests => {
                s.whole(MAX_WHOLE)?;
            }
            Slot::InstallSeconds | Slot::TestSeconds => _ = span(s)?,
            Slot::Retries => _ = s.whole(MAX_SMALL)?,
            Slot::StartedAt => _ = time(s)?,
            Slot::Digests => self.grader = nullable(s, grader)?.flatten(),
            _ => s.skip()?,
        }
        Some(())
    }

    /// Whether the fields agree with each other and the plan.
    #[inline]
    pub fn agrees(&self, plan: &Plan<'_>) -> bool {
        self.row.repeat < plan.run.repeats && self.claims(plan).agree()
    }

    #[inline]
    fn claims(&self, plan: &Plan<'_>) -> Claims {
        let row = &self.row;
        let has = |slot: Slot| self.seen & slot.bit() != 0;
        let tested = |slot: Slot, (passed, total): (u32, u32), failed: Option<u32>| {
            has(slot).then_some(Tested { passed, total, failed })
        };
        Claims {
            outcome: row.outcome,
            infra: plan.run.scoring.infra,
            stop: row.stop,
            targets: tested(Slot::TargetsPassed, row.targets, self.failed.0),
            guards: tested(Slot::GuardsPassed, row.guards, self.failed.1),
            score: has(Slot::ScorePassed).then_some(self.score),
            patch: self.patch,
            graded: self.grader.as_deref().is_some_and(is_own_grader),
            failed: self.error.as_ref().is_some_and(|(class, _)| is_failure(class)),
        }
    }

    /// Gives the row, and notes beside it what rows do not hold.
    #[inline]
    pub fn note(&mut self, aside: &mut Aside) -> Row {
        if let Some(end) = &self.finished_at {
            aside.note_end(end);
        }
        let grader = self.grader.as_deref().unwrap_or("");
        if aside.graders.last().is_none_or(|last| last.grader != grader) {
            aside.graders.push(GradedFrom { line: self.row.line, grader: grader.to_owned() });
        }
        self.row.has_error = self.error.is_some();
        if let Some((class, message)) = self.error.take() {
            aside.errors.push(ErrorText {
                line: self.row.line,
                class: class.into_owned(),
                message: message.chars().take(ERROR_CHARS).collect(),
            });
        }
        aside.task = self.row.task;
        self.row.clone()
    }
}

#[inline]
fn count(s: &mut Scan<'_>) -> Option<u32> {
    s.whole(MAX_SMALL)?.map(|n| n as u32)
}

/// Dollars; not a number stands for null.
#[inline]
fn cost(s: &mut Scan<'_>) -> Option<f64> {
    s.double().filter(|c| c.is_nan() || (0.0..=MAX_COST).contains(c))
}

impl Aside {
    fn note_end(&mut self, end: &[u8]) {
        if !is_plain_time(end) {
            let time = std::str::from_utf8(end).ok().and_then(|end| end.parse::<jiff::Timestamp>().ok());
            return time.map_or((), |time| self.note_plain_end(time.to_string().as_bytes()));
        }
        self.note_plain_end(end);
    }

    fn note_plain_end(&mut self, end: &[u8]) {
        // In UTC and without the Z, times sort as texts, fractions of a second included.
        let bare = |t: &[u8]| t.len() - usize::from(t.ends_with(b"Z"));
        let newest = self.newest.as_bytes();
        if end[..bare(end)] > newest[..bare(newest)] {
            self.newest.clear();
            self.newest.push_str(&String::from_utf8_lossy(end));
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
        cost: f64::NAN,
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
