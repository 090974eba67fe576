use super::TaskError;
use crate::schema::{Limits, Suite, TaskSpec};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A suite and its tasks, in order of their ids.
#[derive(Clone, Debug)]
pub struct TaskSuite {
    /// `suite.toml`.
    pub suite: Suite,
    /// Its folder.
    pub dir: PathBuf,
    /// Its tasks.
    pub tasks: Vec<Task>,
}

/// A task as its folder states it.
#[derive(Clone, Debug)]
pub struct Task {
    /// `task.toml`.
    pub spec: TaskSpec,
    /// The suite, `id@version`.
    pub suite: String,
    /// Its folder.
    pub dir: PathBuf,
    /// `problem.md`.
    pub problem: String,
    /// Its limits, the suite's where it has none of its own.
    pub limits: Limits,
    /// The bytes of `task.toml`.
    pub(super) spec_bytes: Vec<u8>,
    /// Holds the temporary folder of a task that was sealed; it vanishes with the last copy of the task.
    pub(super) held: Option<Arc<tempfile::TempDir>>,
}

impl Task {
    /// Whether its parts are sealed, or were until a key opened them for this process.
    pub fn is_sealed(&self) -> bool {
        self.spec.sealed.is_some() || self.held.is_some()
    }

    /// The same task as another folder states it.
    pub(super) fn read_again(&self, dir: &Path) -> Result<Task, TaskError> {
        let (spec, spec_bytes): (TaskSpec, _) = read_toml(&dir.join("task.toml"))?;
        if spec.id != self.spec.id {
            let what = format!("id {:?} is not the one of the sealed task, {:?}", spec.id, self.spec.id);
            return Err(TaskError::bad(dir.join("task.toml"), what, "it belongs to another task"));
        }
        let problem = dir.join("problem.md");
        let problem = std::fs::read_to_string(&problem).map_err(TaskError::io(&problem))?;
        let limits = spec.limits.clone().unwrap_or_else(|| self.limits.clone());
        Ok(Task { spec, suite: self.suite.clone(), dir: dir.to_owned(), problem, limits, spec_bytes, held: None })
    }
}

/// Reads every suite of a folder `tasks/`, in order of their names.
pub fn load(root: &Path) -> Result<Vec<TaskSuite>, TaskError> {
    let mut suites = Vec::new();
    for dir in folders(root)? {
        if dir.join("suite.toml").is_file() {
            suites.push(load_suite(&dir)?);
        }
    }
    Ok(suites)
}

/// The tasks of a suite (`id` or `id@version`), or the one task of a name, of all suites.
pub fn find(suites: &[TaskSuite], suite: Option<&str>, task: Option<&str>) -> Result<Vec<Task>, TaskError> {
    let of_suite: Vec<&TaskSuite> =
        suites.iter().filter(|s| suite.is_none_or(|w| w == s.suite.id || w == s.suite.word())).collect();
    if of_suite.is_empty() {
        let known: Vec<String> = suites.iter().map(|s| s.suite.word()).collect();
        return Err(TaskError::Missing {
            what: format!("the suite {:?}", suite.unwrap_or("")),
            hint: format!("there are: {}", known.join(", ")),
        });
    }
    let tasks: Vec<Task> =
        of_suite.iter().flat_map(|s| &s.tasks).filter(|t| task.is_none_or(|w| w == t.spec.id)).cloned().collect();
    if tasks.is_empty() {
        return Err(TaskError::Missing {
            what: format!("the task {:?}", task.unwrap_or("")),
            hint: "tsbench tasks list names every task".into(),
        });
    }
    Ok(tasks)
}

fn load_suite(dir: &Path) -> Result<TaskSuite, TaskError> {
    let path = dir.join("suite.toml");
    let (suite, _): (Suite, _) = read_toml(&path)?;
    let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if suite.id != name {
        return Err(TaskError::bad(
            path,
            format!("id {:?} is not the folder's name {name:?}", suite.id),
            "give folder and suite one name",
        ));
    }
    let mut tasks = Vec::new();
    for dir in folders(dir)? {
        if dir.join("task.toml").is_file() {
            tasks.push(load_task(&dir, &suite)?);
        }
    }
    Ok(TaskSuite { suite, dir: dir.to_owned(), tasks })
}

fn load_task(dir: &Path, suite: &Suite) -> Result<Task, TaskError> {
    let path = dir.join("task.toml");
    let (spec, spec_bytes): (TaskSpec, _) = read_toml(&path)?;
    let name = dir.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if spec.id != name {
        return Err(TaskError::bad(
            path,
            format!("id {:?} is not the folder's name {name:?}", spec.id),
            "give folder and task one name",
        ));
    }
    let problem = dir.join("problem.md");
    let problem = std::fs::read_to_string(&problem).map_err(TaskError::io(&problem))?;
    let limits = spec.limits.clone().unwrap_or_else(|| suite.limits.clone());
    Ok(Task { spec, suite: suite.word(), dir: dir.to_owned(), problem, limits, spec_bytes, held: None })
}

fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<(T, Vec<u8>), TaskError> {
    let text = std::fs::read_to_string(path).map_err(TaskError::io(path))?;
    let value = toml::from_str(&text)
        .map_err(|e| TaskError::bad(path, e.to_string().trim_end(), "correct the field that the marker points at"))?;
    Ok((value, text.into_bytes()))
}

/// The folders in a folder, by name.
fn folders(root: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).map_err(TaskError::io(root))? {
        let entry = entry.map_err(TaskError::io(root))?;
        if entry.file_type().map_err(TaskError::io(root))?.is_dir() {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}
