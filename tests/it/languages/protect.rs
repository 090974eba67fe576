use super::{Tree, demo, dropped, files, merged, tree};
use tsbench::languages::{Plan, all, by_name, is_test_path, protects};

fn plan(language: &str, tree: &Tree) -> Plan {
    by_name(language).unwrap().detect(tree, None, None).unwrap()
}

#[test]
fn what_python_loads_of_its_own_accord_is_protected() {
    let plan = plan("python", &tree(&[("pyproject.toml", "[project]\nname='a'\n")]));
    for path in [
        "conftest.py",
        "src/a/conftest.py",
        "tests/test_a.py",
        "pytest.ini",
        "tox.ini",
        "setup.cfg",
        "sitecustomize.py",
        "src/sitecustomize/__init__.py",
        "src/usercustomize.py",
        "evil.pth",
        "src/evil.egg-info/entry_points.txt",
        "src/evil.dist-info/METADATA",
        "src/pytest.py",
        "_pytest/runner.py",
        "src/__pycache__/a.cpython-312.pyc",
        "src/unittest/case.py",
    ] {
        assert!(dropped(&plan, path), "{path}");
    }
    for path in ["src/a/core.py", "setup.py", "src/a/testing.py", "docs/conf.py"] {
        assert!(!dropped(&plan, path), "{path}");
    }
    assert!(protects(&plan.mixed, "pyproject.toml") && protects(&plan.mixed, "sub/pyproject.toml"));
}

#[test]
fn modules_that_a_conftest_loads_as_plugins_are_protected_where_the_tree_has_them() {
    let plan = plan(
        "python",
        &tree(&[
            ("pyproject.toml", "[project]\nname='a'\n"),
            ("conftest.py", "import os\npytest_plugins = [\n    'a.fixtures', \"pytester\",\n]\n"),
            ("sub/conftest.py", "pytest_plugins = 'a.more'\nother = 'a.core'\n"),
            ("src/a/fixtures.py", ""),
            ("src/a/more/__init__.py", ""),
            ("src/a/core.py", ""),
        ]),
    );
    assert!(dropped(&plan, "src/a/fixtures.py") && dropped(&plan, "src/a/more/deep.py"));
    assert!(!dropped(&plan, "src/a/core.py") && !dropped(&plan, "src/a/pytester.py"));
    assert!(dropped(&plan, "src/pytester.py"), "this one is installed, and a new module would stand before it");
}

#[test]
fn a_tree_that_is_a_test_library_itself_may_be_changed() {
    let python =
        plan("python", &tree(&[("pyproject.toml", "[project]\nname='pluggy'\n"), ("src/pluggy/_manager.py", "")]));
    assert!(!dropped(&python, "src/pluggy/_manager.py") && dropped(&python, "src/_pytest/runner.py"));
    let java = plan("java", &tree(&[("pom.xml", ""), ("src/main/java/org/assertj/core/A.java", "")]));
    assert!(
        !dropped(&java, "src/main/java/org/assertj/core/A.java") && dropped(&java, "src/main/java/org/junit/A.java")
    );
}

#[test]
fn what_javascript_runners_load_is_protected_with_the_files_that_their_configuration_names() {
    let plan = plan(
        "typescript",
        &tree(&[
            ("package.json", r#"{"devDependencies":{"jest":"29"},"jest":{"setupFiles":["<rootDir>/src/boot.ts"]}}"#),
            ("package-lock.json", "{}"),
            (
                "jest.config.js",
                "module.exports = { globalSetup: './scripts/global', moduleNameMapper: { x: './src/x.ts' } }",
            ),
            ("src/boot.ts", ""),
            ("scripts/global.ts", ""),
            ("src/x.ts", ""),
        ]),
    );
    for path in [
        "jest.config.ts",
        "packages/a/vitest.config.mts",
        "vite.config.ts",
        "babel.config.js",
        "tsconfig.base.json",
        ".mocharc.yml",
        "node_modules/jest/index.js",
        "src/node_modules/lodash/index.js",
        ".npmrc",
        "src/setupTests.ts",
        "vitest.setup.ts",
        "test-setup.js",
        "__mocks__/fs.js",
        "package-lock.json",
        ".pnp.cjs",
        "src/boot.ts",
        "scripts/global.ts",
        "src/a.test.ts",
    ] {
        assert!(dropped(&plan, path), "{path}");
    }
    for path in ["src/x.ts", "src/index.ts", "src/setup.ts", "scripts/build.mjs"] {
        assert!(!dropped(&plan, path), "{path}");
    }
    assert!(protects(&plan.mixed, "package.json"));
}

#[test]
fn builds_of_java_and_modules_of_go_are_protected() {
    let java = plan("java", &tree(&[("pom.xml", "")]));
    for path in [
        ".mvn/extensions.xml",
        "src/test/java/a/Fixture.java",
        "src/test/resources/a.xml",
        "build.gradle.kts",
        "target/surefire-reports/TEST-a.xml",
        "src/main/resources/junit-platform.properties",
        "src/main/java/org/junit/jupiter/api/Assertions.java",
        "src/main/resources/META-INF/services/org.junit.platform.launcher.PostDiscoveryFilter",
        "src/main/java/a/ATest.java",
        "src/main/resources/org/junit/jupiter/api/Assertions.class",
        "src/main/resources/META-INF/versions/9/a/B.txt",
        "lib/junit.jar",
        "core/pom-fast.xml",
    ] {
        assert!(dropped(&java, path), "{path}");
    }
    assert!(protects(&java.mixed, "pom.xml") && protects(&java.mixed, "core/pom.xml"));
    assert!(!dropped(&java, "src/main/java/a/B.java") && !dropped(&java, "src/main/resources/a.properties"));
    let go = plan("go", &tree(&[("go.mod", "module a")]));
    for path in ["a_test.go", "x/testdata/a", "go.sum", "vendor/a/b.go", "go.work.sum"] {
        assert!(dropped(&go, path), "{path}");
    }
    assert!(protects(&go.mixed, "go.mod") && protects(&go.mixed, "go.work"));
    assert!(!dropped(&go, "a.go"));
}

#[test]
fn files_that_are_code_and_configuration_keep_their_trusted_parts() {
    let before = b"[project]\nname='a'\n[tool.pytest.ini_options]\naddopts='-q'\n[build-system]\nrequires=['x']\n";
    let after = b"[project]\nname='a'\ndependencies=['y']\n[project.entry-points.pytest11]\ne='e'\n[tool.pytest.ini_options]\naddopts='--co'\n[tool.ruff]\nline-length=9\n";
    let made = merged("python", "pyproject.toml", before, after).unwrap();
    let table: toml::Table = toml::from_str(std::str::from_utf8(&made.bytes).unwrap()).unwrap();
    assert_eq!(table["tool"]["pytest"]["ini_options"]["addopts"].as_str(), Some("-q"));
    assert_eq!(table["tool"]["ruff"]["line-length"].as_integer(), Some(9));
    assert!(table["project"].get("entry-points").is_none() && table["project"].get("dependencies").is_some());
    assert!(table.contains_key("build-system"));
    assert_eq!(
        made.put_back,
        ["[build-system]", "[project.entry-points.pytest11]", "[tool.pytest.ini_options]"],
        "what is put back is named"
    );
    assert_eq!(merged("python", "pyproject.toml", before, b"[broken"), None);
    assert_eq!(merged("python", "setup.cfg", b"", b""), None);
    assert_eq!(merged("java", "pom.xml", b"", b""), None);
}

#[test]
fn human_fixes_of_the_demo_suite_touch_nothing_protected_and_hidden_tests_only_tests() {
    let mut seen = 0;
    for dir in std::fs::read_dir(demo("")).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()) {
        let spec: toml::Table = toml::from_str(&std::fs::read_to_string(dir.join("task.toml")).unwrap()).unwrap();
        let language = by_name(spec["language"].as_str().unwrap()).unwrap();
        let repo = files(&dir.join("repo"));
        let plan = language.detect(&repo, spec.get("package").and_then(|p| p.as_str()), None).unwrap();
        let fix = std::fs::read_to_string(dir.join("solution.patch")).unwrap();
        for path in fix.lines().filter_map(|l| l.strip_prefix("+++ b/")) {
            assert!(!dropped(&plan, path) && !protects(&plan.mixed, path), "{path}");
        }
        if dir.join("tests").is_dir() {
            assert!(files(&dir.join("tests")).keys().all(|path| is_test_path(path)), "{}", dir.display());
        }
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[test]
fn tests_that_a_patch_adds_are_named_in_every_language() {
    let new = |path: &str, text: &str| {
        let lines: String = text.lines().map(|l| format!("+{l}\n")).collect();
        format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{lines}", text.lines().count()).into_bytes()
    };
    let of = |language: &str, path: &str, text: &str| {
        by_name(language).unwrap().ids_in_diff(&Plan::default(), &new(path, text))
    };
    assert_eq!(
        of("python", "tests/test_a.py", "def test_one():\n    pass\nclass TestB:\n    async def test_two(self):\n"),
        ["tests/test_a.py::test_one", "tests/test_a.py::TestB::test_two"]
    );
    assert_eq!(
        of("go", "x/a_test.go", "func TestOne(t *testing.T) {\nfunc Testify() {\nfunc TestMain(m *testing.M) {\n"),
        ["x::TestOne"]
    );
    assert_eq!(
        of("typescript", "a.test.ts", "  it(\"adds\", () => {\n  test('more', x)\n  it.skip('no')\n"),
        ["a.test.ts::adds", "a.test.ts::more"]
    );
    assert_eq!(
        of("java", "src/test/java/a/BTest.java", "@Test void one() {\n@Test\npublic void two() {\n"),
        ["a.BTest::one", "a.BTest::two"]
    );
}

#[test]
fn an_id_leads_to_its_file() {
    let java = tree(&[("m/src/test/java/a/BTest.java", ""), ("src/test/java/a/OtherBTest.java", "")]);
    assert_eq!(by_name("java").unwrap().files_of("a.BTest$Inner::m(int)[1]", &java), ["m/src/test/java/a/BTest.java"]);
    let go = tree(&[("x/a_test.go", "func TestA(t"), ("x/b_test.go", "func TestB(t"), ("b_test.go", "func TestB(t")]);
    assert_eq!(by_name("go").unwrap().files_of("x::TestB/sub", &go), ["x/b_test.go"]);
    assert_eq!(by_name("go").unwrap().files_of(".::TestB", &go), ["b_test.go"]);
    assert_eq!(by_name("python").unwrap().files_of("tests/a.py::C::d[x::y]", &tree(&[])), ["tests/a.py"]);
}

#[test]
fn every_language_names_its_image_and_its_files() {
    for language in all() {
        assert!(language.image().starts_with("tsbench/"));
        for tool in language.tools() {
            assert!(!tool.bytes.is_empty() && !tool.name.contains('/'));
        }
    }
}
