//! One file a kind of page: numbers and names in, a typed view out; the templates put it on paper.

mod about;
mod attempts;
mod board;
mod charts;
mod data;
pub mod entries;
mod evidence;
mod field;
mod health;
mod limits;
mod model;
mod origins;
mod pair;
mod parts;
mod publisher;
mod release;
mod run;
mod suites;
mod task;

pub use about::{ABOUT, about_task};
pub use attempts::csv_paths;
pub use entries::{full_name, ordered};
pub use evidence::{EVIDENCE, evidence};
pub use health::{HEALTH, health_log};
pub use origins::sources;
pub use suites::{INDEX as SUITES, Told, pages_of_tasks};
pub use task::path as task_path;

use super::artifacts::Artifacts;
use super::config::Config;
use super::error::SiteError;
use super::extract::{has_digit, loose_digits, named};
use super::feed::address;
use super::names::Names;
use super::numbers::Computed;
use super::render::{Crumb, FrameView, NavItem, Page, Renderer};
use super::suites::Suites;
use super::table::Table;
use super::text::words;
use super::write::Output;
use crate::results::Dataset;
use rayon::prelude::*;
use serde::Serialize;
use std::sync::Mutex;

/// What every page is made from.
pub struct Context<'a> {
    /// The publisher's choices.
    pub config: &'a Config,
    /// Boards and numbers.
    pub computed: &'a Computed<'a>,
    /// Raw results.
    pub data: &'a Dataset,
    /// What the folders of tasks say.
    pub suites: &'a Suites,
    /// What lies beside raw lines.
    pub artifacts: &'a Artifacts,
    /// Templates.
    pub renderer: &'a Renderer<'a>,
    /// Where pages go.
    pub out: &'a Output,
    /// Time of the newest datum, RFC 3339.
    pub as_of: String,
    /// Navigation: text and path of the page's file.
    pub nav: Vec<(String, String)>,
    /// Address of the preview picture.
    pub card: Option<String>,
    /// Pages written so far.
    pub pages: Mutex<Vec<String>>,
    /// Called once a page.
    pub on_page: &'a (dyn Fn() + Sync),
}

/// A table with the files that hold it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TableView {
    /// HTML.
    pub html: String,
    /// Files: address and text.
    pub files: Vec<(String, String)>,
}

/// A chart, what it shows in words, and the same data as a table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figure {
    /// Anchor.
    pub id: String,
    /// The finding, HTML.
    pub finding: String,
    /// The picture.
    pub svg: String,
    /// Group of an alternative, such as `repo`; empty where there is none.
    pub group: String,
    /// The table beside it.
    pub twin: TableView,
}

/// A part of a page under one heading.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    /// Anchor.
    pub id: String,
    /// Heading, HTML.
    pub heading: String,
    /// Words under it, HTML paragraphs or lists.
    pub lead: String,
    /// Whether the figures are alternatives of which one is looked at.
    pub field: bool,
    /// Charts.
    pub figures: Vec<Figure>,
    /// Tables.
    pub tables: Vec<TableView>,
}

/// The view of a page that is a heading and sections.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SectionsView {
    /// Small words above the heading.
    pub kicker: String,
    /// Heading, HTML.
    pub heading: String,
    /// What stands first, HTML.
    pub lead: String,
    /// Facts: term and description, HTML.
    pub facts: Vec<(String, String)>,
    /// Parts.
    pub sections: Vec<Section>,
}

/// A page about to be written.
pub struct Sheet<'s, V> {
    /// Path of its file.
    pub path: String,
    /// Template.
    pub kind: &'static str,
    /// Title, plain.
    pub title: String,
    /// Description, plain.
    pub description: String,
    /// Way to it: text and path of each page before it.
    pub crumbs: Vec<(String, String)>,
    /// View.
    pub view: &'s V,
}

/// Stands in a page for what [`Context::write_with`] puts there.
pub const LARGE: &str = "<!--large-->";

/// The prefix that leads from a page back to the site's root.
pub fn root_of(path: &str) -> String {
    "../".repeat(path.matches('/').count())
}

/// The address of one page, seen from another.
pub fn href(from: &str, to: &str) -> String {
    let target = format!("{}{}", root_of(from), address(to));
    if target.is_empty() { "./".to_owned() } else { target }
}

impl Context<'_> {
    /// Renders a page, checks that it holds no typed digit, and stages it.
    pub fn write<V: Serialize>(&self, sheet: &Sheet<'_, V>) -> Result<(), SiteError> {
        self.write_with(sheet, &[])
    }

    /// As [`Context::write`], and puts one of `large` in each place where the page holds [`LARGE`]: single attempts and
    /// their evidence, whose form verification makes again, are not carried through the templates.
    pub fn write_with<V: Serialize>(&self, sheet: &Sheet<'_, V>, large: &[&str]) -> Result<(), SiteError> {
        let base = &self.config.base_url;
        let absolute = sheet.kind == "missing";
        let to = |path: &str| if absolute { format!("/{}", address(path)) } else { href(&sheet.path, path) };
        let mut crumbs: Vec<Crumb> =
            sheet.crumbs.iter().map(|(text, path)| Crumb { text: text.clone(), href: Some(to(path)) }).collect();
        if !crumbs.is_empty() {
            crumbs.push(Crumb { text: sheet.title.clone(), href: None });
        }
        let root = if absolute { "/".into() } else { root_of(&sheet.path) };
        let place = self.nav.iter().position(|(_, path)| *path == sheet.path);
        let frame = self.renderer.frame((root.clone(), place), || {
            let item = |(at, (text, path)): (usize, &(String, String))| NavItem {
                text: text.clone(),
                href: to(path),
                current: place == Some(at),
            };
            FrameView {
                root: root.clone(),
                nav: self.nav.iter().enumerate().map(item).collect(),
                as_of: self.as_of.clone(),
                as_of_text: self.as_of.get(..10).unwrap_or(&self.as_of).to_owned(),
            }
        })?;
        let page = Page {
            title: sheet.title.clone(),
            kind: sheet.kind,
            description: sheet.description.clone(),
            root,
            canonical: (!base.is_empty() && !absolute).then(|| format!("{base}/{}", address(&sheet.path))),
            card: self.card.clone().filter(|_| !base.is_empty()).map(|c| format!("{base}/{c}")),
            crumbs,
            frame,
        };
        let html = self.renderer.page(&page, sheet.view)?;
        if sheet.kind == "content" {
            self.check_names(&sheet.path, &html)?;
        }
        check(&sheet.path, &html)?;
        let mut parts = Vec::with_capacity(2 * large.len() + 1);
        let mut large = large.iter();
        let mut from = 0;
        for at in memchr::memmem::find_iter(html.as_bytes(), LARGE) {
            parts.push(&html[from..at]);
            parts.extend(large.next());
            from = at + LARGE.len();
        }
        parts.push(&html[from..]);
        self.out.put_parts(&sheet.path, &parts)?;
        if !absolute {
            self.lock().push(sheet.path.clone());
        }
        (self.on_page)();
        Ok(())
    }

    /// A table as HTML with its CSV and JSON staged beside the site's data.
    pub fn table(&self, page: &str, dir: &str, table: &Table) -> Result<TableView, SiteError> {
        let numbers = &self.computed.numbers;
        let mut files = Vec::new();
        for (extension, label, text) in [("csv", "CSV", table.csv(numbers)), ("json", "JSON", table.json(numbers))] {
            let path = format!("data/{dir}/{}.{extension}", table.id);
            self.out.put(&path, text.as_bytes())?;
            files.push((format!("{}{path}", root_of(page)), label.to_owned()));
        }
        Ok(TableView { html: table.html(numbers), files })
    }

    /// A table as HTML whose data stand in files of the board.
    pub fn table_without_files(&self, table: &Table) -> TableView {
        TableView { html: table.html(&self.computed.numbers), files: Vec::new() }
    }

    /// An author may write an element of class name: what it holds must be a name that the site's data know.
    fn check_names(&self, path: &str, html: &str) -> Result<(), SiteError> {
        let main = html.find("<main").map_or(html, |i| &html[i..]);
        let main = main.find("<footer").map_or(main, |i| &main[..i]);
        let texts = named(main).into_iter().filter(|(kind, text)| *kind == "name" && has_digit(text));
        let texts: Vec<String> = texts.map(|t| t.1).collect();
        if texts.is_empty() {
            return Ok(());
        }
        let names = Names::new(self.config, self.data, self.suites);
        match texts.iter().find(|t| !names.holds(t)) {
            None => Ok(()),
            Some(text) => Err(SiteError::content(
                format!("content/{}.md", path.trim_end_matches(".html")),
                format!("{text:?} is written as a name, and is no title, model, task, suite or run of this site"),
                "quote a result with {{ n(\"id\") }}, and set a constant of a definition in backticks",
            )),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.pages.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn check(path: &str, html: &str) -> Result<(), SiteError> {
    // In the attribute: a statement may say the word.
    let unknown = format!(" data-n=\"{}", super::numbers::UNKNOWN);
    if let Some(at) = memchr::memmem::find(html.as_bytes(), unknown.as_bytes()) {
        let id: String = html[at + unknown.len()..].chars().take_while(|c| *c != '"').collect();
        return Err(SiteError::content(
            path,
            format!("quotes the number {id:?}, which does not exist"),
            "data/numbers.json lists every id",
        ));
    }
    if let Some(text) = loose_digits(html).first() {
        return Err(SiteError::content(
            path,
            format!("a typed digit in: {text:?}"),
            "a result is quoted by its id; constants stand in <code>, names in an element of class name",
        ));
    }
    Ok(())
}

/// The publisher's own sentences state no result: their digits stand in backticks or not at all.
fn check_words(config: &Config) -> Result<(), SiteError> {
    const FILE: &str = "content/site.toml";
    let boards = config.boards.iter().map(|b| (format!("the note of board {:?}", b.id), &b.note));
    let releases = config.releases.iter().map(|r| (format!("the note of release {:?}", r.version), &r.note));
    for (what, text) in boards.chain(releases).chain([("tagline".to_owned(), &config.tagline)]) {
        if let Some(text) = loose_digits(&words(text)).first() {
            return Err(SiteError::content(
                FILE,
                format!("a typed digit in {what}: {text:?}"),
                "the pages state every result by its id; set a constant or a version in backticks",
            ));
        }
    }
    let source = config.source_url.to_ascii_lowercase();
    if !source.is_empty() && !["https://", "http://"].iter().any(|s| source.starts_with(s)) {
        return Err(SiteError::content(
            FILE,
            format!("source_url {:?} is no address of a page", config.source_url),
            "write it in full, from https:// on",
        ));
    }
    Ok(())
}

/// The pages that the data demand, whatever else a site has: one for each board, task, pair, model and run.
pub fn demanded(config: &Config, computed: &Computed<'_>, data: &Dataset, suites: &Suites) -> Vec<String> {
    let mut pages: Vec<String> =
        ["index.html", "404.html", "runs.html", "releases.html", "data.html", "verify.html"].map(str::to_owned).into();
    for (i, b) in computed.boards.iter().enumerate() {
        let id = &b.config.id;
        pages.push(board::path(id, i == 0));
        if !b.tasks.is_empty() {
            pages.push(task::index_path(id));
        }
        pages.extend(b.tasks.iter().map(|t| task::path(id, &t.id)));
        pages.extend(b.entries.iter().map(|e| entries::model_path(config, &e.model.id)));
        pages.extend(pair::paths(b));
    }
    pages.extend(data.runs.iter().map(|r| run::path(&r.run.run)));
    pages.extend(suites::demanded(computed, suites));
    pages
}

/// Writes every page of the site but the content pages. No page waits for another: a long one is no bottleneck while
/// there are others to write.
pub fn write_all(context: &Context<'_>) -> Result<(), SiteError> {
    check_words(context.config)?;
    let boards = || {
        let write = |(i, b)| {
            all(&[&|| board::write(context, b, i == 0), &|| pair::write_all(context, b), &|| {
                task::write_all(context, b)
            }])
        };
        context.computed.boards.par_iter().enumerate().with_max_len(1).try_for_each(write)
    };
    all(&[
        &|| suites::write_all(context),
        &|| run::write_all(context),
        &|| attempts::write_files(context),
        &|| model::write_all(context),
        &|| release::write(context),
        &|| data::write(context),
        &boards,
    ])
}

/// Writes independent parts side by side; of several errors the one of the first part counts.
fn all(parts: &[&(dyn Fn() -> Result<(), SiteError> + Sync)]) -> Result<(), SiteError> {
    let ends: Vec<Result<(), SiteError>> = parts.par_iter().with_max_len(1).map(|part| part()).collect();
    ends.into_iter().collect()
}
