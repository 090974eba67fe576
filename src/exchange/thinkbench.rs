//! Task folders of Thinkbench: a brief, a grader, starter files and a reference become a task judged by a scorecard.

use super::import_rows::{Imported, ORIGIN, title_of};
use super::intake::{Intake, plain_spec, spec_text, text_of};
use super::licence::{is_terms, terms_of};
use super::{ExchangeError, Losses};
use crate::git::{Applied, Mode, Store, TreeId};
use crate::schema::{Scorecard, Suite, is_test_path};
use crate::tasks::{Files, Material, Task, TaskSuite, leaves, read_folder, write_links};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const FORMAT: &str = "thinkbench";
const RUN: &str = "tsbench_run.py";
/// What a tree of files without a project needs so that Python's tools take it for one.
const REQUIREMENTS: &str = "requirements.txt";
const MANIFEST: &str = "manifest.json";
/// What graders print, and what manifests hold.
const CARD: &str = r#"{"checks": [{"id": "…", "passed": true}, …]}"#;
const ENTRY: &str = r#"[{"slug": "…", "graded_behaviors": [{"id": "…"}, …]}, …]"#;

/// One folder.
#[derive(Clone, Debug)]
pub struct ThinkbenchTask {
    /// Its name, under which the solution is imported.
    pub slug: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Why no task can be made of it, if that is known.
    pub refused: Option<String>,
    /// Its files.
    pub files: Files,
    /// The ids of its checks, where a manifest declares them. They are the denominator.
    pub checks: Option<Vec<String>>,
    /// Its entry of the manifest.
    pub entry: Value,
    /// Files with the terms of the whole set.
    pub terms: Files,
}

impl ThinkbenchTask {
    /// The files below one of its folders.
    pub fn below(&self, folder: &str) -> Files {
        let inside = |(p, f): (&String, &(Mode, Vec<u8>))| Some((p.strip_prefix(folder)?.to_owned(), f.clone()));
        self.files.iter().filter_map(inside).collect()
    }

    /// Takes what its grader printed when it was run on the reference as the declaration of its checks.
    pub fn declare(&mut self, output: &str) {
        match checks_of_card(output) {
            Ok(checks) => self.checks = Some(checks),
            Err(why) => self.refused = Some(why),
        }
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

/// The ids of the checks of the scorecard that a grader printed as its last line, all of which must have passed.
fn checks_of_card(output: &str) -> Result<Vec<String>, String> {
    let last = output.trim_end().lines().last().unwrap_or("").trim();
    let shape = |what: &str| {
        let cut: String = last.chars().take(200).collect();
        format!("grade.py printed {cut:?} as its last line when run on the reference: {what}; expected {CARD}")
    };
    let card: Value = serde_json::from_str(last).map_err(|_| shape("that is no JSON"))?;
    let list = card.get("checks").and_then(Value::as_array).ok_or_else(|| shape("there is no list named checks"))?;
    let (mut ids, mut failed) = (Vec::new(), Vec::new());
    for check in list {
        let id = check.get("id").and_then(Value::as_str).ok_or_else(|| shape("a check has no id"))?;
        let passed = check.get("passed").and_then(Value::as_bool);
        if !passed.ok_or_else(|| shape(&format!("the check {id:?} does not say whether it passed")))? {
            failed.push(id);
        }
        ids.push(id.to_owned());
    }
    if card.get("import_ok").and_then(Value::as_bool) == Some(false) {
        return Err("its grader could not load the reference: correct reference/".into());
    }
    if !failed.is_empty() {
        let passed = ids.len() - failed.len();
        return Err(format!(
            "its reference passes {passed} of {} checks of its own grader, and not {}: correct one of them",
            ids.len(),
            failed.join(", ")
        ));
    }
    distinct(ids).map_err(|why| shape(&why))
}

/// Ids of checks, each of which is there once.
fn distinct(ids: Vec<String>) -> Result<Vec<String>, String> {
    let mut seen = BTreeSet::new();
    match ids.iter().find(|id| id.trim().is_empty() || !seen.insert(*id)) {
        Some(id) if id.trim().is_empty() => Err("a check has an empty id".into()),
        Some(id) => Err(format!("the check {id:?} stands twice")),
        None if ids.is_empty() => Err("it names no check".into()),
        None => Ok(ids),
    }
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
    let mut terms = terms_of(dir)?;
    if root != dir {
        terms.extend(terms_of(&root)?);
    }
    let one = |dir: &PathBuf| {
        let slug = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let mut task = ThinkbenchTask {
            slug,
            dir: dir.clone(),
            refused: None,
            files: Files::new(),
            checks: None,
            entry: Value::Null,
            terms: terms.clone(),
        };
        task.refused = fill(&mut task, &manifest).err();
        task
    };
    Ok(names.iter().map(one).collect())
}

/// Reads a folder's files and what the manifest says of it.
fn fill(task: &mut ThinkbenchTask, manifest: &Manifest) -> Result<(), String> {
    task.files = read_folder(&task.dir).map_err(|e| e.to_string())?;
    let links = task.files.iter().filter(|(_, (mode, _))| *mode == Mode::Link);
    for (path, target) in links.map(|(p, (_, t))| (p, t)) {
        let inside = ["setup/", "reference/"].iter().find_map(|f| path.strip_prefix(f));
        if inside.is_none_or(|inside| leaves(inside, target)) {
            let target = String::from_utf8_lossy(target);
            return Err(format!("{path} is a link to {target:?}: put the file itself there"));
        }
    }
    let Some((file, entries)) = manifest else { return Ok(()) };
    let of = |why: &str| format!("{}: {why}; expected {ENTRY}", file.display());
    match entries.get(&task.slug).map(Vec::as_slice) {
        None | Some([]) => Ok(()),
        Some([entry]) => {
            task.entry = entry.clone();
            task.checks = declared(entry).map_err(|why| of(&why))?;
            Ok(())
        }
        Some(_) => Err(of("it stands there twice")),
    }
}

/// The checks that an entry of a manifest declares; nothing where it leaves that to the grader.
fn declared(entry: &Value) -> Result<Option<Vec<String>>, String> {
    let Some(list) = entry.get("graded_behaviors").filter(|l| !l.is_null()) else { return Ok(None) };
    let list = list.as_array().ok_or("its graded_behaviors are no list")?;
    if list.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let ids: Option<Vec<String>> = list.iter().map(|b| b.get("id")?.as_str().map(str::to_owned)).collect();
    let ids = ids.ok_or("its graded_behaviors are not each a map with an id")?;
    distinct(ids).map(Some).map_err(|why| format!("in its graded_behaviors {why}"))
}

/// A manifest's file and its entries by slug.
type Manifest = Option<(PathBuf, BTreeMap<String, Vec<Value>>)>;

fn manifest(places: &[PathBuf]) -> Result<Manifest, ExchangeError> {
    let Some(path) = places.iter().find(|p| p.is_file()) else { return Ok(None) };
    let bytes = std::fs::read(path).map_err(ExchangeError::io(path))?;
    let bad =
        |what: String| ExchangeError::bad(path, format!("{what}; expected {ENTRY}"), "write the file in this form");
    let list: Value = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    let list = list.as_array().ok_or_else(|| bad("it is no list of tasks".into()))?;
    let mut entries: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (i, entry) in list.iter().enumerate() {
        let slug = entry.get("slug").and_then(Value::as_str);
        let slug = slug.ok_or_else(|| bad(format!("its entry {} has no slug", i + 1)))?;
        entries.entry(slug.to_owned()).or_default().push(entry.clone());
    }
    Ok(Some((path.clone(), entries)))
}

const NO_REFERENCE: &str = "there is no reference, so that nothing shows that the grader is right";

/// Takes folders in as tasks of a suite below `root`.
pub fn import(tasks: &[ThinkbenchTask], root: &Path, suite: &Suite) -> Result<Imported, ExchangeError> {
    let mut intake = Intake::new(root, suite)?;
    let mut out = Imported::default();
    for task in tasks {
        let slug = &task.slug;
        let mut losses = Losses::default();
        let made = match (&task.refused, task.checks.as_ref()) {
            (Some(why), _) => Err(why.clone()),
            (None, _) if !task.files.contains_key("grade.py") => {
                Err("it has no grader: it is only looked at, and in no denominator".into())
            }
            (None, Some(checks)) if !checks.is_empty() => files_of(task, checks, &mut losses)?,
            (None, _) if !task.files.keys().any(|p| p.starts_with("reference/")) => Err(NO_REFERENCE.into()),
            (None, _) => Err("no checks are declared for it, so that there is no denominator".into()),
        };
        let refused = match &made {
            Ok(files) => intake.add(slug, files)?,
            Err(why) => Some(why.clone()),
        };
        match refused {
            Some(why) => out.refused.push((slug.clone(), format!("{why} ({})", task.dir.display()))),
            None => {
                out.losses.extend(losses);
                out.tasks.push(slug.clone());
            }
        }
    }
    out.dir = intake.finish(&mut out.losses)?;
    Ok(out)
}

fn files_of(
    task: &ThinkbenchTask,
    checks: &[String],
    losses: &mut Losses,
) -> Result<Result<Files, String>, ExchangeError> {
    let slug = &task.slug;
    let brief = match text_of(&task.files, "brief.txt") {
        Ok(Some(brief)) if !brief.trim().is_empty() => brief,
        Ok(_) => return Ok(Err("brief.txt is empty: write there what an agent is to do".into())),
        Err(why) => return Ok(Err(why)),
    };
    let Some(grader) = task.files.get("grade.py") else {
        return Ok(Err("it has no grader: it is only looked at, and in no denominator".into()));
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
        return Ok(Err(NO_REFERENCE.into()));
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
    let other = |p: &&String| {
        !known.contains(&p.as_str()) && !p.starts_with("setup/") && !p.starts_with("reference/") && !is_terms(p)
    };
    for path in task.files.keys().filter(other) {
        losses.add(slug, format!("{path} has no place in a task"));
    }
    // Where a task has terms of its own under one name with the set's, they are what it stands under.
    let own_terms = || task.files.iter().filter(|(p, _)| is_terms(p));
    let own: Vec<&String> = own_terms().map(|(p, _)| p).collect();
    let of_set: Vec<&String> = task.terms.keys().filter(|p| !own.contains(p)).collect();
    let mut origin = json!({"format": FORMAT, "reference": names, "entry": task.entry});
    if !own.is_empty() || !of_set.is_empty() {
        origin["licence"] = json!({"of_task": own, "of_set": of_set});
    }
    let own_terms = own_terms();
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
        (ORIGIN, text(&origin)?),
    ];
    files.extend(task.terms.iter().chain(own_terms).map(|(path, file)| (path.clone(), file.clone())));
    files.extend(own.into_iter().map(|(path, bytes)| (path.to_owned(), (Mode::File, bytes))));
    Ok(Ok(files))
}

/// Writes those of a suite's tasks that came from this layout as folders again; how many, and what is lost.
pub fn export(suite: &TaskSuite, mirrors: &Path, out: &Path) -> Result<(usize, Losses), ExchangeError> {
    if out.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(out.to_owned()));
    }
    let mut losses = Losses::default();
    let (mut all, mut entries, mut count) = (Files::new(), Vec::new(), 0);
    for task in &suite.tasks {
        let Some(origin) = origin_of(task) else {
            losses.add(
                &task.spec.id,
                "left out: it did not come from this layout, and has no grader that prints a scorecard",
            );
            continue;
        };
        let folder = folder_of(task, &origin, &Material::prepare(task, mirrors)?)?;
        if let Some((path, _)) = folder.iter().find(|(p, (mode, t))| {
            let inside = p.split_once('/').map_or(p.as_str(), |(_, inside)| inside);
            *mode == Mode::Link && leaves(inside, t)
        }) {
            losses.add(&task.spec.id, format!("left out: the link {path} leads out of its tree"));
            continue;
        }
        count += 1;
        all.extend(folder.into_iter().map(|(path, file)| (format!("tasks/{}/{path}", task.spec.id), file)));
        for name in listed(&origin, "/licence/of_set") {
            let path = task.dir.join(&name);
            all.insert(name, (Mode::File, std::fs::read(&path).map_err(ExchangeError::io(path))?));
        }
        if !origin["entry"].is_null() {
            entries.push(origin["entry"].clone());
        }
    }
    if count == 0 {
        return Ok((0, losses));
    }
    losses.add(&suite.suite.id, "version, repeats and limits of the suite have no place in this layout");
    write_links(out, &all, &|path| ["/setup/", "/reference/"].iter().any(|f| path.contains(f)))?;
    if !entries.is_empty() {
        let path = out.join(MANIFEST);
        std::fs::write(&path, format!("{:#}\n", Value::from(entries))).map_err(ExchangeError::io(path))?;
    }
    Ok((count, losses))
}

/// The names of a list in an origin that are files of terms.
fn listed(origin: &Value, pointer: &str) -> Vec<String> {
    let names = origin.pointer(pointer).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| is_terms(name) && !name.contains('/')).map(str::to_owned).collect()
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
    for name in listed(origin, "/licence/of_task") {
        let path = task.dir.join(&name);
        files.insert(name, (Mode::File, std::fs::read(&path).map_err(ExchangeError::io(path))?));
    }
    let grader = task.grader_files()?.remove("grade.py").unwrap_or_default();
    files.insert("grade.py".to_owned(), (Mode::File, grader));
    Ok(files)
}
