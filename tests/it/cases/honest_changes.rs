//! A right fix with an honest change beside it counts, or the verdict names what was dropped and why it failed.

use crate::scoring::world;
use serde_json::{Value, json};
use tsbench::languages::by_name;
use tsbench::schema::not_scored;
use tsbench::scoring::Candidate;

type Edits<'a> = &'a [(&'a str, Option<&'a str>)];

/// What scoring makes of a change.
fn made(task: &str, edits: Edits<'_>) -> Candidate {
    world(task).of(edits)
}

/// Everything of the change counts.
fn counts(task: &str, edits: Edits<'_>) {
    let made = made(task, edits);
    assert!(made.dropped.is_empty() && made.put_back.is_empty(), "{task} {edits:?}: {made:?}");
}

/// These files of the change do not count, and all others do.
fn drops(task: &str, edits: Edits<'_>, dropped: &[&str]) {
    let made = made(task, edits);
    assert_eq!(made.dropped, dropped, "{task} {edits:?}");
}

/// The text of a file of a tree as scoring leaves it.
fn text_of(task: &str, path: &str, edits: Edits<'_>) -> String {
    let world = world(task);
    let made = world.of(edits);
    String::from_utf8(world.material.store.bytes(&world.tree(&made)[path].blob).unwrap()).unwrap()
}

/// The text of a file of a task's starting tree.
fn start(task: &str, path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo").join(task).join("repo");
    std::fs::read_to_string(root.join(path)).unwrap()
}

const PY: &str = "py-opening-hours";
const TS: &str = "ts-ttl-cache";
const GO: &str = "go-text-columns";
const JAVA: &str = "java-money-split";

#[test]
fn every_key_that_is_put_back_is_named_with_its_file() {
    let project = start(PY, "pyproject.toml")
        .replace("where = [\"src\"]", "where = [\".\"]")
        .replace("[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = \"-x\"\n")
        .replace("build-backend = \"setuptools.build_meta\"", "build-backend = \"other\"")
        .replace(">=3.9", ">=3.10")
        + "\n[project.optional-dependencies]\ndev = []\n[project.entry-points.pytest11]\na = \"b\"\n\
           [tool.\"a b\"]\nx = 1\n[tool.coverage.run]\nbranch = true\n[dependency-groups]\ndev = []\n";
    let names = [
        "[build-system]",
        "[dependency-groups]",
        "[project.entry-points.pytest11]",
        "[project.optional-dependencies]",
        "[tool.coverage.run]",
        "[tool.pytest.ini_options]",
        "[tool.setuptools.packages.find]",
    ];
    let wanted: Vec<String> = names.iter().map(|n| format!("pyproject.toml: {n}")).collect();
    assert_eq!(made(PY, &[("pyproject.toml", Some(&project))]).put_back, wanted);

    let mut package: Value = serde_json::from_str(&start(TS, "package.json")).unwrap();
    package["scripts"] = json!({"test": "true", "lint": "eslint"});
    package["jest"] = json!({"setupFiles": []});
    package["packageManager"] = json!("npm@1");
    package["name"] = json!("vitest");
    package["engines"] = json!({"node": ">=20"});
    package["exports"] = json!("./src/index.ts");
    let made = made(TS, &[("package.json", Some(&package.to_string()))]);
    let names = ["jest.setupFiles", "name", "packageManager", "scripts.lint", "scripts.test"];
    let wanted: Vec<String> = names.iter().map(|n| format!("package.json: \"{n}\"")).collect();
    assert_eq!(made.put_back, wanted);
}

#[test]
fn a_file_that_makes_way_for_one_that_was_there_is_named() {
    let world = world(PY);
    // The folder of a file that was there cannot be made: the file is put back since tools read it.
    let made = world.of(&[("pyproject.toml", None), ("pyproject.toml/a.txt", Some("x\n"))]);
    assert_eq!(made.dropped, ["pyproject.toml", "pyproject.toml/a.txt"]);
    assert!(!world.tree(&made).contains_key("pyproject.toml/a.txt"));
}

#[test]
fn what_was_not_scored_is_told_in_one_bounded_line() {
    let names = |n: usize| (0..n).map(|i| format!("src/{i}.py")).collect::<Vec<_>>();
    assert_eq!(not_scored(&[], &[]), None);
    let told = not_scored(&names(2), &["pyproject.toml: [tool.setuptools]".to_owned()]).unwrap();
    assert_eq!(told, "changes dropped: src/0.py, src/1.py; put back: pyproject.toml: [tool.setuptools]");
    let many = not_scored(&names(1000), &["é".repeat(5000)]).unwrap();
    assert!(many.contains("src/9.py, 990 more; put back: é") && many.chars().count() < 600, "{many}");
}

#[test]
fn packages_of_java_that_are_called_like_folders_of_builds_are_code_where_sources_stand() {
    for folder in ["build", "target", "out", "bin", "dist", "gradle", "buildSrc", "Build", "a/target/b", "rebuild"] {
        let path = format!("src/main/java/org/example/{folder}/Step.java");
        counts(JAVA, &[(&path, Some("package org.example.x;\n\npublic final class Step {}\n"))]);
    }
    counts(JAVA, &[("src/main/resources/build/a.properties", Some("a=b\n"))]);
    for path in [
        "target/classes/a.properties",
        "build/Step.java",
        "core/target/a.txt",
        "target/src/main/java/org/example/Step.java",
        "buildSrc/src/main/java/org/example/Step.java",
        "gradle/wrapper/a.properties",
        "src/main/java/target/surefire-reports/TEST-a.xml",
        "src/test/java/org/example/build/Step.java",
        "src/main/java/org/example/build/Step.class",
        "src/main/java/org/junit/build/Step.java",
        "src/main/java/org/example/build/more.gradle",
    ] {
        drops(JAVA, &[(path, Some("x\n"))], &[path]);
    }
}

#[test]
fn a_class_among_sources_is_no_test_by_its_name_unless_it_speaks_of_tests() {
    let plain = "package org.example.money;\n\nfinal class A {}\n";
    for path in ["SignTest.java", "TestResult.java", "LoadIT.java", "tests/Sample.java", "testdata/Sample.java"] {
        counts(JAVA, &[(&format!("src/main/java/org/example/money/{path}"), Some(plain))]);
    }
    let path = "src/main/java/org/example/money/SignTest.java";
    for text in [
        "package a;\nimport org.junit.jupiter.api.Test;\nclass SignTest {}\n",
        "package a;\nclass SignTest extends junit.framework.TestCase {}\n",
        "package a;\nimport org.j\\u0075nit.jupiter.api.Test;\nclass SignTest {}\n",
    ] {
        drops(JAVA, &[(path, Some(text))], &[path]);
    }
    drops(JAVA, &[("src/test/java/a/SignTest.java", Some(plain))], &["src/test/java/a/SignTest.java"]);
}

#[test]
fn a_newer_language_counts_and_the_rest_of_a_build_file_is_named() {
    let old = start(GO, "go.mod");
    let new = old.replace("go 1.22", "go 1.23\ntoolchain go1.23.4\nrequire example.org/x v1.0.0");
    let made_of_go = made(GO, &[("go.mod", Some(&new))]);
    assert_eq!((made_of_go.put_back, made_of_go.version.as_deref()), (vec![NEW_MODULE.into()], Some("1.23")));
    let text = text_of(GO, "go.mod", &[("go.mod", Some(&new))]);
    assert!(text.contains("go 1.23\n") && text.contains("toolchain go1.23.4") && !text.contains("require"), "{text}");
    let old = start(JAVA, "pom.xml");
    let new = old
        .replace("<maven.compiler.release>17", "<maven.compiler.release>21")
        .replace("</properties>", "<skipTests>true</skipTests></properties>");
    let made_of_java = made(JAVA, &[("pom.xml", Some(&new))]);
    assert_eq!(
        (made_of_java.put_back, made_of_java.version.as_deref()),
        (vec!["pom.xml: <skipTests>".into()], Some("21"))
    );
    let text = text_of(JAVA, "pom.xml", &[("pom.xml", Some(&new))]);
    assert!(text.contains(">21<") && !text.contains("skipTests"), "{text}");
    // Where there was none, none counts: it would take a folder out of the module, or make one of its own.
    for (task, path, text) in [
        (GO, "internal/go.mod", "module evil\n\ngo 1.23\n"),
        (GO, "go.work", "go 1.23\n\nuse .\n"),
        (JAVA, "core/pom.xml", "<project><properties><java.version>21</java.version></properties></project>"),
    ] {
        drops(task, &[(path, Some(text))], &[path]);
    }
}

const NEW_MODULE: &str = "go.mod: require example.org/x v1.0.0";

#[test]
fn only_the_folder_of_copies_at_the_root_of_a_module_is_that_of_other_modules() {
    counts(GO, &[("internal/width/vendor/a.txt", Some("x\n")), ("internal/vendors/v.go", Some("package vendors\n"))]);
    counts(GO, &[("internal/build/b.go", Some("package build\n")), ("cmd/bin/main.go", Some("package main\n"))]);
    drops(GO, &[("vendor/a/a.go", Some("package a\n"))], &["vendor/a/a.go"]);
}

#[test]
fn a_module_of_python_that_code_imports_is_no_test_by_its_name() {
    let user = ("src/openhours/extra.py", Some("from .latest_test import WEEK\n"));
    let module = |text: &'static str| ("src/openhours/latest_test.py", Some(text));
    let honest = made(PY, &[user, module("WEEK = 7 * 1440\n")]);
    assert!(honest.dropped.is_empty(), "{:?}", honest.dropped);
    assert_eq!(honest.code, ["src/openhours/latest_test.py"], "the runner is told to leave it out");
    counts(
        PY,
        &[
            ("src/openhours/a.py", Some("import openhours.test_mode\n")),
            ("src/openhours/test_mode.py", Some("A = 1\n")),
        ],
    );
    for hostile in [
        "pytest_plugins = ['openhours.evil']\nWEEK = 1\n",
        "import pytest\nWEEK = 1\n",
        "import unittest\nWEEK = 1\n",
        "def test_more():\n    pass\nWEEK = 1\n",
        "class TestMore:\n    pass\nWEEK = 1\n",
    ] {
        drops(PY, &[user, module(hostile)], &["src/openhours/latest_test.py"]);
    }
    drops(PY, &[module("WEEK = 1\n")], &["src/openhours/latest_test.py"]);
    for (path, import) in [
        ("src/openhours/conftest.py", "from . import conftest\n"),
        ("src/openhours/tests/latest_test.py", "from .tests.latest_test import WEEK\n"),
        ("tests/latest_test.py", "import latest_test\n"),
        ("src/openhours/test_hours.py", "from . import test_hours\n"),
    ] {
        drops(PY, &[("src/openhours/extra.py", Some(import)), (path, Some("WEEK = 1\n"))], &[path]);
    }
}

#[test]
fn a_module_may_be_called_like_a_library_that_is_not_installed() {
    counts(
        PY,
        &[("src/green.py", Some("A = 1\n")), ("src/mixer.py", Some("A = 1\n")), ("src/faker/__init__.py", Some(""))],
    );
    for path in
        ["src/numpy.py", "src/mock.py", "src/attr/__init__.py", "src/pluggy.py", "src/json.py", "src/packaging.py"]
    {
        drops(PY, &[(path, Some("A = 1\n"))], &[path]);
    }
    // One that is needed, or may be, stays what it is.
    let plan = |project: &str, lock: Option<&str>| {
        let mut tree: std::collections::BTreeMap<String, Vec<u8>> =
            [("pyproject.toml".to_owned(), project.into()), ("src/calc/__init__.py".to_owned(), Vec::new())].into();
        tree.extend(lock.map(|text| ("uv.lock".to_owned(), text.into())));
        by_name("python").unwrap().detect(&tree, None, None).unwrap()
    };
    let bare = "[project]\nname='calc'\n";
    assert!(!plan(bare, None).protects("src/green.py"));
    assert!(plan("[project]\nname='calc'\ndependencies=['other']\n", None).protects("src/green.py"));
    assert!(plan("[project]\nname='calc'\ndynamic=['dependencies']\n", None).protects("src/green.py"));
    assert!(plan(&format!("{bare}[tool.pytest.ini_options]\naddopts='--cov'\n"), None).protects("src/green.py"));
    let lock = "[[package]]\nname = \"other\"\n\n[[package]]\nname = \"green\"\n";
    let locked = plan("[project]\nname='calc'\ndependencies=['other']\n", Some(lock));
    assert!(locked.protects("src/green.py") && locked.protects("src/other.py") && !locked.protects("src/mixer.py"));
}

const CACHE: &str = "src/more.ts";

#[test]
fn a_script_that_code_imports_is_no_test_by_its_name_or_folder() {
    for (path, import) in [
        ("src/api.spec.ts", "./api.spec"),
        ("src/test/clock.ts", "./test/clock"),
        ("src/tests/clock.ts", "./tests/clock.js"),
        ("src/deep/test/deeper/clock.ts", "./deep/test/deeper/clock"),
    ] {
        let text = format!("import {{ v }} from \"{import}\";\nexport const w = v;\n");
        let honest = made(TS, &[(CACHE, Some(&text)), (path, Some("export const v = 1;\n"))]);
        assert_eq!((honest.dropped, honest.code), (Vec::<String>::new(), vec![path.to_owned()]), "{path}");
        for hostile in
            ["import { expect } from \"vitest\";\n", "expect(1);\n", "it('a', () => {});\n", "test(\n'a');\n"]
        {
            drops(TS, &[(CACHE, Some(&text)), (path, Some(hostile))], &[path]);
        }
        drops(TS, &[(path, Some("export const v = 1;\n"))], &[path]);
    }
    let import = |name: &str| format!("import \"{name}\";\n");
    for path in [
        "tests/helper.ts",
        "src/__mocks__/fs.ts",
        "src/test/__mocks__/fs.ts",
        "src/setupTests.ts",
        "src/vitest.setup.ts",
    ] {
        let text = import(&format!("../{}", path.trim_end_matches(".ts")));
        drops(TS, &[(CACHE, Some(&text)), (path, Some("export const v = 1;\n"))], &[path]);
    }
}

#[test]
fn no_file_is_code_by_its_import_where_the_runner_may_take_it_for_a_test() {
    let is_code = |files: &[(&str, &str)], path: &str| {
        let tree: std::collections::BTreeMap<String, Vec<u8>> =
            files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect();
        let language = by_name("typescript").unwrap();
        let plan = language.detect(&tree, None, None).unwrap();
        let mut sources = tree.clone();
        sources.insert(path.to_owned(), b"export const v = 1;".to_vec());
        sources.insert("src/a.ts".to_owned(), b"import './test/clock'; import './api.spec'".to_vec());
        let known = files.iter().map(|(p, _)| *p).collect();
        let after = sources[path].clone();
        language.is_code(&tsbench::languages::Suspect {
            plan: &plan,
            path,
            before: None,
            after: Some(&after),
            start: &tree,
            sources: &sources,
            known: &known,
        })
    };
    let of = |runner: &str| json!({"scripts": {"test": runner}}).to_string();
    let (vitest, jest, node, mocha) = (of("vitest run"), of("jest"), of("node --test"), of("mocha"));
    assert!(is_code(&[("package.json", &vitest)], "src/test/clock.ts"));
    assert!(is_code(&[("package.json", &jest)], "src/test/clock.ts"));
    assert!(is_code(&[("package.json", &vitest)], "src/api.spec.ts"));
    assert!(!is_code(&[("package.json", &jest)], "src/api.spec.ts"), "jest cannot be told to leave one file out");
    for package in [&node, &mocha] {
        assert!(!is_code(&[("package.json", package)], "src/test/clock.ts"), "{package}: it runs folders of this name");
    }
    for more in [
        ("vitest.config.ts", "export default { test: { include: ['src/**'] } }"),
        ("src/test/helper.ts", ""),
        ("src/test/clock.js", ""),
        ("src/test/clock/index.ts", ""),
    ] {
        assert!(!is_code(&[("package.json", &vitest), more], "src/test/clock.ts"), "{}", more.0);
    }
}

#[test]
fn a_file_of_no_tool_is_the_codes_own() {
    counts(TS, &[("src/.cacherc.json", Some("{}\n")), ("src/data/.evictrc", Some("x\n"))]);
    for path in [
        ".cacherc.json",
        "src/.npmrc",
        "src/.vitestrc.json",
        "src/.esbuildrc",
        "src/.cacherc.js",
        "src/.postcssrc.json",
    ] {
        drops(TS, &[(path, Some("{}\n"))], &[path]);
    }
}

#[test]
fn names_for_ones_own_code_count_in_the_files_of_compiler_and_runner() {
    let mut config: Value = serde_json::from_str(&start(TS, "tsconfig.json")).unwrap();
    config["compilerOptions"]["paths"] = json!({"@/*": ["./src/*"]});
    config["compilerOptions"]["noUncheckedIndexedAccess"] = json!(true);
    let honest = "import { defineConfig } from 'vitest/config';\nexport default defineConfig({ resolve: { alias: { '@': \
                  new URL('./src', import.meta.url).pathname } } });\n";
    let made = made(TS, &[("tsconfig.json", Some(&config.to_string())), ("vitest.config.ts", Some(honest))]);
    assert_eq!(
        (made.dropped.len(), &made.put_back),
        (0, &vec!["vitest.config.ts: everything but the names \"@\"".into()])
    );
    config["compilerOptions"]["paths"] = json!({"vitest": ["./src/fake.ts"], "node:assert": ["./src/fake.ts"]});
    config["extends"] = json!("./src/evil.json");
    let text = text_of(TS, "tsconfig.json", &[("tsconfig.json", Some(&config.to_string()))]);
    assert!(!text.contains("fake") && !text.contains("evil") && text.contains("noUncheckedIndexedAccess"), "{text}");
    for (path, text) in [
        ("vitest.config.ts", "import './src/evil';\nexport default { test: { setupFiles: './src/evil' } };\n"),
        ("vitest.config.ts", "export default { resolve: { alias: { vitest: './src/fake.ts' } } };\n"),
        ("vitest.config.ts", "export default { resolve: { alias: { '@vitest/expect': './src/fake.ts' } } };\n"),
        ("vite.config.ts", honest),
        ("vitest.workspace.ts", honest),
        ("src/tsconfig.json", "{\"compilerOptions\": {}}\n"),
        ("tests/tsconfig.json", "{\"compilerOptions\": {}}\n"),
    ] {
        drops(TS, &[(path, Some(text))], &[path]);
    }
}

#[test]
fn a_file_that_a_link_of_the_tree_makes_a_manifest_is_not_merged_under_another_name() {
    for (task, name) in
        [(PY, "more/pyproject.toml"), (GO, "more/go.mod"), (JAVA, "more/pom.xml"), (TS, "more/package.json")]
    {
        let made = world(task).of_links(&[("any/thing.txt", Some("x\n"))], &[(name, "../any/thing.txt")]);
        assert!(made.dropped.contains(&name.to_owned()), "{task}: {:?}", made.dropped);
    }
}

#[test]
fn a_fix_that_raises_the_language_is_scored_with_it() {
    if !crate::needs::program("go") {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let fixture = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/cases/honest_changes");
    let score = |name: &str| -> Value {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_tsbench"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "score",
            "--sandbox",
            "local",
            "--suite",
            "demo",
            "--json",
        ]);
        command.args(["--quiet", "--task", GO, "--cache"]).arg(temp.path().join("cache"));
        let out = command.arg("--patch").arg(fixture.join(name)).output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)))
    };
    let raised = score("go-raises-the-language.patch");
    assert_eq!((&raised["outcome"], raised.get("put_back")), (&json!("resolved"), None), "{raised}");
    let unknown = score("go-asks-for-what-no-go-knows.patch");
    assert_eq!(unknown["outcome"], "unresolved", "{unknown}");
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("not scored, put back: go.mod: go 1.99, which the runtime (go1."), "{message}");
}
