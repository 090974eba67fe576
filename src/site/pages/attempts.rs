//! The attempts of a task as rows with anchors, and all attempts of a run as CSV.

use super::evidence::{Evidence, anchor_of};
use super::{Context, root_of};
use crate::results::{Row, RunFile, slug};
use crate::site::board::Board;
use crate::site::csv::push_csv_line;
use crate::site::error::SiteError;
use crate::site::numbers::{FIELDS, Field, data_element, push_formatted, push_part, push_value};
use crate::site::text::{escape, push_escaped};
use rayon::prelude::*;
use std::fmt::Write;

/// Files of attempts end before this many bytes; a host takes 25 MiB.
const MOST_BYTES: usize = 20 << 20;

/// A column of single numbers: heading, the field, and the field that it is a part of, read as "k of n".
type Column = (&'static str, usize, Option<usize>);

/// The columns, by places in [`FIELDS`].
const COLUMNS: &[Column] = &[
    ("Targets", 0, Some(1)),
    ("Guards", 2, Some(3)),
    ("Turns", 4, None),
    ("Output tokens", 5, None),
    ("Agent time", 6, None),
    ("Whole time", 7, None),
    ("Cost", 8, None),
];

/// Which parts of the table any attempt of the page has.
struct Shown {
    columns: Vec<ShownColumn>,
    stop: bool,
    error: bool,
}

struct ShownColumn {
    head: &'static str,
    field: &'static Field,
    /// The total of each row, where the rows differ in it.
    total: Option<&'static Field>,
    /// The total that all rows share, said once: as an element.
    shared: String,
}

/// A column, where any row has its value.
fn shown_column(b: &Board<'_>, groups: &[(usize, &[Row])], column: &Column) -> Option<ShownColumn> {
    let (field, total) = (&FIELDS[column.1], column.2.map(|t| &FIELDS[t]));
    let mut rows = groups.iter().flat_map(|(r, rows)| rows.iter().map(move |row| (*r, row)));
    rows.clone().find(|(_, row)| (field.value)(row).is_some())?;
    let mut shown = ShownColumn { head: column.0, field, total, shared: String::new() };
    let first = rows.clone().find(|(_, row)| !row.superseded && (field.value)(row).is_some());
    if let (Some((r, row)), Some(total)) = (first, total)
        && let Some(n) = (total.value)(row)
        && rows.all(|(_, other)| (total.value)(other).is_none_or(|m| m == n))
    {
        let mut id = line_id(b, r, row);
        id.push_str(total.pointer);
        (shown.total, shown.shared) = (None, data_element(&id, Some(n), &total.format.text(Some(n))));
    }
    Some(shown)
}

/// The beginning of the ids of an entry's lines at a task: the repeat follows.
fn line_base(b: &Board<'_>, r: usize, row: &Row) -> String {
    let run = &b.runs[r].run;
    let mut base = String::from("line|");
    let condition = &b.runs[r].variants[usize::from(row.variant)].1;
    for part in [&run.run, &run.tasks[row.task as usize], &run.models[usize::from(row.model)].id, condition] {
        push_part(&mut base, part);
        base.push('|');
    }
    base
}

fn shown(b: &Board<'_>, groups: &[(usize, &[Row])]) -> Shown {
    let rows = || groups.iter().flat_map(|(_, rows)| rows.iter());
    Shown {
        columns: COLUMNS.iter().filter_map(|c| shown_column(b, groups, c)).collect(),
        stop: rows().any(|r| !r.stop.label().is_empty()),
        error: rows().any(|r| r.has_error),
    }
}

/// The ids of one line begin so: a pointer follows.
pub fn line_id(b: &Board<'_>, r: usize, row: &Row) -> String {
    let mut id = line_base(b, r, row);
    push_value(&mut id, Some(row.repeat.into()));
    id.push('|');
    id
}

/// The attempts of one entry at a task in one run.
pub struct Body<'a> {
    /// Place of the run on the board.
    pub run: usize,
    /// Its lines.
    pub rows: &'a [Row],
    /// Place of the entry on the board.
    pub entry: usize,
    /// The anchors of its rows without the repeat.
    pub anchor: String,
}

/// Every attempt at a task by run and entry, in the order in which a page shows them.
pub fn bodies<'a>(b: &Board<'a>, task: u32) -> Vec<Body<'a>> {
    let mut taken = std::collections::HashSet::new();
    let mut found = Vec::new();
    for (run, rows) in b.rows_of(task) {
        for rows in rows.chunk_by(|x, y| (x.model, x.variant) == (y.model, y.variant)) {
            let Some(entry) = b.entry_map[run].get(&(rows[0].model, rows[0].variant)).copied() else { continue };
            // One entry may have attempts in several runs: their anchors carry the run.
            let key = &b.entries[entry].key;
            let anchor =
                if taken.insert(entry) { key.clone() } else { format!("{key}-{}", slug(&b.runs[run].run.run)) };
            found.push(Body { run, rows, entry, anchor });
        }
    }
    found
}

/// The table of a task's attempts: one body for each entry of each run; `evidence` is what the page shows below it.
pub fn table(b: &Board<'_>, task: u32, page: &str, evidence: Option<&Evidence>) -> String {
    let groups: Vec<(usize, &[Row])> = b.rows_of(task).collect();
    let shown = shown(b, &groups);
    let count: usize = groups.iter().map(|(_, rows)| rows.len()).sum();
    let mut out = String::with_capacity(2000 + count * 950);
    out.push_str("<div class=\"table-wrap\" role=\"region\" tabindex=\"0\" aria-labelledby=\"attempts-caption\"><table class=\"data\" id=\"attempts\" data-sortable data-filter=\"Filter the attempts\"><caption id=\"attempts-caption\">Every attempt at this task, by model and run. A raw line is named by its piece of the run’s file and the line in it.</caption><thead><tr><th scope=\"col\">Attempt</th><th scope=\"col\">Outcome</th>");
    if shown.stop {
        out.push_str("<th scope=\"col\">Stop</th>");
    }
    for c in &shown.columns {
        push_parts(&mut out, &["<th scope=\"col\" class=\"num\">", c.head]);
        if !c.shared.is_empty() {
            push_parts(&mut out, &[", of ", &c.shared]);
        }
        out.push_str("</th>");
    }
    if shown.error {
        out.push_str("<th scope=\"col\">Error</th>");
    }
    out.push_str("<th scope=\"col\">Raw line</th></tr></thead>");
    let root = root_of(page);
    for body in bodies(b, task) {
        push_body(&mut out, b, &body, &shown, &root, evidence);
    }
    out.push_str("</table></div>");
    out
}

/// The rows of one entry in one run, under a heading that leads to the raw files.
fn push_body(out: &mut String, b: &Board<'_>, body: &Body<'_>, shown: &Shown, root: &str, evidence: Option<&Evidence>) {
    let (run, rows) = (b.runs[body.run], body.rows);
    let (entry, run_slug) = (&b.entries[body.entry], slug(&run.run.run));
    push_parts(out, &["<tbody data-base=\"", &line_base(b, body.run, &rows[0])]);
    let columns = 3 + shown.columns.len() + usize::from(shown.stop) + usize::from(shown.error);
    let _ = write!(out, "\"><tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{columns}\"><span class=\"name\">");
    push_escaped(out, &super::entries::full_name(b, entry));
    let _ = write!(out, "</span><span class=\"sub\">run <a class=\"name\" href=\"{root}run/{run_slug}\">");
    push_escaped(out, &run.run.run);
    out.push_str("</a>, raw file");
    let mut pieces: Vec<usize> = rows.iter().filter_map(|row| run.locate(row.line).map(|p| p.0)).collect();
    pieces.dedup();
    for piece in pieces {
        let _ = write!(
            out,
            " <a class=\"name\" href=\"{root}data/raw/{run_slug}/attempts-{piece:04}.jsonl\">{piece:04}</a>"
        );
    }
    out.push_str("</span></th></tr>");
    let wording = b.config.wording();
    for row in rows {
        let outcome = wording.outcome(row.outcome);
        push_row(out, (run, row, &outcome), shown, &body.anchor, evidence);
    }
    out.push_str("</tbody>");
}

fn push_row(
    out: &mut String,
    (run, row, outcome): (&RunFile, &Row, &str),
    shown: &Shown,
    anchor: &str,
    evidence: Option<&Evidence>,
) {
    if row.superseded {
        out.push_str("<tr class=\"superseded\">");
    } else {
        push_parts(out, &["<tr id=\"", anchor, "-"]);
        push_whole(out, row.repeat.into());
        out.push_str("\" data-base=\"+");
        push_whole(out, row.repeat.into());
        out.push_str("|\">");
    }
    out.push_str("<th scope=\"row\">repeat <code>");
    push_whole(out, row.repeat.into());
    push_parts(
        out,
        &["</code></th><td><span class=\"outcome o-", row.outcome.word(), "\">", &escape(outcome), "</span>"],
    );
    if row.superseded {
        out.push_str("<span class=\"sub\">replaced by a later line</span>");
    } else if row.outcome.excluded(run.run.scoring.infra) {
        out.push_str("<span class=\"sub\">left out</span>");
    }
    out.push_str("</td>");
    if shown.stop {
        out.push_str("<td>");
        out.push_str(row.stop.label());
        out.push_str("</td>");
    }
    for c in &shown.columns {
        push_numbers(out, row, c.field, c.total);
    }
    if shown.error {
        out.push_str("<td>");
        if let Some(error) = run.error_text(row.line) {
            out.push_str("<span class=\"name\">");
            push_escaped(out, &error.class);
            out.push_str(": ");
            push_escaped(out, &error.message);
            out.push_str("</span>");
        }
        out.push_str("</td>");
    }
    let (piece, line) = run.locate(row.line).unwrap_or((0, u64::from(row.line)));
    let _ = write!(out, "<td><code>{piece:04}:{line}</code>");
    if let Some(evidence) = evidence.filter(|_| !row.superseded) {
        let anchor = anchor_of(anchor, row.repeat);
        if evidence.anchors.contains(&anchor) {
            push_parts(out, &[" <a href=\"#", &anchor, "\">evidence</a>"]);
        }
    }
    out.push_str("</td></tr>");
}

/// A page holds many rows: their parts are appended without the formatting machinery.
fn push_parts(out: &mut String, parts: &[&str]) {
    for part in parts {
        out.push_str(part);
    }
}

fn push_whole(out: &mut String, value: u64) {
    push_value(out, Some(value as f64));
}

fn push_numbers(out: &mut String, row: &Row, field: &Field, total: Option<&Field>) {
    let Some(v) = (field.value)(row) else {
        out.push_str("<td><span class=\"muted\">–</span></td>");
        return;
    };
    // A tenth of such a page would say that a cell with a number holds one: the style sheet sees it.
    out.push_str("<td>");
    if row.superseded {
        // A superseded line is no number of the site: its value is plain.
        push_parts(out, &["<code>", &field.format.text(Some(v)), "</code>"]);
    } else {
        push_formatted(out, field.pointer, v, field.format);
        if let Some((total, n)) = total.and_then(|t| Some((t, (t.value)(row)?))) {
            out.push_str(" of ");
            push_formatted(out, total.pointer, n, total.format);
        }
    }
    out.push_str("</td>");
}

/// The files of a run's attempts as CSV: paths in order.
pub fn csv_paths(run: &RunFile) -> Vec<String> {
    // Every line is shorter than this, so the number of files is known before they are written.
    let per_file = (MOST_BYTES / (220 + longest(run))).max(1);
    let files = run.rows.len().div_ceil(per_file).max(1);
    (0..files).map(|i| format!("data/attempts/{}-{i:04}.csv", slug(&run.run.run))).collect()
}

fn longest(run: &RunFile) -> usize {
    let task = run.run.tasks.iter().map(String::len).max().unwrap_or(0);
    let model = run.run.models.iter().map(|m| m.id.len()).max().unwrap_or(0);
    let variant = run.variants.iter().map(|v| v.0.len() + v.1.len()).max().unwrap_or(0);
    2 * (run.run.run.len() + task + model + variant)
}

/// Stages the attempts of every run as CSV.
pub fn write_files(context: &Context<'_>) -> Result<(), SiteError> {
    context.data.runs.par_iter().try_for_each(|run| {
        let paths = csv_paths(run);
        let per_file = run.rows.len().div_ceil(paths.len()).max(1);
        let mut chunks = run.rows.chunks(per_file);
        paths.iter().try_for_each(|path| context.out.put(path, csv(run, chunks.next().unwrap_or(&[])).as_bytes()))
    })
}

fn csv(run: &RunFile, rows: &[Row]) -> String {
    let mut out = String::with_capacity(200 + rows.len() * 110);
    out.push_str("run,task,model,agent,condition,repeat,outcome,counted,replaced,stop,targets_passed,targets_total,guards_passed,guards_total,turns,output_tokens,agent_seconds,total_seconds,cost_usd,line\n");
    let quoted = |text: &str| {
        let mut field = String::new();
        push_csv_line(&mut field, &[text.to_owned()]);
        field.pop();
        field
    };
    let name = quoted(&run.run.run);
    let tasks: Vec<String> = run.run.tasks.iter().map(|t| quoted(t)).collect();
    let models: Vec<String> = run.run.models.iter().map(|m| quoted(&m.id)).collect();
    let variants: Vec<String> = run.variants.iter().map(|(a, c)| format!("{},{}", quoted(a), quoted(c))).collect();
    for row in rows {
        let counted = !row.superseded && row.outcome.counts(run.run.scoring.infra);
        let _ = write!(
            out,
            "{name},{},{},{},{},{},{counted},{},{}",
            tasks[row.task as usize],
            models[usize::from(row.model)],
            variants[usize::from(row.variant)],
            row.repeat,
            row.outcome.word(),
            row.superseded,
            row.stop.label()
        );
        for field in &FIELDS {
            out.push(',');
            push_value(&mut out, (field.value)(row));
        }
        let _ = writeln!(out, ",{}", row.line);
    }
    out
}
