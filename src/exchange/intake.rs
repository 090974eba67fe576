//! Imported tasks appear whole or not at all, in a suite that is there or is made for them.

use super::{ExchangeError, Losses};
use crate::git::Mode;
use crate::schema::{Suite, TaskSpec};
use crate::tasks::{Files, Stage, leaves, write_folder};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Characters of an id.
const MOST_ID: usize = 160;

/// Tasks on their way into a suite.
pub struct Intake {
    stage: Stage,
    dir: PathBuf,
    /// The suite's description.
    suite: Suite,
    /// The suites that tasks say they are from.
    from: Vec<Suite>,
    ids: BTreeSet<String>,
}

impl Intake {
    /// Begins an intake into the suite of a folder `tasks/`; `suite` is its description if there is none yet.
    pub fn new(root: &Path, suite: &Suite) -> Result<Intake, ExchangeError> {
        let dir = root.join(&suite.id);
        if let Some(why) = unusable(&suite.id) {
            return Err(ExchangeError::bad(&dir, format!("{:?} {why}", suite.id), "name the suite with --suite"));
        }
        let stage = Stage::new(root, ".import-")?;
        Ok(Intake { stage, dir, suite: suite.clone(), from: Vec::new(), ids: BTreeSet::new() })
    }

    /// Takes a task in. The text says why it cannot be, if it cannot: then the others can.
    pub fn add(&mut self, id: &str, files: &Files) -> Result<Option<String>, ExchangeError> {
        if let Some(why) = unusable(id) {
            return Ok(Some(format!("the id {why}")));
        }
        if self.ids.contains(id) {
            return Ok(Some("the id stands twice".into()));
        }
        let to = self.dir.join(id);
        if to.symlink_metadata().is_ok() {
            return Ok(Some(format!("{} exists already, and what was taken in is not changed", to.display())));
        }
        let staged = self.stage.path().join("tasks").join(id);
        if let Err(e) = write_folder(&staged, files) {
            return match e {
                crate::tasks::TaskError::Bad { what, .. } => Ok(Some(what)),
                e => Err(e.into()),
            };
        }
        if let Some(why) = fault_of(id, files) {
            std::fs::remove_dir_all(&staged).map_err(ExchangeError::io(staged))?;
            return Ok(Some(why));
        }
        self.ids.insert(id.to_owned());
        Ok(None)
    }

    /// Hears from which suite a task is, as it was given out.
    pub fn is_from(&mut self, suite: &Suite) {
        let suite = Suite { id: self.suite.id.clone(), ..suite.clone() };
        if !self.from.contains(&suite) {
            self.from.push(suite);
        }
    }

    /// Puts everything into its place; the suite's folder, if there is a task for it.
    pub fn finish(self, losses: &mut Losses) -> Result<Option<PathBuf>, ExchangeError> {
        if self.ids.is_empty() {
            return Ok(None);
        }
        let file = self.dir.join("suite.toml");
        let there = match std::fs::read_to_string(&file) {
            Ok(text) => Some(toml::from_str::<Suite>(&text).ok()),
            Err(_) => None,
        };
        if let Some(why) = lost(&self.from, there.as_ref().map(Option::as_ref)) {
            losses.add(&self.suite.id, why);
        }
        std::fs::create_dir_all(&self.dir).map_err(ExchangeError::io(&self.dir))?;
        if there.is_none() {
            let suite = if let [only] = self.from.as_slice() { only } else { &self.suite };
            let text = toml::to_string(suite)
                .map_err(|e| ExchangeError::bad(&file, e.to_string(), "this is a fault of tsbench"))?;
            std::fs::write(&file, text).map_err(ExchangeError::io(&file))?;
        }
        for id in &self.ids {
            let to = self.dir.join(id);
            std::fs::rename(self.stage.path().join("tasks").join(id), &to).map_err(ExchangeError::io(to))?;
        }
        Ok(Some(self.dir))
    }
}

/// What is lost of the suites that tasks are from; `there` is the one that they come into, if it is there already.
fn lost(from: &[Suite], there: Option<Option<&Suite>>) -> Option<String> {
    const WHAT: &str = "version, repeats and limits";
    let rules = |s: &Suite| (s.version.clone(), s.repeats, s.infra, s.limits.clone());
    match (from, there) {
        (_, Some(there)) if from.iter().any(|f| there.is_none_or(|t| rules(t) != rules(f))) => Some(format!(
            "{WHAT} of the suite that they were given out from: the suite is there already, and has its own"
        )),
        ([_, _, ..], None) => Some(format!("{WHAT} of the suites that they were given out from, which differ")),
        _ => None,
    }
}

/// What makes a folder no task that can be read again, if something does.
fn fault_of(id: &str, files: &Files) -> Option<String> {
    for (path, target) in files.iter().filter(|(_, (mode, _))| *mode == Mode::Link).map(|(p, (_, t))| (p, t)) {
        let inside = ["repo/", "tests/"].iter().find_map(|tree| path.strip_prefix(tree));
        if inside.is_some_and(|inside| leaves(inside, target)) {
            let target = String::from_utf8_lossy(target);
            return Some(format!("{path} is a link to {target:?}, out of its tree: put the file itself there"));
        }
    }
    let spec = match text_of(files, "task.toml") {
        Ok(Some(text)) => text,
        Ok(None) => return Some("there is no task.toml".into()),
        Err(why) => return Some(why),
    };
    match toml::from_str::<TaskSpec>(&spec) {
        Ok(spec) if spec.id != id => return Some(format!("task.toml has the id {:?}: give it this one", spec.id)),
        Ok(_) => {}
        Err(e) => return Some(format!("task.toml: {}", e.to_string().trim_end())),
    }
    match text_of(files, "problem.md") {
        Ok(Some(text)) if !text.trim().is_empty() => None,
        Ok(_) => Some("its statement is missing or empty: write what an agent is to do".into()),
        Err(why) => Some(why),
    }
}

/// A text among files; what is wrong with it, where it is none.
pub(super) fn text_of(files: &Files, name: &str) -> Result<Option<String>, String> {
    match files.get(name) {
        None => Ok(None),
        Some((Mode::Link, target)) => {
            Err(format!("{name} is a link to {:?}: put the text itself there", String::from_utf8_lossy(target)))
        }
        Some((_, bytes)) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Some(text.to_owned())),
            Err(e) => Err(format!("{name} is not UTF-8 from byte {} on: save it as UTF-8", e.valid_up_to() + 1)),
        },
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
