use super::axis::{Axis, full_width, share, span, vertical};
use super::canvas::{At, Canvas};
use super::interval::empty_track;
use super::text::{BOLD, width};
use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// Fix rate by the month in which the task's fix was merged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MonthPlot {
    /// Title and description.
    pub head: Head,
    /// What the vertical axis measures.
    pub y_axis: String,
    /// The months that have tasks; months between them are left empty.
    pub months: Vec<Month>,
    /// A vertical rule, e.g. at a model's training cutoff.
    pub rule: Option<MonthRule>,
}

/// One month.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Month {
    /// Year and month, `2026-03`; anything else is listed below the plot instead.
    pub month: String,
    /// The rate, a share from 0 to 1; none draws an empty track.
    pub rate: Option<f64>,
    /// The interval around the rate.
    pub interval: Option<Range>,
    /// The rate as text; may be empty, and is left out where months are too narrow for it.
    pub value: Label,
    /// What the rate rests on, under the month, e.g. "3 tasks"; may be empty.
    pub basis: Label,
}

/// A vertical rule in a month plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MonthRule {
    /// The day, `2025-06-30`, or the month, `2025-06` (its first day).
    pub at: String,
    /// The words beside the rule.
    pub text: String,
}

const TOP: f64 = 44.0;
const BOTTOM: f64 = 276.0;
const LEFT: f64 = 44.0;
/// More months than this in a row are not drawn; the widest public suite spans about ten years.
const MOST: i64 = 600;

/// Draws the rate by merge month.
pub fn months(plot: &MonthPlot) -> Result<String, ChartError> {
    let mut placed: Vec<(i64, &Month)> = plot.months.iter().filter_map(|m| Some((number(&m.month)?, m))).collect();
    placed.sort_by_key(|(n, _)| *n);
    if let Some(&(last, _)) = placed.last() {
        placed.retain(|(n, _)| last - n < MOST);
    }
    let odd: Vec<&str> = plot.months.iter().filter(|m| number(&m.month).is_none()).map(|m| m.month.as_str()).collect();
    let (first, last) = match (placed.first(), placed.last()) {
        (Some(a), Some(b)) => (a.0, b.0),
        _ => (0, 0),
    };
    let right = full_width() - 8.0;
    let x = Axis::amounts(float(first) - 0.5, float(last) + 0.5, 2, (LEFT + 6.0, right));
    let pitch = (x.to - x.from) / (float(last - first) + 1.0);
    let rates = placed.iter().filter_map(|(_, m)| Some((share(m.rate)?, span(m.interval).map_or(0.0, |r| r.hi))));
    let y = Axis::from_zero(rates.map(|(rate, hi)| rate.max(hi)), (BOTTOM, TOP));
    let mut canvas = Canvas::new(BOTTOM + if odd.is_empty() { 56.0 } else { 76.0 });
    vertical(&mut canvas, &y, (LEFT, right), &plot.y_axis);
    ruler(&mut canvas, &x, (first, last), pitch);
    if let Some(rule) = &plot.rule {
        cutoff(&mut canvas, rule, &x, (first, last));
    }
    for (n, month) in &placed {
        draw(&mut canvas, month, (x.at(float(*n)), pitch), &y);
    }
    if placed.is_empty() {
        empty_track(&mut canvas, (LEFT + 10.0, right), f64::midpoint(TOP, BOTTOM), "no data");
    }
    if !odd.is_empty() {
        let words = format!("Not placed, for the month is not known: {}", odd.join(", "));
        canvas.name((0.0, BOTTOM + 64.0), At::Start, 12.0, "muted", &words, full_width());
    }
    canvas.finish(&plot.head)
}

/// Months since the year 0.
fn number(month: &str) -> Option<i64> {
    let (year, month) = month.split_once('-')?;
    let digits =
        |s: &str, n: usize| (s.len() == n && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<i64>().ok());
    let (year, month) = (digits(year, 4)??, digits(month, 2)??);
    (1..=12).contains(&month).then_some(year * 12 + month - 1)
}

fn float(n: i64) -> f64 {
    n as f64
}

fn draw(canvas: &mut Canvas, month: &Month, (x, pitch): (f64, f64), y: &Axis) {
    let Some(rate) = share(month.rate) else {
        canvas.rect((x - pitch * 0.3, TOP), (pitch * 0.6, BOTTOM - TOP), "empty");
        if pitch > 54.0 {
            canvas.words((x, BOTTOM + 44.0), At::Middle, "muted", "no data");
        }
        return;
    };
    if let Some(range) = span(month.interval) {
        canvas.line((x, y.at(range.lo)), (x, y.at(range.hi)), "whisker r1");
    }
    canvas.dot((x, y.at(rate)), 4.5, "dot", "");
    if width(&month.value.text, 12.0) * BOLD + 18.0 < pitch {
        let inside = x + 9.0 + width(&month.value.text, 12.0) * BOLD < full_width();
        let (at, side) = if inside { (x + 9.0, At::Start) } else { (x - 9.0, At::End) };
        canvas.label((at, y.at(rate)), side, 12.0, "label halo", &month.value);
    }
    if width(&month.basis.text, 12.0) + 6.0 < pitch {
        canvas.label((x, BOTTOM + 44.0), At::Middle, 12.0, "muted", &month.basis);
    }
}

/// Names of months, thinned where they are narrow, and the year under each January.
fn ruler(canvas: &mut Canvas, x: &Axis, (first, last): (i64, i64), pitch: f64) {
    const NAMES: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    if first == 0 {
        return;
    }
    let every = [1, 3, 6, 12, 24, 60, 120].into_iter().find(|n| float(*n) * pitch >= 34.0).unwrap_or(240);
    let mut year_shown = None;
    for n in first..=last {
        if every > 1 && n % every != 0 {
            continue;
        }
        let at = x.at(float(n));
        canvas.line((at, BOTTOM), (at, BOTTOM + 4.0), "axis");
        let year = n.div_euclid(12);
        let name = usize::try_from(n.rem_euclid(12)).ok().and_then(|m| NAMES.get(m)).copied().unwrap_or("");
        if every >= 12 {
            canvas.words((at, BOTTOM + 14.0), At::Middle, "tick", &year.to_string());
            continue;
        }
        canvas.words((at, BOTTOM + 14.0), At::Middle, "tick", name);
        if year_shown != Some(year) {
            canvas.words((at, BOTTOM + 29.0), At::Middle, "tick", &year.to_string());
            year_shown = Some(year);
        }
    }
}

fn cutoff(canvas: &mut Canvas, rule: &MonthRule, x: &Axis, (first, last): (i64, i64)) {
    let month = rule.at.get(..7).and_then(number);
    let Some(month) = month.filter(|_| first > 0) else { return };
    let day = rule.at.get(8..10).and_then(|d| d.parse::<u32>().ok()).unwrap_or(1).clamp(1, 31);
    let when = float(month) - 0.5 + f64::from(day - 1) / 31.0;
    let words = |tail: &str| format!("{}{tail}", rule.text);
    if when < x.domain.0 {
        canvas.name((x.to, 28.0), At::End, 12.0, "muted", &words(": before the first month"), 500.0);
    } else if when > x.domain.1 {
        canvas.name((x.to, 28.0), At::End, 12.0, "muted", &words(": after the last month"), 500.0);
    } else {
        let at = x.at(when);
        canvas.line((at, 34.0), (at, BOTTOM), "rule");
        let side = if month - first < last - month { At::Start } else { At::End };
        let (place, room) = if side == At::Start { (at + 4.0, x.to - at) } else { (at - 4.0, at) };
        canvas.name((place, 30.0), side, 12.0, "muted halo", &rule.text, room - 8.0);
    }
}
