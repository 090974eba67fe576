use crate::git::GitError;
use crate::sandbox::SandboxError;
use crate::scoring::ScoreError;
use crate::tasks::TaskError;
use std::path::PathBuf;

/// Why a candidate could neither be accepted nor rejected: faults of ours, of the machine, or of what was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ValidationError {
    /// What was asked for cannot be meant.
    #[error("use {what}\nhint: {hint}")]
    Input {
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Git could not do its part.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The task's folder could not be used.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A run could not be made.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The sandbox of the leak scan failed.
    #[error("scan the image of {task}: {source}")]
    Scan {
        /// The task.
        task: String,
        /// The cause.
        source: SandboxError,
    },
    /// A file could not be read or written.
    #[error("use {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A value could not be written as text.
    #[error("write {path}: {cause}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: String,
    },
}

impl ValidationError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ValidationError {
        let path = path.into();
        move |cause| ValidationError::Io { path, cause }
    }

    pub(super) fn input(what: impl Into<String>, hint: impl Into<String>) -> ValidationError {
        ValidationError::Input { what: what.into(), hint: hint.into() }
    }
}
