// Independent recomputation of every published number from the raw lines. Pure: runs in a browser and in node.
// In: raw files (addFile), the published numbers (bind). Out: values (compute, resolve) and verdicts (checkNumber, checkMention).
import { byBytes, sha256Hex } from "./recompute-math.js";
import { formatValue, sameValue, familyFormat } from "./recompute-format.js";
import { createStore, addFile, isArtifact, checkQuoted, identityOf, fieldOf, atPointer, taskKey, auditKey } from "./recompute-lines.js";
import { evidenceProblems } from "./recompute-evidence.js";
import { STATS, PAIRS, RANKS, cells, pairOf, pairP, direction, taskRate } from "./recompute-stats.js";
import { holm, rankRanges } from "./recompute-pairs.js";

export { createStore, addFile, isArtifact, checkQuoted, formatValue, sameValue };

const NO_TASK = "no task of a suite has this name";
const NO_META = Object.freeze({});
const FEWEST_RANKED_TASKS = 10;
const LEVEL = 0.05;

const entryWord = (model, agent, condition) => JSON.stringify([model, agent, condition]);
const tasksIn = (runs) => [...new Set(runs.flatMap((run) => run.tasks))].sort(byBytes);

/** Joins the raw files with the published frame: boards, entries, facts about tasks. Faults go to ctx.problems. */
export function bind(store, published) {
  const ctx = { store, published, problems: [...store.problems, ...evidenceProblems(store)], scopes: new Map(), families: new Map(), values: new Map() };
  ctx.byId = new Map((published.numbers ?? []).map((n) => [n.id, n]));
  if (ctx.byId.size !== (published.numbers ?? []).length) ctx.problems.push({ where: "data/numbers.json", what: "an id is there twice" });
  ctx.boards = new Map((published.boards ?? []).map((board) => [board.id, frameOf(ctx, board)]));
  for (const board of ctx.boards.values()) checkFrame(ctx, board);
  return ctx;
}

function frameOf(ctx, board) {
  const runs = board.runs.map((id) => ctx.store.runs.get(id)).filter(Boolean);
  const reported = new Set([...ctx.store.publishers.values()].map((record) => record.run));
  for (const id of board.runs) {
    if (!ctx.store.runs.has(id) && !reported.has(id)) ctx.problems.push({ where: `board ${board.id}`, what: `the run ${id} has no raw files` });
  }
  return {
    ...board,
    runs,
    meta: new Map(board.tasks.map((task) => [task.id, task])),
    keyOf: new Map(board.entries.map((e) => [entryWord(e.model, e.agent, e.condition), e.key])),
    named: new Map(board.entries.map((e) => [e.key, e])),
    grouped: new Map(),
    universes: new Map(),
  };
}

// The frame is published, so it is held against the raw files too: tasks, facts about tasks, and a home for every line.
function checkFrame(ctx, board) {
  const fault = (what) => ctx.problems.push({ where: `board ${board.id}`, what });
  const planned = new Set(board.runs.flatMap((run) => run.tasks));
  const listed = new Set(board.tasks.map((task) => task.id));
  for (const id of planned) if (!listed.has(id)) fault(`the task ${id} is planned and not listed`);
  for (const id of listed) if (!planned.has(id)) fault(`the task ${id} is listed and in no plan`);
  for (const detail of board.runs.flatMap((run) => run.task_details ?? [])) {
    for (const field of ["repo", "language", "merged_at", "difficulty", "use_cases"]) {
      const stated = board.meta.get(detail.id)?.[field] ?? null;
      if (detail[field] != null && JSON.stringify(detail[field]) !== JSON.stringify(stated)) fault(`the ${field} of ${detail.id} is not that of the plan`);
    }
  }
  const { homeless, tasks } = grouped(ctx, board, null);
  for (const word of homeless) fault(`lines of ${word} belong to no entry`);
  for (const id of tasks) if (!planned.has(id)) fault(`lines of the task ${id}, which is in no plan`);
}

/** Runs of a board, all or those of one release. */
function runsOf(ctx, board, release) {
  if (release == null) return board.runs;
  const stated = (ctx.published.releases ?? []).find((r) => r.version === release && (r.board ?? board.id) === board.id);
  const member = (run) => (stated ? stated.runs.includes(run.run) : run.release === release || run.suite?.endsWith(`@${release}`));
  return board.runs.filter(member);
}

function universeOf(ctx, board, release) {
  const key = release ?? "";
  if (!board.universes.has(key)) board.universes.set(key, tasksIn(runsOf(ctx, board, release)));
  return board.universes.get(key);
}

// Rows of a board by entry key: effective ones, and every one (replaced lines were paid for).
function grouped(ctx, board, release) {
  const key = release ?? "";
  if (board.grouped.has(key)) return board.grouped.get(key);
  const { store } = ctx;
  const runs = new Set(runsOf(ctx, board, release).map((run) => run.run));
  const empty = () => ({ rows: [], every: [] });
  const out = { all: empty(), of: new Map(board.entries.map((e) => [e.key, empty()])), homeless: new Set(), tasks: new Set() };
  const word = (column, row) => store.words[store.at[column][row]];
  for (let row = 0; row < store.rows; row++) {
    if (!runs.has(word("run", row))) continue;
    out.tasks.add(word("task", row));
    const name = entryWord(word("model", row), word("agent", row), word("condition", row));
    const home = out.of.get(board.keyOf.get(name));
    if (!home) {
      out.homeless.add(name);
      continue;
    }
    for (const list of [home, out.all]) {
      list.every.push(row);
      if (store.effective[row]) list.rows.push(row);
    }
  }
  board.grouped.set(key, out);
  return out;
}

// ---- scopes

/** The attempts that a number speaks of. Made once for each distinct set of parameters. */
function scopeOf(ctx, { board, entry = null, release = null, task = null, by = null, group = null, run = null }) {
  const key = JSON.stringify([board ?? null, entry, release, task, by, group, run]);
  if (!ctx.scopes.has(key)) ctx.scopes.set(key, makeScope(ctx, board == null ? null : boardOf(ctx, board), { entry, release, task, by, group, run }));
  return ctx.scopes.get(key);
}

function boardOf(ctx, id) {
  const board = ctx.boards.get(id);
  if (!board) throw new Error(`unknown board ${id}`);
  return board;
}

function makeScope(ctx, board, q) {
  const { store } = ctx;
  if (!board && q.run === null) throw new Error("names neither a board nor a run");
  if (q.entry !== null && !board.named.has(q.entry)) throw new Error(`unknown entry ${q.entry}`);
  const word = (column, row) => store.words[store.at[column][row]];
  let { rows, every } = baseRows(ctx, board, q);
  const wanted = q.task === null && q.by === null ? null : new Set(tasksOf(ctx, board, q));
  if (wanted) [rows, every] = [rows, every].map((list) => list.filter((row) => wanted.has(word("task", row))));
  const runs = board ? runsOf(ctx, board, q.release).filter((r) => q.run === null || r.run === q.run) : [planOf(ctx, q.run)];
  const mine = q.entry === null ? runs : runs.filter((r) => holds(r, board.named.get(q.entry)));
  return {
    store, board, rows, every,
    meta: (id) => board?.meta.get(id) ?? NO_META,
    universe: () => (wanted ? [...wanted] : tasksIn(runs)),
    planned: () => mine.reduce((total, r) => total + plannedOf(r) / (q.entry === null ? 1 : r.models.length * conditionsOf(r).length), 0),
    cutoff: () => (q.entry === null ? null : cutoffOf(mine, board.named.get(q.entry))),
    entries() {
      const all = board.entries.map((e) => [e, scopeOf(ctx, { ...q, board: board.id, entry: e.key })]);
      return all.filter(([e, own]) => own.every.length || runs.some((r) => holds(r, e))).map(([, own]) => own);
    },
  };
}

function baseRows(ctx, board, q) {
  const { store } = ctx;
  const inRun = (row) => q.run === null || store.words[store.at.run[row]] === q.run;
  // A group or a task is cut out of its whole, and the whole is sorted by task once.
  if (board && q.run === null) {
    const base = grouped(ctx, board, q.release);
    const whole = q.entry === null ? base.all : base.of.get(q.entry);
    return q.task === null ? whole : taskRows(store, whole, q.task);
  }
  if (board) {
    const whole = scopeOf(ctx, { board: board.id, entry: q.entry, release: q.release });
    return { rows: whole.rows.filter(inRun), every: whole.every.filter(inRun) };
  }
  const every = [];
  for (let row = 0; row < store.rows; row++) if (inRun(row)) every.push(row);
  return { every, rows: every.filter((row) => store.effective[row]) };
}

function taskRows(store, whole, task) {
  if (!whole.byTask) {
    whole.byTask = new Map();
    for (const row of whole.every) {
      const id = store.words[store.at.task[row]];
      const held = whole.byTask.get(id) ?? whole.byTask.set(id, { rows: [], every: [] }).get(id);
      held.every.push(row);
      if (store.effective[row]) held.rows.push(row);
    }
  }
  return whole.byTask.get(task) ?? { rows: [], every: [] };
}

function planOf(ctx, id) {
  const run = ctx.store.runs.get(id);
  if (!run) throw new Error(`unknown run ${id}`);
  return run;
}

const holds = (run, entry) => run.agentWord === entry.agent && conditionsOf(run).includes(entry.condition) && run.models.some((m) => m.id === entry.model);
const eachOf = (run) => run.tasks.length * run.repeats * run.models.length;
const plannedOf = (run) => run.planned_attempts ?? eachOf(run);
// The conditions whose attempts are planned: a plan that counts both has the canonical one beside its own.
const conditionsOf = (run) => (run.condition !== "default" && plannedOf(run) === 2 * eachOf(run) ? ["default", run.condition] : [run.condition]);
// What the publisher states for an entry wins over what its runs say.
const cutoffOf = (runs, entry) => entry.cutoff ?? runs.map((run) => run.models.find((m) => m.id === entry.model)?.cutoff).find(Boolean) ?? null;

// The groups of a task: of use cases it may have several.
const GROUPS = {
  repo: (t) => [t.repo],
  language: (t) => [t.language],
  difficulty: (t) => [t.difficulty],
  use_case: (t) => t.use_cases ?? [],
  month: (t) => [t.merged_at?.slice(0, 7)],
};

function tasksOf(ctx, board, q) {
  const all = universeOf(ctx, board, q.release);
  if (q.task !== null && q.by === null) return [q.task];
  if (q.by !== null && !Object.hasOwn(GROUPS, q.by)) throw new Error(`unknown grouping ${q.by}`);
  const inGroup = (id) => q.by === null || GROUPS[q.by](board.meta.get(id) ?? NO_META).includes(q.group);
  return all.filter((id) => (q.task === null || id === q.task) && inGroup(id));
}

// ---- all pairs of a board

function familyOf(ctx, id, release) {
  const key = JSON.stringify([id, release]);
  if (!ctx.families.has(key)) ctx.families.set(key, makeFamily(ctx, boardOf(ctx, id), release));
  return ctx.families.get(key);
}

function makeFamily(ctx, board, release) {
  const scope = (key) => scopeOf(ctx, { board: board.id, entry: key, release });
  const keys = board.entries.map((e) => e.key).filter((key) => cells(scope(key)).ids.length);
  const held = new Map();
  const pair = (a, b) => {
    const at = JSON.stringify([a, b]);
    if (!held.has(at)) held.set(at, pairOf(scope(a), scope(b)));
    return held.get(at);
  };
  const pairs = [];
  keys.forEach((a, i) => keys.slice(i + 1).forEach((b) => pair(a, b).matched && pairs.push({ a, b, pair: pair(a, b) })));
  const comparable = pairs.length === (keys.length * (keys.length - 1)) / 2;
  const ranked = comparable && universeOf(ctx, board, release).length >= FEWEST_RANKED_TASKS;
  let solved = null;
  const solve = () => (solved ??= solveFamily(keys, pairs, scope, ranked));
  return {
    pairs,
    pair,
    adjusted: (wanted) => solve().adjusted.get(wanted.key) ?? null,
    ranks: (key) => solve().ranks.get(key),
  };
}

const unordered = (a, b) => JSON.stringify([a, b].sort(byBytes));

// Two entries that share no task cannot be compared, and then nobody on the board has a rank.
function solveFamily(keys, pairs, scope, ranked) {
  const adjusted = holm(pairs.map(({ pair }) => pairP(pair)));
  const byPair = new Map(pairs.map(({ a, b }, i) => [unordered(a, b), adjusted[i]]));
  const ranks = new Map();
  if (!ranked) return { adjusted: byPair, ranks };
  const better = [];
  pairs.forEach(({ a, b, pair }, i) => {
    const way = direction(pair);
    if (adjusted[i] > LEVEL || way === 0) return;
    const [x, y] = [keys.indexOf(a), keys.indexOf(b)];
    better.push(way > 0 ? [x, y] : [y, x]);
  });
  const all = rankRanges(keys.map((key) => taskRate(scope(key))), better);
  keys.forEach((key, i) => ranks.set(key, { rank_lo: all.rank_lo[i], rank_hi: all.rank_hi[i], tie_group: all.tie_group[i] }));
  return { adjusted: byPair, ranks };
}

/** Does the dear part of a number's board a step at a time: yields after each exact test, so that a page can breathe. */
export function* prepare(ctx, number) {
  if (!(number.stat in RANKS) && number.stat !== "p_holm") return;
  for (const { pair } of familyOf(ctx, number.board, number.release ?? null).pairs) {
    pairP(pair);
    yield;
  }
}

// ---- values

/** The value of a number object, from the raw lines alone; null is "no data". An unknown statistic is an error. */
export function compute(ctx, number) {
  const has = (table) => Object.hasOwn(table, number.stat);
  if (number.stat === "quoted") return quoted(ctx, number);
  if (number.versus != null && has(PAIRS)) {
    const family = familyOf(ctx, number.board, number.release ?? null);
    const pair = family.pair(number.entry, number.versus);
    pair.key = unordered(number.entry, number.versus);
    return PAIRS[number.stat](pair, family);
  }
  if (has(RANKS)) return RANKS[number.stat](familyOf(ctx, number.board, number.release ?? null), number.entry);
  if (!has(STATS)) throw new Error(`unknown statistic "${number.stat}"`);
  return STATS[number.stat](scopeOf(ctx, number), number);
}

// A record is named by its run.
function quoted(ctx, { file, pointer }) {
  const record = [...ctx.store.publishers.values()].find((r) => r.run === file);
  if (!record) throw new Error(`unknown record ${file}`);
  const value = atPointer(record, pointer);
  if (value === undefined || value === null) return null;
  if (typeof value !== "number") throw new Error(`no number at ${pointer} of ${file}`);
  return value;
}

function family(ctx, id) {
  const [kind, ...parts] = id.split("|").map(decodeURIComponent); // names are percent-encoded, so none holds the mark
  const last = parts.pop();
  if (kind === "cell" && parts.length === 3 && ["fixed", "attempts", "excluded"].includes(last)) {
    const [board, entry, task] = parts;
    return compute(ctx, { stat: last, board, entry, task });
  }
  if (kind === "file" && parts.length === 1 && last === "bytes") {
    if (!ctx.store.sizes.has(parts[0])) throw new Error("no raw file has this path");
    return ctx.store.sizes.get(parts[0]);
  }
  if (kind === "suite" && parts.length === 1 && last === "tasks") {
    if (!ctx.store.suites.has(parts[0])) throw new Error("no such suite");
    return ctx.store.suites.get(parts[0]).tasks;
  }
  if (kind === "task" && parts.length === 2) {
    const value = atPointer(taskOf(ctx, parts[0], parts[1]), last);
    if (typeof value !== "number") throw new Error(`no number at ${last}`);
    return value;
  }
  if (kind === "health" && parts.length === 3) {
    const value = atPointer(auditOf(ctx, ...parts), last);
    if (value !== null && typeof value !== "number") throw new Error(`no number at ${last}`);
    return value;
  }
  if (kind === "line") {
    const row = ctx.store.identity.get(identityOf(...parts));
    if (row === undefined) throw new Error("no raw line has this identity");
    return fieldOf(ctx.store, row, last);
  }
  throw new Error("unknown id");
}

function taskOf(ctx, suite, task) {
  const found = ctx.store.tasks.get(taskKey(suite, task));
  if (!found) throw new Error(NO_TASK);
  return found;
}

function auditOf(ctx, suite, task, at) {
  const found = ctx.store.audits.get(auditKey(suite, task, at));
  if (!found) throw new Error("no audit of this task ended then");
  return found;
}

/** Holds the state that a row of a log of audits shows against the raw line. Returns why it does not hold, or "". */
export function checkState(ctx, base, word) {
  const [kind, ...parts] = (base ?? "").split("|").map(decodeURIComponent);
  if (kind !== "health") return "stands in no row of a log";
  try {
    const { state } = auditOf(ctx, ...parts);
    return state === word ? "" : `the state is ${state}`;
  } catch (error) {
    return error.message;
  }
}

/**
 * Holds the numbers of a statement, as its texts show them, against its published Markdown: each stands there, in this
 * order. `base` is the base of the ids around it, `decode` turns entities into characters. Returns why not, or "".
 */
export function checkStatement(ctx, base, texts, decode) {
  const [kind, suite, task] = (base ?? "").split("|").map(decodeURIComponent);
  if (kind !== "task") return "stands in no block of a task";
  const source = ctx.store.tasks.get(taskKey(suite, task))?.problem;
  if (source === undefined) return NO_TASK;
  const numbers = (text) => text.match(/\p{N}+/gu) ?? [];
  const shown = texts.flatMap(numbers);
  const missing = (all) => {
    let at = 0;
    for (const word of all) if (at < shown.length && word === shown[at]) at++;
    return shown[at] ?? null;
  };
  const first = missing(numbers(source));
  if (first === null || missing(numbers(decode(source))) === null) return "";
  return `the number ${first} does not stand in the published statement, or not in this place`;
}

/** The value and format of any id that a page may show: listed, a cell, or a field of a raw line. */
export function resolve(ctx, id) {
  const number = ctx.byId.get(id);
  if (!number) return { value: family(ctx, id), format: familyFormat(id) };
  if (!ctx.values.has(id)) ctx.values.set(id, compute(ctx, number));
  return { value: ctx.values.get(id), format: number.format };
}

// ---- verdicts

function verdict(ctx, id, stated, format) {
  const out = { id, ok: false, stated, recomputed: { value: null, text: "" }, why: "" };
  try {
    const found = resolve(ctx, id);
    out.recomputed = { value: found.value, text: formatValue(found.value, format ?? found.format) };
    if (!sameValue(found.value, stated.value)) out.why = "the value differs";
    else if (stated.text !== out.recomputed.text && stated.text !== formatValue(stated.value, format ?? found.format)) out.why = "the text differs";
    else out.ok = true;
  } catch (error) {
    out.why = String(error.message ?? error);
  }
  return out;
}

/** Holds a number of numbers.json against the raw lines: { id, ok, stated, recomputed, why }. */
export const checkNumber = (ctx, number) => verdict(ctx, number.id, { value: number.value, text: number.text });

/** Holds what a page shows against the raw lines. `attribute` is the stated value as written; empty is null. */
export function checkMention(ctx, { id, attribute, text, format = null }) {
  const value = attribute === "" ? null : attribute == null || attribute.trim() === "" ? NaN : Number(attribute);
  if (value !== null && !Number.isFinite(value)) return { id, ok: false, stated: { value: attribute, text }, recomputed: { value: null, text: "" }, why: "no stated value" };
  return verdict(ctx, id, { value, text }, ctx.byId.has(id) ? null : format);
}

/** SHA-256 of the manifest's lines "<digest>  <path>\n" in byte order of path: the digest of the data as a whole. */
export function dataDigest(manifest) {
  const lines = [...manifest.files].sort((a, b) => byBytes(a.path, b.path)).map((f) => `${f.sha256}  ${f.path}\n`);
  return sha256Hex(lines.join(""));
}
