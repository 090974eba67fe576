// One entry's numbers from its tasks: Wilson ranges, pass@k, the task bootstrap, costs, repeatability, time to a fix. Pure.
import { sum, gcd, normalCdf, normalQuantile, tQuantile, generator, seedOf, Z_975 } from "./recompute-math.js";

export const Z = 1.96;
const NOTHING = { lo: null, hi: null };

/** Wilson range of x in n; x and n may be effective (fractional) counts. */
export function wilson(x, n, z = Z) {
  if (!(n > 0)) return { ...NOTHING };
  const z2 = z * z;
  const middle = x + z2 / 2;
  const reach = z * Math.sqrt(x * ((n - x) / n) + z2 / 4);
  const lo = x <= 0 ? 0 : (x * (x / n)) / (middle + reach);
  const hi = x >= n ? 1 : Math.min(1, (middle + reach) / (n + z2));
  return { lo, hi };
}

// The common end of both task-level ranges: Wilson on an effective number of tasks, never tighter than all-fail or all-pass.
function effectiveWilson(values, mean, phi, z, reach) {
  const G = values.length;
  const n = G / phi;
  const range = wilson(mean * n, n, reach);
  const lo = values.every((v) => v === 0) ? 0 : Math.min(range.lo, G / (G + z * z));
  const hi = values.every((v) => v === 1) ? 1 : Math.max(range.hi, (z * z) / (G + z * z));
  return { mean, phi, n_eff: n, lo, hi };
}

function spread(values, z) {
  const G = values.length;
  const total = sum(values);
  const mean = total / G;
  const k = z * z;
  const pulled = (total + k / 2) / (G + k);
  const prior = k * pulled * (1 - pulled);
  return { G, mean, prior, room: G * mean * (1 - mean) + prior };
}

/** Task-aware Wilson range for the mean of per-task values in [0, 1]. */
export function taskAware(values, z = Z) {
  if (!values.length) return { mean: null, phi: null, n_eff: null, ...NOTHING };
  const { G, mean, prior, room } = spread(values, z);
  const squares = sum(values.map((v) => (v - mean) ** 2));
  const phi = G < 2 ? 1 : Math.min(1, ((squares * G) / (G - 1) + prior) / room);
  return effectiveWilson(values, mean, phi, z, z);
}

/** Repository-aware Wilson range; null below two repositories. */
export function repoAware(values, repos, z = Z) {
  const groups = new Map();
  if (new Set(repos).size < 2) return { mean: taskAware(values, z).mean, phi: null, n_eff: null, ...NOTHING };
  const { G, mean, prior, room } = spread(values, z);
  values.forEach((v, i) => groups.set(repos[i], (groups.get(repos[i]) ?? 0) + (v - mean)));
  const R = groups.size;
  const between = (R / (R - 1)) * sum([...groups.values()].map((d) => d * d));
  const phi = Math.min(Math.max((between + prior) / room, taskAware(values, z).phi), G / R);
  return effectiveWilson(values, mean, phi, z, Math.max(z, tQuantile(0.975, R - 1)));
}

// ---- pass@k and pass^k

/** Chance that at least one of k attempts fixes the task, unbiased; null where k > n. */
export function passAt(n, c, k) {
  if (k < 1 || k > n) return null;
  let none = 1;
  for (let j = 0; j < k && none > 0; j++) none *= Math.max(0, n - c - j) / (n - j);
  return 1 - none;
}

/** Chance that all of k attempts fix the task, unbiased; null where k > n. */
export function passHat(n, c, k) {
  if (k < 1 || k > n) return null;
  let all = 1;
  for (let j = 0; j < k && all > 0; j++) all *= Math.max(0, c - j) / (n - j);
  return all;
}

function choose(n, k) {
  let out = 1n;
  for (let j = 0; j < k; j++) out = (out * BigInt(n - j)) / BigInt(j + 1);
  return n < k ? 0n : out;
}

/** Per-task values as exact fractions [numerator, denominator] of whole numbers. */
export function fractions(tasks, kind, k) {
  return tasks.map(([n, c]) => {
    if (kind === "rate") return [BigInt(c), BigInt(n)];
    const all = choose(n, k);
    return [kind === "pass_at" ? all - choose(n - c, k) : choose(c, k), all];
  });
}

/** Fractions over their least common denominator: { parts, scale }, or null where parts, or sums of that weight, leave 53 bits. */
export function overCommon(pairs, weight = pairs.length) {
  let scale = 1n;
  const reduced = pairs.map(([p, q]) => {
    const d = gcd(p, q) || 1n;
    return [p / d, q / d];
  });
  for (const [, q] of reduced) scale = (scale * q) / gcd(scale, q);
  if (scale * BigInt(Math.max(1, weight)) >= 1n << 53n) return null;
  return { parts: reduced.map(([p, q]) => Number(p * (scale / q))), scale: Number(scale) };
}

// ---- task bootstrap

export const REPLICATES = 9999;
const drawn = new Map();

/** Weights of the task bootstrap: row b, column i is how often replicate b holds task i. The last few sets are kept. */
export function weights(seedHex, G, B = REPLICATES) {
  const key = `${seedHex}|${G}|${B}`;
  if (!drawn.has(key)) {
    const { below } = generator(seedHex);
    const table = G < 256 ? new Uint8Array(B * G) : new Uint16Array(B * G);
    for (let b = 0; b < B; b++) for (let j = 0; j < G; j++) table[b * G + below(G)]++;
    if (drawn.size > 3) drawn.delete(drawn.keys().next().value);
    drawn.set(key, table);
  }
  return drawn.get(key);
}

/** Sums of every replicate, in drawing order. The parts stand in some columns of a table of that width; all by default. */
export function replicateSums(parts, table, columns = parts.map((_, i) => i), width = parts.length) {
  const sums = new Float64Array(table.length / width);
  for (let b = 0, row = 0; b < sums.length; b++, row += width) {
    let s = 0;
    for (let i = 0; i < parts.length; i++) s += table[row + columns[i]] * parts[i];
    sums[b] = s;
  }
  return sums;
}

/** Means of every replicate, sorted; a replicate that drew none of the columns has no mean and is left out. */
export function replicateMeans(parts, scale, table, columns, width) {
  const sums = replicateSums(parts, table, columns, width);
  const drawn = replicateSums(parts.map(() => 1), table, columns, width);
  const drew = sums.map((_, b) => b).filter((b) => drawn[b] > 0);
  // One division of whole numbers: equal means are equal doubles, and so ties stay ties.
  return drew.map((b) => sums[b] / (scale * drawn[b])).sort();
}

/** Bias-corrected and accelerated range of sorted replicate means; null where it has no value. */
export function bca(parts, scale, sorted) {
  const G = parts.length;
  const B = sorted.length;
  const total = sum(parts);
  const seen = total / (scale * G);
  let below = 0;
  let upTo = 0;
  for (const mean of sorted) {
    if (mean < seen) below++;
    if (mean <= seen) upTo++;
  }
  const z0 = normalQuantile((below + upTo) / (2 * B));
  const deviations = parts.map((a) => a - total / G);
  const a = sum(deviations.map((d) => d ** 3)) / (6 * sum(deviations.map((d) => d * d)) ** 1.5);
  if (!Number.isFinite(z0) || !Number.isFinite(a)) return null;
  const stretch = (z) => 1 - a * (z0 + z);
  if (stretch(-Z_975) <= 0 || stretch(Z_975) <= 0) return null;
  const end = (z) => {
    const share = normalCdf(z0 + (z0 + z) / stretch(z));
    const at = (B - 1) * share; // quantile of type 7
    const i = Math.min(B - 2, Math.floor(at));
    return sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]);
  };
  return { z0, a, lo: end(-Z_975), hi: end(Z_975) };
}

/**
 * Range of a mean of per-task values: BCa of the task bootstrap, or the task-aware range where that cannot speak.
 * All entries of a board share one table over all tasks of the board; `columns` are the places of this one's tasks in it.
 */
export function bootstrapRange(tasks, kind, k, { seed, columns, width }) {
  const pairs = fractions(tasks, kind, k);
  const values = pairs.map(([p, q]) => Number(p) / Number(q));
  const zeros = pairs.filter(([p]) => p === 0n).length;
  const ones = pairs.filter(([p, q]) => p === q).length;
  const whole = overCommon(pairs, width);
  const degenerate = !whole || whole.parts.every((a) => a === whole.parts[0]);
  if (degenerate || pairs.length - Math.max(zeros, ones) < 5) return taskAware(values);
  const sorted = replicateMeans(whole.parts, whole.scale, weights(seedOf(seed), width), columns, width);
  return bca(whole.parts, whole.scale, sorted) ?? taskAware(values);
}

// ---- repeatability

/** Disagreement, mixed tasks, tasks with repeats, and the error of a re-run, from [n, c] of each task. */
export function repeatability(tasks) {
  const repeated = tasks.filter(([n]) => n >= 2);
  const differ = repeated.map(([n, c]) => (2 * c * (n - c)) / (n * (n - 1)));
  const noise = tasks.map(([n, c]) => (c * (n - c)) / (n * n * (n - 1)));
  const complete = tasks.length > 0 && repeated.length === tasks.length;
  return {
    repeat_tasks: repeated.length,
    mixed_tasks: repeated.filter(([n, c]) => c > 0 && c < n).length,
    disagreement: repeated.length ? sum(differ) / repeated.length : null,
    rerun_se: complete ? Math.sqrt(sum(noise)) / tasks.length : null,
  };
}

// ---- cost

/** Ratio of sums over tasks with its t range by task, plain (not below 0) or on the log scale; rows are [above, below]. */
export function ratio(rows, logScale) {
  const above = sum(rows.map(([a]) => a));
  const below = sum(rows.map(([, b]) => b));
  if (!(below > 0)) return { value: null, se: null, ...NOTHING };
  const value = above / below;
  const G = rows.length;
  if (G < 2) return { value, se: null, ...NOTHING };
  const se = Math.sqrt((G / (G - 1)) * sum(rows.map(([a, b]) => (a - value * b) ** 2))) / below;
  if (value === 0) return { value, se, lo: 0, hi: 0 };
  const t = tQuantile(0.975, G - 1);
  if (!logScale) return { value, se, lo: Math.max(0, value - t * se), hi: value + t * se };
  const reach = (t * se) / value;
  const hi = value * Math.exp(reach);
  return { value, se, lo: value * Math.exp(-reach), hi: Number.isFinite(hi) ? hi : null };
}

// ---- excluded attempts

/** Bounds of the rate if every excluded attempt had failed, or had fixed. */
export function exclusionBounds(fixed, counted, excluded) {
  const all = counted + excluded;
  if (!all) return { worst: null, best: null, share: null, ...NOTHING };
  return {
    worst: fixed / all,
    best: (fixed + excluded) / all,
    share: excluded / all,
    lo: wilson(fixed, all).lo,
    hi: wilson(fixed + excluded, all).hi,
  };
}

// ---- time to a fix

/** Cumulative incidence of "fix" by each time at which one happened: [[time, share]…], from [time, event] rows. */
export function incidence(rows) {
  const sorted = [...rows].sort((a, b) => a[0] - b[0]);
  const out = [];
  let running = 1;
  let share = 0;
  for (let i = 0; i < sorted.length; ) {
    const t = sorted[i][0];
    const atRisk = sorted.length - i;
    let fixes = 0;
    let ends = 0;
    for (; i < sorted.length && sorted[i][0] === t; i++) {
      if (sorted[i][1] === "fix") fixes++;
      if (sorted[i][1] !== "timeout") ends++;
    }
    share += (running * fixes) / atRisk;
    running *= 1 - ends / atRisk;
    if (fixes) out.push([t, share]);
  }
  return out;
}

/** The share fixed at or before a time; null where there are no rows. */
export function fixedBy(steps, count, time) {
  if (!count) return null;
  let share = 0;
  for (const [t, value] of steps) if (t <= time) share = value;
  return share;
}
