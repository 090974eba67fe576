//! Tasks judged by checks: each check is a process of its own, run by a grader that the patch never touched.

use super::error::ScoreError;
use super::image::{Ready, TREE};
use super::run::{lay, open, random};
use crate::git::TreeId;
use crate::sandbox::{Command, End, File, Finished, Provider, Sandbox};
use crate::schema::{Counts, Failure, Scorecard};
use crate::tasks::sha256;

pub(super) struct Card {
    pub counts: Counts,
    pub error: Option<Failure>,
    /// Whether a check ran out of time.
    pub timed_out: bool,
    pub seconds: f64,
    pub log: String,
}

/// Runs every declared check. The list is the denominator: a check that does not run has failed.
///
/// A check passes if its process ends with code 0 and its last line is `passed` and the token that it read from its
/// standard input, which it must do before it loads anything of the patch. A process that ends early cannot say it.
///
/// Each check has a sandbox of its own: what code of the patch leaves behind, in the home folder of the user that grader
/// and code share, in packages, or in the tree, must not be there when the next grader starts.
pub(super) async fn run(
    ready: &Ready,
    card: &Scorecard,
    tree: &TreeId,
    provider: &Provider,
) -> Result<Card, ScoreError> {
    let mut out = Card {
        counts: Counts { passed: 0, total: card.checks.len() as u64 },
        error: None,
        timed_out: false,
        seconds: 0.0,
        log: String::new(),
    };
    for check in &card.checks {
        let token = sha256(&random()?);
        let mut sandbox = open(ready, provider).await?;
        let end = check_in(ready, card, check, &token, tree, sandbox.as_mut()).await;
        let closed = sandbox.close().await.map_err(ScoreError::sandbox(&ready.task.spec.id));
        let done = end?;
        closed?;
        out.seconds += done.seconds;
        let text = done.stdout.text();
        let passed = done.end.good() && text.trim_end().lines().last() == Some(format!("passed {token}").as_str());
        out.counts.passed += u64::from(passed);
        if !passed {
            out.timed_out |= done.end == End::TimedOut;
            out.log.push_str(&format!("{check}: {:?}\n{}\n{}\n", done.end, text, done.stderr.text()));
            out.error.get_or_insert(failure(check, done.end));
        }
    }
    Ok(out)
}

/// What a check that did not pass ended by, in the words that a run of tests has.
fn failure(check: &str, end: End) -> Failure {
    let class = match end {
        End::TimedOut => "tests_timed_out",
        End::OutOfMemory => "out_of_memory",
        End::DiskLimit => "disk_limit",
        End::Exit(_) | End::Signal(_) => "check_failed",
    };
    Failure { class: class.into(), message: format!("{check}: {end:?}") }
}

async fn check_in(
    ready: &Ready,
    card: &Scorecard,
    check: &str,
    token: &str,
    tree: &TreeId,
    sandbox: &mut dyn Sandbox,
) -> Result<Finished, ScoreError> {
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    lay(ready, tree, sandbox).await?;
    // A name that nobody can guess, of a copy that the grader may remove before it starts anything of the patch.
    let dir = format!("/home/agent/grader-{}", &sha256(&random()?)[..24]);
    sandbox.put(&grader(ready)?, &dir).await.map_err(fail())?;
    starts(ready, card, &dir, sandbox).await?;
    let mut words = card.command.clone();
    words.push(check.to_owned());
    let command = Command {
        env: vec![("TSBENCH_TREE".into(), sandbox.path(TREE)), ("TSBENCH_GRADER".into(), sandbox.path(&dir))],
        dir,
        stdin: format!("{token}\n").into_bytes(),
        seconds: ready.task.limits.tests_seconds,
        output_bytes: ready.task.limits.output_bytes,
        ..Command::new(words)
    };
    sandbox.exec(&command).await.map_err(fail())
}

/// A command that is not there says nothing about a patch. It is asked before the grader runs, since a code of its end or
/// words of its output could come from the patch.
async fn starts(ready: &Ready, card: &Scorecard, dir: &str, sandbox: &mut dyn Sandbox) -> Result<(), ScoreError> {
    let task = &ready.task.spec.id;
    let program = card.command.first().cloned().unwrap_or_default();
    let words = ["sh", "-c", "command -v \"$1\"", "sh", &program];
    let asked = sandbox.exec(&Command { dir: dir.to_owned(), ..Command::new(words) }).await;
    if asked.map_err(ScoreError::sandbox(task))?.end.good() {
        return Ok(());
    }
    Err(ScoreError::Grader { task: task.clone(), program, file: ready.task.dir.join("task.toml") })
}

/// The grader's files, of the task's folder `grader/`.
fn grader(ready: &Ready) -> Result<Vec<File>, ScoreError> {
    let files = ready.task.grader_files()?;
    Ok(files.into_iter().map(|(path, bytes)| File::new(path, bytes)).collect())
}
