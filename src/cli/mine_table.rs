//! The table at the end of `tsbench mine`: read from the files, so that it says what they say.

use crate::mining::Mined;
use crate::schema::{Candidate, Rejection, Stage};
use crate::validation::read_candidates;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The file of what was proven, in the folder of `--out`.
pub const PROVEN: &str = "proven.jsonl";

/// What became of a candidate; one line of `proven.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProvenLine {
    /// Id of the task.
    pub id: String,
    /// `owner/name`.
    pub repo: String,
    /// The commit that holds the fix.
    pub fix: String,
    /// Whether it is a task now.
    pub accepted: bool,
    /// What it failed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Seconds of installation and validation.
    pub validate_seconds: f64,
    /// Seconds of the gate.
    pub gate_seconds: f64,
}

impl ProvenLine {
    /// A candidate that is not accepted yet.
    pub fn new(candidate: &Candidate, seconds: (f64, f64)) -> ProvenLine {
        let round = |s: f64| (s * 1000.0).round() / 1000.0;
        ProvenLine {
            id: candidate.id.clone().unwrap_or_default(),
            repo: candidate.repo.clone(),
            fix: candidate.fix.clone(),
            accepted: false,
            stage: None,
            reason: String::new(),
            validate_seconds: round(seconds.0),
            gate_seconds: round(seconds.1),
        }
    }

    /// The lines of a folder. The rest of one that was cut off is removed: its candidate is decided again.
    pub fn read(out: &Path) -> anyhow::Result<Vec<ProvenLine>> {
        let path = out.join(PROVEN);
        let mut bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e).with_context(|| format!("read {}", path.display())),
        };
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
        if whole < bytes.len() {
            eprintln!("warning: {}: the last line was cut off and is dropped", path.display());
            bytes.truncate(whole);
            let file = std::fs::OpenOptions::new().write(true).open(&path)?;
            file.set_len(whole as u64).with_context(|| format!("write {}", path.display()))?;
        }
        lines(&path, &bytes)
    }
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path, bytes: &[u8]) -> anyhow::Result<Vec<T>> {
    let rows = bytes.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty());
    rows.map(|(n, l)| serde_json::from_slice(l).with_context(|| format!("use {} line {}", path.display(), n + 1)))
        .collect()
}

/// Counts of one repository in a folder.
pub struct Table {
    repo: String,
    mined: Mined,
    candidates: u64,
    warned: u64,
    /// Rejections of mining and of proving, by stage and reason.
    rejected: BTreeMap<(Stage, String), u64>,
    proven: Option<Vec<ProvenLine>>,
}

impl Table {
    /// Counts what is in the folder.
    pub fn read(out: &Path, repo: &str, mined: &Mined, proven: bool) -> anyhow::Result<Table> {
        let candidates: Vec<Candidate> =
            read_candidates(&out.join("candidates.jsonl"))?.into_iter().filter(|c| c.repo == repo).collect();
        let path = out.join("rejections.jsonl");
        let bytes = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        let mut rejected = BTreeMap::new();
        // What was rejected and decided again by another call is counted as it was decided last.
        let mut decided: BTreeSet<(String, String)> =
            candidates.iter().map(|c| (c.id.clone().unwrap_or_default(), c.fix.clone())).collect();
        let rejections = lines::<Rejection>(&path, &bytes)?.into_iter().rev();
        for r in rejections.filter(|r| r.repo == repo) {
            if decided.insert((r.id, r.fix_commit)) {
                *rejected.entry((r.stage, r.reason)).or_insert(0) += 1;
            }
        }
        let proven = match proven {
            true => Some(ProvenLine::read(out)?.into_iter().filter(|l| l.repo == repo).collect::<Vec<_>>()),
            false => None,
        };
        for line in proven.iter().flatten() {
            if let Some(stage) = line.stage {
                *rejected.entry((stage, line.reason.clone())).or_insert(0) += 1;
            }
        }
        let warned = candidates.iter().filter(|c| !c.warnings.is_empty()).count() as u64;
        Ok(Table {
            repo: repo.to_owned(),
            mined: *mined,
            candidates: candidates.len() as u64,
            warned,
            rejected,
            proven,
        })
    }

    /// Whether everything that was proven was rejected.
    pub fn all_failed(&self) -> bool {
        self.proven.as_ref().is_some_and(|p| !p.is_empty() && p.iter().all(|l| !l.accepted))
    }

    fn accepted(&self) -> Option<u64> {
        self.proven.as_ref().map(|p| p.iter().filter(|l| l.accepted).count() as u64)
    }

    /// Mean seconds of validation and of the gate over the candidates that had each.
    fn seconds(&self) -> (Option<f64>, Option<f64>) {
        let mean = |of: fn(&ProvenLine) -> f64| {
            let all: Vec<f64> = self.proven.iter().flatten().map(of).filter(|s| *s > 0.0).collect();
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        (mean(|l| l.validate_seconds), mean(|l| l.gate_seconds))
    }

    /// The table for people.
    pub fn lines(&self) -> Vec<String> {
        let m = &self.mined;
        let mut out = vec![format!(
            "{}\tseen {}\tdecided before {}\tnot asked for {}\tcandidates {}\twith warnings {}",
            self.repo, m.seen, m.known, m.left_out, self.candidates, self.warned
        )];
        for ((stage, reason), count) in &self.rejected {
            out.push(format!("{count}\trejected\t{}\t{reason}", stage.word()));
        }
        if let (Some(accepted), Some(proven)) = (self.accepted(), &self.proven) {
            let open = self.candidates.saturating_sub(proven.len() as u64);
            out.push(format!("{accepted}\taccepted\tof {} proven, {open} open", proven.len()));
            let word = |s: Option<f64>| s.map_or("none".to_owned(), |s| format!("{s:.1}"));
            let (validate, gate) = self.seconds();
            out.push(format!("seconds a candidate\tvalidation {}\tgate {}", word(validate), word(gate)));
        }
        out
    }

    /// The same as JSON.
    pub fn json(&self) -> Value {
        let rejected: Vec<Value> = self
            .rejected
            .iter()
            .map(|((stage, reason), count)| json!({"stage": stage, "reason": reason, "count": count}))
            .collect();
        let (validate, gate) = self.seconds();
        json!({
            "repo": self.repo, "seen": self.mined.seen, "decided_before": self.mined.known,
            "not_asked_for": self.mined.left_out, "candidates": self.candidates, "with_warnings": self.warned,
            "rejected": rejected, "proven": self.proven.as_ref().map(Vec::len), "accepted": self.accepted(),
            "validate_seconds": validate, "gate_seconds": gate,
        })
    }

    /// The logs of rejections.
    pub fn logs(&self, out: &Path, proving: &Option<PathBuf>) -> Vec<String> {
        let more = proving.iter().filter(|p| p.exists()).cloned();
        [out.join("rejections.jsonl")].into_iter().chain(more).map(|p| p.display().to_string()).collect()
    }
}
