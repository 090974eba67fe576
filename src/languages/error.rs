/// Why a tree could not be understood.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LanguageError {
    /// There is no such language.
    #[error("find the language {name:?}\nhint: there are python, typescript, java and go")]
    Unknown {
        /// The name.
        name: String,
    },
    /// Something that is needed is not there.
    #[error("detect {what}\nhint: {hint}")]
    Missing {
        /// What was looked for.
        what: String,
        /// What would help.
        hint: String,
    },
    /// A file is not what it should be.
    #[error("read {path}: {what}")]
    Bad {
        /// The file, below the root of the tree.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// More than one thing is there, and nothing says which is meant.
    #[error("choose between {}\nhint: {hint}", .found.join(", "))]
    Ambiguous {
        /// What was found.
        found: Vec<String>,
        /// What would help.
        hint: String,
    },
}

impl LanguageError {
    pub(super) fn missing(what: impl Into<String>, hint: impl Into<String>) -> LanguageError {
        LanguageError::Missing { what: what.into(), hint: hint.into() }
    }
}
