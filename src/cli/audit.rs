use super::Exit;
use super::proving::{Proving, Tried, counts_in_words, each, is_ours, tasks_word};
use super::say;
use crate::gate::Proof;
use crate::health::{Standing, append, failed_shown, judged, read, standings};
use crate::sandbox::Provider;
use crate::schema::{HEALTH_SCHEMA, HealthLine, HealthProof, HealthState, ProofKind, TestCounts};
use crate::scoring::ScoreError;
use crate::tasks::Task;
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Prove tasks again and keep what came of it in a dated log: 1 where a task is in quarantine.
///
/// Each task that is done is one line at the end of HEALTH/<suite>.jsonl. A task whose newest answer is not healthy is in
/// quarantine, by name, until an audit finds it healthy again. A fault of this machine is no answer.
#[derive(Args, Debug)]
pub struct Audit {
    #[command(flatten)]
    proving: Proving,
    /// Folder of the logs
    #[arg(long, default_value = "health", env = "TSBENCH_HEALTH")]
    health: PathBuf,
    /// Print each new line of the log as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Logs by the id of their suite.
type Logs = BTreeMap<String, Vec<HealthLine>>;

/// The id of a suite's word `id@version`: the name of its log.
fn suite_id(word: &str) -> &str {
    word.split_once('@').map_or(word, |s| s.0)
}

/// The log of a suite.
pub fn path_of(health: &Path, suite: &str) -> PathBuf {
    health.join(format!("{}.jsonl", suite_id(suite)))
}

/// The logs of these tasks' suites; tells on standard error of a line that was cut off.
pub fn logs<'t>(health: &Path, tasks: impl Iterator<Item = &'t Task>) -> anyhow::Result<Logs> {
    let mut logs = Logs::new();
    for task in tasks {
        let id = suite_id(&task.suite);
        if !logs.contains_key(id) {
            let (lines, torn) = read(&path_of(health, id))?;
            torn.iter().for_each(|t| eprintln!("warning: {t}"));
            logs.insert(id.to_owned(), lines);
        }
    }
    Ok(logs)
}

/// Finds out before the work whether its answers can be kept; nothing is left behind.
fn writable(log: &Path) -> anyhow::Result<()> {
    let hint = "hint: name a folder that can be written with --health";
    let told = || format!("write {}\n{hint}", log.display());
    if log.exists() {
        std::fs::OpenOptions::new().append(true).open(log).with_context(told)?;
        return Ok(());
    }
    let parent = log.ancestors().skip(1).map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p });
    let parent = parent.into_iter().find(|p| std::fs::symlink_metadata(p).is_ok()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(parent).with_context(told)?;
    Ok(())
}

/// Runs `tsbench audit`.
pub fn run(args: &Audit) -> anyhow::Result<Exit> {
    let which = &args.proving.which;
    let tasks = which.find()?;
    let mut logs = logs(&args.health, tasks.iter())?;
    let named: Vec<(String, String)> = tasks.iter().map(|t| (t.suite.clone(), t.spec.id.clone())).collect();
    named.iter().try_for_each(|(suite, _)| writable(&path_of(&args.health, suite)))?;
    let mut unknown = 0;
    let finished = each(&args.proving, tasks, "auditing tasks", |task, provider, end| {
        let log = logs.entry(suite_id(&task.suite).to_owned()).or_default();
        let line = line(task, provider, end, log);
        append(&path_of(&args.health, &task.suite), &line).context("keep what the audit found")?;
        unknown += usize::from(line.state == HealthState::Unknown);
        print(&line, args.json);
        log.push(line);
        Ok(())
    })?;
    if !finished {
        eprintln!("interrupted: the tasks that were done are in the log");
        return Ok(Exit::Interrupted);
    }
    let standings = standings(logs.values().flatten());
    let quarantined: Vec<&Standing<'_>> = named
        .iter()
        .filter_map(|(suite, task)| standings.get(&(suite.as_str(), task.as_str())))
        .filter(|s| s.is_quarantined())
        .collect();
    for line in quarantined.iter().filter_map(|s| s.answer) {
        if !args.json {
            say!("quarantine\t{}\t{}\t{}\t{}", line.suite, line.task, line.state.word(), line.reason);
        }
    }
    let count = tasks_word(named.len());
    eprintln!("{count}, {} in quarantine, {unknown} without an answer", quarantined.len());
    Ok(match (quarantined.is_empty(), unknown) {
        (false, _) => Exit::No,
        (true, 0) => Exit::Good,
        (true, _) => Exit::Missing,
    })
}

/// The line of a log that says what came of proving a task.
pub fn line(task: &Task, provider: &Provider, end: Result<Tried, ScoreError>, log: &[HealthLine]) -> HealthLine {
    let before: Vec<&HealthLine> = log.iter().filter(|l| l.suite == task.suite && l.task == task.spec.id).collect();
    let mut line = HealthLine {
        schema: HEALTH_SCHEMA.into(),
        suite: task.suite.clone(),
        task: task.spec.id.clone(),
        at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        tool: concat!("tsbench ", env!("CARGO_PKG_VERSION")).into(),
        isolation: provider.isolation().to_owned(),
        task_sha256: None,
        image: None,
        state: HealthState::Unknown,
        reason: String::new(),
        proofs: Vec::new(),
    };
    match end {
        Ok(tried) => {
            line.proofs = tried.proven.proofs.into_iter().map(proof).collect();
            (line.task_sha256, line.image) = (Some(tried.task_sha256), Some(tried.image));
            (line.state, line.reason) = judged(&line.proofs, &line.isolation, &before);
        }
        Err(e) => {
            line.reason = first_line(&e.to_string());
            if !is_ours(&e) {
                (line.state, line.reason) = crate::health::lost(&line.reason, &before);
            }
        }
    }
    line
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("").chars().take(300).collect()
}

fn proof(p: Proof) -> HealthProof {
    let shown = |c: TestCounts| TestCounts { failed: failed_shown(&c.failed), ..c };
    let v = p.verdict;
    HealthProof {
        kind: p.kind,
        name: p.name,
        good: p.good,
        outcome: v.outcome,
        error: v.error.map(|e| crate::schema::Failure { message: first_line(&e.message), ..e }),
        targets: shown(v.targets),
        guards: shown(v.guards),
        score: v.score,
        seconds: v.seconds.total.map(|s| (s * 1000.0).round() / 1000.0),
    }
}

fn print(line: &HealthLine, as_json: bool) {
    if as_json {
        say!("{}", json!(line));
        return;
    }
    let counts: Vec<(ProofKind, usize, usize)> = ProofKind::ALL
        .into_iter()
        .map(|kind| (kind, line.count(kind)))
        .map(|(kind, c)| (kind, c.passed as usize, c.total as usize))
        .collect();
    say!(
        "{}\t{}\t{}{}{}",
        line.task,
        line.state.word(),
        counts_in_words(&counts),
        if line.reason.is_empty() { "" } else { "\t" },
        line.reason
    );
}
