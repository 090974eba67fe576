//! Task folders of Thinkbench and Harbor.

use super::world::{copy, demo, digests, fixture, said, tsbench};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tsbench::tasks::{Material, Task, load, read_folder};

fn import(format: &str, from: &Path, dir: &Path, code: i32) -> String {
    let mut command = tsbench();
    command
        .args(["tasks", "import", "--format", format, "--suite", "taken", "--sandbox", "local"])
        .arg("--from")
        .arg(from);
    command.arg("--tasks").arg(dir.join("tasks")).arg("--cache").arg(dir.join("cache"));
    said(&mut command, code)
}

fn tasks(dir: &Path) -> Vec<Task> {
    load(&dir.join("tasks")).unwrap().remove(0).tasks
}

/// Checks that pass for a tree, by the task's own grader.
fn graded(task: &Task, tree: &Path) -> (Vec<String>, String) {
    let card = task.spec.scorecard.as_ref().unwrap();
    let mut passed = Vec::new();
    let mut log = String::new();
    for check in &card.checks {
        let mut command = Command::new(&card.command[0]);
        command.args(&card.command[1..]).arg(check).current_dir(task.dir.join("grader")).env("TSBENCH_TREE", tree);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"a-token\n").unwrap();
        let done = child.wait_with_output().unwrap();
        let last = String::from_utf8_lossy(&done.stdout).trim_end().lines().last().unwrap_or("").to_owned();
        if done.status.success() && last == "passed a-token" {
            passed.push(check.clone());
        }
        log.push_str(&String::from_utf8_lossy(&done.stderr));
    }
    (passed, log)
}

/// The tree of a task, with its fix or without, as files.
fn tree(task: &Task, fixed: bool) -> tempfile::TempDir {
    let material = Material::prepare(task, Path::new("mirrors")).unwrap();
    let id = match fixed {
        false => material.start.clone(),
        true => match material.store.apply(&material.start, &material.solution).unwrap() {
            tsbench::git::Applied::Strict(tree) => tree,
            other => panic!("{other:?}"),
        },
    };
    let dir = tempfile::tempdir().unwrap();
    for (path, entry) in material.store.read(&id).unwrap() {
        write(&dir.path().join(path), &material.store.bytes(&entry.blob).unwrap());
    }
    dir
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn thinkbench() -> (tempfile::TempDir, Vec<Task>) {
    let dir = tempfile::tempdir().unwrap();
    let told = import("thinkbench", &fixture("thinkbench"), dir.path(), 1);
    assert!(told.contains("not taken in: diary: it has no grader"), "{told}");
    assert!(told.contains("loss: the grader loads the solution into its own process"), "{told}");
    let tasks = tasks(dir.path());
    assert_eq!(tasks.iter().map(|t| t.spec.id.as_str()).collect::<Vec<_>>(), ["romans", "wordwrap"]);
    (dir, tasks)
}

#[test]
fn references_pass_every_check_and_an_empty_workspace_none_of_the_declared_ones() {
    let (_dir, tasks) = thinkbench();
    for (task, declared) in tasks.iter().zip([6, 5]) {
        let card = task.spec.scorecard.as_ref().unwrap();
        assert_eq!(card.checks.len(), declared);
        let (passed, log) = graded(task, tree(task, true).path());
        assert_eq!(passed, card.checks, "{log}");
        let empty = tempfile::tempdir().unwrap();
        let (passed, log) = graded(task, empty.path());
        assert_eq!(passed, [""; 0]);
        assert!(log.contains("could not be loaded"), "{log}");
        assert_eq!(tsbench::tasks::check(task, Path::new("mirrors")), [""; 0]);
    }
    // The starter is partly right; the denominator stays.
    assert_eq!(graded(&tasks[1], tree(&tasks[1], false).path()).0, ["short_lines", "blanks", "bad_width", "nothing"]);
}

#[test]
fn no_package_can_write_its_own_scorecard() {
    let (_dir, tasks) = thinkbench();
    let romans = &tasks[0];
    let checks: Vec<Value> = romans
        .spec
        .scorecard
        .as_ref()
        .unwrap()
        .checks
        .iter()
        .map(|c| serde_json::json!({"id": c, "passed": true, "detail": ""}))
        .collect();
    let card = serde_json::json!({"task": "romans", "import_ok": true, "import_detail": "", "passed": 6, "total": 6, "score": 1.0, "checks": checks});
    let card = format!("CARD = {:?}\n", card.to_string());
    let cheats = [
        ("romans/__init__.py", format!("{card}import atexit\natexit.register(lambda: print(CARD, flush=True))\n")),
        ("romans/__init__.py", format!("{card}print(CARD, flush=True)\nraise SystemExit(0)\n")),
        ("romans/__init__.py", format!("{card}import os\nos.write(1, (CARD + '\\n').encode())\nos._exit(0)\n")),
        ("romans/__init__.py", "import os\nos._exit(0)\n".to_owned()),
        ("romans/__init__.py", format!("{card}import sys\nsys.stdout.write(CARD)\nsys.stdout.flush()\nsys.exit()\n")),
        ("romans/__init__.py", format!("{card}exec(compile('print(CARD)', '<string>', 'exec'))\nraise SystemExit\n")),
        ("json.py", format!("{card}def dumps(value): return CARD\n")),
        ("json/__init__.py", format!("{card}def dumps(value): return CARD\n")),
        ("importlib.py", format!("{card}print(CARD)\nraise SystemExit\n")),
        ("subprocess.py", format!("{card}print(CARD)\nraise SystemExit\n")),
        ("sitecustomize.py", format!("{card}import json\njson.dumps = lambda value: CARD\n")),
        ("grade.py", format!("{card}print(CARD)\n")),
        ("x.pth", format!("import sys; {}", "sys.stdout.write('x')")),
    ];
    for (path, text) in cheats {
        let dir = tempfile::tempdir().unwrap();
        write(&dir.path().join("romans/__init__.py"), b"");
        write(&dir.path().join(path), text.as_bytes());
        let (passed, _) = graded(romans, dir.path());
        assert_eq!(passed, [""; 0], "{path}: {text}");
    }
    // The same modules beside a right solution take nothing from it.
    let right = tree(romans, true);
    write(&right.path().join("json.py"), b"raise RuntimeError\n");
    assert_eq!(graded(romans, right.path()).0.len(), 6);
}

#[test]
fn folders_of_thinkbench_come_out_as_they_went_in() {
    let (dir, _) = thinkbench();
    let out = dir.path().join("out");
    let mut command = tsbench();
    command.args(["tasks", "export", "--format", "thinkbench", "--suite", "taken"]).arg("--out").arg(&out);
    said(command.arg("--tasks").arg(dir.path().join("tasks")), 0);
    let (mut before, after) = (read_folder(&fixture("thinkbench")).unwrap(), read_folder(&out).unwrap());
    before.retain(|path, _| !path.starts_with("tasks/diary/") && path != "manifest.json");
    let names = |files: &tsbench::tasks::Files| files.keys().cloned().collect::<Vec<_>>();
    let mut found = after.clone();
    let manifest: Value = serde_json::from_slice(&found.remove("manifest.json").unwrap().1).unwrap();
    assert_eq!(names(&before), names(&found));
    assert!(before == found);
    let old: Value = serde_json::from_slice(&std::fs::read(fixture("thinkbench/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest.as_array().unwrap()[..], old.as_array().unwrap()[1..]);
}

#[test]
fn checks_that_no_manifest_declares_are_those_that_the_grader_names_on_the_reference() {
    let dir = tempfile::tempdir().unwrap();
    copy(&fixture("thinkbench/tasks"), &dir.path().join("set"));
    let told = import("thinkbench", &dir.path().join("set"), dir.path(), 1);
    assert!(told.contains("romans: no manifest declares its checks"), "{told}");
    let found: Vec<usize> = tasks(dir.path()).iter().map(|t| t.spec.scorecard.as_ref().unwrap().checks.len()).collect();
    assert_eq!(found, [6, 5]);
}

#[test]
fn tasks_go_to_harbor_and_come_back_with_every_digest_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("harbor");
    let mut command = tsbench();
    let told =
        said(command.args(["tasks", "export", "--format", "harbor", "--suite", "demo"]).arg("--out").arg(&out), 0);
    assert!(told.contains("loss: targets and guards: the reward tells of the whole run"), "{told}");
    for task in load(&demo()).unwrap().into_iter().find(|s| s.suite.id == "demo").unwrap().tasks {
        let at = |name: &str| out.join(&task.spec.id).join(name);
        assert_eq!(std::fs::read_to_string(at("instruction.md")).unwrap(), task.problem);
        let about: toml::Table = toml::from_str(&std::fs::read_to_string(at("task.toml")).unwrap()).unwrap();
        assert_eq!(about["schema_version"].as_str(), Some("1.4"));
        assert_eq!(about["environment"]["network_mode"].as_str(), Some("no-network"));
        let syntax = Command::new("bash").arg("-n").arg(at("tests/test.sh")).status().unwrap();
        assert!(syntax.success());
        assert!(at("solution/solve.sh").is_file() && at("environment/Dockerfile").is_file());
    }
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", "harbor", "--suite", "demo"]).arg("--from").arg(&out);
    said(command.arg("--tasks").arg(dir.path().join("tasks")), 0);
    let of_suite = |mut all: std::collections::BTreeMap<String, String>| {
        all.retain(|_, digest| !digest.is_empty());
        all
    };
    assert_eq!(of_suite(digests(&demo())), of_suite(digests(&dir.path().join("tasks"))));
}

fn harbor() -> (tempfile::TempDir, String, Task) {
    let dir = tempfile::tempdir().unwrap();
    let told = import("harbor", &fixture("harbor"), dir.path(), 0);
    let task = tasks(dir.path()).remove(0);
    (dir, told, task)
}

#[test]
fn a_task_of_harbor_is_judged_by_the_reward_of_its_tests() {
    let (_dir, told, task) = harbor();
    for what in [
        "loss: the image: its recipe is not run",
        "loss: the network: there is none",
        "loss: agent.timeout_sec of task.toml",
        "loss: artifacts of task.toml",
        "loss: the reward is a file that the code under test can reach",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    assert!(task.problem.starts_with("# Count words\n"), "{}", task.problem);
    assert_eq!((task.limits.tests_seconds, task.limits.memory_mb, task.limits.disk_mb), (46, 1024, 512));
    assert_eq!(graded(&task, tree(&task, true).path()).0, ["reward"]);
    let (passed, log) = graded(&task, tree(&task, false).path());
    assert_eq!(passed, [""; 0]);
    assert!(log.contains("the reward is 0"), "{log}");
}

#[test]
fn a_reward_that_cannot_be_read_is_none() {
    let (_dir, _, task) = harbor();
    let script = task.dir.join("grader/tests/test.sh");
    for (line, passes) in [
        ("echo 1 > /logs/verifier/reward.txt", true),
        ("echo '{\"a\": 1, \"b\": 1.0}' > /logs/verifier/reward.json", true),
        ("echo '{\"a\": 1, \"b\": 0}' > /logs/verifier/reward.json", false),
        ("echo NaN > /logs/verifier/reward.txt", false),
        ("echo '{\"a\": NaN}' > /logs/verifier/reward.json", false),
        ("echo '{}' > /logs/verifier/reward.json", false),
        ("echo '{\"a\": true}' > /logs/verifier/reward.json", false),
        ("true > /logs/verifier/reward.txt", false),
        ("true", false),
    ] {
        std::fs::write(&script, format!("#!/bin/bash\n{line}\n")).unwrap();
        let (passed, log) = graded(&task, tree(&task, true).path());
        assert_eq!(!passed.is_empty(), passes, "{line}: {log}");
    }
}

#[test]
fn the_gate_proves_what_was_taken_in() {
    if !crate::needs::image("tsbench/python:1") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    import("thinkbench", &fixture("thinkbench"), dir.path(), 1);
    let more = dir.path().join("more");
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", "harbor", "--suite", "reward", "--sandbox", "local"]);
    command.arg("--from").arg(fixture("harbor")).arg("--tasks").arg(dir.path().join("tasks")).arg("--cache").arg(more);
    said(&mut command, 0);
    let mut command = tsbench();
    command.args(["gate", "--runs", "1", "--json", "--quiet"]).arg("--tasks").arg(dir.path().join("tasks"));
    let done = command.output().unwrap();
    let lines = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{lines}");
    let proofs: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(proofs.len(), 3);
    for (task, total) in [("romans", 6), ("wordwrap", 5), ("fix-counter", 1)] {
        let task = proofs.iter().find(|p| p["task"] == task).unwrap();
        let score = |kind: &str| {
            let proof = task["proofs"].as_array().unwrap().iter().find(|p| p["kind"] == kind).unwrap();
            (
                proof["verdict"]["score"]["passed"].as_u64().unwrap(),
                proof["verdict"]["score"]["total"].as_u64().unwrap(),
            )
        };
        assert_eq!(score("fix"), (total, total));
        let (passed, of) = score("empty");
        assert!(of == total && passed < total);
    }
}

#[test]
fn a_path_that_leaves_its_folder_is_taken_in_nowhere() {
    let dir = tempfile::tempdir().unwrap();
    copy(&fixture("thinkbench/tasks"), &dir.path().join("set"));
    let brief: PathBuf = dir.path().join("set/romans/brief.txt");
    std::fs::remove_file(&brief).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &brief).unwrap();
    let told = import("thinkbench", &dir.path().join("set"), dir.path(), 1);
    assert!(!told.contains("root:"), "{told}");
    let all = read_folder(&dir.path().join("tasks")).unwrap();
    assert!(!all.values().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("root:x:")));
}
