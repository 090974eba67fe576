//! The words in which a board tells a success: bugs are fixed, tasks are solved, puzzles are cracked.

use crate::schema::Outcome;

/// Verb, unit and noun of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording<'b> {
    /// What a good attempt did: `fixed`.
    pub verb: &'b str,
    /// To what: `bug`.
    pub unit: &'b str,
    /// What came of it: `fix`.
    pub noun: &'b str,
}

/// The words of boards that choose none.
const USUAL: Wording<'static> = Wording { verb: "fixed", unit: "bug", noun: "fix" };

impl<'b> Wording<'b> {
    /// The words as chosen; an empty one stands for the usual word, or, beside another verb, for one that fits any task.
    pub fn new(verb: &'b str, unit: &'b str, noun: &'b str) -> Wording<'b> {
        let usual =
            if verb.is_empty() || verb == USUAL.verb { USUAL } else { Wording { verb, unit: "task", noun: "success" } };
        let or = |word: &'b str, other: &'b str| if word.is_empty() { other } else { word };
        Wording { verb: usual.verb, unit: or(unit, usual.unit), noun: or(noun, usual.noun) }
    }

    /// The whole predicate: `fixed the bug`.
    pub fn did(self) -> String {
        format!("{} the {}", self.verb, self.unit)
    }

    /// The verb as a heading: `Fixed`.
    pub fn head(self) -> String {
        capital(self.verb)
    }

    /// The noun in the plural: `fixes`.
    pub fn nouns(self) -> String {
        let hisses = ["s", "x", "z", "ch", "sh"].iter().any(|end| self.noun.ends_with(end));
        format!("{}{}", self.noun, if hisses { "es" } else { "s" })
    }

    /// The noun in the plural at the beginning of a sentence: `Fixes`.
    pub fn nouns_head(self) -> String {
        capital(&self.nouns())
    }

    /// The noun with its article: `a fix`, `an answer`.
    pub fn a_noun(self) -> String {
        let vowel = self.noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']);
        format!("{} {}", if vowel { "an" } else { "a" }, self.noun)
    }

    /// The word for an outcome on pages of the board.
    pub fn outcome(self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Resolved => self.head(),
            Outcome::Unresolved if self.verb != USUAL.verb => format!("Not {}", self.verb),
            other => other.label().to_owned(),
        }
    }
}

impl Default for Wording<'_> {
    fn default() -> Self {
        USUAL
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a choice can stand in a sentence: letters, with single blanks or hyphens between them, or nothing at all.
pub(super) fn is_word(word: &str) -> bool {
    word.is_empty() || word.split([' ', '-']).all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_without_choices_fixes_bugs() {
        let words = Wording::new("", "", "");
        assert_eq!((words.did().as_str(), words.head().as_str()), ("fixed the bug", "Fixed"));
        assert_eq!((words.nouns().as_str(), words.a_noun().as_str()), ("fixes", "a fix"));
        assert_eq!(words.outcome(Outcome::Unresolved), Outcome::Unresolved.label());
    }

    #[test]
    fn another_verb_brings_words_that_fit_any_task() {
        let words = Wording::new("solved", "", "");
        assert_eq!((words.did().as_str(), words.nouns().as_str()), ("solved the task", "successes"));
        assert_eq!(words.outcome(Outcome::Resolved), "Solved");
        let words = Wording::new("answered", "question", "answer");
        assert_eq!((words.did().as_str(), words.a_noun().as_str()), ("answered the question", "an answer"));
        assert_eq!((words.nouns().as_str(), words.nouns_head().as_str()), ("answers", "Answers"));
    }

    #[test]
    fn a_choice_is_a_word_and_holds_no_digit_and_no_tag() {
        for good in ["", "solved", "worked out", "well-formed", "gelöst"] {
            assert!(is_word(good), "{good:?}");
        }
        for bad in [" ", "30% fixed", "a  b", "<b>", "-", "fixed.", "½"] {
            assert!(!is_word(bad), "{bad:?}");
        }
    }
}
