use super::TaskError;
use crate::git::Mode;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// Files by path: what a folder holds, or is to hold.
pub type Files = BTreeMap<String, (Mode, Vec<u8>)>;

/// Every file below a folder of ours, by its path; nothing where the folder is absent. Links are not followed.
pub fn read_folder(dir: &Path) -> Result<Files, TaskError> {
    let mut files = Files::new();
    if !dir.is_dir() {
        return Ok(files);
    }
    for entry in walkdir::WalkDir::new(dir).sort_by_file_name() {
        let entry = entry.map_err(|e| TaskError::Io { path: dir.to_owned(), cause: e.into() })?;
        let path = entry.path();
        let kind = entry.file_type();
        let name = path.strip_prefix(dir).unwrap_or(path);
        let name =
            name.to_str().ok_or_else(|| TaskError::bad(path, "the name is not UTF-8", "rename the file"))?.to_owned();
        if kind.is_symlink() {
            let target = std::fs::read_link(path).map_err(TaskError::io(path))?;
            files.insert(name, (Mode::Link, target.to_string_lossy().into_owned().into_bytes()));
        } else if kind.is_file() {
            let meta = entry.metadata().map_err(|e| TaskError::Io { path: path.to_owned(), cause: e.into() })?;
            let mode = if meta.permissions().mode() & 0o111 != 0 { Mode::Executable } else { Mode::File };
            files.insert(name, (mode, read(path)?));
        } else if !kind.is_dir() {
            let what = "is neither a file, a folder nor a link, but a pipe, a socket or a device";
            return Err(TaskError::bad(path, what, "remove it: a task is made of files"));
        }
    }
    Ok(files)
}

/// Writes a task's files into a folder that is new or has nothing of these names. What a path could do harm with is
/// refused first.
pub fn write_folder(dir: &Path, files: &Files) -> Result<(), TaskError> {
    write_links(dir, files, &|path| TREES.iter().any(|t| path.starts_with(t)))
}

/// As [`write_folder`], for other folders than a task's: links stand where `link` allows them.
pub fn write_links(dir: &Path, files: &Files, link: &dyn Fn(&str) -> bool) -> Result<(), TaskError> {
    let harm = |(path, (mode, _)): (&String, &(Mode, Vec<u8>))| {
        let why =
            harm(files, path).or_else(|| (*mode == Mode::Link && !link(path)).then_some("is a link outside of a tree"));
        why.map(|w| (path.clone(), w))
    };
    if let Some((path, why)) = files.iter().find_map(harm) {
        let hint = "a file of a task stays in the task's folder";
        return Err(TaskError::bad(dir, format!("the file {path:?} {why}"), hint));
    }
    std::fs::create_dir_all(dir).map_err(TaskError::io(dir))?;
    for (path, (mode, bytes)) in files {
        let to = dir.join(path);
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(TaskError::io(parent))?;
        }
        if *mode == Mode::Link {
            let target = PathBuf::from(String::from_utf8_lossy(bytes).into_owned());
            std::os::unix::fs::symlink(target, &to).map_err(TaskError::io(&to))?;
            continue;
        }
        let mut file = std::fs::File::create_new(&to).map_err(TaskError::io(&to))?;
        std::io::Write::write_all(&mut file, bytes).map_err(TaskError::io(&to))?;
        let bits = if *mode == Mode::Executable { 0o755 } else { 0o644 };
        file.set_permissions(std::fs::Permissions::from_mode(bits)).map_err(TaskError::io(&to))?;
    }
    Ok(())
}

/// Folders of a task in which links are what a tree has, and are never followed here.
const TREES: [&str; 2] = ["repo/", "tests/"];

/// What is wrong with a file's place, if something is.
fn harm(files: &Files, path: &str) -> Option<&'static str> {
    let plain = Path::new(path).components().all(|c| matches!(c, Component::Normal(_)));
    if path.is_empty() || !plain || path.contains(['\0', '\\']) || path.split('/').any(|p| p.is_empty() || p == ".") {
        return Some("would not stand below the folder");
    }
    if path.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return Some("is a part of git's own folder");
    }
    path.match_indices('/').any(|(i, _)| files.contains_key(&path[..i])).then_some("stands below another file or link")
}

/// Whether a link leads out of the folder that its path is relative to.
pub fn leaves(path: &str, target: &[u8]) -> bool {
    let target = String::from_utf8_lossy(target);
    if target.starts_with('/') {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, TaskError> {
    std::fs::read(path).map_err(TaskError::io(PathBuf::from(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[(&str, Mode)]) -> Files {
        list.iter().map(|(path, mode)| ((*path).to_owned(), (*mode, b"x".to_vec()))).collect()
    }

    #[test]
    fn files_come_back_with_their_modes_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let files = of(&[("task.toml", Mode::File), ("repo/run", Mode::Executable), ("repo/a/link", Mode::Link)]);
        write_folder(&dir.path().join("t"), &files).unwrap();
        assert_eq!(read_folder(&dir.path().join("t")).unwrap(), files);
    }

    #[test]
    fn a_link_is_told_by_where_it_leads() {
        for (path, target, out) in [
            ("LINK", "README.md", false),
            ("a/b", "../c", false),
            ("a/b", "../../c", true),
            ("a", "..", true),
            ("a", "x/../../y", true),
            ("a/b", "/etc/passwd", true),
            ("a", "./b//c", false),
        ] {
            assert_eq!(leaves(path, target.as_bytes()), out, "{path} -> {target}");
        }
    }

    #[test]
    fn nothing_is_written_outside_of_the_folder_or_through_a_link() {
        for bad in [
            of(&[("../x", Mode::File)]),
            of(&[("/x", Mode::File)]),
            of(&[("a/../../x", Mode::File)]),
            of(&[("a//x", Mode::File)]),
            of(&[("repo/.git/config", Mode::File)]),
            of(&[("repo/a", Mode::Link), ("repo/a/x", Mode::File)]),
            of(&[("problem.md", Mode::Link)]),
            of(&[("", Mode::File)]),
        ] {
            let dir = tempfile::tempdir().unwrap();
            write_folder(&dir.path().join("t"), &bad).unwrap_err();
            assert!(!dir.path().join("t").exists(), "{bad:?}");
        }
    }
}
