//! The workspace: one commit without a history at the start, and at the end a patch that the harness takes itself.

use super::AgentError;
use super::capture::{Captured, Unpatched, capture};
use crate::git::{Entry, GitError, Mode, Store, Tree, TreeId, run_blocking};
use crate::sandbox::{Command, Sandbox};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Seconds for our own commands.
const SECONDS: u64 = 300;

/// What is kept of a capture to compare a later one with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prints {
    /// Modes and digests of the files: enough to see what has changed.
    files: BTreeMap<String, (Mode, [u8; 32])>,
    /// What could not be in a patch then.
    left_out: BTreeSet<Vec<u8>>,
}

/// What is kept of a capture to compare a later one with.
pub fn prints(captured: &Captured) -> Prints {
    let digest =
        |(path, (mode, bytes)): (&String, &(Mode, Vec<u8>))| (path.clone(), (*mode, Sha256::digest(bytes).into()));
    Prints { files: captured.files.iter().map(digest).collect(), left_out: captured.left_out.paths() }
}

/// What an agent left: its patch, and the files that it does not have because no patch could.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The patch on the starting tree.
    pub patch: Vec<u8>,
    /// The files, each with the reason, in bounds.
    pub left_out: Vec<String>,
}

/// The same identity and time for every first commit.
const BEGIN: &str = r#"
set -eu
rm -rf .git
git init -q -b main .
printf '%s\n' node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .venv .gradle .tox >.git/info/exclude
git config user.name agent
git config user.email agent@localhost
git add -A
git commit -q --no-verify --allow-empty -m 'The state to start from'
"#;

/// Makes the one commit of a fresh workspace: no history, no remote, nothing of the task's own repository.
pub async fn begin(sandbox: &mut dyn Sandbox) -> Result<(), AgentError> {
    let env = [
        ("GIT_AUTHOR_NAME", "TS-Bench"),
        ("GIT_AUTHOR_EMAIL", "start@localhost"),
        ("GIT_AUTHOR_DATE", "2000-01-01T00:00:00Z"),
        ("GIT_COMMITTER_NAME", "TS-Bench"),
        ("GIT_COMMITTER_EMAIL", "start@localhost"),
        ("GIT_COMMITTER_DATE", "2000-01-01T00:00:00Z"),
    ];
    let env = env.map(|(k, v)| (k.to_owned(), v.to_owned())).to_vec();
    let done = sandbox.exec(&Command { env, seconds: SECONDS, ..Command::shell(BEGIN) }).await?;
    if done.end.good() {
        return Ok(());
    }
    Err(AgentError::Workspace { what: format!("{:?}: {}", done.end, done.stderr.text().trim()) })
}

/// The patch on the starting tree that makes the changes since a capture before: whatever the agent did with git inside,
/// new files, deletions and modes included. What an installation had changed before is nobody's change; files that the
/// starting tree's own `.gitignore` names are left out, and what stood where a file was left out stays.
pub fn patch(store: &Store, start: &TreeId, before: &Prints, after: &Captured) -> Result<Vec<u8>, GitError> {
    let now = prints(after).files;
    let mut tree = store.read(start)?;
    let names: BTreeSet<&String> = before.files.keys().chain(now.keys()).collect();
    let changed: Vec<&String> = names.into_iter().filter(|p| before.files.get(*p) != now.get(*p)).collect();
    let new = changed.iter().filter(|p| !tree.contains_key(**p)).map(|p| p.as_bytes());
    let ignored = store.ignored(start, new)?;
    let (mut places, mut contents) = (Vec::new(), Vec::new());
    for path in changed.into_iter().filter(|p| !ignored.contains(p.as_bytes())) {
        match after.files.get(path) {
            None if after.left_out.covers(path) => {}
            None => drop(tree.remove(path)),
            Some((mode, bytes)) => {
                places.push((path, *mode));
                contents.push(bytes.as_slice());
            }
        }
    }
    for ((path, mode), blob) in places.into_iter().zip(store.blobs(&contents)?) {
        make_room(&mut tree, path);
        tree.insert(path.clone(), Entry { mode, blob });
    }
    let end = store.write(&tree)?;
    if end == *start { Ok(Vec::new()) } else { store.diff(start, &end, &[]) }
}

/// Takes away what a file at this path cannot stand beside: a file where it needs a folder, and the files of a folder in
/// whose place it is. They are looked up, so that many files cost no more than their number.
fn make_room(tree: &mut Tree, path: &str) {
    for (at, _) in path.match_indices('/') {
        tree.remove(&path[..at]);
    }
    let below = format!("{path}/");
    let inside: Vec<String> =
        tree.range(below.clone()..).map(|(p, _)| p).take_while(|p| p.starts_with(&below)).cloned().collect();
    for path in inside {
        tree.remove(&path);
    }
}

/// Takes the patch from a sandbox as its workspace is now, away from what others wait for.
pub(super) async fn take(
    store: &Store,
    start: &TreeId,
    before: &Prints,
    sandbox: &mut dyn Sandbox,
) -> Result<Result<Taken, Unpatched>, AgentError> {
    let after = match capture(sandbox, store, start).await? {
        Ok(after) => after,
        Err(unpatched) => return Ok(Err(unpatched)),
    };
    let patch = run_blocking(|| patch(store, start, before, &after))?;
    Ok(Ok(Taken { patch, left_out: after.left_out.since(&before.left_out) }))
}
