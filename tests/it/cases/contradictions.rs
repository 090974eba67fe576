//! A line that contradicts itself, its report or its run is named by every command that reads it.

use crate::results::folder::{Folder, jsonl, line as whole_line, plan};
use crate::site::world::{World, line};
use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use tsbench::results::import_inspect;
use tsbench::scoring::GRADER;
use tsbench::site::numbers::compute;
use tsbench::site::{Board, Config};

const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// A minimal line of an outcome with more fields.
fn says(outcome: &str, more: Value) -> Value {
    let mut line = json!({"schema": "tsbench.attempt/1", "run": "r", "suite": "core@1.0", "task": "a__a-1", "model": "m/one",
        "repeat": 0, "outcome": outcome});
    for (key, value) in more.as_object().unwrap() {
        line[key] = value.clone();
    }
    line
}

/// Passed and total of targets and guards, with names for what did not pass.
fn tests(targets: (u32, u32), guards: (u32, u32)) -> Value {
    let of = |(passed, total): (u32, u32)| {
        let failed: Vec<String> = (passed..total).map(|i| format!("t{i}")).collect();
        json!({"passed": passed, "total": total, "failed": failed})
    };
    json!({"targets": of(targets), "guards": of(guards)})
}

fn patch(bytes: u32, applied: Value) -> Value {
    json!({"sha256": if bytes == 0 { NOTHING } else { "11" }, "bytes": bytes, "files": 1, "applied": applied})
}

#[test]
fn a_line_that_contradicts_itself_is_refused_with_its_field() {
    let graded = json!({"grader": GRADER});
    let full = json!({"tests": tests((2, 2), (3, 3)), "patch": patch(9, json!("strict")), "digests": graded});
    let with = |field: &str, value: Value| {
        let mut all = full.clone();
        all[field] = value;
        all
    };
    for (outcome, more, field) in [
        ("resolved", with("tests", tests((0, 2), (3, 3))), "tests.targets"),
        ("resolved", with("tests", tests((2, 2), (2, 3))), "tests.guards"),
        ("resolved", with("tests", tests((0, 0), (3, 3))), "tests.targets"),
        ("resolved", with("tests", Value::Null), "tests"),
        ("resolved", with("patch", Value::Null), "patch"),
        ("resolved", with("patch", patch(9, Value::Null)), "patch.applied"),
        ("resolved", with("patch", patch(9, json!("empty"))), "patch"),
        ("resolved", json!({"patch": patch(0, json!("strict"))}), "patch"),
        ("resolved", json!({"score": {"passed": 1, "total": 2}}), "score"),
        ("resolved", json!({"score": {"passed": 0, "total": 0}}), "score"),
        ("resolved", with("error", json!({"class": "exit_disagrees", "message": "x"})), "error"),
        ("resolved", with("stop", json!("cancelled")), "stop"),
        ("unresolved", full.clone(), "tests"),
        ("timed_out", full.clone(), "tests"),
        ("unresolved", json!({"score": {"passed": 2, "total": 2}}), "score"),
        ("unresolved", json!({"patch": patch(0, Value::Null)}), "patch"),
        ("unresolved", json!({"tests": {"targets": {"passed": 1, "total": 2, "failed": []}}}), "tests.targets.failed"),
        (
            "unresolved",
            json!({"tests": {"guards": {"passed": 1, "total": 2, "failed": ["a", "b"]}}}),
            "tests.guards.failed",
        ),
        ("unresolved", json!({"tests": {"guards": {"passed": 3, "total": 2}}}), "tests.guards"),
        ("no_patch", json!({"patch": patch(9, json!("strict"))}), "patch"),
        ("no_patch", json!({"tests": tests((1, 2), (3, 3))}), "tests.targets"),
        ("patch_failed", json!({"patch": patch(9, json!("lenient"))}), "patch.applied"),
        ("patch_failed", json!({"tests": tests((0, 2), (3, 3))}), "tests.guards"),
        ("infra_error", json!({"tests": tests((0, 2), (0, 3))}), "tests.targets"),
        ("stopped", json!({"score": {"passed": 0, "total": 2}}), "score"),
        ("observed", json!({"tests": {"targets": {"passed": 0, "total": 2}}}), "tests.targets"),
        ("unresolved", json!({"patch": {"sha256": NOTHING, "bytes": 9}}), "patch.sha256"),
    ] {
        let data = Folder::with(jsonl(&[says(outcome, more.clone())])).read();
        let fields: Vec<&str> = data.faults.iter().filter_map(|f| f.field.as_deref()).collect();
        assert!(fields.contains(&field), "{outcome} {more}: {:#?}", data.faults);
        assert!(data.runs[0].rows.is_empty() && data.has_errors(), "{outcome} {more}");
    }
}

#[test]
fn what_a_line_does_not_say_contradicts_nothing() {
    let graded = json!({"grader": "tsbench-score/5"});
    for (outcome, more) in [
        ("resolved", json!({})),
        ("resolved", json!({"tests": tests((2, 2), (0, 0)), "patch": patch(9, json!("strict")), "digests": graded})),
        (
            "resolved",
            json!({"score": {"passed": 2, "total": 2}, "patch": patch(9, json!("lenient")), "digests": graded}),
        ),
        ("resolved", json!({"error": {"class": "AgentTimeoutError", "message": "rewarded all the same"}})),
        ("unresolved", json!({"tests": {"targets": {"passed": 1, "total": 1}}})),
        ("unresolved", json!({"tests": tests((0, 2), (0, 3)), "error": {"class": "report_broken", "message": ""}})),
        ("timed_out", json!({"stop": "submitted", "tests": tests((0, 2), (0, 3))})),
        ("timed_out", json!({"stop": "time_limit", "patch": patch(2, json!("empty"))})),
        ("no_patch", json!({"patch": patch(2, json!("empty"))})),
        ("patch_failed", json!({"patch": patch(9, Value::Null), "error": {"class": "patch_failed", "message": ""}})),
        ("infra_error", json!({"stop": "submitted", "patch": patch(9, Value::Null)})),
        ("stopped", json!({"stop": "run_budget", "patch": patch(9, Value::Null)})),
        ("observed", json!({})),
    ] {
        assert_eq!(Folder::with(jsonl(&[says(outcome, more.clone())])).read().faults, [], "{outcome} {more}");
    }
}

#[test]
fn every_command_names_a_contradiction_and_counts_nothing() {
    let world = World::new("");
    let contradicting = json!({"tests": tests((0, 2), (0, 0))});
    world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved").with(contradicting)]);
    let refused = world.command(&["build"]).assert().code(2);
    let told = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(told.contains("attempts.jsonl:1: tests.targets") && told.contains("0 of 2 passed"), "{told}");
    for (args, code) in [(["results", "check", "--results"], 1), (["stats", "--json", "--in"], 2)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        let end = command.args(args).arg(world.path("results")).assert().code(code);
        let end = end.get_output();
        let told = [end.stdout.as_slice(), &end.stderr].concat();
        assert!(String::from_utf8_lossy(&told).contains("0 of 2 passed"), "{args:?}");
    }
}

/// A folder with one graded attempt, its report and its patch.
fn with_evidence(change: impl Fn(&mut Value, &mut Value, &mut Vec<u8>)) -> Folder {
    use sha2::Digest;
    let mut diff = b"diff --git a/x b/x\n".to_vec();
    let hex = |bytes: &[u8]| sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let (tests, sha) = (tests((1, 2), (3, 3)), hex(&diff));
    let mut line = says(
        "unresolved",
        json!({"tests": tests, "patch": {"sha256": sha, "bytes": diff.len(), "files": 1, "applied": "strict"}}),
    );
    let mut report = json!({"schema": "tsbench.report/1", "log": "", "verdict": {
        "task": "a__a-1", "outcome": "unresolved", "applied": "strict", "files": 1, "targets": tests["targets"], "guards": tests["guards"],
        "seconds": {"tests": 1.0}, "isolation": "docker", "digests": {"task": "", "image": "", "grader": "", "patch": sha}}});
    change(&mut line, &mut report, &mut diff);
    let folder = Folder::with(jsonl(&[line]));
    let at = "r/artifacts/a__a-1/m~sone/0";
    folder.put(&format!("{at}/report.json"), report.to_string()).put(&format!("{at}/patch.diff"), diff);
    folder
}

#[test]
fn a_report_and_a_patch_that_say_otherwise_than_their_line_are_told_with_both_values() {
    assert_eq!(with_evidence(|_, _, _| {}).read().faults, []);
    let told = |change: &dyn Fn(&mut Value, &mut Value, &mut Vec<u8>)| with_evidence(change).fault().to_string();
    let outcome = told(&|_, report, _| report["verdict"]["outcome"] = "timed_out".into());
    assert!(
        outcome.contains("attempts.jsonl:1: outcome")
            && outcome.contains("\"unresolved\"")
            && outcome.contains("\"timed_out\""),
        "{outcome}"
    );
    let counts = told(&|_, report, _| report["verdict"]["targets"]["passed"] = 0.into());
    assert!(counts.contains("1 of 2") && counts.contains("0 of 2") && counts.contains("report.json"), "{counts}");
    let names = told(&|_, report, _| report["verdict"]["targets"]["failed"] = json!(["other"]));
    assert!(names.contains("tests.targets.failed") && names.contains("other"), "{names}");
    let diff = told(&|_, _, diff| diff.push(b'\n'));
    assert!(diff.contains("patch.bytes") && diff.contains("patch.diff"), "{diff}");
    let bytes = told(&|_, _, diff| diff[0] = b'D');
    assert!(bytes.contains("patch.sha256"), "{bytes}");
    let digest = told(&|_, report, _| report["verdict"]["digests"]["patch"] = "22".into());
    assert!(digest.contains("patch.sha256") && digest.contains("22"), "{digest}");
    let broken = told(&|_, report, _| *report = json!("x"));
    assert!(broken.contains("cannot be read"), "{broken}");
    // What was taken out of a patch before it was written, and a later try at work, are no contradiction.
    assert_eq!(with_evidence(|_, _, diff| diff.extend(b"[redacted]")).read().faults, []);
    let trying = with_evidence(|_, report, _| report["verdict"]["outcome"] = "timed_out".into());
    trying.put("r/artifacts/a__a-1/m~sone/0/try-1/report.json", "{}");
    assert_eq!(trying.read().faults, []);
}

#[test]
fn what_is_no_file_in_place_of_a_record_is_an_error_and_is_not_opened() {
    for name in ["attempts.jsonl", "run.json", "publisher.json"] {
        for kind in ["pipe", "folder", "socket", "link"] {
            let folder = Folder::with(jsonl(&[whole_line()]));
            let path = folder.root().join("r").join(name);
            _ = fs::remove_file(&path);
            match kind {
                "pipe" => assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "folder" => fs::create_dir(&path).unwrap(),
                "socket" => drop(std::os::unix::net::UnixListener::bind(&path).unwrap()),
                _ => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            }
            let data = folder.read();
            assert!(data.has_errors(), "{name} as a {kind}");
            let place = format!("results/r/{name}");
            assert!(
                data.faults.iter().any(|f| f.file == place && f.what.contains("is a")),
                "{kind}: {:#?}",
                data.faults
            );
        }
    }
}

#[test]
fn a_plan_tells_all_that_it_lacks_at_once_and_leads_to_the_page_about_records() {
    let folder = Folder::new();
    folder.put("r/run.json", r#"{"run": "r", "models": [{"id": "m"}], "agent": {}}"#).put("r/attempts.jsonl", "");
    let data = folder.read();
    let fields: Vec<&str> = data.faults.iter().filter_map(|f| f.field.as_deref()).collect();
    for field in [
        "schema",
        "suite",
        "source",
        "tasks",
        "repeats",
        "planned_attempts",
        "created_at",
        "models[0].name",
        "agent.version",
    ] {
        assert!(fields.contains(&field), "{field}: {fields:?}");
    }
    assert!(
        data.faults.iter().filter(|f| f.field.is_some()).all(|f| f.hint.contains("results contract")),
        "{:#?}",
        data.faults
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    let told = command.args(["results", "contract"]).assert().success();
    assert!(String::from_utf8_lossy(&told.get_output().stdout).contains("`planned_attempts`"));
}

#[test]
fn a_word_of_another_tool_is_told_with_ours() {
    let fault = Folder::with(jsonl(&[says("failed", json!({}))])).fault();
    assert!(fault.hint.contains("unresolved"), "{fault}");
}

fn planned(condition: &str, planned: u64) -> Value {
    let mut plan = plan("r");
    plan["condition"] = condition.into();
    plan["planned_attempts"] = planned.into();
    plan
}

#[test]
fn a_plan_counts_the_attempts_of_each_condition_and_no_row_is_complete_that_is_not() {
    let cell = |task: &str, condition: &str, repeat: u32| {
        let mut line = says("unresolved", json!({}));
        (line["task"], line["condition"], line["repeat"]) = (task.into(), condition.into(), repeat.into());
        line
    };
    // Two models at three tasks, ten times, under two conditions; one row is whole, another has one task of three.
    let all = (0..10).flat_map(|r| ["a__a-1", "b__b-2", "c__c-3"].map(|t| cell(t, "terse", r)));
    let lines: Vec<Value> = all.chain([cell("a__a-1", "default", 0)]).collect();
    for (attempts, stated) in [(120, "30"), (60, "0")] {
        let folder = Folder::new();
        folder.put("r/run.json", planned("terse", attempts).to_string()).put("r/attempts.jsonl", jsonl(&lines));
        let data = folder.read();
        assert_eq!(data.faults, []);
        let mut config = Config::plain("results");
        config.boards = Config::boards_of(&data);
        let computed = compute(&config, &data, None).unwrap();
        let board = &computed.boards[0];
        let status = |condition: &str| {
            let is_row = |e: &&tsbench::site::Entry| e.condition == condition && e.model.id == "m/one";
            board.entries.iter().find(is_row).unwrap().status().0
        };
        assert_eq!((status("terse"), status("default")), ("Complete", "Stopped early"), "{attempts}");
        let row = board.entries.iter().find(|e| e.condition == "default" && e.model.id == "m/one").unwrap();
        let number = format!("board.{}.{}.planned", board.config.id, row.key);
        assert_eq!(computed.numbers.text(&number), stated, "plans of earlier versions keep their meaning");
        _ = Board::gather(&config, &config.boards[0], &data, &|_| true).unwrap();
    }
    let folder = Folder::new();
    folder.put("r/run.json", planned("default", 120).to_string());
    assert!(folder.read().has_errors(), "the canonical condition is counted once");
}

#[test]
fn a_log_of_inspect_with_scores_that_are_no_number_is_imported_without_them() {
    let sample =
        |id: &str, value: &str| format!(r#"{{"id": {id}, "epoch": 1, "scores": {{"acc": {{"value": {value}}}}}}}"#);
    let samples = [
        sample("\"a\"", "NaN"),
        sample("\"b\"", "1"),
        sample("\"c\"", "Infinity"),
        sample("\"NaN\"", "0"),
        sample("7", "1"),
        sample("\"7\"", "0"),
    ];
    let log = format!(
        r#"{{"version": 2, "status": "success", "eval": {{"task": "demo", "created": "2026-01-01T00:00:00+00:00", "model": "openai/gpt"}}, "samples": [{}]}}"#,
        samples.join(", ")
    );
    let dir = tempfile::tempdir().unwrap();
    let (from, out) = (dir.path().join("log.json"), dir.path().join("results"));
    fs::write(&from, log).unwrap();
    let imported = import_inspect(&from, &out, None, None, "t").unwrap();
    assert!(
        imported.losses.iter().any(|l| l.contains("NaN")) && imported.losses.iter().any(|l| l.contains("in quotes"))
    );
    let data = tsbench::results::read(&out).unwrap();
    assert_eq!(data.faults, []);
    let run = &data.runs[0];
    let outcome = |task: &str| {
        let row = run.rows.iter().find(|r| run.run.tasks[r.task as usize] == task).unwrap();
        row.outcome.word()
    };
    let tasks = ["a", "b", "c", "NaN", "7", "\"7\""];
    let wanted = ["infra_error", "resolved", "infra_error", "unresolved", "resolved", "unresolved"];
    assert_eq!(tasks.map(outcome), wanted);
}
