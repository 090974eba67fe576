//! One path for all marks of a kind, written in relative steps: sixteen bytes a mark, one element a kind.
//!
//! Kinds differ in shape as well as in class, so the picture can be read without colour: a fix is a full
//! square, a failure a small one, an excluded attempt an outline.

use super::backend::push_tenths;
use crate::schema::Outcome;

/// Writes the marks of one kind.
pub(super) struct Pencil {
    path: Vec<u8>,
    shape: Vec<u8>,
    /// From the corner of a cell to where its shape starts, in tenths.
    start: (i32, i32),
    /// From there to where the shape leaves the pen, in tenths.
    leave: (i32, i32),
    at: Option<(i32, i32)>,
}

/// Path data of a shape, where it starts in its cell and where it leaves the pen, in tenths.
struct Shape {
    data: String,
    start: (i32, i32),
    leave: (i32, i32),
}

fn square(side: i32) -> String {
    let mut out = String::new();
    for (letter, length) in [('h', side), ('v', side), ('h', -side)] {
        out.push(letter);
        push_tenths(&mut out, length);
    }
    out.push('z');
    out
}

fn pair(out: &mut String, letter: char, (x, y): (i32, i32)) {
    out.push(letter);
    push_tenths(out, x);
    if y >= 0 {
        out.push(' ');
    }
    push_tenths(out, y);
}

/// A square with a hole: the inner square runs the other way round.
fn ring(side: i32, wall: i32, start: (i32, i32)) -> Shape {
    let mut data = square(side);
    pair(&mut data, 'm', (wall, wall));
    for (letter, length) in [('v', side - 2 * wall), ('h', side - 2 * wall), ('v', 2 * wall - side)] {
        data.push(letter);
        push_tenths(&mut data, length);
    }
    data.push('z');
    Shape { data, start, leave: (wall, wall) }
}

fn lines(start: (i32, i32), steps: &[(i32, i32)]) -> Shape {
    let mut data = String::new();
    for step in steps {
        pair(&mut data, 'l', *step);
    }
    data.push('z');
    Shape { data, start, leave: (0, 0) }
}

/// The shape of a kind in a cell of this many pixels.
fn shape(outcome: Outcome, excluded: bool, pixels: i32) -> Shape {
    let side = pixels * 10;
    let (half, wall) = (side / 2, if pixels >= 8 { 15 } else { 10 });
    let plain = |side: i32, inset: i32| Shape { data: square(side), start: (inset, inset), leave: (0, 0) };
    match outcome {
        // In two pixels there is room for a full square and for half of one, not for shapes.
        Outcome::Resolved => plain(side, 0),
        _ if pixels < 3 && excluded => lines((0, 0), &[(side, 0), (0, half), (-side, 0)]),
        _ if pixels < 3 => plain(side, 0),
        Outcome::Stopped => {
            let mut outer = lines((half, 0), &[(half, half), (-half, half), (-half, -half)]);
            let inner = half - wall - 5;
            if inner > 0 {
                pair(&mut outer.data, 'm', (0, half - inner));
                for step in [(-inner, inner), (inner, inner), (inner, -inner)] {
                    pair(&mut outer.data, 'l', step);
                }
                outer.data.push('z');
                outer.leave = (0, half - inner);
            }
            outer
        }
        _ if excluded => ring(side, wall, (0, 0)),
        Outcome::Unresolved => {
            let small = (half + 10).min(side - 10);
            plain(small, (side - small) / 2)
        }
        Outcome::NoPatch => {
            let high = (side / 4).max(10);
            lines((0, (side - high) / 2), &[(side, 0), (0, high), (-side, 0)])
        }
        Outcome::PatchFailed => lines((half, 0), &[(half, half), (-half, half), (-half, -half)]),
        Outcome::TimedOut => lines((0, 0), &[(side, 0), (-half, side)]),
        Outcome::InfraError => {
            let (arm, bar) = ((side - side / 4) / 2, side - 2 * ((side - side / 4) / 2));
            let steps = [
                (bar, 0),
                (0, arm),
                (arm, 0),
                (0, bar),
                (-arm, 0),
                (0, arm),
                (-bar, 0),
                (0, -arm),
                (-arm, 0),
                (0, -bar),
                (arm, 0),
            ];
            lines((arm, 0), &steps)
        }
        Outcome::Observed => {
            let small = (half + 10).min(side);
            let inset = (side - small) / 2;
            ring(small, 10, (inset, inset))
        }
    }
}

/// Appends a whole number; the standard formatting takes three times as long, and there are 200,000 of them.
fn push_whole(out: &mut Vec<u8>, n: i32) {
    if n < 0 {
        out.push(b'-');
    }
    let rest = n.unsigned_abs();
    let digit = |v: u32| b"0123456789"[(v % 10) as usize];
    match rest {
        0..=9 => out.push(digit(rest)),
        10..=99 => out.extend_from_slice(&[digit(rest / 10), digit(rest)]),
        100..=999 => out.extend_from_slice(&[digit(rest / 100), digit(rest / 10), digit(rest)]),
        _ => {
            let mut text = String::new();
            push_tenths(&mut text, n.saturating_abs().saturating_mul(10));
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Appends a distance in tenths.
fn push_distance(out: &mut Vec<u8>, tenths: i32) {
    if tenths % 10 == 0 {
        push_whole(out, tenths / 10);
    } else {
        let mut text = String::new();
        push_tenths(&mut text, tenths);
        out.extend_from_slice(text.as_bytes());
    }
}

impl Pencil {
    /// A pencil for marks of this kind in cells of this many pixels.
    pub fn new((outcome, excluded): (Outcome, bool), pixels: i32) -> Pencil {
        let shape = shape(outcome, excluded, pixels);
        Pencil { path: Vec::new(), shape: shape.data.into_bytes(), start: shape.start, leave: shape.leave, at: None }
    }

    /// Adds a mark in the cell whose upper left corner is here, in pixels.
    pub fn mark(&mut self, x: i32, y: i32) {
        let (x, y) = (x * 10 + self.start.0, y * 10 + self.start.1);
        let (dx, dy) = self.at.map_or((x, y), |(px, py)| (x - px, y - py));
        self.path.push(if self.at.is_none() { b'M' } else { b'm' });
        push_distance(&mut self.path, dx);
        if dy >= 0 {
            self.path.push(b' ');
        }
        push_distance(&mut self.path, dy);
        self.path.extend_from_slice(&self.shape);
        self.at = Some((x + self.leave.0, y + self.leave.1));
    }

    /// Makes room for this many marks.
    pub fn reserve(&mut self, marks: usize) {
        self.path.reserve(marks * (self.shape.len() + 6));
    }

    /// The path data.
    pub fn path(self) -> String {
        // Only digits, letters and signs were written, so nothing is ever lost here.
        String::from_utf8(self.path).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_a_kind_are_one_relative_path() {
        let mut pencil = Pencil::new((Outcome::Resolved, false), 8);
        pencil.mark(190, 4);
        pencil.mark(200, 4);
        pencil.mark(190, 14);
        assert_eq!(pencil.path(), "M190 4h8v8h-8zm10 0h8v8h-8zm-10 10h8v8h-8z");
    }

    #[test]
    fn an_excluded_mark_is_an_outline_and_the_next_one_stands_in_its_own_cell() {
        let mut pencil = Pencil::new((Outcome::InfraError, true), 8);
        pencil.mark(0, 0);
        pencil.mark(10, 0);
        assert_eq!(pencil.path(), "M0 0h8v8h-8zm1.5 1.5v5h5v-5zm8.5-1.5h8v8h-8zm1.5 1.5v5h5v-5z");
    }

    #[test]
    fn shapes_of_counted_outcomes_differ() {
        let mut seen: Vec<String> = Vec::new();
        for outcome in Outcome::ALL {
            let shape = shape(outcome, false, 8);
            let text = format!("{:?}{}", shape.start, shape.data);
            assert!(!seen.contains(&text), "{outcome}");
            seen.push(text);
        }
    }
}
