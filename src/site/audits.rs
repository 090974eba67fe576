//! What audits found of each task: read from `health/`, published as it is, read back from a site.

use super::SiteError;
use super::suites::{SuiteFile, pieces};
use crate::health::{HealthError, LogFile, Torn, parse, read_all};
use crate::results::slug;
use crate::schema::{Counts, HealthLine, HealthState, ProofKind};
use crate::stats::display::Format;
use std::collections::BTreeMap;
use std::path::Path;

/// One audit of a task, as its page tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Audit {
    /// When it ended, RFC 3339, as written.
    pub at: String,
    /// How the task stood.
    pub state: HealthState,
    /// Why it was not healthy.
    pub reason: String,
    /// Program and version.
    pub tool: String,
    /// `docker`, or `none`.
    pub isolation: String,
    /// How often the fix resolved it.
    pub fix: Counts,
    /// How often no change at all did.
    pub empty: Counts,
    /// How many cheats did.
    pub exploit: Counts,
    /// Other correct solutions.
    pub alternate: Counts,
    /// Wrong solutions.
    pub wrong: Counts,
    /// Seconds of all its tries; none where no try says them.
    pub seconds: Option<f64>,
}

/// Audits by suite (`id@version`) and task, oldest first.
pub type Audits = BTreeMap<(String, String), Vec<Audit>>;

impl Audit {
    fn new(line: &HealthLine) -> Audit {
        let seconds: Vec<f64> = line.proofs.iter().filter_map(|p| p.seconds).collect();
        Audit {
            at: line.at.clone(),
            state: line.state,
            reason: line.reason.clone(),
            tool: line.tool.clone(),
            isolation: line.isolation.clone(),
            fix: line.count(ProofKind::Fix),
            empty: line.count(ProofKind::Empty),
            exploit: line.count(ProofKind::Exploit),
            alternate: line.count(ProofKind::Alternate),
            wrong: line.count(ProofKind::Wrong),
            seconds: (!seconds.is_empty()).then(|| seconds.iter().sum()),
        }
    }

    /// The number behind the last part of an id, and how it is written.
    pub fn number(&self, pointer: &str) -> Option<(Option<f64>, Format)> {
        let (kind, what) = pointer.strip_prefix('/')?.split_once('/').unwrap_or((&pointer[1..], ""));
        let counts = match (kind, what) {
            ("fix", _) => self.fix,
            ("empty", _) => self.empty,
            ("exploit", _) => self.exploit,
            ("alternate", _) => self.alternate,
            ("wrong", _) => self.wrong,
            ("seconds", "") => return Some((self.seconds, Format::Seconds)),
            _ => return None,
        };
        let value = match what {
            "resolved" => counts.passed,
            "total" => counts.total,
            _ => return None,
        };
        Some((Some(value as f64), Format::Count))
    }
}

/// The audit whose answer counts now, and whether it keeps the task in quarantine.
pub fn standing(audits: &[Audit]) -> Option<(&Audit, bool)> {
    let answer = audits.iter().rev().find(|a| a.state != HealthState::Unknown);
    let shown = answer.or(audits.last())?;
    Some((shown, !matches!(shown.state, HealthState::Healthy | HealthState::Unknown)))
}

/// Reads the logs of a folder `health/`; the first fault is named with file and line, a line that was cut off is left
/// out and told.
pub fn read(dir: &Path) -> Result<(Audits, Vec<SuiteFile>, Vec<Torn>), SiteError> {
    let logs = read_all(dir).map_err(|e| match e {
        HealthError::Io { path, cause } => SiteError::Io { path, cause },
        HealthError::Line { file, line, what, hint } => SiteError::content(format!("{file} line {line}"), what, hint),
        HealthError::Json(e) => SiteError::Json(e),
    })?;
    let mut audits = Audits::new();
    let mut files = Vec::new();
    for LogFile { suite, bytes, lines, .. } in &logs {
        add(&mut audits, lines);
        let stem = format!("data/health/{}/health", slug(suite));
        files.extend(pieces(&stem, suite, bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty())));
    }
    let torn = logs.into_iter().filter_map(|l| l.torn).collect();
    Ok((sorted(audits), files, torn))
}

/// Reads the pieces that a site publishes, joined in order of their paths; tells which of them cannot be used.
pub fn published(files: &mut [SuiteFile]) -> (Audits, Vec<(String, String)>) {
    let (mut audits, mut faults) = (Audits::new(), Vec::new());
    for file in files.iter_mut() {
        // A log names its suite in every line.
        let first: Option<HealthLine> =
            serde_json::from_slice(file.bytes.split(|b| *b == b'\n').next().unwrap_or(b"")).ok();
        file.suite = first.and_then(|l| l.suite.split_once('@').map(|s| s.0.to_owned())).unwrap_or_default();
        match parse(&file.bytes, &file.suite, &file.path) {
            Ok(lines) => add(&mut audits, &lines),
            Err(e) => faults.push((file.path.clone(), e.to_string())),
        }
    }
    (sorted(audits), faults)
}

fn add(audits: &mut Audits, lines: &[HealthLine]) {
    for line in lines {
        audits.entry((line.suite.clone(), line.task.clone())).or_default().push(Audit::new(line));
    }
}

/// In the order of their times; those of one time stay in the order of the log.
fn sorted(mut audits: Audits) -> Audits {
    audits.values_mut().for_each(|list| list.sort_by_key(|a| a.at.parse::<jiff::Timestamp>().ok()));
    audits
}
