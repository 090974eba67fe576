// What one line claims about its attempt, and where two of its claims cannot both be true. Pure.
// A line that contradicts itself was changed, or never measured: whoever counts it counts nothing.

const NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; // SHA-256 of no bytes
const FAILED = new Set([
  "build_failure", "check_failed", "disk_limit", "exit_disagrees", "no_tests", "out_of_memory", "patch_failed",
  "report_broken", "report_open", "tests_timed_out", "workspace_too_large", "workspace_unreadable",
]);

/** Every contradiction of a parsed line, in words; an empty list where there is none. `infraFails` is the run's policy. */
export function contradictionsOf(line, infraFails) {
  const found = [];
  const tell = (field, what) => found.push(`${field}: ${what}`);
  const { outcome, score } = line;
  const says = `the outcome is "${outcome}"`;
  const tests = { targets: line.tests?.targets ?? null, guards: line.tests?.guards ?? null };
  const each = Object.entries(tests).filter(([, tested]) => tested);
  for (const [name, tested] of each) counts(`tests.${name}`, tested, tell);
  if (score) scored(score, outcome, tell);
  patched(line.patch ?? {}, outcome, says, tell);
  const passed = (name) => {
    if (tests[name]?.passed > 0) tell(`tests.${name}`, `${says}, and ${of(tests[name])} passed`);
  };
  if (outcome === "resolved") resolved(line, tests, each, says, tell);
  else if (outcome === "unresolved" || outcome === "timed_out") {
    if (tests.targets && tests.guards && all(tests.targets) && all(tests.guards) && tests.targets.total > 0) {
      tell("tests", `${says}, and all ${tests.targets.total} targets and ${tests.guards.total} guards passed`);
    }
  } else if (outcome === "no_patch" || (outcome === "infra_error" && infraFails)) passed("targets");
  else if (outcome === "patch_failed") ["targets", "guards"].forEach(passed);
  else {
    for (const [name, tested] of [...each.map(([n, t]) => [`tests.${n}`, t]), ["score", score]]) {
      if (tested?.total > 0) tell(name, `${says}, and a verdict says ${of(tested)}`);
    }
  }
  return found;
}

const of = ({ passed, total }) => `${passed} of ${total}`;
const all = ({ passed, total }) => passed === total;

function counts(name, { passed, total, failed }, tell) {
  if (!Number.isInteger(passed) || !Number.isInteger(total) || passed < 0) tell(name, "passed and total are no whole numbers");
  else if (passed > total) tell(name, `${passed} passed of ${total}`);
  else if (Array.isArray(failed) && failed.length !== total - passed) {
    tell(`${name}.failed`, `${passed} of ${total} passed, and ${failed.length} are named as failed`);
  }
}

function scored(score, outcome, tell) {
  if (!(score.passed <= score.total)) tell("score", `${score.passed} passed of ${score.total}`);
  else if (score.total === 0) tell("score", "a score of 0 checks");
  else if (all(score) !== (outcome === "resolved")) tell("score", `${of(score)} does not agree with the outcome "${outcome}"`);
}

const isEmpty = (patch) => patch.bytes === 0 || digestOfNone(patch) === true || patch.applied === "empty";
const digestOfNone = (patch) => (typeof patch.sha256 === "string" ? patch.sha256.toLowerCase() === NOTHING : null);
const wasApplied = (patch) => patch.applied === "strict" || patch.applied === "lenient";

function patched(patch, outcome, says, tell) {
  const none = digestOfNone(patch);
  if (typeof patch.bytes === "number" && none !== null && (patch.bytes === 0) !== none) {
    tell("patch.sha256", `a patch of ${patch.bytes} bytes, and its digest is ${none ? "" : "not "}that of no bytes`);
  }
  if (["resolved", "unresolved"].includes(outcome) && isEmpty(patch)) tell("patch", `${says}, and the patch is empty`);
  if (outcome === "no_patch" && (wasApplied(patch) || (patch.bytes > 0 && patch.applied == null))) tell("patch", `${says}, and there is a patch`);
  if (outcome === "patch_failed" && wasApplied(patch)) tell("patch.applied", `${says}, and the patch was applied`);
}

function resolved(line, tests, each, says, tell) {
  for (const [name, tested] of each) if (!all(tested)) tell(`tests.${name}`, `${says}, and ${of(tested)} passed`);
  if (!line.score && tests.targets?.total === 0) tell("tests.targets", `${says}, and there was no target to pass`);
  if (FAILED.has(line.error?.class)) tell("error", `${says}, and the error says that it did not pass`);
  if (["cancelled", "run_budget"].includes(line.stop)) tell("stop", `${says}, and the attempt was stopped before it could be scored`);
  // A line that this program graded has its patch and its counts.
  if (!String(line.digests?.grader ?? "").startsWith("tsbench-score/")) return;
  const { bytes = null, sha256 = null, applied = null } = line.patch ?? {};
  if (bytes === null && sha256 === null && applied === null) tell("patch", `${says}, and there is no patch`);
  else if (applied === null) tell("patch.applied", `${says}, and no patch was applied`);
  if (!line.score && !tests.targets) tell("tests", `${says}, and there is neither a target nor a check that passed`);
}
