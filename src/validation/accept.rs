use super::ValidationError;
use super::candidate::Change;
use super::classify::{Change as Changed, Fate, Sorted, sort};
use super::keep::{Draft, Kept, check_free, keep, postpone, reject};
use super::leak::{Leak, distinctive};
use super::names::{change_of, changed_tests};
use super::papers::{certificate, record};
use super::record::{Undecided, Validation};
use super::runs::{Fault, Made, Runner, Trees, tied_targets};
use super::silent::silent_files;
use super::survey::{Wanted, survey};
use super::turns::{Pace, Turns};
use crate::languages::{Files, all, by_name};
use crate::sandbox::Provider;
use crate::schema::{Candidate, Limits, Rejection, Stage};
use crate::scoring::{Ready, ScoreError, candidate as patched, prepare};
use crate::tasks::{Compare, Material, Task, added, check, compare, sides};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What all candidates of one call share.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Folder of bare mirrors named `owner__name.git`.
    pub mirrors: &'a Path,
    /// Folder of suites that tasks come into.
    pub out: &'a Path,
    /// Suite of candidates that name none.
    pub suite: Option<&'a str>,
    /// How often the tests are run before and after the fix.
    pub runs: u32,
    /// Whether a task that is there already is replaced.
    pub force: bool,
    /// Limits that are raised.
    pub raised: Raised,
    /// How the candidates of the call share the machine.
    pub turns: &'a Turns,
    /// The time, RFC 3339.
    pub at: &'a str,
}

/// Limits of time in place of those of the suite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Raised {
    /// Seconds for installing dependencies.
    pub install_seconds: Option<u64>,
    /// Seconds for one run of the tests.
    pub tests_seconds: Option<u64>,
}

impl Raised {
    /// The limits of a task, where they differ from those of its suite.
    pub(super) fn over(self, suite: &Limits) -> Option<Limits> {
        let limits = Limits {
            install_seconds: self.install_seconds.unwrap_or(suite.install_seconds),
            tests_seconds: self.tests_seconds.unwrap_or(suite.tests_seconds),
            ..suite.clone()
        };
        (limits != *suite).then_some(limits)
    }
}

/// What came of a candidate.
#[derive(Clone, Debug)]
pub enum Decision {
    /// It is a task now.
    Accepted {
        /// Its folder.
        kept: Kept,
        /// How it was proven.
        validation: Box<Validation>,
    },
    /// It is none.
    Rejected(Rejection),
    /// Something took too long, so that nobody can say.
    Undecided(Undecided),
}

/// Why a candidate does not become a task by this call.
enum Refused {
    Rejected(Rejection),
    Undecided(Undecided),
}

impl From<Rejection> for Refused {
    fn from(rejection: Rejection) -> Refused {
        Refused::Rejected(rejection)
    }
}

/// Kinds of runs that are made in other surroundings.
const SURROUNDINGS: [&str; 3] = ["elsewhere", "zoneless", "slower"];

/// A value to go on with, or why not.
type Step<T> = Result<Result<T, Refused>, ValidationError>;

/// Goes on with a value, or returns why not.
macro_rules! go {
    ($step:expr) => {
        match $step? {
            Ok(value) => value,
            Err(refused) => return Ok(Err(refused.into())),
        }
    };
}

/// Proves one candidate and writes the task, or logs why it is none. `pace` is told how that comes along.
pub async fn validate(
    candidate: &Candidate,
    provider: &Provider,
    options: &Options<'_>,
    pace: &(dyn Fn(Pace<'_>) + Send + Sync),
) -> Result<Decision, ValidationError> {
    let Some(suite) = candidate.suite.as_deref().or(options.suite) else {
        return Err(ValidationError::input("a candidate without a suite", "name the suite with --suite"));
    };
    let candidate = &candidate.completed(options.mirrors)?;
    check_free(options.out, suite, &candidate.task_id()?, options.force)?;
    match prove(candidate, suite, provider, options, pace).await? {
        Ok((draft, validation)) => {
            Ok(Decision::Accepted { kept: keep(&draft, options.force)?, validation: Box::new(validation) })
        }
        Err(Refused::Rejected(mut rejection)) => {
            rejection.at = options.at.to_owned();
            reject(&rejection, suite, options.out)?;
            Ok(Decision::Rejected(rejection))
        }
        Err(Refused::Undecided(mut undecided)) => {
            undecided.at = options.at.to_owned();
            postpone(&undecided, suite, options.out)?;
            Ok(Decision::Undecided(undecided))
        }
    }
}

async fn prove(
    candidate: &Candidate,
    suite: &str,
    provider: &Provider,
    options: &Options<'_>,
    pace: &(dyn Fn(Pace<'_>) + Send + Sync),
) -> Step<(Draft, Validation)> {
    let mut change = go!(candidate.resolve(options.mirrors));
    let files = files(&change)?;
    let (fix, tests) = (added(&change.solution), added(&change.tests));
    go!(solvable(&mut change, &files));
    let language = go!(language(&change, &files));
    let mut draft = Draft::new(&change, &language, suite, options)?;
    let ready = go!(install(&change, &draft.task()?, provider, options, pace).await);
    let (made, sorted) = go!(run(&mut change, &ready, provider, options, pace).await);
    let known: BTreeSet<String> = files
        .values()
        .flat_map(|b| String::from_utf8_lossy(b).lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>())
        .collect();
    let lines = (distinctive(&fix, &known), distinctive(&tests, &known));
    let wanted = Wanted {
        fix: &lines.0,
        tests: &lines.1,
        tree: &files,
        store: &change.store,
        mirror: &change.mirror,
        base: &change.base.id,
    };
    pace(Pace::Begins("search of the image for its answer"));
    let seen = survey(&ready, &wanted, provider).await?;
    if !seen.findings.is_empty() {
        let evidence = seen.findings.iter().map(told).collect();
        return Ok(Err(change.reject(Stage::Leak, "the image of the task holds its answer", evidence).into()));
    }
    let runtime = seen.runtime.clone();
    let certificate = certificate(&ready, seen, lines.0.len() + lines.1.len(), provider, options.at);
    (draft.spec.targets, draft.spec.guards) = (sorted.targets.clone(), sorted.guards.clone());
    let validation = Validation { runtime, ..record(&change, &ready, made, sorted, provider, options.at) };
    draft.finish(&certificate, &validation)?;
    let faults = check(&draft.task()?, options.mirrors);
    if !faults.is_empty() {
        return Ok(Err(change.reject(Stage::Check, "the task has faults", faults).into()));
    }
    Ok(Ok((draft, validation)))
}

/// The task's image, made where it is not there. What takes too long is tried again alone.
async fn install(
    change: &Change,
    task: &Task,
    provider: &Provider,
    options: &Options<'_>,
    pace: &(dyn Fn(Pace<'_>) + Send + Sync),
) -> Step<Ready> {
    pace(Pace::Begins("installation"));
    let make = || async {
        let material = Material::prepare(task, options.mirrors)?;
        prepare(task, material, provider).await
    };
    let again = || pace(Pace::Begins("installation, which took too long, alone"));
    let late = |end: &Result<Ready, ScoreError>| end.as_ref().is_err_and(ScoreError::is_late);
    match options.turns.twice(make, late, again).await {
        Ok(ready) => Ok(Ok(ready)),
        Err(e) if e.is_late() => Ok(Err(change.postpone("install", task.limits.install_seconds))),
        // A runtime that the image lacks says nothing about the candidate: it is an error.
        Err(e @ (ScoreError::Install { .. } | ScoreError::Language { .. })) => {
            let reason = "the starting tree cannot be installed";
            Ok(Err(change.reject(Stage::Install, reason, vec![e.to_string()]).into()))
        }
        Err(e) => Err(e.into()),
    }
}

impl Change {
    fn postpone(&self, what: &str, seconds: u64) -> Refused {
        Refused::Undecided(Undecided::new(&self.candidate.repo, &self.id, &self.fix.id, what, seconds))
    }

    fn reject(&self, stage: Stage, reason: &str, evidence: Vec<String>) -> Rejection {
        Rejection::new(&self.candidate.repo, &self.id, &self.fix.id, stage, reason, evidence)
    }
}

/// The starting tree by path.
fn files(change: &Change) -> Result<BTreeMap<String, Vec<u8>>, ValidationError> {
    let tree = change.store.read(&change.start)?;
    let blobs: Vec<&str> = tree.values().map(|e| e.blob.as_str()).collect();
    Ok(tree.keys().cloned().zip(change.store.many(&blobs)?).collect())
}

/// Rejects a change whose tests nobody could satisfy; what the statement tells of the fix becomes a warning.
fn solvable(change: &mut Change, files: &BTreeMap<String, Vec<u8>>) -> Step<()> {
    let fixed = change.store.tree_of(&change.fix.id)?;
    let sides = sides(&change.store, &change.id, &change.start, &fixed)?;
    // Of a statement that is the message this is known already.
    let message = change.candidate.problem.is_some().then_some(change.fix.message.as_str());
    let about = Compare { solution: &change.solution, sides: &sides, before: files, message };
    let found = compare(&about, &change.statement.text);
    let new: Vec<String> = found.gives_away.into_iter().filter(|w| !change.warnings.contains(w)).collect();
    change.warnings.extend(new);
    if found.unknown.is_empty() {
        return Ok(Ok(()));
    }
    let reason = "the hidden tests use names that neither the starting tree nor the statement has: name them in the problem statement";
    let names = found.unknown.iter().map(ToString::to_string).collect();
    Ok(Err(change.reject(Stage::Unsolvable, reason, names).into()))
}

/// The language's name: the one that is stated, or the only one that can read the tree.
fn language(change: &Change, files: &BTreeMap<String, Vec<u8>>) -> Step<String> {
    let (package, runtime) = (change.candidate.package.as_deref(), change.candidate.runtime.as_deref());
    if let Some(name) = &change.candidate.language {
        let found = by_name(name).map_err(|e| {
            let told = e.to_string();
            ValidationError::input(format!("the language {name:?}"), told.split_once("hint: ").map_or("", |(_, h)| h))
        })?;
        return Ok(Ok(found.name().to_owned()));
    }
    let fitting: Vec<&str> =
        all().into_iter().filter(|l| l.detect(files, package, runtime).is_ok()).map(|l| l.name()).collect();
    match fitting.as_slice() {
        [one] => Ok(Ok((*one).to_owned())),
        several => {
            let found = several.iter().map(|l| (*l).to_owned()).collect();
            let reason = "no language, or more than one, can install the starting tree: name it with --language";
            Ok(Err(change.reject(Stage::Install, reason, found).into()))
        }
    }
}

/// Runs everything and sorts the tests.
async fn run(
    change: &mut Change,
    ready: &Ready,
    provider: &Provider,
    options: &Options<'_>,
    pace: &(dyn Fn(Pace<'_>) + Send + Sync),
) -> Step<(Made, Sorted)> {
    let of = |patch: &[u8]| patched(&ready.task, &ready.material, ready.language, &ready.plan, patch);
    let (red, green) = (of(&[]).map_err(ScoreError::from)?, of(&ready.material.solution).map_err(ScoreError::from)?);
    if !green.dropped.is_empty() {
        let what = format!("changes of the fix that no patch may make were left out: {}", green.dropped.join(", "));
        change.warnings.push(what);
    }
    let trees = Trees { red: red.tree, green: green.tree, before: ready.material.start.clone() };
    let runner = Runner { ready, trees: &trees, provider, turns: options.turns, pace };
    let made = match runner.run_all(options.runs).await? {
        Ok(made) => made,
        Err(fault) => return Ok(Err(of_fault(change, fault))),
    };
    let names = changed_names(change, ready)?;
    let hidden: BTreeSet<&String> = ready.material.hidden.files.keys().collect();
    let tree = ready.material.store.read(&trees.green)?;
    let view = Paths(&ready.material.store, &tree);
    let changed = |id: &str| -> Changed {
        let here = ready.language.files_of(id, &view).iter().any(|f| hidden.contains(f));
        change_of(id, &names, here)
    };
    let sorted = sort(&made.runs, &changed);
    let silent = silent_files(change, ready, &made.runs.green)?;
    Ok(match refusal(change, &made, &sorted, silent) {
        Some(rejection) => Err(rejection.into()),
        None => Ok((made, sorted)),
    })
}

fn of_fault(change: &Change, fault: Fault) -> Refused {
    let left_out = change.warnings.iter().filter(|w| w.starts_with("changes of the fix")).cloned();
    match fault {
        Fault::Late(kind, seconds) => change.postpone(&kind, seconds),
        Fault::Red(why, log) => {
            change.reject(Stage::Red, &format!("a run before the fix cannot be believed: {why}"), log).into()
        }
        Fault::Green(why, log) => {
            let reason = format!("a run after the fix cannot be believed: {why}");
            change.reject(Stage::Green, &reason, left_out.chain(log).collect()).into()
        }
    }
}

/// Why a candidate with these tests is no task, if it is none; what is worth a look becomes a warning.
fn refusal(change: &mut Change, made: &Made, sorted: &Sorted, silent: Vec<String>) -> Option<Rejection> {
    let dropped =
        |why: Fate| -> Vec<String> { sorted.dropped.iter().filter(|d| d.why == why).map(|d| d.id.clone()).collect() };
    let regressed = dropped(Fate::Regressed);
    if !regressed.is_empty() {
        return Some(change.reject(Stage::Regression, "the fix breaks tests that passed before it", regressed));
    }
    if sorted.targets.is_empty() {
        if !silent.is_empty() {
            return Some(change.reject(Stage::Empty, "no test of these changed files was run", silent));
        }
        let flaky = dropped(Fate::Flaky);
        if !flaky.is_empty() {
            return Some(change.reject(Stage::Flaky, "no test but flaky ones tells the fix from none", flaky));
        }
        let reason = "no test fails before the fix and passes after it";
        let left = sorted.dropped.iter().map(|d| format!("{}: {:?}", d.id, d.why)).collect();
        return Some(change.reject(Stage::Red, reason, left));
    }
    if !silent.is_empty() {
        // Tests of a base class are reported under the names of others, so this alone rejects nothing.
        change.warnings.push(format!("no test of these changed files was run: {}", silent.join(", ")));
    }
    if sorted.guards.is_empty() {
        change.warnings.push("there is no guard: nothing shows that a fix leaves the rest as it was".to_owned());
    }
    let tied = tied_targets(&made.runs, &sorted.targets);
    if !tied.is_empty() {
        change.warnings.push(format!("targets that fail in other surroundings: {}", tied.join(", ")));
    }
    for run in made.records.iter().filter(|r| SURROUNDINGS.contains(&r.kind.as_str())) {
        if let Some(why) = &run.objection {
            change.warnings.push(format!("the run {:?} says nothing, as it cannot be believed: {why}", run.kind));
        }
    }
    None
}

fn changed_names(change: &Change, ready: &Ready) -> Result<Vec<String>, ValidationError> {
    let mut texts = BTreeMap::new();
    for (path, entry) in &ready.material.hidden.files {
        texts.insert(path.clone(), String::from_utf8_lossy(&change.store.bytes(&entry.blob)?).into_owned());
    }
    Ok(changed_tests(ready.language, &ready.plan, &change.tests, &|path| texts.get(path).cloned()))
}

/// A tree whose files are read when they are asked for.
struct Paths<'a>(&'a crate::git::Store, &'a crate::git::Tree);

impl Files for Paths<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        self.0.bytes(&self.1.get(path)?.blob).ok()
    }

    fn paths(&self) -> Vec<String> {
        self.1.keys().cloned().collect()
    }
}

fn told(leak: &Leak) -> String {
    match leak {
        Leak::Lines { path, of, lines, count } => {
            let first = lines.first().map_or("", String::as_str);
            format!("{path} holds {count} lines of the {of}, such as {first:?}")
        }
        Leak::Release { package, version, path, why } => format!("{package} {version} is installed, {why}: {path}"),
        Leak::GitObjects { path } => format!("git objects: {path}"),
    }
}
