//! The whole line behind a row, read again where a page tells more of it than numbers.

use super::RunFile;
use super::plan::slug;
use crate::schema::Attempt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::OnceLock;

/// Where each line of an attempts file begins; found when the first line is asked for.
#[derive(Debug, Default)]
pub(super) struct Places(OnceLock<Option<(File, Vec<u64>)>>);

impl Places {
    /// The bytes of a 1-based line of `attempts.jsonl`.
    fn line(&self, run: &RunFile, line: u32) -> Option<Vec<u8>> {
        let (file, starts) = self.0.get_or_init(|| places(run)).as_ref()?;
        let at = usize::try_from(line).ok()?.checked_sub(1)?;
        let (from, to) = (*starts.get(at)?, *starts.get(at + 1)?);
        let mut bytes = vec![0; usize::try_from(to - from).ok()?];
        file.read_exact_at(&mut bytes, from).ok()?;
        Some(bytes)
    }
}

fn places(run: &RunFile) -> Option<(File, Vec<u64>)> {
    let file = File::open(run.dir.join("attempts.jsonl")).ok()?;
    let mut starts = vec![0];
    let mut buffer = Vec::new();
    for shard in &run.shards {
        buffer.resize(usize::try_from(shard.len).ok()?, 0);
        file.read_exact_at(&mut buffer, shard.start).ok()?;
        starts.extend(memchr::memchr_iter(b'\n', &buffer).map(|i| shard.start + i as u64 + 1));
    }
    let end = run.shards.last().map_or(0, |s| s.start + s.len);
    // A last line without its end is a line.
    if starts.last().is_some_and(|s| *s < end) {
        starts.push(end);
    }
    Some((file, starts))
}

impl RunFile {
    /// The attempt that a 1-based line tells of; none where the file changed since it was read.
    pub fn attempt(&self, line: u32) -> Option<Attempt> {
        serde_json::from_slice(&self.places.line(self, line)?).ok()
    }
}

/// The folder of an attempt's patch, trajectory and report, below the run's `artifacts/`.
pub fn artifacts_of(task: &str, model: &str, condition: &str, repeat: u32) -> String {
    let repeat = match condition {
        "default" => repeat.to_string(),
        other => format!("{repeat}-{}", slug(other)),
    };
    format!("{}/{}/{repeat}", slug(task), slug(model))
}
