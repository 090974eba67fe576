//! Python's package managers beside pip: whose project it is, and their commands, with a lockfile and without one.

use super::python_project::{TEST_EXTRAS, keys};
use super::{Places, Plan};
use toml::{Table, Value};

/// What a project that is not locked is told.
const UNLOCKED: &str = "there is no lockfile: versions are those of the day of the install";

fn table<'a>(project: &'a Table, path: &[&str]) -> Option<&'a Table> {
    path.iter().try_fold(project, |at, key| at.get(*key).and_then(Value::as_table))
}

/// Whether a project keeps what it needs where poetry alone looks.
pub(super) fn is_of_poetry(project: &Table) -> bool {
    let Some(own) = table(project, &["tool", "poetry"]) else { return false };
    let backend = table(project, &["build-system"]).and_then(|b| b.get("build-backend")).and_then(Value::as_str);
    let needs = ["name", "dependencies", "dev-dependencies", "group"].iter().any(|k| own.contains_key(*k));
    needs || backend.is_some_and(|b| b.starts_with("poetry"))
}

/// Whether a project says to uv what pip does not read; its settings for other purposes do not count.
pub(super) fn is_of_uv(project: &Table) -> bool {
    let other = ["pip", "build-backend", "cache-keys", "required-version"];
    let own = table(project, &["tool", "uv"]);
    project.contains_key("project") && own.is_some_and(|t| t.keys().any(|k| !other.contains(&k.as_str())))
}

/// Notes whether the manager has a lockfile, and which groups it leaves out by itself although tests need them.
pub(super) fn learn(plan: &mut Plan, project: &Table, has: &dyn Fn(&str) -> bool) {
    let lock = match plan.manager.as_str() {
        "uv" => "uv.lock",
        "poetry" => "poetry.lock",
        "pipenv" => "Pipfile.lock",
        _ => {
            let named = keys(project, &["dependency-groups"]).into_iter().filter(|g| is_for_tests(g));
            return plan.learn("group", named);
        }
    };
    if !has(lock) {
        plan.notes.push(UNLOCKED.to_owned());
        plan.learn("unlocked", [lock.to_owned()]);
    }
    if plan.manager == "poetry" {
        let groups = table(project, &["tool", "poetry", "group"]).into_iter().flatten();
        let optional = groups.filter(|(_, g)| g.get("optional").and_then(Value::as_bool) == Some(true));
        plan.learn("with", optional.map(|(name, _)| name.clone()).filter(|name| is_for_tests(name)));
    }
}

/// `dev`, `tests`, `unit-test`: a group that tests may need. Those for types or documents are left out.
fn is_for_tests(group: &str) -> bool {
    group.to_lowercase().split(['-', '_', '.']).any(|word| TEST_EXTRAS.contains(&word))
}

/// Commands of another manager, into the environment that is there.
pub(super) fn steps(plan: &Plan, at: &Places) -> Vec<Vec<String>> {
    let pinned = match plan.manager.as_str() {
        "uv" => "uv==0.9.18",
        "poetry" => "poetry==2.2.1",
        "pipenv" => "pipenv==2025.0.4",
        _ => return Vec::new(),
    };
    // In an environment of its own, so that its dependencies are not taken for the project's.
    let own = format!("{}/managers", at.home);
    let own_python = format!("{own}/bin/python");
    let words = |w: &[&str]| w.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let each = |option: &str, fact: &str| {
        let named = plan.facts(fact).iter();
        named.flat_map(|value| [option.to_owned(), value.clone()]).collect::<Vec<_>>()
    };
    let locked = plan.fact("unlocked").is_none();
    let mut run = vec![format!("{own}/bin/{}", plan.manager)];
    match plan.manager.as_str() {
        "uv" => {
            run.push("sync".to_owned());
            run.extend(locked.then(|| "--frozen".to_owned()));
            run.extend(["--all-groups", "--inexact"].map(str::to_owned));
            run.extend(each("--extra", "extra"));
        }
        "poetry" => {
            run.extend(["install", "--no-interaction"].map(str::to_owned));
            run.extend(each("--with", "with"));
            run.extend(each("--extras", "extra"));
        }
        _ if locked => run.extend(["sync", "--dev"].map(str::to_owned)),
        _ => run.extend(["install", "--dev", "--skip-lock"].map(str::to_owned)),
    }
    vec![words(&["python3", "-m", "venv", &own]), words(&[&own_python, "-m", "pip", "install", "-q", pinned]), run]
}
