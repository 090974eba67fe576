//! The facts of one attempt: numbers by their ids, and what else its raw line says.

use super::Case;
use super::quote::{code, number, whole};
use crate::schema::Attempt;
use crate::site::numbers::{FIELDS, push_data};
use crate::site::text::{escape, name};
use std::fmt::Write;

/// Digests that are listed.
const MOST_DIGESTS: usize = 16;
/// Characters of a fact.
const MOST: usize = 300;

/// Appends the list of facts.
pub fn push(out: &mut String, case: &Case<'_>, line: Option<&Attempt>) {
    out.push_str("<dl class=\"facts\">\n");
    let mut fact = |term: &str, html: String| {
        let _ = writeln!(out, "<dt>{term}</dt><dd>{html}</dd>");
    };
    fact("Turns", field(case, "/turns"));
    fact("Cost", field(case, "/cost_usd"));
    let tokens = line.and_then(|l| l.usage).map(|u| {
        let [input, cached, written, requests] = [u.input, u.cached_input, u.cache_write, u.requests].map(whole);
        format!(", input {input}, read from a cache {cached}, written to one {written}, in {requests} calls")
    });
    fact("Tokens", format!("output {}{}", field(case, "/usage/output"), tokens.unwrap_or_default()));
    let mut time = format!("agent {}, all {}", field(case, "/seconds/agent"), field(case, "/seconds/total"));
    let seconds = line.and_then(|l| l.seconds).unwrap_or_default();
    for (word, value) in [("install", seconds.install), ("tests", seconds.tests)] {
        if let Some(value) = value {
            let _ = write!(time, ", {word} {}", number(value, " s"));
        }
    }
    fact("Time", time);
    for (term, kind) in [("Targets passed", "targets"), ("Guards passed", "guards")] {
        let [passed, total] = ["passed", "total"].map(|what| field(case, &format!("/tests/{kind}/{what}")));
        if case.row_has(kind) {
            fact(term, format!("{passed} of {total}"));
        }
    }
    let Some(line) = line else {
        fact("Raw line", "cannot be shown here; what it says beside these numbers is in the run’s file".into());
        out.push_str("</dl>\n");
        return;
    };
    fact("Stop", line.stop.as_ref().map_or_else(|| "not said".to_owned(), |s| code(s, MOST)));
    if let Some(error) = &line.error {
        fact("Error", format!("{}: {}", code(&error.class, MOST), code(&error.message, MOST)));
    }
    if let Some(retries) = line.retries.filter(|n| *n > 0) {
        fact("Tries before it", whole(retries));
    }
    let times = [("from", &line.started_at), ("to", &line.finished_at)];
    let times: Vec<String> =
        times.iter().filter_map(|(word, at)| Some(format!("{word} <time>{}</time>", escape(at.as_ref()?)))).collect();
    if !times.is_empty() {
        fact("At work", times.join(" "));
    }
    fact("Agent", name(&line.agent));
    fact("Condition", name(&line.condition));
    if let Some(tool) = &line.tool {
        fact("Written by", name(tool));
    }
    if let Some(host) = &line.host {
        fact("Host", code(&host.to_string(), MOST));
    }
    if let Some(patch) = &line.patch {
        let applied = patch.applied.as_ref().map(|a| format!(", applied {}", code(a, MOST))).unwrap_or_default();
        let (bytes, files, sha) = (whole(patch.bytes), whole(patch.files), code(&patch.sha256, MOST));
        fact("Patch as scored", format!("{bytes} bytes, files changed: {files}{applied}, <code>SHA-256</code> {sha}"));
    }
    push_digests(&mut fact, line);
    out.push_str("</dl>\n");
}

fn push_digests(fact: &mut impl FnMut(&str, String), line: &Attempt) {
    let digests = line.digests.iter().flatten();
    let list: Vec<String> = digests
        .take(MOST_DIGESTS)
        .map(|(key, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{} {}", name(&key.chars().take(40).collect::<String>()), code(&value, MOST))
        })
        .collect();
    let html = if list.is_empty() { "none is said".to_owned() } else { list.join("<br>") };
    fact("Digests", html);
}

impl Case<'_> {
    /// Whether the line counts tests of a kind.
    fn row_has(&self, kind: &str) -> bool {
        (if kind == "targets" { self.row.targets } else { self.row.guards }).1 > 0
    }
}

/// A number of the line by its pointer; the section says of which line.
fn field(case: &Case<'_>, pointer: &str) -> String {
    let mut out = String::new();
    if let Some(field) = FIELDS.iter().find(|f| f.pointer == pointer) {
        let value = (field.value)(case.row);
        push_data(&mut out, pointer, value, &field.format.text(value));
    }
    out
}
