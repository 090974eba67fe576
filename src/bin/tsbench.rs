//! Everything that reads, checks or runs something.

use clap::Parser;
use std::process::ExitCode;
use tsbench::cli;

/// Pages are many small texts made on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args = cli::verbs::Tsbench::parse();
    cli::start_log();
    cli::report(cli::verbs::run(args))
}
