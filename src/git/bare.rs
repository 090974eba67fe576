use super::program::must;
use super::{GitError, Store, TreeId};
use std::path::Path;

impl Store {
    /// Writes a new bare repository whose one commit has this tree. Nothing of the commit depends on a time or a
    /// machine, so that the same tree has the same commit everywhere. The commit's name.
    pub fn publish(&self, tree: &TreeId, dir: &Path) -> Result<String, GitError> {
        let io = |cause| GitError::Io { path: dir.to_owned(), cause };
        if let Some(parent) = dir.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        std::fs::create_dir(dir).map_err(io)?;
        let dir = std::path::absolute(dir).map_err(io)?;
        let mut objects = vec![self.dir.path().to_owned()];
        objects.extend(self.alternates.iter().cloned());
        let run = |args: &[&str], input: &[u8]| must(&dir, &objects, None, args, input);
        run(&["init", "-q", "--bare", "--initial-branch=main"], b"")?;
        let who = "TS-Bench <tsbench@example.invalid> 0 +0000";
        let text = format!("tree {}\nauthor {who}\ncommitter {who}\n\nThe starting tree of a task\n", tree.0);
        let out = run(&["hash-object", "-t", "commit", "-w", "--stdin"], text.as_bytes())?;
        let commit = String::from_utf8_lossy(&out).trim().to_owned();
        run(&["update-ref", "refs/heads/main", &commit], b"")?;
        // Objects of the throw-away store are copied: the new repository stands alone.
        run(&["repack", "-a", "-d", "-q"], b"")?;
        Ok(commit)
    }
}
