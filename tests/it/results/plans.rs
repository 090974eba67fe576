use super::folder::{Folder, attempt, jsonl, line, plan};
use serde_json::{Value, json};
use tsbench::results::{Level, ResultsError, read, rewrite};
use tsbench::schema::{Attempt, Run};

fn plan_with(field: &str, value: Value) -> String {
    let mut plan = plan("r");
    match plan.pointer_mut(&format!("/{field}")) {
        Some(place) => *place = value,
        None => plan[field] = value,
    }
    plan.to_string()
}

fn faults(name: &str, text: impl AsRef<[u8]>) -> Vec<(Option<u64>, String, String)> {
    let folder = Folder::new();
    folder.put(&format!("r/{name}"), text);
    let faults = folder.read().faults;
    assert!(
        faults.iter().all(|f| f.file == format!("results/r/{name}") && !f.hint.is_empty() && f.level == Level::Error),
        "{faults:#?}"
    );
    faults.into_iter().map(|f| (f.line, f.field.unwrap_or_default(), f.what)).collect()
}

#[test]
fn a_good_plan_without_attempts_is_a_run_without_rows() {
    let folder = Folder::new();
    folder.put("r/run.json", plan("r").to_string());
    let data = folder.read();
    assert_eq!((data.faults.len(), data.runs.len(), data.runs[0].rows.len(), data.runs[0].shards.len()), (0, 1, 0, 0));
    assert_eq!(data.runs[0].run.condition, "terse");
}

#[test]
fn a_fault_of_a_plan_names_its_field() {
    for (pointer, value, field) in [
        ("schema", json!("tsbench.run/2"), "schema"),
        ("run", json!(""), "run"),
        ("suite", json!("core"), "suite"),
        ("suite", json!("@1"), "suite"),
        ("created_at", json!("today"), "created_at"),
        ("tasks/1", json!("a__a-1"), "tasks[1]"),
        ("models/1/id", json!("m/one"), "models[1].id"),
        ("models/1/cutoff", json!("2026"), "models[1].cutoff"),
        ("models/0/tier", json!("free"), "models[0].tier"),
        ("models/0/name", json!(1), "models[0].name"),
        ("repeats", json!(-1), "repeats"),
        ("repeats", json!("ten"), "repeats"),
        ("planned_attempts", json!(61), "planned_attempts"),
        ("source", json!("found"), "source"),
        ("scoring", json!({"infra": "forget"}), "scoring.infra"),
        ("task_details", json!([{"id": "z"}]), "task_details[0].id"),
        ("task_details", json!([{"id": "a__a-1", "merged_at": "2026-13-01"}]), "task_details[0].merged_at"),
        ("task_details", json!([{"id": "a__a-1"}, {"id": "a__a-1"}]), "task_details[1].id"),
    ] {
        let found = faults("run.json", plan_with(pointer, value));
        assert_eq!(found.len(), 1, "{pointer}: {found:#?}");
        assert_eq!(found[0].1, field, "{found:#?}");
    }
}

#[test]
fn every_fault_of_a_plan_is_listed_in_one_go() {
    let mut bad = plan("r");
    bad["suite"] = "core".into();
    bad["created_at"] = "today".into();
    bad["tasks"][0] = "".into();
    let fields: Vec<_> = faults("run.json", bad.to_string()).into_iter().map(|f| f.1).collect();
    assert_eq!(fields, ["suite", "created_at", "tasks[0]"]);
}

#[test]
fn an_empty_plan_is_an_error() {
    for (field, value) in [("tasks", json!([])), ("models", json!([])), ("repeats", json!(0))] {
        let found = faults("run.json", plan_with(field, value));
        assert!(found.iter().any(|f| f.1 == field), "{found:#?}");
    }
}

#[test]
fn a_plan_that_is_not_json_names_its_line() {
    let text = serde_json::to_string_pretty(&plan("r")).unwrap();
    let broken = text.replace("\"suite\":", "\"suite\"");
    let line = 1 + broken.lines().position(|l| l.contains("\"suite\"")).unwrap() as u64;
    assert_eq!(faults("run.json", broken)[0].0, Some(line));
    assert_eq!(faults("run.json", "")[0].0, Some(1));
    assert_eq!(faults("run.json", format!("{text} x")).len(), 1);
    assert!(faults("run.json", format!("\u{feff}{text}"))[0].2.contains("byte-order mark"));
    assert_eq!(faults("run.json", b"{\"run\": \"\xff\"}").len(), 1);
    assert!(faults("run.json", text.replacen("{", "{\"run\": \"r\",", 1))[0].2.contains("duplicate field"));
    assert_eq!(faults("run.json", "[".repeat(100_000)).len(), 1);
}

#[test]
fn a_missing_field_of_a_plan_names_it() {
    for field in
        ["schema", "run", "suite", "source", "models", "agent", "tasks", "repeats", "planned_attempts", "created_at"]
    {
        let mut short = plan("r");
        short.as_object_mut().unwrap().remove(field);
        assert_eq!(faults("run.json", short.to_string())[0].1, field);
    }
    let mut short = plan("r");
    short["models"][1].as_object_mut().unwrap().remove("maker");
    assert_eq!(faults("run.json", short.to_string())[0].1, "models[1].maker");
}

#[test]
fn a_plan_too_large_to_be_one_is_not_read() {
    let folder = Folder::new();
    folder.put("r/run.json", "");
    std::fs::File::options().write(true).open(folder.root().join("r/run.json")).unwrap().set_len(1 << 36).unwrap();
    assert!(folder.fault().what.contains("bytes"));
}

#[test]
fn two_runs_of_one_name_are_an_error_that_names_both() {
    let folder = Folder::with(jsonl(&[line()]));
    folder.put("s/run.json", plan("r").to_string());
    let fault = folder.fault();
    assert_eq!((fault.file.as_str(), fault.field.as_deref()), ("results/s/run.json", Some("run")));
    assert!(
        fault.what.contains("results/r/run.json") && !fault.what.contains(folder.path().to_str().unwrap()),
        "{fault}"
    );
    assert_eq!(folder.read().runs.len(), 1);
}

#[test]
fn attempts_without_a_plan_are_an_error() {
    let folder = Folder::new();
    folder.put("r/attempts.jsonl", jsonl(&[line()]));
    let fault = folder.fault();
    assert_eq!(fault.file, "results/r/attempts.jsonl");
    assert!(fault.what.contains("no run.json"));
}

#[test]
fn a_fault_of_one_run_does_not_hide_another() {
    let folder = Folder::with(jsonl(&[attempt(0, "resolved")]));
    folder
        .put("s/run.json", plan_with("suite", "x".into()).replace("\"r\"", "\"s\""))
        .put("s/attempts.jsonl", "oops\n");
    let data = folder.read();
    assert_eq!(data.runs.len(), 1);
    assert_eq!(data.faults.iter().map(|f| f.file.as_str()).collect::<Vec<_>>(), ["results/s/run.json"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_not_followed_and_not_passed_over_in_silence() {
    let folder = Folder::with(jsonl(&[line()]));
    folder.put("elsewhere", jsonl(&[attempt(1, "resolved")]));
    std::fs::remove_file(folder.root().join("r/attempts.jsonl")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.root().join("r/attempts.jsonl")).unwrap();
    assert!(folder.fault().what.contains("symbolic link"));
    assert!(folder.read().has_errors());
}

#[test]
fn artifacts_and_hidden_folders_are_passed_by() {
    let folder = Folder::with(jsonl(&[line()]));
    folder.put("r/artifacts/a/run.json", "oops").put(".git/run.json", "oops");
    assert_eq!(folder.read().faults, []);
}

#[test]
fn a_missing_folder_is_an_error_of_its_own() {
    let folder = Folder::new();
    assert!(matches!(read(&folder.path().join("nowhere")), Err(ResultsError::NoFolder(_))));
}

fn record() -> Value {
    json!({
        "schema": "tsbench.publisher/1", "run": "p", "suite": "other@1", "publisher": "Other", "created_at": "2026-06-01T00:00:00Z", "repeats": 3,
        "models": [{"id": "m", "name": "M", "maker": "A", "tier": "paid"}],
        "rows": [{"model": "m", "scope": "overall", "attempts": 9, "solved": 3, "mean_score": 0.5, "cost_usd": 1.5}],
    })
}

#[test]
fn a_good_record_of_a_publisher_has_no_faults() {
    assert_eq!(faults("publisher.json", record().to_string()), []);
}

#[test]
fn a_fault_of_a_publishers_record_names_its_field() {
    for (pointer, value, field) in [
        ("/schema", json!("x"), "schema"),
        ("/run", json!(" "), "run"),
        ("/suite", json!("other"), "suite"),
        ("/created_at", json!("2026"), "created_at"),
        ("/models", json!([]), "models"),
        ("/rows/0/model", json!("n"), "rows[0].model"),
        ("/rows/0/scope", json!("all"), "rows[0].scope"),
        ("/rows/0/solved", json!(10), "rows[0].solved"),
        ("/rows/0/mean_score", json!(1.5), "rows[0].mean_score"),
        ("/rows/0/cost_usd", json!(-1), "rows[0].cost_usd"),
        ("/rows/0/attempts", json!("many"), "rows[0].attempts"),
    ] {
        let mut bad = record();
        *bad.pointer_mut(pointer).unwrap() = value;
        let found = faults("publisher.json", bad.to_string());
        assert!(found.iter().any(|f| f.1 == field), "{pointer}: {found:#?}");
    }
}

#[test]
fn a_record_and_a_run_do_not_share_a_name() {
    let folder = Folder::with(jsonl(&[line()]));
    let mut record = record();
    record["run"] = "r".into();
    folder.put("p/publisher.json", record.to_string());
    assert!(folder.fault().what.contains("also in"));
}

#[test]
fn fields_of_a_later_version_survive_a_rewrite() {
    let mut read: Value = plan("r");
    read["future"] = json!([1]);
    read["agent"]["future"] = json!({"a": null});
    read["models"][1]["future"] = json!("x");
    let mut run: Run = serde_json::from_value(read.clone()).unwrap();
    run.note = Some("new".into());
    let written = rewrite(&read, &run).unwrap();
    read["note"] = "new".into();
    for pointer in ["/future", "/agent/future", "/models/1/future", "/note", "/run"] {
        assert_eq!(written.pointer(pointer), read.pointer(pointer), "{pointer}");
    }
    run.models.remove(0);
    assert_eq!(rewrite(&read, &run).unwrap()["models"][0]["future"], "x");
    let mut old = line();
    old["future"] = json!({"deep": [1, 2]});
    old["usage"]["reasoning"] = json!(5);
    let attempt: Attempt = serde_json::from_value(old.clone()).unwrap();
    assert_eq!(rewrite(&old, &attempt).unwrap(), old);
}
