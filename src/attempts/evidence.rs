//! What lies beside a line: trajectory, patch and report of an attempt, and of every try before it.

use super::worked::WORKED;
use super::{AttemptsError, Cell};
use crate::agent::spent_of;
use crate::gateway::{Secrets, Spent};
use crate::results::slug;
use crate::schema::Verdict;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) const TRAJECTORY: &str = "trajectory.jsonl";
pub(super) const PATCH: &str = "patch.diff";
const REPORT: &str = "report.json";
const FILES: [&str; 4] = [TRAJECTORY, PATCH, REPORT, WORKED];
/// Characters of the tests' output that a report keeps.
const MOST_LOG: usize = 40_000;

/// The folder of an attempt's evidence, below the run's.
pub fn folder_of(cell: &Cell) -> PathBuf {
    let repeat = match cell.condition.as_str() {
        "default" => cell.repeat.to_string(),
        other => format!("{}-{}", cell.repeat, slug(other)),
    };
    PathBuf::from("artifacts").join(slug(&cell.task)).join(slug(&cell.model)).join(repeat)
}

/// What an attempt that was cut off before its line had spent: its trajectory is there and its report, which comes last,
/// is not, or there is no line.
pub fn leftover_spent(folder: &Path, has_line: bool) -> Spent {
    let finished = has_line && folder.join(REPORT).exists();
    if finished { Spent::default() } else { spent_of(&folder.join(TRAJECTORY)) }
}

/// Moves the evidence that a folder holds into `try-N` within it; the number of tries that are there now.
pub(super) fn put_aside(folder: &Path) -> Result<u64, AttemptsError> {
    let mut tries = 0;
    while folder.join(format!("try-{}", tries + 1)).exists() {
        tries += 1;
    }
    let there: Vec<&str> = FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    if !there.is_empty() {
        tries += 1;
        let aside = folder.join(format!("try-{tries}"));
        std::fs::create_dir_all(&aside).map_err(AttemptsError::io(&aside))?;
        for name in there {
            std::fs::rename(folder.join(name), aside.join(name)).map_err(AttemptsError::io(&aside))?;
        }
    }
    Ok(tries)
}

/// Writes the patch. A key that stands in it, however it came there, does not reach the disk.
pub(super) fn keep_patch(folder: &Path, patch: &[u8], secrets: &Secrets) -> Result<(), AttemptsError> {
    if patch.is_empty() {
        return Ok(());
    }
    let clean = std::str::from_utf8(patch).map(|text| secrets.redact(text).into_bytes());
    write(&folder.join(PATCH), clean.as_deref().unwrap_or(patch))
}

/// Writes the report: the verdict, and the end of what the tests printed.
pub(super) fn keep_report(
    folder: &Path,
    verdict: Option<&Verdict>,
    log: &str,
    secrets: &Secrets,
) -> Result<(), AttemptsError> {
    let skip = log.chars().count().saturating_sub(MOST_LOG);
    let log: String = log.chars().skip(skip).collect();
    let report = secrets.redact_json(json!({"schema": "tsbench.report/1", "verdict": verdict, "log": log}));
    let mut text = serde_json::to_vec_pretty(&report)?;
    text.push(b'\n');
    std::fs::create_dir_all(folder).map_err(AttemptsError::io(folder))?;
    write(&folder.join(REPORT), &text)
}

/// Writes a file, and waits until it is on the disk.
fn write(path: &Path, bytes: &[u8]) -> Result<(), AttemptsError> {
    let kept = std::fs::File::create(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    kept.map_err(AttemptsError::io(path))
}
