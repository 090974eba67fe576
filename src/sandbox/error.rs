/// Why a sandbox could not do its part. Each of these is our own failure or the files' own fault, never a verdict.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// There is no Docker daemon to talk to.
    #[error("reach Docker: {cause}\nhint: {hint}")]
    NoDocker {
        /// What went wrong.
        cause: String,
        /// What to do.
        hint: String,
    },
    /// There is no such image.
    #[error("find the image {image}\nhint: scripts/images builds the images of the languages")]
    ImageMissing {
        /// Its name.
        image: String,
    },
    /// Images need Docker.
    #[error("build an image without Docker\nhint: start Docker and choose it")]
    NoImages,
    /// The daemon cannot limit the system calls of containers as they must be.
    #[error(
        "limit the system calls of a container: {cause}\nhint: the daemon must be able to apply a seccomp profile: \
         `docker info` names seccomp among its security options where it can; use a kernel and a daemon with seccomp"
    )]
    NoSeccomp {
        /// The daemon's answer.
        cause: String,
    },
    /// An image could not be built.
    #[error("build the image {image}: {cause}\n{log}")]
    Build {
        /// Its name.
        image: String,
        /// What went wrong.
        cause: String,
        /// The end of the builder's output.
        log: String,
    },
    /// The sandbox is gone: it was removed, it broke, or the daemon ended it.
    #[error("use the sandbox {name}: it is gone ({cause})")]
    Lost {
        /// The sandbox.
        name: String,
        /// What was seen.
        cause: String,
    },
    /// The daemon answered with an error, or the connection broke.
    #[error("{doing}: {cause}")]
    Transport {
        /// The step.
        doing: String,
        /// What went wrong.
        cause: String,
    },
    /// A step of ours, not a command, took too long.
    #[error("{doing}: no answer within {seconds} s")]
    Timeout {
        /// The step.
        doing: String,
        /// How long it was given.
        seconds: u64,
    },
    /// Processes of a command could not be ended; the sandbox was killed instead and cannot be used again.
    #[error("end the processes of a command: {left} are left; the sandbox {name} was killed")]
    KillFailed {
        /// The sandbox.
        name: String,
        /// How many were seen last.
        left: u64,
    },
    /// A file that came from a sandbox, or should go into one, is not acceptable.
    #[error("accept the file {path:?}: {what}")]
    BadEntry {
        /// Its name as given.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// Files from a sandbox are larger than may be read.
    #[error("read {path}: more than {most} bytes")]
    TooLarge {
        /// What was asked for.
        path: String,
        /// The limit.
        most: u64,
    },
    /// There is no such file inside.
    #[error("read {path}: there is no such file in the sandbox")]
    NotFound {
        /// What was asked for.
        path: String,
    },
    /// The machine has too little disk left to start.
    #[error(
        "open a sandbox: {free} bytes of disk are free, {needed} are needed\nhint: tsbench clean removes old images"
    )]
    DiskFull {
        /// Bytes free.
        free: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// A command or a specification that cannot be meant.
    #[error("use {what}")]
    BadInput {
        /// What is wrong with it.
        what: String,
    },
    /// A file of this machine could not be used.
    #[error("{doing}: {source}")]
    Io {
        /// The step.
        doing: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl SandboxError {
    pub(super) fn io(doing: impl Into<String>) -> impl FnOnce(std::io::Error) -> SandboxError {
        let doing = doing.into();
        move |source| SandboxError::Io { doing, source }
    }

    pub(super) fn entry(path: &str, what: impl Into<String>) -> SandboxError {
        SandboxError::BadEntry { path: path.to_owned(), what: what.into() }
    }
}
