// Golden vectors against the browser's formulas: each file at its own tolerance, the random numbers bit for bit.
import test from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as math from "../../site-templates/recompute-math.js";
import * as one from "../../site-templates/recompute-intervals.js";
import * as two from "../../site-templates/recompute-pairs.js";
import { formatValue } from "../../site-templates/recompute-format.js";

const golden = (name) => JSON.parse(readFileSync(new URL(`../../tests/it/golden/${name}.json`, import.meta.url), "utf8"));

function suite(name, check) {
  test(`golden vectors of ${name}`, () => {
    const { cases, tolerance } = golden(name);
    assert.ok(cases.length > 0);
    const near = (got, want, what) => {
      if (got === want) return;
      const gap = got === null || want === null ? Infinity : Math.abs(got - want);
      assert.ok(gap <= tolerance.abs || gap <= tolerance.rel * Math.abs(want), `${what}: ${got} is not ${want}`);
    };
    cases.forEach((c, i) => check(c, near, `${name} ${c.id ?? i}`));
  });
}

suite("wilson", (c, near, what) => {
  const range = one.wilson(c.in.x, c.in.n, c.in.z);
  near(range.lo, c.out.lo, what);
  near(range.hi, c.out.hi, what);
});
suite("special", (c, near, what) => {
  const f = { norm_ppf: math.normalQuantile, norm_cdf: math.normalCdf, t_ppf: math.tQuantile }[c.fn];
  near(f(...c.in), c.out, `${what} ${c.fn}(${c.in})`);
});
suite("pass_at_k", (c, near, what) => near(one.passAt(c.in.n, c.in.c, c.in.k), c.out, what));
suite("pass_hat_k", (c, near, what) => near(one.passHat(c.in.n, c.in.c, c.in.k), c.out, what));
suite("task_aware_wilson", (c, near, what) => {
  const range = one.taskAware(c.in.values, c.in.z);
  for (const key of ["mean", "phi", "n_eff", "lo", "hi"]) near(range[key], c.out[key], `${what} ${key}`);
});
suite("repo_aware_wilson", (c, near, what) => {
  const range = one.repoAware(c.in.values, c.in.repo, c.in.z);
  for (const key of Object.keys(c.out)) near(range[key], c.out[key], `${what} ${key}`);
});
suite("two_claims", (c, near, what) => {
  const tasks = c.in.tasks_n_c;
  const [n, x] = [0, 1].map((side) => tasks.reduce((t, row) => t + row[side], 0));
  const pooled = one.wilson(x, n, c.in.z);
  const alike = one.taskAware(two.rates(tasks), c.in.z);
  [pooled.lo, pooled.hi].forEach((v, i) => near(v, c.out.same_tasks_pooled_wilson[i], what));
  [alike.lo, alike.hi].forEach((v, i) => near(v, c.out.new_tasks_taw[i], what));
  near(one.repeatability(tasks).rerun_se, c.out.rerun_se_macro, what);
});
suite("paired", (c, near, what) => {
  const [a, b] = [c.in.a_tasks_n_c, c.in.b_tasks_n_c];
  const range = two.pairedRange(a, b);
  near(range.delta, c.out.delta, what);
  near(range.lo, c.out.mover_lo, what);
  near(range.hi, c.out.mover_hi, what);
  near(two.pulledCorrelation(two.rates(a), two.rates(b)), c.out.r_shrunk, what);
  near(two.signFlip(a, b), c.out.signflip_p, what);
  const apart = two.squareAndAdd(two.rates(a), two.rates(b));
  near(apart.lo, c.out.mover_unpaired_lo, what);
  near(apart.hi, c.out.mover_unpaired_hi, what);
});
suite("multiplicity", (c, near, what) => two.holm(c.in.p).forEach((p, i) => near(p, c.out.holm[i], what)));
suite("ranks", (c, near, what) => {
  const all = two.rankRanges(c.in.scores, c.in.significantly_better);
  for (const key of Object.keys(c.out)) assert.deepEqual(all[key], c.out[key], `${what} ${key}`);
});
suite("power", (c, near, what) => {
  if (!("omega2_between" in c.in)) return;
  const v = two.differenceVariance(c.in.omega2_between, c.in.within_a, c.in.within_b, c.in.k_a, c.in.k_b);
  near(v, c.out.var_d, what);
  near(two.tasksNeeded(v, c.in.delta), c.out.tasks_needed, what);
  near(two.smallestGap(v, c.in.tasks), c.out.mde, what);
});
suite("repeatability", (c, near, what) => {
  const again = one.repeatability(c.in.tasks_n_c);
  near(again.disagreement, c.out.disagreement, what);
  assert.equal(again.mixed_tasks, c.out.mixed_tasks, what);
  assert.equal(again.repeat_tasks, c.out.tasks_with_repeats, what);
});
suite("cost", (c, near, what) => {
  const rows = c.in.rows_cost_fixes_attempts_per_task.map(([cost, f, n]) => [Number(cost), f, n]);
  const perFix = one.ratio(rows.map(([cost, f]) => [cost, f]), true);
  const perAttempt = one.ratio(rows.map(([cost, , n]) => [cost, n]), false);
  near(perAttempt.value, c.out.cost_per_attempt, what);
  near(perFix.value, c.out.cost_per_fix, what);
  near(perFix.se, c.out.se, what);
  near(perFix.lo, c.out.log_ci?.[0] ?? null, what);
  near(perFix.hi, c.out.log_ci?.[1] ?? null, what);
  if (c.out.lower_bound !== null) near(perAttempt.value / one.taskAware(rows.map(([, f, n]) => f / n)).hi, c.out.lower_bound, what);
});
suite("time_to_fix", (c, near, what) => {
  const steps = one.incidence(c.in.attempts_seconds_event);
  assert.equal(steps.length, c.out.fixed_within.length, what);
  steps.forEach(([t, share], i) => {
    assert.equal(t, c.out.fixed_within[i][0]);
    near(share, c.out.fixed_within[i][1], what);
    near(one.fixedBy(steps, 1, t), share, what);
  });
});
suite("exclusions", (c, near, what) => {
  const { fixes, valid_attempts, infra_excluded } = c.in;
  const all = one.exclusionBounds(fixes, valid_attempts, infra_excluded);
  near(all.worst, c.out.rate_all_excluded_failed, what);
  near(all.best, c.out.rate_all_excluded_fixed, what);
  near(all.share, c.out.excluded_share, what);
  [all.lo, all.hi].forEach((v, i) => near(v, c.out.sensitivity_interval[i], what));
});
suite("contamination", (c, near, what) => {
  const range = two.squareAndAdd(c.in.before, c.in.after);
  for (const key of ["delta", "lo", "hi"]) near(range[key], c.out[key], `${what} ${key}`);
  const fifths = (v) => [5, Math.round(v * 5)];
  const scale = (list) => (list.every((v) => Number.isInteger(v * 5) || Math.abs(v * 5 - Math.round(v * 5)) < 1e-9) ? list.map(fifths) : list.map((v) => [2, 2 * v]));
  near(two.permutation(scale(c.in.before), scale(c.in.after)), c.out.perm_p, what);
});
suite("display", (c) => assert.equal(formatValue(c.in, "percent"), c.out));

const sha = (data) => createHash("sha256").update(data).digest("hex");

suite("rng", (c) => {
  if (c.id === "seed from text") return assert.equal(math.seedOf(c.in.utf8), c.out.seed_hex);
  const g = math.generator(c.in.seed_hex);
  if (c.id === "stream") {
    assert.deepEqual(g.state, c.out.state_u32);
    assert.deepEqual(c.out.xoshiro128ss_u32.map(() => g.next()), c.out.xoshiro128ss_u32);
  } else if (c.id === "below") {
    assert.deepEqual(c.out.map(() => g.below(c.in.n)), c.out);
  } else {
    const bytes = Buffer.alloc(4 * c.in.draws);
    for (let i = 0; i < c.in.draws; i++) bytes.writeUInt32LE(g.below(c.in.n), 4 * i);
    assert.equal(sha(bytes), c.out.sha256_of_u32le_draws);
    assert.equal(g.draws(), c.out.raw_outputs_consumed);
  }
});

suite("bootstrap", (c, near, what) => {
  const tasks = c.in.tasks_n_c;
  assert.equal(math.seedOf(c.in.seed_text), c.in.seed_hex);
  const table = one.weights(c.in.seed_hex, tasks.length, c.in.B);
  assert.equal(sha(table), c.weights_sha256_u8);
  for (const [name, want] of Object.entries(c.out)) {
    const [kind, k] = name === "rate" ? ["rate", 1] : [name[4] === "@" ? "pass_at" : "pass_hat", Number(name.slice(5))];
    const { parts, scale } = one.overCommon(one.fractions(tasks, kind, k));
    assert.equal(scale * tasks.length, want.denominator, `${what} ${name}`);
    const sums = one.replicateSums(parts, table);
    assert.deepEqual([...sums.slice(0, 5)], want.replicate_sums_first5);
    sums.sort();
    assert.deepEqual([sums[249], sums[9749]], want.percentile_95_sums);
    const shown = one.taskAware(parts.map((a) => a / scale));
    near(shown.lo, want.show_task_aware_wilson[0], what);
    near(shown.hi, want.show_task_aware_wilson[1], what);
    if (want.bca_95 === null) continue;
    const range = one.bca(parts, scale, one.replicateMeans(parts, scale, table, parts.map((_, i) => i), parts.length));
    near(range.z0, want.bca_z0, what);
    near(range.a, want.bca_a, what);
    near(range.lo, want.bca_95[0], `${what} ${name} lo`);
    near(range.hi, want.bca_95[1], `${what} ${name} hi`);
  }
});

suite("suite_average", (c, near, what) => {
  const tasks = c.in.tasks_n_c;
  const rates = two.rates(tasks);
  near(one.taskAware(rates).mean, c.out.macro_rate, what);
  for (const [name, want] of Object.entries(c.out)) {
    const found = /^pass([@^])(\d+)$/.exec(name);
    if (!found) continue;
    const held = tasks.filter(([n]) => n >= Number(found[2]));
    assert.equal(held.length, want.tasks_covered, `${what} ${name}`);
  }
});

test("sha-256 agrees with the system's for texts of every length around a block", () => {
  for (let n = 0; n < 140; n++) {
    const text = "é".repeat(n % 3) + "x".repeat(n);
    assert.equal(math.sha256Hex(text), sha(text));
  }
});
test("strings are ordered by their bytes, as the files are", () => {
  const words = ["a", "", "b", "aa", "é", "z", "\u{1f600}", "\uffee", "a|b", "A", "\ue000", "a\u{1f600}", "a\uffee"];
  const want = [...words].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
  assert.deepEqual([...words].sort(math.byBytes), want);
});
test("the exact tests agree with enumeration", () => {
  const g = math.generator("00000000deadbeef");
  for (let round = 0; round < 30; round++) {
    const row = () => Array.from({ length: 4 + g.below(5) }, () => { const n = 1 + g.below(4); return [n, g.below(n + 1)]; });
    const [a, b] = [row(), row()];
    const m = Math.min(a.length, b.length);
    const gaps = a.slice(0, m).map(([n, c], i) => (c * b[i][0] - b[i][1] * n) * (144 / (n * b[i][0])));
    let hits = 0;
    for (let mask = 0; mask < 2 ** m; mask++) {
      const total = gaps.reduce((s, d, i) => s + ((mask >> i) & 1 ? d : -d), 0);
      if (Math.abs(total) >= Math.abs(gaps.reduce((s, d) => s + d, 0)) - 1e-6) hits++;
    }
    assert.ok(Math.abs(two.signFlip(a.slice(0, m), b.slice(0, m)) - hits / 2 ** m) < 1e-12);
    const all = [...a, ...b].map(([n, c]) => (c * 12) / n);
    const gap = (mask) => {
      const sums = [0, 0];
      all.forEach((v, i) => (sums[(mask >> i) & 1] += v));
      return Math.abs(sums[1] / a.length - sums[0] / b.length);
    };
    let [as, many] = [0, 0];
    const seen = gap(2 ** a.length - 1);
    for (let mask = 0; mask < 2 ** all.length; mask++) {
      if (mask.toString(2).replaceAll("0", "").length !== a.length) continue;
      many++;
      if (gap(mask) >= seen - 1e-9) as++;
    }
    assert.ok(Math.abs(two.permutation(a, b) - as / many) < 1e-12);
  }
});

test("a sign-flip test too large to be exact is an upper bound, and a close one", () => {
  // Attempts with many different primes: the common denominator passes every limit.
  const primes = [7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47];
  const a = primes.map((n) => [n, n - 2]);
  const b = primes.map((n, i) => [primes[(i + 1) % primes.length], 3]);
  const gaps = a.map(([n, c], i) => c / n - b[i][1] / b[i][0]);
  const seen = Math.abs(math.sum(gaps));
  let hits = 0;
  for (let mask = 0; mask < 2 ** gaps.length; mask++) {
    const total = gaps.reduce((s, d, i) => s + ((mask >> i) & 1 ? d : -d), 0);
    if (Math.abs(total) >= seen - 1e-12) hits++;
  }
  const p = two.signFlip(a, b);
  assert.ok(p >= hits / 2 ** gaps.length && p < hits / 2 ** gaps.length + 0.01, `${p}`);
});
