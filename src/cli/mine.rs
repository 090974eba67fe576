use super::Exit;
use super::interrupts::Interrupts;
use super::machine::Machine;
use super::mine_chain::{Chain, prove_all};
use super::mine_table::Table;
use super::progress::Progress;
use super::say;
use crate::git::{mirror_folder, repo_of_folder};
use crate::languages::by_name;
use crate::mining::{
    Around, Client, GITHUB, Http, Ledger, Mined, MiningError, Pages, Wanted, glob_fault, mine_github, mine_mirror,
};
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::BoolishValueParser;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Find merged changes that may become tasks, and prove them.
///
/// From GitHub: merged pull requests that close an issue and change code and a test. From a bare mirror alone: commits of
/// the main line whose message names a pull request or an issue, or all of them. OUT gets candidates.jsonl, the statements of issues in
/// problems/, and rejections.jsonl with a reason for every other change, each line as soon as it is known; the same
/// command goes on where it was cut off. With --prove each candidate goes through validation, the gate with its cheats,
/// and the audit's log.
#[derive(Args, Debug)]
pub struct Mine {
    /// Repository, owner/name [default with --from-mirror: by the folder's name, owner__name.git]
    #[arg(long, env = "TSBENCH_REPO", required_unless_present = "from_mirror")]
    repo: Option<String>,
    /// Read this bare mirror alone, in place of GitHub
    #[arg(long, env = "TSBENCH_FROM_MIRROR")]
    from_mirror: Option<PathBuf>,
    /// First day of merges, YYYY-MM-DD
    #[arg(long, env = "TSBENCH_SINCE", value_parser = day)]
    since: Option<String>,
    /// Only changes to code in this language
    #[arg(long, env = "TSBENCH_LANGUAGE")]
    language: Option<String>,
    /// Only changes that touch a path covered by this glob; may be given several times
    #[arg(long, env = "TSBENCH_PATH", value_parser = glob)]
    path: Vec<String>,
    /// With --from-mirror: commits too whose message names no pull request and no issue; their id is by the commit
    #[arg(long, env = "TSBENCH_WITHOUT_PULL_REQUEST", value_parser = BoolishValueParser::new(), requires = "from_mirror")]
    without_pull_request: bool,
    /// Folder that everything is written to
    #[arg(long, env = "TSBENCH_MINING")]
    out: PathBuf,
    /// Address of GitHub's GraphQL interface, for other hosts
    #[arg(long, default_value = GITHUB, env = "TSBENCH_GITHUB_API")]
    api: String,
    /// Hours for which answers of GitHub are kept in the cache
    #[arg(long, default_value_t = 24, env = "TSBENCH_CACHE_HOURS")]
    cache_hours: u32,
    #[command(flatten)]
    chain: Chain,
    #[command(flatten)]
    machine: Machine,
    /// Print the table as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    quiet: bool,
}

fn day(text: &str) -> Result<String, String> {
    let day: jiff::civil::Date = text.parse().map_err(|_| "expected a day as YYYY-MM-DD".to_owned())?;
    Ok(day.to_string())
}

fn glob(text: &str) -> Result<String, String> {
    match glob_fault(text) {
        None => Ok(text.to_owned()),
        Some(why) => Err(format!("it can match no path: {why}")),
    }
}

/// Names of variables that hold a token, the first that is set wins.
const TOKENS: [&str; 2] = ["TSBENCH_GITHUB_TOKEN", "GITHUB_TOKEN"];

/// Runs `tsbench mine`: with --prove 1 where there are candidates and none of them is a task.
pub fn run(args: &Mine) -> anyhow::Result<Exit> {
    let job = Arc::new(Job::of(args)?);
    args.chain.check(args.from_mirror.as_deref(), &job.repo)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let end = runtime.block_on(async {
        let mut interrupts = Interrupts::new()?;
        let worker = {
            let job = Arc::clone(&job);
            tokio::task::spawn_blocking(move || job.mine())
        };
        let mined = tokio::select! {
            end = worker => Some(end??),
            () = interrupts.heard() => None,
        };
        job.progress.finish();
        let Some(mined) = mined else {
            job.stop.store(true, Ordering::Relaxed);
            return Ok(None);
        };
        let proven = match args.chain.prove {
            true => {
                prove_all(&args.chain, &args.machine, &job.repo, &args.out, job.mirrors(&args.chain), args.quiet)
                    .await?
            }
            false => true,
        };
        anyhow::Ok(Some((mined, proven)))
    });
    // A request that is under way ends with the process.
    runtime.shutdown_background();
    let (mined, whole) = match end? {
        None => {
            eprintln!("interrupted: what was found is in {}; the same command goes on from there", args.out.display());
            return Ok(Exit::Interrupted);
        }
        Some(end) => end,
    };
    let table = Table::read(&args.out, &job.repo, &mined, args.chain.prove)?;
    if args.json {
        say!("{}", table.json())
    } else {
        table.lines().iter().for_each(|line| say!("{line}"))
    }
    eprintln!("every rejection with its evidence: {}", table.logs(&args.out, &args.chain.rejections()).join(", "));
    if !whole {
        eprintln!("interrupted: what was decided is kept; the same command goes on from there");
        return Ok(Exit::Interrupted);
    }
    Ok(if args.chain.prove && table.all_failed() { Exit::No } else { Exit::Good })
}

/// What the mining thread needs.
struct Job {
    repo: String,
    from_mirror: Option<PathBuf>,
    mirror: Option<PathBuf>,
    wanted: Wanted,
    out: PathBuf,
    api: Option<Http>,
    pages: (PathBuf, i64),
    progress: Progress,
    stop: AtomicBool,
}

impl Job {
    fn of(args: &Mine) -> anyhow::Result<Job> {
        let named = args.from_mirror.as_deref().and_then(repo_of_folder);
        let Some(repo) = args.repo.clone().filter(|r| !r.is_empty()).or(named) else {
            bail!("tell the repository by the mirror's name\nhint: name it owner__name.git, or say --repo owner/name");
        };
        let Some(folder) = mirror_folder(&repo) else {
            bail!(
                "use {repo:?} as a repository\nhint: write owner/name, in letters, digits, dots, dashes and underscores"
            );
        };
        let mirror = args.chain.mirrors.join(folder);
        if args.chain.prove && args.from_mirror.is_none() && args.api != GITHUB && !mirror.is_dir() {
            let what = mirror.display();
            bail!("prove without the mirror {what}\nhint: tsbench mirror add https://YOUR-HOST/{repo} makes it");
        }
        if let Some(language) = &args.language {
            by_name(language).with_context(|| format!("use the language {language:?}"))?;
        }
        let api = match args.from_mirror {
            Some(_) => None,
            None => {
                let token = TOKENS.iter().find_map(|name| std::env::var(name).ok().filter(|t| !t.trim().is_empty()));
                Some(Http::new(&args.api, &token.unwrap_or_default())?)
            }
        };
        Ok(Job {
            repo,
            from_mirror: args.from_mirror.clone(),
            mirror: Some(mirror).filter(|m| m.is_dir()),
            wanted: Wanted {
                since: args.since.clone(),
                language: args.language.clone(),
                paths: args.path.iter().filter(|p| !p.is_empty()).cloned().collect(),
                nameless: args.without_pull_request,
            },
            out: args.out.clone(),
            api,
            pages: (args.machine.cache()?.join("github"), i64::from(args.cache_hours) * 3600),
            progress: Progress::start(args.quiet),
            stop: AtomicBool::new(false),
        })
    }

    /// The folder of the mirrors that candidates are proven with.
    fn mirrors(&self, chain: &Chain) -> PathBuf {
        let beside = self.from_mirror.as_deref().and_then(|m| std::path::absolute(m).ok());
        beside.and_then(|m| m.parent().map(PathBuf::from)).unwrap_or_else(|| chain.mirrors.clone())
    }

    fn mine(&self) -> Result<Mined, MiningError> {
        let (mut ledger, warnings) = Ledger::open(&self.out)?;
        let warn = |text: String| self.progress.above(|| eprintln!("warning: {text}"));
        warnings.into_iter().for_each(warn);
        let around = Around { now: &|| jiff::Timestamp::now().as_second(), pause: &|wait, why| self.pause(wait, why) };
        match (&self.from_mirror, &self.api) {
            (Some(mirror), _) => {
                let step = |done, all| {
                    if done == 1 {
                        self.progress.stage("reading commits", all);
                        self.progress.begin(&format!("reading {all} commits of {}", self.repo));
                    }
                    self.progress.step();
                };
                mine_mirror(mirror, &self.repo, &self.wanted, &mut ledger, around, &step)
            }
            (None, Some(api)) => {
                self.progress.stage("reading pull requests", 0);
                self.progress.begin(&format!("reading pull requests of {}", self.repo));
                let mut client = Client::new(api, Pages::new(&self.pages.0, self.pages.1), around);
                let step = |seen| self.progress.tell(&format!("reading pull requests: {seen}"));
                let mirror = self.mirror.as_deref();
                mine_github(&mut client, &self.repo, &self.wanted, mirror, &mut ledger, &step, &warn)
            }
            // One of them is there: `of` made it so.
            (None, None) => Ok(Mined::default()),
        }
    }

    /// Waits in small steps, so that an interruption is heard.
    fn pause(&self, wait: Duration, why: &str) -> bool {
        if !wait.is_zero() {
            self.progress.above(|| eprintln!("waiting {} s: {why}", wait.as_secs()));
        }
        let until = std::time::Instant::now() + wait;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let left = until.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}
