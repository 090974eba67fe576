use super::Exit;
use super::audit::logs;
use super::say;
use super::{exchange, seal, tasks_check};
use crate::health::{Standing, standings};
use crate::schema::HealthState;
use crate::tasks::{Key, Task, find_in, unseal};
use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Which tasks a verb means.
#[derive(Args, Debug, Clone)]
pub struct Which {
    /// Folder of suites
    #[arg(long, default_value = "tasks", env = "TSBENCH_TASKS")]
    pub tasks: PathBuf,
    /// Only this suite, by id or id@version
    #[arg(long, env = "TSBENCH_SUITE")]
    pub suite: Option<String>,
    /// Only this task
    #[arg(long, env = "TSBENCH_TASK")]
    pub task: Option<String>,
    /// Folder of bare mirrors named owner__name.git, for tasks whose trees are not kept here
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    pub mirrors: PathBuf,
    /// File of a key that opens sealed tasks, for this process alone
    #[arg(long, env = "TSBENCH_SEAL_KEY")]
    pub seal_key: Option<PathBuf>,
}

impl Which {
    /// The tasks that are meant, opened where they are sealed and there is a key.
    pub fn find(&self) -> anyhow::Result<Vec<Task>> {
        opened(find_in(&self.tasks, self.suite(), self.task())?, self.seal_key.as_deref())
    }

    /// The suite that is meant; an empty variable of the environment is as good as none.
    pub fn suite(&self) -> Option<&str> {
        self.suite.as_deref().filter(|s| !s.is_empty())
    }

    /// The task that is meant, as for the suite.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref().filter(|t| !t.is_empty())
    }
}

/// Opens those of the tasks that are sealed, where there is a key; without one they stay sealed.
pub fn opened(tasks: Vec<Task>, key: Option<&Path>) -> anyhow::Result<Vec<Task>> {
    let Some(key) = key.filter(|k| !k.as_os_str().is_empty()) else { return Ok(tasks) };
    let key = Key::read(key)?;
    Ok(tasks.into_iter().map(|t| unseal(t, &key)).collect::<Result<_, _>>()?)
}

/// List, show or check tasks; take them in, give them out, seal them.
#[derive(Args, Debug)]
pub struct Tasks {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List tasks
    List {
        #[command(flatten)]
        which: Which,
        /// Folder of the logs of audits, for the state of each task
        #[arg(long, default_value = "health", env = "TSBENCH_HEALTH")]
        health: PathBuf,
        /// Print as JSON
        #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
        json: bool,
    },
    /// Show one task: its statement and what is asked of a fix
    Show {
        /// The task, as --task says it
        id: Option<String>,
        #[command(flatten)]
        which: Which,
    },
    /// Check tasks without running them: 1 where something is wrong
    Check {
        #[command(flatten)]
        which: Which,
        /// Print as JSON
        #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
        json: bool,
    },
    /// Give a suite out: as a dataset, or in the format of another benchmark
    Export(exchange::Export),
    /// Take tasks in: a dataset, or another benchmark's rows or task folders
    Import(exchange::Import),
    /// Keep tests and fixes from the public: encrypted, with commitments that show later that nothing was changed
    Seal(seal::Seal),
    /// Open sealed tasks for good
    Unseal(seal::Unseal),
    /// Write a new key for sealing, and print whom to seal for
    NewKey(seal::NewKey),
}

/// Runs `tsbench tasks`.
pub fn run(args: &Tasks) -> anyhow::Result<Exit> {
    match &args.verb {
        Verb::List { which, health, json } => list(which, health, *json),
        Verb::Show { id, which } => show(id.as_deref().or(which.task()), which),
        Verb::Check { which, json } => tasks_check::run(which, *json),
        Verb::Export(args) => exchange::export(args),
        Verb::Import(args) => exchange::import(args),
        Verb::Seal(args) => seal::seal(args),
        Verb::Unseal(args) => seal::unseal(args),
        Verb::NewKey(args) => seal::new_key(args),
    }
}

/// Standings by suite and task.
type Standings<'l> = BTreeMap<(&'l str, &'l str), Standing<'l>>;

fn standing<'l>(standings: &'l Standings<'l>, task: &'l Task) -> Option<&'l Standing<'l>> {
    standings.get(&(task.suite.as_str(), task.spec.id.as_str()))
}

fn list(which: &Which, health: &Path, as_json: bool) -> anyhow::Result<Exit> {
    let tasks = find_in(&which.tasks, which.suite(), which.task())?;
    let logs = logs(health, tasks.iter())?;
    let standings = standings(logs.values().flatten());
    if as_json {
        let of = |t: &Task| {
            standing(&standings, t).map(|s| {
                let quarantined = s.is_quarantined();
                json!({"state": s.newest.state, "at": s.newest.at, "reason": s.newest.reason, "quarantined": quarantined})
            })
        };
        let list: Vec<_> = tasks.iter().map(|t| json!({"suite": t.suite, "task": t.spec, "health": of(t)})).collect();
        say!("{}", serde_json::to_string_pretty(&list)?);
    } else {
        for t in &tasks {
            let s = &t.spec;
            let state = match standing(&standings, t) {
                None => "not audited",
                Some(s) if s.is_quarantined() && s.newest.state == HealthState::Unknown => "unknown, in quarantine",
                Some(s) => s.newest.state.word(),
            };
            let difficulty = s.difficulty.as_deref().unwrap_or("-");
            say!("{}\t{}\t{}\t{difficulty}\t{state}\t{}", t.suite, s.id, s.language, s.title);
        }
    }
    Ok(Exit::Good)
}

fn show(task: Option<&str>, which: &Which) -> anyhow::Result<Exit> {
    for t in opened(find_in(&which.tasks, which.suite(), task)?, which.seal_key.as_deref())? {
        say!("{} {}\n{}\n", t.suite, t.spec.id, t.problem.trim());
        match (&t.spec.sealed, &t.spec.scorecard) {
            // What a sealed task states of itself; its names are inside.
            (Some(s), _) => match s.checks {
                Some(checks) => say!("checks: {checks}, sealed"),
                None => say!("targets: {}, sealed\nguards: {}, sealed", s.targets, s.guards),
            },
            (None, Some(card)) => say!("checks: {}", card.checks.join(", ")),
            (None, None) => say!("targets: {}\nguards: {}", t.spec.targets.len(), t.spec.guards.len()),
        }
        let l = &t.limits;
        say!(
            "limits: {} s of tests, {} s of installation, {} MiB of memory, {} of a processor, {} processes, {} MiB of disk",
            l.tests_seconds,
            l.install_seconds,
            l.memory_mb,
            l.cpu_thousandths as f64 / 1000.0,
            l.processes,
            l.disk_mb
        );
    }
    Ok(Exit::Good)
}
