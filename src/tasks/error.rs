use crate::git::GitError;
use std::path::PathBuf;

/// Why a task could not be read or used.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("use {file}: {what}\nhint: {hint}")]
    Bad {
        /// The file.
        file: PathBuf,
        /// What was found and expected; for TOML with line and marker.
        what: String,
        /// What to do.
        hint: String,
    },
    /// There is no such suite or task.
    #[error("find {what}\nhint: {hint}")]
    Missing {
        /// What was asked for.
        what: String,
        /// What there is.
        hint: String,
    },
    /// The parts of a task are sealed, and there is no key.
    #[error(
        "open the task {task}: its tests and its fix are sealed\nhint: name the file of a key that opens them with --seal-key"
    )]
    Sealed {
        /// The task.
        task: String,
    },
    /// A key does not open what it should.
    #[error("open the seal of {task}: {what}\nhint: {hint}")]
    Key {
        /// The task, or the file of the key.
        task: String,
        /// What happened.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// A text names nobody that one can seal for.
    #[error("seal for {text:?}: {what}\nhint: {hint}")]
    Recipient {
        /// The text.
        text: String,
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// Git could not do its part.
    #[error("prepare the task {task}: {source}")]
    Git {
        /// The task.
        task: String,
        /// The cause.
        source: GitError,
    },
}

impl TaskError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> TaskError {
        let path = path.into();
        move |cause| TaskError::Io { path, cause }
    }

    pub(crate) fn bad(file: impl Into<PathBuf>, what: impl Into<String>, hint: impl Into<String>) -> TaskError {
        TaskError::Bad { file: file.into(), what: what.into(), hint: hint.into() }
    }

    pub(super) fn git(task: &str) -> impl FnOnce(GitError) -> TaskError {
        let task = task.to_owned();
        move |source| TaskError::Git { task, source }
    }
}
