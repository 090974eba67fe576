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
    let rate = |e: &Entry| numbers.value(&id(b, e, "task_rate")).unwrap_or(-1.0);
    let mut list: Vec<(f64, &Entry)> = b.entries.iter().map(|e| (rate(e), e)).collect();
    list.sort_by(|(p, x), (q, y)| {
        q.total_cmp(p)
            .then(y.totals.attempts.cmp(&x.totals.attempts))
            .then_with(|| x.name().cmp(y.name()))
            .then_with(|| x.key.cmp(&y.key))
    });
    list.into_iter().map(|(_, e)| e).collect()
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
    if e.condition == "default" {
        format!("{} · {}", e.name(), e.agent)
    } else {
        format!("{} · {} · {}", e.name(), e.agent, e.condition)
    }
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
    let wording = b.config.wording();
    let (verb, per_fix) = (wording.head(), format!("Cost per {}", wording.noun));
    let columns = [
        ("Model", "model", false),
        (verb.as_str(), "rate", true),
        ("These tasks", "these_tasks", true),
        ("Tasks like these", "tasks_like_these", true),
        ("Other repositories", "other_repositories", true),
        ("Rank", "rank", true),
        ("Cost per attempt", "cost_per_attempt", true),
        (per_fix.as_str(), "cost_per_fix", true),
        ("Tasks", "tasks", true),
        ("Excluded", "excluded", true),
    ];
    let mut caption = "Ranges are at <code>95%</code>. “These tasks”: the next attempt at the same tasks. “Tasks like these”: other tasks of the kind. “Other repositories”: tasks of the kind in other repositories. Ranks are ranges over all pairs at once, with the tie group below: its members are not separable from its leader.".to_owned();
    let differ = shows_agent(b);
    if let (false, Some(e)) = (differ, b.entries.first()) {
        caption.push_str(&format!(" Agent of all: {}, condition {}.", name(&e.agent), name(&e.condition)));
    }
    if b.entries.iter().any(|e| e.totals.excluded > 0) {
        caption.push_str(" Below the attempts left out: the rate if all of them had failed, and if all had succeeded.");
    }
    let mut table = Table::new("board", &caption, &columns);
    table.class = "board";
    table.filter = b.entries.len() > 8;
    for e in ordered(b, numbers) {
        let n = |stat: &str| Cell::Number(id(b, e, stat));
        let span = |lo: &str, hi: &str| Cell::Span(id(b, e, lo), " to ", id(b, e, hi));
        let (state, class) = e.status();
        let floor = numbers.value(&id(b, e, "cost_per_fix_floor")).is_some();
        let per_fix = if floor {
            Cell::html("at least".into(), &format!("no {}", wording.noun))
                .over("cost_per_fix_floor", n("cost_per_fix_floor"))
        } else {
            n("cost_per_fix")
        };
        let excluded = if e.totals.excluded == 0 {
            n("excluded")
        } else {
            n("excluded").over("rate_with_excluded", span("worst_rate", "best_rate"))
        };
        let plain = format!("{} {}", e.agent, e.condition);
        let agent = match (differ, e.condition.as_str()) {
            (false, _) => String::new(),
            (true, "default") => name(&e.agent),
            (true, condition) => format!("{}, {}", name(&e.agent), name(condition)),
        };
        let rank = span("rank_lo", "rank_hi");
        let rank =
            if numbers.value(&id(b, e, "tie_group")).is_some() { rank.over("tie_group", n("tie_group")) } else { rank };
        let covered = Cell::Span(id(b, e, "tasks_covered"), " of ", id(b, e, "tasks_total"));
        table.rows.push(Row::new(vec![
            head_cell(config, page, e).over("agent", Cell::html(agent, &plain)),
            n("rate").over("fixed", Cell::Span(id(b, e, "fixed"), " of ", id(b, e, "attempts"))),
            span("wilson_lo", "wilson_hi"),
            span("taw_lo", "taw_hi"),
            span("repo_lo", "repo_hi"),
            rank,
            n("cost_per_attempt"),
            per_fix,
            covered.over("state", Cell::html(format!("<span class=\"pill {class}\">{}</span>", escape(state)), state)),
            excluded,
        ]));
    }
    table
}
