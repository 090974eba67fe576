//! The rows of a board: their order, their addresses and their main table.

use super::href;
use crate::results::slug;
use crate::site::board::{Board, Entry};
use crate::site::config::Config;
use crate::site::numbers::Numbers;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, link, name};

/// The id of a number of an entry.
pub fn id(b: &Board<'_>, e: &Entry, stat: &str) -> String {
    format!("board.{}.{}.{stat}", b.config.id, e.key)
}

/// The id of a number of a board.
pub fn whole(b: &Board<'_>, stat: &str) -> String {
    format!("board.{}.{stat}", b.config.id)
}

/// The path of a model's page.
pub fn model_path(config: &Config, model: &str) -> String {
    let key = config.model(model).map_or_else(|| slug(model), |m| m.key.clone());
    format!("model/{key}.html")
}

/// Entries in the order of the table: by their rate over tasks, not-run ones last; equal ones by name.
pub fn ordered<'b>(b: &'b Board<'_>, numbers: &Numbers) -> Vec<&'b Entry> {
    let mut list: Vec<&Entry> = b.entries.iter().collect();
    let rate = |e: &Entry| numbers.value(&id(b, e, "task_rate")).unwrap_or(-1.0);
    list.sort_by(|x, y| rate(y).total_cmp(&rate(x)).then(y.totals.attempts.cmp(&x.totals.attempts)).then_with(|| x.name().cmp(y.name())).then_with(|| x.key.cmp(&y.key)));
    list
}

/// Whether the board's entries differ in agent or condition, so that a name alone does not tell them apart.
pub fn shows_agent(b: &Board<'_>) -> bool {
    b.entries.windows(2).any(|w| w[0].agent != w[1].agent || w[0].condition != w[1].condition)
}

/// The entry's name with agent and condition where the board needs them.
pub fn full_name(b: &Board<'_>, e: &Entry) -> String {
    if !shows_agent(b) {
        return e.name().to_owned();
    }
    if e.condition == "default" { format!("{} · {}", e.name(), e.agent) } else { format!("{} · {} · {}", e.name(), e.agent, e.condition) }
}

/// The heading cell of an entry's row, linked to its model.
pub fn head_cell(config: &Config, page: &str, e: &Entry) -> Cell {
    let html = format!(
        "{}<span class=\"sub\">{}</span>",
        link(&href(page, &model_path(config, &e.model.id)), &name(e.name())),
        if e.model.maker.is_empty() { String::new() } else { name(&e.model.maker) }
    );
    Cell::html(html, e.name())
}

/// The table of a board: one row an entry.
pub fn main_table(config: &Config, b: &Board<'_>, numbers: &Numbers, page: &str) -> Table {
    let columns = [
        ("Model", "model", false),
        ("Agent", "agent", false),
        ("Fixed", "fixed", true),
        ("Rate", "rate", true),
        ("These tasks", "these_tasks", true),
        ("Tasks like these", "tasks_like_these", true),
        ("Other repositories", "other_repositories", true),
        ("Rank", "rank", true),
        ("Tie group", "tie_group", true),
        ("Cost per attempt", "cost_per_attempt", true),
        ("Cost per fix", "cost_per_fix", true),
        ("Tasks", "tasks", true),
        ("State", "state", false),
        ("Excluded", "excluded", true),
        ("Rate with excluded", "rate_with_excluded", true),
    ];
    let caption = "Ranges are at <code>95%</code>. “These tasks”: the next attempt at the same tasks. “Tasks like these”: other tasks of the kind. “Other repositories”: tasks of the kind in other repositories. Ranks are ranges over all pairs at once; equal tie groups are not separable from their leader.";
    let mut table = Table::new("board", caption, &columns);
    table.filter = b.entries.len() > 8;
    for e in ordered(b, numbers) {
        let n = |stat: &str| Cell::Number(id(b, e, stat));
        let span = |lo: &str, hi: &str| Cell::Span(id(b, e, lo), " to ", id(b, e, hi));
        let (state, class) = e.status();
        let floor = numbers.value(&id(b, e, "cost_per_fix_floor")).is_some();
        let per_fix = if floor {
            Cell::html(format!("no fix; at least {}", numbers.data(&id(b, e, "cost_per_fix_floor"))), "no fix")
        } else {
            n("cost_per_fix")
        };
        let excluded = if e.totals.excluded == 0 { Cell::Empty } else { span("worst_rate", "best_rate") };
        let agent = if e.condition == "default" { name(&e.agent) } else { format!("{}<span class=\"sub\">{}</span>", name(&e.agent), name(&e.condition)) };
        table.rows.push(Row::new(vec![
            head_cell(config, page, e),
            Cell::html(agent, &format!("{} {}", e.agent, e.condition)),
            Cell::Span(id(b, e, "fixed"), " of ", id(b, e, "attempts")),
            n("rate"),
            span("wilson_lo", "wilson_hi"),
            span("taw_lo", "taw_hi"),
            span("repo_lo", "repo_hi"),
            span("rank_lo", "rank_hi"),
            n("tie_group"),
            n("cost_per_attempt"),
            per_fix,
            Cell::Span(id(b, e, "tasks_covered"), " of ", id(b, e, "tasks_total")),
            Cell::html(format!("<span class=\"pill {class}\">{}</span>", escape(state)), state),
            n("excluded"),
            excluded,
        ]));
    }
    table
}
