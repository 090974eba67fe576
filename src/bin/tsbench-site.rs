//! The site generator: raw run files in, a static leaderboard out.

use std::process::ExitCode;
use tsbench::cli;

/// Pages are many small texts made on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: cli::site_verbs::TsbenchSite = match cli::parsed() {
        Ok(args) => args,
        Err(code) => return code,
    };
    cli::start_log();
    cli::report(cli::site_verbs::run(args))
}
