//! Logs of Inspect taken in.

use super::runs::attempts;
use super::world::{said, tsbench};
use serde_json::{Value, json};
use tsbench::schema::Outcome;

fn log(samples: &[Value]) -> Value {
    json!({
        "version": 2, "status": "success",
        "eval": {"task": "words", "task_version": 3, "created": "2026-04-01T08:00:00+00:00", "model": "maker/model-y",
                 "dataset": {"name": "words"}, "config": {"message_limit": 30}, "packages": {"inspect_ai": "0.3.210"}},
        "samples": samples,
    })
}

fn sample(id: Value, epoch: u64, score: Value) -> Value {
    json!({
        "id": id, "epoch": epoch, "input": "x", "target": "y", "scores": {"verify": {"value": score, "answer": "", "metadata": {}}},
        "model_usage": {"maker/model-y": {"input_tokens": 10, "output_tokens": 20, "input_tokens_cache_read": 5, "total_cost": 0.5}},
        "total_time": 12.5, "working_time": 10.0, "error": null, "limit": null,
    })
}

#[test]
fn samples_of_inspect_become_attempts() {
    let dir = tempfile::tempdir().unwrap();
    let with = |mut sample: Value, key: &str, value: Value| {
        sample[key] = value;
        sample
    };
    let samples = [
        sample(json!(1), 1, json!("C")),
        sample(json!(1), 2, json!("I")),
        sample(json!("b"), 1, json!(1.0)),
        sample(json!("b"), 2, json!("P")),
        sample(json!("c"), 1, json!(true)),
        with(sample(json!("c"), 2, json!("I")), "limit", json!({"type": "time", "limit": 60})),
        with(sample(json!("d"), 1, json!("I")), "error", json!({"message": "boom"})),
        with(sample(json!("d"), 2, json!("N")), "limit", json!({"type": "message", "limit": 30})),
    ];
    let (file, out) = (dir.path().join("log.json"), dir.path().join("results"));
    std::fs::write(&file, log(&samples).to_string()).unwrap();
    let mut command = tsbench();
    command.args(["results", "import", "inspect"]).arg(&file).arg("--out").arg(&out);
    let told = said(&mut command, 0);
    assert!(told.contains("loss: samples that are scored as partly right"), "{told}");
    let found = attempts(&out);
    use Outcome::{InfraError, Resolved, TimedOut, Unresolved};
    let outcomes: Vec<(&str, u32, Outcome)> = found.iter().map(|a| (a.task.as_str(), a.repeat, a.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("1", 0, Resolved),
            ("1", 1, Unresolved),
            ("b", 0, Resolved),
            ("b", 1, Unresolved),
            ("c", 0, Resolved),
            ("c", 1, TimedOut),
            ("d", 0, InfraError),
            ("d", 1, Unresolved)
        ]
    );
    assert_eq!((found[0].suite.as_str(), found[7].stop.as_deref()), ("words@3", Some("turn_limit")));
    let usage = found[0].usage.unwrap();
    assert_eq!((usage.input, usage.cached_input, usage.output, found[0].cost_usd), (10, 5, 20, Some(0.5)));
}

#[test]
fn a_log_that_does_not_say_which_score_decides_is_asked_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut two = sample(json!("a"), 1, json!("C"));
    two["scores"]["style"] = json!({"value": 0.0});
    let file = dir.path().join("log.json");
    std::fs::write(&file, log(&[two]).to_string()).unwrap();
    let import = |more: &[&str], code| {
        let mut command = tsbench();
        command
            .args(["results", "import", "inspect"])
            .args(more)
            .arg(&file)
            .arg("--out")
            .arg(dir.path().join("results"));
        said(&mut command, code)
    };
    let told = import(&[], 2);
    assert!(
        told.contains("2 scorers decide over samples: [\"style\", \"verify\"]") && told.contains("--scorer"),
        "{told}"
    );
    import(&["--scorer", "verify"], 0);
    assert_eq!(attempts(&dir.path().join("results"))[0].outcome, Outcome::Resolved);
    std::fs::write(&file, b"PK\x03\x04").unwrap();
    assert!(import(&[], 2).contains("inspect log dump"));
}

fn import(log: &Value, code: i32) -> (String, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("log.json");
    std::fs::write(&file, log.to_string()).unwrap();
    let mut command = tsbench();
    command.args(["results", "import", "inspect"]).arg(&file).arg("--out").arg(dir.path().join("results"));
    (said(&mut command, code), dir)
}

#[test]
fn scores_are_read_as_inspect_itself_reads_them() {
    use Outcome::{InfraError, Resolved, Unresolved};
    let all = [
        (json!("yes"), Resolved),
        (json!("True"), Resolved),
        (json!("y"), Resolved),
        (json!("on"), Resolved),
        (json!("1"), Resolved),
        (json!("1.0"), Resolved),
        (json!("no"), Unresolved),
        (json!("off"), Unresolved),
        (json!("0.5"), Unresolved),
        (json!(0.9), Unresolved),
        (json!("maybe"), InfraError),
        (json!({"a": 1, "b": 0}), InfraError),
        (json!([1, 0]), InfraError),
        (Value::Null, InfraError),
    ];
    let samples: Vec<Value> = (100..).zip(&all).map(|(id, (value, _))| sample(json!(id), 1, value.clone())).collect();
    let (told, dir) = import(&log(&samples), 0);
    let found = attempts(&dir.path().join("results"));
    for ((value, outcome), attempt) in all.iter().zip(&found) {
        assert_eq!(attempt.outcome, *outcome, "{value}");
    }
    for what in ["the text \"maybe\"", "a map of a, b", "a list", "partly right"] {
        assert!(told.contains(what), "{what}: {told}");
    }
    let messages: Vec<&str> = found[10..].iter().map(|a| a.error.as_ref().unwrap().message.as_str()).collect();
    assert_eq!(
        messages[1..],
        [
            "the score is a map of a, b, which is no outcome",
            "the score is a list, which is no outcome",
            "the sample was not scored"
        ]
    );
}

#[test]
fn a_log_that_is_not_of_the_known_form_says_what_it_lacks() {
    let good = log(&[sample(json!("a"), 1, json!("C"))]);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut log = good.clone();
        change(&mut log);
        import(&log, 2).0
    };
    assert!(with(&|l| l["version"] = json!(99)).contains("it has the version 99"));
    assert!(with(&|l| drop(l.as_object_mut().unwrap().remove("version"))).contains("it has no version"));
    assert!(with(&|l| drop(l["eval"].as_object_mut().unwrap().remove("created"))).contains("eval.created is missing"));
    assert!(with(&|l| l["eval"]["created"] = json!("yesterday")).contains("which is no time"));
    let told = with(&|l| {
        let one = l["samples"][0].clone();
        l["samples"].as_array_mut().unwrap().push(one);
    });
    assert!(told.contains("the sample \"a\" stands twice with the epoch 1") && !told.contains(".import-"), "{told}");
    let mut odd = good.clone();
    odd["samples"][0]["model_usage"]["maker/model-y"]["input_tokens"] = json!(-5);
    let told = import(&odd, 0).0;
    assert!(told.contains("loss: input_tokens of maker/model-y is -5 in the sample \"a\""), "{told}");
    let (_, dir) = import(&good, 0);
    assert!(dir.path().join("results/2026-04-01-words-maker-model-y").is_dir(), "the name is made once");
}
