//! What an attempt left behind, on the page of its task: byte for byte what verification makes again from what is
//! published.
//!
//! In: the lines of a task's attempts and the published files beside them. Out: one folded section an attempt with its
//! facts, tests, patch and turns, each as far as a page may carry it, and links to the whole files. What is missing is
//! said. Every text in here is a model's or a task's: it is cut, cleaned and escaped, and stands in `pre` or `code`.

mod attempt;
mod facts;
mod quote;
mod turns;

use super::attempts::{Body, bodies};
use super::root_of;
use crate::results::{Row, RunFile};
use crate::site::artifacts::{Artifact, Artifacts, RunArtifacts};
use crate::site::board::Board;
use crate::site::text::push_escaped;
use std::collections::HashSet;
use std::fmt::Write;

/// How the block begins; no other element of a site does.
pub const EVIDENCE: &str = "<div class=\"evidence\"";

/// Bytes of a page's block after which attempts are links alone: with what one attempt may add, and with a table of
/// many attempts, a page stays below what the host takes.
const MOST_PAGE: usize = 4 << 20;
/// Attempts that are listed as links; the index of the run's files names all.
const MOST_LISTED: usize = 3000;

/// The block of a page.
pub struct Evidence {
    /// HTML.
    pub html: String,
    /// Anchors of the attempts in it.
    pub anchors: HashSet<String>,
}

/// An attempt of a run that published more than outcomes.
struct Case<'a> {
    board: &'a Board<'a>,
    /// Place of the run on the board.
    place: usize,
    run: &'a RunFile,
    row: &'a Row,
    /// The entry, in words.
    who: String,
    anchor: String,
    /// The way to the site's root.
    root: &'a str,
    of: &'a RunArtifacts,
    files: &'a [Artifact],
    folder: String,
}

impl Case<'_> {
    /// A file of the attempt itself, not of an earlier try.
    fn file(&self, name: &str) -> Option<&Artifact> {
        let path = format!("{}/{name}", self.folder);
        self.files.iter().find(|f| f.path == path)
    }

    /// The address of a file.
    fn href(&self, file: &Artifact) -> String {
        format!("{}{}", self.root, self.of.site_path(file))
    }
}

/// The anchor of an attempt's evidence, from the anchor of its row without the repeat.
pub fn anchor_of(row: &str, repeat: u32) -> String {
    format!("evidence-{row}-{repeat}")
}

/// The evidence of a task's attempts; none where every run on the page published outcomes alone.
pub fn evidence(b: &Board<'_>, task: u32, artifacts: &Artifacts, page: &str) -> Option<Evidence> {
    let with_files: Vec<bool> = b.runs.iter().map(|r| artifacts.of(&r.run.run).is_some()).collect();
    if !with_files.contains(&true) || !b.rows_of(task).any(|(run, _)| with_files[run]) {
        return None;
    }
    let root = root_of(page);
    let mut out = Evidence { html: format!("{EVIDENCE}>\n"), anchors: HashSet::new() };
    let mut rest = Vec::new();
    for body in bodies(b, task) {
        let Some(of) = artifacts.of(&b.runs[body.run].run.run) else { continue };
        for row in body.rows.iter().filter(|row| !row.superseded) {
            let case = case(b, &body, row, of, &root);
            if out.html.len() > MOST_PAGE {
                rest.push(case);
                continue;
            }
            attempt::push(&mut out.html, &case);
            out.anchors.insert(case.anchor);
        }
    }
    push_rest(&mut out, &rest);
    out.html.push_str("</div>\n");
    Some(out)
}

fn case<'a>(b: &'a Board<'a>, body: &Body<'a>, row: &'a Row, of: &'a RunArtifacts, root: &'a str) -> Case<'a> {
    let run = b.runs[body.run];
    let (task, model) = (&run.run.tasks[row.task as usize], &run.run.models[usize::from(row.model)].id);
    let (files, folder) = of.attempt(task, model, &run.variants[usize::from(row.variant)].1, row.repeat);
    Case {
        board: b,
        place: body.run,
        run,
        row,
        who: super::entries::full_name(b, &b.entries[body.entry]),
        anchor: anchor_of(&body.anchor, row.repeat),
        root,
        of,
        files,
        folder,
    }
}

/// The attempts that the page has no room for: links to their files.
fn push_rest(out: &mut Evidence, rest: &[Case<'_>]) {
    if rest.is_empty() {
        return;
    }
    let mib = MOST_PAGE >> 20;
    let _ = writeln!(
        out.html,
        "<p class=\"note\">A page carries about <code>{mib} MiB</code> of evidence. Of <code>{}</code> more attempts here are the files alone.</p>\n<ul class=\"more\">",
        rest.len()
    );
    for case in rest.iter().take(MOST_LISTED) {
        let _ = write!(out.html, "<li id=\"{}\">", case.anchor);
        attempt::push_name(&mut out.html, case);
        out.html.push_str(": ");
        attempt::push_links(&mut out.html, case);
        out.html.push_str("</li>\n");
        out.anchors.insert(case.anchor.clone());
    }
    out.html.push_str("</ul>\n");
    if rest.len() > MOST_LISTED {
        out.html.push_str("<p class=\"note\">The rest is listed in the indexes of the runs’ files.</p>\n");
    }
}

/// A class of small words above a quoted text.
fn push_label(out: &mut String, label: &str) {
    out.push_str("<p class=\"what\">");
    push_escaped(out, label);
    out.push_str("</p>");
}
