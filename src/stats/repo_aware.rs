//! Repository-aware Wilson: the range for the mean when tasks share repositories.

use super::special::t_quantile;
use super::task_aware::{guarded_wilson, moments, task_aware};
use super::{Interval, finite};
use std::collections::BTreeMap;

/// A mean of per-task values with its repository-aware Wilson range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepoAware {
    /// Unweighted mean over tasks.
    pub mean: f64,
    /// Variance of the mean relative to one attempt per independent task; above 1 when repositories agree within.
    pub phi: f64,
    /// Independent tasks that carry the same information: tasks / phi.
    pub n_eff: f64,
    /// The 95% range; its critical value is the larger of z and the t quantile with repositories - 1.
    pub interval: Interval,
    /// Critical value used.
    pub critical: f64,
    /// Distinct repositories.
    pub repos: usize,
    /// Tasks of the largest repository; with 1 there is no clustering to speak of.
    pub largest: usize,
}

/// Repository-aware Wilson; `None` with fewer than two repositories, unequal lengths or a value outside [0, 1].
#[must_use]
pub fn repo_aware<R: Ord>(values: &[f64], repos: &[R], z: f64) -> Option<RepoAware> {
    if values.len() != repos.len() {
        return None;
    }
    let (sum, mean, _) = moments(values)?;
    let mut groups: BTreeMap<&R, (f64, usize)> = BTreeMap::new();
    for (value, repo) in values.iter().zip(repos) {
        let group = groups.entry(repo).or_default();
        group.0 += value - mean;
        group.1 += 1;
    }
    let count = groups.len();
    if count < 2 {
        return None;
    }
    let (tasks, r) = (values.len() as f64, count as f64);
    let k = z * z;
    let shrunk = (sum + k / 2.0) / (tasks + k);
    let prior = k * shrunk * (1.0 - shrunk);
    let between = r / (r - 1.0) * groups.values().map(|(d, _)| d * d).sum::<f64>();
    let by_task = task_aware(values, z)?.phi;
    let phi = ((between + prior) / (tasks * mean * (1.0 - mean) + prior)).max(by_task).min(tasks / r);
    let n_eff = tasks / phi;
    let critical = finite(z)?.max(t_quantile(0.975, count - 1)?);
    Some(RepoAware {
        mean,
        phi,
        n_eff,
        interval: guarded_wilson(mean, n_eff, tasks, z, critical)?,
        critical,
        repos: count,
        largest: groups.values().map(|(_, size)| *size).max()?,
    })
}
