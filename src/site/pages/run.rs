//! The page of a run: its locked plan, its totals, its files.

use super::attempts::csv_paths;
use super::entries::model_path;
use super::{Context, Section, SectionsView, Sheet, all, href, root_of};
use crate::results::{RunFile, slug};
use crate::schema::{Infra, Source};
use crate::site::artifacts::Artifact;
use crate::site::error::SiteError;
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, link, name};
use rayon::prelude::*;
use serde_json::Value;

/// The path of a run's page.
pub fn path(run: &str) -> String {
    format!("run/{}.html", slug(run))
}

/// Writes the page of every run, and their list.
pub fn write_all(context: &Context<'_>) -> Result<(), SiteError> {
    let pages = || context.data.runs.par_iter().with_max_len(1).try_for_each(|run| write(context, run));
    all(&[&|| write_index(context), &pages])
}

/// A run's source in words.
fn source(source: Source) -> &'static str {
    match source {
        Source::Own => "run with this tool",
        Source::Imported => "imported from another system’s published outcomes",
        Source::Publisher => "reported by a publisher",
    }
}

fn write(context: &Context<'_>, run: &RunFile) -> Result<(), SiteError> {
    let plan = &run.run;
    let page = path(&plan.run);
    let numbers = &context.computed.numbers;
    let n = |stat: &str| numbers.data(&format!("run.{}.{stat}", slug(&plan.run)));
    let policy = match plan.scoring.infra {
        Infra::Exclude => "infrastructure faults are left out of rates and counted beside them",
        Infra::Fail => "infrastructure faults count as not fixed, and are reported apart",
    };
    let mut facts = vec![
        ("Run".to_owned(), name(&plan.run)),
        ("Suite".to_owned(), name(&plan.suite)),
        ("Source".to_owned(), source(plan.source).to_owned()),
        ("Agent".to_owned(), name(&plan.agent_word())),
        ("Condition".to_owned(), name(&plan.condition)),
        ("Plan locked".to_owned(), format!("<time>{}</time>", escape(&plan.created_at))),
        (
            "Attempts".to_owned(),
            format!(
                "{} counted of {} planned, {} fixed, {} left out",
                n("attempts"),
                n("planned"),
                n("fixed"),
                n("excluded")
            ),
        ),
        ("Spent".to_owned(), n("cost_spent")),
        ("Policy".to_owned(), policy.to_owned()),
    ];
    if !plan.limits.is_empty() {
        let limits: Vec<String> =
            plan.limits.iter().map(|(k, v)| format!("{} <code>{}</code>", name(k), escape(&plain(v)))).collect();
        facts.push(("Limits of an attempt".to_owned(), limits.join(", ")));
    }
    // A model has a page where a board shows it: the run itself may be on none.
    let shown = |id: &str| context.computed.boards.iter().any(|b| b.entries.iter().any(|e| e.model.id == id));
    let models: Vec<String> = plan
        .models
        .iter()
        .map(|m| match shown(&m.id) {
            true => link(&href(&page, &model_path(context.config, &m.id)), &name(&m.name)),
            false => name(&m.name),
        })
        .collect();
    facts.push(("Models".to_owned(), models.join(", ")));
    if let Some(tool) = &plan.tool {
        facts.push(("Written by".to_owned(), name(tool)));
    }
    let lead = plan.note.as_deref().map_or(String::new(), |n| format!("<span class=\"name\">{}</span>", escape(n)));
    let view = SectionsView {
        kicker: "Run".into(),
        heading: name(&plan.run),
        lead,
        facts,
        sections: [Some(files(context, run, &page)), artifacts(context, run, &page)].into_iter().flatten().collect(),
    };
    let crumbs =
        vec![(context.config.title.clone(), "index.html".to_owned()), ("Runs".to_owned(), "runs.html".to_owned())];
    let description = format!("The locked plan, totals and raw files of the run {}.", plan.run);
    context.write(&Sheet { path: page, kind: "run", title: plan.run.clone(), description, crumbs, view: &view })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn files(context: &Context<'_>, run: &RunFile, page: &str) -> Section {
    let root = root_of(page);
    let folder = slug(&run.run.run);
    let mut table = Table::new(
        "files",
        "The run’s files as published, with their <code>SHA-256</code> digests",
        &[("File", "file", false), ("Bytes", "bytes", true), ("<code>SHA-256</code>", "sha256", false)],
    );
    let mut row = |file: String, bytes: u64, sha: &str| {
        table.rows.push(Row::new(vec![
            Cell::html(link(&format!("{root}data/raw/{folder}/{file}"), &name(&file)), &file),
            super::data::size(&format!("data/raw/{folder}/{file}"), bytes),
            Cell::html(format!("<code class=\"digest\">{sha}</code>"), sha),
        ]));
    };
    row("run.json".into(), run.plan_bytes.len() as u64, &run.plan_sha256);
    for (i, shard) in run.shards.iter().enumerate() {
        row(format!("attempts-{i:04}.jsonl"), shard.len, &shard.sha256);
    }
    let csv: Vec<String> = csv_paths(run).iter().map(|p| link(&format!("{root}{p}"), "CSV")).collect();
    let lead = format!(
        "<p>The pieces of <code>attempts.jsonl</code> put one after another are the file itself. The same attempts as a table: {}.</p>",
        csv.join(", ")
    );
    Section {
        id: "raw".into(),
        heading: "Raw files".into(),
        lead,
        tables: vec![context.table_without_files(&table)],
        ..Section::default()
    }
}

/// What lies beside the run's lines; none where it published outcomes alone.
fn artifacts(context: &Context<'_>, run: &RunFile, page: &str) -> Option<Section> {
    let of = context.artifacts.of(&run.run.run)?;
    let root = root_of(page);
    let mut lead = String::from(
        "<p>Patches, trajectories and reports lie beside the lines. The page of each task shows them; an index names each with its size and <code>SHA-256</code>.",
    );
    if of.files().any(Artifact::is_left_out) {
        lead.push_str(" Some are left out, because the host of this site takes no more files: the index names them.");
    }
    if of.files().any(Artifact::is_cut) {
        lead.push_str(" Some are cut, because the host takes no longer ones: the index says how much is published.");
    }
    lead.push_str("</p><ul>");
    for piece in &of.index {
        let file = piece.path.rsplit('/').next().unwrap_or(&piece.path);
        lead.push_str(&format!("<li>{}</li>", link(&format!("{root}{}", piece.path), &name(file))));
    }
    lead.push_str("</ul>");
    Some(Section { id: "artifacts".into(), heading: "Evidence".into(), lead, ..Section::default() })
}

fn write_index(context: &Context<'_>) -> Result<(), SiteError> {
    let page = "runs.html";
    let mut table = Table::new(
        "runs",
        "Every run whose raw lines this site publishes",
        &[
            ("Run", "run", false),
            ("Suite", "suite", false),
            ("Source", "source", false),
            ("Plan locked", "created_at", false),
            ("Attempts", "attempts", true),
            ("Fixed", "fixed", true),
            ("Left out", "excluded", true),
            ("Spent", "cost_spent", true),
        ],
    );
    for run in &context.data.runs {
        let n = |stat: &str| format!("run.{}.{stat}", slug(&run.run.run));
        table.rows.push(Row::new(vec![
            Cell::link(&href(page, &path(&run.run.run)), &run.run.run),
            Cell::name(&run.run.suite),
            Cell::words(source(run.run.source)),
            Cell::html(
                format!("<time>{}</time>", escape(run.run.created_at.get(..10).unwrap_or(""))),
                &run.run.created_at,
            ),
            Cell::Span(n("attempts"), " of ", n("planned")),
            Cell::Number(n("fixed")),
            Cell::Number(n("excluded")),
            Cell::Number(n("cost_spent")),
        ]));
    }
    let tables = if table.rows.is_empty() { Vec::new() } else { vec![context.table(page, "site", &table)?] };
    let lead = if table.rows.is_empty() { "No run is published yet.".to_owned() } else { String::new() };
    let view = SectionsView {
        heading: "Runs".into(),
        lead,
        sections: vec![Section { id: "all".into(), heading: "All runs".into(), tables, ..Section::default() }],
        ..SectionsView::default()
    };
    let crumbs = vec![(context.config.title.clone(), "index.html".to_owned())];
    context.write(&Sheet {
        path: page.into(),
        kind: "runs",
        title: "Runs".into(),
        description: "Every run behind this site, with plans, totals and raw files.".into(),
        crumbs,
        view: &view,
    })
}
