use super::{ImageRef, Sandbox, SandboxError, Spec, Swept};

/// This machine itself.
#[derive(Clone, Debug)]
pub struct LocalHost {}

impl LocalHost {
    pub(super) async fn open(&self, _: &Spec) -> Result<Box<dyn Sandbox>, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) async fn sweep(&self) -> Result<Swept, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) fn image(&self, _: &str) -> Option<ImageRef> { None }
    pub(super) async fn evict(&self, _: u64) -> Result<Vec<String>, SandboxError> { Err(SandboxError::NoImages) }
    pub(super) fn disk_free(&self) -> Option<u64> { None }
}
