//! What a patch may say in a `go.mod` or `go.work`: a newer version of the language, and nothing about modules.

use super::{Merged, Mixed};
use std::collections::BTreeSet;

/// The trusted file with the patch's version of the language where it is newer, and with its toolchain, which the
/// environment of the tests decides over anyway. An older version would change what the loops of the tests do.
pub(super) fn merge(mixed: &Mixed<'_>) -> Option<Merged> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok().filter(|t| !t.trim().is_empty());
    let (mut made, asked) = (text(mixed.trusted)?, text(mixed.theirs)?);
    let (wanted, version) = (value(&asked, "go"), value(&made, "go"));
    let newer = |new: &&str| {
        let Some(numbers) = numbers(new) else { return false };
        let known = mixed.runtime.is_none_or(|runtime| runs(runtime, &numbers));
        known && version.as_deref().is_none_or(|old| self::numbers(old).is_some_and(|old| old < numbers))
    };
    let version = wanted.as_deref().filter(newer).map(str::to_owned);
    if let Some(version) = &version {
        made = with(&made, "go", version);
    }
    let toolchain = value(&asked, "toolchain").filter(|t| t.strip_prefix("go").is_some_and(|v| numbers(v).is_some()));
    if let Some(toolchain) = toolchain.filter(|t| value(&made, "toolchain").as_ref() != Some(t)) {
        made = with(&made, "toolchain", &toolchain);
    }
    let mut put_back = differences(&asked, &made);
    let unknown = |v: &&str| numbers(v).is_some_and(|v| mixed.runtime.is_some_and(|runtime| !runs(runtime, &v)));
    if let Some(version) = wanted.as_deref().filter(unknown) {
        let name = format!("go {version}");
        put_back.iter_mut().filter(|part| **part == name).for_each(|part| part.push_str(&mixed.why_unknown()));
    }
    Some(Merged { bytes: made.into_bytes(), put_back, version })
}

/// The parts of a version, of one that is released.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

/// Whether a runtime that calls itself `go1.26.8` knows a version of the language.
fn runs(runtime: &str, version: &[u32]) -> bool {
    let digits = |c: char| c.is_ascii_digit() || c == '.';
    let named = runtime.split_once("go1").map(|(_, rest)| rest.split(|c| !digits(c)).next().unwrap_or(""));
    let Some(own) = named.and_then(|rest| numbers(&format!("1{rest}"))) else { return false };
    version <= own.as_slice()
}

/// The value of a directive that stands once, on a line of its own.
fn value(text: &str, directive: &str) -> Option<String> {
    directives(text).into_iter().find_map(|(key, rest)| (key == directive).then_some(rest))
}

/// A file with another value of a directive, which comes after the line of the language where it was not there.
fn with(text: &str, directive: &str, value: &str) -> String {
    let names = |line: &str, name: &str| line.split_whitespace().next() == Some(name);
    let line = format!("{directive} {value}");
    let there = text.lines().any(|l| names(l, directive));
    let mut lines: Vec<String> = Vec::new();
    for old in text.lines() {
        match () {
            () if names(old, directive) => lines.push(line.clone()),
            () if !there && names(old, if directive == "go" { "module" } else { "go" }) => {
                lines.extend([old.to_owned(), String::new(), line.clone()]);
            }
            () => lines.push(old.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// Every directive with its words, those in brackets one by one, without comments.
fn directives(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or("");
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), &open) {
            ([], _) => {}
            ([")"], _) => open = None,
            ([key, "("], None) => open = Some((*key).to_owned()),
            (words, Some(key)) => found.push((key.clone(), words.join(" "))),
            ([key, rest @ ..], None) => found.push(((*key).to_owned(), rest.join(" "))),
        }
    }
    found
}

/// The directives of a patch that do not count, and those that it removes in vain.
fn differences(asked: &str, made: &str) -> Vec<String> {
    let set = |text: &str| directives(text).into_iter().collect::<BTreeSet<_>>();
    let (asked, made) = (set(asked), set(made));
    let subject = |(key, rest): &(String, String)| {
        let named = ["go", "toolchain", "module"].contains(&key.as_str());
        (key.clone(), if named { String::new() } else { rest.split(' ').next().unwrap_or("").to_owned() })
    };
    let own: BTreeSet<_> = asked.difference(&made).map(&subject).collect();
    let gone = made.difference(&asked).filter(|d| !own.contains(&subject(d)));
    asked.difference(&made).chain(gone).map(|(key, rest)| format!("{key} {rest}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const OLD: &str = "module a\n\ngo 1.22 // x\n\nrequire (\n\tb.org/b v1.0.0\n)\n";

    fn merged(theirs: &str, runtime: Option<&str>) -> (String, Vec<String>, Option<String>) {
        let start: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let (trusted, theirs) = (OLD.as_bytes(), theirs.as_bytes());
        let made = merge(&Mixed { start: &start, path: "go.mod", trusted, theirs, runtime }).unwrap();
        (String::from_utf8(made.bytes).unwrap(), made.put_back, made.version)
    }

    #[test]
    fn a_newer_language_counts_and_an_older_one_does_not() {
        let (text, lost, version) = merged(&OLD.replace("1.22 // x", "1.23"), None);
        assert!(text.contains("\ngo 1.23\n") && lost.is_empty() && version.as_deref() == Some("1.23"), "{text}");
        for other in ["1.21", "1.9", "1.x", "1.23rc1", ""] {
            let (text, lost, version) = merged(&OLD.replace("1.22 // x", other), None);
            assert!(text == OLD && version.is_none() && lost.len() == 1, "{other}: {lost:?}");
        }
    }

    #[test]
    fn a_language_that_the_runtime_does_not_know_is_put_back_by_name() {
        let asked = OLD.replace("1.22 // x", "1.99");
        let why = "go 1.99, which the runtime (go1.26.8) does not know";
        assert_eq!(merged(&asked, Some("go1.26.8")).1, [why]);
        assert!(merged(&asked, Some("what")).2.is_none() && merged(&asked, None).2.is_some());
        assert!(merged(&OLD.replace("1.22 // x", "1.26"), Some("go1.26.8")).1.is_empty());
    }

    #[test]
    fn a_toolchain_counts_and_modules_do_not() {
        let theirs = "module evil\ngo 1.24\ntoolchain go1.24.1\nrequire b.org/b v2.0.0\nreplace b.org/b => ./fake\n\
                      godebug panicnil=1\n";
        let (text, lost, _) = merged(theirs, None);
        assert!(text.contains("go 1.24\n\ntoolchain go1.24.1\n") && text.contains("b.org/b v1.0.0"), "{text}");
        let all = ["godebug panicnil=1", "module evil", "replace b.org/b => ./fake", "require b.org/b v2.0.0"];
        assert_eq!(lost, all);
        assert_eq!(merged("module a\ngo 1.22\n", None).1, ["require b.org/b v1.0.0"], "what is removed is named too");
        assert!(!merged(&format!("{OLD}toolchain /bin/sh\n"), None).0.contains("/bin/sh"));
    }
}
