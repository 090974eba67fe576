//! The later sections of a board: trying again, money, time, breakdowns.

use super::entries::{full_name, id, ordered, whole};
use super::{Context, Figure, Section, charts};
use crate::results::slug;
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::{Numbers, groups};
use crate::site::table::{Cell, Column, NOT_RUN, Row, Table};
use crate::site::text::{escape, name};

/// Breakdowns with more rows are folded.
const MOST_GROUPS: usize = 12;

/// pass@k, pass^k and how repeatable attempts are; none where no model was run again.
pub fn retries(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let prefix = format!("board.{}.", b.config.id);
    let mut ks: Vec<u32> = numbers
        .list()
        .iter()
        .filter(|n| n.stat == "pass_at" && n.id.starts_with(&prefix))
        .filter_map(|n| n.of.k)
        .collect();
    ks.sort_unstable();
    ks.dedup();
    let Some(svg) = charts::curve(b, numbers, &ks)? else { return Ok(None) };
    let mut table = Table::new(
        "pass-at-k",
        "pass@k: at least one of k attempts succeeds at the task; pass^k: all k do. Means over the tasks of each model that all have k attempts.",
        &[
            ("Model", "model", false),
            ("k", "k", true),
            ("pass@k", "pass_at", true),
            ("Range", "pass_at_range", true),
            ("pass^k", "pass_hat", true),
            ("Range", "pass_hat_range", true),
        ],
    );
    let entries: Vec<&Entry> = ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0).collect();
    for e in &entries {
        for k in &ks {
            let n = |stat: &str| id(b, e, &format!("{stat}.{k}"));
            if numbers.value(&n("pass_at")).is_none() {
                continue;
            }
            table.rows.push(Row::new(vec![
                Cell::name(&full_name(b, e)),
                Cell::Index(*k),
                Cell::Number(n("pass_at")),
                Cell::Span(n("pass_at_lo"), " to ", n("pass_at_hi")),
                Cell::Number(n("pass_hat")),
                Cell::Span(n("pass_hat_lo"), " to ", n("pass_hat_hi")),
            ]));
        }
    }
    let finding = "<strong>Does trying again help?</strong> pass@k supposes a perfect judge who picks the right one of k patches. Where a model has fewer than k attempts at one of its tasks, there is no value.".to_owned();
    let figure =
        Figure { id: "retries".into(), finding, svg, group: String::new(), twin: context.table(page, dir, &table)? };
    let mut repeats = Table::new(
        "repeatability",
        "How repeatable the attempts are",
        &[
            ("Model", "model", false),
            ("Disagreement", "disagreement", true),
            ("Mixed tasks", "mixed_tasks", true),
            ("Re-run wobble", "rerun_se", true),
        ],
    );
    for e in &entries {
        repeats.rows.push(Row::new(vec![
            Cell::name(&full_name(b, e)),
            Cell::Number(id(b, e, "disagreement")),
            Cell::Span(id(b, e, "mixed_tasks"), " of ", id(b, e, "repeat_tasks")),
            Cell::Number(id(b, e, "rerun_se")),
        ]));
    }
    Ok(Some(Section {
        id: "retries-section".into(),
        heading: "Trying again".into(),
        figures: vec![figure],
        tables: vec![context.table(page, dir, &repeats)?],
        ..Section::default()
    }))
}

/// What attempts and fixes cost; none where nobody says it.
pub fn money(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let Some(svg) = charts::cost(b, numbers)? else { return Ok(None) };
    let wording = b.config.wording();
    let per_fix = format!("Cost per {}", wording.noun);
    let columns = [
        ("Model", "model", false),
        ("Spent", "cost_spent", true),
        ("Cost per attempt", "cost_per_attempt", true),
        ("Range", "cost_per_attempt_range", true),
        (per_fix.as_str(), "cost_per_fix", true),
        ("Range", "cost_per_fix_range", true),
        ("At least", "cost_per_fix_floor", true),
        ("Attempts without a cost", "cost_unknown", true),
        ("Tokens", "tokens_mean", true),
        ("Seconds", "seconds_mean", true),
        ("Turns", "turns_mean", true),
    ];
    let caption = format!("What attempts and {} cost; failed attempts are paid for too", wording.nouns());
    let mut table = Table::new("cost-table", &caption, &columns);
    for e in ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0) {
        let n = |stat: &str| Cell::Number(id(b, e, stat));
        let span = |lo: &str, hi: &str| Cell::Span(id(b, e, lo), " to ", id(b, e, hi));
        table.rows.push(Row::new(vec![
            Cell::name(&full_name(b, e)),
            n("cost_spent"),
            n("cost_per_attempt"),
            span("cost_per_attempt_lo", "cost_per_attempt_hi"),
            n("cost_per_fix"),
            span("cost_per_fix_lo", "cost_per_fix_hi"),
            n("cost_per_fix_floor"),
            n("cost_unknown"),
            n("tokens_mean"),
            n("seconds_mean"),
            n("turns_mean"),
        ]));
    }
    let finding = format!(
        "<strong>What {} costs.</strong> {} spent on this board; cost per {} is all of a model’s spend over its {}.",
        wording.a_noun(),
        numbers.data(&whole(b, "cost_spent")),
        wording.noun,
        wording.nouns()
    );
    let figure =
        Figure { id: "cost".into(), finding, svg, group: String::new(), twin: context.table(page, dir, &table)? };
    Ok(Some(Section { id: "money".into(), heading: "Cost".into(), figures: vec![figure], ..Section::default() }))
}

/// Fixes by turn and by minute; none where nobody says them.
pub fn times(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let mut figures = Vec::new();
    let wording = b.config.wording();
    let by_then = format!("{} by then", wording.head());
    for (unit, words) in [("turn", "turns"), ("minutes", "minutes")] {
        let Some((svg, marks)) = charts::time(b, numbers, unit)? else { continue };
        let mut table = Table::new(
            &format!("fixed-by-{unit}"),
            &format!("Share of attempts that had {} after so many {words}", wording.did()),
            &[("Model", "model", false), (words, words, true), (by_then.as_str(), "fixed_by", true)],
        );
        for e in ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0) {
            for m in &marks {
                let n = id(b, e, &format!("fixed_by.{unit}.{m}"));
                if numbers.value(&n).is_some() {
                    table.rows.push(Row::new(vec![Cell::name(&full_name(b, e)), Cell::Index(*m), Cell::Number(n)]));
                }
            }
        }
        let finding = format!(
            "<strong>{} by {words}.</strong> Giving up competes with success; running out of a limit is counted as not known beyond it.",
            wording.nouns_head()
        );
        figures.push(Figure {
            id: format!("by-{unit}"),
            finding,
            svg,
            group: String::new(),
            twin: context.table(page, dir, &table)?,
        });
    }
    let section =
        Section { id: "times".into(), heading: format!("Time to {}", wording.a_noun()), figures, ..Section::default() };
    Ok((!section.figures.is_empty()).then_some(section))
}

/// Rates by what tasks are; none where tasks do not say them.
pub fn breakdowns(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let numbers = &context.computed.numbers;
    let mut tables = Vec::new();
    let mut figures = Vec::new();
    let ways = [
        ("repo", "Repository"),
        ("language", "Language"),
        ("difficulty", "Difficulty"),
        ("use_case", "Use case"),
        ("month", "Month of the merge"),
    ];
    for (by, words) in ways {
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
                    view.html = format!(
                        "<details class=\"twin\"><summary>{} by {}, one row each</summary>{}</details>",
                        b.config.wording().nouns_head(),
                        words.to_lowercase(),
                        view.html
                    );
                }
                tables.push(view);
            }
        }
    }
    let section =
        Section { id: "breakdowns".into(), heading: "Breakdowns".into(), figures, tables, ..Section::default() };
    Ok((!section.tables.is_empty() || !section.figures.is_empty()).then_some(section))
}

/// One row a group: all models together with the range, then the fixes of each.
fn breakdown<'g>(
    b: &Board<'_>,
    numbers: &Numbers,
    (by, words): (&str, &str),
    found: impl Iterator<Item = &'g str>,
) -> Table {
    let caption =
        format!("{} by {}; ranges are for these tasks", b.config.wording().nouns_head(), words.to_lowercase());
    let mut table = Table::new(
        &format!("by-{by}"),
        &caption,
        &[(words, by, false), ("Tasks", "tasks", true), ("All models", "rate", true), ("Range", "range", true)],
    );
    let entries: Vec<&Entry> = ordered(b, numbers).into_iter().filter(|e| e.totals.attempts > 0).collect();
    for e in &entries {
        table.columns.push(Column { head: name(&full_name(b, e)), key: e.key.clone(), numeric: true });
    }
    for group in found {
        let heading = if by == "month" {
            Cell::html(format!("<time>{}</time>", escape(group)), group)
        } else {
            Cell::name(group)
        };
        let all = |stat: &str| format!("board.{}.{by}.{}.{stat}", b.config.id, slug(group));
        let fixed = Cell::Span(all("fixed"), " of ", all("attempts"));
        let mut cells = vec![
            heading,
            Cell::Number(all("tasks_total")),
            Cell::Number(all("rate")).over("fixed", fixed),
            Cell::Span(all("wilson_lo"), " to ", all("wilson_hi")),
        ];
        for e in &entries {
            let own = |stat: &str| id(b, e, &format!("{by}.{}.{stat}", slug(group)));
            let ran = numbers.value(&own("attempts")).is_some_and(|n| n > 0.0);
            cells.push(if ran {
                Cell::Span(own("fixed"), " of ", own("attempts"))
            } else {
                Cell::html(format!("<span class=\"muted\">{NOT_RUN}</span>"), NOT_RUN)
            });
        }
        table.rows.push(Row::new(cells));
    }
    table
}
