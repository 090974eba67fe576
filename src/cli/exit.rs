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
    match end {
        Ok(exit) => exit.into(),
        Err(e) => {
            eprintln!("error: failed to {e:#}");
            of_error(&e).into()
        }
    }
}

/// The exit code of an error: what this machine lacks is told apart from bad input.
fn of_error(error: &anyhow::Error) -> Exit {
    #[cfg(feature = "harness")]
    {
        use crate::sandbox::SandboxError::{ImageMissing, NoDocker};
        let lacks = |e: &(dyn std::error::Error + 'static)| {
            matches!(e.downcast_ref(), Some(NoDocker { .. } | ImageMissing { .. }))
        };
        if error.chain().any(lacks) {
            return Exit::Missing;
        }
    }
    let _ = error;
    Exit::Usage
}
