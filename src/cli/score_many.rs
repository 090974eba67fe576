//! A whole file of predictions scored: one line for each, resumed where it was cut off, and a report at the end.

use super::Exit;
use super::interrupts::Interrupts;
use super::progress::Progress;
use super::proving::{is_ours, tasks_word};
use super::say;
use super::score::Score;
use super::score_files::{check, write_report};
use crate::results::{Prediction, Scored, read_predictions, swe_bench_report};
use crate::schema::{Failure, Outcome, Verdict};
use crate::scoring::{GRADER, prepare, score};
use crate::tasks::{Material, Task, sha256};
use anyhow::Context;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

const SCHEMA: &str = "tsbench.prediction/1";

/// One prediction and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    schema: String,
    instance_id: String,
    model_name_or_path: String,
    patch_sha256: String,
    /// Digest of the task it was scored by; empty where that could not be made ready.
    task_sha256: String,
    grader: String,
    outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

impl Line {
    /// Whether the line still says what scoring would say: nothing of ours failed, and nothing has changed since.
    fn holds(&self, prediction: &Prediction, task_sha256: &str) -> bool {
        let sound = !matches!(self.outcome, Outcome::InfraError | Outcome::Stopped);
        sound
            && self.instance_id == prediction.instance_id
            && self.model_name_or_path == prediction.model
            && self.patch_sha256 == sha256(prediction.patch.as_bytes())
            && self.task_sha256 == task_sha256
            && self.grader == GRADER
    }
}

/// The lines of a file that was begun; a last line that was cut off is left out.
fn lines_of(path: &Path) -> anyhow::Result<Vec<Line>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(e).with_context(|| format!("read {}", path.display())),
    };
    let whole = text.rfind('\n').map_or(0, |i| i + 1);
    if whole < text.len() {
        eprintln!("warning: {}: the last line was cut off and is left out", path.display());
        let file = std::fs::OpenOptions::new().write(true).open(path)?;
        file.set_len(whole as u64)?;
    }
    let parse = |(i, line)| {
        serde_json::from_str(line).with_context(|| {
            format!("read {} line {}: it is no line of ours\nhint: name another file with --out", path.display(), i + 1)
        })
    };
    text[..whole].lines().enumerate().map(parse).collect()
}

/// Scores a file of predictions: 0 if each could be judged, whatever it was judged to be.
pub fn run(args: &Score, file: &Path) -> anyhow::Result<Exit> {
    check(file, args.out.as_deref(), report_path(args).as_deref())?;
    let tasks = args.which.find()?;
    let predictions = read_predictions(file)?;
    for note in &predictions.notes {
        eprintln!("note: {note}");
    }
    let tasks: BTreeMap<&str, &Task> = tasks.iter().map(|t| (t.spec.id.as_str(), t)).collect();
    let list = known(&predictions.list, &tasks, args.skip_unknown)?;
    let done = args.out.as_deref().map(lines_of).transpose()?.unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (lines, interrupted) = runtime.block_on(each(args, &list, &tasks, &done))?;
    let ids: Vec<String> = tasks.keys().map(|id| (*id).to_owned()).collect();
    let scored: Vec<Scored> =
        lines.into_iter().map(|l| Scored { instance_id: l.instance_id, outcome: l.outcome, error: l.error }).collect();
    // What an interruption left unscored is incomplete: nothing is known of it, least of all that it does not apply.
    let submitted: Vec<String> = match interrupted {
        true => scored.iter().map(|s| s.instance_id.clone()).collect(),
        false => list.iter().map(|p| p.instance_id.clone()).collect(),
    };
    let report = swe_bench_report(&ids, &submitted, &scored);
    tell(&report, list.iter().map(|p| &p.instance_id).collect::<BTreeSet<_>>().len());
    if let Some(path) = report_path(args) {
        write_report(&path, &format!("{report:#}\n"))?;
        eprintln!("report: {}", path.display());
    }
    if interrupted {
        eprintln!("interrupted: what was scored is kept; the same command goes on");
        return Ok(Exit::Interrupted);
    }
    let ours = scored.iter().any(|s| s.outcome == Outcome::InfraError);
    Ok(if ours { Exit::Missing } else { Exit::Good })
}

/// Where the report goes: where it is wanted, or beside the lines.
fn report_path(args: &Score) -> Option<PathBuf> {
    args.report.clone().or_else(|| args.out.as_ref().map(|out| out.with_extension("report.json")))
}

/// The predictions about tasks that there are. An unknown instance ends the whole run before it begins, as in SWE-bench.
fn known(all: &[Prediction], tasks: &BTreeMap<&str, &Task>, skip: bool) -> anyhow::Result<Vec<Prediction>> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        all.iter().cloned().partition(|p| tasks.contains_key(p.instance_id.as_str()));
    if unknown.is_empty() {
        return Ok(known);
    }
    let names: Vec<String> = unknown.iter().map(|p| format!("{:?}", p.instance_id)).collect();
    if !skip {
        anyhow::bail!(
            "score predictions: no task is named {}\nhint: choose the suite with --suite, or leave them out with --skip-unknown",
            names.join(", ")
        );
    }
    eprintln!("left out, since no task has that name: {}", names.join(", "));
    Ok(known)
}

type Done = (Vec<Line>, bool);

async fn each(args: &Score, list: &[Prediction], tasks: &BTreeMap<&str, &Task>, done: &[Line]) -> anyhow::Result<Done> {
    let mut out = match &args.out {
        Some(path) => {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            Some(file.with_context(|| format!("write {}", path.display()))?)
        }
        None => None,
    };
    let mut interrupts = Interrupts::new()?;
    let progress = Progress::start(args.quiet);
    progress.stage("scoring predictions", list.len() as u64);
    let provider = args.machine.open().await?;
    let mut lines = Vec::new();
    for prediction in list {
        let task = tasks[prediction.instance_id.as_str()];
        let work = async {
            let material = Material::prepare(task, &args.which.mirrors)?;
            if let Some(line) = done.iter().rfind(|l| l.holds(prediction, &material.digest)) {
                return Ok((line.clone(), false));
            }
            anyhow::Ok((one(task, material, prediction, &provider).await?, true))
        };
        let (line, fresh) = tokio::select! {
            line = work => line?,
            () = interrupts.heard() => return broken_off(&provider, lines).await,
        };
        if let Some(file) = out.as_mut().filter(|_| fresh) {
            let text = format!("{}\n", serde_json::to_string(&line)?);
            file.write_all(text.as_bytes()).and_then(|()| file.sync_data()).context("write a scored prediction")?;
        }
        progress.step();
        progress.above(|| print(&line, args.json, fresh));
        lines.push(line);
    }
    progress.finish();
    Ok((lines, false))
}

/// What was scored so far, with nothing left running.
async fn broken_off(provider: &crate::sandbox::Provider, lines: Vec<Line>) -> anyhow::Result<Done> {
    provider.end_own().await?;
    Ok((lines, true))
}

/// Scores one prediction. An empty patch is never run; a fault of ours is a line that is scored again next time.
async fn one(
    task: &Task,
    material: Material,
    prediction: &Prediction,
    provider: &crate::sandbox::Provider,
) -> anyhow::Result<Line> {
    let mut line = Line {
        schema: SCHEMA.to_owned(),
        instance_id: prediction.instance_id.clone(),
        model_name_or_path: prediction.model.clone(),
        patch_sha256: sha256(prediction.patch.as_bytes()),
        task_sha256: material.digest.clone(),
        grader: GRADER.to_owned(),
        outcome: Outcome::NoPatch,
        error: None,
        verdict: None,
    };
    if prediction.patch.trim().is_empty() {
        return Ok(line);
    }
    let end = match prepare(task, material, provider).await {
        Ok(ready) => score(&ready, prediction.patch.as_bytes(), provider, false).await,
        Err(e) => Err(e),
    };
    match end {
        Ok(scored) => {
            line.outcome = scored.verdict.outcome;
            line.error.clone_from(&scored.verdict.error);
            line.verdict = Some(scored.verdict);
        }
        Err(e) => {
            // What is missing on this machine will be missing for the next prediction too.
            if is_ours(&e) && matches!(&e, crate::scoring::ScoreError::Task(_)) {
                return Err(e.into());
            }
            line.outcome = Outcome::InfraError;
            line.error = Some(Failure { class: e.class().to_owned(), message: e.to_string() });
        }
    }
    Ok(line)
}

fn print(line: &Line, as_json: bool, fresh: bool) {
    if as_json {
        if let Ok(text) = serde_json::to_string(line) {
            say!("{text}");
        }
        return;
    }
    let why = line.error.as_ref().map_or(String::new(), |e| format!("\t{}", e.class));
    let kept = if fresh { "" } else { "\tkept" };
    say!("{}\t{}{why}{kept}", line.instance_id, line.outcome);
}

/// The report in a few words.
fn tell(report: &serde_json::Value, predicted: usize) {
    let n = |key: &str| report[format!("{key}_instances")].as_u64().unwrap_or(0) as usize;
    let unscored = predicted.saturating_sub(n("submitted"));
    let also = [
        ("unresolved", "not resolved"),
        ("empty_patch", "with an empty patch"),
        ("error", "whose patch does not apply"),
        ("ambiguous_failure", "without a clear answer"),
        ("infra_failure", "lost to faults of ours"),
    ]
    .iter()
    .filter(|(key, _)| n(key) > 0)
    .map(|(key, words)| format!("{} {words}", n(key)));
    let also: Vec<String> = also.chain((unscored > 0).then(|| format!("{unscored} not scored yet"))).collect();
    let also = if also.is_empty() { String::new() } else { format!(", {}", also.join(", ")) };
    eprintln!("{} of {} resolved{also}", n("resolved"), tasks_word(predicted));
}
