//! What belongs to a whole suite: its version and rules on their way out and in, and exports that fail.

use super::world::{copy, demo, said, tsbench};
use std::path::Path;
use tsbench::tasks::load;

/// A copy of one demo task in a suite with rules of its own.
fn suite(dir: &Path) {
    let tasks = dir.join("tasks/special");
    copy(&demo().join("demo/py-opening-hours"), &tasks.join("py-opening-hours"));
    let text =
        "id = \"special\"\nversion = \"2.3\"\ntitle = \"Special\"\nrepeats = 5\n\n[limits]\ntests_seconds = 77\n";
    std::fs::write(tasks.join("suite.toml"), text).unwrap();
}

fn export(dir: &Path, format: &str, out: &Path, code: i32) -> String {
    let mut command = tsbench();
    command.args(["tasks", "export", "--format", format, "--suite", "special"]).arg("--out").arg(out);
    command.arg("--tasks").arg(dir.join("tasks"));
    if format.contains("bench") {
        command.arg("--write-mirrors").arg(dir.join("mirrors"));
    }
    said(&mut command, code)
}

fn import(dir: &Path, format: &str, from: &Path, root: &Path) -> String {
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", format, "--suite", "taken"]).arg("--from").arg(from);
    said(command.arg("--tasks").arg(root).arg("--mirrors").arg(dir.join("mirrors")), 0)
}

#[test]
fn version_repeats_and_limits_of_a_suite_come_back_from_rows_and_folders() {
    for format in ["swe-bench", "swe-bench-live", "swe-bench-pro", "multi-swe-bench", "harbor"] {
        let dir = tempfile::tempdir().unwrap();
        suite(dir.path());
        let (out, root) = (dir.path().join("out"), dir.path().join("back"));
        export(dir.path(), format, &out, 0);
        let told = import(dir.path(), format, &out, &root);
        assert!(!told.contains("version, repeats"), "{format}: {told}");
        let back = load(&root).unwrap().remove(0);
        let found = (back.suite.id.as_str(), back.suite.version.as_str(), back.suite.repeats);
        assert_eq!((found, back.suite.limits.tests_seconds), (("taken", "2.3", 5), 77), "{format}");
        assert_eq!((back.suite.title.as_str(), back.tasks[0].limits.tests_seconds), ("Special", 77), "{format}");
        assert_eq!(back.tasks[0].spec.id, "py-opening-hours");
        // A suite that is there keeps its own rules, and that is told.
        std::fs::remove_dir_all(root.join("taken/py-opening-hours")).unwrap();
        let toml = root.join("taken/suite.toml");
        let text = std::fs::read_to_string(&toml).unwrap().replace("2.3", "9.9");
        std::fs::write(&toml, &text).unwrap();
        let told = import(dir.path(), format, &out, &root);
        assert!(told.contains("loss: version, repeats and limits of the suite"), "{format}: {told}");
        assert_eq!(std::fs::read_to_string(&toml).unwrap(), text);
    }
}

#[test]
fn rows_of_several_formats_share_the_mirrors_that_are_made_for_them() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path());
    export(dir.path(), "swe-bench", &dir.path().join("a.jsonl"), 0);
    export(dir.path(), "multi-swe-bench", &dir.path().join("b.jsonl"), 0);
    // What is there and holds something else is not touched.
    let mirror = dir.path().join("mirrors/special__py-opening-hours.git");
    std::fs::remove_dir_all(&mirror).unwrap();
    std::fs::create_dir(&mirror).unwrap();
    let told = export(dir.path(), "swe-bench", &dir.path().join("c.jsonl"), 2);
    assert!(told.contains("something else is there already") && told.contains("hint: "), "{told}");
    assert!(mirror.is_dir() && !dir.path().join("c.jsonl").exists());
}

#[test]
fn an_export_of_rows_that_fails_leaves_nothing_and_can_be_made_again() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path());
    let bad = dir.path().join("tasks/special/z-bad");
    copy(&demo().join("demo/py-opening-hours"), &bad);
    let toml = std::fs::read_to_string(bad.join("task.toml")).unwrap();
    std::fs::write(bad.join("task.toml"), toml.replace("id = \"py-opening-hours\"", "id = \"z-bad\"")).unwrap();
    let good = std::fs::read(bad.join("solution.patch")).unwrap();
    std::fs::write(bad.join("solution.patch"), [&good[..], b"\xff"].concat()).unwrap();
    let out = dir.path().join("rows.jsonl");
    let told = export(dir.path(), "swe-bench", &out, 2);
    assert!(told.contains("not UTF-8"), "{told}");
    assert_eq!(std::fs::read_dir(dir.path().join("mirrors")).unwrap().count(), 0);
    std::fs::write(bad.join("solution.patch"), good).unwrap();
    export(dir.path(), "swe-bench", &out, 0);
    // A file that cannot be written is told of before a mirror is made.
    std::fs::remove_dir_all(dir.path().join("mirrors")).unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let told = export(dir.path(), "swe-bench", &dir.path().join("file/rows.jsonl"), 2);
    assert!(told.contains("hint: ") && !dir.path().join("mirrors").exists(), "{told}");
}

#[test]
fn an_export_without_a_task_writes_nothing_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path());
    std::fs::remove_dir_all(dir.path().join("tasks/special/py-opening-hours")).unwrap();
    for format in ["dataset", "swe-bench", "harbor", "thinkbench"] {
        let out = dir.path().join(format);
        let told = export(dir.path(), format, &out, 2);
        assert!(told.contains("no task of it can be written") && !out.exists(), "{format}: {told}");
    }
}

#[test]
fn a_file_of_models_that_was_named_and_is_missing_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path());
    let mut command = tsbench();
    command.args(["tasks", "export", "--suite", "special", "--models-file", "nowhere.toml"]);
    command.arg("--tasks").arg(dir.path().join("tasks")).arg("--out").arg(dir.path().join("out"));
    assert!(said(&mut command, 2).contains("nowhere.toml"));
    assert!(!dir.path().join("out").exists());
}
