//! The page of a board; the first board's page is the home page.

use super::entries::{full_name, id, main_table, ordered, whole};
use super::{Context, Figure, Section, Sheet, TableView, charts, field, href, limits, publisher};
use crate::results::slug;
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::{Numbers, groups};
use crate::site::table::{Cell, Column, NOT_RUN, Row, Table};
use crate::site::text::{escape, link, name};
use serde::Serialize;

/// Matrices with more cells stand on the page of data alone.
const MOST_CELLS: usize = 1200;
/// Breakdowns with more rows are folded.
const MOST_GROUPS: usize = 12;

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
    let table = if has_runs { Some(context.table(&page, &dir, &main_table(context.config, b, numbers, &page))?) } else { None };
    if has_runs {
        sections.extend(ranges(context, b, &page, &dir)?);
        sections.extend(field::section(context, b, &page, &dir)?);
        sections.push(matrix(context, b, &page, &dir)?);
        sections.extend(retries(context, b, &page, &dir)?);
        sections.extend(money(context, b, &page, &dir)?);
        sections.extend(times(context, b, &page, &dir)?);
        sections.extend(breakdowns(context, b, &page, &dir)?);
        sections.push(pairs_link(b, &page));
    }
    sections.extend(publisher::sections(context, b, &page, &dir)?);
    let view = BoardView {
        kicker: format!("{} · {}", escape(&b.config.title), name(&b.config.suite)),
        hero: hero(context, b),
        lead: escape(&b.config.note),
        stats: stats(context, b),
        limits: if has_runs { limits::limits(b, numbers) } else { Vec::new() },
        table,
        sections,
    };
    let title = if is_home { context.config.title.clone() } else { b.config.title.clone() };
    let crumbs = if is_home { Vec::new() } else { vec![(context.config.title.clone(), "index.html".to_owned())] };
    let description = description(context, b);
    context.write(&Sheet { path: page, kind: if is_home { "home" } else { "board" }, title, description, crumbs, view: &view })
}

fn hero(context: &Context<'_>, b: &Board<'_>) -> String {
    let n = |stat: &str| context.computed.numbers.data(&whole(b, stat));
    if b.is_reported_only() {
        return "Reported by its publisher; no attempt behind it can be seen".to_owned();
    }
    if b.entries.iter().all(|e| e.totals.attempts == 0) {
        return "No agents have been evaluated yet".to_owned();
    }
    format!("{} of {} attempts fixed the bug", n("fixed"), n("attempts"))
}

fn description(context: &Context<'_>, b: &Board<'_>) -> String {
    let n = |stat: &str| context.computed.numbers.text(&whole(b, stat)).to_owned();
    if b.is_reported_only() {
        return format!("{}: figures reported by their publisher, shown apart and not ranked.", b.config.title);
    }
    format!("{}: {} of {} attempts fixed, {} tasks, every number recomputable from the raw lines.", b.config.title, n("fixed"), n("attempts"), n("tasks_total"))
}

fn stats(context: &Context<'_>, b: &Board<'_>) -> Vec<(String, String)> {
    if b.runs.is_empty() {
        return Vec::new();
    }
    let n = |stat: &str| context.computed.numbers.data(&whole(b, stat));
    [("attempts", n("attempts")), ("fixed", n("fixed")), ("tasks", n("tasks_total")), ("repositories", n("repos")), ("models with data", n("entries_with_data")), ("spent", n("cost_spent"))]
        .into_iter()
        .map(|(k, v)| (k.to_owned(), v))
        .collect()
}

fn twin(context: &Context<'_>, table: &Table, page: &str, dir: &str) -> Result<TableView, SiteError> {
    context.table(page, dir, table)
}

fn ranges(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let svg = charts::interval(b, numbers)?;
    let mut table = Table::new("ranges-table", "Rates and ranges of each model", &[("Model", "model", false), ("Rate", "rate", true), ("Mean over tasks", "task_rate", true), ("These tasks", "these_tasks", true), ("Tasks like these", "tasks_like_these", true), ("Other repositories", "other_repositories", true), ("Independent tasks", "n_eff", true)]);
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
                "<strong>How sure each rate is.</strong> {}: {} fixed; {} to {} for these tasks, {} to {} for tasks like these.",
                name(&full_name(b, e)),
                numbers.data(&id(b, e, "rate")),
                numbers.data(&id(b, e, "wilson_lo")),
                numbers.data(&id(b, e, "wilson_hi")),
                numbers.data(&id(b, e, "taw_lo")),
                numbers.data(&id(b, e, "taw_hi"))
            )
        },
    );
    let figure = Figure { id: "ranges".into(), finding, svg, group: String::new(), twin: twin(context, &table, page, dir)? };
    Ok(Some(Section { id: "rates".into(), heading: "Rates and ranges".into(), figures: vec![figure], ..Section::default() }))
}

/// The task × model matrix; too large a one is left to its files.
fn matrix(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Section, SiteError> {
    let numbers = &context.computed.numbers;
    let entries: Vec<&Entry> = ordered(b, numbers);
    let mut table = Table::new("matrix", "Fixes of attempts of each model at each task, with the day on which the human fix was merged", &[("Task", "task", false), ("Merged", "merged_at", false), ("Targets", "targets", true)]);
    table.class = "matrix";
    table.filter = b.tasks.len() > 20;
    for e in &entries {
        table.columns.push(Column { head: name(&full_name(b, e)), key: e.key.clone(), numeric: true });
    }
    let mut order: Vec<usize> = (0..b.tasks.len()).collect();
    order.sort_by(|x, y| (&b.tasks[*x].repo, &b.tasks[*x].id).cmp(&(&b.tasks[*y].repo, &b.tasks[*y].id)));
    for t in order {
        let task = &b.tasks[t];
        let mut cells = vec![Cell::link(&href(page, &super::task::path(&b.config.id, &task.id)), task.title.as_deref().unwrap_or(&task.id))];
        cells.push(task.merged_at.as_ref().map_or(Cell::Empty, |d| Cell::html(format!("<time>{}</time>", escape(d)), d)));
        cells.push(task.targets.and_then(|n| u32::try_from(n).ok()).map_or(Cell::Empty, Cell::Index));
        for e in &entries {
            let c = e.cells[t];
            let family = |what: &str| format!("cell|{}|{}|{}|{what}", b.config.id, e.key, task.id);
            cells.push(if c.n == 0 { Cell::html(format!("<span class=\"muted\">{NOT_RUN}</span>"), NOT_RUN) } else { Cell::Ratio(family("fixed"), c.c, family("attempts"), c.n) });
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

fn retries(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let prefix = format!("board.{}.", b.config.id);
    let mut ks: Vec<u32> = numbers.list().iter().filter(|n| n.stat == "pass_at" && n.id.starts_with(&prefix)).filter_map(|n| n.of.k).collect();
    ks.sort_unstable();
    ks.dedup();
    let Some(svg) = charts::curve(b, numbers, &ks)? else { return Ok(None) };
    let mut table = Table::new("pass-at-k", "pass@k: at least one of k attempts fixes the task; pass^k: all k do. Means over the tasks of each model that all have k attempts.", &[("Model", "model", false), ("k", "k", true), ("pass@k", "pass_at", true), ("Range", "pass_at_range", true), ("pass^k", "pass_hat", true), ("Range", "pass_hat_range", true)]);
    let entries: Vec<&Entry> = ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0).collect();
    for e in &entries {
        for k in &ks {
            let n = |stat: &str| id(b, e, &format!("{stat}.{k}"));
            if numbers.value(&n("pass_at")).is_none() {
                continue;
            }
            table.rows.push(Row::new(vec![Cell::name(&full_name(b, e)), Cell::Index(*k), Cell::Number(n("pass_at")), Cell::Span(n("pass_at_lo"), " to ", n("pass_at_hi")), Cell::Number(n("pass_hat")), Cell::Span(n("pass_hat_lo"), " to ", n("pass_hat_hi"))]));
        }
    }
    let finding = "<strong>Does trying again help?</strong> pass@k supposes a perfect judge who picks the right one of k patches. Where a model has fewer than k attempts at one of its tasks, there is no value.".to_owned();
    let figure = Figure { id: "retries".into(), finding, svg, group: String::new(), twin: twin(context, &table, page, dir)? };
    let mut repeats = Table::new("repeatability", "How repeatable the attempts are", &[("Model", "model", false), ("Disagreement", "disagreement", true), ("Mixed tasks", "mixed_tasks", true), ("Re-run wobble", "rerun_se", true)]);
    for e in &entries {
        repeats.rows.push(Row::new(vec![Cell::name(&full_name(b, e)), Cell::Number(id(b, e, "disagreement")), Cell::Span(id(b, e, "mixed_tasks"), " of ", id(b, e, "repeat_tasks")), Cell::Number(id(b, e, "rerun_se"))]));
    }
    Ok(Some(Section { id: "retries-section".into(), heading: "Trying again".into(), figures: vec![figure], tables: vec![twin(context, &repeats, page, dir)?], ..Section::default() }))
}

fn money(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let Some(svg) = charts::cost(b, numbers)? else { return Ok(None) };
    let columns = [("Model", "model", false), ("Spent", "cost_spent", true), ("Cost per attempt", "cost_per_attempt", true), ("Range", "cost_per_attempt_range", true), ("Cost per fix", "cost_per_fix", true), ("Range", "cost_per_fix_range", true), ("At least", "cost_per_fix_floor", true), ("Attempts without a cost", "cost_unknown", true), ("Tokens", "tokens_mean", true), ("Seconds", "seconds_mean", true), ("Turns", "turns_mean", true)];
    let mut table = Table::new("cost-table", "What attempts and fixes cost; failed attempts are paid for too", &columns);
    for e in ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0) {
        let n = |stat: &str| Cell::Number(id(b, e, stat));
        let span = |lo: &str, hi: &str| Cell::Span(id(b, e, lo), " to ", id(b, e, hi));
        table.rows.push(Row::new(vec![Cell::name(&full_name(b, e)), n("cost_spent"), n("cost_per_attempt"), span("cost_per_attempt_lo", "cost_per_attempt_hi"), n("cost_per_fix"), span("cost_per_fix_lo", "cost_per_fix_hi"), n("cost_per_fix_floor"), n("cost_unknown"), n("tokens_mean"), n("seconds_mean"), n("turns_mean")]));
    }
    let finding = format!("<strong>What a fix costs.</strong> {} spent on this board; cost per fix is all of a model’s spend over its fixes.", numbers.data(&whole(b, "cost_spent")));
    let figure = Figure { id: "cost".into(), finding, svg, group: String::new(), twin: twin(context, &table, page, dir)? };
    Ok(Some(Section { id: "money".into(), heading: "Cost".into(), figures: vec![figure], ..Section::default() }))
}

fn times(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let mut figures = Vec::new();
    for (unit, words) in [("turn", "turns"), ("minutes", "minutes")] {
        let Some((svg, marks)) = charts::time(b, numbers, unit)? else { continue };
        let mut table = Table::new(&format!("fixed-by-{unit}"), &format!("Share of attempts that had fixed the bug after so many {words}"), &[("Model", "model", false), (words, words, true), ("Fixed by then", "fixed_by", true)]);
        for e in ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0) {
            for m in &marks {
                let n = id(b, e, &format!("fixed_by.{unit}.{m}"));
                if numbers.value(&n).is_some() {
                    table.rows.push(Row::new(vec![Cell::name(&full_name(b, e)), Cell::Index(*m), Cell::Number(n)]));
                }
            }
        }
        let finding = format!("<strong>Fixes by {words}.</strong> Giving up competes with fixing; running out of a limit is counted as not known beyond it.");
        figures.push(Figure { id: format!("by-{unit}"), finding, svg, group: String::new(), twin: twin(context, &table, page, dir)? });
    }
    let section = Section { id: "times".into(), heading: "Time to a fix".into(), figures, ..Section::default() };
    Ok((!section.figures.is_empty()).then_some(section))
}

fn breakdowns(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    for (by, words) in [("repo", "Repository"), ("language", "Language"), ("month", "Month of the merge")] {
        let found = groups(b, by);
        if found.is_empty() {
            continue;
        }
        let mut view = context.table(page, dir, &breakdown(b, numbers, (by, words), found.keys().copied()))?;
        match (by, charts::month(b, numbers)?) {
            ("month", Some(svg)) => {
                let finding = "<strong>Are older tasks easier?</strong> A model may have seen the fix of a task that was merged before its training data ended; a drop after that day is a signal, not a proof.".to_owned();
                figures.push(Figure { id: "months".into(), finding, svg, group: String::new(), twin: view });
            }
            _ => {
                if found.len() > MOST_GROUPS {
                    view.html = format!("<details class=\"twin\"><summary>Fixes by {}, one row each</summary>{}</details>", words.to_lowercase(), view.html);
                }
                tables.push(view);
            }
        }
    }
    let section = Section { id: "breakdowns".into(), heading: "Breakdowns".into(), figures, tables, ..Section::default() };
    Ok((!section.tables.is_empty() || !section.figures.is_empty()).then_some(section))
}

/// One row a group: all models together with the range, then the fixes of each.
fn breakdown<'g>(b: &Board<'_>, numbers: &Numbers, (by, words): (&str, &str), found: impl Iterator<Item = &'g str>) -> Table {
    let caption = format!("Fixes by {}; ranges are for these tasks", words.to_lowercase());
    let mut table = Table::new(&format!("by-{by}"), &caption, &[(words, by, false), ("Tasks", "tasks", true), ("All models", "rate", true), ("Range", "range", true)]);
    let entries: Vec<&Entry> = ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0).collect();
    for e in &entries {
        table.columns.push(Column { head: name(&full_name(b, e)), key: e.key.clone(), numeric: true });
    }
    for group in found {
        let heading = if by == "month" { Cell::html(format!("<time>{}</time>", escape(group)), group) } else { Cell::name(group) };
        let all = |stat: &str| format!("board.{}.{by}.{}.{stat}", b.config.id, slug(group));
        let fixed = Cell::Span(all("fixed"), " of ", all("attempts"));
        let mut cells = vec![heading, Cell::Number(all("tasks_total")), Cell::Number(all("rate")).over("fixed", fixed), Cell::Span(all("wilson_lo"), " to ", all("wilson_hi"))];
        for e in &entries {
            let own = |stat: &str| id(b, e, &format!("{by}.{}.{stat}", slug(group)));
            let ran = numbers.value(&own("attempts")).is_some_and(|n| n > 0.0);
            cells.push(if ran { Cell::Span(own("fixed"), " of ", own("attempts")) } else { Cell::html(format!("<span class=\"muted\">{NOT_RUN}</span>"), NOT_RUN) });
        }
        table.rows.push(Row::new(cells));
    }
    table
}

fn pairs_link(b: &Board<'_>, page: &str) -> Section {
    let lead = if b.entries.len() < 2 { "<p>There is one model only: nothing to compare.</p>".to_owned() } else { format!("<p>{}: matched tasks, difference, exact test, and the smallest gap that these tasks can show.</p>", link(&href(page, &super::pair::index_path(&b.config.id)), "Every pair of models")) };
    Section { id: "pairs".into(), heading: "One against another".into(), lead, ..Section::default() }
}
