// The recomputation as a whole, on a site small enough to check on paper (toy.mjs).
import test from "node:test";
import assert from "node:assert/strict";
import * as recompute from "../../site-templates/recompute.js";
import * as one from "../../site-templates/recompute-intervals.js";
import * as two from "../../site-templates/recompute-pairs.js";
import { STATS, PAIRS, RANKS } from "../../site-templates/recompute-stats.js";
import { seedOf } from "../../site-templates/recompute-math.js";
import { load, lines, frame, files } from "./toy.mjs";

const wilson = (x, n) => one.wilson(x, n);
const taw = (...values) => one.taskAware(values);
const REACH = 1.959963984540054 + 0.8416212335729143;
const third = taw(0.5, 0.5, 0);
const gap = two.squareAndAdd([0.5], [0.5, 0]);

// [parameters, expected]: what A's seven lines say, by hand.
const A = { board: "toy", entry: "a" };
const ofA = {
  attempts: 5, planned: 6, fixed: 2, excluded: 1, excluded_share: 1 / 6, tasks_covered: 3, tasks_total: 4, tasks_fixed: 2, limit_hits: 2,
  rate: 0.4, wilson_lo: wilson(2, 5).lo, wilson_hi: wilson(2, 5).hi, task_rate: 1 / 3, taw_lo: third.lo, taw_hi: third.hi, n_eff: third.n_eff,
  repo_lo: one.repoAware([0.5, 0.5, 0], ["p", "p", "q"]).lo, repo_hi: one.repoAware([0.5, 0.5, 0], ["p", "p", "q"]).hi, repos_covered: 2,
  worst_rate: 2 / 6, best_rate: 3 / 6, sens_lo: wilson(2, 6).lo, sens_hi: wilson(3, 6).hi,
  disagreement: 1, mixed_tasks: 2, repeat_tasks: 2, rerun_se: null,
  cost_total: 1, cost_spent: 1.06, cost_unknown: 1, cost_per_attempt: 0.25, cost_per_fix: 0.5, cost_per_fix_floor: null,
  seconds_mean: 136, turns_mean: 4.4, tokens_mean: 275,
  cutoff_gap: 0.25, cutoff_lo: gap.lo, cutoff_hi: gap.hi, cutoff_p: 1, cutoff_tasks: 3,
};
// Costs by task: x 0.3 for 1 fix of 2 attempts, y 0.3 for 1 of 1, z 0.4 for 0 of 1; t with 2 degrees is 4.3027.
const T2 = 4.302652729749462;
const reach = (rows, total, value) => (T2 * Math.sqrt(1.5 * rows.reduce((s, [c, d]) => s + (c - value * d) ** 2, 0))) / total / value;
const perFix = reach([[0.3, 1], [0.3, 1], [0.4, 0]], 2, 0.5);
const perAttempt = reach([[0.3, 2], [0.3, 1], [0.4, 1]], 4, 0.25);
Object.assign(ofA, {
  cost_per_fix_lo: 0.5 * Math.exp(-perFix), cost_per_fix_hi: 0.5 * Math.exp(perFix),
  cost_per_attempt_lo: 0.25 * Math.max(0, 1 - perAttempt), cost_per_attempt_hi: 0.25 * (1 + perAttempt),
});

const wide = (entry, stat, more = {}) => ({ board: "wide", entry, stat, ...more });
const half = [...Array(6).fill(1), ...Array(6).fill(0)];
const bca = (() => {
  const table = one.weights(seedOf("bench-bootstrap/v1|wide@1"), 12);
  return one.bca(half, 1, one.replicateMeans(half, 1, table, half.map((_, i) => i), 12));
})();

const pair = (stat) => ({ board: "toy", entry: "a", versus: "b", stat });
const CASES = [
  ...Object.entries(ofA).map(([stat, want]) => [{ ...A, stat }, want]),
  ...Object.entries({ resolved: 2, unresolved: 1, no_patch: 1, timed_out: 1, infra_error: 0, stopped: 1, patch_failed: 0, observed: 0 }).map(([outcome, want]) => [{ ...A, stat: "outcome", outcome }, want]),
  [{ ...A, stat: "pass_at", k: 1 }, 1 / 3], [{ ...A, stat: "pass_at", k: 2 }, null], [{ ...A, stat: "pass_hat", k: 1 }, 1 / 3], [{ ...A, stat: "pass_hat", k: 2 }, null],
  [{ ...A, stat: "pass_at_tasks", k: 2 }, 2], [{ ...A, stat: "pass_at_lo", k: 1 }, third.lo], [{ ...A, stat: "pass_at_hi", k: 2 }, null], [{ ...A, stat: "pass_hat_hi", k: 1 }, third.hi],
  [{ ...A, stat: "fixed_by", minutes: 0.5 }, 0], [{ ...A, stat: "fixed_by", minutes: 1 }, 0.25], [{ ...A, stat: "fixed_by", minutes: 1.5 }, 0.5], [{ ...A, stat: "fixed_by", minutes: 60 }, 0.5],
  [{ ...A, stat: "fixed_by", turn: 2 }, 0], [{ ...A, stat: "fixed_by", turn: 4 }, 0.5],
  // observed lines count nowhere; a run may count infrastructure errors; stops never count.
  [{ board: "toy", entry: "b", stat: "attempts" }, 4], [{ board: "toy", entry: "b", stat: "excluded" }, 0], [{ board: "toy", entry: "b", stat: "outcome", outcome: "observed" }, 1],
  [{ board: "toy", entry: "b", stat: "cost_per_fix" }, 0], [{ board: "toy", entry: "b", stat: "cost_per_fix_hi" }, 0], [{ board: "toy", entry: "b", stat: "cost_total" }, 0], [{ board: "toy", entry: "b", stat: "cutoff_gap" }, null],
  [{ board: "toy", entry: "c", stat: "attempts" }, 2], [{ board: "toy", entry: "c", stat: "excluded" }, 1], [{ board: "toy", entry: "c", stat: "planned" }, 3], [{ board: "toy", entry: "c", stat: "cost_spent" }, null],
  [{ board: "toy", entry: "d", stat: "rate" }, null], [{ board: "toy", entry: "d", stat: "attempts" }, 0], [{ board: "toy", entry: "d", stat: "fixed_by", minutes: 5 }, null], [{ board: "toy", entry: "d", stat: "pass_at", k: 1 }, null],
  // what the plans say of a task's tests: the first that says it
  [{ board: "toy", task: "x", stat: "targets" }, 3], [{ board: "toy", task: "y", stat: "targets" }, 4], [{ board: "toy", task: "y", stat: "guards" }, 41], [{ board: "toy", task: "x", stat: "guards" }, null],
  // the board
  [{ board: "toy", stat: "attempts" }, 11], [{ board: "toy", stat: "fixed" }, 5], [{ board: "toy", stat: "planned" }, 18], [{ board: "toy", stat: "entries" }, 4], [{ board: "toy", stat: "entries_with_data" }, 3],
  [{ board: "toy", stat: "unrun" }, 1], [{ board: "toy", stat: "repos" }, 3], [{ board: "toy", stat: "languages" }, 2], [{ board: "toy", stat: "tasks_total" }, 4], [{ board: "toy", stat: "excluded" }, 2],
  // who scored: counted lines alone, and those that name nobody
  [{ board: "toy", stat: "graded_by", grader: "g/1" }, 1], [{ board: "toy", stat: "graded_by", grader: "g/2" }, 1], [{ board: "toy", stat: "graded_by", grader: "" }, 9],
  // groups, tasks, runs, releases
  [{ ...A, stat: "attempts", by: "month", group: "2026-02" }, 3], [{ ...A, stat: "fixed", by: "month", group: "2026-02" }, 1], [{ ...A, stat: "tasks_total", by: "month", group: "2026-02" }, 2],
  [{ ...A, stat: "attempts", by: "difficulty", group: "hard" }, 3], [{ ...A, stat: "fixed", by: "use_case", group: "refactoring" }, 1], [{ ...A, stat: "tasks_total", by: "use_case", group: "refactoring" }, 2],
  [{ ...A, stat: "tasks_total", by: "use_case", group: "testing" }, 3],
  [{ ...A, stat: "wilson_hi", by: "month", group: "2026-02" }, wilson(1, 3).hi], [{ board: "toy", stat: "attempts", by: "repo", group: "o/p" }, 10], [{ board: "toy", stat: "rate", by: "language", group: "java" }, 0],
  [{ board: "toy", task: "x", stat: "attempts" }, 5], [{ board: "toy", task: "x", stat: "fixed" }, 3], [{ board: "toy", task: "x", stat: "entries_with_data" }, 3], [{ board: "toy", task: "w", stat: "entries_with_data" }, 0],
  [{ run: "r1", stat: "attempts" }, 9], [{ run: "r1", stat: "planned" }, 12], [{ run: "r1", stat: "fixed" }, 4], [{ run: "r1", stat: "excluded" }, 1], [{ run: "r1", stat: "cost_spent" }, 1.06],
  [{ board: "toy", release: "1.0", stat: "attempts" }, 9], [{ board: "toy", release: "1.0", stat: "tasks_total" }, 3], [{ board: "toy", entry: "c", release: "1.1", stat: "fixed" }, 1], [{ board: "toy", entry: "c", release: "1.0", stat: "rate" }, null],
  // pairs: x is 1/2 against 1, y is 1/2 against 0
  [pair("matched_tasks"), 2], [pair("only_a"), 1], [pair("only_b"), 0], [pair("delta"), 0], [pair("p"), 1], [pair("p_holm"), 1], [pair("a_better"), 1], [pair("b_better"), 1], [pair("tied"), 0], [pair("matched_cells"), 4],
  [pair("mde"), REACH * 0.5], [pair("tasks_needed"), null],
  [{ ...pair("p"), entry: "a", versus: "d" }, null], [{ ...pair("delta"), versus: "d" }, null], [{ ...pair("p_holm"), versus: "d" }, null], [{ ...pair("mde"), versus: "d" }, null],
  [{ board: "toy", entry: "a", stat: "rank_lo" }, null],
  // the wide board: S 12 of 12, M the first 6, W none; p is 2/2^12 and twice 2/2^6
  [wide("s", "p", { versus: "w" }), 2 / 4096], [wide("s", "p_holm", { versus: "w" }), 6 / 4096], [wide("m", "p", { versus: "s" }), 1 / 32], [wide("m", "p_holm", { versus: "s" }), 1 / 16],
  [wide("m", "delta", { versus: "s" }), -0.5], [wide("s", "tasks_needed", { versus: "m" }), Math.ceil((REACH ** 2 * 3) / 11 / 0.25)], [wide("s", "mde", { versus: "m" }), REACH * Math.sqrt(3 / 11 / 12)],
  [wide("s", "mde", { versus: "w" }), null], [wide("s", "tasks_needed", { versus: "w" }), null],
  [wide("s", "rank_lo"), 1], [wide("s", "rank_hi"), 2], [wide("s", "tie_group"), 1], [wide("m", "rank_lo"), 1], [wide("m", "rank_hi"), 3], [wide("m", "tie_group"), 1], [wide("w", "rank_lo"), 2], [wide("w", "rank_hi"), 3], [wide("w", "tie_group"), 2],
  [wide("m", "pass_at", { k: 3 }), 0.5], [wide("m", "pass_at_lo", { k: 3 }), bca.lo], [wide("m", "pass_hat_lo", { k: 2 }), bca.lo], [wide("m", "pass_hat_hi", { k: 2 }), bca.hi], [wide("s", "pass_at_lo", { k: 3 }), 12 / (12 + 3.8416)], [wide("s", "pass_at_hi", { k: 3 }), 1],
  [wide("m", "rerun_se"), 0], [wide("m", "cost_total"), null], [wide("w", "cost_per_fix_floor"), null],
  [{ stat: "quoted", file: "told", pointer: "/rows/0/mean_score" }, 0.42], [{ stat: "quoted", file: "told", pointer: "/rows/0/seconds" }, null],
];

function close(got, want, what) {
  assert.ok(recompute.sameValue(got, want), `${what}: ${got} is not ${want}`);
}

test("every statistic of the site gives what the lines say on paper", () => {
  const ctx = load();
  assert.deepEqual(ctx.problems, []);
  for (const [number, want] of CASES) close(recompute.compute(ctx, number), want, JSON.stringify(number));
  const range = two.pairedRange([[2, 1], [2, 1]], [[2, 2], [2, 0]]);
  close(recompute.compute(ctx, pair("delta_lo")), range.lo, "delta_lo");
  close(recompute.compute(ctx, pair("delta_hi")), range.hi, "delta_hi");
});

test("no statistic is left without a case", () => {
  const tried = new Set([...CASES.map(([number]) => number.stat), "delta_lo", "delta_hi"]);
  for (const stat of [...Object.keys(STATS), ...Object.keys(PAIRS), ...Object.keys(RANKS), "quoted"]) assert.ok(tried.has(stat), stat);
});

test("a model without a fix gets a lower limit of its cost per fix", () => {
  const rows = lines();
  for (const row of rows.r1) if (row.outcome === "resolved" && row.model === "A") row.outcome = "unresolved";
  const ctx = load({ rows });
  close(recompute.compute(ctx, { ...A, stat: "cost_per_fix" }), null, "cost_per_fix");
  close(recompute.compute(ctx, { ...A, stat: "cost_per_fix_floor" }), 0.25 / (3.8416 / (3 + 3.8416)), "floor");
});

test("cells and fields of raw lines are found by their ids alone", () => {
  const ctx = load();
  const value = (id) => recompute.resolve(ctx, id).value;
  assert.equal(value("cell|toy|a|y|fixed"), 1);
  assert.equal(value("cell|toy|a|y|attempts"), 2);
  assert.equal(value("cell|toy|b|z|attempts"), 0);
  assert.equal(value("line|r1|y|A|default|0|/cost_usd"), 0.3, "the replacing line");
  assert.equal(value("line|r1|y|A|default|1|/cost_usd"), null);
  assert.equal(value("line|r1|x|A|default|1|/seconds/agent"), 120);
  assert.equal(value("line|r2|y|C|terse|0|/turns"), null);
  for (const id of ["line|r1|y|A|default|7|/turns", "cell|toy|a|y|odd", "cell|toy|q|y|fixed", "cell|no|a|y|fixed", "elsewhere", "cell|toy|a|%FF|fixed", "file|no/such|bytes"]) {
    assert.equal(recompute.checkMention(ctx, { id, attribute: "1", text: "1" }).ok, false, id);
  }
});

test("an id says any name in plain letters, and the size of a file is the manifest's", () => {
  const names = { task: "a|b\u202e\n100%", model: "m|\u0000\ufeff", run: "r|\u2066" };
  const part = (name) => [...new TextEncoder().encode(name)].map((b) => (/[A-Za-z0-9._~@:/-]/.test(String.fromCharCode(b)) ? String.fromCharCode(b) : `%${b.toString(16).toUpperCase().padStart(2, "0")}`)).join("");
  const store = recompute.createStore();
  const plan = { schema: "tsbench.run/1", run: names.run, suite: "s@1", models: [{ id: names.model }], tasks: [names.task, "a"], repeats: 1, planned_attempts: 2 };
  const line = { schema: "tsbench.attempt/1", run: names.run, task: names.task, model: names.model, repeat: 0, outcome: "resolved", turns: 7 };
  recompute.addFile(store, { path: "data/raw/r/run.json", run: names.run, bytes: 123 }, JSON.stringify(plan));
  recompute.addFile(store, { path: "data/raw/r/attempts-0000.jsonl", run: names.run, bytes: 45 }, JSON.stringify(line));
  const board = { id: "b", suite: "s@1", runs: [names.run], entries: [{ key: "m", model: names.model, agent: "shell@1", condition: "default" }], tasks: [{ id: names.task }, { id: "a" }] };
  const ctx = recompute.bind(store, { boards: [board], numbers: [] });
  const value = (id) => recompute.resolve(ctx, id).value;
  assert.equal(value(`line|${part(names.run)}|${part(names.task)}|${part(names.model)}|default|0|/turns`), 7);
  assert.equal(value(`cell|b|m|${part(names.task)}|fixed`), 1);
  assert.equal(value("cell|b|m|a|excluded"), 0);
  assert.equal(value("file|data/raw/r/run.json|bytes"), 123);
});

const problems = (rows) => load({ rows }).problems.map((p) => p.what).join("; ");

test("a second line replaces an excluded one and no other", () => {
  const rows = lines();
  rows.r1.push({ ...rows.r1[0], outcome: "unresolved" });
  assert.match(problems(rows), /a second line of r1\|x\|A\|default\|0/);
  const ctx = load({ rows });
  assert.equal(recompute.compute(ctx, { ...A, stat: "fixed" }), 2, "the first stays");
  const fails = lines();
  fails.r2.push({ ...fails.r2[0], outcome: "resolved" });
  assert.match(problems(fails), /a second line of r2/, "a counted infrastructure error is not excluded");
  const twice = lines();
  twice.r1.push({ ...twice.r1[5], outcome: "infra_error" }, { ...twice.r1[5], outcome: "resolved" });
  assert.equal(problems(twice), "");
  assert.equal(recompute.compute(load({ rows: twice }), { ...A, stat: "excluded" }), 0);
  assert.equal(recompute.compute(load({ rows: twice }), { ...A, stat: "fixed" }), 3);
  const seen = lines();
  seen.r1.push({ ...seen.r1[11], outcome: "resolved" });
  assert.match(problems(seen), /a second line of r1\|z\|B/, "an observed line is not excluded");
});

test("faults of the raw files are found", () => {
  const spoil = (change) => {
    const rows = lines();
    change(rows.r1[0]);
    return problems(rows);
  };
  assert.match(spoil((row) => (row.outcome = "won")), /unknown outcome "won"/);
  assert.match(spoil((row) => (row.schema = "tsbench.attempt/9")), /unknown schema/);
  assert.match(spoil((row) => (row.run = "r9")), /names the run "r9"/);
  assert.match(spoil((row) => (row.model = "Z")), /belong to no entry/);
  assert.match(spoil((row) => (row.task = "v")), /the task v, which is in no plan/);
  const changed = (change) => load({ change: (f) => (change(f.boards[0]), f) }).problems.map((p) => p.what).join("; ");
  assert.match(changed((b) => b.tasks.pop()), /the task w is planned and not listed/);
  assert.match(changed((b) => b.tasks.push({ id: "v" })), /the task v is listed and in no plan/);
  assert.match(changed((b) => b.runs.push("r9")), /the run r9 has no raw files/);
  const store = recompute.createStore();
  for (const [file, text] of files()) recompute.addFile(store, file.lines ? { ...file, lines: 99 } : file, text.replace('"r1"', '"r1" '));
  assert.match(recompute.bind(store, frame()).problems[0].what, /the manifest says 99/);
});

test("a changed outcome changes the numbers that rest on it and no others", () => {
  const numbers = CASES.map(([number]) => number);
  const values = (rows) => numbers.map((number) => recompute.compute(load({ rows }), number));
  const before = values(lines());
  const rows = lines();
  rows.r1[0].outcome = "unresolved"; // A's first attempt at x
  const after = values(rows);
  const changed = numbers.filter((_, i) => !recompute.sameValue(after[i], before[i]));
  const has = (want) => changed.some((n) => Object.entries(want).every(([k, v]) => n[k] === v));
  for (const stat of ["fixed", "rate", "wilson_lo", "task_rate", "taw_hi", "tasks_fixed", "worst_rate", "best_rate", "cost_per_fix", "cutoff_gap", "mixed_tasks", "disagreement"]) assert.ok(has({ ...A, stat }), stat);
  assert.ok(has({ board: "toy", stat: "fixed" }) && has({ run: "r1", stat: "fixed" }) && has({ task: "x", stat: "fixed" }) && has({ entry: "a", versus: "b", stat: "delta" }));
  for (const n of changed) assert.ok(n.board !== "wide" && n.stat !== "attempts" && n.stat !== "quoted" && !["b", "c", "d"].includes(n.entry), JSON.stringify(n));
});

test("a number that does not follow from the lines is told apart, and says why", () => {
  const number = { id: "n", ...A, stat: "rate", format: "percent", value: 0.4, text: "40.0%" };
  const wrong = { ...number, id: "w", value: 0.41, text: "41.0%" };
  const ctx = load({ numbers: [number, wrong] });
  assert.equal(recompute.checkNumber(ctx, number).ok, true);
  assert.equal(recompute.checkNumber(ctx, wrong).why, "the value differs");
  const shown = (attribute, text) => recompute.checkMention(ctx, { id: "n", attribute, text });
  assert.equal(shown("0.4", "40.0%").ok, true);
  assert.equal(shown("0.4000000000000001", "40.0%").ok, true);
  assert.equal(shown("0.4000001", "40.0%").why, "the value differs");
  assert.equal(shown("0.4", "40%").why, "the text differs");
  assert.equal(shown("", "no data").why, "the value differs");
  assert.equal(shown(null, "40.0%").why, "no stated value");
  assert.equal(shown("many", "40.0%").why, "no stated value");
  const odd = recompute.checkNumber(ctx, { id: "w", value: 1, text: "1" });
  assert.equal(odd.ok, false);
  assert.equal(recompute.checkNumber(load({ numbers: [{ ...number, stat: "luck" }] }), number).why, 'unknown statistic "luck"');
});

test("the dear tests of a board can be done a step at a time", () => {
  const ctx = load();
  assert.equal([...recompute.prepare(ctx, wide("s", "rank_lo"))].length, 3);
  assert.equal([...recompute.prepare(ctx, wide("s", "rate"))].length, 0);
});

test("texts follow the formats", () => {
  const text = {
    percent: { 0: "0.0%", 0.3: "30.0%", 0.0004: "<0.1%", 0.0005: "0.1%", 0.9994: "99.9%", 0.9995: ">99.9%", 1: "100.0%", 0.0625: "6.3%", 0.0005000001: "0.1%" },
    points: { 0.078: "+7.8 points", "-0.078": "\u22127.8 points", 0: "+0.0 points", "-0.0001": "\u22120.0 points" },
    count: { 0: "0", 999: "999", 1234: "1,234", 1234567: "1,234,567", 0.5: "1", 2.5: "3", 2.4999: "2" },
    decimal1: { 36.25: "36.3", 36.24: "36.2", 0.05: "0.1", 1234.56: "1,234.6" },
    decimal2: { 1.005: "1.00", 0.125: "0.13", "-1": "\u22121.00" },
    usd2: { 9.304: "$9.30", 0: "$0.00", 0.125: "$0.13", 1234567.891: "$1,234,567.89" },
    usd3: { 0.4652: "$0.465", 1000.1234: "$1,000.123" },
    p: { 0.03125: "0.0313", 1: "1.0000", 0.00009: "<0.0001", 0.0001: "0.0001" },
    seconds: { 80.4: "80 s", 80.5: "81 s", 3600: "3,600 s" },
  };
  for (const [format, table] of Object.entries(text)) {
    assert.equal(recompute.formatValue(null, format), "no data");
    for (const [value, want] of Object.entries(table)) assert.equal(recompute.formatValue(Number(value), format), want, `${format} ${value}`);
  }
  assert.equal(recompute.formatValue(-0, "points"), "+0.0 points");
  assert.throws(() => recompute.formatValue(1, "roman"), /unknown format/);
  assert.throws(() => recompute.formatValue(NaN, "percent"), /not finite/);
});

// The second route of rounding: the exact decimal expansion of a double, as whole numbers.
function exactRound(value, digits) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const mantissa = (bits & 0xfffffffffffffn) | (exponent ? 1n << 52n : 0n);
  const shift = (exponent || 1) - 1075;
  const [up, down] = shift >= 0 ? [1n << BigInt(shift), 1n] : [1n, 1n << BigInt(-shift)];
  const scaled = (2n * mantissa * up * 10n ** BigInt(digits) + down) / (2n * down); // half goes up
  const text = String(scaled).padStart(digits + 1, "0");
  return digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
}
test("rounding is half away from zero on the exact value of the double", () => {
  const values = [0.05, 0.15, 0.25, 0.35, 0.125, 0.5, 1.5, 2.5, 1e-9, 0.0625, 1e15 + 0.5, 123456.789];
  for (let i = 0; i < 4000; i++) values.push(i / 16, (i * 2.5) / 1000, (i / 240) * 100, i / 7);
  for (const v of values) for (const digits of [0, 1, 2, 3, 4]) {
    const format = ["count", "decimal1", "decimal2", "usd3", "p"][digits];
    if (digits === 4 && v < 0.0001) continue;
    assert.equal(recompute.formatValue(v, format).replace(/[$,]/g, ""), exactRound(v, digits), `${v} at ${digits}`);
  }
});

test("entries of a board share one weight matrix, and an entry takes the columns of its own tasks", () => {
  const seed = "bench-bootstrap/v1|wide@1";
  const table = one.weights(seedOf(seed), 40);
  const columns = Array.from({ length: 12 }, (_, i) => 3 * i);
  const means = one.replicateMeans(half, 1, table, columns, 40);
  // By hand: the same rows of the same matrix, over the weight that they put on the twelve.
  const byHand = [];
  for (let b = 0; b < table.length / 40; b++) {
    const w = columns.map((c) => table[40 * b + c]);
    const weight = w.reduce((s, x) => s + x, 0);
    if (weight) byHand.push(w.reduce((s, x, i) => s + x * half[i], 0) / weight);
  }
  assert.deepEqual([...means], byHand.sort((a, b) => a - b));
  const tasks = half.map((v) => [3, 3 * v]);
  const range = one.bootstrapRange(tasks, "pass_at", 1, { seed, columns, width: 40 });
  assert.deepEqual([range.lo, range.hi], [one.bca(half, 1, means).lo, one.bca(half, 1, means).hi]);
  // A replicate that drew none of an entry's tasks is left out.
  const few = one.replicateMeans([0, 1], 1, one.weights(seedOf(seed), 200), [7, 9], 200);
  assert.ok(few.length < 9999 && few.length > 8000, `${few.length}`);
});

test("a board on which two entries share no task has pairs and no ranks", () => {
  const rows = lines();
  rows.wide = rows.wide.filter((row) => row.model !== "W" || row.task >= "t06").filter((row) => row.model !== "M" || row.task < "t06");
  const ctx = load({ rows });
  for (const entry of ["s", "m", "w"]) close(recompute.compute(ctx, wide(entry, "rank_lo")), null, entry);
  close(recompute.compute(ctx, wide("s", "p_holm", { versus: "w" })), 1 / 16, "two pairs are left in the family");
  close(recompute.compute(ctx, wide("m", "p_holm", { versus: "w" })), null, "nothing in common");
});

test("a publisher's cutoff for an entry wins over the plan's", () => {
  const change = (f) => ((f.boards[0].entries[0].cutoff = "2026-02-15"), f);
  const ctx = load({ change });
  close(recompute.compute(ctx, { ...A, stat: "cutoff_gap" }), 0.5, "x and y before, z after");
});

test("a stated release is the runs that it names, and its entries are those of its runs", () => {
  const releases = [{ version: "first", board: "toy", runs: ["r1"] }, { version: "none", board: "toy", runs: [] }];
  const ctx = load({ change: (f) => ({ ...f, releases }) });
  const value = (release, stat) => recompute.compute(ctx, { board: "toy", release, stat });
  assert.deepEqual([value("first", "entries"), value("first", "attempts"), value("first", "tasks_total")], [2, 9, 3]);
  assert.deepEqual([value("none", "entries"), value("none", "attempts"), value("none", "rate")], [0, 0, null]);
});

test("the exact sign-flip test ends at a sum of 2^24 steps", () => {
  // Gaps of -1/n, 1/(n-1) and 1/n are n-1, n and n-1 steps. Six of the eight sums are as large as theirs; of the other two
  // the rounded test cannot tell.
  const p = (n) => two.signFlip([[n, 0], [n - 1, 1], [n, 1]], [[n, 1], [n - 1, 0], [n, 0]]);
  assert.equal(p(5592406), 0.75, "2^24 steps");
  assert.equal(p(5592407), 1, "three more");
});

// ---- what folders of tasks say

function withTasks() {
  const store = recompute.createStore();
  const put = (name, text, more = {}) => recompute.addFile(store, { path: `data/tasks/s/${name}`, suite: "s@1", ...more }, text);
  put("suite.json", JSON.stringify({ schema: "tsbench.suite/1", suite: "s@1", title: "S", note: "" }));
  const line = (task, problem) => JSON.stringify({ schema: "tsbench.task/1", suite: "s@1", task, targets: 2, limits: { tests_seconds: 180 }, problem }) + "\n";
  put("tasks-0000.jsonl", line("t", "# At 42\n\nRow 7 of 9, &#49;0, 1**2**") + line("u", "none"), { lines: 2 });
  return { store, put, ctx: recompute.bind(store, { boards: [], numbers: [] }) };
}

test("the numbers of a task's folder follow from its published line", () => {
  const { ctx } = withTasks();
  assert.deepEqual(ctx.problems, []);
  assert.equal(recompute.resolve(ctx, "task|s@1|t|/targets").value, 2);
  assert.equal(recompute.resolve(ctx, "task|s@1|t|/limits/tests_seconds").value, 180);
  assert.equal(recompute.resolve(ctx, "suite|s@1|tasks").value, 2);
  for (const id of ["task|s@1|x|/targets", "task|s@1|t|/title", "suite|s@2|tasks"]) assert.throws(() => recompute.resolve(ctx, id));
});

test("a statement shows no number that its published text does not have there", () => {
  const { ctx } = withTasks();
  const decode = (text) => text.replaceAll("&#49;", "1");
  const why = (texts, base = "task|s@1|t|") => recompute.checkStatement(ctx, base, texts, decode);
  assert.equal(why(["At 42", "Row 7 of 9, 10, ", "1", "2"]), "");
  assert.equal(why(["At 42"]), "", "less than all may be shown");
  for (const texts of [["At 43"], ["At 7", "42"], ["At 42", "97"]]) assert.match(why(texts), /does not stand/);
  assert.match(why(["1"], "task|s@1|x|"), /no task/);
  assert.match(why(["1"], null), /no block of a task/);
});

test("the numbers and states of a log of audits follow from its raw lines", () => {
  const { store, ctx } = withTasks();
  const proof = (kind, outcome, seconds) => ({ kind, name: "x", good: true, outcome, seconds });
  const proofs = [proof("fix", "resolved", 1.5), proof("fix", "unresolved", 2), proof("empty", "unresolved", null), proof("exploit", "patch_failed", 0.25)];
  const line = (more) => JSON.stringify({ schema: "tsbench.health/1", suite: "s@1", task: "t", at: "2026-01-02T03:04:05Z", state: "drifted", proofs, ...more });
  const file = { path: "data/health/s/health-0000.jsonl", suite: "s", lines: 2 };
  recompute.addFile(store, file, `${line()}\n${line({ at: "2026-02-02T03:04:05Z", state: "unknown", proofs: [] })}\n`);
  assert.deepEqual(store.problems, []);
  const base = "health|s@1|t|2026-01-02T03:04:05Z|";
  const value = (what) => recompute.resolve(ctx, base + what).value;
  assert.deepEqual(["/fix/resolved", "/fix/total", "/empty/total", "/exploit/resolved", "/seconds"].map(value), [1, 2, 1, 0, 3.75]);
  assert.equal(recompute.resolve(ctx, base + "/seconds").format, "seconds");
  assert.equal(recompute.resolve(ctx, "health|s@1|t|2026-02-02T03:04:05Z|/seconds").value, null);
  for (const what of ["/state", "/fix", "/fix/good"]) assert.throws(() => value(what));
  assert.equal(recompute.checkState(ctx, base, "drifted"), "");
  assert.match(recompute.checkState(ctx, base, "healthy"), /the state is drifted/);
  assert.match(recompute.checkState(ctx, "health|s@1|t|2026-03-02T03:04:05Z|", "healthy"), /no audit/);
  recompute.addFile(store, { ...file, lines: 3 }, `${line()}\n${line({ suite: "z@1" })}\n${line({ schema: "x" })}\n`);
  assert.equal(store.problems.length, 3);
});

test("a quoted patch is the beginning of a file beside the lines, its controls shown", () => {
  const store = recompute.createStore();
  const path = "data/artifacts/r/files/t/m/0/patch.diff";
  recompute.addFile(store, { path, run: "r", bytes: 9, sha256: "x" }, "");
  assert.deepEqual(store.problems, []);
  assert.equal(store.sizes.get(path), 9);
  const bytes = new Uint8Array([...new TextEncoder().encode("\ufeff+a\r\n+\u001b[1m\u202eb\n"), 0xff, 0x0a]);
  const why = (shown, of = path) => recompute.checkQuoted(store, of, shown, bytes);
  assert.equal(why("\ufffd+a\ufffd\n+\ufffd[1m\ufffdb\n\ufffd\n"), "");
  assert.equal(why("\ufffd+a"), "", "a page may cut it");
  assert.match(why("\ufffd+b"), /not what the published file begins with/);
  assert.match(why("\ufffd+a", "data/artifacts/r/files/t/m/1/patch.diff"), /not in the manifest/);
});

test("a fault in what is published of tasks is named with its line", () => {
  const { store, put } = withTasks();
  put("tasks-0001.jsonl", '{"schema":"tsbench.task/2"}\n{"schema":"tsbench.task/1","suite":"s@1","task":"t"}\nnot json\n', { lines: 4 });
  assert.deepEqual(store.problems.map((p) => p.where.split("/").pop()), ["tasks-0001.jsonl line 1", "tasks-0001.jsonl line 2", "tasks-0001.jsonl line 3", "tasks-0001.jsonl"]);
});

test("a line that contradicts itself is told with its file, its line and both values", () => {
  const told = (change) => {
    const rows = lines();
    change(rows.r1[0]);
    return load({ rows }).problems.map(({ where, what }) => `${where}: ${what}`).join("; ");
  };
  const tests = (targets, guards) => {
    const of = ([passed, total]) => ({ passed, total, failed: Array.from({ length: Math.max(0, total - passed) }, (_, i) => `t${i}`) });
    return { targets: of(targets), guards: of(guards) };
  };
  const patch = { sha256: "11", bytes: 9, applied: "strict" };
  const grader = { grader: "tsbench-score/5" };
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  for (const [outcome, more, want] of [
    ["resolved", { tests: tests([0, 2], [0, 0]) }, /line 1: tests\.targets: .*resolved.* 0 of 2/],
    ["resolved", { tests: tests([2, 2], [2, 3]) }, /tests\.guards: .* 2 of 3/],
    ["resolved", { tests: tests([0, 0], [3, 3]) }, /no target to pass/],
    ["resolved", { digests: grader, tests: tests([2, 2], [0, 0]) }, /there is no patch/],
    ["resolved", { digests: grader, patch }, /neither a target nor a check/],
    ["resolved", { patch: { bytes: 0, sha256: empty } }, /the patch is empty/],
    ["resolved", { score: { passed: 1, total: 2 } }, /score: 1 of 2 does not agree/],
    ["resolved", { error: { class: "exit_disagrees" } }, /error: /],
    ["unresolved", { tests: tests([2, 2], [3, 3]) }, /all 2 targets and 3 guards passed/],
    ["unresolved", { tests: { targets: { passed: 1, total: 2, failed: [] } } }, /1 of 2 passed, and 0 are named/],
    ["unresolved", { tests: { targets: { passed: 3, total: 2 } } }, /3 passed of 2/],
    ["no_patch", { patch }, /there is a patch/],
    ["patch_failed", { patch }, /the patch was applied/],
    ["infra_error", { tests: tests([0, 2], [0, 0]) }, /a verdict says 0 of 2/],
    ["observed", { score: { passed: 0, total: 2 } }, /a verdict says 0 of 2/],
    ["unresolved", { patch: { bytes: 9, sha256: empty } }, /its digest is that of no bytes/],
  ]) {
    assert.match(told((row) => Object.assign(row, { outcome }, more)), want, `${outcome} ${JSON.stringify(more)}`);
  }
  for (const [outcome, more] of [
    ["resolved", { digests: grader, patch, tests: tests([2, 2], [0, 0]) }],
    ["unresolved", { tests: { targets: { passed: 1, total: 1 } } }],
    ["timed_out", { stop: "submitted", tests: tests([0, 2], [0, 0]) }],
    ["no_patch", { patch: { bytes: 2, sha256: "11", applied: "empty" } }],
  ]) {
    assert.equal(told((row) => Object.assign(row, { outcome }, more)), "", `${outcome} ${JSON.stringify(more)}`);
  }
});

test("a sum that misses a whole number by its rounding is that number in words", () => {
  for (const [value, format, want] of [
    [0.9999999999999997, "percent", "100.0%"],
    [1e-17, "percent", "0.0%"],
    [-1e-17, "percent", "0.0%"],
    [-1e-17, "points", "+0.0 points"],
    [0.3 - 0.1 - 0.2, "decimal1", "0.0"],
    [1e-9, "percent", "<0.1%"],
    [1 - 1e-9, "percent", ">99.9%"],
    [1e-17, "p", "<0.0001"],
  ]) {
    assert.equal(recompute.formatValue(value, format), want, `${format} ${value}`);
  }
});

test("a plan that counts two conditions plans half of it for each row", () => {
  const { r1 } = lines();
  assert.ok(r1.length > 0);
  const run = (planned, condition) => ({ schema: "tsbench.run/1", run: "c", suite: "s@1", agent: { name: "shell", version: "1" }, condition, models: [{ id: "m" }], tasks: ["a", "b"], repeats: 3, planned_attempts: planned });
  const plannedOf = (planned, condition, of) => {
    const store = recompute.createStore();
    recompute.addFile(store, { path: "data/raw/c/run.json", run: "c" }, JSON.stringify(run(planned, "terse")));
    const board = { id: "b", suite: "s@1", runs: ["c"], entries: [{ key: "k", model: "m", agent: "shell@1", condition: of }], tasks: [{ id: "a" }, { id: "b" }] };
    const ctx = recompute.bind(store, { boards: [board], numbers: [] });
    return recompute.compute(ctx, { stat: "planned", board: "b", entry: "k" });
  };
  assert.equal(plannedOf(12, "terse", "terse"), 6);
  assert.equal(plannedOf(12, "terse", "default"), 6);
  assert.equal(plannedOf(6, "terse", "terse"), 6);
  assert.equal(plannedOf(6, "terse", "default"), 0);
});

test("a report and a patch that say otherwise than their line are told", () => {
  const line = { schema: "tsbench.attempt/1", run: "r", suite: "s@1", task: "T", model: "m/x", repeat: 0, outcome: "unresolved", tests: { targets: { passed: 1, total: 2 }, guards: { passed: 0, total: 0 } }, patch: { bytes: 3 } };
  const verdict = { outcome: "unresolved", targets: { passed: 1, total: 2 }, guards: { passed: 0, total: 0 }, seconds: { tests: 1 } };
  const told = (report, patch = "abc") => {
    const store = recompute.createStore();
    const plan = { schema: "tsbench.run/1", run: "r", suite: "s@1", agent: { name: "shell", version: "1" }, models: [{ id: "m/x" }], tasks: ["T"], repeats: 1, planned_attempts: 1 };
    recompute.addFile(store, { path: "data/raw/r/run.json", run: "r" }, JSON.stringify(plan));
    const folder = "data/artifacts/r/files/t~u1/m~sx/0";
    recompute.addFile(store, { path: `${folder}/report.json`, run: "r" }, report);
    recompute.addFile(store, { path: `${folder}/patch.diff`, run: "r" }, patch);
    recompute.addFile(store, { path: "data/raw/r/attempts-0000.jsonl", run: "r" }, JSON.stringify(line));
    return recompute.bind(store, { boards: [], numbers: [] }).problems.map(({ what }) => what).join("; ");
  };
  const report = (change) => JSON.stringify({ verdict: { ...verdict, ...change } });
  assert.equal(told(report({})), "");
  assert.match(told(report({ outcome: "resolved" })), /"unresolved", and its report "resolved"/);
  assert.match(told(report({ targets: { passed: 0, total: 2 } })), /1 of 2, and its report 0 of 2/);
  assert.match(told(report({ score: { passed: 1, total: 2 } })), /score: the line says nothing, and its report 1 of 2/);
  assert.match(told(report({}), "abcd"), /patch\.bytes: the line says 3, and the patch has 4/);
  assert.equal(told(report({}), "a [redacted]"), "");
  assert.match(told("{"), /cannot be read/);
});
