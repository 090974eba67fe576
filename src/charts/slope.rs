use super::axis::{Axis, full_width, horizontal, percent, share, span, to_f64};
use super::canvas::{At, Canvas, widest};
use super::interval::empty_track;
use super::text::{BOLD, width};
use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// Old against new release, one dumbbell per model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlopePlot {
    /// Title and description.
    pub head: Head,
    /// What the axis measures.
    pub axis: String,
    /// Name of the older release.
    pub old_name: String,
    /// Name of the newer release.
    pub new_name: String,
    /// Whether the axis covers the data alone instead of 0 to 100 %; the axis says so.
    pub zoom: bool,
    /// The rows from top to bottom.
    pub rows: Vec<SlopeRow>,
}

/// One model in both releases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlopeRow {
    /// Name of the model.
    pub name: String,
    /// In the older release; none where it was absent.
    pub old: Option<Estimate>,
    /// In the newer release; none where it is absent.
    pub new: Option<Estimate>,
    /// The change as text, at the right end; may be empty.
    pub change: Label,
}

/// A rate with its interval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The rate, a share from 0 to 1.
    pub rate: f64,
    /// The interval around it.
    pub interval: Option<Range>,
    /// The rate as text, at the right end; may be empty.
    pub value: Label,
}

const ROW: f64 = 34.0;
const TOP: f64 = 36.0;
const NAME_ROOM: f64 = 180.0;

/// Draws what changed between two releases.
pub fn slope(plot: &SlopePlot) -> Result<String, ChartError> {
    let names = widest(plot.rows.iter().map(|r| r.name.as_str()), 13.0, NAME_ROOM).max(60.0);
    let changes = widest(plot.rows.iter().map(|r| r.change.text.as_str()), 12.0 * BOLD, 130.0);
    let estimates = plot.rows.iter().flat_map(|r| [&r.old, &r.new]).flatten();
    let values = widest(estimates.clone().map(|e| e.value.text.as_str()), 12.0 * BOLD, 70.0);
    let right = full_width() - changes - values - if values > 0.0 { 24.0 } else { 14.0 };
    let axis = Axis::shares(estimates.flat_map(drawn), plot.zoom, (names + 14.0, right));
    let bottom = TOP + to_f64(plot.rows.len().max(1)) * ROW;
    let mut canvas = Canvas::new(bottom + 40.0);
    key(&mut canvas, plot, axis.from);
    let name =
        if plot.zoom { format!("{} (axis shows the data’s range only)", plot.axis) } else { plot.axis.clone() };
    horizontal(&mut canvas, &axis, (TOP, bottom), &name, percent);
    canvas.line((axis.from, bottom), (axis.to, bottom), "axis");
    let mut y = TOP;
    for row in &plot.rows {
        let middle = y + ROW / 2.0;
        canvas.name((0.0, middle), At::Start, 13.0, "name", &row.name, names);
        pair(&mut canvas, row, &axis, middle, plot);
        if let Some(old) = &row.old {
            canvas.label((right + 10.0 + values, middle - 8.0), At::End, 12.0, "muted", &old.value);
        }
        if let Some(new) = &row.new {
            canvas.label((right + 10.0 + values, middle + 8.0), At::End, 12.0, "label", &new.value);
        }
        canvas.label((full_width(), middle), At::End, 12.0, "label", &row.change);
        y += ROW;
    }
    if plot.rows.is_empty() {
        empty_track(&mut canvas, (axis.from, axis.to), TOP + ROW / 2.0, "no models");
    }
    canvas.finish(&plot.head)
}

fn drawn(estimate: &Estimate) -> impl Iterator<Item = f64> {
    let range = span(estimate.interval).map(|r| [r.lo, r.hi]).into_iter().flatten();
    share(Some(estimate.rate)).into_iter().chain(range)
}

/// The older estimate above, the newer one below, a line from one to the other.
fn pair(canvas: &mut Canvas, row: &SlopeRow, axis: &Axis, y: f64, plot: &SlopePlot) {
    let place = |e: &Option<Estimate>| e.as_ref().and_then(|e| share(Some(e.rate))).map(|rate| axis.at(rate));
    let (old, new) = (place(&row.old), place(&row.new));
    if let (Some(from), Some(to)) = (old, new) {
        canvas.line((from, y - 7.0), (to, y + 7.0), "change");
    }
    for (side, x, down) in [(&row.old, old, -7.0), (&row.new, new, 7.0)] {
        let class = if down < 0.0 { "old" } else { "new" };
        match (x, side) {
            (Some(x), Some(estimate)) => {
                if let Some(range) = span(estimate.interval) {
                    let line = (axis.at(range.lo), axis.at(range.hi));
                    canvas.line((line.0, y + down), (line.1, y + down), &format!("whisker r1 {class}"));
                }
                canvas.dot((x, y + down), 4.5, &format!("dot {class}"), "");
            }
            _ => {
                let name = if down < 0.0 { &plot.old_name } else { &plot.new_name };
                canvas.rect((axis.from, y + down - 6.5), (axis.to - axis.from, 13.0), "empty");
                let words = format!("not in {name}");
                canvas.name((axis.from + 8.0, y + down), At::Start, 12.0, "muted halo", &words, axis.to - axis.from);
            }
        }
    }
}

fn key(canvas: &mut Canvas, plot: &SlopePlot, left: f64) {
    let mut x = left;
    for (name, class) in [(&plot.old_name, "old"), (&plot.new_name, "new")] {
        canvas.line((x, 12.0), (x + 28.0, 12.0), &format!("whisker r1 {class}"));
        canvas.dot((x + 14.0, 12.0), 4.5, &format!("dot {class}"), "");
        canvas.name((x + 34.0, 12.0), At::Start, 12.0, "muted", name, 180.0);
        x += 50.0 + width(name, 12.0).min(180.0);
    }
}
