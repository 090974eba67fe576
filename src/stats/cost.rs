//! What attempts and fixes cost. Money is summed in whole nano-dollars, so the order of a sum does not matter.

use super::special::t_quantile;
use super::{Interval, finite};

/// Nano-dollars of an amount in dollars: `round(dollars * 1e9)`; `None` when not finite or above 9.2 billion dollars.
#[must_use]
pub fn nano_dollars(dollars: f64) -> Option<i64> {
    let nanos = (dollars * 1e9).round();
    // i64::MAX as a double is 2^63, the first value that does not fit.
    (nanos.abs() < i64::MAX as f64).then_some(nanos as i64)
}

/// Dollars of a sum of nano-dollars.
#[must_use]
pub fn dollars(nanos: i128) -> f64 {
    nanos as f64 / 1e9
}

/// What one task cost: only attempts whose cost is known; an unknown cost is counted elsewhere, never 0 here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCost {
    /// Cost of all its attempts, failed ones too.
    pub nanos: i128,
    /// Fixes among them.
    pub fixes: u32,
    /// Attempts.
    pub attempts: u32,
}

/// Cost of an entry, clustered by task. Amounts are dollars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Sum over attempts.
    pub total: f64,
    /// Attempts with a known cost.
    pub attempts: u64,
    /// Fixes among them.
    pub fixes: u64,
    /// `total / attempts`.
    pub per_attempt: f64,
    /// `per_attempt ± t·se` by task, not below 0; `None` with one task.
    pub per_attempt_interval: Option<Interval>,
    /// `total / fixes`: failed attempts are paid for; `None` without a fix.
    pub per_fix: Option<f64>,
    /// Error of `per_fix` by task; `None` with one task or without a fix.
    pub per_fix_se: Option<f64>,
    /// `per_fix · exp(±t·se/per_fix)`, the range shown.
    pub per_fix_interval: Option<Interval>,
    /// Fieller's limits of the ratio.
    pub fieller: Fieller,
}

/// Fieller's limits of cost per fix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fieller {
    /// No fix, one task, or a range that is the whole line.
    Undefined,
    /// The number of fixes is not significantly above 0: no finite upper limit.
    AtLeast(f64),
    /// Both limits.
    Between(Interval),
}

/// Cost per attempt and per fix; tasks without attempts do not enter; `None` if none has any.
#[must_use]
pub fn cost(tasks: &[TaskCost]) -> Option<Cost> {
    let used: Vec<TaskCost> = tasks.iter().copied().filter(|task| task.attempts > 0).collect();
    let attempts: u64 = used.iter().map(|task| u64::from(task.attempts)).sum();
    let fixes: u64 = used.iter().map(|task| u64::from(task.fixes)).sum();
    let nanos: i128 = used.iter().map(|task| task.nanos).sum();
    if used.is_empty() {
        return None;
    }
    let t = t_quantile(0.975, used.len() - 1);
    let total = dollars(nanos);
    let ratio = |count: u64| nanos as f64 / (1e9 * count as f64);
    let per_attempt = ratio(attempts);
    let per_fix = (fixes > 0).then(|| ratio(fixes));
    let attempt_se = ratio_se(&used, per_attempt, |task| f64::from(task.attempts));
    let per_fix_se = per_fix.and_then(|ratio| ratio_se(&used, ratio, |task| f64::from(task.fixes)));
    let per_attempt_interval =
        t.zip(attempt_se).and_then(|(t, se)| Interval::new((per_attempt - t * se).max(0.0), per_attempt + t * se));
    Some(Cost {
        total,
        attempts,
        fixes,
        per_attempt,
        per_attempt_interval,
        per_fix,
        per_fix_se,
        per_fix_interval: log_interval(per_fix, per_fix_se, t),
        fieller: t.map_or(Fieller::Undefined, |t| fieller(&used, fixes, t)),
    })
}

/// `se² = G/(G-1) Σ (C_i - R·N_i)² / (ΣN)²` of the ratio R = ΣC/ΣN; `None` with one task.
fn ratio_se(tasks: &[TaskCost], ratio: f64, count: impl Fn(&TaskCost) -> f64) -> Option<f64> {
    let groups = tasks.len() as f64;
    if tasks.len() < 2 {
        return None;
    }
    let total: f64 = tasks.iter().map(&count).sum();
    let residual = |task: &TaskCost| dollars(task.nanos) - ratio * count(task);
    let squares: f64 = tasks.iter().map(|task| residual(task) * residual(task)).sum();
    finite((groups / (groups - 1.0) * squares).sqrt() / total)
}

fn log_interval(ratio: Option<f64>, se: Option<f64>, t: Option<f64>) -> Option<Interval> {
    let (ratio, se, t) = (ratio?, se?, t?);
    if ratio <= 0.0 {
        // Free attempts: the range is the point.
        return Interval::new(ratio, ratio);
    }
    let factor = (t * se / ratio).exp();
    Interval::new(ratio / factor, ratio * factor)
}

/// Roots in R of `(C - R·F)² = t² var(C - R·F)` over task means.
fn fieller(tasks: &[TaskCost], fixes: u64, t: f64) -> Fieller {
    if fixes == 0 {
        return Fieller::Undefined;
    }
    let groups = tasks.len() as f64;
    let mean_cost = tasks.iter().map(|task| dollars(task.nanos)).sum::<f64>() / groups;
    let mean_fix = fixes as f64 / groups;
    let (mut cc, mut ff, mut cf) = (0.0, 0.0, 0.0);
    for task in tasks {
        let (c, f) = (dollars(task.nanos) - mean_cost, f64::from(task.fixes) - mean_fix);
        cc += c * c;
        ff += f * f;
        cf += c * f;
    }
    let scale = t * t / (groups * (groups - 1.0));
    let square = mean_fix * mean_fix - scale * ff;
    let middle = mean_cost * mean_fix - scale * cf;
    let constant = mean_cost * mean_cost - scale * cc;
    let root = middle * middle - square * constant;
    if root < 0.0 {
        return Fieller::Undefined;
    }
    let root = root.sqrt();
    // The lower root, written without cancellation; costs are not negative, so neither is the limit.
    let lower = if middle + root > 0.0 { (constant / (middle + root)).max(0.0) } else { 0.0 };
    match Interval::new(lower, (middle + root) / square) {
        Some(interval) if square > 0.0 => Fieller::Between(interval),
        _ => finite(lower).map_or(Fieller::Undefined, Fieller::AtLeast),
    }
}

/// "At least" cost of a fix when there was none: cost per attempt / upper limit of the fix rate; `None` when the
/// attempts were free or the limit is 0.
#[must_use]
pub fn per_fix_floor(per_attempt: f64, rate_upper: f64) -> Option<f64> {
    (per_attempt > 0.0 && rate_upper > 0.0).then(|| per_attempt / rate_upper).and_then(finite)
}
