//! What a patch may not do is undone before it is tested. No sandbox is needed to see that.

mod links;

use assert_cmd::Command;
use std::path::Path;
use tsbench::git::{Applied, Entry, Mode, Tree};
use tsbench::languages::{Language, Plan, by_name};
use tsbench::scoring::{Candidate, candidate};
use tsbench::tasks::{Material, Task, find, load};

pub struct World {
    pub task: Task,
    pub material: Material,
    language: &'static dyn Language,
    plan: Plan,
}

pub fn world(task: &str) -> World {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
    let task = find(&load(&root).unwrap(), Some("demo"), Some(task)).unwrap().remove(0);
    let material = Material::prepare(&task, Path::new("mirrors")).unwrap();
    let language = by_name(&task.spec.language).unwrap();
    let tree = material.store.read(&material.start).unwrap();
    let files: std::collections::BTreeMap<String, Vec<u8>> =
        tree.iter().map(|(p, e)| (p.clone(), material.store.bytes(&e.blob).unwrap())).collect();
    let plan = language.detect(&files, task.spec.package.as_deref(), None).unwrap();
    World { task, material, language, plan }
}

impl World {
    /// The candidate of a patch that makes these changes; a path without text is removed.
    pub fn of(&self, edits: &[(&str, Option<&str>)]) -> Candidate {
        self.of_links(edits, &[])
    }

    /// The same with links, each with its target.
    pub fn of_links(&self, edits: &[(&str, Option<&str>)], links: &[(&str, &str)]) -> Candidate {
        let store = &self.material.store;
        let mut tree = store.read(&self.material.start).unwrap();
        for (path, text) in edits {
            tree.retain(|p, _| !p.starts_with(&format!("{path}/")));
            match text {
                None => drop(tree.remove(*path)),
                Some(text) => drop(tree.insert((*path).to_owned(), self.file(text))),
            }
        }
        for (path, target) in links {
            tree.retain(|p, _| !p.starts_with(&format!("{path}/")));
            let link = Entry { mode: Mode::Link, blob: store.blob(target.as_bytes()).unwrap() };
            tree.insert((*path).to_owned(), link);
        }
        let after = store.write(&tree).unwrap();
        let patch = store.diff(&self.material.start, &after, &[]).unwrap();
        candidate(&self.task, &self.material, self.language, &self.plan, &patch).unwrap()
    }

    pub fn file(&self, text: &str) -> Entry {
        Entry { mode: Mode::File, blob: self.material.store.blob(text.as_bytes()).unwrap() }
    }

    pub fn tree(&self, made: &Candidate) -> Tree {
        self.material.store.read(&made.tree).unwrap()
    }
}

#[test]
fn no_suite_has_a_fault_that_can_be_seen_without_running_it() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["tasks", "check"]).assert().success();
}

#[test]
fn every_task_of_the_core_suite_brings_other_right_solutions_and_wrong_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
    let tasks = find(&load(&root).unwrap(), Some("core"), None).unwrap();
    assert_eq!(tasks.len(), 20);
    for task in tasks {
        let (right, wrong) = (task.alternates().unwrap().len(), task.wrong().unwrap().len());
        assert!(right >= 2 && wrong >= 3, "{}: {right} right, {wrong} wrong", task.spec.id);
    }
}

#[test]
fn the_hidden_tests_are_written_last_whatever_the_patch_put_there() {
    let world = world("py-opening-hours");
    let hidden: Vec<&String> = world.material.hidden.files.keys().collect();
    let folder = hidden[0].rsplit_once('/').map_or(hidden[0].as_str(), |(f, _)| f).to_owned();
    for edits in [vec![(hidden[0].as_str(), Some("def test_x(): pass\n"))], vec![(folder.as_str(), Some("a file\n"))]] {
        let made = world.of(&edits);
        let tree = world.tree(&made);
        for path in &hidden {
            assert_eq!(tree.get(*path), world.material.hidden.files.get(*path), "{path}");
        }
        assert!(!made.dropped.is_empty(), "the change is named");
    }
}

#[test]
fn a_setup_file_of_the_runner_is_dropped_and_named() {
    for (task, path) in [
        ("py-opening-hours", "conftest.py"),
        ("py-opening-hours", "sitecustomize.py"),
        ("ts-ttl-cache", "vitest.config.ts"),
        ("go-job-queue", "go.work"),
    ] {
        let world = world(task);
        let made = world.of(&[(path, Some("anything\n"))]);
        assert!(!world.tree(&made).contains_key(path), "{task} {path}");
        assert_eq!(made.dropped, [path], "{task}");
    }
}

#[test]
fn a_source_of_a_test_librarys_package_is_dropped_and_named_wherever_it_lies() {
    let world = world("java-route-table");
    let path = "src/main/java/org/example/routes/Any.java";
    for text in [
        "package org.junit.jupiter.api;\npublic class Any {}\n",
        "/* a */ @Deprecated(since = \"package a;\") \\u0070ackage org . opentest4j ; class Any {}\n",
    ] {
        let made = world.of(&[(path, Some(text))]);
        assert!(!world.tree(&made).contains_key(path), "{text}");
        assert_eq!(made.dropped, [path], "{text}");
    }
    // A link to such a text is compiled as what it links to.
    let made = world.of(&[("notes.txt", Some("package org.junit.jupiter.api;\npublic class Any {}\n"))]);
    assert_eq!(made.dropped, ["notes.txt"]);
    let made = world.of(&[(path, Some("package org.example.routes;\n// package org.junit\nclass Any {}\n"))]);
    assert!(made.dropped.is_empty() && world.tree(&made).contains_key(path));
}

#[test]
fn tests_that_are_the_work_itself_are_kept_and_what_else_is_protected_is_not() {
    let mut world = world("py-opening-hours");
    let path = "tests/test_more.py";
    let edits = [(path, Some("def test_more(): pass\n")), ("conftest.py", Some("anything\n"))];
    assert_eq!(world.of(&edits).dropped, ["conftest.py", path], "a guard may stand in any file of tests");
    world.task.spec.unprotected = vec!["tests/**".into()];
    let made = world.of(&edits);
    assert!(world.tree(&made).contains_key(path));
    assert_eq!(made.dropped, ["conftest.py"]);
    let hidden = world.material.hidden.files.keys().next().unwrap().clone();
    assert_eq!(world.of(&[(&hidden, Some("def test_x(): pass\n"))]).dropped, [hidden], "hidden tests stay hidden");
}

#[test]
fn a_manifest_is_merged_unless_the_task_releases_it() {
    let mut world = world("ts-ttl-cache");
    let theirs = "{\"name\": \"other\", \"scripts\": {\"test\": \"true\"}}\n";
    let text = |world: &World| {
        let made = world.of(&[("package.json", Some(theirs))]);
        assert!(made.dropped.is_empty(), "{:?}", made.dropped);
        let released = !world.task.spec.unprotected.is_empty();
        assert_eq!(made.put_back.contains(&"package.json: \"scripts.test\"".to_owned()), !released);
        let entry = world.tree(&made)["package.json"].clone();
        String::from_utf8(world.material.store.bytes(&entry.blob).unwrap()).unwrap()
    };
    assert!(text(&world).contains("vitest") && !text(&world).contains("other"), "{}", text(&world));
    world.task.spec.unprotected = vec!["package.json".into()];
    assert_eq!(text(&world), theirs);
}

#[test]
fn a_further_solution_that_does_not_apply_is_a_fault_of_the_task() {
    let dir = tempfile::tempdir().unwrap();
    let mut task = world("py-opening-hours").task;
    crate::health::copy_folder(&task.dir, dir.path());
    task.dir = dir.path().to_owned();
    let faults = || tsbench::tasks::check(&task, Path::new("mirrors"));
    assert_eq!((faults(), task.alternates().unwrap().len(), task.wrong().unwrap().len()), (Vec::new(), 1, 2));
    std::fs::write(dir.path().join("wrong/empty.patch"), "").unwrap();
    std::fs::write(dir.path().join("alternates/other.patch"), "--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-a\n+b\n")
        .unwrap();
    let told = faults().join("\n");
    assert!(
        told.contains("alternates/other.patch does not apply") && told.contains("wrong/empty.patch is empty"),
        "{told}"
    );
    std::fs::write(dir.path().join("wrong/notes.md"), "text").unwrap();
    assert!(faults().join("\n").contains("notes.md"), "a file that nobody would read is told");
}

#[test]
fn a_link_that_leaves_the_tree_is_dropped_and_named_and_the_rest_is_judged() {
    let world = world("go-job-queue");
    let store = &world.material.store;
    let long = "a/".repeat(3_000);
    let outward: [&[u8]; 6] =
        [b"/usr/bin/python3", b"../../outside", b"here/../../../up", b"", b"\xff", long.as_bytes()];
    for target in outward {
        let mut tree = store.read(&world.material.start).unwrap();
        let link = |target: &[u8]| Entry { mode: Mode::Link, blob: store.blob(target).unwrap() };
        tree.insert("extra/link".into(), link(target));
        tree.insert("extra/inside".into(), link(b"../go.mod"));
        tree.insert("extra/extra.go".into(), world.file("package extra\n"));
        let after = store.write(&tree).unwrap();
        let patch = store.diff(&world.material.start, &after, &[]).unwrap();
        let made = candidate(&world.task, &world.material, world.language, &world.plan, &patch).unwrap();
        let (shown, kept) = (target.escape_ascii(), world.tree(&made));
        assert_eq!((made.applied, made.files), (Some("strict"), 3), "{shown}");
        assert_eq!(made.dropped, ["extra/link"], "{shown}");
        assert!(!kept.contains_key("extra/link"), "{shown}");
        assert!(kept.contains_key("extra/inside") && kept.contains_key("extra/extra.go"), "{shown}");
    }
}

#[test]
fn a_file_that_a_dropped_link_replaced_is_there_again() {
    let world = world("go-job-queue");
    let store = &world.material.store;
    let start = store.read(&world.material.start).unwrap();
    let mut tree = start.clone();
    tree.insert("README.md".into(), Entry { mode: Mode::Link, blob: store.blob(b"/etc/hostname").unwrap() });
    let patch = store.diff(&world.material.start, &store.write(&tree).unwrap(), &[]).unwrap();
    let made = candidate(&world.task, &world.material, world.language, &world.plan, &patch).unwrap();
    assert_eq!(
        (world.tree(&made).get("README.md"), made.dropped),
        (start.get("README.md"), vec!["README.md".to_owned()])
    );
}

#[test]
fn a_name_that_is_not_text_fails_the_patch_and_is_named() {
    let world = world("go-job-queue");
    let patch = b"--- /dev/null\n+++ b/src/\xff.txt\n@@ -0,0 +1 @@\n+x\n";
    let made = candidate(&world.task, &world.material, world.language, &world.plan, patch).unwrap();
    assert!(made.applied.is_none() && made.refusal.contains("src/\\xff.txt"), "{}", made.refusal);
}

#[test]
fn a_patch_without_an_end_is_refused_as_bad_input() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["score", "--task", "go-job-queue", "--patch", "/dev/zero"]);
    let done = command.assert().code(2);
    let said = String::from_utf8_lossy(&done.get_output().stderr).into_owned();
    assert!(said.contains("64 MiB") && said.contains("hint:"), "{said}");
}

#[test]
fn a_new_source_file_is_kept() {
    let world = world("go-job-queue");
    let made = world.of(&[("extra/extra.go", Some("package extra\n"))]);
    assert!(world.tree(&made).contains_key("extra/extra.go"));
    assert_eq!((made.applied, made.dropped.len(), made.files), (Some("strict"), 0, 1));
}

#[test]
fn a_patch_that_does_not_apply_is_told_apart_from_an_empty_one() {
    let world = world("go-job-queue");
    let score = |patch: &[u8]| candidate(&world.task, &world.material, world.language, &world.plan, patch).unwrap();
    assert_eq!(score(b"").applied, Some("empty"));
    let refused = score(b"--- a/nowhere.go\n+++ b/nowhere.go\n@@ -1 +1 @@\n-a\n+b\n");
    assert!(refused.applied.is_none() && !refused.refusal.is_empty());
}

#[test]
fn every_human_fix_of_the_demo_suite_goes_on_strictly_and_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
    for task in find(&load(&root).unwrap(), Some("demo"), None).unwrap() {
        let world = world(&task.spec.id);
        let made =
            candidate(&world.task, &world.material, world.language, &world.plan, &world.material.solution).unwrap();
        assert_eq!((made.applied, &made.dropped), (Some("strict"), &Vec::new()), "{}", task.spec.id);
        assert!(matches!(
            world.material.store.apply(&world.material.start, &world.material.solution).unwrap(),
            Applied::Strict(_)
        ));
    }
}

#[test]
fn a_misspelt_field_of_a_task_is_pointed_at() {
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("s");
    std::fs::create_dir_all(suite.join("t")).unwrap();
    std::fs::write(suite.join("suite.toml"), "id = \"s\"\nversion = \"1\"\ntitle = \"S\"\n").unwrap();
    std::fs::write(suite.join("t/problem.md"), "x\n").unwrap();
    std::fs::write(suite.join("t/task.toml"), "id = \"t\"\ntitle = \"T\"\nlanguage = \"go\"\ntarget = []\n").unwrap();
    let text = load(dir.path()).unwrap_err().to_string();
    assert!(
        text.contains("task.toml") && text.contains("line 4") && text.contains("target") && text.contains("hint:"),
        "{text}"
    );
}

#[test]
fn the_example_tasks_of_a_new_leaderboard_pass_their_own_check() {
    let dir = tempfile::tempdir().unwrap();
    tsbench::site::init(&dir.path().join("new")).unwrap();
    let mut check = assert_cmd::Command::cargo_bin("tsbench").unwrap();
    check
        .args(["tasks", "check", "--suite", "example", "--tasks"])
        .arg(dir.path().join("new/tasks"))
        .assert()
        .success();
}

#[test]
fn what_a_task_says_commands_no_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let world = world("py-opening-hours");
    crate::health::copy_folder(&world.task.dir, &dir.path().join("tasks/demo/py-opening-hours"));
    std::fs::copy(world.task.dir.join("../suite.toml"), dir.path().join("tasks/demo/suite.toml")).unwrap();
    let problem = dir.path().join("tasks/demo/py-opening-hours/problem.md");
    std::fs::write(problem, "# Closed\n\n\u{1b}]0;owned\u{7}\u{1b}[2Jtext\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    let out = command.current_dir(dir.path()).args(["tasks", "show", "py-opening-hours"]).assert().success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("text") && text.contains("MiB of memory") && !text.contains('\u{1b}') && !text.contains('\u{7}'),
        "{text}"
    );
    command.arg("--suite").arg("none").assert().code(2);
}
