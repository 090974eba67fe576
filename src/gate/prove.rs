use super::exploits::{Exploit, Files, exploits};
use crate::git::{Entry, Mode, Tree};
use crate::sandbox::Provider;
use crate::schema::{Outcome, ProofKind, Verdict};
use crate::scoring::{Ready, ScoreError, score};
use serde::Serialize;

/// One try.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Proof {
    /// What was tried.
    pub kind: ProofKind,
    /// The cheat's name, or the try's number.
    pub name: String,
    /// Whether it went as it must.
    pub good: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// Tests of the task that the report does not have, where it did not go as it must.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The end of the output, where it did not go as it must.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub log: String,
}

/// All tries of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Proven {
    /// Each try.
    pub proofs: Vec<Proof>,
}

impl Proven {
    /// Whether every try went as it must.
    pub fn good(&self) -> bool {
        !self.proofs.is_empty() && self.proofs.iter().all(|p| p.good)
    }
}

/// Scores the human fix and the empty patch, `runs` times each.
pub async fn prove_fix(ready: &Ready, provider: &Provider, runs: u32) -> Result<Vec<Proof>, ScoreError> {
    let mut proofs = Vec::new();
    for run in 0..runs {
        let fix = ready.material.solution.clone();
        for (kind, patch) in [(ProofKind::Fix, fix.as_slice()), (ProofKind::Empty, &[][..])] {
            proofs.push(one(ready, provider, kind, &format!("run {}", run + 1), patch).await?);
        }
    }
    Ok(proofs)
}

/// Scores every cheat.
pub async fn prove_exploits(ready: &Ready, provider: &Provider) -> Result<Vec<Proof>, ScoreError> {
    let store = &ready.material.store;
    let start = store.read(&ready.material.start)?;
    let blobs: Vec<&str> = start.values().map(|e| e.blob.as_str()).collect();
    let files: Files = start.keys().cloned().zip(store.many(&blobs)?).collect();
    let hidden = ready.material.hidden.files.keys().cloned().collect();
    let mut proofs = Vec::new();
    for exploit in exploits(ready.language.name(), &files, &hidden, ready.task.spec.package.as_deref()) {
        let patch = patch_of(ready, &start, &exploit)?;
        proofs.push(one(ready, provider, ProofKind::Exploit, exploit.name, &patch).await?);
    }
    Ok(proofs)
}

/// Scores the further solutions that the task's folder brings: right ones must resolve it, wrong ones must not.
pub async fn prove_solutions(ready: &Ready, provider: &Provider) -> Result<Vec<Proof>, ScoreError> {
    let mut proofs = Vec::new();
    for (kind, patches) in [(ProofKind::Alternate, ready.task.alternates()?), (ProofKind::Wrong, ready.task.wrong()?)] {
        for (name, patch) in patches {
            proofs.push(one(ready, provider, kind, &name, &patch).await?);
        }
    }
    Ok(proofs)
}

/// The edits of a cheat as a patch on the starting tree.
fn patch_of(ready: &Ready, start: &Tree, exploit: &Exploit) -> Result<Vec<u8>, ScoreError> {
    let store = &ready.material.store;
    let mut tree = start.clone();
    for (path, target) in &exploit.links {
        // In the place of whatever stands there.
        tree.retain(|p, _| !p.starts_with(&format!("{path}/")));
        tree.insert(path.clone(), Entry { mode: Mode::Link, blob: store.blob(target.as_bytes())? });
    }
    for (path, bytes) in &exploit.edits {
        match bytes {
            None => {
                tree.remove(path);
            }
            Some(bytes) => {
                // A file where a folder stood takes its place.
                tree.retain(|p, _| !p.starts_with(&format!("{path}/")));
                let mode = if bytes.starts_with(b"#!") { Mode::Executable } else { Mode::File };
                tree.insert(path.clone(), Entry { mode, blob: store.blob(bytes)? });
            }
        }
    }
    let changed = store.write(&tree)?;
    Ok(store.diff(&ready.material.start, &changed, &[])?)
}

async fn one(
    ready: &Ready,
    provider: &Provider,
    kind: ProofKind,
    name: &str,
    patch: &[u8],
) -> Result<Proof, ScoreError> {
    let scored = score(ready, patch, provider, true).await?;
    let resolved = scored.verdict.outcome == Outcome::Resolved;
    let good = resolved == kind.must_resolve();
    let missing = if good { Vec::new() } else { scored.missing() };
    let log = if good { String::new() } else { scored.log };
    Ok(Proof { kind, name: name.to_owned(), good, verdict: scored.verdict, missing, log })
}
