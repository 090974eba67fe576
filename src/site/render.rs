//! Templates: one typed view a page, rendered by one environment.

use super::SiteError;
use super::numbers::Numbers;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, Output, State, UndefinedBehavior, Value, context};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock};

/// What every page shows around its main part.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Page {
    /// Title.
    pub title: String,
    /// Kind, such as `task`: one template each.
    pub kind: &'static str,
    /// One sentence about it.
    pub description: String,
    /// Path from the page to the site's root: empty, or `../` so many times.
    pub root: String,
    /// Absolute address, where the site has one.
    pub canonical: Option<String>,
    /// Absolute address of the preview picture.
    pub card: Option<String>,
    /// Way to the page.
    pub crumbs: Vec<Crumb>,
    /// What pages of one folder have in common.
    pub frame: Arc<Frame>,
}

/// What stands around the main part of every page of a folder, HTML: rendered once for all of them.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Frame {
    /// Name of the site and navigation.
    pub top: String,
    /// Day of the data, digest and links.
    pub foot: String,
}

/// What a frame is made from.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FrameView {
    /// Path from the page to the site's root.
    pub root: String,
    /// Navigation.
    pub nav: Vec<NavItem>,
    /// Time of the newest datum.
    pub as_of: String,
    /// The same for readers.
    pub as_of_text: String,
}

/// A step of the way to a page.
#[derive(Clone, Debug, Serialize)]
pub struct Crumb {
    /// Text.
    pub text: String,
    /// Address, none for the page itself.
    pub href: Option<String>,
}

/// An item of the navigation.
#[derive(Clone, Debug, Serialize)]
pub struct NavItem {
    /// Text.
    pub text: String,
    /// Address.
    pub href: String,
    /// Whether it is this page.
    pub current: bool,
}

/// What is the same on every page.
#[derive(Clone, Debug, Serialize)]
pub struct SiteView {
    /// Name of the site.
    pub title: String,
    /// One line about it.
    pub tagline: String,
    /// Where the source is.
    pub source_url: String,
    /// Where a reader reports an error: the list of issues beside the source, or the source; empty where there is none.
    pub report_url: String,
    /// Whether a content page about corrections exists.
    pub corrections: bool,
    /// Digest of the raw files.
    pub data_sha256: String,
    /// Addresses of the hashed assets.
    pub assets: BTreeMap<String, String>,
}

/// Renders pages from the templates of a site.
pub struct Renderer<'n> {
    env: Environment<'static>,
    site: SiteView,
    numbers: &'n Numbers,
    figures: BTreeMap<String, String>,
    frames: Mutex<HashMap<FrameKey, Arc<Frame>>>,
    stated: OnceLock<Arc<HashMap<String, String>>>,
}

/// Name of the list that says whose results each board shows.
pub const SOURCES: &str = "sources";

/// A folder's way to the root, and the place of the page in the navigation where it has one.
type FrameKey = (String, Option<usize>);

impl<'n> Renderer<'n> {
    /// Prepares the templates: names and texts.
    pub fn new(
        templates: &BTreeMap<String, String>,
        site: SiteView,
        numbers: &'n Numbers,
        figures: BTreeMap<String, String>,
    ) -> Result<Renderer<'n>, SiteError> {
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.set_auto_escape_callback(|_| AutoEscape::Html);
        env.set_formatter(format_value);
        for (name, text) in templates {
            env.add_template_owned(name.clone(), text.clone()).map_err(|e| template_error(name, &e))?;
        }
        Ok(Renderer { env, site, numbers, figures, frames: Mutex::default(), stated: OnceLock::new() })
    }

    /// A whole page from the template of its kind.
    pub fn page<V: Serialize>(&self, page: &Page, view: &V) -> Result<String, SiteError> {
        let name = template_of(page.kind);
        let template = self.env.get_template(name).map_err(|e| template_error(name, &e))?;
        let context = context! { page => Serde(page), site => Serde(&self.site), view => Serde(view) };
        template.render(context).map_err(|e| template_error(name, &e))
    }

    /// What stands around a page, made at the first page of its kind.
    pub fn frame(&self, key: FrameKey, view: impl FnOnce() -> FrameView) -> Result<Arc<Frame>, SiteError> {
        let mut frames = self.frames.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(frame) = frames.get(&key) {
            return Ok(frame.clone());
        }
        let view = view();
        let part = |name: &str| {
            let template = self.env.get_template(name).map_err(|e| template_error(name, &e))?;
            let context = context! { frame => Serde(&view), site => Serde(&self.site) };
            template.render(context).map_err(|e| template_error(name, &e))
        };
        let frame = Arc::new(Frame { top: part("top.html")?, foot: part("foot.html")? });
        frames.insert(key, frame.clone());
        Ok(frame)
    }

    /// Markdown with its numbers and figures filled in.
    pub fn fill(&self, file: &str, text: &str) -> Result<String, SiteError> {
        let (numbers, figures) = (self.stated.get_or_init(|| Arc::new(self.state())).clone(), self.figures.clone());
        let mut env = Environment::new();
        env.set_undefined_behavior(UndefinedBehavior::Strict);
        env.add_function("n", move |id: &str| lookup(numbers.get(id), id, "number"));
        env.add_function("figure", move |id: &str| lookup(figures.get(id), id, "figure"));
        // Its place in the map of figures: what it makes is the program's own too.
        let sources = self.figures.get(SOURCES).cloned();
        env.add_function("sources", move || lookup(sources.as_ref(), SOURCES, "list"));
        let source_url = self.site.source_url.clone();
        env.add_function("source", move |text: &str| {
            let text = super::text::escape(text);
            Value::from_safe_string(match source_url.is_empty() {
                true => text,
                false => format!("<a href=\"{}\">{text}</a>", super::text::escape(&source_url)),
            })
        });
        env.add_function("link", |href: &str| Value::from_safe_string(super::text::escape(href)));
        env.render_str(text, ()).map_err(|e| {
            SiteError::content(
                file,
                e.to_string(),
                "quote a number with {{ n(\"id\") }}; data/numbers.json lists the ids",
            )
        })
    }

    /// Every number as pages state it, by id.
    fn state(&self) -> HashMap<String, String> {
        self.numbers.list().iter().map(|n| (n.id.clone(), self.numbers.data(&n.id))).collect()
    }

    /// Filled text without the figures that [`Renderer::fill`] put into it.
    pub fn without_figures(&self, filled: &str) -> String {
        self.figures.values().fold(filled.to_owned(), |text, figure| text.replace(figure, ""))
    }

    /// Whether a statement is exactly what the number of its id says.
    pub fn states(&self, stated: &super::extract::Stated) -> bool {
        self.numbers.get(&stated.id).is_some_and(|n| {
            let mut value = String::new();
            super::numbers::push_value(&mut value, n.value);
            value == stated.value && n.text == stated.text
        })
    }

    /// The site's facts.
    pub fn site(&self) -> &SiteView {
        &self.site
    }
}

/// The template of a kind of page.
fn template_of(kind: &str) -> &'static str {
    match kind {
        "home" | "board" => "board.html",
        "content" => "content.html",
        "verify" => "verify.html",
        "missing" => "missing.html",
        _ => "sections.html",
    }
}

fn lookup(found: Option<&String>, id: &str, kind: &str) -> Result<Value, Error> {
    match found {
        Some(html) => Ok(Value::from_safe_string(html.clone())),
        None => Err(Error::new(ErrorKind::InvalidOperation, format!("there is no {kind} {id:?}"))),
    }
}

/// Texts are cleaned of control and direction characters before they are escaped.
fn format_value(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str() {
        Some(text) if !value.is_safe() && !matches!(state.auto_escape(), AutoEscape::None) => {
            out.write_str(&super::text::escape(text)).map_err(Error::from)
        }
        _ => minijinja::escape_formatter(out, state, value),
    }
}

fn template_error(page: &str, e: &Error) -> SiteError {
    SiteError::Template { page: page.to_owned(), message: format!("{e:#}") }
}
