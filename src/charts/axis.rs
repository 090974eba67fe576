//! Scales and their printed axes.

use super::backend::FINE;
use super::canvas::{At, Canvas};
use super::text::width;
use super::{Range, WIDTH};
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{BoldPoints, Ranged};
use plotters::coord::types::RangedCoordf64;

/// A share that can be drawn: finite, and held within 0 to 1.
pub(super) fn share(value: Option<f64>) -> Option<f64> {
    value.filter(|v| v.is_finite()).map(|v| v.clamp(0.0, 1.0))
}

/// A range of shares that can be drawn, its ends in order.
pub(super) fn span(range: Option<Range>) -> Option<Range> {
    let range = range?;
    let (a, b) = (share(Some(range.lo))?, share(Some(range.hi))?);
    Some(Range { lo: a.min(b), hi: a.max(b) })
}

enum Scale {
    Linear(RangedCoordf64),
    Log(LogCoord<f64>),
}

/// A scale between two places in the picture, with the values at which it is marked.
pub(super) struct Axis {
    scale: Scale,
    /// Where the axis begins, in pixels.
    pub from: f64,
    /// Where it ends, in pixels.
    pub to: f64,
    /// First and last value.
    pub domain: (f64, f64),
    /// Values that get a grid line and a number.
    pub ticks: Vec<f64>,
}

fn limits(from: f64, to: f64) -> (i32, i32) {
    ((from * FINE).round() as i32, (to * FINE).round() as i32)
}

fn multiples(lo: f64, hi: f64, step: f64) -> Vec<f64> {
    let (first, last) = ((lo / step).round(), (hi / step).round());
    let mut out = Vec::new();
    let mut n = first;
    while n <= last {
        out.push(n * step);
        n += 1.0;
    }
    out
}

impl Axis {
    fn linear(domain: (f64, f64), ticks: Vec<f64>, (from, to): (f64, f64)) -> Axis {
        Axis { scale: Scale::Linear((domain.0..domain.1).into()), from, to, domain, ticks }
    }

    /// Shares on 0 to 1, or with `zoom` on the part that holds the values.
    pub fn shares(values: impl Iterator<Item = f64>, zoom: bool, place: (f64, f64)) -> Axis {
        let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if !zoom || lo > hi {
            return Axis::linear((0.0, 1.0), multiples(0.0, 1.0, 0.2), place);
        }
        let step = *[0.01, 0.02, 0.05, 0.1, 0.2].iter().find(|s| (hi - lo) / **s <= 5.0).unwrap_or(&0.2);
        let lo = (lo / step).floor() * step;
        let hi = ((hi / step).ceil() * step).max(lo + 2.0 * step);
        Axis::linear((lo, hi), multiples(lo, hi, step), place)
    }

    /// Shares from 0 to a round value above the highest, for a vertical axis.
    pub fn from_zero(values: impl Iterator<Item = f64>, place: (f64, f64)) -> Axis {
        let most = values.fold(0.0, f64::max);
        let (hi, step) = *[(0.05, 0.01), (0.1, 0.02), (0.2, 0.05), (0.4, 0.1), (0.6, 0.1), (0.8, 0.2), (1.0, 0.2)]
            .iter()
            .find(|(hi, _)| most > 0.0 && most <= *hi)
            .unwrap_or(&(1.0, 0.2));
        Axis::linear((0.0, hi), multiples(0.0, hi, step), place)
    }

    /// An amount from `lo` to `hi` with about `count` round marks.
    pub fn amounts(lo: f64, hi: f64, count: usize, place: (f64, f64)) -> Axis {
        let hi = if hi > lo { hi } else { lo + 1.0 };
        let coord: RangedCoordf64 = (lo..hi).into();
        let ticks = coord.key_points(BoldPoints(count));
        Axis { scale: Scale::Linear(coord), from: place.0, to: place.1, domain: (lo, hi), ticks }
    }

    /// Whole numbers from `lo` to `hi`, each marked unless there are more than `most`.
    pub fn wholes(lo: f64, hi: f64, most: f64, place: (f64, f64)) -> Axis {
        let hi = if hi > lo { hi } else { lo + 1.0 };
        let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0].into_iter().find(|s| (hi - lo) / s <= most);
        let step = step.unwrap_or_else(|| ((hi - lo) / most).ceil());
        let mut ticks: Vec<f64> = multiples(step, hi, step).into_iter().filter(|t| *t >= lo && *t <= hi).collect();
        if ticks.first().is_none_or(|t| *t > lo) && step <= 5.0 {
            ticks.insert(0, lo);
        }
        Axis::linear((lo, hi), ticks, place)
    }

    /// A logarithmic axis over positive values, with room beyond both ends, marked at 1, 2 and 5 of a decade
    /// or only at decades where there are many.
    pub fn log(lo: f64, hi: f64, place: (f64, f64)) -> Axis {
        let (lo, hi) = (lo / 1.35, hi * 1.35);
        let decades = (hi / lo).log10();
        let of_decade: &[f64] = if decades > 4.0 {
            &[1.0]
        } else if decades > 2.0 {
            &[1.0, 3.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let mut ticks = Vec::new();
        let mut power = lo.log10().floor();
        while power <= hi.log10() {
            ticks.extend(of_decade.iter().map(|m| m * 10_f64.powf(power)).filter(|t| *t >= lo && *t <= hi));
            power += 1.0;
        }
        let scale = Scale::Log(LogCoord::from((lo..hi).log_scale()));
        Axis { scale, from: place.0, to: place.1, domain: (lo, hi), ticks }
    }

    /// Where a value stands, in pixels.
    pub fn at(&self, value: f64) -> f64 {
        let place = limits(self.from, self.to);
        let tenths = match &self.scale {
            Scale::Linear(coord) => coord.map(&value, place),
            Scale::Log(coord) => coord.map(&value, place),
        };
        f64::from(tenths) / FINE
    }
}

/// A share as a mark on an axis.
pub(super) fn percent(value: f64) -> String {
    let hundredths = value * 100.0;
    format!("{}%", (hundredths * 10.0).round() / 10.0)
}

/// An amount as a mark on an axis.
pub(super) fn amount(value: f64) -> String {
    format!("{}", (value * 100.0).round() / 100.0)
}

/// Dollars as a mark on an axis.
pub(super) fn dollars(value: f64) -> String {
    if value >= 1.0 {
        return format!("${}", (value * 100.0).round() / 100.0);
    }
    let digits = (-value.log10().floor()).clamp(2.0, 12.0) as usize;
    format!("${value:.digits$}")
}

/// Grid lines from `top` to `bottom` (only short marks where both are the same), numbers and the name of a
/// horizontal axis.
pub(super) fn horizontal(
    canvas: &mut Canvas,
    axis: &Axis,
    (top, bottom): (f64, f64),
    name: &str,
    show: fn(f64) -> String,
) {
    let mut free = f64::NEG_INFINITY;
    for &tick in &axis.ticks {
        let x = axis.at(tick);
        if top < bottom {
            canvas.line((x, top), (x, bottom), "grid");
        } else {
            canvas.line((x, bottom), (x, bottom + 4.0), "axis");
        }
        let text = show(tick);
        let half = width(&text, 12.0) / 2.0;
        if x - half > free {
            canvas.words((x, bottom + 14.0), At::Middle, "tick", &text);
            free = x + half + 6.0;
        }
    }
    canvas.words((axis.to, bottom + 31.0), At::End, "muted", name);
}

/// Grid lines and numbers of a vertical axis of shares left of `left`, and its name above it.
pub(super) fn vertical(canvas: &mut Canvas, axis: &Axis, (left, right): (f64, f64), name: &str) {
    for &tick in &axis.ticks {
        let y = axis.at(tick);
        let class = if tick == axis.domain.0 { "axis" } else { "grid" };
        canvas.line((left, y), (right, y), class);
        canvas.words((left - 6.0, y), At::End, "tick", &percent(tick));
    }
    canvas.words((0.0, axis.to - 20.0), At::Start, "muted", name);
}

/// Width that a picture leaves for its own use.
pub(super) fn full_width() -> f64 {
    f64::from(WIDTH)
}

/// Moves places apart until each is at least `gap` from the next, as little as possible and within the
/// limits where they suffice. The result is in the order of the input.
pub(super) fn spread(wanted: &[f64], gap: f64, (lo, hi): (f64, f64)) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]).then(a.cmp(b)));
    // Blocks of touching labels: how many, and where the first would stand on average.
    let mut blocks: Vec<(usize, f64)> = Vec::new();
    for &i in &order {
        blocks.push((1, wanted[i]));
        while let [.., (n, a), (m, b)] = blocks[..] {
            if a + to_f64(n) * gap <= b {
                break;
            }
            let merged = (a * to_f64(n) + (b - to_f64(n) * gap) * to_f64(m)) / to_f64(n + m);
            blocks.truncate(blocks.len() - 2);
            blocks.push((n + m, merged));
        }
    }
    let mut places: Vec<f64> = blocks.iter().flat_map(|(n, a)| (0..*n).map(move |k| a + to_f64(k) * gap)).collect();
    for k in (0..places.len()).rev() {
        let most = places.get(k + 1).map_or(hi, |next| next - gap);
        places[k] = places[k].min(most);
    }
    for k in 0..places.len() {
        let least = if k == 0 { lo } else { places[k - 1] + gap };
        places[k] = places[k].max(least);
    }
    let mut out = vec![0.0; wanted.len()];
    for (place, i) in places.into_iter().zip(order) {
        out[i] = place;
    }
    out
}

/// A small count as a float.
pub(super) fn to_f64(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_moved_apart_and_stay_within_the_limits() {
        let out = spread(&[10.0, 12.0, 11.0, 80.0], 10.0, (0.0, 100.0));
        assert_eq!(out, vec![1.0, 21.0, 11.0, 80.0]);
        let out = spread(&[99.0, 99.0], 10.0, (0.0, 100.0));
        assert_eq!(out, vec![90.0, 100.0]);
    }

    #[test]
    fn a_zoomed_axis_holds_its_values_and_is_marked_at_round_shares() {
        let axis = Axis::shares([0.271, 0.334].into_iter(), true, (0.0, 100.0));
        assert!(axis.domain.0 <= 0.271 && axis.domain.1 >= 0.334);
        assert_eq!(axis.ticks.iter().map(|t| percent(*t)).collect::<Vec<_>>(), ["26%", "28%", "30%", "32%", "34%"]);
        assert_eq!(Axis::shares(std::iter::empty(), true, (0.0, 1.0)).domain, (0.0, 1.0));
    }

    #[test]
    fn marks_of_money_have_the_decimals_they_need() {
        assert_eq!([0.0005, 0.02, 0.5, 1.0, 20.0].map(dollars), ["$0.0005", "$0.02", "$0.50", "$1", "$20"]);
    }

    #[test]
    fn a_log_axis_is_marked_within_its_domain() {
        let axis = Axis::log(0.01, 2.0, (0.0, 500.0));
        assert!(axis.ticks.iter().all(|t| *t >= axis.domain.0 && *t <= axis.domain.1));
        assert!(axis.at(0.1) > axis.at(0.02));
    }
}
