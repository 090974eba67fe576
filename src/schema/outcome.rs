use serde::{Deserialize, Serialize};
use std::fmt;

/// How an attempt ended, and so how it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every target and every guard passed.
    Resolved,
    /// The suite ran and at least one target or guard did not pass.
    Unresolved,
    /// The agent left no change.
    NoPatch,
    /// The patch could not be applied to the starting tree.
    PatchFailed,
    /// The attempt or its tests ran into a time limit.
    TimedOut,
    /// A fault of the harness or of the provider, not of the model.
    InfraError,
    /// Ended by us before it could finish: a budget, or a person.
    Stopped,
    /// A task without a grader; it is in no denominator.
    Observed,
}

/// Whether a run counts faults of the infrastructure as failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Infra {
    /// Left out of every rate, and counted beside it.
    #[default]
    Exclude,
    /// Counted as not fixed, and reported apart.
    Fail,
}

impl Outcome {
    /// Every outcome, in the order in which pages list them.
    pub const ALL: [Outcome; 8] = [
        Outcome::Resolved,
        Outcome::Unresolved,
        Outcome::NoPatch,
        Outcome::PatchFailed,
        Outcome::TimedOut,
        Outcome::InfraError,
        Outcome::Stopped,
        Outcome::Observed,
    ];

    /// The word stored in raw lines.
    pub const fn word(self) -> &'static str {
        match self {
            Outcome::Resolved => "resolved",
            Outcome::Unresolved => "unresolved",
            Outcome::NoPatch => "no_patch",
            Outcome::PatchFailed => "patch_failed",
            Outcome::TimedOut => "timed_out",
            Outcome::InfraError => "infra_error",
            Outcome::Stopped => "stopped",
            Outcome::Observed => "observed",
        }
    }

    /// The words shown to readers.
    pub const fn label(self) -> &'static str {
        match self {
            Outcome::Resolved => "Fixed",
            Outcome::Unresolved => "Not fixed",
            Outcome::NoPatch => "No patch",
            Outcome::PatchFailed => "Patch did not apply",
            Outcome::TimedOut => "Timed out",
            Outcome::InfraError => "Infrastructure error",
            Outcome::Stopped => "Stopped by us",
            Outcome::Observed => "Observed only",
        }
    }

    /// The outcome of a stored word, or none where the word is unknown.
    pub fn from_word(word: &str) -> Option<Outcome> {
        Outcome::ALL.into_iter().find(|o| o.word() == word)
    }

    /// Whether the attempt is in the denominator of a fix rate under this policy.
    pub const fn counts(self, infra: Infra) -> bool {
        match self {
            Outcome::Resolved | Outcome::Unresolved | Outcome::NoPatch | Outcome::PatchFailed | Outcome::TimedOut => {
                true
            }
            Outcome::InfraError => matches!(infra, Infra::Fail),
            Outcome::Stopped | Outcome::Observed => false,
        }
    }

    /// Whether the attempt was meant to count and does not: faults of ours and stops.
    pub const fn excluded(self, infra: Infra) -> bool {
        match self {
            Outcome::InfraError => matches!(infra, Infra::Exclude),
            Outcome::Stopped => true,
            Outcome::Resolved
            | Outcome::Unresolved
            | Outcome::NoPatch
            | Outcome::PatchFailed
            | Outcome::TimedOut
            | Outcome::Observed => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_names_its_outcome_and_no_other_word_does() {
        for o in Outcome::ALL {
            assert_eq!(Outcome::from_word(o.word()), Some(o));
            assert_eq!(serde_json::to_string(&o).unwrap(), format!("\"{}\"", o.word()));
        }
        assert_eq!(Outcome::from_word("fixed"), None);
        assert_eq!(Outcome::from_word("Resolved"), None);
    }

    #[test]
    fn no_outcome_is_both_counted_and_excluded() {
        for o in Outcome::ALL {
            for p in [Infra::Exclude, Infra::Fail] {
                assert!(!(o.counts(p) && o.excluded(p)), "{o} under {p:?}");
            }
        }
        assert!(!Outcome::Observed.counts(Infra::Fail) && !Outcome::Observed.excluded(Infra::Fail));
    }
}
