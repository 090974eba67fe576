use super::diagnose::diagnose;
use super::line::{Aside, ErrorText, Plan, fast};
use super::plan::{PublisherFile, read_publisher, read_run, read_small};
use super::shard::{MAX_LINE, Shard, cuts, sha256_hex};
use super::{Fault, Level, ResultsError, Row};
use crate::schema::Run;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// One run: its plan, its rows in order of (task, model, variant, repeat, line), and its shards.
#[derive(Debug)]
pub struct RunFile {
    /// The plan.
    pub run: Run,
    /// Folder of the run.
    pub dir: PathBuf,
    /// The plan's bytes, as published.
    pub plan_bytes: Vec<u8>,
    /// SHA-256 of the plan's bytes, in hex.
    pub plan_sha256: String,
    /// Agent and condition of the rows, by [`Row::variant`].
    pub variants: Vec<(String, String)>,
    /// Every attempt, superseded ones included.
    pub rows: Vec<Row>,
    /// Error texts of the rows that have one, in order of their lines.
    pub errors: Vec<ErrorText>,
    /// The attempts file in pieces.
    pub shards: Vec<Shard>,
    /// The newest `finished_at`, as written, empty where no line says it.
    pub newest: String,
}

impl RunFile {
    /// The rows that count as the run's outcomes: all but the superseded ones.
    pub fn effective(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|r| !r.superseded)
    }

    /// The error text of a 1-based line.
    pub fn error_text(&self, line: u32) -> Option<&ErrorText> {
        let i = self.errors.binary_search_by_key(&line, |e| e.line).ok()?;
        self.errors.get(i)
    }

    /// The shard that holds a 1-based line, and the line's number within it.
    pub fn locate(&self, line: u32) -> Option<(usize, u64)> {
        let mut left = u64::from(line).checked_sub(1)?;
        for (i, shard) in self.shards.iter().enumerate() {
            if left < shard.lines {
                return Some((i, left + 1));
            }
            left -= shard.lines;
        }
        None
    }
}

/// Everything under a results folder.
#[derive(Debug)]
pub struct Dataset {
    /// Runs in order of their names.
    pub runs: Vec<RunFile>,
    /// Publisher-reported records in order of their names.
    pub publishers: Vec<PublisherFile>,
    /// Every fault of every file, in order of file and line.
    pub faults: Vec<Fault>,
}

impl Dataset {
    /// Whether any fault forbids the use of these results.
    pub fn has_errors(&self) -> bool {
        self.faults.iter().any(|f| f.level == Level::Error)
    }
}

/// Reads a results folder, or a folder that holds one named `results`.
///
/// Faults are collected, not returned as errors; an error means that nothing could be read at all.
///
/// Digests of shards are left out, because they cost more than everything else: [`read_with`] makes them.
pub fn read(root: &Path) -> Result<Dataset, ResultsError> {
    read_all(root, None)
}

/// What [`read_with`] calls for each piece of each attempts file, from many threads: the run, the piece's number,
/// its bytes and their SHA-256 in hex.
pub type OnShard<'a> = dyn Fn(&Run, usize, &[u8], &str) -> std::io::Result<()> + Sync + 'a;

/// As [`read`], with digests, and hands every piece of every attempts file to `on_shard` while it is in memory.
pub fn read_with(root: &Path, on_shard: &OnShard<'_>) -> Result<Dataset, ResultsError> {
    read_all(root, Some(on_shard))
}

fn read_all(root: &Path, on_shard: Option<&OnShard<'_>>) -> Result<Dataset, ResultsError> {
    let inner = root.join("results");
    let root = if inner.is_dir() { inner } else { root.to_owned() };
    if !root.is_dir() {
        return Err(ResultsError::NoFolder(root));
    }
    let mut found = Found::default();
    // Artifacts are read by nobody here and may be many; hidden folders are somebody's work in progress.
    let passed_by = |name: &std::ffi::OsStr| name == "artifacts" || name.as_encoded_bytes().starts_with(b".");
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_entry(|e| e.depth() == 0 || !passed_by(e.file_name())) {
        let entry = entry.map_err(|e| ResultsError::Io { path: root.clone(), source: e.into() })?;
        if entry.file_type().is_file() {
            found.take(&root, entry.path())?;
        } else if entry.path_is_symlink() && entry.depth() > 0 {
            found.pass_link(&root, entry.path());
        }
    }
    found.check_names(&root);
    let (runs, mut faults) = read_attempts(&root, found.plans, on_shard)?;
    faults.append(&mut found.faults);
    faults.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(Dataset { runs, publishers: found.publishers, faults })
}

#[derive(Default)]
struct Found {
    plans: Vec<(PathBuf, Vec<u8>, Run)>,
    publishers: Vec<PublisherFile>,
    faults: Vec<Fault>,
}

impl Found {
    fn take(&mut self, root: &Path, path: &Path) -> Result<(), ResultsError> {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let file = relative(root, path);
        let dir = path.parent().unwrap_or(root);
        match name {
            "run.json" => match read_small(path, &file)?.map_err(|f| vec![f]).and_then(|bytes| read_run(&file, &bytes).map(|run| (bytes, run))) {
                Ok((bytes, run)) => self.plans.push((dir.to_owned(), bytes, run)),
                Err(faults) => self.faults.extend(faults),
            },
            "publisher.json" => match read_small(path, &file)?.map_err(|f| vec![f]).and_then(|bytes| read_publisher(&file, dir, bytes)) {
                Ok(record) => self.publishers.push(record),
                Err(faults) => self.faults.extend(faults),
            },
            "attempts.jsonl" if !dir.join("run.json").is_file() => {
                self.faults.push(Fault::error(&file, "has no run.json beside it", "attempts belong to a locked plan: add the run's run.json"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Links are not followed: what is published must stand in the folder that is published.
    fn pass_link(&mut self, root: &Path, path: &Path) {
        let fault = Fault::error(&relative(root, path), "is a symbolic link and is not followed", "put the file or folder itself there");
        let is_record = ["run.json", "attempts.jsonl", "publisher.json"].iter().any(|name| path.ends_with(name));
        self.faults.push(if is_record { fault } else { fault.warning() });
    }

    /// Two plans with one name would mix their attempts: the second is a fault and is not read.
    fn check_names(&mut self, root: &Path) {
        let mut seen: HashMap<String, String> = HashMap::new();
        let faults = &mut self.faults;
        let mut is_first = |place: String, name: &str| {
            if let Some(first) = seen.get(name) {
                faults.push(Fault::error(&place, format!("run {name:?} is also in {first}"), "give each run its own name").field("run"));
                return false;
            }
            seen.insert(name.to_owned(), place);
            true
        };
        self.plans.retain(|(dir, _, run)| is_first(relative(root, &dir.join("run.json")), &run.run));
        self.publishers.retain(|p| is_first(relative(root, &p.dir.join("publisher.json")), &p.record.run));
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let short = path.strip_prefix(root).unwrap_or(path);
    let name = root.file_name().and_then(|n| n.to_str()).unwrap_or("results");
    format!("{name}/{}", short.display())
}

/// What one shard gives.
struct Piece {
    rows: Vec<Row>,
    aside: Aside,
    faults: Vec<Fault>,
    shard: Shard,
}

type Runs = (Vec<RunFile>, Vec<Fault>);

fn read_attempts(root: &Path, plans: Vec<(PathBuf, Vec<u8>, Run)>, on_shard: Option<&OnShard<'_>>) -> Result<Runs, ResultsError> {
    let mut jobs = Vec::new();
    let mut files = Vec::new();
    let mut faults = Vec::new();
    for (i, (dir, _, _)) in plans.iter().enumerate() {
        let path = dir.join("attempts.jsonl");
        let kind = path.symlink_metadata().map(|m| m.file_type());
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
            faults.push(Fault::error(&relative(root, &path), "is a folder", "attempts.jsonl is one file of lines"));
        } else if kind.is_ok_and(|k| k.is_file()) {
            let file = File::open(&path).map_err(ResultsError::io(&path))?;
            let spans = cuts(&file, &path)?;
            let last = spans.len();
            jobs.extend(spans.into_iter().enumerate().map(|(n, span)| Job { run: i, file: files.len(), number: n, span, last: n + 1 == last }));
            files.push((relative(root, &path), path, file));
        }
    }
    let lookups: Vec<Plan<'_>> = plans.iter().map(|(_, _, run)| Plan::new(run)).collect();
    let pieces: Vec<Result<Piece, ResultsError>> = jobs
        .par_iter()
        .map_init(Vec::new, |buffer, job| {
            let (name, path, file) = &files[job.file];
            read_piece(job, (name, path, file), &lookups[job.run], buffer, on_shard)
        })
        .collect();
    drop(lookups);
    let mut runs: Vec<RunFile> = plans.into_iter().map(empty_run).collect();
    for (job, piece) in jobs.iter().zip(pieces) {
        append(&mut runs[job.run], piece?, &mut faults);
    }
    let more: Vec<Vec<Fault>> = runs.par_iter_mut().map(|run| settle(run, &relative(root, &run.dir.join("attempts.jsonl")))).collect();
    faults.extend(more.into_iter().flatten());
    Ok((runs, faults))
}

fn empty_run((dir, plan_bytes, run): (PathBuf, Vec<u8>, Run)) -> RunFile {
    let plan_sha256 = sha256_hex(&plan_bytes);
    RunFile { run, dir, plan_bytes, plan_sha256, variants: Vec::new(), rows: Vec::new(), errors: Vec::new(), shards: Vec::new(), newest: String::new() }
}

struct Job {
    run: usize,
    file: usize,
    number: usize,
    span: (u64, u64),
    last: bool,
}

fn read_piece(job: &Job, (name, path, file): (&String, &Path, &File), plan: &Plan<'_>, buffer: &mut Vec<u8>, on_shard: Option<&OnShard<'_>>) -> Result<Piece, ResultsError> {
    let (start, len) = job.span;
    let mut piece = Piece { rows: Vec::new(), aside: Aside::default(), faults: Vec::new(), shard: Shard { start, len, lines: 0, sha256: String::new() } };
    if len > MAX_LINE {
        piece.shard.lines = 1;
        piece.faults.push(
            Fault::error(name, format!("a line of {len} bytes; at most {MAX_LINE} are read"), "keep long texts in artifacts/ and only their digests in the line").at(1),
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
                    piece.faults.push(Fault::error(name, "the last line has no line end", "add a line end before anything is appended").at(number.into()).warning());
                }
            }
            None if end.is_none() && last_piece && is_cut_short(line) => piece.faults.push(
                Fault::error(name, "the last line is cut short; every other line is used", "remove the rest of the line, or resume the run, which writes it anew").at(number.into()).warning(),
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
    let number = line.iter().rposition(|b| !matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')).map_or(0, |i| i + 1);
    line.starts_with(b"{") && (ends_early(line) || (matches!(line[number..].last(), Some(b'.' | b'-' | b'+' | b'e' | b'E')) && ends_early(&line[..number])))
}

fn append(run: &mut RunFile, mut piece: Piece, faults: &mut Vec<Fault>) {
    let before: u64 = run.shards.iter().map(|s| s.lines).sum();
    let map: Vec<u16> = piece
        .aside
        .variants
        .into_iter()
        .map(|v| {
            run.variants.iter().position(|known| *known == v).unwrap_or_else(|| {
                run.variants.push(v);
                run.variants.len() - 1
            }) as u16
        })
        .collect();
    for row in &mut piece.rows {
        row.line += before as u32;
        row.variant = map[usize::from(row.variant)];
    }
    for mut error in piece.aside.errors {
        error.line += before as u32;
        run.errors.push(error);
    }
    if piece.aside.newest > run.newest {
        run.newest = piece.aside.newest;
    }
    for mut fault in piece.faults {
        fault.line = fault.line.map(|l| l + before);
        faults.push(fault);
    }
    if run.rows.is_empty() {
        run.rows = piece.rows;
    } else {
        run.rows.extend(piece.rows);
    }
    run.shards.push(piece.shard);
}

/// Sorts the rows and decides which of two lines with one identity stands.
fn settle(run: &mut RunFile, file: &str) -> Vec<Fault> {
    if !run.rows.is_sorted_by_key(|r| (r.key(), r.line)) {
        run.rows.sort_unstable_by_key(|r| (r.key(), r.line));
    }
    let infra = run.run.scoring.infra;
    let mut faults = Vec::new();
    for i in 1..run.rows.len() {
        if run.rows[i - 1].key() != run.rows[i].key() {
            continue;
        }
        if run.rows[i - 1].outcome.excluded(infra) {
            run.rows[i - 1].superseded = true;
            continue;
        }
        let (first, second) = (&run.rows[i - 1], &run.rows[i]);
        let (task, model) = (&run.run.tasks[first.task as usize], &run.run.models[usize::from(first.model)].id);
        faults.push(
            Fault::error(
                file,
                format!("the attempt (task {task:?}, model {model:?}, repeat {}) stands on line {} and again on line {}", first.repeat, first.line, second.line),
                "an attempt counts once; only an excluded one may be followed by another",
            )
            .at(second.line.into())
            .field("repeat"),
        );
    }
    faults
}
