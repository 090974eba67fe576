/// Whether a path of a repository belongs to its tests: by its folders, or by its name.
///
/// The rule is the same for every language, and holds at the root of a repository as well as below it.
pub fn is_test_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let (folders, name) = parts.split_at(parts.len().saturating_sub(1));
    let name = name.first().copied().unwrap_or("");
    let in_test_folder =
        folders.iter().any(|f| {
            matches!(*f, "tests" | "test" | "__tests__" | "testdata" | "__mocks__" | "__fixtures__" | "__snapshots__")
        }) || folders.windows(2).any(|w| w[0] == "src" && matches!(w[1], "test" | "testFixtures" | "integrationTest"));
    in_test_folder || is_test_name(name)
}

fn is_test_name(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let script = matches!(extension, "ts" | "tsx" | "js" | "jsx" | "cjs" | "mjs" | "cts" | "mts");
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test") || stem == "conftest" || stem == "tests",
        "go" => stem.ends_with("_test"),
        "java" | "kt" | "groovy" => {
            stem.ends_with("Test")
                || stem.ends_with("Tests")
                || stem.ends_with("TestCase")
                || stem.ends_with("IT")
                || is_word_test(stem)
        }
        "snap" => true,
        _ => script && (stem == "test" || stem.ends_with(".test") || stem.ends_with(".spec")),
    }
}

/// `TestParser`, and not `Testimony`.
fn is_word_test(stem: &str) -> bool {
    stem.strip_prefix("Test")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_test_path;

    #[test]
    fn tests_are_known_by_folder_and_by_name_at_the_root_too() {
        for path in [
            "tests/helper.py",
            "tests/conftest.py",
            "conftest.py",
            "a/tests/data.json",
            "src/test/java/x/Fixture.java",
            "m/src/test/resources/a.xml",
            "src/a.test.ts",
            "src/a.spec.tsx",
            "src/test.ts",
            "src/__tests__/a.js",
            "test_a.py",
            "pkg/a_test.py",
            "pkg/a_test.go",
            "pkg/testdata/x",
            "ParserTest.java",
            "ParserTests.java",
            "TestParser.java",
            "src/__snapshots__/a.snap",
            "test/index.js",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/a.ts",
            "src/testing.py",
            "src/latest.js",
            "Testimony.java",
            "contest.py",
            "src/attestation/a.go",
            "tester.go",
            "docs/tests.md",
            "src/main/java/x/A.java",
            "protest/a.py",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
