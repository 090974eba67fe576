//! Tasks judged by checks: each check is a process of its own, run by a grader that the patch never touched.

use super::error::ScoreError;
use super::image::{GRADER_DIR, Ready, TREE};
use super::run::random;
use crate::sandbox::{Command, File, Sandbox};
use crate::schema::{Counts, Failure, Scorecard};
use crate::tasks::sha256;

pub(super) struct Card {
    pub counts: Counts,
    pub error: Option<Failure>,
    pub seconds: f64,
    pub log: String,
}

/// Runs every declared check. The list is the denominator: a check that does not run has failed.
///
/// A check passes if its process ends with code 0 and its last line is `passed` and the token that it read from its
/// standard input, which it must do before it loads anything of the patch. A process that ends early cannot say it.
pub(super) async fn run(ready: &Ready, card: &Scorecard, sandbox: &mut dyn Sandbox) -> Result<Card, ScoreError> {
    let task = &ready.task.spec.id;
    let fail = || ScoreError::sandbox(task);
    sandbox.put(&grader(ready)?, GRADER_DIR).await.map_err(fail())?;
    let mut out = Card {
        counts: Counts { passed: 0, total: card.checks.len() as u64 },
        error: None,
        seconds: 0.0,
        log: String::new(),
    };
    for check in &card.checks {
        let token = sha256(&random()?);
        let mut words = card.command.clone();
        words.push(check.clone());
        let command = Command {
            dir: GRADER_DIR.to_owned(),
            env: vec![("TSBENCH_TREE".into(), sandbox.path(TREE))],
            stdin: format!("{token}\n").into_bytes(),
            seconds: ready.task.limits.tests_seconds,
            output_bytes: ready.task.limits.output_bytes,
            ..Command::new(words)
        };
        let done = sandbox.exec(&command).await.map_err(fail())?;
        out.seconds += done.seconds;
        let text = done.stdout.text();
        let passed = done.end.good() && text.trim_end().lines().last() == Some(format!("passed {token}").as_str());
        out.counts.passed += u64::from(passed);
        if !passed {
            out.log.push_str(&format!("{check}: {:?}\n{}\n{}\n", done.end, text, done.stderr.text()));
            out.error
                .get_or_insert(Failure { class: "check_failed".into(), message: format!("{check}: {:?}", done.end) });
        }
    }
    Ok(out)
}

/// The grader's files, of the task's folder `grader/`.
fn grader(ready: &Ready) -> Result<Vec<File>, ScoreError> {
    let files = ready.task.grader_files()?;
    Ok(files.into_iter().map(|(path, bytes)| File::new(path, bytes)).collect())
}
