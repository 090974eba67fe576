use super::Exit;
use super::say;
use super::site_work::{Work, unless_ended};
use crate::site::{
    Bounds, Difference, Verified, check as check_site, diff as diff_sites, fetch, verify as verify_site,
};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Check links, ids, sizes, headers and the host's limits.
#[derive(Args, Debug)]
pub struct Check {
    /// Folder of a built site
    #[arg(long, default_value = "public", env = "TSBENCH_OUT")]
    out: PathBuf,
    /// Print as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench-site check`: 1 where something is wrong.
pub fn check(args: &Check) -> anyhow::Result<Exit> {
    let checked = check_site(&args.out)?;
    if args.json {
        let problems: Vec<_> = checked.problems.iter().map(|p| json!({"file": p.file, "what": p.what})).collect();
        say!(
            "{}",
            serde_json::to_string_pretty(
                &json!({"pages": checked.pages, "links": checked.links, "problems": problems})
            )?
        );
    } else {
        for p in &checked.problems {
            say!("{}: {}", p.file, p.what);
        }
    }
    eprintln!(
        "{} pages, {} links, {} problems; {}",
        checked.pages,
        checked.links,
        checked.problems.len(),
        checked.plan
    );
    Ok(if checked.problems.is_empty() { Exit::Good } else { Exit::No })
}

/// Recompute every number from the raw files.
#[derive(Args, Debug)]
pub struct Verify {
    /// A built site: its folder, or its address
    #[arg(long, default_value = "public", env = "TSBENCH_SITE")]
    site: String,
    /// Your own copies of the run files, to hold the site against as well
    #[arg(long, env = "TSBENCH_RESULTS")]
    results: Option<PathBuf>,
    /// Megabytes of a site that are fetched from an address at most
    #[arg(long, default_value_t = 2000, env = "TSBENCH_MOST_MB")]
    most_mb: u64,
    /// Seconds that fetching a site may take
    #[arg(long, default_value_t = 900, env = "TSBENCH_MOST_SECONDS")]
    most_seconds: u64,
    /// Print as JSON, with every difference
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench-site verify`: 1 where a number differs, with each that does.
pub fn verify(args: &Verify) -> anyhow::Result<Exit> {
    let work = Work::new()?;
    unless_ended(verify_in(args, work.path()))
}

fn verify_in(args: &Verify, work: &Path) -> anyhow::Result<Exit> {
    let results = args.results.as_deref().or_else(|| beside(&args.site));
    let verified = if args.site.contains("://") {
        let copy = work.join("site");
        let time = Duration::from_secs(args.most_seconds);
        fetch(&args.site, &copy, Bounds { bytes: args.most_mb.saturating_mul(1_000_000), time })?;
        verify_site(&copy, results, work)?
    } else {
        verify_site(Path::new(&args.site), results, work)?
    };
    print(&verified, args.json)?;
    let from = results.map_or_else(
        || "the site’s own raw files".to_owned(),
        |r| format!("the site’s own raw files and {}", r.display()),
    );
    eprintln!(
        "{} numbers recomputed from {from}; {} statements of them and {} digests compared; {} differences",
        verified.numbers,
        verified.statements,
        verified.files,
        verified.differences.len()
    );
    Ok(if verified.differences.is_empty() { Exit::Good } else { Exit::No })
}

/// The results that a site in `public` was built from, where they lie beside it.
fn beside(site: &str) -> Option<&'static Path> {
    let results = Path::new("results");
    (site == "public" && results.is_dir()).then_some(results)
}

fn print(verified: &Verified, as_json: bool) -> anyhow::Result<()> {
    for note in &verified.notes {
        eprintln!("note: {note}");
    }
    // What was changed comes before the numbers that differ because of it.
    let (causes, rest): (Vec<&Difference>, Vec<&Difference>) = verified.differences.iter().partition(|d| is_cause(d));
    if as_json {
        let list: Vec<_> = causes
            .iter()
            .chain(&rest)
            .map(|d| json!({"id": d.id, "place": d.place, "stated": d.stated, "recomputed": d.recomputed}))
            .collect();
        say!(
            "{}",
            serde_json::to_string_pretty(
                &json!({"numbers": verified.numbers, "statements": verified.statements, "files": verified.files, "notes": verified.notes, "differences": list})
            )?
        );
        return Ok(());
    }
    let shown = if causes.is_empty() { rest.len() } else { rest.len().min(MOST_EFFECTS) };
    for d in causes.iter().chain(&rest[..shown]) {
        say!("{}\t{}\tstated {}\trecomputed {}", d.id, d.place, d.stated, d.recomputed);
    }
    if shown < rest.len() {
        say!("… and {} that may follow from the first; --json lists them all", rest.len() - shown);
    }
    Ok(())
}

/// Numbers that are listed behind what was changed.
const MOST_EFFECTS: usize = 50;

/// Whether a difference is about raw files or lines, from which numbers follow.
fn is_cause(difference: &Difference) -> bool {
    let raw = ["data/raw/", "data/tasks/", "data/health/", "data/artifacts/"];
    let file = difference.id.strip_prefix("file ");
    difference.id.starts_with("line ") || file.is_some_and(|f| raw.iter().any(|folder| f.starts_with(folder)))
}

/// Tell what changed between the numbers of two builds.
#[derive(Args, Debug)]
pub struct Diff {
    /// The older site, or its data/numbers.json
    old: PathBuf,
    /// The newer one
    new: PathBuf,
    /// Print as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench-site diff`: 1 where a number changed.
pub fn diff(args: &Diff) -> anyhow::Result<Exit> {
    let changes = diff_sites(&args.old, &args.new)?;
    if args.json {
        say!("{}", serde_json::to_string_pretty(&changes)?);
    } else {
        for c in &changes {
            let word = |t: &Option<String>| t.clone().unwrap_or_else(|| "absent".to_owned());
            let mark = if c.startling { "\toutside its old range with no attempt added" } else { "" };
            say!("{}\t{}\t{}{mark}", c.id, word(&c.old), word(&c.new));
        }
    }
    eprintln!("{} numbers changed", changes.len());
    Ok(if changes.is_empty() { Exit::Good } else { Exit::No })
}
