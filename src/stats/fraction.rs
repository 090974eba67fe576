//! Exact fractions over one denominator, so that ties are ties and the order of a sum does not matter.

use super::TaskCount;

/// Whole numbers above this are not all representable in a double, nor in the reader's own script.
pub const EXACT_LIMIT: u64 = 1 << 53;

/// Greatest common divisor; `gcd(0, x) = x`.
#[must_use]
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Least common multiple of positive numbers; `None` when it overflows or either is 0.
#[must_use]
pub fn lcm(a: u64, b: u64) -> Option<u64> {
    (a > 0 && b > 0).then(|| (a / gcd(a, b)).checked_mul(b)).flatten()
}

/// A non-negative fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// Numerator.
    pub over: u64,
    /// Denominator, at least 1.
    pub under: u64,
}

impl Fraction {
    /// `over / under` in lowest terms; `None` when `under` is 0 or a reduced part exceeds 64 bits.
    #[must_use]
    pub fn new(over: u128, under: u128) -> Option<Self> {
        let (mut a, mut b) = (over, under);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let over = u64::try_from(over.checked_div(a)?).ok()?;
        let under = u64::try_from(under / a).ok()?;
        (under > 0).then_some(Self { over, under })
    }
}

impl Fraction {
    /// Fixes over attempts; `None` without attempts or when `c > n`.
    #[must_use]
    pub fn rate(task: TaskCount) -> Option<Self> {
        task.rate()?;
        let (over, under) = (u64::from(task.c), u64::from(task.n));
        let shared = gcd(over, under);
        Some(Self { over: over / shared, under: under / shared })
    }
}

/// Values `numerators[i] / denominator` on one lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// One whole number a value.
    pub numerators: Vec<u64>,
    /// The least common denominator.
    pub denominator: u64,
}

impl Lattice {
    /// The fractions over their least common denominator `L`; `None` if empty or when `L * weight` reaches 2^53,
    /// where `weight` is the largest total weight that the caller will put on values in [0, 1].
    #[must_use]
    pub fn new(fractions: &[Fraction], weight: usize) -> Option<Self> {
        let mut denominator = 1_u64;
        for fraction in fractions {
            denominator = lcm(denominator, fraction.under)?;
            if denominator >= EXACT_LIMIT {
                return None;
            }
        }
        let total = denominator.checked_mul(u64::try_from(weight.max(1)).ok()?)?;
        if fractions.is_empty() || total >= EXACT_LIMIT {
            return None;
        }
        let numerators =
            fractions.iter().map(|f| f.over.checked_mul(denominator / f.under)).collect::<Option<Vec<_>>>()?;
        Some(Self { numerators, denominator })
    }

    /// The mean, by one division.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.numerators.iter().sum();
        sum as f64 / (self.denominator as f64 * self.numerators.len() as f64)
    }
}
