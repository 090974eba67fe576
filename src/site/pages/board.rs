//! The page of a board; the first board's page is the home page.

use super::entries::{full_name, id, main_table, ordered, whole};
use super::{Context, Figure, Section, Sheet, TableView, charts, field, href, limits, parts, publisher};
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::cell_id;
use crate::site::table::{Cell, Column, NOT_RUN, Row, Table};
use crate::site::text::{escape, link, name, words};
use serde::Serialize;

/// Matrices with more cells stand on the page of data alone.
const MOST_CELLS: usize = 1200;

#[derive(Serialize)]
struct BoardView {
    kicker: String,
    hero: String,
    lead: String,
    stats: Vec<(String, String)>,
    limits: Vec<String>,
    table: Option<TableView>,
    sections: Vec<Section>,
}

/// The path of a board's page.
pub fn path(board: &str, is_home: bool) -> String {
    if is_home { "index.html".to_owned() } else { format!("board/{board}.html") }
}

/// Writes the page.
pub fn write(context: &Context<'_>, b: &Board<'_>, is_home: bool) -> Result<(), SiteError> {
    let page = path(&b.config.id, is_home);
    let dir = b.config.id.clone();
    let mut sections = Vec::new();
    let has_runs = !b.runs.is_empty();
    let numbers = &context.computed.numbers;
    let table =
        if has_runs { Some(context.table(&page, &dir, &main_table(context.config, b, numbers, &page))?) } else { None };
    if has_runs {
        sections.extend(ranges(context, b, &page, &dir)?);
        sections.extend(field::section(context, b, &page, &dir)?);
        sections.push(matrix(context, b, &page, &dir)?);
        sections.extend(parts::retries(context, b, &page, &dir)?);
        sections.extend(parts::money(context, b, &page, &dir)?);
        sections.extend(parts::times(context, b, &page, &dir)?);
        sections.extend(parts::breakdowns(context, b, &page, &dir)?);
        sections.push(pairs_link(b, &page));
    }
    sections.extend(publisher::sections(context, b, &page, &dir)?);
    let view = BoardView {
        kicker: format!("{} · {}", name(&b.config.title), name(&b.config.suite)),
        hero: hero(context, b),
        lead: words(&b.config.note),
        stats: stats(context, b),
        limits: if has_runs { limits::limits(b, numbers) } else { Vec::new() },
        table,
        sections,
    };
    let title = if is_home { context.config.title.clone() } else { b.config.title.clone() };
    let crumbs = if is_home { Vec::new() } else { vec![(context.config.title.clone(), "index.html".to_owned())] };
    let description = description(b);
    context.write(&Sheet {
        path: page,
        kind: if is_home { "home" } else { "board" },
        title,
        description,
        crumbs,
        view: &view,
    })
}

fn hero(context: &Context<'_>, b: &Board<'_>) -> String {
    let n = |stat: &str| context.computed.numbers.data(&whole(b, stat));
    if b.is_reported_only() {
        return "Reported by its publisher; no attempt behind it can be seen".to_owned();
    }
    if b.entries.iter().all(|e| e.totals.attempts == 0) {
        return "No agents have been evaluated yet".to_owned();
    }
    format!("{} of {} attempts {}", n("fixed"), n("attempts"), b.config.wording().did())
}

fn description(b: &Board<'_>) -> String {
    if b.is_reported_only() {
        return format!("{}: figures reported by their publisher, shown apart and not ranked.", b.config.title);
    }
    // Previews and search engines show this text without ids: it states no result.
    format!("{}: every attempt, every number recomputable from the raw lines.", b.config.title)
}

fn stats(context: &Context<'_>, b: &Board<'_>) -> Vec<(String, String)> {
    if b.runs.is_empty() {
        return Vec::new();
    }
    let n = |stat: &str| context.computed.numbers.data(&whole(b, stat));
    let value = |stat: &str| context.computed.numbers.value(&whole(b, stat));
    let verb = b.config.wording().verb;
    // Where no task names a repository and no line a limit or a cost, there is no fact to state.
    let is_empty = |stat: &str| match stat {
        "repos" | "limit_hits" => value(stat).is_none_or(|n| n == 0.0),
        "cost_spent" => value(stat).is_none(),
        _ => false,
    };
    [
        ("attempt", "attempts", "attempts"),
        (verb, verb, "fixed"),
        ("task", "tasks", "tasks_total"),
        ("repository", "repositories", "repos"),
        ("model with data", "models with data", "entries_with_data"),
        ("ran into a limit", "ran into a limit", "limit_hits"),
        ("spent", "spent", "cost_spent"),
    ]
    .into_iter()
    .filter(|(_, _, stat)| !is_empty(stat))
    .map(|(one, many, stat)| (if value(stat) == Some(1.0) { one } else { many }.to_owned(), n(stat)))
    .collect()
}

fn twin(context: &Context<'_>, table: &Table, page: &str, dir: &str) -> Result<TableView, SiteError> {
    context.table(page, dir, table)
}

fn ranges(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let svg = charts::interval(b, numbers)?;
    let mut table = Table::new(
        "ranges-table",
        "Rates and ranges of each model",
        &[
            ("Model", "model", false),
            ("Rate", "rate", true),
            ("Mean over tasks", "task_rate", true),
            ("These tasks", "these_tasks", true),
            ("Tasks like these", "tasks_like_these", true),
            ("Other repositories", "other_repositories", true),
            ("Independent tasks", "n_eff", true),
        ],
    );
    for e in ordered(b, numbers) {
        let span = |lo: &str, hi: &str| Cell::Span(id(b, e, lo), " to ", id(b, e, hi));
        table.rows.push(Row::new(vec![
            Cell::name(&full_name(b, e)),
            Cell::Number(id(b, e, "rate")),
            Cell::Number(id(b, e, "task_rate")),
            span("wilson_lo", "wilson_hi"),
            span("taw_lo", "taw_hi"),
            span("repo_lo", "repo_hi"),
            Cell::Number(id(b, e, "n_eff")),
        ]));
    }
    let best = ordered(b, numbers).into_iter().find(|e| e.totals.attempts > 0);
    let finding = best.map_or_else(
        || "<strong>No data.</strong>".to_owned(),
        |e| {
            format!(
                "<strong>How sure each rate is.</strong> {}: {} {}; {} to {} for these tasks, {} to {} for tasks like these.",
                name(&full_name(b, e)),
                numbers.data(&id(b, e, "rate")),
                b.config.wording().verb,
                numbers.data(&id(b, e, "wilson_lo")),
                numbers.data(&id(b, e, "wilson_hi")),
                numbers.data(&id(b, e, "taw_lo")),
                numbers.data(&id(b, e, "taw_hi"))
            )
        },
    );
    let figure =
        Figure { id: "ranges".into(), finding, svg, group: String::new(), twin: twin(context, &table, page, dir)? };
    Ok(Some(Section {
        id: "rates".into(),
        heading: "Rates and ranges".into(),
        figures: vec![figure],
        ..Section::default()
    }))
}

/// The task × model matrix; too large a one is left to its files.
fn matrix(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Section, SiteError> {
    let numbers = &context.computed.numbers;
    let entries: Vec<&Entry> = ordered(b, numbers);
    let merged = if b.tasks.iter().any(|t| t.merged_at.is_some()) {
        ", with the day on which the human fix was merged"
    } else {
        ""
    };
    let mut table = Table::new(
        "matrix",
        &format!("{} of attempts of each model at each task{merged}", b.config.wording().nouns_head()),
        &[("Task", "task", false), ("Merged", "merged_at", false), ("Targets", "targets", true)],
    );
    table.class = "matrix";
    table.filter = b.tasks.len() > 20;
    for e in &entries {
        table.columns.push(Column { head: name(&full_name(b, e)), key: e.key.clone(), numeric: true });
    }
    let mut order: Vec<usize> = (0..b.tasks.len()).collect();
    order.sort_by(|x, y| (&b.tasks[*x].repo, &b.tasks[*x].id).cmp(&(&b.tasks[*y].repo, &b.tasks[*y].id)));
    for t in order {
        let task = &b.tasks[t];
        let mut cells = vec![Cell::link(
            &href(page, &super::task::path(&b.config.id, &task.id)),
            task.title.as_deref().unwrap_or(&task.id),
        )];
        cells.push(
            task.merged_at.as_ref().map_or(Cell::Empty, |d| Cell::html(format!("<time>{}</time>", escape(d)), d)),
        );
        cells.push(task.targets.and_then(|n| u32::try_from(n).ok()).map_or(Cell::Empty, Cell::Index));
        for e in &entries {
            let c = e.cells[t];
            let family = |what: &str| cell_id(&b.config.id, &e.key, &task.id, what);
            cells.push(if c.n == 0 {
                Cell::html(format!("<span class=\"muted\">{NOT_RUN}</span>"), NOT_RUN)
            } else {
                Cell::Ratio(family("fixed"), c.c, family("attempts"), c.n)
            });
        }
        table.rows.push(Row { id: None, cells, group: task.repo.clone() });
    }
    let table = table.without_empty_columns();
    let large = b.tasks.len() * (entries.len() + 3) > MOST_CELLS;
    let mut view = context.table(page, dir, &table)?;
    let mut lead = String::new();
    if large {
        view.html = String::new();
        lead = "<p>The matrix of this board is too large for this page: its files hold every cell, and each task has a page of its own.</p>".into();
        lead.push_str(&task_index(b, page));
    }
    Ok(Section { id: "tasks".into(), heading: "Task by task".into(), lead, tables: vec![view], ..Section::default() })
}

/// Links to every task, folded, for boards whose matrix is not on the page.
fn task_index(b: &Board<'_>, page: &str) -> String {
    let to = href(page, &super::task::index_path(&b.config.id));
    format!("<p>{}</p>", link(&to, "All tasks of this board"))
}

fn pairs_link(b: &Board<'_>, page: &str) -> Section {
    let lead = if b.entries.len() < 2 {
        "<p>There is one model only: nothing to compare.</p>".to_owned()
    } else {
        format!(
            "<p>{}: matched tasks, difference, exact test, and the smallest gap that these tasks can show.</p>",
            link(&href(page, &super::pair::index_path(&b.config.id)), "Every pair of models")
        )
    };
    Section { id: "pairs".into(), heading: "One against another".into(), lead, ..Section::default() }
}
