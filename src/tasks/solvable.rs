use std::collections::BTreeSet;

/// Words after which a name is declared, so that it is the test's own.
const DECLARES: [&str; 9] = ["def", "class", "function", "func", "type", "interface", "struct", "enum", "fun"];

/// Names that hidden tests use, that the fix brings, and that nobody could know: neither the tree before it nor the
/// statement has them.
///
/// `tests` and `fix` are the lines that the change adds to tests and to code, `new_files` the stems of the files that it
/// adds, `known` every word of the starting tree.
pub(super) fn unknown_names(
    tests: &[String],
    fix: &[String],
    new_files: &[String],
    known: &BTreeSet<String>,
    statement: &str,
) -> Vec<String> {
    let mut brought: BTreeSet<String> = fix.iter().flat_map(|l| introduced(l)).collect();
    brought.extend(new_files.iter().cloned());
    let stated: BTreeSet<String> = words(statement).map(|w| w.2.to_owned()).collect();
    let declared: BTreeSet<String> = tests.iter().flat_map(|l| declared(l)).collect();
    let mut unknown = BTreeSet::new();
    for line in tests {
        for name in used(line).into_iter().chain(imported_files(line, new_files)) {
            let guessable = known.contains(&name) || stated.contains(&name) || declared.contains(&name);
            if brought.contains(&name) && !guessable {
                unknown.insert(name);
            }
        }
    }
    unknown.into_iter().collect()
}

/// Every word of a text that could be a name.
pub(super) fn names_of(text: &str) -> impl Iterator<Item = String> + '_ {
    words(text).map(|w| w.2.to_owned())
}

/// Words with the place where each begins and ends.
fn words(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = 0;
    std::iter::from_fn(move || {
        while let Some(offset) = text[rest..].find(part) {
            let start = rest + offset;
            let end = text[start..].find(|c| !part(c)).map_or(text.len(), |e| start + e);
            rest = end;
            let word = &text[start..end];
            if word.chars().count() > 2 && !word.starts_with(|c: char| c.is_ascii_digit()) {
                return Some((start, end, word));
            }
        }
        None
    })
}

/// Words that stand beside a name without declaring it.
const AROUND: [&str; 27] = [
    "return",
    "if",
    "elif",
    "not",
    "in",
    "and",
    "or",
    "is",
    "for",
    "while",
    "else",
    "await",
    "yield",
    "import",
    "from",
    "new",
    "throw",
    "raise",
    "case",
    "del",
    "assert",
    "typeof",
    "defer",
    "range",
    "package",
    "instanceof",
    "require",
];

/// Names that a line of a fix may declare: functions, types, fields, parameters, variables. What it only uses, such as a
/// function of a library, is not its own.
pub(super) fn introduced(line: &str) -> Vec<String> {
    let bare = code(line);
    let all: Vec<(usize, usize, &str)> = words(&bare).collect();
    let beside = |a: usize, b: usize| {
        let blank = !bare[all[a].1..all[b].0].is_empty() && bare[all[a].1..all[b].0].trim().is_empty();
        blank && !AROUND.contains(&all[a].2) && !AROUND.contains(&all[b].2)
    };
    let declares = |i: usize| {
        let (before, after) = (bare[..all[i].0].trim_end(), bare[all[i].1..].trim_start());
        let member = before.ends_with('.') && !["self.", "this.", "exports."].iter().any(|p| before.ends_with(p));
        let set = after.starts_with([':', '?']) || after.starts_with('=') && !after.starts_with("==");
        // A method: `name(…) {` at the beginning of a line, or behind its receiver in Go.
        let method = (before.is_empty() || before.starts_with("func ("))
            && after.starts_with('(')
            && bare.trim_end().ends_with(['{', ':']);
        !member && (set || method || i > 0 && beside(i - 1, i) || i + 1 < all.len() && beside(i, i + 1))
    };
    (0..all.len()).filter(|i| declares(*i)).map(|i| all[i].2.to_owned()).collect()
}

/// Names that a line calls, imports, reads or builds.
fn used(line: &str) -> Vec<String> {
    let bare = code(line);
    let trimmed = bare.trim_start();
    let import = ["import ", "from ", "use ", "const {", "import{"].iter().any(|p| trimmed.starts_with(p));
    let found = words(&bare).filter(|(start, end, _)| {
        let (before, after) = (&bare[..*start], &bare[*end..]);
        let calls = after.starts_with(['(', '.', '<', '{', '!']) || after.starts_with("::") || after.starts_with("=");
        let part = before.ends_with('.') || before.ends_with("::") || before.ends_with('@') || before.ends_with("new ");
        // `a=b` names an argument; `a == b` and `a = b` do not stand so close.
        import || calls && !after.starts_with("==") || part
    });
    found.map(|(_, _, word)| word.to_owned()).collect()
}

/// Stems of new files that an import of a line names inside a string.
fn imported_files(line: &str, new_files: &[String]) -> Vec<String> {
    let import = ["import", "require(", " from "].iter().any(|w| line.contains(w));
    let has = |stem: &&String| import && words(line).any(|(_, _, w)| w == stem.as_str());
    new_files.iter().filter(has).cloned().collect()
}

fn declared(line: &str) -> Vec<String> {
    let all: Vec<(usize, usize, &str)> = words(line).collect();
    let pairs = all.windows(2).filter(|p| DECLARES.contains(&p[0].2) && line[p[0].1..p[1].0].trim().is_empty());
    pairs.map(|p| p[1].2.to_owned()).collect()
}

/// A line without its strings and comments.
fn code(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match quote {
            Some(_) if c == '\\' => drop(chars.next()),
            Some(q) => {
                if c == q {
                    quote = None;
                    out.push(c);
                }
            }
            None if c == '#' && !chars.peek().is_some_and(|n| n.is_alphanumeric()) => break,
            None if c == '/' && chars.peek() == Some(&'/') => break,
            None => {
                quote = matches!(c, '"' | '\'' | '`').then_some(c);
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    fn known(words: &[&str]) -> BTreeSet<String> {
        list(words).into_iter().collect()
    }

    #[test]
    fn a_new_function_that_nobody_named_is_unknown() {
        let tests = list(&["    assert store.drain_all(3) == 4", "from shop.store import Ledger"]);
        let fix = list(&["def drain_all(self, most):", "class Ledger:"]);
        let base = known(&["store", "shop", "assert"]);
        assert_eq!(unknown_names(&tests, &fix, &[], &base, ""), ["Ledger", "drain_all"]);
        assert_eq!(unknown_names(&tests, &fix, &[], &base, "Add `drain_all` and a Ledger."), [""; 0]);
        assert_eq!(unknown_names(&tests, &fix, &[], &known(&["drain_all", "Ledger"]), ""), [""; 0]);
    }

    #[test]
    fn names_of_libraries_and_of_the_tests_themselves_are_nobodys_secret() {
        let tests = list(&["def helper_one(x):", "    return pickle.dumps(helper_one(x))"]);
        let fix = list(&["total = helper_one"]);
        assert_eq!(unknown_names(&tests, &fix, &[], &BTreeSet::new(), ""), [""; 0]);
    }

    #[test]
    fn what_the_fix_only_uses_is_not_its_own() {
        let fix = list(&["\tif v.major == math.MaxUint64 {", "import math", "return pickle.dumps(state)"]);
        let tests = list(&["x := math.MaxUint64", "pickle.dumps(1)"]);
        assert_eq!(unknown_names(&tests, &fix, &[], &BTreeSet::new(), ""), [""; 0]);
    }

    #[test]
    fn declarations_of_every_language_bring_names() {
        for (line, name) in [
            ("def drain(self):", "drain"),
            ("    self.limit = 3", "limit"),
            ("func (s *Store) Drain(most int) error {", "Drain"),
            ("\tRetries int", "Retries"),
            ("  drain(most: number): void {", "drain"),
            ("  retries?: number;", "retries"),
            ("export const drain = () => 1", "drain"),
            ("    public int drain(int most) {", "drain"),
            ("    private final Ledger ledger;", "ledger"),
        ] {
            assert!(introduced(line).contains(&name.to_owned()), "{line}: {:?}", introduced(line));
        }
    }

    #[test]
    fn words_of_comments_and_strings_are_not_used() {
        let tests = list(&["x = f(\"drain_all(1)\")  # drain_all(2)", "y = g(1) // drain_all(3)"]);
        let fix = list(&["def drain_all():"]);
        assert_eq!(unknown_names(&tests, &fix, &[], &BTreeSet::new(), ""), [""; 0]);
    }

    #[test]
    fn keyword_arguments_fields_and_new_files_count() {
        let fix = list(&["def f(most_calls=3):", "Retries int"]);
        let tests = list(&["f(most_calls=4)", "c.Retries = 3", "import { x } from './ledger.js'"]);
        let found = unknown_names(&tests, &fix, &list(&["ledger"]), &BTreeSet::new(), "");
        assert_eq!(found, ["Retries", "ledger", "most_calls"]);
    }

    #[test]
    fn a_comparison_is_not_an_argument() {
        assert_eq!(used("total == other"), [""; 0]);
    }
}
