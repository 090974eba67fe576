//! What the tests of exchanges share: the demo suite, and the program.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tsbench::tasks::{Material, load, read_folder, write_folder};

/// The program, in the repository's folder.
pub fn tsbench() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// The folder of suites of this repository.
pub fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks")
}

/// The version of the suite `demo`, which every change of a task raises.
pub fn version() -> String {
    load(&demo()).unwrap().into_iter().find(|s| s.suite.id == "demo").unwrap().suite.version
}

/// The folder of its dataset below another.
pub fn set(dir: &Path) -> PathBuf {
    dir.join(format!("demo-{}", version()))
}

/// Fixtures of this room.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/exchange").join(name)
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) {
    let dirs = walkdir::WalkDir::new(from).min_depth(1).max_depth(1);
    for entry in dirs.into_iter().map(Result::unwrap) {
        let name = entry.file_name();
        if entry.path().is_dir() {
            write_folder(&to.join(name), &read_folder(entry.path()).unwrap()).unwrap();
        } else {
            std::fs::create_dir_all(to).unwrap();
            std::fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

/// The digest of every task of the suite `demo`.
pub fn digests(tasks: &Path) -> BTreeMap<String, String> {
    let suites = load(tasks).unwrap();
    let suite = suites.into_iter().find(|s| s.suite.id == "demo").unwrap();
    let of = |t: &tsbench::tasks::Task| Material::prepare(t, Path::new("mirrors")).unwrap().digest;
    suite.tasks.iter().map(|t| (t.spec.id.clone(), of(t))).collect()
}

/// What a command says on standard error.
pub fn said(command: &mut Command, code: i32) -> String {
    String::from_utf8_lossy(&command.assert().code(code).get_output().stderr).into_owned()
}

/// A Python with a package from its registry, in a folder of tools that stays; none, said aloud, where it cannot be had.
pub fn python_with(package: &str) -> Option<PathBuf> {
    let base = std::env::var_os("TSBENCH_TOOLS").map(PathBuf::from);
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| std::env::var_os("HOME").map(|h| PathBuf::from(h).join(".cache")));
    let dir =
        base.or_else(|| cache.map(|c| c.join("tsbench-tools")))?.join(format!("python-{}", package.replace("==", "-")));
    let python = dir.join("bin/python");
    let works = || {
        let module = package.split("==").next().unwrap();
        let check = std::process::Command::new(&python).args(["-c", &format!("import {module}")]).output();
        check.is_ok_and(|o| o.status.success())
    };
    let quiet = |program: &Path, args: &[&str]| {
        let done = std::process::Command::new(program).args(args).output();
        done.is_ok_and(|o| o.status.success())
    };
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package];
    let ready =
        works() || quiet(Path::new("python3"), &["-m", "venv", dir.to_str()?]) && quiet(&python, &pip) && works();
    if !ready {
        crate::needs::skipped(&format!("Python with {package}"));
    }
    ready.then_some(python)
}
