// Raw files in, a compact table of attempts out: one row a line, plain numbers in columns, words interned. Pure.
// Which line of an identity is effective, and what is wrong with the files, is decided here.

import { contradictionsOf } from "./recompute-claims.js";

export const OUTCOMES = ["resolved", "unresolved", "no_patch", "patch_failed", "timed_out", "infra_error", "stopped", "observed"];
const code = Object.fromEntries(OUTCOMES.map((word, i) => [word, i]));

/** An empty table; `problems` lists every fault of the files as { where, what }. */
export function createStore() {
  const columns = ["run", "task", "model", "agent", "condition", "repeat", "outcome", "stop", "grader"];
  return {
    sizes: new Map(),
    artifacts: new Set(),
    evidence: new Map(),
    runs: new Map(),
    folders: new Map(),
    publishers: new Map(),
    suites: new Map(),
    tasks: new Map(),
    audits: new Map(),
    problems: [],
    words: [],
    wordAt: new Map(),
    identity: new Map(),
    rows: 0,
    at: Object.fromEntries(columns.map((name) => [name, []])),
    effective: [],
    nano: [],
    shape: [],
    offset: [],
    shapes: [],
    shapeAt: new Map(),
    numbers: new Float64Array(1024),
    used: 0,
  };
}

function intern(store, text) {
  let i = store.wordAt.get(text);
  if (i === undefined) {
    i = store.words.push(text) - 1;
    store.wordAt.set(text, i);
  }
  return i;
}

// Of reports and patches what a line must agree with; of every other file that it is there.
function addArtifact(store, path, name, text) {
  store.artifacts.add(path);
  if (text === "" || path.includes("/try-")) return;
  if (name === "patch.diff") store.evidence.set(path, { redacted: text.includes("[redacted]") });
  if (name !== "report.json") return;
  try {
    const { outcome, targets, guards, score, seconds } = JSON.parse(text)?.verdict ?? {};
    store.evidence.set(path, { verdict: outcome === undefined ? null : { outcome, targets, guards, score, seconds } });
  } catch (error) {
    store.evidence.set(path, { fault: String(error.message ?? error) });
  }
}

/** Whether a raw file lies beside the lines: its bytes are compared, and nothing is counted from it. */
export const isArtifact = (path) => path.startsWith("data/artifacts/");

// Characters that change how a text is shown stand on pages as U+FFFD.
const TREACHEROUS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Holds a file that a page quotes from its beginning against the published bytes. Returns why it does not hold, or "". */
export function checkQuoted(store, path, shown, bytes) {
  if (!store.artifacts.has(path)) return "quotes a file that is not in the manifest";
  const whole = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replace(TREACHEROUS, "\ufffd");
  return whole.startsWith(shown) ? "" : "the quoted text is not what the published file begins with";
}

/** Adds one raw file by its manifest entry: a plan, a part of the attempts, or a publisher's record. */
export function addFile(store, file, text) {
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  // What the manifest says; whoever reads the file holds it against the bytes.
  store.sizes.set(file.path, file.bytes ?? new TextEncoder().encode(text).length);
  try {
    if (isArtifact(file.path)) addArtifact(store, file.path, name, text);
    else if (name === "run.json") addRun(store, file, JSON.parse(text));
    else if (file.path.startsWith("data/tasks/")) addTasks(store, file, text);
    else if (file.path.startsWith("data/health/")) addAudits(store, file, text);
    else if (name === "publisher.json") store.publishers.set(file.path, JSON.parse(text));
    else if (name.endsWith(".jsonl")) addLines(store, file, text);
    else store.problems.push({ where: file.path, what: "is no raw file of a known kind" });
  } catch (error) {
    store.problems.push({ where: file.path, what: String(error.message ?? error) });
  }
}

function addRun(store, file, run) {
  if (run.schema !== "tsbench.run/1") throw new Error(`unknown schema ${JSON.stringify(run.schema)}`);
  if (store.runs.has(run.run)) throw new Error(`the run ${run.run} is there twice`);
  const agent = run.agent ? `${run.agent.name}@${run.agent.version}` : "shell@1";
  const plan = { ...run, agentWord: agent, condition: run.condition ?? "default", infraFails: run.scoring?.infra === "fail" };
  store.runs.set(run.run, plan);
  store.folders.set(file.run, plan);
}

function addLines(store, file, text) {
  const run = store.folders.get(file.run);
  if (!run) throw new Error("has no run.json before it in the manifest");
  let lines = 0;
  for (let from = 0; from < text.length; ) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    const line = text.slice(from, to);
    from = to + 1;
    if (!line.trim()) continue;
    lines++;
    const fault = (what) => store.problems.push({ where: `${file.path} line ${lines}`, what });
    try {
      const parsed = JSON.parse(line);
      contradictionsOf(parsed, run.infraFails).forEach(fault);
      addLine(store, run, parsed);
    } catch (error) {
      fault(String(error.message ?? error));
    }
  }
  if (file.lines !== undefined && file.lines !== lines) {
    store.problems.push({ where: file.path, what: `has ${lines} lines; the manifest says ${file.lines}` });
  }
}

// What folders of tasks say: a suite's head, and one line a task.
function addTasks(store, file, text) {
  const counted = () => store.suites.get(file.suite) ?? store.suites.set(file.suite, { tasks: 0 }).get(file.suite);
  if (file.path.endsWith("/suite.json")) {
    const head = JSON.parse(text);
    if (head.schema !== "tsbench.suite/1" || head.suite !== file.suite) throw new Error("is no head of the suite");
    counted();
    return;
  }
  const lines = eachLine(store, file, text, (task) => {
    if (task.schema !== "tsbench.task/1") throw new Error(`unknown schema ${JSON.stringify(task.schema)}`);
    if (task.suite !== file.suite) throw new Error(`names the suite ${JSON.stringify(task.suite)}, not ${file.suite}`);
    const key = taskKey(task.suite, task.task);
    if (store.tasks.has(key)) throw new Error(`a second line of ${key}`);
    store.tasks.set(key, task);
    counted().tasks++;
  });
  if (file.lines !== lines) store.problems.push({ where: file.path, what: `has ${lines} lines; the manifest says ${file.lines}` });
}

// What audits found: of each try how it ended; counted here, not read from the page.
function addAudits(store, file, text) {
  const lines = eachLine(store, file, text, (line) => {
    if (line.schema !== "tsbench.health/1") throw new Error(`unknown schema ${JSON.stringify(line.schema)}`);
    if (line.suite.split("@")[0] !== file.suite) throw new Error(`names the suite ${JSON.stringify(line.suite)} in the log of ${file.suite}`);
    const key = auditKey(line.suite, line.task, line.at);
    if (store.audits.has(key)) throw new Error(`a second audit of ${key}`);
    const found = { state: line.state, seconds: null };
    for (const kind of ["fix", "empty", "exploit", "alternate", "wrong"]) {
      const tries = line.proofs.filter((proof) => proof.kind === kind);
      found[kind] = { resolved: tries.filter((proof) => proof.outcome === "resolved").length, total: tries.length };
    }
    for (const { seconds } of line.proofs) if (typeof seconds === "number") found.seconds = (found.seconds ?? 0) + seconds;
    store.audits.set(key, found);
  });
  if (file.lines !== lines) store.problems.push({ where: file.path, what: `has ${lines} lines; the manifest says ${file.lines}` });
}

/** The key of an audit of a task. */
export const auditKey = (suite, task, at) => [suite, task, at].map(encodeURIComponent).join("|");

/** The key of a task of a suite. */
export const taskKey = (suite, task) => [suite, task].map(encodeURIComponent).join("|");

// Calls `take` with each parsed line; a fault is told with its line. Returns how many lines there are.
function eachLine(store, file, text, take) {
  let lines = 0;
  for (const line of text.split("\n")) {
    if (!line.trim()) continue;
    lines++;
    try {
      take(JSON.parse(line));
    } catch (error) {
      store.problems.push({ where: `${file.path} line ${lines}`, what: String(error.message ?? error) });
    }
  }
  return lines;
}

/** The key of an attempt's identity. */
export const identityOf = (...parts) => parts.map(encodeURIComponent).join("|"); // run, task, model, condition, repeat

function addLine(store, run, line) {
  if (line.schema !== "tsbench.attempt/1") throw new Error(`unknown schema ${JSON.stringify(line.schema)}`);
  if (line.run !== run.run) throw new Error(`names the run ${JSON.stringify(line.run)}, not ${run.run}`);
  if (!Object.hasOwn(code, line.outcome)) throw new Error(`unknown outcome ${JSON.stringify(line.outcome)}`);
  if (!line.task || !line.model || !Number.isInteger(line.repeat)) throw new Error("has no task, model or repeat");
  const condition = line.condition ?? "default";
  const key = identityOf(line.run, line.task, line.model, condition, line.repeat);
  const row = store.rows++;
  const earlier = store.identity.get(key);
  const put = (column, value) => (store.at[column][row] = value);
  put("run", intern(store, line.run));
  put("task", intern(store, line.task));
  put("model", intern(store, line.model));
  put("agent", intern(store, line.agent ?? "shell@1"));
  put("condition", intern(store, condition));
  put("repeat", line.repeat);
  put("outcome", code[line.outcome]);
  put("stop", intern(store, line.stop ?? ""));
  put("grader", intern(store, typeof line.digests?.grader === "string" ? line.digests.grader : ""));
  store.nano[row] = typeof line.cost_usd === "number" ? Math.round(line.cost_usd * 1e9) : null;
  keepNumbers(store, row, line);
  store.effective[row] = true;
  if (earlier !== undefined) {
    if (!isExcluded(store, earlier)) {
      store.effective[row] = false;
      throw new Error(`a second line of ${key}, and the first is not excluded`);
    }
    store.effective[earlier] = false;
  }
  store.identity.set(key, row);
}

// Every numeric leaf of a line is kept: its pointers once for all lines of the same shape, its values in one long array.
function keepNumbers(store, row, line) {
  const pointers = [];
  const values = [];
  const walk = (value, pointer) => {
    if (typeof value === "number") {
      pointers.push(pointer);
      values.push(value);
    } else if (value && typeof value === "object") {
      for (const key in value) walk(value[key], `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  };
  walk(line, "");
  const key = pointers.join("\n");
  let shape = store.shapeAt.get(key);
  if (shape === undefined) {
    shape = store.shapes.push(new Map(pointers.map((p, i) => [p, i]))) - 1;
    store.shapeAt.set(key, shape);
  }
  if (store.used + values.length > store.numbers.length) {
    const wider = new Float64Array(2 * (store.used + values.length));
    wider.set(store.numbers);
    store.numbers = wider;
  }
  store.shape[row] = shape;
  store.offset[row] = store.used;
  store.numbers.set(values, store.used);
  store.used += values.length;
}

/** The number at a JSON pointer of a row's line; null where the line has none. */
export function numberAt(store, row, pointer) {
  const i = store.shapes[store.shape[row]].get(pointer);
  return i === undefined ? null : store.numbers[store.offset[row] + i];
}

/** The field of a line as pages state it: as it is written; of tests that never ran nothing is stated. */
export function fieldOf(store, row, pointer) {
  const tests = /^\/tests\/[a-z]+\//.exec(pointer);
  if (tests && !numberAt(store, row, `${tests[0]}total`)) return null;
  return numberAt(store, row, pointer);
}

const runOf = (store, row) => store.runs.get(store.words[store.at.run[row]]);
export const outcomeOf = (store, row) => OUTCOMES[store.at.outcome[row]];

/** Whether a row was meant to count and does not: a fault of the infrastructure that the run excludes, or a stop. */
export function isExcluded(store, row) {
  const outcome = outcomeOf(store, row);
  return outcome === "stopped" || (outcome === "infra_error" && !runOf(store, row).infraFails);
}

/** Whether a row is in the denominator. */
export const isCounted = (store, row) => outcomeOf(store, row) !== "observed" && !isExcluded(store, row);

/** Whether a row ended at a limit of the attempt. */
export function hitLimit(store, row, limits) {
  return outcomeOf(store, row) === "timed_out" || limits.includes(store.words[store.at.stop[row]]);
}

/** The value at a JSON pointer of a parsed document; undefined where there is none. */
export function atPointer(document, pointer) {
  if (pointer === "") return document;
  let value = document;
  for (const raw of pointer.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
