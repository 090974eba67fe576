use super::ValidationError;
use super::classify::{Ran, Runs, State};
use super::record::RunRecord;
use super::turns::{Pace, Turns};
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

/// Why runs can make no task, or cannot tell.
pub(super) enum Fault {
    /// A run took too long, alone too: its kind, and the limit in seconds.
    Late(String, u64),
    /// A red run cannot be believed.
    Red(String, Vec<String>),
    /// A green run cannot be believed.
    Green(String, Vec<String>),
}

/// Lines of a log that are kept as evidence.
const LOG_LINES: usize = 40;

/// What all runs of a candidate need.
pub(super) struct Runner<'a> {
    pub ready: &'a Ready,
    pub trees: &'a Trees,
    pub provider: &'a Provider,
    pub turns: &'a Turns,
    pub pace: &'a (dyn Fn(Pace<'_>) + Send + Sync),
}

impl Runner<'_> {
    /// One run, and another one alone where it took too long.
    async fn observe(&self, what: &str, tree: &TreeId, around: &Around) -> Result<Observed, Stop> {
        (self.pace)(Pace::Begins(what));
        let run = || observe(self.ready, tree, self.provider, around);
        let again = || (self.pace)(Pace::Begins(&format!("{what}, which took too long, alone")));
        let seen = self.turns.twice(run, |end| end.as_ref().is_ok_and(|seen| seen.timed_out), again).await;
        let seen = seen.map_err(|e| Stop::Error(e.into()))?;
        if seen.timed_out {
            let kind = what.split(' ').next().unwrap_or(what).to_owned();
            return Err(Stop::Fault(Fault::Late(kind, around.seconds(&self.ready.task.limits))));
        }
        Ok(seen)
    }

    async fn all(&self, count: u32) -> Result<Made, Stop> {
        let mut made = Made::default();
        let usual = Around::default();
        for n in 1..=count {
            let seen = self.observe(&format!("green run {n} of {count}"), &self.trees.green, &usual).await?;
            (self.pace)(Pace::RunEnds);
            if let Some(why) = distrust(&seen) {
                return Err(Stop::Fault(Fault::Green(why, evidence(&seen))));
            }
            let ran = made.take("green", &seen);
            made.runs.green.push(ran);
        }
        for n in 1..=count {
            let seen = self.observe(&format!("red run {n} of {count}"), &self.trees.red, &usual).await?;
            (self.pace)(Pace::RunEnds);
            // A tree that does not build, or that fails as a whole, is as red as can be; a run that broke off is not.
            if let Some(why) = distrust(&seen).filter(|_| !seen.unbuilt) {
                return Err(Stop::Fault(Fault::Red(why, evidence(&seen))));
            }
            let ran = made.take("red", &seen);
            made.runs.red.push(ran);
        }
        if lacks(&made.runs) {
            for n in 1..=count {
                let what = format!("before run {n} of {count}");
                let seen = self.observe(&what, &self.trees.before, &usual).await?;
                let ran = made.take("before", &seen);
                made.runs.before.push(ran);
            }
        }
        for (kind, around) in [("elsewhere", elsewhere()), ("zoneless", zoneless(self.provider)), ("slower", slower())]
        {
            let seen = self.observe(&format!("{kind} run"), &self.trees.green, &around).await?;
            (self.pace)(Pace::RunEnds);
            let believed = distrust(&seen).is_none();
            let ran = made.take(kind, &seen);
            if believed {
                made.runs.elsewhere.push(ran);
            }
        }
        Ok(made)
    }

    /// Runs the tests before and after the fix, `count` times each, and after it in other surroundings.
    pub(super) async fn run_all(&self, count: u32) -> Result<Result<Made, Fault>, ValidationError> {
        match self.all(count).await {
            Ok(made) => Ok(Ok(made)),
            Err(Stop::Fault(fault)) => Ok(Err(fault)),
            Err(Stop::Error(e)) => Err(e),
        }
    }
}

/// Why runs end early.
enum Stop {
    Fault(Fault),
    Error(ValidationError),
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

/// A slow machine: a third of the processors, so that no suite takes more than three times as long, and a Java that
/// compiles once and quickly, which changes nothing else. A test that measures time passes or fails by the machine.
fn slower() -> Around {
    let env = [("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1")];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Limits;

    #[test]
    fn a_slower_run_takes_at_most_three_times_as_long_and_traces_nothing() {
        let limits = Limits::default();
        assert_eq!(slower().seconds(&limits), 3 * Around::default().seconds(&limits));
        let costly = ["PYTHONTRACEMALLOC", "-Xint"];
        let env = format!("{:?}", slower().env);
        assert!(!costly.iter().any(|word| env.contains(word)), "{env}");
    }
}
