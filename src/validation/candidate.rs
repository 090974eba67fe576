use super::ValidationError;
use crate::git::{Commit, GitError, Store, TreeId};
use crate::schema::{Candidate, Rejection, Stage, TaskSource};
use crate::tasks::{Statement, sha256, split, statement_of_commit, statement_of_text};
use std::path::{Path, PathBuf};

/// A candidate with everything that its mirror says of it.
pub struct Change {
    /// The candidate.
    pub candidate: Candidate,
    /// Id of the task.
    pub id: String,
    /// The commit that holds the fix.
    pub fix: Commit,
    /// The commit that it was made on.
    pub base: Commit,
    /// Objects of the mirror.
    pub store: Store,
    /// The mirror.
    pub mirror: PathBuf,
    /// The tree that an agent starts from.
    pub start: TreeId,
    /// The human fix, as a patch.
    pub solution: Vec<u8>,
    /// The hidden tests, as a patch.
    pub tests: Vec<u8>,
    /// What an agent is told.
    pub statement: Statement,
    /// What a person should look at.
    pub warnings: Vec<String>,
}

/// Reads candidates, one JSON object a line; an error names the line.
pub fn read_candidates(file: &Path) -> Result<Vec<Candidate>, ValidationError> {
    let text = std::fs::read_to_string(file).map_err(ValidationError::io(file))?;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let mut candidate: Candidate = serde_json::from_str(line).map_err(|e| {
            ValidationError::input(
                format!("{}, line {}: {e}", file.display(), number + 1),
                "a line is an object with repo, fix and, where wanted, id, suite, base, language, package, runtime, pull_request, issue, problem, warnings",
            )
        })?;
        // What is mined names files beside itself, wherever it is read from.
        candidate.problem = candidate.problem.map(|p| file.parent().unwrap_or(Path::new("")).join(p));
        found.push(candidate);
    }
    Ok(found)
}

impl Candidate {
    /// The id of the task.
    pub fn task_id(&self) -> Result<String, ValidationError> {
        let id = match (&self.id, self.pull_request) {
            (Some(id), _) => id.clone(),
            (None, Some(number)) => format!("{}-{number}", self.repo.replace('/', "__")),
            (None, None) => {
                return Err(ValidationError::input(
                    format!("the candidate {} of {}: it has no id", self.fix, self.repo),
                    "give it one, or the number of its pull request",
                ));
            }
        };
        named(&id, "id of a task")?;
        Ok(id)
    }

    /// The bare mirror of the repository.
    fn mirror(&self, mirrors: &Path) -> Result<PathBuf, ValidationError> {
        match self.repo.split('/').collect::<Vec<_>>().as_slice() {
            [owner, name] => {
                named(owner, "owner of a repository")?;
                named(name, "name of a repository")?;
                Ok(mirrors.join(format!("{owner}__{name}.git")))
            }
            _ => Err(ValidationError::input(format!("the repository {:?}", self.repo), "write it as owner/name")),
        }
    }

    /// A package that the tree does not have says nothing about languages.
    fn package_is_in(&self, store: &Store, start: &TreeId) -> Result<(), ValidationError> {
        let Some(package) = self.package.as_deref().filter(|p| !p.is_empty()) else { return Ok(()) };
        let below = format!("{package}/");
        if store.read(start)?.keys().any(|p| p.starts_with(&below)) {
            return Ok(());
        }
        Err(ValidationError::input(
            format!("{package:?} as the package: the starting tree has no such folder"),
            "name the folder of the package under test from the root of the tree, without a slash at either end",
        ))
    }

    /// Reads from the mirror what the change is, or why it can be no task.
    pub fn resolve(&self, mirrors: &Path) -> Result<Result<Change, Rejection>, ValidationError> {
        let id = self.task_id()?;
        let mirror = self.mirror(mirrors)?;
        let store = Store::over(&[&mirror])?;
        let commit = |name: &str, what: &str| {
            store.commit(name).map_err(|e| match e {
                GitError::Refused { .. } => ValidationError::input(
                    format!("{name:?} as the {what}: the mirror {} has no such commit", mirror.display()),
                    "name a commit that it has, whole; tsbench mirror update fetches what its origin has gained",
                ),
                other => other.into(),
            })
        };
        let fix = commit(&self.fix, "commit of the fix")?;
        let reject = |reason: &str, evidence: Vec<String>| {
            Ok(Err(Rejection::new(&self.repo, &id, &fix.id, Stage::Source, reason, evidence)))
        };
        let base = match (&self.base, fix.parents.as_slice()) {
            (Some(base), _) => commit(base, "base of the fix")?,
            (None, [parent]) | (None, [parent, _]) => commit(parent, "base of the fix")?,
            (None, parents) => {
                let what = format!("the commit has {} parents and no base is named", parents.len());
                return reject(&what, parents.to_vec());
            }
        };
        let (start, fixed) = (store.tree_of(&base.id)?, store.tree_of(&fix.id)?);
        if start == fixed {
            return Err(ValidationError::input(
                format!("{} as the base of {}: between the two nothing was changed", base.id, fix.id),
                "the base is the commit that the fix was made on; without --base it is the fix's first parent",
            ));
        }
        self.package_is_in(&store, &start)?;
        let (solution, tests) = split(&store, &id, &start, &fixed)?;
        if solution.is_empty() {
            return reject("the change touches tests alone: there is nothing to solve", Vec::new());
        }
        if tests.is_empty() {
            return reject("the change touches no test: nothing would tell a fix from none", Vec::new());
        }
        let mut warnings = self.warnings.clone();
        let statement = match &self.problem {
            Some(file) => statement_of_text(&std::fs::read_to_string(file).map_err(ValidationError::io(file))?),
            None => {
                warnings.push(
                    "problem.md was made of the commit's message, which may tell how the fix works: read it, or give a statement with --problem".to_owned(),
                );
                statement_of_commit(&fix.message)
            }
        };
        let candidate = self.clone();
        Ok(Ok(Change { candidate, id, fix, base, store, mirror, start, solution, tests, statement, warnings }))
    }
}

impl Change {
    /// Where the task comes from, pinned.
    pub fn source(&self) -> TaskSource {
        TaskSource {
            repo: self.candidate.repo.clone(),
            base_commit: self.base.id.clone(),
            fix_commit: self.fix.id.clone(),
            pull_request: self.candidate.pull_request,
            issue: self.candidate.issue,
            merged_at: Some(self.fix.day.clone()),
            solution_sha256: sha256(&self.solution),
            tests_sha256: sha256(&self.tests),
        }
    }
}

/// Whether a text may be a folder's name and part of a flag.
pub fn named(text: &str, what: &str) -> Result<(), ValidationError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !text.is_empty() && text.len() <= 100 && !text.starts_with(['.', '-']) && text.chars().all(plain) {
        return Ok(());
    }
    Err(ValidationError::input(
        format!("{text:?} as the {what}"),
        "at most 100 letters, digits, dots, dashes and underscores, the first a letter, digit or underscore",
    ))
}
