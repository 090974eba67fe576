//! The slow path: every fault of one line, each with its field and remedy.

use super::Fault;
use super::doubled::doubled;
use super::fields::fields;
use super::line::{Aside, Plan, read_line};
use super::scan::Text;
use crate::schema::Run;
use serde_json::Value;

/// The page that describes every field of a line and of a plan.
pub const RECORDS: &str = include_str!("../../content/records.md");

/// Where every field of a line and of a plan is described.
pub(super) const HINT: &str = "tsbench results contract lists every field; so does the page “Records” of this project";

/// Every fault for which a line of a run is refused; none where each reader takes it.
pub fn faults_of_line(line: &[u8], run: &Run) -> Vec<Fault> {
    let plan = Plan::new(run);
    let read = Text::new(line).and_then(|t| read_line((t, 0), &plan, &mut Aside::default(), &mut Vec::new(), 1));
    if read.is_some() { Vec::new() } else { diagnose(line, "attempts.jsonl", 1, &plan) }
}

/// Names every fault of a line that the fast path refused.
pub(super) fn diagnose(bytes: &[u8], file: &str, number: u64, plan: &Plan<'_>) -> Vec<Fault> {
    let error = |what: String, hint: &str| Fault::error(file, what, hint).at(number);
    if bytes.is_empty() || bytes.iter().all(u8::is_ascii_whitespace) {
        return vec![error("the line is empty".into(), "remove it: each line is one attempt")];
    }
    let mut faults = Vec::new();
    let mut bytes = bytes;
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        faults.push(error("starts with a byte-order mark".into(), "save the file as UTF-8 without a byte-order mark"));
        bytes = rest;
    }
    if let Some(rest) = bytes.strip_suffix(b"\r") {
        faults.push(error("ends with a carriage return (CRLF)".into(), "write line ends as LF alone"));
        bytes = rest;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            faults.push(error(
                format!("invalid UTF-8 at byte {} of the line", e.valid_up_to() + 1),
                "write the file as UTF-8",
            ));
            return faults;
        }
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => {
            let mut report = |field: &str, what: String, hint: &str| {
                faults.push(Fault::error(file, what, hint).at(number).field(field))
            };
            for key in doubled(text) {
                report(
                    &key,
                    "the key stands twice".into(),
                    "write each key once: readers disagree on which of two counts",
                );
            }
            fields(&map, plan, &mut report);
        }
        Ok(_) => faults.push(error("is not a JSON object".into(), "each line is one object of the attempt contract")),
        Err(e) => faults.push(syntax(text, &e, file, number)),
    }
    if faults.is_empty() {
        faults.push(error("does not keep the attempt contract".into(), HINT));
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
        return Fault::error(file, format!("{near} is not a JSON number"), "write null where a value is unknown")
            .at(number)
            .field(name);
    }
    let text = e.to_string();
    let text = text.split(" at line ").next().unwrap_or(&text);
    Fault::error(file, format!("not JSON: {text} at column {}", e.column()), "each line is one whole JSON object")
        .at(number)
}
