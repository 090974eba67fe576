use super::SandboxError;
use std::path::Path;

/// Bytes free for an ordinary user on the file system of a path.
pub(super) fn free_below(path: &Path) -> Result<u64, SandboxError> {
    let found = rustix::fs::statvfs(path).map_err(|e| SandboxError::io(format!("measure {}", path.display()))(e.into()))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
