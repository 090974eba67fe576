//! What others published becomes run folders: nothing invented, nothing overwritten, nothing that contradicts itself.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tsbench::results::{Dataset, ResultsError, import_thinkbench, import_ts_bench, read};
use tsbench::schema::{Outcome, Source};

/// A change that makes figures contradict themselves.
type Change = fn(&mut Value);

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures").join(name)
}

/// A changed copy of a fixture beside an empty place for results.
fn changed(name: &str, change: impl FnOnce(&mut Value)) -> (TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let mut figures: Value = serde_json::from_slice(&fs::read(fixture(name)).unwrap()).unwrap();
    change(&mut figures);
    let file = dir.path().join("figures.json");
    fs::write(&file, figures.to_string()).unwrap();
    let out = dir.path().join("results");
    (dir, file, out)
}

fn imported() -> (TempDir, Dataset) {
    let dir = tempfile::tempdir().unwrap();
    let written = import_ts_bench(&fixture("ts-bench.json"), &dir.path().join("results"), "test").unwrap();
    assert_eq!(written.len(), 3);
    let data = read(dir.path()).unwrap();
    assert_eq!(data.faults, []);
    (dir, data)
}

#[test]
fn each_model_becomes_a_run_with_a_readable_name() {
    let (_dir, data) = imported();
    let names: Vec<_> =
        data.runs.iter().map(|r| (r.run.run.as_str(), r.dir.file_name().unwrap().to_str().unwrap())).collect();
    let want =
        ["2026-01-31-ts-bench-v0.9-idle", "2026-01-31-ts-bench-v0.9-local-7b", "2026-01-31-ts-bench-v0.9-paid-1.5"];
    assert_eq!(names, want.map(|n| (n, n)));
    for run in &data.runs {
        assert_eq!(
            (run.run.source, run.run.suite.as_str(), run.run.agent_word().as_str()),
            (Source::Imported, "ts-bench@0.9", "ts-bench-shell@v0.9")
        );
        assert_eq!(
            (run.run.tasks.len(), run.run.task_details[1].repo.as_deref(), run.run.task_details[1].guards),
            (3, Some("b/b"), Some(7))
        );
    }
    assert_eq!(
        data.runs.iter().map(|r| (r.run.repeats, r.run.planned_attempts, r.rows.len())).collect::<Vec<_>>(),
        [(2, 6, 0), (2, 6, 5), (1, 3, 2)]
    );
}

#[test]
fn outcomes_are_as_published() {
    let (_dir, data) = imported();
    let outcomes: Vec<_> = data.runs[1].rows.iter().map(|r| (r.task, r.repeat, r.outcome)).collect();
    let want = [
        (0, 0, Outcome::Unresolved),
        (0, 1, Outcome::TimedOut),
        (1, 0, Outcome::PatchFailed),
        (2, 0, Outcome::Resolved),
        (2, 1, Outcome::Unresolved),
    ];
    assert_eq!(outcomes, want);
}

#[test]
fn a_cost_is_known_only_where_it_was_published() {
    let (_dir, data) = imported();
    assert_eq!(
        data.runs[2].rows.iter().map(|r| r.cost_nano()).collect::<Vec<_>>(),
        [Some(500_000_000), Some(250_000_000)]
    );
    assert!(data.runs[1].rows.iter().all(|r| r.cost_nano() == Some(0)));
    let (dir, file, out) = changed("ts-bench.json", |f| {
        f["haiku_cost_per_instance"] = json!({});
        f["models"][1]["cost_usd"] = json!(0.5);
    });
    import_ts_bench(&file, &out, "test").unwrap();
    let data = read(dir.path()).unwrap();
    assert!(data.runs.iter().flat_map(|r| &r.rows).all(|r| r.cost_nano().is_none()));
    let raw = fs::read_to_string(data.runs[2].dir.join("attempts.jsonl")).unwrap();
    assert!(
        raw.lines().all(|l| l.contains("\"cost_usd\":null")) && !raw.contains("turns") && !raw.contains("seconds"),
        "{raw}"
    );
}

#[test]
fn figures_that_contradict_themselves_are_refused_and_nothing_is_written() {
    let changes: [(&str, Change); 16] = [
        ("states 3 attempts and lists 2", |f| f["models"][0]["attempts"] = json!(3)),
        ("states 2 fixes and lists 1", |f| f["models"][1]["resolved"] = json!(2)),
        ("totals", |f| f["totals"]["attempts"] = json!(8)),
        ("unknown outcome code 7", |f| f["attempts"][0][3] = json!(7)),
        ("unknown model or instance", |f| f["attempts"][0][0] = json!(9)),
        ("unknown model or instance", |f| f["attempts"][6][1] = json!(9)),
        ("stands on line", |f| f["attempts"][6] = json!([1, 2, 0, 0])),
        ("not in the plan of 2 repeats", |f| f["attempts"][6][2] = json!(2)),
        ("no whole number of repeats", |f| f["models"][1]["planned_attempts"] = json!(7)),
        ("one index", |f| f["instances"][2]["index"] = json!(1)),
        ("listed twice", |f| f["instances"][2]["id"] = json!("a__a-1")),
        ("disagree on its outcome", |f| f["haiku_cost_per_instance"]["a__a-1"]["resolved"] = json!(true)),
        ("states a cost of 0.75 and single costs of 0.85", |f| {
            f["haiku_cost_per_instance"]["a__a-1"]["cost_usd"] = json!(0.6)
        }),
        ("single costs are published", |f| {
            f["haiku_cost_per_instance"]["b__b-3"] = json!({"resolved": false, "cost_usd": 0.1})
        }),
        ("unknown instance", |f| f["haiku_cost_per_instance"]["z"] = json!({"resolved": false, "cost_usd": 0.1})),
        ("which of the paid models", |f| f["models"][1]["tier"] = json!("paid")),
    ];
    for (words, change) in changes {
        let (_dir, file, out) = changed("ts-bench.json", change);
        let error = import_ts_bench(&file, &out, "test").unwrap_err();
        assert!(matches!(&error, ResultsError::Import { path, .. } if *path == file), "{error}");
        assert!(error.to_string().contains(words) && error.to_string().contains("hint:"), "{words}: {error}");
        assert!(!out.exists() || fs::read_dir(&out).unwrap().next().is_none(), "{words}: something was written");
    }
}

#[test]
fn a_file_of_another_shape_is_refused() {
    for change in [
        |f: &mut Value| *f = json!({}),
        |f: &mut Value| f["models"] = json!(3),
        |f: &mut Value| f["attempts"][0] = json!([1]),
    ] {
        let (_dir, file, out) = changed("ts-bench.json", change);
        assert!(import_ts_bench(&file, &out, "test").unwrap_err().to_string().contains("figures.json"));
        assert!(import_thinkbench(&file, &out, "test").unwrap_err().to_string().contains("figures.json"));
    }
}

#[test]
fn an_existing_run_folder_is_never_touched() {
    let (dir, _) = imported();
    let out = dir.path().join("results");
    let mark = out.join("2026-01-31-ts-bench-v0.9-local-7b/attempts.jsonl");
    fs::write(&mark, "mine").unwrap();
    fs::remove_dir_all(out.join("2026-01-31-ts-bench-v0.9-paid-1.5")).unwrap();
    assert!(matches!(import_ts_bench(&fixture("ts-bench.json"), &out, "test"), Err(ResultsError::Exists(_))));
    assert_eq!(fs::read_to_string(mark).unwrap(), "mine");
    assert!(!out.join("2026-01-31-ts-bench-v0.9-paid-1.5").exists(), "an import is whole or not at all");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2);
}

#[test]
fn names_in_the_figures_are_never_paths() {
    let (dir, file, out) = changed("ts-bench.json", |f| f["models"][0]["name"] = json!("../../../Evil"));
    let written = import_ts_bench(&file, &out, "test").unwrap();
    assert!(written.iter().all(|p| p.parent() == Some(&out)));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    let (_dir, file, out) = changed("ts-bench.json", |f| f["generated_at"] = json!("/../../2026"));
    assert!(import_ts_bench(&file, &out, "test").unwrap_err().to_string().contains("created_at"));
}

#[test]
fn an_import_twice_gives_the_same_bytes_and_names_no_machine() {
    let ((a, one), (b, two)) = (imported(), imported());
    for (x, y) in one.runs.iter().zip(&two.runs) {
        for name in ["run.json", "attempts.jsonl"] {
            let (x, y) = (fs::read_to_string(x.dir.join(name)).unwrap(), fs::read_to_string(y.dir.join(name)).unwrap());
            assert_eq!(x, y);
            for place in [a.path(), b.path(), Path::new(env!("CARGO_MANIFEST_DIR"))] {
                assert!(!x.contains(place.to_str().unwrap()));
            }
        }
    }
}

#[test]
fn thinkbench_aggregates_become_a_record_without_attempts() {
    let dir = tempfile::tempdir().unwrap();
    let written = import_thinkbench(&fixture("thinkbench.json"), &dir.path().join("results"), "test").unwrap();
    assert_eq!(written.file_name().unwrap(), "2026-01-31-thinkbench-left-vs-right");
    assert!(!written.join("attempts.jsonl").exists() && !written.join("run.json").exists());
    let data = read(dir.path()).unwrap();
    assert_eq!((data.faults.len(), data.runs.len(), data.publishers.len()), (0, 0, 1));
    let record = &data.publishers[0].record;
    let scopes = |scope: &str| record.rows.iter().filter(|r| r.scope == scope).count();
    assert_eq!((scopes("overall"), scopes("group"), scopes("task"), scopes("observed")), (2, 2, 4, 2));
    assert_eq!((record.created_at.as_str(), record.repeats), ("2026-01-31T13:00:00Z", 3));
    let left = record.rows.iter().find(|r| r.scope == "overall" && r.model == "left").unwrap();
    assert_eq!((left.attempts, left.solved, left.mean_score, left.cost_usd), (6, Some(4), Some(0.9), Some(1.25)));
}

#[test]
fn an_observed_task_has_no_score() {
    let dir = tempfile::tempdir().unwrap();
    let written = import_thinkbench(&fixture("thinkbench.json"), dir.path(), "test").unwrap();
    let raw: Value = serde_json::from_slice(&fs::read(written.join("publisher.json")).unwrap()).unwrap();
    for row in raw["rows"].as_array().unwrap().iter().filter(|r| r["scope"] == "observed") {
        assert_eq!(
            (&row["solved"], &row["mean_score"], row["attempts"].as_u64()),
            (&Value::Null, &Value::Null, Some(3))
        );
        assert!(row["seconds"].is_number() && row["cost_usd"].is_number());
    }
}

#[test]
fn thinkbench_sums_that_do_not_add_up_are_refused() {
    let changes: [Change; 5] = [
        |f| f["results_json"]["overall_graded"]["left"]["solved"] = json!(5),
        |f| f["results_json"]["by_type"]["bug-fix"]["right"]["n"] = json!(7),
        |f| f["results_json"]["by_task"]["base62"]["models"]["left"]["solved"] = json!(2),
        |f| f["results_json"]["by_task"]["base62"]["type"] = json!("other"),
        |f| f["results_json"]["models"] = json!(["left"]),
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let (_dir, file, out) = changed("thinkbench.json", change);
        let error = import_thinkbench(&file, &out, "test").unwrap_err();
        assert!(matches!(&error, ResultsError::Import { path, .. } if *path == file), "{i}: {error}");
        assert!(!out.exists() || fs::read_dir(&out).unwrap().next().is_none(), "{i}");
    }
    let (_dir, file, out) = changed("thinkbench.json", |f| f["results_json"]["run_ids"] = json!([i64::MAX]));
    assert!(import_thinkbench(&file, &out, "test").unwrap_err().to_string().contains("not a time"));
}

#[test]
fn the_command_prints_the_folders_and_refuses_a_second_time() {
    let dir = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = Command::cargo_bin("tsbench").unwrap();
        command
            .args(["results", "import", "ts-bench"])
            .arg(fixture("ts-bench.json"))
            .arg("--out")
            .arg(dir.path())
            .output()
            .unwrap()
    };
    let first = run();
    assert_eq!((first.status.code(), String::from_utf8(first.stdout).unwrap().lines().count()), (Some(0), 3));
    let second = run();
    assert_eq!((second.status.code(), second.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8(second.stderr).unwrap().contains("exists already"));
}

#[test]
fn the_bundled_results_keep_the_contract() {
    let data = read(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert_eq!(data.faults, []);
    let bundled: Vec<_> = data.runs.iter().filter(|r| r.run.suite == "ts-bench@0.2").collect();
    let rows = || bundled.iter().flat_map(|r| r.effective());
    assert_eq!((rows().count(), rows().filter(|r| r.outcome == Outcome::Resolved).count()), (667, 6));
    let haiku = bundled.iter().find(|r| r.run.run.ends_with("claude-haiku-4.5")).unwrap();
    assert_eq!(haiku.effective().filter_map(|r| r.cost_nano()).sum::<i64>(), 9_304_900_000);
}
