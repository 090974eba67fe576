//! Commands run apart from everything else.
//!
//! In: commands and files. Out: how each command ended, what it printed, and the files that it left, all of them
//! treated as hostile. Whatever a command starts is ended with it, and nothing outlives the sandbox.
//! This room must not know of tasks, languages, models or verdicts.

mod cgroup;
mod command;
mod docker;
mod docker_container;
mod docker_exec;
mod docker_files;
mod docker_images;
mod docker_volumes;
mod error;
mod files;
mod keeper;
mod lease;
mod limits;
mod local;
mod local_exec;
mod local_files;
mod local_processes;
mod output;
mod seccomp;

pub use command::{Command, End, FIXED_ENV, Finished, User};
pub use docker::{DockerHost, Patience};
pub use error::SandboxError;
pub use files::{Body, File, checked_link, pack, unpack};
pub use lease::{Lease, Owner};
pub use local::LocalHost;
pub use output::{Keeper as OutputKeeper, Kept};

use crate::schema::Limits;
use async_trait::async_trait;
use std::path::PathBuf;

/// Where commands run: one per attempt, per scoring or per installation.
///
/// Dropping one without [`Sandbox::close`] ends it too, but nobody learns then whether that worked.
#[async_trait]
pub trait Sandbox: Send {
    /// Run one command to its end and then end everything that it left behind.
    async fn exec(&mut self, command: &Command) -> Result<Finished, SandboxError>;

    /// Write files below the absolute folder `into`, which is made where it is missing; they belong to the agent.
    async fn put(&mut self, files: &[File], into: &str) -> Result<(), SandboxError>;

    /// Write files that the agent can read and not change, below an absolute folder that is not the agent's. Without
    /// Docker they are the agent's all the same.
    async fn put_ours(&mut self, files: &[File], into: &str) -> Result<(), SandboxError>;

    /// Read the file or the folder at an absolute path, at most `most_bytes` of content. Paths are relative to the
    /// folder; a single file has its own name. Links that lead outside, devices and hostile names are refused.
    async fn get(&mut self, path: &str, most_bytes: u64) -> Result<Vec<File>, SandboxError>;

    /// Keep the files as they are now under a name that [`Spec::image`] may use.
    async fn snapshot(&mut self, name: &str) -> Result<ImageRef, SandboxError>;

    /// End everything and prove it gone.
    async fn close(self: Box<Self>) -> Result<(), SandboxError>;

    /// How far the host is out of reach: `docker` or `none`.
    fn isolation(&self) -> &'static str;

    /// The path by which a command names what `put` and `get` call `inside`, an absolute path.
    fn path(&self, inside: &str) -> String {
        inside.to_owned()
    }
}

/// What to open a sandbox from.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Name or id of an image with a user `agent` (1000) and a folder `/workspace` of its own. On a machine without
    /// Docker the name of a snapshot, or nothing.
    pub image: String,
    /// Whether commands may reach a network. Attempts never may.
    pub network: bool,
    /// What commands may use.
    pub limits: Limits,
    /// Who owns it and until when.
    pub lease: Lease,
    /// Caches of package managers, by a name, and the absolute path of each: what is there is shared by the sandboxes of
    /// this process that give the same name.
    pub caches: Vec<(String, String)>,
    /// A folder of this machine that holds sockets, seen at [`SOCKETS`]: the one way out of a sandbox without a network.
    /// Nothing can be written there.
    pub sockets: Option<PathBuf>,
}

/// Where commands find the sockets of [`Spec::sockets`].
pub const SOCKETS: &str = "/run/tsbench";

/// An image, or the snapshot that stands for one without Docker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageRef {
    /// The name.
    pub name: String,
    /// The content address, `sha256:…`; on a machine without Docker the name again.
    pub id: String,
}

/// What a sweep ended, by the name of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Sandboxes whose owner is gone or whose lease ran out.
    pub sandboxes: Vec<String>,
    /// What could not be removed, and why.
    pub failed: Vec<String>,
}

/// The machine's way of opening sandboxes.
#[derive(Clone, Debug)]
pub enum Provider {
    /// Containers of a Docker daemon.
    Docker(DockerHost),
    /// Scrubbed processes of this machine: no isolation.
    Local(LocalHost),
}

impl Provider {
    /// Open one sandbox.
    pub async fn open(&self, spec: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> {
        match self {
            Provider::Docker(host) => host.open(spec).await,
            Provider::Local(host) => host.open(spec).await,
        }
    }

    /// Whether whatever opens sandboxes answers at all.
    pub async fn answers(&self) -> Result<(), SandboxError> {
        match self {
            Provider::Docker(host) => host.answers().await,
            Provider::Local(_) => Ok(()),
        }
    }

    /// End the sandboxes of ours whose owner is gone or whose lease ran out, and nothing else.
    pub async fn sweep(&self) -> Result<Swept, SandboxError> {
        match self {
            Provider::Docker(host) => host.sweep().await,
            Provider::Local(host) => host.sweep().await,
        }
    }

    /// End every sandbox of this process, whatever still waits for it: for a process that is about to end.
    pub async fn end_own(&self) -> Result<Swept, SandboxError> {
        match self {
            Provider::Docker(host) => host.end_own().await,
            // Dropping one of these ends it before the drop returns.
            Provider::Local(host) => host.sweep().await,
        }
    }

    /// The image of this name, if there is one.
    pub async fn image(&self, name: &str) -> Result<Option<ImageRef>, SandboxError> {
        match self {
            Provider::Docker(host) => host.image(name).await,
            Provider::Local(host) => Ok(host.image(name)),
        }
    }

    /// Build an image from a folder with a `Dockerfile`, given as files; the network is reachable.
    pub async fn build_image(&self, name: &str, context: &[File]) -> Result<ImageRef, SandboxError> {
        match self {
            Provider::Docker(host) => host.build_image(name, context).await,
            Provider::Local(_) => Err(SandboxError::NoImages),
        }
    }

    /// Remove task images of ours, the longest unused first, until the rest takes at most `keep_bytes`; the removed.
    pub async fn evict(&self, keep_bytes: u64) -> Result<Vec<String>, SandboxError> {
        match self {
            Provider::Docker(host) => host.evict(keep_bytes).await,
            Provider::Local(host) => host.evict(keep_bytes).await,
        }
    }

    /// Remove what package managers downloaded and what is kept of it for later; the removed.
    pub async fn forget_downloads(&self) -> Result<Vec<String>, SandboxError> {
        match self {
            Provider::Docker(host) => host.forget_downloads().await,
            Provider::Local(_) => Ok(Vec::new()),
        }
    }

    /// Bytes free where images and sandboxes are stored, where this machine can tell.
    pub async fn disk_free(&self) -> Result<Option<u64>, SandboxError> {
        match self {
            Provider::Docker(host) => host.disk_free().await,
            Provider::Local(host) => Ok(host.disk_free()),
        }
    }

    /// How far the host is out of reach: `docker` or `none`.
    pub fn isolation(&self) -> &'static str {
        match self {
            Provider::Docker(_) => "docker",
            Provider::Local(_) => "none",
        }
    }
}
