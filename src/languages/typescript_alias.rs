//! Names that a patch may give to its own code: none that a test, a runner or a library could mean.

use super::paths::join;
use super::typescript_modules::normal;
use super::{Files, is_test_path, json};
use crate::schema::wildcard;
use serde_json::Value;
use std::collections::BTreeSet;

/// Modules of Node itself.
const BUILT_IN: &str = "\
    assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events \
    fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl sea sqlite stream \
    string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib";

/// Beginnings of the names of libraries of tests.
const OF_TESTS: [&str; 14] = [
    "@jest",
    "@playwright",
    "@testing-library",
    "@vitest",
    "ava",
    "chai",
    "expect",
    "jest",
    "mocha",
    "power-assert",
    "should",
    "sinon",
    "tap",
    "vitest",
];

/// What a tree already calls something: packages, aliases, and what its configurations say.
pub(super) struct Names {
    packages: BTreeSet<String>,
    imports: BTreeSet<String>,
    /// The text of the lockfiles; nothing where there is none.
    locked: Option<String>,
    configurations: String,
}

impl Names {
    /// Reads a tree.
    pub(super) fn of(start: &dyn Files) -> Names {
        let paths: Vec<String> = start.paths().into_iter().filter(|p| !p.contains("node_modules/")).collect();
        let named =
            |path: &String, name: &str| path.strip_suffix(name).is_some_and(|r| r.is_empty() || r.ends_with('/'));
        let mut found =
            Names { packages: BTreeSet::new(), imports: BTreeSet::new(), locked: None, configurations: String::new() };
        for text in paths.iter().filter(|p| named(p, "package.json")).take(200).filter_map(|p| start.text(p)) {
            let Some(map) = json::object(&text) else { continue };
            found.packages.extend(map.get("name").and_then(Value::as_str).map(str::to_owned));
            for table in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
                found
                    .packages
                    .extend(map.get(table).and_then(Value::as_object).into_iter().flat_map(|t| t.keys().cloned()));
            }
            found
                .imports
                .extend(map.get("imports").and_then(Value::as_object).into_iter().flat_map(|t| t.keys().cloned()));
            found.configurations.push_str(&json::settings(&text));
        }
        let locks = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock"];
        for text in paths.iter().filter(|p| locks.iter().any(|l| named(p, l))).filter_map(|p| start.text(p)) {
            found.locked.get_or_insert_default().push_str(&text);
        }
        let of_runner = |p: &&String| {
            let name = p.rsplit('/').next().unwrap_or("");
            let tools =
                ["vitest.", "vite.config.", "jest.config.", "babel.config.", ".babelrc", "tsconfig", "jsconfig"];
            tools.iter().any(|tool| name.starts_with(tool))
        };
        for text in paths.iter().filter(of_runner).take(200).filter_map(|p| start.text(p)) {
            found.configurations.push_str(&text);
        }
        found
    }

    /// Whether a name, with a star for anything, is nobody's yet and cannot be one of tests.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let mut parts = name.split('/');
        let (first, second) = (parts.next().unwrap_or(""), parts.next());
        let odd = |c: char| !(c.is_ascii_alphanumeric() || "@~#$_-./*".contains(c));
        let no_package = ["@", "~"].contains(&first) || first.starts_with(['#', '$', '~']);
        let scoped = first.starts_with('@') && first.len() > 1;
        let of_tests = |part: &str| {
            let part = part.to_lowercase();
            ["test", "spec", "mock", "fixture", "stub", "snapshot"].iter().any(|word| part.contains(word))
        };
        let package =
            if scoped { second.map_or(first.to_owned(), |s| format!("{first}/{s}")) } else { first.to_owned() };
        let head = if scoped { first } else { package.as_str() };
        !name.is_empty()
            && !name.contains(odd)
            && !name.starts_with(['.', '/'])
            && !first.contains('*')
            && name.matches('*').count() <= 1
            && !name.split('/').any(|part| of_tests(part) || part == "..")
            && (no_package || self.is_no_package(head, scoped))
            && !self.imports.iter().any(|known| overlaps(known, name))
            && !self.is_said(first)
    }

    fn is_no_package(&self, head: &str, scoped: bool) -> bool {
        let below = format!("{head}/");
        let known = |p: &String| *p == head || p.starts_with(&below);
        // Without a list of everything that is installed, any name of a package could be one.
        let free = self.locked.as_ref().is_some_and(|text| !text.contains(head));
        free && !self.packages.iter().any(known)
            && !OF_TESTS.iter().any(|n| head.starts_with(n))
            && (scoped || !BUILT_IN.split_whitespace().any(|n| n == head))
    }

    /// Whether a configuration speaks of a name, so that tests may mean by it what it says.
    fn is_said(&self, first: &str) -> bool {
        let marks = ["\"", "'", "`", "^", "/"];
        let ends = ["\"", "'", "`", "/", "$", "\\", "("];
        marks
            .iter()
            .take(4)
            .any(|mark| ends.iter().any(|end| self.configurations.contains(&format!("{mark}{first}{end}"))))
    }
}

/// Whether two names with stars can mean the same.
pub(super) fn overlaps(a: &str, b: &str) -> bool {
    let head = |name: &str| name.split('*').next().unwrap_or("").to_owned();
    let (x, y) = (head(a), head(b));
    wildcard(a, b) || wildcard(b, a) || a.contains('*') && y.starts_with(&x) || b.contains('*') && x.starts_with(&y)
}

/// Where an alias leads, from a folder: a place of the tree's own code.
pub(super) fn own_place(dir: &str, target: &str) -> Option<String> {
    let target = if target == "*" { "./*" } else { target };
    let star = target.strip_suffix("/*").or_else(|| target.strip_suffix("/**"));
    let bare = star.unwrap_or(target);
    let plain = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || "@~_-./$".contains(c));
    let place = normal(dir, bare).filter(|_| plain)?;
    let of_tests = is_test_path(&place) || is_test_path(&join(&place, "a.ts"));
    let foreign = place.split('/').any(|part| part == "node_modules" || part.starts_with('.'));
    (!of_tests && !foreign).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn names(files: &[(&str, &str)]) -> Names {
        let tree: BTreeMap<String, Vec<u8>> =
            files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        Names::of(&tree)
    }

    #[test]
    fn a_name_of_ones_own_code_is_free() {
        let found = names(&[
            ("package.json", r#"{"name":"cache","devDependencies":{"vitest":"3"}}"#),
            (
                "package-lock.json",
                r#"{"node_modules/vitest":{},"node_modules/deep-eql":{},"node_modules/@vitest/expect":{}}"#,
            ),
            ("vitest.config.ts", "import a from '@vitejs/x'"),
        ]);
        for name in ["@/*", "~/*", "#clock", "$lib/*", "@app/*", "@/cache", "core", "utilities/*"] {
            assert!(found.is_free(name), "{name}");
        }
    }

    #[test]
    fn a_name_of_tests_libraries_or_node_is_never_free() {
        let found = names(&[
            ("package.json", r##"{"name":"cache","devDependencies":{"vitest":"3"},"imports":{"#own/*":"./tests/*"}}"##),
            ("packages/a/package.json", r#"{"name":"@own/a"}"#),
            (
                "package-lock.json",
                r#"{"node_modules/vitest":{},"node_modules/deep-eql":{},"node_modules/@vitest/expect":{}}"#,
            ),
            ("vitest.config.ts", "export default { resolve: { alias: { '@': './', '~/': './x', find: /^\\$lib/ } } }"),
        ]);
        for name in [
            "vitest",
            "@vitest/*",
            "@vitest/expect",
            "node:*",
            "node:fs",
            "fs",
            "fs/promises",
            "assert",
            "*",
            "@*/x",
            "chai/*",
            "deep-eql",
            "cache",
            "@own/*",
            "@own/a",
            "./x",
            "../x",
            "/x",
            "#own/help",
            "#own/*",
            "#own/deep/*",
            "@/x",
            "~/*",
            "@app/test/*",
            "@tests/*",
            "#fixtures",
            "@jest/globals",
            "expect",
            "@testing-library/dom",
            "",
            "a b",
            "@a/*/*",
            "test",
            "node:test",
            "@/..",
            "vite*",
        ] {
            assert!(!found.is_free(name), "{name}");
        }
        assert!(!names(&[("package.json", "{}")]).is_free("core"), "without a lockfile it may be installed");
        assert!(names(&[("package.json", "{}")]).is_free("@/*"));
    }

    #[test]
    fn an_alias_leads_to_code_of_the_tree_alone() {
        assert_eq!(own_place("", "./src/*").as_deref(), Some("src"));
        assert_eq!(own_place("packages/a", "src/index.ts").as_deref(), Some("packages/a/src/index.ts"));
        for target in [
            "../x",
            "/etc",
            "./tests/*",
            "src/a.test.ts",
            "node_modules/x",
            "*",
            "./",
            "src/*/a",
            ".git/x",
            "src/__mocks__/*",
        ] {
            assert_eq!(own_place("", target), None, "{target}");
        }
    }
}
