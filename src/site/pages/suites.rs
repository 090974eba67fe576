//! The list of suites, the tasks of each, and a page for each task that no board shows.

use super::{Context, Section, SectionsView, Sheet, about_task, all, href, task};
use crate::results::slug;
use crate::site::audits::Audit;
use crate::site::error::SiteError;
use crate::site::numbers::{Computed, data_element, suite_id};
use crate::site::suites::{SuiteText, Suites, TaskText};
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{link, name};
use crate::stats::display::Format;
use rayon::prelude::*;
use std::collections::HashSet;

/// The page of all suites.
pub const INDEX: &str = "suites.html";

/// Lists with more tasks are links alone.
const MOST_ROWS: usize = 2000;

/// The path of a suite's page.
pub fn path(suite: &str) -> String {
    format!("suite/{}.html", slug(suite))
}

/// The path of the page of a task that no board shows.
fn own_path(t: &TaskText) -> String {
    format!("suite/{}/{}.html", slug(&t.suite), slug(&t.task))
}

/// What the page of a task tells beside attempts.
#[derive(Clone, Copy)]
pub struct Told<'s> {
    /// Suite, `id@version`.
    pub suite: &'s str,
    /// Task.
    pub task: &'s str,
    /// What its folder says.
    pub text: Option<&'s TaskText>,
    /// What audits found.
    pub audits: &'s [Audit],
}

/// Every page that tells a task, with what it tells: those of boards, and one for each task that no board shows.
pub fn pages_of_tasks<'s>(computed: &'s Computed<'_>, suites: &'s Suites) -> Vec<(String, Told<'s>)> {
    let mut found = Vec::new();
    let mut shown = HashSet::new();
    for b in &computed.boards {
        let suite = b.config.suite.as_str();
        let texts = suites.of(suite);
        for task in b.tasks.iter().map(|t| t.id.as_str()) {
            shown.insert((suite, task));
            let text = texts.and_then(|s| s.task(task));
            let audits = suites.audits_of(suite, task);
            if text.is_some() || !audits.is_empty() {
                found.push((task::path(&b.config.id, task), Told { suite, task, text, audits }));
            }
        }
    }
    for t in suites.list.iter().flat_map(|s| &s.tasks) {
        let (suite, task) = (t.suite.as_str(), t.task.as_str());
        if !shown.contains(&(suite, task)) {
            let audits = suites.audits_of(suite, task);
            found.push((own_path(t), Told { suite, task, text: Some(t), audits }));
        }
    }
    found
}

/// The pages that suites demand.
pub fn demanded(computed: &Computed<'_>, suites: &Suites) -> Vec<String> {
    let mut pages: Vec<String> = suites.list.iter().map(|s| path(&s.word)).collect();
    if !pages.is_empty() {
        pages.push(INDEX.to_owned());
    }
    pages.extend(pages_of_tasks(computed, suites).into_iter().map(|p| p.0));
    pages
}

/// Writes all of them but the pages of boards' tasks.
pub fn write_all(context: &Context<'_>) -> Result<(), SiteError> {
    let suites = context.suites;
    if suites.list.is_empty() {
        return Ok(());
    }
    let pages = pages_of_tasks(context.computed, suites);
    let own = pages.iter().filter(|(p, _)| p.starts_with("suite/"));
    let own: Vec<_> = own.filter_map(|(p, told)| told.text.map(|t| (p, t))).collect();
    all(&[
        &|| write_index(context),
        &|| suites.list.par_iter().with_max_len(1).try_for_each(|s| write_suite(context, s, &pages)),
        &|| own.par_iter().with_max_len(16).try_for_each(|(page, t)| write_task(context, page, t)),
    ])
}

fn home(context: &Context<'_>) -> Vec<(String, String)> {
    vec![(context.config.title.clone(), "index.html".to_owned())]
}

fn write_task(context: &Context<'_>, page: &str, t: &TaskText) -> Result<(), SiteError> {
    let suite = context.suites.of(&t.suite).map_or(t.suite.as_str(), |s| s.title.as_str());
    let facts = vec![("Task".to_owned(), name(&t.task)), ("Suite".to_owned(), name(&t.suite))];
    let health = super::health::section(&t.suite, &t.task, context.suites.audits_of(&t.suite, &t.task));
    let sections = std::iter::once(statement(t)).chain(health).collect();
    let view = SectionsView {
        kicker: format!("Task of {}", link(&href(page, &path(&t.suite)), &name(suite))),
        heading: name(&t.title),
        facts,
        sections,
        ..SectionsView::default()
    };
    let mut crumbs = home(context);
    crumbs.push(("Suites".to_owned(), INDEX.to_owned()));
    crumbs.push((suite.to_owned(), path(&t.suite)));
    context.write(&Sheet {
        path: page.to_owned(),
        kind: "task",
        title: t.title.clone(),
        description: format!("The task {} of {}: what is asked, and under which limits.", t.task, t.suite),
        crumbs,
        view: &view,
    })
}

/// The part of a page that tells a task.
pub fn statement(t: &TaskText) -> Section {
    Section { id: "statement".into(), heading: "Statement".into(), lead: about_task(t), ..Section::default() }
}

fn write_suite(context: &Context<'_>, s: &SuiteText, pages: &[(String, Told<'_>)]) -> Result<(), SiteError> {
    let page = path(&s.word);
    let mut seen = HashSet::new();
    // A task on two boards is listed once, with the page of the first.
    let listed = pages.iter().filter(|(_, t)| t.suite == s.word && seen.insert(t.task));
    let mut listed: Vec<(&String, &TaskText)> = listed.filter_map(|(p, told)| told.text.map(|t| (p, t))).collect();
    listed.sort_by(|a, b| a.1.task.cmp(&b.1.task));
    let mut table = Table::new(
        &format!("tasks-{}", slug(&s.word)),
        "The tasks of this suite",
        &[
            ("Task", "task", false),
            ("Title", "title", false),
            ("Language", "language", false),
            ("Difficulty", "difficulty", false),
            ("Health", "health", false),
        ],
    );
    table.filter = true;
    for (to, t) in &listed {
        table.rows.push(Row::new(vec![
            Cell::link(&href(&page, to), &t.task),
            Cell::name(&t.title),
            Cell::name(&t.language),
            t.difficulty.as_deref().map_or(Cell::Empty, Cell::name),
            super::health::cell(context.suites.audits_of(&t.suite, &t.task)),
        ]));
    }
    let table = table.without_empty_columns();
    let mut view = context.table(&page, "suites", &table)?;
    if listed.len() > MOST_ROWS {
        let items: String =
            listed.iter().map(|(to, t)| format!("<li>{}</li>", link(&href(&page, to), &name(&t.task)))).collect();
        view.html = format!("<ul class=\"columns\">{items}</ul>");
    }
    let mut facts = vec![("Suite".to_owned(), name(&s.word)), ("Tasks".to_owned(), count(s))];
    let boards = context.computed.boards.iter().filter(|b| b.config.suite == s.word);
    let boards: Vec<String> =
        boards.map(|b| link(&href(&page, &task::board_path(context, b)), &name(&b.config.title))).collect();
    if !boards.is_empty() {
        facts.push(("Shown on".to_owned(), boards.join(", ")));
    }
    let sections =
        vec![Section { id: "list".into(), heading: "All tasks".into(), tables: vec![view], ..Section::default() }];
    let lead = if s.note.trim().is_empty() { String::new() } else { name(s.note.trim()) };
    let view = SectionsView { heading: name(&s.title), lead, facts, sections, ..SectionsView::default() };
    let mut crumbs = home(context);
    crumbs.push(("Suites".to_owned(), INDEX.to_owned()));
    context.write(&Sheet {
        path: page,
        kind: "suite",
        title: s.title.clone(),
        description: format!("The tasks of the suite {}.", s.word),
        crumbs,
        view: &view,
    })
}

fn count(s: &SuiteText) -> String {
    let value = Some(s.tasks.len() as f64);
    data_element(&suite_id(&s.word), value, &Format::Count.text(value))
}

fn write_index(context: &Context<'_>) -> Result<(), SiteError> {
    let columns = [("Suite", "suite", false), ("Version", "version", false), ("Tasks", "tasks", true)];
    let mut table = Table::new("suites", "Every suite whose tasks are kept with this site", &columns);
    for s in &context.suites.list {
        table.rows.push(Row::new(vec![
            Cell::link(&href(INDEX, &path(&s.word)), &s.title),
            Cell::name(&s.word),
            Cell::html(count(s), &s.tasks.len().to_string()),
        ]));
    }
    let table = context.table(INDEX, "suites", &table)?;
    let view = SectionsView {
        heading: "Suites".into(),
        lead: "A suite is a versioned set of tasks. Each task has a page with its statement.".into(),
        sections: vec![Section {
            id: "list".into(),
            heading: "All suites".into(),
            tables: vec![table],
            ..Section::default()
        }],
        ..SectionsView::default()
    };
    context.write(&Sheet {
        path: INDEX.into(),
        kind: "suites",
        title: "Suites".into(),
        description: "The suites of tasks behind this site, with the statement of every task.".into(),
        crumbs: home(context),
        view: &view,
    })
}
