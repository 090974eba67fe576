//! Tasks proven side by side, for the verbs that do something with the proofs.

use super::machine::Machine;
use super::progress::Progress;
use super::tasks::Which;
use crate::gate::{Proven, prove_exploits, prove_fix};
use crate::sandbox::Provider;
use crate::scoring::{ScoreError, prepare};
use crate::tasks::{Material, Task};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How tasks are proven.
#[derive(Args, Debug)]
pub struct Proving {
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    machine: Machine,
    /// How often the fix and the empty patch are scored
    #[arg(long, default_value_t = 3, env = "TSBENCH_RUNS", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Tasks side by side
    #[arg(long, default_value_t = 2, env = "TSBENCH_JOBS")]
    jobs: usize,
    /// Leave the cheats out
    #[arg(long, env = "TSBENCH_NO_EXPLOITS", value_parser = BoolishValueParser::new())]
    no_exploits: bool,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    quiet: bool,
}

/// What came of a task.
pub struct Tried {
    /// Its proofs, as far as they went.
    pub proven: Proven,
    /// Seconds that all of it took.
    pub seconds: f64,
    /// Seconds of the installation, where one was made.
    pub install_seconds: Option<f64>,
    /// SHA-256 over all that makes the task what it is.
    pub task_sha256: String,
    /// The image it ran in.
    pub image: String,
}

/// Proves tasks and hands each on the moment it is done, above the progress bar; false where it was interrupted.
pub fn each(
    args: &Proving,
    tasks: Vec<Task>,
    stage: &str,
    mut done: impl FnMut(&Task, &Provider, Result<Tried, ScoreError>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let provider = Arc::new(args.machine.open().await?);
        let progress = Progress::start(args.quiet);
        progress.stage(stage, tasks.len() as u64);
        let slots = Arc::new(Semaphore::new(args.jobs.max(1)));
        let mut set: JoinSet<(Task, Result<Tried, ScoreError>)> = JoinSet::new();
        for task in tasks {
            let (provider, slots, mirrors) = (Arc::clone(&provider), Arc::clone(&slots), args.which.mirrors.clone());
            let (runs, exploits) = (args.runs, !args.no_exploits);
            set.spawn(async move {
                let _slot = slots.acquire_owned().await;
                let end = prove(&task, &mirrors, &provider, runs, exploits).await;
                (task, end)
            });
        }
        loop {
            tokio::select! {
                end = set.join_next() => match end {
                    None => break,
                    Some(end) => {
                        let (task, end) = end?;
                        progress.step();
                        let mut told = Ok(());
                        progress.above(|| told = done(&task, &provider, end));
                        if let Err(e) = told {
                            set.shutdown().await;
                            provider.sweep().await?;
                            return Err(e);
                        }
                    }
                },
                _ = tokio::signal::ctrl_c() => {
                    set.shutdown().await;
                    provider.sweep().await?;
                    return Ok(false);
                }
            }
        }
        progress.finish();
        Ok(true)
    })
}

async fn prove(
    task: &Task,
    mirrors: &Path,
    provider: &Provider,
    runs: u32,
    exploits: bool,
) -> Result<Tried, ScoreError> {
    let start = std::time::Instant::now();
    let material = Material::prepare(task, mirrors)?;
    let ready = prepare(task, material, provider).await?;
    let mut proofs = prove_fix(&ready, provider, runs).await?;
    if exploits {
        proofs.extend(prove_exploits(&ready, provider).await?);
    }
    Ok(Tried {
        proven: Proven { proofs },
        seconds: start.elapsed().as_secs_f64(),
        install_seconds: ready.install_seconds,
        task_sha256: ready.material.digest.clone(),
        image: ready.image_id.clone(),
    })
}
