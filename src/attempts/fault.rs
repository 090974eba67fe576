//! What ended a try or a scoring before its time: whose it is, and what it says of the next one.

use crate::agent::AgentError;
use crate::gateway::GatewayError;
use crate::sandbox::SandboxError;
use crate::schema::Failure;
use crate::scoring::ScoreError;
use crate::tasks::TaskError;

/// Whose a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The task's, or this machine's with respect to it: the next task may be well.
    Task,
    /// This machine's, or this program's.
    Machine,
    /// The provider's of a model.
    Provider,
}

impl Origin {
    /// The word that a line has in place of why the agent stopped.
    pub const fn stop(self) -> &'static str {
        match self {
            Origin::Task | Origin::Machine => "harness_error",
            Origin::Provider => "provider_error",
        }
    }
}

/// A fault that is no model's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Class and text, for the line.
    pub failure: Failure,
    /// Whose it is.
    pub origin: Origin,
    /// The daemon of the sandboxes may be gone.
    pub daemon: bool,
}

impl Fault {
    fn new(class: &str, text: &dyn std::fmt::Display, origin: Origin) -> Fault {
        Fault { failure: Failure { class: class.to_owned(), message: text.to_string() }, origin, daemon: false }
    }

    /// A plan that does not hold what is asked of it.
    pub(super) fn plan(what: &str) -> Fault {
        Fault::new("plan", &format!("there is no {what} in the plan"), Origin::Machine)
    }

    /// What counts as the same kind of fault: of a task's own faults, those of one task.
    pub(super) fn kind(&self, task: &str) -> String {
        match self.origin {
            Origin::Task => format!("{} of {task}", self.failure.class),
            Origin::Machine | Origin::Provider => self.failure.class.clone(),
        }
    }
}

impl From<&SandboxError> for Fault {
    fn from(e: &SandboxError) -> Fault {
        Fault { daemon: may_be_lost(e), ..Fault::new("sandbox", e, Origin::Machine) }
    }
}

impl From<&GatewayError> for Fault {
    fn from(e: &GatewayError) -> Fault {
        Fault::new(e.class(), e, of_gateway(e))
    }
}

impl From<&ScoreError> for Fault {
    fn from(e: &ScoreError) -> Fault {
        let (origin, daemon) = match e {
            ScoreError::Task(e) => (of_task(e), false),
            // A runtime that is missing here says nothing about a task in another language.
            ScoreError::Language { .. }
            | ScoreError::Install { .. }
            | ScoreError::Runtime { .. }
            | ScoreError::Grader { .. } => (Origin::Task, false),
            ScoreError::Git(_) | ScoreError::Random(_) => (Origin::Machine, false),
            ScoreError::Sandbox { source, .. } => (Origin::Machine, may_be_lost(source)),
        };
        Fault { daemon, ..Fault::new(e.class(), e, origin) }
    }
}

impl From<&AgentError> for Fault {
    fn from(e: &AgentError) -> Fault {
        let (origin, daemon) = match e {
            AgentError::Gateway(e) => (of_gateway(e), false),
            AgentError::Sandbox(e) => (Origin::Machine, may_be_lost(e)),
            AgentError::Git(_)
            | AgentError::Workspace { .. }
            | AgentError::Capture { .. }
            | AgentError::Install { .. }
            | AgentError::Program { .. }
            | AgentError::Budget { .. }
            | AgentError::Door { .. }
            | AgentError::Trace { .. }
            | AgentError::Prompt { .. } => (Origin::Machine, false),
        };
        Fault { daemon, ..Fault::new(e.class(), e, origin) }
    }
}

fn of_task(e: &TaskError) -> Origin {
    match e {
        TaskError::Bad { .. }
        | TaskError::Missing { .. }
        | TaskError::Sealed { .. }
        | TaskError::Key { .. }
        | TaskError::Recipient { .. }
        | TaskError::Io { .. }
        | TaskError::Git { .. } => Origin::Task,
    }
}

fn of_gateway(e: &GatewayError) -> Origin {
    match e {
        // Files, keys and clients of this machine.
        GatewayError::File { .. }
        | GatewayError::NoModel { .. }
        | GatewayError::MissingKey { .. }
        | GatewayError::Setup { .. } => Origin::Machine,
        GatewayError::Auth { .. }
        | GatewayError::BadRequest { .. }
        | GatewayError::ContextOverflow { .. }
        | GatewayError::RateLimited { .. }
        | GatewayError::Server { .. }
        | GatewayError::Connection { .. }
        | GatewayError::Timeout { .. }
        | GatewayError::OutOfTime { .. }
        | GatewayError::TooLarge { .. }
        | GatewayError::Malformed { .. }
        | GatewayError::Exhausted { .. } => Origin::Provider,
    }
}

/// Whether an error is what a daemon that went away leaves behind.
fn may_be_lost(e: &SandboxError) -> bool {
    match e {
        SandboxError::NoDocker { .. }
        | SandboxError::Lost { .. }
        | SandboxError::Transport { .. }
        | SandboxError::Timeout { .. }
        | SandboxError::KillFailed { .. } => true,
        SandboxError::ImageMissing { .. }
        | SandboxError::NoSeccomp { .. }
        | SandboxError::NoImages
        | SandboxError::Build { .. }
        | SandboxError::BadEntry { .. }
        | SandboxError::TooLarge { .. }
        | SandboxError::NotFound { .. }
        | SandboxError::DiskFull { .. }
        | SandboxError::BadInput { .. }
        | SandboxError::Io { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_machine_lacks_is_no_providers_fault_and_says_nothing_of_the_next_task() {
        let runtime = ScoreError::Runtime {
            task: "t".into(),
            asked: "Python 3.12".into(),
            found: "nothing".into(),
            hint: "install it",
        };
        let fault = Fault::from(&runtime);
        assert_eq!((fault.origin.stop(), fault.kind("t")), ("harness_error", "runtime of t".to_owned()));
        let grader = ScoreError::Grader { task: "t".into(), program: "python3".into(), file: "x".into() };
        assert_eq!(Fault::from(&grader).origin.stop(), "harness_error");
        let file = GatewayError::File { file: "s.jsonl".into(), what: "gone".into(), hint: "h".into() };
        assert_eq!(Fault::from(&AgentError::Gateway(file)).origin.stop(), "harness_error");
        let server = AgentError::Gateway(GatewayError::Server { status: 500, text: "x".into() });
        assert_eq!((Fault::from(&server).origin.stop(), Fault::from(&server).daemon), ("provider_error", false));
        let lost = SandboxError::Transport { doing: "create a container".into(), cause: "refused".into() };
        let lost = Fault::from(&ScoreError::Sandbox { task: "t".into(), source: lost });
        assert_eq!((lost.origin.stop(), lost.daemon, lost.kind("t")), ("harness_error", true, "sandbox".to_owned()));
    }
}
