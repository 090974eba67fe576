//! Before and after a model's training cutoff: two different sets of tasks.

use super::fraction::{Fraction, Lattice};
use super::paired::square_and_add;
use super::task_aware::task_aware;
use super::{Interval, TaskCount, rates};

/// The gap in task rate, before minus after. A gap is a signal, not proof: later tasks may be harder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutoffGap {
    /// Mean rate before less mean rate after.
    pub delta: f64,
    /// Unpaired square-and-add of the two task-aware Wilson ranges.
    pub interval: Interval,
    /// Exact two-sided permutation p over tasks; `None` when the counts have no workable common denominator.
    pub p: Option<f64>,
}

/// Splits nothing itself: takes the tasks before and after; `None` when a side has no attempts.
#[must_use]
pub fn cutoff_gap(before: &[TaskCount], after: &[TaskCount], z: f64) -> Option<CutoffGap> {
    let (a, b) = (task_aware(&rates(before), z)?, task_aware(&rates(after), z)?);
    Some(CutoffGap { delta: a.mean - b.mean, interval: square_and_add(&a, &b, 0.0)?, p: permutation_p(before, after) })
}

/// Probability mass below which an edge of the table is dropped; what is dropped is added to p.
const DUST: f64 = 1e-24;
/// Largest sum of all values, in lattice steps, for which the table is made.
const MOST_SUM: u64 = 1 << 19;
/// Largest tasks × smaller side × sums for which the table is made.
const MOST_CELLS: u64 = 1 << 34;

/// Share of all ways to choose which tasks are "before" that give a gap at least as large; `None` when a side is
/// empty or the exact table would be too large: a sum of values above 2^19 steps, or tasks × smaller side × (sum + 1)
/// above 2^34.
#[must_use]
pub fn permutation_p(before: &[TaskCount], after: &[TaskCount]) -> Option<f64> {
    let counted = |side: &[TaskCount]| side.iter().copied().filter(|t| t.rate().is_some()).collect::<Vec<_>>();
    let (mut before, mut after) = (counted(before), counted(after));
    // Choosing either side is the same; the smaller one takes fewer rows.
    if before.len() > after.len() {
        std::mem::swap(&mut before, &mut after);
    }
    let chosen = before.len();
    let tasks = chosen + after.len();
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let fractions = before.iter().chain(&after).map(|t| Fraction::rate(*t));
    let lattice = Lattice::new(&fractions.collect::<Option<Vec<_>>>()?, tasks)?;
    let shared = lattice.numerators.iter().fold(0, |shared, value| super::fraction::gcd(shared, *value));
    let values: Vec<u64> = lattice.numerators.iter().map(|value| value / shared.max(1)).collect();
    let total: u64 = values.iter().sum();
    let cells = (tasks as u64).checked_mul(chosen as u64)?.checked_mul(total.checked_add(1)?)?;
    if total > MOST_SUM || cells > MOST_CELLS {
        return None;
    }
    // |S/m - (total-S)/(G-m)| is |S·G - total·m| up to a constant factor, in whole numbers.
    let distance = |sum: u64| (i128::from(sum) * tasks as i128 - i128::from(total) * chosen as i128).abs();
    let observed = distance(values[..chosen].iter().sum());
    let mut table = Table::new(chosen);
    for (place, value) in values.iter().enumerate() {
        table.take(usize::try_from(*value).ok()?, chosen, tasks - place);
    }
    let row = &table.rows[chosen];
    let far = row.shares.iter().enumerate().filter(|(i, _)| distance((row.start + i) as u64) >= observed);
    Some((far.map(|(_, share)| share).sum::<f64>() + table.dropped).clamp(f64::MIN_POSITIVE, 1.0))
}

/// Chance of every sum, by the number of tasks chosen so far.
struct Table {
    rows: Vec<Row>,
    dropped: f64,
}

#[derive(Clone, Default)]
struct Row {
    start: usize,
    shares: Vec<f64>,
}

impl Table {
    fn new(chosen: usize) -> Self {
        let mut rows = vec![Row::default(); chosen + 1];
        rows[0].shares.push(1.0);
        Self { rows, dropped: 0.0 }
    }

    /// Decides on the next task, of which `left` remain: it is chosen with probability (still to choose) / left.
    fn take(&mut self, value: usize, chosen: usize, left: usize) {
        for count in (0..=chosen).rev() {
            let stay = 1.0 - (chosen - count) as f64 / left as f64;
            let mut row = std::mem::take(&mut self.rows[count]);
            // With fewer tasks left than to choose there is no such state.
            row.shares.iter_mut().for_each(|share| *share *= stay.max(0.0));
            if count > 0 {
                let enter = (chosen - count + 1) as f64 / left as f64;
                row.add(&self.rows[count - 1], value, enter.min(1.0));
            }
            self.dropped += row.trim();
            self.rows[count] = row;
        }
    }
}

impl Row {
    fn add(&mut self, from: &Self, shift: usize, factor: f64) {
        if from.shares.is_empty() {
            return;
        }
        let start = from.start + shift;
        let end = start + from.shares.len();
        if self.shares.is_empty() {
            self.start = start;
        }
        if start < self.start {
            let missing = self.start - start;
            self.shares.splice(0..0, std::iter::repeat_n(0.0, missing));
            self.start = start;
        }
        if end > self.start + self.shares.len() {
            self.shares.resize(end - self.start, 0.0);
        }
        let offset = start - self.start;
        for (to, share) in self.shares[offset..].iter_mut().zip(&from.shares) {
            *to += factor * share;
        }
    }

    /// Drops both edges below `DUST` and returns their mass.
    fn trim(&mut self) -> f64 {
        let mut dropped = 0.0;
        let first = self.shares.iter().position(|s| *s >= DUST).unwrap_or(self.shares.len());
        dropped += self.shares.drain(..first).sum::<f64>();
        self.start += first;
        while let Some(share) = self.shares.last().copied().filter(|s| *s < DUST) {
            dropped += share;
            self.shares.pop();
        }
        dropped
    }
}
