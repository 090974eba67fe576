//! Two models at the same tasks, one page a pair, and the list of all pairs.

use super::entries::{full_name, ordered};
use super::task::crumbs;
use super::{Context, Section, SectionsView, Sheet, all, href};
use crate::site::board::{Board, Entry};
use crate::site::error::SiteError;
use crate::site::numbers::cell_id;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{link, name};
use rayon::prelude::*;

/// Rows of the table of tasks that differ; the matrix's files hold all.
const MOST_ROWS: usize = 100;

/// The path of the list of a board's pairs.
pub fn index_path(board: &str) -> String {
    format!("pairs/{board}.html")
}

/// The path of a pair's page; keys stand in the order of the board.
pub fn path(board: &str, a: &str, b: &str) -> String {
    format!("pair/{board}/{a}--{b}.html")
}

/// The paths of a board's pairs.
pub fn paths(b: &Board<'_>) -> Vec<String> {
    if b.runs.is_empty() {
        return Vec::new();
    }
    let pair = |(i, one): (usize, &Entry)| -> Vec<String> {
        b.entries[i + 1..].iter().map(|two| path(&b.config.id, &one.key, &two.key)).collect()
    };
    b.entries.iter().enumerate().flat_map(pair).collect()
}

fn id(b: &Board<'_>, one: &Entry, two: &Entry, stat: &str) -> String {
    format!("pair.{}.{}.{}.{stat}", b.config.id, one.key, two.key)
}

/// Writes every pair of a board, and their list.
pub fn write_all(context: &Context<'_>, b: &Board<'_>) -> Result<(), SiteError> {
    if b.runs.is_empty() {
        return Ok(());
    }
    let places: Vec<(usize, usize)> =
        (0..b.entries.len()).flat_map(|i| (i + 1..b.entries.len()).map(move |j| (i, j))).collect();
    let write = |(i, j): &(usize, usize)| write(context, b, &b.entries[*i], &b.entries[*j]);
    all(&[&|| write_index(context, b, &places), &|| places.par_iter().with_max_len(1).try_for_each(write)])
}

fn write(context: &Context<'_>, b: &Board<'_>, one: &Entry, two: &Entry) -> Result<(), SiteError> {
    let page = path(&b.config.id, &one.key, &two.key);
    let numbers = &context.computed.numbers;
    let n = |stat: &str| numbers.data(&id(b, one, two, stat));
    let (left, right) = (name(&full_name(b, one)), name(&full_name(b, two)));
    let matched = numbers.value(&id(b, one, two, "matched_tasks")).unwrap_or(0.0);
    let verdict = match numbers.value(&id(b, one, two, "p_holm")) {
        None => format!("{left} and {right} share no task with an attempt: they cannot be compared."),
        Some(p) if p <= 0.05 => {
            let better = if numbers.value(&id(b, one, two, "delta")).unwrap_or(0.0) > 0.0 { &left } else { &right };
            format!("{better} is better at these tasks: adjusted p\u{a0}=\u{a0}{}.", n("p_holm"))
        }
        Some(_) => format!("These data do not separate {left} and {right}: adjusted p\u{a0}=\u{a0}{}.", n("p_holm")),
    };
    let mut facts = vec![
        ("Tasks that both attempted".to_owned(), n("matched_tasks")),
        (format!("Tasks of {left} alone"), n("only_a")),
        (format!("Tasks of {right} alone"), n("only_b")),
    ];
    if matched > 0.0 {
        facts.extend([
            (
                format!("Difference, {left} minus {right}"),
                format!("{}, from {} to {}", n("delta"), n("delta_lo"), n("delta_hi")),
            ),
            ("Exact sign-flip test by task".to_owned(), format!("p\u{a0}=\u{a0}{}", n("p"))),
            ("The same, adjusted over all pairs of the board".to_owned(), format!("p\u{a0}=\u{a0}{}", n("p_holm"))),
            (
                "Tasks where each is better".to_owned(),
                format!("{left} {}, {right} {}, the same {}", n("a_better"), n("b_better"), n("tied")),
            ),
        ]);
        if numbers.value(&id(b, one, two, "mde")).is_some() {
            facts.push(("Smallest gap that these tasks can show".to_owned(), n("mde")));
        }
        if numbers.value(&id(b, one, two, "tasks_needed")).is_some() {
            facts.push(("Tasks needed to show the difference seen".to_owned(), n("tasks_needed")));
        }
    }
    let view = SectionsView {
        kicker: format!(
            "Pair on {}",
            link(&href(&page, &super::task::board_path(context, b)), &crate::site::text::name(&b.config.title))
        ),
        heading: format!("{left} and {right}"),
        lead: verdict,
        facts,
        sections: vec![differences(context, b, one, two, &page)],
    };
    let title = format!("{} and {}", full_name(b, one), full_name(b, two));
    let description =
        format!("{title}: the same tasks of {}, difference, exact test and what the data can show.", b.config.suite);
    let mut way = crumbs(context, b);
    way.push(("Pairs".into(), index_path(&b.config.id)));
    context.write(&Sheet { path: page, kind: "pair", title, description, crumbs: way, view: &view })
}

fn differences(context: &Context<'_>, b: &Board<'_>, one: &Entry, two: &Entry, page: &str) -> Section {
    let mut table = Table::new(
        "differences",
        "Tasks at which the two differ",
        &[("Task", "task", false), ("First", "first", true), ("Second", "second", true)],
    );
    table.columns[1].head = name(&full_name(b, one));
    table.columns[2].head = name(&full_name(b, two));
    let mut cut = false;
    for (t, task) in b.tasks.iter().enumerate() {
        let (x, y) = (one.cells[t], two.cells[t]);
        let same = u64::from(x.c) * u64::from(y.n) == u64::from(y.c) * u64::from(x.n);
        if x.n == 0 || y.n == 0 || same {
            continue;
        }
        if table.rows.len() == MOST_ROWS {
            cut = true;
            break;
        }
        let cell = |e: &Entry, c: crate::site::board::Cell| {
            let family = |what: &str| cell_id(&b.config.id, &e.key, &task.id, what);
            Cell::Ratio(family("fixed"), c.c, family("attempts"), c.n)
        };
        table.rows.push(Row::new(vec![
            Cell::link(&href(page, &super::task::path(&b.config.id, &task.id)), &task.id),
            cell(one, x),
            cell(two, y),
        ]));
    }
    let lead = if one.cells.iter().zip(&two.cells).all(|(x, y)| x.n == 0 || y.n == 0) {
        "<p>No task was attempted by both.</p>"
    } else if table.rows.is_empty() {
        "<p>At no task that both attempted do their rates differ.</p>"
    } else if cut {
        "<p>The first of them; the files of the matrix on the board’s page hold all.</p>"
    } else {
        ""
    };
    let tables = if table.rows.is_empty() { Vec::new() } else { vec![context.table_without_files(&table)] };
    Section { id: "tasks".into(), heading: "Where they differ".into(), lead: lead.into(), tables, ..Section::default() }
}

fn write_index(context: &Context<'_>, b: &Board<'_>, places: &[(usize, usize)]) -> Result<(), SiteError> {
    let page = index_path(&b.config.id);
    let numbers = &context.computed.numbers;
    let mut table = Table::new(
        "pairs",
        "Every pair: difference in points over the tasks that both attempted; p is exact by task, adjusted over all pairs (Holm)",
        &[
            ("First", "first", false),
            ("Second", "second", false),
            ("Tasks", "matched_tasks", true),
            ("Difference", "delta", true),
            ("Range", "range", true),
            ("p", "p", true),
            ("Adjusted p", "p_holm", true),
            ("Smallest visible gap", "mde", true),
        ],
    );
    table.filter = places.len() > 20;
    // Pairs of entries that stand high on the board come first.
    let order = ordered(b, numbers);
    let place = |e: &Entry| order.iter().position(|x| x.key == e.key).unwrap_or(usize::MAX);
    let mut sorted: Vec<&(usize, usize)> = places.iter().collect();
    sorted.sort_by_key(|(i, j)| {
        let (x, y) = (place(&b.entries[*i]), place(&b.entries[*j]));
        (x.min(y), x.max(y))
    });
    for (i, j) in sorted {
        let (one, two) = (&b.entries[*i], &b.entries[*j]);
        let n = |stat: &str| id(b, one, two, stat);
        table.rows.push(Row::new(vec![
            Cell::link(&href(&page, &path(&b.config.id, &one.key, &two.key)), &full_name(b, one)),
            Cell::name(&full_name(b, two)),
            Cell::Number(n("matched_tasks")),
            Cell::Number(n("delta")),
            Cell::Span(n("delta_lo"), " to ", n("delta_hi")),
            Cell::Number(n("p")),
            Cell::Number(n("p_holm")),
            Cell::Number(n("mde")),
        ]));
    }
    let view = SectionsView {
        kicker: link(&href(&page, &super::task::board_path(context, b)), &crate::site::text::name(&b.config.title)),
        heading: "Pairs of models".into(),
        lead: "Two ranges that overlap do not show that two models are equal, and two that do not overlap are not the test: the pair is. Each pair has a page of its own, reached by the first name.".into(),
        sections: vec![Section { id: "all".into(), heading: "All pairs".into(), tables: vec![context.table(&page, &b.config.id, &table)?], ..Section::default() }],
        ..SectionsView::default()
    };
    let title = format!("Pairs of models on {}", b.config.title);
    context.write(&Sheet {
        path: page,
        kind: "pairs",
        title,
        description: format!("Every pair of models on {}: matched tasks, differences and exact tests.", b.config.suite),
        crumbs: crumbs(context, b),
        view: &view,
    })
}
