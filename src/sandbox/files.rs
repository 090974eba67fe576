use super::SandboxError;
use std::collections::HashMap;
use std::io::Read;
use tar::{Archive, Builder, EntryType, Header};

/// One file as it goes into a sandbox or comes out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path relative to the folder that was named, with `/` between its parts.
    pub path: String,
    /// Permission bits, at most 0o777.
    pub mode: u32,
    /// What it is.
    pub body: Body,
}

/// What a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// A regular file with this content.
    Bytes(Vec<u8>),
    /// A symbolic link to this relative path, which stays inside the folder.
    Link(String),
    /// A folder.
    Dir,
}

impl File {
    /// A readable file.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> File {
        File { path: path.into(), mode: 0o644, body: Body::Bytes(bytes.into()) }
    }
}

/// Entries of an archive that are read before it is refused.
const MOST_ENTRIES: usize = 1_000_000;
/// Bytes that each entry counts beside its content, so that empty files are not free.
pub(super) const ENTRY_COST: u64 = 64;
/// The time of every file that goes in, a year that every archive format can hold: 2000-01-01.
const TIME: u64 = 946_684_800;

/// Files as a tar archive that belongs to the given user, the same bytes for the same files.
pub fn pack(files: &[File], uid: u64) -> Result<Vec<u8>, SandboxError> {
    let mut builder = Builder::new(Vec::new());
    for file in files {
        let path = checked_given(&file.path)?;
        let mut header = blank(file.mode, uid);
        let bad = |e: std::io::Error| SandboxError::entry(&file.path, e.to_string());
        match &file.body {
            Body::Bytes(bytes) => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(bytes.len() as u64);
                builder.append_data(&mut header, &path, bytes.as_slice()).map_err(bad)?;
            }
            Body::Dir => {
                header.set_entry_type(EntryType::Directory);
                builder.append_data(&mut header, &path, std::io::empty()).map_err(bad)?;
            }
            Body::Link(target) => {
                header.set_entry_type(EntryType::Symlink);
                builder.append_link(&mut header, &path, checked_link(&path, target)?).map_err(bad)?;
            }
        }
    }
    builder.into_inner().map_err(SandboxError::io("pack files"))
}

fn blank(mode: u32, uid: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_mode(mode & 0o777);
    header.set_uid(uid);
    header.set_gid(uid);
    header.set_mtime(TIME);
    header.set_size(0);
    header
}

/// The files of a tar archive that a sandbox gave, none of which may name anything outside the archive's own folder.
///
/// `strip` leading parts are taken off every path, as Docker puts the folder's own name first; an entry with no more
/// parts than that is the folder itself and is left out, unless it is a file.
pub fn unpack(archive: impl Read, strip: usize, asked: &str, most: u64) -> Result<Vec<File>, SandboxError> {
    let mut files: Vec<File> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut budget = most;
    let mut spend = |bytes: u64| match budget.checked_sub(bytes) {
        Some(left) => {
            budget = left;
            Ok(left)
        }
        None => Err(SandboxError::TooLarge { path: asked.to_owned(), most }),
    };
    let broken = |e: std::io::Error| SandboxError::entry(asked, format!("not a whole tar archive: {e}"));
    let mut archive = Archive::new(archive);
    for (number, entry) in archive.entries().map_err(broken)?.enumerate() {
        let mut entry = entry.map_err(broken)?;
        let raw = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|e| SandboxError::entry(&String::from_utf8_lossy(e.as_bytes()), "a name that is not UTF-8"))?;
        if number >= MOST_ENTRIES {
            return Err(SandboxError::entry(&raw, format!("more than {MOST_ENTRIES} files")));
        }
        let kind = entry.header().entry_type();
        let whole = checked_path(&raw)?;
        let path = match whole.splitn(strip + 1, '/').nth(strip) {
            Some(path) => path.to_owned(),
            None if kind.is_dir() => continue,
            None => whole.rsplit('/').next().unwrap_or(&whole).to_owned(),
        };
        spend(ENTRY_COST + path.len() as u64)?;
        let mode = entry.header().mode().map_err(broken)? & 0o777;
        let body = match kind {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                spend(entry.size())?;
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(broken)?;
                Body::Bytes(bytes)
            }
            EntryType::Directory => Body::Dir,
            EntryType::Symlink => Body::Link(checked_link(&path, &target(&entry, &raw)?)?),
            EntryType::Link => {
                let to = target(&entry, &raw)?;
                let first = checked_path(&to).ok().and_then(|to| seen.get(&to)).map(|at| &files[*at].body);
                let Some(Body::Bytes(bytes)) = first else {
                    return Err(SandboxError::entry(
                        &raw,
                        format!("a hard link to {to:?}, which is not in the archive"),
                    ));
                };
                spend(bytes.len() as u64)?;
                Body::Bytes(bytes.clone())
            }
            other => return Err(SandboxError::entry(&raw, kind_name(other))),
        };
        if seen.insert(whole, files.len()).is_some() {
            return Err(SandboxError::entry(&raw, "twice in the archive"));
        }
        files.push(File { path, mode, body });
    }
    Ok(files)
}

fn target(entry: &tar::Entry<'_, impl Read>, raw: &str) -> Result<String, SandboxError> {
    let bytes = entry.link_name_bytes().ok_or_else(|| SandboxError::entry(raw, "a link to nothing"))?;
    String::from_utf8(bytes.into_owned()).map_err(|_| SandboxError::entry(raw, "a link whose target is not UTF-8"))
}

fn kind_name(kind: EntryType) -> String {
    match kind {
        EntryType::Char | EntryType::Block => "a device".to_owned(),
        EntryType::Fifo => "a named pipe".to_owned(),
        other => format!("an entry of the unknown kind {:?}", char::from(other.as_byte())),
    }
}

/// A relative path without `.` and empty parts. Anything that could leave its folder is refused.
pub(super) fn checked_path(path: &str) -> Result<String, SandboxError> {
    if path.starts_with('/') {
        return Err(SandboxError::entry(path, "an absolute path"));
    }
    if path.contains('\0') {
        return Err(SandboxError::entry(path, "a name with a zero byte"));
    }
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    match parts.contains(&"..") {
        true => Err(SandboxError::entry(path, "a path that leads upwards")),
        false if parts.is_empty() => Ok(".".to_owned()),
        false => Ok(parts.join("/")),
    }
}

/// The target of a link at a checked path, if it stays inside the folder.
pub fn checked_link(path: &str, target: &str) -> Result<String, SandboxError> {
    let mut depth = path.split('/').count() as i64 - 1;
    if target.is_empty() || target.starts_with('/') || target.contains('\0') {
        return Err(SandboxError::entry(path, format!("a link to {target:?}, not to a place in the same folder")));
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        if depth < 0 {
            return Err(SandboxError::entry(path, format!("a link to {target:?}, out of its folder")));
        }
    }
    Ok(target.to_owned())
}

/// Bytes of one part of a path, and of a whole one, as kernels take them.
const MOST_NAME: usize = 255;
const MOST_PATH: usize = 4095;

/// A path as [`checked_path`], which a kernel also takes. A daemon's own words for one that it does not take look like
/// a failure of the daemon.
pub(super) fn checked_given(path: &str) -> Result<String, SandboxError> {
    let checked = checked_path(path)?;
    if checked.len() > MOST_PATH || checked.split('/').any(|part| part.len() > MOST_NAME) {
        let start: String = path.chars().take(100).collect();
        return Err(SandboxError::entry(&format!("{start}…"), "a path or a name that is too long"));
    }
    Ok(checked)
}

/// An absolute path inside, without `.`, `..` and empty parts.
pub(super) fn checked_inside(path: &str) -> Result<String, SandboxError> {
    match path.strip_prefix('/') {
        Some(rest) => Ok(match checked_given(rest)?.as_str() {
            "." => "/".to_owned(),
            rest => format!("/{rest}"),
        }),
        None => Err(SandboxError::entry(path, "not an absolute path")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An archive of entries with any name and target, as no honest program writes it.
    fn archive(entries: &[(&str, EntryType, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (name, kind, rest) in entries {
            let mut header = blank(0o4755, 0);
            header.set_entry_type(*kind);
            let old = header.as_old_mut();
            old.name[..name.len()].copy_from_slice(name.as_bytes());
            let linked = kind.is_symlink() || kind.is_hard_link();
            if linked {
                old.linkname[..rest.len()].copy_from_slice(rest.as_bytes());
            } else {
                header.set_size(rest.len() as u64);
            }
            header.set_cksum();
            builder.append(&header, if linked { &[][..] } else { rest.as_bytes() }).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn read(entries: &[(&str, EntryType, &str)]) -> Result<Vec<File>, SandboxError> {
        unpack(archive(entries).as_slice(), 1, "/out", 10_000)
    }

    #[test]
    fn honest_entries_are_read_without_their_special_bits() {
        let files = read(&[
            ("out/", EntryType::Directory, ""),
            ("out/a", EntryType::Regular, "x"),
            ("out/d/./b", EntryType::Link, "out/a"),
            ("out/d/c", EntryType::Symlink, "../a"),
        ]);
        let bytes = || Body::Bytes(b"x".to_vec());
        let expected = [("a", bytes()), ("d/b", bytes()), ("d/c", Body::Link("../a".to_owned()))];
        let expected = expected.map(|(path, body)| File { path: path.to_owned(), mode: 0o755, body });
        assert_eq!(files.unwrap(), expected);
    }

    #[test]
    fn every_way_out_of_the_folder_is_refused_by_name() {
        for (name, kind, rest) in [
            ("/etc/passwd", EntryType::Regular, "x"),
            ("out/../../x", EntryType::Regular, "x"),
            ("..", EntryType::Directory, ""),
            ("out/link", EntryType::Symlink, "/etc/passwd"),
            ("out/link", EntryType::Symlink, "../x"),
            ("out/a/link", EntryType::Symlink, "../b/../../x"),
            ("out/hard", EntryType::Link, "/etc/passwd"),
            ("out/hard", EntryType::Link, "out/not-there"),
            ("out/disk", EntryType::Block, ""),
            ("out/tty", EntryType::Char, ""),
            ("out/pipe", EntryType::Fifo, ""),
            ("out/odd", EntryType::new(b'Z'), ""),
        ] {
            let result = read(&[("out/a", EntryType::Symlink, "b"), (name, kind, rest)]);
            assert!(
                matches!(&result, Err(SandboxError::BadEntry { path, .. }) if path.contains(name.trim_start_matches("out/"))),
                "{name}: {result:?}"
            );
        }
    }

    #[test]
    fn a_hard_link_to_a_link_and_a_name_given_twice_are_refused() {
        assert!(read(&[("out/a", EntryType::Symlink, "b"), ("out/c", EntryType::Link, "out/a")]).is_err());
        assert!(read(&[("out/a", EntryType::Regular, "1"), ("out/./a", EntryType::Regular, "2")]).is_err());
    }

    #[test]
    fn hard_links_count_in_full_so_that_a_bomb_of_them_is_too_large() {
        let big = "x".repeat(4000);
        let entries = [
            ("out/a", EntryType::Regular, big.as_str()),
            ("out/b", EntryType::Link, "out/a"),
            ("out/c", EntryType::Link, "out/a"),
        ];
        assert!(read(&entries[..2]).is_ok());
        assert!(matches!(read(&entries), Err(SandboxError::TooLarge { most: 10_000, .. })));
    }

    #[test]
    fn a_broken_archive_is_an_error_and_an_empty_one_is_nothing() {
        let whole = archive(&[("out/a", EntryType::Regular, &"x".repeat(2000))]);
        assert!(matches!(unpack(&whole[..1500], 1, "/out", 10_000), Err(SandboxError::BadEntry { .. })));
        assert_eq!(unpack(&b""[..], 1, "/out", 10_000).unwrap(), []);
    }

    #[test]
    fn files_are_packed_to_the_same_bytes_and_never_with_a_way_out() {
        let files =
            [File::new("a/b", "x"), File { path: "l".to_owned(), mode: 0o777, body: Body::Link("a/b".to_owned()) }];
        let packed = pack(&files, 1000).unwrap();
        assert_eq!(packed, pack(&files, 1000).unwrap());
        assert_eq!(unpack(packed.as_slice(), 0, "/", 10_000).unwrap(), files);
        for bad in ["/a", "../a", "a/../../b", &"n".repeat(256), &"d/".repeat(2049)] {
            assert!(pack(&[File::new(bad, "")], 0).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..2048), at in 0usize..1500) {
            let good = archive(&[("out/a", EntryType::Regular, "x")]);
            let end = (at + bytes.len()).min(good.len());
            let mut broken = good.clone();
            if at < end {
                broken[at..end].copy_from_slice(&bytes[..end - at]);
            }
            unpack(broken.as_slice(), 1, "/out", 10_000).ok();
            bytes.truncate(1024);
            unpack(bytes.as_slice(), 1, "/out", 10_000).ok();
        }

        #[test]
        fn no_path_that_is_accepted_leads_out(path in "[a./\\\\ ]{0,12}", target in "[a./]{0,12}") {
            if let Ok(path) = checked_path(&path) {
                prop_assert!(!path.starts_with('/') && !path.split('/').any(|p| p == ".."));
                if checked_link(&path, &target).is_ok() {
                    let mut depth = path.split('/').count() as i64 - 1;
                    for part in target.split('/').filter(|p| !p.is_empty() && *p != ".") {
                        depth += if part == ".." { -1 } else { 1 };
                        prop_assert!(depth >= 0);
                    }
                }
            }
        }
    }
}
