//! Imported tasks appear whole or not at all, in a suite that is there or is made for them.

use super::ExchangeError;
use crate::schema::{Suite, TaskSpec};
use crate::tasks::{Files, write_folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Characters of an id.
const MOST_ID: usize = 160;

/// Tasks on their way into a suite.
pub struct Intake {
    stage: tempfile::TempDir,
    dir: PathBuf,
    ids: BTreeSet<String>,
}

impl Intake {
    /// Begins an intake into the suite of a folder `tasks/`; `suite` is its description if there is none yet.
    pub fn new(root: &Path, suite: &Suite) -> Result<Intake, ExchangeError> {
        let dir = root.join(&suite.id);
        if let Some(why) = unusable(&suite.id) {
            return Err(ExchangeError::bad(&dir, format!("{:?} {why}", suite.id), "name the suite with --suite"));
        }
        std::fs::create_dir_all(root).map_err(ExchangeError::io(root))?;
        let stage = tempfile::Builder::new().prefix(".import-").tempdir_in(root).map_err(ExchangeError::io(root))?;
        if !dir.join("suite.toml").is_file() {
            let text = toml::to_string(suite)
                .map_err(|e| ExchangeError::bad(&dir, e.to_string(), "this is a fault of tsbench"))?;
            let file = stage.path().join("suite.toml");
            std::fs::write(&file, text).map_err(ExchangeError::io(file))?;
        }
        Ok(Intake { stage, dir, ids: BTreeSet::new() })
    }

    /// Takes a task in. The text says why it cannot be, if it cannot: then the others can.
    pub fn add(&mut self, id: &str, files: &Files) -> Result<Option<String>, ExchangeError> {
        if let Some(why) = unusable(id) {
            return Ok(Some(format!("the id {why}")));
        }
        if self.ids.contains(id) {
            return Ok(Some("the id stands twice".into()));
        }
        if self.dir.join(id).symlink_metadata().is_ok() {
            return Err(ExchangeError::Exists(self.dir.join(id)));
        }
        if let Err(e) = write_folder(&self.stage.path().join("tasks").join(id), files) {
            return match e {
                crate::tasks::TaskError::Bad { what, .. } => Ok(Some(what)),
                e => Err(e.into()),
            };
        }
        self.ids.insert(id.to_owned());
        Ok(None)
    }

    /// Puts everything into its place; the suite's folder.
    pub fn finish(self) -> Result<PathBuf, ExchangeError> {
        std::fs::create_dir_all(&self.dir).map_err(ExchangeError::io(&self.dir))?;
        let suite = self.stage.path().join("suite.toml");
        if suite.is_file() {
            let to = self.dir.join("suite.toml");
            std::fs::rename(&suite, &to).map_err(ExchangeError::io(to))?;
        }
        for id in &self.ids {
            let to = self.dir.join(id);
            std::fs::rename(self.stage.path().join("tasks").join(id), &to).map_err(ExchangeError::io(to))?;
        }
        Ok(self.dir)
    }
}

/// Why a text is no id of a task or a suite, which is a folder's name.
pub(super) fn unusable(id: &str) -> Option<&'static str> {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.is_empty() || id.len() > MOST_ID {
        return Some("is empty or too long for a folder's name");
    }
    (!id.chars().all(fine) || id.starts_with(['.', '-']))
        .then_some("is no folder's name: letters, digits, - _ and . alone")
}

/// The text of a `task.toml`.
pub(super) fn spec_text(spec: &TaskSpec) -> Result<Vec<u8>, ExchangeError> {
    let text = toml::to_string(spec)
        .map_err(|e| ExchangeError::bad(Path::new("task.toml"), e.to_string(), "this is a fault of tsbench"))?;
    Ok(text.into_bytes())
}

/// A specification with nothing but what every task has.
pub(super) fn plain_spec(id: &str, title: &str, language: &str) -> TaskSpec {
    TaskSpec {
        id: id.to_owned(),
        title: title.to_owned(),
        language: language.to_owned(),
        runtime: None,
        difficulty: None,
        use_cases: Vec::new(),
        package: None,
        targets: Vec::new(),
        guards: Vec::new(),
        protected: Vec::new(),
        unprotected: Vec::new(),
        limits: None,
        source: None,
        base: None,
        scorecard: None,
        sealed: None,
    }
}
