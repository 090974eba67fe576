//! Publisher-reported figures: shown apart, quoted, never ranked.

use super::{Context, Section};
use crate::results::PublisherFile;
use crate::site::board::Board;
use crate::site::error::SiteError;
use crate::site::numbers::publisher_prefix;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, name};

/// The sections of a board's publisher-reported records.
pub fn sections(context: &Context<'_>, b: &Board<'_>, page: &str, dir: &str) -> Result<Vec<Section>, SiteError> {
    let mut out = Vec::new();
    for file in &b.publishers {
        let record = &file.record;
        let lead = format!(
            "<p><span class=\"pill publisher\">Reported by the publisher</span> These are figures of {}, published <time>{}</time>. The attempts behind them were not published: nothing here can be recomputed, so nothing here is ranked. {}</p>",
            name(&record.publisher),
            escape(record.created_at.get(..10).unwrap_or("")),
            record.note.as_deref().map_or(String::new(), |n| format!("<span class=\"name\">{}</span>", escape(n)))
        );
        let mut tables = Vec::new();
        for (scope, id, caption) in [
            ("overall", "reported-overall", "Overall, as reported"),
            ("group", "reported-groups", "By kind of task, as reported"),
            ("task", "reported-tasks", "By task, as reported"),
            ("observed", "reported-observed", "Tasks without a grader: times, tokens and costs only"),
        ] {
            if let Some(table) = table(context, b, file, scope, id, caption) {
                tables.push(context.table(page, dir, &table)?);
            }
        }
        out.push(Section {
            id: format!("reported-{}", crate::results::slug(&record.run)),
            heading: "Reported by the publisher".into(),
            lead,
            tables,
            ..Section::default()
        });
    }
    Ok(out)
}

fn table(
    context: &Context<'_>,
    b: &Board<'_>,
    file: &PublisherFile,
    scope: &str,
    id: &str,
    caption: &str,
) -> Option<Table> {
    let record = &file.record;
    let columns = [
        ("What", "name", false),
        ("Kind", "group", false),
        ("Model", "model", false),
        ("Solved", "solved", true),
        ("Attempts", "attempts", true),
        ("Mean score", "mean_score", true),
        ("Mean time", "seconds", true),
        ("Tokens", "tokens", true),
        ("Cached", "cached_share", true),
        ("Cost", "cost_usd", true),
    ];
    let mut table = Table::new(id, caption, &columns);
    for (i, row) in record.rows.iter().enumerate().filter(|(_, r)| r.scope == scope) {
        let prefix = publisher_prefix(&b.config.id, &record.run, i);
        let n = |field: &str, there: bool| if there { Cell::Number(format!("{prefix}.{field}")) } else { Cell::Empty };
        let model =
            record.models.iter().find(|m| m.id == row.model).map_or(row.model.as_str(), |m| {
                context.config.model(&m.id).map_or(m.name.as_str(), |c| c.name.as_str())
            });
        table.rows.push(Row::new(vec![
            Cell::name(if row.name.is_empty() { "all graded tasks" } else { &row.name }),
            row.group.as_deref().filter(|g| *g != row.name).map_or(Cell::Empty, Cell::name),
            Cell::name(model),
            n("solved", row.solved.is_some()),
            n("attempts", true),
            n("mean_score", row.mean_score.is_some()),
            n("seconds", row.seconds.is_some()),
            n("tokens", row.tokens.is_some()),
            n("cached_share", row.cached_share.is_some()),
            n("cost_usd", row.cost_usd.is_some()),
        ]));
    }
    table.filter = table.rows.len() > 20;
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}
