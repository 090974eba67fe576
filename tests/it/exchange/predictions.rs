//! Predictions in every form, and the report of a run as SWE-bench has it.

use super::world::{fixture, said, tsbench};
use serde_json::{Value, json};
use std::path::Path;
use tsbench::results::{Prediction, PredictionForm, Scored, predictions_text, read_predictions, swe_bench_report};
use tsbench::schema::{Failure, Outcome};

#[test]
fn every_form_says_the_same() {
    for (file, model) in [
        ("preds-map.json", "maker/model"),
        ("preds-list.json", "maker/model"),
        ("preds.jsonl", "maker/model"),
        ("preds-no-ids.json", ""),
        ("preds-pro.json", "model"),
        ("preds-multi.jsonl", ""),
        ("preds-openhands.jsonl", ""),
    ] {
        let found = read_predictions(&fixture(file)).unwrap();
        let [one, two] = found.list.as_slice() else { panic!("{file}: {found:?}") };
        assert_eq!(
            (one.instance_id.as_str(), two.instance_id.as_str()),
            ("tsbench-fixture__calc-7", "tsbench-fixture__calc-8")
        );
        assert_eq!((one.model.as_str(), two.model.as_str()), (model, model), "{file}");
        assert!(one.patch.starts_with("diff --git ") && one.patch.ends_with('\n'), "{file}");
        assert_eq!(two.patch, "", "{file}");
        assert_eq!(
            found.notes.iter().filter(|n| n.contains("names no model")).count(),
            if model.is_empty() { 2 } else { 0 }
        );
    }
}

#[test]
fn what_is_written_is_read_back_in_every_form() {
    let dir = tempfile::tempdir().unwrap();
    let patch = "diff --git a/x b/x\r\n--- a/x\n+\u{7}ü\n".to_owned();
    let list: Vec<Prediction> = [("a-1", patch), ("b-2", String::new())]
        .map(|(id, patch)| Prediction { instance_id: id.into(), model: "m/x".into(), patch })
        .into();
    for (form, name) in
        [(PredictionForm::Map, "a.json"), (PredictionForm::List, "b.json"), (PredictionForm::Lines, "c.jsonl")]
    {
        let path = dir.path().join(name);
        std::fs::write(&path, predictions_text(&list, form)).unwrap();
        assert_eq!(read_predictions(&path).unwrap().list, list, "{form:?}");
        std::fs::write(&path, predictions_text(&list[..1], form)).unwrap();
        assert_eq!(read_predictions(&path).unwrap().list, list[..1], "{form:?}");
    }
}

#[test]
fn a_file_that_holds_no_predictions_is_refused_with_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.jsonl");
    for (text, what) in [
        ("3", "neither a map nor a list"),
        ("[{\"model_patch\": \"x\"}]", "entry 1: instance_id is missing"),
        ("{\"a\": {\"model_patch\": 3}}", "\"a\": model_patch is no text"),
        ("{\"a\": {}}", "\"a\": there is no model_patch"),
        ("{\"instance_id\": \"a\", \"model_patch\": \"\"}\n{", "line 2: "),
        ("{\"model_name_or_path\": \"m\", \"model_patch\": \"x\"}\n", "entry 1: instance_id is missing"),
        ("{\"instance_id\": 5, \"model_patch\": \"x\"}\n", "instance_id is no text"),
        (
            "[{\"instance_id\": \"a\", \"model_name_or_path\": 5, \"model_patch\": \"x\"}]",
            "model_name_or_path is no text",
        ),
        ("\u{feff}{\"instance_id\": \"a\", \"model_patch\": \"x\"}\n", "line 1: it starts with a byte-order mark"),
    ] {
        std::fs::write(&path, text).unwrap();
        let said = read_predictions(&path).unwrap_err().to_string();
        assert!(said.contains(what) && said.contains("hint: "), "{text}: {said}");
    }
    std::fs::write(
        &path,
        "[{\"instance_id\": \"a\", \"model_patch\": \"1\"}, {\"instance_id\": \"a\", \"model_patch\": \"2\"}]",
    )
    .unwrap();
    let found = read_predictions(&path).unwrap();
    assert_eq!((found.list.len(), found.list[0].patch.as_str()), (1, "2"));
    assert!(found.notes.iter().any(|n| n.contains("stands twice")));
    std::fs::write(&path, b"{\"instance_id\": \"a\", \"model_patch\": \"\"}\n\xff\n").unwrap();
    assert!(read_predictions(&path).unwrap_err().to_string().contains("line 2: it is not UTF-8 from byte 1"));
}

#[test]
fn what_is_read_otherwise_than_it_stands_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("p.json");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_predictions(&path).unwrap()
    };
    let found = read("{\"a\": {\"model_patch\": \"1\"}, \"a\": {\"model_patch\": \"2\"}}");
    assert_eq!((found.list.len(), found.list[0].patch.as_str()), (1, "2"));
    assert!(found.notes.iter().any(|n| n == "\"a\" stands twice: the last one counts"), "{:?}", found.notes);
    let two = |m: &str| json!({"instance_id": m, "model_name_or_path": m, "model_patch": ""});
    let found = read(&json!([two("x"), two("y")]).to_string());
    assert!(
        found.notes.iter().any(|n| n.contains("predictions of 2 models") && n.contains("x, y")),
        "{:?}",
        found.notes
    );
    let hands =
        json!({"instance_id": "a", "test_result": {"git_patch": "d"}, "metadata": {"llm_config": {"model": "m/x"}}});
    let found = read(&hands.to_string());
    assert_eq!((found.list[0].model.as_str(), found.notes.len()), ("m/x", 0));
}

#[test]
fn a_file_that_is_not_ours_is_never_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let list = [("py-opening-hours", "")];
    let (preds, out) = (dir.path().join("preds.jsonl"), dir.path().join("x.jsonl"));
    let refused = |more: &[&str]| said(&mut score(dir.path(), &list, more), 2);
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    std::fs::write(&out, "precious, and no newline").unwrap();
    assert!(refused(&["--out", out.to_str().unwrap()]).contains("it is no line of scored predictions"));
    assert_eq!(text(&out), "precious, and no newline");
    let told = refused(&["--out", preds.to_str().unwrap()]);
    assert!(told.contains("--out and --predictions are one file"), "{told}");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("preds.jsonl", &link).unwrap();
    assert!(refused(&["--report", link.to_str().unwrap()]).contains("--report and --predictions are one file"));
    assert!(text(&preds).contains("py-opening-hours"));
    // The report that lies beside the lines by itself is looked at too.
    std::fs::write(dir.path().join("y.report.json"), "{\"mine\": 1}").unwrap();
    let told = refused(&["--out", dir.path().join("y.jsonl").to_str().unwrap()]);
    assert!(told.contains("what is there is no report of ours"), "{told}");
    assert_eq!(text(&dir.path().join("y.report.json")), "{\"mine\": 1}");
    let report = dir.path().join("r.json");
    for _ in 0..2 {
        said(&mut score(dir.path(), &list, &["--report", report.to_str().unwrap()]), 0);
    }
    assert!(text(&report).contains("\"schema_version\": 2"));
}

#[test]
fn a_report_puts_each_instance_into_one_set() {
    let one = |id: &str, outcome, class: &str| Scored {
        instance_id: id.into(),
        outcome,
        error: (!class.is_empty()).then(|| Failure { class: class.into(), message: String::new() }),
    };
    let scored = [
        one("fixed", Outcome::Resolved, ""),
        one("not", Outcome::Unresolved, ""),
        one("refused", Outcome::PatchFailed, "patch_failed"),
        one("none", Outcome::NoPatch, ""),
        one("slow", Outcome::TimedOut, "tests_timed_out"),
        one("untested", Outcome::Unresolved, "no_tests"),
        one("memory", Outcome::Unresolved, "out_of_memory"),
        one("ours", Outcome::InfraError, "sandbox"),
    ];
    let ids: Vec<String> = scored.iter().map(|s| s.instance_id.clone()).collect();
    let all: Vec<String> = ids.iter().cloned().chain(["never".into()]).collect();
    let submitted: Vec<String> = ids.iter().cloned().chain(["lost".into()]).collect();
    let report = swe_bench_report(&all, &submitted, &scored);
    for (key, want) in [
        ("resolved_ids", json!(["fixed"])),
        ("unresolved_ids", json!(["not"])),
        ("error_ids", json!(["lost", "refused"])),
        ("empty_patch_ids", json!(["none"])),
        ("ambiguous_failure_ids", json!(["slow", "untested"])),
        ("infra_failure_ids", json!(["memory", "ours"])),
        ("incomplete_ids", json!(["never"])),
        ("completed_ids", json!(["fixed", "memory", "not", "ours", "slow", "untested"])),
        ("schema_version", json!(2)),
        ("total_instances", json!(9)),
        ("submitted_instances", json!(9)),
    ] {
        assert_eq!(report[key], want, "{key}");
    }
    assert_eq!(report["failure_reasons"]["untested"], "no_tests_collected");
    assert_eq!(report["failure_reasons"]["memory"], "out_of_memory");
    for (key, value) in
        report.as_object().unwrap().iter().filter(|(k, _)| k.ends_with("_instances") && *k != "total_instances")
    {
        let ids = &report[key.replace("_instances", "_ids")];
        assert_eq!(value.as_u64().unwrap() as usize, ids.as_array().unwrap().len(), "{key}");
    }
}

fn score(dir: &Path, list: &[(&str, &str)], more: &[&str]) -> assert_cmd::Command {
    let rows: String = list
        .iter()
        .map(|(id, patch)| format!("{}\n", json!({"instance_id": id, "model_name_or_path": "m", "model_patch": patch})))
        .collect();
    std::fs::write(dir.join("preds.jsonl"), rows).unwrap();
    let mut command = tsbench();
    command.args(["score", "--sandbox", "local", "--suite", "demo"]).arg("--cache").arg(dir.join("cache"));
    command.arg("--predictions").arg(dir.join("preds.jsonl")).args(more);
    command
}

#[test]
fn unknown_instances_end_the_run_before_it_begins_unless_they_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let list = [("py-opening-hours", ""), ("nowhere-1", "diff")];
    let told = said(&mut score(dir.path(), &list, &[]), 2);
    assert!(told.contains("no task is named \"nowhere-1\"") && told.contains("--skip-unknown"), "{told}");
    let told = said(&mut score(dir.path(), &list, &["--skip-unknown"]), 0);
    assert!(told.contains("left out, since no task has that name: \"nowhere-1\""), "{told}");
}

#[test]
fn predictions_are_scored_one_by_one_and_never_twice() {
    if !crate::needs::program("go") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let task = super::world::demo().join("demo/go-job-queue");
    let gold = std::fs::read_to_string(task.join("solution.patch")).unwrap();
    let list =
        [("go-job-queue", gold.as_str()), ("go-text-columns", "diff --git a/x b/x\nnonsense\n"), ("ts-ttl-cache", "")];
    let (out, report) = (dir.path().join("scored.jsonl"), dir.path().join("scored.report.json"));
    let run = |list: &[(&str, &str)]| {
        let mut command = score(dir.path(), list, &["--quiet"]);
        let done = command.arg("--out").arg(&out).assert().success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let first = run(&list);
    assert_eq!(first, "go-job-queue\tresolved\ngo-text-columns\tpatch_failed\tpatch_failed\nts-ttl-cache\tno_patch\n");
    let found: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!(found["resolved_ids"], json!(["go-job-queue"]));
    assert_eq!(found["error_ids"], json!(["go-text-columns"]));
    assert_eq!(found["empty_patch_ids"], json!(["ts-ttl-cache"]));
    assert_eq!((found["total_instances"].as_u64(), found["submitted_instances"].as_u64()), (Some(8), Some(3)));
    // A line that was cut off in the middle is scored again, the others are kept.
    let lines = std::fs::read_to_string(&out).unwrap();
    assert_eq!(lines.lines().count(), 3);
    std::fs::write(&out, &lines[..lines.len() - 40]).unwrap();
    let again = run(&list);
    assert_eq!(again.matches("\tkept\n").count(), 2, "{again}");
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 3);
    // Another patch is another prediction.
    let changed = run(&[("go-job-queue", "")]);
    assert_eq!(changed, "go-job-queue\tno_patch\n");
}

#[test]
fn the_script_that_reads_reports_says_what_is_no_report() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.json");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/read-report");
    for (text, what) in [
        (None, "No such file"),
        (Some("no json"), "Expecting value"),
        (Some("[]"), "there is no schema_version"),
        (Some("{\"a\": 1}"), "there is no schema_version"),
        (Some("\u{feff}{}"), "BOM"),
    ] {
        text.iter().for_each(|text| std::fs::write(&file, text).unwrap());
        let done = std::process::Command::new("python3").arg(&script).arg(&file).output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{told}");
        assert!(told.contains(what) && told.contains("hint: ") && !told.contains("Traceback"), "{told}");
    }
}
