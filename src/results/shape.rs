//! Lines of one file look alike: what an earlier line has around its values is looked for at once in the next.
//!
//! A shape is an accepted line without those values that may differ. A line that equals it around values which keep
//! the contract is JSON, has the same fields, and has none of them twice, because all this held for the earlier line.

use super::Row;
use super::line::{Aside, Line, Mark, Plan, read_line};
use super::scan::{Scan, Text};
use super::slot::Slot;

/// How many shapes are kept; with more of them, looking for one costs more than it saves.
const MOST: usize = 4;
/// Lines that had no shape, less lines that had one, at which a file is taken to have none.
const PATIENCE: u32 = 64;

/// The shapes of the lines of one piece.
#[derive(Default)]
pub(super) struct Shapes {
    /// The one used last stands first.
    kept: Vec<Shape>,
    missed: u32,
    marks: Vec<Mark>,
}

struct Shape {
    /// The row of the earlier line: what no step reads stays as it is.
    row: Row,
    seen: u64,
    steps: Vec<Step>,
    /// What follows the last value, with the line end.
    last: Part,
}

/// A part of the line that is the same in every line, and the value after it.
struct Step {
    part: Part,
    slot: Slot,
    depth: u32,
}

/// Bytes that are looked for at once.
struct Part {
    /// The first sixteen, or fewer with zeros after them.
    first: u128,
    /// Which of the sixteen are bytes of the part.
    mask: u128,
    len: usize,
    /// The last sixteen of more than sixteen; they may lap the first.
    last: u128,
    /// Those between the first and the last sixteen.
    middle: Box<[u8]>,
}

impl Shapes {
    /// Reads the line that begins at an offset; gives where it ends, before its line end.
    #[inline]
    pub fn read(
        &mut self,
        from: (Text<'_>, usize),
        plan: &Plan<'_>,
        aside: &mut Aside,
        number: u32,
    ) -> Option<(Row, usize)> {
        for i in 0..self.kept.len() {
            if let Some(found) = self.kept[i].read(from, plan, aside, number) {
                self.kept.swap(0, i);
                self.missed = self.missed.saturating_sub(1);
                return Some(found);
            }
        }
        self.learn(from, plan, aside, number)
    }

    #[inline(never)]
    fn learn(
        &mut self,
        from: (Text<'_>, usize),
        plan: &Plan<'_>,
        aside: &mut Aside,
        number: u32,
    ) -> Option<(Row, usize)> {
        self.marks.clear();
        let (row, seen, end) = read_line(from, plan, aside, &mut self.marks, number)?;
        self.missed += 1;
        if self.missed > PATIENCE {
            self.kept.clear();
        } else {
            self.kept.truncate(MOST - 1);
            self.kept.insert(0, Shape::new(from, &self.marks, plan, (row.clone(), seen, end)));
        }
        Some((row, end))
    }
}

impl Shape {
    fn new(
        (text, start): (Text<'_>, usize),
        marks: &[Mark],
        plan: &Plan<'_>,
        (row, seen, end): (Row, u64, usize),
    ) -> Shape {
        let bytes = text.bytes();
        let mut steps = Vec::with_capacity(marks.len());
        let mut at = start;
        for mark in marks {
            // These say the same in nearly every line of a run, so they belong to the shape.
            let fixed = match mark.slot {
                Slot::Schema | Slot::Run | Slot::Suite | Slot::Agent | Slot::Condition => true,
                Slot::Model => plan.run.models.len() == 1,
                _ => false,
            };
            if !fixed {
                steps.push(Step { part: Part::new(&bytes[at..mark.start]), slot: mark.slot, depth: mark.depth });
                at = mark.end;
            }
        }
        Shape { row, seen, steps, last: Part::new(&[&bytes[at..end], b"\n"].concat()) }
    }

    #[inline]
    fn read(
        &self,
        (text, start): (Text<'_>, usize),
        plan: &Plan<'_>,
        aside: &mut Aside,
        number: u32,
    ) -> Option<(Row, usize)> {
        let bytes = text.bytes();
        let mut row = self.row.clone();
        row.line = number;
        row.task = aside.task;
        let mut line = Line::new(row, self.seen);
        let mut at = start;
        for step in &self.steps {
            at = step.part.end(bytes, at)?;
            let mut scan = Scan::new(text, at, step.depth);
            line.leaf(&mut scan, step.slot, plan)?;
            at = scan.place();
        }
        let end = self.last.end(bytes, at)? - 1;
        line.agrees(plan).then(|| (line.note(aside), end))
    }
}

impl Part {
    fn new(bytes: &[u8]) -> Part {
        let start = bytes.len().min(16);
        let mut wide = ([0; 16], [0; 16]);
        wide.0[..start].copy_from_slice(&bytes[..start]);
        wide.1[..start].fill(0xff);
        let (first, mask) = (u128::from_le_bytes(wide.0), u128::from_le_bytes(wide.1));
        let last = bytes.last_chunk().map_or(0, |last| u128::from_le_bytes(*last));
        let middle = bytes.get(16..bytes.len().saturating_sub(16)).unwrap_or_default().into();
        Part { first, mask, len: bytes.len(), last, middle }
    }

    /// Where the part ends that begins at an offset, if it does.
    #[inline]
    fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let all = bytes.get(at..)?;
        if u128::from_le_bytes(*all.first_chunk()?) & self.mask != self.first {
            return None;
        }
        if self.len > 16 {
            if u128::from_le_bytes(*all.get(self.len - 16..)?.first_chunk()?) != self.last {
                return None;
            }
            if self.len > 32 && all.get(16..self.len - 16)? != &*self.middle {
                return None;
            }
        }
        Some(at + self.len)
    }
}
