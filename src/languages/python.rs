use super::plan::{env, stdin};
use super::python_config::Config;
use super::{
    Files, Language, LanguageError, Merged, Mixed, Places, Plan, Release, Step, Suspect, TestCommand, Tool, diff,
    is_test_path, python_code as code, python_managers as managers, python_plugins, python_project as project,
    python_shadow, releases,
};
use crate::reports::{Key, Report, parse_sealed};

/// Python: pip, uv, poetry or pipenv, and pytest.
///
/// What code under test can forge: it runs in the process of pytest, so code written against this very reporter can
/// read the key from memory or change the machinery without replacing a watched function. It cannot do so by files (all
/// that pytest or Python load of their own accord is protected), by output, by exit codes, by leaving early, by
/// skipping, or by a report of its own.
pub struct Python;

/// The test runner, pinned: another one writes other outcomes.
const PYTEST: &str = "pytest==8.4.2";
/// The last one for Python 3.8.
const PYTEST_38: &str = "pytest==8.3.5";

const TOOLS: [Tool; 1] = [Tool { name: "python_reporter.py", bytes: include_bytes!("python_reporter.py") }];

/// What pytest and Python load without being asked, and what decides which tests run.
const PROTECTED: &[&str] = &[
    "**/conftest.py",
    "**/{pytest,.pytest}.ini",
    "**/{pytest,.pytest}.toml",
    "**/{tox.ini,setup.cfg,noxfile.py,Makefile}",
    "**/{.coveragerc,.python-version}",
    "**/{sitecustomize,usercustomize}*",
    "**/{sitecustomize,usercustomize}/**",
    "**/*.pth",
    "**/*.{egg-info,dist-info,egg}/**",
    "**/*.{egg-info,dist-info,egg,egg-link}",
    "**/EGG-INFO{,/**}",
    // Python loads these without a source, and a reader cannot.
    "**/*.{pyc,pyo}",
    "**/__pycache__/**",
    "**/.venv/**",
    "**/.{pytest_cache,hypothesis}/**",
];

/// Modules that would stand before the real ones in whatever folder; covered unless the tree has one of this name. For
/// all others see [`python_shadow`].
const ANYWHERE: [&str; 4] = ["pytest", "_pytest", "pluggy", "unittest"];

/// Everything that a patch may not change, and what it may change and not remove.
fn protect(plan: &mut Plan, tree: &dyn Files) {
    let paths = tree.paths();
    let config = Config::read(tree, &plan.package);
    plan.protected = PROTECTED.iter().map(|g| (*g).to_owned()).collect();
    for name in ANYWHERE {
        let named = |p: &String| p.split('/').any(|part| part == name || part.strip_suffix(".py") == Some(name));
        if !paths.iter().any(|p| named(p) && !is_test_path(p)) {
            plan.protected.push(format!("**/{name}{{,.*,/**}}"));
        }
    }
    let named = python_plugins::named(tree, &paths, &config, &plan.package);
    let shadows = python_shadow::shadows(tree, &paths, &config, &plan.package, &named.installed);
    plan.protected.extend(named.globs.into_iter().chain(shadows.globs));
    plan.mixed = [vec!["**/pyproject.toml".to_owned()], shadows.kept].concat();
}

impl Language for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py", "pyi", "pyx"]
    }

    fn image(&self) -> &'static str {
        "tsbench/python:1"
    }

    fn tools(&self) -> &'static [Tool] {
        &TOOLS
    }

    fn detect(&self, tree: &dyn Files, package: Option<&str>, runtime: Option<&str>) -> Result<Plan, LanguageError> {
        let mut plan = project::plan(tree, package.unwrap_or(""), runtime)?;
        let line = plan.runtime.split('.').take(2).collect::<Vec<_>>().join(".");
        if runtime.is_none() && line != plan.runtime {
            // What a developer has installed, not what the project needs: a release with only mended faults will do.
            plan.notes.push(format!("the tree asks for Python {}; any {line} is taken", plan.runtime));
            plan.runtime = line;
        }
        protect(&mut plan, tree);
        Ok(plan)
    }

    fn install(&self, plan: &Plan, at: &Places) -> Vec<Step> {
        let venv = format!("{}/venv", at.home);
        let python = format!("{venv}/bin/python");
        let step = |words: Vec<String>| Step { words, dir: plan.dir(at), env: environment(at), may_fail: false };
        let pip = |args: &[&str]| {
            let words =
                [&[python.as_str(), "-m", "pip", "install", "--disable-pip-version-check", "-q"], args].concat();
            step(words.iter().map(|w| (*w).to_owned()).collect())
        };
        let mut steps = vec![step(vec![interpreter(plan), "-m".into(), "venv".into(), venv.clone()])];
        steps.push(pip(&[if minor(plan) == Some(8) { "pip==25.0.1" } else { "pip==25.3" }]));
        for words in managers::steps(plan, at) {
            steps.push(step(words));
        }
        for args in project::pip_steps(plan) {
            steps.push(pip(&args.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        let mut last = vec![if minor(plan) == Some(8) { PYTEST_38 } else { PYTEST }];
        last.extend(plan.facts("plugins").iter().map(String::as_str));
        steps.push(pip(&last));
        steps
    }

    fn runtimes(&self, plan: &Plan, at: &Places) -> Option<(String, Step)> {
        let code = "IFS=:; for d in $PATH; do for f in \"$d\"/python[0-9]*.*; do [ -x \"$f\" ] && echo \"${f##*/python}\"; done; done; true";
        let words = ["/bin/sh", "-c", code].map(str::to_owned).to_vec();
        let list = Step { words, dir: plan.dir(at), env: environment(at), may_fail: true };
        (!plan.runtime.is_empty()).then(|| (interpreter(plan), list))
    }

    fn version(&self, plan: &Plan, at: &Places) -> Step {
        let code = "import platform; print(platform.python_version())";
        let words = [&format!("{}/venv/bin/python", at.home), "-c", code].map(str::to_owned).to_vec();
        Step { words, dir: plan.dir(at), env: environment(at), may_fail: false }
    }

    fn test(&self, plan: &Plan, at: &Places, key: &Key) -> TestCommand {
        let mut words = vec![format!("{}/venv/bin/python", at.home), format!("{}/python_reporter.py", at.tools)];
        let fixed = [
            "-q",
            "--tb=short",
            "--color=no",
            "-p",
            "no:cacheprovider",
            "--maxfail=0",
            "--continue-on-collection-errors",
        ];
        words.extend(fixed.map(str::to_owned));
        words.extend(plan.facts("options").iter().cloned());
        TestCommand { words, dir: plan.dir(at), env: environment(at), stdin: stdin(at, key) }
    }

    fn read(&self, _plan: &Plan, files: &[(String, Vec<u8>)], key: &Key) -> Report {
        files
            .iter()
            .find(|(name, _)| name == "report.jsonl")
            .map_or_else(Report::default, |(_, bytes)| parse_sealed(bytes, key))
    }

    fn is_build_failure(&self, report: &Report, _stdout: &[u8], stderr: &[u8]) -> bool {
        let stderr = String::from_utf8_lossy(stderr);
        report.problems.iter().any(|p| p.starts_with("collect "))
            || stderr.contains("ImportError while loading conftest")
    }

    fn ids_in_diff(&self, _plan: &Plan, patch: &[u8]) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut class: Option<(String, String)> = None;
        for (file, line) in diff::added(patch) {
            if !super::is_test_path(&file) || !file.ends_with(".py") {
                continue;
            }
            let bare = line.trim_start();
            let bare = bare.strip_prefix("async ").unwrap_or(bare);
            if let Some(name) = diff::name_after(&line, "class ") {
                class = Some((file, name.to_owned()));
            } else if let Some(name) = diff::name_after(bare, "def ").filter(|n| n.starts_with("test")) {
                let inside = class.as_ref().filter(|(f, _)| line.starts_with([' ', '\t']) && *f == file);
                found.push(
                    inside.map_or_else(|| format!("{file}::{name}"), |(_, class)| format!("{file}::{class}::{name}")),
                );
            }
        }
        found
    }

    fn files_of(&self, id: &str, _tree: &dyn Files) -> Vec<String> {
        id.split("::").next().map(str::to_owned).into_iter().collect()
    }

    fn merge(&self, mixed: &Mixed<'_>) -> Option<Merged> {
        match mixed.path.rsplit('/').next() {
            Some("pyproject.toml") => project::merge_pyproject(mixed.trusted, mixed.theirs),
            // What it holds is code; only that it is there is not the patch's to change.
            Some("__init__.py") => Some(Merged::whole(mixed.theirs)),
            _ => None,
        }
    }

    fn may_be_code(&self, path: &str) -> bool {
        code::may_be_code(path)
    }

    fn is_code(&self, suspect: &Suspect<'_>) -> bool {
        code::is_code(suspect)
    }

    fn leave_out(&self, plan: &Plan, command: &mut TestCommand, paths: &[String]) {
        // pytest sees such paths from the folder that it runs in.
        let folder = if plan.package.is_empty() { String::new() } else { format!("{}/", plan.package) };
        let inside = paths.iter().filter_map(|p| p.strip_prefix(folder.as_str()));
        command.words.extend(inside.map(|p| format!("--ignore={p}")));
    }

    fn releases(&self, tree: &dyn Files, listing: &[String]) -> Vec<Release> {
        releases::python(tree, listing)
    }

    fn version_of_release(&self, release: &Release, bytes: &[u8]) -> Option<String> {
        (!releases::from_folder(&release.path, bytes)).then(|| release.version.clone().unwrap_or_default())
    }
}

/// `python3.12` for any 3.12; the image's own Python where the tree does not care.
fn interpreter(plan: &Plan) -> String {
    match plan.runtime.split('.').collect::<Vec<_>>().as_slice() {
        [major, minor, ..] => format!("python{major}.{minor}"),
        _ => "python3".into(),
    }
}

fn minor(plan: &Plan) -> Option<u32> {
    plan.runtime.split('.').nth(1)?.parse().ok()
}

fn environment(at: &Places) -> Vec<(String, String)> {
    let mut pairs = env(&[
        ("SETUPTOOLS_SCM_PRETEND_VERSION", "0.0.0"),
        ("PDM_BUILD_SCM_VERSION", "0.0.0"),
        ("PYTHONNOUSERSITE", "1"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("PYTHONHASHSEED", "0"),
        ("PIP_NO_INPUT", "1"),
        ("POETRY_VIRTUALENVS_CREATE", "false"),
        ("PIPENV_VERBOSITY", "-1"),
        ("CI", "1"),
    ]);
    let home = &at.home;
    for (name, value) in [
        ("VIRTUAL_ENV", format!("{home}/venv")),
        ("UV_PROJECT_ENVIRONMENT", format!("{home}/venv")),
        ("PIP_CACHE_DIR", format!("{home}/cache/pip")),
        ("UV_CACHE_DIR", format!("{home}/cache/uv")),
        ("PATH", format!("{home}/venv/bin:{}", at.path)),
    ] {
        pairs.push((name.to_owned(), value));
    }
    pairs
}
