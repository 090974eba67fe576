use super::docker::late;
use super::docker_container::Container;
use super::{Body, File, SandboxError, files};
use bollard::errors::Error;
use bollard::query_parameters::{
    ContainerArchiveInfoOptionsBuilder, DownloadFromContainerOptionsBuilder, UploadToContainerOptionsBuilder,
};
use futures_util::StreamExt;
use std::collections::BTreeSet;
use std::io::Read;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The user that commands run as.
pub(super) const AGENT: u64 = 1000;
/// The user of what no command may change.
pub(super) const ROOT: u64 = 0;
/// The bit of a folder in a mode as Go has it.
const GO_FOLDER: u64 = 1 << 31;
/// Pieces of a download that wait to be read.
const WAITING: usize = 16;

impl Container {
    /// Put files below a folder, which is made with its parents where it is missing.
    pub(super) async fn upload(&self, given: &[File], into: &str, owner: u64) -> Result<(), SandboxError> {
        let into = files::checked_inside(into)?;
        let (there, missing) = self.deepest(&into).await?;
        let mut all: Vec<File> = Vec::new();
        let mut below = String::new();
        for part in &missing {
            below.push_str(part);
            all.push(File { path: below.clone(), mode: 0o755, body: Body::Dir });
            below.push('/');
        }
        let mut plain = Vec::with_capacity(given.len());
        for file in given {
            let path = files::checked_given(&file.path)?; // alone, so that it cannot lead up out of the folder
            if let Body::Link(target) = &file.body {
                files::checked_link(&path, target)?;
            }
            plain.push(File { path, ..file.clone() });
        }
        for folder in self.implied(&plain, &into, !missing.is_empty()).await? {
            all.push(File { path: format!("{below}{folder}"), mode: 0o755, body: Body::Dir });
        }
        all.extend(plain.into_iter().map(|f| File { path: format!("{below}{}", f.path), ..f }));
        self.send(&all, &there, owner).await
    }

    /// Folders above the given files that are neither given nor there: Docker would make them, but not the agent's.
    async fn implied(&self, given: &[File], into: &str, fresh: bool) -> Result<Vec<String>, SandboxError> {
        let mut missing: BTreeSet<String> = BTreeSet::new();
        for folder in only_implied(given) {
            let below_missing = folder.rsplit_once('/').is_some_and(|(parent, _)| missing.contains(parent));
            if fresh || below_missing || !self.is_folder(&format!("{into}/{folder}")).await? {
                missing.insert(folder);
            }
        }
        Ok(missing.into_iter().collect())
    }

    /// Give the places of caches, which Docker makes for root, to the agent.
    pub(super) async fn give(&self, folders: &[String]) -> Result<(), SandboxError> {
        for folder in folders {
            let (parent, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            let entry = [File { path: name.to_owned(), mode: 0o755, body: Body::Dir }];
            self.send(&entry, if parent.is_empty() { "/" } else { parent }, AGENT).await?;
        }
        Ok(())
    }

    async fn send(&self, files: &[File], into: &str, owner: u64) -> Result<(), SandboxError> {
        let archive = files::pack(files, owner)?;
        let options = UploadToContainerOptionsBuilder::default().path(into).no_overwrite_dir_non_dir("true").build();
        let sent = self.host.docker.upload_to_container(&self.id, Some(options), bollard::body_full(archive.into()));
        self.step("put files into a container", self.host.patience.transfer, sent).await
    }

    /// Whether there is a folder at a path; false where there is nothing, and an error where there is something else:
    /// what a command put there, a link most of all, must not say where files go.
    async fn is_folder(&self, path: &str) -> Result<bool, SandboxError> {
        let options = ContainerArchiveInfoOptionsBuilder::default().path(path).build();
        let asked = self.host.docker.get_container_archive_info(&self.id, Some(options));
        let doing = "look for a folder in a container";
        match timeout(self.host.patience.answer, asked).await {
            Err(_) => Err(late(doing, self.host.patience.answer)),
            Ok(Ok(found)) if u64::from(found.file_mode) & GO_FOLDER != 0 => Ok(true),
            Ok(Ok(_)) => Err(SandboxError::entry(path, "a file or a link stands where a folder should be")),
            Ok(Err(error)) if is_absent(&error) => Ok(false),
            Ok(Err(error)) => match path_fault(&error) {
                Some(what) => Err(SandboxError::entry(path, what)),
                None => self.step(doing, self.host.patience.answer, async { Err(error) }).await,
            },
        }
    }

    /// The deepest folder of a path that exists, and the parts below it that do not.
    async fn deepest(&self, path: &str) -> Result<(String, Vec<String>), SandboxError> {
        let mut missing: Vec<String> = path.split('/').filter(|p| !p.is_empty()).map(str::to_owned).collect();
        let mut there = String::new();
        while let Some(part) = missing.first() {
            let next = format!("{there}/{part}");
            if !self.is_folder(&next).await? {
                break;
            }
            there = next;
            missing.remove(0);
        }
        Ok((if there.is_empty() { "/".to_owned() } else { there }, missing))
    }

    /// Read a file or a folder. The archive is checked while it arrives; where it is refused, the rest is not read.
    pub(super) async fn download(&self, path: &str, most: u64) -> Result<Vec<File>, SandboxError> {
        let path = files::checked_inside(path)?;
        let options = DownloadFromContainerOptionsBuilder::default().path(&path).build();
        let mut stream = Box::pin(self.host.docker.download_from_container(&self.id, Some(options)));
        let (send, receive) = mpsc::channel::<Vec<u8>>(WAITING);
        let (asked, strip) = (path.clone(), usize::from(path != "/"));
        let reading = tokio::task::spawn_blocking(move || {
            files::unpack(Pieces { receive, piece: Vec::new(), at: 0 }, strip, &asked, most)
        });
        let forwarded = timeout(self.host.patience.transfer, async move {
            while let Some(piece) = stream.next().await {
                if send.send(piece?.to_vec()).await.is_err() {
                    break; // the reader has seen enough
                }
            }
            Ok::<(), Error>(())
        });
        let forwarded = forwarded.await;
        let read = reading.await.map_err(|e| SandboxError::Transport {
            doing: "read files of a container".to_owned(),
            cause: e.to_string(),
        })?;
        match forwarded {
            Err(_) => Err(late("read files of a container", self.host.patience.transfer)),
            Ok(Err(error)) if is_absent(&error) => Err(SandboxError::NotFound { path }),
            Ok(Err(error)) => match path_fault(&error) {
                Some(what) => Err(SandboxError::entry(&path, what)),
                None => {
                    let again = async { Err(error) };
                    self.step("read files of a container", self.host.patience.answer, again).await
                }
            },
            Ok(Ok(())) => read,
        }
    }
}

/// Folders above the given files that are not given themselves, each before what is below it.
fn only_implied(given: &[File]) -> BTreeSet<String> {
    let known: BTreeSet<&str> = given.iter().filter(|f| f.body == Body::Dir).map(|f| f.path.as_str()).collect();
    let above = |f: &File| f.path.match_indices('/').map(|(at, _)| f.path[..at].to_owned()).collect::<Vec<_>>();
    given.iter().flat_map(above).filter(|folder| !known.contains(folder.as_str())).collect()
}

/// Whether the daemon says that there is no such file, as opposed to no such container.
fn is_absent(error: &Error) -> bool {
    matches!(error, Error::DockerResponseServerError { status_code: 404, message } if !message.contains("No such container:"))
}

/// What the daemon says is wrong with a path, if that is what its answer is about. It has no code for this: some of
/// them say 400 and some 500, with the words of the kernel.
fn path_fault(error: &Error) -> Option<&'static str> {
    const WORDS: [&str; 3] = ["not a directory", "file name too long", "too many levels of symbolic links"];
    let Error::DockerResponseServerError { status_code: 400..=599, message } = error else { return None };
    let answer = message.to_lowercase();
    WORDS.into_iter().find(|words| answer.contains(words))
}

/// A blocking reader of pieces that arrive.
struct Pieces {
    receive: mpsc::Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.at == self.piece.len() {
            match self.receive.blocking_recv() {
                Some(piece) => (self.piece, self.at) = (piece, 0),
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len() - self.at);
        buffer[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_path_is_told_apart_from_what_is_wrong_with_the_daemon() {
        let answer =
            |status_code, message: &str| Error::DockerResponseServerError { status_code, message: message.to_owned() };
        for text in ["not a directory", "file name too long", "too many levels of symbolic links"] {
            let message = format!("lstat /var/lib/docker/overlay2/0/merged/workspace/a/b: {text}");
            assert_eq!(path_fault(&answer(500, &message)), Some(text));
        }
        assert!(is_absent(&answer(404, "Could not find the file /workspace/a in container 0")));
        for other in [answer(404, "No such container: 0"), answer(500, "no space left on device"), answer(409, "dead")]
        {
            assert!(!is_absent(&other) && path_fault(&other).is_none(), "{other}");
        }
    }
}
