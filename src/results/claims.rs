//! What one line claims about its attempt, and where two of its claims cannot both be true.
//!
//! Both readers of lines use it, so that they refuse the same lines. What a line does not say contradicts nothing.

use super::Stop;
use crate::schema::{Infra, Outcome};

/// SHA-256 of no bytes.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Classes of faults with which a verdict says that a patch did not pass.
const FAILED: [&str; 12] = [
    "build_failure",
    "check_failed",
    "disk_limit",
    "exit_disagrees",
    "no_tests",
    "out_of_memory",
    "patch_failed",
    "report_broken",
    "report_open",
    "tests_timed_out",
    "workspace_too_large",
    "workspace_unreadable",
];

/// How a patch was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applied {
    /// It had no bytes but blanks.
    Empty,
    /// As it stands, or with some leniency.
    Changed,
    /// Another word; a later version knows it.
    Other,
}

/// Tests that passed, all of them, and how many names of failed ones are listed, where there is a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tested {
    pub passed: u32,
    pub total: u32,
    pub failed: Option<u32>,
}

/// What a line says of its patch; none of it where it names no patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchClaim {
    pub bytes: Option<u64>,
    /// Whether the digest is that of no bytes, where there is one.
    pub digest_of_none: Option<bool>,
    pub applied: Option<Applied>,
}

/// The claims of one line that must agree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claims {
    pub outcome: Outcome,
    pub infra: Infra,
    pub stop: Stop,
    pub targets: Option<Tested>,
    pub guards: Option<Tested>,
    /// Checks that passed, and all of them.
    pub score: Option<(u32, u32)>,
    pub patch: PatchClaim,
    /// Whether the line names this program as its grader: then its patch and its tests are in it, as this program writes them.
    pub graded: bool,
    /// Whether it has a fault with which a verdict says that a patch did not pass.
    pub failed: bool,
}

/// Takes a field, what contradicts what, and the remedy.
type Report<'a> = dyn FnMut(&str, String, &str) + 'a;

const REMEDY: &str = "one of the two is wrong: score the patch again, or correct the line from what was measured";

impl Applied {
    pub fn of_word(word: &[u8]) -> Applied {
        match word {
            b"empty" => Applied::Empty,
            b"strict" | b"lenient" => Applied::Changed,
            _ => Applied::Other,
        }
    }
}

impl Tested {
    fn all(self) -> bool {
        self.passed == self.total
    }
}

impl PatchClaim {
    pub fn is_digest_of_none(digest: &[u8]) -> bool {
        digest.eq_ignore_ascii_case(EMPTY.as_bytes())
    }

    fn is_none(self) -> bool {
        self == PatchClaim::default()
    }

    fn is_empty(self) -> bool {
        self.bytes == Some(0) || self.digest_of_none == Some(true) || self.applied == Some(Applied::Empty)
    }
}

/// Whether a grader is a version of this program's own.
pub(super) fn is_own_grader(grader: &str) -> bool {
    grader.starts_with("tsbench-score/")
}

/// Whether a class of fault says that a patch did not pass.
pub(super) fn is_failure(class: &str) -> bool {
    FAILED.contains(&class)
}

impl Claims {
    /// Whether all claims can be true at once.
    #[inline]
    pub fn agree(&self) -> bool {
        let mut agree = true;
        self.contradictions(&mut |_, _, _| agree = false);
        agree
    }

    /// Names every pair of claims that cannot both be true.
    pub fn contradictions(&self, report: &mut Report<'_>) {
        for (name, tested) in [("tests.targets", self.targets), ("tests.guards", self.guards)] {
            if let Some(tested) = tested {
                counts(name, tested, report);
            }
        }
        if let Some((passed, total)) = self.score {
            self.scored(passed, total, report);
        }
        self.patched(report);
        match self.outcome {
            Outcome::Resolved => self.resolved(report),
            Outcome::Unresolved | Outcome::TimedOut => self.not_all(report),
            Outcome::NoPatch => self.nothing_passed("tests.targets", self.targets, report),
            Outcome::PatchFailed => {
                self.nothing_passed("tests.targets", self.targets, report);
                self.nothing_passed("tests.guards", self.guards, report);
            }
            Outcome::InfraError | Outcome::Stopped | Outcome::Observed => self.unjudged(report),
        }
    }

    fn scored(&self, passed: u32, total: u32, report: &mut Report<'_>) {
        let word = self.outcome.word();
        if passed > total {
            report("score", format!("{passed} passed of {total}"), "passed cannot be more than total");
        } else if total == 0 {
            report("score", "a score of 0 checks".into(), "name the checks, or leave the score out");
        } else if (passed == total) != (self.outcome == Outcome::Resolved) {
            report(
                "score",
                format!("{passed} of {total} does not agree with the outcome {word:?}"),
                "an attempt is resolved exactly if every check passed",
            );
        }
    }

    /// A patch against itself and the outcome.
    fn patched(&self, report: &mut Report<'_>) {
        let (patch, word) = (self.patch, self.outcome.word());
        if let (Some(bytes), Some(of_none)) = (patch.bytes, patch.digest_of_none)
            && (bytes == 0) != of_none
        {
            let digest = if of_none { "that of no bytes" } else { "not that of no bytes" };
            report("patch.sha256", format!("a patch of {bytes} bytes, and its digest is {digest}"), REMEDY);
        }
        let applied = patch.applied == Some(Applied::Changed);
        match self.outcome {
            Outcome::Resolved | Outcome::Unresolved if patch.is_empty() => {
                report("patch", format!("the outcome is {word:?}, and the patch is empty"), REMEDY);
            }
            Outcome::NoPatch if applied || (patch.bytes.is_some_and(|b| b > 0) && patch.applied.is_none()) => {
                report("patch", format!("the outcome is {word:?}, and there is a patch"), REMEDY);
            }
            Outcome::PatchFailed if applied => {
                report("patch.applied", format!("the outcome is {word:?}, and the patch was applied"), REMEDY);
            }
            Outcome::Resolved
            | Outcome::Unresolved
            | Outcome::NoPatch
            | Outcome::PatchFailed
            | Outcome::TimedOut
            | Outcome::InfraError
            | Outcome::Stopped
            | Outcome::Observed => {}
        }
    }

    /// Every target, guard and check of a resolved attempt passed, with a patch.
    fn resolved(&self, report: &mut Report<'_>) {
        for (name, tested) in [("tests.targets", self.targets), ("tests.guards", self.guards)] {
            if let Some(Tested { passed, total, .. }) = tested.filter(|t| !t.all()) {
                report(name, format!("the outcome is \"resolved\", and {passed} of {total} passed"), REMEDY);
            }
        }
        if self.score.is_none() && self.targets.is_some_and(|t| t.total == 0) {
            report("tests.targets", "the outcome is \"resolved\", and there was no target to pass".into(), REMEDY);
        }
        if self.failed {
            report("error", "the outcome is \"resolved\", and the error says that it did not pass".into(), REMEDY);
        }
        if matches!(self.stop, Stop::Cancelled | Stop::RunBudget) {
            let what = "the outcome is \"resolved\", and the attempt was stopped before it could be scored";
            report("stop", what.into(), REMEDY);
        }
        if !self.graded {
            return;
        }
        if self.patch.is_none() {
            report("patch", "the outcome is \"resolved\", and there is no patch".into(), REMEDY);
        } else if self.patch.applied.is_none() {
            report("patch.applied", "the outcome is \"resolved\", and no patch was applied".into(), REMEDY);
        }
        if self.score.is_none() && self.targets.is_none() {
            let what = "the outcome is \"resolved\", and there is neither a target nor a check that passed";
            report("tests", what.into(), REMEDY);
        }
    }

    /// Not everything passed where an attempt was tested and is not resolved.
    fn not_all(&self, report: &mut Report<'_>) {
        if let (Some(targets), Some(guards)) = (self.targets, self.guards)
            && targets.all()
            && guards.all()
            && targets.total > 0
        {
            let what = format!(
                "the outcome is {:?}, and all {} targets and {} guards passed",
                self.outcome.word(),
                targets.total,
                guards.total
            );
            report("tests", what, REMEDY);
        }
    }

    /// Nothing was tested that could have passed.
    fn nothing_passed(&self, name: &str, tested: Option<Tested>, report: &mut Report<'_>) {
        if let Some(Tested { passed, total, .. }) = tested.filter(|t| t.passed > 0) {
            report(name, format!("the outcome is {:?}, and {passed} of {total} passed", self.outcome.word()), REMEDY);
        }
    }

    /// What was judged is not left out of the count, and what has no grader was not judged.
    fn unjudged(&self, report: &mut Report<'_>) {
        if self.outcome == Outcome::InfraError && self.infra == Infra::Fail {
            self.nothing_passed("tests.targets", self.targets, report);
            return;
        }
        let counted = |tested: Option<Tested>| tested.map(|t| (t.passed, t.total));
        for (name, pair) in
            [("tests.targets", counted(self.targets)), ("tests.guards", counted(self.guards)), ("score", self.score)]
        {
            if let Some((passed, total)) = pair.filter(|(_, total)| *total > 0) {
                let word = self.outcome.word();
                report(name, format!("the outcome is {word:?}, and a verdict says {passed} of {total}"), REMEDY);
            }
        }
    }
}

/// Counts against each other and against the names of those that failed.
fn counts(name: &str, Tested { passed, total, failed }: Tested, report: &mut Report<'_>) {
    if passed > total {
        report(name, format!("{passed} passed of {total}"), "passed cannot be more than total");
    } else if let Some(listed) = failed.filter(|listed| *listed != total - passed) {
        report(
            &format!("{name}.failed"),
            format!("{passed} of {total} passed, and {listed} are named as failed"),
            "name every test that did not pass, or leave the list out",
        );
    }
}
