use super::evidence::{Evidence, contradicted};
use super::found::{Found, relative};
use super::line::{ErrorText, GradedFrom, Plan};
use super::piece::{Job, Piece, read_piece};
use super::plan::PublisherFile;
use super::shard::{Shard, cuts, sha256_hex};
use super::whole::Places;
use super::{Fault, Level, ResultsError, Row};
use crate::schema::Run;
use rayon::prelude::*;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// One run: its plan, its rows in order of (task, model, variant, repeat, line), and its shards.
#[derive(Debug)]
pub struct RunFile {
    /// The plan.
    pub run: Run,
    /// Folder of the run.
    pub dir: PathBuf,
    /// Whether patches, trajectories or reports lie beside the lines.
    pub has_artifacts: bool,
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
    /// Who scored the lines, by the first line of each change.
    pub graders: Vec<GradedFrom>,
    /// The attempts file in pieces.
    pub shards: Vec<Shard>,
    /// The newest `finished_at`, as written, empty where no line says it.
    pub newest: String,
    pub(super) places: Places,
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

    /// The grader that a 1-based line names, empty where it names none.
    pub fn grader(&self, line: u32) -> &str {
        let after = self.graders.partition_point(|g| g.line <= line);
        after.checked_sub(1).map_or("", |i| &self.graders[i].grader)
    }

    /// The shard that holds a 1-based line, and the line's number within it.
    pub fn locate(&self, line: u32) -> Option<(usize, u64)> {
        let line = u64::from(line);
        let i = self.shards.partition_point(|s| s.before < line).checked_sub(1)?;
        let within = line - self.shards[i].before;
        (within <= self.shards[i].lines).then_some((i, within))
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
    let mut found = Found::below(&root)?;
    let (runs, mut faults) = read_attempts(&root, found.plans, on_shard)?;
    faults.append(&mut found.faults);
    faults.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    Ok(Dataset { runs, publishers: found.publishers, faults })
}

type Runs = (Vec<RunFile>, Vec<Fault>);

fn read_attempts(
    root: &Path,
    plans: Vec<(PathBuf, Vec<u8>, Run)>,
    on_shard: Option<&OnShard<'_>>,
) -> Result<Runs, ResultsError> {
    let mut jobs = Vec::new();
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for (i, (dir, _, _)) in plans.iter().enumerate() {
        let path = dir.join("attempts.jsonl");
        // Whatever else stands there was told when the folder was walked.
        if path.symlink_metadata().is_ok_and(|m| m.is_file()) {
            let file = File::open(&path).map_err(ResultsError::io(&path))?;
            let spans = cuts(&file, &path)?;
            let last = spans.len();
            jobs.extend(spans.into_iter().enumerate().map(|(n, span)| Job {
                run: i,
                file: files.len(),
                number: n,
                span,
                last: n + 1 == last,
            }));
            files.push((relative(root, &path), path, file));
        }
    }
    let lookups: Vec<Plan<'_>> = plans.iter().map(|(_, _, run)| Plan::new(run)).collect();
    // A buffer for each thread, kept between its pieces.
    let buffers = Mutex::new(Vec::new());
    let spare = || buffers.lock().unwrap_or_else(PoisonError::into_inner);
    let pieces: Vec<Result<Piece, ResultsError>> = jobs
        .par_iter()
        .map(|job| {
            let (name, path, file) = &files[job.file];
            let mut buffer = spare().pop().unwrap_or_default();
            let piece = read_piece(job, (name, path, file), &lookups[job.run], &mut buffer, on_shard);
            spare().push(buffer);
            piece
        })
        .collect();
    drop(lookups);
    let mut runs: Vec<RunFile> = plans.into_iter().map(empty_run).collect();
    let mut parts: Vec<Vec<Piece>> = runs.iter().map(|_| Vec::new()).collect();
    for (job, piece) in jobs.iter().zip(pieces) {
        parts[job.run].push(piece?);
    }
    let join = |(run, pieces): (&mut RunFile, Vec<Piece>)| {
        let mut faults = Vec::new();
        let mut left: usize = pieces.iter().map(|p| p.rows.len()).sum();
        for piece in pieces {
            left -= piece.rows.len();
            append(run, piece, &mut faults);
            run.rows.reserve_exact(left);
        }
        let file = relative(root, &run.dir.join("attempts.jsonl"));
        faults.append(&mut settle(run, &file));
        if run.has_artifacts {
            let artifacts = run.dir.join("artifacts");
            let shown = relative(root, &artifacts);
            let evidence = Evidence { dir: &artifacts, shown: &shown, is_cut: &|_| false };
            faults.append(&mut contradicted(run, &file, evidence));
        }
        faults
    };
    let more: Vec<Vec<Fault>> = runs.par_iter_mut().zip(parts).map(join).collect();
    faults.extend(more.into_iter().flatten());
    Ok((runs, faults))
}

fn empty_run((dir, plan_bytes, run): (PathBuf, Vec<u8>, Run)) -> RunFile {
    let plan_sha256 = sha256_hex(&plan_bytes);
    RunFile {
        has_artifacts: dir.join("artifacts").is_dir(),
        run,
        dir,
        plan_bytes,
        plan_sha256,
        variants: Vec::new(),
        rows: Vec::new(),
        errors: Vec::new(),
        graders: Vec::new(),
        shards: Vec::new(),
        newest: String::new(),
        places: Places::default(),
    }
}

fn append(run: &mut RunFile, mut piece: Piece, faults: &mut Vec<Fault>) {
    let before = run.shards.last().map_or(0, |s| s.before + s.lines);
    piece.shard.before = before;
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
    for mut graded in piece.aside.graders {
        graded.line += before as u32;
        if run.graders.last().is_none_or(|last| last.grader != graded.grader) {
            run.graders.push(graded);
        }
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
                format!(
                    "the attempt (task {task:?}, model {model:?}, repeat {}) stands on line {} and again on line {}",
                    first.repeat, first.line, second.line
                ),
                "an attempt counts once; only an excluded one may be followed by another",
            )
            .at(second.line.into())
            .field("repeat"),
        );
    }
    faults
}
