use super::session::{Halt, Session};
use super::{
    AgentError, Budget, Limits, Prints, Program, Prompts, Stop, Taken, Trace, Unpatched, Way, command, shell, tools,
    workspace,
};
use crate::gateway::{AgentKind, Gateway};
use crate::git::{Store, TreeId};
use crate::sandbox::Sandbox;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// The command that hands the work in.
pub const SUBMIT: &str = "echo TSBENCH_DONE";

/// The agents.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// One command a turn, in one fenced block.
    Shell,
    /// Reading, searching, editing and running by function calls.
    Tools,
    /// A program of its own.
    Command(Arc<Program>),
}

impl Kind {
    /// The agent of a name; `agents` holds the folders of those that are programs.
    pub fn read(agents: &Path, name: &str) -> Result<Kind, AgentError> {
        match name {
            "shell" => Ok(Kind::Shell),
            "tools" => Ok(Kind::Tools),
            name => Ok(Kind::Command(Arc::new(Program::read(agents, name)?))),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Kind::Shell => "shell",
            Kind::Tools => "tools",
            Kind::Command(program) => &program.name,
        }
    }

    /// The folder of its prompts.
    pub const fn prompts(&self) -> &'static str {
        match self {
            Kind::Shell => "shell",
            Kind::Tools => "tools",
            Kind::Command(_) => "command",
        }
    }

    /// Its version: another one wherever it behaves differently.
    pub fn version(&self) -> &str {
        match self {
            Kind::Shell | Kind::Tools => "1",
            Kind::Command(program) => &program.version,
        }
    }

    /// Digest of its own files, for programs.
    pub fn files_digest(&self) -> Option<&str> {
        match self {
            Kind::Shell | Kind::Tools => None,
            Kind::Command(program) => Some(&program.digest),
        }
    }

    /// How models without a network must answer it.
    pub fn answers(&self) -> AgentKind {
        match self {
            Kind::Shell | Kind::Command(_) => AgentKind::Shell { submit: SUBMIT.to_owned() },
            Kind::Tools => AgentKind::Tools {
                run: Tools::RUN.to_owned(),
                argument: "command".to_owned(),
                submit: Some(Tools::SUBMIT.to_owned()),
            },
        }
    }
}

/// Names of the tools that others need to know.
pub struct Tools;

impl Tools {
    /// The tool that runs a command.
    pub const RUN: &'static str = "run_command";
    /// The tool that hands the work in.
    pub const SUBMIT: &'static str = "submit";
}

/// A task as an agent is told of it, and the state of its workspace before anything was done.
pub struct Work<'a> {
    /// The problem.
    pub problem: &'a str,
    /// Language of the repository.
    pub language: &'a str,
    /// The command that runs the tests that there are.
    pub tests: &'a str,
    /// Folder of what was installed outside the workspace, as commands name it.
    pub home: &'a str,
    /// Environment of commands.
    pub env: &'a [(String, String)],
    /// Objects of the starting tree.
    pub store: &'a Store,
    /// The starting tree.
    pub start: &'a TreeId,
    /// The workspace as it was before the first turn.
    pub before: &'a Prints,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Why the agent stopped.
    pub stop: Stop,
    /// The patch; a reason where the agent left a workspace from which none can be taken.
    pub patch: Result<Vec<u8>, Unpatched>,
    /// Files of the workspace that no patch can have, each with the reason.
    pub left_out: Vec<String>,
    /// Seconds that the agent worked, without waits for a provider that failed and without the readings of its workspace.
    pub seconds: f64,
}

/// What an attempt works with.
pub struct Means<'a> {
    /// The model.
    pub gateway: &'a dyn Gateway,
    /// The prompt texts.
    pub prompts: &'a Prompts,
    /// What the attempt may use.
    pub limits: &'a Limits,
    /// Money of the run.
    pub budget: &'a Budget,
}

/// Lets an agent work in a sandbox whose workspace has its first commit, and takes the patch.
pub async fn attempt(
    kind: &Kind,
    work: &Work<'_>,
    means: &Means<'_>,
    way: Option<&mut Way<'_>>,
    sandbox: &mut dyn Sandbox,
    trace: &mut Trace,
) -> Result<Ended, AgentError> {
    let begun = Instant::now();
    let mut session = Session::new(work, means, sandbox, trace);
    let end = match (kind, way) {
        (Kind::Shell, _) => shell::run(&mut session).await,
        (Kind::Tools, _) => tools::run(&mut session).await,
        (Kind::Command(_), Some(way)) => command::run(&mut session, way).await,
        (Kind::Command(_), None) => {
            return Err(AgentError::Door { cause: "nobody opened one".into() });
        }
    };
    let end = end.map_or_else(|halt| halt, Halt::Stop);
    let seconds = (begun.elapsed().as_secs_f64() - session.waited).max(0.0);
    let stop = match end {
        Halt::Stop(stop) => stop,
        Halt::Fault(e) => return Err(e),
    };
    let taken = match session.handed_in.take().filter(|_| stop == Stop::Submitted) {
        Some(taken) => taken,
        None => taken(work, session.sandbox).await?,
    };
    let (patch, left_out) = match taken {
        Ok(taken) => (Ok(taken.patch), taken.left_out),
        Err(unpatched) => (Err(unpatched), Vec::new()),
    };
    Ok(Ended { stop, patch, left_out, seconds })
}

/// The patch as the workspace is now.
pub(super) async fn taken(work: &Work<'_>, sandbox: &mut dyn Sandbox) -> Result<Result<Taken, Unpatched>, AgentError> {
    workspace::take(work.store, work.start, work.before, sandbox).await
}
