// The statistics by name: each takes a scope (a set of attempts of a board, an entry, a run, a group) and gives a value or null. Pure.
import { sum, byBytes } from "./recompute-math.js";
import * as one from "./recompute-intervals.js";
import * as two from "./recompute-pairs.js";
import { OUTCOMES, numberAt, outcomeOf, isCounted, isExcluded, hitLimit } from "./recompute-lines.js";

const remember = (make) => {
  const key = Symbol(make.name);
  return (scope, ...rest) => (scope[key] ??= make(scope, ...rest));
};
const share = (part, whole) => (whole ? part / whole : null);
const mean = (values) => (values.length ? sum(values) / values.length : null);
const known = (values) => values.filter((v) => v !== null);

// ---- what a scope's lines add up to; each is worked out once

const counted = remember(function counted(s) {
  return s.rows.filter((row) => isCounted(s.store, row));
});
const fixes = remember(function fixes(s) {
  return counted(s).filter((row) => outcomeOf(s.store, row) === "resolved").length;
});
const outcomes = remember(function outcomes(s) {
  const out = Object.fromEntries(OUTCOMES.map((word) => [word, 0]));
  for (const row of s.rows) out[outcomeOf(s.store, row)]++;
  return out;
});
const excluded = remember(function excluded(s) {
  return s.rows.filter((row) => isExcluded(s.store, row)).length;
});

/** Tasks with a counted attempt in byte order of id: { ids, tasks: [[n, c]…], costs: [[nano-dollars, fixes, attempts]…] }. */
export const cells = remember(function cells(s) {
  const found = new Map();
  for (const row of counted(s)) {
    const id = s.store.words[s.store.at.task[row]];
    const cell = found.get(id) ?? found.set(id, [0, 0, 0, 0, 0]).get(id);
    const fix = outcomeOf(s.store, row) === "resolved" ? 1 : 0;
    const nano = s.store.nano[row];
    cell[0]++;
    cell[1] += fix;
    if (nano === null) continue;
    cell[2] += nano;
    cell[3] += fix;
    cell[4]++;
  }
  const ids = [...found.keys()].sort(byBytes);
  const all = ids.map((id) => found.get(id));
  return { ids, tasks: all.map(([n, c]) => [n, c]), costs: all.filter((x) => x[4]).map((x) => x.slice(2)) };
});
const taw = remember(function taw(s) {
  return one.taskAware(two.rates(cells(s).tasks));
});
const repositories = remember(function repositories(s) {
  const repos = cells(s).ids.map((id) => s.meta(id).repo ?? null);
  const distinct = new Set(repos.filter((r) => r !== null)).size;
  const usable = !repos.includes(null) && distinct >= 2 && distinct < repos.length;
  const range = usable ? one.repoAware(two.rates(cells(s).tasks), repos) : { lo: null, hi: null };
  return { distinct, range };
});
const bounds = remember(function bounds(s) {
  return one.exclusionBounds(fixes(s), counted(s).length, excluded(s));
});
const again = remember(function again(s) {
  return one.repeatability(cells(s).tasks);
});
const cost = remember(function cost(s) {
  const dollars = (nano) => nano / 1e9;
  const rows = cells(s).costs;
  const nano = rows.reduce((t, [c]) => t + c, 0);
  const spent = known(s.every.map((row) => s.store.nano[row]));
  const perAttempt = one.ratio(rows.map(([c, , n]) => [dollars(c), n]), false);
  const high = taw(s).hi;
  const floor = fixes(s) === 0 && perAttempt.value > 0 ? perAttempt.value / high : null;
  return {
    total: rows.length ? dollars(nano) : null,
    spent: spent.length ? dollars(spent.reduce((t, c) => t + c, 0)) : null,
    unknown: counted(s).filter((row) => s.store.nano[row] === null).length,
    perAttempt,
    perFix: one.ratio(rows.map(([c, f]) => [dollars(c), f]), true),
    floor,
  };
});
const bootstrapped = (s, kind, k) => {
  const held = (s.ranges ??= new Map());
  const key = `${kind} ${k}`;
  if (!held.has(key)) held.set(key, complete(s, k) ? one.bootstrapRange(cells(s).tasks, kind, k, drawing(s)) : { lo: null, hi: null });
  return held.get(key);
};
const drawing = remember(function drawing(s) {
  const place = new Map(s.universe().map((id, i) => [id, i]));
  const columns = Uint32Array.from(cells(s).ids, (id) => place.get(id));
  return { seed: `bench-bootstrap/v1|${s.board.suite}`, columns, width: place.size };
});
const complete = (s, k) => cells(s).tasks.length > 0 && cells(s).tasks.every(([n]) => n >= k);
const suiteMean = (s, f, k) => (complete(s, k) ? mean(cells(s).tasks.map(([n, c]) => f(n, c, k))) : null);

const endings = (s, pointer) => {
  const held = (s.endings ??= {});
  return (held[pointer] ??= endingsOf(s, pointer));
};
function endingsOf(s, pointer) {
  const rows = [];
  for (const row of counted(s)) {
    const time = numberAt(s.store, row, pointer);
    if (time === null) continue;
    const fix = outcomeOf(s.store, row) === "resolved";
    rows.push([time, fix ? "fix" : hitLimit(s.store, row, ["time_limit", "turn_limit"]) ? "timeout" : "gaveup"]);
  }
  return { count: rows.length, steps: one.incidence(rows) };
}
const fixedWithin = (s, pointer, time) => one.fixedBy(endings(s, pointer).steps, endings(s, pointer).count, time);

const split = remember(function split(s) {
  const cutoff = s.cutoff();
  const out = { early: null, delta: null, lo: null, hi: null, p: null };
  if (!cutoff) return out;
  const { ids, tasks } = cells(s);
  const sides = [[], []];
  const day = (id) => s.meta(id).merged_at?.slice(0, 10);
  ids.forEach((id, i) => day(id) && sides[day(id) <= cutoff ? 0 : 1].push(tasks[i]));
  const late = new Date(Date.parse(`${cutoff}T00:00:00Z`) + 90 * 86400000).toISOString().slice(0, 10);
  out.early = ids.filter((id) => day(id) && day(id) <= late).length;
  if (!sides[0].length || !sides[1].length) return out;
  return { ...out, ...two.squareAndAdd(two.rates(sides[0]), two.rates(sides[1])), sides };
});
const splitP = remember(function splitP(s) {
  const { sides } = split(s);
  return { p: sides ? two.permutation(...sides) : null };
});

const turned = (pointer) => (s) => mean(known(counted(s).map((row) => numberAt(s.store, row, pointer))));
const tokens = (row, s) => {
  const [input, output] = [numberAt(s.store, row, "/usage/input"), numberAt(s.store, row, "/usage/output")];
  return input === null || output === null ? null : input + output;
};
const distinct = (s, field) => new Set(known(s.universe().map((id) => s.meta(id)[field] ?? null))).size;

// What the first plan that says it says of a task's tests.
const said = (s, id, field) => {
  const details = s.board.runs.flatMap((run) => run.task_details ?? []).filter((d) => d.id === id);
  return details.map((d) => d[field]).find((value) => typeof value === "number") ?? null;
};

/** The statistics of one scope, by name. */
export const STATS = {
  attempts: (s) => counted(s).length,
  planned: (s) => s.planned(),
  targets: (s, n) => said(s, n.task, "targets"),
  guards: (s, n) => said(s, n.task, "guards"),
  fixed: fixes,
  outcome: (s, n) => outcomes(s)[n.outcome] ?? null,
  graded_by: (s, n) => counted(s).filter((row) => s.store.words[s.store.at.grader[row]] === n.grader).length,
  excluded,
  excluded_share: (s) => bounds(s).share,
  tasks_covered: (s) => cells(s).ids.length,
  tasks_total: (s) => s.universe().length,
  tasks_fixed: (s) => cells(s).tasks.filter(([, c]) => c > 0).length,
  limit_hits: (s) => counted(s).filter((row) => hitLimit(s.store, row, ["turn_limit", "time_limit", "cost_limit"])).length,
  rate: (s) => share(fixes(s), counted(s).length),
  wilson_lo: (s) => one.wilson(fixes(s), counted(s).length).lo,
  wilson_hi: (s) => one.wilson(fixes(s), counted(s).length).hi,
  task_rate: (s) => taw(s).mean,
  taw_lo: (s) => taw(s).lo,
  taw_hi: (s) => taw(s).hi,
  n_eff: (s) => taw(s).n_eff,
  repo_lo: (s) => repositories(s).range.lo,
  repo_hi: (s) => repositories(s).range.hi,
  repos_covered: (s) => repositories(s).distinct,
  worst_rate: (s) => bounds(s).worst,
  best_rate: (s) => bounds(s).best,
  sens_lo: (s) => bounds(s).lo,
  sens_hi: (s) => bounds(s).hi,
  disagreement: (s) => again(s).disagreement,
  mixed_tasks: (s) => again(s).mixed_tasks,
  repeat_tasks: (s) => again(s).repeat_tasks,
  rerun_se: (s) => again(s).rerun_se,
  cost_total: (s) => cost(s).total,
  cost_spent: (s) => cost(s).spent,
  cost_unknown: (s) => cost(s).unknown,
  cost_per_attempt: (s) => cost(s).perAttempt.value,
  cost_per_attempt_lo: (s) => cost(s).perAttempt.lo,
  cost_per_attempt_hi: (s) => cost(s).perAttempt.hi,
  cost_per_fix: (s) => cost(s).perFix.value,
  cost_per_fix_lo: (s) => cost(s).perFix.lo,
  cost_per_fix_hi: (s) => cost(s).perFix.hi,
  cost_per_fix_floor: (s) => cost(s).floor,
  seconds_mean: turned("/seconds/total"),
  turns_mean: turned("/turns"),
  tokens_mean: (s) => mean(known(counted(s).map((row) => tokens(row, s)))),
  pass_at: (s, n) => suiteMean(s, one.passAt, n.k),
  pass_hat: (s, n) => suiteMean(s, one.passHat, n.k),
  pass_at_lo: (s, n) => bootstrapped(s, "pass_at", n.k).lo,
  pass_at_hi: (s, n) => bootstrapped(s, "pass_at", n.k).hi,
  pass_hat_lo: (s, n) => bootstrapped(s, "pass_hat", n.k).lo,
  pass_hat_hi: (s, n) => bootstrapped(s, "pass_hat", n.k).hi,
  pass_at_tasks: (s, n) => cells(s).tasks.filter(([attempts]) => attempts >= n.k).length,
  fixed_by: (s, n) => (n.minutes != null ? fixedWithin(s, "/seconds/agent", n.minutes * 60) : fixedWithin(s, "/turns", n.turn)),
  cutoff_gap: (s) => split(s).delta,
  cutoff_lo: (s) => split(s).lo,
  cutoff_hi: (s) => split(s).hi,
  cutoff_p: (s) => splitP(s).p,
  cutoff_tasks: (s) => split(s).early,
  entries: (s) => s.entries().length,
  entries_with_data: (s) => s.entries().filter((e) => counted(e).length).length,
  unrun: (s) => s.entries().filter((e) => !e.rows.length).length,
  repos: (s) => distinct(s, "repo"),
  languages: (s) => distinct(s, "language"),
};

// ---- pairs

const ranked = (name) => (family, key) => family.ranks(key)?.[name] ?? null;
/** The statistics of an entry among all entries of its board. */
export const RANKS = { rank_lo: ranked("rank_lo"), rank_hi: ranked("rank_hi"), tie_group: ranked("tie_group") };

/** Two scopes side by side on the tasks that both have; what is dear is worked out when it is asked for. */
export function pairOf(A, B) {
  const [a, b] = [cells(A), cells(B)];
  const place = new Map(b.ids.map((id, i) => [id, i]));
  const rows = [[], []];
  a.ids.forEach((id, i) => {
    if (!place.has(id)) return;
    rows[0].push(a.tasks[i]);
    rows[1].push(b.tasks[place.get(id)]);
  });
  const matched = rows[0].length;
  return { A, B, a: rows[0], b: rows[1], matched, onlyA: a.ids.length - matched, onlyB: b.ids.length - matched };
}
const range = remember(function range(pair) {
  return two.pairedRange(pair.a, pair.b);
});
const test = remember(function test(pair) {
  return { p: two.signFlip(pair.a, pair.b) };
});
/** Exact p of a pair, worked out once. */
export const pairP = (pair) => test(pair).p;
/** 1, -1 or 0: which side has the higher task rate. */
export const direction = (pair) => Math.sign(range(pair).delta ?? 0);
/** Task rate of a scope by one division of whole numbers, so that equal rates are equal. */
export function taskRate(s) {
  const whole = one.overCommon(one.fractions(cells(s).tasks, "rate", 1));
  return whole ? sum(whole.parts) / (whole.scale * whole.parts.length) : taw(s).mean;
}

const compare = (pair, sign) => pair.a.filter(([n, c], i) => Math.sign(c * pair.b[i][0] - pair.b[i][1] * n) === sign).length;
const places = (s) => new Set(counted(s).map((row) => `${s.store.at.task[row]} ${s.store.at.repeat[row]}`));
const variance = (pair) => two.observedVariance(pair.a, pair.b) || null;
function needed(pair) {
  const v = variance(pair);
  const { delta } = range(pair);
  return v === null || !delta || compare(pair, 0) === pair.matched ? null : Math.ceil(two.tasksNeeded(v, delta));
}

/** The statistics of a pair, by name. */
export const PAIRS = {
  matched_tasks: (pair) => pair.matched,
  only_a: (pair) => pair.onlyA,
  only_b: (pair) => pair.onlyB,
  delta: (pair) => range(pair).delta,
  delta_lo: (pair) => range(pair).lo,
  delta_hi: (pair) => range(pair).hi,
  p: pairP,
  p_holm: (pair, family) => family.adjusted(pair),
  a_better: (pair) => compare(pair, 1),
  b_better: (pair) => compare(pair, -1),
  tied: (pair) => compare(pair, 0),
  mde: (pair) => (variance(pair) === null ? null : two.smallestGap(variance(pair), pair.matched)),
  tasks_needed: needed,
  matched_cells(pair) {
    const mine = places(pair.A);
    return [...places(pair.B)].filter((key) => mine.has(key)).length;
  },
};
