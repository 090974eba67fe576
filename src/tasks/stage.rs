use super::TaskError;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// A folder in which something is made before it takes its place. It vanishes with the value; where the process was
/// killed, the next call that makes one of its kind removes it.
#[derive(Debug)]
pub struct Stage {
    dir: tempfile::TempDir,
    /// Held for as long as the process lives, whatever ends it.
    _lock: File,
}

const LOCK: &str = ".lock";

impl Stage {
    /// Makes a folder with a hidden name below another, after removing those that dead processes left there.
    pub fn new(parent: &Path, prefix: &str) -> Result<Stage, TaskError> {
        std::fs::create_dir_all(parent).map_err(TaskError::io(parent))?;
        sweep(parent, prefix);
        let dir = tempfile::Builder::new().prefix(prefix).tempdir_in(parent).map_err(TaskError::io(parent))?;
        let (early, lock) = (dir.path().join(".lock-early"), dir.path().join(LOCK));
        let file = File::create_new(&early).map_err(TaskError::io(&early))?;
        // The name that is looked for comes after the lock: nobody finds it unlocked while this process lives.
        let locked = file.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => std::io::ErrorKind::WouldBlock.into(),
            TryLockError::Error(e) => e,
        });
        locked.and_then(|()| std::fs::rename(&early, &lock)).map_err(TaskError::io(&lock))?;
        Ok(Stage { dir, _lock: file })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }
}

/// Removes the folders of this kind whose processes are dead; how many there were. One without a lock is left alone: who
/// made it is not known.
pub fn sweep(parent: &Path, prefix: &str) -> usize {
    let Ok(entries) = std::fs::read_dir(parent) else { return 0 };
    let ours = |path: &PathBuf| path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix));
    let dead = |path: &PathBuf| File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok());
    let all = entries.flatten().map(|e| e.path()).filter(|p| ours(p) && p.is_dir() && !p.is_symlink() && dead(p));
    all.filter(|path| std::fs::remove_dir_all(path).is_ok()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_process_left_is_swept_and_what_a_living_one_makes_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let alive = Stage::new(dir.path(), ".make-").unwrap();
        let dead = dir.path().join(".make-dead");
        std::fs::create_dir_all(dead.join("suite")).unwrap();
        std::fs::write(dead.join(LOCK), "").unwrap();
        let (unknown, other) = (dir.path().join(".make-old"), dir.path().join("suite"));
        std::fs::create_dir(&unknown).unwrap();
        std::fs::create_dir(&other).unwrap();
        let second = Stage::new(dir.path(), ".make-").unwrap();
        assert!(!dead.exists() && unknown.exists() && other.exists());
        assert!(alive.path().exists() && second.path().exists());
        let path = alive.path().to_owned();
        drop(alive);
        assert!(!path.exists());
    }
}
