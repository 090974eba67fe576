use crate::git::{Applied, GitError, Store, Tree, TreeId};
use crate::languages::{Files, Language, Plan, is_test_path, protects};
use crate::tasks::{Material, Task};
use std::collections::{BTreeMap, BTreeSet};

/// A patch on the starting tree, with everything undone that it may not do.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// `strict`, `lenient` or `empty`; none where the patch does not apply.
    pub applied: Option<&'static str>,
    /// Why it does not apply, where it does not.
    pub refusal: String,
    /// The tree to test, hidden tests included.
    pub tree: TreeId,
    /// Files that the patch changes, dropped ones included.
    pub files: u64,
    /// Paths whose changes were dropped.
    pub dropped: Vec<String>,
}

/// A tree of a store, as languages read it.
pub(super) struct View<'a> {
    pub store: &'a Store,
    pub tree: &'a Tree,
}

impl Files for View<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let entry = self.tree.get(path).filter(|e| e.mode != crate::git::Mode::Link)?;
        self.store.bytes(&entry.blob).ok()
    }

    fn paths(&self) -> Vec<String> {
        self.tree.keys().cloned().collect()
    }

    fn has(&self, path: &str) -> bool {
        self.tree.contains_key(path)
    }
}

/// Bytes of a link's target that a kernel takes.
const MOST_TARGET: usize = 4095;

/// Applies a patch and restores what it may not touch: tests, runner configuration, the task's own protected paths,
/// every path of a hidden test, and links that leave the tree. The hidden tests come last.
pub fn candidate(
    task: &Task,
    m: &Material,
    language: &dyn Language,
    plan: &Plan,
    patch: &[u8],
) -> Result<Candidate, GitError> {
    let (applied, tree, refusal) = match m.store.apply(&m.start, patch)? {
        Applied::Empty => (Some("empty"), m.start.clone(), String::new()),
        Applied::Strict(tree) => (Some("strict"), tree, String::new()),
        Applied::Lenient(tree) => (Some("lenient"), tree, String::new()),
        Applied::Refused(why) => (None, m.start.clone(), why),
    };
    let (start, mut files) = (m.store.read(&m.start)?, m.store.read(&tree)?);
    let changed: BTreeSet<String> =
        start.keys().chain(files.keys()).filter(|p| start.get(*p) != files.get(*p)).cloned().collect();
    let mut dropped = Vec::new();
    for path in &changed {
        let refused = is_protected(task, m, plan, path)
            || leaves(m, path, &files)?
            || shadows(m, language, plan, path, &files)?
            || protects(&plan.mixed, path) && !merged(m, language, path, &start, &mut files)?;
        if refused {
            restore(&start, &mut files, path);
            dropped.push(path.clone());
        }
    }
    let tree = m.store.write(&without_conflicts(&start, files))?;
    let tree = m.with_hidden(&tree)?;
    Ok(Candidate { applied, refusal, tree, files: changed.len() as u64, dropped })
}

fn is_protected(task: &Task, m: &Material, plan: &Plan, path: &str) -> bool {
    let hidden = m.hidden.files.contains_key(path)
        || m.hidden.removed.contains(path)
        || m.hidden.files.keys().any(|h| h.starts_with(&format!("{path}/")) || path.starts_with(&format!("{h}/")));
    // Guards may stand in any file of tests, so that none of them is the patch's to change, nor what they use.
    let of_tests = is_test_path(path) || protects(&plan.protected, path);
    hidden || of_tests && !protects(&task.spec.unprotected, path) || protects(&task.spec.protected, path)
}

/// Whether a path is a link that no sandbox accepts: out of the tree, or to no name at all.
fn leaves(m: &Material, path: &str, files: &Tree) -> Result<bool, GitError> {
    let Some(link) = files.get(path).filter(|e| e.mode == crate::git::Mode::Link) else { return Ok(false) };
    let target = m.store.bytes(&link.blob)?;
    let stays = target.len() <= MOST_TARGET
        && std::str::from_utf8(&target).is_ok_and(|t| crate::sandbox::checked_link(path, t).is_ok());
    Ok(!stays)
}

/// Whether a file that the patch leaves would be taken in place of what runs or judges the tests.
fn shadows(m: &Material, language: &dyn Language, plan: &Plan, path: &str, files: &Tree) -> Result<bool, GitError> {
    let Some(file) = files.get(path).filter(|e| e.mode != crate::git::Mode::Link) else { return Ok(false) };
    Ok(language.stands_before(plan, path, &m.store.bytes(&file.blob)?))
}

fn restore(start: &Tree, files: &mut Tree, path: &str) {
    match start.get(path) {
        Some(entry) => {
            files.insert(path.to_owned(), entry.clone());
        }
        None => {
            files.remove(path);
        }
    }
}

/// Lets the language decide over a file that is both code and configuration of tests.
fn merged(m: &Material, language: &dyn Language, path: &str, start: &Tree, files: &mut Tree) -> Result<bool, GitError> {
    let Some(theirs) = files.get(path).filter(|e| e.mode != crate::git::Mode::Link).cloned() else { return Ok(false) };
    let trusted = match start.get(path) {
        Some(entry) => m.store.bytes(&entry.blob)?,
        None => Vec::new(),
    };
    let Some(bytes) = language.merge(path, &trusted, &m.store.bytes(&theirs.blob)?) else { return Ok(false) };
    let blob = m.store.blob(&bytes)?;
    files.insert(path.to_owned(), crate::git::Entry { mode: theirs.mode, blob });
    Ok(true)
}

/// A restored file may stand where the patch put a folder, or the other way round: what was there first wins.
fn without_conflicts(start: &Tree, files: Tree) -> Tree {
    let mut kept: Tree = BTreeMap::new();
    let names: BTreeSet<String> = files.keys().cloned().collect();
    for (path, entry) in files {
        let above = path.match_indices('/').any(|(i, _)| names.contains(&path[..i]) && start.contains_key(&path[..i]));
        let below = !start.contains_key(&path)
            && names.range(format!("{path}/")..).next().is_some_and(|n| n.starts_with(&format!("{path}/")));
        if !above && !below {
            kept.insert(path, entry);
        }
    }
    kept
}
