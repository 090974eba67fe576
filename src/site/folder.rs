//! The folder of a site, and what lies beside it while a build works: a lock, a stage, a journal of the last step.

use super::SiteError;
use super::write::SUMS;
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Component, Path, PathBuf};

/// What every name of ours beside a site begins with.
const PREFIX: &str = ".tsbench-site-";

/// The path without links, also of a folder that does not exist yet.
pub(super) fn resolved(path: &Path) -> Result<PathBuf, SiteError> {
    let full = std::path::absolute(path).map_err(SiteError::io(path))?;
    for known in full.ancestors() {
        match known.canonicalize() {
            Ok(real) => {
                let rest = full.strip_prefix(known).unwrap_or(Path::new(""));
                if rest.components().any(|c| c == Component::ParentDir) {
                    break;
                }
                return Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) });
            }
            Err(e) if e.kind() == ErrorKind::NotFound && fs::symlink_metadata(known).is_err() => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Err(SiteError::content(
                    known.display().to_string(),
                    "is a link that leads nowhere",
                    "remove the link, or make the folder that it names",
                ));
            }
            Err(e) if e.kind() == ErrorKind::NotADirectory => {}
            Err(e) => return Err(SiteError::io(known)(e)),
        }
    }
    Err(SiteError::content(
        path.display().to_string(),
        "leads through a folder that does not exist",
        "name it directly",
    ))
}

/// A folder to write a site into, held by one build at a time.
pub(super) struct Folder {
    /// The folder without links.
    pub out: PathBuf,
    stage: Stage,
    // Dropped last: while the stage is removed, no other build may begin one.
    _lock: Lock,
}

impl Folder {
    /// Waits for the folder's other builds, ends what a killed one began, and makes an empty stage.
    pub fn hold(asked: &Path, on_wait: &dyn Fn()) -> Result<Folder, SiteError> {
        let out = resolved(asked)?;
        if out.exists() && !out.is_dir() {
            return Err(SiteError::content(
                asked.display().to_string(),
                "is a file, not a folder",
                "name a folder with --out, or move the file away",
            ));
        }
        let (Some(parent), Some(name)) = (out.parent(), out.file_name().and_then(|n| n.to_str())) else {
            return Err(SiteError::content(
                asked.display().to_string(),
                "cannot be the folder of a site",
                "name a folder of its own with --out",
            ));
        };
        fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        // Both lie beside the folder, so that a rename never crosses a file system.
        let lock = Lock::take(parent.join(format!("{PREFIX}{name}.lock")), on_wait)?;
        let dir = parent.join(format!("{PREFIX}{name}.stage"));
        recover(&out, &dir)?;
        let stage = Stage::new(dir)?;
        Ok(Folder { out, stage, _lock: lock })
    }

    /// Where a file of the new site is staged.
    pub fn staged(&self, path: &str) -> PathBuf {
        self.stage.files().join(path)
    }

    /// Moves the staged files into place and removes those named; a kill on the way is made good by the next build.
    pub fn replace(mut self, removed: &[&String]) -> Result<(), SiteError> {
        if !self.out.exists() {
            return fs::rename(self.stage.files(), &self.out).map_err(SiteError::io(&self.out));
        }
        let list: String = removed.iter().map(|p| format!("{p}\n")).collect();
        let (draft, journal) = (self.stage.dir.join("draft"), self.stage.dir.join(JOURNAL));
        fs::write(&draft, list).map_err(SiteError::io(&draft))?;
        fs::rename(&draft, &journal).map_err(SiteError::io(&journal))?;
        // From here on the stage is worth more than the folder: it stays until all is in place.
        self.stage.kept = true;
        roll_forward(&self.out, &self.stage.dir)?;
        self.stage.kept = false;
        Ok(())
    }
}

const JOURNAL: &str = "journal";
const FILES: &str = "files";

struct Stage {
    dir: PathBuf,
    kept: bool,
}

impl Stage {
    fn new(dir: PathBuf) -> Result<Stage, SiteError> {
        fs::DirBuilder::new().mode(0o700).create(&dir).map_err(SiteError::io(&dir))?;
        let stage = Stage { dir, kept: false };
        let files = stage.files();
        fs::create_dir(&files).map_err(SiteError::io(&files))?;
        Ok(stage)
    }

    fn files(&self) -> PathBuf {
        self.dir.join(FILES)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_dir_all(&self.dir);
        }
    }
}

/// Under the lock a stage that exists is a killed build's: one with a journal is finished, any other removed.
fn recover(out: &Path, dir: &Path) -> Result<(), SiteError> {
    match fs::symlink_metadata(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(SiteError::io(dir)(e)),
        Ok(meta) if !meta.is_dir() => {
            return Err(SiteError::content(
                dir.display().to_string(),
                "is no folder, and a build needs its name",
                "remove it",
            ));
        }
        Ok(_) => {}
    }
    if dir.join(JOURNAL).is_file() {
        roll_forward(out, dir)?;
    }
    fs::remove_dir_all(dir).map_err(SiteError::io(dir))
}

/// Does what is left of a journal. Each step may have been done before.
fn roll_forward(out: &Path, dir: &Path) -> Result<(), SiteError> {
    let journal = dir.join(JOURNAL);
    let removed = fs::read_to_string(&journal).map_err(SiteError::io(&journal))?;
    let files = dir.join(FILES);
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(&files) {
        let entry = entry.map_err(|e| SiteError::io(&files)(e.into()))?;
        if entry.file_type().is_file()
            && let Some(path) = entry.path().strip_prefix(&files).ok().and_then(Path::to_str)
        {
            paths.push(path.to_owned());
        }
    }
    // The list of digests comes last: until then it does not fit the files, which `check` tells.
    paths.sort_by(|a, b| (a == SUMS, a).cmp(&(b == SUMS, b)));
    let mut known = HashSet::new();
    for path in &paths {
        guard(out, path, &mut known)?;
    }
    let removed: Vec<&str> = removed.lines().filter(|p| super::write::is_plain(p)).collect();
    for path in &removed {
        guard(out, path, &mut known)?;
    }
    let mut made = HashSet::new();
    for path in &paths {
        let target = out.join(path);
        if let Some(parent) = target.parent()
            && made.insert(parent.to_owned())
        {
            fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        }
        fs::rename(files.join(path), &target).map_err(SiteError::io(&target))?;
    }
    removed.iter().try_for_each(|path| remove(out, path))
}

fn remove(out: &Path, path: &str) -> Result<(), SiteError> {
    let target = out.join(path);
    match fs::remove_file(&target) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {}
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
    Ok(())
}

/// Refuses a path that leads out of the folder through a link, or that something else than a file takes.
/// `known` holds the folders that were looked at.
pub(super) fn guard(out: &Path, path: &str, known: &mut HashSet<PathBuf>) -> Result<(), SiteError> {
    let mut place = out.to_owned();
    let parts: Vec<&str> = path.split('/').collect();
    for (i, part) in parts.iter().enumerate() {
        place.push(part);
        let last = i + 1 == parts.len();
        if !last && known.contains(&place) {
            continue;
        }
        let meta = match fs::symlink_metadata(&place) {
            Ok(meta) => meta,
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
            Err(e) => return Err(SiteError::io(&place)(e)),
        };
        let bad = |what: &str| {
            Err(SiteError::content(
                place.display().to_string(),
                what,
                "remove it and build again: a site is real files in real folders",
            ))
        };
        if meta.is_symlink() {
            return bad("is a link; nothing is written through links");
        }
        match (last, meta.is_dir()) {
            (true, true) => return bad("is a folder where the site has a file"),
            (false, false) => return bad("is a file where the site has a folder"),
            (false, true) => {
                known.insert(place.clone());
            }
            (true, false) => {}
        }
    }
    Ok(())
}

/// One build at a time: an advisory lock on a file that goes when the build ends.
struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    fn take(path: PathBuf, on_wait: &dyn Fn()) -> Result<Lock, SiteError> {
        let mut told = false;
        loop {
            let file =
                File::options().create(true).truncate(false).write(true).open(&path).map_err(SiteError::io(&path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    if !std::mem::replace(&mut told, true) {
                        on_wait();
                    }
                    file.lock().map_err(SiteError::io(&path))?;
                }
                Err(TryLockError::Error(e)) => return Err(SiteError::io(&path)(e)),
            }
            // The build before removed the file as it ended: a lock on a file without a name keeps nobody out.
            let held = file.metadata().map_err(SiteError::io(&path))?;
            if fs::metadata(&path).is_ok_and(|m| (m.dev(), m.ino()) == (held.dev(), held.ino())) {
                return Ok(Lock { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
