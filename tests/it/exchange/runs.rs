//! Runs of other tools taken in, and ours given out to them.

use super::world::{said, tsbench};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tsbench::results::{read, read_predictions};
use tsbench::schema::{Attempt, Outcome};

fn shipped(run: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(run)
}

fn export(run: &Path, format: &str, out: &Path, more: &[&str]) -> String {
    let mut command = tsbench();
    command.args(["results", "export", "--format", format]).args(more).arg(run).arg("--out").arg(out);
    said(&mut command, 0)
}

fn value(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The attempts of an imported results folder.
pub fn attempts(dir: &Path) -> Vec<Attempt> {
    let data = read(dir).unwrap();
    assert_eq!(data.faults, []);
    data.runs.iter().flat_map(|run| run.effective().map(|r| run.attempt(r.line).unwrap())).collect()
}

#[test]
fn predictions_of_a_run_hold_its_patches_and_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let run = shipped("2026-11-30-demo-mocks-shell");
    let out = dir.path().join("preds.jsonl");
    export(&run, "predictions", &out, &["--model", "mock/gold"]);
    let found = read_predictions(&out).unwrap();
    assert_eq!((found.list.len(), found.notes.len()), (8, 0));
    for p in &found.list {
        let task = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo").join(&p.instance_id);
        assert_eq!(p.model, "mock/gold");
        assert!(!p.patch.is_empty() && task.is_dir(), "{}", p.instance_id);
    }
    let maps = dir.path().join("preds.json");
    export(&run, "predictions-map", &maps, &["--model", "mock/gold"]);
    let mut list = read_predictions(&maps).unwrap().list;
    list.sort_by(|a, b| a.instance_id.cmp(&b.instance_id));
    assert_eq!(list, found.list);
    let mut command = tsbench();
    command.args(["results", "export", "--format", "predictions"]).arg(&run).arg("--out").arg(dir.path().join("x"));
    assert!(said(&mut command, 2).contains("choose a model of the run with --model: "));
}

#[test]
fn the_report_of_a_run_counts_as_the_run_does() {
    let dir = tempfile::tempdir().unwrap();
    let run = shipped("2026-11-30-demo-mocks-shell");
    for (model, resolved, empty) in [("mock/gold", 8, 0), ("mock/empty", 0, 8)] {
        let out = dir.path().join(model.replace('/', "-"));
        export(&run, "swe-bench-report", &out, &["--model", model, "--repeat", "1"]);
        let report = value(&out);
        assert_eq!(
            (report["resolved_instances"].as_u64(), report["empty_patch_instances"].as_u64()),
            (Some(resolved), Some(empty))
        );
        assert_eq!((report["schema_version"].as_u64(), report["total_instances"].as_u64()), (Some(2), Some(8)));
    }
    export(&run, "swe-bench-report", dir.path(), &["--model", "mock/gold"]);
    assert!(dir.path().join("mock__gold.2026-11-30-demo-mocks-shell.json").is_file());
}

#[test]
fn trajectories_of_mini_swe_agent_have_its_messages() {
    for (run, tools) in [("2026-11-30-demo-smollm2-shell", false), ("2026-11-30-demo-smollm2-tools", true)] {
        let dir = tempfile::tempdir().unwrap();
        let told = export(&shipped(run), "mini-swe-agent", dir.path(), &[]);
        assert!(told.contains("loss: requests, retries"), "{told}");
        let mut seen = 0;
        for entry in walkdir::WalkDir::new(dir.path()).into_iter().map(Result::unwrap) {
            if !entry.path().to_string_lossy().ends_with(".traj.json") {
                continue;
            }
            seen += 1;
            let found = value(entry.path());
            assert_eq!(found["trajectory_format"], "mini-swe-agent-1.1");
            let messages = found["messages"].as_array().unwrap();
            let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
            assert_eq!(roles.last(), Some(&"exit"));
            assert!(roles.contains(&"assistant") && matches!(roles[0], "system" | "user"), "{roles:?}");
            assert!(messages.iter().all(|m| m["content"].is_string()));
            assert_eq!(messages.last().unwrap()["extra"]["exit_status"], found["info"]["exit_status"]);
            let calls = messages.iter().filter_map(|m| m["tool_calls"].as_array()).flatten();
            let calls: BTreeSet<&str> = calls.map(|c| c["id"].as_str().unwrap()).collect();
            let answers = messages.iter().filter(|m| m["role"] == "tool").map(|m| m["tool_call_id"].as_str().unwrap());
            assert!(answers.into_iter().all(|id| calls.contains(id)) && (tools || calls.is_empty()));
            for m in messages.iter().filter(|m| m["extra"]["returncode"].is_i64()) {
                assert!(m["content"].as_str().unwrap().starts_with("<returncode>"));
            }
        }
        assert!(seen > 4, "{run}: {seen}");
        let list = read_predictions(&dir.path().join("preds.json")).unwrap().list;
        assert!(list.iter().all(|p| p.patch.is_empty()));
    }
}

/// Every key that ATIF has at a place; any other is refused by its readers.
const ATIF: [(&str, &[&str]); 7] = [
    ("", &["schema_version", "session_id", "agent", "steps", "notes", "final_metrics", "extra"]),
    ("agent", &["name", "version", "model_name", "tool_definitions", "extra"]),
    (
        "step",
        &[
            "step_id",
            "timestamp",
            "source",
            "message",
            "model_name",
            "reasoning_content",
            "tool_calls",
            "metrics",
            "observation",
            "extra",
        ],
    ),
    ("call", &["tool_call_id", "function_name", "arguments"]),
    ("result", &["source_call_id", "content"]),
    ("metrics", &["prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd", "extra"]),
    (
        "final",
        &[
            "total_prompt_tokens",
            "total_completion_tokens",
            "total_cached_tokens",
            "total_cost_usd",
            "total_steps",
            "extra",
        ],
    ),
];

fn only_known(kind: &str, value: &Value) {
    let known = ATIF.iter().find(|(k, _)| *k == kind).unwrap().1;
    for key in value.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "{kind}: {key}");
    }
}

#[test]
fn trajectories_of_atif_have_its_keys_alone_and_steps_that_count_from_one() {
    let mut observed = 0;
    let runs = ["demo-smollm2-shell", "demo-smollm2-tools", "demo-mocks-shell", "demo-mocks-tools"];
    for run in runs.map(|run| format!("2026-11-30-{run}")) {
        let dir = tempfile::tempdir().unwrap();
        let model = if run.contains("mocks") { ["--model", "mock/gold"].as_slice() } else { &[] };
        export(&shipped(&run), "atif", dir.path(), model);
        for entry in
            walkdir::WalkDir::new(dir.path()).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file())
        {
            let found = value(entry.path());
            only_known("", &found);
            only_known("agent", &found["agent"]);
            only_known("final", &found["final_metrics"]);
            assert_eq!(found["schema_version"], "ATIF-v1.6");
            let steps = found["steps"].as_array().unwrap();
            assert_eq!(found["final_metrics"]["total_steps"].as_u64().unwrap() as usize, steps.len());
            for (i, step) in steps.iter().enumerate() {
                only_known("step", step);
                assert_eq!(step["step_id"].as_u64().unwrap() as usize, i + 1);
                let agent = step["source"] == "agent";
                assert!(
                    agent
                        || ["tool_calls", "metrics", "observation", "model_name"].iter().all(|k| step.get(k).is_none())
                );
                let calls = step["tool_calls"].as_array().cloned().unwrap_or_default();
                calls.iter().for_each(|c| only_known("call", c));
                assert!(calls.iter().all(|c| c["arguments"].is_object()));
                let ids: BTreeSet<&str> = calls.iter().map(|c| c["tool_call_id"].as_str().unwrap()).collect();
                assert_eq!(ids.len(), calls.len());
                for result in step["observation"]["results"].as_array().into_iter().flatten() {
                    only_known("result", result);
                    assert!(ids.contains(result["source_call_id"].as_str().unwrap()));
                    observed += 1;
                }
                step.get("metrics").into_iter().for_each(|m| only_known("metrics", m));
            }
        }
    }
    assert!(observed > 10, "{observed}");
}

/// A trial of Harbor.
fn trial(name: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut trial = json!({
        "id": "5c2d", "task_name": "words/count", "trial_name": name, "source": "words", "task_checksum": "ab12",
        "agent_info": {"name": "terminus", "version": "2.1", "model_info": {"name": "model-x", "provider": "maker"}},
        "agent_result": {"n_input_tokens": 1000, "n_cache_tokens": 400, "n_output_tokens": 50, "cost_usd": 0.02},
        "verifier_result": {"rewards": {"reward": 1.0}}, "exception_info": null,
        "started_at": "2026-03-01T10:00:00", "finished_at": "2026-03-01T10:05:00Z",
        "agent_execution": {"started_at": "2026-03-01T10:01:00", "finished_at": "2026-03-01T10:03:30"},
        "verifier": {"started_at": "2026-03-01T10:04:00", "finished_at": "2026-03-01T10:04:10"},
    });
    change(&mut trial);
    trial
}

fn job(dir: &Path, trials: &[Value]) -> PathBuf {
    let job = dir.join("2026-03-01__10-00-00");
    std::fs::create_dir_all(&job).unwrap();
    std::fs::write(
        job.join("result.json"),
        json!({"id": "job", "n_total_trials": trials.len(), "stats": {}}).to_string(),
    )
    .unwrap();
    for trial in trials {
        let folder = job.join(trial["trial_name"].as_str().unwrap());
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("result.json"), trial.to_string()).unwrap();
    }
    job
}

#[test]
fn trials_of_harbor_become_attempts_and_no_fault_becomes_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let exception = |kind: &str, valid: bool| {
        json!({"exception_type": kind, "exception_message": "text", "exception_traceback": "", "occurred_at": "2026-03-01T10:02:00",
               "policy": {"should_retry": false, "should_grade": valid, "has_valid_reward": valid}})
    };
    let no_reward = json!({"rewards": {}});
    let zero = json!({"rewards": {"reward": 0}});
    let all = [
        trial("a__1", |_| ()),
        trial("b__2", |t| t["verifier_result"] = zero.clone()),
        trial("c__3", |t| t["verifier_result"] = json!({"rewards": {"tests": 1, "style": 0.5}})),
        trial("d__4", |t| t["verifier_result"] = Value::Null),
        trial("e__5", |t| {
            t["exception_info"] = exception("AgentTimeoutError", true);
            t["verifier_result"] = zero.clone();
        }),
        trial("f__6", |t| {
            t["exception_info"] = exception("SandboxBuildFailedError", false);
            t["verifier_result"] = Value::Null;
        }),
        trial("g__7", |t| {
            t["exception_info"] = exception("SomethingNewError", true);
            t["verifier_result"] = zero.clone();
        }),
        trial("h__8", |t| {
            t["exception_info"] = exception("CancelledError", false);
            t["verifier_result"] = no_reward.clone();
        }),
        trial("i__9", |t| t["verifier_result"] = json!({"rewards": {"reward": "nan"}})),
        trial("j__10", |t| t["exception_info"] = exception("NonZeroAgentExitCodeError", true)),
    ];
    let out = dir.path().join("results");
    let mut command = tsbench();
    command
        .args(["results", "import", "harbor", "--suite", "words@1.2"])
        .arg(job(dir.path(), &all))
        .arg("--out")
        .arg(&out);
    let told = said(&mut command, 0);
    assert!(told.contains("loss: SomethingNewError: Harbor counts its reward"), "{told}");
    assert!(told.contains("loss: rewards between 0 and 1 count as not fixed"), "{told}");
    let found = attempts(&out);
    let outcomes: Vec<Outcome> = found.iter().map(|a| a.outcome).collect();
    use Outcome::{InfraError, Resolved, Stopped, TimedOut, Unresolved};
    let want =
        [Resolved, Unresolved, Unresolved, InfraError, TimedOut, InfraError, InfraError, Stopped, InfraError, Resolved];
    assert_eq!(outcomes, want);
    let first = &found[0];
    assert_eq!(
        (first.task.as_str(), first.model.as_str(), first.agent.as_str()),
        ("words/count", "maker/model-x", "terminus@2.1")
    );
    let usage = first.usage.unwrap();
    assert_eq!((usage.input, usage.cached_input, usage.output, first.cost_usd), (600, 400, 50, Some(0.02)));
    let seconds = first.seconds.unwrap();
    assert_eq!((seconds.agent, seconds.tests, seconds.total), (Some(150.0), Some(10.0), Some(300.0)));
    assert_eq!(found.iter().map(|a| a.repeat).collect::<Vec<_>>(), (0..10).collect::<Vec<u32>>());
}

#[test]
fn what_harbor_leaves_unsaid_or_says_oddly_is_told_and_nothing_vanishes() {
    let dir = tempfile::tempdir().unwrap();
    let rewarded = |reward: Value| move |t: &mut Value| t["verifier_result"] = json!({"rewards": {"reward": reward}});
    let all = [
        trial("count__a", rewarded(json!("1"))),
        trial("count__b", rewarded(json!(true))),
        trial("count__c", rewarded(json!("0.0"))),
        trial("count__d", rewarded(json!("good"))),
        trial("count__e", |t| {
            t["agent_result"] =
                json!({"n_input_tokens": -1, "n_cache_tokens": 1.5, "n_output_tokens": 2, "cost_usd": -3});
        }),
    ];
    let job = job(dir.path(), &all);
    std::fs::create_dir(job.join("count__f")).unwrap();
    std::fs::create_dir(job.join("sort__g")).unwrap();
    let config = json!({"task": {"path": "x/sort"}, "agent": {"name": "terminus", "model_name": "maker/other"}});
    std::fs::write(job.join("sort__g/config.json"), config.to_string()).unwrap();
    std::fs::create_dir(job.join("odds")).unwrap();
    let out = dir.path().join("results");
    let import = |out: &Path, more: &[&str], code| {
        let mut command = tsbench();
        said(command.args(["results", "import", "harbor"]).args(more).arg(&job).arg("--out").arg(out), code)
    };
    let told = import(&out, &["--suite", "words@1.2"], 0);
    for what in [
        "loss: the trial count__f left no result.json: it counts as a fault of the infrastructure (words/count with maker/model-x)",
        "loss: the trial sort__g left no result.json: it counts as a fault of the infrastructure (sort with maker/other)",
        "loss: agent_result.n_input_tokens is -1 in a trial of words/count",
        "loss: agent_result.n_cache_tokens is 1.5",
        "loss: agent_result.cost_usd is -3",
        "/odds holds nothing of a trial and is left out",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    use Outcome::{InfraError, Resolved, Unresolved};
    let found = attempts(&out);
    let outcomes: Vec<Outcome> = found.iter().filter(|a| a.task == "words/count").map(|a| a.outcome).collect();
    assert_eq!(outcomes, [Resolved, Resolved, Unresolved, InfraError, Resolved, InfraError]);
    let messages: Vec<&str> = found.iter().filter_map(|a| Some(a.error.as_ref()?.message.as_str())).collect();
    let (dead, unread): (Vec<&str>, Vec<&str>) = messages.iter().partition(|m| m.contains("no result.json"));
    assert_eq!((dead.len(), unread.len()), (2, 1));
    assert!(unread[0].contains("no reward that is a number: {\"reward\":\"good\"}"), "{messages:?}");
    let other = dir.path().join("other");
    assert!(import(&other, &["--suite", "words"], 2).contains("\"words\" is not of the form id@version"));
    let mut late = all[0].clone();
    late["started_at"] = "yesterday".into();
    std::fs::write(job.join("count__a/result.json"), late.to_string()).unwrap();
    let told = import(&other, &[], 2);
    assert!(told.contains("count__a/result.json: started_at is \"yesterday\", which is no time"), "{told}");
}

#[test]
fn a_folder_without_trials_is_no_job() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = tsbench();
    command.args(["results", "import", "harbor"]).arg(job(dir.path(), &[])).arg("--out").arg(dir.path().join("r"));
    let told = said(&mut command, 2);
    assert!(told.contains("no trial below it has a result.json") && told.contains("hint: "), "{told}");
    assert!(!dir.path().join("r").exists());
}

#[test]
fn an_imported_run_leaves_again_as_a_report_that_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let zero = json!({"rewards": {"reward": 0}});
    let all = [
        trial("a__1", |_| ()),
        trial("b__2", |t| {
            t["task_name"] = "words/sort".into();
            t["verifier_result"] = zero;
        }),
    ];
    let out = dir.path().join("results");
    let mut command = tsbench();
    command.args(["results", "import", "harbor"]).arg(job(dir.path(), &all)).arg("--out").arg(&out);
    let dir_of_run = String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap();
    let report = dir.path().join("report.json");
    export(Path::new(dir_of_run.trim()), "swe-bench-report", &report, &[]);
    let report = value(&report);
    assert_eq!((&report["resolved_ids"], &report["unresolved_ids"]), (&json!(["words/count"]), &json!(["words/sort"])));
    // Its patches stayed in the job, and an empty patch would be a lie.
    let preds = dir.path().join("preds.jsonl");
    let told = export(Path::new(dir_of_run.trim()), "predictions", &preds, &[]);
    assert!(told.contains("loss: \"words/count\": its patch is not here"), "{told}");
    assert_eq!(std::fs::read_to_string(&preds).unwrap(), "");
}
