//! Quantiles and distribution functions, each to 1e-12.
//!
//! statrs is used where it passes `golden/special.json`; its normal distribution function is off by 1.4e-11,
//! its t quantile by 6e-5 at a million degrees of freedom, and its beta quantile stops early at a million trials,
//! so those three have their own route here.

use statrs::distribution::{Beta, Continuous, ContinuousCDF, Normal, StudentsT};
use std::f64::consts::PI;

/// Quantile of the standard normal distribution; `None` unless `0 < p < 1`.
#[must_use]
pub fn normal_quantile(p: f64) -> Option<f64> {
    (p > 0.0 && p < 1.0).then(|| Normal::standard().inverse_cdf(p)).and_then(super::finite)
}

/// Distribution function of the standard normal distribution; 0 and 1 at the infinities.
#[must_use]
pub fn normal_cdf(x: f64) -> f64 {
    let size = x.abs();
    let density = (-0.5 * size * size).exp() / (2.0 * PI).sqrt();
    let upper = if size < 3.0 {
        // x + x^3/3 + x^5/(3*5) + … : every term has the same sign, so nothing cancels.
        let (mut term, mut sum, mut odd) = (size, size, 1.0);
        while term > sum * 1e-18 {
            odd += 2.0;
            term *= size * size / odd;
            sum += term;
        }
        0.5 - density * sum
    } else {
        // Laplace's continued fraction of Mills' ratio, from its far end.
        let ratio = (1..=120).rev().fold(size, |tail, j| size + f64::from(j) / tail);
        density / ratio
    };
    if x < 0.0 { upper } else { 1.0 - upper }
}

/// Quantile of Student's t with whole degrees of freedom; `None` without freedom or unless `0 < p < 1`.
#[must_use]
pub fn t_quantile(p: f64, freedom: usize) -> Option<f64> {
    let normal = normal_quantile(p)?;
    if freedom == 0 {
        return None;
    }
    if freedom < 1000 {
        let t = StudentsT::new(0.0, 1.0, freedom as f64).ok()?;
        return super::finite(t.inverse_cdf(p));
    }
    // Abramowitz & Stegun 26.7.5; the next term is below 1e-14 from 1000 degrees on for |normal| < 4.
    let (x, v) = (normal, freedom as f64);
    let x2 = x * x;
    let g1 = x * (x2 + 1.0) / 4.0;
    let g2 = x * ((5.0 * x2 + 16.0) * x2 + 3.0) / 96.0;
    let g3 = x * (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / 384.0;
    let g4 = x * ((((79.0 * x2 + 776.0) * x2 + 1482.0) * x2 - 1920.0) * x2 - 945.0) / 92160.0;
    super::finite(x + (g1 + (g2 + (g3 + g4 / v) / v) / v) / v)
}

/// Quantile of the beta distribution; `None` unless `a`, `b` are positive and `0 < p < 1`.
#[must_use]
pub fn beta_quantile(a: f64, b: f64, p: f64) -> Option<f64> {
    if !(p > 0.0 && p < 1.0) {
        return None;
    }
    if a > b {
        return Some(1.0 - beta_quantile(b, a, 1.0 - p)?);
    }
    let beta = Beta::new(a, b).ok()?;
    let mut x = beta.inverse_cdf(p);
    for _ in 0..8 {
        let step = (beta.cdf(x) - p) / beta.pdf(x);
        if !step.is_finite() {
            break;
        }
        // Never leave (0, 1): half-way to the end that the step would pass.
        x = if step >= x { x / 2.0 } else { (x - step).min(x.midpoint(1.0)) };
        if step.abs() <= x * 1e-15 {
            break;
        }
    }
    super::finite(x)
}
