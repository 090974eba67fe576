//! The dated log of a task's audits: byte for byte what verification makes again.

use super::Section;
use crate::schema::Counts;
use crate::site::audits::{Audit, standing};
use crate::site::numbers::{health_base, push_data, push_part};
use crate::site::table::Cell;
use crate::site::text::{escape, push_escaped};
use crate::stats::display::Format;
use std::fmt::Write;

/// How the block begins; no other element of a site does.
pub const HEALTH: &str = "<div class=\"health-log\"";

/// Audits on a page; the published log holds all.
const MOST_ROWS: usize = 100;

/// The part of a task's page about its health; none where it was never audited.
pub fn section(suite: &str, task: &str, audits: &[Audit]) -> Option<Section> {
    let (now, quarantined) = standing(audits)?;
    let sentence = if quarantined {
        "This task is in quarantine until an audit finds it healthy again."
    } else if now.state == crate::schema::HealthState::Healthy {
        if now.alternate.total > 0 {
            "In its newest audit the human fix and other right solutions resolved the task, and nothing else did."
        } else {
            "In its newest audit the human fix resolved the task, and nothing else did."
        }
    } else {
        "No audit came to an answer yet."
    };
    let lead = format!("<p>{sentence}</p>{}", health_log(suite, task, audits));
    Some(Section { id: "health".into(), heading: "Health".into(), lead, ..Section::default() })
}

/// The audits of a task, newest first.
pub fn health_log(suite: &str, task: &str, audits: &[Audit]) -> String {
    let mut out = String::with_capacity(900 + audits.len().min(MOST_ROWS) * 700);
    out.push_str(HEALTH);
    out.push_str(" data-base=\"");
    push_escaped(&mut out, &health_base(suite, task));
    out.push_str("\"><div class=\"table-wrap\" role=\"region\" tabindex=\"0\" aria-labelledby=\"audits-caption\"><table class=\"data\" id=\"audits\"><caption id=\"audits-caption\">Every audit of this task, newest first: how often the human fix, no change at all, cheats, and other solutions resolved it. A healthy task is resolved by its fix and by other right solutions each time, and by nothing else.</caption><thead><tr><th scope=\"col\">Audited</th><th scope=\"col\">State</th>");
    let others = has_others(audits);
    let heads = HEADS.into_iter().filter(|head| others || !OTHERS.contains(head));
    for head in heads {
        let _ = write!(out, "<th scope=\"col\" class=\"num\">{head}</th>");
    }
    out.push_str("<th scope=\"col\">Isolation</th><th scope=\"col\">Tool</th></tr></thead><tbody>");
    audits.iter().rev().take(MOST_ROWS).for_each(|a| push_row(&mut out, a, others));
    out.push_str("</tbody></table></div></div>");
    out
}

/// Heads of the numbers.
const HEADS: [&str; 6] = ["Fix", "No change", "Cheats", OTHERS[0], OTHERS[1], "Time"];
/// Heads of what only some tasks bring.
const OTHERS: [&str; 2] = ["Other right solutions", "Wrong solutions"];

fn has_others(audits: &[Audit]) -> bool {
    audits.iter().any(|a| a.alternate.total + a.wrong.total > 0)
}

fn push_row(out: &mut String, a: &Audit, others: bool) {
    out.push_str("<tr data-base=\"+");
    push_part(out, &a.at);
    let at = escape(&a.at);
    let shown = a.at.get(..16).filter(|t| t.is_ascii()).map_or_else(|| at.clone(), |t| escape(&t.replace('T', " ")));
    let _ = write!(out, "|\"><th scope=\"row\"><time datetime=\"{at}\">{shown}</time></th><td>{}", state(a));
    if !a.reason.is_empty() {
        let _ = write!(out, "<span class=\"sub name\">{}</span>", escape(&a.reason));
    }
    out.push_str("</td>");
    for (kind, counts) in [("fix", a.fix), ("empty", a.empty), ("exploit", a.exploit)] {
        push_counts(out, kind, counts);
    }
    if others {
        push_counts(out, "alternate", a.alternate);
        push_counts(out, "wrong", a.wrong);
    }
    out.push_str("<td class=\"num\">");
    push_data(out, "/seconds", a.seconds, &Format::Seconds.text(a.seconds));
    let _ = write!(
        out,
        "</td><td><span class=\"name\">{}</span></td><td><span class=\"name\">{}</span></td></tr>",
        escape(&a.isolation),
        escape(&a.tool)
    );
}

fn push_counts(out: &mut String, kind: &str, counts: Counts) {
    out.push_str("<td class=\"num\">");
    push_data(out, &format!("/{kind}/resolved"), Some(counts.passed as f64), &count(counts.passed));
    out.push_str("<span class=\"of\">/</span>");
    push_data(out, &format!("/{kind}/total"), Some(counts.total as f64), &count(counts.total));
    out.push_str("</td>");
}

fn count(value: u64) -> String {
    Format::Count.text(Some(value as f64))
}

/// The state as a mark with its word.
fn state(a: &Audit) -> String {
    let word = a.state.word();
    format!("<span class=\"pill {word}\">{word}</span>")
}

/// A cell of a list of tasks: the state that counts now.
pub fn cell(audits: &[Audit]) -> Cell {
    match standing(audits) {
        None => Cell::Empty,
        Some((a, _)) => Cell::html(state(a), a.state.word()),
    }
}
