//! What an agent's finished work leaves beside its patch until its line counts: enough to score it later, without asking
//! the model again.

use super::AttemptsError;
use super::evidence::{PATCH, TRAJECTORY};
use crate::agent::{Ended, Stop, Unpatched};
use crate::gateway::Spent;
use crate::schema::Usage;
use crate::tasks::sha256;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The file's name.
pub(super) const WORKED: &str = "worked.json";
const SCHEMA: &str = "tsbench.worked/1";

/// An agent's finished work.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Worked {
    pub ended: Ended,
    pub spent: Spent,
    pub turns: u64,
    pub tries: u64,
    /// Models that the provider says it used.
    pub served_models: Vec<String>,
    /// Start of the attempt, RFC 3339: it names this work among lines.
    pub started_at: String,
    /// Seconds from the start to the end of the agent's work.
    pub seconds: f64,
    /// Digest of the file of a scripted or replayed model.
    pub script: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Record {
    schema: String,
    stop: String,
    agent_seconds: f64,
    seconds: f64,
    /// SHA-256 of the patch; none where the workspace could not be read.
    patch_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unpatched: Option<Unpatched>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    trajectory_sha256: String,
    usage: Usage,
    cost_usd: f64,
    without_usage: u64,
    without_cost: u64,
    turns: u64,
    tries: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    served_models: Vec<String>,
    started_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    script: Option<String>,
}

impl Worked {
    /// Keeps the work. Its patch and its trajectory are on the disk already; the record names their digests, and it gets
    /// its name when it is whole. A patch that could not be kept as it is, since a key stood in it, is not recorded.
    pub fn keep(&self, folder: &Path) -> Result<(), AttemptsError> {
        let (patch_sha256, unpatched) = match &self.ended.patch {
            Ok(patch) => (Some(sha256(patch)), None),
            Err(why) => (None, Some(why.clone())),
        };
        if patch_sha256.is_some() && patch_sha256 != Some(sha256(&bytes(&folder.join(PATCH))?)) {
            return Ok(());
        }
        let record = Record {
            schema: SCHEMA.to_owned(),
            stop: self.ended.stop.word().to_owned(),
            agent_seconds: self.ended.seconds,
            seconds: self.seconds,
            patch_sha256,
            unpatched,
            left_out: self.ended.left_out.clone(),
            trajectory_sha256: sha256(&bytes(&folder.join(TRAJECTORY))?),
            usage: self.spent.known,
            cost_usd: self.spent.known_usd,
            without_usage: self.spent.without_usage,
            without_cost: self.spent.without_cost,
            turns: self.turns,
            tries: self.tries,
            served_models: self.served_models.clone(),
            started_at: self.started_at.clone(),
            script: self.script.clone(),
        };
        let file = folder.join(WORKED);
        let mut part =
            tempfile::Builder::new().prefix(".worked-").tempfile_in(folder).map_err(AttemptsError::io(&file))?;
        part.write_all(&serde_json::to_vec_pretty(&record)?).map_err(AttemptsError::io(&file))?;
        part.as_file().sync_all().map_err(AttemptsError::io(&file))?;
        part.persist(&file).map_err(|e| AttemptsError::io(&file)(e.error))?;
        std::fs::File::open(folder).and_then(|d| d.sync_all()).map_err(AttemptsError::io(folder))
    }

    /// The work that a folder holds; none where there is none, or what belongs to it is not what it was.
    pub fn find(folder: &Path) -> Result<Option<Worked>, AttemptsError> {
        let Ok(record) = serde_json::from_slice::<Record>(&bytes(&folder.join(WORKED))?) else { return Ok(None) };
        let patch = match (&record.patch_sha256, record.unpatched) {
            (Some(digest), None) => {
                let patch = bytes(&folder.join(PATCH))?;
                if sha256(&patch) != *digest {
                    return Ok(None);
                }
                Ok(patch)
            }
            (None, Some(why)) => Err(why),
            (Some(_), Some(_)) | (None, None) => return Ok(None),
        };
        let whole = sha256(&bytes(&folder.join(TRAJECTORY))?) == record.trajectory_sha256;
        let (true, true, Some(stop)) = (record.schema == SCHEMA, whole, Stop::from_word(&record.stop)) else {
            return Ok(None);
        };
        Ok(Some(Worked {
            ended: Ended { stop, patch, left_out: record.left_out, seconds: record.agent_seconds },
            spent: Spent {
                known: record.usage,
                known_usd: record.cost_usd,
                without_usage: record.without_usage,
                without_cost: record.without_cost,
            },
            turns: record.turns,
            tries: record.tries,
            served_models: record.served_models,
            started_at: record.started_at,
            seconds: record.seconds,
            script: record.script,
        }))
    }

    /// Takes the record away, once a line counts; patch and trajectory stay.
    pub fn forget(folder: &Path) -> Result<(), AttemptsError> {
        let file = folder.join(WORKED);
        match std::fs::remove_file(&file) {
            Err(e) if e.kind() != ErrorKind::NotFound => Err(AttemptsError::io(&file)(e)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The bytes of a file; none where there is no such file.
fn bytes(file: &Path) -> Result<Vec<u8>, AttemptsError> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(bytes),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(AttemptsError::io(file)(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn worked(patch: Result<Vec<u8>, Unpatched>) -> Worked {
        let known = Usage { input: 10, output: 5, requests: 2, ..Usage::default() };
        Worked {
            ended: Ended { stop: Stop::TurnLimit, patch, left_out: vec!["p: a named pipe".into()], seconds: 1.25 },
            spent: Spent { known, known_usd: 0.1 + 0.2, without_usage: 1, without_cost: 0 },
            turns: 2,
            tries: 1,
            served_models: vec!["m-2".into()],
            started_at: "2026-01-01T00:00:00.000Z".into(),
            seconds: 2.5,
            script: Some("d".into()),
        }
    }

    #[test]
    fn work_that_was_kept_is_found_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(TRAJECTORY), "{}\n").unwrap();
        assert_eq!(Worked::find(dir.path()).unwrap(), None);
        for patch in [Ok(Vec::new()), Ok(b"diff\n\xff".to_vec()), Err(Unpatched::TooLarge("much".to_owned()))] {
            fs::write(dir.path().join(PATCH), patch.as_ref().map_or(&[][..], Vec::as_slice)).unwrap();
            let work = worked(patch);
            work.keep(dir.path()).unwrap();
            assert_eq!(Worked::find(dir.path()).unwrap(), Some(work));
        }
        Worked::forget(dir.path()).unwrap();
        Worked::forget(dir.path()).unwrap();
        assert_eq!(Worked::find(dir.path()).unwrap(), None);
    }

    #[test]
    fn half_a_patch_half_a_trajectory_and_half_a_record_are_no_work() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let fresh = || {
            fs::write(at(TRAJECTORY), "{}\n").unwrap();
            fs::write(at(PATCH), "diff --git a b\n").unwrap();
            worked(Ok(b"diff --git a b\n".to_vec())).keep(dir.path()).unwrap();
            assert!(Worked::find(dir.path()).unwrap().is_some());
        };
        for (name, half) in [(PATCH, "diff"), (PATCH, ""), (TRAJECTORY, "{"), (WORKED, "{\"schema\""), (WORKED, "")] {
            fresh();
            fs::write(at(name), half).unwrap();
            assert_eq!(Worked::find(dir.path()).unwrap(), None, "{name} {half:?}");
        }
        // A key stood in the patch, so that another one was kept.
        fs::remove_file(at(WORKED)).unwrap();
        fs::write(at(PATCH), "[redacted]").unwrap();
        worked(Ok(b"sk-key".to_vec())).keep(dir.path()).unwrap();
        assert_eq!(Worked::find(dir.path()).unwrap(), None);
    }
}
