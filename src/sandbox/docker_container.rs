use super::docker::{DockerHost, late, outcome};
use super::output::Keeper;
use super::{Command, End, FIXED_ENV, SandboxError, User, files};
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use bollard::query_parameters::InspectContainerOptionsBuilder;
use futures_util::{Stream, StreamExt};
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long the rest of the output may take once nothing can write to it any more.
const DRAIN: Duration = Duration::from_secs(5);
/// The longest pause between two looks at a running command.
const PAUSE: Duration = Duration::from_millis(1000);
/// Looks at the disk are this much rarer than their cost.
const DISK_SHARE: u32 = 20;
/// How long a removed container may take to vanish.
pub(super) const VANISHING: Duration = Duration::from_secs(20);

/// A container by its id, and the daemon that has it.
#[derive(Clone)]
pub(super) struct Container {
    pub host: DockerHost,
    pub id: String,
    pub name: String,
    pub most_disk: u64,
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, Error>> + Send>>;
pub(super) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// A command while it runs.
pub(super) struct Running {
    pub id: String,
    output: Option<Output>,
    pub stdout: Keeper,
    pub stderr: Keeper,
}

impl Running {
    fn take(&mut self, item: Option<Result<LogOutput, Error>>) {
        match item {
            Some(Ok(LogOutput::StdErr { message })) => self.stderr.take(&message),
            Some(Ok(log)) => self.stdout.take(&log.into_bytes()),
            Some(Err(_)) | None => self.output = None, // whether the command lives is asked of the daemon
        }
    }

    async fn next(&mut self) -> Option<Result<LogOutput, Error>> {
        match &mut self.output {
            Some(output) => output.next().await,
            None => std::future::pending().await,
        }
    }

    pub(super) async fn drain(&mut self) {
        let rest = async {
            while self.output.is_some() {
                let item = self.next().await;
                self.take(item);
            }
        };
        timeout(DRAIN, rest).await.ok(); // what still holds it open is no process of this container
    }
}

impl Container {
    pub(super) fn lost(&self, cause: impl Into<String>) -> SandboxError {
        SandboxError::Lost { name: self.name.clone(), cause: cause.into() }
    }

    /// One step of ours with the container; that it is not there or does not run is told apart from other failures.
    pub(super) async fn step<T>(
        &self,
        doing: &str,
        most: Duration,
        step: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, SandboxError> {
        match timeout(most, step).await {
            Ok(Err(Error::DockerResponseServerError { status_code: 404 | 409, message })) => Err(self.lost(message)),
            result => outcome(doing, most, result),
        }
    }

    pub(super) async fn start(&self, command: &Command) -> Result<(Running, Input), SandboxError> {
        let env = FIXED_ENV.iter().map(|(k, v)| (*k, *v)).filter(|(k, _)| !command.env.iter().any(|(own, _)| own == k));
        let env = env.chain(command.env.iter().map(|(k, v)| (k.as_str(), v.as_str()))).map(|(k, v)| format!("{k}={v}"));
        let options = CreateExecOptions {
            cmd: Some(command.words.clone()),
            env: Some(env.collect()),
            working_dir: Some(files::checked_inside(&command.dir)?),
            user: Some(if command.user == User::Root { "0:0" } else { "1000:1000" }.to_owned()),
            attach_stdin: Some(!command.stdin.is_empty()),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            ..CreateExecOptions::default()
        };
        let answer = self.host.patience.answer;
        let made = self.step("create a command", answer, self.host.docker.create_exec(&self.id, options)).await?;
        let options = StartExecOptions { output_capacity: Some(64 << 10), ..StartExecOptions::default() };
        let started = self.host.docker.start_exec(&made.id, Some(options));
        match self.step("start a command", answer, started).await? {
            StartExecResults::Attached { output, input } => {
                let keeper = || Keeper::new(command.output_bytes);
                Ok((Running { id: made.id, output: Some(output), stdout: keeper(), stderr: keeper() }, input))
            }
            StartExecResults::Detached => Err(self.lost("a command was not attached")),
        }
    }

    /// Follow a command until it ends or must be ended.
    pub(super) async fn follow(
        &self,
        running: &mut Running,
        input: Input,
        command: &Command,
    ) -> Result<Option<End>, SandboxError> {
        let begun = Instant::now();
        let deadline = sleep_until(begun + Duration::from_secs(command.seconds));
        let feeding = feed(input, &command.stdin);
        tokio::pin!(deadline, feeding);
        let (mut fed, mut pause, mut next_disk) = (false, Duration::from_millis(20), begun + PAUSE);
        let mut look = Box::pin(sleep(pause));
        loop {
            tokio::select! {
                item = running.next() => {
                    let open = item.is_some();
                    running.take(item);
                    if !open {
                        pause = Duration::from_millis(1); // it ended, or it closed its outputs
                        look = Box::pin(sleep(Duration::ZERO));
                    }
                }
                () = &mut feeding, if !fed => fed = true,
                () = &mut deadline => return Ok(Some(End::TimedOut)),
                () = &mut look => {
                    if !self.is_running(&running.id).await? {
                        return Ok(None);
                    }
                    if Instant::now() > next_disk {
                        let before = Instant::now();
                        if self.disk_used().await? > self.most_disk {
                            return Ok(Some(End::DiskLimit));
                        }
                        next_disk = Instant::now() + PAUSE.max(before.elapsed() * DISK_SHARE);
                    }
                    pause = (pause * 2).min(PAUSE);
                    look = Box::pin(sleep(pause));
                }
            }
        }
    }

    pub(super) async fn is_running(&self, exec: &str) -> Result<bool, SandboxError> {
        let asked = self.host.docker.inspect_exec(exec);
        let found = self.step("ask about a command", self.host.patience.answer, asked).await?;
        Ok(found.running.unwrap_or(false))
    }

    pub(super) async fn code(&self, exec: &str) -> Result<i64, SandboxError> {
        let asked = self.host.docker.inspect_exec(exec);
        let found = self.step("ask about a command", self.host.patience.answer, asked).await?;
        found.exit_code.ok_or_else(|| self.lost("a command ended without an exit code"))
    }

    /// Bytes that differ from the image.
    pub(super) async fn disk_used(&self) -> Result<u64, SandboxError> {
        let options = InspectContainerOptionsBuilder::default().size(true).build();
        let asked = self.host.docker.inspect_container(&self.id, Some(options));
        let found = self.step("measure a container", self.host.patience.transfer, asked).await?;
        Ok(found.size_rw.map_or(0, |bytes| u64::try_from(bytes).unwrap_or(0)))
    }

    pub(super) async fn starved(&self) -> bool {
        let options = InspectContainerOptionsBuilder::default().build();
        let asked = self.host.docker.inspect_container(&self.id, Some(options));
        let found = self.step("ask about a container", self.host.patience.answer, asked).await;
        found.ok().and_then(|c| c.state).and_then(|s| s.oom_killed).unwrap_or(false)
    }

    pub(super) async fn prove_gone(&self) -> Result<(), SandboxError> {
        let until = Instant::now() + VANISHING;
        loop {
            let options = InspectContainerOptionsBuilder::default().build();
            let asked = timeout(self.host.patience.answer, self.host.docker.inspect_container(&self.id, Some(options)));
            match asked.await {
                Ok(Err(Error::DockerResponseServerError { status_code: 404, .. })) => return Ok(()),
                Err(_) => return Err(late("ask whether a container is gone", self.host.patience.answer)),
                Ok(_) if Instant::now() > until => return Err(late("see a container gone", VANISHING)),
                Ok(_) => sleep(Duration::from_millis(50)).await,
            }
        }
    }
}

/// Give a command its input, then close it. A command that does not read it is no failure.
async fn feed(mut input: Input, bytes: &[u8]) {
    if bytes.is_empty() {
        std::future::pending::<()>().await;
    }
    if input.write_all(bytes).await.is_ok() {
        input.shutdown().await.ok(); // it ended before it read
    }
    std::future::pending::<()>().await; // dropping the input could cut off the output
}
