//! One shard of an attempts file: its bytes in, its rows and faults out.

use super::dataset::OnShard;
use super::diagnose::diagnose;
use super::line::{Aside, Plan};
use super::scan::Text;
use super::shape::Shapes;
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
        // Most lines have about a thousand bytes.
        rows: Vec::with_capacity((len / 800) as usize),
        aside: Aside::default(),
        faults: Vec::new(),
        shard: Shard { start, len, before: 0, lines: 0, sha256: String::new() },
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
    let len = len as usize;
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    let buffer = &mut buffer[..len];
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
    let whole = Text::new(bytes);
    let next_line = |start: usize| memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |i| start + i + 1);
    let mut shapes = Shapes::default();
    let mut start = 0;
    let mut number: u32 = 0;
    while start < bytes.len() {
        number += 1;
        let found = match whole {
            Some(text) => shapes.read((text, start), plan, &mut piece.aside, number),
            None => Text::new(&bytes[start..next_line(start)])
                .and_then(|text| shapes.read((text, 0), plan, &mut piece.aside, number))
                .map(|(row, end)| (row, start + end)),
        };
        if let Some((row, end)) = found {
            piece.rows.push(row);
            if end == bytes.len() {
                let hint = "add a line end before anything is appended";
                let fault = Fault::error(name, "the last line has no line end", hint);
                piece.faults.push(fault.at(number.into()).warning());
            }
            start = end + 1;
            continue;
        }
        let next = next_line(start);
        let line = &bytes[start..next];
        match line.strip_suffix(b"\n") {
            None if last_piece && is_cut_short(line) => {
                let what = "the last line is cut short; every other line is used";
                let hint = "remove the rest of the line, or resume the run, which writes it anew";
                piece.faults.push(Fault::error(name, what, hint).at(number.into()).warning());
            }
            whole => piece.faults.extend(diagnose(whole.unwrap_or(line), name, number.into(), plan)),
        }
        start = next;
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
