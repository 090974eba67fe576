use super::Exit;
use super::say;
use crate::site::{Verified, check as check_site, diff as diff_sites, fetch, verify as verify_site};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;
use std::path::{Path, PathBuf};

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
    /// Print as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench-site verify`: 1 where a number differs, with each that does.
pub fn verify(args: &Verify) -> anyhow::Result<Exit> {
    let results = args.results.as_deref().or_else(|| beside(&args.site));
    let verified = if args.site.contains("://") {
        let copy = fetch(&args.site)?;
        verify_site(copy.path(), results)?
    } else {
        verify_site(Path::new(&args.site), results)?
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
    if as_json {
        let list: Vec<_> = verified
            .differences
            .iter()
            .map(|d| json!({"id": d.id, "place": d.place, "stated": d.stated, "recomputed": d.recomputed}))
            .collect();
        say!(
            "{}",
            serde_json::to_string_pretty(
                &json!({"numbers": verified.numbers, "statements": verified.statements, "files": verified.files, "differences": list})
            )?
        );
        return Ok(());
    }
    for d in &verified.differences {
        say!("{}\t{}\tstated {}\trecomputed {}", d.id, d.place, d.stated, d.recomputed);
    }
    Ok(())
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
