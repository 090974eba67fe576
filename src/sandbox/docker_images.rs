use super::docker::{DockerHost, late};
use super::docker_container::Container;
use super::lease::Lease;
use super::output::Keeper;
use super::{File, ImageRef, SandboxError, files};
use bollard::errors::Error;
use bollard::models::{ContainerConfig, ImageSummary};
use bollard::query_parameters::{
    BuildImageOptionsBuilder, CommitContainerOptionsBuilder, ListImagesOptionsBuilder, RemoveImageOptions,
    TagImageOptionsBuilder,
};
use futures_util::StreamExt;
use std::collections::HashMap;
use tokio::time::timeout;

/// The label of images of ours; its value says which host's they are.
const KIND: &str = "tsbench.image";
/// How the names of images of ours begin.
const OURS: &str = "tsbench";
/// Bytes kept of a builder's output.
const LOG: usize = 8 << 10;

impl DockerHost {
    pub(super) async fn image(&self, name: &str) -> Result<Option<ImageRef>, SandboxError> {
        match timeout(self.patience.answer, self.docker.inspect_image(name)).await {
            Err(_) => Err(late("look for an image", self.patience.answer)),
            Ok(Ok(found)) => Ok(Some(ImageRef { name: name.to_owned(), id: found.id.unwrap_or_default() })),
            Ok(Err(Error::DockerResponseServerError { status_code: 404, .. })) => Ok(None),
            Ok(Err(e)) => Err(SandboxError::Transport { doing: "look for an image".to_owned(), cause: e.to_string() }),
        }
    }

    async fn existing(&self, name: &str) -> Result<ImageRef, SandboxError> {
        self.image(name).await?.ok_or_else(|| SandboxError::ImageMissing { image: name.to_owned() })
    }

    pub(super) async fn build_image(&self, name: &str, context: &[File]) -> Result<ImageRef, SandboxError> {
        let archive = files::pack(context, 0)?;
        let labels = HashMap::from([(KIND, self.kind.as_str())]);
        let options = BuildImageOptionsBuilder::default().t(name).rm(true).forcerm(true).labels(&labels).build();
        let mut stream = self.docker.build_image(options, None, Some(bollard::body_full(archive.into())));
        let mut log = Keeper::new(LOG);
        let built = timeout(self.patience.build, async {
            while let Some(info) = stream.next().await {
                log.take(info?.stream.unwrap_or_default().as_bytes());
            }
            Ok::<(), Error>(())
        });
        match built.await {
            Err(_) => Err(late("build an image", self.patience.build)),
            Ok(Ok(())) => self.existing(name).await,
            Ok(Err(error)) => {
                Err(SandboxError::Build { image: name.to_owned(), cause: error.to_string(), log: log.kept().text() })
            }
        }
    }

    /// Remember that an image was used: a tag that it has already gets a new time, which Docker keeps.
    pub(super) async fn touch(&self, name: &str) {
        let Some((repo, tag)) = parts(name) else { return };
        let options = TagImageOptionsBuilder::default().repo(&repo).tag(&tag).build();
        // Only the order of eviction depends on it.
        timeout(self.patience.answer, self.docker.tag_image(name, Some(options))).await.ok();
    }

    pub(super) async fn evict(&self, keep_bytes: u64) -> Result<Vec<String>, SandboxError> {
        let options = ListImagesOptionsBuilder::default().all(true).build();
        let listed = self.docker.list_images(Some(options));
        let all = self.step("list images", self.patience.answer, listed).await?;
        let mut ours = Vec::new();
        for image in all.iter().filter(|i| i.labels.get(KIND).is_some_and(|kind| *kind == self.kind)) {
            let mut names: Vec<String> = names_of(image).map(str::to_owned).collect();
            if names.iter().any(|name| !name.starts_with(OURS)) {
                // Built by a person on one of ours, whose labels it has got.
                continue;
            }
            if names.is_empty() {
                names.push(image.id.clone());
            }
            let (bytes, used) = (own_bytes(image, &all), self.used(image).await);
            ours.push(Evictable { names, bytes, used });
        }
        let mut removed = Vec::new();
        for name in surplus(ours, keep_bytes).into_iter().flatten() {
            let gone = self.docker.remove_image(&name, None::<RemoveImageOptions>, None);
            match timeout(self.patience.transfer, gone).await {
                Err(_) => return Err(late("remove an image", self.patience.transfer)),
                Ok(Ok(_)) => removed.push(name),
                Ok(Err(Error::DockerResponseServerError { status_code: 404 | 409, .. })) => {} // gone, or in use
                Ok(Err(e)) => {
                    return Err(SandboxError::Transport {
                        doing: format!("remove the image {name}"),
                        cause: e.to_string(),
                    });
                }
            }
        }
        Ok(removed)
    }

    /// When an image was last used or made, in seconds.
    async fn used(&self, image: &ImageSummary) -> i64 {
        let found = timeout(self.patience.answer, self.docker.inspect_image(&image.id)).await;
        let tagged = found.ok().and_then(Result::ok).and_then(|i| i.metadata).and_then(|m| m.last_tag_time);
        let tagged = tagged.and_then(|time| time.parse::<jiff::Timestamp>().ok()).map_or(0, |time| time.as_second());
        tagged.max(image.created)
    }
}

/// An image that may be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Evictable {
    /// All its names, or its id.
    names: Vec<String>,
    bytes: u64,
    used: i64,
}

/// The images to remove, the longest unused first, so that the rest takes at most so many bytes.
fn surplus(mut ours: Vec<Evictable>, keep_bytes: u64) -> Vec<Vec<String>> {
    ours.sort_by(|a, b| (a.used, &a.names).cmp(&(b.used, &b.names)));
    let mut total: u64 = ours.iter().map(|i| i.bytes).sum();
    let mut names = Vec::new();
    for image in ours {
        if total <= keep_bytes {
            break;
        }
        total -= image.bytes;
        names.push(image.names);
    }
    names
}

/// An image's names. Some versions of Docker call one that has none `<none>:<none>`.
fn names_of(image: &ImageSummary) -> impl Iterator<Item = &str> {
    image.repo_tags.iter().map(String::as_str).filter(|tag| !tag.starts_with("<none>"))
}

/// Bytes that an image adds to its nearest named ancestor, with which it shares the rest.
fn own_bytes(image: &ImageSummary, all: &[ImageSummary]) -> u64 {
    let parent = |of: &ImageSummary| all.iter().find(|i| !of.parent_id.is_empty() && i.id == of.parent_id);
    let named = std::iter::successors(parent(image), |i| parent(i)).take(1000).find(|i| names_of(i).next().is_some());
    u64::try_from(image.size - named.map_or(0, |i| i.size)).unwrap_or(0)
}

/// Repository and tag of an image's name; none where it is an id or a digest.
fn parts(name: &str) -> Option<(String, String)> {
    let id = name.starts_with("sha256:") || name.contains('@');
    let (repo, tag) = match name.rsplit_once(':') {
        Some((repo, tag)) if !tag.contains('/') => (repo, tag),
        _ => (name, "latest"),
    };
    (!id && !repo.is_empty() && !tag.is_empty()).then(|| (repo.to_owned(), tag.to_owned()))
}

impl Container {
    /// Keep the files of the container as an image, which stands still meanwhile.
    pub(super) async fn commit(&self, name: &str) -> Result<ImageRef, SandboxError> {
        let Some((repo, tag)) = parts(name) else {
            return Err(SandboxError::BadInput { what: format!("the image name {name:?}: a name, not an id") });
        };
        let options = CommitContainerOptionsBuilder::default().container(&self.id).repo(&repo).tag(&tag).pause(true);
        let mut labels = Lease::no_labels();
        labels.insert(KIND.to_owned(), self.host.kind.clone());
        let config = ContainerConfig { labels: Some(labels), ..ContainerConfig::default() };
        let made = self.host.docker.commit_container(options.build(), config);
        let made = self.step("keep a container as an image", self.host.patience.transfer, made).await?;
        Ok(ImageRef { name: name.to_owned(), id: made.id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(name: &str, bytes: u64, used: i64) -> Evictable {
        Evictable { names: vec![name.to_owned()], bytes, used }
    }

    #[test]
    fn the_longest_unused_go_first_and_no_more_than_needed() {
        let all = vec![image("new", 10, 30), image("old", 10, 10), image("middle", 10, 20)];
        let gone = |keep| surplus(all.clone(), keep).concat();
        assert_eq!(gone(30), [] as [&str; 0]);
        assert_eq!(gone(29), ["old"]);
        assert_eq!(gone(10), ["old", "middle"]);
        assert_eq!(gone(0), ["old", "middle", "new"]);
    }

    #[test]
    fn a_name_is_taken_apart_and_an_id_is_not() {
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(parts("tsbench/node:1"), pair("tsbench/node", "1"));
        assert_eq!(parts("tsbench/node"), pair("tsbench/node", "latest"));
        assert_eq!(parts("host:5000/node"), pair("host:5000/node", "latest"));
        assert_eq!(parts("sha256:abc"), None);
        assert_eq!(parts("a@sha256:abc"), None);
        assert_eq!(parts(""), None);
    }
}
