use super::docker::late;
use super::docker_container::Container;
use super::docker_files::{AGENT, ROOT};
use super::keeper::{Line, Seen, Silence};
use super::{Command, End, File, Finished, ImageRef, Sandbox, SandboxError};
use async_trait::async_trait;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How long killed processes may take to vanish: the kernel frees their memory first.
const DYING: Duration = Duration::from_secs(20);

/// A container as a sandbox.
pub(super) struct DockerBox {
    container: Container,
    line: Line,
    memory_kills: u64,
    /// A command was started and is not known to have ended.
    busy: bool,
    /// Why it cannot be used any more.
    dead: Option<String>,
    closed: bool,
}

impl DockerBox {
    pub(super) fn new(container: Container, line: Line) -> DockerBox {
        DockerBox { container, line, memory_kills: 0, busy: false, dead: None, closed: false }
    }

    /// Hear the keeper's first answer.
    pub(super) async fn greet(&mut self) -> Result<(), SandboxError> {
        let seen = self.line.ask(false, self.container.host.patience.answer).await;
        self.memory_kills = seen.map_err(|silence| self.silence(silence))?.memory_kills;
        Ok(())
    }

    fn silence(&self, silence: Silence) -> SandboxError {
        match silence {
            Silence::Ended(cause) => self.container.lost(cause),
            Silence::Late(most) => late("hear from the keeper of a container", most),
        }
    }

    fn alive(&self) -> Result<(), SandboxError> {
        match &self.dead {
            Some(cause) => Err(self.container.lost(cause.clone())),
            None => Ok(()),
        }
    }

    /// End everything but the keeper and prove it gone; how it was before.
    async fn end_all(&mut self) -> Result<Seen, SandboxError> {
        let until = Instant::now() + DYING;
        let mut pause = Duration::from_millis(2);
        let mut first: Option<Seen> = None;
        loop {
            let seen = self.line.ask(true, self.container.host.patience.answer).await;
            let seen = seen.map_err(|silence| self.silence(silence))?;
            let first = *first.get_or_insert(seen);
            if seen.left == 0 {
                self.busy = false;
                return Ok(Seen { before: first.before, ..seen });
            }
            if Instant::now() > until {
                self.dead = Some("its processes could not be ended".to_owned());
                self.container.host.remove(&self.container.id).await?;
                return Err(SandboxError::KillFailed { name: self.container.name.clone(), left: seen.left });
            }
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(200));
        }
    }

    async fn run(&mut self, command: &Command) -> Result<Finished, SandboxError> {
        if self.busy {
            self.end_all().await?; // an earlier call was dropped while its command ran
        }
        self.busy = true;
        let (mut running, input) = self.container.start(command).await?;
        let begun = Instant::now();
        let cut = self.container.follow(&mut running, input, command).await;
        let seconds = begun.elapsed().as_secs_f64();
        let before = self.memory_kills;
        let (end, strays) = match self.end_all().await {
            Ok(seen) => {
                self.memory_kills = seen.memory_kills;
                let code = match cut? {
                    Some(end) => end,
                    None => End::of_container(self.container.code(&running.id).await?),
                };
                let starved = seen.memory_kills > before && !matches!(code, End::Exit(0) | End::TimedOut);
                let end = if starved { End::OutOfMemory } else { code };
                (end, seen.before > 0 && !matches!(end, End::TimedOut | End::DiskLimit))
            }
            // Memory ran out so far that the keeper was killed too: the command's doing, but the container is over.
            Err(SandboxError::Lost { cause, .. }) if self.container.starved().await => {
                self.dead = Some(cause);
                self.memory_kills += 1;
                (End::OutOfMemory, false)
            }
            Err(error) => return Err(error),
        };
        running.drain().await;
        let memory_kills = self.memory_kills - before;
        let (stdout, stderr) = (running.stdout.kept(), running.stderr.kept());
        Ok(Finished { end, stdout, stderr, seconds, memory_kills, strays })
    }
}

#[async_trait]
impl Sandbox for DockerBox {
    async fn exec(&mut self, command: &Command) -> Result<Finished, SandboxError> {
        self.alive()?;
        if command.words.is_empty() || command.words.iter().any(|w| w.contains('\0')) {
            return Err(SandboxError::BadInput { what: format!("the command {:?}", command.words) });
        }
        let result = self.run(command).await;
        if let Err(SandboxError::Lost { cause, .. }) = &result {
            self.dead = Some(cause.clone());
        }
        result
    }

    async fn put(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.alive()?;
        self.container.upload(files, into, AGENT).await
    }

    async fn put_ours(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.alive()?;
        self.container.upload(files, into, ROOT).await
    }

    async fn get(&mut self, path: &str, most_bytes: u64) -> Result<Vec<File>, SandboxError> {
        self.alive()?;
        self.container.download(path, most_bytes).await
    }

    async fn snapshot(&mut self, name: &str) -> Result<ImageRef, SandboxError> {
        self.alive()?;
        self.container.commit(name).await
    }

    async fn close(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.closed = true;
        self.container.host.remove(&self.container.id).await?;
        self.container.prove_gone().await
    }

    fn isolation(&self) -> &'static str {
        "docker"
    }
}

impl Drop for DockerBox {
    /// Without a close: the keeper's input closes, which ends the container; what is left of it is removed if the
    /// runtime lives, and by the next sweep if not.
    fn drop(&mut self) {
        if let (false, Ok(runtime)) = (self.closed, tokio::runtime::Handle::try_current()) {
            let (host, id) = (self.container.host.clone(), self.container.id.clone());
            runtime.spawn(async move { host.remove(&id).await.ok() });
        }
    }
}
