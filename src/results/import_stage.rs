//! Imported folders appear whole or not at all, and only after they pass the checks that every results folder passes.

use super::{Fault, Level, ResultsError, read};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// One folder to be written: its name and its files.
pub(super) struct Folder {
    /// Name under the results folder.
    pub name: String,
    /// File names with their bytes.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

/// Writes every folder under `out`; an existing one is never touched, and a fault leaves nothing behind.
pub(super) fn publish(source: &Path, out: &Path, folders: &[Folder]) -> Result<Vec<PathBuf>, ResultsError> {
    let targets: Vec<PathBuf> = folders.iter().map(|f| out.join(&f.name)).collect();
    if let Some(taken) = targets.iter().find(|t| t.symlink_metadata().is_ok()) {
        return Err(ResultsError::Exists(taken.clone()));
    }
    fs::create_dir_all(out).map_err(ResultsError::io(out))?;
    let stage = tempfile::Builder::new().prefix(".import-").tempdir_in(out).map_err(ResultsError::io(out))?;
    for folder in folders {
        let dir = stage.path().join(&folder.name);
        fs::create_dir(&dir).map_err(ResultsError::io(&dir))?;
        for (name, bytes) in &folder.files {
            let path = dir.join(name);
            let mut file = fs::File::create_new(&path).map_err(ResultsError::io(&path))?;
            file.write_all(bytes).and_then(|()| file.sync_all()).map_err(ResultsError::io(&path))?;
        }
    }
    let faults: Vec<Fault> = read(stage.path())?.faults.into_iter().filter(|f| f.level == Level::Error).collect();
    if let Some(first) = faults.first() {
        // Where the run stood is gone by now: what is wrong is told without it.
        let line = first.line.map_or(String::new(), |l| format!(", line {l}"));
        let field = first.field.as_ref().map_or(String::new(), |f| format!(" in the field {f}"));
        let file = first.file.rsplit('/').next().unwrap_or(&first.file);
        let found = Fault { file: format!("{file}{line}{field}"), line: None, field: None, ..first.clone() };
        return Err(contradiction(
            source,
            format!("{} faults in the run that it would become; the first is in its {}", faults.len(), found.said()),
        ));
    }
    for (folder, target) in folders.iter().zip(&targets) {
        fs::rename(stage.path().join(&folder.name), target).map_err(ResultsError::io(target))?;
    }
    Ok(targets)
}

/// The figures of `source` do not agree with each other.
pub(super) fn contradiction(source: &Path, what: impl Into<String>) -> ResultsError {
    ResultsError::Import {
        path: source.to_owned(),
        what: what.into(),
        hint: "the figures contradict themselves: correct the file or ask its publisher".into(),
    }
}

/// A record as an indented JSON file.
pub(super) fn pretty(record: &impl serde::Serialize) -> Result<Vec<u8>, ResultsError> {
    let mut bytes = serde_json::to_vec_pretty(record)?;
    bytes.push(b'\n');
    Ok(bytes)
}
