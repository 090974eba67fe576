//! The workspace: one commit without a history at the start, and at the end a patch that the harness takes itself.

use super::AgentError;
use crate::git::{Entry, GitError, Mode, Store, TreeId};
use crate::sandbox::{Body, Command, File, Sandbox, SandboxError};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Where a copy of it is put for reading.
const COPY: &str = "/tmp/tsbench-workspace";
/// Bytes of a workspace that are read.
const MOST: u64 = 512 << 20;
/// Seconds for our own commands.
const SECONDS: u64 = 300;

/// Folders that tools fill: never part of a patch, unless the starting tree has files there.
const MADE: [&str; 9] =
    [".git", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".venv", ".gradle", ".tox"];

/// The files of a workspace by path.
pub type Captured = BTreeMap<String, (Mode, Vec<u8>)>;

/// Modes and digests of the files of a workspace: enough to see what has changed.
pub type Prints = BTreeMap<String, (Mode, [u8; 32])>;

/// What is kept of a capture to compare a later one with.
pub fn prints(files: &Captured) -> Prints {
    files.iter().map(|(path, (mode, bytes))| (path.clone(), (*mode, Sha256::digest(bytes).into()))).collect()
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

/// Copies what may be part of a patch aside: files that cannot be read made readable, links out of the tree and devices
/// left out, so that nothing that an agent leaves keeps the rest from being read.
fn copying(copy: &str) -> String {
    let excluded: String = MADE.iter().map(|name| format!(" --exclude={name}")).collect();
    format!(
        "chmod -R u+rwX . 2>/dev/null; rm -rf {copy} && mkdir -p {copy} && tar -cf - --ignore-failed-read{excluded} . | \
         tar -xf - -C {copy}; cd {copy} && find . ! -type f ! -type d ! -type l -delete; \
         find . -type l -lname '/*' -delete; find . -type l -exec sh -c '{LINKS}' sh {{}} +; exit 0"
    )
}

/// Removes links that lead out of the folder.
const LINKS: &str =
    r#"here=$(pwd -P); for l; do case $(readlink -m -- "$l") in "$here"/*) ;; *) rm -f -- "$l" ;; esac; done"#;

/// The files of the workspace as they are now. The inner result is the agent's own doing: a name that is no text, or
/// more than may be read.
pub async fn capture(sandbox: &mut dyn Sandbox) -> Result<Result<Captured, String>, AgentError> {
    let copy = sandbox.path(COPY);
    let done = sandbox.exec(&Command { seconds: SECONDS, ..Command::shell(&copying(&copy)) }).await?;
    if !done.end.good() {
        return Ok(Err(format!("the workspace cannot be copied: {:?}", done.end)));
    }
    let files = match sandbox.get(COPY, MOST).await {
        Ok(files) => files,
        Err(e @ (SandboxError::BadEntry { .. } | SandboxError::TooLarge { .. } | SandboxError::NotFound { .. })) => {
            return Ok(Err(e.to_string()));
        }
        Err(e) => return Err(e.into()),
    };
    sandbox.exec(&Command { seconds: SECONDS, ..Command::new(["rm", "-rf", "--", &copy]) }).await?;
    Ok(Ok(files.into_iter().filter_map(captured).collect()))
}

fn captured(file: File) -> Option<(String, (Mode, Vec<u8>))> {
    match file.body {
        Body::Bytes(bytes) if file.mode & 0o100 != 0 => Some((file.path, (Mode::Executable, bytes))),
        Body::Bytes(bytes) => Some((file.path, (Mode::File, bytes))),
        Body::Link(target) => Some((file.path, (Mode::Link, target.into_bytes()))),
        Body::Dir => None,
    }
}

/// The patch on the starting tree that makes the changes since a capture before: whatever the agent did with git inside,
/// new files, deletions and modes included. What an installation had changed before is nobody's change; files that the
/// starting tree's own `.gitignore` names are left out.
pub fn patch(store: &Store, start: &TreeId, before: &Prints, after: &Captured) -> Result<Vec<u8>, GitError> {
    let now = prints(after);
    let mut tree = store.read(start)?;
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed: Vec<&String> = names.into_iter().filter(|p| before.get(*p) != now.get(*p)).collect();
    let new: Vec<String> = changed.iter().filter(|p| !tree.contains_key(**p)).map(|p| (*p).clone()).collect();
    let ignored = store.ignored(start, &new)?;
    for path in changed.into_iter().filter(|p| !ignored.contains(*p)) {
        match after.get(path) {
            None => drop(tree.remove(path)),
            Some((mode, bytes)) => {
                // A file where a folder stood, or the other way round.
                tree.retain(|p, _| !p.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{p}/")));
                tree.insert(path.clone(), Entry { mode: *mode, blob: store.blob(bytes)? });
            }
        }
    }
    let end = store.write(&tree)?;
    if end == *start { Ok(Vec::new()) } else { store.diff(start, &end, &[]) }
}
