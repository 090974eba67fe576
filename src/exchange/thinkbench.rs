//! Task folders of Thinkbench: a brief, a grader, starter files and a reference become a task judged by a scorecard.

use super::import_rows::{Imported, ORIGIN, title_of};
use super::intake::{Intake, plain_spec, spec_text};
use super::{ExchangeError, Losses};
use crate::git::{Applied, Mode, Store, TreeId};
use crate::schema::{Scorecard, Suite, is_test_path};
use crate::tasks::{Files, Material, Task, TaskSuite, read_folder, write_folder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FORMAT: &str = "thinkbench";
const RUN: &str = "tsbench_run.py";
/// What a tree of files without a project needs so that Python's tools take it for one.
const REQUIREMENTS: &str = "requirements.txt";
const MANIFEST: &str = "manifest.json";

/// One folder.
#[derive(Clone, Debug)]
pub struct ThinkbenchTask {
    /// Its name, under which the solution is imported.
    pub slug: String,
    /// Its files.
    pub files: Files,
    /// The ids of its checks, where a manifest declares them. They are the denominator.
    pub checks: Option<Vec<String>>,
    /// Its entry of the manifest.
    pub entry: Value,
}

impl ThinkbenchTask {
    /// The files below one of its folders.
    pub fn below(&self, folder: &str) -> Files {
        let inside = |(p, f): (&String, &(Mode, Vec<u8>))| Some((p.strip_prefix(folder)?.to_owned(), f.clone()));
        self.files.iter().filter_map(inside).collect()
    }

    fn text(&self, name: &str) -> Option<String> {
        self.files.get(name).map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The workspace with the reference in it, and the grader: what shows which checks there are.
    pub fn graded_reference(&self) -> Files {
        let mut files = place(&self.below("setup/"), &self.slug);
        files.extend(place(&self.below("reference/"), &self.slug));
        files.extend(self.files.get("grade.py").map(|f| ("grade.py".to_owned(), f.clone())));
        files
    }
}

fn place(files: &Files, slug: &str) -> Files {
    files.iter().map(|(path, file)| (format!("{slug}/{path}"), file.clone())).collect()
}

/// The ids of the checks of a scorecard, the last line that a grader printed.
pub fn checks_of_card(output: &str) -> Option<Vec<String>> {
    let card: Value = serde_json::from_str(output.trim_end().lines().last()?).ok()?;
    card.get("checks")?.as_array()?.iter().map(|c| c.get("id")?.as_str().map(str::to_owned)).collect()
}

/// Reads the folders of a folder, or of `tasks/` in it, in order of their names.
pub fn read(dir: &Path) -> Result<Vec<ThinkbenchTask>, ExchangeError> {
    let inner = dir.join("tasks");
    let root = if inner.is_dir() { inner } else { dir.to_owned() };
    let manifest = manifest(&[dir.join(MANIFEST), root.join(MANIFEST), root.join("..").join(MANIFEST)])?;
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(&root).map_err(ExchangeError::io(&root))? {
        let path = entry.map_err(ExchangeError::io(&root))?.path();
        if path.join("brief.txt").is_file() {
            names.push(path);
        }
    }
    names.sort();
    if names.is_empty() {
        return Err(ExchangeError::bad(&root, "no folder in it has a brief.txt", "name the folder of task folders"));
    }
    let one = |path: &PathBuf| {
        let slug = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let entry = manifest.get(&slug).cloned().unwrap_or(Value::Null);
        let id = |b: &Value| b.get("id")?.as_str().map(str::to_owned);
        let checks = entry.get("graded_behaviors").and_then(Value::as_array).map(|l| l.iter().filter_map(id).collect());
        Ok(ThinkbenchTask { slug, files: read_folder(path)?, checks, entry })
    };
    names.iter().map(one).collect()
}

fn manifest(places: &[PathBuf]) -> Result<BTreeMap<String, Value>, ExchangeError> {
    let Some(path) = places.iter().find(|p| p.is_file()) else { return Ok(BTreeMap::new()) };
    let bytes = std::fs::read(path).map_err(ExchangeError::io(path))?;
    let hint = "manifest.json is a list of tasks, each with its slug and graded_behaviors";
    let list: Vec<Value> = serde_json::from_slice(&bytes).map_err(|e| ExchangeError::bad(path, e.to_string(), hint))?;
    Ok(list.into_iter().filter_map(|e| Some((e.get("slug")?.as_str()?.to_owned(), e))).collect())
}

/// Takes folders in as tasks of a suite below `root`.
pub fn import(tasks: &[ThinkbenchTask], root: &Path, suite: &Suite) -> Result<Imported, ExchangeError> {
    let mut intake = Intake::new(root, suite)?;
    let mut out = Imported::default();
    for task in tasks {
        let slug = &task.slug;
        let Some(checks) = task.checks.as_ref().filter(|c| !c.is_empty()) else {
            let why = if task.files.contains_key("grade.py") {
                "no checks are declared for it, so that there is no denominator"
            } else {
                "it has no grader: it is only looked at, and in no denominator"
            };
            out.refused.push((slug.clone(), why.to_owned()));
            continue;
        };
        let files = match files_of(task, checks, &mut out.losses)? {
            Ok(files) => files,
            Err(why) => {
                out.refused.push((slug.clone(), why));
                continue;
            }
        };
        match intake.add(slug, &files)? {
            Some(why) => out.refused.push((slug.clone(), why)),
            None => out.tasks.push(slug.clone()),
        }
    }
    out.dir = intake.finish()?;
    Ok(out)
}

fn files_of(
    task: &ThinkbenchTask,
    checks: &[String],
    losses: &mut Losses,
) -> Result<Result<Files, String>, ExchangeError> {
    let slug = &task.slug;
    let (Some(brief), Some(grader)) = (task.text("brief.txt"), task.files.get("grade.py")) else {
        return Ok(Err("brief.txt or grade.py is missing".into()));
    };
    if !slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(Err("its name is no name of a Python package".into()));
    }
    let mut start = place(&task.below("setup/"), slug);
    start.insert(REQUIREMENTS.to_owned(), (Mode::File, b"# only the standard library\n".to_vec()));
    losses.add(slug, format!("{REQUIREMENTS} is added to the workspace, so that Python's tools take it for a project"));
    losses.add(
        slug,
        "the grader loads the solution into its own process: code that rewrites the grader in memory can lie to it",
    );
    let reference = place(&task.below("reference/"), slug);
    if reference.is_empty() {
        return Ok(Err("there is no reference, so that nothing shows that the grader is right".into()));
    }
    let mut fixed = start.clone();
    for (path, file) in &reference {
        if is_test_path(path) && start.get(path) != Some(file) {
            losses.add(slug, "a file of tests of the reference is left out: tests are restored before scoring");
        } else {
            fixed.insert(path.clone(), file.clone());
        }
    }
    let store = Store::new()?;
    let patch = store.diff(&store.write_files(&start)?, &store.write_files(&fixed)?, &[])?;
    let mut spec = plain_spec(slug, &title_of(&brief), "python");
    spec.use_cases = task.entry.get("type").and_then(Value::as_str).map(str::to_owned).into_iter().collect();
    spec.scorecard =
        Some(Scorecard { checks: checks.to_vec(), command: ["python3", "-I", RUN].map(str::to_owned).into() });
    let names: Vec<&String> = task.files.keys().filter(|p| p.starts_with("reference/")).collect();
    let known = ["brief.txt", "grade.py"];
    let other = |p: &&String| !known.contains(&p.as_str()) && !p.starts_with("setup/") && !p.starts_with("reference/");
    for path in task.files.keys().filter(other) {
        losses.add(slug, format!("{path} has no place in a task"));
    }
    let text = |value: &Value| serde_json::to_vec_pretty(value).map_err(|e| ExchangeError::io(ORIGIN)(e.into()));
    let mut files: Files = start.into_iter().map(|(path, file)| (format!("repo/{path}"), file)).collect();
    let own = [
        ("task.toml", spec_text(&spec)?),
        ("problem.md", brief.into_bytes()),
        ("solution.patch", patch),
        ("grader/grade.py", grader.1.clone()),
        ("grader/checks.json", text(&json!(checks))?),
        ("grader/tsbench_run.py", include_bytes!("thinkbench_run.py").to_vec()),
        ("grader/tsbench_child.py", include_bytes!("thinkbench_child.py").to_vec()),
        (ORIGIN, text(&json!({"format": FORMAT, "reference": names, "entry": task.entry}))?),
    ];
    files.extend(own.into_iter().map(|(path, bytes)| (path.to_owned(), (Mode::File, bytes))));
    Ok(Ok(files))
}

/// Writes those of a suite's tasks that came from this layout as folders again; how many, and what is lost.
pub fn export(suite: &TaskSuite, mirrors: &Path, out: &Path) -> Result<(usize, Losses), ExchangeError> {
    if out.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(out.to_owned()));
    }
    let mut losses = Losses::default();
    let (mut all, mut entries) = (Files::new(), Vec::new());
    for task in &suite.tasks {
        let Some(origin) = origin_of(task) else {
            losses.add(
                &task.spec.id,
                "left out: it did not come from this layout, and has no grader that prints a scorecard",
            );
            continue;
        };
        let folder = folder_of(task, &origin, &Material::prepare(task, mirrors)?)?;
        all.extend(folder.into_iter().map(|(path, file)| (format!("tasks/{}/{path}", task.spec.id), file)));
        if !origin["entry"].is_null() {
            entries.push(origin["entry"].clone());
        }
    }
    let count = suite.tasks.iter().filter(|t| origin_of(t).is_some()).count();
    write_folder(out, &all)?;
    if !entries.is_empty() {
        let path = out.join(MANIFEST);
        std::fs::write(&path, format!("{:#}\n", Value::from(entries))).map_err(ExchangeError::io(path))?;
    }
    Ok((count, losses))
}

fn origin_of(task: &Task) -> Option<Value> {
    let value: Value = serde_json::from_slice(&std::fs::read(task.dir.join(ORIGIN)).ok()?).ok()?;
    (value.get("format")?.as_str()? == FORMAT).then_some(value)
}

fn folder_of(task: &Task, origin: &Value, material: &Material) -> Result<Files, ExchangeError> {
    let slug = format!("{}/", task.spec.id);
    let below = |tree: &TreeId, folder: &str, keep: &dyn Fn(&str) -> bool| -> Result<Files, ExchangeError> {
        let mut files = Files::new();
        for (path, entry) in material.store.read(tree)? {
            let Some(name) = path.strip_prefix(&slug).map(|p| format!("{folder}/{p}")).filter(|n| keep(n)) else {
                continue;
            };
            files.insert(name, (entry.mode, material.store.bytes(&entry.blob)?));
        }
        Ok(files)
    };
    let fixed = match material.store.apply(&material.start, &material.solution)? {
        Applied::Strict(tree) | Applied::Lenient(tree) => tree,
        Applied::Empty | Applied::Refused(_) => material.start.clone(),
    };
    let named = |name: &str| origin["reference"].as_array().is_some_and(|l| l.iter().any(|v| v == name));
    let mut files = below(&material.start, "setup", &|_| true)?;
    files.extend(below(&fixed, "reference", &named)?);
    files.insert("brief.txt".to_owned(), (Mode::File, task.problem.clone().into_bytes()));
    let grader = task.grader_files()?.remove("grade.py").unwrap_or_default();
    files.insert("grade.py".to_owned(), (Mode::File, grader));
    Ok(files)
}
