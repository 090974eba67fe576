//! Releases of the data, and what changed between each and the one before.

use super::charts::{drawn, label};
use super::entries::full_name;
use super::{Context, Figure, Section, SectionsView, Sheet};
use crate::charts::{Estimate, Head, Label, Range, SlopePlot, SlopeRow, slope};
use crate::site::board::{Board, Entry};
use crate::site::config::ReleaseConfig;
use crate::site::error::SiteError;
use crate::site::numbers::Numbers;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, name, words};

const PAGE: &str = "releases.html";

/// Writes the page of releases.
pub fn write(context: &Context<'_>) -> Result<(), SiteError> {
    let releases = &context.config.releases;
    let mut sections = Vec::new();
    for (i, release) in releases.iter().enumerate().rev() {
        let before = i.checked_sub(1).map(|p| (&releases[p], context.computed.releases[p].as_slice()));
        sections.push(section(context, release, &context.computed.releases[i], before)?);
    }
    let lead = if releases.is_empty() {
        "No release has been made yet: what the site shows are the runs as they stand.".to_owned()
    } else {
        "A release is every run whose plan was locked by the end of its day. Raw lines are only ever appended, so the numbers of an old release are recomputed here from the same files, and anyone can do so again.".to_owned()
    };
    let view = SectionsView { heading: "Releases".into(), lead, sections, ..SectionsView::default() };
    let crumbs = vec![(context.config.title.clone(), "index.html".to_owned())];
    context.write(&Sheet {
        path: PAGE.into(),
        kind: "releases",
        title: "Releases".into(),
        description: "Every release of the data, and what changed between them.".into(),
        crumbs,
        view: &view,
    })
}

fn id(release: &str, b: &Board<'_>, e: Option<&Entry>, stat: &str) -> String {
    match e {
        Some(e) => format!("release.{release}.board.{}.{}.{stat}", b.config.id, e.key),
        None => format!("release.{release}.board.{}.{stat}", b.config.id),
    }
}

fn section(
    context: &Context<'_>,
    release: &ReleaseConfig,
    boards: &[Board<'_>],
    before: Option<(&ReleaseConfig, &[Board<'_>])>,
) -> Result<Section, SiteError> {
    let numbers = &context.computed.numbers;
    let version = &release.version;
    let table_id = format!("release-{version}");
    let caption = format!("Boards and models of release {}", name(version));
    let mut table = Table::new(
        &table_id,
        &caption,
        &[
            ("Board", "board", false),
            ("Model", "model", false),
            ("Fixed", "fixed", true),
            ("These tasks", "these_tasks", true),
            ("Tasks like these", "tasks_like_these", true),
            ("Change", "change", false),
        ],
    );
    let mut figures = Vec::new();
    for b in boards {
        for e in &b.entries {
            let n = |stat: &str| id(version, b, Some(e), stat);
            table.rows.push(Row::new(vec![
                Cell::name(&b.config.title),
                Cell::name(&full_name(b, e)),
                Cell::Span(n("fixed"), " of ", n("attempts")),
                Cell::Span(n("wilson_lo"), " to ", n("wilson_hi")),
                Cell::Span(n("taw_lo"), " to ", n("taw_hi")),
                Cell::words(change(numbers, version, b, e, before)),
            ]));
        }
        for p in &b.publishers {
            table.rows.push(Row::new(vec![
                Cell::name(&b.config.title),
                Cell::name(&p.record.publisher),
                Cell::Empty,
                Cell::Empty,
                Cell::Empty,
                Cell::words("reported by the publisher"),
            ]));
        }
        if let Some((old, old_boards)) = before
            && let Some(old_board) = old_boards
                .iter()
                .find(|o| o.config.id == b.config.id && o.entries.iter().any(|e| e.totals.attempts > 0))
        {
            figures.push(dumbbell(context, (old, old_board), (release, b))?);
        }
    }
    let mut lead =
        format!("<p>Runs planned until <time>{}</time>. {}</p>", escape(&release.until), words(&release.note));
    if before.is_none() {
        lead.push_str("<p>The first release: there is nothing to compare it with.</p>");
    }
    let tables = vec![context.table(PAGE, "releases", &table)?];
    Ok(Section {
        id: format!("r-{version}"),
        heading: format!("Release {}", name(version)),
        lead,
        figures,
        tables,
        ..Section::default()
    })
}

/// What happened to an entry since the release before, in words.
fn change(
    numbers: &Numbers,
    version: &str,
    b: &Board<'_>,
    e: &Entry,
    before: Option<(&ReleaseConfig, &[Board<'_>])>,
) -> &'static str {
    let Some((old, boards)) = before else { return "first release" };
    let known = boards.iter().any(|o| o.config.id == b.config.id && o.entries.iter().any(|x| x.key == e.key));
    if !known {
        return "new";
    }
    let same = ["attempts", "fixed", "excluded", "cost_spent"]
        .iter()
        .all(|s| numbers.value(&id(version, b, Some(e), s)) == numbers.value(&id(&old.version, b, Some(e), s)));
    if same { "unchanged" } else { "more attempts" }
}

fn dumbbell(
    context: &Context<'_>,
    (old, old_board): (&ReleaseConfig, &Board<'_>),
    (new, b): (&ReleaseConfig, &Board<'_>),
) -> Result<Figure, SiteError> {
    let numbers = &context.computed.numbers;
    let estimate = |version: &str, board: &Board<'_>, e: &Entry| {
        let n = |stat: &str| id(version, board, Some(e), stat);
        numbers.value(&n("rate")).map(|rate| Estimate {
            rate,
            interval: Range::of(numbers.value(&n("wilson_lo")), numbers.value(&n("wilson_hi"))),
            value: label(numbers, &n("rate")),
        })
    };
    let mut rows = Vec::new();
    let chart_id = format!("change-{}-{}", new.version, b.config.id);
    let caption = format!(
        "{}: rates in release {} and in release {}",
        name(&b.config.title),
        name(&old.version),
        name(&new.version)
    );
    let mut table =
        Table::new(&chart_id, &caption, &[("Model", "model", false), ("Before", "before", true), ("Now", "now", true)]);
    for e in &b.entries {
        let earlier = old_board.entries.iter().find(|x| x.key == e.key);
        rows.push(SlopeRow {
            name: full_name(b, e),
            old: earlier.and_then(|x| estimate(&old.version, old_board, x)),
            new: estimate(&new.version, b, e),
            change: Label::words(""),
        });
        let cell =
            |version: &str, x: Option<&Entry>| x.map_or(Cell::Empty, |x| Cell::Number(id(version, b, Some(x), "rate")));
        table.rows.push(Row::new(vec![
            Cell::name(&full_name(b, e)),
            cell(&old.version, earlier),
            cell(&new.version, Some(e)),
        ]));
    }
    let top = rows
        .iter()
        .flat_map(|r| [&r.old, &r.new])
        .flatten()
        .map(|e| e.interval.map_or(e.rate, |i| i.hi))
        .fold(0.0, f64::max);
    let plot = SlopePlot {
        head: Head { id: chart_id.clone(), title: format!("{}: rates before and now", b.config.title), desc: "One row a model, with the range for these tasks in each release. The table below holds the same numbers.".into() },
        axis: format!("attempts that {}", b.config.wording().did()),
        old_name: old.version.clone(),
        new_name: new.version.clone(),
        zoom: top < 0.4,
        rows,
    };
    let svg = drawn(&chart_id, slope(&plot))?;
    let finding = format!("<strong>{}: before and now.</strong> Ranges are for these tasks.", name(&b.config.title));
    Ok(Figure { id: chart_id, finding, svg, group: String::new(), twin: context.table(PAGE, "releases", &table)? })
}
