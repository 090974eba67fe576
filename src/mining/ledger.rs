use super::{MiningError, Wanted};
use crate::git::mirror_folder;
use crate::schema::{Candidate, Rejection};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The folder that mining writes to. Each line is whole before the next change is looked at, so that whatever ends the
/// program loses nothing, and the next call repeats nothing.
pub struct Ledger {
    dir: PathBuf,
    candidates: File,
    rejections: File,
    /// Ids and commits of all that is decided.
    known: BTreeSet<String>,
    /// Ids of candidates.
    taken: BTreeSet<String>,
    /// Ids and commits of what was rejected, with the last reason.
    reasons: BTreeMap<String, String>,
    /// Kept for as long as the ledger is.
    _lock: File,
}

/// How far a repository is read; `state/owner__name.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    /// `tsbench.mining/1`.
    pub schema: String,
    /// What was asked for: a place in one list is none in another.
    pub asked: String,
    /// Where the next page begins; nothing where the next call begins anew.
    pub cursor: Option<String>,
}

const SCHEMA: &str = "tsbench.mining/1";

impl Ledger {
    /// Opens a folder, which is made where it is missing, and says what was cut off in it and is dropped.
    pub fn open(dir: &Path) -> Result<(Ledger, Vec<String>), MiningError> {
        for folder in [dir.to_owned(), dir.join("problems"), dir.join("state")] {
            std::fs::create_dir_all(&folder).map_err(MiningError::io(&folder))?;
        }
        let lock = dir.join("lock");
        let file = File::create(&lock).map_err(MiningError::io(&lock))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let what = format!("{}: another call works on it", dir.display());
                return Err(MiningError::input(what, "wait for it, or name another folder with --out"));
            }
            Err(TryLockError::Error(cause)) => return Err(MiningError::Io { path: lock, cause }),
        }
        let mut warnings = Vec::new();
        let (mut known, mut taken) = (BTreeSet::new(), BTreeSet::new());
        let (candidates, found) = lines::<Candidate>(&dir.join("candidates.jsonl"), &mut warnings)?;
        for candidate in found {
            taken.extend(candidate.id.clone());
            known.extend(candidate.id.into_iter().chain([candidate.fix]));
        }
        let (rejections, found) = lines::<Rejection>(&dir.join("rejections.jsonl"), &mut warnings)?;
        let mut reasons = BTreeMap::new();
        for rejection in found {
            for word in [rejection.id, rejection.fix_commit].into_iter().filter(|word| !word.is_empty()) {
                reasons.insert(word, rejection.reason.clone());
            }
        }
        reasons.retain(|word, _| !known.contains(word));
        known.extend(reasons.keys().cloned());
        Ok((Ledger { dir: dir.to_owned(), candidates, rejections, known, taken, reasons, _lock: file }, warnings))
    }

    /// Lets what was last rejected for this reason be decided again.
    pub(super) fn reconsider(&mut self, reason: &str) {
        let again = self.reasons.iter().filter(|(_, r)| *r == reason).map(|(word, _)| word);
        for word in again {
            self.known.remove(word);
        }
    }

    /// Whether the change of this id or commit is decided.
    pub(super) fn knows(&self, word: &str) -> bool {
        self.known.contains(word)
    }

    /// Whether there is a candidate of this id.
    pub(super) fn has_candidate(&self, id: &str) -> bool {
        self.taken.contains(id)
    }

    /// Keeps a candidate, with its statement in a file of its own where it has one.
    pub(super) fn accept(&mut self, mut candidate: Candidate, statement: Option<&str>) -> Result<(), MiningError> {
        let id = candidate.id.clone().unwrap_or_default();
        if let Some(text) = statement {
            let name = format!("problems/{id}.md");
            write(&self.dir.join(&name), text.as_bytes())?;
            candidate.problem = Some(name.into());
        }
        append(&mut self.candidates, &self.dir.join("candidates.jsonl"), &candidate)?;
        self.candidates.sync_data().map_err(MiningError::io(&self.dir))?;
        self.taken.insert(id.clone());
        self.known.extend([id, candidate.fix]);
        Ok(())
    }

    /// Keeps a rejection.
    pub(super) fn reject(&mut self, rejection: Rejection) -> Result<(), MiningError> {
        append(&mut self.rejections, &self.dir.join("rejections.jsonl"), &rejection)?;
        self.known.extend([rejection.id, rejection.fix_commit].into_iter().filter(|word| !word.is_empty()));
        Ok(())
    }

    fn state_file(&self, repo: &str) -> PathBuf {
        self.dir.join("state").join(mirror_folder(repo).unwrap_or_default().replace(".git", ".json"))
    }

    /// Where an interrupted call for the same changes came to.
    pub(super) fn cursor(&self, repo: &str, asked: &str) -> Option<String> {
        let bytes = std::fs::read(self.state_file(repo)).ok()?;
        let state: State = serde_json::from_slice(&bytes).ok()?;
        (state.schema == SCHEMA && state.asked == asked).then_some(state.cursor)?
    }

    /// Notes where the next page begins.
    pub(super) fn keep_cursor(&self, repo: &str, asked: &str, cursor: Option<String>) -> Result<(), MiningError> {
        let state = State { schema: SCHEMA.to_owned(), asked: asked.to_owned(), cursor };
        let file = self.state_file(repo);
        let bytes = serde_json::to_vec(&state).map_err(other(&file))?;
        write(&file, &bytes)
    }
}

impl Wanted {
    /// All that is asked for in one word, to compare calls by.
    pub(super) fn word(&self) -> String {
        format!("{self:?}")
    }
}

fn other(path: &Path) -> impl FnOnce(serde_json::Error) -> MiningError {
    let path = path.to_owned();
    move |e| MiningError::Io { path, cause: std::io::Error::other(e) }
}

/// Writes a file in one step.
fn write(path: &Path, bytes: &[u8]) -> Result<(), MiningError> {
    let folder = path.parent().unwrap_or(path);
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    let stage = tempfile::Builder::new().permissions(open).tempfile_in(folder);
    let mut stage = stage.map_err(MiningError::io(folder))?;
    stage.write_all(bytes).map_err(MiningError::io(path))?;
    stage.persist(path).map_err(|e| MiningError::Io { path: path.to_owned(), cause: e.error })?;
    Ok(())
}

fn append(file: &mut File, path: &Path, value: &impl Serialize) -> Result<(), MiningError> {
    let mut line = serde_json::to_vec(value).map_err(other(path))?;
    line.push(b'\n');
    file.write_all(&line).map_err(MiningError::io(path))
}

/// The lines of a file, which is opened to be appended to; the rest of a line that was cut off is removed.
fn lines<T: for<'a> Deserialize<'a>>(path: &Path, warnings: &mut Vec<String>) -> Result<(File, Vec<T>), MiningError> {
    let open = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path);
    let mut file = open.map_err(MiningError::io(path))?;
    let bytes = std::fs::read(path).map_err(MiningError::io(path))?;
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    if whole < bytes.len() {
        let rest = bytes.len() - whole;
        warnings.push(format!("{}: the last line was cut off after {rest} bytes and is dropped", path.display()));
        file.set_len(whole as u64).map_err(MiningError::io(path))?;
    }
    file.seek(SeekFrom::Start(whole as u64)).map_err(MiningError::io(path))?;
    let mut found = Vec::new();
    for (number, line) in bytes[..whole].split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
        let bad =
            |e: serde_json::Error| MiningError::Line { path: path.to_owned(), line: number + 1, what: e.to_string() };
        found.push(serde_json::from_slice(line).map_err(bad)?);
    }
    Ok((file, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Stage;

    fn candidate(id: &str) -> Candidate {
        Candidate { id: Some(id.to_owned()), repo: "a/b".into(), fix: format!("fix-{id}"), ..Candidate::default() }
    }

    #[test]
    fn what_was_cut_off_is_dropped_and_the_rest_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let (mut ledger, warnings) = Ledger::open(dir.path()).unwrap();
        assert_eq!(warnings, [""; 0]);
        ledger.accept(candidate("a__b-1"), Some("Text")).unwrap();
        ledger.reject(Rejection::new("a/b", "a__b-2", "", Stage::Mining, "no", Vec::new())).unwrap();
        ledger.keep_cursor("a/b", "asked", Some("c1".into())).unwrap();
        drop(ledger);
        let file = dir.path().join("candidates.jsonl");
        let mut bytes = std::fs::read(&file).unwrap();
        let whole = bytes.len();
        bytes.extend_from_slice(b"{\"id\":\"a__b-3\",\"re");
        std::fs::write(&file, &bytes).unwrap();
        let (mut ledger, warnings) = Ledger::open(dir.path()).unwrap();
        assert!(warnings.len() == 1 && warnings[0].contains("candidates.jsonl"), "{warnings:?}");
        assert_eq!(std::fs::metadata(&file).unwrap().len(), whole as u64);
        assert!(ledger.knows("a__b-1") && ledger.knows("a__b-2") && ledger.knows("fix-a__b-1"));
        assert!(ledger.has_candidate("a__b-1") && !ledger.has_candidate("a__b-2") && !ledger.knows("a__b-3"));
        assert_eq!(ledger.cursor("a/b", "asked").as_deref(), Some("c1"));
        assert_eq!(ledger.cursor("a/b", "something else"), None);
        ledger.accept(candidate("a__b-3"), None).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 2);
    }

    #[test]
    fn two_calls_do_not_work_on_one_folder_and_a_wrong_line_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let (ledger, _) = Ledger::open(dir.path()).unwrap();
        assert!(matches!(Ledger::open(dir.path()), Err(MiningError::Input { .. })));
        drop(ledger);
        std::fs::write(dir.path().join("rejections.jsonl"), "\n{}\n").unwrap();
        assert!(matches!(Ledger::open(dir.path()), Err(MiningError::Line { line: 2, .. })));
    }
}
