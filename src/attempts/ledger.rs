use super::AttemptsError;
use super::own_line::sound_line;
use crate::schema::{ATTEMPT_SCHEMA, Attempt, Run};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The rest of a line whose writing was cut off, which was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub path: PathBuf,
    /// How many bytes there were.
    pub bytes: usize,
}

impl std::fmt::Display for Torn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.path.display();
        write!(
            f,
            "{path}: the last line was cut off after {} bytes and was removed; its attempt is made again",
            self.bytes
        )
    }
}

/// `attempts.jsonl` of one run, held by one process at a time.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens the file of a run's folder and reads its lines; what stands after the last line end is removed and told.
    pub fn open(dir: &Path) -> Result<(Ledger, Vec<Attempt>, Option<Torn>), AttemptsError> {
        let path = dir.join("attempts.jsonl");
        let io = || AttemptsError::io(&path);
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(&path).map_err(io())?;
        held(&file).map_err(io())?.ok_or_else(|| AttemptsError::Busy { dir: dir.to_owned() })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io())?;
        let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |i| i + 1);
        let torn = (whole < bytes.len()).then(|| Torn { path: path.clone(), bytes: bytes.len() - whole });
        let lines = parse(&bytes[..whole], &path)?;
        if torn.is_some() {
            file.set_len(whole as u64).and_then(|()| file.sync_all()).map_err(io())?;
        }
        // The name of a new file is on the disk before the first line is.
        File::open(dir).and_then(|d| d.sync_all()).map_err(AttemptsError::io(dir))?;
        Ok((Ledger { file, path }, lines, torn))
    }

    /// Appends one line with one write, and waits until it is on the disk. It is read back first as every reader will: what
    /// would be refused is a fault of ours, and the line is made sound. Gives the line as it is, and what was wrong with it.
    pub fn append(&mut self, line: Attempt, run: &Run) -> Result<(Attempt, Option<String>), AttemptsError> {
        let (line, refused) = sound_line(line, run)?;
        let mut bytes = serde_json::to_vec(&line)?;
        bytes.push(b'\n');
        self.file.write_all(&bytes).and_then(|()| self.file.sync_all()).map_err(AttemptsError::io(&self.path))?;
        Ok((line, refused))
    }
}

/// Locks a file; none where another process holds it. It is asked more than once: a process that was just killed, or that
/// is just being started, may hold a lock for a moment.
fn held(file: &File) -> std::io::Result<Option<()>> {
    for _ in 0..20 {
        match file.try_lock() {
            Ok(()) => return Ok(Some(())),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(std::time::Duration::from_millis(50)),
            Err(std::fs::TryLockError::Error(e)) => return Err(e),
        }
    }
    Ok(None)
}

/// The lines of a file; the first fault is named with its line.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Vec<Attempt>, AttemptsError> {
    let mut lines = Vec::new();
    for (i, text) in bytes.split(|b| *b == b'\n').enumerate().filter(|(_, text)| !text.is_empty()) {
        let hint = "lines are written by tsbench run alone: tsbench results check names every fault";
        let bad =
            |what: String| AttemptsError::Bad { file: path.to_owned(), what: format!("line {}: {what}", i + 1), hint };
        let line: Attempt = serde_json::from_slice(text).map_err(|e| bad(e.to_string()))?;
        if line.schema != ATTEMPT_SCHEMA {
            return Err(bad(format!("schema {:?}; expected {ATTEMPT_SCHEMA:?}", line.schema)));
        }
        lines.push(line);
    }
    Ok(lines)
}
