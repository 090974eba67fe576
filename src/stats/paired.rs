//! Two entries at the same tasks: A minus B.

use super::binomial::{sign_test_mid_p, sign_test_p};
use super::fraction::{Fraction, Lattice};
use super::sign_flip::sign_flip_p;
use super::special::t_quantile;
use super::task_aware::{TaskAware, task_aware};
use super::{Interval, TaskCount, finite, rates};
use std::collections::BTreeMap;

/// A minus B over the tasks that both attempted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Tasks that both sides attempted.
    pub matched: usize,
    /// Tasks that only A attempted; never scored as 0 for B.
    pub only_a: usize,
    /// Tasks that only B attempted.
    pub only_b: usize,
    /// Mean of the per-task differences in rate.
    pub delta: f64,
    /// Square-and-add range of `delta`.
    pub interval: Interval,
    /// Correlation over tasks used in `interval`, shrunk by G/(G+z²).
    pub correlation: f64,
    /// The range if the two sides had been measured at different tasks (correlation 0).
    pub unpaired: Interval,
    /// Exact two-sided sign-flip p by task.
    pub p: f64,
    /// Tasks where A's rate is higher.
    pub a_better: usize,
    /// Tasks where B's rate is higher.
    pub b_better: usize,
    /// Tasks with equal rates.
    pub tied: usize,
    /// Exact sign-test p of `a_better` against `b_better`.
    pub sign_test_p: f64,
    /// Standard error of `delta` over tasks; `None` with one task.
    pub se: Option<f64>,
    /// Paired t range; `None` with one task. It under-covers near 0 and 1, so pages show `interval`.
    pub t_interval: Option<Interval>,
    /// Mid-p of McNemar's test; only when every task has one attempt on both sides.
    pub mcnemar_mid_p: Option<f64>,
}

/// Compares two parallel lists of tasks; `None` when no task has attempts on both sides.
#[must_use]
pub fn compare(a: &[TaskCount], b: &[TaskCount], z: f64) -> Option<Paired> {
    let has = |task: &TaskCount| task.rate().is_some();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let (mut only_a, mut only_b) = (0, 0);
    for (x, y) in a.iter().zip(b) {
        match (has(x), has(y)) {
            (true, true) => {
                left.push(*x);
                right.push(*y);
            }
            (true, false) => only_a += 1,
            (false, true) => only_b += 1,
            (false, false) => {}
        }
    }
    let (rates_a, rates_b) = (rates(&left), rates(&right));
    let (taw_a, taw_b) = (task_aware(&rates_a, z)?, task_aware(&rates_b, z)?);
    let correlation = shrunk_correlation(&rates_a, &rates_b, z);
    let better = |x: &TaskCount, y: &TaskCount| u64::from(x.c) * u64::from(y.n) > u64::from(y.c) * u64::from(x.n);
    let a_better = left.iter().zip(&right).filter(|(x, y)| better(x, y)).count();
    let b_better = left.iter().zip(&right).filter(|(x, y)| better(y, x)).count();
    let (se, t_interval) = by_t(&left, &right);
    let single = left.iter().chain(&right).all(|task| task.n == 1);
    let (wins, losses) = (a_better as u64, b_better as u64);
    Some(Paired {
        matched: left.len(),
        only_a: only_a + a.iter().skip(b.len()).filter(|t| has(t)).count(),
        only_b: only_b + b.iter().skip(a.len()).filter(|t| has(t)).count(),
        delta: mean_difference(&left, &right)?,
        interval: square_and_add(&taw_a, &taw_b, correlation)?,
        correlation,
        unpaired: square_and_add(&taw_a, &taw_b, 0.0)?,
        p: sign_flip_p(&left, &right),
        a_better,
        b_better,
        tied: left.len() - a_better - b_better,
        sign_test_p: sign_test_p(wins, losses),
        se,
        t_interval,
        mcnemar_mid_p: single.then(|| sign_test_mid_p(wins, losses)),
    })
}

/// Mean over the tasks that both sides attempted of A's rate less B's; `None` without such a task.
///
/// By whole numbers and one division where they fit into 2^53, so that it is the same in any order of tasks.
#[must_use]
pub fn mean_difference(a: &[TaskCount], b: &[TaskCount]) -> Option<f64> {
    let matched: Vec<(TaskCount, TaskCount)> =
        a.iter().copied().zip(b.iter().copied()).filter(|(a, b)| a.rate().is_some() && b.rate().is_some()).collect();
    let sides = || matched.iter().map(|pair| pair.0).chain(matched.iter().map(|pair| pair.1));
    let fractions: Option<Vec<Fraction>> = sides().map(Fraction::rate).collect();
    if let Some(lattice) = fractions.and_then(|f| Lattice::new(&f, matched.len())) {
        let (left, right) = lattice.numerators.split_at(matched.len());
        let difference = left.iter().sum::<u64>() as f64 - right.iter().sum::<u64>() as f64;
        return Some(difference / (lattice.denominator as f64 * matched.len() as f64));
    }
    let sum: f64 = matched.iter().filter_map(|(a, b)| Some(a.rate()? - b.rate()?)).sum();
    (!matched.is_empty()).then(|| sum / matched.len() as f64)
}

/// Range of the difference of two means from their own ranges (Newcombe 1998, square-and-add).
///
/// `lo = d - sqrt((mA-lA)² - 2r(mA-lA)(uB-mB) + (uB-mB)²)`, `hi` mirrored; `r = 0` is the unpaired range.
#[must_use]
pub fn square_and_add(a: &TaskAware, b: &TaskAware, correlation: f64) -> Option<Interval> {
    let delta = a.mean - b.mean;
    let side = |u: f64, v: f64| (u * u - 2.0 * correlation * u * v + v * v).max(0.0).sqrt();
    let lo = delta - side(a.mean - a.interval.lo, b.interval.hi - b.mean);
    let hi = delta + side(a.interval.hi - a.mean, b.mean - b.interval.lo);
    Interval::new(lo, hi)
}

/// Whether every task has the same difference, in whole numbers: 0.3 - 0.1 and 0.5 - 0.3 differ as doubles.
pub(super) fn same_difference(a: &[TaskCount], b: &[TaskCount]) -> bool {
    let difference = |(a, b): (&TaskCount, &TaskCount)| {
        let over = i128::from(a.c) * i128::from(b.n) - i128::from(b.c) * i128::from(a.n);
        (over, i128::from(a.n) * i128::from(b.n))
    };
    let mut all = a.iter().zip(b).map(difference);
    let Some((over, under)) = all.next() else {
        return true;
    };
    all.all(|(o, u)| o.wrapping_mul(under) == over.wrapping_mul(u))
}

/// Pearson's correlation over tasks times G/(G+z²); 0 where it is undefined.
fn shrunk_correlation(a: &[f64], b: &[f64], z: f64) -> f64 {
    let constant = |side: &[f64]| side.windows(2).all(|pair| pair[0] == pair[1]);
    if constant(a) || constant(b) {
        return 0.0;
    }
    let tasks = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / tasks, b.iter().sum::<f64>() / tasks);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        let (x, y) = (x - mean_a, y - mean_b);
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    if aa <= 0.0 || bb <= 0.0 {
        return 0.0;
    }
    finite(ab / (aa * bb).sqrt() * (tasks / (tasks + z * z))).unwrap_or(0.0)
}

/// Standard error of the mean difference and its t range.
fn by_t(a: &[TaskCount], b: &[TaskCount]) -> (Option<f64>, Option<Interval>) {
    let tasks = a.len();
    if tasks < 2 {
        return (None, None);
    }
    let (rates_a, rates_b) = (rates(a), rates(b));
    let differences: Vec<f64> = rates_a.iter().zip(&rates_b).map(|(x, y)| x - y).collect();
    let mean = differences.iter().sum::<f64>() / tasks as f64;
    let squares: f64 = differences.iter().map(|d| (d - mean) * (d - mean)).sum();
    let squares = if same_difference(a, b) { 0.0 } else { squares };
    let se = (squares / (tasks - 1) as f64 / tasks as f64).sqrt();
    let t = t_quantile(0.975, tasks - 1);
    (finite(se), t.and_then(|t| Interval::new(mean - t * se, mean + t * se)))
}

/// One counted attempt, as a cell of the matrix that two entries share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell<'a> {
    /// Run.
    pub run: &'a str,
    /// Task.
    pub task: &'a str,
    /// Repeat.
    pub repeat: u32,
    /// Whether the attempt fixed the task.
    pub fixed: bool,
}

/// What two entries share, cell by cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matched {
    /// Cells (run, task, repeat) present on both sides.
    pub cells: usize,
    /// Cells of A without a partner; listed, never scored.
    pub a_unmatched: usize,
    /// Cells of B without a partner.
    pub b_unmatched: usize,
    /// Tasks with a matched cell.
    pub tasks: usize,
    /// Matched cells that only A fixed.
    pub a_only: usize,
    /// Matched cells that only B fixed.
    pub b_only: usize,
    /// Mean difference over cells; secondary.
    pub delta_cells: Option<f64>,
    /// Mean over tasks of the mean difference in their matched cells.
    pub delta_tasks: Option<f64>,
    /// Sign-flip p by task over the matched cells; `None` without any.
    pub p: Option<f64>,
}

/// Joins two lists of cells on (run, task, repeat); a key that a side repeats counts once, with its last outcome.
#[must_use]
pub fn matched_cells(a: &[Cell<'_>], b: &[Cell<'_>]) -> Matched {
    let keyed = |cells: &[Cell<'_>]| -> BTreeMap<_, _> {
        cells.iter().map(|c| ((c.task.to_owned(), c.run.to_owned(), c.repeat), c.fixed)).collect()
    };
    let (left, right) = (keyed(a), keyed(b));
    let mut tasks: BTreeMap<&str, (TaskCount, TaskCount)> = BTreeMap::new();
    let (mut cells, mut a_only, mut b_only) = (0_usize, 0_usize, 0_usize);
    for (key, fixed_a) in &left {
        let Some(fixed_b) = right.get(key) else {
            continue;
        };
        cells += 1;
        a_only += usize::from(*fixed_a && !fixed_b);
        b_only += usize::from(*fixed_b && !fixed_a);
        let (count_a, count_b) = tasks.entry(key.0.as_str()).or_default();
        count_a.n += 1;
        count_a.c += u32::from(*fixed_a);
        count_b.n += 1;
        count_b.c += u32::from(*fixed_b);
    }
    let (side_a, side_b): (Vec<TaskCount>, Vec<TaskCount>) = tasks.values().copied().unzip();
    let some = cells > 0;
    Matched {
        cells,
        a_unmatched: left.len() - cells,
        b_unmatched: right.len() - cells,
        tasks: tasks.len(),
        a_only,
        b_only,
        delta_cells: some.then(|| (a_only as f64 - b_only as f64) / cells as f64),
        delta_tasks: mean_difference(&side_a, &side_b),
        p: some.then(|| sign_flip_p(&side_a, &side_b)),
    }
}
