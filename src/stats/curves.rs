//! pass@k and pass^k of one entry for many k at once, each with its range.
//!
//! Tasks with the same counts have the same value at every k. Their weights are summed once, so that each curve
//! costs a sum over the few distinct counts and not over the tasks.

use super::bootstrap::{Weights, acceleration, bca};
use super::fraction::{Fraction, Lattice};
use super::pass_k::{Curve, suite_value};
use super::task_aware::task_aware;
use super::{Interval, TaskCount, Z};

/// Where a range comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Task bootstrap, bias-corrected and accelerated.
    Bca,
    /// Task-aware Wilson of the per-task values.
    TaskAware,
    /// No value, so no range.
    None,
}

/// A suite value with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean over the covered tasks; `None` unless every covered task has `k` attempts.
    pub value: Option<f64>,
    /// The 95% range.
    pub interval: Option<Interval>,
    /// Where the range comes from.
    pub method: Method,
    /// Replicates left out because they drew none of the covered tasks.
    pub dropped: usize,
}

/// Both curves at one k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// Attempts allowed.
    pub k: u32,
    /// pass@k: at least one of k attempts fixes the task.
    pub at: Estimate,
    /// pass^k: all of k attempts fix the task.
    pub hat: Estimate,
    /// Covered tasks with at least `k` attempts.
    pub tasks: usize,
}

/// Tasks with fewer values off the common 0 or 1 than this get the task-aware range.
const LEAST_OFF: usize = 5;

/// Both curves at every `k` of `ks`, over the tasks with attempts.
///
/// `tasks` is parallel to the task set of `weights` (ascending bytes of task id); a task without attempts has
/// `n == 0` and its column is left out, with replicates that drew only such tasks. Ranges are BCa, or task-aware
/// Wilson when all values are equal, when fewer than five differ from the commoner of 0 and 1, or when whole
/// numbers would pass 2^53.
#[must_use]
pub fn curves(weights: &Weights, tasks: &[TaskCount], ks: &[u32]) -> Vec<CurvePoint> {
    let covered: Vec<TaskCount> = tasks.iter().copied().filter(|t| t.rate().is_some()).collect();
    let mut levels = Levels::new(weights, tasks);
    let mut points = Vec::with_capacity(ks.len());
    for k in ks {
        let at = suite_value(&covered, Curve::At, *k);
        let at_estimate = levels.estimate(&covered, at.value, Curve::At, *k);
        // With one attempt the two curves are the same number.
        let hat_estimate = if *k == 1 {
            at_estimate
        } else {
            let hat = suite_value(&covered, Curve::Hat, *k);
            levels.estimate(&covered, hat.value, Curve::Hat, *k)
        };
        points.push(CurvePoint { k: *k, at: at_estimate, hat: hat_estimate, tasks: at.covered });
    }
    points
}

/// Distinct counts of an entry with, for each, its tasks and their weight in every replicate.
struct Levels {
    counts: Vec<(TaskCount, usize)>,
    weights: Vec<Vec<f64>>,
    /// Weight of all covered tasks, one a replicate; `None` when every task of the set is covered.
    totals: Option<Vec<f64>>,
    set: usize,
    replicates: usize,
}

impl Levels {
    fn new(weights: &Weights, tasks: &[TaskCount]) -> Self {
        let mut order: Vec<usize> = (0..tasks.len()).filter(|i| tasks[*i].rate().is_some()).collect();
        order.sort_by_key(|i| tasks[*i]);
        let mut counts = Vec::new();
        let mut sums = Vec::new();
        for members in order.chunk_by(|a, b| tasks[*a] == tasks[*b]) {
            counts.push((tasks[members[0]], members.len()));
            sums.push(weights.sum_of(members).into_iter().map(f64::from).collect::<Vec<f64>>());
        }
        let totals = (order.len() != weights.tasks()).then(|| {
            let mut totals = vec![0.0; weights.replicates()];
            for level in &sums {
                for (total, weight) in totals.iter_mut().zip(level) {
                    *total += weight;
                }
            }
            totals
        });
        Self { counts, weights: sums, totals, set: weights.tasks(), replicates: weights.replicates() }
    }

    fn estimate(&mut self, covered: &[TaskCount], value: Option<f64>, curve: Curve, k: u32) -> Estimate {
        let mut estimate = Estimate { value, interval: None, method: Method::None, dropped: 0 };
        if value.is_none() {
            return estimate;
        }
        if let Some((interval, dropped)) = self.bootstrap(curve, k) {
            return Estimate { interval: Some(interval), method: Method::Bca, dropped, ..estimate };
        }
        let values: Vec<f64> = covered.iter().filter_map(|task| curve.value(*task, k)).collect();
        estimate.interval = task_aware(&values, Z).map(|taw| taw.interval);
        if estimate.interval.is_some() {
            estimate.method = Method::TaskAware;
        }
        estimate
    }

    /// The BCa range and the replicates dropped; `None` where the task-aware range is to be used.
    fn bootstrap(&self, curve: Curve, k: u32) -> Option<(Interval, usize)> {
        let fractions = self.counts.iter().map(|(task, _)| curve.fraction(*task, k));
        let lattice = Lattice::new(&fractions.collect::<Option<Vec<Fraction>>>()?, self.set)?;
        let levels: Vec<(u64, usize)> =
            lattice.numerators.iter().copied().zip(self.counts.iter().map(|(_, m)| *m)).collect();
        let tasks: usize = levels.iter().map(|(_, m)| m).sum();
        let at = |value: u64| levels.iter().filter(|(a, _)| *a == value).map(|(_, m)| m).sum::<usize>();
        if tasks - at(0).max(at(lattice.denominator)) < LEAST_OFF {
            return None;
        }
        let a = acceleration(&levels)?;
        let mut sums = self.sums(&lattice.numerators);
        let observed: u64 = levels.iter().map(|(a, m)| a * *m as u64).sum();
        let (scale, observed) = match &self.totals {
            None => (lattice.denominator as f64 * tasks as f64, observed as f64),
            Some(totals) => {
                let denominator = lattice.denominator as f64;
                let kept = sums.iter().zip(totals).filter(|(_, total)| **total > 0.0);
                sums = kept.map(|(sum, total)| sum / (denominator * total)).collect();
                (1.0, observed as f64 / (denominator * tasks as f64))
            }
        };
        let dropped = self.replicates - sums.len();
        bca(&mut sums, observed, scale, a).map(|bca| (bca.interval, dropped))
    }

    /// Weighted sums of the numerators, exact because they stay below 2^53.
    fn sums(&self, numerators: &[u64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.replicates];
        for (level, numerator) in self.weights.iter().zip(numerators).filter(|(_, a)| **a > 0) {
            let numerator = *numerator as f64;
            for (sum, weight) in sums.iter_mut().zip(level) {
                *sum += numerator * weight;
            }
        }
        sums
    }
}
