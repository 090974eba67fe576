//! The page of a task: what it is, how each model did, and each attempt.

use super::entries::{full_name, head_cell, ordered};
use super::evidence::evidence;
use super::{Context, LARGE, Section, SectionsView, Sheet, TableView, all, attempts, href, root_of};
use crate::results::{RunFile, slug};
use crate::schema::Exposure;
use crate::site::board::Board;
use crate::site::error::SiteError;
use crate::site::numbers::{cell_id, data_element};
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, link, name};
use rayon::prelude::*;

/// The path of a task's page.
pub fn path(board: &str, task: &str) -> String {
    format!("task/{board}/{}.html", slug(task))
}

/// The path of the list of a board's tasks.
pub fn index_path(board: &str) -> String {
    format!("tasks/{board}.html")
}

/// Writes the page of every task, and their list.
pub fn write_all(context: &Context<'_>, b: &Board<'_>) -> Result<(), SiteError> {
    if b.tasks.is_empty() {
        return Ok(());
    }
    // Short pieces: at the end no thread waits for another's long one.
    let pages = || (0..b.tasks.len()).into_par_iter().with_max_len(16).try_for_each(|t| write(context, b, t));
    all(&[&|| write_index(context, b), &pages])
}

fn write(context: &Context<'_>, b: &Board<'_>, t: usize) -> Result<(), SiteError> {
    let task = &b.tasks[t];
    let page = path(&b.config.id, &task.id);
    let numbers = &context.computed.numbers;
    let n = |stat: &str| numbers.data(&format!("task.{}.{}.{stat}", b.config.id, slug(&task.id)));
    let wording = b.config.wording();
    let verb = wording.head();
    let mut facts = vec![("Task".to_owned(), name(&task.id)), ("Suite".to_owned(), name(&b.config.suite))];
    let mut fact = |term: &str, html: Option<String>| facts.extend(html.map(|h| (term.to_owned(), h)));
    fact("Repository", task.repo.as_deref().map(name));
    let told = context.suites.of(&b.config.suite).and_then(|s| s.task(&task.id));
    fact("Human fix merged", task.merged_at.as_ref().map(|d| format!("<time>{}</time>", escape(d))));
    let sealed = told.and_then(|t| t.sealed.as_ref());
    fact("Sealed, with the commitment", sealed.map(|sha| format!("<code>{}</code>", escape(sha))));
    if told.is_none() {
        fact("Language", task.language.as_deref().map(name));
        fact("Targets", task.targets.map(|_| n("targets")));
        fact("Guards", task.guards.map(|_| n("guards")));
    }
    fact("Attempts", Some(format!("{} of which {} {}", n("attempts"), n("fixed"), wording.verb)));
    fact("Models with an attempt", Some(n("entries_with_data")));
    let mut by_model = Table::new(
        "models",
        &format!("How often each model {} this task", wording.verb),
        &[
            ("Model", "model", false),
            (verb.as_str(), "fixed", true),
            ("Left out", "excluded", true),
            ("Human fix merged", "exposure", false),
        ],
    );
    for e in ordered(b, numbers) {
        let c = e.cells[t];
        let family = |what: &str| cell_id(&b.config.id, &e.key, &task.id, what);
        let fixed = if c.n == 0 {
            Cell::html("<span class=\"muted\">not run</span>".into(), "not run")
        } else {
            Cell::Ratio(family("fixed"), c.c, family("attempts"), c.n)
        };
        let excluded = if c.excluded == 0 {
            Cell::Empty
        } else {
            Cell::html(data_element(&family("excluded"), Some(f64::from(c.excluded)), &c.excluded.to_string()), "")
        };
        let head = if super::entries::shows_agent(b) {
            Cell::name(&full_name(b, e))
        } else {
            head_cell(context.config, &page, e)
        };
        // A label for readers, which leaves nothing out.
        let exposure = match Exposure::of(task.merged_at.as_deref(), e.model.cutoff.as_deref()) {
            Exposure::Unknown => Cell::Empty,
            known => Cell::name(known.label()),
        };
        by_model.rows.push(Row::new(vec![head, fixed, excluded, exposure]));
    }
    let by_model = context.table_without_files(&by_model.without_empty_columns());
    let files = vec![(href(&page, "data.html"), "All attempts and raw lines".to_owned())];
    let has_rows = b.rows_of(t as u32).next().is_some();
    let table = if has_rows {
        TableView { html: LARGE.into(), files }
    } else {
        TableView { html: "<p>No attempt at this task exists.</p>".into(), files }
    };
    let evidence = evidence(b, t as u32, context.artifacts, &page);
    let below = evidence.as_ref().map(|_| Section {
        id: "evidence".into(),
        heading: "Evidence".into(),
        lead: EVIDENCE_LEAD.into(),
        tables: vec![TableView { html: LARGE.into(), files: Vec::new() }],
        ..Section::default()
    });
    let by_model =
        Section { id: "by-model".into(), heading: "By model".into(), tables: vec![by_model], ..Section::default() };
    let all = Section {
        id: "all-attempts".into(),
        heading: "Attempts".into(),
        lead: without_artifacts(context, b, t as u32),
        tables: vec![table],
        ..Section::default()
    };
    let audits = context.suites.audits_of(&b.config.suite, &task.id);
    let health = super::health::section(&b.config.suite, &task.id, audits);
    let title = task.title.as_ref().or(told.map(|t| &t.title)).unwrap_or(&task.id);
    let view = SectionsView {
        kicker: format!("Task of {}", link(&href(&page, &board_path(context, b)), &name(&b.config.title))),
        heading: name(title),
        lead: String::new(),
        facts,
        sections: told
            .map(super::suites::statement)
            .into_iter()
            .chain([by_model, all])
            .chain(below)
            .chain(health)
            .collect(),
    };
    let sheet = Sheet {
        title: title.clone(),
        description: format!("Every attempt at the task {} of {}, with the raw line of each.", task.id, b.config.suite),
        kind: "task",
        crumbs: crumbs(context, b),
        path: page,
        view: &view,
    };
    let table = attempts::table(b, t as u32, &sheet.path, evidence.as_ref());
    let mut large = if has_rows { vec![table.as_str()] } else { Vec::new() };
    large.extend(evidence.as_ref().map(|e| e.html.as_str()));
    context.write_with(&sheet, &large)
}

const EVIDENCE_LEAD: &str = "<p>What each attempt left: its patch, its turns, and the tests that did not pass. Texts are quoted from models and tests; characters that control a display are shown as \u{fffd}. Long texts are cut here and whole in the files.</p>";

/// Says which of the page's runs published outcomes alone, without a folder of patches, transcripts and reports.
fn without_artifacts(context: &Context<'_>, b: &Board<'_>, task: u32) -> String {
    let runs: Vec<&RunFile> = b.rows_of(task).map(|(r, _)| b.runs[r]).collect();
    let bare: Vec<&RunFile> = runs.iter().copied().filter(|r| context.artifacts.of(&r.run.run).is_none()).collect();
    if bare.is_empty() {
        return String::new();
    }
    let which = if bare.len() == runs.len() {
        if runs.len() == 1 { "The run on this page has".to_owned() } else { "The runs on this page have".to_owned() }
    } else {
        let names: Vec<String> = bare.iter().map(|r| name(&r.run.run)).collect();
        format!("{} {}", names.join(", "), if bare.len() == 1 { "has" } else { "have" })
    };
    format!("<p>{which} outcomes alone: no patch, transcript or test report was published.</p>")
}

/// The path of a board's page.
pub fn board_path(context: &Context<'_>, b: &Board<'_>) -> String {
    super::board::path(&b.config.id, context.config.boards.first().is_some_and(|f| f.id == b.config.id))
}

/// The way to a page below a board.
pub fn crumbs(context: &Context<'_>, b: &Board<'_>) -> Vec<(String, String)> {
    let mut crumbs = vec![(context.config.title.clone(), "index.html".to_owned())];
    let path = board_path(context, b);
    if path != "index.html" {
        crumbs.push((b.config.title.clone(), path));
    }
    crumbs
}

/// Lists with more tasks are links alone.
const MOST_ROWS: usize = 2000;

fn write_index(context: &Context<'_>, b: &Board<'_>) -> Result<(), SiteError> {
    let page = index_path(&b.config.id);
    let verb = b.config.wording().head();
    let mut table = Table::new(
        "tasks",
        "The tasks of this board",
        &[
            ("Task", "task", false),
            ("Repository", "repo", false),
            ("Language", "language", false),
            ("Merged", "merged_at", false),
            (verb.as_str(), "fixed", true),
            ("Attempts", "attempts", true),
            ("Health", "health", false),
        ],
    );
    table.filter = true;
    for task in &b.tasks {
        let n = |stat: &str| Cell::Number(format!("task.{}.{}.{stat}", b.config.id, slug(&task.id)));
        table.rows.push(Row::new(vec![
            Cell::link(&href(&page, &path(&b.config.id, &task.id)), task.title.as_deref().unwrap_or(&task.id)),
            task.repo.as_deref().map_or(Cell::Empty, Cell::name),
            task.language.as_deref().map_or(Cell::Empty, Cell::name),
            task.merged_at.as_ref().map_or(Cell::Empty, |d| Cell::html(format!("<time>{}</time>", escape(d)), d)),
            n("fixed"),
            n("attempts"),
            super::health::cell(context.suites.audits_of(&b.config.suite, &task.id)),
        ]));
    }
    let table = table.without_empty_columns();
    let mut view = context.table(&page, &b.config.id, &table)?;
    if b.tasks.len() > MOST_ROWS {
        let items: String = b
            .tasks
            .iter()
            .map(|t| format!("<li>{}</li>", link(&href(&page, &path(&b.config.id, &t.id)), &name(&t.id))))
            .collect();
        view.html = format!("<ul class=\"columns\">{items}</ul>");
    }
    let view = SectionsView {
        kicker: link(
            &format!("{}{}", root_of(&page), super::super::feed::address(&board_path(context, b))),
            &name(&b.config.title),
        ),
        heading: "Tasks".into(),
        sections: vec![Section {
            id: "list".into(),
            heading: "All tasks".into(),
            tables: vec![view],
            ..Section::default()
        }],
        ..SectionsView::default()
    };
    let title = format!("Tasks of {}", b.config.title);
    context.write(&Sheet {
        path: page,
        kind: "tasks",
        title,
        description: format!("The tasks of {}, with attempts and {}.", b.config.suite, b.config.wording().nouns()),
        crumbs: crumbs(context, b),
        view: &view,
    })
}
