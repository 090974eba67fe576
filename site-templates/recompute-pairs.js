// Two entries, or all entries of a board: exact tests, ranges of a difference, Holm, ranks, smallest visible gap. Pure.
import { sum, gcd, Z_975, Z_80 } from "./recompute-math.js";
import { Z, taskAware, overCommon } from "./recompute-intervals.js";

// Steps, and the sum of all gaps in steps, up to which the sign-flip test is exact. Above, the gaps are rounded to a
// lattice and p is an upper bound.
const MOST_STEPS = 2 ** 31;
const MOST_TOTAL = 2 ** 24;
const LATTICE = 32768;
const LOST = 1e-20;
// Size up to which the permutation test is computed; above, its p is null and never approximated.
const MOST_SUM = 2 ** 19;
const MOST_CELLS = 2 ** 34;
const DUST = 1e-24;

/** Task rates of [n, c] rows. */
export const rates = (tasks) => tasks.map(([n, c]) => c / n);

/** Two-sided sign-flip p over matched tasks ([n, c] rows of both sides); null for no task, 1 where nothing differs. */
export function signFlip(a, b) {
  if (!a.length) return null;
  const gaps = [];
  a.forEach(([n, c], i) => {
    const [m, d] = b[i];
    const over = BigInt(c) * BigInt(m) - BigInt(d) * BigInt(n);
    const under = BigInt(n) * BigInt(m);
    const shared = over === 0n ? 1n : gcd(over < 0n ? -over : over, under);
    if (over !== 0n) gaps.push([over / shared, under / shared]);
  });
  if (!gaps.length) return 1;
  const scale = gaps.reduce((l, [, q]) => (l * q) / gcd(l, q), 1n);
  const whole = gaps.map(([p, q]) => p * (scale / q));
  const sizes = whole.map((d) => (d < 0n ? -d : d));
  const unit = sizes.reduce(gcd, 0n);
  const total = sizes.reduce((t, d) => t + d, 0n) / unit;
  if (total > BigInt(MOST_TOTAL) || total * BigInt(sizes.length) > BigInt(MOST_STEPS)) return roundedFlip(gaps);
  const seen = whole.reduce((t, d) => t + d, 0n) / unit;
  return twoSided(sizes.map((d) => Number(d / unit)), Math.abs(Number(seen)));
}

// P(|sum of signed sizes| >= seen): share[s] is the chance that the positive ones sum to s; the signed sum is 2s - total.
function twoSided(sizes, seen) {
  const total = sizes.reduce((t, d) => t + d, 0);
  const share = new Float64Array(total + 1);
  share[0] = 1;
  let top = 0;
  for (const d of sizes) {
    top += d;
    for (let s = top; s >= d; s--) share[s] = 0.5 * (share[s] + share[s - d]);
    for (let s = Math.min(top, d - 1); s >= 0; s--) share[s] *= 0.5;
  }
  const tail = [];
  for (let s = 0; s <= total; s++) if (Math.abs(2 * s - total) >= seen) tail.push(share[s]);
  return Math.min(1, sum(tail));
}

// Distance beyond which Hoeffding's bound leaves 1e-20 of a sum of random signs, from the sum of squares.
const farthest = (squares) => Math.sqrt(2 * squares * Math.log(2 / LOST));

// Gaps on a lattice of a 32768th of that distance; the observed sum is lowered by what the rounding can have moved it
// (all of it, or its own Hoeffding distance where that is less) and by one step for these doubles, so that p can only be
// too large.
function roundedFlip(gaps) {
  const real = gaps.map(([p, q]) => Number(p) / Number(q));
  const step = farthest(sum(real.map((d) => d * d))) / LATTICE;
  const steps = real.map((d) => Math.abs(d) / step);
  const errors = steps.map((d) => Math.abs(d - Math.round(d)));
  const moved = Math.min(sum(errors), farthest(sum(errors.map((e) => e * e))));
  const seen = Math.max(0, Math.abs(sum(real)) / step - moved - 1);
  return twoSided(steps.map(Math.round).filter((d) => d > 0), Math.ceil(seen));
}

/** Difference of two means with Newcombe's square-and-add range; r is 0 for different tasks. */
export function squareAndAdd(a, b, r = 0) {
  if (!a.length || !b.length) return { delta: null, lo: null, hi: null };
  const A = taskAware(a);
  const B = taskAware(b);
  const delta = A.mean - B.mean;
  const reach = (u, v) => Math.sqrt(Math.max(0, u * u - 2 * r * u * v + v * v));
  return { delta, lo: delta - reach(A.mean - A.lo, B.hi - B.mean), hi: delta + reach(A.hi - A.mean, B.mean - B.lo) };
}

/** Pearson's r of matched values, pulled to 0 by G/(G + z^2); 0 where a side does not vary. */
export function pulledCorrelation(a, b) {
  const G = a.length;
  const [ma, mb] = [sum(a) / G, sum(b) / G];
  const varies = (v) => v.some((x) => x !== v[0]);
  if (!varies(a) || !varies(b)) return 0;
  const across = sum(a.map((x, i) => (x - ma) * (b[i] - mb)));
  const aa = sum(a.map((x) => (x - ma) ** 2));
  const bb = sum(b.map((x) => (x - mb) ** 2));
  return (across / Math.sqrt(aa * bb)) * (G / (G + Z * Z));
}

// Whether both sides' rates add up to the same, in whole numbers: as doubles a residue can be left.
function sameTotal(a, b) {
  let [over, under] = [0n, 1n];
  const add = ([n, c], sign) => {
    over = over * BigInt(n) + sign * BigInt(c) * under;
    under *= BigInt(n);
    const shared = gcd(over < 0n ? -over : over, under);
    [over, under] = [over / shared, under / shared];
  };
  a.forEach((task, i) => {
    add(task, 1n);
    add(b[i], -1n);
  });
  return over === 0n;
}

/** Range of the paired difference over matched tasks. */
export function pairedRange(a, b) {
  const [va, vb] = [rates(a), rates(b)];
  if (!va.length) return { delta: null, lo: null, hi: null };
  const range = squareAndAdd(va, vb, pulledCorrelation(va, vb));
  return { ...range, delta: sameTotal(a, b) ? 0 : sum(va.map((v, i) => v - vb[i])) / va.length };
}

/** Exact two-sided permutation p of the gap between tasks before and after a cutoff ([n, c] rows). */
export function permutation(before, after) {
  if (!before.length || !after.length) return null;
  const whole = overCommon([...before, ...after].map(([n, c]) => [BigInt(c), BigInt(n)]));
  if (!whole) return null;
  const unit = whole.parts.reduce(gcd, 0) || 1;
  const parts = whole.parts.map((a) => a / unit);
  const G = parts.length;
  const all = parts.reduce((s, a) => s + a, 0);
  const first = before.length <= after.length;
  const m = Math.min(before.length, after.length);
  const side = first ? parts.slice(0, m) : parts.slice(before.length);
  const seen = Math.abs(side.reduce((s, a) => s + a, 0) * G - all * m);
  const width = all + 1;
  if (all > MOST_SUM || G * m * width > MOST_CELLS) return null;
  const chance = drawSums(parts, m, width);
  const tail = [];
  chance.forEach((p, s) => {
    if (Math.abs(s * G - all * m) >= seen) tail.push(p);
  });
  return Math.min(1, sum(tail));
}

// Chance of every sum of m parts drawn without return. Row j: j drawn so far; only its span above DUST is kept.
function drawSums(parts, m, width) {
  const G = parts.length;
  const rows = Array.from({ length: m + 1 }, () => ({ at: new Float64Array(width), lo: 0, hi: -1 }));
  rows[0].at[0] = 1;
  rows[0].hi = 0;
  parts.forEach((part, i) => {
    for (let j = Math.min(m, i + 1); j >= 0; j--) {
      const row = rows[j];
      const from = j > 0 ? rows[j - 1] : null;
      const stay = Math.max(0, 1 - (m - j) / (G - i));
      const join = Math.min(1, (m - j + 1) / (G - i));
      for (let s = row.lo; s <= row.hi; s++) row.at[s] *= stay;
      if (from && from.hi >= from.lo) {
        for (let s = from.lo; s <= from.hi; s++) row.at[s + part] += join * from.at[s];
        const empty = row.hi < row.lo;
        row.lo = empty ? from.lo + part : Math.min(row.lo, from.lo + part);
        row.hi = Math.max(row.hi, from.hi + part);
      }
      while (row.lo <= row.hi && row.at[row.lo] < DUST) row.at[row.lo++] = 0;
      while (row.hi >= row.lo && row.at[row.hi] < DUST) row.at[row.hi--] = 0;
    }
  });
  return rows[m].at;
}

/** Holm's step-down adjusted p-values, in the order given. */
export function holm(ps) {
  const order = ps.map((_, i) => i).sort((a, b) => ps[a] - ps[b] || a - b);
  const out = new Array(ps.length);
  let floor = 0;
  order.forEach((at, step) => {
    floor = Math.max(floor, Math.min(1, (ps.length - step) * ps[at]));
    out[at] = floor;
  });
  return out;
}

/** Rank ranges and tie groups from scores and significant pairs [better, worse]. */
export function rankRanges(scores, better) {
  const M = scores.length;
  const lo = scores.map((_, i) => 1 + better.filter(([, worse]) => worse === i).length);
  const hi = scores.map((_, i) => M - better.filter(([best]) => best === i).length);
  const beats = new Set(better.map(([x, y]) => `${x} ${y}`));
  const group = new Array(M).fill(null);
  let left = scores.map((_, i) => i).sort((a, b) => scores[b] - scores[a] || a - b);
  for (let number = 1; left.length; number++) {
    const anchor = left[0];
    for (const i of left) if (!beats.has(`${anchor} ${i}`)) group[i] = number;
    left = left.filter((i) => group[i] === null);
  }
  return { rank_lo: lo, rank_hi: hi, tie_group: group };
}

// ---- power

const REACH = Z_975 + Z_80;

/** Variance of a task's difference at K attempts a side. */
export const differenceVariance = (between, withinA, withinB, kA, kB) => between + withinA / kA + withinB / kB;
export const tasksNeeded = (variance, delta) => REACH ** 2 * (variance / (delta * delta));
export const smallestGap = (variance, G) => REACH * Math.sqrt(variance / G);

/** Variance of the per-task difference at the attempts that were made: between tasks plus attempt noise; null below two tasks. */
export function observedVariance(a, b) {
  const G = a.length;
  if (G < 2) return null;
  const gaps = a.map(([n, c], i) => c / n - b[i][1] / b[i][0]);
  // Equal gaps are found in whole numbers: 0.3 - 0.1 and 0.5 - 0.3 differ as doubles.
  const exact = a.map(([n, c], i) => BigInt(c) * BigInt(b[i][0]) - BigInt(b[i][1]) * BigInt(n));
  const units = a.map(([n], i) => BigInt(n) * BigInt(b[i][0]));
  const equal = exact.every((d, i) => d * units[0] === exact[0] * units[i]);
  const mean = sum(gaps) / G;
  const seen = sum(gaps.map((d) => (d - mean) ** 2)) / (G - 1);
  const noise = ([n, c]) => (n < 2 ? 0 : ((c / n) * (1 - c / n)) / (n - 1));
  const within = sum(a.map((task, i) => noise(task) + noise(b[i]))) / G;
  return equal ? within : Math.max(0, seen - within) + within;
}
