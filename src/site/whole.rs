//! Whether the folder of a site is what a build made: real files in real folders, and scripts under their digests.

use super::assets::{BUNDLED, hashed};
use super::error::SiteError;
use super::evidence::about;
use super::verify::Difference;
use super::write::{SUMS, hex};
use std::collections::BTreeMap;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Refuses what is no folder of a built site.
pub(super) fn built(site: &Path) -> Result<(), SiteError> {
    let sums = site.join(SUMS);
    if std::fs::symlink_metadata(&sums).is_ok_and(|m| m.is_file()) {
        return Ok(());
    }
    let what = format!("is no built site: it has no file {SUMS}");
    let hint = "make one with tsbench-site build, or name the folder or the address of one";
    Err(SiteError::content(site.display().to_string(), what, hint))
}

/// What stands in the folder of a site and is neither a file nor a folder, by its path: links, pipes, sockets, devices.
pub(super) fn strangers(site: &Path) -> Result<Vec<(String, &'static str)>, SiteError> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(site).min_depth(1) {
        let entry = entry.map_err(|e| SiteError::Io { path: site.to_owned(), cause: e.into() })?;
        let kind = entry.file_type();
        let word = match () {
            () if kind.is_file() || kind.is_dir() => continue,
            () if kind.is_symlink() => "is a link",
            () if kind.is_fifo() => "is a named pipe",
            () if kind.is_socket() => "is a socket",
            () => "is a device",
        };
        let short = entry.path().strip_prefix(site).unwrap_or(entry.path());
        found.push((short.display().to_string(), word));
    }
    found.sort();
    Ok(found)
}

/// Scripts and styles whose bytes are not those that their names promise.
pub(super) fn renamed(site: &Path, files: &[String]) -> Vec<Difference> {
    let scripts = files.iter().filter(|f| f.ends_with(".js") || f.starts_with("assets/"));
    let differs = scripts.filter_map(|file| {
        let digest = hex(&std::fs::read(site.join(file)).ok()?);
        match digest_in(file) {
            Some(named) if digest.starts_with(named) => None,
            Some(named) => Some(about(file, "its name", named, &digest[..named.len()])),
            None => Some(about(file, "its name", "a digest in the name", "none")),
        }
    });
    differs.collect()
}

/// The digest in the name of an asset: `assets/NAME.DIGEST.js`.
fn digest_in(file: &str) -> Option<&str> {
    let name = file.strip_prefix("assets/")?;
    let digest = name.rsplit('.').nth(1)?;
    (digest.len() == 8 && digest.bytes().all(|b| b.is_ascii_hexdigit())).then_some(digest)
}

/// Scripts of a site that are not those of this program, in a sentence each.
///
/// Another version makes other scripts, and a publisher may bring his own: that is no fault, but a reader who verifies
/// in the browser trusts them.
pub(super) fn other_scripts(files: &[String]) -> Result<Vec<String>, SiteError> {
    let texts: BTreeMap<String, String> = BUNDLED.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
    let own = hashed(&texts)?;
    let is_own = |file: &&String| own.values().any(|asset| asset.path == **file);
    let others = files.iter().filter(|f| f.ends_with(".js")).filter(|f| !is_own(f));
    let told = others.map(|file| {
        format!(
            "{file} is not a script of tsbench-site {}: the page that verifies in the browser runs it, this program does not",
            env!("CARGO_PKG_VERSION")
        )
    });
    Ok(told.collect())
}
