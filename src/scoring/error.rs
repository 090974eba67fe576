use crate::git::GitError;
use crate::languages::LanguageError;
use crate::sandbox::SandboxError;
use crate::tasks::TaskError;

/// Why a patch could not be scored. None of these is the patch's fault.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The task is not usable.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Git could not do its part.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The tree cannot be installed or tested by its language.
    #[error("plan the tests of {task}: {source}")]
    Language {
        /// The task.
        task: String,
        /// The cause.
        source: LanguageError,
    },
    /// The sandbox failed.
    #[error("score {task}: {source}")]
    Sandbox {
        /// The task.
        task: String,
        /// The cause.
        source: SandboxError,
    },
    /// Dependencies could not be installed on the starting tree.
    #[error("install {task}: {words} ended with {end}\n{log}")]
    Install {
        /// The task.
        task: String,
        /// The command.
        words: String,
        /// How it ended.
        end: String,
        /// The end of its output.
        log: String,
    },
    /// The runtime is not the one that the task asks for, so that its tests would say something else.
    #[error(
        "run {task} by its own runtime: it asks for {asked} (the field runtime of task.toml, or a file of the tree), here is {found}\nhint: {hint}"
    )]
    Runtime {
        /// The task.
        task: String,
        /// The version that the tree or `task.toml` names.
        asked: String,
        /// What the runtime says of itself.
        found: String,
        /// What to do.
        hint: &'static str,
    },
    /// The grader of a scorecard cannot be started, so that no check says anything about a patch.
    #[error(
        "start the grader of {task}: {}: scorecard.command: there is no program {program:?} in the task's image that can be run\nhint: name an interpreter that the image has, such as python3, before a file of grader/",
        file.display()
    )]
    Grader {
        /// The task.
        task: String,
        /// The first word of the command.
        program: String,
        /// The file that names it.
        file: std::path::PathBuf,
    },
    /// No random bytes could be had.
    #[error("read random bytes: {0}")]
    Random(#[source] std::io::Error),
}

impl ScoreError {
    pub(super) fn sandbox(task: &str) -> impl FnOnce(SandboxError) -> ScoreError {
        let task = task.to_owned();
        move |source| ScoreError::Sandbox { task, source }
    }

    /// Whether the installation took longer than it may, which says as much of the machine as of the tree.
    pub fn is_late(&self) -> bool {
        let late = format!("{:?}", crate::sandbox::End::TimedOut);
        matches!(self, ScoreError::Install { end, .. } if *end == late)
    }

    /// A short word for the kind of failure.
    pub const fn class(&self) -> &'static str {
        match self {
            ScoreError::Task(_) => "task",
            ScoreError::Git(_) => "git",
            ScoreError::Language { .. } => "language",
            ScoreError::Sandbox { .. } => "sandbox",
            ScoreError::Install { .. } => "install",
            ScoreError::Runtime { .. } => "runtime",
            ScoreError::Grader { .. } => "grader",
            ScoreError::Random(_) => "random",
        }
    }
}
