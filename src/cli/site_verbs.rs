//! The verbs of `tsbench-site`.

use super::{Exit, site_build, site_check, site_serve};
use clap::{Parser, Subcommand};

/// Raw run files in, a static leaderboard out.
#[derive(Parser, Debug)]
#[command(
    name = "tsbench-site",
    version,
    about,
    after_help = "Data go to standard output, messages to standard error.\nExit codes: 0 good, 1 the answer is no, 2 usage or bad input, 3 something is missing here, 4 interrupted with work saved."
)]
pub struct TsbenchSite {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Compile raw files and content into a site
    Build(site_build::Build),
    /// Look at a site on this machine
    Serve(site_serve::Serve),
    /// Check links, ids, sizes, headers and the host's limits
    Check(site_check::Check),
    /// Recompute every number from the raw files
    Verify(site_check::Verify),
    /// Tell what changed between the numbers of two builds
    Diff(site_check::Diff),
    /// Begin a leaderboard of one's own
    Init(site_build::Init),
}

/// Runs `tsbench-site` with the process's arguments.
pub fn run(args: TsbenchSite) -> anyhow::Result<Exit> {
    match args.verb {
        Verb::Build(verb) => site_build::build(&verb),
        Verb::Serve(verb) => site_serve::serve(&verb),
        Verb::Check(verb) => site_check::check(&verb),
        Verb::Verify(verb) => site_check::verify(&verb),
        Verb::Diff(verb) => site_check::diff(&verb),
        Verb::Init(verb) => site_build::init(&verb),
    }
}
