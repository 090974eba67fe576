use crate::results::ResultsError;
use std::path::PathBuf;

/// Why a site could not be built, checked or verified.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// Content or a template is wrong.
    #[error("use {file}: {what}\nhint: {hint}")]
    Content {
        /// The file.
        file: String,
        /// What was found and expected.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The raw results have faults.
    #[error("use the results: {count} {}\n{faults}", if .count == &1 { "fault" } else { "faults" })]
    Faults {
        /// How many.
        count: usize,
        /// All of them, one a paragraph.
        faults: String,
    },
    /// The results could not be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A template failed.
    #[error("render {page}: {message}\nhint: the templates are in site-templates/")]
    Template {
        /// The page.
        page: String,
        /// The engine's message.
        message: String,
    },
    /// A record could not be written as JSON.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The chart or picture could not be drawn.
    #[error("draw {0}: {1}")]
    Draw(String, String),
    /// The site breaks a limit of its host.
    #[error("publish: {what}\nhint: {hint}")]
    Limit {
        /// The limit and the value.
        what: String,
        /// What to do.
        hint: String,
    },
    /// An address could not be fetched.
    #[error("fetch {url}: {message}\nhint: check the address, or give the folder of a built site")]
    Fetch {
        /// The address.
        url: String,
        /// The cause.
        message: String,
    },
}

impl SiteError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> SiteError {
        let path = path.into();
        move |cause| SiteError::Io { path, cause }
    }

    pub(crate) fn content(file: impl Into<String>, what: impl Into<String>, hint: impl Into<String>) -> SiteError {
        SiteError::Content { file: file.into(), what: what.into(), hint: hint.into() }
    }
}
