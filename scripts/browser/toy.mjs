// A small site whose numbers can be worked out on paper: two boards, four runs, one publisher's record.
import * as recompute from "../../site-templates/recompute.js";

const PLAN = { schema: "tsbench.run/1", source: "own", condition: "default", agent: { name: "shell", version: "1" } };
const day = { x: "2026-01-10", y: "2026-02-10", z: "2026-02-20", w: null };
const repo = { x: "o/p", y: "o/p", z: "o/q", w: "o/r" };
const language = { x: "typescript", y: "typescript", z: "java", w: null };

export const runs = [
  { ...PLAN, run: "r1", suite: "toy@1.0", models: [{ id: "A", cutoff: "2026-01-31" }, { id: "B" }], tasks: ["x", "y", "z"], repeats: 2, planned_attempts: 12, task_details: [{ id: "x", targets: 3 }, { id: "y", targets: null }] },
  { ...PLAN, run: "r2", suite: "toy@1.1", models: [{ id: "C" }, { id: "D" }], agent: { name: "other", version: "2" }, condition: "terse", tasks: ["x", "y", "w"], repeats: 1, planned_attempts: 6, task_details: [{ id: "y", targets: 4, guards: 41 }], scoring: { infra: "fail" } },
  { ...PLAN, run: "wide", suite: "wide@1", models: [{ id: "S" }, { id: "M" }, { id: "W" }], tasks: wideTasks(), repeats: 3, planned_attempts: 108 },
];

function wideTasks() {
  return Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, "0")}`);
}

const attempt = (run, task, model, repeat, outcome, more = {}) => ({ schema: "tsbench.attempt/1", run, suite: "toy@1.0", task, model, repeat, outcome, ...more });
const cost = (usd, agent, total, turns, input, output) => ({ cost_usd: usd, seconds: { agent, total }, turns, usage: { input, output } });
const free = { cost_usd: 0 };

/** Raw lines by run, in the order of the files. */
export function lines() {
  const r1 = [
    attempt("r1", "x", "A", 0, "resolved", cost(0.1, 60, 80, 3, 100, 10)),
    attempt("r1", "x", "A", 1, "unresolved", cost(0.2, 120, 140, 5, 200, 20)),
    attempt("r1", "y", "A", 0, "infra_error", { cost_usd: 0.05 }),
    attempt("r1", "y", "A", 0, "resolved", cost(0.3, 90, 100, 4, 300, 30)),
    attempt("r1", "y", "A", 1, "timed_out", { cost_usd: null, seconds: { agent: 300, total: 320 }, turns: 9, stop: "time_limit" }),
    attempt("r1", "z", "A", 0, "stopped", { cost_usd: 0.01 }),
    attempt("r1", "z", "A", 1, "no_patch", { ...cost(0.4, 30, 40, 1, 400, 40), stop: "turn_limit" }),
    attempt("r1", "x", "B", 0, "resolved", { ...free, digests: { grader: "g/1" } }),
    attempt("r1", "x", "B", 1, "resolved", { ...free, digests: { grader: "g/2" } }),
    attempt("r1", "y", "B", 0, "unresolved", free),
    attempt("r1", "y", "B", 1, "patch_failed", free),
    attempt("r1", "z", "B", 0, "observed", { ...free, digests: { grader: "g/1" } }),
  ];
  const terse = { agent: "other@2", condition: "terse" };
  const r2 = [
    attempt("r2", "x", "C", 0, "infra_error", terse),
    attempt("r2", "y", "C", 0, "resolved", terse),
    attempt("r2", "w", "C", 0, "stopped", terse),
  ];
  // S fixes all twelve tasks, M the first six, W none; three attempts each.
  const fixes = { S: 12, M: 6, W: 0 };
  const wide = Object.entries(fixes).flatMap(([model, upTo]) => wideTasks().flatMap((task, i) => [0, 1, 2].map((r) => attempt("wide", task, model, r, i < upTo ? "resolved" : "unresolved"))));
  return { r1, r2, wide };
}

export const record = { schema: "tsbench.publisher/1", run: "told", suite: "toy@1.0", rows: [{ model: "A", mean_score: 0.42, seconds: null, note: "x" }] };

const entry = (key, model, agent = "shell@1", condition = "default") => ({ key, model, agent, condition });

/** The published frame: boards without numbers. */
export function frame() {
  const toy = {
    id: "toy", suite: "toy@1.1", runs: ["r1", "r2", "told"],
    entries: [entry("a", "A"), entry("b", "B"), entry("c", "C", "other@2", "terse"), entry("d", "D", "other@2", "terse")],
    tasks: Object.keys(day).map((id) => ({ id, repo: repo[id], language: language[id], merged_at: day[id], ...work(id, day) })),
  };
  const wide = {
    id: "wide", suite: "wide@1", runs: ["wide"],
    entries: [entry("s", "S"), entry("m", "M"), entry("w", "W")],
    tasks: wideTasks().map((id, i) => ({ id, repo: `r/${i % 4}`, language: "go", merged_at: "2026-03-01" })),
  };
  return { schema: "tsbench.numbers/1", boards: [toy, wide], numbers: [] };
}

/** Files as they stand in the site: the attempts of r1 cut in two. */
export function files(all = lines()) {
  const text = (rows) => rows.map((row) => JSON.stringify(row) + "\n").join("");
  const out = runs.map((run) => [{ path: `data/raw/${run.run}/run.json`, run: run.run }, JSON.stringify(run)]);
  for (const [run, rows] of Object.entries(all)) {
    const parts = run === "r1" ? [rows.slice(0, 3), rows.slice(3)] : [rows];
    parts.forEach((part, i) => out.push([{ path: `data/raw/${run}/attempts-000${i}.jsonl`, run, lines: part.length }, text(part)]));
  }
  out.push([{ path: "data/raw/told/publisher.json", run: "told" }, JSON.stringify(record)]);
  return out;
}

/** Everything read and bound, as the page does it. */
export function load({ rows = lines(), numbers = [], change = (f) => f } = {}) {
  const store = recompute.createStore();
  for (const [file, text] of files(rows)) recompute.addFile(store, file, text);
  return recompute.bind(store, change({ ...frame(), numbers }));
}

// Tasks of February are hard and of two kinds, the others easy and of one; a task without a day says nothing.
function work(id, day) {
  if (!day[id]) return {};
  return day[id].startsWith("2026-02") ? { difficulty: "hard", use_cases: ["testing", "refactoring"] } : { difficulty: "easy", use_cases: ["testing"] };
}
