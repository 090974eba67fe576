//! Every attempt as one mark, three ways: by model, by repository, by outcome.

use super::charts::{drawn, label};
use super::entries::{full_name, id, ordered, whole};
use super::{Context, Figure, Section};
use crate::charts::{Field, Head, Lane, Mark, field};
use crate::results::slug;
use crate::schema::Outcome;
use crate::site::board::Board;
use crate::site::error::SiteError;
use crate::site::numbers::groups;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::escape;
use std::collections::HashMap;

/// Lanes that one picture shows; what is beyond stands in the table.
const MOST_LANES: usize = 40;

struct Attempt {
    entry: usize,
    task: u32,
    mark: Mark,
}

fn attempts(b: &Board<'_>) -> Vec<Attempt> {
    let mut all = Vec::new();
    for (r, run) in b.runs.iter().enumerate() {
        let infra = run.run.scoring.infra;
        for row in run.effective() {
            if let Some(entry) = b.entry_map[r].get(&(row.model, row.variant)) {
                all.push(Attempt {
                    entry: *entry,
                    task: b.task_map[r][row.task as usize],
                    mark: Mark { outcome: row.outcome, excluded: row.outcome.excluded(infra) },
                });
            }
        }
    }
    all
}

/// The section with its three pictures; none where there is no attempt.
pub fn section(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Option<Section>, SiteError> {
    let all = attempts(b);
    if all.is_empty() {
        return Ok(None);
    }
    let pictures = [
        ("model", "by model", by_model(context, b, &all)),
        ("repo", "by repository", by_repo(context, b, &all)),
        ("outcome", "by outcome", by_outcome(context, b, &all)),
    ];
    let mut figures = Vec::new();
    for (group, words, (lanes, table)) in pictures {
        if lanes.is_empty() {
            continue;
        }
        let cut = lanes.len() > MOST_LANES;
        let plot = Field {
            head: Head {
                id: format!("field-{group}"),
                title: format!("Every attempt, {words}"),
                desc: "One square an attempt, coloured by its outcome; attempts left out of the rates are outlines. The table below counts them.".into(),
            },
            lanes: lanes.into_iter().take(MOST_LANES).collect(),
            key: true,
            names: Outcome::ALL.iter().map(|o| (*o, b.config.wording().outcome(*o))).collect(),
        };
        let picture = drawn("field", field(&plot))?;
        let mut finding = format!(
            "<strong>Every attempt, {words}.</strong> {}, {} {}.",
            super::limits::count(&context.computed.numbers, &whole(b, "attempts"), "attempt", "attempts"),
            context.computed.numbers.data(&whole(b, "fixed")),
            b.config.wording().verb
        );
        if picture.per_mark > 1 {
            finding.push_str(&format!(" One square stands for <code>{}</code> attempts.", picture.per_mark));
        }
        if cut {
            finding.push_str(" The picture shows the first lanes; the table holds all.");
        }
        figures.push(Figure {
            id: format!("field-{group}"),
            finding,
            svg: picture.svg,
            group: group.to_owned(),
            twin: context.table(page, dir, &table)?,
        });
    }
    Ok(Some(Section {
        id: "attempts".into(),
        heading: "Every attempt".into(),
        field: true,
        figures,
        ..Section::default()
    }))
}

type Lanes = (Vec<Lane>, Table);

fn by_model(context: &Context<'_>, b: &Board<'_>, all: &[Attempt]) -> Lanes {
    let numbers = &context.computed.numbers;
    let mut marks: HashMap<usize, Vec<&Attempt>> = HashMap::new();
    for a in all {
        marks.entry(a.entry).or_default().push(a);
    }
    let mut lanes = Vec::new();
    let mut columns = vec![("Model", "model", false)];
    let heads = Outcome::ALL.map(|o| b.config.wording().outcome(o));
    columns.extend(Outcome::ALL.iter().zip(&heads).map(|(o, head)| (head.as_str(), o.word(), true)));
    let mut table = Table::new("attempts-by-model", "Attempts of each model by outcome", &columns);
    for e in ordered(b, numbers) {
        let place = b.entries.iter().position(|x| x.key == e.key).unwrap_or(0);
        let mut list = marks.remove(&place).unwrap_or_default();
        list.sort_by_key(|a| a.task);
        let breaks = (1..list.len()).filter(|i| list[i - 1].task != list[*i].task).collect();
        let count = label(numbers, &id(b, e, "attempts"));
        lanes.push(Lane {
            name: full_name(b, e),
            count,
            marks: list.iter().map(|a| a.mark).collect(),
            breaks,
            missing: "not run".into(),
        });
        let mut cells = vec![Cell::name(&full_name(b, e))];
        cells.extend(Outcome::ALL.map(|o| Cell::Number(id(b, e, &format!("outcome.{}", o.word())))));
        table.rows.push(Row::new(cells));
    }
    (lanes, table)
}

fn by_repo(context: &Context<'_>, b: &Board<'_>, all: &[Attempt]) -> Lanes {
    let numbers = &context.computed.numbers;
    let found = groups(b, "repo");
    let wording = b.config.wording();
    let verb = wording.head();
    let mut table = Table::new(
        "attempts-by-repo",
        &format!("Attempts and {} in each repository", wording.nouns()),
        &[
            ("Repository", "repo", false),
            ("Tasks", "tasks", true),
            ("Attempts", "attempts", true),
            (verb.as_str(), "fixed", true),
            ("Rate", "rate", true),
        ],
    );
    let mut lanes = Vec::new();
    for (repo, tasks) in &found {
        let mut list: Vec<&Attempt> = all.iter().filter(|a| tasks.binary_search(&(a.task as usize)).is_ok()).collect();
        list.sort_by_key(|a| (a.entry, a.task));
        let breaks = (1..list.len()).filter(|i| list[i - 1].entry != list[*i].entry).collect();
        let n = |stat: &str| format!("board.{}.repo.{}.{stat}", b.config.id, slug(repo));
        lanes.push(Lane {
            name: (*repo).to_owned(),
            count: label(numbers, &n("attempts")),
            marks: list.iter().map(|a| a.mark).collect(),
            breaks,
            missing: "not run".into(),
        });
        table.rows.push(Row::new(vec![
            Cell::name(repo),
            Cell::Number(n("tasks_total")),
            Cell::Number(n("attempts")),
            Cell::Number(n("fixed")),
            Cell::Number(n("rate")),
        ]));
    }
    (lanes, table)
}

fn by_outcome(context: &Context<'_>, b: &Board<'_>, all: &[Attempt]) -> Lanes {
    let numbers = &context.computed.numbers;
    let wording = b.config.wording();
    let mut table = Table::new(
        "attempts-by-outcome",
        "Attempts by outcome",
        &[("Outcome", "outcome", false), ("Attempts", "attempts", true)],
    );
    let mut lanes = Vec::new();
    for outcome in Outcome::ALL {
        let n = whole(b, &format!("outcome.{}", outcome.word()));
        table.rows.push(Row::new(vec![
            Cell::html(escape(&wording.outcome(outcome)), &wording.outcome(outcome)),
            Cell::Number(n.clone()),
        ]));
        let mut list: Vec<&Attempt> = all.iter().filter(|a| a.mark.outcome == outcome).collect();
        if !list.is_empty() {
            list.sort_by_key(|a| (a.entry, a.task));
            let breaks = (1..list.len()).filter(|i| list[i - 1].entry != list[*i].entry).collect();
            lanes.push(Lane {
                name: wording.outcome(outcome),
                count: label(numbers, &n),
                marks: list.iter().map(|a| a.mark).collect(),
                breaks,
                missing: String::new(),
            });
        }
    }
    (lanes, table)
}
