//! Files of a local sandbox, none of whose links is ever followed.

use super::{Body, File, SandboxError, files};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, Metadata, Permissions};
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Bytes free for an ordinary user on the file system of a path.
pub(super) fn free_below(path: &Path) -> Result<u64, SandboxError> {
    let found =
        rustix::fs::statvfs(path).map_err(|e| SandboxError::io(format!("measure {}", path.display()))(e.into()))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Bytes that a folder takes on the disk.
pub(super) fn used_below(path: &Path) -> u64 {
    let entries = walkdir::WalkDir::new(path).follow_links(false).into_iter().flatten();
    entries.filter_map(|e| e.metadata().ok()).map(|m| m.blocks().saturating_mul(512)).sum()
}

/// The place of a checked absolute path below the root, if no part of it, the last but one included, is a link.
fn place(root: &Path, inside: &str) -> Result<PathBuf, SandboxError> {
    let mut place = root.to_owned();
    let parts: Vec<&str> = inside.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    for (number, part) in parts.iter().enumerate() {
        place.push(part);
        let last = number + 1 == parts.len();
        match fs::symlink_metadata(&place) {
            Ok(found) if !last && !found.is_dir() => {
                return Err(SandboxError::entry(inside, "a file or a link stands where a folder should be"));
            }
            Ok(_) => {}
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(SandboxError::io(format!("look at {}", place.display()))(e)),
        }
    }
    Ok(place)
}

/// A folder with its parents, none of which may be a link.
fn folder(root: &Path, inside: &str) -> Result<PathBuf, SandboxError> {
    let place = place(root, inside)?;
    if fs::symlink_metadata(&place).is_ok_and(|m| !m.is_dir()) {
        return Err(SandboxError::entry(inside, "a file or a link stands where a folder should be"));
    }
    fs::create_dir_all(&place).map_err(SandboxError::io(format!("make {}", place.display())))?;
    Ok(place)
}

/// Write files below the absolute folder `into`.
pub(super) fn put(root: &Path, given: &[File], into: &str) -> Result<(), SandboxError> {
    let into = files::checked_inside(into)?;
    folder(root, &into)?;
    for file in given {
        let path = files::checked_given(&file.path)?;
        let inside = format!("{into}/{path}");
        let parent = inside.rsplit_once('/').map_or("", |(parent, _)| parent);
        folder(root, parent)?;
        let doing = || format!("write {path}");
        let place = place(root, &inside)?;
        let old = fs::symlink_metadata(&place).ok();
        if let (Body::Bytes(_) | Body::Link(_), Some(old)) = (&file.body, &old) {
            if old.is_dir() {
                return Err(SandboxError::entry(&path, "a folder stands in its place"));
            }
            fs::remove_file(&place).map_err(SandboxError::io(doing()))?; // never through a link that is there
        }
        match &file.body {
            Body::Bytes(bytes) => {
                fs::write(&place, bytes).map_err(SandboxError::io(doing()))?;
                set_mode(&place, file.mode).map_err(SandboxError::io(doing()))?;
            }
            Body::Link(target) => {
                symlink(files::checked_link(&path, target)?, &place).map_err(SandboxError::io(doing()))?;
            }
            Body::Dir => {
                folder(root, &inside)?;
                set_mode(&place, file.mode).map_err(SandboxError::io(doing()))?;
            }
        }
    }
    Ok(())
}

fn set_mode(place: &Path, mode: u32) -> std::io::Result<()> {
    fs::set_permissions(place, Permissions::from_mode(mode & 0o777))
}

/// Read a file or a folder.
pub(super) fn get(root: &Path, path: &str, most: u64) -> Result<Vec<File>, SandboxError> {
    let path = files::checked_inside(path)?;
    let place = place(root, &path)?;
    let missing = |_| SandboxError::NotFound { path: path.clone() };
    let top = fs::symlink_metadata(&place).map_err(missing)?;
    let mut found: Vec<(String, PathBuf, Metadata)> = Vec::new();
    if top.is_dir() {
        for entry in walkdir::WalkDir::new(&place).min_depth(1).follow_links(false).sort_by_file_name() {
            let at = |e: walkdir::Error| SandboxError::io(format!("read {path}"))(e.into());
            let entry = entry.map_err(at)?;
            let name = entry.path().strip_prefix(&place).unwrap_or(entry.path()).to_str().map(str::to_owned);
            let name =
                name.ok_or_else(|| SandboxError::entry(&entry.path().to_string_lossy(), "a name that is not UTF-8"))?;
            let about = entry.metadata().map_err(at)?;
            found.push((name, entry.into_path(), about));
        }
    } else {
        found.push((path.rsplit('/').next().unwrap_or(&path).to_owned(), place, top));
    }
    let mut links: HashMap<u64, u64> = HashMap::new();
    for (_, _, about) in found.iter().filter(|f| f.2.is_file()) {
        *links.entry(about.ino()).or_default() += 1;
    }
    let mut left = most;
    found.into_iter().map(|(name, place, about)| one(name, &place, &about, &links, &mut left, most)).collect()
}

fn one(
    name: String,
    place: &Path,
    about: &Metadata,
    links: &HashMap<u64, u64>,
    left: &mut u64,
    most: u64,
) -> Result<File, SandboxError> {
    let doing = || format!("read {name}");
    let too_large = || SandboxError::TooLarge { path: name.clone(), most };
    *left = left.checked_sub(files::ENTRY_COST + name.len() as u64).ok_or_else(too_large)?;
    let mode = about.mode() & 0o777;
    let body = if about.is_dir() {
        Body::Dir
    } else if about.is_symlink() {
        let target = fs::read_link(place).map_err(SandboxError::io(doing()))?;
        Body::Link(files::checked_link(&name, &target.to_string_lossy())?)
    } else if about.is_file() {
        if links.get(&about.ino()).is_some_and(|seen| *seen < about.nlink()) {
            return Err(SandboxError::entry(&name, "a hard link to a file outside of the folder"));
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(place).map_err(SandboxError::io(doing()))?;
        file.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(SandboxError::io(doing()))?;
        *left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
        Body::Bytes(bytes)
    } else {
        return Err(SandboxError::entry(&name, "a device, a pipe or a socket"));
    };
    Ok(File { path: name, mode, body })
}

/// A sandbox's root in the files of a snapshot: as long as every root of this machine, so that a path may be exchanged
/// in any file, whatever its format.
pub(super) fn anywhere(root: &Path) -> Vec<u8> {
    b"/tsbench-root-of-any-sandbox"
        .iter()
        .copied()
        .chain(std::iter::repeat(b'-'))
        .take(root.as_os_str().len())
        .collect()
}

/// Copy a folder with its modes and its links as links, and one path exchanged for another of the same length wherever
/// it stands; devices, pipes and sockets are left out.
pub(super) fn copy(from: &Path, to: &Path, exchange: (&[u8], &[u8])) -> Result<(), SandboxError> {
    for entry in walkdir::WalkDir::new(from).follow_links(false) {
        let at = |e: walkdir::Error| SandboxError::io(format!("copy {}", from.display()))(e.into());
        let entry = entry.map_err(at)?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(Path::new("")));
        let about = entry.metadata().map_err(at)?;
        let copied = if about.is_dir() {
            fs::create_dir_all(&target).and_then(|()| set_mode(&target, about.mode() | 0o700))
        } else if about.is_symlink() {
            fs::read_link(entry.path()).and_then(|link| {
                let mut link = link.into_os_string().into_vec();
                exchange_all(&mut link, exchange);
                symlink(OsString::from_vec(link), &target)
            })
        } else if about.is_file() {
            copy_file(entry.path(), &target, &about, exchange)
        } else {
            Ok(())
        };
        copied.map_err(SandboxError::io(format!("copy {}", entry.path().display())))?;
    }
    Ok(())
}

/// Larger files are data, not scripts or settings, and are copied as they are.
const MOST_EXCHANGED: u64 = 64 << 20;

fn copy_file(from: &Path, to: &Path, about: &Metadata, exchange: (&[u8], &[u8])) -> std::io::Result<()> {
    if about.len() <= MOST_EXCHANGED {
        let mut bytes = fs::read(from)?;
        if exchange_all(&mut bytes, exchange) {
            fs::write(to, bytes)?;
            return set_mode(to, about.mode());
        }
    }
    fs::copy(from, to).map(|_| ())
}

/// Exchange one path for another of the same length; whether it was there.
fn exchange_all(bytes: &mut [u8], (old, new): (&[u8], &[u8])) -> bool {
    if old.len() != new.len() {
        return false;
    }
    let places: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    for place in &places {
        bytes[*place..*place + old.len()].copy_from_slice(new);
    }
    !places.is_empty()
}

/// Remove a folder, also where its modes forbid that.
pub(super) fn remove(path: &Path) -> Result<(), SandboxError> {
    if fs::remove_dir_all(path).is_ok() || !path.exists() {
        return Ok(());
    }
    for entry in
        walkdir::WalkDir::new(path).follow_links(false).into_iter().flatten().filter(|e| e.file_type().is_dir())
    {
        set_mode(entry.path(), 0o700).ok(); // what stays is reported by the removal
    }
    fs::remove_dir_all(path).map_err(SandboxError::io(format!("remove {}", path.display())))
}
