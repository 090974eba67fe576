use super::axis::{Axis, amount, full_width, horizontal, share, vertical};
use super::canvas::{At, Canvas};
use super::ends::{self, End};
use super::interval::empty_track;
use super::text::width;
use super::{ChartError, Head, Label};
use serde::{Deserialize, Serialize};

/// Share fixed by a turn or a minute, as step lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepPlot {
    /// Title and description.
    pub head: Head,
    /// What the horizontal axis counts, e.g. "minutes".
    pub x_axis: String,
    /// What the vertical axis measures.
    pub y_axis: String,
    /// One line per model.
    pub series: Vec<StepSeries>,
}

/// One line of a step plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepSeries {
    /// Name of the model.
    pub name: String,
    /// Colour slot 0 to 7, or none for a grey line.
    pub highlight: Option<u8>,
    /// Where the line rises and to which share (0 to 1), in ascending order; it starts at 0, 0.
    pub rises: Vec<(f64, f64)>,
    /// Where the observation ends; the line goes on level until there.
    pub until: f64,
    /// The last value as text, drawn behind the name; may be empty.
    pub value: Label,
}

const TOP: f64 = 36.0;
const BOTTOM: f64 = 318.0;
const LEFT: f64 = 44.0;

/// Draws cumulative incidence of fixes.
pub fn steps(plot: &StepPlot) -> Result<String, ChartError> {
    let named = plot.series.iter().filter(|s| s.highlight.is_some());
    let right = full_width() - ends::room(named.map(|s| (s.name.as_str(), &s.value)));
    let lines: Vec<Vec<(f64, f64)>> = plot.series.iter().map(corners).collect();
    let y = Axis::from_zero(lines.iter().flatten().map(|p| p.1), (BOTTOM, TOP));
    let last = lines.iter().flatten().map(|p| p.0).fold(0.0, f64::max);
    let x = Axis::amounts(0.0, last, 8, (LEFT, right - 4.0));
    let mut canvas = Canvas::new(BOTTOM + 40.0);
    vertical(&mut canvas, &y, (LEFT, right), &plot.y_axis);
    horizontal(&mut canvas, &x, (BOTTOM, BOTTOM), &plot.x_axis, amount);
    // Grey lines first, so that nothing named is covered.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|i| plot.series[*i].highlight.is_some());
    let mut labels = Vec::new();
    for i in order {
        let (series, places) = (&plot.series[i], lines[i].iter().map(|p| (x.at(p.0), y.at(p.1))).collect::<Vec<_>>());
        let Some(end) = places.last().copied().filter(|_| places.len() > 1) else { continue };
        let class = series.highlight.map_or_else(|| "other".to_owned(), |slot| format!("s{}", slot % 8));
        canvas.path(&places, &format!("line {class}"));
        if let Some(slot) = series.highlight {
            labels.push(End { at: end, slot, name: &series.name, value: &series.value });
            canvas.dot(end, 3.0, &format!("dot {class}"), "");
        }
    }
    ends::write(&mut canvas, &labels, right, (TOP, BOTTOM - 6.0));
    others(&mut canvas, plot, right);
    if last <= 0.0 {
        empty_track(&mut canvas, (LEFT + 10.0, right), f64::midpoint(TOP, BOTTOM), "no data");
    }
    canvas.finish(&plot.head)
}

/// The corners of a step line, from 0, 0 to the end of the observation.
fn corners(series: &StepSeries) -> Vec<(f64, f64)> {
    let mut out = vec![(0.0, 0.0)];
    let mut level = 0.0;
    let mut at = 0.0;
    for &(x, y) in &series.rises {
        let Some(y) = share(Some(y)).filter(|_| x.is_finite() && x >= at) else { continue };
        out.extend([(x, level), (x, y)]);
        (at, level) = (x, y);
    }
    if series.until.is_finite() && series.until > at {
        out.push((series.until, level));
    }
    out
}

fn others(canvas: &mut Canvas, plot: &StepPlot, right: f64) {
    let others = plot.series.iter().filter(|s| s.highlight.is_none()).count();
    if others > 0 {
        let words = format!("{others} other{}", if others == 1 { "" } else { "s" });
        let at = right - width(&words, 12.0) - 30.0;
        canvas.line((at, 12.0), (at + 24.0, 12.0), "line other");
        canvas.words((at + 30.0, 12.0), At::Start, "muted", &words);
    }
}
