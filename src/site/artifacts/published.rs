//! From a published site back: what its indexes say, and what is wrong with them.

use super::{Artifact, Artifacts, FILES, RunArtifacts, SCHEMA, folder_of, folders_of, place};
use crate::results::{Dataset, RunFile};
use crate::site::SiteError;
use crate::site::suites::SuiteFile;
use crate::site::write::hex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

impl Artifacts {
    /// Reads the indexes of a site, and says what of them cannot be used: path and reason.
    ///
    /// Whether the files are those of the index is for the comparison of the manifest with them to say.
    pub fn published(site: &Path, data: &Dataset) -> Result<(Artifacts, Vec<(String, String)>), SiteError> {
        let (mut out, mut faults) = (Artifacts::default(), Vec::new());
        for run in &data.runs {
            let folder = folder_of(&run.run.run);
            if !site.join(&folder).is_dir() {
                continue;
            }
            let index = pieces(site, &folder)?;
            let (attempts, wrong) = read(&index, run);
            faults.extend(wrong);
            let root = site.join(&folder).join(FILES);
            out.runs.insert(run.run.run.clone(), RunArtifacts { root, folder, attempts, index });
        }
        Ok((out, faults))
    }
}

/// The pieces of an index, in order.
fn pieces(site: &Path, folder: &str) -> Result<Vec<SuiteFile>, SiteError> {
    let mut found = Vec::new();
    loop {
        let path = format!("{folder}/index-{:04}.jsonl", found.len());
        let full = site.join(&path);
        if !full.is_file() {
            return Ok(found);
        }
        let bytes = std::fs::read(&full).map_err(SiteError::io(&full))?;
        let lines = Some(bytes.iter().filter(|b| **b == b'\n').count() as u64);
        found.push(SuiteFile { path, suite: String::new(), sha256: hex(&bytes), bytes, lines });
    }
}

type Attempts = BTreeMap<String, Vec<Artifact>>;

fn read(index: &[SuiteFile], run: &RunFile) -> (Attempts, Vec<(String, String)>) {
    let folders = folders_of(run);
    let (mut attempts, mut faults) = (Attempts::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for piece in index {
        for (i, line) in piece.bytes.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.is_empty()) {
            let mut fault = |what: String| faults.push((piece.path.clone(), format!("line {}: {what}", i + 1)));
            let artifact: Artifact = match serde_json::from_slice(line) {
                Ok(artifact) => artifact,
                Err(e) => {
                    fault(e.to_string());
                    continue;
                }
            };
            let attempt = place(&artifact.path, &folders).map(|(attempt, _)| attempt.to_owned());
            match attempt {
                _ if artifact.schema != SCHEMA => fault(format!("unknown schema {:?}", artifact.schema)),
                None => fault(format!("{:?} belongs to no line", artifact.path)),
                Some(_) if artifact.published > artifact.bytes => fault("more is published than there is".into()),
                Some(_) if !seen.insert(artifact.path.clone()) => fault(format!("{:?} again", artifact.path)),
                Some(attempt) => attempts.entry(attempt).or_default().push(artifact),
            }
        }
    }
    (attempts, faults)
}
