// Two entries, or all entries of a board: exact tests, ranges of a difference, Holm, ranks, smallest visible gap. Pure.
import { sum, gcd, Z_975, Z_80 } from "./recompute-math.js";
import { Z, taskAware, overCommon } from "./recompute-intervals.js";

// Work beyond which an exact test is not computed; its p is then null and never approximated.
export const WORK = 4e9;
export const CELLS = 1e8;

/** Task rates of [n, c] rows. */
export const rates = (tasks) => tasks.map(([n, c]) => c / n);

/** Exact two-sided sign-flip p over matched tasks ([n, c] rows of both sides); null for no task. */
export function signFlip(a, b) {
  if (!a.length) return null;
  const whole = overCommon([...a, ...b].map(([n, c]) => [BigInt(c), BigInt(n)]));
  if (!whole) return null;
  const gaps = a.map((_, i) => whole.parts[i] - whole.parts[a.length + i]).filter((d) => d !== 0);
  if (!gaps.length) return 1;
  const unit = gaps.reduce((g, d) => gcd(g, Math.abs(d)), 0);
  const sizes = gaps.map((d) => Math.abs(d) / unit);
  const total = sizes.reduce((s, d) => s + d, 0);
  const seen = Math.abs(gaps.reduce((s, d) => s + d, 0)) / unit;
  if (total > CELLS || total * sizes.length > WORK) return null;
  // chance[s]: that the positive gaps sum to s. The signed sum is then 2s - total.
  const chance = new Float64Array(total + 1);
  chance[0] = 1;
  let top = 0;
  for (const d of sizes) {
    top += d;
    for (let s = top; s >= 0; s--) chance[s] = 0.5 * (chance[s] + (s >= d ? chance[s - d] : 0));
  }
  const tail = [];
  for (let s = 0; s <= total; s++) if (Math.abs(2 * s - total) >= seen) tail.push(chance[s]);
  return Math.min(1, sum(tail));
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

/** Range of the paired difference over matched tasks. */
export function pairedRange(a, b) {
  const [va, vb] = [rates(a), rates(b)];
  if (!va.length) return { delta: null, lo: null, hi: null };
  const range = squareAndAdd(va, vb, pulledCorrelation(va, vb));
  return { ...range, delta: sum(va.map((v, i) => v - vb[i])) / va.length };
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
  if ((m + 1) * width > CELLS || G * m * width > WORK) return null;
  // chance[j][s]: that j of the tasks so far were drawn into the smaller side and sum to s.
  const chance = Array.from({ length: m + 1 }, () => new Float64Array(width));
  chance[0][0] = 1;
  let top = 0;
  parts.forEach((a, i) => {
    for (let j = Math.min(m, i + 1); j >= 0; j--) {
      const stay = j <= i ? 1 - (m - j) / (G - i) : 0;
      const join = j > 0 ? (m - j + 1) / (G - i) : 0;
      const row = chance[j];
      const from = j > 0 ? chance[j - 1] : row;
      for (let s = Math.min(all, top + a); s >= 0; s--) {
        row[s] = Math.max(0, stay) * row[s] + (join > 0 && s >= a ? join * from[s - a] : 0);
      }
    }
    top += a;
  });
  const tail = [];
  chance[m].forEach((p, s) => {
    if (Math.abs(s * G - all * m) >= seen) tail.push(p);
  });
  return Math.min(1, sum(tail));
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
