use crate::reports::{Report, Status};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// How each test of one run ended; a test that stands twice ends as the worse of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// Tests by id.
    pub cases: BTreeMap<String, Status>,
}

impl Ran {
    /// Of a report.
    pub fn of(report: &Report) -> Ran {
        let mut cases: BTreeMap<String, Status> = BTreeMap::new();
        for case in &report.cases {
            let worst = cases.entry(case.id.clone()).or_insert(case.status);
            *worst = (*worst).max(case.status);
        }
        Ran { cases }
    }

    pub(super) fn state(&self, id: &str) -> State {
        match self.cases.get(id) {
            Some(Status::Passed) => State::Passed,
            Some(_) => State::NotPassed,
            None => State::Absent,
        }
    }
}

/// What counts of a test in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It passed.
    Passed,
    /// It was reported with anything else than a pass.
    NotPassed,
    /// It was not reported.
    Absent,
}

/// What the change of the tests says of one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The test itself was added or changed.
    Changed,
    /// It stands in a file that was changed.
    InChangedFile,
    /// Neither.
    None,
}

/// Why a test is neither target nor guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Runs of one kind differ.
    Flaky,
    /// It passes after the fix, but not in another time zone or language, without a time-zone database, or on a slow
    /// machine.
    EnvironmentDependent,
    /// It does not pass after the fix: skipped, failing, expected to fail.
    NotPassing,
    /// It passes after the fix and could not run before it, and nothing shows that the fix is why.
    NotRunBefore,
    /// It passes before the fix and not after it.
    Regressed,
}

/// A test that is neither target nor guard.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Dropped {
    /// The test.
    pub id: String,
    /// Why.
    pub why: Fate,
}

/// Tests by what they are to a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    /// Not passed in any red run, passed in every green one.
    pub targets: Vec<String>,
    /// Passed in all.
    pub guards: Vec<String>,
    /// The rest, with the reason.
    pub dropped: Vec<Dropped>,
}

/// All runs of a candidate.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    /// Hidden tests on the starting tree.
    pub red: Vec<Ran>,
    /// Hidden tests on the fixed tree.
    pub green: Vec<Ran>,
    /// The starting tree with its own tests; empty unless red runs lacked tests that green ones have.
    pub before: Vec<Ran>,
    /// Green in other surroundings.
    pub elsewhere: Vec<Ran>,
}

/// Sorts the tests of some runs.
///
/// A test that a red run does not report, for what it stands in does not build or load, is a target if the change adds or
/// changes it, or if it is new in a changed file; it is a guard if it passed before the hidden tests came.
pub fn sort(runs: &Runs, change: &dyn Fn(&str) -> Change) -> Sorted {
    let all = [&runs.red, &runs.green];
    let ids: BTreeSet<&String> = all.iter().flat_map(|r| r.iter()).flat_map(|r| r.cases.keys()).collect();
    let mut sorted = Sorted::default();
    for id in ids {
        match kind(id, runs, change) {
            Ok(true) => sorted.targets.push(id.clone()),
            Ok(false) => sorted.guards.push(id.clone()),
            Err(why) => sorted.dropped.push(Dropped { id: id.clone(), why }),
        }
    }
    sorted
}

/// Target (true), guard (false) or why neither.
fn kind(id: &str, runs: &Runs, change: &dyn Fn(&str) -> Change) -> Result<bool, Fate> {
    let (red, green) = (same(&runs.red, id).ok_or(Fate::Flaky)?, same(&runs.green, id).ok_or(Fate::Flaky)?);
    if green != State::Passed {
        return Err(if red == State::Passed { Fate::Regressed } else { Fate::NotPassing });
    }
    let target = match red {
        State::Passed => false,
        State::NotPassed => true,
        State::Absent => match (change(id), same(&runs.before, id)) {
            (Change::Changed, _) => true,
            (_, None) => return Err(Fate::Flaky),
            (_, Some(State::Passed)) => false,
            (Change::InChangedFile, Some(State::Absent)) if !runs.before.is_empty() => true,
            _ => return Err(Fate::NotRunBefore),
        },
    };
    // A target may depend on its surroundings as the bug did; scoring fixes them. A guard has no such reason.
    if !target && runs.elsewhere.iter().any(|r| r.state(id) != State::Passed) {
        return Err(Fate::EnvironmentDependent);
    }
    Ok(target)
}

/// The state of a test that all these runs agree on; absent where there are no runs.
fn same(runs: &[Ran], id: &str) -> Option<State> {
    let first = runs.first().map_or(State::Absent, |r| r.state(id));
    runs.iter().all(|r| r.state(id) == first).then_some(first)
}

/// How a test ended in each run, a letter each.
pub(super) fn letters<'a>(id: &str, runs: impl Iterator<Item = &'a Ran>) -> String {
    runs.map(|r| match r.cases.get(id) {
        Some(Status::Passed) => 'P',
        Some(Status::Failed) => 'F',
        Some(Status::Errored | Status::Unfinished) => 'E',
        Some(Status::Skipped) => 'S',
        Some(Status::ExpectedFailure) => 'X',
        Some(Status::UnexpectedPass) => 'U',
        None => '-',
    })
    .collect()
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;
