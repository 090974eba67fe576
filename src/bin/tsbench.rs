//! Everything that reads, checks or runs something.

use std::process::ExitCode;
use tsbench::cli;

/// Pages are many small texts made on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: cli::verbs::Tsbench = match cli::parsed() {
        Ok(args) => args,
        Err(code) => return code,
    };
    cli::start_log();
    cli::report(cli::verbs::run(args))
}
