use super::GitError;
use super::program::must;
use super::tree::{Entry, Mode, Tree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A tree object, hex.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeId(pub String);

/// A throw-away object store, which may read the objects of mirrors beside it.
pub struct Store {
    pub(super) dir: tempfile::TempDir,
    pub(super) alternates: Vec<PathBuf>,
}

impl Store {
    /// A store without mirrors.
    pub fn new() -> Result<Store, GitError> {
        Store::over(&[])
    }

    /// A store that reads the objects of these bare mirrors.
    pub fn over(mirrors: &[&Path]) -> Result<Store, GitError> {
        for mirror in mirrors {
            if !mirror.join("objects").is_dir() {
                return Err(GitError::NoMirror((*mirror).to_owned()));
            }
        }
        let dir = tempfile::Builder::new()
            .prefix("tsb-git-")
            .tempdir()
            .map_err(|cause| GitError::Io { path: std::env::temp_dir(), cause })?;
        must(dir.path(), &[], None, &["init", "-q", "--bare"], b"")?;
        // Git runs in a folder of its own, where a relative path would mean something else.
        let absolute =
            |m: &&Path| std::path::absolute(m).map_err(|cause| GitError::Io { path: (*m).to_owned(), cause });
        Ok(Store { dir, alternates: mirrors.iter().map(absolute).collect::<Result<_, _>>()? })
    }

    pub(super) fn run(&self, index: Option<&Path>, args: &[&str], input: &[u8]) -> Result<Vec<u8>, GitError> {
        must(self.dir.path(), &self.alternates, index, args, input)
    }

    /// The tree of a commit or of another name of a mirror.
    pub fn tree_of(&self, name: &str) -> Result<TreeId, GitError> {
        let out = self.run(None, &["rev-parse", "--verify", "--end-of-options", &format!("{name}^{{tree}}")], b"")?;
        Ok(TreeId(line(&out)))
    }

    /// Writes a blob.
    pub fn blob(&self, bytes: &[u8]) -> Result<String, GitError> {
        Ok(line(&self.run(None, &["hash-object", "-w", "--stdin", "--no-filters"], bytes)?))
    }

    /// The bytes of a blob.
    pub fn bytes(&self, blob: &str) -> Result<Vec<u8>, GitError> {
        self.run(None, &["cat-file", "blob", blob], b"")
    }

    /// The bytes of many blobs, in their order, from one process.
    pub fn many(&self, blobs: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let input: String = blobs.iter().map(|b| format!("{b}\n")).collect();
        let out = self.run(None, &["cat-file", "--batch"], input.as_bytes())?;
        let bad = |what: &str| GitError::Answer { verb: "cat-file".into(), what: what.to_owned() };
        let mut rest = out.as_slice();
        let mut found = Vec::with_capacity(blobs.len());
        for _ in blobs {
            let end = memchr::memchr(b'\n', rest).ok_or_else(|| bad("a header is missing"))?;
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            let size: usize = head
                .split(' ')
                .nth(2)
                .and_then(|s| s.parse().ok())
                .ok_or_else(|| bad(&format!("no size in {head:?}")))?;
            let body = rest.get(end + 1..end + 1 + size).ok_or_else(|| bad("a blob is cut short"))?;
            found.push(body.to_vec());
            rest = rest.get(end + 2 + size..).unwrap_or(&[]);
        }
        Ok(found)
    }

    /// The files of a tree. Submodules are left out: their files are not in the repository.
    pub fn read(&self, tree: &TreeId) -> Result<Tree, GitError> {
        let out = self.run(None, &["ls-tree", "-r", "-z", "--full-tree", &tree.0], b"")?;
        let bad = |what: String| GitError::Answer { verb: "ls-tree".into(), what };
        let mut files = Tree::new();
        for row in out.split(|b| *b == 0).filter(|r| !r.is_empty()) {
            let text = std::str::from_utf8(row).map_err(|_| bad("a path is not UTF-8".into()))?;
            let (head, path) = text.split_once('\t').ok_or_else(|| bad(format!("no path in {text:?}")))?;
            let mut words = head.split(' ');
            let (mode, _, blob) = (words.next().unwrap_or(""), words.next(), words.next().unwrap_or(""));
            if let Some(mode) = Mode::from_word(mode) {
                files.insert(path.to_owned(), Entry { mode, blob: blob.to_owned() });
            }
        }
        Ok(files)
    }

    /// Writes a tree of these files.
    pub fn write(&self, files: &Tree) -> Result<TreeId, GitError> {
        let index = self.index();
        self.run(Some(&index), &["read-tree", "--empty"], b"")?;
        let mut input = Vec::new();
        for (path, entry) in files {
            input.extend_from_slice(format!("{} {}\t{path}\0", entry.mode.word(), entry.blob).as_bytes());
        }
        self.run(Some(&index), &["update-index", "-z", "--index-info"], &input)?;
        self.tree_in(&index)
    }

    pub(super) fn tree_in(&self, index: &Path) -> Result<TreeId, GitError> {
        let out = self.run(Some(index), &["write-tree"], b"")?;
        let _ = std::fs::remove_file(index);
        Ok(TreeId(line(&out)))
    }

    /// A name for an index that nothing else uses.
    pub(super) fn index(&self) -> PathBuf {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.dir.path().join(format!("index-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Writes a tree of files given by their bytes.
    pub fn write_files(&self, files: &BTreeMap<String, (Mode, Vec<u8>)>) -> Result<TreeId, GitError> {
        let bytes: Vec<&[u8]> = files.values().map(|(_, bytes)| bytes.as_slice()).collect();
        let blobs = self.blobs(&bytes)?;
        let entries = files.iter().zip(blobs);
        self.write(&entries.map(|((path, (mode, _)), blob)| (path.clone(), Entry { mode: *mode, blob })).collect())
    }

    /// The patch that turns one tree into another: whole, binary, renames spelled out.
    pub fn diff(&self, from: &TreeId, to: &TreeId, paths: &[String]) -> Result<Vec<u8>, GitError> {
        let mut args = vec![
            "diff-tree",
            "-r",
            "-p",
            "--binary",
            "--full-index",
            "--no-renames",
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
        ];
        args.extend([from.0.as_str(), to.0.as_str()]);
        let specs: Vec<String> = paths.iter().map(|p| format!(":(literal,top){p}")).collect();
        if !specs.is_empty() {
            args.push("--");
            args.extend(specs.iter().map(String::as_str));
        }
        self.run(None, &args, b"")
    }
}

fn line(out: &[u8]) -> String {
    String::from_utf8_lossy(out).trim().to_owned()
}
