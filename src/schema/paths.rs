/// Whether a path belongs to tests: the rule of all languages.
///
/// A folder of tests counts wherever it stands, at the root too, with everything in it: helpers, fixtures, resources.
pub fn is_test_path(path: &str) -> bool {
    let mut folders: Vec<&str> = path.split('/').collect();
    let Some(name) = folders.pop() else { return false };
    let script = [".ts", ".tsx", ".js", ".jsx", ".cjs", ".mjs", ".cts", ".mts"].iter().any(|end| name.ends_with(end));
    let in_folder = folders.iter().enumerate().any(|(i, f)| {
        // `django/test/` is code; `test/` at a root is not, nor is it anywhere for scripts.
        let root = i == 0 || i == 2 && PACKAGES.contains(&folders[0]);
        FOLDERS.contains(f) || *f == "test" && (root || script) || *f == "spec" && root && script
    });
    let in_folder = in_folder || folders.windows(2).any(|w| w[0] == "src" && SOURCES.contains(&w[1]));
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let by_name = match extension {
        "ts" | "tsx" | "js" | "jsx" | "cjs" | "mjs" | "cts" | "mts" => stem == "test",
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest",
        "java" | "kt" | "groovy" => {
            ["Test", "Tests", "TestCase", "IT"].iter().any(|end| stem.ends_with(end)) || upper_after(stem, "Test")
        }
        "go" => stem.ends_with("_test"),
        "snap" => true,
        _ => false,
    };
    in_folder || by_name || name.contains(".test.") || name.contains(".spec.") || name.contains(".test-d.")
}

/// Folders that hold tests or what only tests use.
const FOLDERS: [&str; 6] = ["tests", "__tests__", "__mocks__", "__snapshots__", "__fixtures__", "testdata"];

/// Folders of a monorepo that hold one package a folder.
const PACKAGES: [&str; 6] = ["packages", "apps", "libs", "modules", "plugins", "workspaces"];

/// Folders that hold tests below `src/`, as Maven and Gradle have them.
const SOURCES: [&str; 4] = ["test", "testFixtures", "integrationTest", "androidTest"];

/// `TestParser`, yet not `Testimony`.
fn upper_after(stem: &str, start: &str) -> bool {
    stem.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()))
}

/// A name against a pattern with `*` and `?`, by the last star alone, so in at most length times length steps.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == name;
    }
    let (p, n): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut i, mut j, mut star) = (0, 0, None);
    while j < n.len() {
        match p.get(i) {
            Some('*') => {
                star = Some((i, j));
                i += 1;
            }
            Some(c) if *c == '?' || *c == n[j] => (i, j) = (i + 1, j + 1),
            _ => match star {
                Some((at, from)) => {
                    (i, j) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    p[i..].iter().all(|c| *c == '*')
}

/// Why a glob cannot be meant, if it cannot; the words go on a sentence that names it.
///
/// In a glob `*` stands for anything within a name, `**` for any folders, `?` for one character, `{a,b}` for either.
pub fn glob_fault(glob: &str) -> Option<&'static str> {
    let mut depth = 0_i32;
    for c in glob.chars() {
        match c {
            '{' if depth > 0 => return Some("has braces within braces: write both out"),
            '{' => depth += 1,
            '}' if depth == 0 => return Some("closes a brace that was not opened"),
            '}' => depth -= 1,
            '[' | ']' => return Some("has a class of characters, which globs here do not have: use ? or {a,b}"),
            '\\' => return Some("has a backslash: the parts of a path are divided by /, and nothing is escaped"),
            _ => {}
        }
    }
    match () {
        () if glob.trim().is_empty() => Some("is empty"),
        () if depth > 0 => Some("opens a brace that is not closed"),
        () if glob.starts_with('!') => {
            Some("begins with !, and globs here cannot be taken back: name paths in the other list")
        }
        () if glob.starts_with('/') => Some("begins with /: paths are seen from the root of the tree"),
        () if glob.ends_with('/') => Some("ends with / and so covers no file: add ** for all that is below"),
        () if glob.split('/').any(|part| matches!(part, "." | ".." | "")) => {
            Some("has a part that is empty, . or .., and so covers no path of the tree")
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_what_they_use_are_test_paths_at_the_root_too() {
        for path in [
            "tests/conftest.py",
            "tests/helper.py",
            "tests/data/a.json",
            "a/tests/b.txt",
            "test/index.js",
            "src/a.test.ts",
            "a.spec.tsx",
            "src/test/java/x/Fixture.java",
            "mod/src/test/resources/a.xml",
            "src/__tests__/a.ts",
            "test.js",
            "pkg/test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "FooTest.java",
            "a/FooTests.java",
            "TestFoo.java",
            "a/b_test.go",
            "a/testdata/x.txt",
            "src/__snapshots__/a.snap",
            "__mocks__/fs.js",
            "test/fixtures/a.json",
            "packages/a/test/b.json",
            "lib/test/a.js",
        ] {
            assert!(is_test_path(path), "{path}");
        }
    }

    #[test]
    fn a_glob_that_cannot_be_meant_is_told_from_one_that_can() {
        for bad in ["[", "{a,b", "a}", "../**", "a/../b", "", " ", "/a", "a/", "a//b", "./a", "!a", "{a,{b,c}}", "a\\b"]
        {
            assert!(glob_fault(bad).is_some(), "{bad:?}");
        }
        for good in ["**", "data/**", "**/*.{js,ts}", "a?.py", "tests/**/x", "..a/b..", "with space/**"] {
            assert_eq!(glob_fault(good), None, "{good:?}");
        }
    }

    #[test]
    fn code_is_not_a_test_path() {
        for path in [
            "src/latest.ts",
            "contest.py",
            "src/main/java/Testimony.java",
            "attest.go",
            "src/testing.py",
            "docs/tests.md",
            "testing/a.go",
            "protest/a.py",
            "a.testing.ts",
            "django/test/client.py",
            "src/spec/a.ts",
            "internal/spec/a.go",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
