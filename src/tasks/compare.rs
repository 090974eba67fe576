use super::solvable::{Missing, Texts, is_coined, own_names, unknown_names, words};
use std::collections::BTreeSet;

/// A change as it is compared with a statement.
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a> {
    /// The half that is no test, as a patch.
    pub solution: &'a [u8],
    /// Both halves as files.
    pub sides: &'a Sides,
    /// The starting tree.
    pub before: &'a Texts,
    /// The message of the commit, where the statement should not repeat it.
    pub message: Option<&'a str>,
}

/// The files that a change adds or changes, as it leaves them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// Those that are no tests.
    pub code: Texts,
    /// The hidden tests.
    pub tests: Texts,
}

/// How a statement stands to the change that it asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Names that the hidden tests use and nobody could know.
    pub unknown: Vec<Missing>,
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

/// Compares a statement with a change and the tree that it was made on.
pub fn compare(change: &Compare<'_>, statement: &str) -> Compared {
    let Sides { code, tests } = change.sides;
    Compared {
        unknown: unknown_names(tests, code, change.before, statement),
        gives_away: gives_away(change, statement),
    }
}

/// Lines of the fix and of the commit's message that a statement holds, and names that only the fix has: a name that the
/// tests use must be told.
fn gives_away(change: &Compare<'_>, statement: &str) -> Vec<String> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = plain(statement);
    let telling = |line: &String| {
        line.chars().count() >= SHORT && line.chars().filter(|c| c.is_alphanumeric()).count() >= LETTERS
    };
    let held = |lines: Vec<String>| -> BTreeSet<String> {
        lines.iter().map(|l| plain(l)).filter(telling).filter(|l| told.contains(l.as_str())).collect()
    };
    let lines = held(added(change.solution));
    let mut found: Vec<String> =
        lines.iter().map(|l| format!("the statement holds a line of the fix: {l:?}")).collect();
    let message = change.message.unwrap_or("");
    let message = super::statement::of_commit(message).text.lines().map(str::to_owned).collect();
    found.extend(held(message).iter().map(|l| format!("the statement repeats the commit's message: {l:?}")));
    // A word of prose that the fix has as a name too is none in the statement, unless it is marked as one.
    let marked = |n: &str| statement.contains(&format!("`{n}`")) || statement.contains(&format!("{n}("));
    let asked: BTreeSet<&str> = words(statement).filter(|n| is_coined(n) || n.starts_with('_') || marked(n)).collect();
    let names = own_names(&asked, &change.sides.code, &change.sides.tests, change.before);
    found.extend(names.iter().map(|n| format!("the statement names {n:?}, which the fix alone has")));
    found.truncate(MOST);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &[u8] = b"--- a/shop.py\n+++ b/shop.py\n@@ -1 +1,4 @@\n+# sorted: items stay\n+def _drained(store):\n+    return  sorted(store.items(), key=len)\n+def drain(store): return _drained(store)\n";
    const AFTER: &str = "# sorted: items stay\ndef _drained(store):\n    return  sorted(store.items(), key=len)\ndef drain(store): return _drained(store)\n";

    fn seen(statement: &str) -> Compared {
        let texts = |path: &str, text: &str| Texts::from([(path.to_owned(), text.as_bytes().to_vec())]);
        let sides = Sides {
            code: texts("shop.py", AFTER),
            tests: texts("tests/test_shop.py", "import shop\nassert shop.drain({}) == []\n"),
        };
        let before = texts("shop.py", "def price(store): return 1");
        let message = Some("Use a sorted copy of the items\n\nIt was slow.");
        compare(&Compare { solution: SOLUTION, sides: &sides, before: &before, message }, statement)
    }

    #[test]
    fn a_statement_that_quotes_the_fix_or_names_its_parts_gives_it_away() {
        let found = seen("Draining fails: `drain` should\n  return sorted(store.items(),\n key=len), see _drained.");
        assert_eq!(found.unknown, []);
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
        let unknown = seen("Things cannot be emptied.").unknown;
        assert_eq!(unknown.iter().map(ToString::to_string).collect::<Vec<_>>(), ["drain: tests/test_shop.py, line 2"]);
    }

    #[test]
    fn a_statement_that_repeats_the_message_of_the_commit_is_told_with_the_line() {
        let found = seen("`drain`\n\nUse a sorted copy\nof the items.");
        assert_eq!(
            found.gives_away,
            ["the statement repeats the commit's message: \"Use a sorted copy of the items\""]
        );
    }
}
