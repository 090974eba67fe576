//! The output folder: staged, compared, committed as a whole, and never a file outside it.

use super::SiteError;
use super::folder::{Folder, guard};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What a build did to the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files of the site.
    pub files: usize,
    /// Bytes of the site.
    pub bytes: u64,
    /// Files written because they are new or differ.
    pub changed: usize,
    /// Files of an earlier build that are gone.
    pub removed: usize,
    /// The largest file and its size.
    pub largest: (String, u64),
}

/// The list of a site's files and their digests, in the format of `sha256sum`.
pub const SUMS: &str = "SHA256SUMS";

/// A file of so many bytes is put together before it is written.
const COPIED: u64 = 256 << 10;

struct Entry {
    sha256: String,
    bytes: u64,
    changed: bool,
}

#[derive(Default)]
struct State {
    files: BTreeMap<String, Entry>,
    folded: HashSet<String>,
    dirs: HashSet<PathBuf>,
    /// Folders of the old site that are known to be none but folders.
    real: HashSet<PathBuf>,
}

/// A site being written. Until [`Output::commit`] the folder is untouched.
pub struct Output {
    folder: Folder,
    fresh: bool,
    before: Vec<String>,
    state: Mutex<State>,
}

impl Output {
    /// Prepares to write a site into `out`, which is absent, empty, or an earlier build; waits for another build of it.
    pub fn open(out: &Path, on_wait: &dyn Fn()) -> Result<Output, SiteError> {
        let folder = Folder::hold(out, on_wait)?;
        let real = &folder.out;
        let used = real.exists() && fs::read_dir(real).map_err(SiteError::io(real))?.next().is_some();
        let before = if used {
            let text = fs::read_to_string(real.join(SUMS)).map_err(|_| {
                SiteError::content(
                    out.display().to_string(),
                    "holds files that no earlier build made",
                    "name an empty folder with --out, or remove this one",
                )
            })?;
            text.lines().filter_map(|l| l.get(66..)).filter(|p| is_plain(p)).map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        Ok(Output { folder, fresh: !used, before, state: Mutex::default() })
    }

    /// Adds a file. The path is one of ours: plain, relative, and different from every other whatever the case.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), SiteError> {
        self.put_with_digest(path, bytes, hex(bytes))
    }

    /// As [`Output::put`], for a file in parts: a large one is not copied into one piece first.
    pub fn put_parts(&self, path: &str, parts: &[&str]) -> Result<(), SiteError> {
        let parts: Vec<&[u8]> = parts.iter().map(|p| p.as_bytes()).collect();
        self.put_all(path, &parts, hex_of(&parts))
    }

    /// As [`Output::put`], for bytes whose SHA-256 is known.
    pub fn put_with_digest(&self, path: &str, bytes: &[u8], sha256: String) -> Result<(), SiteError> {
        self.put_all(path, &[bytes], sha256)
    }

    fn put_all(&self, path: &str, parts: &[&[u8]], sha256: String) -> Result<(), SiteError> {
        if !is_plain(path) {
            return Err(SiteError::content(
                path,
                "is not a plain path inside the site",
                "this is a fault of the program: names must pass through slug",
            ));
        }
        let bytes = parts.iter().map(|p| p.len() as u64).sum();
        let changed = self.fresh || !self.is_there(path, parts, bytes)?;
        let staged = self.folder.staged(path);
        let new_dir = {
            let mut state = self.lock();
            if !state.folded.insert(path.to_ascii_lowercase()) {
                return Err(SiteError::content(
                    path,
                    "two pages would share this file",
                    "rename one of the two tasks, models, runs or content pages",
                ));
            }
            state.files.insert(path.to_owned(), Entry { sha256, bytes, changed });
            staged.parent().filter(|d| changed && !state.dirs.contains(*d)).map(Path::to_owned)
        };
        if !changed {
            return Ok(());
        }
        if let Some(dir) = new_dir {
            fs::create_dir_all(&dir).map_err(SiteError::io(&dir))?;
            self.lock().dirs.insert(dir);
        }
        let write = |mut file: fs::File| {
            // A page in one piece costs one call of the system; a large file is not copied for it.
            let whole = if bytes <= COPIED { parts.concat() } else { Vec::new() };
            let parts = if whole.is_empty() { parts } else { &[whole.as_slice()] };
            parts.iter().try_for_each(|part| file.write_all(part))
        };
        fs::File::create(&staged).and_then(write).map_err(SiteError::io(&staged))
    }

    /// Whether the site has this file already, whatever the case.
    pub fn holds(&self, path: &str) -> bool {
        self.lock().folded.contains(&path.to_ascii_lowercase())
    }

    /// Whether the old site has the file with these bytes; an error where it cannot be put there.
    fn is_there(&self, path: &str, parts: &[&[u8]], bytes: u64) -> Result<bool, SiteError> {
        let target = self.folder.out.join(path);
        let known = target.parent().is_some_and(|d| self.lock().real.contains(d));
        if !known || fs::symlink_metadata(&target).is_ok_and(|m| !m.is_file()) {
            guard(&self.folder.out, path, &mut self.lock().real)?;
        }
        Ok(same(&target, parts, bytes))
    }

    /// The files so far, with sizes.
    pub fn sizes(&self) -> Vec<(String, u64)> {
        self.lock().files.iter().map(|(p, e)| (p.clone(), e.bytes)).collect()
    }

    /// Puts everything in place, and removes what an earlier build left.
    pub fn commit(self) -> Result<Written, SiteError> {
        let sums: String = self.lock().files.iter().map(|(p, e)| format!("{}  {p}\n", e.sha256)).collect();
        self.put(SUMS, sums.as_bytes())?;
        let state = std::mem::take(&mut *self.lock());
        let mut report = Written::default();
        for (path, entry) in &state.files {
            report.files += 1;
            report.bytes += entry.bytes;
            report.changed += usize::from(entry.changed);
            if entry.bytes > report.largest.1 {
                report.largest = (path.clone(), entry.bytes);
            }
        }
        let removed: Vec<&String> = self.before.iter().filter(|p| !state.files.contains_key(*p)).collect();
        report.removed = removed.iter().filter(|p| self.folder.out.join(p.as_str()).exists()).count();
        if report.changed + removed.len() > 0 {
            self.folder.replace(&removed)?;
        }
        Ok(report)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn same(path: &Path, parts: &[&[u8]], bytes: u64) -> bool {
    fs::symlink_metadata(path).is_ok_and(|m| m.is_file() && m.len() == bytes)
        && fs::read(path).is_ok_and(|old| {
            let mut rest = old.as_slice();
            parts.iter().all(|part| rest.strip_prefix(*part).inspect(|r| rest = r).is_some()) && rest.is_empty()
        })
}

/// Relative, without empty, hidden-parent or drive-like parts.
pub(super) fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|p| !p.is_empty() && p != "." && p != ".." && !p.contains(['\\', '\0', '\n', ':']))
}

/// SHA-256 in hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    hex_of(&[bytes])
}

/// SHA-256 of parts that follow one another, in hex.
fn hex_of(parts: &[&[u8]]) -> String {
    let mut digest = Sha256::new();
    parts.iter().for_each(|part| digest.update(part));
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    digest.finalize().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}
