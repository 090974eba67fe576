//! What a task's folder says of it: a list of facts and the statement, byte for byte what verification makes again.

use crate::site::extract::STATEMENT;
use crate::site::numbers::{push_data, task_base};
use crate::site::statement::statement;
use crate::site::suites::{MOST_SHOWN, TaskText};
use crate::site::text::{escape, link, name};
use crate::stats::display::Format;
use std::fmt::Write;

/// How the block begins; no other element of a site does.
pub const ABOUT: &str = "<div class=\"about-task\"";

/// Facts and statement of a task.
pub fn about_task(t: &TaskText) -> String {
    let mut out = String::with_capacity(2000 + t.problem.len() * 2);
    out.push_str(ABOUT);
    out.push_str(" data-base=\"");
    out.push_str(&escape(&task_base(&t.suite, &t.task)));
    out.push_str("\"><dl class=\"facts\">");
    let mut fact = |term: &str, html: String| {
        let _ = write!(out, "<dt>{term}</dt><dd>{html}</dd>");
    };
    if let Some(difficulty) = &t.difficulty {
        fact("Difficulty", name(difficulty));
    }
    if !t.use_cases.is_empty() {
        fact("Use cases", t.use_cases.iter().map(|u| name(u)).collect::<Vec<_>>().join(", "));
    }
    let runtime = t.runtime.as_ref().map(|r| format!(" <code>{}</code>", escape(r))).unwrap_or_default();
    fact("Language", name(&t.language) + &runtime);
    if let Some(package) = &t.package {
        fact("Package", format!("<code>{}</code>", escape(package)));
    }
    match t.checks {
        Some(_) => fact("Checks", number(t, "/checks")),
        None => {
            fact("Targets", number(t, "/targets"));
            fact("Guards", number(t, "/guards"));
        }
    }
    let limit = |what: &str| number(t, &format!("/limits/{what}"));
    fact(
        "Limits",
        format!(
            "{} s to install, {} s to test, {} MiB of memory, {} processes",
            limit("install_seconds"),
            limit("tests_seconds"),
            limit("memory_mb"),
            limit("processes")
        ),
    );
    push_source(&mut fact, t);
    let _ = write!(out, "</dl><{STATEMENT}>{}</blockquote>", statement(&t.problem));
    if t.problem.len() as u64 != t.problem_bytes {
        let kib = MOST_SHOWN >> 10;
        let bytes = number(t, "/problem_bytes");
        let _ = write!(
            out,
            "<p class=\"note\">The statement is cut after <code>{kib} KiB</code>; the whole has {bytes} bytes.</p>"
        );
    }
    out.push_str("</div>");
    out
}

fn push_source(fact: &mut impl FnMut(&str, String), t: &TaskText) {
    let Some(source) = &t.source else { return };
    let repo = &source.repo;
    // Only what is plainly `owner/name` is made an address.
    let is_plain = repo.split('/').count() == 2
        && repo
            .split('/')
            .all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)));
    let to = |path: String, html: &str| {
        if is_plain { link(&format!("https://github.com/{repo}{path}"), html) } else { html.to_owned() }
    };
    fact("Repository", to(String::new(), &name(repo)));
    let commit = |sha: &String| {
        let is_sha = sha.len() == 40 && sha.bytes().all(|b| b.is_ascii_hexdigit());
        let html = format!("<code>{}</code>", escape(sha));
        if is_sha { to(format!("/commit/{sha}"), &html) } else { html }
    };
    fact("Base commit", commit(&source.base_commit));
    fact("Human fix", commit(&source.fix_commit));
    for (term, kind, id) in [("Pull request", "pull", source.pull_request), ("Issue", "issues", source.issue)] {
        if let Some(id) = id {
            fact(term, to(format!("/{kind}/{id}"), &format!("<code>#{id}</code>")));
        }
    }
    if let Some(day) = &source.merged_at {
        fact("Merged", format!("<time>{}</time>", escape(day)));
    }
}

/// A number of the task's line; the block says of which.
fn number(t: &TaskText, pointer: &str) -> String {
    let value = t.number(pointer).map(|v| v as f64);
    let mut out = String::new();
    push_data(&mut out, pointer, value, &Format::Count.text(value));
    out
}
