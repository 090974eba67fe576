//! One-level task bootstrap: resample tasks with all their attempts, in whole numbers.
//!
//! One weight matrix serves every model and statistic of a task set. A two-level bootstrap (tasks, then attempts)
//! is not offered: it re-centres pass@k on the biased plug-in value.

use super::fraction::{EXACT_LIMIT, Lattice};
use super::rng::Xoshiro128;
use super::special::{normal_cdf, normal_quantile};
use super::{Interval, finite};

/// Replicates by default: (B + 1) times 2.5% is whole, so percentile ends need no interpolation rule.
pub const REPLICATES: usize = 9999;

/// Replicates whose weights lie together: a cache line for each task.
const BLOCK: usize = 64;

/// Rows and columns of the squares of bytes in which a block is turned.
const TILE: usize = 8;

/// How often each task was drawn in each replicate, stored task by task within each block of replicates.
#[derive(Clone, Debug)]
pub struct Weights {
    tasks: usize,
    replicates: usize,
    /// Low bytes, `blocks[block][task][replicate in the block]`; beyond the last replicate nothing is drawn. Each block is
    /// memory of its own: it fits where other work has left off, and one piece of tens of megabytes does not.
    blocks: Vec<Vec<[u8; BLOCK]>>,
    /// Cells whose low byte passed 255, once for each time: the cell is worth 256 more. In practice empty
    /// (a weight of 256 has a chance below 1/256! a cell), but never a wrong number.
    carries: Vec<(usize, usize)>,
    peak: u8,
}

impl Weights {
    /// Draws the matrix: for each replicate, as many tasks as there are, with replacement, in that order.
    #[must_use]
    pub fn draw(seed: u64, tasks: usize, replicates: usize) -> Self {
        let mut rng = Xoshiro128::new(seed);
        // More than 2^32 tasks would not fit into memory; such a set has no weights.
        let below = u32::try_from(tasks).unwrap_or(0);
        Self::from_draws(below as usize, replicates, move || rng.below(below))
    }

    fn from_draws(tasks: usize, replicates: usize, mut next: impl FnMut() -> u32) -> Self {
        let mut blocks = Vec::with_capacity(replicates.div_ceil(BLOCK));
        let mut carries = Vec::new();
        // Drawn in order of replicates but kept in order of tasks. A row of counts lies close together while it is
        // drawn; a block of rows is turned at once. An odd number of cache lines a row keeps rows out of each other's way.
        let width = tasks.next_multiple_of(64) | 64;
        let mut rows = vec![0_u8; width * BLOCK];
        for start in (0..replicates).step_by(BLOCK) {
            rows.fill(0);
            for (row, counts) in rows.chunks_exact_mut(width).take(replicates - start).enumerate() {
                let wrapped;
                (next, wrapped) = draw_row(counts, tasks, next);
                carries.extend(wrapped.into_iter().map(|task| (task, start + row)));
            }
            let mut block = vec![[0; BLOCK]; tasks];
            for (tile, cells) in block.chunks_mut(TILE).enumerate() {
                cells.copy_from_slice(&turned(&rows, width, tile * TILE)[..cells.len()]);
            }
            blocks.push(block);
        }
        let peak = blocks.iter().flatten().flatten().copied().max().unwrap_or(0);
        Self { tasks, replicates, blocks, carries, peak }
    }

    /// Tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.tasks
    }

    /// Replicates.
    #[must_use]
    pub fn replicates(&self) -> usize {
        self.replicates
    }

    /// Weights of one replicate, a task at a time; empty beyond the last replicate.
    #[must_use]
    pub fn row(&self, replicate: usize) -> Vec<u32> {
        if replicate >= self.replicates {
            return Vec::new();
        }
        let (block, at) = (replicate / BLOCK, replicate % BLOCK);
        let mut row: Vec<u32> = self.blocks[block].iter().map(|cell| u32::from(cell[at])).collect();
        for (task, at) in &self.carries {
            if *at == replicate {
                row[*task] += 256;
            }
        }
        row
    }

    /// Per replicate, the sum of the weights of some tasks; tasks beyond the set weigh nothing.
    #[must_use]
    pub fn sum_of(&self, members: &[usize]) -> Vec<u32> {
        let mut total = Vec::with_capacity(self.replicates + BLOCK);
        for cells in &self.blocks {
            let mut sums = [0_u32; BLOCK];
            // Bytes are added to bytes, sixteen at a time, as long as no sum can pass 255; then widened once.
            for batch in members.chunks(255 / usize::from(self.peak.max(1))) {
                let mut bytes = [0_u8; BLOCK];
                for cell in batch.iter().filter_map(|task| cells.get(*task)) {
                    bytes.iter_mut().zip(cell).for_each(|(sum, weight)| *sum = sum.wrapping_add(*weight));
                }
                sums.iter_mut().zip(bytes).for_each(|(sum, byte)| *sum += u32::from(byte));
            }
            total.extend(sums);
        }
        total.truncate(self.replicates);
        for (task, replicate) in &self.carries {
            let times = members.iter().filter(|member| *member == task).count();
            total[*replicate] += 256 * u32::try_from(times).unwrap_or(u32::MAX);
        }
        total
    }

    /// Weighted sums of the lattice numerators, one a replicate; values beyond the task set weigh nothing.
    #[must_use]
    pub fn sums(&self, lattice: &Lattice) -> Vec<u64> {
        let mut sums = Vec::with_capacity(self.replicates + BLOCK);
        for cells in &self.blocks {
            let mut of_block = [0_u64; BLOCK];
            for (numerator, cell) in lattice.numerators.iter().zip(cells) {
                of_block.iter_mut().zip(cell).for_each(|(sum, weight)| *sum += u64::from(*weight) * numerator);
            }
            sums.extend(of_block);
        }
        sums.truncate(self.replicates);
        for (task, replicate) in &self.carries {
            sums[*replicate] += 256 * lattice.numerators.get(*task).unwrap_or(&0);
        }
        sums
    }
}

/// Draws one replicate into `counts`; returns the draws to come, and the tasks whose count passed 255, once for each time.
///
/// A function of its own, and the draws by value: the state of the generator stays in registers.
#[inline(never)]
fn draw_row<N: FnMut() -> u32>(counts: &mut [u8], tasks: usize, mut next: N) -> (N, Vec<usize>) {
    let mut wrapped = Vec::new();
    for _ in 0..tasks {
        let task = next() as usize;
        counts[task] = counts[task].wrapping_add(1);
        if counts[task] == 0 {
            wrapped.push(task);
        }
    }
    (next, wrapped)
}

/// The columns `first..first + TILE` of a block of rows that are `width` bytes long.
fn turned(rows: &[u8], width: usize, first: usize) -> [[u8; BLOCK]; TILE] {
    let mut columns = [[0; BLOCK]; TILE];
    for top in (0..BLOCK).step_by(TILE) {
        let mut square = [0_u64; TILE];
        for (row, word) in square.iter_mut().enumerate() {
            let at = (top + row) * width + first;
            *word = rows[at..at + TILE].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        // A square is turned by turning its quarters and changing over the two off the diagonal, quarters likewise.
        for (half, mask) in [(4, 0x0000_0000_FFFF_FFFF), (2, 0x0000_FFFF_0000_FFFF), (1, 0x00FF_00FF_00FF_00FF)] {
            for low in (0..TILE).filter(|row| row & half == 0) {
                let change = (square[low] >> (8 * half) ^ square[low + half]) & mask;
                square[low + half] ^= change;
                square[low] ^= change << (8 * half);
            }
        }
        for (column, word) in columns.iter_mut().zip(square) {
            column[top..top + TILE].copy_from_slice(&word.to_le_bytes());
        }
    }
    columns
}

/// The two replicate sums that are the ends of the 95% percentile interval: order statistics (B+1)·2.5% and
/// (B+1)·97.5%; `None` unless those are whole.
#[must_use]
pub fn percentile_sums(sums: &[u64]) -> Option<(u64, u64)> {
    let (tail, rest) = ((sums.len() + 1) / 40, (sums.len() + 1) % 40);
    if tail == 0 || rest != 0 {
        return None;
    }
    let mut sums = sums.to_vec();
    let (at_lo, at_hi) = (tail - 1, sums.len() - tail);
    let lo = *sums.select_nth_unstable(at_lo).1;
    let hi = *sums.select_nth_unstable(at_hi).1;
    Some((lo, hi))
}

/// A bias-corrected and accelerated (BCa) 95% interval with its two corrections.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bca {
    /// Bias correction.
    pub z0: f64,
    /// Acceleration.
    pub a: f64,
    /// The interval.
    pub interval: Interval,
}

/// Acceleration by the jackknife of a mean: `Σd³ / (6 (Σd²)^1.5)` over `(numerator, tasks)` levels with
/// `d = numerator - mean`; `None` when all are equal.
#[must_use]
pub fn acceleration(levels: &[(u64, usize)]) -> Option<f64> {
    let tasks: usize = levels.iter().map(|(_, m)| m).sum();
    let sum: f64 = levels.iter().map(|(a, m)| *a as f64 * *m as f64).sum();
    let mean = sum / tasks as f64;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for (a, m) in levels {
        let d = *a as f64 - mean;
        squares += *m as f64 * d * d;
        cubes += *m as f64 * d * d * d;
    }
    (squares > 0.0).then(|| cubes / (6.0 * squares * squares.sqrt())).and_then(finite)
}

/// BCa 95% interval of non-negative replicates around `observed`, in units of `1 / scale`.
///
/// Quantiles are of type 7 on the replicates (reordered by the call); `None` when every replicate lies on one side of
/// `observed`, where the bias correction is infinite.
#[must_use]
pub fn bca(replicates: &mut [f64], observed: f64, scale: f64, a: f64) -> Option<Bca> {
    let below = replicates.iter().map(|r| usize::from(*r < observed)).sum::<usize>();
    let up_to = replicates.iter().map(|r| usize::from(*r <= observed)).sum::<usize>();
    let z0 = normal_quantile((below + up_to) as f64 / (2.0 * replicates.len() as f64))?;
    let tail = normal_quantile(0.025)?;
    let end = |z: f64| {
        let stretch = 1.0 - a * (z0 + z);
        (stretch > 0.0).then(|| normal_cdf(z0 + (z0 + z) / stretch))
    };
    let (p_lo, p_hi) = (end(tail)?, end(-tail)?);
    let lo = quantile(replicates, p_lo)?;
    let hi = quantile(replicates, p_hi)?;
    let interval = Interval::new(lo / scale, hi / scale)?;
    Some(Bca { z0, a, interval })
}

/// Type-7 quantile (linear between order statistics) of finite values; reorders them.
fn quantile(values: &mut [f64], p: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let index = (place.floor() as usize).min(last);
    let (_, low, above) = values.select_nth_unstable_by(index, f64::total_cmp);
    let low = *low;
    let high = above.iter().copied().reduce(f64::min).unwrap_or(low);
    Some(low + (high - low) * (place - index as f64))
}

/// The percentile interval of infinitely many replicates, by convolution of the values' histogram with itself.
///
/// `None` when the lattice span times the tasks exceeds 20,000 steps. An end is the first sum whose distribution
/// function reaches its probability less 1e-12.
#[must_use]
pub fn exact_percentile(lattice: &Lattice) -> Option<Interval> {
    let tasks = lattice.numerators.len();
    let least = *lattice.numerators.iter().min()?;
    let span = usize::try_from(lattice.numerators.iter().max()? - least).ok()?;
    if span.checked_mul(tasks)? > 20_000 || lattice.denominator >= EXACT_LIMIT {
        return None;
    }
    let mut histogram = vec![0.0; span + 1];
    for numerator in &lattice.numerators {
        histogram[usize::try_from(numerator - least).ok()?] += 1.0 / tasks as f64;
    }
    let mut sums = vec![1.0];
    for _ in 0..tasks {
        let mut next = vec![0.0; sums.len() + span];
        for (step, share) in histogram.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            for (to, from) in next[step..].iter_mut().zip(&sums) {
                *to += share * from;
            }
        }
        sums = next;
    }
    let end = |p: f64| {
        let mut reached = 0.0;
        let steps = sums.iter().position(|share| {
            reached += share;
            reached >= p - 1e-12
        })?;
        let sum = steps as f64 + tasks as f64 * least as f64;
        Some(sum / (lattice.denominator as f64 * tasks as f64))
    };
    Interval::new(end(0.025)?, end(0.975)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_rows_are_turned_whatever_the_number_of_tasks_and_replicates() {
        for (tasks, replicates) in [(1, 1), (7, 3), (8, 64), (9, 65), (64, 127), (130, 200)] {
            let mut state = 1_u32;
            let mut draws = Vec::new();
            let weights = Weights::from_draws(tasks, replicates, || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let task = (state >> 8) % u32::try_from(tasks).expect("few tasks");
                draws.push(task as usize);
                task
            });
            for (replicate, drawn) in draws.chunks(tasks).enumerate() {
                let mut row = vec![0; tasks];
                drawn.iter().for_each(|task| row[*task] += 1);
                assert_eq!(weights.row(replicate), row, "{tasks} tasks, replicate {replicate} of {replicates}");
            }
        }
    }

    #[test]
    fn a_weight_above_a_byte_is_carried_not_lost() {
        let weights = Weights::from_draws(600, 3, || 7);
        assert_eq!(weights.row(1)[7], 600);
        assert_eq!(weights.sum_of(&[7, 8]), vec![600; 3]);
        let mut numerators = vec![1; 600];
        numerators[7] = 5;
        assert_eq!(weights.sums(&Lattice { numerators, denominator: 5 }), vec![3000; 3]);
    }
}
