//! Everything to take away, how to cite it, and the page on which a reader recomputes the site.

use super::attempts::csv_paths;
use super::{Context, Section, SectionsView, Sheet, all};
use crate::results::slug;
use crate::site::error::SiteError;
use crate::site::feed::bibtex;
use crate::site::numbers::{data_element, file_id};
use crate::site::table::{Cell, Row, Table};
use crate::site::text::{escape, link, name};
use crate::stats::display::Format;
use serde::Serialize;

/// Rows of the list of raw files on the page; the manifest holds all.
const MOST_ROWS: usize = 200;

/// Writes the pages about data, the verification page and the page for wrong addresses.
pub fn write(context: &Context<'_>) -> Result<(), SiteError> {
    all(&[&|| write_data(context), &|| write_verify(context), &|| write_missing(context)])
}

/// The size of a raw file, as a number that the file itself answers for.
pub(super) fn size(path: &str, bytes: u64) -> Cell {
    let text = Format::Count.text(Some(bytes as f64));
    Cell::html(data_element(&file_id(path), Some(bytes as f64), &text), &bytes.to_string())
}

fn home(context: &Context<'_>) -> Vec<(String, String)> {
    vec![(context.config.title.clone(), "index.html".to_owned())]
}

fn write_data(context: &Context<'_>) -> Result<(), SiteError> {
    let mut table = Table::new(
        "raw-files",
        "Raw files as published",
        &[
            ("Run", "run", false),
            ("File", "file", false),
            ("Bytes", "bytes", true),
            ("<code>SHA-256</code>", "sha256", false),
        ],
    );
    let mut row = |run: &str, path: String, bytes: u64, sha: &str| {
        let file = path.rsplit('/').next().unwrap_or(&path).to_owned();
        table.rows.push(Row::new(vec![
            Cell::name(run),
            Cell::html(link(&path, &name(&file)), &path),
            size(&path, bytes),
            Cell::html(format!("<code class=\"digest\">{sha}</code>"), sha),
        ]));
    };
    for p in &context.data.publishers {
        row(&p.record.run, format!("data/raw/{}/publisher.json", slug(&p.record.run)), p.bytes.len() as u64, &p.sha256);
    }
    for run in &context.data.runs {
        let folder = slug(&run.run.run);
        row(&run.run.run, format!("data/raw/{folder}/run.json"), run.plan_bytes.len() as u64, &run.plan_sha256);
        for (i, shard) in run.shards.iter().enumerate() {
            row(&run.run.run, format!("data/raw/{folder}/attempts-{i:04}.jsonl"), shard.len, &shard.sha256);
        }
    }
    let cut = table.rows.len() > MOST_ROWS;
    let mut view = context.table("data.html", "site", &table)?;
    if cut {
        table.rows.truncate(MOST_ROWS);
        view.html = table.html(&context.computed.numbers);
    }
    let csv: String = context
        .data
        .runs
        .iter()
        .flat_map(csv_paths)
        .take(MOST_ROWS)
        .map(|p| format!("<li>{}</li>", link(&p, &name(p.rsplit('/').next().unwrap_or(&p)))))
        .collect();
    let files = [
        ("data/numbers.json", "every published number: id, statistic, parameters, value, text"),
        ("data/manifest.json", "every raw file with its size and <code>SHA-256</code>"),
        ("SHA256SUMS", "every file of this site with its <code>SHA-256</code>, for <code>sha256sum --check</code>"),
        ("feed.xml", "changes as an Atom feed"),
        ("sitemap.xml", "every page"),
        ("CITATION.cff", "how to cite these data"),
    ];
    let list: String =
        files.iter().map(|(path, what)| format!("<li>{}: {what}</li>", link(path, &name(path)))).collect();
    let more = if cut { "<p>The first files; the manifest holds all.</p>" } else { "" };
    let sections = vec![
        Section { id: "files".into(), heading: "Files".into(), lead: format!("<ul>{list}</ul>"), ..Section::default() },
        Section {
            id: "raw".into(),
            heading: "Raw files".into(),
            lead: more.into(),
            tables: vec![view],
            ..Section::default()
        },
        Section {
            id: "csv".into(),
            heading: "Attempts as tables".into(),
            lead: format!("<ul>{csv}</ul>"),
            ..Section::default()
        },
        Section {
            id: "cite".into(),
            heading: "How to cite".into(),
            lead: format!(
                "<pre><code>{}</code></pre>",
                escape(&bibtex(context.config, &context.as_of, &context.renderer.site().data_sha256))
            ),
            ..Section::default()
        },
    ];
    let lead = "These files are all that the site is made from. Raw lines are published as they were written, cut at line ends into pieces; put together again they are the original file. Beside every table stands the same table as CSV and as JSON.".to_owned();
    let view = SectionsView { heading: "Data".into(), lead, sections, ..SectionsView::default() };
    context.write(&Sheet {
        path: "data.html".into(),
        kind: "data",
        title: "Data".into(),
        description: "Raw files with digests, every number as JSON, tables as CSV, and how to cite them.".into(),
        crumbs: home(context),
        view: &view,
    })
}

#[derive(Serialize)]
struct VerifyView {
    script: String,
}

fn write_verify(context: &Context<'_>) -> Result<(), SiteError> {
    let script = context.renderer.site().assets.get("verify").cloned().unwrap_or_default();
    let view = VerifyView { script };
    context.write(&Sheet {
        path: "verify.html".into(),
        kind: "verify",
        title: "Check the work".into(),
        description: "Recompute every number of this site from its raw files, in your own browser or with one command."
            .into(),
        crumbs: home(context),
        view: &view,
    })
}

fn write_missing(context: &Context<'_>) -> Result<(), SiteError> {
    context.write(&Sheet {
        path: "404.html".into(),
        kind: "missing",
        title: "Page not found".into(),
        description: "There is no page at this address.".into(),
        crumbs: Vec::new(),
        view: &SectionsView::default(),
    })
}
