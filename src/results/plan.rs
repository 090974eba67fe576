use super::diagnose::HINT;
use super::shard::sha256_hex;
use super::values::is_time;
use super::{Fault, ResultsError};
use crate::schema::{Model, PUBLISHER_SCHEMA, PublisherRecord, RUN_SCHEMA, Run};
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A publisher-reported record and the bytes it was read from.
#[derive(Clone, Debug)]
pub struct PublisherFile {
    /// The record.
    pub record: PublisherRecord,
    /// Folder of the record.
    pub dir: PathBuf,
    /// The file's bytes, as published.
    pub bytes: Vec<u8>,
    /// SHA-256 of the bytes, in hex.
    pub sha256: String,
}

/// A name for a file or an address: injective, lower case, and never a path.
///
/// Letters and digits of ASCII, `-`, `_` and inner dots stay; everything else becomes `~` and its code. Capitals become small
/// and their places follow as a hexadecimal mask, so that two names never share a file, whatever case the file system folds.
pub fn slug(name: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(name.len() + 8);
    let mut capitals: u128 = 0;
    for (i, c) in name.chars().enumerate() {
        match c {
            'a'..='z' | '0'..='9' | '-' | '_' => out.push(c),
            '.' if !out.is_empty() && !out.ends_with('.') => out.push('.'),
            'A'..='Z' => {
                out.push(c.to_ascii_lowercase());
                capitals |= 1u128.checked_shl(i as u32).unwrap_or(0);
            }
            '/' => out.push_str("~s"),
            ':' => out.push_str("~c"),
            _ => {
                let _ = write!(out, "~x{:x}_", c as u32);
            }
        }
    }
    if out.is_empty() {
        out.push_str("~e");
    }
    if capitals != 0 {
        let _ = write!(out, "~u{capitals:x}");
    }
    // File names end at 255 bytes; a digest keeps long names apart.
    if out.len() > 120 {
        out.truncate(100);
        out.push_str("~h");
        out.push_str(&sha256_hex(name.as_bytes())[..16]);
    }
    out
}

fn parse<T: DeserializeOwned>(file: &str, bytes: &[u8]) -> Result<T, Fault> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Fault::error(
            file,
            "starts with a byte-order mark",
            "save the file as UTF-8 without a byte-order mark",
        )
        .at(1));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let refuse = |e: &serde_json::Error, path: Option<String>| {
        let text = e.to_string();
        let text = text.split(" at line ").next().unwrap_or(&text);
        let fault = Fault::error(file, text, HINT).at(e.line() as u64);
        // The message of a missing field names it; the path leads to the object that lacks it.
        let lacking = text.strip_prefix("missing field `").and_then(|t| t.split('`').next());
        match (path.filter(|p| p != "."), lacking) {
            (Some(path), Some(name)) => fault.field(format!("{path}.{name}")),
            (None, Some(name)) => fault.field(name),
            (Some(path), None) => fault.field(path),
            (None, None) => fault,
        }
    };
    let record = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| refuse(e.inner(), e.inner().is_data().then(|| e.path().to_string())))?;
    reader.end().map_err(|e| refuse(&e, None))?;
    Ok(record)
}

fn check_day(file: &str, field: &str, text: Option<&String>, faults: &mut Vec<Fault>) {
    if let Some(text) = text
        && (text.len() != 10 || text.parse::<jiff::civil::Date>().is_err())
    {
        faults.push(
            Fault::error(
                file,
                format!("expected a day as YYYY-MM-DD, found {text:?}"),
                "write the day as YYYY-MM-DD, or leave the field out",
            )
            .field(field),
        );
    }
}

type Bad<'a> = dyn FnMut(&str, String, &str) + 'a;

/// What plans and records have in common: a name, a suite with its version, a time, and models.
fn check_head(run: &str, suite: &str, created_at: &str, models: &[Model], bad: &mut Bad<'_>) {
    if run.trim().is_empty() {
        bad("run", "is empty".into(), "give the run a name");
    }
    if suite.split_once('@').is_none_or(|(name, version)| name.is_empty() || version.is_empty()) {
        bad("suite", format!("expected name@version, found {suite:?}"), "add the suite's version");
    }
    if !is_time(created_at) {
        bad(
            "created_at",
            format!("expected an RFC 3339 time, found {created_at:?}"),
            "write it like 2026-01-31T12:00:00Z",
        );
    }
    if models.is_empty() || models.len() > usize::from(u16::MAX) {
        bad("models", format!("expected one model or more, found {}", models.len()), "name the planned models");
    }
    let mut seen = HashSet::new();
    for (i, model) in models.iter().enumerate() {
        if model.id.is_empty() || !seen.insert(&model.id) {
            bad(
                &format!("models[{i}].id"),
                format!("model {:?} is empty or listed twice", model.id),
                "list each model once",
            );
        }
    }
}

/// Every field that a plan lacks, where it is an object at all: one round is enough to learn them.
fn lacking(file: &str, bytes: &[u8]) -> Vec<Fault> {
    const PLAN: [&str; 10] =
        ["schema", "run", "suite", "source", "models", "agent", "tasks", "repeats", "planned_attempts", "created_at"];
    let Ok(plan) = serde_json::from_slice::<serde_json::Value>(bytes) else { return Vec::new() };
    let mut missing = Vec::new();
    let mut look = |value: &serde_json::Value, place: &str, wanted: &[&str]| {
        let Some(object) = value.as_object() else { return };
        missing.extend(wanted.iter().filter(|f| !object.contains_key(**f)).map(|f| format!("{place}{f}")));
    };
    look(&plan, "", &PLAN);
    look(&plan["agent"], "agent.", &["name", "version"]);
    for (i, model) in plan["models"].as_array().into_iter().flatten().enumerate() {
        look(model, &format!("models[{i}]."), &["id", "name", "maker", "tier"]);
    }
    let fault = |field: String| {
        let name = field.rsplit('.').next().unwrap_or(&field).to_owned();
        Fault::error(file, format!("missing field `{name}`"), HINT).field(field)
    };
    missing.into_iter().map(fault).collect()
}

/// Reads a plan and every fault of it.
pub(super) fn read_run(file: &str, bytes: &[u8]) -> Result<Run, Vec<Fault>> {
    let run: Run = parse(file, bytes).map_err(|first| {
        let more = lacking(file, bytes).into_iter().filter(|fault| fault.field != first.field);
        std::iter::once(first.clone()).chain(more).collect::<Vec<_>>()
    })?;
    let mut faults = Vec::new();
    let mut bad = |field: &str, what: String, hint: &str| faults.push(Fault::error(file, what, hint).field(field));
    if run.schema != RUN_SCHEMA {
        bad(
            "schema",
            format!("expected {RUN_SCHEMA:?}, found {:?}", run.schema),
            "use the version of this program that knows the schema",
        );
    }
    check_head(&run.run, &run.suite, &run.created_at, &run.models, &mut bad);
    let mut seen = HashSet::new();
    for (i, task) in run.tasks.iter().enumerate() {
        if task.is_empty() || !seen.insert(task) {
            bad(&format!("tasks[{i}]"), format!("task {task:?} is empty or listed twice"), "list each task once");
        }
    }
    if run.tasks.is_empty() {
        bad("tasks", "is empty".into(), "name the planned tasks");
    }
    if run.repeats == 0 {
        bad(
            "repeats",
            "a plan of no repeats has no attempts".into(),
            "write how often each task is attempted with each model",
        );
    }
    let each = run.attempts_each();
    let both = if run.condition == "default" { each } else { 2 * each };
    if ![each, both].contains(&u128::from(run.planned_attempts)) {
        let under = if both == each { String::new() } else { format!(" each under two conditions, {both} in all,") };
        let what = format!(
            "{} models × {} tasks × {} repeats are {each} attempts{under}: found {}",
            run.models.len(),
            run.tasks.len(),
            run.repeats,
            run.planned_attempts
        );
        bad("planned_attempts", what, "a plan is every model at every task, as often as it says, under each condition");
    }
    for (i, model) in run.models.iter().enumerate() {
        check_day(file, &format!("models[{i}].cutoff"), model.cutoff.as_ref(), &mut faults);
    }
    let (planned, mut seen): (HashSet<&String>, HashSet<&String>) = (run.tasks.iter().collect(), HashSet::new());
    for (i, detail) in run.task_details.iter().enumerate() {
        check_day(file, &format!("task_details[{i}].merged_at"), detail.merged_at.as_ref(), &mut faults);
        let fault = |what: String, hint: &str| Fault::error(file, what, hint).field(format!("task_details[{i}].id"));
        if !planned.contains(&detail.id) {
            faults.push(fault(
                format!("task {:?} is not in tasks", detail.id),
                "add the task to tasks or remove its detail",
            ));
        } else if !seen.insert(&detail.id) {
            faults.push(fault(format!("task {:?} is described twice", detail.id), "describe each task once"));
        }
    }
    if faults.is_empty() { Ok(run) } else { Err(faults) }
}

/// Reads a publisher-reported record and every fault of it.
pub(super) fn read_publisher(file: &str, dir: &Path, bytes: Vec<u8>) -> Result<PublisherFile, Vec<Fault>> {
    let record: PublisherRecord = parse(file, &bytes).map_err(|f| vec![f])?;
    let mut faults = Vec::new();
    let mut bad = |field: &str, what: String, hint: &str| faults.push(Fault::error(file, what, hint).field(field));
    if record.schema != PUBLISHER_SCHEMA {
        bad(
            "schema",
            format!("expected {PUBLISHER_SCHEMA:?}, found {:?}", record.schema),
            "use the version of this program that knows the schema",
        );
    }
    check_head(&record.run, &record.suite, &record.created_at, &record.models, &mut bad);
    let models: HashSet<&str> = record.models.iter().map(|m| m.id.as_str()).collect();
    for (i, row) in record.rows.iter().enumerate() {
        if !models.contains(row.model.as_str()) {
            bad(
                &format!("rows[{i}].model"),
                format!("model {:?} is not in models", row.model),
                "add the model to models",
            );
        }
        if !["overall", "group", "task", "observed"].contains(&row.scope.as_str()) {
            bad(
                &format!("rows[{i}].scope"),
                format!("unknown scope {:?}", row.scope),
                "write overall, group, task or observed",
            );
        }
        if row.solved.is_some_and(|s| s > row.attempts) {
            bad(&format!("rows[{i}].solved"), "more solved than attempts".into(), "check the published figures");
        }
        for (field, value, top) in [
            ("mean_score", row.mean_score, 1.0),
            ("cached_share", row.cached_share, 1.0),
            ("seconds", row.seconds, f64::MAX),
            ("tokens", row.tokens, f64::MAX),
            ("cost_usd", row.cost_usd, 1e9),
        ] {
            if value.is_some_and(|v| !(0.0..=top).contains(&v)) {
                bad(&format!("rows[{i}].{field}"), format!("{value:?} is out of range"), "check the published figures");
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let sha256 = sha256_hex(&bytes);
    Ok(PublisherFile { record, dir: dir.to_owned(), bytes, sha256 })
}

/// A larger plan or record is a fault and is not read into memory.
const MAX_SMALL_FILE: u64 = 64 << 20;

/// Reads a whole small file, or says why it cannot be a plan or a record.
pub(super) fn read_small(path: &Path, file: &str) -> Result<Result<Vec<u8>, Fault>, ResultsError> {
    let size = std::fs::metadata(path).map_err(ResultsError::io(path))?.len();
    if size > MAX_SMALL_FILE {
        let what = format!("a file of {size} bytes; at most {MAX_SMALL_FILE} are read");
        return Ok(Err(Fault::error(file, what, "keep long texts elsewhere and only their digests in the plan")));
    }
    std::fs::read(path).map(Ok).map_err(ResultsError::io(path))
}

#[cfg(test)]
mod tests {
    use super::slug;
    use proptest::prelude::*;

    #[test]
    fn a_path_becomes_a_plain_name() {
        for name in ["../../etc/passwd", "/", "..", ".", "", "a/../b", "con\0", "<script>alert(1)</script>"] {
            let s = slug(name);
            assert!(!s.contains('/') && !s.contains("..") && !s.starts_with('.') && !s.is_empty(), "{name:?} -> {s:?}");
        }
    }

    proptest! {
        #[test]
        fn two_names_never_share_a_slug(a in "\\PC{0,40}", b in "\\PC{0,40}") {
            prop_assert_eq!(a == b, slug(&a).to_lowercase() == slug(&b).to_lowercase());
        }
        #[test]
        fn names_that_differ_in_case_or_in_escapes_stay_apart(a in "[aAuUsS/:~.x0-9]{0,8}", b in "[aAuUsS/:~.x0-9]{0,8}") {
            prop_assert_eq!(a == b, slug(&a) == slug(&b));
        }
    }
}
