//! Task folders of Harbor become tasks: our own come back whole, those of others are judged by the reward of their tests.

use super::harbor_export::{MOVES, REST, SUITE};
use super::harbor_recipe;
use super::harbor_theirs::theirs;
use super::import_rows::Imported;
use super::intake::{Intake, text_of};
use super::{ExchangeError, Losses};
use crate::git::{Mode, Store};
use crate::schema::{Suite, TaskSpec};
use crate::tasks::{Files, leaves, read_folder};
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// A folder, read and not yet a task.
#[derive(Clone, Debug, Default)]
pub struct HarborTask {
    /// The id that it will have.
    pub id: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Why no task can be made of it, if that is known.
    pub refused: Option<String>,
    /// The tree that an agent starts from.
    pub start: Files,
    /// The folder that its scripts take for the work folder.
    pub workdir: String,
    /// Files beside its `solve.sh`, where it has one and no patch.
    pub solution: Option<Files>,
    /// The solution as a patch, once it is known.
    pub patch: Option<Vec<u8>>,
    /// Language, as stated or guessed.
    pub language: Option<String>,
    pub(super) files: Files,
    pub(super) about: Table,
    /// Whether the image's recipe runs programs, and what it copies that is not in the tree.
    pub(super) runs: bool,
    pub(super) told: Vec<String>,
}

/// Reads the task folders of a folder, or the one that it is. One that cannot be read says why, and the others are read.
pub fn read(dir: &Path) -> Result<Vec<HarborTask>, ExchangeError> {
    let mut dirs = vec![dir.to_owned()];
    if !dir.join("task.toml").is_file() {
        dirs.clear();
        for entry in std::fs::read_dir(dir).map_err(ExchangeError::io(dir))? {
            dirs.push(entry.map_err(ExchangeError::io(dir))?.path());
        }
        dirs.retain(|d| d.join("task.toml").is_file());
        dirs.sort();
    }
    if dirs.is_empty() {
        return Err(ExchangeError::bad(dir, "no folder in it has a task.toml", "name the folder of task folders"));
    }
    let one = |dir: &PathBuf| {
        let id = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let bad = |why| HarborTask { id, dir: dir.clone(), refused: Some(why), ..HarborTask::default() };
        read_one(dir).unwrap_or_else(bad)
    };
    Ok(dirs.iter().map(one).collect())
}

fn read_one(dir: &Path) -> Result<HarborTask, String> {
    let files = read_folder(dir).map_err(|e| e.to_string())?;
    if let Some((path, (_, target))) = files.iter().find(|(p, (mode, t))| *mode == Mode::Link && leaves(p, t)) {
        let target = String::from_utf8_lossy(target);
        return Err(format!("{path} is a link to {target:?}, out of the task's folder: put the file itself there"));
    }
    let text = text_of(&files, "task.toml")?.unwrap_or_default();
    let about: Table = toml::from_str(&text)
        .map_err(|e| format!("task.toml: {}: it is not the task.toml of a Harbor task", e.to_string().trim_end()))?;
    let name = about.get("task").and_then(|t| t.get("name")).and_then(Value::as_str);
    let folder = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let id = name.and_then(|n| n.rsplit('/').next()).unwrap_or(folder).to_owned();
    let patch = files.get("solution/solution.patch").map(|(_, bytes)| bytes.clone());
    let mut task = HarborTask { id, dir: dir.to_owned(), patch, ..HarborTask::default() };
    if !files.contains_key(&format!("{REST}task.toml")) {
        let recipe = text_of(&files, "environment/Dockerfile")?.unwrap_or_default();
        let stated = at(&about, "environment", "workdir").and_then(Value::as_str);
        let recipe = harbor_recipe::read(&recipe, &files, stated)?;
        (task.start, task.workdir, task.runs, task.told) = (recipe.tree, recipe.workdir, recipe.runs, recipe.losses);
        let below = strip(&files, "solution/");
        task.solution = (task.patch.is_none() && below.contains_key("solve.sh")).then_some(below);
    }
    let language = at(&about, "metadata", "language").and_then(Value::as_str).map(str::to_lowercase);
    task.language = language.or_else(|| guess(&task.start).map(str::to_owned));
    (task.files, task.about) = (files, about);
    Ok(task)
}

pub(super) fn strip(files: &Files, folder: &str) -> Files {
    files.iter().filter_map(|(p, f)| Some((p.strip_prefix(folder)?.to_owned(), f.clone()))).collect()
}

pub(super) fn at<'t>(table: &'t Table, section: &str, key: &str) -> Option<&'t Value> {
    table.get(section)?.get(key)
}

fn guess(start: &Files) -> Option<&'static str> {
    let count = |ends: &[&str]| start.keys().filter(|p| ends.iter().any(|e| p.ends_with(e))).count();
    let all = [
        ("python", count(&[".py"])),
        ("typescript", count(&[".ts", ".js", ".mjs"])),
        ("go", count(&[".go"])),
        ("java", count(&[".java"])),
    ];
    all.into_iter().max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0).map(|(name, _)| name)
}

/// Takes folders in as tasks of a suite below `root`.
pub fn import(tasks: &[HarborTask], root: &Path, suite: &Suite) -> Result<Imported, ExchangeError> {
    let mut intake = Intake::new(root, suite)?;
    let mut out = Imported::default();
    for task in tasks {
        let mut losses = Losses::default();
        let mut from = None;
        let files = match (&task.refused, ours(task)) {
            (Some(why), _) => Err(why.clone()),
            (None, Some(ours)) => ours.map(|(files, suite)| {
                from = suite;
                files
            }),
            (None, None) => theirs(task, &mut losses)?,
        };
        let refused = match &files {
            Ok(files) => intake.add(&task.id, files)?,
            Err(why) => Some(why.clone()),
        };
        match refused {
            Some(why) => out.refused.push((task.id.clone(), format!("{why} ({})", task.dir.display()))),
            None => {
                from.iter().for_each(|suite| intake.is_from(suite));
                out.losses.extend(losses);
                out.tasks.push(task.id.clone());
            }
        }
    }
    out.dir = intake.finish(&mut out.losses)?;
    Ok(out)
}

/// A task's files, and the suite that it is from.
type Ours = (Files, Option<Suite>);

/// The folder of a task that was given out by us, as it was; nothing where it was not.
fn ours(task: &HarborTask) -> Option<Result<Ours, String>> {
    let name = format!("{REST}task.toml");
    let text = match text_of(&task.files, &name) {
        Ok(text) => text?,
        Err(why) => return Some(Err(why)),
    };
    Some(match toml::from_str::<TaskSpec>(&text) {
        Err(e) => Err(format!("{name}: {}", e.to_string().trim_end())),
        Ok(spec) if spec.id != task.id => {
            Err(format!("{name} has the id {:?}, and task.toml the name {:?}: give both one name", spec.id, task.id))
        }
        Ok(spec) => back(task, &spec),
    })
}

fn back(task: &HarborTask, spec: &TaskSpec) -> Result<Ours, String> {
    let mirrored = spec.source.is_some() || spec.base.is_some();
    let mut files = strip(&task.files, REST);
    let suite = text_of(&files, SUITE)?;
    let suite = suite.map(|text| toml::from_str(&text).map_err(|e| format!("{REST}{SUITE}: {e}"))).transpose()?;
    files.remove(SUITE);
    for (ours, theirs) in MOVES {
        let skip = match ours {
            "repo/" => mirrored,
            "solution.patch" => spec.source.is_some(),
            "tests/" => mirrored || files.contains_key("tests.patch"),
            _ => false,
        };
        if !skip {
            let inside = task.files.iter().filter_map(|(p, f)| Some((format!("{ours}{}", p.strip_prefix(theirs)?), f)));
            files.extend(inside.map(|(path, file)| (path, file.clone())));
        }
    }
    Ok((files, suite))
}

impl HarborTask {
    /// Takes what a script made of the tree as the solution.
    pub fn solve(&mut self, after: &Files) -> Result<(), ExchangeError> {
        let store = Store::new()?;
        let patch = store.diff(&store.write_files(&self.start)?, &store.write_files(after)?, &[])?;
        self.patch = Some(patch).filter(|p| !p.is_empty());
        if self.patch.is_none() {
            self.refused = Some("its solve.sh changes nothing in the work folder, so that there is no solution".into());
        }
        Ok(())
    }
}
