//! Everything that reads, checks or runs something.

use clap::Parser;
use std::process::ExitCode;
use tsbench::cli;

fn main() -> ExitCode {
    let args = cli::verbs::Tsbench::parse();
    cli::start_log();
    cli::report(cli::verbs::run(args))
}
