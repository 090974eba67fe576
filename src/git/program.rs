use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why git could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The program is missing.
    #[error("start git: {0}\nhint: apt-get install git")]
    Start(std::io::Error),
    /// Git refused.
    #[error("run git {verb}: {message}")]
    Refused {
        /// Verb.
        verb: String,
        /// What git said.
        message: String,
    },
    /// Git's answer was not understood.
    #[error("read the answer of git {verb}: {what}")]
    Answer {
        /// Verb.
        verb: String,
        /// What was found and expected.
        what: String,
    },
    /// A file could not be used.
    #[error("read or write {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A mirror is missing or is none.
    #[error(
        "find a bare mirror at {0}\nhint: tsbench mirror add OWNER/NAME makes it, and --mirrors names another folder of mirrors"
    )]
    NoMirror(PathBuf),
    /// A mirror has no commit that its main line begins at.
    #[error("read the main line of {mirror}: {what}\nhint: {hint}")]
    NoMainLine {
        /// The mirror.
        mirror: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What to do.
        hint: String,
    },
    /// A folder is no mirror of the tree that it was to be made of.
    #[error("make the mirror {0}: something else is there already\nhint: name another folder of mirrors, or remove it")]
    OtherMirror(PathBuf),
}

/// Runs work that takes its time without keeping other tasks of an async runtime from going on.
pub fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        // A runtime of one thread has nobody who could take over.
        Ok(_) | Err(_) => work(),
    }
}

/// What git answered.
pub(super) struct Answer {
    pub ok: bool,
    pub out: Vec<u8>,
    pub err: String,
}

/// Runs git on one repository with nothing of this machine's or person's configuration.
pub(super) fn git(
    dir: &Path,
    alternates: &[PathBuf],
    index: Option<&Path>,
    args: &[&str],
    input: &[u8],
) -> Result<Answer, GitError> {
    let mut command = Command::new("git");
    command.env_clear();
    for name in ["PATH", "TMPDIR", "LD_LIBRARY_PATH"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let joined: Vec<String> = alternates.iter().map(|p| p.join("objects").display().to_string()).collect();
    command
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C"), ("TZ", "UTC")])
        .envs([
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("HOME", "/nonexistent"),
        ])
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", joined.join(":"))
        .env("GIT_DIR", dir);
    if let Some(index) = index {
        command.env("GIT_INDEX_FILE", index);
    }
    command.args([
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.quotePath=false",
        "-c",
        "core.protectNTFS=true",
        "-c",
        "safe.directory=*",
    ]);
    let mut child = command
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(GitError::Start)?;
    let stdin = child.stdin.take();
    let output = run_blocking(|| {
        std::thread::scope(|scope| {
            // A thread of its own feeds git, so that neither side waits for the other on large inputs.
            scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input)));
            child.wait_with_output()
        })
    })
    .map_err(GitError::Start)?;
    Ok(Answer {
        ok: output.status.success(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// As [`git`], where a refusal is an error.
pub(super) fn must(
    dir: &Path,
    alternates: &[PathBuf],
    index: Option<&Path>,
    args: &[&str],
    input: &[u8],
) -> Result<Vec<u8>, GitError> {
    let answer = git(dir, alternates, index, args, input)?;
    if answer.ok {
        return Ok(answer.out);
    }
    let verb = args.iter().find(|a| !a.starts_with('-')).copied().unwrap_or("").to_owned();
    Err(GitError::Refused { verb, message: answer.err })
}

/// Variables that lead git to other machines: proxies, certificates, and the agent that holds keys of ssh.
const AWAY: [&str; 9] = [
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "GIT_SSL_CAINFO",
    "SSH_AUTH_SOCK",
];

/// Runs git where it talks to other repositories: in a folder, with this machine's proxies and without its configuration,
/// asking nobody for a password.
pub(super) fn away(dir: &Path, args: &[&str]) -> Result<(), GitError> {
    let mut command = Command::new("git");
    command.env_clear();
    for name in ["PATH", "TMPDIR", "LD_LIBRARY_PATH"].iter().chain(&AWAY) {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("LC_ALL", "C"), ("TZ", "UTC")])
        .envs([("GIT_TERMINAL_PROMPT", "0"), ("GIT_ALLOW_PROTOCOL", "https:http:ssh:file"), ("HOME", "/nonexistent")])
        .env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*", "-c", "gc.auto=0"])
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null());
    let output = command.output().map_err(GitError::Start)?;
    if output.status.success() {
        return Ok(());
    }
    let verb = args.iter().find(|a| !a.starts_with('-')).copied().unwrap_or("").to_owned();
    Err(GitError::Refused { verb, message: String::from_utf8_lossy(&output.stderr).trim().to_owned() })
}
