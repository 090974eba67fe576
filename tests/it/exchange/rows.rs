//! Rows of other benchmarks become tasks, and come out again as they came in.

use super::world::{demo, fixture, said, set, tsbench};
use serde_json::Value;
use std::path::Path;
use tsbench::git::Store;
use tsbench::tasks::{Material, Task, load, read_folder};

const FORMATS: [&str; 4] = ["swe-bench", "swe-bench-live", "swe-bench-pro", "multi-swe-bench"];

fn values(path: &Path) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The repository that the fixtures' rows are about, as a mirror.
fn mirror(dir: &Path) {
    let store = Store::new().unwrap();
    let tree = store.write_files(&read_folder(&fixture("tree")).unwrap()).unwrap();
    let (commit, _) = store.publish(&tree, &dir.join("tsbench-fixture__calc.git")).unwrap();
    assert_eq!(values(&fixture("swe-bench.jsonl"))[0]["base_commit"], commit.as_str());
}

fn import(format: &str, from: &Path, dir: &Path, code: i32) -> String {
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", format, "--suite", "taken"]).arg("--from").arg(from);
    command.arg("--tasks").arg(dir.join("tasks")).arg("--mirrors").arg(dir.join("mirrors"));
    said(&mut command, code)
}

fn tasks(dir: &Path) -> Vec<Task> {
    load(&dir.join("tasks")).unwrap().remove(0).tasks
}

#[test]
fn rows_of_every_format_come_out_as_they_came_in() {
    for format in FORMATS {
        let dir = tempfile::tempdir().unwrap();
        mirror(&dir.path().join("mirrors"));
        let from = fixture(&format!("{format}.jsonl"));
        import(format, &from, dir.path(), 0);
        let out = dir.path().join("out.jsonl");
        let mut command = tsbench();
        command.args(["tasks", "export", "--format", format, "--suite", "taken"]).arg("--out").arg(&out);
        command.arg("--tasks").arg(dir.path().join("tasks")).arg("--mirrors").arg(dir.path().join("mirrors"));
        command.assert().success();
        assert_eq!(values(&out), values(&from), "{format}");
    }
}

#[test]
fn a_row_becomes_a_task_that_has_nothing_wrong_with_it() {
    for format in FORMATS {
        let dir = tempfile::tempdir().unwrap();
        mirror(&dir.path().join("mirrors"));
        import(format, &fixture(&format!("{format}.jsonl")), dir.path(), 0);
        let task = &tasks(dir.path())[0];
        let names = ["nothing", "it's nothing", "blank"].map(|n| format!("tests/test_calc.py::test_blank[{n}]"));
        let mut targets = task.spec.targets.clone();
        targets.sort();
        let mut want: Vec<String> =
            names.into_iter().chain(["tests/test_calc.py::test_trailing_plus".into()]).collect();
        want.sort();
        assert_eq!(targets, want, "{format}");
        assert_eq!(task.spec.guards, ["tests/test_calc.py::test_add[1+2-3]", "tests/test_calc.py::test_add[4-4]"]);
        assert_eq!((task.spec.language.as_str(), task.spec.title.as_str()), ("python", "Blank parts break `add`"));
        let found = tsbench::tasks::check(task, &dir.path().join("mirrors"));
        assert_eq!(found, [""; 0], "{format}");
        let material = Material::prepare(task, &dir.path().join("mirrors")).unwrap();
        assert_eq!(material.hidden.files.keys().collect::<Vec<_>>(), ["tests/test_calc.py"]);
    }
}

#[test]
fn what_has_no_place_in_a_task_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let told = import("swe-bench", &fixture("swe-bench.jsonl"), dir.path(), 0);
    for what in [
        "hints_text decides nothing here; origin.json keeps it (tsbench-fixture__calc-8)",
        "eval_script decides nothing here",
        "image decides nothing here",
        "created_at stands for the day of the merge",
        "names of tests end within their parameters",
        "names of tests are not in the form file::name",
        "hint: the trees are in tsbench-fixture/calc",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    assert!(!told.contains("hints_text decides nothing here; origin.json keeps it (tsbench-fixture__calc-7"), "{told}");
    let days: Vec<Option<String>> = tasks(dir.path()).iter().map(|t| t.spec.merged_at().map(str::to_owned)).collect();
    assert_eq!(days, [Some("2024-03-05".into()), Some("2024-03-06".into())]);
}

#[test]
fn a_row_that_no_task_can_be_made_of_is_named_with_its_reason_and_the_others_are_taken() {
    let good = values(&fixture("swe-bench.jsonl")).remove(0);
    let with = |key: &str, value: Value| {
        let mut row = good.clone();
        row["instance_id"] = format!("bad-{key}").into();
        row[key] = value;
        row
    };
    let twice = good.clone();
    let rows = [
        good.clone(),
        twice,
        with("base_commit", "HEAD; rm -rf /".into()),
        with("repo", "../../etc".into()),
        with("FAIL_TO_PASS", "__import__('os').system('id')".into()),
        with("FAIL_TO_PASS", "[]".into()),
        with("patch", Value::Null),
        with("problem_statement", " ".into()),
        with("language", "cobol".into()),
        with("instance_id", "../up".into()),
    ];
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rows.json");
    std::fs::write(&file, Value::from(rows.to_vec()).to_string()).unwrap();
    let told = import("swe-bench", &file, dir.path(), 1);
    for what in [
        "tsbench-fixture__calc-7: the id stands twice",
        "bad-base_commit: base_commit \"HEAD; rm -rf /\" is no commit",
        "bad-repo: repo \"../../etc\" is not owner/name",
        "bad-FAIL_TO_PASS: FAIL_TO_PASS is no list of names",
        "bad-FAIL_TO_PASS: it names no test",
        "bad-patch: patch is no text",
        "bad-problem_statement: it has no statement",
        "bad-language: there is no runner for the language \"cobol\"",
        "../up: the id is no folder's name",
        "1 task taken in, 9 not",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    assert_eq!(tasks(dir.path()).len(), 1);
    let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn tasks_with_trees_of_their_own_leave_as_rows_and_commits_and_come_back_the_same() {
    for format in FORMATS {
        let dir = tempfile::tempdir().unwrap();
        let (rows, mirrors) = (dir.path().join("demo.jsonl"), dir.path().join("mirrors"));
        let mut command = tsbench();
        command.args(["tasks", "export", "--format", format, "--suite", "demo"]).arg("--out").arg(&rows);
        let told = said(command.arg("--write-mirrors").arg(&mirrors), 0);
        assert!(
            told.contains("loss: left out: it is judged by checks, and a row names tests (py-version-ranges)"),
            "{told}"
        );
        assert!(told.contains(&format!("loss: alternates/ has no place in {format} (py-opening-hours)")), "{told}");
        let mut ids = Vec::new();
        values(&rows).iter().for_each(|row| ids.push(row["instance_id"].as_str().unwrap().to_owned()));
        assert_eq!(ids.len(), 7);
        import(format, &rows, dir.path(), 0);
        let before = load(&demo()).unwrap().into_iter().find(|s| s.suite.id == "demo").unwrap().tasks;
        for task in tasks(dir.path()) {
            assert!(ids.contains(&task.spec.id));
            let id = &task.spec.id;
            let old = before.iter().find(|t| t.spec.id == *id).unwrap();
            let (a, b) = (Material::prepare(old, &mirrors).unwrap(), Material::prepare(&task, &mirrors).unwrap());
            assert_eq!((&a.start, &a.solution, &a.hidden), (&b.start, &b.solution, &b.hidden), "{format} {id}");
            let kept = |t: &Task| {
                (t.spec.title.clone(), t.spec.package.clone(), t.spec.difficulty.clone(), t.spec.use_cases.clone())
            };
            assert_eq!(kept(old), kept(&task), "{format} {id}");
            let sorted = |list: &[String]| {
                let mut list = list.to_vec();
                list.sort();
                list
            };
            assert_eq!(sorted(&old.spec.targets), sorted(&task.spec.targets), "{format} {id}");
            assert_eq!(sorted(&old.spec.guards), sorted(&task.spec.guards), "{format} {id}");
        }
    }
}

#[test]
fn rows_are_read_from_tables_too() {
    let dir = tempfile::tempdir().unwrap();
    tsbench().args(["tasks", "export", "--suite", "demo"]).arg("--out").arg(dir.path()).assert().success();
    let (rows, mirrors) = (dir.path().join("rows.jsonl"), dir.path().join("mirrors"));
    let mut command = tsbench();
    command.args(["tasks", "export", "--format", "swe-bench", "--suite", "demo"]).arg("--out").arg(&rows);
    said(command.arg("--write-mirrors").arg(mirrors), 0);
    // The table has the columns of SWE-bench, and lists that are lists. Without a commit its rows are no instances.
    let told = import("swe-bench", &set(dir.path()).join("tasks.parquet"), dir.path(), 1);
    assert_eq!(told.matches("not taken in: ").count(), 8, "{told}");
    assert!(told.contains("go-job-queue: base_commit \"\" is no commit"), "{told}");
}

#[test]
fn what_swe_bench_pro_tells_agents_is_told_and_goes_back_to_its_columns() {
    let mut row = values(&fixture("swe-bench-pro.jsonl")).remove(0);
    row["requirements"] = "- `add` must take blanks.".into();
    row["interface"] = "Name: add".into();
    let dir = tempfile::tempdir().unwrap();
    mirror(&dir.path().join("mirrors"));
    let (file, out) = (dir.path().join("rows.jsonl"), dir.path().join("out.jsonl"));
    std::fs::write(&file, format!("{row}\n")).unwrap();
    let told = import("swe-bench-pro", &file, dir.path(), 0);
    assert!(!told.contains("requirements") && !told.contains("interface"), "{told}");
    let problem = &tasks(dir.path())[0].problem;
    let end = "\n\nRequirements:\n- `add` must take blanks.\n\nNew interfaces introduced:\nName: add";
    assert!(problem.ends_with(end), "{problem}");
    let mut command = tsbench();
    command.args(["tasks", "export", "--format", "swe-bench-pro", "--suite", "taken"]).arg("--out").arg(&out);
    command.arg("--tasks").arg(dir.path().join("tasks")).arg("--mirrors").arg(dir.path().join("mirrors"));
    command.assert().success();
    assert_eq!(values(&out), [row]);
}

#[test]
fn files_that_hold_no_rows_say_what_they_are() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rows.jsonl");
    for (bytes, what) in [
        (&b""[..], "there is no row in it"),
        (b"[]", "there is no row in it"),
        (b"\xef\xbb\xbf{}\n", "line 1: it starts with a byte-order mark"),
        (b"{}\n{\"a\": \"\xff\"}\n", "line 2: it is not UTF-8 from byte 8 of the line on"),
        (b"PAR1 and no more", "no whole one"),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let told = import("swe-bench", &file, dir.path(), 2);
        assert!(told.contains(what) && told.contains("hint: ") && !told.contains("failed to write"), "{told}");
        assert!(!dir.path().join("tasks/taken").exists());
    }
    assert!(import("swe-bench", &dir.path().join("nope"), dir.path(), 2).contains("there is no file or folder"));
}

#[test]
fn rows_that_are_not_taken_in_have_no_losses_and_make_no_suite() {
    let mut row = values(&fixture("swe-bench.jsonl")).remove(1);
    row["instance_id"] = "../up".into();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("rows.json");
    std::fs::write(&file, row.to_string()).unwrap();
    let told = import("swe-bench", &file, dir.path(), 1);
    assert!(!told.contains("loss: ") && told.contains("0 tasks taken in, 1 not"), "{told}");
    assert!(!dir.path().join("tasks/taken").exists());
}
