//! One attempt: facts, tests by name, patch, turns, files.

use super::quote::{code, push_block, push_code, whole};
use super::{Case, facts, turns};
use crate::schema::{Attempt, Outcome, TestCounts, not_scored};
use crate::site::artifacts::{Artifact, PATCH, REPORT, TRAJECTORY};
use crate::site::highlight;
use crate::site::numbers::{data_element, file_id};
use crate::site::text::{clean, escape, push_escaped};
use crate::stats::display::Format;
use serde::Deserialize;
use std::fmt::Write;

/// Bytes of a patch that a page shows.
const MOST_PATCH: usize = 64 << 10;
/// Names of failed tests of one kind.
const MOST_TESTS: usize = 50;
/// Characters of a name of a test.
const MOST_NAME: usize = 300;
/// Characters of what was not scored.
const MOST_LOST: usize = 1000;
/// Characters of what the tests printed.
const MOST_LOG: usize = 4000;

/// Appends the section of an attempt.
pub fn push(out: &mut String, case: &Case<'_>) {
    let line = case.run.attempt(case.row.line);
    out.push_str("<details class=\"attempt\"><summary>");
    push_name(out, case);
    let outcome = case.board.config.wording().outcome(case.row.outcome);
    let _ = write!(out, " <span class=\"outcome o-{}\">{}</span>", case.row.outcome.word(), escape(&outcome));
    if let Some(stop) = line.as_ref().and_then(|l| l.stop.as_ref()) {
        out.push_str(", stop ");
        push_code(out, stop, 40);
    }
    let _ = write!(out, "</summary>\n<div class=\"inside\" id=\"{}\" data-base=\"", case.anchor);
    push_escaped(out, &super::super::attempts::line_id(case.board, case.place, case.row));
    out.push_str("\">\n");
    facts::push(out, case, line.as_ref());
    push_tests(out, case, line.as_ref());
    push_patch(out, case, line.as_ref());
    out.push_str("<h3>Turns</h3>\n");
    match present(out, case, TRAJECTORY, "trajectory") {
        Some((file, bytes)) => turns::push(out, case, file, &bytes),
        None => out.push_str("</p>\n"),
    }
    push_files(out, case);
    out.push_str("</div></details>\n");
}

/// Appends who made the attempt and which one it is.
pub fn push_name(out: &mut String, case: &Case<'_>) {
    out.push_str("<span class=\"name\">");
    push_escaped(out, &case.who);
    out.push_str("</span>, run <span class=\"name\">");
    push_escaped(out, &case.run.run.run);
    let _ = write!(out, "</span>, repeat <code>{}</code>", case.row.repeat);
}

/// Appends links to the attempt's own files, or says that there are none.
pub fn push_links(out: &mut String, case: &Case<'_>) {
    let mut any = false;
    for (name, word) in [(PATCH, "patch"), (TRAJECTORY, "trajectory"), (REPORT, "report")] {
        if let Some(file) = case.file(name).filter(|f| !f.is_left_out()) {
            let _ = write!(out, "{}<a href=\"{}\">{word}</a>", if any { ", " } else { "" }, escape(&case.href(file)));
            any = true;
        }
    }
    if !any {
        out.push_str("no file is published");
    }
}

/// Opens a paragraph that says what is there of a file, and reads it; none where there is nothing to show: the caller
/// closes the paragraph then.
fn present<'c>(out: &mut String, case: &'c Case<'_>, name: &str, word: &str) -> Option<(&'c Artifact, Vec<u8>)> {
    out.push_str("<p class=\"note\">");
    let Some(file) = case.file(name) else {
        let _ = write!(out, "No {word} was kept.");
        return None;
    };
    if file.is_left_out() {
        let _ = write!(out, "The {word} is left out: the host of this site takes no more files.");
        return None;
    }
    let Some(bytes) = case.of.read(file) else {
        let _ = write!(out, "The {word} cannot be read.");
        return None;
    };
    let _ = write!(out, "<a href=\"{}\">Whole {word}</a>", escape(&case.href(file)));
    if file.is_cut() {
        let _ = write!(out, ", cut: of {} bytes the first {} are published", whole(file.bytes), whole(file.published));
    }
    out.push('.');
    Some((file, bytes))
}

fn push_tests(out: &mut String, case: &Case<'_>, line: Option<&Attempt>) {
    out.push_str("<h3>Tests</h3>\n");
    // What fails may well fail since something is not there that the patch brought.
    let patch = line.filter(|l| l.outcome != Outcome::Resolved).and_then(|l| l.patch.as_ref());
    if let Some(lost) = patch.and_then(|p| not_scored(&p.dropped, &p.put_back)) {
        let _ = writeln!(out, "<p>Not scored, {}.</p>", code(&lost, MOST_LOST));
    }
    match line.and_then(|l| l.tests.as_ref()) {
        Some(tests) => {
            push_failed(out, "targets", &tests.targets);
            push_failed(out, "guards", &tests.guards);
        }
        None => match line.and_then(|l| l.score) {
            Some(s) => {
                let _ = writeln!(out, "<p>{} of {} checks passed.</p>", whole(s.passed), whole(s.total));
            }
            None => out.push_str("<p>No test ran.</p>\n"),
        },
    }
    let found = present(out, case, REPORT, "report");
    let Some((_, bytes)) = found else {
        out.push_str("</p>\n");
        return;
    };
    match serde_json::from_slice::<Report>(&bytes) {
        Ok(Report { log: Some(log) }) if !log.trim().is_empty() => {
            out.push_str("</p>\n<details class=\"turn\"><summary>What the tests printed last</summary>\n");
            let skip = log.chars().count().saturating_sub(MOST_LOG);
            let from = log.char_indices().nth(skip).map_or(log.len(), |(i, _)| i);
            push_block(out, &log[from..], MOST_LOG);
            out.push_str("</details>\n");
        }
        Ok(_) => out.push_str(" No output of tests is in it.</p>\n"),
        Err(_) => out.push_str(" It is no report that can be shown here.</p>\n"),
    }
}

/// What a page shows of a report.
#[derive(Deserialize)]
struct Report {
    log: Option<String>,
}

fn push_failed(out: &mut String, what: &str, tests: &TestCounts) {
    if tests.failed.is_empty() {
        let _ = writeln!(
            out,
            "<p>{}</p>",
            match (tests.total, tests.passed == tests.total) {
                (0, _) => format!("There are no {what}."),
                (_, true) => format!("All {what} passed."),
                (_, false) => format!("The line does not name the {what} that did not pass."),
            }
        );
        return;
    }
    let _ = write!(out, "<p>Of the {what} did not pass:</p><ul class=\"tests\">");
    for test in tests.failed.iter().take(MOST_TESTS) {
        let _ = write!(out, "<li>{}</li>", code(test, MOST_NAME));
    }
    if let Some(more) = tests.failed.len().checked_sub(MOST_TESTS).filter(|n| *n > 0) {
        let _ = write!(out, "<li>and {} more in the raw line</li>", whole(more as u64));
    }
    out.push_str("</ul>\n");
}

fn push_patch(out: &mut String, case: &Case<'_>, line: Option<&Attempt>) {
    out.push_str("<h3>Patch</h3>\n");
    let scored = line.and_then(|l| l.patch.as_ref());
    if case.file(PATCH).is_none() && scored.is_none() {
        out.push_str("<p class=\"note\">The attempt left no change.</p>\n");
        return;
    }
    let found = present(out, case, PATCH, "patch");
    if let (Some((file, _)), Some(scored)) = (&found, scored)
        && !file.is_cut()
    {
        out.push_str(if file.sha256 == scored.sha256 {
            " Its digest is that of the raw line: this is what was scored."
        } else {
            " Its digest is not that of the raw line: what was scored had a secret in it that is not published, or is another patch."
        });
    }
    out.push_str("</p>\n");
    if let Some(dropped) = scored.map(|s| &s.dropped).filter(|d| !d.is_empty()) {
        let _ = writeln!(out, "<p>Not scored, because the task protects it: {}.</p>", listed(dropped));
    }
    if let Some(put_back) = scored.map(|s| &s.put_back).filter(|p| !p.is_empty()) {
        let _ = writeln!(out, "<p>Put back, because tests or tools read it: {}.</p>", listed(put_back));
    }
    if let Some((file, bytes)) = found {
        push_diff(out, case, file, &bytes);
    }
}

/// Names of changes, not too many of them.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_TESTS).map(|name| code(name, MOST_NAME)).collect();
    let more = if names.len() > MOST_TESTS { ", and more in the raw line" } else { "" };
    format!("{}{more}", shown.join(", "))
}

fn push_diff(out: &mut String, case: &Case<'_>, file: &Artifact, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let shown = match text.len() > MOST_PATCH {
        false => text.as_ref(),
        true => {
            let cut = &text[..text.floor_char_boundary(MOST_PATCH)];
            cut.rfind('\n').map_or(cut, |end| &cut[..=end])
        }
    };
    let _ = write!(out, "<pre data-of=\"{}\"><code>", escape(&case.of.site_path(file)));
    highlight::push_code(out, "diff", &clean(shown));
    out.push_str("</code></pre>\n");
    if shown.len() < text.len() {
        let kib = MOST_PATCH >> 10;
        let _ =
            writeln!(out, "<p class=\"note\">Cut after <code>{kib} KiB</code>; the whole patch is in the file.</p>");
    }
}

fn push_files(out: &mut String, case: &Case<'_>) {
    if case.files.is_empty() {
        return;
    }
    out.push_str("<h3>Files</h3>\n<ul class=\"files\">\n");
    for file in case.files {
        let name = file.path.strip_prefix(case.folder.as_str()).unwrap_or(&file.path).trim_start_matches('/');
        if file.is_left_out() {
            let _ = writeln!(out, "<li>{}: left out, {} bytes</li>", code(name, MOST_NAME), whole(file.bytes));
            continue;
        }
        let bytes = Some(file.published as f64);
        let _ = writeln!(
            out,
            "<li><a href=\"{}\">{}</a>: {} bytes, <code>SHA-256</code> <code class=\"digest\">{}</code></li>",
            escape(&case.href(file)),
            code(name, MOST_NAME),
            data_element(&file_id(&case.of.site_path(file)), bytes, &Format::Count.text(bytes)),
            escape(&file.sha256)
        );
    }
    out.push_str("</ul>\n");
}
