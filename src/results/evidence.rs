//! Whether the report and the patch that lie beside a line say what the line says.

use super::shard::sha256_hex;
use super::whole::artifacts_of;
use super::{Fault, Row, RunFile};
use crate::schema::{Attempt, Counts, Outcome, TestCounts, Verdict};
use rayon::prelude::*;
use serde::Deserialize;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// A longer report or patch is not compared: no program of ours writes one.
const MOST_BYTES: u64 = 64 << 20;
/// What stands where a secret stood before the file was written.
const REDACTED: &str = "[redacted]";
/// SHA-256 of no bytes.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The part of a report that a line repeats.
#[derive(Deserialize)]
struct Report {
    #[serde(default)]
    verdict: Option<Verdict>,
}

/// The folder of the evidence of a run's attempts.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The folder.
    pub dir: &'a Path,
    /// Its name for readers.
    pub shown: &'a str,
    /// Whether a file below it, by its path, is not whole: of such a one nothing is said.
    pub is_cut: &'a (dyn Fn(&str) -> bool + Sync),
}

/// Where the evidence of a run's attempts contradicts their lines, which are those of `file`.
pub fn contradicted(run: &RunFile, file: &str, evidence: Evidence<'_>) -> Vec<Fault> {
    let rows: Vec<&Row> = run.effective().collect();
    rows.par_iter().flat_map_iter(|row| of_row(run, row, file, evidence)).collect()
}

fn of_row(run: &RunFile, row: &Row, file: &str, evidence: Evidence<'_>) -> Vec<Fault> {
    let (task, model) = (&run.run.tasks[row.task as usize], &run.run.models[usize::from(row.model)].id);
    let folder = artifacts_of(task, model, &run.variants[usize::from(row.variant)].1, row.repeat);
    let (dir, shown) = (evidence.dir.join(&folder), evidence.shown);
    let mut faults = Vec::new();
    let mut tell = |field: &str, name: &str, what: String| {
        let hint = "one of the two was changed after the attempt: restore it, or score the patch again";
        let what = format!("{what} ({shown}/{folder}/{name})");
        faults.push(Fault::error(file, what, hint).at(row.line.into()).field(field));
    };
    let [report, patch] = ["report.json", "patch.diff"]
        .map(|name| if (evidence.is_cut)(&format!("{folder}/{name}")) { Read::Absent } else { read(&dir.join(name)) });
    for (name, read) in [("report.json", &report), ("patch.diff", &patch)] {
        if let Read::Unusable(why) = read {
            tell("", name, format!("the {name} of the attempt {why}"));
        }
    }
    if matches!((&report, &patch), (Read::Absent, Read::Absent)) {
        return faults;
    }
    let Some(line) = run.attempt(row.line) else { return faults };
    if later_tries(&dir) > line.retries.unwrap_or(0) {
        // A later try of the attempt is at work, or was cut off before its line.
        return faults;
    }
    if let Read::Bytes(bytes) = &report {
        match serde_json::from_slice::<Report>(bytes) {
            Ok(Report { verdict: Some(verdict) }) => {
                against_verdict(&line, &verdict, is_redacted(bytes), &mut |f, what| tell(f, "report.json", what));
            }
            Ok(Report { verdict: None }) if line.outcome == Outcome::Resolved => {
                tell("outcome", "report.json", "the line says \"resolved\", and its report has no verdict".into());
            }
            // Without a verdict it says nothing of the attempt.
            Ok(Report { verdict: None }) => {}
            Err(e) => tell("", "report.json", format!("the report of the attempt cannot be read: {e}")),
        }
    }
    if let Read::Bytes(bytes) = &patch
        && !is_redacted(bytes)
    {
        against_patch(&line, bytes, &mut |field, what| tell(field, "patch.diff", what));
    }
    faults
}

enum Read {
    Bytes(Vec<u8>),
    Absent,
    /// Why it is no file to be compared.
    Unusable(&'static str),
}

fn read(path: &Path) -> Read {
    match fs::symlink_metadata(path) {
        // Links are told by whoever publishes the folder.
        Ok(meta) if meta.is_symlink() => Read::Absent,
        Ok(meta) if !meta.is_file() => Read::Unusable("is no file"),
        Ok(meta) if meta.len() > MOST_BYTES => Read::Unusable("is too long to be read"),
        Ok(_) => fs::read(path).map_or(Read::Unusable("cannot be read"), Read::Bytes),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Read::Absent,
        Err(_) => Read::Unusable("cannot be read"),
    }
}

fn is_redacted(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, REDACTED.as_bytes()).is_some()
}

/// How many earlier tries lie in the attempt's folder.
fn later_tries(dir: &Path) -> u64 {
    (1..).take_while(|n| dir.join(format!("try-{n}")).exists()).count() as u64
}

type Tell<'a> = dyn FnMut(&str, String) + 'a;

fn against_verdict(line: &Attempt, verdict: &Verdict, is_redacted: bool, tell: &mut Tell<'_>) {
    if !same_outcome(line, verdict.outcome) {
        let (ours, theirs) = (line.outcome.word(), verdict.outcome.word());
        tell("outcome", format!("the line says {ours:?}, and its report {theirs:?}"));
    }
    let counts = |c: Option<Counts>| c.map_or("nothing".to_owned(), |c| format!("{} of {}", c.passed, c.total));
    if line.score != verdict.score {
        tell("score", format!("the line says {}, and its report {}", counts(line.score), counts(verdict.score)));
    }
    let was_tested = verdict.seconds.tests.is_some() && verdict.score.is_none();
    let tests = line.tests.as_ref();
    for (field, ours, theirs) in [
        ("tests.targets", tests.map(|t| &t.targets), &verdict.targets),
        ("tests.guards", tests.map(|t| &t.guards), &verdict.guards),
    ] {
        let plain = |t: &TestCounts| Counts { passed: t.passed, total: t.total };
        if ours.map(plain) != was_tested.then(|| plain(theirs)) {
            let theirs = counts(was_tested.then(|| plain(theirs)));
            tell(field, format!("the line says {}, and its report {theirs}", counts(ours.map(plain))));
        } else if let Some(ours) = ours.filter(|_| was_tested && !is_redacted)
            && let Some((ours, theirs)) = first_difference(&ours.failed, &theirs.failed)
        {
            tell(&format!("{field}.failed"), format!("the line names {ours:?}, and its report {theirs:?}"));
        }
    }
    let ours = line.patch.as_ref().map_or(EMPTY, |p| p.sha256.as_str());
    if !ours.eq_ignore_ascii_case(&verdict.digests.patch) {
        let theirs = &verdict.digests.patch;
        tell("patch.sha256", format!("the line says {ours}, and its report is about the patch {theirs}"));
    }
}

/// An empty patch whose time was over counts as a time-out.
fn same_outcome(line: &Attempt, verdict: Outcome) -> bool {
    let was_over = verdict == Outcome::NoPatch && line.stop.as_deref() == Some("time_limit");
    line.outcome == verdict || (was_over && line.outcome == Outcome::TimedOut)
}

/// The first names, in their order, by which two lists differ; an empty name stands for none.
fn first_difference(ours: &[String], theirs: &[String]) -> Option<(String, String)> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    let (ours, theirs) = (sorted(ours), sorted(theirs));
    let at = (0..ours.len().max(theirs.len())).find(|i| ours.get(*i) != theirs.get(*i))?;
    Some((ours.get(at).cloned().unwrap_or_default(), theirs.get(at).cloned().unwrap_or_default()))
}

fn against_patch(line: &Attempt, bytes: &[u8], tell: &mut Tell<'_>) {
    // A line that names no patch says nothing of it.
    let Some(patch) = &line.patch else { return };
    let found = sha256_hex(bytes);
    if patch.bytes != bytes.len() as u64 {
        tell("patch.bytes", format!("the line says {}, and the patch has {}", patch.bytes, bytes.len()));
    } else if !patch.sha256.eq_ignore_ascii_case(&found) {
        tell("patch.sha256", format!("the line says {}, and the patch has {found}", patch.sha256));
    }
}
