//! From raw files and content to a staged site.

use super::artifacts::{Artifacts, gather, room};
use super::assets::{self, Asset};
use super::config::{BoardConfig, Config};
use super::content::{self, Source};
use super::diagrams::diagrams;
use super::error::SiteError;
use super::feed;
use super::folder::resolved;
use super::limits::{Plan, check_limits};
use super::numbers::{Computed, Numbers, compute};
use super::pages::{self, Context};
use super::preview;
use super::published::{self, Sources};
use super::render::{Renderer, SOURCES, SiteView};
use super::shown::on_boards;
use super::suites::Suites;
use super::write::{Output, Written};
use crate::health::Torn;
use crate::results::{Dataset, Fault, Level, OnShard, read_with, slug};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a build is made from and where it goes.
#[derive(Clone, Debug)]
pub struct Request {
    /// Folder with `results/`, `content/` and, where a site brings its own, `site-templates/`.
    pub root: PathBuf,
    /// Folder of the site.
    pub out: PathBuf,
    /// Address of the published site; overrides the configuration's.
    pub base_url: Option<String>,
    /// `SOURCE_DATE_EPOCH`: the time to state instead of the newest datum's.
    pub epoch: Option<i64>,
}

/// What a build did.
#[derive(Clone, Debug)]
pub struct Built {
    /// Files written.
    pub written: Written,
    /// The plan against the host's limits.
    pub plan: Plan,
    /// Published numbers.
    pub numbers: usize,
    /// Faults that did not stop the build.
    pub warnings: Vec<Fault>,
    /// Attempts read; lines that a later one replaced are not among them.
    pub attempts: usize,
}

/// Tells how far a build is: stage, and the number of its steps where it is known.
pub trait Watcher: Sync {
    /// A stage begins.
    fn stage(&self, name: &str, steps: u64);
    /// A step is done.
    fn step(&self);
}

/// Builds the site; on an error the folder is as it was.
pub fn build(request: &Request, watcher: &dyn Watcher) -> Result<Built, SiteError> {
    check_places(request)?;
    let mut config = Config::read(&request.root.join("content/site.toml"))?;
    if let Some(url) = &request.base_url {
        config.base_url = url.trim_end_matches('/').to_owned();
        config.validate("--base-url")?;
    }
    let content = content::read(&request.root.join("content"))?;
    let templates = assets::load(&request.root.join("site-templates"))?;
    let wait = || tracing::warn!("another build writes {}; waiting until it ends", request.out.display());
    let out = Output::open(&request.out, &wait)?;
    watcher.stage("reading raw files", 0);
    let data = read(&request.root, &out)?;
    if config.boards.is_empty() {
        config.boards = boards(&config, &data, &request.root)?;
    }
    let config = config;
    watcher.stage("computing numbers", 0);
    // The draws of a bootstrap follow one another: meanwhile the other threads read the tasks.
    let (suites, computed) = rayon::join(|| suites(&request.root, &config), || compute(&config, &data, None));
    let (suites, computed) = (suites?, computed);
    let known: Vec<&str> = suites.list.iter().map(|s| s.word.as_str()).collect();
    // A board without runs has numbers that cannot be computed: why is said by this check.
    let unused = on_boards(&config, &data, &known)?;
    let computed = computed?;
    let as_of = as_of(&data, &suites, request.epoch);
    let (artifacts, unpublished) = artifacts(&config, &content, &computed, (&data, &suites), &out)?;
    let sources = Sources { data: &data, suites: &suites, artifacts: &artifacts };
    let (published, card) = rayon::join(
        || published::write(&out, &config, &computed, sources, &as_of),
        || preview::write(&config, &computed, &out, &as_of),
    );
    published?;
    let plan = site(&config, &content, &templates, &computed, sources, &out, (card?, &as_of, watcher))?;
    let attempts = data.runs.iter().map(|r| r.effective().count()).sum();
    let torn = suites.torn.iter().map(cut_off);
    let warnings = data.faults.iter().filter(|f| f.level == Level::Warning).cloned();
    let promised = super::promises::without_source(&config, &content);
    let warnings = warnings.chain(unused).chain(unpublished).chain(torn).chain(promised).collect();
    let numbers = computed.numbers.list().len();
    watcher.stage("writing", 0);
    let written = out.commit()?;
    Ok(Built { written, plan, numbers, warnings, attempts })
}

/// The boards of a site that names none: one for each suite that has results, else for each suite of tasks.
fn boards(config: &Config, data: &Dataset, root: &Path) -> Result<Vec<BoardConfig>, SiteError> {
    let suites = suites(root, config)?;
    let mut boards = Config::boards_of(data);
    if boards.is_empty() {
        boards = suites.list.iter().map(|s| BoardConfig::of_suite(&s.word)).collect();
    }
    for board in &mut boards {
        if let Some(suite) = suites.of(&board.suite) {
            board.title.clone_from(&suite.title);
        }
    }
    if boards.is_empty() {
        return Err(SiteError::content(
            "content/site.toml",
            "has no [[board]], and there are neither results nor suites to make one of",
            "put a run into results/, or add a [[board]] with id, title and suite; tsbench-site init writes an example",
        ));
    }
    Ok(boards)
}

/// A log whose last line was cut off is used without it.
fn cut_off(torn: &Torn) -> Fault {
    Fault {
        level: Level::Warning,
        file: format!("health/{}", torn.path.file_name().unwrap_or_default().to_string_lossy()),
        line: None,
        field: None,
        what: format!("the last line was cut off after {} bytes; that audit is not on the site", torn.bytes),
        hint: "the next audit of the suite removes it: tsbench audit".to_owned(),
    }
}

/// The site's folder is its own: a build must neither hide its sources nor publish them.
fn check_places(request: &Request) -> Result<(), SiteError> {
    let shown = request.root.display();
    if !request.root.is_dir() {
        return Err(SiteError::content(
            shown.to_string(),
            "is no folder",
            "name the folder that holds results/ and content/ with --root",
        ));
    }
    let (root, out) = (resolved(&request.root)?, resolved(&request.out)?);
    let bad = |what: String| {
        Err(SiteError::content(
            request.out.display().to_string(),
            what,
            "name a folder of its own with --out, such as public",
        ))
    };
    if root.starts_with(&out) {
        return bad(format!("holds the sources of the site ({shown})"));
    }
    for name in ["results", "content", "site-templates", "tasks", "health"] {
        let place = resolved(&request.root.join(name))?;
        if out.starts_with(&place) || place.starts_with(&out) {
            return bad(format!("overlaps {name}/, which the site is made from"));
        }
    }
    Ok(())
}

/// Reads the results and stages their raw bytes; any fault that forbids their use ends the build.
fn read(root: &Path, out: &Output) -> Result<Dataset, SiteError> {
    let stage: &OnShard<'_> = &|run, number, bytes, sha256| {
        let path = format!("data/raw/{}/attempts-{number:04}.jsonl", slug(&run.run));
        out.put_with_digest(&path, bytes, sha256.to_owned()).map_err(std::io::Error::other)
    };
    let data = read_with(root, stage)?;
    if data.has_errors() {
        let errors: Vec<String> =
            data.faults.iter().filter(|f| f.level == Level::Error).map(ToString::to_string).collect();
        return Err(SiteError::Faults { count: errors.len(), faults: errors.join("\n") });
    }
    Ok(data)
}

/// The suites of the folder that the configuration names, or of `tasks` where it names none and there is one, and the
/// logs of audits.
fn suites(root: &Path, config: &Config) -> Result<Suites, SiteError> {
    let named = !config.tasks.is_empty();
    let place = root.join(if named { &config.tasks } else { "tasks" });
    if named && !place.is_dir() {
        return Err(SiteError::content(
            place.display().to_string(),
            "is no folder",
            "name the folder of suites with tasks in content/site.toml, or leave the field out",
        ));
    }
    Suites::read(place.is_dir().then_some(place.as_path()), &root.join("health"))
}

/// The time that the site states: never the clock's.
fn as_of(data: &Dataset, suites: &Suites, epoch: Option<i64>) -> String {
    let second = |s: i64| jiff::Timestamp::from_second(s).map(|t| t.to_string());
    if let Some(Ok(text)) = epoch.map(second) {
        return text;
    }
    let times = data
        .runs
        .iter()
        .flat_map(|r| [r.run.created_at.as_str(), r.newest.as_str()])
        .chain(data.publishers.iter().map(|p| p.record.created_at.as_str()))
        .chain(suites.audits.values().flatten().map(|a| a.at.as_str()));
    let newest = times.filter_map(|t| t.parse::<jiff::Timestamp>().ok()).max();
    newest.map_or_else(|| "1970-01-01T00:00:00Z".to_owned(), |t| t.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Stages what lies beside the lines, as far as the host has room for it beside the pages.
fn artifacts(
    config: &Config,
    content: &[Source],
    computed: &Computed<'_>,
    (data, suites): (&Dataset, &Suites),
    out: &Output,
) -> Result<(Artifacts, Vec<Fault>), SiteError> {
    if !data.runs.iter().any(|r| r.has_artifacts) {
        return Ok(Default::default());
    }
    let none = Artifacts::default();
    let raw = published::raw_files(Sources { data, suites, artifacts: &none }).len();
    let csv: usize = data.runs.iter().map(|r| pages::csv_paths(r).len()).sum();
    let pages = pages::demanded(config, computed, data, suites).len() + content.len();
    let tasks = computed.boards.iter().map(|b| b.tasks.len()).sum();
    gather(data, room(pages, tasks, raw + csv), out)
}

type Files = BTreeMap<String, String>;

fn site(
    config: &Config,
    content: &[Source],
    templates: &Files,
    computed: &Computed<'_>,
    sources: Sources<'_>,
    out: &Output,
    (card, as_of, watcher): (Option<String>, &str, &dyn Watcher),
) -> Result<Plan, SiteError> {
    let Sources { data, suites, artifacts } = sources;
    let hashed = assets::hashed(templates)?;
    for Asset { path, text } in hashed.values() {
        out.put(path, text.as_bytes())?;
    }
    let data_sha256 = published::data_digest(sources);
    let named = |file: &str| hashed.get(file).map(|a| a.path.clone()).unwrap_or_default();
    let view = SiteView {
        title: config.title.clone(),
        tagline: config.tagline.clone(),
        source_url: config.source_url.clone(),
        report_url: super::promises::report_url(&config.source_url),
        corrections: content.iter().any(|c| c.name == "corrections"),
        data_sha256: data_sha256.clone(),
        assets: BTreeMap::from([
            ("css".to_owned(), named("site.css")),
            ("js".to_owned(), named("site.js")),
            ("verify".to_owned(), named("verify.js")),
        ]),
    };
    let numbers: &Numbers = &computed.numbers;
    let mut figures = diagrams()?;
    figures.insert(SOURCES.to_owned(), pages::sources(config, computed));
    let renderer = Renderer::new(templates, view, numbers, figures)?;
    let steps = computed
        .boards
        .iter()
        .map(|b| b.tasks.len() + b.entries.len() * b.entries.len().saturating_sub(1) / 2)
        .sum::<usize>()
        + data.runs.len()
        + content.len();
    watcher.stage("writing pages", steps as u64);
    let on_page = || watcher.step();
    let context = Context {
        config,
        computed,
        data,
        suites,
        artifacts,
        renderer: &renderer,
        out,
        as_of: as_of.to_owned(),
        nav: nav(config, content, !suites.list.is_empty()),
        card,
        pages: Default::default(),
        on_page: &on_page,
    };
    pages::write_all(&context)?;
    write_content(&context, content)?;
    let mut list = std::mem::take(&mut *context.pages.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    list.sort();
    out.put("sitemap.xml", feed::sitemap(&config.base_url, &list, as_of).as_bytes())?;
    out.put("robots.txt", feed::robots(&config.base_url).as_bytes())?;
    out.put("feed.xml", feed::atom(config, as_of, &data_sha256).as_bytes())?;
    out.put("CITATION.cff", feed::citation(config, as_of, &data_sha256).as_bytes())?;
    out.put("_headers", feed::HEADERS.as_bytes())?;
    check_limits(&out.sizes(), feed::HEADERS)
}

fn nav(config: &Config, content: &[Source], has_suites: bool) -> Vec<(String, String)> {
    let mut nav = vec![("Leaderboard".to_owned(), "index.html".to_owned())];
    nav.extend(config.boards.iter().skip(1).map(|b| (b.title.clone(), format!("board/{}.html", b.id))));
    if has_suites {
        nav.push(("Suites".to_owned(), pages::SUITES.to_owned()));
    }
    for (text, path) in
        [("Runs", "runs.html"), ("Releases", "releases.html"), ("Data", "data.html"), ("Check the work", "verify.html")]
    {
        nav.push((text.to_owned(), path.to_owned()));
    }
    let mut pages: Vec<&Source> = content.iter().filter(|s| s.head.nav).collect();
    pages.sort_by_key(|s| (s.head.order, &s.name));
    nav.extend(pages.into_iter().map(|s| (s.head.title.clone(), format!("{}.html", s.name))));
    nav
}

/// Writes the pages of `content/`, after all others: none may take the place of one of them.
fn write_content(context: &Context<'_>, content: &[Source]) -> Result<(), SiteError> {
    let taken = |s: &&Source| context.out.holds(&format!("{}.html", s.name));
    if let Some(source) = content.iter().find(taken) {
        return Err(SiteError::content(
            &source.file,
            format!("would take the place of {}.html, a page that every site has", source.name),
            "give the file another name",
        ));
    }
    let written: Vec<Result<(), SiteError>> = content.par_iter().map(|source| write_one(context, source)).collect();
    written.into_iter().collect()
}

fn write_one(context: &Context<'_>, source: &Source) -> Result<(), SiteError> {
    let html = content::html(source, context.renderer)?;
    let crumbs = vec![(context.config.title.clone(), "index.html".to_owned())];
    context.write(&pages::Sheet {
        path: format!("{}.html", source.name),
        kind: "content",
        title: source.head.title.clone(),
        description: source.head.description.clone(),
        crumbs,
        view: &ContentView { html },
    })
}

#[derive(serde::Serialize)]
struct ContentView {
    html: String,
}
