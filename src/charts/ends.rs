//! Names at the ends of lines, moved apart where lines end close together.

use super::axis::{full_width, spread};
use super::canvas::{At, Canvas, widest};
use super::text::BOLD;
use super::{Label, WIDTH};

const GAP: f64 = 16.0;
const NAME_ROOM: f64 = 160.0;

/// The end of a line and what stands beside it.
pub(super) struct End<'a> {
    /// Where the line ends.
    pub at: (f64, f64),
    /// Colour slot, 0 to 7.
    pub slot: u8,
    /// Name of the line.
    pub name: &'a str,
    /// Its last value.
    pub value: &'a Label,
}

/// Room that names and values need right of the plot.
pub(super) fn room<'a>(texts: impl Iterator<Item = (&'a str, &'a Label)> + Clone) -> f64 {
    let names = widest(texts.clone().map(|(n, _)| n), 12.0 * BOLD, NAME_ROOM);
    let values = widest(texts.map(|(_, v)| v.text.as_str()), 12.0 * BOLD, 70.0);
    if names == 0.0 { 12.0 } else { 26.0 + names + if values > 0.0 { values + 8.0 } else { 0.0 } }
}

/// Writes names and values right of `right`, each joined to the end of its line.
pub(super) fn write(canvas: &mut Canvas, ends: &[End<'_>], right: f64, limits: (f64, f64)) {
    let wanted: Vec<f64> = ends.iter().map(|e| e.at.1).collect();
    let values = widest(ends.iter().map(|e| e.value.text.as_str()), 12.0 * BOLD, 70.0);
    let room = f64::from(WIDTH) - right - 26.0 - if values > 0.0 { values + 8.0 } else { 0.0 };
    for (end, y) in ends.iter().zip(spread(&wanted, GAP, limits)) {
        let slot = end.slot % 8;
        let (x, level) = end.at;
        if (y - level).abs() > 2.0 || x < right - 1.0 {
            canvas.path(&[(x + 5.0, level), (right + 8.0, level), (right + 18.0, y)], &format!("leader s{slot}"));
        }
        canvas.name((right + 22.0, y), At::Start, 12.0, &format!("end s{slot}"), end.name, room.max(20.0));
        canvas.label((full_width(), y), At::End, 12.0, &format!("end s{slot}"), end.value);
    }
}
