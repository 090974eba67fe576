use super::local::{LocalHost, beside, end, end_all};
use super::local_processes::{Mark, Process, memory};
use super::output::{Keeper, Kept};
use super::{Command, End, FIXED_ENV, File, Finished, ImageRef, Sandbox, SandboxError, files, local_files};
use crate::schema::Limits;
use async_trait::async_trait;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::time::{Instant, sleep_until, timeout};

/// How often the processes of a command's session are counted and their memory summed, and how often all of them.
const LOOK: Duration = Duration::from_millis(50);
const WIDE_LOOK: u32 = 10;
/// How often the disk is measured, at least; and how much rarer than its cost.
const DISK: Duration = Duration::from_secs(1);
const DISK_SHARE: u32 = 20;
/// How long the rest of the output may take once nothing should be able to write to it any more.
const DRAIN: Duration = Duration::from_secs(5);

/// A folder, and what runs in it.
pub(super) struct LocalBox {
    host: LocalHost,
    folder: PathBuf,
    mark: Mark,
    path: String,
    limits: Limits,
    closed: bool,
}

impl LocalBox {
    pub(super) fn new(host: LocalHost, folder: PathBuf, root: PathBuf, path: String, limits: Limits) -> LocalBox {
        LocalBox { host, folder, mark: Mark { root, session: None }, path, limits, closed: false }
    }

    fn alive(&self) -> Result<(), SandboxError> {
        let gone = || SandboxError::Lost {
            name: self.folder.display().to_string(),
            cause: "its folder was removed".to_owned(),
        };
        if self.mark.root.is_dir() { Ok(()) } else { Err(gone()) }
    }

    /// The command behind `setsid` and `prlimit` of util-linux: a session of its own, and limits that it inherits.
    fn start(&self, command: &Command) -> Result<Child, SandboxError> {
        let dir = self.path(&files::checked_inside(&command.dir)?);
        let enterable = rustix::fs::access(&dir, rustix::fs::Access::EXEC_OK).is_ok();
        if !enterable || !std::fs::metadata(&dir).is_ok_and(|m| m.is_dir()) {
            return Err(SandboxError::BadInput { what: format!("the folder {}: it cannot be entered", command.dir) });
        }
        let mut start = tokio::process::Command::new("setsid");
        start.arg("prlimit").arg("--core=0").arg(format!("--fsize={}", self.limits.disk_mb.saturating_mul(1 << 20)));
        start.arg("--").args(&command.words).current_dir(dir).env_clear();
        start.env("PATH", &self.path).env("HOME", self.path("/home")).env("TMPDIR", self.path("/tmp"));
        start.envs(FIXED_ENV.iter().copied()).envs(command.env.iter().map(|(k, v)| (k, v)));
        let (key, value) = self.mark.entry();
        start.env(key, value).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
        start.stdin(if command.stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        start.spawn().map_err(SandboxError::io("start setsid, of util-linux"))
    }

    /// Follow a command until it ends or must be ended.
    async fn follow(&self, child: &mut Child, seconds: u64) -> Result<Result<ExitStatus, End>, SandboxError> {
        let begun = Instant::now();
        let (mut look, mut next_disk) = (tokio::time::interval(LOOK), begun + DISK);
        let deadline = sleep_until(begun + Duration::from_secs(seconds));
        tokio::pin!(deadline);
        let mut looks = 0u32;
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                status = child.wait() => return status.map(Ok).map_err(SandboxError::io("wait for a command")),
                () = &mut deadline => return Ok(Err(End::TimedOut)),
                _ = look.tick() => {
                    looks = looks.wrapping_add(1);
                    let wide = looks.is_multiple_of(WIDE_LOOK);
                    let seen = if wide { self.mark.processes() } else { self.mark.session_processes() };
                    if let Some(end) = self.excess(&seen) {
                        return Ok(Err(end));
                    }
                    if Instant::now() > next_disk {
                        let before = Instant::now();
                        if local_files::used_below(&self.mark.root) > self.limits.disk_mb.saturating_mul(1 << 20) {
                            return Ok(Err(End::DiskLimit));
                        }
                        next_disk = Instant::now() + DISK.max(before.elapsed() * DISK_SHARE);
                    }
                }
            }
        }
    }

    /// What these processes use too much of. Too many of them end as if by a signal: the kernel has no word for it.
    fn excess(&self, processes: &[Process]) -> Option<End> {
        if memory(processes) > self.limits.memory_mb.saturating_mul(1 << 20) {
            return Some(End::OutOfMemory);
        }
        (processes.len() as u64 > self.limits.processes).then_some(End::Signal(9))
    }
}

async fn read(stream: Option<impl AsyncRead + Unpin>, most: usize) -> Kept {
    let mut keeper = Keeper::new(most);
    let mut buffer = vec![0; 32 << 10];
    if let Some(mut stream) = stream {
        while let Ok(length @ 1..) = stream.read(&mut buffer).await {
            keeper.take(&buffer[..length]);
        }
    }
    keeper.kept()
}

async fn feed(stdin: Option<ChildStdin>, bytes: &[u8]) {
    if let Some(mut stdin) = stdin {
        stdin.write_all(bytes).await.ok(); // a command need not read its input
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::of_container(i64::from(code)), // a shell says 128 + signal of what it ran
        (None, Some(signal)) => End::Signal(signal),
        (None, None) => End::Exit(-1),
    }
}

#[async_trait]
impl Sandbox for LocalBox {
    async fn exec(&mut self, command: &Command) -> Result<Finished, SandboxError> {
        self.alive()?;
        if command.words.is_empty() || command.words.iter().any(|w| w.contains('\0')) {
            return Err(SandboxError::BadInput { what: format!("the command {:?}", command.words) });
        }
        end_all(&self.mark).await?; // an earlier call may have been dropped while its command ran
        let mut child = self.start(command)?;
        self.mark.session = child.id().and_then(|id| i32::try_from(id).ok());
        let begun = Instant::now();
        let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let outputs = tokio::spawn({
            let most = command.output_bytes;
            async move { tokio::join!(read(out, most), read(err, most)) }
        });
        let followed = {
            let fed = feed(stdin, &command.stdin);
            let follow = self.follow(&mut child, command.seconds);
            tokio::pin!(fed, follow);
            tokio::select! {
                followed = &mut follow => followed,
                () = &mut fed => follow.await,
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        let strays = matches!(followed, Ok(Ok(_))) && !self.mark.processes().is_empty();
        end_all(&self.mark).await?;
        self.mark.session = None; // the number may be another's soon
        child.wait().await.map_err(SandboxError::io("wait for a command"))?;
        let abort = outputs.abort_handle();
        let Ok(read) = timeout(DRAIN, outputs).await else {
            abort.abort();
            let name = self.folder.display().to_string();
            return Err(SandboxError::KillFailed { name, left: 1 }); // something that is not found holds the output
        };
        let (stdout, stderr) = read.unwrap_or_default();
        let end = match followed? {
            Ok(status) => end_of(status),
            Err(end) => end,
        };
        let memory_kills = u64::from(end == End::OutOfMemory);
        Ok(Finished { end, stdout, stderr, seconds, memory_kills, strays })
    }

    async fn put(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.alive()?;
        let (root, files, into) = (self.mark.root.clone(), files.to_vec(), into.to_owned());
        beside(move || local_files::put(&root, &files, &into)).await
    }

    async fn put_ours(&mut self, files: &[File], into: &str) -> Result<(), SandboxError> {
        self.put(files, into).await // there is one user for all
    }

    async fn get(&mut self, path: &str, most_bytes: u64) -> Result<Vec<File>, SandboxError> {
        self.alive()?;
        let (root, path) = (self.mark.root.clone(), path.to_owned());
        beside(move || local_files::get(&root, &path, most_bytes)).await
    }

    async fn snapshot(&mut self, name: &str) -> Result<ImageRef, SandboxError> {
        self.alive()?;
        let place = self.host.snapshot_place(name);
        // Half a copy must not pass for an image: it gets its name when it is whole.
        let part = place.with_extension("part");
        local_files::remove(&part)?;
        let root = &self.mark.root;
        local_files::copy(root, &part, (root.as_os_str().as_encoded_bytes(), &local_files::anywhere(root)))?;
        local_files::remove(&place)?;
        std::fs::rename(&part, &place).map_err(SandboxError::io(format!("make {}", place.display())))?;
        Ok(ImageRef { name: name.to_owned(), id: name.to_owned() })
    }

    async fn close(mut self: Box<Self>) -> Result<(), SandboxError> {
        self.closed = true;
        end(&self.folder).await
    }

    fn isolation(&self) -> &'static str {
        "none"
    }

    fn path(&self, inside: &str) -> String {
        self.mark.root.join(inside.trim_start_matches('/')).to_string_lossy().into_owned()
    }
}

impl Drop for LocalBox {
    fn drop(&mut self) {
        if !self.closed {
            self.mark.kill();
            local_files::remove(&self.folder).ok(); // the next sweep finds what is left
        }
    }
}
