use super::Exit;
use super::machine::Machine;
use super::say;
use super::tasks::Which;
use crate::schema::{Outcome, Verdict};
use crate::scoring::{prepare, score};
use crate::tasks::{Material, find, load};
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::io::Read;
use std::path::PathBuf;

/// Score one patch with a task's hidden tests.
#[derive(Args, Debug)]
pub struct Score {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    machine: Machine,
    /// The patch, or - for standard input
    #[arg(long, env = "TSBENCH_PATCH")]
    patch: PathBuf,
    /// Print the verdict as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench score`: 0 where the patch resolves the task, 1 where it does not.
pub fn run(args: &Score) -> anyhow::Result<Exit> {
    let tasks = find(&load(&args.which.tasks)?, args.which.suite.as_deref(), args.which.task.as_deref())?;
    let [task] = tasks.as_slice() else {
        anyhow::bail!("score: {} tasks are meant\nhint: name one with --task", tasks.len())
    };
    let mut patch = Vec::new();
    if args.patch.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut patch).context("read the patch from standard input")?;
    } else {
        patch = std::fs::read(&args.patch).with_context(|| format!("read the patch {}", args.patch.display()))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = args.machine.open().await?;
        let ready = prepare(task, Material::prepare(task, &args.which.mirrors)?, &provider).await?;
        let scored = score(&ready, &patch, &provider, false).await?;
        print(&scored.verdict, &scored.log, args.json)?;
        Ok(if scored.verdict.outcome == Outcome::Resolved { Exit::Good } else { Exit::No })
    })
}

fn print(v: &Verdict, log: &str, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        say!("{}", serde_json::to_string_pretty(v)?);
        return Ok(());
    }
    say!("{}: {}", v.task, v.outcome);
    match &v.score {
        Some(c) => say!("checks {} of {}", c.passed, c.total),
        None => say!(
            "targets {} of {}, guards {} of {}",
            v.targets.passed,
            v.targets.total,
            v.guards.passed,
            v.guards.total
        ),
    }
    for id in v.targets.failed.iter().chain(&v.guards.failed).take(20) {
        say!("not passed: {id}");
    }
    for path in &v.dropped {
        say!("change dropped: {path}");
    }
    if let Some(e) = &v.error {
        say!("{}: {}", e.class, e.message);
        eprintln!("{}", log.trim_end());
    }
    Ok(())
}
