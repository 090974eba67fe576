use crate::schema::{HEALTH_SCHEMA, HealthLine, HealthState, Outcome};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Why a log could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// A file could not be read or written.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A line is not what it should be.
    #[error("use {file} line {line}: {what}\nhint: {hint}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1 on.
        line: usize,
        /// What was found and expected.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// A line could not be written as JSON.
    #[error("write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// The rest of a line whose writing was cut off; it is removed when the next line is appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub path: PathBuf,
    /// How many bytes there were.
    pub bytes: u64,
}

impl std::fmt::Display for Torn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: the last line was cut off after {} bytes; that audit is not in the log",
            self.path.display(),
            self.bytes
        )
    }
}

/// The log of one suite.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFile {
    /// Id of the suite, the file's name.
    pub suite: String,
    /// Its bytes, as far as lines were written to their end.
    pub bytes: Vec<u8>,
    /// Its lines.
    pub lines: Vec<HealthLine>,
    /// The line that was cut off, if one was.
    pub torn: Option<Torn>,
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> HealthError + use<> {
    let path = path.to_owned();
    move |cause| HealthError::Io { path, cause }
}

/// Every line of a log that was written to its end; a file that is missing is an empty log.
pub fn read(path: &Path) -> Result<(Vec<HealthLine>, Option<Torn>), HealthError> {
    let mut bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok((Vec::new(), None)),
        Err(e) => return Err(io(path)(e)),
    };
    let torn = whole(&mut bytes, path);
    let suite = path.file_stem().and_then(|n| n.to_str()).unwrap_or("");
    Ok((parse(&bytes, suite, &path.display().to_string())?, torn))
}

/// Takes off the rest of a line whose writing was cut off.
fn whole(bytes: &mut Vec<u8>, path: &Path) -> Option<Torn> {
    let whole = memchr::memrchr(b'\n', bytes).map_or(0, |i| i + 1);
    let torn = (whole < bytes.len()).then(|| Torn { path: path.to_owned(), bytes: (bytes.len() - whole) as u64 });
    bytes.truncate(whole);
    torn
}

/// Every log of a folder, in order of their names. A missing folder holds none.
pub fn read_all(dir: &Path) -> Result<Vec<LogFile>, HealthError> {
    let mut paths = Vec::new();
    if dir.is_dir() {
        for entry in std::fs::read_dir(dir).map_err(io(dir))? {
            let path = entry.map_err(io(dir))?.path();
            let is_file = std::fs::symlink_metadata(&path).is_ok_and(|m| m.is_file());
            if is_file && path.extension().is_some_and(|e| e == "jsonl") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let one = |path: &PathBuf| {
        let mut bytes = std::fs::read(path).map_err(io(path))?;
        let torn = whole(&mut bytes, path);
        let suite = path.file_stem().and_then(|n| n.to_str()).unwrap_or("").to_owned();
        let lines = parse(&bytes, &suite, &path.display().to_string())?;
        Ok(LogFile { suite, bytes, lines, torn })
    };
    paths.iter().map(one).collect()
}

/// The lines of a log of the suite with this id; the first fault is named with its line.
pub fn parse(bytes: &[u8], suite: &str, file: &str) -> Result<Vec<HealthLine>, HealthError> {
    let mut lines = Vec::new();
    let mut seen: HashSet<(String, String, String)> = HashSet::new();
    for (i, text) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        let bad = |what: String, hint| HealthError::Line { file: file.to_owned(), line: i + 1, what, hint };
        let Some(text) = text.strip_suffix(b"\n") else {
            return Err(bad("is cut off".into(), "the next audit of the suite removes it: tsbench audit"));
        };
        let by_hand = "the log is written by tsbench audit alone: take the line back from a copy";
        let line: HealthLine = serde_json::from_slice(text).map_err(|e| bad(e.to_string(), by_hand))?;
        if line.schema != HEALTH_SCHEMA {
            return Err(bad(format!("schema {:?}; expected {HEALTH_SCHEMA:?}", line.schema), by_hand));
        }
        if line.suite.split_once('@').map(|s| s.0) != Some(suite) {
            let what = format!("suite {:?} in the log of {suite:?}", line.suite);
            return Err(bad(what, "each suite has a log of its own, named after its id"));
        }
        if line.at.parse::<jiff::Timestamp>().is_err() {
            return Err(bad(format!("at {:?}; expected a time as in RFC 3339", line.at), by_hand));
        }
        if let Some(what) = contradiction(&line) {
            return Err(bad(what, by_hand));
        }
        if !seen.insert((line.suite.clone(), line.task.clone(), line.at.clone())) {
            return Err(bad(format!("a second audit of {:?} at {}", line.task, line.at), by_hand));
        }
        lines.push(line);
    }
    Ok(lines)
}

/// What a line says that its other words deny.
fn contradiction(line: &HealthLine) -> Option<String> {
    for p in &line.proofs {
        let counts = [("targets", p.targets.passed, p.targets.total), ("guards", p.guards.passed, p.guards.total)];
        let score = p.score.map(|s| ("score", s.passed, s.total));
        if let Some((of, passed, total)) = counts.into_iter().chain(score).find(|(_, passed, total)| passed > total) {
            return Some(format!("{of} of {:?}: {passed} passed of {total}", p.name));
        }
        let as_it_must = p.good && (p.outcome == Outcome::Resolved) == p.kind.must_resolve();
        if line.state == HealthState::Healthy && !as_it_must {
            return Some(format!("state \"healthy\" with {:?} that did not go as it must", p.name));
        }
    }
    None
}

/// Appends a line with one write and waits until it is on the disk; tells of a line that was cut off before it, and
/// removes that.
pub fn append(path: &Path, line: &HealthLine) -> Result<Option<Torn>, HealthError> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(io(parent))?;
    }
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path).map_err(io(path))?;
    // Two audits of one suite take turns: none may see the other's line half written.
    file.lock().map_err(io(path))?;
    let torn = cut(&mut file, path).map_err(io(path))?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io(path))?;
    Ok(torn)
}

/// Removes what stands after the last line end.
fn cut(file: &mut File, path: &Path) -> std::io::Result<Option<Torn>> {
    let length = file.metadata()?.len();
    let (mut whole, mut piece) = (length, vec![0; 64 << 10]);
    while whole > 0 {
        let from = whole.saturating_sub(piece.len() as u64);
        let part = &mut piece[..(whole - from) as usize];
        file.seek(SeekFrom::Start(from))?;
        file.read_exact(part)?;
        if let Some(i) = memchr::memrchr(b'\n', part) {
            whole = from + i as u64 + 1;
            break;
        }
        whole = from;
    }
    if whole == length {
        return Ok(None);
    }
    file.set_len(whole)?;
    Ok(Some(Torn { path: path.to_owned(), bytes: length - whole }))
}
