use super::docker::late;
use super::docker_container::Container;
use super::{Body, File, SandboxError, files};
use bollard::errors::Error;
use bollard::query_parameters::{
    ContainerArchiveInfoOptionsBuilder, DownloadFromContainerOptionsBuilder, UploadToContainerOptionsBuilder,
};
use futures_util::StreamExt;
use std::io::Read;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The user that commands run as.
const AGENT: u64 = 1000;
/// Pieces of a download that wait to be read.
const WAITING: usize = 16;

impl Container {
    /// Put files below a folder, which is made with its parents where it is missing.
    pub(super) async fn upload(&self, given: &[File], into: &str) -> Result<(), SandboxError> {
        let into = files::checked_inside(into)?;
        let (there, missing) = self.deepest(&into).await?;
        let mut all: Vec<File> = Vec::new();
        let mut below = String::new();
        for part in &missing {
            below.push_str(part);
            all.push(File { path: below.clone(), mode: 0o755, body: Body::Dir });
            below.push('/');
        }
        all.extend(given.iter().map(|f| File { path: format!("{below}{}", f.path), ..f.clone() }));
        for (old, new) in given.iter().zip(&all[missing.len()..]) {
            files::checked_path(&old.path)?; // alone too, so that it cannot lead up out of the folder
            if let Body::Link(target) = &new.body {
                files::checked_link(&old.path, target)?;
            }
        }
        let archive = files::pack(&all, AGENT)?;
        let options = UploadToContainerOptionsBuilder::default().path(&there).no_overwrite_dir_non_dir("true").build();
        let sent = self.host.docker.upload_to_container(&self.id, Some(options), bollard::body_full(archive.into()));
        self.step("put files into a container", self.host.patience.transfer, sent).await
    }

    /// The deepest folder of a path that exists, and the parts below it that do not.
    async fn deepest(&self, path: &str) -> Result<(String, Vec<String>), SandboxError> {
        let mut there = path.to_owned();
        let mut missing = Vec::new();
        while there != "/" {
            let options = ContainerArchiveInfoOptionsBuilder::default().path(&there).build();
            let asked = self.host.docker.get_container_archive_info(&self.id, Some(options));
            match timeout(self.host.patience.answer, asked).await {
                Err(_) => return Err(late("look for a folder in a container", self.host.patience.answer)),
                Ok(Ok(_)) => break,
                Ok(Err(error)) if is_absent(&error) => {
                    let (parent, name) = there.rsplit_once('/').unwrap_or(("", &there));
                    missing.insert(0, name.to_owned());
                    there = if parent.is_empty() { "/".to_owned() } else { parent.to_owned() };
                }
                Ok(Err(error)) => {
                    let again = async { Err::<(), Error>(error) };
                    self.step("look for a folder in a container", self.host.patience.answer, again).await?;
                }
            }
        }
        Ok((there, missing))
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
            Ok(Err(error)) => {
                let again = async { Err(error) };
                self.step("read files of a container", self.host.patience.answer, again).await
            }
            Ok(Ok(())) => read,
        }
    }
}

/// Whether the daemon says that there is no such file, as opposed to no such container.
fn is_absent(error: &Error) -> bool {
    matches!(error, Error::DockerResponseServerError { status_code: 404, message } if !message.contains("No such container:"))
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
