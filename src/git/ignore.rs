use super::program::git;
use super::tree::Mode;
use super::{GitError, Store, TreeId};
use std::collections::BTreeSet;

impl Store {
    /// Those of these paths, as bytes, that a `.gitignore` of the tree names, themselves or by a folder above them.
    pub fn ignored<'a>(
        &self,
        tree: &TreeId,
        paths: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<BTreeSet<Vec<u8>>, GitError> {
        let files = self.read(tree)?;
        let plain =
            |path: &str| path.split('/').all(|p| !matches!(p, "" | "." | "..") && !p.eq_ignore_ascii_case(".git"));
        let rules: Vec<_> = files
            .iter()
            .filter(|(p, e)| p.rsplit('/').next() == Some(".gitignore") && e.mode != Mode::Link && plain(p))
            .collect();
        // A name that begins with a colon would be read as a pattern of git's.
        let input: Vec<u8> = paths.into_iter().flat_map(|p| [b"./", p, b"\0"].concat()).collect();
        if rules.is_empty() || input.is_empty() {
            return Ok(BTreeSet::new());
        }
        // Git reads the rules from a work tree: a folder that holds them and nothing else.
        let io = |path: &std::path::Path| {
            let path = path.to_owned();
            move |cause| GitError::Io { path, cause }
        };
        let work = tempfile::Builder::new().prefix("tsb-ignore-").tempdir().map_err(io(&std::env::temp_dir()))?;
        for (path, entry) in rules {
            let place = work.path().join(path);
            let folder = place.parent().unwrap_or(work.path());
            std::fs::create_dir_all(folder).map_err(io(folder))?;
            std::fs::write(&place, self.bytes(&entry.blob)?).map_err(io(&place))?;
        }
        let place = format!("--work-tree={}", work.path().display());
        let args = [&place, "check-ignore", "--no-index", "-z", "--stdin"];
        let answer = git(self.dir.path(), &self.alternates, None, &args, &input)?;
        if !answer.ok && !answer.err.is_empty() {
            return Err(GitError::Refused { verb: "check-ignore".into(), message: answer.err });
        }
        let names = answer.out.split(|b| *b == 0).filter(|n| !n.is_empty());
        Ok(names.map(|n| n.strip_prefix(b"./").unwrap_or(n).to_vec()).collect())
    }
}
