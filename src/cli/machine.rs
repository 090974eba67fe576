//! The machine's sandboxes, as flags choose them.

use crate::sandbox::{DockerHost, LocalHost, Patience, Provider, SandboxError};
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where patches are run.
#[derive(Args, Debug, Clone)]
pub struct Machine {
    /// Docker, podman by its socket, or scrubbed processes of this machine without isolation
    #[arg(long, value_enum, default_value_t = Kind::Docker, env = "TSBENCH_SANDBOX")]
    pub sandbox: Kind,
    /// Address of the daemon, such as unix:///run/user/1000/podman/podman.sock; the usual one where it is absent
    #[arg(long, env = "TSBENCH_DOCKER")]
    pub docker: Option<String>,
    /// Folder of local sandboxes and their snapshots [default: tsbench in the user's cache]
    #[arg(long, env = "TSBENCH_CACHE")]
    pub cache: Option<PathBuf>,
}

/// Kinds of sandboxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Containers of Docker.
    Docker,
    /// Containers of podman, through the socket of `podman system service`.
    Podman,
    /// Processes.
    Local,
}

impl Machine {
    /// The folder of local sandboxes, their snapshots and kept answers.
    pub fn cache(&self) -> anyhow::Result<PathBuf> {
        if let Some(dir) = &self.cache {
            return Ok(dir.clone());
        }
        let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let base = base.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache")));
        base.map(|b| b.join("tsbench")).context("find a folder for local sandboxes\nhint: name one with --cache")
    }

    /// Opens the machine and ends what crashed runs left behind.
    pub async fn open(&self) -> anyhow::Result<Provider> {
        let provider = match self.sandbox {
            Kind::Docker => Provider::Docker(DockerHost::connect(self.docker.as_deref(), Patience::default()).await?),
            Kind::Podman => {
                let address = self.docker.clone().map_or_else(podman_socket, Ok)?;
                Provider::Docker(DockerHost::connect(Some(&address), Patience::default()).await?)
            }
            Kind::Local => Provider::Local(LocalHost::new(&self.cache()?, &std::env::var("PATH").unwrap_or_default())?),
        };
        let swept = provider.sweep().await?;
        if !swept.sandboxes.is_empty() {
            eprintln!("swept {} sandboxes that an earlier run left", swept.sandboxes.len());
        }
        for failed in &swept.failed {
            eprintln!("warning: {failed}");
        }
        Ok(provider)
    }
}

/// Where podman listens: for this user, or for the whole machine.
pub fn podman_sockets() -> Vec<PathBuf> {
    let user = std::env::var_os("XDG_RUNTIME_DIR").map(|dir| PathBuf::from(dir).join("podman/podman.sock"));
    user.into_iter().chain([PathBuf::from("/run/podman/podman.sock")]).collect()
}

fn podman_socket() -> Result<String, SandboxError> {
    let found = podman_sockets().into_iter().find(|p| p.exists());
    found.map(|p| format!("unix://{}", p.display())).ok_or_else(|| SandboxError::NoDocker {
        cause: "there is no socket of podman".to_owned(),
        hint: "start `podman system service --time 0`, or name its address with --docker".to_owned(),
    })
}
