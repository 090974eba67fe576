use super::Exit;
use super::machine::Machine;
use super::progress::Progress;
use super::say;
use super::tasks::Which;
use crate::gate::{Kind, Proof, Proven, prove_exploits, prove_fix};
use crate::sandbox::Provider;
use crate::schema::Outcome;
use crate::scoring::{ScoreError, prepare};
use crate::tasks::{Material, Task, find, load};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Prove tasks: the human fix resolves, the empty patch and every cheat do not.
#[derive(Args, Debug)]
pub struct Gate {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    machine: Machine,
    /// How often the fix and the empty patch are scored
    #[arg(long, default_value_t = 3, env = "TSBENCH_RUNS")]
    runs: u32,
    /// Tasks side by side
    #[arg(long, default_value_t = 2, env = "TSBENCH_JOBS")]
    jobs: usize,
    /// Leave the cheats out
    #[arg(long, env = "TSBENCH_NO_EXPLOITS", value_parser = BoolishValueParser::new())]
    no_exploits: bool,
    /// Print every proof as JSON, one line a task
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    quiet: bool,
}

type End = (String, Result<(Proven, f64, Option<f64>), ScoreError>);

/// Runs `tsbench gate`: 1 where a task is not proven.
pub fn run(args: &Gate) -> anyhow::Result<Exit> {
    let tasks = find(&load(&args.which.tasks)?, args.which.suite.as_deref(), args.which.task.as_deref())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = Arc::new(args.machine.open().await?);
        let progress = Progress::start(args.quiet);
        progress.stage("proving tasks", tasks.len() as u64);
        let slots = Arc::new(Semaphore::new(args.jobs.max(1)));
        let mut set: JoinSet<End> = JoinSet::new();
        for task in tasks {
            let (provider, slots, mirrors) = (Arc::clone(&provider), Arc::clone(&slots), args.which.mirrors.clone());
            let (runs, exploits) = (args.runs, !args.no_exploits);
            set.spawn(async move {
                let _slot = slots.acquire_owned().await;
                let id = task.spec.id.clone();
                (id, prove(&task, &mirrors, &provider, runs, exploits).await)
            });
        }
        let mut unproven = 0;
        let mut broken = 0;
        loop {
            tokio::select! {
                end = set.join_next() => match end {
                    None => break,
                    Some(end) => {
                        progress.step();
                        let (id, end) = end?;
                        match &end {
                            Ok((proven, ..)) if !proven.good() => unproven += 1,
                            Err(_) => broken += 1,
                            Ok(_) => {}
                        }
                        progress.above(|| print(&id, &end, args.json));
                    }
                },
                _ = tokio::signal::ctrl_c() => {
                    set.shutdown().await;
                    provider.sweep().await?;
                    return Ok(Exit::Interrupted);
                }
            }
        }
        progress.finish();
        eprintln!("{unproven} tasks are not proven, {broken} could not be run");
        Ok(if unproven + broken == 0 { Exit::Good } else { Exit::No })
    })
}

async fn prove(
    task: &Task,
    mirrors: &std::path::Path,
    provider: &Provider,
    runs: u32,
    exploits: bool,
) -> Result<(Proven, f64, Option<f64>), ScoreError> {
    let start = std::time::Instant::now();
    let material = Material::prepare(task, mirrors)?;
    let ready = prepare(task, material, provider).await?;
    let mut proofs = prove_fix(&ready, provider, runs).await?;
    if exploits {
        proofs.extend(prove_exploits(&ready, provider).await?);
    }
    Ok((Proven { proofs }, start.elapsed().as_secs_f64(), ready.install_seconds))
}

fn print(id: &str, end: &Result<(Proven, f64, Option<f64>), ScoreError>, as_json: bool) {
    if as_json {
        let value = match end {
            Ok((proven, seconds, install)) => {
                json!({"task": id, "proven": proven.good(), "seconds": seconds, "install_seconds": install, "proofs": proven.proofs})
            }
            Err(e) => json!({"task": id, "proven": false, "error": {"class": e.class(), "message": e.to_string()}}),
        };
        say!("{value}");
        return;
    }
    match end {
        Ok((proven, seconds, _)) => {
            let count = |kind: Kind| proven.proofs.iter().filter(|p| p.kind == kind).count();
            let fixed =
                proven.proofs.iter().filter(|p| p.kind == Kind::Fix && p.verdict.outcome == Outcome::Resolved).count();
            let word = if proven.good() { "proven" } else { "NOT PROVEN" };
            say!(
                "{id}\t{word}\tfix {fixed} of {}\tempty {}\tcheats {}\t{seconds:.1} s",
                count(Kind::Fix),
                count(Kind::Empty),
                count(Kind::Exploit)
            );
            proven.proofs.iter().filter(|p| !p.good).for_each(|p| explain(id, p));
        }
        Err(e) => say!("{id}\tfailed to {e}"),
    }
}

fn explain(id: &str, p: &Proof) {
    say!("{id}\t{:?} {}: {:?} {:?}", p.kind, p.name, p.verdict.outcome, p.verdict.error);
    let missing: Vec<&String> = p.verdict.targets.failed.iter().chain(&p.verdict.guards.failed).take(5).collect();
    if !missing.is_empty() {
        say!("{id}\tnot passed: {missing:?}");
    }
    for line in p.log.lines().rev().take(15).collect::<Vec<_>>().into_iter().rev() {
        say!("{id}\t| {line}");
    }
}
