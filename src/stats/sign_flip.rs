//! The exact two-sided sign-flip test by task: how often random signs give a sum as far from 0 as the observed one.
//!
//! `p = P(|Σ s_i d_i| >= |Σ d_i|)` with every sign equally likely, over whole numbers after clearing denominators.
//! Tasks with the same |d| are taken together: their signed sum is `|d| (2 Bin(m, 1/2) - m)`. The distribution is
//! symmetric, so half of it is computed.
//!
//! Window: after tasks with `V = Σ d²` so far, Hoeffding gives `P(|S| > X) <= 2 exp(-X²/2V)`, which is `LOST` at
//! `X = sqrt(2 V ln(2/LOST))`. Sums beyond it, and binomial counts beyond the same bound with `V = m`, are dropped;
//! each dropping loses at most `LOST`, so after g groups at most `2 g LOST` is missing, and that much is added to p.
//! With fewer than 94 differing tasks nothing lies outside (`Σ|d| <= sqrt(m V) < X`) and p is exact.

use super::TaskCount;
use super::fraction::{gcd, lcm};

/// Probability given up by one truncation.
const LOST: f64 = 1e-20;
/// Largest `Σ|d|` times differing tasks, in lattice steps, that is computed exactly.
const MOST_STEPS: u64 = 1 << 31;
/// Largest `Σ|d|` in lattice steps that is computed exactly, for the sake of memory.
const MOST_CELLS: u64 = 1 << 24;
/// Steps of the coarser lattice inside half the window.
const COARSE_STEPS: f64 = 32_768.0;

/// Sign-flip p of two parallel lists of tasks; tasks that either side did not attempt do not enter.
///
/// 1 when nothing differs; always in (0, 1]. When the observed sum lies outside the window (p below about 1e-20)
/// the result is Hoeffding's bound `2 exp(-T²/2V)`, which is never too small.
///
/// Unequal numbers of attempts can make the common denominator too large: when `Σ|d|`, in units of the greatest
/// common divisor of the differences, exceeds 2^24, or 2^31 over the number of differing tasks, the differences are
/// rounded to 1/32768 of the window's half width and the observed sum is lowered by one step and by what the rounding
/// can have moved a sum of random signs (`Σ|e|` for rounding errors e, or Hoeffding's distance for `Σe²` where that
/// is less), so that p can only be too large. The rule depends on sizes alone, so that a reader's script follows it.
#[must_use]
pub fn sign_flip_p(a: &[TaskCount], b: &[TaskCount]) -> f64 {
    let differences: Vec<Difference> = a.iter().zip(b).filter_map(|(a, b)| Difference::of(*a, *b)).collect();
    if differences.is_empty() {
        return 1.0;
    }
    let mut sizes: Vec<(u64, u64)> = differences.iter().map(|d| d.size()).collect();
    sizes.sort_unstable();
    exact(&differences, &sizes).unwrap_or_else(|| coarse(&differences, &sizes))
}

/// A task's difference in rates, `over / under` in lowest terms and not 0.
#[derive(Clone, Copy, Debug)]
struct Difference {
    under: u64,
    over: i128,
}

impl Difference {
    fn of(a: TaskCount, b: TaskCount) -> Option<Self> {
        if a.rate().is_none() || b.rate().is_none() {
            return None;
        }
        let (over, under) = if a.n == b.n {
            (i128::from(a.c) - i128::from(b.c), u64::from(a.n))
        } else {
            let over = i128::from(a.c) * i128::from(b.n) - i128::from(b.c) * i128::from(a.n);
            (over, u64::from(a.n) * u64::from(b.n))
        };
        // Below 2^64 because c <= n.
        let shared = gcd(u64::try_from(over.unsigned_abs()).ok()?, under);
        (over != 0).then(|| Self { under: under / shared, over: over / i128::from(shared) })
    }

    fn size(self) -> (u64, u64) {
        (self.under, u64::try_from(self.over.unsigned_abs()).unwrap_or(u64::MAX))
    }
}

/// Tasks that share one size of difference.
#[derive(Clone, Copy, Debug)]
struct Group {
    size: u64,
    tasks: u64,
}

/// p on the exact lattice; `None` when that would be too much work.
fn exact(differences: &[Difference], sizes: &[(u64, u64)]) -> Option<f64> {
    let mut common = 1_u64;
    for same in sizes.chunk_by(|a, b| a.0 == b.0) {
        common = lcm(common, same[0].0)?;
    }
    let mut classes: Vec<&[(u64, u64)]> = sizes.chunk_by(|a, b| a.0 == b.0).collect();
    // The commonest denominators first: the lattice stays coarse until the rare ones refine it.
    classes.sort_by_key(|class| std::cmp::Reverse(class.len()));
    let mut groups = Vec::new();
    for class in classes {
        for same in class.chunk_by(|a, b| a == b) {
            let size = same[0].1.checked_mul(common / same[0].0)?;
            groups.push(Group { size, tasks: same.len() as u64 });
        }
    }
    let shared = groups.iter().fold(0, |shared, group| gcd(shared, group.size));
    for group in &mut groups {
        group.size /= shared;
    }
    let mut observed = 0_i128;
    for d in differences {
        observed += d.over * i128::from(common / d.under);
    }
    let observed = u64::try_from(observed.unsigned_abs() / u128::from(shared)).ok()?;
    let total = groups.iter().try_fold(0_u64, |sum, g| sum.checked_add(g.size.checked_mul(g.tasks)?))?;
    let steps = total.checked_mul(differences.len() as u64)?;
    (total <= MOST_CELLS && steps <= MOST_STEPS).then(|| two_sided(&groups, observed))
}

/// An upper bound of p on a lattice of `COARSE_STEPS` steps inside half the window.
fn coarse(differences: &[Difference], sizes: &[(u64, u64)]) -> f64 {
    let real = |size: &(u64, u64)| size.1 as f64 / size.0 as f64;
    let squares: f64 = sizes.iter().map(|size| real(size) * real(size)).sum();
    let step = reach(squares) / COARSE_STEPS;
    let (mut moved, mut moved_squares) = (0.0, 0.0);
    let mut steps: Vec<u64> = Vec::with_capacity(sizes.len());
    for size in sizes {
        let exact = real(size) / step;
        let error = (exact - exact.round()).abs();
        moved += error;
        moved_squares += error * error;
        steps.push(exact.round() as u64);
    }
    steps.sort_unstable();
    let positive = steps.chunk_by(|a, b| a == b).filter(|same| same[0] > 0);
    let groups: Vec<Group> = positive.map(|s| Group { size: s[0], tasks: s.len() as u64 }).collect();
    let sum: f64 = differences.iter().map(|d| d.over as f64 / d.under as f64).sum();
    // One step more covers the rounding of these doubles.
    let lowered = (sum.abs() / step - f64::min(moved, reach(moved_squares)) - 1.0).max(0.0);
    (two_sided(&groups, lowered.ceil() as u64) + LOST).min(1.0)
}

/// Distance beyond which Hoeffding's bound is below `LOST`, for a sum of squares.
fn reach(squares: f64) -> f64 {
    (2.0 * squares * (2.0 / LOST).ln()).sqrt()
}

/// `P(|S| >= observed)` for `S = Σ size (2 Bin(tasks, 1/2) - tasks)`.
fn two_sided(groups: &[Group], observed: u64) -> f64 {
    if observed == 0 || groups.is_empty() {
        return 1.0;
    }
    let mut sums = Sums { lattice: 0, shares: vec![1.0], lost: 0.0 };
    let mut squares = 0.0;
    for group in groups {
        squares += group.size as f64 * group.size as f64 * group.tasks as f64;
        sums.refine(gcd(sums.lattice, group.size));
        sums.add(*group, reach(squares));
    }
    let farthest = (sums.shares.len() as u64 - 1) * sums.lattice;
    if observed > farthest {
        let observed = observed as f64;
        return (2.0 * (-observed * observed / (2.0 * squares)).exp()).clamp(f64::MIN_POSITIVE, 1.0);
    }
    // From the far end inwards, smallest first.
    let outside = (farthest - observed) / (2 * sums.lattice);
    let tail: f64 = sums.shares.iter().take(outside as usize + 1).sum();
    (2.0 * tail + sums.lost).clamp(f64::MIN_POSITIVE, 1.0)
}

/// A symmetric distribution on `(2j - (len-1)) * lattice`.
struct Sums {
    lattice: u64,
    shares: Vec<f64>,
    lost: f64,
}

impl Sums {
    /// Moves to a lattice that divides the present one.
    fn refine(&mut self, lattice: u64) {
        let factor = (self.lattice / lattice.max(1)) as usize;
        if factor > 1 {
            let mut wider = vec![0.0; (self.shares.len() - 1) * factor + 1];
            for (j, share) in self.shares.iter().enumerate() {
                wider[j * factor] = *share;
            }
            self.shares = wider;
        }
        self.lattice = lattice;
    }

    /// Adds a group and keeps sums up to `reach`.
    fn add(&mut self, group: Group, reach: f64) {
        let (stride, kernel) = ((group.size / self.lattice) as usize, kernel(group.tasks));
        if kernel.len() as u64 <= group.tasks {
            self.lost += LOST;
        }
        let full = self.shares.len() + stride * (kernel.len() - 1);
        // Positions are (len-1) * lattice from 0 at the ends; cut the same number at both.
        let keep = (reach / self.lattice as f64).ceil() as usize + 2;
        let cut = full.saturating_sub(keep) / 2;
        if cut > 0 {
            self.lost += LOST;
        }
        let half = convolve(&self.shares, &kernel, stride, cut, (full - 2 * cut).div_ceil(2));
        let length = full - 2 * cut;
        let mut shares = half;
        shares.truncate(length.div_ceil(2));
        let mirrored: Vec<f64> = shares[..length / 2].iter().rev().copied().collect();
        shares.extend(mirrored);
        self.shares = shares;
    }
}

const LANES: usize = 16;

/// `out[j] = Σ_t kernel[t] * from[j + skip - stride t]` for the first `length` j, sixteen at a time.
fn convolve(from: &[f64], kernel: &[f64], stride: usize, skip: usize, length: usize) -> Vec<f64> {
    let before = stride * (kernel.len() - 1);
    let mut padded = vec![0.0; before];
    padded.extend_from_slice(from);
    padded.resize(before + skip + length + LANES, 0.0);
    let mut out = Vec::with_capacity(length + LANES);
    for first in (0..length).step_by(LANES) {
        let mut sums = [0.0; LANES];
        for (t, factor) in kernel.iter().enumerate() {
            let start = before + skip + first - stride * t;
            for (sum, share) in sums.iter_mut().zip(&padded[start..start + LANES]) {
                *sum += factor * share;
            }
        }
        out.extend_from_slice(&sums);
    }
    out
}

/// Probabilities of a fair binomial, from the middle out to Hoeffding's bound (all of it when that is wider).
fn kernel(tasks: u64) -> Vec<f64> {
    let keep = reach(tasks as f64);
    let half = tasks / 2;
    // Counts 0..=half, nearest the middle first.
    let mut term = super::binomial::fair_probability(tasks, half);
    let mut lower = Vec::new();
    for count in (0..=half).rev() {
        if (tasks - 2 * count) as f64 > keep {
            break;
        }
        lower.push(term);
        term *= count as f64 / (tasks - count + 1) as f64;
    }
    let mirrored = lower.clone();
    lower.reverse();
    lower.extend(mirrored.into_iter().skip(usize::from(tasks.is_multiple_of(2))));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(tasks: u32, shift: u32) -> Vec<Difference> {
        let count = |i: u32, by: u32| {
            let n = 7 + (i * by) % 4;
            TaskCount { n, c: (i * by * 5 + i) % (n + 1) }
        };
        let better = |task: TaskCount| TaskCount { c: (task.c + shift).min(task.n), ..task };
        (0..tasks).filter_map(|i| Difference::of(better(count(i, 3)), count(i, 11))).collect()
    }

    #[test]
    fn the_rounded_test_is_never_below_the_exact_one_and_close_to_it() {
        for (tasks, shift) in [(12, 0), (40, 1), (150, 0), (150, 1), (300, 1)] {
            let differences = differences(tasks, shift);
            let mut sizes: Vec<(u64, u64)> = differences.iter().map(|d| d.size()).collect();
            sizes.sort_unstable();
            let exact = exact(&differences, &sizes);
            let rounded = coarse(&differences, &sizes);
            let near = |p: f64| rounded >= p * (1.0 - 1e-12) && rounded <= p * 1.2;
            assert!(exact.is_some_and(near), "{tasks} {exact:?} {rounded}");
        }
    }
}
