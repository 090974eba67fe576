use super::axis::{Axis, amount, full_width, horizontal, share, span, vertical};
use super::canvas::{At, Canvas};
use super::ends::{self, End};
use super::interval::empty_track;
use super::text::width;
use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// Fix rate against the number of attempts allowed, k.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePlot {
    /// Title and description.
    pub head: Head,
    /// What the horizontal axis counts.
    pub x_axis: String,
    /// What the vertical axis measures.
    pub y_axis: String,
    /// One line each; those without a highlight are drawn behind, in grey.
    pub series: Vec<Curve>,
}

/// What a curve promises about k attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CurveKind {
    /// pass@k: at least one of k attempts fixes the bug. A solid line.
    #[default]
    AtLeastOnce,
    /// pass^k: each of k attempts fixes the bug. A dashed line.
    EveryTime,
}

/// One line of a curve plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Name of the model.
    pub name: String,
    /// Solid or dashed.
    pub kind: CurveKind,
    /// Colour slot 0 to 7, or none for a grey line.
    pub highlight: Option<u8>,
    /// The last value as text, drawn behind the name at the end of the line; may be empty.
    pub value: Label,
    /// The points in ascending k.
    pub points: Vec<CurvePoint>,
}

/// A value at one k.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Number of attempts, 1 or more.
    pub k: u32,
    /// The rate, a share from 0 to 1; none breaks the line.
    pub rate: Option<f64>,
    /// The interval at this k.
    pub band: Option<Range>,
}

const TOP: f64 = 48.0;
const BOTTOM: f64 = 330.0;
const LEFT: f64 = 44.0;

/// Draws pass@k and pass^k curves.
pub fn curves(plot: &CurvePlot) -> Result<String, ChartError> {
    let named = plot.series.iter().filter(|s| s.highlight.is_some());
    let right = full_width() - ends::room(named.clone().map(|s| (s.name.as_str(), &s.value)));
    let y = Axis::from_zero(plot.series.iter().flat_map(heights), (BOTTOM, TOP));
    let ks = plot.series.iter().flat_map(|s| s.points.iter()).map(|p| p.k);
    let x = Axis::wholes(1.0, f64::from(ks.max().unwrap_or(2)), 12.0, (LEFT + 10.0, right - 4.0));
    let mut canvas = Canvas::new(BOTTOM + 40.0);
    vertical(&mut canvas, &y, (LEFT, right), &plot.y_axis);
    horizontal(&mut canvas, &x, (BOTTOM, BOTTOM), &plot.x_axis, amount);
    key(&mut canvas, plot, right);
    // Bands first, then grey lines, then the named ones, so that nothing named is covered.
    for series in named.clone() {
        band(&mut canvas, series, &x, &y);
    }
    for series in plot.series.iter().filter(|s| s.highlight.is_none()) {
        line(&mut canvas, series, &x, &y);
    }
    let mut labels = Vec::new();
    for series in named {
        line(&mut canvas, series, &x, &y);
        if let (Some(slot), Some((k, rate))) = (series.highlight, points(series).last()) {
            labels.push(End { at: (x.at(k), y.at(rate)), slot, name: &series.name, value: &series.value });
        }
    }
    ends::write(&mut canvas, &labels, right, (TOP, BOTTOM - 6.0));
    if plot.series.iter().all(|s| points(s).next().is_none()) {
        empty_track(&mut canvas, (LEFT + 10.0, right), f64::midpoint(TOP, BOTTOM), "no data");
    }
    canvas.finish(&plot.head)
}

fn points(series: &Curve) -> impl Iterator<Item = (f64, f64)> {
    series.points.iter().filter_map(|p| Some((f64::from(p.k.max(1)), share(p.rate)?)))
}

fn heights(series: &Curve) -> impl Iterator<Item = f64> {
    let bands = series.points.iter().filter(|_| series.highlight.is_some()).filter_map(|p| span(p.band)).map(|b| b.hi);
    bands.chain(points(series).map(|p| p.1))
}

/// Runs of neighbouring points that `pick` accepts: a gap in the data is a gap in the picture.
fn runs<T>(points: &[CurvePoint], pick: impl Fn(&CurvePoint) -> Option<T>) -> Vec<Vec<(f64, T)>> {
    let mut out: Vec<Vec<(f64, T)>> = vec![Vec::new()];
    for point in points {
        match (pick(point), out.last_mut()) {
            (Some(value), Some(run)) => run.push((f64::from(point.k.max(1)), value)),
            (None, Some(run)) if !run.is_empty() => out.push(Vec::new()),
            _ => {}
        }
    }
    out
}

fn band(canvas: &mut Canvas, series: &Curve, x: &Axis, y: &Axis) {
    let slot = series.highlight.unwrap_or(0) % 8;
    for run in runs(&series.points, |p| span(p.band).filter(|_| share(p.rate).is_some())) {
        let upper = run.iter().map(|(k, b)| (x.at(*k), y.at(b.hi)));
        let lower = run.iter().rev().map(|(k, b)| (x.at(*k), y.at(b.lo)));
        match run.as_slice() {
            [] => {}
            [(k, b)] => canvas.line((x.at(*k), y.at(b.lo)), (x.at(*k), y.at(b.hi)), &format!("whisker r1 s{slot}")),
            _ => canvas.polygon(&upper.chain(lower).collect::<Vec<_>>(), &format!("band s{slot}")),
        }
    }
}

fn line(canvas: &mut Canvas, series: &Curve, x: &Axis, y: &Axis) {
    let dash = if series.kind == CurveKind::EveryTime { " every" } else { "" };
    let class = series.highlight.map_or_else(|| "other".to_owned(), |slot| format!("s{}", slot % 8));
    for run in runs(&series.points, |p| share(p.rate)) {
        let places: Vec<(f64, f64)> = run.iter().map(|(k, r)| (x.at(*k), y.at(*r))).collect();
        if places.len() > 1 {
            canvas.path(&places, &format!("line {class}{dash}"));
        }
        if series.highlight.is_some() || places.len() == 1 {
            for place in places {
                canvas.dot(place, 3.0, &format!("dot {class}{dash}"), "");
            }
        }
    }
}

/// What solid, dashed and grey lines mean, where the picture has them.
fn key(canvas: &mut Canvas, plot: &CurvePlot, right: f64) {
    let has = |kind: CurveKind| plot.series.iter().any(|s| s.kind == kind);
    let both = has(CurveKind::AtLeastOnce) && has(CurveKind::EveryTime);
    // A model in grey has a line of each kind and is one other.
    let grey = plot.series.iter().filter(|s| s.highlight.is_none()).map(|s| s.name.as_str());
    let others = grey.collect::<std::collections::BTreeSet<_>>().len();
    let mut items: Vec<(&str, String)> = Vec::new();
    if both {
        items.push(("line key", "at least one of k".into()));
        items.push(("line key every", "every one of k".into()));
    }
    if others > 0 {
        items.push(("line other", format!("{others} other{}", if others == 1 { "" } else { "s" })));
    }
    let room: f64 = items.iter().map(|(_, words)| 46.0 + width(words, 12.0)).sum();
    let mut at = (right - room + 16.0).max(LEFT);
    for (class, words) in items {
        canvas.line((at, 12.0), (at + 24.0, 12.0), class);
        canvas.words((at + 30.0, 12.0), At::Start, "muted", &words);
        at += 46.0 + width(&words, 12.0);
    }
}
