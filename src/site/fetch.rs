//! A copy of a published site, fetched file by file from its own list of digests.

use super::error::SiteError;
use super::write::{SUMS, is_plain};
use rayon::prelude::*;
use std::time::Duration;

/// The largest file that is fetched; a host takes no larger one.
const MOST_BYTES: u64 = 26 << 20;

/// Fetches every file that the site at `url` lists into a folder that vanishes when dropped.
pub fn fetch(url: &str) -> Result<tempfile::TempDir, SiteError> {
    let base = url.trim_end_matches('/');
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(60))).build().into();
    let get = |file: &str| -> Result<Vec<u8>, SiteError> {
        // A page is asked for as the host serves it, so that no redirect is needed.
        let address = format!("{base}/{}", super::feed::address(file));
        let failed = |e: ureq::Error| SiteError::Fetch { url: address.clone(), message: e.to_string() };
        let mut response = match agent.get(&address).call() {
            // The page for wrong addresses is never found, and has its text all the same.
            Err(ureq::Error::StatusCode(404)) if file == "404.html" => return missing_page(&agent, base),
            other => other.map_err(failed)?,
        };
        response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(failed)
    };
    let dir = tempfile::tempdir().map_err(SiteError::io(std::env::temp_dir()))?;
    let sums = get(SUMS)?;
    let list = String::from_utf8_lossy(&sums).into_owned();
    let files: Vec<&str> =
        list.lines().filter_map(|l| l.split_once("  ").map(|(_, p)| p)).filter(|p| is_plain(p)).collect();
    if files.is_empty() {
        return Err(SiteError::Fetch { url: format!("{base}/{SUMS}"), message: "lists no file".into() });
    }
    let place = |file: &str, bytes: &[u8]| -> Result<(), SiteError> {
        let path = dir.path().join(file);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        }
        std::fs::write(&path, bytes).map_err(SiteError::io(&path))
    };
    place(SUMS, &sums)?;
    // A host keeps its own configuration to itself: that file cannot be fetched.
    files.par_iter().filter(|f| **f != "_headers").try_for_each(|file| place(file, &get(file)?))?;
    let kept: String = list.lines().filter(|l| !l.ends_with("  _headers")).map(|l| format!("{l}\n")).collect();
    place(SUMS, kept.as_bytes())?;
    Ok(dir)
}

/// The text of the page that answers wrong addresses.
fn missing_page(agent: &ureq::Agent, base: &str) -> Result<Vec<u8>, SiteError> {
    let url = format!("{base}/no-such-page");
    let failed = |e: ureq::Error| SiteError::Fetch { url: url.clone(), message: e.to_string() };
    let mut response = agent.get(&url).config().http_status_as_error(false).build().call().map_err(failed)?;
    response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(failed)
}
