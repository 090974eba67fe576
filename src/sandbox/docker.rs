use super::{File, ImageRef, Sandbox, SandboxError, Spec, Swept};

/// A Docker daemon.
#[derive(Clone, Debug)]
pub struct DockerHost {}
/// How long steps of ours may take.
#[derive(Clone, Copy, Debug)]
pub struct Patience {}

impl DockerHost {
    pub(super) async fn open(&self, _: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn sweep(&self) -> Result<Swept, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn image(&self, _: &str) -> Result<Option<ImageRef>, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn build_image(&self, _: &str, _: &[File]) -> Result<ImageRef, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn evict(&self, _: u64) -> Result<Vec<String>, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn disk_free(&self) -> Result<Option<u64>, SandboxError> { Err(SandboxError::NoImages) }
}
