//! One proportion: `x` fixes in `n` attempts.

use super::special::{beta_quantile, normal_quantile};
use super::{Interval, finite};

/// Share `x / n`; `None` without attempts or when `x > n`.
#[must_use]
pub fn share(x: u64, n: u64) -> Option<f64> {
    (n > 0 && x <= n).then(|| x as f64 / n as f64)
}

/// Wilson score interval without continuity correction; `None` without attempts or when `x > n`.
#[must_use]
pub fn wilson(x: u64, n: u64, z: f64) -> Option<Interval> {
    (x <= n).then(|| wilson_real(x as f64, n as f64, z)).flatten()
}

/// [`wilson`] for effective counts that need not be whole.
///
/// `lo = x(x/n)/(c+r)`, `hi = (c+r)/(n+z²)` with `c = x+z²/2`, `r = z·sqrt(x(n-x)/n + z²/4)`: no subtraction of
/// near-equal numbers, and the ends are exactly 0 at `x = 0` and 1 at `x = n`.
#[must_use]
pub fn wilson_real(x: f64, n: f64, z: f64) -> Option<Interval> {
    let valid = n > 0.0 && n.is_finite() && z > 0.0 && z.is_finite() && (0.0..=n).contains(&x);
    if !valid {
        return None;
    }
    let c = x + z * z / 2.0;
    let r = z * (x * ((n - x) / n) + z * z / 4.0).sqrt();
    let lo = if x <= 0.0 { 0.0 } else { x * (x / n) / (c + r) };
    let hi = if x >= n { 1.0 } else { ((c + r) / (n + z * z)).min(1.0) };
    Interval::new(lo, hi)
}

/// Wilson interval with continuity correction (Newcombe 1998, method 4); it over-covers, so pages do not show it.
#[must_use]
pub fn wilson_corrected(x: u64, n: u64, z: f64) -> Option<Interval> {
    let p = share(x, n)?;
    let (n_real, z2) = (n as f64, z * z);
    let q = 1.0 - p;
    let centre = 2.0 * n_real * p + z2;
    let low_root = z2 - 2.0 - 1.0 / n_real + 4.0 * p * (n_real * q + 1.0);
    let high_root = z2 + 2.0 - 1.0 / n_real + 4.0 * p * (n_real * q - 1.0);
    let scale = 2.0 * (n_real + z2);
    let lo = (centre - 1.0 - z * low_root.max(0.0).sqrt()) / scale;
    let hi = (centre + 1.0 + z * high_root.max(0.0).sqrt()) / scale;
    Interval::new(if x == 0 { 0.0 } else { lo.clamp(0.0, 1.0) }, if x == n { 1.0 } else { hi.clamp(0.0, 1.0) })
}

/// Clopper-Pearson interval (equal-tailed, guaranteed coverage) at a confidence in (0, 1).
#[must_use]
pub fn clopper_pearson(x: u64, n: u64, confidence: f64) -> Option<Interval> {
    share(x, n)?;
    let tail = tail_of(confidence)?;
    let (successes, failures) = (x as f64, (n - x) as f64);
    let lo = match x {
        0 => 0.0,
        _ if x == n => tail.powf(1.0 / n as f64),
        _ => beta_quantile(successes, failures + 1.0, tail)?,
    };
    let hi = match x {
        _ if x == n => 1.0,
        0 => -(tail.ln() / n as f64).exp_m1(),
        _ => beta_quantile(successes + 1.0, failures, 1.0 - tail)?,
    };
    Interval::new(lo, hi)
}

/// Quantiles of Jeffreys' posterior Beta(x+1/2, n-x+1/2), without the end rule.
#[must_use]
pub fn jeffreys_raw(x: u64, n: u64, confidence: f64) -> Option<Interval> {
    share(x, n)?;
    let tail = tail_of(confidence)?;
    let (a, b) = (x as f64 + 0.5, (n - x) as f64 + 0.5);
    Interval::new(beta_quantile(a, b, tail)?, beta_quantile(a, b, 1.0 - tail)?)
}

/// Jeffreys interval with the end rule of Brown, Cai and DasGupta: 0 at `x = 0`, 1 at `x = n`.
#[must_use]
pub fn jeffreys(x: u64, n: u64, confidence: f64) -> Option<Interval> {
    let raw = jeffreys_raw(x, n, confidence)?;
    Interval::new(if x == 0 { 0.0 } else { raw.lo }, if x == n { 1.0 } else { raw.hi })
}

/// Agresti-Coull interval, clipped to [0, 1].
#[must_use]
pub fn agresti_coull(x: u64, n: u64, confidence: f64) -> Option<Interval> {
    share(x, n)?;
    let z = normal_quantile(1.0 - tail_of(confidence)?)?;
    let trials = n as f64 + z * z;
    let centre = (x as f64 + z * z / 2.0) / trials;
    let half = z * (centre * (1.0 - centre) / trials).sqrt();
    Interval::new((centre - half).max(0.0), (centre + half).min(1.0))
}

/// One-sided upper limit when no attempt of `n` succeeded: `1 - (1-confidence)^(1/n)`; `None` without attempts.
#[must_use]
pub fn zero_upper(n: u64, confidence: f64) -> Option<f64> {
    let valid = n > 0 && confidence > 0.0 && confidence < 1.0;
    valid.then(|| -((1.0 - confidence).ln() / n as f64).exp_m1()).and_then(finite)
}

fn tail_of(confidence: f64) -> Option<f64> {
    (confidence > 0.0 && confidence < 1.0).then(|| (1.0 - confidence) / 2.0)
}

/// What excluded attempts could change: the rate if all of them had failed, and if all had been fixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exclusions {
    /// Rate with every excluded attempt counted as not fixed.
    pub worst: f64,
    /// Rate with every excluded attempt counted as fixed.
    pub best: f64,
    /// From the Wilson lower end of `worst` to the Wilson upper end of `best`.
    pub sensitivity: Interval,
    /// Excluded attempts as a share of all.
    pub share: f64,
}

/// Worst and best case (Manski bounds) for `x` fixes in `n` counted attempts with `excluded` more left out.
#[must_use]
pub fn exclusions(x: u64, n: u64, excluded: u64, z: f64) -> Option<Exclusions> {
    let all = n.checked_add(excluded)?;
    if x > n {
        return None;
    }
    Some(Exclusions {
        worst: share(x, all)?,
        best: share(x + excluded, all)?,
        sensitivity: Interval::new(wilson(x, all, z)?.lo, wilson(x + excluded, all, z)?.hi)?,
        share: share(excluded, all)?,
    })
}
