use super::{demo, files, places, tree};
use tsbench::languages::{LanguageError, Plan, by_name};
use tsbench::reports::Key;

fn plan(language: &str, files: &[(&str, &str)], package: Option<&str>) -> Result<Plan, LanguageError> {
    by_name(language).unwrap().detect(&tree(files), package, None)
}

/// All commands of an installation, one a line.
fn install(language: &str, plan: &Plan) -> String {
    by_name(language).unwrap().install(plan, &places()).into_iter().map(|s| s.words.join(" ") + "\n").collect()
}

fn test(language: &str, plan: &Plan) -> String {
    by_name(language).unwrap().test(plan, &places(), &Key::new([7; 32])).words.join(" ")
}

#[test]
fn an_unknown_language_is_named() {
    assert!(by_name("cobol").err().unwrap().to_string().contains("\"cobol\""));
    assert_eq!(by_name("javascript").unwrap().name(), "typescript");
}

#[test]
fn a_tree_without_a_project_says_what_is_missing() {
    for language in ["python", "typescript", "java", "go"] {
        assert!(matches!(plan(language, &[("README.md", "")], None), Err(LanguageError::Missing { .. })), "{language}");
    }
}

#[test]
fn the_key_and_the_report_stand_on_standard_input_alone() {
    let key = Key::new([7; 32]);
    for task in ["py-opening-hours", "ts-ttl-cache", "java-money-split", "go-job-queue"] {
        let language = by_name(task.split('-').next().map_or("", |l| {
            if l == "py" {
                "python"
            } else if l == "ts" {
                "typescript"
            } else {
                l
            }
        }))
        .unwrap();
        let plan = language.detect(&files(&demo(task).join("repo")), None, None).unwrap();
        let command = language.test(&plan, &places(), &key);
        let seen = format!("{:?} {:?}", command.words, command.env);
        assert!(!seen.contains(key.word()), "{task}");
        // The launcher of Go hands the folder to the script that watches test binaries.
        assert!(!seen.contains("/w/report") || task.starts_with("go"), "{task}");
        assert_eq!(String::from_utf8(command.stdin).unwrap(), format!("{}\n/w/report\n/w/tree\n", key.word()));
    }
}

#[test]
fn python_managers_are_those_of_their_lockfiles() {
    let project = ("pyproject.toml", "[project]\nname='a'\n[project.optional-dependencies]\ndev=[]\ntests=[]\n");
    for (lock, manager, command) in [
        ("uv.lock", "uv", "uv sync --frozen --all-groups --inexact --extra tests"),
        ("poetry.lock", "poetry", "poetry install --no-interaction --extras tests"),
        ("Pipfile.lock", "pipenv", "pipenv sync --dev"),
        ("README.md", "pip", "-e .[tests]"),
    ] {
        let plan = plan("python", &[project, (lock, "")], None).unwrap();
        assert_eq!(plan.manager, manager);
        let steps = install("python", &plan);
        assert!(steps.contains(command) && steps.contains("pytest==8.4.2"), "{steps}");
    }
}

#[test]
fn python_test_needs_are_found_wherever_projects_keep_them() {
    let groups =
        plan("python", &[("pyproject.toml", "[project]\nname='a'\n[dependency-groups]\ntest=['x']\n")], None).unwrap();
    assert!(install("python", &groups).contains("-e . --group test"));
    let setup = plan("python", &[("setup.py", "setup(extras_require={'doc': [], 'test': ['pytest']})")], None).unwrap();
    assert!(install("python", &setup).contains("-e .[test]"));
    let cfg =
        plan("python", &[("setup.py", ""), ("setup.cfg", "[options.extras_require]\ntesting =\n  pytest\n")], None)
            .unwrap();
    assert!(install("python", &cfg).contains("-e .[testing]"));
    let files = [("requirements.txt", ""), ("requirements-dev.txt", "")];
    let steps = install("python", &plan("python", &files, None).unwrap());
    assert!(
        steps.contains("-r requirements.txt") && steps.contains("-r requirements-dev.txt") && !steps.contains("-e")
    );
}

#[test]
fn pytest_options_of_a_project_bring_their_plugin_and_do_not_change_the_run() {
    for (path, text) in [
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--cov=a --strict-markers -n auto'\n"),
        ("setup.cfg", "[tool:pytest]\naddopts =\n    --cov=a\n    -n auto\ntestpaths = x\n"),
    ] {
        let plan = plan("python", &[("setup.py", ""), (path, text)], None).unwrap();
        let steps = install("python", &plan);
        assert!(steps.contains("pytest-cov==") && steps.contains("pytest-xdist=="), "{path}: {steps}");
        assert!(test("python", &plan).ends_with("--no-cov -n0"), "{path}");
    }
}

#[test]
fn python_versions_are_read_from_the_files_of_their_tools() {
    let of = |path, text| plan("python", &[("setup.py", ""), (path, text)], None).unwrap().runtime;
    assert_eq!(of(".python-version", "3.12.1\n"), "3.12");
    assert_eq!(of(".tool-versions", "python 3.11.4"), "3.11");
    assert_eq!(of(".python-version", "my-env"), "");
    let plan = by_name("python").unwrap().detect(&tree(&[("setup.py", "")]), None, Some("3.12")).unwrap();
    assert!(install("python", &plan).starts_with("python3.12 -m venv"));
    let exact = by_name("python").unwrap().detect(&tree(&[("setup.py", "")]), None, Some("3.12.1")).unwrap();
    assert_eq!(exact.runtime, "3.12.1", "what the task itself asks for is kept");
}

#[test]
fn javascript_managers_come_with_the_version_that_the_tree_pins() {
    let package = ("package.json", r#"{"devDependencies":{"vitest":"1"}}"#);
    for (file, text, manager, command) in [
        ("package-lock.json", "{}", "npm", "npm ci --ignore-scripts"),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '6.0'\n",
            "pnpm@8.15.9",
            "pnpm install --frozen-lockfile --ignore-scripts",
        ),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n", "pnpm@9.15.9", "/w/home/manager pnpm@9.15.9"),
        ("yarn.lock", "# yarn lockfile v1\n", "yarn@1.22.22", "yarn install --frozen-lockfile"),
        ("yarn.lock", "# x\n__metadata:\n  version: 8\n", "yarn@4.9.2", "@yarnpkg/cli-dist@4.9.2"),
    ] {
        let plan = plan("typescript", &[package, (file, text)], None).unwrap();
        assert_eq!(plan.manager, manager);
        assert!(install("typescript", &plan).contains(command), "{}", install("typescript", &plan));
    }
    let pinned = r#"{"packageManager":"pnpm@9.1.0+sha512.abc","devDependencies":{"vitest":"1"}}"#;
    assert_eq!(plan("typescript", &[("package.json", pinned), ("yarn.lock", "")], None).unwrap().manager, "pnpm@9.1.0");
    let unknown = r#"{"packageManager":"bun@1.0.0","devDependencies":{"vitest":"1"}}"#;
    assert_eq!(
        plan("typescript", &[("package.json", unknown), ("package-lock.json", "")], None).unwrap().manager,
        "npm"
    );
    let bare = plan("typescript", &[package], None).unwrap();
    assert!(
        bare.notes[0].contains("no lockfile") && install("typescript", &bare).contains("npm install --ignore-scripts")
    );
}

#[test]
fn node_versions_are_read_from_the_files_of_their_tools() {
    let with = |package: &str, path: &str, text: &str| {
        let package = format!(r#"{{"devDependencies":{{"jest":"29"}}{package}}}"#);
        plan("typescript", &[("package.json", &package), ("package-lock.json", ""), (path, text)], None).unwrap()
    };
    assert_eq!(with("", ".nvmrc", "v20.11.0\n").runtime, "20.11.0");
    assert_eq!(with("", ".nvmrc", "lts/iron").runtime, "20");
    assert_eq!(with("", ".node-version", "18.19.1").runtime, "18.19.1");
    assert_eq!(with("", ".tool-versions", "nodejs 22.2.0").runtime, "22.2.0");
    assert_eq!(with(r#","volta":{"node":"16.20.2"}"#, "x", "").runtime, "16.20.2");
    assert_eq!(with(r#","engines":{"node":"^20.1.0"}"#, "x", "").runtime, "20");
    let range = with(r#","engines":{"node":">=18"}"#, "x", "");
    assert!(range.runtime.is_empty() && range.notes[0].contains(">=18"));
    let exact = with("", ".nvmrc", "20.11.0");
    let steps = install("typescript", &exact);
    assert!(steps.contains("node-linux-$a@$2") && steps.contains("/w/home/node 20.11.0"), "{steps}");
    let old = with("", ".nvmrc", "16.20.2");
    assert!(install("typescript", &old).contains("npm@8.19.4"));
}

#[test]
fn the_runner_is_the_one_that_the_script_calls() {
    let of = |text: &str| plan("typescript", &[("package.json", text), ("package-lock.json", "")], None);
    let both =
        |script: &str| format!(r#"{{"scripts":{{"test":"{script}"}},"devDependencies":{{"jest":"1","mocha":"1"}}}}"#);
    assert_eq!(of(&both("mocha -r ts-node/register")).unwrap().runner, "mocha");
    assert_eq!(of(&both("npm run build && jest --coverage")).unwrap().runner, "jest");
    assert_eq!(of(&both("node --test")).unwrap().runner, "node");
    assert!(matches!(of(&both("make")), Err(LanguageError::Ambiguous { .. })));
    assert!(matches!(of("{}"), Err(LanguageError::Missing { .. })));
    assert!(matches!(of("[]"), Err(LanguageError::Bad { .. })));
    let called = r#"{"scripts":{"test":"npm run unit","unit":"vitest run --config v.ts src"}}"#;
    let plan = of(called).unwrap();
    assert!(test("typescript", &plan).ends_with("--config v.ts src"), "{}", test("typescript", &plan));
}

#[test]
fn a_package_of_a_monorepo_is_installed_at_its_root_and_tested_in_its_folder() {
    let repo = files(&demo("ts-monorepo-duration").join("repo"));
    let language = by_name("typescript").unwrap();
    let plan = language.detect(&repo, Some("packages/duration"), None).unwrap();
    assert_eq!((plan.runner.as_str(), plan.package.as_str()), ("node", "packages/duration"));
    assert!(language.install(&plan, &places()).iter().all(|s| s.dir == "/w/tree"));
    assert_eq!(language.test(&plan, &places(), &Key::new([7; 32])).dir, "/w/tree/packages/duration");
}

#[test]
fn a_module_of_maven_is_built_from_the_root_with_what_it_needs() {
    let files = [("pom.xml", "<maven.compiler.source>1.8</maven.compiler.source>"), ("core/pom.xml", "<project/>")];
    let root = plan("java", &files, Some("core")).unwrap();
    assert!(test("java", &root).ends_with("-o -pl core -am test"), "{}", test("java", &root));
    assert!(root.notes[0].contains("Java 8"));
    let lone = plan("java", &[("core/pom.xml", "")], Some("core")).unwrap();
    assert!(test("java", &lone).starts_with("/bin/sh /w/tools/launch.sh xml core mvn"));
}

#[test]
fn gradle_is_run_by_its_wrapper_alone() {
    assert!(matches!(plan("java", &[("build.gradle", "")], None), Err(LanguageError::Missing { .. })));
    let plan =
        plan("java", &[("settings.gradle.kts", ""), ("gradlew", ""), ("a/b/build.gradle", "")], Some("a/b")).unwrap();
    assert!(test("java", &plan).ends_with("--offline :a:b:test"), "{}", test("java", &plan));
}

#[test]
fn a_go_package_belongs_to_the_nearest_module() {
    let files = [
        ("go.mod", "module example.org/top\n"),
        ("sub/go.mod", "module example.org/sub // x\n\ngo 1.22\ntoolchain go1.22.5\n"),
    ];
    let below = plan("go", &files, Some("sub/a/b")).unwrap();
    assert_eq!(below.runtime, "1.22.5");
    assert!(test("go", &below).contains("launch.sh go sub go test") && test("go", &below).ends_with("./a/b/..."));
    let top = plan("go", &files, None).unwrap();
    assert!(test("go", &top).ends_with("./..."));
    assert!(matches!(plan("go", &[("go.mod", "go 1.22")], None), Err(LanguageError::Bad { .. })));
}
