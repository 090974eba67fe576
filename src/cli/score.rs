use super::Exit;
use super::interrupts::Interrupts;
use super::machine::Machine;
use super::proving::break_off;
use super::say;
use super::score_many;
use super::tasks::Which;
use crate::sandbox::Provider;
use crate::schema::{Outcome, Verdict};
use crate::scoring::{Scored, prepare, score};
use crate::tasks::Material;
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::task::JoinSet;

/// Bytes of a patch that are read.
const MOST_PATCH: u64 = 64 << 20;

/// Score one patch with a task's hidden tests, or a whole file of predictions.
#[derive(Args, Debug)]
pub struct Score {
    #[command(flatten)]
    pub which: Which,
    #[command(flatten)]
    pub machine: Machine,
    /// The patch, or - for standard input
    #[arg(long, env = "TSBENCH_PATCH", required_unless_present = "predictions", conflicts_with = "predictions")]
    patch: Option<PathBuf>,
    /// A file of predictions, scored one by one: a JSON map by task, a list, or lines
    #[arg(long, env = "TSBENCH_PREDICTIONS")]
    predictions: Option<PathBuf>,
    /// File to append a line for each prediction to; the same command goes on where it was cut off
    #[arg(long, env = "TSBENCH_OUT", requires = "predictions")]
    pub out: Option<PathBuf>,
    /// File for the report, as SWE-bench writes it [default: beside --out]
    #[arg(long, env = "TSBENCH_REPORT", requires = "predictions")]
    pub report: Option<PathBuf>,
    /// Leave out predictions about tasks that there are not
    #[arg(long, env = "TSBENCH_SKIP_UNKNOWN", value_parser = BoolishValueParser::new(), requires = "predictions")]
    pub skip_unknown: bool,
    /// No progress bar
    #[arg(long, env = "TSBENCH_QUIET", value_parser = BoolishValueParser::new())]
    pub quiet: bool,
    /// Print the verdict as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    pub json: bool,
}

/// Runs `tsbench score`: 0 where the patch resolves the task, 1 where it does not.
pub fn run(args: &Score) -> anyhow::Result<Exit> {
    if let Some(file) = &args.predictions {
        return score_many::run(args, file);
    }
    let file = args.patch.as_deref().context("score a patch\nhint: name it with --patch")?;
    let tasks = args.which.find()?;
    let [task] = tasks.as_slice() else {
        anyhow::bail!("score: {} tasks are meant\nhint: name one with --task", tasks.len())
    };
    let patch = read(file)?;
    let (task, mirrors) = (task.clone(), args.which.mirrors.clone());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        // Heard from the start: a signal must not end the process with its sandbox.
        let mut interrupts = Interrupts::new()?;
        let provider = Arc::new(args.machine.open().await?);
        let before = tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let mut set = JoinSet::new();
        let at = Arc::clone(&provider);
        set.spawn(async move {
            let ready = prepare(&task, Material::prepare(&task, &mirrors)?, &at).await?;
            score(&ready, &patch, &at, false).await
        });
        let scored = tokio::select! {
            end = set.join_next() => end.context("score a patch: nothing was scored")??,
            () = interrupts.heard() => return interrupted(set, &provider, before).await,
        }?;
        print(&scored, args.json)?;
        Ok(if scored.verdict.outcome == Outcome::Resolved { Exit::Good } else { Exit::No })
    })
}

async fn interrupted<T: 'static>(set: JoinSet<T>, provider: &Provider, before: usize) -> anyhow::Result<Exit> {
    break_off(set, provider, before).await?;
    eprintln!("interrupted: there is no verdict");
    Ok(Exit::Interrupted)
}

/// The patch, from a file or from standard input, which may never end.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let name = match path.as_os_str() == "-" {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    };
    let reading = || format!("read the patch from {name}");
    let source: Box<dyn Read> = match path.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => Box::new(std::fs::File::open(path).with_context(reading)?),
    };
    let mut patch = Vec::new();
    source.take(MOST_PATCH + 1).read_to_end(&mut patch).with_context(reading)?;
    if patch.len() as u64 > MOST_PATCH {
        anyhow::bail!(
            "read the patch from {name}: it is larger than {} MiB\nhint: a patch holds the changes alone; leave out \
             what was built or downloaded",
            MOST_PATCH >> 20
        );
    }
    Ok(patch)
}

fn print(scored: &Scored, as_json: bool) -> anyhow::Result<()> {
    let (v, log) = (&scored.verdict, &scored.log);
    if as_json {
        say!("{}", serde_json::to_string_pretty(v)?);
        return Ok(());
    }
    for line in summary(v, &scored.missing()) {
        say!("{line}");
    }
    if v.error.is_some() && !log.trim().is_empty() {
        eprintln!("{}", log.trim_end());
    }
    Ok(())
}

/// What a person reads of a verdict, the reason first.
fn summary(v: &Verdict, missing: &[String]) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", v.task, v.outcome)];
    let lost = v.not_scored();
    // What fails may well fail since something is not there that the patch brought.
    let told = v.error.as_ref().is_some_and(|e| e.message.starts_with("not scored, "));
    lines.extend(lost.filter(|_| v.outcome != Outcome::Resolved && !told).map(|what| format!("not scored, {what}")));
    lines.extend(v.error.iter().map(|e| format!("{}: {}", e.class, e.message.trim_end())));
    // Of a patch that did not go on no test was run: there is nothing to count.
    if v.outcome != Outcome::PatchFailed {
        let (t, g) = (&v.targets, &v.guards);
        lines.push(match &v.score {
            Some(c) => format!("checks {} of {}", c.passed, c.total),
            None => format!("targets {} of {}, guards {} of {}", t.passed, t.total, g.passed, g.total),
        });
        let how = |id| if missing.contains(id) { "missing from the report" } else { "not passed" };
        lines.extend(t.failed.iter().chain(&g.failed).take(20).map(|id| format!("{}: {id}", how(id))));
    }
    lines.extend(v.dropped.iter().map(|path| format!("change dropped: {path}")));
    lines.extend(v.put_back.iter().map(|part| format!("{part} put back")));
    lines.extend(not_isolated(&v.isolation).map(|how| format!("{how}: nothing kept the patch from this machine")));
    lines
}

/// What a reader must know of a verdict that was made without a barrier.
pub fn not_isolated(isolation: &str) -> Option<&'static str> {
    (isolation == "none").then_some("not isolated")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Failure, Seconds, TestCounts, VerdictDigests};

    #[test]
    fn a_patch_that_did_not_go_on_is_told_by_its_reason_without_a_list_of_tests() {
        let mut verdict = Verdict {
            task: "queue".into(),
            outcome: Outcome::PatchFailed,
            applied: None,
            dropped: Vec::new(),
            put_back: Vec::new(),
            files: 0,
            targets: TestCounts { passed: 0, total: 1, failed: vec!["t::one".into()] },
            guards: TestCounts { passed: 0, total: 0, failed: Vec::new() },
            score: None,
            error: Some(Failure { class: "patch_failed".into(), message: "corrupt patch at line 3\n".into() }),
            seconds: Seconds::default(),
            digests: VerdictDigests {
                task: String::new(),
                image: String::new(),
                patch: String::new(),
                grader: String::new(),
            },
            isolation: "none".into(),
        };
        let barrier = "not isolated: nothing kept the patch from this machine";
        assert_eq!(summary(&verdict, &[]), ["queue: patch_failed", "patch_failed: corrupt patch at line 3", barrier]);
        (verdict.outcome, verdict.error) = (Outcome::Unresolved, None);
        let tested = summary(&verdict, &[]);
        assert_eq!(tested[1..], ["targets 0 of 1, guards 0 of 0", "not passed: t::one", barrier]);
        let gone = summary(&verdict, &["t::one".to_owned()]);
        assert_eq!(gone[2], "missing from the report: t::one");
        (verdict.dropped, verdict.put_back) = (vec!["a/b_test.py".into()], vec!["p.toml: [tool.x]".into()]);
        let lost = "not scored, changes dropped: a/b_test.py; put back: p.toml: [tool.x]";
        let told = summary(&verdict, &[]);
        assert_eq!(told[1], lost, "before the tests that fail");
        assert!(told.contains(&"change dropped: a/b_test.py".to_owned()));
        assert!(told.contains(&"p.toml: [tool.x] put back".to_owned()));
        verdict.error = Some(Failure { class: "build_failure".into(), message: format!("{lost}\nno b_test") });
        assert_eq!(summary(&verdict, &[])[1], format!("build_failure: {lost}\nno b_test"), "and but once");
        verdict.isolation = "docker".into();
        assert!(!summary(&verdict, &[]).contains(&barrier.to_owned()));
    }
}
