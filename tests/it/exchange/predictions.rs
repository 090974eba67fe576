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
    if std::process::Command::new("go").arg("version").output().is_err() {
        eprintln!("\nSKIPPED: no Go: 1 test (predictions_are_scored_one_by_one_and_never_twice)\n");
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
