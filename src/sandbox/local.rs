use super::lease::{self, Lease, Owner};
use super::local_exec::LocalBox;
use super::local_processes::{self, Mark};
use super::{ImageRef, SOCKETS, Sandbox, SandboxError, Spec, Swept, local_files};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// This machine itself: scrubbed processes in a folder of their own, with no isolation.
#[derive(Clone, Debug)]
pub struct LocalHost {
    base: PathBuf,
    path: String,
    owner: Owner,
}

/// The file beside a sandbox's root that says whose it is.
const LEASE: &str = "lease";
/// The folder of a sandbox that commands see as theirs.
const ROOT: &str = "root";
/// Characters of a sandbox's name.
const NAME: usize = 40;
/// How long killed processes may take to vanish.
const DYING: Duration = Duration::from_secs(20);
/// Bytes of disk that stay free beside what a sandbox may write.
const RESERVE: u64 = 1 << 30;

static OPENED: AtomicU64 = AtomicU64::new(0);

impl LocalHost {
    /// Sandboxes and snapshots below a folder, whose commands find programs on this `PATH`.
    pub fn new(base: &Path, path: &str) -> Result<LocalHost, SandboxError> {
        for below in ["boxes", "snapshots"] {
            let folder = base.join(below);
            std::fs::create_dir_all(&folder).map_err(SandboxError::io(format!("make {}", folder.display())))?;
        }
        let base = base.canonicalize().map_err(SandboxError::io(format!("use {}", base.display())))?;
        Ok(LocalHost { base, path: path.to_owned(), owner: Owner::this()? })
    }

    pub(super) async fn open(&self, spec: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let needed = spec.limits.disk_mb.saturating_mul(1 << 20).saturating_add(RESERVE);
        if let Some(free) = self.disk_free().filter(|free| *free < needed) {
            return Err(SandboxError::DiskFull { free, needed });
        }
        let image = (!spec.image.is_empty()).then(|| self.snapshot_place(&spec.image));
        if image.as_ref().is_some_and(|place| !place.is_dir()) {
            return Err(SandboxError::ImageMissing { image: spec.image.clone() });
        }
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        // Every root is as long as every other: what an installation wrote of its place is corrected in a copy.
        let word = self.owner.word();
        let width = NAME.saturating_sub(word.len() + 1);
        let folder = self.base.join("boxes").join(format!("{word}-{number:0width$}"));
        let root = folder.join(ROOT);
        std::fs::create_dir_all(&root).map_err(SandboxError::io(format!("make {}", root.display())))?;
        let mut lease: Vec<String> = spec.lease.labels().iter().map(|(k, v)| format!("{k}={v}")).collect();
        lease.sort();
        let written = std::fs::write(folder.join(LEASE), lease.join("\n"));
        written.map_err(SandboxError::io("write a lease"))?;
        if let Some(image) = image {
            local_files::copy(&image, &root, (&local_files::anywhere(&root), root.as_os_str().as_encoded_bytes()))?;
        }
        for below in ["workspace", "home", "tmp"] {
            let place = root.join(below);
            std::fs::create_dir_all(&place).map_err(SandboxError::io(format!("make {}", place.display())))?;
        }
        if let Some(sockets) = &spec.sockets {
            let place = root.join(SOCKETS.trim_start_matches('/'));
            let link = || format!("link {}", place.display());
            std::fs::create_dir_all(place.parent().unwrap_or(&root)).map_err(SandboxError::io(link()))?;
            std::os::unix::fs::symlink(sockets, &place).map_err(SandboxError::io(link()))?;
        }
        Ok(Box::new(LocalBox::new(self.clone(), folder, root, self.path.clone(), spec.limits.clone())))
    }

    pub(super) fn snapshot_place(&self, name: &str) -> PathBuf {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let word: String =
            name.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02x}") }).collect();
        self.base.join("snapshots").join(word)
    }

    pub(super) fn image(&self, name: &str) -> Option<ImageRef> {
        self.snapshot_place(name).is_dir().then(|| ImageRef { name: name.to_owned(), id: name.to_owned() })
    }

    pub(super) fn disk_free(&self) -> Option<u64> {
        local_files::free_below(&self.base).ok()
    }

    pub(super) async fn sweep(&self) -> Result<Swept, SandboxError> {
        let boxes = self.base.join("boxes");
        let now = lease::now();
        let mut swept = Swept::default();
        let listed = std::fs::read_dir(&boxes).map_err(SandboxError::io(format!("list {}", boxes.display())))?;
        for folder in listed.flatten().map(|e| e.path()) {
            let text = std::fs::read_to_string(folder.join(LEASE)).unwrap_or_default();
            let labels: HashMap<String, String> =
                text.lines().filter_map(|l| l.split_once('=')).map(|(k, v)| (k.to_owned(), v.to_owned())).collect();
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // One that was being made or removed when its owner was killed has no lease; its name tells whose it was.
            let over = match Lease::of(&labels) {
                Some(lease) => lease.is_over(&self.owner, now),
                None => self.owner.knows_gone(&name),
            };
            if !over {
                continue;
            }
            match end(&folder).await {
                Ok(()) => swept.sandboxes.push(name),
                Err(error) => swept.failed.push(format!("{name}: {error}")),
            }
        }
        // Processes whose folder somebody removed.
        for (root, _) in local_processes::marked_below(&boxes).into_iter().filter(|(root, _)| !root.exists()) {
            end_all(&Mark { root, session: None }).await?;
        }
        Ok(swept)
    }

    pub(super) async fn evict(&self, keep_bytes: u64) -> Result<Vec<String>, SandboxError> {
        let folder = self.base.join("snapshots");
        let listed = std::fs::read_dir(&folder).map_err(SandboxError::io(format!("list {}", folder.display())))?;
        let mut all: Vec<(std::time::SystemTime, PathBuf, u64)> = listed
            .flatten()
            .filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path(), local_files::used_below(&e.path()))))
            .collect();
        all.sort();
        let mut total: u64 = all.iter().map(|(_, _, bytes)| bytes).sum();
        let mut removed = Vec::new();
        for (_, place, bytes) in all {
            if total <= keep_bytes {
                break;
            }
            local_files::remove(&place)?;
            total -= bytes;
            removed.push(place.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        Ok(removed)
    }
}

/// End the processes of a sandbox and remove its folder.
pub(super) async fn end(folder: &Path) -> Result<(), SandboxError> {
    end_all(&Mark { root: folder.join(ROOT), session: None }).await?;
    let folder = folder.to_owned();
    beside(move || local_files::remove(&folder)).await
}

/// Work on files where it keeps no other task waiting: there may be a hundred thousand of them.
pub(super) async fn beside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SandboxError> + Send + 'static,
) -> Result<T, SandboxError> {
    let lost = |e: tokio::task::JoinError| SandboxError::io("work on files of a sandbox")(e.into());
    tokio::task::spawn_blocking(work).await.map_err(lost)?
}

/// End every process of a sandbox and prove it gone.
pub(super) async fn end_all(mark: &Mark) -> Result<(), SandboxError> {
    let until = Instant::now() + DYING;
    let mut pause = Duration::from_millis(1);
    let mut left = mark.kill();
    while left > 0 {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(100));
        left = mark.kill();
        if left > 0 && Instant::now() > until {
            return Err(SandboxError::KillFailed { name: mark.root.display().to_string(), left: left as u64 });
        }
    }
    Ok(())
}
