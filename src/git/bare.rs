use super::program::{git, must};
use super::{GitError, Store, TreeId};
use std::path::Path;

impl Store {
    /// Writes a new bare repository whose one commit has this tree. Nothing of the commit depends on a time or a
    /// machine, so that the same tree has the same commit everywhere. The repository appears whole or not at all; one that
    /// is there already and has the same commit is taken as it is. The commit's name, and whether it was made.
    pub fn publish(&self, tree: &TreeId, dir: &Path) -> Result<(String, bool), GitError> {
        let io = |cause| GitError::Io { path: dir.to_owned(), cause };
        if dir.symlink_metadata().is_ok() {
            return self.published(tree, dir).map(|commit| (commit, false));
        }
        let parent = dir.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(io)?;
        let stage = tempfile::Builder::new().prefix(".mirror-").tempdir_in(parent).map_err(io)?;
        let place = std::path::absolute(stage.path().join("new.git")).map_err(io)?;
        std::fs::create_dir(&place).map_err(io)?;
        let mut objects = vec![self.dir.path().to_owned()];
        objects.extend(self.alternates.iter().cloned());
        let run = |args: &[&str], input: &[u8]| must(&place, &objects, None, args, input);
        run(&["init", "-q", "--bare", "--initial-branch=main"], b"")?;
        let out = run(&["hash-object", "-t", "commit", "-w", "--stdin"], text(tree).as_bytes())?;
        let commit = String::from_utf8_lossy(&out).trim().to_owned();
        run(&["update-ref", "refs/heads/main", &commit], b"")?;
        // Objects of the throw-away store are copied: the new repository stands alone.
        run(&["repack", "-a", "-d", "-q"], b"")?;
        std::fs::rename(&place, dir).map_err(io)?;
        Ok((commit, true))
    }

    /// The commit of a tree, where a repository is there that holds it whole.
    fn published(&self, tree: &TreeId, dir: &Path) -> Result<String, GitError> {
        let other = || GitError::OtherMirror(dir.to_owned());
        let place = std::path::absolute(dir).map_err(|cause| GitError::Io { path: dir.to_owned(), cause })?;
        if !place.join("objects").is_dir() {
            return Err(other());
        }
        let commit = self.run(None, &["hash-object", "-t", "commit", "-w", "--stdin"], text(tree).as_bytes())?;
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        // Every object that the commit leads to, read from that repository alone.
        let whole = git(&place, &[], None, &["rev-list", "--objects", "--quiet", "--end-of-options", &commit], b"")?;
        if whole.ok { Ok(commit) } else { Err(other()) }
    }
}

/// The commit of a tree, as git stores it.
fn text(tree: &TreeId) -> String {
    let who = "TS-Bench <tsbench@example.invalid> 0 +0000";
    format!("tree {}\nauthor {who}\ncommitter {who}\n\nThe starting tree of a task\n", tree.0)
}
