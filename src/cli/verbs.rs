//! The verbs of `tsbench`.

use super::{
    Exit, audit, clean, doctor, gate, mine, mirror, models, results, resume, run as run_verb, score, show, stats,
    tasks, validate,
};
use clap::{Parser, Subcommand};

/// Trustworthy evaluation of AI coding agents.
#[derive(Parser, Debug)]
#[command(
    name = "tsbench",
    version,
    about,
    after_help = "Data go to standard output, messages to standard error.\nExit codes: 0 good, 1 the answer is no, 2 usage or bad input, 3 something is missing here, 4 interrupted with work saved."
)]
pub struct Tsbench {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// Print the numbers without the site
    Stats(stats::Stats),
    /// Check raw results, or import what others published
    Results(results::Results),
    /// List the models, or ask each for one word
    Models(models::Models),
    /// List, show or check tasks
    Tasks(tasks::Tasks),
    /// Prove tasks: the human fix resolves, the empty patch and every cheat do not
    Gate(gate::Gate),
    /// Make tasks of merged changes: each is proven, or rejected with a reason
    Validate(validate::Validate),
    /// Find merged changes that may become tasks, and prove them
    Mine(Box<mine::Mine>),
    /// Keep bare mirrors of repositories
    Mirror(mirror::Mirror),
    /// Prove tasks again and keep a dated log of their health
    Audit(audit::Audit),
    /// Let models work on tasks: a locked plan, one line for each attempt
    Run(Box<run_verb::Run>),
    /// Go on with a run that was cut off
    Resume(Box<resume::Resume>),
    /// Print one attempt readably
    Show(show::Show),
    /// Score one patch with a task's hidden tests
    Score(score::Score),
    /// End sandboxes that were left behind, and remove task images
    Clean(clean::Clean),
    /// Tell what this machine has and lacks, with remedies
    Doctor(doctor::Doctor),
}

/// Runs `tsbench` with the process's arguments.
pub fn run(args: Tsbench) -> anyhow::Result<Exit> {
    match args.verb {
        Verb::Stats(verb) => stats::run(&verb),
        Verb::Results(verb) => results::run(&verb),
        Verb::Models(verb) => models::run(&verb),
        Verb::Tasks(verb) => tasks::run(&verb),
        Verb::Gate(verb) => gate::run(&verb),
        Verb::Validate(verb) => validate::run(&verb),
        Verb::Mine(verb) => mine::run(&verb),
        Verb::Mirror(verb) => mirror::run(&verb),
        Verb::Audit(verb) => audit::run(&verb),
        Verb::Run(verb) => run_verb::run(&verb),
        Verb::Resume(verb) => resume::run(&verb),
        Verb::Show(verb) => show::run(&verb),
        Verb::Score(verb) => score::run(&verb),
        Verb::Clean(verb) => clean::run(&verb),
        Verb::Doctor(verb) => doctor::run(&verb),
    }
}
