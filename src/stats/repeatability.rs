//! Do two attempts at the same task end alike?

use super::TaskCount;

/// Repeatability over the tasks with at least two attempts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeatability {
    /// Tasks with at least two attempts.
    pub tasks: usize,
    /// Of those, tasks with both fixes and failures; grows with n, so it is only shown with n.
    pub mixed: usize,
    /// `mixed / tasks`; `None` without such tasks.
    pub mixed_share: Option<f64>,
    /// Chance that two attempts at a task end differently: mean of `2c(n-c)/(n(n-1))`; does not depend on n.
    pub disagreement: Option<f64>,
    /// 1 - disagreement.
    pub agreement: Option<f64>,
    /// Fleiss' kappa with the pooled rate; `None` when every attempt has the same outcome.
    pub kappa: Option<f64>,
}

/// Measures repeatability; tasks with fewer than two attempts do not enter.
#[must_use]
pub fn repeatability(tasks: &[TaskCount]) -> Repeatability {
    let repeated: Vec<TaskCount> = tasks.iter().copied().filter(|t| t.n >= 2 && t.c <= t.n).collect();
    let mixed = repeated.iter().filter(|t| t.c > 0 && t.c < t.n).count();
    let count = repeated.len() as f64;
    let some = !repeated.is_empty();
    let differing = repeated.iter().map(|t| {
        let (n, c) = (f64::from(t.n), f64::from(t.c));
        2.0 * c * (n - c) / (n * (n - 1.0))
    });
    let disagreement = some.then(|| differing.sum::<f64>() / count);
    let attempts: u64 = repeated.iter().map(|t| u64::from(t.n)).sum();
    let fixes: u64 = repeated.iter().map(|t| u64::from(t.c)).sum();
    let kappa = disagreement.filter(|_| fixes > 0 && fixes < attempts).map(|disagreement| {
        let p = fixes as f64 / attempts as f64;
        1.0 - disagreement / (2.0 * p * (1.0 - p))
    });
    Repeatability {
        tasks: repeated.len(),
        mixed,
        mixed_share: some.then(|| mixed as f64 / count),
        disagreement,
        agreement: disagreement.map(|d| 1.0 - d),
        kappa,
    }
}

/// Standard error of the suite score if the same suite were run again: `sqrt(Σ c(n-c)/(n²(n-1)))/G`.
///
/// It is not the error for other tasks. `None` without tasks or when an attempted task has one attempt only.
#[must_use]
pub fn rerun_se(tasks: &[TaskCount]) -> Option<f64> {
    let attempted: Vec<TaskCount> = tasks.iter().copied().filter(|t| t.rate().is_some()).collect();
    if attempted.is_empty() || attempted.iter().any(|t| t.n < 2) {
        return None;
    }
    let variances = attempted.iter().map(|t| {
        let (n, c) = (f64::from(t.n), f64::from(t.c));
        c * (n - c) / (n * n * (n - 1.0))
    });
    super::finite(variances.sum::<f64>().sqrt() / attempted.len() as f64)
}
