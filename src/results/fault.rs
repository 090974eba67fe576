use std::fmt;
use std::path::PathBuf;

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The file cannot be used as it is.
    Error,
    /// Reported; everything else in the file is used.
    Warning,
}

/// One thing wrong with one place of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// How bad it is.
    pub level: Level,
    /// File, relative to the folder that was read.
    pub file: String,
    /// 1-based line.
    pub line: Option<u64>,
    /// Field, as a dotted path.
    pub field: Option<String>,
    /// What was found and what was expected.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl Fault {
    pub(super) fn error(file: &str, what: impl Into<String>, hint: impl Into<String>) -> Fault {
        Fault {
            level: Level::Error,
            file: file.to_owned(),
            line: None,
            field: None,
            what: what.into(),
            hint: hint.into(),
        }
    }

    pub(super) fn at(mut self, line: u64) -> Fault {
        self.line = Some(line);
        self
    }

    pub(super) fn field(mut self, field: impl Into<String>) -> Fault {
        self.field = Some(field.into());
        self
    }

    pub(super) fn warning(mut self) -> Fault {
        self.level = Level::Warning;
        self
    }
}

impl Fault {
    /// Place and finding on one line, without level and hint.
    pub(super) fn said(&self) -> String {
        let line = self.line.map_or(String::new(), |l| format!(":{l}"));
        let field = self.field.as_ref().map_or(String::new(), |f| format!("{f}: "));
        shown(&format!("{}{line}: {field}{}", self.file, self.what))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        write!(f, "{level}: {}\nhint: {}", self.said(), self.hint)
    }
}

/// Text of a file as a terminal may show it: what would move the cursor or turn the writing is spelled out.
fn shown(text: &str) -> String {
    let turns =
        |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .flat_map(|c| if c.is_control() || turns(c) { c.escape_unicode().collect::<Vec<_>>() } else { vec![c] })
        .collect()
}

/// Why results could not be read or written at all.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder is missing.
    #[error("find a results folder at {0}\nhint: name the folder that holds <run>/run.json, or its parent")]
    NoFolder(PathBuf),
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// An imported file does not have the shape that its format promises.
    #[error("import {path}: {what}\nhint: {hint}")]
    Import {
        /// The file.
        path: PathBuf,
        /// What was found and expected.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Importing would overwrite a run.
    #[error(
        "write {0}: it exists already\nhint: results are append-only; import into another folder or remove the run first"
    )]
    Exists(PathBuf),
    /// A record could not be written as JSON.
    #[error("write a record as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl ResultsError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ResultsError {
        let path = path.into();
        move |cause| ResultsError::Io { path, cause }
    }
}
