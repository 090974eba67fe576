use super::limits::{cut, fitted};

/// How a test ended. Only `Passed` is a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It ran and held.
    Passed,
    /// It was left out, by a mark or for want of something.
    Skipped,
    /// It was expected to fail and did.
    ExpectedFailure,
    /// It was expected to fail and did not.
    UnexpectedPass,
    /// It ran and did not hold.
    Failed,
    /// It could not run to its end: set-up, tear-down or the process broke.
    Errored,
    /// It began, and its end was never told; whether the runner takes that for a failure is its own affair.
    Unfinished,
}

impl Status {
    /// Whether a runner ends with a failure because of it.
    pub const fn is_failure(self) -> bool {
        matches!(self, Status::Failed | Status::Errored)
    }
}

/// One test as a report has it. Two cases may bear one id.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Its id, as section "ids" of the manual writes it.
    pub id: String,
    /// How it ended.
    pub status: Status,
    /// How long it took, seconds.
    pub seconds: Option<f64>,
    /// What it said when it did not pass, cut.
    pub message: String,
}

/// Whether a report is whole and comes from the reporter that it should come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Seal {
    /// The closing line is there, and its counts and its code agree with everything before it.
    Whole,
    /// There is no closing line: the run ended early or the report was cut.
    #[default]
    Open,
    /// A closing line is there and does not agree with what it closes.
    Broken(String),
}

/// What one run of the tests reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Every case, in the order of the report.
    pub cases: Vec<Case>,
    /// What went wrong beside cases: files that could not be collected, builds that failed, lines that make no sense.
    pub problems: Vec<String>,
    /// What the runner may have taken for a failure or not: tests that were run again, and what is beyond our limits.
    pub doubts: Vec<String>,
    /// Whether the runner itself counted the failures of this report and ended well all the same, as it was told to.
    pub forgiven: bool,
    /// Whether it may be believed.
    pub seal: Seal,
    /// How the runner ended according to the one that started it, where that is known.
    pub exit: Option<i32>,
}

/// Cases, problems and signs of one text that name what they are about, at most.
const MOST_NAMED: usize = 3;
/// Bytes of each of them.
const MOST_SHOWN: usize = 300;

impl Report {
    /// Whether the runner's exit code is one that such a report comes with; see [`Report::disagreement`].
    pub fn agrees(&self, failed_at_all: bool) -> bool {
        self.disagreement(failed_at_all).is_none()
    }

    /// In what the report and the end of its run disagree, with the tests that it is about, if they do.
    ///
    /// A run ends well exactly if nothing failed. `failed_at_all` is true where the sandbox saw another end than success.
    pub fn disagreement(&self, failed_at_all: bool) -> Option<String> {
        let end = |failed: bool| if failed { "failure" } else { "success" };
        if let Some(exit) = self.exit.filter(|e| (*e != 0) != failed_at_all) {
            return Some(format!(
                "the report was closed with code {exit}, and the run ended with {}",
                end(failed_at_all)
            ));
        }
        let failed: Vec<&Case> = self.cases.iter().filter(|c| c.status.is_failure()).collect();
        let fails = !failed.is_empty() || !self.problems.is_empty();
        match failed_at_all {
            true if !fails && self.doubts.is_empty() && self.cases.iter().all(|c| c.status != Status::Unfinished) => {
                let count = self.cases.len();
                Some(format!("the run ended with failure, and none of the {count} tests of the report failed"))
            }
            false if fails && !self.forgiven => {
                let cases =
                    failed.into_iter().map(|c| format!("{} ({})", c.id, c.message.lines().next().unwrap_or("")));
                let named = naming(cases.chain(self.problems.iter().cloned()));
                Some(format!("the run ended with success, and the report has failures: {named}"))
            }
            _ => None,
        }
    }

    /// Joins another part of the same run.
    pub fn join(&mut self, other: Report) {
        for case in other.cases {
            self.push(case);
        }
        for problem in &other.problems {
            self.problem(problem);
        }
        for doubt in &other.doubts {
            self.doubt(doubt);
        }
    }
}

/// The first of many texts, each cut, and how many more there are.
pub fn naming(texts: impl Iterator<Item = String>) -> String {
    let mut texts = texts.map(|t| cut(&t, MOST_SHOWN));
    let first: Vec<String> = texts.by_ref().take(MOST_NAMED).collect();
    match texts.count() {
        0 => first.join("; "),
        more => format!("{}; and {more} more", first.join("; ")),
    }
}

/// Whether a test passed; nothing where the report does not have it.
///
/// Cases of that very id count; where there are none, all variants of a parameterised test (`id(…` or `id[…`). All of
/// them must have passed, so that an id that stands twice passes only if both do.
pub fn verdict_of(id: &str, report: &Report) -> Option<bool> {
    let all = |of: &dyn Fn(&str) -> bool| {
        let mut found = report.cases.iter().filter(|c| of(&c.id)).map(|c| c.status == Status::Passed).peekable();
        found.peek().is_some().then(|| found.all(|passed| passed))
    };
    let id = &*fitted(id);
    let variant = |other: &str| other.strip_prefix(id).is_some_and(|rest| rest.starts_with(['(', '[']));
    all(&|other| other == id).or_else(|| all(&variant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(cases: &[(&str, Status)]) -> Report {
        let case = |(id, status): &(&str, Status)| Case {
            id: (*id).into(),
            status: *status,
            seconds: None,
            message: String::new(),
        };
        Report { cases: cases.iter().map(case).collect(), ..Report::default() }
    }

    #[test]
    fn a_missing_test_has_no_verdict() {
        assert_eq!(verdict_of("a::b", &report(&[("a::bc", Status::Passed)])), None);
    }

    #[test]
    fn only_a_pass_is_a_pass() {
        for status in
            [Status::Skipped, Status::ExpectedFailure, Status::UnexpectedPass, Status::Failed, Status::Errored]
        {
            assert_eq!(verdict_of("a", &report(&[("a", status)])), Some(false));
        }
        assert_eq!(verdict_of("a", &report(&[("a", Status::Passed)])), Some(true));
    }

    #[test]
    fn an_id_that_stands_twice_passes_only_if_both_do() {
        assert_eq!(verdict_of("a", &report(&[("a", Status::Passed), ("a", Status::Failed)])), Some(false));
        assert_eq!(verdict_of("a", &report(&[("a", Status::Passed), ("a", Status::Passed)])), Some(true));
    }

    #[test]
    fn variants_of_a_parameterised_test_must_all_pass() {
        let both = [("C::m(int)[1]", Status::Passed), ("C::m(int)[2]", Status::Failed), ("C::mm", Status::Failed)];
        assert_eq!(verdict_of("C::m", &report(&both)), Some(false));
        assert_eq!(verdict_of("C::m", &report(&both[..1])), Some(true));
        assert_eq!(verdict_of("t::p", &report(&[("t::p[0]", Status::Passed)])), Some(true));
        let own = [("t::p", Status::Passed), ("t::p[0]", Status::Failed)];
        assert_eq!(verdict_of("t::p", &report(&own)), Some(true), "an exact id comes first");
    }

    #[test]
    fn an_exit_code_agrees_if_it_tells_of_failures_exactly_when_there_are_some() {
        assert!(report(&[("a", Status::Passed), ("b", Status::Skipped)]).agrees(false));
        assert!(!report(&[("a", Status::Passed)]).agrees(true));
        assert!(report(&[("a", Status::Failed)]).agrees(true));
        assert!(!report(&[("a", Status::Errored)]).agrees(false));
        assert!(!Report { exit: Some(1), ..report(&[("a", Status::Passed)]) }.agrees(false));
    }
}
