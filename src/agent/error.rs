use crate::gateway::GatewayError;
use crate::git::GitError;
use crate::sandbox::SandboxError;
use std::path::PathBuf;

/// Why a model could not be put to work. None of these is the model's fault.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The provider or the way to it failed.
    #[error(transparent)]
    Gateway(#[from] GatewayError),
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Git failed on the host.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The workspace could not be made ready.
    #[error("make the first commit of the workspace: {what}")]
    Workspace {
        /// What was seen.
        what: String,
    },
    /// The workspace could not be read, and not for what the agent left there.
    #[error("read the workspace: {what}\nhint: see whether the machine has disk and memory left, then resume the run")]
    Capture {
        /// What was seen.
        what: String,
    },
    /// A program could not be installed.
    #[error("install the agent {program} with {line:?}: {log}\nhint: try the line in a container of the task's image")]
    Install {
        /// The program.
        program: String,
        /// The line of `agent.toml`.
        line: String,
        /// The end of what it said.
        log: String,
    },
    /// A program ended before it asked the model anything.
    #[error(
        "run the agent {program}: it ended with {end} before it asked its model: {log}\nhint: see command and env of its agent.toml"
    )]
    Program {
        /// The program.
        program: String,
        /// How it ended.
        end: String,
        /// The end of what it said.
        log: String,
    },
    /// The budget of an attempt is below what its first call may cost.
    #[error(
        "begin an attempt for ${budget}: its first call may cost ${first:.4}\nhint: give it more with --attempt-budget-usd, or less with --max-output-tokens"
    )]
    Budget {
        /// US dollars of the attempt.
        budget: f64,
        /// US dollars that the call may cost.
        first: f64,
    },
    /// The way from a sandbox to its model could not be opened.
    #[error("open a socket for a sandbox: {cause}")]
    Door {
        /// The cause.
        cause: String,
    },
    /// The trajectory could not be kept.
    #[error("write {path}: {cause}")]
    Trace {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A prompt file or a condition is not what it should be.
    #[error("use {file}: {what}\nhint: {hint}", file = file.display())]
    Prompt {
        /// The file.
        file: PathBuf,
        /// What was found and expected.
        what: String,
        /// What to do.
        hint: String,
    },
}

impl AgentError {
    /// A short word for the kind of failure.
    pub const fn class(&self) -> &'static str {
        match self {
            AgentError::Gateway(e) => e.class(),
            AgentError::Sandbox(_) => "sandbox",
            AgentError::Git(_) => "git",
            AgentError::Workspace { .. } => "workspace",
            AgentError::Capture { .. } => "capture",
            AgentError::Install { .. } => "install",
            AgentError::Program { .. } => "program",
            AgentError::Budget { .. } => "budget",
            AgentError::Door { .. } => "door",
            AgentError::Trace { .. } => "trace",
            AgentError::Prompt { .. } => "prompt",
        }
    }

    pub(super) fn prompt(file: impl Into<PathBuf>, what: impl Into<String>, hint: &str) -> AgentError {
        AgentError::Prompt { file: file.into(), what: what.into(), hint: hint.to_owned() }
    }
}
