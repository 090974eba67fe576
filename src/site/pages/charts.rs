//! The charts of a board: numbers by their ids, drawn by the charts room.

use super::entries::{full_name, id, ordered};
use crate::charts::{ChartError, curves, intervals, months, scatter, steps};
use crate::charts::{
    Cost, Curve, CurveKind, CurvePlot, CurvePoint, Head, IntervalPlot, IntervalRow, Label, Month, MonthPlot, MonthRule,
    Range, ScatterPlot, ScatterPoint, StepPlot, StepSeries,
};
use crate::results::slug;
use crate::schema::Tier;
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::{Numbers, groups};

/// Entries that a chart names; the others are drawn in grey.
const NAMED: usize = 8;

/// A chart's failure as the site's.
pub fn drawn<T>(name: &str, result: Result<T, ChartError>) -> Result<T, SiteError> {
    result.map_err(|e| SiteError::Draw(name.to_owned(), e.to_string()))
}

/// A number as a chart's label.
pub fn label(numbers: &Numbers, id: &str) -> Label {
    match numbers.value(id) {
        Some(value) => Label::number(numbers.text(id), id, value),
        None => Label::words(""),
    }
}

fn range(numbers: &Numbers, lo: &str, hi: &str) -> Option<Range> {
    Range::of(numbers.value(lo), numbers.value(hi))
}

fn head(id: &str, title: &str, desc: &str) -> Head {
    Head { id: id.into(), title: title.into(), desc: desc.into() }
}

/// The interval plot: one row an entry, three ranges, tied rows together.
pub fn interval(b: &Board<'_>, numbers: &Numbers) -> Result<String, SiteError> {
    let rows: Vec<IntervalRow> = ordered(b, numbers)
        .into_iter()
        .map(|e| {
            let n = |stat: &str| id(b, e, stat);
            IntervalRow {
                name: full_name(b, e),
                estimate: numbers.value(&n("rate")),
                ranges: vec![
                    range(numbers, &n("wilson_lo"), &n("wilson_hi")),
                    range(numbers, &n("taw_lo"), &n("taw_hi")),
                    range(numbers, &n("repo_lo"), &n("repo_hi")),
                ],
                value: label(numbers, &n("rate")),
                note: Label::words(""),
                group: numbers.value(&n("tie_group")).map(|g| g as u32),
                missing: "not run".into(),
            }
        })
        .collect();
    let top = rows.iter().flat_map(|r| r.ranges.iter().flatten().map(|x| x.hi).chain(r.estimate)).fold(0.0, f64::max);
    let did = b.config.wording().did();
    let plot = IntervalPlot {
        head: head(
            "ranges",
            &format!("Share of attempts of each model that {did}, with its ranges"),
            &format!(
                "One row a model: a dot at the share of attempts that {did}, and nested ranges for these tasks, tasks like these and other repositories. The table below holds the same numbers."
            ),
        ),
        axis: format!("attempts that {did}"),
        range_names: ["these tasks", "tasks like these", "other repositories"].map(str::to_owned).to_vec(),
        zoom: top < 0.4,
        rows,
    };
    drawn("ranges", intervals(&plot))
}

/// pass@k and pass^k with their bands; none where no entry has two attempts at each of its tasks.
pub fn curve(b: &Board<'_>, numbers: &Numbers, ks: &[u32]) -> Result<Option<String>, SiteError> {
    let entries: Vec<&Entry> =
        ordered(b, numbers).into_iter().filter(|e| numbers.value(&id(b, e, "pass_at.2")).is_some()).collect();
    if entries.is_empty() {
        return Ok(None);
    }
    let mut series = Vec::new();
    for (i, e) in entries.iter().enumerate() {
        for (kind, stat) in [(CurveKind::AtLeastOnce, "pass_at"), (CurveKind::EveryTime, "pass_hat")] {
            let points: Vec<CurvePoint> = ks
                .iter()
                .map(|k| {
                    let n = |s: &str| id(b, e, &format!("{stat}{s}.{k}"));
                    // Bands of both lines of several models would hide one another.
                    let band = if kind == CurveKind::AtLeastOnce { range(numbers, &n("_lo"), &n("_hi")) } else { None };
                    CurvePoint { k: *k, rate: numbers.value(&n("")), band }
                })
                .filter(|p| p.rate.is_some())
                .collect();
            let is_repetition = |first: &Curve| first.points.iter().map(|p| p.rate).eq(points.iter().map(|p| p.rate));
            if kind == CurveKind::EveryTime && series.last().is_some_and(is_repetition) {
                continue;
            }
            let last = points.last().map_or(1, |p| p.k);
            let value = label(numbers, &id(b, e, &format!("{stat}.{last}")));
            series.push(Curve {
                name: full_name(b, e),
                kind,
                highlight: (i < NAMED / 2).then_some(i as u8),
                value,
                points,
            });
        }
    }
    let plot = CurvePlot {
        head: head(
            "retries",
            &format!("The chance of {} with several attempts", b.config.wording().a_noun()),
            "Solid lines: at least one of k attempts succeeds at the task. Dashed lines, where they differ: all k do. Bands are ranges over tasks of the solid lines. The table below holds the same numbers.",
        ),
        x_axis: "attempts allowed (k)".into(),
        y_axis: "share of tasks".into(),
        series,
    };
    drawn("retries", curves(&plot)).map(Some)
}

/// Cost against rate; none where no attempt says its cost.
pub fn cost(b: &Board<'_>, numbers: &Numbers) -> Result<Option<String>, SiteError> {
    let entries: Vec<&Entry> = ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0).collect();
    if !entries.iter().any(|e| numbers.value(&id(b, e, "cost_per_attempt")).is_some()) {
        return Ok(None);
    }
    let points = entries
        .iter()
        .map(|e| {
            let n = |stat: &str| id(b, e, stat);
            let cost = match numbers.value(&n("cost_per_attempt")) {
                None => Cost::Unknown,
                Some(c) if c <= 0.0 || e.model.tier == Tier::Local && c == 0.0 => Cost::Free,
                Some(c) => Cost::Known(c),
            };
            ScatterPoint {
                name: full_name(b, e),
                cost,
                rate: numbers.value(&n("rate")),
                interval: range(numbers, &n("wilson_lo"), &n("wilson_hi")),
                value: label(numbers, &n("rate")),
            }
        })
        .collect();
    let did = b.config.wording().did();
    let plot = ScatterPlot {
        head: head(
            "cost",
            &format!("Cost of an attempt against the share of attempts that {did}"),
            &format!(
                "One point a model: mean cost of an attempt, and the share of attempts that {did} with its range for these tasks. The stepped line joins models that no other beats at a lower cost. The table below holds the same numbers."
            ),
        ),
        x_axis: "mean cost of an attempt, US dollars".into(),
        y_axis: format!("attempts that {did}"),
        points,
    };
    drawn("cost", scatter(&plot)).map(Some)
}

/// The rate of all attempts by merge month; none where fewer than two months are known.
pub fn month(b: &Board<'_>, numbers: &Numbers) -> Result<Option<String>, SiteError> {
    let found = groups(b, "month");
    if found.len() < 2 {
        return Ok(None);
    }
    let months_of = |g: &str| {
        let n = |stat: &str| format!("board.{}.month.{}.{stat}", b.config.id, slug(g));
        Month {
            month: g.to_owned(),
            rate: numbers.value(&n("rate")),
            interval: range(numbers, &n("wilson_lo"), &n("wilson_hi")),
            value: label(numbers, &n("rate")),
            basis: label(numbers, &n("attempts")),
        }
    };
    let cutoffs: Vec<&String> = b.entries.iter().filter_map(|e| e.model.cutoff.as_ref()).collect();
    let rule = cutoffs.iter().max().map(|latest| MonthRule { at: (*latest).clone(), text: "latest cutoff".into() });
    let did = b.config.wording().did();
    let plot = MonthPlot {
        head: head(
            "months",
            &format!("Share of attempts that {did}, by the month in which the human fix was merged"),
            &format!(
                "One dot a month: the share of all attempts at that month’s tasks that {did}, with its range. The small numbers count attempts. The table below holds the same numbers."
            ),
        ),
        y_axis: format!("attempts that {did}"),
        months: found.keys().map(|g| months_of(g)).collect(),
        rule,
    };
    drawn("months", months(&plot)).map(Some)
}

/// Fixes by turn or by minute; none where no attempt says them.
pub fn time(b: &Board<'_>, numbers: &Numbers, unit: &str) -> Result<Option<(String, Vec<u32>)>, SiteError> {
    let mut marks: Vec<u32> = Vec::new();
    for n in
        numbers.list().iter().filter(|n| n.stat == "fixed_by" && n.of.board.as_deref() == Some(b.config.id.as_str()))
    {
        marks.extend(if unit == "turn" { n.of.turn } else { n.of.minutes });
    }
    marks.sort_unstable();
    marks.dedup();
    if marks.is_empty() {
        return Ok(None);
    }
    let series = ordered(b, numbers)
        .into_iter()
        .enumerate()
        .filter_map(|(i, e)| {
            let at = |m: u32| id(b, e, &format!("fixed_by.{unit}.{m}"));
            let rises: Vec<(f64, f64)> =
                marks.iter().filter_map(|m| Some((f64::from(*m), numbers.value(&at(*m))?))).collect();
            let until = marks.iter().rev().find(|m| numbers.value(&at(**m)).is_some())?;
            Some(StepSeries {
                name: full_name(b, e),
                highlight: (i < NAMED).then_some(i as u8),
                rises,
                until: f64::from(*until),
                value: label(numbers, &at(*until)),
            })
        })
        .collect();
    let words = if unit == "turn" { "turns" } else { "minutes" };
    let wording = b.config.wording();
    let plot = StepPlot {
        head: head(
            &format!("by-{unit}"),
            &format!("Share of attempts that had {}, by {words}", wording.did()),
            "One line a model. Giving up competes with success; an attempt that ran out of its limit is censored there. The table below holds the same numbers.",
        ),
        x_axis: words.into(),
        y_axis: format!("attempts that {} so far", wording.verb),
        series,
    };
    drawn(unit, steps(&plot)).map(|svg| Some((svg, marks)))
}
