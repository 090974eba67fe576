//! The stats room: counts in, estimates and their ranges out.
//!
//! In: per-task counts of attempts and fixes, costs in nano-dollars, seconds, a seed. Out: values, intervals,
//! p-values, ranks and their printed text; "no data" is `None`, and no value is ever NaN or infinite.
//! Everything is pure and deterministic, so that a reader's own script arrives at the same number.
//! This room must not know files, pages, models, clocks or threads. Each formula is the one named in the doc
//! comment beside it; the expected values are in `tests/it/golden`.

pub mod binomial;
pub mod bootstrap;
pub mod cluster;
pub mod contamination;
pub mod cost;
pub mod curves;
pub mod display;
pub mod fraction;
pub mod multiplicity;
pub mod paired;
pub mod pass_k;
pub mod power;
pub mod proportion;
pub mod ranks;
pub mod repeatability;
pub mod repo_aware;
pub mod rng;
pub mod sign_flip;
pub mod special;
pub mod task_aware;
pub mod time_to_fix;

/// The normal quantile used by every Wilson-type interval: 1.96 by definition, not 1.959963….
pub const Z: f64 = 1.96;

/// Counted attempts `n` and fixes `c` of one entry at one task; `c <= n`, and `n == 0` means "not attempted".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskCount {
    /// Counted attempts.
    pub n: u32,
    /// Attempts that fixed the task.
    pub c: u32,
}

impl TaskCount {
    /// Share of attempts that fixed the task; `None` without attempts or when `c > n`.
    #[must_use]
    pub fn rate(self) -> Option<f64> {
        (self.n > 0 && self.c <= self.n).then(|| f64::from(self.c) / f64::from(self.n))
    }
}

/// The rates of the tasks that have attempts, in the order given.
#[must_use]
pub fn rates(tasks: &[TaskCount]) -> Vec<f64> {
    tasks.iter().filter_map(|task| task.rate()).collect()
}

/// A closed range; both ends are finite and `lo <= hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

impl Interval {
    /// The range from `lo` to `hi`; `None` if an end is not finite.
    #[must_use]
    pub fn new(lo: f64, hi: f64) -> Option<Self> {
        (lo.is_finite() && hi.is_finite() && lo <= hi).then_some(Self { lo, hi })
    }
}

/// A value that is `None` unless it is finite, so that an overflow is "no data" and never NaN.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
