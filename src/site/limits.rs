//! The limits of the host, checked before anything is published.

use super::error::SiteError;

/// Files of one deployment on the host's free plan.
pub const MOST_FILES: usize = 20_000;
/// Bytes of one file.
pub const MOST_BYTES: u64 = 25 << 20;
/// Rules of `_headers`.
pub const MOST_HEADER_RULES: usize = 100;
/// Characters of one line of `_headers`.
pub const MOST_HEADER_CHARS: usize = 2000;

/// How a site stands against the limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Files, the list of digests included.
    pub files: usize,
    /// The largest file.
    pub largest: (String, u64),
    /// Rules of `_headers`.
    pub header_rules: usize,
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} of {MOST_FILES} files, largest {} with {} of {MOST_BYTES} bytes, {} of {MOST_HEADER_RULES} header rules",
            self.files, self.largest.0, self.largest.1, self.header_rules
        )
    }
}

/// The plan, or the first limit that it breaks.
pub fn check_limits(sizes: &[(String, u64)], headers: &str) -> Result<Plan, SiteError> {
    let largest = sizes.iter().max_by_key(|s| s.1).cloned().unwrap_or_default();
    let rules = headers.lines().filter(|l| !l.is_empty() && !l.starts_with([' ', '\t', '#'])).count();
    let plan = Plan { files: sizes.len() + 1, largest, header_rules: rules };
    let broken = |what: String, hint: &str| Err(SiteError::Limit { what, hint: hint.to_owned() });
    if plan.files > MOST_FILES {
        return broken(
            format!("{} files; the host takes {MOST_FILES}", plan.files),
            "publish fewer runs on one site, or use a plan of the host that takes more files",
        );
    }
    if plan.largest.1 > MOST_BYTES {
        return broken(
            format!("{} has {} bytes; the host takes {MOST_BYTES}", plan.largest.0, plan.largest.1),
            "split the run, or leave long texts out of raw lines",
        );
    }
    let long = headers.lines().map(|l| l.chars().count()).max().unwrap_or(0);
    if rules > MOST_HEADER_RULES || long > MOST_HEADER_CHARS {
        return broken(
            format!("_headers has {rules} rules, its longest line {long} characters"),
            "join rules, or shorten the policy",
        );
    }
    Ok(plan)
}
