//! What a comparison can see, and how much more it would take.

use super::binomial::{probability, sign_test_p};
use super::paired::same_difference;
use super::special::normal_quantile;
use super::{TaskCount, finite, rates};

/// Variance of a per-task difference, split into what more attempts can and cannot remove.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Between tasks: stays however often a task is attempted.
    pub between: f64,
    /// Within a task of A, for one attempt.
    pub within_a: f64,
    /// Within a task of B, for one attempt.
    pub within_b: f64,
}

impl Variance {
    /// Measured at matched tasks; `None` with fewer than two of them.
    ///
    /// `between = max(0, s_d² - mean(within_i/n_i))`. A task with one attempt says nothing about its own noise: it
    /// adds 0 here, and its noise stays in `between`.
    #[must_use]
    pub fn measure(a: &[TaskCount], b: &[TaskCount]) -> Option<Self> {
        let (squares, noise, within_a, within_b) = measured(a, b)?;
        Some(Self { between: (squares - noise).max(0.0), within_a, within_b })
    }

    /// Variance of a per-task difference with `k_a` and `k_b` attempts a task; `None` with 0 attempts.
    #[must_use]
    pub fn at(self, k_a: f64, k_b: f64) -> Option<f64> {
        (k_a > 0.0 && k_b > 0.0).then(|| self.between + self.within_a / k_a + self.within_b / k_b).and_then(finite)
    }
}

/// Variance of a per-task difference with the attempts that the matched tasks have; `None` with fewer than two tasks.
#[must_use]
pub fn observed_variance(a: &[TaskCount], b: &[TaskCount]) -> Option<f64> {
    let (squares, noise, _, _) = measured(a, b)?;
    Some(squares.max(noise))
}

/// Sample variance of the differences, mean noise of a difference, mean one-attempt noise of either side.
fn measured(a: &[TaskCount], b: &[TaskCount]) -> Option<(f64, f64, f64, f64)> {
    let both = |(a, b): &(TaskCount, TaskCount)| a.rate().is_some() && b.rate().is_some();
    let pairs = a.iter().copied().zip(b.iter().copied()).filter(both);
    let (a, b): (Vec<TaskCount>, Vec<TaskCount>) = pairs.unzip();
    let (rates_a, rates_b) = (rates(&a), rates(&b));
    if a.len() < 2 {
        return None;
    }
    let tasks = a.len() as f64;
    let differences: Vec<f64> = rates_a.iter().zip(&rates_b).map(|(x, y)| x - y).collect();
    let mean = differences.iter().sum::<f64>() / tasks;
    let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
    let squares = if same_difference(&a, &b) { 0.0 } else { squares / (tasks - 1.0) };
    let once = |side: &[TaskCount]| side.iter().map(|t| within(*t)).sum::<f64>() / tasks;
    let each = |side: &[TaskCount]| side.iter().map(|t| within(*t) / f64::from(t.n)).sum::<f64>() / tasks;
    Some((squares, each(&a) + each(&b), once(&a), once(&b)))
}

/// Unbiased variance of one attempt at a task: `p(1-p) n/(n-1)`; 0 with one attempt.
fn within(task: TaskCount) -> f64 {
    let (n, rate) = (f64::from(task.n), task.rate().unwrap_or(0.0));
    if task.n < 2 { 0.0 } else { rate * (1.0 - rate) * n / (n - 1.0) }
}

/// Normal quantile of two-sided `alpha` plus that of `power`: 2.8016 at 5% and 80%; `None` outside (0, 1).
#[must_use]
pub fn multiplier(alpha: f64, power: f64) -> Option<f64> {
    Some(normal_quantile(1.0 - alpha / 2.0)? + normal_quantile(power)?)
}

/// Tasks needed to see a gap of `delta`; `None` when `delta` is 0.
#[must_use]
pub fn tasks_needed(variance: f64, delta: f64, multiplier: f64) -> Option<f64> {
    finite(multiplier * multiplier * variance / (delta * delta))
}

/// Smallest gap that `tasks` tasks can see; `None` without tasks.
#[must_use]
pub fn smallest_gap(variance: f64, tasks: usize, multiplier: f64) -> Option<f64> {
    (tasks > 0).then(|| multiplier * (variance / tasks as f64).sqrt()).and_then(finite)
}

/// Attempts a task needed, on both sides, to see a gap of `delta` at `tasks` tasks; `None` when no number of
/// attempts can settle it and only more tasks would.
#[must_use]
pub fn attempts_needed(variance: Variance, delta: f64, tasks: usize, multiplier: f64) -> Option<f64> {
    let room = delta * delta * tasks as f64 / (multiplier * multiplier) - variance.between;
    (room > 0.0).then(|| (variance.within_a + variance.within_b) / room).and_then(finite)
}

/// Tasks without any fix that are needed to claim a rate below `upper`: `z²(1-u)/u`; `None` outside (0, 1).
#[must_use]
pub fn zero_fix_tasks(upper: f64, z: f64) -> Option<f64> {
    (upper > 0.0 && upper < 1.0).then(|| z * z * (1.0 - upper) / upper).and_then(finite)
}

/// Power of McNemar's exact test with one attempt a task, when a task is fixed by A only with probability `a_only`
/// and by B only with `b_only`; `None` when those are not probabilities.
#[must_use]
pub fn mcnemar_power(a_only: f64, b_only: f64, tasks: u64, alpha: f64) -> Option<f64> {
    let differ = a_only + b_only;
    if !(a_only >= 0.0 && b_only >= 0.0 && differ <= 1.0 && differ > 0.0) {
        return None;
    }
    let mut power = 0.0;
    for m in 0..=tasks {
        let weight = probability(tasks, m, differ);
        let rejected = (0..=m).filter(|wins| sign_test_p(*wins, m - wins) <= alpha);
        power += weight * rejected.map(|wins| probability(m, wins, a_only / differ)).sum::<f64>();
    }
    finite(power.min(1.0))
}
