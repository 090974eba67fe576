use super::GitError;
use super::program::{away, must};
use std::path::{Path, PathBuf};

/// Where a mirror is copied from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(String);

/// The host of a repository that is given by owner and name alone.
const HOST: &str = "https://github.com";

/// Whether a text may be the owner or the name of a repository: part of a folder's name, of an address and of an argument.
pub fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !text.is_empty()
        && text.len() <= 100
        && !text.starts_with(['.', '-'])
        && text.chars().all(plain)
        && !text.contains("..")
        && !text.to_lowercase().ends_with(".git")
}

/// Whether a text is the whole name of a commit, 40 hex digits.
pub fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The folder of a repository's mirror, `owner__name.git`; nothing where the name could not be meant.
pub fn mirror_folder(repo: &str) -> Option<String> {
    let (owner, name) = repo.split_once('/')?;
    (is_name(owner) && is_name(name)).then(|| format!("{owner}__{name}.git"))
}

/// The repository of a mirror's folder, if it is named as such.
pub fn repo_of_folder(mirror: &Path) -> Option<String> {
    let name = mirror.file_name()?.to_str()?.strip_suffix(".git")?;
    let (owner, name) = name.split_once("__")?;
    (is_name(owner) && is_name(name)).then(|| format!("{owner}/{name}"))
}

impl Origin {
    /// Understands `owner/name`, an address or a folder, and says which repository it is, where that can be told.
    pub fn parse(text: &str) -> Result<(Origin, Option<String>), String> {
        if text.starts_with('-') || text.chars().any(char::is_control) {
            return Err("begins with a dash or has characters that cannot be printed".to_owned());
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            return address(text, scheme, rest);
        }
        let path = Path::new(text);
        if path.is_dir() {
            let whole = std::path::absolute(path).map_err(|e| e.to_string())?;
            let repo = repo_of_folder(&whole);
            let whole = whole.to_str().ok_or("is not UTF-8")?;
            return Ok((Origin(whole.to_owned()), repo));
        }
        // `git@host:owner/name` is an address of ssh; `ext::sh -c …` would be a program.
        if text.contains(':') {
            return Err("is neither owner/name nor an address that begins with https:// or ssh://".to_owned());
        }
        match mirror_folder(text) {
            Some(_) => Ok((Origin(format!("{HOST}/{text}.git")), Some(text.to_owned()))),
            None => Err("is neither owner/name, nor an address, nor a folder that exists".to_owned()),
        }
    }

    /// The address or folder.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn address(text: &str, scheme: &str, rest: &str) -> Result<(Origin, Option<String>), String> {
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (user, host) = host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user), host));
    let machine = host.rsplit_once(':').map_or(host, |(machine, _)| machine);
    let here = ["127.0.0.1", "localhost", "[::1]"].contains(&machine);
    match scheme {
        "https" | "ssh" | "file" => {}
        "http" if here => {}
        _ => return Err("has a scheme other than https, ssh and file".to_owned()),
    }
    if user.is_some_and(|user| scheme != "ssh" || user.contains(':')) {
        return Err("holds a user or a password, which the mirror would keep".to_owned());
    }
    if host.starts_with('-') || (host.is_empty() && scheme != "file") {
        return Err("names no host".to_owned());
    }
    let mut parts = path.trim_end_matches('/').rsplit('/');
    let name = parts.next().unwrap_or("").trim_end_matches(".git");
    let repo = format!("{}/{name}", parts.next().unwrap_or(""));
    Ok((Origin(text.to_owned()), mirror_folder(&repo).map(|_| repo)))
}

/// Copies a repository into a new bare mirror, whole or not at all; false where it is there already.
pub fn add_mirror(origin: &Origin, mirror: &Path) -> Result<bool, GitError> {
    if mirror.exists() {
        return Ok(false);
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |cause| GitError::Io { path, cause }
    };
    let folder = mirror.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    let stage = tempfile::Builder::new().prefix(".mirror-").tempdir_in(folder).map_err(io(folder))?;
    let place = std::path::absolute(stage.path().join("new.git")).map_err(io(folder))?;
    let target = place.to_str().ok_or_else(|| GitError::Answer {
        verb: "clone".into(),
        what: format!("the folder {} is not UTF-8", folder.display()),
    })?;
    // Over the wire even from a folder of this machine: nothing is shared with it, and what it lacks is found.
    away(stage.path(), &["clone", "--quiet", "--mirror", "--no-local", "--", origin.as_str(), target])?;
    match std::fs::rename(&place, mirror) {
        Ok(()) => Ok(true),
        Err(_) if mirror.exists() => Ok(false),
        Err(cause) => Err(GitError::Io { path: mirror.to_owned(), cause }),
    }
}

/// Fetches what a mirror's origin has gained: all of it or nothing. Nothing is removed, since tasks name commits that the
/// origin may have forgotten.
pub fn update_mirror(mirror: &Path) -> Result<(), GitError> {
    let mirror = std::path::absolute(mirror).map_err(|cause| GitError::Io { path: mirror.to_owned(), cause })?;
    if !mirror.join("objects").is_dir() {
        return Err(GitError::NoMirror(mirror));
    }
    must(&mirror, &[], None, &["config", "--get", "remote.origin.url"], b"").map_err(|_| GitError::Answer {
        verb: "fetch".into(),
        what: format!("{} names no origin to fetch from", mirror.display()),
    })?;
    let fetch = ["fetch", "--quiet", "--atomic", "--no-auto-maintenance", "--no-write-fetch-head", "origin"];
    away(&mirror, &[&["--git-dir=."], &fetch[..]].concat())
}

/// The mirrors of a folder, by their repositories.
pub fn mirrors(folder: &Path) -> Result<Vec<(String, PathBuf)>, GitError> {
    let io = |cause| GitError::Io { path: folder.to_owned(), cause };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if let Some(repo) = repo_of_folder(&path).filter(|_| path.is_dir()) {
            found.push((repo, path));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_more_than_names_are_refused() {
        for repo in ["../x", "a/../b", "-a/b", "a/-b", "a/b/c", "a b/c", "a/b;c", "/b", "a/", ".a/b", "a/b.git"] {
            assert_eq!(mirror_folder(repo), None, "{repo}");
        }
        assert_eq!(mirror_folder("jd/tenacity").as_deref(), Some("jd__tenacity.git"));
        assert_eq!(repo_of_folder(Path::new("m/a__b.c.git")).as_deref(), Some("a/b.c"));
    }

    #[test]
    fn programs_passwords_and_options_are_no_origins() {
        for text in [
            "ext::sh -c touch% /tmp/x",
            "--upload-pack=x",
            "https://me:secret@example.org/a/b",
            "https://token@example.org/a/b",
            "http://example.org/a/b",
            "git://example.org/a/b",
            "ssh://-oProxyCommand=x/a/b",
            "git@example.org:a/b",
            "a/b\n",
            "nonsense",
        ] {
            assert!(Origin::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_repository_is_read_from_its_address() {
        for (text, address) in [
            ("a/b", "https://github.com/a/b.git"),
            ("https://example.org/x/a/b.git", "https://example.org/x/a/b.git"),
            ("ssh://git@example.org/a/b", "ssh://git@example.org/a/b"),
            ("http://127.0.0.1:8080/a/b.git/", "http://127.0.0.1:8080/a/b.git/"),
        ] {
            let (origin, repo) = Origin::parse(text).unwrap();
            assert_eq!((origin.as_str(), repo.as_deref()), (address, Some("a/b")), "{text}");
        }
    }
}
