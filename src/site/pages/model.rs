//! The page of a model: every row it has on every board, with all its numbers.

use super::entries::{full_name, id, model_path};
use super::{Context, Section, SectionsView, Sheet, href};
use crate::schema::{Model, Tier};
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::cell_id;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, link, name};
use crate::site::wording::Wording;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Rows of the table of tasks; the matrix's files hold all.
const MOST_ROWS: usize = 300;

type Found<'a> = BTreeMap<String, (Model, Vec<(&'a Board<'a>, &'a Entry)>)>;

/// Writes the page of every model that any board names.
pub fn write_all(context: &Context<'_>) -> Result<(), SiteError> {
    let mut found: Found<'_> = BTreeMap::new();
    for b in &context.computed.boards {
        for e in &b.entries {
            found.entry(e.model.id.clone()).or_insert_with(|| (e.model.clone(), Vec::new())).1.push((b, e));
        }
    }
    found.par_iter().try_for_each(|(_, (model, entries))| write(context, model, entries))
}

fn write(context: &Context<'_>, model: &Model, entries: &[(&Board<'_>, &Entry)]) -> Result<(), SiteError> {
    let page = model_path(context.config, &model.id);
    let mut facts = vec![("Identity in raw lines".to_owned(), format!("<code>{}</code>", escape(&model.id)))];
    if !model.maker.is_empty() {
        facts.push(("Maker".to_owned(), name(&model.maker)));
    }
    let tier = match model.tier {
        Tier::Paid => "paid by use",
        Tier::Local => "run on a machine of one’s own",
    };
    facts.push(("Tier".to_owned(), tier.to_owned()));
    let cutoff = model.cutoff.as_ref().map_or("not recorded".to_owned(), |c| format!("<time>{}</time>", escape(c)));
    facts.push(("Knowledge cutoff".to_owned(), cutoff));
    let mut sections = Vec::new();
    for (b, e) in entries {
        sections.push(section(context, b, e, &page)?);
    }
    let view =
        SectionsView { kicker: "Model".into(), heading: name(&model.name), lead: String::new(), facts, sections };
    let crumbs = vec![(context.config.title.clone(), "index.html".to_owned())];
    let description =
        format!("{}: rates, ranges, costs and repeatability on every board, with the tasks it attempted.", model.name);
    context.write(&Sheet { path: page, kind: "model", title: model.name.clone(), description, crumbs, view: &view })
}

fn section(context: &Context<'_>, b: &Board<'_>, e: &Entry, page: &str) -> Result<Section, SiteError> {
    let numbers = &context.computed.numbers;
    let wording = b.config.wording();
    let [counted, rate, ever, per_fix, mixed, floor] = [
        format!("{}, of attempts", wording.head()),
        if wording == Wording::default() {
            "Fix rate".to_owned()
        } else {
            format!("Share of attempts that {}", wording.did())
        },
        format!("Tasks ever {}", wording.verb),
        format!("Cost per {}", wording.noun),
        format!("Tasks with both {} and failures, of those repeated", wording.nouns()),
        format!("Cost per {}, at least", wording.noun),
    ];
    let rows: &[(&str, &[&str], &str)] = &[
        (&counted, &["fixed", "attempts"], " of "),
        ("Planned attempts", &["planned"], ""),
        ("Left out (infrastructure, stopped)", &["excluded"], ""),
        (&rate, &["rate"], ""),
        ("Range for the next attempt at these tasks", &["wilson_lo", "wilson_hi"], " to "),
        ("Mean of the tasks’ rates", &["task_rate"], ""),
        ("Range for tasks like these", &["taw_lo", "taw_hi"], " to "),
        ("Independent tasks that the attempts are worth", &["n_eff"], ""),
        ("Range for tasks in other repositories", &["repo_lo", "repo_hi"], " to "),
        ("Repositories covered", &["repos_covered"], ""),
        ("Rate if every left-out attempt had failed, or had succeeded", &["worst_rate", "best_rate"], " to "),
        ("Range over both", &["sens_lo", "sens_hi"], " to "),
        ("Tasks covered", &["tasks_covered", "tasks_total"], " of "),
        (&ever, &["tasks_fixed"], ""),
        ("Rank", &["rank_lo", "rank_hi"], " to "),
        ("Tie group", &["tie_group"], ""),
        ("Attempts that ran into a limit", &["limit_hits"], ""),
        ("Chance that two attempts at a task end differently", &["disagreement"], ""),
        (&mixed, &["mixed_tasks", "repeat_tasks"], " of "),
        ("Wobble of the suite’s score if run again", &["rerun_se"], ""),
        ("Spent", &["cost_spent"], ""),
        ("Cost per attempt", &["cost_per_attempt"], ""),
        ("Its range", &["cost_per_attempt_lo", "cost_per_attempt_hi"], " to "),
        (&per_fix, &["cost_per_fix"], ""),
        ("Its range", &["cost_per_fix_lo", "cost_per_fix_hi"], " to "),
        (&floor, &["cost_per_fix_floor"], ""),
        ("Attempts that do not say their cost", &["cost_unknown"], ""),
        ("Mean seconds", &["seconds_mean"], ""),
        ("Mean turns", &["turns_mean"], ""),
        ("Mean tokens", &["tokens_mean"], ""),
        ("Tasks merged before the cutoff or soon after", &["cutoff_tasks"], ""),
        ("Rate before the cutoff minus after", &["cutoff_gap"], ""),
        ("Its range", &["cutoff_lo", "cutoff_hi"], " to "),
        ("Exact p of that gap", &["cutoff_p"], ""),
    ];
    let key = format!("{}-{}", b.config.id, e.key);
    let mut table = Table::new(
        &format!("numbers-{key}"),
        &format!("Every number of {} on {}", name(&full_name(b, e)), name(&b.config.title)),
        &[("Statistic", "statistic", false), ("Value", "value", true)],
    );
    for (words, stats, between) in rows {
        if numbers.get(&id(b, e, stats[0])).is_none() {
            continue;
        }
        let cell = match stats {
            [one] => Cell::Number(id(b, e, one)),
            [one, two, ..] => {
                Cell::Span(id(b, e, one), if *between == " of " { " of " } else { " to " }, id(b, e, two))
            }
            [] => Cell::Empty,
        };
        table.rows.push(Row::new(vec![Cell::html(escape(words), words), cell]));
    }
    let verb = wording.head();
    let mut tasks = Table::new(
        &format!("tasks-{key}"),
        &format!("Tasks that {} attempted on {}", name(&full_name(b, e)), name(&b.config.title)),
        &[("Task", "task", false), (verb.as_str(), "fixed", true)],
    );
    for (t, task) in b.tasks.iter().enumerate().filter(|(t, _)| e.cells[*t].n > 0).take(MOST_ROWS) {
        let family = |what: &str| cell_id(&b.config.id, &e.key, &task.id, what);
        let c = e.cells[t];
        tasks.rows.push(Row::new(vec![
            Cell::link(&href(page, &super::task::path(&b.config.id, &task.id)), &task.id),
            Cell::Ratio(family("fixed"), c.c, family("attempts"), c.n),
        ]));
    }
    let mut tables = vec![context.table_without_files(&table)];
    if !tasks.rows.is_empty() {
        tables.push(context.table_without_files(&tasks));
    }
    let (state, class) = e.status();
    let runs: Vec<String> = b
        .runs
        .iter()
        .filter(|r| r.run.models.iter().any(|m| m.id == e.model.id))
        .map(|r| link(&href(page, &super::run::path(&r.run.run)), &name(&r.run.run)))
        .collect();
    let lead = format!(
        "<p><span class=\"pill {class}\">{}</span> Agent {}, condition {}. Runs: {}. The files of {} hold these numbers beside all others.</p>",
        escape(state),
        name(&e.agent),
        name(&e.condition),
        runs.join(", "),
        link(&href(page, &super::task::board_path(context, b)), &format!("the board {}", name(&b.config.title)))
    );
    Ok(Section {
        id: key,
        heading: format!("{} on {}", name(&full_name(b, e)), name(&b.config.title)),
        lead,
        tables,
        ..Section::default()
    })
}
