//! Sealed tasks: nothing of the tests is public, a key opens them as they were, and disclosure shows it.

use super::world::{copy, demo, digests, said, tsbench};
use std::path::{Path, PathBuf};
use tsbench::tasks::{Key, Material, load, read_folder, unseal};

/// A copy of the demo suite, a key, and whom to seal for.
fn world() -> (tempfile::TempDir, PathBuf, PathBuf, String) {
    let dir = tempfile::tempdir().unwrap();
    let tasks = dir.path().join("tasks");
    copy(&demo().join("demo"), &tasks.join("demo"));
    let key = dir.path().join("key.txt");
    let out = tsbench().args(["tasks", "new-key"]).arg("--seal-key").arg(&key).assert().success();
    let recipient = String::from_utf8(out.get_output().stdout.clone()).unwrap().trim().to_owned();
    (dir, tasks, key, recipient)
}

fn seal(tasks: &Path, recipient: &str, more: &[&str]) -> String {
    let mut command = tsbench();
    command.args(["tasks", "seal", "--suite", "demo", "--recipient", recipient]).args(more).arg("--tasks").arg(tasks);
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

#[test]
fn nothing_of_tests_and_fix_is_readable_and_the_key_gives_the_very_same_tasks() {
    for whole in [false, true] {
        let (_dir, tasks, key, recipient) = world();
        let before = digests(&tasks);
        seal(&tasks, &recipient, if whole { &["--whole"] } else { &[] });
        for task in &load(&tasks).unwrap()[0].tasks {
            let files = read_folder(&task.dir).unwrap();
            let open: Vec<&str> = files.keys().map(String::as_str).filter(|p| !p.starts_with("repo/")).collect();
            assert_eq!(open, ["problem.md", "sealed.age", "task.toml"]);
            assert_eq!(files.keys().any(|p| p.starts_with("repo/")), !whole);
            let toml = String::from_utf8(files["task.toml"].1.clone()).unwrap();
            assert!(!toml.contains("::") && !toml.contains("checks = ["), "{toml}");
            assert!(
                task.spec.sealed.as_ref().unwrap().targets > 0 || task.spec.sealed.as_ref().unwrap().checks > Some(0)
            );
        }
        let key = Key::read(&key).unwrap();
        let mut folders = Vec::new();
        for task in load(&tasks).unwrap().remove(0).tasks {
            let opened = unseal(task, &key).unwrap();
            assert_eq!(Material::prepare(&opened, Path::new("x")).unwrap().digest, before[&opened.spec.id]);
            folders.push(opened.dir.clone());
        }
        assert!(folders.iter().all(|f| !f.exists()), "what was opened vanishes");
    }
}

#[test]
fn without_the_key_a_sealed_task_says_what_is_missing() {
    let (dir, tasks, _, recipient) = world();
    seal(&tasks, &recipient, &[]);
    let patch = dir.path().join("p.diff");
    std::fs::write(&patch, "").unwrap();
    let score = |key: Option<&Path>, code| {
        let mut command = tsbench();
        command.args(["score", "--sandbox", "local", "--task", "py-opening-hours"]).arg("--tasks").arg(&tasks);
        command.arg("--patch").arg(&patch).arg("--cache").arg(dir.path().join("cache"));
        key.map(|k| command.arg("--seal-key").arg(k));
        said(&mut command, code)
    };
    assert!(score(None, 3).contains("--seal-key"));
    let other = dir.path().join("other.txt");
    tsbench().args(["tasks", "new-key"]).arg("--seal-key").arg(&other).assert().success();
    assert!(score(Some(&other), 3).contains("does not open it"));
}

#[test]
fn a_key_is_for_its_owner_alone_and_never_written_over_another() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, _, key, _) = world();
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let told = said(tsbench().args(["tasks", "new-key"]).arg("--seal-key").arg(&key), 2);
    assert!(told.contains("something is there already") && told.contains("never written over"), "{told}");
}

#[test]
fn a_recipient_or_a_key_that_is_none_is_wrong_usage() {
    let (dir, tasks, _, recipient) = world();
    for bad in ["age1bad", ""] {
        let mut command = tsbench();
        command.args(["tasks", "seal", "--suite", "demo", "--recipient", bad]).arg("--tasks").arg(&tasks);
        let told = said(&mut command, 2);
        assert!(told.contains(&format!("seal for {bad:?}: ")) && told.contains("age1"), "{told}");
    }
    seal(&tasks, &recipient, &[]);
    let file = dir.path().join("nokey.txt");
    for text in ["", "nothing like a key\n"] {
        std::fs::write(&file, text).unwrap();
        let mut command = tsbench();
        command.args(["tasks", "unseal", "--suite", "demo"]).arg("--tasks").arg(&tasks).arg("--seal-key").arg(&file);
        let told = said(&mut command, 2);
        assert!(told.contains("nokey.txt") && told.contains("AGE-SECRET-KEY-1"), "{told}");
    }
}

#[test]
fn sealed_tasks_are_shown_and_checked_as_far_as_the_key_goes() {
    let (_dir, tasks, key, recipient) = world();
    seal(&tasks, &recipient, &["--whole"]);
    let call = |verb: &str, key: Option<&Path>| {
        let mut command = tsbench();
        command.args(["tasks", verb, "--suite", "demo", "--task", "py-opening-hours"]).arg("--tasks").arg(&tasks);
        key.map(|k| command.arg("--seal-key").arg(k));
        let out = command.assert().code(0).get_output().clone();
        (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let open = load(&demo()).unwrap().into_iter().find(|s| s.suite.id == "demo").unwrap().tasks;
    let open = open.into_iter().find(|t| t.spec.id == "py-opening-hours").unwrap();
    let (targets, guards) = (open.spec.targets.len(), open.spec.guards.len());
    let (shown, _) = call("show", None);
    assert!(shown.contains(&format!("targets: {targets}, sealed\nguards: {guards}, sealed\n")), "{shown}");
    let (shown, _) = call("show", Some(&key));
    assert!(shown.contains(&format!("targets: {targets}\nguards: {guards}\n")), "{shown}");
    assert!(shown.contains(open.problem.trim()), "{shown}");
    let (_, told) = call("check", None);
    assert!(told.contains("the sealed parts of 1 task were not checked") && told.contains("--seal-key"), "{told}");
    assert!(!call("check", Some(&key)).1.contains("not checked"));
}

#[test]
fn what_was_sealed_cannot_be_exchanged_for_something_else() {
    let (_dir, tasks, key, recipient) = world();
    seal(&tasks, &recipient, &[]);
    let of = |task: &str, file: &str| tasks.join("demo").join(task).join(file);
    let key = Key::read(&key).unwrap();
    let open = |task: &str| {
        let found = load(&tasks).unwrap().remove(0).tasks.into_iter().find(|t| t.spec.id == task).unwrap();
        unseal(found, &key).map(drop).map_err(|e| e.to_string())
    };
    std::fs::copy(of("go-text-columns", "sealed.age"), of("go-job-queue", "sealed.age")).unwrap();
    assert!(open("go-job-queue").unwrap_err().contains("committed to"));
    std::fs::write(of("ts-ttl-cache", "problem.md"), "Another statement.\n").unwrap();
    assert!(open("ts-ttl-cache").unwrap_err().contains("was another one when it was sealed"));
    open("py-opening-hours").unwrap();
}

#[test]
fn disclosure_brings_every_file_back_and_shows_that_it_is_the_one_that_was_committed_to() {
    for whole in [false, true] {
        let (_dir, tasks, key, recipient) = world();
        let before = read_folder(&tasks.join("demo")).unwrap();
        let commitments = seal(&tasks, &recipient, if whole { &["--whole"] } else { &[] });
        assert_eq!(commitments.lines().count(), 8);
        let mut command = tsbench();
        command.args(["tasks", "unseal", "--suite", "demo"]).arg("--tasks").arg(&tasks).arg("--seal-key").arg(&key);
        command.assert().success();
        let mut after = read_folder(&tasks.join("demo")).unwrap();
        let left: Vec<String> = after.keys().filter(|p| p.ends_with("disclosed.json")).cloned().collect();
        assert_eq!(left.len(), 8);
        for path in &left {
            let value: serde_json::Value = serde_json::from_slice(&after[path].1).unwrap();
            assert!(commitments.contains(value["archive_sha256"].as_str().unwrap()));
        }
        left.iter().for_each(|path| drop(after.remove(path)));
        assert!(before == after, "a file is not as it was");
        let check = |code| {
            let mut command = tsbench();
            command.args(["tasks", "check", "--suite", "demo"]).arg("--tasks").arg(&tasks);
            let out = command.assert().code(code).get_output().stdout.clone();
            String::from_utf8(out).unwrap()
        };
        check(0);
        let solution = tasks.join("demo/go-job-queue/solution.patch");
        let text = std::fs::read_to_string(&solution).unwrap();
        std::fs::write(&solution, text.replace("@@ ", "@@  ")).unwrap();
        assert!(check(1).contains("not the ones that were sealed"));
    }
}
