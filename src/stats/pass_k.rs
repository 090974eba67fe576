//! pass@k and pass^k: unbiased per task, averaged over tasks only when every task has k attempts.

use super::fraction::{Fraction, Lattice};
use super::{Interval, TaskCount};

/// Chance that at least one of `k` attempts fixes the task: `1 - Π_{j<k} (n-c-j)/(n-j)` (Chen et al. 2021).
///
/// `None` when `k` is 0 or above `n`: not estimable, see [`pass_at_bounds`].
#[must_use]
pub fn pass_at(task: TaskCount, k: u32) -> Option<f64> {
    all_of(task.n, task.n.checked_sub(task.c)?, k).map(|none| 1.0 - none)
}

/// Chance that all `k` attempts fix the task: `Π_{j<k} (c-j)/(n-j)`; `None` when `k` is 0 or above `n`.
#[must_use]
pub fn pass_hat(task: TaskCount, k: u32) -> Option<f64> {
    (task.c <= task.n).then(|| all_of(task.n, task.c, k)).flatten()
}

/// Chance that `k` draws without replacement from `n`, of which `marked` are marked, are all marked.
fn all_of(n: u32, marked: u32, k: u32) -> Option<f64> {
    if k == 0 || k > n {
        return None;
    }
    let mut product = 1.0;
    for j in 0..k {
        if j >= marked {
            return Some(0.0);
        }
        product *= f64::from(marked - j) / f64::from(n - j);
    }
    Some(product)
}

/// What is known of pass@k: the value twice when `k <= n`, else from pass@n to 1; `None` without attempts.
#[must_use]
pub fn pass_at_bounds(task: TaskCount, k: u32) -> Option<Interval> {
    if k <= task.n {
        let value = pass_at(task, k)?;
        return Interval::new(value, value);
    }
    Interval::new(pass_at(task, task.n)?, 1.0)
}

/// What is known of pass^k: the value twice when `k <= n`, else from 0 to pass^n; `None` without attempts.
#[must_use]
pub fn pass_hat_bounds(task: TaskCount, k: u32) -> Option<Interval> {
    if k <= task.n {
        let value = pass_hat(task, k)?;
        return Interval::new(value, value);
    }
    Interval::new(0.0, pass_hat(task, task.n)?)
}

/// Which of the two curves is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// pass@k: at least one of k.
    At,
    /// pass^k: all of k.
    Hat,
}

impl Curve {
    /// The value of one task; `None` when `k` is 0 or above `n`.
    #[must_use]
    pub fn value(self, task: TaskCount, k: u32) -> Option<f64> {
        match self {
            Self::At => pass_at(task, k),
            Self::Hat => pass_hat(task, k),
        }
    }

    /// The value of one task as an exact fraction; `None` also when its whole numbers exceed 128 bits.
    #[must_use]
    pub fn fraction(self, task: TaskCount, k: u32) -> Option<Fraction> {
        if k == 0 || k > task.n || task.c > task.n {
            return None;
        }
        if k == 1 {
            return Fraction::rate(task);
        }
        let all = choose(task.n, k)?;
        let hits = match self {
            Self::At => all - choose(task.n - task.c, k)?,
            Self::Hat => choose(task.c, k)?,
        };
        Fraction::new(hits, all)
    }
}

/// Subsets of `k` out of `n`; `None` above 128 bits.
fn choose(n: u32, k: u32) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let mut result = 1_u128;
    for j in 0..k.min(n - k) {
        result = result.checked_mul(u128::from(n - j))? / u128::from(j + 1);
    }
    Some(result)
}

/// A suite average with the tasks that it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuiteValue {
    /// Mean over all tasks; `None` unless every task has `k` attempts, so that curves never mix task sets.
    pub value: Option<f64>,
    /// Mean over the tasks that have `k` attempts; only to be shown with their number.
    pub on_covered: Option<f64>,
    /// Tasks with at least `k` attempts.
    pub covered: usize,
    /// Tasks.
    pub total: usize,
}

/// Unweighted mean of pass@k or pass^k over tasks.
#[must_use]
pub fn suite_value(tasks: &[TaskCount], curve: Curve, k: u32) -> SuiteValue {
    let covered: Vec<TaskCount> = tasks.iter().copied().filter(|t| curve.value(*t, k).is_some()).collect();
    let on_covered = mean_of(&covered, curve, k);
    let complete = covered.len() == tasks.len();
    SuiteValue {
        value: if complete { on_covered } else { None },
        on_covered,
        covered: covered.len(),
        total: tasks.len(),
    }
}

/// The mean by whole numbers and one division where they fit into 2^53, else by doubles.
fn mean_of(tasks: &[TaskCount], curve: Curve, k: u32) -> Option<f64> {
    let fractions: Option<Vec<Fraction>> = tasks.iter().map(|t| curve.fraction(*t, k)).collect();
    if let Some(lattice) = fractions.and_then(|f| Lattice::new(&f, tasks.len())) {
        return Some(lattice.mean());
    }
    let values: Option<Vec<f64>> = tasks.iter().map(|t| curve.value(*t, k)).collect();
    let values = values.filter(|v| !v.is_empty())?;
    Some((values.iter().sum::<f64>() / values.len() as f64).clamp(0.0, 1.0))
}

/// Mean over tasks of each task's fix share (macro); tasks without attempts do not enter; `None` if none has any.
#[must_use]
pub fn task_rate(tasks: &[TaskCount]) -> Option<f64> {
    suite_value(tasks, Curve::At, 1).on_covered
}

/// Sums over tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Counted attempts.
    pub attempts: u64,
    /// Fixes.
    pub fixes: u64,
    /// Tasks with an attempt.
    pub tasks: usize,
    /// Tasks fixed at least once.
    pub ever_fixed: usize,
    /// Tasks fixed at every attempt.
    pub always_fixed: usize,
}

/// Attempts, fixes and tasks, over the tasks that have attempts.
#[must_use]
pub fn totals(tasks: &[TaskCount]) -> Totals {
    let mut sums = Totals::default();
    for task in tasks.iter().filter(|task| task.n > 0) {
        sums.attempts += u64::from(task.n);
        sums.fixes += u64::from(task.c);
        sums.tasks += 1;
        sums.ever_fixed += usize::from(task.c > 0);
        sums.always_fixed += usize::from(task.c == task.n);
    }
    sums
}
