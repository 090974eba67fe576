use super::ValidationError;
use super::classify::{Ran, Runs, State};
use super::record::RunRecord;
use crate::git::TreeId;
use crate::sandbox::{Command, Provider, User};
use crate::scoring::{Around, Observed, Ready, observe};
use std::collections::BTreeSet;

/// The trees that are run.
pub(super) struct Trees {
    /// Hidden tests on the starting tree.
    pub red: TreeId,
    /// Hidden tests on the fixed tree.
    pub green: TreeId,
    /// The starting tree alone.
    pub before: TreeId,
}

/// What came of all runs: the runs themselves, and a record of each in the same order.
#[derive(Default)]
pub(super) struct Made {
    pub runs: Runs,
    pub records: Vec<RunRecord>,
    pub all: Vec<Ran>,
}

/// Why runs can make no task.
pub(super) enum Fault {
    /// A red run cannot be believed.
    Red(String, Vec<String>),
    /// A green run cannot be believed.
    Green(String, Vec<String>),
}

/// Lines of a log that are kept as evidence.
const LOG_LINES: usize = 40;

/// Runs the tests before and after the fix, `count` times each, and after it in other surroundings.
pub(super) async fn run_all(
    ready: &Ready,
    trees: &Trees,
    provider: &Provider,
    count: u32,
    step: &(dyn Fn() + Send + Sync),
) -> Result<Result<Made, Fault>, ValidationError> {
    let mut made = Made::default();
    let usual = Around::default();
    for _ in 0..count {
        let seen = observe(ready, &trees.green, provider, &usual).await?;
        step();
        if let Some(why) = distrust(&seen) {
            return Ok(Err(Fault::Green(why, evidence(&seen))));
        }
        let ran = made.take("green", &seen);
        made.runs.green.push(ran);
    }
    for _ in 0..count {
        let seen = observe(ready, &trees.red, provider, &usual).await?;
        step();
        // A tree that does not build, or that fails as a whole, is as red as can be; a run that broke off is not.
        if let Some(why) = distrust(&seen).filter(|_| !seen.unbuilt) {
            return Ok(Err(Fault::Red(why, evidence(&seen))));
        }
        let ran = made.take("red", &seen);
        made.runs.red.push(ran);
    }
    if lacks(&made.runs) {
        for _ in 0..count {
            let seen = observe(ready, &trees.before, provider, &usual).await?;
            let ran = made.take("before", &seen);
            made.runs.before.push(ran);
        }
    }
    for (kind, around) in [("elsewhere", elsewhere()), ("zoneless", zoneless(provider)), ("slower", slower())] {
        let seen = observe(ready, &trees.green, provider, &around).await?;
        step();
        let believed = distrust(&seen).is_none();
        let ran = made.take(kind, &seen);
        if believed {
            made.runs.elsewhere.push(ran);
        }
    }
    Ok(Ok(made))
}

impl Made {
    /// Notes a run.
    fn take(&mut self, kind: &str, seen: &Observed) -> Ran {
        let mut ran = Ran::of(&seen.report);
        if distrust(seen).is_some() {
            // What cannot be believed has not been reported.
            ran = Ran::default();
        }
        let passed = seen.report.cases.iter().filter(|c| c.status == crate::reports::Status::Passed).count();
        self.records.push(RunRecord {
            kind: kind.to_owned(),
            seconds: seen.seconds,
            cases: seen.report.cases.len() as u64,
            passed: passed as u64,
            unbuilt: seen.unbuilt,
            objection: distrust(seen),
            problems: seen.report.problems.clone(),
        });
        self.all.push(ran.clone());
        ran
    }

    /// How every test ended in every run, a letter a run.
    pub(super) fn letters(&self) -> std::collections::BTreeMap<String, String> {
        let ids: BTreeSet<&String> = self.all.iter().flat_map(|r| r.cases.keys()).collect();
        ids.into_iter().map(|id| (id.clone(), super::classify::letters(id, self.all.iter()))).collect()
    }
}

/// Whether green runs have tests that no red run reports.
fn lacks(runs: &Runs) -> bool {
    let of = |all: &[Ran]| all.iter().flat_map(|r| r.cases.keys().cloned()).collect::<BTreeSet<String>>();
    let red = of(&runs.red);
    of(&runs.green).iter().any(|id| !red.contains(id))
}

/// Why a run cannot be believed, if it cannot.
fn distrust(seen: &Observed) -> Option<String> {
    seen.objection.as_ref().map(|f| format!("{}: {}", f.class, f.message))
}

fn evidence(seen: &Observed) -> Vec<String> {
    let lines: Vec<&str> = seen.log.lines().collect();
    let problems = seen.report.problems.iter().cloned();
    problems.chain(lines[lines.len().saturating_sub(LOG_LINES)..].iter().map(|l| (*l).to_owned())).collect()
}

/// Another time zone, a day ahead of most, and another language. Each language of ours takes them from another place.
fn elsewhere() -> Around {
    let env = [
        ("TZ", "Pacific/Kiritimati"),
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("LANGUAGE", "de"),
        ("JAVA_TOOL_OPTIONS", "-Duser.language=de -Duser.country=DE -Duser.timezone=Pacific/Kiritimati"),
    ];
    Around { env: pairs(&env), ..Around::default() }
}

/// No time-zone database but for UTC: those of systems differ, and what needs a certain one fails on another.
fn zoneless(provider: &Provider) -> Around {
    let env = [("TZDIR", "/nonexistent"), ("PYTHONTZPATH", ""), ("ZONEINFO", "/nonexistent")];
    // Without Docker the database is the machine's own and is left alone.
    let before = matches!(provider, Provider::Docker(_)).then(|| {
        let line = "cd /usr/share && mv zoneinfo zoneinfo.away && mkdir zoneinfo && cp -L zoneinfo.away/UTC zoneinfo/UTC && rm -rf zoneinfo.away";
        Command { dir: "/".to_owned(), user: User::Root, ..Command::shell(line) }
    });
    Around { env: pairs(&env), before, slower: false }
}

/// A slow machine: a part of the processors, and runtimes kept from being quick, where one has a switch for it that
/// changes nothing else. A test that measures time passes or fails by the machine.
fn slower() -> Around {
    let env = [("PYTHONTRACEMALLOC", "100"), ("JAVA_TOOL_OPTIONS", "-Xint")];
    Around { env: pairs(&env), before: None, slower: true }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
}

/// Targets that do not pass in other surroundings: no fault, but worth a look.
pub(super) fn tied_targets(runs: &Runs, targets: &[String]) -> Vec<String> {
    let tied = |id: &&String| runs.elsewhere.iter().any(|r| r.state(id) != State::Passed);
    targets.iter().filter(tied).cloned().collect()
}
