// Whether the report and the patch that are published beside a line say what the line says. Pure.
import { sha256Hex } from "./recompute-math.js";
import { numberAt, outcomeOf } from "./recompute-lines.js";

const MOST_BYTES = 25 * 2 ** 20; // a longer file is published in part

/** A name as a part of an address, as the site makes it. */
export function slug(name) {
  let out = "";
  let capitals = 0n;
  [...name].forEach((c, i) => {
    if (/^[a-z0-9_-]$/.test(c) || (c === "." && out !== "" && !out.endsWith("."))) out += c;
    else if (/^[A-Z]$/.test(c)) {
      out += c.toLowerCase();
      if (i < 128) capitals |= 1n << BigInt(i);
    } else out += { "/": "~s", ":": "~c" }[c] ?? `~x${c.codePointAt(0).toString(16)}_`;
  });
  if (out === "") out = "~e";
  if (capitals) out += `~u${capitals.toString(16)}`;
  return out.length > 120 ? `${out.slice(0, 100)}~h${sha256Hex(name).slice(0, 16)}` : out;
}

/** Every contradiction between the lines that stand and what is published of their attempts, as { where, what }. */
export function evidenceProblems(store) {
  const found = [];
  if (!store.evidence.size) return found;
  const slugs = new Map();
  const part = (name) => slugs.get(name) ?? slugs.set(name, slug(name)).get(name);
  for (let row = 0; row < store.rows; row++) {
    if (!store.effective[row]) continue;
    const word = (column) => store.words[store.at[column][row]];
    const condition = word("condition");
    const repeat = store.at.repeat[row] + (condition === "default" ? "" : `-${part(condition)}`);
    const folder = `data/artifacts/${part(word("run"))}/files/${part(word("task"))}/${part(word("model"))}/${repeat}`;
    // A later try of the attempt is at work, or was cut off before its line.
    const tries = (numberAt(store, row, "/retries") ?? 0) + 1;
    if (["report.json", "patch.diff", "trajectory.jsonl"].some((name) => store.artifacts.has(`${folder}/try-${tries}/${name}`))) continue;
    const report = store.evidence.get(`${folder}/report.json`);
    const tell = (name) => (what) => found.push({ where: `${folder}/${name}`, what });
    if (report) against(store, row, report, word("stop"), tell("report.json"));
    const patch = store.evidence.get(`${folder}/patch.diff`);
    if (patch) againstPatch(store, row, patch, store.sizes.get(`${folder}/patch.diff`), tell("patch.diff"));
  }
  return found;
}

function against(store, row, { fault, verdict }, stop, tell) {
  const outcome = outcomeOf(store, row);
  if (fault) return tell(`cannot be read: ${fault}`);
  if (!verdict) return outcome === "resolved" ? tell('the line says "resolved", and its report has no verdict') : undefined;
  const late = outcome === "timed_out" && verdict.outcome === "no_patch" && stop === "time_limit";
  if (outcome !== verdict.outcome && !late) tell(`the line says "${outcome}", and its report "${verdict.outcome}"`);
  const pair = (at) => {
    const [passed, total] = ["passed", "total"].map((name) => numberAt(store, row, `${at}/${name}`));
    return total === null ? "nothing" : `${passed} of ${total}`;
  };
  const stated = (counts) => (counts ? `${counts.passed} of ${counts.total}` : "nothing");
  const wasTested = typeof verdict.seconds?.tests === "number" && !verdict.score;
  for (const [name, ours, theirs] of [
    ["score", pair("/score"), stated(verdict.score)],
    ["tests.targets", pair("/tests/targets"), stated(wasTested ? verdict.targets : null)],
    ["tests.guards", pair("/tests/guards"), stated(wasTested ? verdict.guards : null)],
  ]) {
    if (ours !== theirs) tell(`${name}: the line says ${ours}, and its report ${theirs}`);
  }
}

function againstPatch(store, row, { redacted }, size, tell) {
  if (redacted || size > MOST_BYTES) return;
  const bytes = numberAt(store, row, "/patch/bytes");
  if (bytes !== null && bytes !== size) tell(`patch.bytes: the line says ${bytes}, and the patch has ${size}`);
}
