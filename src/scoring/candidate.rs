use super::links::Links;
use crate::git::{Applied, AppliedBeside, GitError, Mode, Store, Tree, TreeId};
use crate::languages::{Files, Globs, Language, Merged, Mixed, Plan, Suspect, is_test_path};
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
    /// Parts of files that count otherwise, which were put back: each after the path of its file.
    pub put_back: Vec<String>,
    /// Files that count as code though they are called like tests or like files of tools.
    pub code: Vec<String>,
    /// The version of the language that the patch asks for, where it raises it.
    pub version: Option<String>,
}

/// A tree of a store, as languages read it.
pub(super) struct View<'a> {
    pub store: &'a Store,
    pub tree: &'a Tree,
}

impl Files for View<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let entry = self.tree.get(path).filter(|e| e.mode != Mode::Link)?;
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
    candidate_for(task, m, language, plan, patch, None)
}

/// The same for a runtime that names itself so: what asks for a version of the language that it does not know is put back.
pub(super) fn candidate_for(
    task: &Task,
    m: &Material,
    language: &dyn Language,
    plan: &Plan,
    patch: &[u8],
    runtime: Option<&str>,
) -> Result<Candidate, GitError> {
    let closed = Protected::of(task, m, plan);
    let beside = apply(m, language, plan, &closed, patch)?;
    let (applied, tree, refusal) = match beside.applied {
        Applied::Empty => (Some("empty"), m.start.clone(), String::new()),
        Applied::Strict(tree) => (Some("strict"), tree, String::new()),
        Applied::Lenient(tree) => (Some("lenient"), tree, String::new()),
        Applied::Refused(why) => (None, m.start.clone(), why),
    };
    let (start, mut files) = (m.store.read(&m.start)?, m.store.read(&tree)?);
    let changed: BTreeSet<String> =
        start.keys().chain(files.keys()).filter(|p| start.get(*p) != files.get(*p)).cloned().collect();
    let (mut dropped, links) = without_links(m, &closed, &changed, &start, &mut files)?;
    let before = shadows(m, language, plan, &changed, &files, &links)?;
    let suspects: BTreeSet<&String> = changed.iter().filter(|p| closed.standing(p) == Standing::Suspect).collect();
    let code = code_among(m, language, plan, &suspects, &start, &files)?;
    let merging = Merging { m, language, start: &start, runtime };
    let (mut put_back, mut version) = (Vec::new(), None);
    for path in changed.iter().filter(|p| !dropped.contains(*p)).cloned().collect::<Vec<_>>() {
        let standing = closed.standing(&path);
        let mut refused = before.contains(&path)
            || closed.is_renamed(&path, &links)
            || standing == Standing::Closed
            || standing == Standing::Suspect && !code.contains(&path);
        if !refused && standing == Standing::Mixed {
            match merging.merge(&path, &mut files)? {
                Some(merged) => {
                    put_back.extend(merged.put_back.iter().map(|part| format!("{path}: {part}")));
                    version = version.or(merged.version);
                }
                None => refused = true,
            }
        }
        if refused {
            restore(&start, &mut files, &path);
            dropped.insert(path);
        }
    }
    let (files, replaced) = without_conflicts(&start, files);
    dropped.extend(replaced);
    let passed = beside.passed.iter().filter(|p| !changed.contains(*p)).count();
    dropped.extend(beside.passed);
    let tree = m.store.write(&files)?;
    let tree = m.with_hidden(&tree)?;
    let code = code.into_iter().filter(|path| !dropped.contains(path)).collect();
    let dropped = dropped.into_iter().collect();
    Ok(Candidate { applied, refusal, tree, files: (changed.len() + passed) as u64, dropped, put_back, code, version })
}

/// Applies a patch. If it does not apply, what has the name of a test or of a tool and is no code is passed by, whatever
/// is wrong with it: its change would be dropped.
fn apply(
    m: &Material,
    language: &dyn Language,
    plan: &Plan,
    closed: &Protected<'_>,
    patch: &[u8],
) -> Result<AppliedBeside, GitError> {
    let without = |code: &BTreeSet<String>| {
        m.store.apply_beside(&m.start, patch, &|path| closed.covers(path) && !code.contains(path))
    };
    let beside = m.store.apply_beside(&m.start, patch, &|path| closed.standing(path) == Standing::Closed)?;
    if !matches!(beside.applied, Applied::Refused(_)) {
        return Ok(beside);
    }
    let wider = without(&BTreeSet::new())?;
    let start = m.store.read(&m.start)?;
    let is_suspect = |p: &&String| start.contains_key(*p) && closed.standing(p) == Standing::Suspect;
    let code = code_among(m, language, plan, &wider.passed.iter().filter(is_suspect).collect(), &start, &start)?;
    let wider = if code.is_empty() { wider } else { without(&code)? };
    Ok(if matches!(wider.applied, Applied::Refused(_)) { beside } else { wider })
}

/// Undoes links that may not be: those into what is protected, and those that leave the tree. Gives their paths, and the
/// links that are left.
fn without_links(
    m: &Material,
    closed: &Protected<'_>,
    changed: &BTreeSet<String>,
    start: &Tree,
    files: &mut Tree,
) -> Result<(BTreeSet<String>, Links), GitError> {
    let mut dropped = BTreeSet::new();
    // Links first: a file is not to blame for the name that a link would give it.
    let links = Links::of(&m.store, files)?;
    // What the patch removes may be restored, so that it counts as being there.
    let known: BTreeSet<&str> = start.keys().chain(files.keys()).map(String::as_str).collect();
    for path in changed.iter().filter(|p| files.get(*p).is_some_and(|e| e.mode == Mode::Link)) {
        if leads_in(path, &known, &links, &|path: &str| closed.covers(path)) || leaves(m, path, files)? {
            dropped.insert(path.clone());
        }
    }
    for path in &dropped {
        restore(start, files, path);
    }
    let links = if dropped.is_empty() { links } else { Links::of(&m.store, files)? };
    Ok((dropped, links))
}

/// What a patch may not change.
struct Protected<'a> {
    hidden: BTreeSet<&'a str>,
    /// Folders above hidden tests.
    above: BTreeSet<&'a str>,
    of_tests: Globs,
    suspect: Globs,
    rewritten: Globs,
    mixed: Globs,
    released: Globs,
    own: Globs,
}

/// How a path stands to what a patch may not change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It is the patch's to change.
    Free,
    /// It is not.
    Closed,
    /// Its name is that of what is not, and it may be code.
    Suspect,
    /// Parts of it are.
    Mixed,
}

impl<'a> Protected<'a> {
    fn of(task: &Task, m: &'a Material, plan: &Plan) -> Protected<'a> {
        let hidden: BTreeSet<&str> = m.hidden.files.keys().chain(&m.hidden.removed).map(String::as_str).collect();
        Protected {
            above: m.hidden.files.keys().flat_map(|h| folders_above(h)).collect(),
            hidden,
            of_tests: Globs::folded(&plan.protected),
            suspect: Globs::folded(&plan.suspect),
            rewritten: Globs::exact(&plan.rewritten),
            mixed: Globs::exact(&plan.mixed),
            // What is released is released by its very name.
            released: Globs::exact(&task.spec.unprotected),
            own: Globs::folded(&task.spec.protected),
        }
    }

    fn standing(&self, path: &str) -> Standing {
        let hidden = self.hidden.contains(path)
            || self.above.contains(path)
            || folders_above(path).any(|folder| self.hidden.contains(folder));
        match () {
            () if hidden || self.own.cover(path) => Standing::Closed,
            () if self.released.cover(path) => Standing::Free,
            () if self.rewritten.cover(path) => Standing::Mixed,
            () if self.of_tests.cover(path) => Standing::Closed,
            // Guards may stand in any file of tests, so that none of them is the patch's to change, nor what they use.
            () if is_test_path(path) => Standing::Suspect,
            () if self.mixed.cover(path) => Standing::Mixed,
            () if self.suspect.cover(path) => Standing::Suspect,
            () => Standing::Free,
        }
    }

    /// Whether a path has another name, by links, that it may not have.
    fn is_renamed(&self, path: &str, links: &Links) -> bool {
        let mixed = self.standing(path) == Standing::Mixed;
        let renamed = |name: &String| match self.standing(name) {
            Standing::Free => false,
            Standing::Mixed => !mixed,
            Standing::Closed | Standing::Suspect => true,
        };
        links.names(path).is_none_or(|names| names.iter().any(renamed))
    }

    /// Whether a name alone may not be given to anything.
    fn covers(&self, path: &str) -> bool {
        match self.standing(path) {
            Standing::Closed | Standing::Suspect => true,
            Standing::Free | Standing::Mixed => false,
        }
    }
}

/// The folders above a path.
pub(super) fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Whether a link stands for a protected folder, or through which a file has a protected name.
fn leads_in(path: &str, known: &BTreeSet<&str>, links: &Links, protected: &impl Fn(&str) -> bool) -> bool {
    // Any file of the folder that it may stand for; what is there can also come from an installation.
    if protected(&format!("{path}/any")) {
        return true;
    }
    let Some(target) = links.target(path) else { return false };
    let below = format!("{target}/");
    let through = format!("{path}/");
    let inside = known.range(below.as_str()..).take_while(|p| p.starts_with(&below));
    // A link to the whole tree gives every file another name.
    target.is_empty()
        || inside.map(|p| links.names(p)).any(|names| {
            names.is_none_or(|names| names.iter().any(|name| name.starts_with(&through) && protected(name)))
        })
}

/// Whether a path is a link that no sandbox accepts: out of the tree, or to no name at all.
fn leaves(m: &Material, path: &str, files: &Tree) -> Result<bool, GitError> {
    let Some(link) = files.get(path).filter(|e| e.mode == Mode::Link) else { return Ok(false) };
    let target = m.store.bytes(&link.blob)?;
    let stays = target.len() <= MOST_TARGET
        && std::str::from_utf8(&target).is_ok_and(|t| crate::sandbox::checked_link(path, t).is_ok());
    Ok(!stays)
}

/// The files that the patch leaves which would be taken in place of what runs or judges the tests, by what they hold.
fn shadows(
    m: &Material,
    language: &dyn Language,
    plan: &Plan,
    changed: &BTreeSet<String>,
    files: &Tree,
    links: &Links,
) -> Result<BTreeSet<String>, GitError> {
    // What a link leads to is what is read under its name.
    let body = |path: &String| match files.get(path)? {
        link if link.mode == Mode::Link => files.get(links.target(path)?).filter(|e| e.mode != Mode::Link),
        file => Some(file),
    };
    let read = changed.iter().filter(|path| language.may_stand_before(path));
    let found: Vec<(&String, &str)> = read.filter_map(|p| Some((p, body(p)?.blob.as_str()))).collect();
    // All at once: each question to git costs as much as a thousand more files in it.
    let bodies = m.store.many(&found.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;
    let bad = found.iter().zip(bodies).filter(|((path, _), bytes)| language.stands_before(plan, path, bytes));
    Ok(bad.map(|((path, _), _)| (*path).clone()).collect())
}

fn restore(start: &Tree, files: &mut Tree, path: &str) {
    match start.get(path) {
        Some(entry) => drop(files.insert(path.to_owned(), entry.clone())),
        None => drop(files.remove(path)),
    }
}

/// Which files with the names of tests and of tools are code all the same.
fn code_among(
    m: &Material,
    language: &dyn Language,
    plan: &Plan,
    suspects: &BTreeSet<&String>,
    start: &Tree,
    files: &Tree,
) -> Result<BTreeSet<String>, GitError> {
    let plain = |p: &&&String| files.get(**p).is_none_or(|e| e.mode != Mode::Link) && language.may_be_code(p);
    let asked: Vec<&String> = suspects.iter().filter(plain).copied().collect();
    if asked.is_empty() {
        return Ok(BTreeSet::new());
    }
    let of_language = |path: &str| path.rsplit_once('.').is_some_and(|(_, end)| language.extensions().contains(&end));
    let code: Vec<(&String, &str)> = files
        .iter()
        .filter(|(path, entry)| of_language(path) && entry.mode != Mode::Link)
        .map(|(path, entry)| (path, entry.blob.as_str()))
        .collect();
    let bodies = m.store.many(&code.iter().map(|(_, blob)| *blob).collect::<Vec<_>>())?;
    let sources: BTreeMap<String, Vec<u8>> = code.iter().map(|(p, _)| (*p).clone()).zip(bodies).collect();
    let hidden = m.hidden.files.keys().chain(&m.hidden.removed);
    let known: BTreeSet<&str> = start.keys().chain(hidden).map(String::as_str).collect();
    let view = View { store: &m.store, tree: start };
    let bytes = |tree: &Tree, path: &str| -> Result<Option<Vec<u8>>, GitError> {
        tree.get(path).map(|e| m.store.bytes(&e.blob)).transpose()
    };
    let mut found = BTreeSet::new();
    for path in asked {
        let (before, after) = (bytes(start, path)?, bytes(files, path)?);
        let suspect = Suspect {
            plan,
            path,
            before: before.as_deref(),
            after: after.as_deref(),
            start: &view,
            sources: &sources,
            known: &known,
        };
        if language.is_code(&suspect) {
            found.insert(path.clone());
        }
    }
    Ok(found)
}

/// What a language needs to decide over files that are both code and configuration of tests.
struct Merging<'a> {
    m: &'a Material,
    language: &'a dyn Language,
    start: &'a Tree,
    runtime: Option<&'a str>,
}

impl Merging<'_> {
    /// Lets the language decide over a file; nothing where the patch's version must be dropped.
    fn merge(&self, path: &str, files: &mut Tree) -> Result<Option<Merged>, GitError> {
        let store = &self.m.store;
        let Some(theirs) = files.get(path).filter(|e| e.mode != Mode::Link).cloned() else { return Ok(None) };
        let trusted = match self.start.get(path) {
            Some(entry) => store.bytes(&entry.blob)?,
            None => Vec::new(),
        };
        let view = View { store, tree: self.start };
        let asked = store.bytes(&theirs.blob)?;
        let mixed = Mixed { start: &view, path, trusted: &trusted, theirs: &asked, runtime: self.runtime };
        let Some(merged) = self.language.merge(&mixed) else { return Ok(None) };
        let blob = store.blob(&merged.bytes)?;
        files.insert(path.to_owned(), crate::git::Entry { mode: theirs.mode, blob });
        Ok(Some(merged))
    }
}

/// A restored file may stand where the patch put a folder, or the other way round: what was there first wins. The paths
/// of the patch that made way come along.
fn without_conflicts(start: &Tree, files: Tree) -> (Tree, BTreeSet<String>) {
    let (mut kept, mut replaced) = (BTreeMap::new(), BTreeSet::new());
    let names: BTreeSet<String> = files.keys().cloned().collect();
    for (path, entry) in files {
        let above = path.match_indices('/').any(|(i, _)| names.contains(&path[..i]) && start.contains_key(&path[..i]));
        let below = !start.contains_key(&path)
            && names.range(format!("{path}/")..).next().is_some_and(|n| n.starts_with(&format!("{path}/")));
        match above || below {
            true => drop(replaced.insert(path)),
            false => drop(kept.insert(path, entry)),
        }
    }
    (kept, replaced)
}
