//! Candidates of a folder through validation, gate and audit: each is decided once, and what decides it is kept at once.

use super::audit::{line as health_line, path_of};
use super::interrupts::Interrupts;
use super::machine::Machine;
use super::mine_table::{PROVEN, ProvenLine};
use super::mirror::make;
use super::progress::Progress;
use super::proving::{Tried, break_off, is_ours, prove};
use super::validate::Seconds;
use crate::git::{Origin, Store, mirror_folder, update_mirror};
use crate::health::{Standing, append, read, standings};
use crate::sandbox::Provider;
use crate::schema::{Candidate, HealthState, Outcome, Rejection, Stage};
use crate::scoring::ScoreError;
use crate::tasks::{Task, find, load};
use crate::validation::{Decision, Options, Pace, Turns, named, read_candidates, reject, sweep_drafts, validate};
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How candidates are proven.
#[derive(Args, Debug, Clone)]
pub struct Chain {
    /// Prove the candidates: validation, gate with cheats, audit
    #[arg(long, env = "TSBENCH_PROVE", value_parser = BoolishValueParser::new(), requires = "suite")]
    pub prove: bool,
    /// Suite that proven tasks come into; made where it is missing
    #[arg(long, env = "TSBENCH_SUITE")]
    pub suite: Option<String>,
    /// Folder of suites
    #[arg(long, default_value = "tasks", env = "TSBENCH_TASKS")]
    pub tasks: PathBuf,
    /// Folder of the logs of audits
    #[arg(long, default_value = "health", env = "TSBENCH_HEALTH")]
    pub health: PathBuf,
    /// Folder of bare mirrors named owner__name.git; with --from-mirror the folder that it stands in
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    pub mirrors: PathBuf,
    /// How often the tests are run before and after the fix, and how often the gate scores the fix and no change
    #[arg(long, default_value_t = 3, env = "TSBENCH_RUNS", value_parser = clap::value_parser!(u32).range(1..=20))]
    pub runs: u32,
    /// Candidates side by side
    #[arg(long, default_value_t = 1, env = "TSBENCH_JOBS", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Prove at most so many candidates in this call, in the order in which they were found
    #[arg(long, env = "TSBENCH_LIMIT")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub raised: Seconds,
}

impl Chain {
    fn suite(&self) -> &str {
        self.suite.as_deref().unwrap_or("")
    }

    /// Finds out before the work whether suite and mirror can be used to prove with.
    pub fn check(&self, from_mirror: Option<&Path>, repo: &str) -> anyhow::Result<()> {
        if self.prove {
            named(self.suite(), "id of a suite")?;
        }
        let wanted = mirror_folder(repo).unwrap_or_default();
        let other = from_mirror.filter(|m| m.file_name().is_none_or(|name| name != wanted.as_str()));
        if let Some(mirror) = other.filter(|_| self.prove) {
            bail!(
                "prove tasks with {}\nhint: tasks look for a mirror named {wanted}: rename the folder",
                mirror.display()
            );
        }
        Ok(())
    }

    /// The log of what validation and gate reject.
    pub fn rejections(&self) -> Option<PathBuf> {
        self.prove.then(|| self.tasks.join(self.suite()).join("rejections.jsonl"))
    }
}

/// What every candidate of a call needs.
struct Shared {
    chain: Chain,
    provider: Provider,
    progress: Progress,
    mirrors: PathBuf,
    out: PathBuf,
    /// What validation and gate rejected before a call was cut off, by id and commit.
    rejected: BTreeMap<(String, String), Rejection>,
    turns: Turns,
}

/// How a candidate ended, and the seconds of validation and gate.
struct End {
    came: Came,
    seconds: (f64, f64),
}

enum Came {
    Accepted(Box<Task>, Option<Tried>),
    Rejected(Rejection),
}

type Done = (Candidate, anyhow::Result<End>);

/// Proves the candidates of a repository that are not decided yet; false where it was interrupted.
pub async fn prove_all(
    chain: &Chain,
    machine: &Machine,
    repo: &str,
    out: &Path,
    mirrors: PathBuf,
    quiet: bool,
) -> anyhow::Result<bool> {
    let left = sweep_drafts(&chain.tasks);
    if left > 0 {
        eprintln!("removed what {left} proofs that were killed had left in {}", chain.tasks.display());
    }
    let decided: Vec<String> = ProvenLine::read(out)?.into_iter().map(|l| l.id).collect();
    let open = |c: &Candidate| c.repo == repo && c.id.as_ref().is_some_and(|id| !decided.contains(id));
    let all = read_candidates(&out.join("candidates.jsonl"))?;
    let candidates: Vec<Candidate> = all.into_iter().filter(open).take(chain.limit.unwrap_or(usize::MAX)).collect();
    if candidates.is_empty() {
        return Ok(true);
    }
    has_commits(repo, &mirrors, &candidates)?;
    let provider = machine.open().await?;
    let shared = Arc::new(Shared {
        chain: chain.clone(),
        provider,
        progress: Progress::start(quiet),
        mirrors,
        out: out.to_owned(),
        rejected: rejected(chain)?,
        turns: Turns::default(),
    });
    shared.progress.stage("proving candidates", candidates.len() as u64);
    let end = side_by_side(candidates, &shared).await;
    shared.progress.finish();
    end
}

/// Proves candidates side by side; false where it was interrupted.
async fn side_by_side(candidates: Vec<Candidate>, shared: &Arc<Shared>) -> anyhow::Result<bool> {
    let mut interrupts = Interrupts::new()?;
    let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let slots = Arc::new(Semaphore::new(usize::from(shared.chain.jobs)));
    let mut set: JoinSet<Done> = JoinSet::new();
    for candidate in candidates {
        let (shared, slots) = (Arc::clone(shared), Arc::clone(&slots));
        set.spawn(async move {
            let _slot = slots.acquire_owned().await;
            let end = one(&candidate, &shared).await;
            (candidate, end)
        });
    }
    let mut failure = None;
    let whole = loop {
        tokio::select! {
            end = set.join_next() => match end {
                None => break true,
                Some(end) => {
                    let (candidate, end) = end?;
                    shared.progress.step();
                    // The others go on: what they give is kept as it comes.
                    if let Err(e) = end.and_then(|end| keep(&candidate, end, shared)) {
                        let told = super::exit::told(&e);
                        shared.progress.above(|| eprintln!("{}: undecided: failed to {told}", name(&candidate)));
                        failure.get_or_insert(e);
                    }
                }
            },
            () = interrupts.heard() => break false,
        }
    };
    if !whole {
        break_off(set, &shared.provider, before).await?;
    }
    match failure {
        Some(e) if whole => Err(e),
        _ => Ok(whole),
    }
}

fn name(candidate: &Candidate) -> &str {
    candidate.id.as_deref().unwrap_or(&candidate.fix)
}

/// Makes the mirror where it is missing, and fetches once where it lacks a commit.
fn has_commits(repo: &str, mirrors: &Path, candidates: &[Candidate]) -> anyhow::Result<()> {
    let (origin, _) = Origin::parse(repo).map_err(|why| anyhow::anyhow!("use {repo:?} as a repository: it {why}"))?;
    let (mirror, new) = make(&origin, repo, mirrors)?;
    let store = Store::over(&[&mirror])?;
    if !new && candidates.iter().any(|c| store.commit(&c.fix).is_err()) {
        eprintln!("fetching what {} has gained", mirror.display());
        update_mirror(&mirror).with_context(|| format!("fetch the commits of {repo}"))?;
    }
    Ok(())
}

fn rejected(chain: &Chain) -> anyhow::Result<BTreeMap<(String, String), Rejection>> {
    let path = chain.rejections().unwrap_or_default();
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(e).with_context(|| format!("read {}", path.display())),
    };
    let parsed = text.lines().filter_map(|l| serde_json::from_str::<Rejection>(l).ok());
    Ok(parsed.map(|r| ((r.id.clone(), r.fix_commit.clone()), r)).collect())
}

async fn one(candidate: &Candidate, shared: &Shared) -> anyhow::Result<End> {
    let begun = Instant::now();
    let id = name(candidate).to_owned();
    if let Some(known) = shared.rejected.get(&(id.clone(), candidate.fix.clone())) {
        return Ok(End { came: Came::Rejected(known.clone()), seconds: (0.0, 0.0) });
    }
    let (chain, suite) = (&shared.chain, shared.chain.suite());
    let at = jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_else(|_| jiff::Timestamp::now()).to_string();
    // A task that is there was proven by a call that was cut off before the gate, or is another one.
    if !chain.tasks.join(suite).join(&id).exists() {
        let options = Options {
            mirrors: &shared.mirrors,
            out: &chain.tasks,
            suite: Some(suite),
            runs: chain.runs,
            force: false,
            raised: chain.raised.raised(),
            turns: &shared.turns,
            at: &at,
        };
        let pace = |pace: Pace<'_>| {
            if let Pace::Begins(what) = pace {
                shared.progress.begin(&format!("{id}: {what}"));
            }
        };
        match validate(candidate, &shared.provider, &options, &pace).await? {
            Decision::Rejected(rejection) => {
                return Ok(End { came: Came::Rejected(rejection), seconds: (begun.elapsed().as_secs_f64(), 0.0) });
            }
            Decision::Undecided(u) => bail!("prove {id}: {}\nhint: {}", u.reason(), u.hint()),
            Decision::Accepted { .. } => {}
        }
    }
    let validated = begun.elapsed().as_secs_f64();
    let task = find(&load(&chain.tasks)?, Some(suite), Some(&id))?.remove(0);
    if task.spec.source.as_ref().is_none_or(|s| s.fix_commit != candidate.fix) {
        bail!("prove {id}: its folder {} holds another task\nhint: name another --suite", task.dir.display());
    }
    let came = gate(candidate, task, shared, &at).await?;
    Ok(End { came, seconds: (validated, begun.elapsed().as_secs_f64() - validated) })
}

/// Whether a proof ran out of time, which is no answer on a busy machine.
fn is_late(end: &Result<Tried, ScoreError>) -> bool {
    match end {
        Ok(tried) => tried.proven.proofs.iter().any(|p| !p.good && p.verdict.outcome == Outcome::TimedOut),
        Err(e) => e.is_late(),
    }
}

/// The gate with its cheats, unless the log has its answer. A task that is not proven leaves its suite for `unproven/`.
async fn gate(candidate: &Candidate, task: Task, shared: &Shared, at: &str) -> anyhow::Result<Came> {
    let (log, _) = read(&path_of(&shared.chain.health, &task.suite))?;
    let healthy = |s: &Standing<'_>| s.answer.is_some_and(|l| l.state == HealthState::Healthy);
    if standings(log.iter()).get(&(task.suite.as_str(), task.spec.id.as_str())).is_some_and(healthy) {
        return Ok(Came::Accepted(Box::new(task), None));
    }
    let (chain, provider) = (&shared.chain, &shared.provider);
    shared.progress.begin(&format!("{}: gate", task.spec.id));
    let again = || shared.progress.begin(&format!("{}: gate, which took too long, alone", task.spec.id));
    let proven = shared.turns.twice(|| prove(&task, &shared.mirrors, provider, chain.runs, true), is_late, again);
    let evidence = match proven.await {
        Ok(tried) if tried.proven.good() => return Ok(Came::Accepted(Box::new(task), Some(tried))),
        Ok(tried) => {
            let proofs = &tried.proven.proofs;
            if let Some(p) = proofs.iter().find(|p| p.verdict.outcome == Outcome::InfraError) {
                let why = p.verdict.error.as_ref().map_or("a fault of this machine", |e| e.message.as_str());
                bail!("prove {}: {} {}: {why}", task.spec.id, p.kind.word(), p.name);
            }
            if let Some(p) = proofs.iter().find(|p| !p.good && p.verdict.outcome == Outcome::TimedOut) {
                let what = format!(
                    "{} {} took longer than {} s, beside other work and alone",
                    p.kind.word(),
                    p.name,
                    task.limits.tests_seconds
                );
                bail!(
                    "prove {}: {what}\nhint: raise tests_seconds in its task.toml, or remove its folder and raise the limit with --tests-seconds; the same command goes on from there",
                    task.spec.id
                );
            }
            let bad = proofs.iter().filter(|p| !p.good);
            bad.map(|p| format!("{} {}: {:?}", p.kind.word(), p.name, p.verdict.outcome)).collect()
        }
        Err(e) if is_ours(&e) || e.is_late() => return Err(e.into()),
        Err(e) => vec![e.to_string()],
    };
    let aside = shared.out.join("unproven").join(&task.spec.id);
    let parent = aside.parent().unwrap_or(&aside);
    std::fs::create_dir_all(parent).with_context(|| format!("make {}", parent.display()))?;
    let reason = "the gate does not prove the task: its fix fails, or something else passes";
    let rejection = Rejection::new(&candidate.repo, &task.spec.id, &candidate.fix, Stage::Gate, reason, evidence);
    let rejection = Rejection { at: at.to_owned(), ..rejection };
    reject(&rejection, shared.chain.suite(), &shared.chain.tasks)?;
    move_folder(&task.dir, &aside).with_context(|| format!("move {} to {}", task.dir.display(), aside.display()))?;
    Ok(Came::Rejected(rejection))
}

/// Moves a folder, to another file system too.
fn move_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::rename(from, to) {
        Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => {
            for entry in walkdir::WalkDir::new(from) {
                let entry = entry?;
                let place = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
                if entry.file_type().is_dir() {
                    std::fs::create_dir_all(&place)?;
                } else {
                    std::fs::copy(entry.path(), &place)?;
                }
            }
            std::fs::remove_dir_all(from)
        }
        done => done,
    }
}

/// Keeps what became of a candidate: the audit's line first, so that a task without one is never taken for proven.
fn keep(candidate: &Candidate, end: End, shared: &Shared) -> anyhow::Result<()> {
    let mut line = ProvenLine::new(candidate, end.seconds);
    let mut told = String::new();
    match end.came {
        Came::Accepted(task, tried) => {
            if let Some(tried) = tried {
                let path = path_of(&shared.chain.health, &task.suite);
                let (log, torn) = read(&path)?;
                torn.iter().for_each(|t| eprintln!("warning: {t}"));
                let health = health_line(&task, &shared.provider, Ok(tried), &log);
                told = format!(
                    "{}, {} targets, {} guards",
                    health.state.word(),
                    task.spec.targets.len(),
                    task.spec.guards.len()
                );
                append(&path, &health).context("keep what the audit found")?;
            }
            line.accepted = true;
        }
        Came::Rejected(rejection) => {
            told = format!("{}: {}", rejection.stage.word(), rejection.reason);
            (line.stage, line.reason) = (Some(rejection.stage), rejection.reason);
        }
    }
    let path = shared.out.join(PROVEN);
    let mut text = serde_json::to_vec(&line)?;
    text.push(b'\n');
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
    file.write_all(&text).and_then(|()| file.sync_data()).with_context(|| format!("write {}", path.display()))?;
    let word = if line.accepted { "accepted" } else { "rejected" };
    let seconds = line.validate_seconds + line.gate_seconds;
    shared.progress.above(|| eprintln!("{}: {word}: {told} ({seconds:.1} s)", line.id));
    Ok(())
}
