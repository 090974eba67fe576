//! The slow path: every fault of one line, each with its field and remedy.

use super::Fault;
use super::line::{MAX_COST, Plan, planned_condition};
use crate::schema::{ATTEMPT_SCHEMA, Outcome};
use serde_json::{Map, Value};

/// Names every fault of a line that the fast path refused.
pub(super) fn diagnose(bytes: &[u8], file: &str, number: u64, plan: &Plan<'_>) -> Vec<Fault> {
    let error = |what: String, hint: &str| Fault::error(file, what, hint).at(number);
    if bytes.is_empty() || bytes.iter().all(u8::is_ascii_whitespace) {
        return vec![error("the line is empty".into(), "remove it: each line is one attempt")];
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return vec![error("starts with a byte-order mark".into(), "save the file as UTF-8 without a byte-order mark")];
    }
    let mut faults = Vec::new();
    let mut bytes = bytes;
    if let Some(rest) = bytes.strip_suffix(b"\r") {
        faults.push(error("ends with a carriage return (CRLF)".into(), "write line ends as LF alone"));
        bytes = rest;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            faults.push(error(format!("invalid UTF-8 at byte {} of the line", e.valid_up_to() + 1), "write the file as UTF-8"));
            return faults;
        }
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => fields(&map, plan, &mut |field, what, hint| {
            faults.push(Fault::error(file, what, hint).at(number).field(field));
        }),
        Ok(_) => faults.push(error("is not a JSON object".into(), "each line is one object of the attempt contract")),
        Err(e) => faults.push(syntax(text, &e, file, number)),
    }
    if faults.is_empty() {
        // The value parses but the typed line does not: a key stands twice.
        faults.push(error("a key stands twice, or a number is too large for its field".into(), "write each key once and whole numbers as whole numbers"));
    }
    faults
}

fn syntax(text: &str, e: &serde_json::Error, file: &str, number: u64) -> Fault {
    let tail = text.get(e.column().saturating_sub(1)..).unwrap_or("");
    let word: String = tail.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-').collect();
    let before = text.get(..e.column().saturating_sub(1)).unwrap_or("");
    let near = format!("{}{word}", before.rsplit([':', ',', '[']).next().unwrap_or("").trim());
    let name = before.rsplit('"').nth(1).unwrap_or("").to_owned();
    if ["NaN", "Infinity", "-Infinity", "nan", "inf"].iter().any(|n| near.starts_with(n)) {
        return Fault::error(file, format!("{near} is not a JSON number"), "write null where a value is unknown").at(number).field(name);
    }
    let text = e.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    Fault::error(file, format!("not JSON: {text} at column {}", e.column()), "each line is one whole JSON object").at(number)
}

type Report<'a> = dyn FnMut(&str, String, &str) + 'a;

fn fields(map: &Map<String, Value>, plan: &Plan<'_>, report: &mut Report<'_>) {
    let run = plan.run;
    for (field, want) in [("schema", ATTEMPT_SCHEMA), ("run", run.run.as_str()), ("suite", run.suite.as_str())] {
        if let Some(found) = text(map, field, report)
            && found != want
        {
            report(field, format!("expected {want:?}, found {found:?}"), "a line belongs to the run whose folder it is in");
        }
    }
    if let Some(task) = text(map, "task", report)
        && plan.task(task).is_none()
    {
        report("task", format!("task {task:?} is not in the run's plan"), "add a run whose plan has the task; a locked plan is never changed");
    }
    if let Some(model) = text(map, "model", report)
        && plan.model(model).is_none()
    {
        report("model", format!("model {model:?} is not in the run's plan"), "add a run whose plan has the model");
    }
    match map.get("repeat") {
        None => missing("repeat", report),
        Some(v) => match v.as_u64() {
            None => report("repeat", format!("expected a whole number from 0, found {v}"), "repeats are counted from 0"),
            Some(r) if r >= u64::from(run.repeats) => {
                report("repeat", format!("repeat {r} is not in the plan of {} repeats", run.repeats), "repeats are counted from 0");
            }
            Some(_) => {}
        },
    }
    let outcome = outcome(map, report);
    for (field, ok) in [("agent", &(|a: &str| a == plan.agent) as &dyn Fn(&str) -> bool), ("condition", &|c: &str| planned_condition(c, plan))] {
        match map.get(field) {
            None | Some(Value::Null) => {}
            Some(Value::String(s)) if ok(s) => {}
            Some(v) => report(field, format!("{v} is not in the run's plan"), "a run has one agent, its own condition and the default one"),
        }
    }
    numbers(map, report);
    score(map, outcome, report);
    for field in ["stop", "host", "tool", "started_at", "finished_at"] {
        if field != "host" && map.get(field).is_some_and(|v| !v.is_null() && !v.is_string()) {
            report(field, "expected text".into(), "write text or leave the field out");
        }
    }
    for field in ["error", "tests", "usage", "seconds", "patch", "digests"] {
        if map.get(field).is_some_and(|v| !v.is_null() && !v.is_object()) {
            report(field, "expected an object".into(), "write an object or leave the field out");
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
            report(field, format!("expected text, found {v}"), "write it as a JSON string");
            None
        }
    }
}

fn outcome(map: &Map<String, Value>, report: &mut Report<'_>) -> Option<Outcome> {
    let word = text(map, "outcome", report)?;
    let found = Outcome::from_word(word);
    if found.is_none() {
        let words = Outcome::ALL.map(Outcome::word).join(", ");
        report("outcome", format!("unknown outcome {word:?}; expected one of {words}"), "an unknown outcome is never counted as not fixed: correct the word, or use the version of this program that knows it");
    }
    found
}

fn numbers(map: &Map<String, Value>, report: &mut Report<'_>) {
    match map.get("cost_usd") {
        None | Some(Value::Null) => {}
        Some(v) => match v.as_f64() {
            Some(c) if (0.0..=MAX_COST).contains(&c) => {}
            Some(c) if c < 0.0 => report("cost_usd", format!("a negative cost: {c}"), "a cost is 0 or more; null where it is unknown"),
            _ => report("cost_usd", format!("expected dollars as a number, found {v}"), "write dollars as a number; null where it is unknown"),
        },
    }
    for (object, names) in [("seconds", &["agent", "install", "tests", "total"][..]), ("usage", &["input", "cached_input", "cache_write", "output", "requests"][..])] {
        for name in names {
            let field = format!("{object}.{name}");
            match map.get(object).and_then(|o| o.get(name)) {
                None => {}
                Some(Value::Null) if object == "seconds" => {}
                Some(v) if object == "usage" && v.as_u64().is_none() => report(&field, format!("expected a whole number from 0, found {v}"), "write tokens as whole numbers"),
                Some(v) if v.as_f64().is_none_or(|s| s < 0.0) => report(&field, format!("expected a number from 0, found {v}"), "write seconds as a number; null where they are unknown"),
                Some(_) => {}
            }
        }
    }
    for field in ["turns", "retries"] {
        if let Some(v) = map.get(field)
            && !v.is_null()
            && v.as_u64().is_none_or(|n| n >= u64::from(u32::MAX))
        {
            report(field, format!("expected a whole number from 0, found {v}"), "write it as a whole number");
        }
    }
}

fn score(map: &Map<String, Value>, outcome: Option<Outcome>, report: &mut Report<'_>) {
    let tests = map.get("tests");
    let places = [("score", map.get("score")), ("tests.targets", tests.and_then(|t| t.get("targets"))), ("tests.guards", tests.and_then(|t| t.get("guards")))];
    for (field, value) in places {
        let Some(value) = value.filter(|v| !v.is_null()) else { continue };
        let number = |name: &str| value.get(name).and_then(Value::as_u64).filter(|n| *n <= u64::from(u32::MAX));
        match (number("passed"), number("total")) {
            (Some(passed), Some(total)) if passed > total => {
                report(field, format!("{passed} passed of {total}"), "passed cannot be more than total");
            }
            (Some(passed), Some(total)) => {
                let full = passed == total;
                if field == "score" && outcome.is_some_and(|o| full != (o == Outcome::Resolved)) {
                    report("score", format!("{passed} of {total} does not agree with the outcome"), "an attempt is resolved exactly if every check passed");
                }
            }
            _ => report(field, "expected whole numbers passed and total".into(), "write {\"passed\": n, \"total\": n}"),
        }
    }
}
