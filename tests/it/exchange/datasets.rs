//! A suite leaves as a dataset and comes back as it was.

use super::world::{copy, demo, digests, set, tsbench, version};
use serde_json::Value;
use std::path::Path;

/// A change of a row on its way.
type Change = fn(&mut Value);

#[test]
fn a_dataset_comes_back_with_every_digest_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    tsbench()
        .args(["tasks", "export", "--suite", "demo", "--version", &version()])
        .arg("--out")
        .arg(&out)
        .assert()
        .success();
    let tasks = dir.path().join("tasks");
    let import = || {
        let mut command = tsbench();
        command.args(["tasks", "import"]).arg("--dataset").arg(set(&out)).arg("--tasks").arg(&tasks);
        command.assert()
    };
    import().success();
    let (there, back) = (digests(&demo()), digests(&tasks));
    assert_eq!(there.len(), 8);
    assert_eq!(there, back);
    assert_eq!(
        std::fs::read(demo().join("demo/suite.toml")).unwrap(),
        std::fs::read(tasks.join("demo/suite.toml")).unwrap()
    );
    let again = String::from_utf8(import().code(2).get_output().stderr.clone()).unwrap();
    assert!(again.contains("it exists already"), "{again}");
}

#[test]
fn a_version_that_is_there_is_never_written_again_and_another_than_the_suites_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let export = |version: &str| {
        let mut command = tsbench();
        command.args(["tasks", "export", "--suite", "demo", "--version", version]).arg("--out").arg(dir.path());
        command.assert()
    };
    export(&version()).success();
    let before = std::fs::read(set(dir.path()).join("dataset.json")).unwrap();
    let said = String::from_utf8(export(&version()).code(2).get_output().stderr.clone()).unwrap();
    assert!(said.contains("exists already") && said.contains("hint: "), "{said}");
    assert_eq!(std::fs::read(set(dir.path()).join("dataset.json")).unwrap(), before);
    let said = String::from_utf8(export("99.0").code(2).get_output().stderr.clone()).unwrap();
    assert!(said.contains(&format!("the suite's version is {}", version())), "{said}");
}

#[test]
fn the_same_suite_gives_the_same_bytes() {
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let all = dirs.each_ref().map(|dir| {
        tsbench().args(["tasks", "export", "--suite", "demo"]).arg("--out").arg(dir.path()).assert().success();
        tsbench::tasks::read_folder(&set(dir.path())).unwrap()
    });
    assert_eq!(
        all[0].keys().collect::<Vec<_>>(),
        ["README.md", "contamination.jsonl", "dataset.json", "tasks.jsonl", "tasks.parquet"]
    );
    assert!(all[0] == all[1], "a dataset depends on a time or a place");
}

#[test]
fn a_dataset_that_was_changed_on_the_way_is_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    tsbench().args(["tasks", "export", "--suite", "demo"]).arg("--out").arg(dir.path()).assert().success();
    let set = set(dir.path());
    let lines = std::fs::read_to_string(set.join("tasks.jsonl")).unwrap();
    let changes: [(&str, Change); 3] = [
        ("which is not the one of dataset.json", |_| ()),
        ("its files have the digest", |row| row["files"][0]["content"] = "changed".into()),
        ("would not stand below the folder", |row| {
            row["files"][0]["path"] = "../../x".into();
        }),
    ];
    for (said, change) in changes {
        let mut rows: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        change(&mut rows[0]);
        rows[0]["title"] = "another".into();
        let text: String = rows.iter().map(|r| format!("{r}\n")).collect();
        std::fs::write(set.join("tasks.jsonl"), &text).unwrap();
        if said != "which is not the one of dataset.json" {
            admit(&set, &text, said.contains("stand below"));
        }
        let tasks = dir.path().join("tasks");
        let mut command = tsbench();
        command.args(["tasks", "import"]).arg("--dataset").arg(&set).arg("--tasks").arg(&tasks);
        let found = String::from_utf8(command.assert().code(2).get_output().stderr.clone()).unwrap();
        assert!(found.contains(said), "{said}: {found}");
        assert!(!tasks.join("demo").exists());
    }
}

/// Makes the manifest agree with changed lines; with `deep`, the digest of the first row's files too.
fn admit(set: &Path, text: &str, deep: bool) {
    let path = set.join("dataset.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut text = text.to_owned();
    if deep {
        let mut rows: Vec<tsbench::exchange::Record> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let files = rows[0].files.iter().map(|f| {
            (f.path.clone(), (tsbench::git::Mode::from_word(&f.mode).unwrap(), f.content.clone().into_bytes()))
        });
        rows[0].files_sha256 = tsbench::exchange::files_sha256(&files.collect());
        manifest["tasks"][0]["files_sha256"] = rows[0].files_sha256.clone().into();
        text = rows.iter().map(|r| format!("{}\n", serde_json::to_string(r).unwrap())).collect();
        std::fs::write(set.join("tasks.jsonl"), &text).unwrap();
    }
    for file in manifest["files"].as_array_mut().unwrap() {
        if file["name"] == "tasks.jsonl" {
            file["bytes"] = text.len().into();
            file["sha256"] = tsbench::tasks::sha256(text.as_bytes()).into();
        }
    }
    std::fs::write(&path, manifest.to_string()).unwrap();
}

#[test]
fn each_task_has_a_label_for_each_model_and_none_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = dir.path().join("tasks");
    copy(&demo().join("demo"), &tasks.join("demo"));
    let commit = "a".repeat(40);
    // A task that a commit of a mirror belongs to; its day decides.
    let spec = tasks.join("demo/go-job-queue/task.toml");
    let store = tsbench::git::Store::new().unwrap();
    let tree = store.write_files(&tsbench::tasks::read_folder(&tasks.join("demo/go-job-queue/repo")).unwrap()).unwrap();
    let (made, _) = store.publish(&tree, &dir.path().join("mirrors/x__y.git")).unwrap();
    assert_ne!(made, commit);
    std::fs::remove_dir_all(tasks.join("demo/go-job-queue/repo")).unwrap();
    let text = std::fs::read_to_string(&spec).unwrap();
    let base = format!("\n[base]\nrepo = \"x/y\"\ncommit = \"{made}\"\nmerged_at = \"2024-07-01\"\n");
    std::fs::write(&spec, text + &base).unwrap();
    let models = dir.path().join("models.toml");
    let model = |id: &str, cutoff: &str| {
        format!(
            "[[models]]\nid = \"{id}\"\nname = \"{id}\"\nmaker = \"m\"\ntier = \"local\"\n{cutoff}dialect = \"ollama\"\nbase_url = \"http://127.0.0.1:1\"\n"
        )
    };
    let text = [
        model("old", "cutoff = \"2023-01-01\"\n"),
        model("near", "cutoff = \"2024-05-01\"\n"),
        model("new", "cutoff = \"2024-07-01\"\n"),
        model("untold", ""),
    ]
    .concat();
    std::fs::write(&models, text).unwrap();
    let mut command = tsbench();
    command.args(["tasks", "export", "--suite", "demo"]).arg("--tasks").arg(&tasks);
    command.arg("--mirrors").arg(dir.path().join("mirrors")).arg("--models-file").arg(&models);
    command.arg("--out").arg(dir.path()).assert().success();
    let text = std::fs::read_to_string(set(dir.path()).join("contamination.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 8);
    let labels = |task: &str| -> Vec<String> {
        let line = lines.iter().find(|l| l["instance_id"] == task).unwrap();
        line["models"].as_array().unwrap().iter().map(|m| m["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(labels("go-job-queue"), ["after", "margin", "before", "unknown"]);
    assert_eq!(labels("ts-ttl-cache"), ["unknown"; 4]);
}

/// Loads a dataset as its card says, then its lines, and prints what is in them.
const LOAD: &str = r#"
import json, sys
from datasets import load_dataset

table = load_dataset(sys.argv[1], split="test")
lines = load_dataset("json", data_files=sys.argv[1] + "/tasks.jsonl", split="train")
rows = [json.loads(line) for line in open(sys.argv[1] + "/tasks.jsonl", encoding="utf-8")]
print(len(table), ",".join(table.column_names))
print("lines", [dict(row) for row in lines] == rows)
print("table", [dict(row) for row in table] == rows)
"#;

#[test]
fn the_datasets_library_loads_table_and_lines_and_finds_the_same_rows() {
    let Some(python) = super::world::python_with("datasets==5.0.0") else { return };
    let dir = tempfile::tempdir().unwrap();
    tsbench().args(["tasks", "export", "--suite", "demo"]).arg("--out").arg(dir.path()).assert().success();
    let set = set(dir.path());
    let mut command = std::process::Command::new(python);
    command.args(["-c", LOAD]).arg(&set).env("HF_HOME", dir.path().join("hf")).env("HF_HUB_OFFLINE", "1");
    let done = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}{err}");
    let told: Vec<&str> = out.lines().collect();
    let [columns, lines, table] = told.as_slice() else { panic!("{out}") };
    assert!(columns.starts_with("8 instance_id,suite,title,") && columns.ends_with(",files_sha256,files"), "{out}");
    assert_eq!([*lines, *table], ["lines True", "table True"], "{out}{err}");
}

#[test]
fn a_dataset_that_contradicts_itself_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    tsbench().args(["tasks", "export", "--suite", "demo"]).arg("--out").arg(dir.path()).assert().success();
    let set = set(dir.path());
    let lines = std::fs::read_to_string(set.join("tasks.jsonl")).unwrap();
    let manifest = std::fs::read_to_string(set.join("dataset.json")).unwrap();
    let tasks = dir.path().join("tasks");
    let import = || {
        let mut command = tsbench();
        command.args(["tasks", "import"]).arg("--dataset").arg(&set).arg("--tasks").arg(&tasks);
        let told = String::from_utf8(command.assert().code(2).get_output().stderr.clone()).unwrap();
        assert!(!tasks.join("demo").exists(), "{told}");
        told
    };
    let columns = ["title", "patch", "test_patch", "repo", "suite", "problem_statement", "language", "merged_at"];
    for column in columns {
        let mut rows: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        rows[0][column] = "another".into();
        let text: String = rows.iter().map(|r| format!("{r}\n")).collect();
        std::fs::write(set.join("tasks.jsonl"), &text).unwrap();
        admit(&set, &text, false);
        let told = import();
        assert!(told.contains(&format!("has other files than these columns say: {column}")), "{column}: {told}");
    }
    std::fs::write(set.join("tasks.jsonl"), &lines).unwrap();
    for (key, value) in [("suite", "other"), ("version", "9")] {
        let mut changed: Value = serde_json::from_str(&manifest).unwrap();
        changed[key] = value.into();
        std::fs::write(set.join("dataset.json"), changed.to_string()).unwrap();
        let told = import();
        assert!(told.contains(&format!("{key} is \"{value}\", and suite_toml says")), "{told}");
    }
    std::fs::write(set.join("dataset.json"), &manifest).unwrap();
    std::fs::write(set.join("README.md"), "changed").unwrap();
    assert!(import().contains("README.md: has the digest"));
    std::fs::remove_file(set.join("tasks.parquet")).unwrap();
    let mut changed: Value = serde_json::from_str(&manifest).unwrap();
    changed["files"].as_array_mut().unwrap().retain(|f| f["name"] != "README.md");
    std::fs::write(set.join("dataset.json"), changed.to_string()).unwrap();
    assert!(import().contains("tasks.parquet: it is missing, and dataset.json lists it"));
    let mut command = tsbench();
    command.args(["tasks", "import", "--dataset", "nope"]).arg("--tasks").arg(&tasks);
    assert!(super::world::said(&mut command, 2).contains("find nope: there is no file or folder of that name"));
}
