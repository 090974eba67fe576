//! Where the sources of a build in Java stand, and which files there are code although they are called like tests or like
//! what builds write.

use super::{Files, Suspect, is_test_path, java_shadow as shadow};

/// Folders of sources by language, below `src/NAME`.
const KINDS: [&str; 5] = ["java", "kotlin", "groovy", "scala", "resources"];

/// Folders that builds write or are made of, wherever no sources stand.
const BUILT: [&str; 4] = ["target", "build", "gradle", "buildsrc"];

/// Words of a build by which tests are found elsewhere than among the sources of tests.
const ELSEWHERE: [&str; 3] = ["testClassesDirectory", "dependenciesToScan", "testClassesDirs"];

/// Whether a build may take classes among its sources for tests.
pub(super) fn holds_tests(tree: &dyn Files, paths: &[String]) -> bool {
    let build = |p: &&String| p.ends_with("pom.xml") || p.ends_with(".gradle") || p.ends_with(".gradle.kts");
    paths.iter().filter(build).filter_map(|p| tree.text(p)).any(|text| {
        let named = ["testSourceDirectory>", "srcDir"]
            .iter()
            .any(|w| text.match_indices(w).any(|(at, _)| text[at..].lines().next().unwrap_or("").contains("src/main")));
        named || ELSEWHERE.iter().any(|w| text.contains(w))
    })
}

/// Bytes of a path up to the end of a folder of sources that are not those of tests; nothing where it stands in none.
fn root(path: &str) -> Option<usize> {
    let parts: Vec<(usize, &str)> = path
        .split('/')
        .scan(0, |at, part| {
            let start = *at;
            *at += part.len() + 1;
            Some((start, part))
        })
        .collect();
    let of_code = |name: &str| !name.to_lowercase().contains("test");
    let found = parts.windows(3).find(|w| w[0].1 == "src" && of_code(w[1].1) && KINDS.contains(&w[2].1))?;
    let end = found[2].0 + found[2].1.len();
    (end < path.len()).then_some(end)
}

/// Whether a file may be code although its name is suspect.
pub(super) fn may_be_code(path: &str) -> bool {
    root(path).is_some() || folder_of_build(path).is_some()
}

/// The first folder of a path that is called like what builds write, with its slash.
fn folder_of_build(path: &str) -> Option<&str> {
    let mut at = 0;
    for part in path.split('/') {
        let end = at + part.len() + 1;
        if end > path.len() {
            return None;
        }
        if BUILT.contains(&part.to_lowercase().as_str()) {
            return Some(&path[..end]);
        }
        at = end;
    }
    None
}

/// Whether a file with a suspect name is code: it stands among sources, no build takes it for a test there, and it has
/// nothing of tests in it.
pub(super) fn is_code(suspect: &Suspect<'_>) -> bool {
    let path = suspect.path;
    if path.ends_with(".gradle") || path.ends_with(".gradle.kts") {
        return false;
    }
    let built = folder_of_build(path);
    if root(path).is_none_or(|root| built.is_some_and(|folder| folder.len() <= root)) {
        // What the tree itself keeps in a folder of such a name was not built.
        let own = |folder: &str| {
            let output = ["target/", "build/"].iter().any(|f| folder.to_lowercase().ends_with(f));
            output && suspect.known.range(folder..).next().is_some_and(|p| p.starts_with(folder))
        };
        return !is_test_path(path) && built.is_some_and(own);
    }
    !is_test_path(path)
        || suspect.plan.fact("tests in sources").is_none() && !suspect.texts().any(|t| shadow::mentions_tests(&t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_found_by_where_they_stand() {
        for path in ["src/main/java/a/B.java", "m/src/jvmMain/kotlin/a/B.kt", "src/main/resources/build/x"] {
            assert!(root(path).is_some(), "{path}");
        }
        for path in ["src/test/java/a/B.java", "src/integrationTest/java/A.java", "build/x", "src/main/java", "a/src/b"]
        {
            assert!(root(path).is_none(), "{path}");
        }
        assert_eq!(folder_of_build("a/Build/x"), Some("a/Build/"));
        assert_eq!((folder_of_build("a/build"), folder_of_build("a/builder/x")), (None, None));
    }
}
