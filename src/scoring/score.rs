use super::candidate::{Candidate, candidate_for};
use super::error::ScoreError;
use super::image::{Ready, runtime_in};
use super::judge::{Judged, judge};
use super::run::{lay, log_of, open, run_tests};
use super::scorecard;
use crate::git::run_blocking;
use crate::reports::{Report, verdict_of};
use crate::sandbox::{Provider, Sandbox};
use crate::schema::{Failure, Outcome, Seconds, TestCounts, Verdict, VerdictDigests};
use crate::tasks::{TaskError, sha256};
use std::time::Instant;

/// A verdict and what it was read from.
#[derive(Clone, Debug)]
pub struct Scored {
    /// The verdict.
    pub verdict: Verdict,
    /// What the tests reported; empty for scorecards and for patches that do not apply.
    pub report: Report,
    /// The end of the tests' output.
    pub log: String,
}

impl Scored {
    /// Tests among those that failed of which the report says nothing: no such test was run, or it has another name.
    pub fn missing(&self) -> Vec<String> {
        let failed = self.verdict.targets.failed.iter().chain(&self.verdict.guards.failed);
        failed.filter(|id| verdict_of(id, &self.report).is_none()).cloned().collect()
    }
}

/// Scores one patch in a fresh sandbox. An error is a fault of ours; the patch's own faults are in the verdict.
///
/// With `run_empty` an empty patch is tested too, as the gate needs it; else it is [`Outcome::NoPatch`] at once.
pub async fn score(ready: &Ready, patch: &[u8], provider: &Provider, run_empty: bool) -> Result<Scored, ScoreError> {
    let start = Instant::now();
    if ready.task.spec.scorecard.is_none() && ready.task.spec.targets.is_empty() {
        let file = ready.task.dir.join("task.toml");
        let hint = "name the tests that fail before the fix and pass after it";
        return Err(TaskError::bad(file, "targets is empty: no patch could resolve the task", hint).into());
    }
    let made = made_for_runtime(ready, patch, provider).await?;
    let mut verdict = blank(ready, patch, &made, provider);
    if made.applied.is_none() {
        verdict.outcome = Outcome::PatchFailed;
        verdict.error = Some(Failure { class: "patch_failed".into(), message: made.refusal.clone() });
        return Ok(finish(verdict, start, Report::default(), String::new()));
    }
    if made.applied == Some("empty") && !run_empty {
        verdict.outcome = Outcome::NoPatch;
        return Ok(finish(verdict, start, Report::default(), String::new()));
    }
    if let Some(card) = &ready.task.spec.scorecard {
        let score = scorecard::run(ready, card, &made.tree, provider).await?;
        let all = score.counts.passed == score.counts.total;
        verdict.outcome = match () {
            () if all => Outcome::Resolved,
            () if score.timed_out => Outcome::TimedOut,
            () => Outcome::Unresolved,
        };
        verdict.score = Some(score.counts);
        verdict.error = score.error;
        verdict.seconds.tests = Some(score.seconds);
        return Ok(finish(verdict, start, Report::default(), score.log));
    }
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    let mut sandbox = open(ready, provider).await?;
    let end = in_sandbox(ready, &made, sandbox.as_mut(), &mut verdict).await;
    let closed = sandbox.close().await.map_err(fail());
    let (report, log) = end?;
    closed?;
    Ok(finish(verdict, start, report, log))
}

/// The candidate of a patch. Where it asks for a newer version of the language, the runtime is asked whether it knows it: a
/// fix is not to blame for what it raises beside it.
async fn made_for_runtime(ready: &Ready, patch: &[u8], provider: &Provider) -> Result<Candidate, ScoreError> {
    let make = |runtime: Option<&str>| {
        // Many files take their time, in which other attempts go on.
        run_blocking(|| candidate_for(&ready.task, &ready.material, ready.language, &ready.plan, patch, runtime))
    };
    let made = make(None)?;
    if made.version.is_none() {
        return Ok(made);
    }
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    let mut runtime = ready.runtime.clone();
    if runtime.is_empty() {
        let mut sandbox = open(ready, provider).await?;
        let asked = runtime_in(ready, sandbox.as_mut()).await.map_err(fail());
        let closed = sandbox.close().await.map_err(fail());
        runtime = asked?;
        closed?;
    }
    Ok(make(Some(&runtime))?)
}

fn blank(ready: &Ready, patch: &[u8], made: &Candidate, provider: &Provider) -> Verdict {
    let spec = &ready.task.spec;
    let none = |ids: &[String]| TestCounts { passed: 0, total: ids.len() as u64, failed: ids.to_vec() };
    Verdict {
        task: spec.id.clone(),
        outcome: Outcome::Unresolved,
        applied: made.applied.map(str::to_owned),
        dropped: made.dropped.clone(),
        put_back: made.put_back.clone(),
        files: made.files,
        targets: none(&spec.targets),
        guards: none(&spec.guards),
        score: None,
        error: None,
        seconds: Seconds { install: ready.install_seconds, ..Seconds::default() },
        digests: VerdictDigests {
            task: ready.material.digest.clone(),
            image: ready.image_id.clone(),
            patch: sha256(patch),
            grader: super::GRADER.to_owned(),
        },
        isolation: provider.isolation().to_owned(),
    }
}

fn finish(mut verdict: Verdict, start: Instant, report: Report, log: String) -> Scored {
    verdict.seconds.total = Some(start.elapsed().as_secs_f64());
    Scored { verdict, report, log }
}

async fn in_sandbox(
    ready: &Ready,
    made: &Candidate,
    sandbox: &mut dyn Sandbox,
    verdict: &mut Verdict,
) -> Result<(Report, String), ScoreError> {
    lay(ready, &made.tree, sandbox).await?;
    let (report, done) = run_tests(ready, sandbox, &[], &made.code, ready.task.limits.tests_seconds).await?;
    let Judged { outcome, targets, guards, error } = judge(&ready.task.spec, ready.language, &report, &done);
    let lost = verdict.not_scored().filter(|_| outcome != Outcome::Resolved);
    // The reason of a failure may be what was taken away, so that is said first.
    let first = |e: Failure| match &lost {
        Some(lost) => Failure { message: format!("not scored, {lost}\n{}", e.message), ..e },
        None => e,
    };
    *verdict = Verdict { outcome, targets, guards, error: error.map(first), ..verdict.clone() };
    verdict.seconds.tests = Some(done.seconds);
    Ok((report, log_of(&done)))
}
