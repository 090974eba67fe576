//! Task-aware Wilson (TAW): the range for the mean over "tasks like these".

use super::Interval;
use super::proportion::wilson_real;

/// A mean of per-task values with its task-aware Wilson range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskAware {
    /// Unweighted mean over tasks.
    pub mean: f64,
    /// Variance of the mean relative to one attempt per task, shrunk towards 1; at most 1.
    pub phi: f64,
    /// Independent tasks that carry the same information: tasks / phi.
    pub n_eff: f64,
    /// The 95% range at z = 1.96.
    pub interval: Interval,
}

/// Sum, mean and sum of squared deviations of values in [0, 1]; `None` if empty or a value is outside.
pub(super) fn moments(values: &[f64]) -> Option<(f64, f64, f64)> {
    if values.is_empty() || !values.iter().all(|v| (0.0..=1.0).contains(v)) {
        return None;
    }
    let sum: f64 = values.iter().sum();
    let mean = sum / values.len() as f64;
    Some((sum, mean, values.iter().map(|v| (v - mean) * (v - mean)).sum()))
}

/// Wilson on `mean * n_eff` of `n_eff`, never tighter than the all-fail and all-pass ranges of `tasks` tasks.
pub(super) fn guarded_wilson(mean: f64, n_eff: f64, tasks: f64, z: f64, critical: f64) -> Option<Interval> {
    let k = z * z;
    // The product can exceed n_eff by one bit when the mean is 1.
    let wilson = wilson_real((mean * n_eff).min(n_eff), n_eff, critical)?;
    let lo = if mean <= 0.0 { 0.0 } else { wilson.lo.min(tasks / (tasks + k)) };
    let hi = if mean >= 1.0 { 1.0 } else { wilson.hi.max(k / (tasks + k)) };
    Interval::new(lo, hi)
}

/// Task-aware Wilson of one value in [0, 1] per task; `None` if empty or a value is outside.
///
/// `phi = min(1, (SS·G/(G-1) + kq) / (G·m(1-m) + kq))` with `k = z²`, `q = mt(1-mt)`, `mt = (Σv + k/2)/(G+k)`:
/// z² pseudo-tasks, half of them solved, keep the effective number of tasks from exploding on a lucky fix.
#[must_use]
pub fn task_aware(values: &[f64], z: f64) -> Option<TaskAware> {
    let (sum, mean, squares) = moments(values)?;
    let tasks = values.len() as f64;
    let k = z * z;
    let shrunk = (sum + k / 2.0) / (tasks + k);
    let prior = k * shrunk * (1.0 - shrunk);
    let phi = if values.len() < 2 {
        1.0
    } else {
        ((squares * tasks / (tasks - 1.0) + prior) / (tasks * mean * (1.0 - mean) + prior)).min(1.0)
    };
    let n_eff = tasks / phi;
    let interval = guarded_wilson(mean, n_eff, tasks, z, z)?;
    Some(TaskAware { mean, phi, n_eff, interval })
}
