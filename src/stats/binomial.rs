//! Binomial probabilities by products of ratios: no logarithm, so no digits lost at thousands of trials.

/// Probability of exactly `k` successes in `n` fair trials; 0 when `k > n`.
#[must_use]
pub fn fair_probability(n: u64, k: u64) -> f64 {
    if k > n {
        return 0.0;
    }
    // The largest term is prod (2i-1)/(2i); the others follow from it by ratios.
    let k = k.min(n - k);
    let mut term = (1..=n.div_ceil(2)).fold(1.0, |p, i| p * (2 * i - 1) as f64 / (2 * i) as f64);
    for t in (k + 1..=n / 2).rev() {
        term *= t as f64 / (n - t + 1) as f64;
    }
    term
}

/// Probability of at most `k` successes in `n` fair trials.
#[must_use]
pub fn fair_at_most(n: u64, k: u64) -> f64 {
    if k >= n {
        return 1.0;
    }
    let mut term = fair_probability(n, k);
    let mut sum = 0.0;
    for t in (0..=k).rev() {
        sum += term;
        term *= t as f64 / (n - t + 1) as f64;
    }
    f64::min(sum, 1.0)
}

/// Exact two-sided sign-test p for `a` wins against `b`, ties dropped: twice the smaller tail, at most 1.
#[must_use]
pub fn sign_test_p(a: u64, b: u64) -> f64 {
    (2.0 * fair_at_most(a + b, a.min(b))).clamp(f64::MIN_POSITIVE, 1.0)
}

/// Mid-p version of [`sign_test_p`]: half the weight of the observed count (Fagerland et al. 2013).
#[must_use]
pub fn sign_test_mid_p(a: u64, b: u64) -> f64 {
    let (n, k) = (a + b, a.min(b));
    (2.0 * fair_at_most(n, k) - fair_probability(n, k)).clamp(f64::MIN_POSITIVE, 1.0)
}

/// Probability of exactly `k` successes in `n` trials of probability `p`; 0 outside `0..=n`.
#[must_use]
pub fn probability(n: u64, k: u64, p: f64) -> f64 {
    if k > n || !(0.0..=1.0).contains(&p) {
        return 0.0;
    }
    let (mut successes, mut failures) = (k, n - k);
    let mut product = 1.0;
    for j in 1..=k {
        product *= (n - k + j) as f64 / j as f64;
        // Spend the small factors as soon as the product allows, so that it neither overflows nor underflows early.
        while product > 1.0 && (successes > 0 || failures > 0) {
            if failures > 0 {
                failures -= 1;
                product *= 1.0 - p;
            } else {
                successes -= 1;
                product *= p;
            }
        }
    }
    for _ in 0..failures {
        product *= 1.0 - p;
    }
    for _ in 0..successes {
        product *= p;
    }
    product
}
