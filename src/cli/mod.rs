//! Arguments in, exit codes out: the only room that may know all others.
//!
//! Data go to standard output, everything else to standard error. Clock, environment and folders enter the
//! program here and nowhere else.

#[cfg(feature = "harness")]
mod clean;
#[cfg(feature = "harness")]
mod doctor;
mod exit;
#[cfg(feature = "harness")]
mod gate;
#[cfg(feature = "harness")]
mod machine;
pub mod progress;
#[cfg(feature = "harness")]
mod results;
#[cfg(feature = "harness")]
mod score;
mod site_build;
mod site_check;
mod site_serve;
pub mod site_verbs;
#[cfg(feature = "harness")]
mod stats;
#[cfg(feature = "harness")]
mod tasks;
#[cfg(feature = "harness")]
pub mod verbs;

pub use exit::{Exit, report};

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
