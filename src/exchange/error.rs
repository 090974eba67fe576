use crate::git::GitError;
use crate::tasks::TaskError;
use std::path::{Path, PathBuf};

/// Why tasks could not be taken in or given out.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A task could not be read or written.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Git could not do its part.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A file is not what its format promises.
    #[error("use {file}: {what}\nhint: {hint}")]
    Bad {
        /// The file.
        file: PathBuf,
        /// What was found and expected.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// Something of that name is there already.
    #[error("write {0}: it exists already\nhint: what was given out or taken in is not changed; choose another place")]
    Exists(PathBuf),
    /// There is nothing at the place that was named.
    #[error("find {path}: there is no file or folder of that name\nhint: {hint}")]
    Nothing {
        /// The place.
        path: PathBuf,
        /// What is looked for.
        hint: &'static str,
    },
    /// The tables of a dataset could not be written.
    #[error("write {path}: {cause}")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: parquet::errors::ParquetError,
    },
}

impl ExchangeError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ExchangeError {
        let path = path.into();
        move |cause| ExchangeError::Io { path, cause }
    }

    pub(super) fn bad(file: &Path, what: impl Into<String>, hint: &'static str) -> ExchangeError {
        ExchangeError::Bad { file: file.to_owned(), what: what.into(), hint }
    }
}
