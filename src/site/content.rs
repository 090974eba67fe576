//! Content pages: Markdown with a TOML head, numbers quoted by id, and no typed results.

use super::SiteError;
use super::extract::{STATEMENT, attribute, has_digit, loose_digits, named, stated, tags};
use super::forbidden::forbidden;
use super::render::Renderer;
use super::statement::{code_block, language};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// The head of a content page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Title.
    pub title: String,
    /// One sentence for search engines and previews.
    pub description: String,
    /// Whether the site's navigation lists it.
    #[serde(default)]
    pub nav: bool,
    /// Place in the navigation.
    #[serde(default)]
    pub order: i64,
}

/// A content page before its numbers are filled in.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the page, the file's without `.md`.
    pub name: String,
    /// File, for messages.
    pub file: String,
    /// Head.
    pub head: Head,
    /// Markdown.
    pub body: String,
}

/// Reads every `*.md` of a folder, in order of their names.
pub fn read(dir: &Path) -> Result<Vec<Source>, SiteError> {
    let mut pages = Vec::new();
    if !dir.is_dir() {
        return Ok(pages);
    }
    for entry in walkdir::WalkDir::new(dir).max_depth(1).sort_by_file_name() {
        let entry = entry.map_err(|e| SiteError::Io { path: dir.to_owned(), cause: e.into() })?;
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "md") {
            if !entry.file_type().is_file() {
                let what = "is a link, a folder or a pipe, and a page is read from a file alone";
                let hint = "put the file itself there: what a link leads to may not be meant for readers";
                return Err(SiteError::content(path.display().to_string(), what, hint));
            }
            let text = std::fs::read_to_string(path).map_err(SiteError::io(path))?;
            let name = path.file_stem().and_then(|n| n.to_str()).unwrap_or("").to_owned();
            if crate::results::slug(&name) != name {
                return Err(SiteError::content(
                    path.display().to_string(),
                    "the name cannot be part of an address",
                    "use small letters, digits and hyphens",
                ));
            }
            pages.push(parse(&text, &name, &path.display().to_string())?);
        }
    }
    Ok(pages)
}

fn parse(text: &str, name: &str, file: &str) -> Result<Source, SiteError> {
    let hint = "begin the file with +++, title and description, and +++";
    if text.starts_with('\u{feff}') {
        let fix = "save the file as UTF-8 without a byte order mark";
        return Err(SiteError::content(file, "begins with a byte order mark before its head", fix));
    }
    if text.starts_with("+++\r\n") {
        let fix = "save the file with the line ends of Unix (LF)";
        return Err(SiteError::content(file, "has line ends of Windows (CRLF)", fix));
    }
    let rest = text.strip_prefix("+++\n").ok_or_else(|| SiteError::content(file, "has no head", hint))?;
    let (head, body) =
        rest.split_once("\n+++").ok_or_else(|| SiteError::content(file, "has a head without an end", hint))?;
    let head: Head = toml::from_str(head).map_err(|e| SiteError::content(file, e.to_string().trim_end(), hint))?;
    Ok(Source { name: name.to_owned(), file: file.to_owned(), head, body: body.trim_start().to_owned() })
}

/// The page's main part as HTML, its numbers filled in and its digits checked.
pub fn html(source: &Source, renderer: &Renderer<'_>) -> Result<String, SiteError> {
    let quote = "quote a result with {{ n(\"id\") }}, and set a constant of a definition in backticks";
    let typed = |what: String| SiteError::content(&source.file, what, quote);
    for (what, text) in [("title", &source.head.title), ("description", &source.head.description)] {
        if has_digit(text) {
            return Err(typed(format!("a typed digit in the {what}: {text:?}; the head holds words alone")));
        }
    }
    let filled = renderer.fill(&source.file, &source.body)?;
    let title = format!("<h1>{}</h1>\n", super::text::escape(&source.head.title));
    // Figures are the program's own, and hold digits where it puts them: what is judged is all the rest.
    let written = title.clone() + &markdown(&renderer.without_figures(&filled));
    if let Some(digit) = loose_digits(&written).first() {
        return Err(typed(format!("a typed digit in: {digit:?}")));
    }
    if let Some((_, time)) = named(&written).iter().find(|(kind, text)| *kind == "time" && !is_time(text)) {
        return Err(typed(format!("{time:?} is written as a time, and is no day as YYYY-MM-DD")));
    }
    if let Some(wrong) = stated(&written).iter().find(|s| !renderer.states(s)) {
        return Err(typed(format!("a number of its own making: {:?} as {:?}", wrong.text, wrong.id)));
    }
    foreign(&written).map_or(Ok(title + &markdown(&filled)), |what| {
        Err(SiteError::content(&source.file, what, "a page shows text, pictures of the site and links"))
    })
}

/// What an author wrote that would run, fetch from elsewhere, or break the page around it.
fn foreign(html: &str) -> Option<String> {
    let own = tags(html).find_map(|tag| match tag.split([' ', '/', '\n', '\t']).next().unwrap_or(tag) {
        name @ ("script" | "svg" | "math" | "option" | "select" | "meta" | "link" | "main" | "body" | "html"
        | "head") => Some(format!("holds <{name}>, which a content page may not")),
        _ if tag == STATEMENT
            || attribute(tag, "class").is_some_and(|c| c.contains("about-task") || c.contains("health-log")) =>
        {
            Some("quotes a statement or a log, which only the page of a task does".into())
        }
        _ => forbidden(tag),
    });
    own.or_else(|| {
        let small = html.to_ascii_lowercase();
        ["</main", "</body", "</html", "</footer", "</header"]
            .iter()
            .find(|end| small.contains(*end))
            .map(|end| format!("closes {end}> of the page around it"))
    })
}

fn is_time(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok() || !has_digit(text)
}

/// Markdown as HTML; headings get anchors.
pub fn markdown(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_DEFINITION_LIST;
    let events = coloured(Parser::new_ext(text, options));
    let mut ids = HashSet::new();
    let mut out = String::with_capacity(text.len() * 3 / 2);
    let events = (0..events.len()).map(|i| match &events[i] {
        Event::Start(Tag::Heading { level, id: None, classes, attrs }) => {
            let id = anchor(&heading_text(&events[i + 1..], *level), &mut ids);
            Event::Start(Tag::Heading {
                level: *level,
                id: Some(CowStr::from(id)),
                classes: classes.clone(),
                attrs: attrs.clone(),
            })
        }
        other => other.clone(),
    });
    html::push_html(&mut out, events);
    out
}

/// The events with each block of code as one, its words coloured.
fn coloured<'t>(parser: Parser<'t>) -> Vec<Event<'t>> {
    let mut events = Vec::new();
    let mut code: Option<(String, String)> = None;
    for event in parser {
        match (event, &mut code) {
            (Event::Start(Tag::CodeBlock(kind)), _) => code = Some((language(&kind).to_owned(), String::new())),
            (Event::Text(t), Some((_, text))) => text.push_str(&t),
            (Event::End(TagEnd::CodeBlock), Some((language, text))) => {
                events.push(Event::Html(code_block(language, text).into()));
                code = None;
            }
            (event, _) => events.push(event),
        }
    }
    events
}

fn heading_text(rest: &[Event<'_>], level: HeadingLevel) -> String {
    rest.iter()
        .take_while(|e| !matches!(e, Event::End(TagEnd::Heading(l)) if *l == level))
        .filter_map(|e| match e {
            Event::Text(t) | Event::Code(t) => Some(t.as_ref()),
            _ => None,
        })
        .collect()
}

fn anchor(text: &str, taken: &mut HashSet<String>) -> String {
    let mut id: String = text.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    while id.contains("--") {
        id = id.replace("--", "-");
    }
    let id = id.trim_matches('-').to_owned();
    let id = if id.is_empty() { "section".to_owned() } else { id };
    let mut unique = id.clone();
    let mut n = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{id}-{n}");
        n += 1;
    }
    unique
}
