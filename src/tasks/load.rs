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

/// A folder of suites as far as it can be read.
#[derive(Debug, Default)]
pub struct Survey {
    /// Every suite that can be read, with those of its tasks that can.
    pub suites: Vec<TaskSuite>,
    /// What cannot.
    pub broken: Vec<Broken>,
}

/// A suite or a task that cannot be read.
#[derive(Debug)]
pub struct Broken {
    /// The suite's folder.
    pub suite: String,
    /// The task's folder; none where it is the suite itself.
    pub task: Option<String>,
    /// Why.
    pub error: TaskError,
}

/// Reads every suite of a folder `tasks/`, in order of their names. Only a folder that cannot be listed is an error.
pub fn survey(root: &Path) -> Result<Survey, TaskError> {
    let mut found = Survey::default();
    let name = |dir: &Path| dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for dir in folders(root)? {
        if !dir.join("suite.toml").exists() {
            continue;
        }
        let suite = match load_suite(&dir) {
            Ok(suite) => suite,
            Err(error) => {
                found.broken.push(Broken { suite: name(&dir), task: None, error });
                continue;
            }
        };
        let mut tasks = Vec::new();
        for folder in folders(&dir)?.into_iter().filter(|d| d.join("task.toml").exists()) {
            match load_task(&folder, &suite) {
                Ok(task) => tasks.push(task),
                Err(error) => found.broken.push(Broken { suite: name(&dir), task: Some(name(&folder)), error }),
            }
        }
        found.suites.push(TaskSuite { suite, dir, tasks });
    }
    Ok(found)
}

/// Reads every suite of a folder `tasks/`, whole: one that cannot be read is an error.
pub fn load(root: &Path) -> Result<Vec<TaskSuite>, TaskError> {
    let found = survey(root)?;
    found.broken.into_iter().next().map_or(Ok(found.suites), |b| Err(b.error))
}

/// The tasks that are meant, of a folder of suites. What is broken beside them is nobody's concern.
pub fn find_in(root: &Path, suite: Option<&str>, task: Option<&str>) -> Result<Vec<Task>, TaskError> {
    let found = survey(root)?;
    let of_suite = |b: &Broken| suite.is_none_or(|w| w.split('@').next() == Some(b.suite.as_str()));
    let of_task = |b: &Broken| task.is_none_or(|w| b.task.as_deref() == Some(w));
    // A suite that cannot be read may hold the task that is asked for, unless another one has it.
    let has = |w| found.suites.iter().flat_map(|s| &s.tasks).any(|t: &Task| t.spec.id == w);
    let hides = |b: &Broken| b.task.is_none() && task.is_none_or(|w| suite.is_some() || !has(w));
    if let Some(at) = found.broken.iter().position(|b| of_suite(b) && (of_task(b) || hides(b))) {
        return Err(found.broken.into_iter().nth(at).map_or_else(|| nothing(root), |b| b.error));
    }
    if found.suites.is_empty() {
        return Err(nothing(root));
    }
    find(&found.suites, suite, task)
}

/// A folder without any suite.
fn nothing(root: &Path) -> TaskError {
    TaskError::Missing {
        what: format!("a suite in the folder {}", root.display()),
        hint:
            "a suite is a folder in it with a suite.toml, and a task a folder of the suite with a task.toml; --tasks \
               names another folder"
                .into(),
    }
}

/// The tasks of a suite (`id` or `id@version`), or the one task of a name, of all suites.
pub fn find(suites: &[TaskSuite], suite: Option<&str>, task: Option<&str>) -> Result<Vec<Task>, TaskError> {
    let of_suite: Vec<&TaskSuite> =
        suites.iter().filter(|s| suite.is_none_or(|w| w == s.suite.id || w == s.suite.word())).collect();
    if of_suite.is_empty() {
        let known: Vec<String> = suites.iter().map(|s| s.suite.word()).collect();
        return Err(TaskError::Missing {
            what: suite.map_or("a suite".to_owned(), |s| format!("the suite {s:?}")),
            hint: match known.is_empty() {
                true => "there is none: a suite is a folder with a suite.toml".into(),
                false => format!("there are: {}", known.join(", ")),
            },
        });
    }
    let tasks: Vec<Task> =
        of_suite.iter().flat_map(|s| &s.tasks).filter(|t| task.is_none_or(|w| w == t.spec.id)).cloned().collect();
    if tasks.is_empty() {
        let dirs: Vec<String> = of_suite.iter().map(|s| s.dir.display().to_string()).collect();
        return Err(match task {
            Some(task) => TaskError::Missing {
                what: format!("the task {task:?} in {}", dirs.join(", ")),
                hint: "tsbench tasks list names every task".into(),
            },
            None => TaskError::Missing {
                what: format!("a task in {}", dirs.join(", ")),
                hint: "a task is a folder of the suite with a task.toml".into(),
            },
        });
    }
    Ok(tasks)
}

fn load_suite(dir: &Path) -> Result<Suite, TaskError> {
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
    if suite.version.is_empty()
        || suite.version.contains(|c: char| c.is_whitespace() || c.is_control() || "@/".contains(c))
    {
        return Err(TaskError::bad(
            path,
            format!("version {:?}; expected a text without blanks, @ and /", suite.version),
            "runs name a suite as id@version: give it a version such as 1.0",
        ));
    }
    if suite.repeats == 0 {
        return Err(TaskError::bad(path, "repeats is 0; expected 1 or more", "name the attempts at each task"));
    }
    Ok(suite)
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
    let bytes = std::fs::read(path).map_err(TaskError::io(path))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = good.iter().filter(|b| **b == b'\n').count() + 1;
        TaskError::bad(path, format!("line {line} is not UTF-8"), "save the file as UTF-8")
    })?;
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
