use super::Exit;
use super::exit::{of_error, told};
use super::interrupts::Interrupts;
use super::machine::Machine;
use super::progress::Progress;
use super::proving::break_off;
use super::say;
use crate::sandbox::Provider;
use crate::schema::Candidate;
use crate::validation::{Decision, Options, Pace, Raised, Turns, ValidationError, read_candidates, validate};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Make tasks of merged changes: each is proven, or rejected with a reason.
///
/// The tests run before the fix and after it, several times each, with the commands that score. What fails before and
/// passes after is a target, what always passes a guard; flaky tests and those tied to a time zone, a language or a
/// time-zone database are left out. The task's image is searched for its answer.
#[derive(Args, Debug)]
pub struct Validate {
    #[command(flatten)]
    one: One,
    /// File of candidates, one JSON object a line with the same fields
    #[arg(long, env = "TSBENCH_CANDIDATES", conflicts_with_all = ["repo", "fix"], required_unless_present = "repo")]
    candidates: Option<PathBuf>,
    /// Folder of bare mirrors named owner__name.git
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    mirrors: PathBuf,
    /// Folder of suites that accepted tasks come into
    #[arg(long, default_value = "tasks", env = "TSBENCH_OUT")]
    out: PathBuf,
    /// Suite of the tasks; made where it is missing
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: Option<String>,
    /// How often the tests are run before and after the fix
    #[arg(long, default_value_t = 3, env = "TSBENCH_RUNS", value_parser = clap::value_parser!(u32).range(1..=20))]
    runs: u32,
    /// Candidates side by side
    #[arg(long, default_value_t = 1, env = "TSBENCH_JOBS")]
    jobs: usize,
    /// Replace tasks that are there already
    #[arg(long, env = "TSBENCH_FORCE", value_parser = BoolishValueParser::new())]
    force: bool,
    #[command(flatten)]
    raised: Seconds,
    #[command(flatten)]
    machine: Machine,
    /// Print what came of each candidate as JSON, one line each
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    quiet: bool,
}

/// Limits of time that are raised.
#[derive(Args, Debug, Clone)]
pub struct Seconds {
    /// Seconds for one run of the tests, kept in task.toml where they differ [default: the suite's, or 180]
    #[arg(long, env = "TSBENCH_TESTS_SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    tests_seconds: Option<u64>,
    /// Seconds for installing dependencies, kept in task.toml where they differ [default: the suite's, or 600]
    #[arg(long, env = "TSBENCH_INSTALL_SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    install_seconds: Option<u64>,
}

impl Seconds {
    /// The limits as validation takes them.
    pub fn raised(&self) -> Raised {
        Raised { install_seconds: self.install_seconds, tests_seconds: self.tests_seconds }
    }
}

/// The candidate that flags describe.
#[derive(Args, Debug)]
struct One {
    /// Repository of the candidate, owner/name
    #[arg(long, env = "TSBENCH_REPO", requires = "fix")]
    repo: Option<String>,
    /// Commit that holds the fix
    #[arg(long, env = "TSBENCH_FIX", requires = "repo")]
    fix: Option<String>,
    /// Commit that the fix was made on [default: the fix's first parent]
    #[arg(long, env = "TSBENCH_BASE")]
    base: Option<String>,
    /// Take a base that does not come before the fix
    #[arg(long, env = "TSBENCH_UNRELATED_BASE", value_parser = BoolishValueParser::new(), requires = "base")]
    unrelated_base: bool,
    /// Id of the task [default: owner__name-NUMBER of the pull request, or the beginning of the commit's id]
    #[arg(long, env = "TSBENCH_ID")]
    id: Option<String>,
    /// Language [default: the only one that can read the tree]
    #[arg(long, env = "TSBENCH_LANGUAGE")]
    language: Option<String>,
    /// Folder of the package inside a monorepo
    #[arg(long, env = "TSBENCH_PACKAGE")]
    package: Option<String>,
    /// Version of the language's runtime, such as 3.12
    #[arg(long, env = "TSBENCH_RUNTIME")]
    runtime: Option<String>,
    /// Number of the pull request [default: the one that the commit's message names]
    #[arg(long, env = "TSBENCH_PULL_REQUEST")]
    pull_request: Option<u64>,
    /// Number of the issue that it closes [default: the one that the commit's message names]
    #[arg(long, env = "TSBENCH_ISSUE")]
    issue: Option<u64>,
    /// File with the problem statement [default: the commit's message without its solution]
    #[arg(long, env = "TSBENCH_PROBLEM")]
    problem: Option<PathBuf>,
}

impl Validate {
    fn all(&self) -> Result<Vec<Candidate>, ValidationError> {
        let one = &self.one;
        match (&self.candidates, &one.repo, &one.fix) {
            (Some(file), ..) => read_candidates(file),
            (None, Some(repo), Some(fix)) => Ok(vec![Candidate {
                id: one.id.clone(),
                suite: None,
                repo: repo.clone(),
                fix: fix.clone(),
                base: one.base.clone(),
                unrelated_base: one.unrelated_base,
                language: one.language.clone(),
                package: one.package.clone(),
                runtime: one.runtime.clone(),
                pull_request: one.pull_request,
                issue: one.issue,
                problem: one.problem.clone(),
                warnings: Vec::new(),
            }]),
            // clap lets no call without either come here.
            _ => Ok(Vec::new()),
        }
    }
}

/// A candidate by number, and what came of it.
type End = (Candidate, Result<Decision, ValidationError>);

/// What every candidate of a call needs.
struct Shared {
    provider: Provider,
    progress: Progress,
    mirrors: PathBuf,
    out: PathBuf,
    suite: Option<String>,
    runs: u32,
    force: bool,
    raised: Raised,
    turns: Turns,
}

/// Runs `tsbench validate`: 1 where a candidate is rejected, 3 where none is and one ran out of time.
pub fn run(args: &Validate) -> anyhow::Result<Exit> {
    let candidates = args.all()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        // Heard from the start: a signal must not end the process with its sandboxes.
        let mut interrupts = Interrupts::new()?;
        let shared = Arc::new(Shared {
            provider: args.machine.open().await?,
            progress: Progress::start(args.quiet),
            mirrors: args.mirrors.clone(),
            out: args.out.clone(),
            suite: args.suite.clone(),
            runs: args.runs,
            force: args.force,
            raised: args.raised.raised(),
            turns: Turns::default(),
        });
        // Red and green runs, and three in other surroundings.
        let candidates_count = candidates.len();
        shared.progress.stage("running tests", candidates.len() as u64 * u64::from(2 * args.runs + 3));
        let slots = Arc::new(Semaphore::new(args.jobs.max(1)));
        let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let mut set: JoinSet<End> = JoinSet::new();
        for candidate in candidates {
            let (shared, slots) = (Arc::clone(&shared), Arc::clone(&slots));
            set.spawn(async move {
                let _slot = slots.acquire_owned().await;
                let end = one(&candidate, &shared).await;
                (candidate, end)
            });
        }
        let (mut accepted, mut rejected, mut undecided) = (0, 0, 0);
        // One candidate is told of once, at the end; of several each is told as it is decided.
        let alone = candidates_count == 1;
        let mut failure: Option<anyhow::Error> = None;
        loop {
            tokio::select! {
                end = set.join_next() => match end {
                    None => break,
                    Some(end) => {
                        let (candidate, end) = end?;
                        match end {
                            Ok(decision) => {
                                match &decision {
                                    Decision::Accepted { .. } => accepted += 1,
                                    Decision::Rejected(_) => rejected += 1,
                                    Decision::Undecided(_) => undecided += 1,
                                }
                                shared.progress.above(|| print(&decision, args.json));
                            }
                            // The others go on: what they give is written as it comes.
                            Err(e) => {
                                let e = anyhow::Error::from(e);
                                if !alone {
                                    let of = format!("{} {}", candidate.repo, candidate.fix);
                                    shared.progress.above(|| eprintln!("{of}: failed to {}", told(&e)));
                                }
                                failure.get_or_insert(e);
                            }
                        }
                    }
                },
                () = interrupts.heard() => {
                    break_off(set, &shared.provider, before).await?;
                    shared.progress.finish();
                    eprintln!("interrupted: {accepted} accepted, {rejected} rejected; the others are undecided");
                    return Ok(Exit::Interrupted);
                }
            }
        }
        shared.progress.finish();
        if failure.is_none() || !alone {
            let open = if undecided == 0 { String::new() } else { format!(", {undecided} undecided") };
            eprintln!("{accepted} accepted, {rejected} rejected{open}");
        }
        match failure {
            Some(e) if alone => Err(e),
            Some(e) => Ok(of_error(&e)),
            None if rejected > 0 => Ok(Exit::No),
            None => Ok(if undecided == 0 { Exit::Good } else { Exit::Missing }),
        }
    })
}

async fn one(candidate: &Candidate, shared: &Shared) -> Result<Decision, ValidationError> {
    let at = jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_else(|_| jiff::Timestamp::now()).to_string();
    let options = Options {
        mirrors: &shared.mirrors,
        out: &shared.out,
        suite: shared.suite.as_deref(),
        runs: shared.runs,
        force: shared.force,
        raised: shared.raised,
        turns: &shared.turns,
        at: &at,
    };
    let candidate = &candidate.completed(&shared.mirrors)?;
    let name = candidate.task_id()?;
    let pace = |pace: Pace<'_>| match pace {
        Pace::Begins(what) => shared.progress.begin(&format!("{name}: {what}")),
        Pace::RunEnds => shared.progress.step(),
    };
    validate(candidate, &shared.provider, &options, &pace).await
}

fn print(decision: &Decision, as_json: bool) {
    match decision {
        Decision::Accepted { kept, validation: v } => {
            if as_json {
                let value = json!({
                    "task": v.task, "accepted": true, "folder": kept.dir, "replaced": kept.replaced, "targets": v.targets,
                    "guards": v.guards, "runtime": v.runtime, "image": v.image, "warnings": v.warnings,
                    "dropped": v.dropped,
                });
                say!("{value}");
                return;
            }
            say!("{}\taccepted\ttargets {}\tguards {}\t{}", v.task, v.targets, v.guards, v.runtime);
            v.dropped.iter().for_each(|d| say!("{}\tleft out, {:?}: {}", v.task, d.why, d.id));
            v.warnings.iter().for_each(|w| eprintln!("warning: {}: {w}", v.task));
        }
        Decision::Rejected(r) => {
            if as_json {
                say!("{}", json!({"task": r.id, "accepted": false, "rejection": r}));
                return;
            }
            say!("{}\trejected\t{:?}\t{}", r.id, r.stage, r.reason);
            r.evidence.iter().take(20).for_each(|e| say!("{}\t| {e}", r.id));
        }
        Decision::Undecided(u) => {
            if as_json {
                say!("{}", json!({"task": u.id, "accepted": false, "undecided": u}));
            } else {
                say!("{}\tundecided\t{}", u.id, u.reason());
            }
            eprintln!("hint: {}: {}", u.id, u.hint());
        }
    }
}
