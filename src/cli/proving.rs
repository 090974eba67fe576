//! Tasks proven side by side, for the verbs that do something with the proofs.

use super::interrupts::Interrupts;
use super::machine::Machine;
use super::progress::Progress;
use super::tasks::Which;
use crate::gate::{Proven, prove_exploits, prove_fix, prove_solutions};
use crate::sandbox::Provider;
use crate::schema::ProofKind;
use crate::scoring::{ScoreError, prepare};
use crate::tasks::{Material, Task, TaskError};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How long the removal of sandboxes is waited for after an interruption.
const REMOVAL: Duration = Duration::from_secs(10);

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
    #[arg(long, default_value_t = 2, env = "TSBENCH_JOBS", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
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
        // Heard from the start: a signal before the first task is done must not end the process with its sandboxes.
        let mut interrupts = Interrupts::new()?;
        let provider = Arc::new(args.machine.open().await?);
        let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let progress = Arc::new(Progress::start(args.quiet));
        progress.stage(stage, tasks.len() as u64);
        let slots = Arc::new(Semaphore::new(usize::from(args.jobs)));
        let mut set: JoinSet<(Task, Result<Tried, ScoreError>)> = JoinSet::new();
        for task in tasks {
            let (provider, slots, mirrors) = (Arc::clone(&provider), Arc::clone(&slots), args.which.mirrors.clone());
            let (runs, exploits, progress) = (args.runs, !args.no_exploits, Arc::clone(&progress));
            let what = format!("{}: {}", task.spec.id, stage.trim_end_matches(" tasks"));
            set.spawn(async move {
                let _slot = slots.acquire_owned().await;
                progress.begin(&what);
                let end = prove(&task, &mirrors, &provider, runs, exploits).await;
                (task, end)
            });
        }
        let interrupted = loop {
            tokio::select! {
                end = set.join_next() => match end {
                    None => break false,
                    Some(end) => {
                        let (task, end) = end?;
                        progress.step();
                        let mut told = Ok(());
                        progress.above(|| told = done(&task, &provider, end));
                        if let Err(e) = told {
                            break_off(set, &provider, before).await?;
                            return Err(e);
                        }
                    }
                },
                () = interrupts.heard() => break true,
            }
        };
        if interrupted {
            break_off(set, &provider, before).await?;
        }
        progress.finish();
        Ok(!interrupted)
    })
}

/// Ends what is under way and waits until its sandboxes are removed; `before` tasks of the runtime are not about them.
pub async fn break_off<T: 'static>(mut set: JoinSet<T>, provider: &Provider, before: usize) -> anyhow::Result<()> {
    set.shutdown().await;
    // A sandbox that is dropped is removed by a task of its own. Connections that are kept open are tasks too, so that
    // the number may never fall to what it was.
    let metrics = tokio::runtime::Handle::current().metrics();
    let until = tokio::time::Instant::now() + REMOVAL;
    while metrics.num_alive_tasks() > before && tokio::time::Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The number says when to look, and proves nothing: connections end too, and make room for a removal under way.
    provider.end_own().await?;
    provider.sweep().await?;
    Ok(())
}

/// Whether an error says something about this machine and nothing about the task.
pub fn is_ours(e: &ScoreError) -> bool {
    match e {
        ScoreError::Sandbox { .. } | ScoreError::Random(_) | ScoreError::Git(_) | ScoreError::Runtime { .. } => true,
        ScoreError::Task(e) => !matches!(e, TaskError::Bad { .. }),
        ScoreError::Language { .. } | ScoreError::Install { .. } | ScoreError::Grader { .. } => false,
    }
}

/// How many tries of each kind resolved the task, in words; a kind of which none was tried and none is needed is left out.
pub fn counts_in_words(counts: &[(ProofKind, usize, usize)]) -> String {
    let needed = [ProofKind::Fix, ProofKind::Empty, ProofKind::Exploit];
    let shown = counts.iter().filter(|(kind, _, total)| *total > 0 || needed.contains(kind));
    let word = |kind: ProofKind| match kind {
        ProofKind::Fix => "fix",
        ProofKind::Empty => "empty",
        ProofKind::Exploit => "cheats",
        ProofKind::Alternate => "alternates",
        ProofKind::Wrong => "wrong",
    };
    let words: Vec<String> =
        shown.map(|(kind, passed, total)| format!("{} {passed} of {total}", word(*kind))).collect();
    words.join("\t")
}

/// A number of tasks in words.
pub fn tasks_word(count: usize) -> String {
    if count == 1 { "1 task".to_owned() } else { format!("{count} tasks") }
}

/// Proves one task: the fix, other solutions, and with `exploits` the cheats.
pub async fn prove(
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
    proofs.extend(prove_solutions(&ready, provider).await?);
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
