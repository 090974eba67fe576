use crate::languages::{all, by_name, glob_matches, is_test_path};

/// Which changes are asked for. What is left out by it is not rejected: another call may ask for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The first day, `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Name of the language that the change must touch.
    pub language: Option<String>,
    /// Globs of which one must cover a changed file.
    pub paths: Vec<String>,
    /// Whether a commit is taken whose message names neither a pull request nor an issue.
    pub nameless: bool,
}

/// Why a change is no candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub reason: &'static str,
    pub evidence: Vec<String>,
}

/// What becomes of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It may become a task.
    Fits,
    /// It is not asked for.
    LeftOut,
    /// It can be no task.
    Refused(Refusal),
}

impl Refusal {
    pub(super) fn new(reason: &'static str, evidence: Vec<String>) -> Refusal {
        Refusal { reason, evidence }
    }
}

/// Files that are named as evidence.
const SHOWN: usize = 20;

/// What is wrong with a glob of paths, in words, if something is: one that can match nothing finds nothing in silence.
pub fn glob_fault(glob: &str) -> Option<&'static str> {
    let mut open = false;
    for c in glob.chars() {
        match c {
            '{' if open => return Some("it has a brace inside of another: write the choices out"),
            '{' => open = true,
            '}' if !open => return Some("it closes a brace that was never opened"),
            '}' => open = false,
            '\\' => return Some("it has a backslash, and paths have none"),
            c if c.is_control() => return Some("it has a character that cannot be printed"),
            _ => {}
        }
    }
    if open {
        return Some("it opens a brace that is never closed");
    }
    if ["/", "./", "../"].iter().any(|start| glob.starts_with(start)) {
        return Some("paths begin at the root of the repository, without / or ./");
    }
    if glob.ends_with('/') {
        return Some("it names a folder and no file: end it with /**");
    }
    glob.contains("//").then_some("it has a part without a name")
}

impl Wanted {
    /// Whether a day, or a time that begins with one, is before the first that is asked for.
    pub(super) fn is_too_old(&self, day: &str) -> bool {
        self.since.as_deref().is_some_and(|since| day.get(..10).unwrap_or(day) < since)
    }

    /// Looks at the changed files.
    pub(super) fn fit(&self, files: &[String]) -> Fit {
        let asked = self.paths.is_empty() || files.iter().any(|f| self.paths.iter().any(|glob| glob_matches(glob, f)));
        if !asked {
            return Fit::LeftOut;
        }
        let shown = || files.iter().take(SHOWN).cloned().collect();
        let refused = |reason| Fit::Refused(Refusal::new(reason, shown()));
        let (tests, code): (Vec<&String>, Vec<&String>) = files.iter().partition(|f| is_test_path(f));
        if tests.is_empty() {
            return refused("it changes no test");
        }
        if code.is_empty() {
            return refused("it changes tests alone");
        }
        let of = |extensions: &[&str]| {
            let ends = |f: &str| f.rsplit_once('.').is_some_and(|(_, end)| extensions.contains(&end));
            code.iter().any(|f| ends(f))
        };
        if !all().into_iter().any(|l| of(l.extensions())) {
            return refused("it changes no code in a language that can be tested");
        }
        let language = self.language.as_deref().and_then(|name| by_name(name).ok());
        if language.is_some_and(|l| !of(l.extensions())) { Fit::LeftOut } else { Fit::Fits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(wanted: &Wanted, files: &[&str]) -> String {
        match wanted.fit(&files.iter().map(|f| (*f).to_owned()).collect::<Vec<_>>()) {
            Fit::Fits => "fits".to_owned(),
            Fit::LeftOut => "left out".to_owned(),
            Fit::Refused(refusal) => refusal.reason.to_owned(),
        }
    }

    #[test]
    fn a_change_needs_code_and_tests() {
        let any = Wanted::default();
        for (files, what) in [
            (&["src/a.py", "tests/conftest.py"][..], "fits"),
            (&["a.go", "testdata/x.txt"], "fits"),
            (&["src/a.py", "README.md"], "it changes no test"),
            (&["tests/test_a.py", "src/test/java/x/Fixture.java"], "it changes tests alone"),
            (&["README.md", "tests/test_a.py"], "it changes no code in a language that can be tested"),
            (&[], "it changes no test"),
        ] {
            assert_eq!(fit(&any, files), what, "{files:?}");
        }
    }

    #[test]
    fn a_glob_that_can_match_nothing_is_told_with_the_reason() {
        for (glob, why) in [
            ("{a,", "never closed"),
            ("a}", "never opened"),
            ("{a,{b,c}}", "inside of another"),
            ("a\\*", "backslash"),
            ("/src/**", "root"),
            ("./src/**", "root"),
            ("src/", "/**"),
            ("a//b", "without a name"),
        ] {
            assert!(glob_fault(glob).is_some_and(|w| w.contains(why)), "{glob}: {:?}", glob_fault(glob));
        }
        for glob in ["**/*.py", "packages/{a,b}/**", "src/a?.ts", "app/[id]/page.tsx", ".github/**", "README.md"] {
            assert_eq!(glob_fault(glob), None, "{glob}");
        }
    }

    #[test]
    fn what_is_not_asked_for_is_left_out_and_not_rejected() {
        let wanted =
            Wanted { language: Some("javascript".into()), paths: vec!["packages/a/**".into()], ..Wanted::default() };
        assert_eq!(fit(&wanted, &["packages/a/x.ts", "packages/a/x.test.ts"]), "fits");
        assert_eq!(fit(&wanted, &["packages/b/x.ts", "packages/b/x.test.ts"]), "left out");
        assert_eq!(fit(&wanted, &["packages/a/x.py", "packages/a/x.test.ts"]), "left out");
        let since = Wanted { since: Some("2025-03-01".into()), ..Wanted::default() };
        assert!(since.is_too_old("2025-02-28T23:59:59Z") && !since.is_too_old("2025-03-01"));
    }
}
