//! One shard of an attempts file: its bytes in, its rows and faults out.

use super::dataset::OnShard;
use super::diagnose::diagnose;
use super::line::{Aside, Plan, fast};
use super::shard::{MAX_LINE, Shard, sha256_hex};
use super::{Fault, ResultsError, Row};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What one shard gives.
pub(super) struct Piece {
    pub rows: Vec<Row>,
    pub aside: Aside,
    pub faults: Vec<Fault>,
    pub shard: Shard,
}

/// One shard to be read.
pub(super) struct Job {
    pub run: usize,
    pub file: usize,
    pub number: usize,
    pub span: (u64, u64),
    pub last: bool,
}

/// Reads one shard; `buffer` is kept between shards.
pub(super) fn read_piece(
    job: &Job,
    (name, path, file): (&String, &Path, &File),
    plan: &Plan<'_>,
    buffer: &mut Vec<u8>,
    on_shard: Option<&OnShard<'_>>,
) -> Result<Piece, ResultsError> {
    let (start, len) = job.span;
    let mut piece = Piece {
        rows: Vec::new(),
        aside: Aside::default(),
        faults: Vec::new(),
        shard: Shard { start, len, lines: 0, sha256: String::new() },
    };
    if len > MAX_LINE {
        piece.shard.lines = 1;
        piece.faults.push(
            Fault::error(
                name,
                format!("a line of {len} bytes; at most {MAX_LINE} are read"),
                "keep long texts in artifacts/ and only their digests in the line",
            )
            .at(1),
        );
        return Ok(piece);
    }
    buffer.resize(len as usize, 0);
    file.read_exact_at(buffer, start).map_err(ResultsError::io(path))?;
    if let Some(on_shard) = on_shard {
        piece.shard.sha256 = sha256_hex(buffer);
        on_shard(plan.run, job.number, buffer, &piece.shard.sha256).map_err(ResultsError::io(path))?;
    }
    read_lines(buffer, name, plan, job.last, &mut piece);
    Ok(piece)
}

fn read_lines(bytes: &[u8], name: &str, plan: &Plan<'_>, last_piece: bool, piece: &mut Piece) {
    // One check of the whole piece: it is much faster than one a line.
    let whole = std::str::from_utf8(bytes).ok();
    let mut start = 0;
    let mut number: u32 = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map(|i| start + i);
        let line = &bytes[start..end.unwrap_or(bytes.len())];
        number += 1;
        let text = match whole {
            Some(text) => text.get(start..start + line.len()),
            None => std::str::from_utf8(line).ok(),
        };
        match text.and_then(|t| fast(t, plan, &mut piece.aside, number)) {
            Some(row) => {
                piece.rows.push(row);
                if end.is_none() {
                    piece.faults.push(
                        Fault::error(
                            name,
                            "the last line has no line end",
                            "add a line end before anything is appended",
                        )
                        .at(number.into())
                        .warning(),
                    );
                }
            }
            None if end.is_none() && last_piece && is_cut_short(line) => piece.faults.push(
                Fault::error(
                    name,
                    "the last line is cut short; every other line is used",
                    "remove the rest of the line, or resume the run, which writes it anew",
                )
                .at(number.into())
                .warning(),
            ),
            None => piece.faults.extend(diagnose(line, name, number.into(), plan)),
        }
        start = end.map_or(bytes.len(), |e| e + 1);
    }
    piece.shard.lines = u64::from(number);
}

/// Whether a line is the beginning of a JSON object and no more.
fn is_cut_short(line: &[u8]) -> bool {
    let ends_early = |text: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(text).is_err_and(|e| e.is_eof());
    // The parser calls half a number a wrong one: look at what stands before it.
    let number =
        line.iter().rposition(|b| !matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')).map_or(0, |i| i + 1);
    line.starts_with(b"{")
        && (ends_early(line)
            || (matches!(line[number..].last(), Some(b'.' | b'-' | b'+' | b'e' | b'E')) && ends_early(&line[..number])))
}
