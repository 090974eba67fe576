//! What is wrong with the fields of a line that is a JSON object. It must refuse exactly what the fast path refuses.

use super::Stop;
use super::claims::{Applied, Claims, PatchClaim, Tested, is_failure, is_own_grader};
use super::line::{DEFAULT_AGENT, DEFAULT_CONDITION, MAX_COST, Plan, planned_condition};
use super::values::{MAX_SMALL, MAX_WHOLE, is_time};
use crate::schema::{ATTEMPT_SCHEMA, Outcome};
use serde_json::{Map, Value};

/// Takes a field, what was found and expected, and the remedy.
pub(super) type Report<'a> = dyn FnMut(&str, String, &str) + 'a;

/// What an optional field may hold besides null.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Time,
    Whole,
    Small,
    Seconds,
    Texts,
    Object,
}

const REQUIRED: [&str; 7] = ["schema", "run", "suite", "task", "model", "repeat", "outcome"];

/// Objects before their fields, so that a wrong object is named once.
const OPTIONAL: [(&str, Kind); 34] = [
    ("stop", Kind::Text),
    ("score", Kind::Object),
    ("tests", Kind::Object),
    ("tests.targets", Kind::Object),
    ("tests.targets.failed", Kind::Texts),
    ("tests.guards", Kind::Object),
    ("tests.guards.failed", Kind::Texts),
    ("patch", Kind::Object),
    ("patch.sha256", Kind::Text),
    ("patch.bytes", Kind::Whole),
    ("patch.files", Kind::Whole),
    ("patch.applied", Kind::Text),
    ("patch.dropped", Kind::Texts),
    ("patch.put_back", Kind::Texts),
    ("usage", Kind::Object),
    ("usage.input", Kind::Whole),
    ("usage.cached_input", Kind::Whole),
    ("usage.cache_write", Kind::Whole),
    ("usage.output", Kind::Whole),
    ("usage.requests", Kind::Whole),
    ("seconds", Kind::Object),
    ("seconds.agent", Kind::Seconds),
    ("seconds.install", Kind::Seconds),
    ("seconds.tests", Kind::Seconds),
    ("seconds.total", Kind::Seconds),
    ("turns", Kind::Small),
    ("retries", Kind::Small),
    ("error", Kind::Object),
    ("error.class", Kind::Text),
    ("error.message", Kind::Text),
    ("digests", Kind::Object),
    ("tool", Kind::Text),
    ("started_at", Kind::Time),
    ("finished_at", Kind::Time),
];

/// Fields that other checks than [`OPTIONAL`] read.
const OTHERS: [&str; 9] = [
    "agent",
    "condition",
    "cost_usd",
    "score.passed",
    "score.total",
    "tests.targets.passed",
    "tests.targets.total",
    "tests.guards.passed",
    "tests.guards.total",
];

/// Names every fault of a line's fields.
pub(super) fn fields(map: &Map<String, Value>, plan: &Plan<'_>, report: &mut Report<'_>) {
    identity(map, plan, report);
    let outcome = outcome(map, report);
    variant(map, plan, report);
    cost(map, report);
    for (field, kind) in OPTIONAL {
        if let Some(value) = at(map, field)
            && let Some((expected, hint)) = kind.refuses(value)
        {
            report(field, format!("expected {expected}, found {}", brief(value)), hint);
        }
    }
    let [score, targets, guards] =
        ["score", "tests.targets", "tests.guards"].map(|field| passed_of_total(map, field, report));
    if let Some(outcome) = outcome {
        let claims = Claims {
            outcome,
            infra: plan.run.scoring.infra,
            stop: at(map, "stop").and_then(Value::as_str).map_or(Stop::Unsaid, Stop::from_word),
            targets: targets.map(|pair| tested(map, pair, "tests.targets.failed")),
            guards: guards.map(|pair| tested(map, pair, "tests.guards.failed")),
            score,
            patch: patch(map),
            graded: at(map, "digests.grader").and_then(Value::as_str).is_some_and(is_own_grader),
            failed: at(map, "error.class").and_then(Value::as_str).is_some_and(is_failure),
        };
        claims.contradictions(report);
    }
}

/// The counts of tests with how many of them are named as failed.
fn tested(map: &Map<String, Value>, (passed, total): (u32, u32), list: &str) -> Tested {
    let failed = at(map, list).and_then(Value::as_array).map(|names| names.len() as u32);
    Tested { passed, total, failed }
}

fn patch(map: &Map<String, Value>) -> PatchClaim {
    let word = |field: &str| at(map, field).and_then(Value::as_str).map(str::as_bytes);
    PatchClaim {
        bytes: at(map, "patch.bytes").and_then(Value::as_u64).filter(|n| *n <= MAX_WHOLE),
        digest_of_none: word("patch.sha256").map(PatchClaim::is_digest_of_none),
        applied: word("patch.applied").map(Applied::of_word),
    }
}

impl Kind {
    /// What was expected and the remedy, where the value is refused.
    fn refuses(self, value: &Value) -> Option<(&'static str, &'static str)> {
        let whole = |most: u64| value.as_u64().is_some_and(|n| n <= most);
        let (holds, expected, hint) = match self {
            Kind::Text => (value.is_string(), "text", "write text, or leave the field out"),
            Kind::Time => (
                value.as_str().is_some_and(is_time),
                "an RFC 3339 time",
                "write it like 2026-01-31T12:00:00Z, or leave the field out",
            ),
            Kind::Whole => (
                whole(MAX_WHOLE),
                "a whole number from 0 to 1000000000000",
                "write it as a whole number; null where it is unknown",
            ),
            Kind::Small => {
                (whole(MAX_SMALL), "a whole number from 0", "write it as a whole number, or leave the field out")
            }
            Kind::Seconds => (
                value.as_f64().is_some_and(|s| s >= 0.0),
                "seconds from 0",
                "write seconds as a number; null where they are unknown",
            ),
            Kind::Texts => (
                value.as_array().is_some_and(|a| a.iter().all(Value::is_string)),
                "a list of texts",
                "write names as JSON strings",
            ),
            Kind::Object => (value.is_object(), "an object", "write an object, or leave the field out"),
        };
        (!holds).then_some((expected, hint))
    }
}

/// The value at a dotted path; null says as much as leaving the field out.
fn at<'m>(map: &'m Map<String, Value>, path: &str) -> Option<&'m Value> {
    let mut keys = path.split('.');
    let first = map.get(keys.next()?);
    keys.fold(first, |v, key| v?.get(key)).filter(|v| !v.is_null())
}

/// A value as it stands, cut where it is long.
fn brief(value: &Value) -> String {
    const MOST: usize = 80;
    let text = value.to_string();
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST).chain(['…']).collect() }
}

fn identity(map: &Map<String, Value>, plan: &Plan<'_>, report: &mut Report<'_>) {
    let run = plan.run;
    for (field, want) in [("schema", ATTEMPT_SCHEMA), ("run", run.run.as_str()), ("suite", run.suite.as_str())] {
        if let Some(found) = text(map, field, report)
            && found != want
        {
            report(
                field,
                format!("expected {want:?}, found {}", brief(&map[field])),
                "a line belongs to the run whose folder it is in",
            );
        }
    }
    if let Some(task) = text(map, "task", report)
        && plan.task(task).is_none()
    {
        report(
            "task",
            format!("task {} is not in the run's plan", brief(&map["task"])),
            "add a run whose plan has the task; a locked plan is never changed",
        );
    }
    if let Some(model) = text(map, "model", report)
        && plan.model(model).is_none()
    {
        report(
            "model",
            format!("model {} is not in the run's plan", brief(&map["model"])),
            "add a run whose plan has the model",
        );
    }
    match map.get("repeat") {
        None => missing("repeat", report),
        Some(v) => match v.as_u64() {
            None => report(
                "repeat",
                format!("expected a whole number from 0, found {}", brief(v)),
                "repeats are counted from 0",
            ),
            Some(r) if r >= u64::from(run.repeats) || r > MAX_SMALL => {
                report(
                    "repeat",
                    format!("repeat {r} is not in the plan of {} repeats", run.repeats),
                    "repeats are counted from 0",
                );
            }
            Some(_) => {}
        },
    }
}

fn variant(map: &Map<String, Value>, plan: &Plan<'_>, report: &mut Report<'_>) {
    let is_agent = |word: &str| word == plan.agent;
    let is_condition = |word: &str| planned_condition(word, plan);
    for (field, default, planned) in
        [("agent", DEFAULT_AGENT, &is_agent as &dyn Fn(&str) -> bool), ("condition", DEFAULT_CONDITION, &is_condition)]
    {
        let found = at(map, field);
        let holds = match found {
            None => planned(default),
            Some(v) => v.as_str().is_some_and(planned),
        };
        if !holds {
            let found = found.map_or(format!("{default:?}, which a line without the field means,"), brief);
            report(
                field,
                format!("{field} {found} is not in the run's plan"),
                "a run has one agent, its own condition and the default one",
            );
        }
    }
}

fn missing(field: &str, report: &mut Report<'_>) {
    report(field, "is missing".into(), "the attempt contract requires it");
}

fn text<'m>(map: &'m Map<String, Value>, field: &str, report: &mut Report<'_>) -> Option<&'m str> {
    match map.get(field) {
        Some(Value::String(s)) => Some(s),
        None => {
            missing(field, report);
            None
        }
        Some(v) => {
            report(field, format!("expected text, found {}", brief(v)), "write it as a JSON string");
            None
        }
    }
}

fn outcome(map: &Map<String, Value>, report: &mut Report<'_>) -> Option<Outcome> {
    let word = text(map, "outcome", report)?;
    let found = Outcome::from_word(word);
    if found.is_none() {
        let words = Outcome::ALL.map(Outcome::word).join(", ");
        let hint = match meant(word) {
            Some(meant) => format!("what others call {word:?} is {:?} here", meant.word()),
            None => "an unknown outcome is never counted as not fixed: correct the word, or use the version of this program that knows it".to_owned(),
        };
        report("outcome", format!("unknown outcome {}; expected one of {words}", brief(&map["outcome"])), &hint);
    }
    found
}

/// The outcome that other tools call by another word.
fn meant(word: &str) -> Option<Outcome> {
    Some(match word.to_ascii_lowercase().as_str() {
        "pass" | "passed" | "success" | "solved" | "fixed" | "correct" => Outcome::Resolved,
        "fail" | "failed" | "failure" | "unsolved" | "incorrect" | "wrong" => Outcome::Unresolved,
        "empty" | "empty_patch" | "nopatch" => Outcome::NoPatch,
        "timeout" | "timedout" => Outcome::TimedOut,
        "error" | "errored" | "crashed" => Outcome::InfraError,
        "cancelled" | "canceled" | "aborted" => Outcome::Stopped,
        _ => return None,
    })
}

fn cost(map: &Map<String, Value>, report: &mut Report<'_>) {
    let Some(value) = at(map, "cost_usd") else { return };
    match value.as_f64() {
        Some(c) if (0.0..=MAX_COST).contains(&c) => {}
        Some(c) if c < 0.0 => {
            report("cost_usd", format!("a negative cost: {c}"), "a cost is 0 or more; null where it is unknown")
        }
        Some(c) => report(
            "cost_usd",
            format!("{c} dollars are more than the {MAX_COST} that one attempt may cost"),
            "write dollars, not a smaller unit",
        ),
        None => report(
            "cost_usd",
            format!("expected dollars as a number, found {}", brief(value)),
            "write dollars as a number; null where it is unknown",
        ),
    }
}

/// Reads a pair of counts, where there is one that can be read.
fn passed_of_total(map: &Map<String, Value>, field: &str, report: &mut Report<'_>) -> Option<(u32, u32)> {
    let Some(Value::Object(pair)) = at(map, field) else { return None };
    let number = |name: &str| pair.get(name).and_then(Value::as_u64).filter(|n| *n <= MAX_SMALL).map(|n| n as u32);
    let counts = number("passed").zip(number("total"));
    if counts.is_none() {
        report(field, "expected whole numbers passed and total".into(), "write {\"passed\": n, \"total\": n}");
    }
    counts
}

/// Whether the contract names a field, by its dotted path.
pub(super) fn is_known(path: &str) -> bool {
    REQUIRED.contains(&path) || OTHERS.contains(&path) || OPTIONAL.iter().any(|(known, _)| *known == path)
}

#[cfg(test)]
mod tests {
    use super::super::RECORDS;
    use super::{OPTIONAL, OTHERS, REQUIRED};
    use crate::schema::{Attempt, Outcome, Run};
    use serde_json::{Value, json};

    #[test]
    fn the_page_about_records_names_every_field_of_a_line_and_of_a_plan() {
        let lines = REQUIRED.iter().chain(&OTHERS).copied().chain(OPTIONAL.iter().map(|(field, _)| *field));
        let mut fields: Vec<String> = lines.map(str::to_owned).collect();
        let plan = json!({
            "schema": "", "run": "", "suite": "", "suite_digest": "", "source": "own", "imported_from": "harbor",
            "models": [{"id": "", "name": "", "maker": "", "tier": "paid", "cutoff": ""}],
            "agent": {"name": "", "version": "", "digest": ""}, "condition": "", "tasks": [], "repeats": 1,
            "task_details": [{"id": "", "repo": "", "language": "", "merged_at": "", "difficulty": "", "use_cases": [""],
                "targets": 1, "guards": 1, "title": ""}],
            "limits": {"turns": 1}, "planned_attempts": 1, "scoring": {"infra": "fail"}, "created_at": "", "tool": "", "note": "",
        });
        let plan = serde_json::to_value(serde_json::from_value::<Run>(plan).unwrap()).unwrap();
        let of = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        fields.extend(
            [&plan, &plan["models"][0], &plan["agent"], &plan["task_details"][0], &plan["scoring"]].map(of).concat(),
        );
        fields.extend(Outcome::ALL.map(|o| o.word().to_owned()));
        let line = json!({"schema": "", "run": "", "suite": "", "task": "", "model": "", "repeat": 0, "outcome": "resolved",
            "host": 1, "served_models": ["m"], "digests": {}});
        fields.extend(of(&serde_json::to_value(serde_json::from_value::<Attempt>(line).unwrap()).unwrap()));
        let lacking: Vec<&String> = fields.iter().filter(|f| !RECORDS.contains(&format!("`{f}`"))).collect();
        assert_eq!(lacking, [""; 0]);
    }
}
