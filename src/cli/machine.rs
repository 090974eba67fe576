//! The machine's sandboxes, as flags choose them.

use crate::sandbox::{DockerHost, LocalHost, Patience, Provider, SandboxError};
use anyhow::Context;
use clap::builder::BoolishValueParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Where patches are run.
#[derive(Args, Debug, Clone)]
pub struct Machine {
    /// Docker, podman by its socket, or scrubbed processes of this machine without isolation
    #[arg(long, value_enum, default_value_t = Kind::Docker, env = "TSBENCH_SANDBOX")]
    pub sandbox: Kind,
    #[command(flatten)]
    pub daemon: Daemon,
    /// Keep the volumes of Docker or podman with what package managers downloaded, for later commands; `tsbench clean`
    /// removes them
    #[arg(long, env = "TSBENCH_KEEP_DOWNLOADS", value_parser = BoolishValueParser::new())]
    pub keep_downloads: bool,
    /// Folder of local sandboxes and their snapshots [default: tsbench in the user's cache]
    #[arg(long, env = "TSBENCH_CACHE")]
    pub cache: Option<PathBuf>,
}

/// Where a daemon is.
#[derive(Args, Debug, Clone)]
pub struct Daemon {
    /// Address of the daemon: unix:///path of a socket, or tcp://host:port [default: DOCKER_HOST, or the usual socket]
    #[arg(long, env = "TSBENCH_DOCKER")]
    docker: Option<String>,
}

impl Daemon {
    /// The address that was given, by flag or environment; none where the usual socket is meant. One that cannot be used
    /// is an error: another daemon than the one that was named must not be used in its place.
    pub fn address(&self) -> Result<Option<String>, SandboxError> {
        let given = |name, value: Option<String>| value.filter(|v| !v.is_empty()).map(|v| (name, v));
        let docker_host = std::env::var("DOCKER_HOST").ok();
        // By its flag or its variable: which of both it was, clap does not tell.
        let found = given("--docker (TSBENCH_DOCKER)", self.docker.clone()).or(given("DOCKER_HOST", docker_host));
        found.map_or(Ok(None), |(name, value)| usable(name, &value).map(|()| Some(value)))
    }
}

/// Whether an address is of a kind that can be used.
fn usable(name: &str, address: &str) -> Result<(), SandboxError> {
    let no = |what: &str| {
        Err(SandboxError::NoDocker {
            cause: format!("{name} is {address:?}, {what}"),
            hint: format!("{name} may be unix:///path/of/a/socket or tcp://host:port"),
        })
    };
    match address.split_once("://") {
        Some(("unix", path)) if path.starts_with('/') => Ok(()),
        Some(("unix", _)) => no("which names no absolute path of a socket"),
        Some(("tcp" | "http", host)) => match host.trim_end_matches('/').rsplit_once(':') {
            Some((machine, port)) if !machine.is_empty() && port.parse::<u16>().is_ok_and(|p| p > 0) => Ok(()),
            _ => no("which names no host with a port"),
        },
        Some((scheme, _)) => no(&format!("and addresses of the kind {scheme}:// are not supported")),
        None => no("which is no address"),
    }
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

    async fn daemon_at(&self, address: Option<&str>) -> Result<Provider, SandboxError> {
        let host = DockerHost::connect(address, Patience::default()).await?;
        Ok(Provider::Docker(if self.keep_downloads { host.keeping_downloads() } else { host }))
    }

    /// Opens the machine and ends what crashed runs left behind.
    pub async fn open(&self) -> anyhow::Result<Provider> {
        let provider = match self.sandbox {
            Kind::Docker => self.daemon_at(self.daemon.address()?.as_deref()).await?,
            Kind::Podman => {
                let given = self.daemon.docker.clone().filter(|d| !d.is_empty());
                let address = match given {
                    Some(address) => usable("--docker (TSBENCH_DOCKER)", &address).map(|()| address)?,
                    None => podman_socket()?,
                };
                self.daemon_at(Some(&address)).await?
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

#[cfg(test)]
mod tests {
    use super::usable;

    #[test]
    fn an_address_that_cannot_be_used_is_named_with_what_can() {
        for good in ["unix:///var/run/docker.sock", "tcp://127.0.0.1:2375", "tcp://[::1]:2375", "http://h:1/"] {
            usable("DOCKER_HOST", good).unwrap();
        }
        for bad in
            ["garbage", "/var/run/docker.sock", "unix://docker.sock", "tcp://", "tcp://h", "tcp://h:x", "tcp://:1"]
                .into_iter()
                .chain(["ssh://me@h", "npipe:////./pipe/docker", "https://h:2376", "fd://", "UNIX:///x"])
        {
            let told = usable("DOCKER_HOST", bad).unwrap_err().to_string();
            assert!(told.contains("DOCKER_HOST") && told.contains(&format!("{bad:?}")), "{told}");
            assert!(told.contains("unix:///") && told.contains("tcp://host:port"), "{told}");
        }
    }
}
