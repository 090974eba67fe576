use super::paths::{join, literal};
use super::{Files, json};
use std::collections::BTreeSet;

/// Libraries of tests beside those that a manifest names: what runners bring along.
const LIBRARIES: [&str; 11] =
    ["@jest", "@vitest", "assert", "chai", "expect", "jest", "mocha", "node:*", "should", "sinon", "vitest"];

/// Beginnings of names of further such libraries, to be looked for among dependencies.
const BEGINNINGS: [&str; 10] =
    ["@testing-library", "assert", "chai", "expect", "jest", "power-assert", "should", "sinon", "uvu", "vitest"];

/// Words of configurations by which a bare name such as `chai` may mean a file of the tree.
const WORDS: [&str; 7] =
    ["baseUrl", "moduleDirectories", "modulePaths", "module-resolver", "tsconfigPaths", "tsconfig-paths", "\"*\""];

/// Whether a configuration lets bare names mean files of the tree.
pub(super) fn lets_files_shadow(text: &str) -> bool {
    WORDS.iter().any(|w| text.contains(w))
}

/// Globs of files that would be taken for a library of tests in a tree whose configuration lets them; none for a library
/// that the tree has such a file for, which is the one that its tests mean.
pub(super) fn globs(tree: &dyn Files, paths: &BTreeSet<String>, folders: &[String]) -> Vec<String> {
    let mut names: BTreeSet<String> = LIBRARIES.iter().map(|n| (*n).to_owned()).collect();
    for dir in folders {
        let Some(map) = tree.text(&join(dir, "package.json")).and_then(|t| json::object(&t)) else { continue };
        let tables = ["devDependencies", "dependencies"].iter().filter_map(|t| map.get(*t)?.as_object());
        let libraries = tables.flat_map(|t| t.keys()).filter(|n| BEGINNINGS.iter().any(|b| n.starts_with(b)));
        names.extend(libraries.take(100).cloned());
    }
    let stands = |name: &str| {
        paths.iter().filter(|p| !p.contains("node_modules/")).any(|p| {
            p.match_indices(name)
                .any(|(at, _)| (at == 0 || p[..at].ends_with('/')) && p[at + name.len()..].starts_with(['.', '/']))
        })
    };
    let free = names.into_iter().filter(|n| !n.is_empty() && !stands(n)).take(100);
    free.flat_map(|n| {
        let name = if n == "node:*" { n } else { literal(&n) };
        [format!("**/{name}"), format!("**/{name}.*"), format!("**/{name}/**")]
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::protects;
    use std::collections::BTreeMap;

    #[test]
    fn a_file_named_like_a_library_of_tests_is_protected_unless_the_tree_has_it() {
        let tree: BTreeMap<String, Vec<u8>> = [
            ("package.json", r#"{"devDependencies":{"chai-as-promised":"1","@testing-library/dom":"1","lodash":"4"}}"#),
            ("src/expect.ts", ""),
        ]
        .map(|(p, t)| (p.to_owned(), t.as_bytes().to_vec()))
        .into();
        let found = globs(&tree, &tree.paths().into_iter().collect(), &[String::new()]);
        for path in [
            "src/chai.ts",
            "src/vitest/index.js",
            "src/@vitest/expect.ts",
            "src/node:assert.ts",
            "src/chai-as-promised.js",
            "src/@testing-library/dom/index.js",
        ] {
            assert!(protects(&found, path), "{path}");
        }
        for path in ["src/expect.ts", "src/expect/more.ts", "src/lodash.ts", "src/mychai.ts", "src/assertions.ts"] {
            assert!(!protects(&found, path), "{path}");
        }
    }
}
