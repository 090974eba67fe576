//! A site's raw files as a results folder, and a reader's own copies of them.

use super::artifacts::Artifacts;
use super::error::SiteError;
use super::evidence::about;
use super::published::Sources;
use super::suites::Suites;
use super::verify::Difference;
use crate::results::Dataset;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// The raw files of a site as a results folder: the pieces of each attempts file put together again.
pub fn join_shards(site: &Path, work: &Path) -> Result<tempfile::TempDir, SiteError> {
    use std::io::Write;
    let dir = tempfile::tempdir_in(work).map_err(SiteError::io(work))?;
    let raw = site.join("data/raw");
    std::fs::create_dir_all(dir.path().join("results")).map_err(SiteError::io(dir.path()))?;
    // A site without results has no such folder.
    for entry in walkdir::WalkDir::new(&raw).sort_by_file_name().into_iter().filter(|_| raw.is_dir()) {
        let entry = entry.map_err(|e| SiteError::Io { path: raw.clone(), cause: e.into() })?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path();
        let short = path.strip_prefix(&raw).unwrap_or(path);
        let folder = dir.path().join("results").join(short.parent().unwrap_or(Path::new("")));
        std::fs::create_dir_all(&folder).map_err(SiteError::io(&folder))?;
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("");
        let bytes = std::fs::read(path).map_err(SiteError::io(path))?;
        let target = folder.join(if name.starts_with("attempts-") { "attempts.jsonl" } else { name });
        let mut file =
            std::fs::OpenOptions::new().create(true).append(true).open(&target).map_err(SiteError::io(&target))?;
        file.write_all(&bytes).map_err(SiteError::io(&target))?;
    }
    Ok(dir)
}

/// The published raw files against the reader's own copies.
pub fn same_raw(own: &Dataset, theirs: &Dataset) -> Vec<Difference> {
    let (suites, artifacts) = (&Suites::default(), &Artifacts::default());
    let list = |data: &Dataset| -> BTreeMap<String, String> {
        let sources = Sources { data, suites, artifacts };
        super::published::raw_files(sources).into_iter().map(|f| (f.path, f.sha256.to_owned())).collect()
    };
    let (own, theirs) = (list(own), list(theirs));
    let differs = |path: &String, stated: &str, found: &str| about(path, "the results folder", stated, found);
    let mut out = Vec::new();
    for (path, sha) in &own {
        let found = theirs.get(path).map_or("missing", String::as_str);
        out.extend((found != sha).then(|| differs(path, sha, found)));
    }
    let more = theirs.iter().filter(|(p, _)| !own.contains_key(*p));
    out.extend(more.map(|(path, sha)| differs(path, "not published", sha)));
    out
}

/// The published files beside the lines against the reader's own copies.
pub fn same_artifacts(own: &Artifacts, theirs: &Dataset) -> Vec<Difference> {
    let differs = theirs.runs.par_iter().flat_map_iter(|run| {
        let of = own.of(&run.run.run).into_iter();
        of.flat_map(|of| of.files().filter(|f| !f.is_left_out()).map(move |f| (of.site_path(f), f))).filter_map(
            |(path, file)| {
                let found = file.digest_in(&run.dir).unwrap_or_else(|| "missing".into());
                (found != file.sha256).then(|| about(&path, "the results folder", &file.sha256, found))
            },
        )
    });
    differs.collect()
}
