//! The output folder: staged, compared, committed as a whole, and never a file outside it.

use super::SiteError;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashSet};
use std::fs;
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
}

/// A site being written. Until [`Output::commit`] the folder is untouched.
pub struct Output {
    out: PathBuf,
    stage: tempfile::TempDir,
    fresh: bool,
    before: Vec<String>,
    state: Mutex<State>,
}

impl Output {
    /// Prepares to write a site into `out`, which is absent, empty, or an earlier build.
    pub fn open(out: &Path) -> Result<Output, SiteError> {
        let parent = out.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        let used = out.exists() && fs::read_dir(out).map_err(SiteError::io(out))?.next().is_some();
        let sums = out.join(SUMS);
        let before = if used {
            let text = fs::read_to_string(&sums).map_err(|_| {
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
        // The stage lies beside the folder, so that a rename never crosses a file system.
        let stage =
            tempfile::Builder::new().prefix(".tsbench-site-").tempdir_in(parent).map_err(SiteError::io(parent))?;
        Ok(Output { out: out.to_owned(), stage, fresh: !used, before, state: Mutex::default() })
    }

    /// Adds a file. The path is one of ours: plain, relative, and different from every other whatever the case.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), SiteError> {
        self.put_with_digest(path, bytes, hex(bytes))
    }

    /// As [`Output::put`], for bytes whose SHA-256 is known.
    pub fn put_with_digest(&self, path: &str, bytes: &[u8], sha256: String) -> Result<(), SiteError> {
        if !is_plain(path) {
            return Err(SiteError::content(
                path,
                "is not a plain path inside the site",
                "this is a fault of the program: names must pass through slug",
            ));
        }
        let changed = self.fresh || !same(&self.out.join(path), bytes);
        let staged = self.stage.path().join(path);
        let new_dir = {
            let mut state = self.lock();
            if !state.folded.insert(path.to_ascii_lowercase()) {
                return Err(SiteError::content(
                    path,
                    "two pages would share this file",
                    "rename one of the two tasks, models or runs",
                ));
            }
            state.files.insert(path.to_owned(), Entry { sha256, bytes: bytes.len() as u64, changed });
            staged.parent().filter(|d| changed && !state.dirs.contains(*d)).map(Path::to_owned)
        };
        if !changed {
            return Ok(());
        }
        if let Some(dir) = new_dir {
            fs::create_dir_all(&dir).map_err(SiteError::io(&dir))?;
            self.lock().dirs.insert(dir);
        }
        fs::write(&staged, bytes).map_err(SiteError::io(&staged))
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
        if self.fresh {
            self.replace_whole()?;
            return Ok(report);
        }
        self.move_changed(&state)?;
        for path in self.before.iter().filter(|p| !state.files.contains_key(*p)) {
            report.removed += usize::from(remove(&self.out, path)?);
        }
        Ok(report)
    }

    fn replace_whole(self) -> Result<(), SiteError> {
        let _ = fs::remove_dir(&self.out);
        let stage = self.stage.keep();
        readable(&stage)?;
        fs::rename(&stage, &self.out).map_err(SiteError::io(&self.out))
    }

    fn move_changed(&self, state: &State) -> Result<(), SiteError> {
        let mut made = HashSet::new();
        for (path, _) in state.files.iter().filter(|(_, e)| e.changed) {
            let target = self.out.join(path);
            if let Some(dir) = target.parent()
                && made.insert(dir.to_owned())
            {
                fs::create_dir_all(dir).map_err(SiteError::io(dir))?;
            }
            fs::rename(self.stage.path().join(path), &target).map_err(SiteError::io(&target))?;
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Temporary folders are private; a site is to be served.
fn readable(dir: &Path) -> Result<(), SiteError> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).map_err(SiteError::io(dir))
}

fn remove(out: &Path, path: &str) -> Result<bool, SiteError> {
    let target = out.join(path);
    match fs::remove_file(&target) {
        Ok(()) => {}
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(SiteError::io(&target)(e)),
    }
    let mut dir = target.parent();
    // Folders that are empty now go too; the first that is not stops the walk.
    while let Some(d) = dir.filter(|d| *d != out) {
        if fs::remove_dir(d).is_err() {
            break;
        }
        dir = d.parent();
    }
    Ok(true)
}

fn same(path: &Path, bytes: &[u8]) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == bytes.len() as u64)
        && fs::read(path).is_ok_and(|old| old == bytes)
}

/// Relative, without empty, hidden-parent or drive-like parts.
pub(super) fn is_plain(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|p| !p.is_empty() && p != "." && p != ".." && !p.contains(['\\', '\0', '\n', ':']))
}

/// SHA-256 in hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for b in Sha256::digest(bytes) {
        let _ = write!(text, "{b:02x}");
    }
    text
}
