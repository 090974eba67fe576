use super::axis::{Axis, dollars, full_width, horizontal, share, span, to_f64, vertical};
use super::canvas::{At, Canvas};
use super::interval::empty_track;
use super::text::{BOLD, clean, fit, width};
use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// Cost of an attempt against fix rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterPlot {
    /// Title and description.
    pub head: Head,
    /// What the horizontal axis measures, in US dollars.
    pub x_axis: String,
    /// What the vertical axis measures.
    pub y_axis: String,
    /// One point per model.
    pub points: Vec<ScatterPoint>,
}

/// What a model costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Cost {
    /// US dollars; 0 or less counts as free.
    Known(f64),
    /// Nothing is charged, e.g. a local model.
    Free,
    /// Nobody recorded it.
    #[default]
    Unknown,
}

/// One model of a scatter plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterPoint {
    /// Name of the model.
    pub name: String,
    /// Where it stands on the horizontal axis.
    pub cost: Cost,
    /// The rate, a share from 0 to 1; none is listed below the plot instead.
    pub rate: Option<f64>,
    /// The interval around the rate.
    pub interval: Option<Range>,
    /// The rate as text, drawn behind the name; may be empty.
    pub value: Label,
}

const TOP: f64 = 40.0;
const BOTTOM: f64 = 350.0;
const LEFT: f64 = 44.0;
const STRIP: f64 = 104.0;
const SIZE: f64 = 12.0;
const NAME_ROOM: f64 = 140.0;

/// Where the parts of the plot stand.
struct Frame {
    x: Axis,
    y: Axis,
    free: Option<(f64, f64)>,
    unknown: Option<(f64, f64)>,
}

/// Positions of the points that no other point beats in both cost and rate, from cheap to dear. A free
/// point costs nothing; a point of unknown cost or rate is never among them.
pub fn frontier(points: &[ScatterPoint]) -> Vec<usize> {
    let mut known: Vec<(f64, f64, usize)> =
        points.iter().enumerate().filter_map(|(i, p)| Some((price(p.cost)?, share(p.rate)?, i))).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut out = Vec::new();
    let mut best: Option<(f64, f64)> = None;
    for (cost, rate, i) in known {
        if best.is_none_or(|(c, r)| rate > r || (cost == c && rate == r)) {
            best = Some((cost, rate));
            out.push(i);
        }
    }
    out
}

/// Dollars of a known or free cost.
fn price(cost: Cost) -> Option<f64> {
    match cost {
        Cost::Known(usd) if usd.is_finite() => Some(usd.max(0.0)),
        Cost::Free => Some(0.0),
        Cost::Known(_) | Cost::Unknown => None,
    }
}

/// Draws cost against rate.
pub fn scatter(plot: &ScatterPlot) -> Result<String, ChartError> {
    let best = frontier(&plot.points);
    let missing: Vec<&str> = plot.points.iter().filter(|p| share(p.rate).is_none()).map(|p| p.name.as_str()).collect();
    let mut canvas = Canvas::new(BOTTOM + if missing.is_empty() { 42.0 } else { 64.0 });
    let frame = frame(&plot.points);
    paper(&mut canvas, plot, &frame);
    let places = places(&plot.points, &frame);
    let line = steps(&best, &places, &frame);
    if line.len() > 1 {
        canvas.path(&line, "frontier");
    }
    for (i, (point, place)) in plot.points.iter().zip(&places).enumerate() {
        if let (Some(place), Some(range)) = (place, span(point.interval)) {
            let class = if best.contains(&i) { "whisker r2" } else { "whisker r2 rest" };
            canvas.line((place.0, frame.y.at(range.lo)), (place.0, frame.y.at(range.hi)), class);
        }
    }
    for (i, place) in places.iter().enumerate() {
        if let Some(place) = place {
            let class = if best.contains(&i) { "dot best" } else { "dot rest" };
            canvas.dot(*place, 4.5, class, &clean(&plot.points[i].name));
        }
    }
    names(&mut canvas, plot, &best, &places, &obstacles(&plot.points, &places, &line, &frame));
    if places.iter().all(Option::is_none) {
        empty_track(&mut canvas, (frame.x.from, frame.x.to), f64::midpoint(TOP, BOTTOM), "no data");
    }
    if !missing.is_empty() {
        let words = format!("Not drawn, for there is no rate: {}", missing.join(", "));
        canvas.name((0.0, BOTTOM + 52.0), At::Start, SIZE, "muted", &words, full_width());
    }
    canvas.finish(&plot.head)
}

fn frame(points: &[ScatterPoint]) -> Frame {
    let drawn = || points.iter().filter(|p| share(p.rate).is_some());
    let has = |want: fn(Option<f64>) -> bool| drawn().any(|p| want(price(p.cost)));
    let (free, unknown) = (has(|c| c == Some(0.0)), has(|c| c.is_none()));
    let left = LEFT + if free { STRIP + 10.0 } else { 0.0 };
    let right = full_width() - 6.0 - if unknown { STRIP + 10.0 } else { 0.0 };
    let costs = drawn().filter_map(|p| price(p.cost)).filter(|c| *c > 0.0);
    let (lo, hi) = costs.fold((f64::INFINITY, 0.0_f64), |(lo, hi), c| (lo.min(c), hi.max(c)));
    let (lo, hi) = if lo > hi { (0.01, 1.0) } else { (lo, hi) };
    let tops = drawn().flat_map(|p| [share(p.rate), span(p.interval).map(|r| r.hi)]).flatten();
    Frame {
        x: Axis::log(lo, hi, (left, right)),
        y: Axis::from_zero(tops, (BOTTOM, TOP)),
        free: free.then_some((LEFT, LEFT + STRIP)),
        unknown: unknown.then_some((right + 10.0, full_width() - 6.0)),
    }
}

/// Grid, axes and strips.
fn paper(canvas: &mut Canvas, plot: &ScatterPlot, frame: &Frame) {
    for (strip, words) in [(frame.free, "free"), (frame.unknown, "cost unknown")] {
        if let Some((from, to)) = strip {
            canvas.rect((from, TOP), (to - from, BOTTOM - TOP), "strip");
            canvas.words((f64::midpoint(from, to), BOTTOM + 14.0), At::Middle, "tick", words);
        }
    }
    vertical(canvas, &frame.y, (LEFT, full_width() - 6.0), &plot.y_axis);
    let name = format!("{}, logarithmic", plot.x_axis);
    horizontal(canvas, &frame.x, (TOP, BOTTOM), &name, dollars);
    let at = full_width() - 190.0;
    canvas.line((at, 12.0), (at + 24.0, 12.0), "frontier");
    canvas.words((at + 30.0, 12.0), At::Start, "muted", "best rate for its cost");
}

/// Where each point stands; none without a rate. Points in a strip stand side by side in order of rate.
fn places(points: &[ScatterPoint], frame: &Frame) -> Vec<Option<(f64, f64)>> {
    let mut out: Vec<Option<(f64, f64)>> = points
        .iter()
        .map(|p| {
            let cost = price(p.cost).filter(|c| *c > 0.0);
            Some((cost.map_or(0.0, |c| frame.x.at(c)), frame.y.at(share(p.rate)?)))
        })
        .collect();
    for (strip, free) in [(frame.free, true), (frame.unknown, false)] {
        let Some((from, to)) = strip else { continue };
        let inside = |p: &ScatterPoint| if free { price(p.cost) == Some(0.0) } else { price(p.cost).is_none() };
        let mut these: Vec<usize> = (0..points.len()).filter(|i| out[*i].is_some() && inside(&points[*i])).collect();
        these.sort_by(|a, b| share(points[*a].rate).unwrap_or(0.0).total_cmp(&share(points[*b].rate).unwrap_or(0.0)));
        let step = (to - from) / to_f64(these.len() + 1);
        for (n, i) in these.into_iter().enumerate() {
            if let Some(place) = &mut out[i] {
                place.0 = from + step * to_f64(n + 1);
            }
        }
    }
    out
}

/// The line along the points that are not beaten: level until the next dearer and better one.
fn steps(best: &[usize], places: &[Option<(f64, f64)>], frame: &Frame) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in best.iter().filter_map(|i| places[*i].as_ref()) {
        if let Some(&(_, level)) = line.last() {
            line.push((x, level));
        }
        line.push((x, y));
    }
    if let Some(&(_, level)) = line.last() {
        line.push((frame.x.to, level));
    }
    line
}

/// A rectangle that a label or a dot takes.
#[derive(Clone, Copy)]
struct Patch {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Patch {
    /// Area shared with another.
    fn overlap(&self, other: &Patch) -> f64 {
        let w = self.right.min(other.right) - self.left.max(other.left);
        let h = self.bottom.min(other.bottom) - self.top.max(other.top);
        w.max(0.0) * h.max(0.0)
    }
}

/// Dots, intervals and the step line, which names keep clear of.
fn obstacles(points: &[ScatterPoint], places: &[Option<(f64, f64)>], line: &[(f64, f64)], frame: &Frame) -> Vec<Patch> {
    let mut out = Vec::new();
    for (point, place) in points.iter().zip(places) {
        let Some((x, y)) = *place else { continue };
        out.push(Patch { left: x - 5.0, top: y - 5.0, right: x + 5.0, bottom: y + 5.0 });
        if let Some(range) = span(point.interval) {
            out.push(Patch { left: x - 1.0, top: frame.y.at(range.hi), right: x + 1.0, bottom: frame.y.at(range.lo) });
        }
    }
    for leg in line.windows(2) {
        let (a, b) = (leg[0], leg[1]);
        out.push(Patch {
            left: a.0.min(b.0) - 1.0,
            top: a.1.min(b.1) - 1.0,
            right: a.0.max(b.0) + 1.0,
            bottom: a.1.max(b.1) + 1.0,
        });
    }
    out
}

/// Names of the points on the frontier, and of others where there is room.
fn names(canvas: &mut Canvas, plot: &ScatterPlot, best: &[usize], places: &[Option<(f64, f64)>], obstacles: &[Patch]) {
    let mut taken = obstacles.to_vec();
    let rest = (0..plot.points.len()).filter(|i| !best.contains(i));
    for i in best.iter().copied().chain(rest) {
        let (point, Some((x, y))) = (&plot.points[i], places[i]) else { continue };
        let must = best.contains(&i);
        let value = if must { width(&point.value.text, SIZE) * BOLD + 6.0 } else { 0.0 };
        let heavy = if must { BOLD } else { 1.0 };
        let (text, _) = fit(&point.name, SIZE, NAME_ROOM / heavy);
        let room = width(&text, SIZE) * heavy + value;
        let beside = [-9.0, 10.0, 0.0, -22.0, 22.0];
        // Points that stand together, as free ones do, have their names one above another.
        let above = (2..14_u8).map(|n| -9.0 - 14.0 * f64::from(n));
        let spots = beside.into_iter().chain(above).flat_map(|dy| [(8.0, dy), (-8.0 - room, dy)]);
        let mut chosen: Option<(f64, Patch)> = None;
        for (dx, dy) in spots {
            let patch = Patch { left: x + dx, top: y + dy - 7.0, right: x + dx + room, bottom: y + dy + 7.0 };
            let outside = patch.left < LEFT || patch.right > full_width() || patch.top < 20.0 || patch.bottom > BOTTOM;
            let cost = taken.iter().map(|t| t.overlap(&patch)).sum::<f64>() + if outside { 1e6 } else { 0.0 };
            if chosen.is_none_or(|(least, _)| cost < least) {
                chosen = Some((cost, patch));
            }
        }
        let Some((cost, patch)) = chosen else { continue };
        if cost > 0.0 && !must {
            continue;
        }
        taken.push(patch);
        let middle = patch.top + 7.0;
        if middle < y - 23.0 {
            let near = if patch.left > x { patch.left - 2.0 } else { patch.right + 2.0 };
            canvas.path(&[(x, y - 6.0), (x, middle), (near, middle)], "leader");
        }
        let class = if must { "label halo" } else { "muted halo" };
        canvas.name((patch.left, middle), At::Start, SIZE, class, &point.name, NAME_ROOM);
        if must {
            canvas.label((patch.right, middle), At::End, SIZE, class, &point.value);
        }
    }
}
