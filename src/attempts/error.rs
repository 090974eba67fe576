use crate::agent::AgentError;
use crate::gateway::GatewayError;
use crate::scoring::ScoreError;
use crate::tasks::TaskError;
use std::path::{Path, PathBuf};

/// Why a run could not go on. What befalls one attempt is in its line instead.
#[derive(Debug, thiserror::Error)]
pub enum AttemptsError {
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A line or a plan is not what it should be.
    #[error("use {file}: {what}\nhint: {hint}", file = file.display())]
    Bad {
        /// The file.
        file: PathBuf,
        /// What was found and expected, with the line where there is one.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// The run is locked with another plan.
    #[error("go on with {dir}: its plan is locked and differs:\n{list}\nhint: name another folder with --out, or give the same arguments", dir = dir.display(), list = differences.join("\n"))]
    OtherPlan {
        /// The run's folder.
        dir: PathBuf,
        /// Each difference in words.
        differences: Vec<String>,
    },
    /// Another process is at work on the run.
    #[error("work on {dir}: another process does", dir = dir.display())]
    Busy {
        /// The run's folder.
        dir: PathBuf,
    },
    /// A task cannot be used.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// A model cannot be used.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// Prompts cannot be used.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A task cannot be made ready.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A record could not be written as JSON.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// An attempt ended without a result: a fault of this program.
    #[error("wait for an attempt: {0}")]
    Join(String),
}

impl AttemptsError {
    pub(super) fn io(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> AttemptsError {
        let path = path.as_ref().to_owned();
        move |cause| AttemptsError::Io { path, cause }
    }
}
