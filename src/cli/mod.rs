//! Arguments in, exit codes out: the only room that may know all others.
//!
//! Data go to standard output, everything else to standard error. Clock, environment and folders enter the
//! program here and nowhere else.

/// As the standard one, but a reader who has gone is no reason to panic. It stands before the modules that use it.
macro_rules! eprintln {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

#[cfg(feature = "harness")]
mod audit;
#[cfg(feature = "harness")]
mod clean;
#[cfg(feature = "harness")]
mod doctor;
#[cfg(feature = "harness")]
mod exchange;
mod exit;
#[cfg(feature = "harness")]
mod gate;
mod hang_up;
#[cfg(feature = "harness")]
mod interrupts;
#[cfg(feature = "harness")]
mod keys;
#[cfg(feature = "harness")]
mod machine;
#[cfg(feature = "harness")]
mod made_by_running;
#[cfg(feature = "harness")]
mod mine;
#[cfg(feature = "harness")]
mod mine_chain;
#[cfg(feature = "harness")]
mod mine_table;
#[cfg(feature = "harness")]
mod mirror;
#[cfg(feature = "harness")]
mod models;
pub mod progress;
#[cfg(feature = "harness")]
mod proving;
#[cfg(feature = "harness")]
mod reprice;
#[cfg(feature = "harness")]
mod results;
#[cfg(feature = "harness")]
mod results_formats;
#[cfg(feature = "harness")]
mod resume;
#[cfg(feature = "harness")]
mod run;
#[cfg(feature = "harness")]
mod running;
#[cfg(feature = "harness")]
mod score;
#[cfg(feature = "harness")]
mod score_files;
#[cfg(feature = "harness")]
mod score_many;
#[cfg(feature = "harness")]
mod seal;
#[cfg(feature = "harness")]
mod show;
mod site_build;
mod site_check;
mod site_serve;
pub mod site_verbs;
mod site_work;
#[cfg(feature = "harness")]
mod stats;
#[cfg(feature = "harness")]
mod tasks;
#[cfg(feature = "harness")]
mod tasks_check;
#[cfg(feature = "harness")]
mod validate;
#[cfg(feature = "harness")]
pub mod verbs;

pub use exit::{Exit, parsed, report};

/// Writes a line of data to standard output.
///
/// A reader that has seen enough closes the pipe; that is no fault, and what else is to be done goes on. What a task, a
/// model or a file says may hold codes that command a terminal: they are shown, not obeyed.
fn print_line(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    let text = line.to_string();
    let commands = |c: char| c.is_control() && c != '\n' && c != '\t';
    let text = if text.contains(commands) { text.replace(commands, "\u{fffd}") } else { text };
    note(writeln!(std::io::stdout().lock(), "{text}"));
}

/// Why data could not be written, the first time that it happened.
static UNWRITTEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Remembers that data were lost, which the end of the program tells. A reader who has gone is not that.
fn note(written: std::io::Result<()>) {
    if let Err(e) = written
        && e.kind() != std::io::ErrorKind::BrokenPipe
    {
        UNWRITTEN.get_or_init(|| e.to_string());
    }
}

/// As `println!`, and does not panic when nobody reads on.
macro_rules! say {
    ($($part:tt)*) => { $crate::cli::print_line(format_args!($($part)*)) };
}
use say;

/// Starts the log on standard error; `RUST_LOG` or `TSBENCH_LOG` choose what is written.
pub fn start_log() {
    let filter =
        std::env::var("TSBENCH_LOG").or_else(|_| std::env::var("RUST_LOG")).unwrap_or_else(|_| "warn".to_owned());
    let color = std::env::var_os("NO_COLOR").is_none() && std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(color)
        .with_target(false)
        .with_env_filter(tracing_subscriber::EnvFilter::new(filter))
        .init();
}
