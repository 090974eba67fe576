//! What is exported loads and grades in the programs of others.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tsbench::tasks::{read_folder, write_folder};

fn tsbench(args: &[&str], at: &Path) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_tsbench")).args(args).current_dir(at).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{args:?}: {said}");
    said
}

/// A folder of suites with some tasks of `demo` as the suite `mine`.
fn suite(dir: &Path, ids: &[&str], more: &str) -> PathBuf {
    let mine = dir.join("tasks/mine");
    for id in ids {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo").join(id);
        write_folder(&mine.join(id), &read_folder(&from).unwrap()).unwrap();
    }
    std::fs::write(mine.join("suite.toml"), format!("id = \"mine\"\nversion = \"2.0\"\ntitle = \"Mine\"\n{more}"))
        .unwrap();
    mine
}

fn rows(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn export(dir: &Path) -> (Vec<Value>, String) {
    let args = ["tasks", "export", "--format", "swe-bench", "--suite", "mine", "--out", "rows.jsonl"];
    let said = tsbench(&[&args[..], &["--write-mirrors", "mirrors"]].concat(), dir);
    (rows(&dir.join("rows.jsonl")), said)
}

fn names(row: &Value, key: &str) -> Vec<String> {
    serde_json::from_str(row[key].as_str().unwrap()).unwrap()
}

/// Changes a task's description.
fn edit(mine: &Path, id: &str, from: &str, to: &str) {
    let path = mine.join(id).join("task.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn a_row_has_what_the_harness_of_swe_bench_makes_a_test_spec_of() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path(), &["py-opening-hours", "go-job-queue", "java-money-split", "ts-ttl-cache"], "");
    let (rows, said) = export(dir.path());
    assert_eq!(rows.len(), 4);
    for row in &rows {
        for key in ["image", "eval_script", "log_parser", "eval_type", "version", "repo", "dockerfile"] {
            assert!(row[key].as_str().is_some_and(|v| !v.is_empty()), "{key} of {}", row["instance_id"]);
        }
        assert_eq!(row["eval_type"], "pass_and_fail");
        let script = row["eval_script"].as_str().unwrap();
        let marks = [">>>>> Start Test Output", ">>>>> End Test Output"].map(|m| script.find(m).unwrap());
        assert!(marks[0] < marks[1]);
        let checked = Command::new("bash").args(["-n", "-c", script]).output().unwrap();
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
    // What the harness cannot read is told, by language; the image and what it leaves unprotected too.
    for loss in ["of java", "of typescript", "the image is published nowhere", "protected paths"] {
        assert!(said.lines().any(|l| l.starts_with("loss:") && l.contains(loss)), "{loss}: {said}");
    }
    assert!(!said.contains("of python") && !said.contains("of go"), "{said}");
}

#[test]
fn names_of_go_are_those_of_its_parser_and_come_back_as_ours() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path(), &["go-job-queue"], "");
    let (rows, _) = export(dir.path());
    assert_eq!(rows[0]["log_parser"], "parse_log_gotest");
    let targets = names(&rows[0], "FAIL_TO_PASS");
    assert!(targets.contains(&"TestJobsThatAreDoneAreGone/move".to_owned()), "{targets:?}");
    assert!(targets.iter().all(|t| !t.contains("::")), "{targets:?}");
    let said = tsbench(
        &["tasks", "import", "--format", "swe-bench", "--from", "rows.jsonl", "--suite", "again", "--tasks", "back"],
        dir.path(),
    );
    assert!(!["image", "dockerfile", "eval_script", "log_parser"].iter().any(|c| said.contains(c)), "{said}");
    let read = |path: &str| -> toml::Table {
        toml::from_str(&std::fs::read_to_string(dir.path().join(path)).unwrap()).unwrap()
    };
    let (ours, back) = (read("tasks/mine/go-job-queue/task.toml"), read("back/again/go-job-queue/task.toml"));
    for key in ["targets", "guards"] {
        assert_eq!(ours[key], back[key], "{key}");
    }
}

#[test]
fn two_packages_with_a_test_of_one_name_are_a_loss_that_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mine = suite(dir.path(), &["go-job-queue"], "");
    edit(&mine, "go-job-queue", "guards = [", "guards = [\n    \"other::TestMoveAmongOthers\",");
    let (_, said) = export(dir.path());
    assert!(said.contains("in several packages") && said.contains("TestMoveAmongOthers"), "{said}");
}

#[test]
fn names_of_python_that_the_parser_reads_otherwise_stand_in_the_row_as_it_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    let mine = suite(dir.path(), &["py-opening-hours"], "");
    let odd = "tests/test_hours.py::test_text_that_makes_no_sense[Mo  10:00 ]";
    edit(&mine, "py-opening-hours", "tests/test_hours.py::test_text_that_makes_no_sense[Mo 25:00-26:00]", odd);
    let (rows, said) = export(dir.path());
    assert_eq!(rows[0]["log_parser"], "parse_log_pytest_v2");
    let guards = names(&rows[0], "PASS_TO_PASS");
    assert!(guards.contains(&"tests/test_hours.py::test_text_that_makes_no_sense[Mo 10:00 ]".to_owned()), "{guards:?}");
    assert!(guards.contains(&"tests/test_hours.py::test_text_that_makes_no_sense[Mo 10:00]".to_owned()), "{guards:?}");
    assert!(rows[0]["tsbench"].as_str().unwrap().contains("[Mo  10:00 ]"));
    assert!(!said.contains("takes for one"), "{said}");
}

#[test]
fn rows_that_came_from_elsewhere_go_out_without_columns_of_ours() {
    let dir = tempfile::tempdir().unwrap();
    suite(dir.path(), &["py-opening-hours"], "");
    let (mut all, _) = export(dir.path());
    let row = all[0].as_object_mut().unwrap();
    for key in ["tsbench", "image", "dockerfile", "eval_script", "log_parser", "eval_type"] {
        row.remove(key);
    }
    let theirs = format!("{}\n", all[0]);
    std::fs::write(dir.path().join("theirs.jsonl"), &theirs).unwrap();
    let import = ["tasks", "import", "--format", "swe-bench", "--from", "theirs.jsonl", "--suite", "taken"];
    tsbench(&[&import[..], &["--tasks", "back"]].concat(), dir.path());
    let export =
        ["tasks", "export", "--format", "swe-bench", "--suite", "taken", "--tasks", "back", "--out", "out.jsonl"];
    tsbench(&export, dir.path());
    assert_eq!(rows(&dir.path().join("out.jsonl")), all);
}

fn card(dir: &Path, more: &str) -> (String, String) {
    suite(dir, &["py-opening-hours"], more);
    let said = tsbench(&["tasks", "export", "--suite", "mine", "--out", "datasets"], dir);
    (std::fs::read_to_string(dir.join("datasets/mine-2.0/README.md")).unwrap(), said)
}

#[test]
fn a_card_states_licence_language_and_kind_and_an_unknown_licence_is_a_loss() {
    let dir = tempfile::tempdir().unwrap();
    let (text, said) = card(dir.path(), "licence = \"MIT\"\n");
    let head = text.split("---").nth(1).unwrap();
    for line in ["license: mit", "language:\n- code", "task_categories:\n- text-generation"] {
        assert!(head.contains(line), "{line}: {head}");
    }
    assert!(!said.contains("licence"), "{said}");
    let dir = tempfile::tempdir().unwrap();
    let (text, said) = card(dir.path(), "");
    assert!(text.contains("\nlicense: unknown\n"), "{text}");
    assert!(said.contains("loss: the licence is unknown"), "{said}");
    let dir = tempfile::tempdir().unwrap();
    let (text, _) = card(dir.path(), "licence = \"LicenseRef-Ours\"\n");
    assert!(text.contains("license: other\nlicense_name: \"LicenseRef-Ours\"\n"), "{text}");
}

#[test]
fn the_terms_beside_a_suite_go_with_its_dataset_and_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let mine = suite(dir.path(), &["py-opening-hours"], "licence = \"MIT\"\n");
    std::fs::write(mine.join("LICENSE"), "the terms\n").unwrap();
    let said = tsbench(&["tasks", "export", "--suite", "mine", "--out", "datasets"], dir.path());
    assert!(!said.contains("LICENSE"), "{said}");
    tsbench(&["tasks", "import", "--dataset", "datasets/mine-2.0", "--tasks", "back"], dir.path());
    for name in ["LICENSE", "suite.toml"] {
        let read = |root: &str| std::fs::read(dir.path().join(root).join("mine").join(name)).unwrap();
        assert_eq!(read("tasks"), read("back"), "{name}");
    }
}

#[test]
fn a_set_of_thinkbench_keeps_its_terms_and_gives_them_out_again() {
    let dir = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/exchange/thinkbench");
    let set = dir.path().join("set");
    write_folder(&set, &read_folder(&from).unwrap()).unwrap();
    let slugs: Vec<String> = std::fs::read_dir(set.join("tasks"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|slug| set.join("tasks").join(slug).join("grade.py").is_file())
        .collect();
    std::fs::write(set.join("LICENSE"), "of the set\n").unwrap();
    std::fs::write(set.join("tasks").join(&slugs[0]).join("NOTICE.txt"), "of the task\n").unwrap();
    let args = ["tasks", "import", "--format", "thinkbench", "--from", "set", "--suite", "taken", "--sandbox", "local"];
    let out = Command::new(env!("CARGO_BIN_EXE_tsbench")).args(args).current_dir(dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code().is_some_and(|c| c < 2), "{said}");
    let task = dir.path().join("tasks/taken").join(&slugs[0]);
    assert_eq!(std::fs::read_to_string(task.join("LICENSE")).unwrap(), "of the set\n");
    assert_eq!(std::fs::read_to_string(task.join("NOTICE.txt")).unwrap(), "of the task\n");
    let origin: Value = serde_json::from_slice(&std::fs::read(task.join("origin.json")).unwrap()).unwrap();
    assert_eq!(origin["licence"]["of_set"][0], "LICENSE");
    assert_eq!(origin["licence"]["of_task"][0], "NOTICE.txt");
    tsbench(&["tasks", "check", "--suite", "taken"], dir.path());
    tsbench(&["tasks", "export", "--format", "thinkbench", "--suite", "taken", "--out", "out"], dir.path());
    let again = |path: &str| std::fs::read_to_string(dir.path().join("out").join(path)).unwrap();
    assert_eq!(again("LICENSE"), "of the set\n");
    assert_eq!(again(&format!("tasks/{}/NOTICE.txt", slugs[0])), "of the task\n");
}
