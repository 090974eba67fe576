use crate::languages::Language;
use crate::reports::{Report, Seal, Status, verdict_of};
use crate::sandbox::{End, Finished};
use crate::schema::{Failure, Outcome, TaskSpec, TestCounts};

/// What a run of the tests says of a patch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub outcome: Outcome,
    pub targets: TestCounts,
    pub guards: TestCounts,
    pub error: Option<Failure>,
}

/// Judges a run: every target and guard must be reported as passed, in a whole report that its exit code agrees with.
pub(super) fn judge(spec: &TaskSpec, language: &dyn Language, report: &Report, done: &Finished) -> Judged {
    let error = objection(language, report, done);
    let believed = error.is_none();
    let count = |ids: &[String]| {
        // What cannot be believed has not passed.
        let failed: Vec<String> =
            ids.iter().filter(|id| !believed || verdict_of(id, report) != Some(true)).cloned().collect();
        TestCounts { passed: (ids.len() - failed.len()) as u64, total: ids.len() as u64, failed }
    };
    let (targets, guards) = (count(&spec.targets), count(&spec.guards));
    let all = believed && targets.failed.is_empty() && guards.failed.is_empty() && targets.total > 0;
    let outcome = match done.end {
        End::TimedOut => Outcome::TimedOut,
        _ if all => Outcome::Resolved,
        _ => Outcome::Unresolved,
    };
    Judged { outcome, targets, guards, error }
}

/// Why the report of a run cannot be believed, if it cannot.
pub(super) fn objection(language: &dyn Language, report: &Report, done: &Finished) -> Option<Failure> {
    let failure = |class: &str, message: String| Some(Failure { class: class.to_owned(), message });
    match done.end {
        End::TimedOut => {
            return failure("tests_timed_out", format!("the tests took longer than {:.0} s", done.seconds));
        }
        End::OutOfMemory => {
            return failure("out_of_memory", "a process of the tests was killed for lack of memory".into());
        }
        End::DiskLimit => return failure("disk_limit", "the tests wrote more than they may".into()),
        End::Exit(_) | End::Signal(_) => {}
    }
    let first = report.problems.first().cloned().unwrap_or_default();
    if language.is_build_failure(report, &tails(&done.stdout), &tails(&done.stderr)) && report.cases.is_empty() {
        let said = || language.build_errors(&tails(&done.stdout), &tails(&done.stderr));
        return failure("build_failure", if first.is_empty() { said() } else { first });
    }
    match &report.seal {
        Seal::Open => return failure("report_open", early_end(report)),
        Seal::Broken(why) => return failure("report_broken", why.clone()),
        Seal::Whole => {}
    }
    if report.cases.is_empty() {
        return failure("no_tests", format!("no test was reported. {first}"));
    }
    report.disagreement(!done.end.good()).and_then(|why| failure("exit_disagrees", format!("{why} ({:?})", done.end)))
}

/// What is said of a run that left before its report was closed: the test that had begun last, or else the last that ended.
fn early_end(report: &Report) -> String {
    let ended = "the tests ended before their report was closed";
    let begun = report.cases.iter().rfind(|case| case.status == Status::Unfinished);
    match (begun, report.cases.last()) {
        (Some(case), _) => format!("{ended}, while {:?} ran", case.id),
        (None, Some(case)) => format!("{ended}, after {:?}", case.id),
        (None, None) => ended.to_owned(),
    }
}

pub(super) fn tails(kept: &crate::sandbox::Kept) -> Vec<u8> {
    [kept.head.as_slice(), kept.tail.as_slice()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::{Key, parse_sealed};

    #[test]
    fn a_run_that_left_early_names_the_test_during_which_it_did() {
        let phase =
            |id: &str, phase: &str| format!("{{\"id\":\"{id}\",\"phase\":\"{phase}\",\"status\":\"passed\"}}\n");
        let whole = phase("t::a", "setup") + &phase("t::a", "call") + &phase("t::a", "teardown");
        let told = |lines: &str| early_end(&parse_sealed(lines.as_bytes(), &Key::new([7; 32])));
        assert!(told(&(whole.clone() + &phase("t::b", "setup"))).ends_with("while \"t::b\" ran"));
        assert!(told(&whole).ends_with("after \"t::a\""));
        assert!(told("").ends_with("was closed"));
    }
}
