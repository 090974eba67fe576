use super::paths::join;
use super::python_config::Config;
use super::{Files, LanguageError, Merged, Plan, python_managers as managers, versions};
use std::collections::BTreeSet;
use toml::{Table, Value};

/// Names under which projects keep what their tests need, the most telling first.
pub(super) const TEST_EXTRAS: [&str; 6] = ["test", "tests", "testing", "dev", "develop", "development"];

/// Files of requirements, each installed where it exists.
const REQUIREMENTS: [&str; 16] = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements-tests.txt",
    "requirements_dev.txt",
    "requirements_test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "test_requirements.txt",
    "requirements/test.txt",
    "requirements/tests.txt",
    "requirements/testing.txt",
    "requirements/dev.txt",
    "requirements/requirements-tests.txt",
    "tests/requirements.txt",
    "test/requirements.txt",
];

/// Options that a project gives to pytest by default, the plugin that knows them, and what switches off what would
/// change which tests run or how the run ends.
const PLUGINS: [(&str, &str, &[&str]); 6] = [
    ("--cov", "pytest-cov==7.0.0", &["--no-cov"]),
    ("-n", "pytest-xdist==3.8.0", &["-n0"]),
    ("--numprocesses", "pytest-xdist==3.8.0", &["-n0"]),
    ("--timeout", "pytest-timeout==2.4.0", &[]),
    ("--asyncio-mode", "pytest-asyncio==1.2.0", &[]),
    ("--benchmark", "pytest-benchmark==5.1.0", &["--benchmark-disable"]),
];

/// Reads a project.
pub(super) fn plan(tree: &dyn Files, package: &str, runtime: Option<&str>) -> Result<Plan, LanguageError> {
    let at = |name: &str| join(package, name);
    let has = |name: &str| tree.has(&at(name));
    let file = at("pyproject.toml");
    let pyproject: Table = match tree.text(&file) {
        Some(text) => {
            toml::from_str(&text).map_err(|e| LanguageError::Bad { path: file, what: e.message().to_owned() })?
        }
        None => Table::new(),
    };
    let manager = match () {
        () if has("uv.lock") => "uv",
        () if has("poetry.lock") => "poetry",
        () if has("Pipfile.lock") => "pipenv",
        () if managers::is_of_poetry(&pyproject) => "poetry",
        () if managers::is_of_uv(&pyproject) => "uv",
        () if has("Pipfile") => "pipenv",
        () if has("pyproject.toml") || has("setup.py") || has("setup.cfg") => "pip",
        () if REQUIREMENTS.iter().any(|r| has(r)) => "pip",
        () => {
            return Err(LanguageError::missing(
                "how the Python project is installed",
                "there is no pyproject.toml, setup.py, Pipfile or requirements.txt in the package's folder",
            ));
        }
    };
    let mut plan =
        Plan { manager: manager.into(), runner: "pytest".into(), package: package.into(), ..Plan::default() };
    plan.runtime = match runtime {
        Some(version) => version.to_owned(),
        None => asked_for(tree, &at).unwrap_or_default(),
    };
    plan.learn("requirements", REQUIREMENTS.iter().filter(|r| has(r)).map(|r| (*r).to_owned()));
    let builds = pyproject.contains_key("project") || pyproject.contains_key("build-system") || has("setup.py");
    if builds || manager == "pip" && has("setup.cfg") && has("setup.py") {
        plan.learn("project", [".".to_owned()]);
    }
    managers::learn(&mut plan, &pyproject, &has);
    let mut extras = keys(&pyproject, &["project", "optional-dependencies"]);
    if manager == "poetry" {
        extras.extend(keys(&pyproject, &["tool", "poetry", "extras"]));
    }
    plan.learn("extra", first_of(extras, &TEST_EXTRAS));
    if plan.fact("extra").is_none() {
        // An old project keeps its extras where only text can be read: the word of a heading is enough.
        let setup =
            [at("setup.py"), at("setup.cfg")].iter().filter_map(|p| tree.text(p)).collect::<Vec<_>>().join("\n");
        plan.learn("extra", first_of(extras_of_setup(&setup), &TEST_EXTRAS));
    }
    let config = Config::read(tree, package);
    let options = config.words("addopts");
    for (option, plugin, off) in PLUGINS {
        if options.iter().any(|o| {
            *o == option || o.starts_with(&format!("{option}=")) || option == "--cov" && o.starts_with("--cov")
        }) && !plan.facts("plugins").contains(&plugin.to_owned())
        {
            plan.learn("plugins", [plugin.to_owned()]);
            plan.learn("options", off.iter().map(|o| (*o).to_owned()));
        }
    }
    plan.caches = vec![("pip".into(), "cache/pip".into()), ("uv".into(), "cache/uv".into())];
    Ok(plan)
}

fn asked_for(tree: &dyn Files, at: &dyn Fn(&str) -> String) -> Option<String> {
    let file = |name: &str| tree.text(&at(name)).or_else(|| tree.text(name));
    let version = file(".python-version")
        .and_then(|t| versions::first_line(&t))
        .or_else(|| versions::tool_version(&file(".tool-versions")?, "python"))?;
    // Anything but digits and dots names another interpreter or an environment.
    let version = version.strip_prefix("cpython-").unwrap_or(&version).to_owned();
    version.chars().all(|c| c.is_ascii_digit() || c == '.').then_some(version).filter(|v| v.starts_with("3."))
}

/// Arguments of pip, one list an installation.
pub(super) fn pip_steps(plan: &Plan) -> Vec<Vec<String>> {
    let mut steps = Vec::new();
    // Without a lockfile, whatever the tree names may be what its tests need.
    if plan.manager == "pip" || plan.fact("unlocked").is_some() {
        steps.extend(plan.facts("requirements").iter().map(|r| vec!["-r".to_owned(), r.clone()]));
    }
    if plan.manager == "uv" || plan.manager == "poetry" {
        return steps;
    }
    let project =
        plan.fact("project").map(|_| plan.fact("extra").map_or_else(|| ".".to_owned(), |e| format!(".[{e}]")));
    let mut words: Vec<String> = project.into_iter().flat_map(|p| ["-e".to_owned(), p]).collect();
    words.extend(plan.facts("group").iter().flat_map(|g| ["--group".to_owned(), g.clone()]));
    if !words.is_empty() {
        steps.push(words);
    }
    steps
}

/// The keys of a table inside tables.
pub(super) fn keys(table: &Table, path: &[&str]) -> Vec<String> {
    let mut at = table;
    for key in path {
        match at.get(*key).and_then(Value::as_table) {
            Some(inner) => at = inner,
            None => return Vec::new(),
        }
    }
    at.keys().cloned().collect()
}

fn first_of(found: Vec<String>, wanted: &[&str]) -> Option<String> {
    wanted.iter().find(|w| found.iter().any(|f| f == *w)).map(|w| (*w).to_owned())
}

/// Names in the `extras_require` of a setup.py or setup.cfg.
fn extras_of_setup(text: &str) -> Vec<String> {
    let Some((_, after)) = text.split_once("extras_require") else { return Vec::new() };
    TEST_EXTRAS
        .iter()
        .filter(|e| {
            let quoted = [format!("\"{e}\":"), format!("'{e}':"), format!("{e}=["), format!("{e} = [")];
            quoted.iter().any(|q| after.contains(q.as_str()))
                || after.lines().any(|l| l.trim_start().strip_prefix(**e).is_some_and(|r| r.trim_start() == "="))
        })
        .map(|e| (*e).to_owned())
        .collect()
}

/// A pyproject.toml of a patch with everything that decides over tests and installation as it was.
pub(super) fn merge_pyproject(trusted: &[u8], theirs: &[u8]) -> Option<Merged> {
    let read = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(|t| toml::from_str::<Table>(t).ok());
    let (trusted, asked) = (read(trusted)?, read(theirs)?);
    let mut theirs = asked.clone();
    for key in ["build-system", "dependency-groups"] {
        restore(&trusted, &mut theirs, key);
    }
    inner(
        &trusted,
        &mut theirs,
        "tool",
        &["pytest", "coverage", "tox", "hatch", "pdm", "uv", "setuptools", "setuptools_scm", "poetry"],
    );
    inner(&trusted, &mut theirs, "project", &["entry-points", "optional-dependencies", "dynamic"]);
    let mut put_back = Vec::new();
    name_differences(&asked, &theirs, &mut Vec::new(), &mut put_back);
    let bytes = toml::to_string(&theirs).ok()?.into_bytes();
    Some(Merged { bytes, put_back, version: None })
}

/// The tables in which two versions differ, each by its heading and the deepest that has all of its differences; keys of
/// the root by their names.
fn name_differences(asked: &Table, made: &Table, above: &mut Vec<String>, found: &mut Vec<String>) {
    let keys: BTreeSet<&String> = asked.keys().chain(made.keys()).collect();
    let differ: Vec<&String> = keys.into_iter().filter(|key| asked.get(*key) != made.get(*key)).collect();
    let tables = |key: &String| -> Option<(Table, Table)> {
        let table = |of: &Table| match of.get(key) {
            None => Some(Table::new()),
            Some(value) => value.as_table().cloned(),
        };
        Some((table(asked)?, table(made)?))
    };
    // These hold what has little to do with each other.
    let loose = above.is_empty() || *above == ["project"] || *above == ["tool"];
    if !loose && differ.iter().any(|key| tables(key).is_none()) {
        found.push(format!("[{}]", above.join(".")));
        return;
    }
    for key in differ {
        above.push(quote(key));
        match tables(key) {
            Some((a, b)) if a.is_empty() && b.is_empty() => found.push(format!("[{}]", above.join("."))),
            Some((a, b)) => name_differences(&a, &b, above, found),
            None => found.push(above.join(".")),
        }
        above.pop();
    }
}

/// A key as TOML writes it.
fn quote(key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { key.to_owned() } else { format!("{key:?}") }
}

fn restore(trusted: &Table, theirs: &mut Table, key: &str) {
    match trusted.get(key) {
        Some(value) => theirs.insert(key.to_owned(), value.clone()),
        None => theirs.remove(key),
    };
}

fn inner(trusted: &Table, theirs: &mut Table, table: &str, keys: &[&str]) {
    let empty = Table::new();
    let before = trusted.get(table).and_then(Value::as_table).unwrap_or(&empty);
    let Some(after) = theirs.entry(table.to_owned()).or_insert_with(|| Value::Table(Table::new())).as_table_mut()
    else {
        return;
    };
    keys.iter().for_each(|key| restore(before, after, key));
}
