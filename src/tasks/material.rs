use super::files::{Files, leaves, read, read_folder};
use super::{Sides, Task, TaskError};
use crate::git::{Applied, Mode, Store, Tree, TreeId};
use crate::schema::{TaskBase, TaskSource};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The tests that an agent never sees: files to write over the tree, and files to remove from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Files by path.
    pub files: Tree,
    /// Paths that the tests remove.
    pub removed: BTreeSet<String>,
}

/// The parts of a task as git objects.
pub struct Material {
    /// Where they are kept.
    pub store: Store,
    /// The tree that an agent starts from.
    pub start: TreeId,
    /// The human fix, as a patch.
    pub solution: Vec<u8>,
    /// The hidden tests.
    pub hidden: Hidden,
    /// SHA-256 over all that makes the task what it is, hex.
    pub digest: String,
}

impl Material {
    /// Prepares a task; `mirrors` holds bare mirrors named `owner__name.git`, for tasks that have a source.
    pub fn prepare(task: &Task, mirrors: &Path) -> Result<Material, TaskError> {
        if task.spec.sealed.is_none()
            && let Some((file, what)) = super::sound::unsound(task).into_iter().next()
        {
            return Err(TaskError::bad(file, what, "tsbench tasks check names everything that is wrong"));
        }
        Material::assemble(task, mirrors)
    }

    /// The parts of a task, whether or not it can be scored by what it states.
    pub(super) fn assemble(task: &Task, mirrors: &Path) -> Result<Material, TaskError> {
        if task.spec.sealed.is_some() {
            return Err(TaskError::Sealed { task: task.spec.id.clone() });
        }
        match (&task.spec.source, &task.spec.base) {
            (Some(_), Some(_)) => Err(TaskError::bad(
                task.dir.join("task.toml"),
                "both source and base name a starting tree",
                "source is for a change that the mirror has whole, base for a commit with the patches beside it",
            )),
            (Some(source), None) => from_mirror(task, source, mirrors),
            (None, Some(base)) => from_base(task, base, mirrors),
            (None, None) => from_folder(task),
        }
    }

    /// The hidden tests over a tree.
    pub fn with_hidden(&self, tree: &TreeId) -> Result<TreeId, crate::git::GitError> {
        let mut files = self.store.read(tree)?;
        for path in &self.hidden.removed {
            files.remove(path);
        }
        for (path, entry) in &self.hidden.files {
            // A file stands where the tests need a folder, or a folder where they need a file: the tests win.
            let below = format!("{path}/");
            files.retain(|p, _| !p.starts_with(&below) && !path.starts_with(&format!("{p}/")));
            files.insert(path.clone(), entry.clone());
        }
        self.store.write(&files)
    }
}

impl Task {
    /// Other correct solutions, by name: patches of the folder `alternates/`. They must resolve the task.
    pub fn alternates(&self) -> Result<BTreeMap<String, Vec<u8>>, TaskError> {
        self.patches("alternates")
    }

    /// Wrong solutions, by name: patches of the folder `wrong/`. They must not resolve the task.
    pub fn wrong(&self) -> Result<BTreeMap<String, Vec<u8>>, TaskError> {
        self.patches("wrong")
    }

    fn patches(&self, folder: &str) -> Result<BTreeMap<String, Vec<u8>>, TaskError> {
        let dir = self.dir.join(folder);
        let named = |(path, (_, bytes)): (String, (Mode, Vec<u8>))| match path.strip_suffix(".patch") {
            Some(name) => Ok((name.to_owned(), bytes)),
            None => Err(TaskError::bad(dir.join(&path), "is no patch", "this folder holds NAME.patch files alone")),
        };
        read_folder(&dir)?.into_iter().map(named).collect()
    }

    /// The files of the task's own grader, by path.
    pub fn grader_files(&self) -> Result<BTreeMap<String, Vec<u8>>, TaskError> {
        Ok(read_folder(&self.dir.join("grader"))?.into_iter().map(|(path, (_, bytes))| (path, bytes)).collect())
    }
}

fn from_folder(task: &Task) -> Result<Material, TaskError> {
    let id = task.spec.id.as_str();
    let store = Store::new().map_err(TaskError::git(id))?;
    let start = write(&store, id, &read_folder(&task.dir.join("repo"))?)?;
    beside(task, store, start)
}

fn from_base(task: &Task, base: &TaskBase, mirrors: &Path) -> Result<Material, TaskError> {
    let id = task.spec.id.as_str();
    let store = Store::over(&[&mirror_of(mirrors, &base.repo)]).map_err(TaskError::git(id))?;
    let start = store.tree_of(&base.commit).map_err(TaskError::git(id))?;
    beside(task, store, start)
}

/// Whether the links of a task's own folders stay in the tree that they are for, as every sandbox asks. Folders that cannot
/// be read are told of where they are.
pub fn links_stay(task: &Task) -> Result<(), TaskError> {
    for dir in ["repo", "tests"].map(|name| task.dir.join(name)) {
        let Ok(files) = read_folder(&dir) else { continue };
        let out = files.iter().find(|(path, (mode, target))| *mode == Mode::Link && leaves(path, target));
        if let Some((path, (_, target))) = out {
            return Err(TaskError::bad(
                dir.join(path),
                format!("is a link to {:?}, which leads out of the tree", String::from_utf8_lossy(target)),
                "put a copy of the file in its place, or a link that stays within the folder",
            ));
        }
    }
    Ok(())
}

/// Where the mirror of a repository is.
fn mirror_of(mirrors: &Path, repo: &str) -> PathBuf {
    mirrors.join(format!("{}.git", repo.replace('/', "__")))
}

/// The parts of a task whose fix and hidden tests are files of its folder.
fn beside(task: &Task, store: Store, start: TreeId) -> Result<Material, TaskError> {
    let id = task.spec.id.as_str();
    let solution = read(&task.dir.join("solution.patch"))?;
    let patch = task.dir.join("tests.patch");
    let hidden = if patch.is_file() {
        from_patch(&store, task, &start, &read(&patch)?, &patch)?
    } else {
        let tree = write(&store, id, &read_folder(&task.dir.join("tests"))?)?;
        Hidden { files: store.read(&tree).map_err(TaskError::git(id))?, removed: BTreeSet::new() }
    };
    finish(task, store, start, solution, hidden)
}

fn from_mirror(task: &Task, source: &TaskSource, mirrors: &Path) -> Result<Material, TaskError> {
    let id = task.spec.id.as_str();
    let store = Store::over(&[&mirror_of(mirrors, &source.repo)]).map_err(TaskError::git(id))?;
    let start = store.tree_of(&source.base_commit).map_err(TaskError::git(id))?;
    let fixed = store.tree_of(&source.fix_commit).map_err(TaskError::git(id))?;
    let (solution, tests) = split(&store, id, &start, &fixed)?;
    for (what, bytes, want) in
        [("solution", &solution, &source.solution_sha256), ("tests", &tests, &source.tests_sha256)]
    {
        let found = sha256(bytes);
        if found != *want {
            let file = task.dir.join("task.toml");
            return Err(TaskError::bad(
                file,
                format!("source.{what}_sha256 is {want}, the mirror gives {found}"),
                "the mirror differs from the one the task was made from: update it, or prove the task anew",
            ));
        }
    }
    let hidden = from_patch(&store, task, &start, &tests, &task.dir)?;
    finish(task, store, start, solution, hidden)
}

/// The files that a change adds or changes, as it leaves them.
pub fn sides(store: &Store, id: &str, start: &TreeId, fixed: &TreeId) -> Result<Sides, TaskError> {
    let (before, after) =
        (store.read(start).map_err(TaskError::git(id))?, store.read(fixed).map_err(TaskError::git(id))?);
    let changed: Vec<(&String, &str)> =
        after.iter().filter(|(p, e)| before.get(*p) != Some(e)).map(|(p, e)| (p, e.blob.as_str())).collect();
    let blobs: Vec<&str> = changed.iter().map(|(_, blob)| *blob).collect();
    let bytes = store.many(&blobs).map_err(TaskError::git(id))?;
    let files = changed.into_iter().map(|(path, _)| path.clone()).zip(bytes);
    let (tests, code) = files.partition(|(path, _)| crate::schema::is_test_path(path));
    Ok(Sides { code, tests })
}

/// The two halves of a change: what touches tests, and the rest.
pub fn split(store: &Store, id: &str, start: &TreeId, fixed: &TreeId) -> Result<(Vec<u8>, Vec<u8>), TaskError> {
    let (before, after) =
        (store.read(start).map_err(TaskError::git(id))?, store.read(fixed).map_err(TaskError::git(id))?);
    let changed: BTreeSet<&String> =
        before.keys().chain(after.keys()).filter(|p| before.get(*p) != after.get(*p)).collect();
    let (tests, code): (Vec<String>, Vec<String>) =
        changed.into_iter().cloned().partition(|p| crate::schema::is_test_path(p));
    let part = |paths: &[String]| {
        if paths.is_empty() { Ok(Vec::new()) } else { store.diff(start, fixed, paths).map_err(TaskError::git(id)) }
    };
    Ok((part(&code)?, part(&tests)?))
}

fn from_patch(store: &Store, task: &Task, start: &TreeId, patch: &[u8], file: &Path) -> Result<Hidden, TaskError> {
    let id = task.spec.id.as_str();
    let after = match store.apply(start, patch).map_err(TaskError::git(id))? {
        Applied::Strict(tree) => tree,
        Applied::Empty => start.clone(),
        Applied::Lenient(_) => {
            return Err(TaskError::bad(
                file,
                "the hidden tests apply only leniently",
                "make the patch against the starting tree",
            ));
        }
        Applied::Refused(why) => {
            return Err(TaskError::bad(
                file,
                format!("the hidden tests do not apply: {why}"),
                "make the patch against the starting tree",
            ));
        }
    };
    let (before, after) =
        (store.read(start).map_err(TaskError::git(id))?, store.read(&after).map_err(TaskError::git(id))?);
    let files = after.iter().filter(|(p, e)| before.get(*p) != Some(e)).map(|(p, e)| (p.clone(), e.clone())).collect();
    let removed = before.keys().filter(|p| !after.contains_key(*p)).cloned().collect();
    Ok(Hidden { files, removed })
}

fn finish(task: &Task, store: Store, start: TreeId, solution: Vec<u8>, hidden: Hidden) -> Result<Material, TaskError> {
    let mut text = format!(
        "tsbench.task/1\nspec {}\nproblem {}\nstart {}\nsolution {}\n",
        sha256(&task.spec_bytes),
        sha256(task.problem.as_bytes()),
        start.0,
        sha256(&solution)
    );
    for (path, entry) in &hidden.files {
        let _ = writeln!(text, "hidden {} {} {path}", entry.mode.word(), entry.blob);
    }
    for path in &hidden.removed {
        let _ = writeln!(text, "removed {path}");
    }
    for (path, (mode, bytes)) in read_folder(&task.dir.join("grader"))? {
        let _ = writeln!(text, "grader {} {} {path}", mode.word(), sha256(&bytes));
    }
    let digest = sha256(text.as_bytes());
    Ok(Material { store, start, solution, hidden, digest })
}

fn write(store: &Store, id: &str, files: &Files) -> Result<TreeId, TaskError> {
    store.write_files(files).map_err(TaskError::git(id))
}

/// SHA-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for b in Sha256::digest(bytes) {
        let _ = write!(text, "{b:02x}");
    }
    text
}
