use super::docker_container::{Container, VANISHING};
use super::docker_exec::DockerBox;
use super::docker_volumes::Downloads;
use super::keeper::Line;
use super::lease::{self, Lease, MARK, Owner};
use super::seccomp::{self, Profile};
use super::{Sandbox, SandboxError, Spec, Swept, limits};
use bollard::Docker;
use bollard::errors::Error;
use bollard::models::ContainerSummaryStateEnum as State;
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions,
    ListContainersOptionsBuilder, RemoveContainerOptionsBuilder, StartContainerOptions,
};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::error::Elapsed;

/// A Docker daemon.
#[derive(Clone, Debug)]
pub struct DockerHost {
    pub(super) docker: Docker,
    pub(super) patience: Patience,
    /// The label of images that this host makes and may remove, because they can be made again.
    pub(super) kind: String,
    owner: Owner,
    pub(super) downloads: Arc<Downloads>,
    /// Where the daemon stores, if that is on this machine.
    store: Option<PathBuf>,
    profile: Arc<Profile>,
}

/// How long steps of ours may take, none of which counts as a command's time.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A question to the daemon, or the start of a container.
    pub answer: Duration,
    /// Files into a sandbox, out of one, or a snapshot.
    pub transfer: Duration,
    /// The building of an image.
    pub build: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            answer: Duration::from_secs(60),
            transfer: Duration::from_secs(600),
            build: Duration::from_secs(3600),
        }
    }
}

/// Bytes of disk that stay free beside what a sandbox may write.
const RESERVE: u64 = 1 << 30;
const HINT: &str = "start Docker, or name its address, or choose the local sandbox; `tsbench doctor` says more";

static OPENED: AtomicU64 = AtomicU64::new(0);
/// Openings that are going on in this process.
static OPENING: AtomicU64 = AtomicU64::new(0);
/// How long the openings that are going on may take when all of them are to be ended.
const OPENINGS: Duration = Duration::from_secs(60);

impl DockerHost {
    /// The daemon at `unix://…` or `tcp://…`, by default at the usual socket.
    pub async fn connect(address: Option<&str>, patience: Patience) -> Result<DockerHost, SandboxError> {
        let at = address.unwrap_or("unix:///var/run/docker.sock");
        let no = |cause: String| SandboxError::NoDocker {
            cause: format!("nothing at {at} that answers: {cause}"),
            hint: HINT.to_owned(),
        };
        // Not by bollard's own defaults, which pass over a variable that they do not understand.
        let docker = Docker::connect_with_host(at);
        // Its own limit is for headers alone and would cut off long steps: each step has one of ours.
        let docker = docker.map_err(|e| no(e.to_string()))?.with_timeout(patience.build + patience.transfer);
        let owner = Owner::this()?;
        let downloads = Downloads::new(at, patience, owner.clone(), false).into();
        let profile = Arc::new(Profile::Text);
        let mut host = DockerHost { docker, patience, kind: "task".to_owned(), owner, downloads, store: None, profile };
        let info = host.step("ask Docker about itself", patience.answer, host.docker.info()).await;
        let info = info.map_err(|e| match e {
            SandboxError::Timeout { .. } => e,
            other => no(other.to_string()),
        })?;
        host.store = info.docker_root_dir.map(PathBuf::from).filter(|p| p.exists());
        let about = host.step("ask Docker for its version", patience.answer, host.docker.version()).await?;
        host.profile = Arc::new(Profile::for_daemon(&about)?);
        Ok(host)
    }

    /// What the daemon says of itself: its version, and how it stores.
    pub async fn about(&self) -> Result<String, SandboxError> {
        let info = self.step("ask Docker about itself", self.patience.answer, self.docker.info()).await?;
        Ok(format!("{} {}", info.server_version.unwrap_or_default(), info.driver.unwrap_or_default()))
    }

    /// Whether the daemon says that it can limit the system calls of containers.
    pub async fn limits_calls(&self) -> Result<bool, SandboxError> {
        let info = self.step("ask Docker about itself", self.patience.answer, self.docker.info()).await?;
        Ok(info.security_options.iter().flatten().any(|option| option.contains("seccomp")))
    }

    /// Whether the daemon answers at all, and soon.
    pub(super) async fn answers(&self) -> Result<(), SandboxError> {
        let soon = self.patience.answer.min(Duration::from_secs(10));
        self.step("ask Docker whether it is there", soon, self.docker.ping()).await.map(drop)
    }

    /// Images of their own kind: only those are evicted, and no other host evicts them.
    pub fn with_images_of(mut self, kind: &str) -> DockerHost {
        kind.clone_into(&mut self.kind);
        self
    }

    /// One step of ours, with its limit.
    pub(super) async fn step<T>(
        &self,
        doing: &str,
        most: Duration,
        step: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, SandboxError> {
        outcome(doing, most, tokio::time::timeout(most, step).await)
    }

    pub(super) async fn open(&self, spec: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let (host, spec) = (self.clone(), spec.clone());
        // On its own: an opening that nobody waits for any more still ends, and what it opened is removed.
        OPENING.fetch_add(1, Ordering::SeqCst);
        let opening = tokio::spawn(async move {
            let opened = host.open_here(&spec).await;
            OPENING.fetch_sub(1, Ordering::SeqCst);
            opened
        });
        opening
            .await
            .map_err(|e| SandboxError::Transport { doing: "create a container".to_owned(), cause: e.to_string() })?
    }

    async fn open_here(&self, spec: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> {
        let needed = spec.limits.disk_mb.saturating_mul(1 << 20).saturating_add(RESERVE);
        if let Some(free) = self.disk_free().await?.filter(|free| *free < needed) {
            return Err(SandboxError::DiskFull { free, needed });
        }
        let body = limits::container(spec, &self.downloads.of(&spec.lease), &self.profile)?;
        self.downloads.used.fetch_or(!spec.caches.is_empty(), Ordering::SeqCst);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}{number}", self.owner.names());
        let options = CreateContainerOptionsBuilder::default().name(&name).build();
        let made = self.docker.create_container(Some(options), body);
        let made = tokio::time::timeout(self.patience.answer, made).await;
        let made = match made {
            Err(_) => {
                self.remove(&name).await.ok(); // it may appear yet; the sweep finds it then
                return Err(late("create a container", self.patience.answer));
            }
            Ok(Err(Error::DockerResponseServerError { status_code: 404, .. })) => {
                return Err(SandboxError::ImageMissing { image: spec.image.clone() });
            }
            Ok(made) => made.map_err(|e| begin_error("create a container", &e))?,
        };
        let begun = self.begin(&made.id, &name, spec).await;
        match begun {
            Ok(begun) => Ok(Box::new(begun)),
            Err(error) => {
                self.remove(&made.id).await.ok(); // the first error says more
                Err(error)
            }
        }
    }

    async fn begin(&self, id: &str, name: &str, spec: &Spec) -> Result<DockerBox, SandboxError> {
        let answer = self.patience.answer;
        let options = AttachContainerOptionsBuilder::default().stdin(true).stdout(true).stream(true).build();
        let attached = self.step("attach to a container", answer, self.docker.attach_container(id, Some(options)));
        let line = Line::new(attached.await?);
        let started = self.docker.start_container(id, None::<StartContainerOptions>);
        let started = tokio::time::timeout(answer, started).await.map_err(|_| late("start a container", answer))?;
        started.map_err(|e| begin_error("start a container", &e))?;
        let (host, most_disk) = (self.clone(), spec.limits.disk_mb.saturating_mul(1 << 20));
        let container = Container { host, id: id.to_owned(), name: name.to_owned(), most_disk };
        let folders: Vec<String> = spec.caches.iter().map(|(_, path)| path.clone()).collect();
        container.give(&folders).await?;
        let mut begun = DockerBox::new(container, line);
        begun.greet().await?;
        self.touch(&spec.image).await;
        Ok(begun)
    }

    /// Remove a container, whatever it does; gone already is as good.
    pub(super) async fn remove(&self, id: &str) -> Result<(), SandboxError> {
        let options = RemoveContainerOptionsBuilder::default().force(true).v(true).build();
        let removed = tokio::time::timeout(self.patience.answer, self.docker.remove_container(id, Some(options))).await;
        match removed {
            Err(_) => Err(late("remove a container", self.patience.answer)),
            Ok(Err(Error::DockerResponseServerError { status_code: 404, .. })) | Ok(Ok(())) => Ok(()),
            // Another removal is under way, and what ends now must not leave the container behind.
            Ok(Err(Error::DockerResponseServerError { status_code: 409, .. })) => self.await_removal(id).await,
            Ok(Err(e)) => Err(SandboxError::Transport { doing: "remove a container".to_owned(), cause: e.to_string() }),
        }
    }

    async fn await_removal(&self, id: &str) -> Result<(), SandboxError> {
        let until = tokio::time::Instant::now() + VANISHING;
        while tokio::time::Instant::now() < until {
            let asked = self.docker.inspect_container(id, None::<InspectContainerOptions>);
            let asked = tokio::time::timeout(self.patience.answer, asked).await;
            if matches!(asked, Ok(Err(Error::DockerResponseServerError { status_code: 404, .. }))) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Err(late("see a container gone", VANISHING))
    }

    pub(super) async fn sweep(&self) -> Result<Swept, SandboxError> {
        let now = lease::now();
        // A stopped one has lost its keeper: its owner cannot use it any more.
        let mut swept = self.remove_where(|lease, ended| ended || lease.is_over(&self.owner, now)).await?;
        // After the containers: a volume that one of them has stays.
        if let Err(error) = self.sweep_volumes().await {
            swept.failed.push(format!("volumes of downloads: {error}"));
        }
        Ok(swept)
    }

    pub(super) async fn end_own(&self) -> Result<Swept, SandboxError> {
        let until = tokio::time::Instant::now() + OPENINGS;
        while OPENING.load(Ordering::SeqCst) > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.remove_where(|lease, _| lease.owner == self.owner).await
    }

    /// Removes the containers of ours for which this holds; it is told the lease, and whether the container has ended.
    async fn remove_where(&self, which: impl Fn(&Lease, bool) -> bool) -> Result<Swept, SandboxError> {
        let filters = HashMap::from([("label".to_owned(), vec![MARK.to_owned()])]);
        let options = ListContainersOptionsBuilder::default().all(true).filters(&filters).build();
        let listed = self.docker.list_containers(Some(options));
        let mut swept = Swept::default();
        for found in self.step("list containers", self.patience.answer, listed).await? {
            let Some(lease) = Lease::of(&found.labels.unwrap_or_default()) else { continue };
            if !which(&lease, matches!(found.state, Some(State::EXITED | State::DEAD))) {
                continue;
            }
            let id = found.id.unwrap_or_default();
            let name = found.names.and_then(|n| n.first().map(|n| n.trim_start_matches('/').to_owned()));
            // A container that a person starts from an image of ours may have got its labels, and never has this name.
            let Some(name) = name.filter(|name| name.starts_with(&lease.owner.names())) else { continue };
            match self.remove(&id).await {
                Ok(()) => swept.sandboxes.push(name),
                Err(error) => swept.failed.push(format!("{name}: {error}")),
            }
        }
        Ok(swept)
    }

    pub(super) async fn disk_free(&self) -> Result<Option<u64>, SandboxError> {
        self.store.as_deref().map(super::local_files::free_below).transpose()
    }
}

/// Why a container could not be made or started.
fn begin_error(doing: &str, error: &Error) -> SandboxError {
    let cause = error.to_string();
    seccomp::refusal(&cause).unwrap_or(SandboxError::Transport { doing: doing.to_owned(), cause })
}

pub(super) fn late(doing: &str, most: Duration) -> SandboxError {
    SandboxError::Timeout { doing: doing.to_owned(), seconds: most.as_secs() }
}

/// What came of a step of ours that was given so long.
pub(super) fn outcome<T>(
    doing: &str,
    most: Duration,
    result: Result<Result<T, Error>, Elapsed>,
) -> Result<T, SandboxError> {
    match result {
        Ok(Ok(good)) => Ok(good),
        Ok(Err(Error::RequestTimeoutError)) | Err(_) => Err(late(doing, most)),
        Ok(Err(error)) => Err(SandboxError::Transport { doing: doing.to_owned(), cause: error.to_string() }),
    }
}
