use crate::git::GitError;
use std::path::PathBuf;

/// Why mining could not go on. What was found until then is in the folder.
#[derive(Debug, thiserror::Error)]
pub enum MiningError {
    /// There is no token, or it is not accepted.
    #[error(
        "ask {address}: {why}\nhint: put a token that may read the repository into GITHUB_TOKEN or TSBENCH_GITHUB_TOKEN"
    )]
    Token {
        /// The interface.
        address: String,
        /// What is wrong.
        why: String,
    },
    /// The address is no place to send a token to.
    #[error("use {address} as GitHub's interface: {why}\nhint: name another one with --api")]
    Address {
        /// The address.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// The interface refused to answer.
    #[error("ask {address}: {what}\nhint: {hint}")]
    Refused {
        /// The interface.
        address: String,
        /// What it said.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The interface did not answer in several tries.
    #[error(
        "ask {address}: {what}, {tries} times\nhint: look whether it is GitHub's GraphQL interface (--api) and whether it is up; what was found until now is kept, and the same command goes on from there"
    )]
    Busy {
        /// The interface.
        address: String,
        /// What it said last.
        what: String,
        /// How often it was asked.
        tries: u32,
        /// Whether the question may have been too large to be answered in time.
        large: bool,
    },
    /// A limit ends later than a call waits.
    #[error(
        "ask {address}: {what}; it asks to wait {seconds} s\nhint: what was found until now is kept; the same command goes on from there after {until}"
    )]
    Later {
        /// The interface.
        address: String,
        /// What it said.
        what: String,
        /// How long it asks to wait.
        seconds: u64,
        /// When that is over, RFC 3339.
        until: String,
    },
    /// A rate limit did not end.
    #[error(
        "ask {address}: {what}, {tries} times in a row\nhint: what was found until now is kept; the same command goes on from there later"
    )]
    Limited {
        /// The interface.
        address: String,
        /// What it said last.
        what: String,
        /// How often it said so.
        tries: u32,
    },
    /// An answer is not what GitHub documents.
    #[error("understand the answer of {address}: {what}\nhint: --api must name a GraphQL interface of GitHub")]
    Answer {
        /// The interface.
        address: String,
        /// What was found and expected.
        what: String,
    },
    /// The caller wants no more.
    #[error("go on: interrupted")]
    Interrupted,
    /// A file could not be used.
    #[error("use {path}: {cause}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A line of a file is not what it should be.
    #[error("use {path} line {line}: {what}\nhint: name another folder with --out, or remove the line")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1 on.
        line: usize,
        /// What was found.
        what: String,
    },
    /// What was asked for cannot be meant.
    #[error("use {what}\nhint: {hint}")]
    Input {
        /// What is wrong.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Git could not do its part.
    #[error(transparent)]
    Git(#[from] GitError),
}

impl MiningError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> MiningError {
        let path = path.into();
        move |cause| MiningError::Io { path, cause }
    }

    pub(super) fn input(what: impl Into<String>, hint: impl Into<String>) -> MiningError {
        MiningError::Input { what: what.into(), hint: hint.into() }
    }
}
