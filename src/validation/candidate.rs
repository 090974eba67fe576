use super::ValidationError;
use crate::git::{Commit, GitError, Store, TreeId};
use crate::schema::{Candidate, Rejection, Stage, TaskSource, id_of_commit};
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
                "a line is an object with repo, fix and, where wanted, id, suite, base, unrelated_base, language, package, runtime, pull_request, issue, problem, warnings",
            )
        })?;
        // What is mined names files beside itself, wherever it is read from.
        candidate.problem = candidate.problem.map(|p| file.parent().unwrap_or(Path::new("")).join(p));
        found.push(candidate);
    }
    Ok(found)
}

impl Candidate {
    /// The candidate with what the message of its commit says: the numbers of the pull request and of the issue that it
    /// closes, and an id by the commit where there is no number.
    pub fn completed(&self, mirrors: &Path) -> Result<Candidate, ValidationError> {
        let mut candidate = self.clone();
        if candidate.pull_request.is_some() && candidate.issue.is_some() {
            return Ok(candidate);
        }
        if let Some(id) = &candidate.id {
            named(id, "id of a task")?;
        }
        let mirror = self.mirror(mirrors)?;
        let fix = commit(&Store::over(&[&mirror])?, &mirror, &self.fix, "commit of the fix")?;
        let says = crate::tasks::named(&fix.message);
        // A commit that takes another one back names the number of that one.
        let says = if says.reverts { Default::default() } else { says };
        candidate.pull_request = candidate.pull_request.or(says.pull_request);
        candidate.issue = candidate.issue.or(says.issues.first().copied());
        if candidate.id.is_none() && candidate.pull_request.is_none() {
            candidate.id = Some(format!("{}-{}", self.repo.replace('/', "__"), id_of_commit(&fix.id)));
        }
        Ok(candidate)
    }

    /// The id of the task.
    pub fn task_id(&self) -> Result<String, ValidationError> {
        let id = match (&self.id, self.pull_request) {
            (Some(id), _) => id.clone(),
            (None, Some(number)) => format!("{}-{number}", self.repo.replace('/', "__")),
            (None, None) => {
                return Err(ValidationError::input(
                    format!("the candidate {} of {}: it has no id", self.fix, self.repo),
                    "name it with --id (the field id), or the number of its pull request with --pull-request",
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
        let commit = |name: &str, what: &str| commit(&store, &mirror, name, what);
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
        if self.base.is_some() && !self.unrelated_base && !store.is_before(&base.id, &fix.id)? {
            return Err(ValidationError::input(
                format!("{} as the base of {}: it does not come before the fix", base.id, fix.id),
                "between the two stands what others changed: name a commit that the fix was made on, or leave --base out; --unrelated-base takes it all the same",
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
                let made = statement_of_commit(&fix.message);
                warnings.extend(of_message(&made));
                made
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

/// A commit of a mirror by a name that was asked for.
fn commit(store: &Store, mirror: &Path, name: &str, what: &str) -> Result<Commit, ValidationError> {
    store.commit(name).map_err(|e| match e {
        GitError::Refused { .. } => ValidationError::input(
            format!("{name:?} as the {what}: the mirror {} has no such commit", mirror.display()),
            "name a commit that it has, whole; tsbench mirror update fetches what its origin has gained",
        ),
        other => other.into(),
    })
}

/// Words that a statement has at least, if it says what is wrong.
const FEWEST_WORDS: usize = 12;

/// What a person should know of a statement that was made of a commit's message.
fn of_message(made: &Statement) -> Vec<String> {
    let ask = "write problem.md as a user would tell of it, and name it with --problem";
    let mut found = vec![format!("statement: from the commit's message, which may tell how the fix works: {ask}")];
    let words = made.text.split_whitespace().count();
    if words < FEWEST_WORDS {
        let text = made.text.split_whitespace().collect::<Vec<_>>().join(" ");
        found.push(format!("statement: {words} words alone, {text:?}, which may not say what is wrong: {ask}"));
    }
    found
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
