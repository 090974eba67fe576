use super::candidate::{Candidate, candidate};
use super::error::ScoreError;
use super::image::{HOME, Ready, TOOLS, TREE, files, inside, lease, places, tools};
use super::judge::{Judged, judge};
use super::scorecard;
use crate::git::Tree;
use crate::reports::{Key, Report};
use crate::sandbox::{Command, File, Finished, Provider, Sandbox, SandboxError, Spec};
use crate::schema::{Failure, Outcome, Seconds, TestCounts, Verdict, VerdictDigests};
use crate::tasks::sha256;
use std::io::Read;
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

/// Bytes of report files that are read.
const MOST_REPORT: u64 = 64 << 20;

/// Scores one patch in a fresh sandbox. An error is a fault of ours; the patch's own faults are in the verdict.
///
/// With `run_empty` an empty patch is tested too, as the gate needs it; else it is [`Outcome::NoPatch`] at once.
pub async fn score(ready: &Ready, patch: &[u8], provider: &Provider, run_empty: bool) -> Result<Scored, ScoreError> {
    let start = Instant::now();
    let made = candidate(&ready.task, &ready.material, ready.language, &ready.plan, patch)?;
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
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    let limits = &ready.task.limits;
    let spec = Spec {
        image: ready.image.clone(),
        network: false,
        limits: limits.clone(),
        lease: lease(&ready.task, limits.tests_seconds)?,
        caches: Vec::new(),
    };
    let mut sandbox = provider.open(&spec).await.map_err(fail())?;
    let end = in_sandbox(ready, &made, sandbox.as_mut(), &mut verdict).await;
    let closed = sandbox.close().await.map_err(fail());
    let (report, log) = end?;
    closed?;
    Ok(finish(verdict, start, report, log))
}

fn blank(ready: &Ready, patch: &[u8], made: &Candidate, provider: &Provider) -> Verdict {
    let spec = &ready.task.spec;
    let none = |ids: &[String]| TestCounts { passed: 0, total: ids.len() as u64, failed: ids.to_vec() };
    Verdict {
        task: spec.id.clone(),
        outcome: Outcome::Unresolved,
        applied: made.applied.map(str::to_owned),
        dropped: made.dropped.clone(),
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
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    lay(ready, made, sandbox).await?;
    if let Some(card) = &ready.task.spec.scorecard {
        let score = scorecard::run(ready, card, sandbox).await?;
        verdict.outcome =
            if score.counts.passed == score.counts.total { Outcome::Resolved } else { Outcome::Unresolved };
        verdict.score = Some(score.counts);
        verdict.error = score.error;
        verdict.seconds.tests = Some(score.seconds);
        return Ok((Report::default(), score.log));
    }
    // Name and key of the report are made for this run alone, after the patch is fixed.
    let secret = random()?;
    let key = Key::new(secret);
    let folder = format!("/tmp/tsbench-{}", &sha256(&[secret.as_slice(), b"folder"].concat())[..24]);
    let at = places(sandbox, &folder).await.map_err(fail())?;
    let test = ready.language.test(&ready.plan, &at, &key);
    let command = Command {
        words: test.words,
        dir: inside(sandbox, &test.dir),
        env: test.env,
        stdin: test.stdin,
        seconds: ready.task.limits.tests_seconds,
        output_bytes: ready.task.limits.output_bytes,
        ..Command::new([""; 0])
    };
    let done = sandbox.exec(&command).await.map_err(fail())?;
    let (found, trouble) = read_report(sandbox, &folder).await.map_err(fail())?;
    let mut report = ready.language.read(&ready.plan, &found, &key);
    report.problems.extend(trouble);
    let Judged { outcome, targets, guards, error } = judge(&ready.task.spec, ready.language, &report, &done);
    *verdict = Verdict { outcome, targets, guards, error, ..verdict.clone() };
    verdict.seconds.tests = Some(done.seconds);
    Ok((report, log_of(&done)))
}

/// What a run left in its report folder. Entries that cannot be accepted are the patch's doing, not a fault of ours.
async fn read_report(
    sandbox: &mut dyn Sandbox,
    folder: &str,
) -> Result<(Vec<(String, Vec<u8>)>, Vec<String>), SandboxError> {
    match sandbox.get(folder, MOST_REPORT).await {
        Ok(files) => Ok((files.into_iter().filter_map(bytes).collect(), Vec::new())),
        Err(SandboxError::NotFound { .. }) => Ok((Vec::new(), Vec::new())),
        Err(e @ (SandboxError::BadEntry { .. } | SandboxError::TooLarge { .. })) => {
            Ok((Vec::new(), vec![e.to_string()]))
        }
        Err(e) => Err(e),
    }
}

fn bytes(file: File) -> Option<(String, Vec<u8>)> {
    match file.body {
        crate::sandbox::Body::Bytes(bytes) => Some((file.path, bytes)),
        _ => None,
    }
}

/// Turns the image's tree into the candidate's: what differs is removed and written anew.
async fn lay(ready: &Ready, made: &Candidate, sandbox: &mut dyn Sandbox) -> Result<(), ScoreError> {
    let fail = || ScoreError::sandbox(&ready.task.spec.id);
    let (start, wanted) = (ready.material.store.read(&ready.material.start)?, ready.material.store.read(&made.tree)?);
    let gone: Vec<String> = start.iter().filter(|(p, e)| wanted.get(*p) != Some(e)).map(|(p, _)| p.clone()).collect();
    for part in gone.chunks(200) {
        let words = ["rm", "-rf", "--"].into_iter().map(str::to_owned).chain(part.iter().cloned());
        let done = sandbox.exec(&Command { dir: TREE.to_owned(), ..Command::new(words) }).await.map_err(fail())?;
        if !done.end.good() {
            let what = format!("remove old files of the tree: {}", done.stderr.text());
            return Err(fail()(SandboxError::BadInput { what }));
        }
    }
    let new: Tree = wanted.into_iter().filter(|(p, e)| start.get(p) != Some(e)).collect();
    sandbox.put(&files(&ready.material.store, &new)?, TREE).await.map_err(fail())?;
    // The tools of the image are those of the installation; a fresh copy is the one that grades.
    sandbox.put(&tools(ready.language), TOOLS).await.map_err(fail())?;
    sandbox.put(&[], HOME).await.map_err(fail())
}

fn log_of(done: &Finished) -> String {
    format!("{}\n{}", done.stdout.text(), done.stderr.text())
}

/// Random bytes that nothing inside a sandbox can guess.
pub(super) fn random() -> Result<[u8; 32], ScoreError> {
    let mut bytes = [0; 32];
    std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes)).map_err(ScoreError::Random)?;
    Ok(bytes)
}
