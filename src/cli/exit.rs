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
        hints = of_system(&text).map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    }
    text + &hints
}

/// What to do about a fault of a file system, which every room may meet.
fn of_system(text: &str) -> Option<&'static str> {
    [
        (
            "Permission denied (os error",
            "this user may not read or write there: choose another place, or change its rights",
        ),
        ("No such file or directory (os error", "nothing is there under that name: look at the path"),
        ("File exists (os error", "something else of that name is there: name another place"),
        ("Operation not permitted (os error", "this machine refuses that there: choose another place"),
        ("File name too long (os error", "give it a shorter name"),
        ("Read-only file system (os error", "nothing can be written there: choose another place"),
        ("No space left on device (os error", "the disk is full: make room, or choose another place"),
        ("Is a directory (os error", "that is a folder: name a file in it"),
        ("File exists (os error", "a file stands where a folder is wanted: name another place"),
        ("Not a directory (os error", "a part of that path is a file: name another place"),
    ]
    .into_iter()
    .find_map(|(said, hint)| text.contains(said).then_some(hint))
}

/// The exit code of an error: what this machine lacks is told apart from bad input.
pub(super) fn of_error(error: &anyhow::Error) -> Exit {
    #[cfg(feature = "harness")]
    {
        use crate::sandbox::SandboxError::{ImageMissing, NoDocker};
        let lacks = |e: &(dyn std::error::Error + 'static)| {
            matches!(e.downcast_ref(), Some(NoDocker { .. } | ImageMissing { .. }))
        };
        let keyless = |e: &(dyn std::error::Error + 'static)| {
            use crate::gateway::GatewayError;
            use crate::mining::MiningError::{Busy, Later, Limited, Token};
            matches!(e.downcast_ref(), Some(Token { .. } | Busy { .. } | Later { .. } | Limited { .. }))
                || matches!(
                    e.downcast_ref(),
                    Some(
                        GatewayError::MissingKey { .. }
                            | GatewayError::Connection { .. }
                            | GatewayError::Timeout { .. }
                    )
                )
        };
        let runtime = |e: &(dyn std::error::Error + 'static)| {
            use crate::scoring::ScoreError::Runtime;
            use crate::validation::ValidationError::Score;
            matches!(e.downcast_ref(), Some(Runtime { .. })) || matches!(e.downcast_ref(), Some(Score(Runtime { .. })))
        };
        let sealed = |e: &(dyn std::error::Error + 'static)| {
            use crate::scoring::ScoreError;
            use crate::tasks::TaskError::{Key, Sealed};
            let of_task = matches!(e.downcast_ref(), Some(Sealed { .. } | Key { .. }));
            of_task || matches!(e.downcast_ref(), Some(ScoreError::Task(Sealed { .. } | Key { .. })))
        };
        if error.chain().any(|e| lacks(e) || keyless(e) || sealed(e) || runtime(e)) {
            return Exit::Missing;
        }
    }
    let _ = error;
    Exit::Usage
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
}
