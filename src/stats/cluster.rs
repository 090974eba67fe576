//! Cluster-robust errors of the pooled rate; clusters are tasks, or repositories.

use super::special::t_quantile;
use super::{Interval, TaskCount, finite, rates};

/// Rates and errors of attempts that come in clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustered {
    /// Pooled rate.
    pub micro: f64,
    /// Error of `micro` if attempts were independent.
    pub se_naive: f64,
    /// Cluster-robust error of `micro` without small-sample factor (Miller 2024).
    pub se_cr0: f64,
    /// The same with the factor G/(G-1) on the variance; `None` with one cluster.
    pub se_cr1: Option<f64>,
    /// Mean of the cluster rates.
    pub macro_rate: f64,
    /// Error of `macro_rate`: sd/sqrt(G); `None` with one cluster.
    pub se_macro: Option<f64>,
    /// The t quantile with G-1 degrees of freedom.
    pub t: Option<f64>,
    /// `macro_rate ± t·se_macro`, not clipped.
    pub t_interval: Option<Interval>,
    /// Intra-cluster correlation by one-way analysis of variance; `None` where undefined.
    pub icc: Option<f64>,
    /// CR1 variance over that of independent attempts; `None` where undefined.
    pub design_effect: Option<f64>,
    /// Attempts / design effect.
    pub n_eff: Option<f64>,
}

/// Cluster-robust statistics; clusters without attempts do not enter; `None` if none has any.
#[must_use]
pub fn clustered(clusters: &[TaskCount]) -> Option<Clustered> {
    let used: Vec<TaskCount> = clusters.iter().copied().filter(|t| t.rate().is_some()).collect();
    let count = used.len();
    let groups = count as f64;
    let attempts: f64 = used.iter().map(|t| f64::from(t.n)).sum();
    if attempts <= 0.0 {
        return None;
    }
    let micro = used.iter().map(|t| f64::from(t.c)).sum::<f64>() / attempts;
    let naive = micro * (1.0 - micro) / attempts;
    let residual = |t: &TaskCount| f64::from(t.c) - f64::from(t.n) * micro;
    let values = rates(&used);
    // Equal rates leave no residual, but the doubles would.
    let alike = values.windows(2).all(|pair| pair[0] == pair[1]);
    let squares: f64 = used.iter().map(|t| residual(t) * residual(t)).sum();
    let cr0 = if alike { 0.0 } else { squares / (attempts * attempts) };
    let several = count > 1;
    let cr1 = several.then(|| cr0 * groups / (groups - 1.0));
    let macro_rate = values.iter().sum::<f64>() / groups;
    let spread: f64 = values.iter().map(|v| (v - macro_rate) * (v - macro_rate)).sum();
    let se_macro = several.then(|| (spread / (groups - 1.0) / groups).sqrt());
    let t = t_quantile(0.975, count - 1);
    let ends = t.zip(se_macro).and_then(|(t, se)| Interval::new(macro_rate - t * se, macro_rate + t * se));
    let design_effect = cr1.filter(|_| naive > 0.0).and_then(|cr1| finite(cr1 / naive));
    Some(Clustered {
        micro,
        se_naive: naive.sqrt(),
        se_cr0: cr0.sqrt(),
        se_cr1: cr1.map(f64::sqrt),
        macro_rate,
        se_macro,
        t,
        t_interval: ends,
        icc: icc(&used, micro, attempts),
        design_effect,
        n_eff: design_effect.filter(|d| *d > 0.0).and_then(|d| finite(attempts / d)),
    })
}

/// ICC(1) = (MSB - MSW) / (MSB + (n0-1) MSW), with n0 the size that balances unequal clusters.
fn icc(clusters: &[TaskCount], pooled: f64, attempts: f64) -> Option<f64> {
    let groups = clusters.len() as f64;
    let inside = attempts - groups;
    if clusters.len() < 2 || inside <= 0.0 {
        return None;
    }
    let (mut between, mut within, mut sizes) = (0.0, 0.0, 0.0);
    for cluster in clusters {
        let (n, rate) = (f64::from(cluster.n), cluster.rate()?);
        between += n * (rate - pooled) * (rate - pooled);
        within += n * rate * (1.0 - rate);
        sizes += n * n;
    }
    let (between, within) = (between / (groups - 1.0), within / inside);
    let balanced = (attempts - sizes / attempts) / (groups - 1.0);
    finite((between - within) / (between + (balanced - 1.0) * within))
}
