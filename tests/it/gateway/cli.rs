//! `tsbench models` and `tsbench results reprice`, as their user calls them.

use super::*;
use std::path::Path;

fn tsbench(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let out =
        assert_cmd::Command::cargo_bin("tsbench").unwrap().current_dir(dir).env_clear().args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

fn write_models(dir: &Path, base: &str) {
    let model = |id: &str, more: &str| {
        format!(
            "[[models]]\nid = \"{id}\"\nname = \"N\"\nmaker = \"M\"\ntier = \"paid\"\ndialect = \"openai\"\nbase_url = \"{base}\"\n{more}\n"
        )
    };
    let text = model("t/priced", "key_env = \"THEIR_KEY\"\nprice = { input = 1.0, output = 10.0 }")
        + &model("t/unpriced", "key_env = \"OTHER_KEY\"");
    std::fs::write(dir.join("models.toml"), text).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_shows_what_a_model_answers_and_a_key_only_to_the_model() {
    let server = server(vec![ResponseTemplate::new(200).set_body_json(answer(&format!("ready {CANARY}")))]).await;
    let dir = tempfile::tempdir().unwrap();
    write_models(dir.path(), &format!("{}/v1", server.uri()));
    std::fs::write(dir.path().join(".env"), format!("THEIR_KEY={CANARY}\n")).unwrap();
    // Without names, the model whose key is missing is not asked.
    let (code, out, err) = tsbench(dir.path(), &["models", "probe", "--json"]);
    assert_eq!(code, 0, "{err}");
    let probes: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(probes.as_array().unwrap().len(), 1);
    assert_eq!((&probes[0]["id"], &probes[0]["answers"]), (&json!("t/priced"), &json!(true)));
    assert_eq!(probes[0]["text"], "ready [redacted]");
    assert_eq!(
        server.received_requests().await.unwrap()[0].headers["authorization"],
        format!("Bearer {CANARY}").as_str()
    );
    let (code, out, err) = tsbench(dir.path(), &["models", "probe", "t/unpriced", "mock/gold"]);
    assert_eq!(code, 3, "{err}");
    assert!(out.contains("OTHER_KEY") && out.contains("answers   mock/gold"), "{out}");
    let (code, out, _) = tsbench(dir.path(), &["models", "list", "--json"]);
    let models: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &models[0]["key_set"], &models[1]["key_set"]), (0, &json!(true), &json!(false)));
    let (_, out, err) = tsbench(dir.path(), &["models", "list"]);
    assert!(
        out.contains("THEIR_KEY is set") && out.contains("OTHER_KEY is missing") && out.contains("unknown"),
        "{out}"
    );
    assert!(!format!("{out}{err}{probes}{models}").contains(CANARY));
}

#[test]
fn a_model_that_is_silent_or_unknown_ends_a_probe_with_no_and_with_usage() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("script.jsonl"), "{\"error\": \"auth\"}\n").unwrap();
    write_models(dir.path(), "http://127.0.0.1:9/v1");
    let (code, out, _) = tsbench(dir.path(), &["models", "probe", "mock/script:script.jsonl"]);
    assert_eq!(code, 1);
    assert!(out.starts_with("no answer mock/script:script.jsonl: failed to be let in"), "{out}");
    let (code, _, err) = tsbench(dir.path(), &["models", "probe", "t/nobody"]);
    assert_eq!(code, 2);
    assert!(err.contains("t/nobody") && err.contains("hint:"), "{err}");
}

/// A line of a run with a field that this version does not know.
fn line(model: &str, repeat: u32, usage: Value, cost: Value) -> String {
    json!({"schema": "tsbench.attempt/1", "run": "r", "suite": "s@1", "task": "t", "model": model, "agent": "shell@1",
        "condition": "default", "repeat": repeat, "outcome": "resolved", "usage": usage, "cost_usd": cost, "later": {"x": 1}})
    .to_string()
}

#[test]
fn reprice_computes_costs_from_tokens_and_touches_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    write_models(dir.path(), "http://127.0.0.1:9/v1");
    let run = dir.path().join("results/r");
    std::fs::create_dir_all(&run).unwrap();
    let usage = json!({"input": 1000, "cached_input": 500, "cache_write": 0, "output": 100, "requests": 3});
    let right = format!(" {} ", line("t/priced", 0, usage.clone(), json!(0.0025)));
    let lines = [
        right.clone(),
        line("t/priced", 1, usage.clone(), Value::Null),
        line("t/unpriced", 2, usage.clone(), json!(7.5)),
        line("t/priced", 3, Value::Null, json!(1.5)),
        line("t/elsewhere", 4, usage, json!(2.5)),
    ];
    let file = run.join("attempts.jsonl");
    let text = lines.join("\n") + "\n";
    std::fs::write(&file, &text).unwrap();
    let (code, out, err) = tsbench(dir.path(), &["results", "reprice", "results", "--dry-run"]);
    assert_eq!((code, out.lines().count()), (0, 2), "{err}");
    assert!(err.contains("would change"), "{err}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    let (code, out, err) = tsbench(dir.path(), &["results", "reprice", "results/r"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("attempts.jsonl:2: t/priced t repeat 1: unknown → $0.0025"), "{out}");
    assert!(out.contains("attempts.jsonl:3: t/unpriced t repeat 2: $7.5 → unknown"), "{out}");
    assert!(err.contains("t/elsewhere") && err.contains("1 lines have no tokens"), "{err}");
    let new = std::fs::read_to_string(&file).unwrap();
    let new: Vec<&str> = new.lines().collect();
    assert_eq!((new[0], new[3], new[4]), (right.as_str(), lines[3].as_str(), lines[4].as_str()));
    let second: Value = serde_json::from_str(new[1]).unwrap();
    assert_eq!((&second["cost_usd"], &second["later"]), (&json!(0.0025), &json!({"x": 1})));
    assert_eq!(serde_json::from_str::<Value>(new[2]).unwrap()["cost_usd"], Value::Null);
    // Again: nothing is left to change.
    let (code, out, _) = tsbench(dir.path(), &["results", "reprice", "results/r"]);
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn reprice_names_a_line_that_it_cannot_read_and_a_folder_without_runs() {
    let dir = tempfile::tempdir().unwrap();
    write_models(dir.path(), "http://127.0.0.1:9/v1");
    std::fs::write(dir.path().join("attempts.jsonl"), "{\"schema\": \n").unwrap();
    let (code, _, err) = tsbench(dir.path(), &["results", "reprice", "."]);
    assert_eq!(code, 2);
    assert!(err.contains("attempts.jsonl:1"), "{err}");
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    let (code, _, err) = tsbench(dir.path(), &["results", "reprice", "empty"]);
    assert_eq!(code, 2);
    assert!(err.contains("hint: name the folder of a run"), "{err}");
}
