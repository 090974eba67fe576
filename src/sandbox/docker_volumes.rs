//! Volumes with what package managers have downloaded: shared by the installations of a process, and gone with it.

use super::docker::{DockerHost, Patience};
use super::lease::{self, Lease, Owner};
use super::{SandboxError, limits};
use bollard::errors::Error;
use bollard::query_parameters::{ListVolumesOptionsBuilder, RemoveVolumeOptions};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The label of every volume of ours.
pub(super) const LABEL: &str = "tsbench.downloads";

/// What volumes are called, and whether they stay. Removes the volumes of this process when nobody needs them any more.
#[derive(Debug)]
pub(super) struct Downloads {
    pub address: String,
    pub patience: Patience,
    pub owner: Owner,
    /// Tells it from others of the same process.
    number: u64,
    /// Whether they stay for the next command.
    keep: bool,
    /// Whether any was made.
    pub used: AtomicBool,
}

static NUMBERS: AtomicU64 = AtomicU64::new(0);

impl Downloads {
    pub fn new(address: &str, patience: Patience, owner: Owner, keep: bool) -> Downloads {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Downloads { address: address.to_owned(), patience, owner, number, keep, used: AtomicBool::new(false) }
    }

    fn prefix(&self) -> String {
        if self.keep { "tsbench".to_owned() } else { format!("tsbench-{}-{}", self.owner.word(), self.number) }
    }

    /// What the volumes of a sandbox are called and labelled.
    pub fn of(&self, lease: &Lease) -> limits::Volumes {
        let mut labels = if self.keep { HashMap::new() } else { lease.labels() };
        labels.insert(LABEL.to_owned(), if self.keep { "kept" } else { "leased" }.to_owned());
        limits::Volumes { prefix: self.prefix(), labels }
    }
}

impl Drop for Downloads {
    fn drop(&mut self) {
        if self.keep || !self.used.load(Ordering::SeqCst) {
            return;
        }
        let (address, patience, ours) = (self.address.clone(), self.patience, format!("{}-", self.prefix()));
        // On a thread and a connection of its own: the runtime of the others may be ending.
        let removal = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            runtime.block_on(async {
                let host = DockerHost::connect(Some(&address), patience).await.ok()?;
                host.remove_volumes(|name, _| name.starts_with(&ours)).await.ok()
            })
        });
        removal.join().ok(); // what stays is swept by the next command
    }
}

impl DockerHost {
    /// Keeps what package managers download for later commands, until [`DockerHost::forget_downloads`].
    pub fn keeping_downloads(mut self) -> DockerHost {
        let Downloads { address, owner, .. } = self.downloads.as_ref();
        self.downloads = Downloads::new(address, self.patience, owner.clone(), true).into();
        self
    }

    /// Removes every volume of downloads that nobody uses, those that are kept among them; the removed.
    pub(super) async fn forget_downloads(&self) -> Result<Vec<String>, SandboxError> {
        self.remove_volumes(|_, lease| lease.is_none_or(|l| l.is_over(&self.downloads.owner, lease::now()))).await
    }

    /// Removes the volumes of processes that are gone.
    pub(super) async fn sweep_volumes(&self) -> Result<Vec<String>, SandboxError> {
        self.remove_volumes(|_, lease| lease.is_some_and(|l| l.is_over(&self.downloads.owner, lease::now()))).await
    }

    /// Removes the volumes of ours for which this holds, where no container has them; it is told the name, and the lease if there
    /// is one.
    async fn remove_volumes(&self, which: impl Fn(&str, Option<&Lease>) -> bool) -> Result<Vec<String>, SandboxError> {
        let filters = HashMap::from([("label".to_owned(), vec![LABEL.to_owned()])]);
        let options = ListVolumesOptionsBuilder::default().filters(&filters).build();
        let listed = self.docker.list_volumes(Some(options));
        let found = self.step("list volumes", self.patience.answer, listed).await?;
        let mut removed = Vec::new();
        for volume in found.volumes.unwrap_or_default() {
            if which(&volume.name, Lease::of(&volume.labels).as_ref()) && self.remove_volume(&volume.name).await? {
                removed.push(volume.name);
            }
        }
        Ok(removed)
    }

    async fn remove_volume(&self, name: &str) -> Result<bool, SandboxError> {
        let asked = self.docker.remove_volume(name, None::<RemoveVolumeOptions>);
        match tokio::time::timeout(self.patience.answer, asked).await {
            // Gone already, or in use: then it is removed by whoever uses it.
            Ok(Err(Error::DockerResponseServerError { status_code: 404 | 409, .. })) => Ok(false),
            other => super::docker::outcome("remove a volume", self.patience.answer, other).map(|()| true),
        }
    }
}
