//! The numbers of one row of a board.

use super::number::{Number, Of};
use crate::results::{Row, Stop};
use crate::schema::Outcome;
use crate::site::board::{Board, Entry};
use crate::stats::bootstrap::Weights;
use crate::stats::cost::{TaskCost, cost, dollars, per_fix_floor};
use crate::stats::curves::curves;
use crate::stats::display::Format;
use crate::stats::proportion::{exclusions, share, wilson};
use crate::stats::repeatability::{repeatability, rerun_se};
use crate::stats::repo_aware::repo_aware;
use crate::stats::rng::seed_of;
use crate::stats::task_aware::task_aware;
use crate::stats::time_to_fix::{End, time_to_fix};
use crate::stats::{Interval, TaskCount, Z};

/// Replicates of the task bootstrap.
const REPLICATES: usize = 9999;

/// Numbers under one prefix and over one scope.
pub(super) struct Scope {
    pub prefix: String,
    pub of: Of,
    pub list: Vec<Number>,
}

impl Scope {
    pub fn new(prefix: String, of: Of) -> Scope {
        Scope { prefix, of, list: Vec::new() }
    }

    pub fn put(&mut self, stat: &'static str, format: Format, value: Option<f64>) {
        self.list.push(Number::new(format!("{}.{stat}", self.prefix), stat, &self.of, format, value));
    }

    pub fn count(&mut self, stat: &'static str, value: u64) {
        self.put(stat, Format::Count, Some(value as f64));
    }

    pub fn range(&mut self, stats: [&'static str; 2], format: Format, range: Option<Interval>) {
        self.put(stats[0], format, range.map(|r| r.lo));
        self.put(stats[1], format, range.map(|r| r.hi));
    }

    /// A number with one more parameter, which also ends its id.
    pub fn with(&mut self, stat: &'static str, end: &str, of: Of, format: Format, value: Option<f64>) {
        self.list.push(Number::new(format!("{}.{stat}.{end}", self.prefix), stat, &of, format, value));
    }
}

/// The scope of an entry: `board.<board>.<entry>`.
pub(super) fn scope(b: &Board<'_>, e: &Entry) -> Scope {
    let of = Of { board: Some(b.config.id.clone()), entry: Some(e.key.clone()), ..Of::default() };
    Scope::new(format!("board.{}.{}", b.config.id, e.key), of)
}

/// One weight matrix for every entry and statistic of a board; its seed is the suite's name, never a result.
pub(super) fn weights(b: &Board<'_>) -> Option<Weights> {
    let repeated = b.entries.iter().any(|e| e.cells.iter().any(|c| c.n > 0));
    repeated
        .then(|| Weights::draw(seed_of(&format!("bench-bootstrap/v1|{}", b.config.suite)), b.tasks.len(), REPLICATES))
}

/// The numbers of attempts k that a board's curves show: every k to ten, then wider steps.
pub(super) fn ks(b: &Board<'_>) -> Vec<u32> {
    let most =
        b.entries.iter().filter_map(|e| e.cells.iter().filter(|c| c.n > 0).map(|c| c.n).min()).max().unwrap_or(0);
    (1..=10).chain([15, 20, 30, 50, 75, 100, 150, 200]).filter(|k| *k <= most).collect()
}

/// Every number of an entry.
pub(super) fn all(b: &Board<'_>, e: &Entry, weights: Option<&Weights>, ks: &[u32]) -> Vec<Number> {
    let mut s = scope(b, e);
    counts(&mut s, b, e);
    rates(&mut s, b, e);
    costs(&mut s, e);
    repeats(&mut s, e);
    if let Some(weights) = weights {
        curve(&mut s, e, weights, ks);
    }
    times(&mut s, b, e);
    cutoff(&mut s, b, e);
    s.list
}

fn counts(s: &mut Scope, b: &Board<'_>, e: &Entry) {
    let t = &e.totals;
    s.count("attempts", t.attempts);
    s.count("planned", e.planned);
    s.count("fixed", e.fixed());
    for (outcome, n) in Outcome::ALL.into_iter().zip(t.outcomes) {
        let of = Of { outcome: Some(outcome.word()), ..s.of.clone() };
        s.with("outcome", outcome.word(), of, Format::Count, Some(n as f64));
    }
    s.count("excluded", t.excluded);
    s.put("excluded_share", Format::Percent, share(t.excluded, t.attempts + t.excluded));
    s.count("tasks_covered", e.cells.iter().filter(|c| c.n > 0).count() as u64);
    s.count("tasks_total", b.tasks.len() as u64);
    s.count("tasks_fixed", e.cells.iter().filter(|c| c.c > 0).count() as u64);
    s.count("limit_hits", t.limit_hits);
    let mean = |sum: f64, n: u64| (n > 0).then(|| sum / n as f64);
    s.put("seconds_mean", Format::Seconds, mean(t.seconds.0, t.seconds.1));
    s.put("turns_mean", Format::Decimal1, mean(t.turns.0 as f64, t.turns.1));
    s.put("tokens_mean", Format::Count, mean(t.tokens.0 as f64, t.tokens.1));
}

/// Rates and both claims; shared with releases.
pub(super) fn rates(s: &mut Scope, b: &Board<'_>, e: &Entry) {
    let (n, x) = (e.totals.attempts, e.fixed());
    s.put("rate", Format::Percent, share(x, n));
    s.range(["wilson_lo", "wilson_hi"], Format::Percent, wilson(x, n, Z));
    let covered = || e.cells.iter().zip(&b.tasks).filter(|(c, _)| c.n > 0);
    let values: Vec<f64> = covered().map(|(c, _)| f64::from(c.c) / f64::from(c.n)).collect();
    let aware = task_aware(&values, Z);
    s.put("task_rate", Format::Percent, aware.as_ref().map(|a| a.mean));
    s.range(["taw_lo", "taw_hi"], Format::Percent, aware.as_ref().map(|a| a.interval));
    s.put("n_eff", Format::Decimal1, aware.as_ref().map(|a| a.n_eff));
    // With a repository unknown somewhere, the third level is unknown too.
    let repos: Option<Vec<&str>> = covered().map(|(_, t)| t.repo.as_deref()).collect();
    let shared = repos.and_then(|r| repo_aware(&values, &r, Z)).filter(|r| r.repos >= 2 && r.largest >= 2);
    s.range(["repo_lo", "repo_hi"], Format::Percent, shared.as_ref().map(|r| r.interval));
    let distinct: std::collections::BTreeSet<&str> = covered().filter_map(|(_, t)| t.repo.as_deref()).collect();
    s.count("repos_covered", distinct.len() as u64);
    let x = exclusions(x, n, e.totals.excluded, Z);
    s.put("worst_rate", Format::Percent, x.as_ref().map(|x| x.worst));
    s.put("best_rate", Format::Percent, x.as_ref().map(|x| x.best));
    s.range(["sens_lo", "sens_hi"], Format::Percent, x.as_ref().map(|x| x.sensitivity));
}

/// Money; shared with releases.
pub(super) fn costs(s: &mut Scope, e: &Entry) {
    let tasks: Vec<TaskCost> = e
        .cells
        .iter()
        .map(|c| TaskCost { nanos: i128::from(c.cost), fixes: c.priced_fixes, attempts: c.priced })
        .collect();
    let priced: u64 = e.cells.iter().map(|c| u64::from(c.priced)).sum();
    let total: i128 = e.cells.iter().map(|c| i128::from(c.cost)).sum();
    s.put("cost_total", Format::Usd2, (priced > 0).then(|| dollars(total)));
    s.put("cost_spent", Format::Usd2, (e.totals.priced_lines > 0).then(|| dollars(e.totals.spent)));
    s.count("cost_unknown", e.totals.attempts - priced);
    let c = cost(&tasks);
    s.put("cost_per_attempt", Format::Usd3, c.as_ref().map(|c| c.per_attempt));
    s.range(
        ["cost_per_attempt_lo", "cost_per_attempt_hi"],
        Format::Usd3,
        c.as_ref().and_then(|c| c.per_attempt_interval),
    );
    s.put("cost_per_fix", Format::Usd2, c.as_ref().and_then(|c| c.per_fix));
    s.range(["cost_per_fix_lo", "cost_per_fix_hi"], Format::Usd2, c.as_ref().and_then(|c| c.per_fix_interval));
    let values: Vec<f64> = e.counts().iter().filter_map(|t| t.rate()).collect();
    let upper = task_aware(&values, Z).map(|a| a.interval.hi);
    let floor = c.filter(|c| e.fixed() == 0 && c.per_attempt > 0.0).and_then(|c| per_fix_floor(c.per_attempt, upper?));
    s.put("cost_per_fix_floor", Format::Usd2, floor);
}

fn repeats(s: &mut Scope, e: &Entry) {
    let counts = e.counts();
    let r = repeatability(&counts);
    s.put("disagreement", Format::Percent, r.disagreement);
    s.count("mixed_tasks", r.mixed as u64);
    s.count("repeat_tasks", r.tasks as u64);
    s.put("rerun_se", Format::Points, rerun_se(&counts));
}

fn curve(s: &mut Scope, e: &Entry, weights: &Weights, ks: &[u32]) {
    let tasks: Vec<TaskCount> = e.cells.iter().map(|c| TaskCount { n: c.n, c: c.c }).collect();
    for point in curves(weights, &tasks, ks) {
        let end = point.k.to_string();
        let of = Of { k: Some(point.k), ..s.of.clone() };
        for (stats, estimate) in [
            (["pass_at", "pass_at_lo", "pass_at_hi"], &point.at),
            (["pass_hat", "pass_hat_lo", "pass_hat_hi"], &point.hat),
        ] {
            s.with(stats[0], &end, of.clone(), Format::Percent, estimate.value);
            s.with(stats[1], &end, of.clone(), Format::Percent, estimate.interval.map(|i| i.lo));
            s.with(stats[2], &end, of.clone(), Format::Percent, estimate.interval.map(|i| i.hi));
        }
        s.with("pass_at_tasks", &end, of, Format::Count, Some(point.tasks as f64));
    }
}

/// How an attempt ended, for the time to a fix.
fn end(row: &Row) -> End {
    if row.outcome == Outcome::Resolved {
        End::Fix
    } else if row.outcome == Outcome::TimedOut || matches!(row.stop, Stop::TimeLimit | Stop::TurnLimit) {
        End::TimedOut
    } else {
        End::GaveUp
    }
}

/// Turns and minutes at which the cumulative incidence is stated; few enough to read.
const TURNS: [u32; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 40, 60];
const MINUTES: [u32; 10] = [1, 2, 3, 5, 7, 10, 15, 20, 30, 60];

fn times(s: &mut Scope, b: &Board<'_>, e: &Entry) {
    if e.totals.turns.1 == 0 && e.totals.timed == 0 {
        return;
    }
    let (mut turns, mut minutes) = (Vec::new(), Vec::new());
    for (run, entries) in b.runs.iter().zip(&b.entry_map) {
        // Most runs are of one entry: the others' rows are not looked at.
        let own: Vec<_> = entries.iter().filter(|(_, i)| b.entries[**i].key == e.key).map(|(who, _)| *who).collect();
        for row in run.effective().filter(|_| !own.is_empty()) {
            if own.contains(&(row.model, row.variant)) && row.outcome.counts(run.run.scoring.infra) {
                turns.extend(row.turns().map(|t| (f64::from(t), end(row))));
                minutes.extend(row.agent_seconds().map(|t| (t, end(row))));
            }
        }
    }
    for (grid, attempts, unit_size) in [(TURNS, &turns, 1.0), (MINUTES, &minutes, 60.0)] {
        let is_turns = unit_size == 1.0;
        let most = attempts.iter().fold(0.0_f64, |m, a| m.max(a.0));
        if let Some(found) = time_to_fix(attempts) {
            // The first mark beyond the longest attempt ends the curve.
            let last = grid.iter().position(|g| f64::from(*g) * unit_size >= most).unwrap_or(grid.len() - 1);
            for at in &grid[..=last] {
                let (of, unit) = if is_turns {
                    (Of { turn: Some(*at), ..s.of.clone() }, "turn")
                } else {
                    (Of { minutes: Some(*at), ..s.of.clone() }, "minutes")
                };
                s.with(
                    "fixed_by",
                    &format!("{unit}.{at}"),
                    of,
                    Format::Percent,
                    Some(found.fixed_by(f64::from(*at) * unit_size)),
                );
            }
        }
    }
}

fn cutoff(s: &mut Scope, b: &Board<'_>, e: &Entry) {
    use crate::schema::Exposure;
    use crate::stats::contamination::cutoff_gap;
    let cutoff = e.model.cutoff.as_deref();
    if cutoff.is_none_or(|c| c.parse::<jiff::civil::Date>().is_err()) {
        return;
    }
    let (mut before, mut after, mut risky) = (Vec::new(), Vec::new(), 0);
    for (cell, task) in e.cells.iter().zip(&b.tasks) {
        let exposure = Exposure::of(task.merged_at.as_deref(), cutoff);
        if cell.n > 0 && exposure != Exposure::Unknown {
            risky += u64::from(exposure.at_risk());
            let side = if exposure == Exposure::Before { &mut before } else { &mut after };
            side.push(TaskCount { n: cell.n, c: cell.c });
        }
    }
    let gap = cutoff_gap(&before, &after, Z);
    s.put("cutoff_gap", Format::Points, gap.as_ref().map(|g| g.delta));
    s.range(["cutoff_lo", "cutoff_hi"], Format::Points, gap.as_ref().map(|g| g.interval));
    s.put("cutoff_p", Format::P, gap.as_ref().and_then(|g| g.p));
    s.count("cutoff_tasks", risky);
}
