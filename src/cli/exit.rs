use std::io::ErrorKind;
use std::process::ExitCode;

/// How a program ends; the numbers are a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done.
    Good = 0,
    /// The answer is no: a number did not verify, a check failed.
    No = 1,
    /// Wrong usage or bad input.
    Usage = 2,
    /// The environment lacks something.
    Missing = 3,
    /// Interrupted, with everything finished so far on disk.
    Interrupted = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Turns a verb's end into an exit code; an error is written to standard error.
pub fn report(end: anyhow::Result<Exit>) -> ExitCode {
    super::note(std::io::Write::flush(&mut std::io::stdout()));
    let lost = super::UNWRITTEN.get();
    match (end, lost) {
        (Err(e), _) => {
            eprintln!("error: failed to {}", told(&e));
            of_error(&e).into()
        }
        // What was asked for did not arrive, whatever it said.
        (Ok(_), Some(cause)) => {
            let cause = anyhow::anyhow!("write to standard output: {cause}");
            eprintln!("error: failed to {}", told(&cause));
            Exit::Missing.into()
        }
        (Ok(exit), None) => exit.into(),
    }
}

/// The arguments of a program; none where they are wrong, or ask for a help text, which is written then.
pub fn parsed<T: clap::Parser>() -> Result<T, ExitCode> {
    T::try_parse().map_err(|e| {
        let written = e.print();
        if e.use_stderr() {
            return Exit::Usage.into();
        }
        super::note(written);
        report(Ok(Exit::Good))
    })
}

/// An error and its causes, each said once: a text that ends with its cause's has said it. What to do comes last.
pub(super) fn told(error: &anyhow::Error) -> String {
    let (mut text, mut hints) = (String::new(), String::new());
    for whole in error.chain().map(ToString::to_string) {
        let (cause, hint) = whole.split_once("\nhint: ").unwrap_or((&whole, ""));
        if !hint.is_empty() && !hints.contains(hint) {
            hints = format!("{hints}\nhint: {hint}");
        }
        let cause = cause.to_owned();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    if hints.is_empty() {
        let hint = system_fault(error).and_then(system_hint);
        hints = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    }
    text + &hints
}

/// The kind of a fault of the operating system, of which the error itself or its text tells.
fn system_fault(error: &anyhow::Error) -> Option<ErrorKind> {
    let of_type = error.chain().find_map(|e| e.downcast_ref::<std::io::Error>().map(std::io::Error::kind));
    of_type.filter(|kind| *kind != ErrorKind::Other).or_else(|| {
        // Some libraries hand on texts alone.
        let told = error.chain().map(ToString::to_string).collect::<String>();
        let (_, number) = told.rsplit_once("(os error ")?;
        let number = number.split_once(')')?.0.parse().ok()?;
        Some(std::io::Error::from_raw_os_error(number).kind())
    })
}

/// What to do about a fault of a file system, which every room may meet.
fn system_hint(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::PermissionDenied => {
            "this user may not read or write there: choose another place, or change its rights"
        }
        ErrorKind::NotFound => "nothing is there under that name: look at the path",
        ErrorKind::AlreadyExists => "something else of that name is there: name another place",
        ErrorKind::InvalidFilename => "give it a shorter name",
        ErrorKind::ReadOnlyFilesystem => "nothing can be written there: choose another place",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full: make room, or choose another place",
        ErrorKind::FileTooLarge => "no file may be that large there: choose another place",
        ErrorKind::IsADirectory => "that is a folder: name a file in it",
        ErrorKind::NotADirectory => "a part of that path is a file: name another place",
        _ => return None,
    })
}

/// The exit code of an error: what this machine lacks is told apart from bad input.
pub(super) fn of_error(error: &anyhow::Error) -> Exit {
    if matches!(system_fault(error), Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded)) {
        return Exit::Missing;
    }
    #[cfg(feature = "harness")]
    if error.chain().any(lacks_something) {
        return Exit::Missing;
    }
    Exit::Usage
}

/// Whether an error tells of something that this machine lacks: a daemon, an image, a runtime, a key, a provider.
#[cfg(feature = "harness")]
fn lacks_something(error: &(dyn std::error::Error + 'static)) -> bool {
    use crate::gateway::GatewayError;
    use crate::mining::MiningError;
    use crate::sandbox::SandboxError;
    use crate::scoring::ScoreError;
    use crate::tasks::TaskError;
    use crate::validation::ValidationError;
    let of_sandbox = matches!(
        error.downcast_ref(),
        Some(
            SandboxError::NoDocker { .. }
                | SandboxError::ImageMissing { .. }
                | SandboxError::NoSeccomp { .. }
                | SandboxError::Lost { .. }
                | SandboxError::Transport { .. }
                | SandboxError::Timeout { .. }
                | SandboxError::DiskFull { .. }
        )
    );
    let of_mining = matches!(
        error.downcast_ref(),
        Some(
            MiningError::Token { .. }
                | MiningError::Busy { .. }
                | MiningError::Later { .. }
                | MiningError::Limited { .. }
        )
    );
    let of_gateway = matches!(
        error.downcast_ref(),
        Some(GatewayError::MissingKey { .. } | GatewayError::Connection { .. } | GatewayError::Timeout { .. })
    );
    let of_task = |e: &TaskError| matches!(e, TaskError::Sealed { .. } | TaskError::Key { .. });
    let of_score = |e: &ScoreError| match e {
        ScoreError::Runtime { .. } => true,
        ScoreError::Task(e) => of_task(e),
        ScoreError::Sandbox { source, .. } => lacks_something(source),
        ScoreError::Git(_)
        | ScoreError::Language { .. }
        | ScoreError::Install { .. }
        | ScoreError::Grader { .. }
        | ScoreError::Random(_) => false,
    };
    let of_validation = match error.downcast_ref() {
        Some(ValidationError::Score(e)) => of_score(e),
        _ => false,
    };
    of_sandbox
        || of_mining
        || of_gateway
        || of_validation
        || error.downcast_ref().is_some_and(of_task)
        || error.downcast_ref().is_some_and(of_score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn a_cause_that_a_text_holds_already_is_said_once() {
        let cause = std::io::Error::other("disk full");
        let own = crate::results::ResultsError::Json(serde_json::Error::io(std::io::Error::other("pipe gone")));
        assert_eq!(told(&anyhow::Error::from(own)).matches("pipe gone").count(), 1);
        let told = told(&Err::<(), _>(cause).context("write the report").unwrap_err());
        assert_eq!(told, "write the report: disk full");
        let hinted = Err::<(), _>(std::io::Error::other("gone")).context("read it\nhint: look there").unwrap_err();
        assert_eq!(super::told(&hinted), "read it: gone\nhint: look there");
        let closed = Err::<(), _>(std::io::Error::from_raw_os_error(13)).context("write x").unwrap_err();
        assert!(super::told(&closed).contains("\nhint: this user may not"), "{}", super::told(&closed));
    }

    #[test]
    fn a_full_disk_is_something_that_the_machine_lacks_however_it_is_told() {
        let full = || std::io::Error::from_raw_os_error(28);
        let path = std::path::PathBuf::from("attempts.jsonl");
        let typed = anyhow::Error::from(crate::results::ResultsError::Io { path, cause: full() });
        let words = anyhow::anyhow!("write it: {}", full());
        for error in [typed, words, Err::<(), _>(full()).context("write it").unwrap_err()] {
            assert_eq!(of_error(&error), Exit::Missing, "{error:#}");
            assert!(told(&error).contains("\nhint: the disk is full"), "{}", told(&error));
        }
        assert_eq!(of_error(&anyhow::anyhow!("use --x: no")), Exit::Usage);
        assert_eq!(
            of_error(&Err::<(), _>(std::io::Error::from_raw_os_error(2)).context("x").unwrap_err()),
            Exit::Usage
        );
    }

    #[cfg(feature = "harness")]
    #[test]
    fn a_lost_daemon_and_a_missing_runtime_are_something_that_the_machine_lacks() {
        use crate::sandbox::SandboxError;
        use crate::scoring::ScoreError;
        let lost = || SandboxError::Transport { doing: "list containers".into(), cause: "refused".into() };
        let score = ScoreError::Sandbox { task: "t".into(), source: lost() };
        let runtime = ScoreError::Runtime { task: "t".into(), asked: "3.12".into(), found: "none".into(), hint: "h" };
        let errors = [anyhow::Error::from(lost()), score.into(), runtime.into()];
        for error in errors {
            assert_eq!(of_error(&error.context("score it")), Exit::Missing);
        }
        let through = crate::attempts::AttemptsError::Score(ScoreError::Sandbox { task: "t".into(), source: lost() });
        assert_eq!(of_error(&through.into()), Exit::Missing);
    }
}
