//! A copy of a published site, fetched file by file from its own list of digests.

use super::error::SiteError;
use super::limits::MOST_FILES;
use super::write::{SUMS, is_plain};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The largest file that is fetched; a host takes no larger one.
const MOST_BYTES: u64 = 26 << 20;
/// The longest that one file may take.
const MOST_SECONDS: u64 = 60;

/// How much of a site is fetched before it is given up.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of all files.
    pub bytes: u64,
    /// The time of it all.
    pub time: Duration,
}

/// One fetching: where from, how much, and how much of it is done.
struct Fetching<'a> {
    base: &'a str,
    agent: ureq::Agent,
    bounds: Bounds,
    begun: Instant,
    bytes: AtomicU64,
}

/// Fetches every file that the site at `url` lists into a folder.
pub fn fetch(url: &str, into: &Path, bounds: Bounds) -> Result<(), SiteError> {
    let agent = ureq::Agent::config_builder().build().into();
    let base = url.trim_end_matches('/');
    let fetching = Fetching { base, agent, bounds, begun: Instant::now(), bytes: AtomicU64::new(0) };
    let sums = fetching.get(SUMS)?;
    let list = String::from_utf8_lossy(&sums).into_owned();
    let listed = list.lines().filter_map(|l| l.split_once("  ").map(|(_, p)| p));
    let files: BTreeSet<&str> = listed.filter(|p| is_plain(p)).collect();
    if files.is_empty() {
        return Err(SiteError::Fetch { url: format!("{base}/{SUMS}"), message: "lists no file".into() });
    }
    if files.len() > MOST_FILES {
        let what = format!("{base}/{SUMS} lists {} files", files.len());
        return Err(SiteError::content(what, format!("a site has at most {MOST_FILES}"), OTHER_WAY));
    }
    let place = |file: &str, bytes: &[u8]| -> Result<(), SiteError> {
        let path = into.join(file);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        }
        std::fs::write(&path, bytes).map_err(SiteError::io(&path))
    };
    place(SUMS, &sums)?;
    // A host keeps its own configuration to itself: that file cannot be fetched.
    let wanted: Vec<&str> = files.into_iter().filter(|f| *f != "_headers").collect();
    wanted.par_iter().try_for_each(|file| place(file, &fetching.get(file)?))?;
    let kept: String = list.lines().filter(|l| !l.ends_with("  _headers")).map(|l| format!("{l}\n")).collect();
    place(SUMS, kept.as_bytes())
}

const OTHER_WAY: &str = "fetch the site another way, and give its folder with --site";

impl Fetching<'_> {
    /// The bytes of one file of the site.
    fn get(&self, file: &str) -> Result<Vec<u8>, SiteError> {
        // A page is asked for as the host serves it, so that no redirect is needed. The page for wrong addresses is
        // never found, and has its text all the same.
        let missing = file == "404.html";
        let path = if missing { "no-such-page".to_owned() } else { super::feed::address(file) };
        let url = format!("{}/{path}", self.base);
        let left = self.bounds.time.saturating_sub(self.begun.elapsed());
        if left.is_zero() {
            let what = format!("took more than {} s", self.bounds.time.as_secs());
            return Err(SiteError::content(self.base, what, "allow more with --most-seconds"));
        }
        let failed = |e: ureq::Error| SiteError::Fetch { url: url.clone(), message: e.to_string() };
        let request = self.agent.get(&url).config().http_status_as_error(!missing);
        let request = request.timeout_global(Some(left.min(Duration::from_secs(MOST_SECONDS)))).build();
        let mut response = request.call().map_err(failed)?;
        let bytes = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec().map_err(failed)?;
        let all = self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed) + bytes.len() as u64;
        if all > self.bounds.bytes {
            let what = format!("has more than {} MB", self.bounds.bytes / 1_000_000);
            return Err(SiteError::content(self.base, what, format!("allow more with --most-mb, or {OTHER_WAY}")));
        }
        Ok(bytes)
    }
}
