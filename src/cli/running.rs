//! What `run` and `resume` have in common: a plan made or read, everything opened, and attempts side by side.

use super::Exit;
use super::interrupts::Interrupts;
use super::keys::Keys;
use super::machine::Machine;
use super::progress::Progress;
use super::say;
use crate::agent::{Budget, Kind, Prompts, conditions_of};
use crate::attempts::{
    Bench, Cell, Ending, Ledger, Parts, Phase, Plan, Seen, differences, folder_of, leftover_spent, lock, read_plan,
    remaining,
};
use crate::gateway::{Dialect, Gateways, MockContext, ModelEntry, Secrets, probe};
use crate::sandbox::Provider;
use crate::schema::{Attempt, Outcome};
use crate::tasks::{Material, Task, TaskSuite, load};
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Seconds that attempts may go on after an interruption.
const GRACE: Duration = Duration::from_secs(10);

/// Where a run finds what it needs, and how it is made; none of it is part of the plan.
#[derive(Args, Debug)]
pub struct Working {
    #[command(flatten)]
    pub machine: Machine,
    /// Folder of suites
    #[arg(long, default_value = "tasks", env = "TSBENCH_TASKS")]
    pub task_folder: PathBuf,
    /// Folder of bare mirrors named owner__name.git, for tasks whose trees are not kept here
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    pub mirrors: PathBuf,
    /// File of a key that opens sealed tasks, for this process alone
    #[arg(long, env = "TSBENCH_SEAL_KEY")]
    pub seal_key: Option<PathBuf>,
    /// Folder of the prompt files
    #[arg(long, default_value = "prompts", env = "TSBENCH_PROMPTS")]
    pub prompts: PathBuf,
    /// Folder of the conditions, each a folder with a manifest.toml
    #[arg(long, default_value = "conditions", env = "TSBENCH_CONDITIONS")]
    pub conditions: PathBuf,
    /// Folder of the agents that are programs, each a folder with an agent.toml
    #[arg(long, default_value = "agents", env = "TSBENCH_AGENTS")]
    pub agents: PathBuf,
    /// File that describes the models
    #[arg(long, default_value = "models.toml", env = "TSBENCH_MODELS")]
    pub models_file: PathBuf,
    /// File with NAME=value lines for keys that the environment does not have
    #[arg(long, default_value = ".env", env = "TSBENCH_ENV_FILE")]
    pub env_file: PathBuf,
    /// Attempts side by side
    #[arg(long, default_value_t = 1, env = "TSBENCH_JOBS", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// US dollars that the run may cost in all; it stops before it would cost more
    #[arg(long, env = "TSBENCH_BUDGET_USD")]
    pub budget_usd: Option<f64>,
    /// Do not ask each model for one word before the first attempt
    #[arg(long, env = "TSBENCH_NO_PROBE", value_parser = BoolishValueParser::new())]
    pub no_probe: bool,
    /// Seconds that a daemon which went away is waited for, before the run is paused
    #[arg(long, default_value_t = 300, env = "TSBENCH_DAEMON_WAIT_SECONDS")]
    pub daemon_wait_seconds: u64,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    pub quiet: bool,
    /// Print each new line of the run as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    pub json: bool,
}

/// The time now, as raw lines have it.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

impl Working {
    /// Models and secrets.
    pub fn keys(&self) -> anyhow::Result<(crate::gateway::Models, Secrets)> {
        Keys { models: self.models_file.clone(), env_file: self.env_file.clone() }.read()
    }

    /// The suite of a word, `id` or `id@version`.
    pub fn suite(&self, word: &str) -> anyhow::Result<TaskSuite> {
        let suites = load(&self.task_folder)?;
        let known = suites.iter().map(|s| s.suite.word()).collect::<Vec<_>>().join(", ");
        let found = suites.into_iter().find(|s| word == s.suite.id || word == s.suite.word());
        let mut suite = found.with_context(|| format!("find the suite {word:?}\nhint: there are: {known}"))?;
        suite.tasks = super::tasks::opened(suite.tasks, self.seal_key.as_deref())?;
        Ok(suite)
    }

    /// The digest of every task.
    pub fn digests(&self, tasks: &[Task]) -> anyhow::Result<BTreeMap<String, String>> {
        let of = |t: &Task| Ok((t.spec.id.clone(), Material::prepare(t, &self.mirrors)?.digest));
        tasks.iter().map(of).collect()
    }

    /// The prompt texts of each condition of a run.
    pub fn packs(&self, agent: &Kind, condition: &str) -> anyhow::Result<BTreeMap<String, Prompts>> {
        let of = |name: String| {
            let prompts = Prompts::read(&self.prompts, &self.conditions, agent.prompts(), &name)?;
            Ok((name, prompts))
        };
        conditions_of(condition).into_iter().map(of).collect()
    }
}

/// Goes on with the wanted plan in a folder: locks it, or holds it against the one that is locked there.
pub fn go_on(
    args: &Working,
    dir: &Path,
    mut wanted: Plan,
    secrets: Secrets,
    suite: &TaskSuite,
) -> anyhow::Result<Exit> {
    check_budgets(args, &wanted)?;
    check_folder(dir)?;
    let agent = Kind::read(&args.agents, &wanted.run.agent.name)?;
    let packs = args.packs(&agent, &wanted.run.condition)?;
    if let Some(locked) = read_plan(dir)? {
        let found = differences(&locked, &wanted);
        if !found.is_empty() {
            return Err(crate::attempts::AttemptsError::OtherPlan { dir: dir.to_owned(), differences: found }.into());
        }
        wanted.run.created_at = locked.run.created_at;
        wanted.budget_usd = args.budget_usd.or(locked.budget_usd);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start the runtime")?;
    let gateways = Gateways::new(secrets);
    let tasks: Vec<Task> = suite.tasks.iter().filter(|t| wanted.run.tasks.contains(&t.spec.id)).cloned().collect();
    runtime.block_on(async {
        let provider = Arc::new(args.machine.open().await?);
        if !args.no_probe {
            probe_all(&gateways, &wanted.settings).await?;
        }
        if !dir.join("run.json").exists() {
            lock(dir, &wanted)?;
        }
        let (ledger, lines, torn) = Ledger::open(dir)?;
        if let Some(torn) = torn {
            eprintln!("warning: {torn}");
        }
        let cells = remaining(&wanted, &lines);
        let budget = Budget::new(wanted.budget_usd, spent_before(dir, &cells, &lines));
        let (sender, phase) = watch::channel(Phase::Run);
        let parts = Parts {
            plan: wanted,
            dir: dir.to_owned(),
            agent,
            provider: Arc::clone(&provider),
            gateways,
            prompts: packs,
            budget,
            clock: now,
            host: host(&provider),
            tool: concat!("tsbench ", env!("CARGO_PKG_VERSION")).to_owned(),
            daemon_patience: Duration::from_secs(args.daemon_wait_seconds),
            tell: |text| eprintln!("{text}"),
            phase,
        };
        let bench = Arc::new(Bench::new(parts, tasks, &args.mirrors)?);
        tokio::spawn(interruptions(sender));
        let end = work(args, bench, ledger, cells, &lines).await;
        match (end, provider.sweep().await) {
            // The first fault is the one that counts, and its end the one that is told.
            (Ok(Exit::Good), Err(e)) => Err(e.into()),
            (end, _) => end,
        }
    })
}

async fn work(
    args: &Working,
    bench: Arc<Bench>,
    ledger: Ledger,
    cells: Vec<(Cell, bool)>,
    lines: &[Attempt],
) -> anyhow::Result<Exit> {
    let (planned, left) = (crate::attempts::cells(&bench.parts.plan).len(), cells.len());
    if left < planned {
        eprintln!("{} of {planned} attempts have their line already ({} lines)", planned - left, lines.len());
    }
    let progress = Progress::start(args.quiet);
    progress.stage("attempts", left as u64);
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut unpriced = 0;
    let end = crate::attempts::run(Arc::clone(&bench), ledger, cells, usize::from(args.jobs), |seen| {
        *counts.entry(seen.line.outcome).or_default() += 1;
        unpriced += usize::from(seen.line.cost_usd.is_none() && seen.line.turns.is_some_and(|turns| turns > 0));
        let words: Vec<String> = counts.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
        progress.tell(&format!("{}, ${:.4}", words.join(", "), seen.spent_usd));
        progress.step();
        progress.above(|| {
            if let Some(what) = seen.mended {
                eprintln!(
                    "warning: a fault of tsbench: no reader would take this line as it was: {what}; please report it"
                );
            }
            print(seen, args.json);
        });
    })
    .await?;
    progress.finish();
    let words: Vec<String> = counts.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
    let (made, spent) = (counts.values().sum::<usize>(), bench.parts.budget.spent());
    let unknown = if unpriced > 0 { format!(", and {unpriced} of unknown cost") } else { String::new() };
    match made {
        0 => eprintln!("nothing was left to do; ${spent:.4} in all"),
        _ => eprintln!("{made} attempts: {}; ${spent:.4} in all{unknown}", words.join(", ")),
    }
    let again = format!("tsbench resume {}", bench.parts.dir.display());
    Ok(match end {
        Ending::Done if counts.contains_key(&Outcome::InfraError) => {
            eprintln!("some attempts ended by faults that were no model's\nhint: {again} makes them again");
            Exit::No
        }
        Ending::Done => Exit::Good,
        Ending::Interrupted => {
            eprintln!("interrupted; every attempt that ended is on the disk\nhint: {again}");
            Exit::Interrupted
        }
        Ending::Budget => {
            eprintln!("stopped: the next call might pass the budget\nhint: {again} --budget-usd MORE");
            Exit::Interrupted
        }
        Ending::DaemonLost { message } => {
            eprintln!("error: paused: the daemon of the sandboxes went away: {message}");
            eprintln!(
                "hint: start it again, then {again}: what an agent has finished is scored, and not paid for twice"
            );
            Exit::Missing
        }
        Ending::Paused { class, message } => {
            eprintln!(
                "error: paused after {} faults of one kind in a row: {class}: {message}",
                crate::attempts::MOST_FAULTS
            );
            eprintln!("hint: mend the cause, then {again}");
            Exit::No
        }
    })
}

fn print(seen: &Seen<'_>, as_json: bool) {
    let line = seen.line;
    if as_json {
        say!("{}", json!(line));
        return;
    }
    let condition = if line.condition == "default" { String::new() } else { format!(" {}", line.condition) };
    let cost = line.cost_usd.map_or("cost unknown".to_owned(), |usd| format!("${usd:.4}"));
    let error = line.error.as_ref().map(|e| format!("\t{}", e.class)).unwrap_or_default();
    say!(
        "{}\t{}\t{}{condition}\t{}\t{}\t{} turns\t{cost}{error}",
        line.task,
        line.model,
        line.repeat,
        line.outcome,
        line.stop.as_deref().unwrap_or("-"),
        line.turns.unwrap_or(0)
    );
}

/// The first interruption lets attempts finish for a while, the second one ends them at once.
async fn interruptions(sender: watch::Sender<Phase>) {
    let mut interrupts = match Interrupts::new() {
        Ok(interrupts) => interrupts,
        Err(e) => {
            eprintln!("warning: cannot hear that this process is to end: {e}");
            return;
        }
    };
    interrupts.heard().await;
    eprintln!("interrupted: attempts may finish within {} s; interrupt again to end them now", GRACE.as_secs());
    sender.send_replace(Phase::Finish);
    tokio::select! { () = interrupts.heard() => {}, () = tokio::time::sleep(GRACE) => {} }
    sender.send_replace(Phase::Abort);
    // The sender lives as long as the run, so that those who watch it do not take silence for an end.
    sender.closed().await;
}

/// A run gets a folder of its own, or goes on in the one that it has.
fn check_folder(dir: &Path) -> anyhow::Result<()> {
    let holds = |dir: &Path| std::fs::read_dir(dir).is_ok_and(|mut all| all.next().is_some());
    anyhow::ensure!(
        dir.join("run.json").exists() || !holds(dir),
        "write a run into {}: it holds something else\nhint: name a new folder with --out, such as results/NAME",
        dir.display()
    );
    Ok(())
}

/// A budget needs prices: what an unknown price costs cannot be kept below anything.
fn check_budgets(args: &Working, plan: &Plan) -> anyhow::Result<()> {
    let limited = plan.limits()?.attempt_budget_usd;
    let given = [args.budget_usd, plan.budget_usd, limited];
    anyhow::ensure!(
        given.iter().flatten().all(|usd| usd.is_finite() && *usd >= 0.0),
        "use the budget\nhint: a budget is a number of US dollars from 0"
    );
    let unpriced = plan.settings.iter().find(|e| e.price.is_none());
    if let (true, Some(entry)) = (given.iter().any(Option::is_some), unpriced) {
        let id = &entry.id;
        anyhow::bail!("keep a budget: the price of {id} is unknown\nhint: add its price to models.toml");
    }
    Ok(())
}

/// Asks every model that is reached over a network for one word: what fails now would fail in every attempt.
async fn probe_all(gateways: &Gateways, settings: &[ModelEntry]) -> anyhow::Result<()> {
    for entry in settings {
        let agent = Kind::Shell.answers();
        let seed = format!("probe|{}", entry.id);
        let gateway = gateways.open(entry, MockContext { solution: Vec::new(), seed, agent })?;
        if matches!(entry.dialect, Dialect::Mock | Dialect::Replay) {
            continue;
        }
        probe(gateway.as_ref()).await.end.with_context(|| format!("ask {} before the run", entry.id))?;
    }
    Ok(())
}

/// What the run has cost so far: its lines, and attempts that were cut off before their line. Work of one agent that was
/// scored again has two lines and was paid for once.
fn spent_before(dir: &Path, cells: &[(Cell, bool)], lines: &[Attempt]) -> f64 {
    let mut told: BTreeMap<(PathBuf, &str), f64> = BTreeMap::new();
    for line in lines {
        let paid = told.entry((folder_of(&Cell::from(line)), line.started_at.as_deref().unwrap_or(""))).or_default();
        *paid = paid.max(line.cost_usd.unwrap_or(0.0));
    }
    let cut: f64 = cells.iter().map(|(c, has)| leftover_spent(&dir.join(folder_of(c)), *has).known_usd).sum();
    told.values().sum::<f64>() + cut
}

fn host(provider: &Provider) -> serde_json::Value {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    json!({"isolation": provider.isolation(), "os": os, "cpus": cpus})
}
