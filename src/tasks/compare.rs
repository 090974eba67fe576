use super::solvable::{introduced, names_of, unknown_names};
use std::collections::{BTreeMap, BTreeSet};

/// How a statement stands to the change that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Names that the hidden tests use and nobody could know.
    pub unknown: Vec<String>,
    /// What the statement tells of the fix, in words for a person.
    pub gives_away: Vec<String>,
}

/// Characters of a line below which it says nothing.
const SHORT: usize = 16;
/// Letters and digits that it must have.
const LETTERS: usize = 10;
/// Findings that are told.
const MOST: usize = 20;

/// The lines that a patch adds.
pub fn added(patch: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(patch);
    text.lines().filter(|l| !l.starts_with("+++")).filter_map(|l| l.strip_prefix('+')).map(str::to_owned).collect()
}

/// Compares a statement with both halves of a change and the tree that it was made on.
pub fn compare(solution: &[u8], tests: &[u8], files: &BTreeMap<String, Vec<u8>>, statement: &str) -> Compared {
    let (fix, tests) = (added(solution), added(tests));
    let known: BTreeSet<String> =
        files.values().flat_map(|b| names_of(&String::from_utf8_lossy(b)).collect::<Vec<_>>()).collect();
    let text = String::from_utf8_lossy(solution);
    let new = text.lines().filter_map(|l| l.strip_prefix("+++ b/")).filter(|p| !files.contains_key(*p));
    let stems: Vec<String> = new
        .filter_map(|p| p.rsplit('/').next()?.split('.').next().map(str::to_owned))
        .filter(|s| s != "index")
        .collect();
    Compared {
        unknown: unknown_names(&tests, &fix, &stems, &known, statement),
        gives_away: gives_away(statement, &fix, &tests, &known),
    }
}

/// Lines of the fix that a statement holds, and names that only the fix has: a name that the tests use must be told.
fn gives_away(statement: &str, fix: &[String], tests: &[String], known: &BTreeSet<String>) -> Vec<String> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = plain(statement);
    let telling = |line: &&String| {
        line.chars().count() >= SHORT && line.chars().filter(|c| c.is_alphanumeric()).count() >= LETTERS
    };
    let lines: BTreeSet<String> = fix.iter().map(|l| plain(l)).collect();
    let lines = lines.iter().filter(telling).filter(|l| told.contains(l.as_str()));
    let mut found: Vec<String> = lines.map(|l| format!("the statement holds a line of the fix: {l:?}")).collect();
    let tested: BTreeSet<String> = tests.iter().flat_map(|l| names_of(l).collect::<Vec<_>>()).collect();
    let stated: BTreeSet<String> = names_of(statement).collect();
    let names: BTreeSet<String> = fix.iter().flat_map(|l| introduced(l)).collect();
    // A word of prose that a comment of the fix has too is no name.
    let coined = |n: &str| n.contains(['_', '$']) || n.chars().skip(1).any(char::is_uppercase);
    let marked = |n: &str| statement.contains(&format!("`{n}`")) || statement.contains(&format!("{n}("));
    let names = names.iter().filter(|n| stated.contains(*n) && !tested.contains(*n) && !known.contains(*n));
    let names = names.filter(|n| coined(n) || marked(n));
    found.extend(names.map(|n| format!("the statement names {n:?}, which the fix alone has")));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &[u8] = b"--- a/shop.py\n+++ b/shop.py\n@@ -1 +1,4 @@\n+# sorted: items stay\n+def _drained(store):\n+    return  sorted(store.items(), key=len)\n+def drain(store): return _drained(store)\n";
    const TESTS: &[u8] =
        b"--- a/tests/test_shop.py\n+++ b/tests/test_shop.py\n@@ -1 +1,1 @@\n+assert shop.drain({}) == []\n";

    fn seen(statement: &str) -> Compared {
        let files = [("shop.py".to_owned(), b"def price(store): return 1".to_vec())].into_iter().collect();
        compare(SOLUTION, TESTS, &files, statement)
    }

    #[test]
    fn a_statement_that_quotes_the_fix_or_names_its_parts_gives_it_away() {
        let found = seen("Draining fails: `drain` should\n  return sorted(store.items(),\n key=len), see _drained.");
        assert_eq!(found.unknown, [""; 0]);
        let wanted = [
            "the statement holds a line of the fix: \"return sorted(store.items(), key=len)\"",
            "the statement names \"_drained\", which the fix alone has",
        ];
        assert_eq!(found.gives_away, wanted);
    }

    #[test]
    fn names_that_the_tests_need_and_words_of_the_tree_give_nothing_away() {
        let found = seen("There is a price for the store, sorted, yet no `drain`.");
        assert_eq!(found, Compared::default());
        assert_eq!(seen("Things cannot be emptied.").unknown, ["drain"]);
    }
}
