use super::axis::{Axis, full_width, horizontal, percent, share, span, to_f64};
use super::canvas::{At, Canvas, widest};
use super::text::{BOLD, width};
use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// One dot per model with up to three nested ranges around it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalPlot {
    /// Title and description.
    pub head: Head,
    /// What the axis measures, e.g. "attempts that fixed the bug".
    pub axis: String,
    /// Names of the ranges from the narrowest to the widest, e.g. "these tasks"; printed as the key.
    pub range_names: Vec<String>,
    /// Whether the axis covers the data alone instead of 0 to 100 %; the axis says so.
    pub zoom: bool,
    /// The rows from top to bottom.
    pub rows: Vec<IntervalRow>,
}

/// One row of an interval plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IntervalRow {
    /// Name of the model.
    pub name: String,
    /// The estimate, a share from 0 to 1; none draws an empty track.
    pub estimate: Option<f64>,
    /// Ranges in the order of `range_names`; a missing one is not drawn.
    pub ranges: Vec<Option<Range>>,
    /// The estimate as text, at the right end of the row.
    pub value: Label,
    /// A second text after the value, e.g. the rank range; may be empty.
    pub note: Label,
    /// Rows in a sequence with the same group are tied; a rule separates groups.
    pub group: Option<u32>,
    /// The words on an empty track, e.g. "not run".
    pub missing: String,
}

const ROW: f64 = 26.0;
const DENSE_ROW: f64 = 20.0;
const NAME_ROOM: f64 = 200.0;
/// Rows beyond which the axis is printed at the top as well.
const LONG: usize = 15;

/// Draws an interval plot.
pub fn intervals(plot: &IntervalPlot) -> Result<String, ChartError> {
    let row = if plot.rows.len() > 30 { DENSE_ROW } else { ROW };
    let names = widest(plot.rows.iter().map(|r| r.name.as_str()), 13.0, NAME_ROOM).max(60.0);
    let values = widest(plot.rows.iter().map(|r| r.value.text.as_str()), 13.0 * BOLD, 90.0);
    let notes = widest(plot.rows.iter().map(|r| r.note.text.as_str()), 12.0, 130.0);
    let right = full_width() - values - notes - if notes > 0.0 { 22.0 } else { 12.0 };
    let axis = Axis::shares(plot.rows.iter().flat_map(drawn), plot.zoom, (names + 14.0, right));
    let top = if plot.rows.len() > LONG { 48.0 } else { 34.0 };
    let bottom = top + height(&plot.rows, row);
    let mut canvas = Canvas::new(bottom + 40.0);
    key(&mut canvas, plot, axis.from);
    let name =
        if plot.zoom { format!("{} (axis shows the data’s range only)", plot.axis) } else { plot.axis.clone() };
    horizontal(&mut canvas, &axis, (top, bottom), &name, percent);
    canvas.line((axis.from, bottom), (axis.to, bottom), "axis");
    if plot.rows.len() > LONG {
        for &tick in &axis.ticks {
            canvas.words((axis.at(tick), top - 6.0), At::Middle, "tick", &percent(tick));
        }
    }
    let mut y = top;
    for (at, item) in plot.rows.iter().enumerate() {
        if at > 0 && item.group != plot.rows[at - 1].group {
            canvas.line((0.0, y + 4.0), (full_width(), y + 4.0), "separator");
            y += 8.0;
        }
        let middle = y + row / 2.0;
        canvas.name((0.0, middle), At::Start, 13.0, "name", &item.name, names);
        track(&mut canvas, item, &axis, middle);
        canvas.label((right + 10.0 + values, middle), At::End, 13.0, "label", &item.value);
        canvas.label((full_width(), middle), At::End, 12.0, "muted", &item.note);
        y += row;
    }
    if plot.rows.is_empty() {
        empty_track(&mut canvas, (axis.from, axis.to), top + row / 2.0, "no models");
    }
    canvas.finish(&plot.head)
}

fn drawn(row: &IntervalRow) -> impl Iterator<Item = f64> {
    let estimate = share(row.estimate);
    let ranges = row.ranges.iter().filter_map(|r| span(*r)).flat_map(|r| [r.lo, r.hi]);
    ranges.filter(move |_| estimate.is_some()).chain(estimate)
}

fn height(rows: &[IntervalRow], row: f64) -> f64 {
    let breaks = rows.windows(2).filter(|w| w[0].group != w[1].group).count();
    to_f64(rows.len().max(1)) * row + to_f64(breaks) * 8.0
}

fn track(canvas: &mut Canvas, row: &IntervalRow, axis: &Axis, y: f64) {
    let Some(estimate) = share(row.estimate) else {
        let words = if row.missing.is_empty() { "no data" } else { &row.missing };
        empty_track(canvas, (axis.from, axis.to), y, words);
        return;
    };
    for (level, range) in row.ranges.iter().take(3).enumerate().rev() {
        if let Some(range) = span(*range) {
            canvas.line((axis.at(range.lo), y), (axis.at(range.hi), y), &format!("whisker r{level}"));
        }
    }
    canvas.dot((axis.at(estimate), y), 4.5, "dot", "");
}

/// A dashed frame with words where a row has no data.
pub(super) fn empty_track(canvas: &mut Canvas, (from, to): (f64, f64), y: f64, words: &str) {
    canvas.rect((from, y - 7.0), (to - from, 14.0), "empty");
    canvas.name((from + 8.0, y), At::Start, 12.0, "muted halo", words, to - from - 12.0);
}

/// What the dot and the ranges mean, above the rows.
fn key(canvas: &mut Canvas, plot: &IntervalPlot, left: f64) {
    let y = 12.0;
    let names: Vec<&String> = plot.range_names.iter().take(3).collect();
    let room: f64 = names.iter().map(|n| 34.0 + width(n, 12.0) + 16.0).sum();
    let mut x = left.min(full_width() - room).max(0.0);
    for (level, name) in names.into_iter().enumerate() {
        canvas.line((x, y), (x + 28.0, y), &format!("whisker r{level}"));
        if level == 0 {
            canvas.dot((x + 14.0, y), 4.5, "dot", "");
        }
        canvas.words((x + 34.0, y), At::Start, "muted", name);
        x += 50.0 + width(name, 12.0);
    }
}
