use super::ResultsError;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Shards of a published attempts file end at the last line end before this many bytes.
pub const SHARD_BYTES: u64 = 2 << 20;
/// A longer line is a fault and is not read into memory.
pub const MAX_LINE: u64 = 16 << 20;

/// A piece of an attempts file that is useful whole: it begins and ends at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Byte offset in the file.
    pub start: u64,
    /// Length in bytes.
    pub len: u64,
    /// Lines of the file before it.
    pub before: u64,
    /// Lines in it.
    pub lines: u64,
    /// SHA-256 in hex; empty where [`super::read`] was not asked for digests.
    pub sha256: String,
}

/// Where the shards of a file begin and end, found by looking only near the cuts.
///
/// A line longer than [`SHARD_BYTES`] makes its shard longer, so that no line is ever split.
pub(super) fn cuts(file: &File, path: &Path) -> Result<Vec<(u64, u64)>, ResultsError> {
    let size = file.metadata().map_err(ResultsError::io(path))?.len();
    let mut spans = Vec::new();
    let mut start = 0;
    while start < size {
        let end = if size - start <= SHARD_BYTES { size } else { cut_after(file, path, start, size)? };
        spans.push((start, end - start));
        start = end;
    }
    Ok(spans)
}

/// The offset just after the last line end in the window, or else after the next one beyond it.
fn cut_after(file: &File, path: &Path, start: u64, size: u64) -> Result<u64, ResultsError> {
    const STEP: u64 = 8 << 10;
    let mut buffer = vec![0u8; STEP as usize];
    let mut high = start + SHARD_BYTES;
    while high > start {
        let low = high.saturating_sub(STEP).max(start);
        let part = &mut buffer[..(high - low) as usize];
        file.read_exact_at(part, low).map_err(ResultsError::io(path))?;
        if let Some(i) = memchr::memrchr(b'\n', part) {
            return Ok(low + i as u64 + 1);
        }
        high = low;
    }
    let mut low = start + SHARD_BYTES;
    while low < size {
        let part = &mut buffer[..(size - low).min(STEP) as usize];
        file.read_exact_at(part, low).map_err(ResultsError::io(path))?;
        if let Some(i) = memchr::memchr(b'\n', part) {
            return Ok(low + i as u64 + 1);
        }
        low += part.len() as u64;
    }
    Ok(size)
}

/// SHA-256 in lower-case hex.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
