//! Models without a network, and the file that describes the others.

use super::*;
use base64::Engine as _;
use std::process::Command;
use tsbench::gateway::Finish;

const PATCH: &[u8] = b"diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+it's `done`\n";

fn find(id: &str) -> Result<ModelEntry, GatewayError> {
    Models::default().find(id)
}

async fn replies(id: &str, solution: &[u8], agent: &AgentKind, seed: &str, turns: usize) -> Vec<Reply> {
    let context = MockContext { solution: solution.to_vec(), seed: seed.into(), agent: agent.clone() };
    let gateway = gateways().open(&find(id).unwrap(), context).unwrap();
    let mut calls = Vec::new();
    let mut replies = Vec::new();
    for _ in 0..turns {
        replies.push(gateway.complete(&question(), &mut calls).await.unwrap());
    }
    assert_eq!(calls.len(), turns);
    assert!(calls.iter().all(|call| call.cost_usd == Some(0.0) && call.usage.unwrap().requests == 1));
    replies
}

fn shell() -> AgentKind {
    AgentKind::Shell { submit: "echo TSBENCH_DONE".into() }
}

fn tools(submit: Option<&str>) -> AgentKind {
    AgentKind::Tools { run: "run_command".into(), argument: "command".into(), submit: submit.map(str::to_owned) }
}

/// Runs commands in a fresh repository and gives the text of `new.txt`.
fn after(commands: &[String]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(dir.path()).status().unwrap().success());
    for command in commands {
        let out = Command::new("bash").args(["-c", command]).current_dir(dir.path()).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        assert!(command.len() < 100_000);
    }
    assert!(!dir.path().join(".git/collected.patch").exists());
    std::fs::read(dir.path().join("new.txt")).unwrap()
}

fn fenced(reply: &Reply) -> String {
    reply.text.strip_prefix("```bash\n").unwrap().strip_suffix("\n```\n").unwrap().to_owned()
}

#[tokio::test]
async fn gold_applies_the_fix_and_submits() {
    let replies = replies("mock/gold", PATCH, &shell(), "s", 3).await;
    assert_eq!(after(&[fenced(&replies[0])]), b"it's `done`\n");
    assert_eq!(fenced(&replies[1]), "echo TSBENCH_DONE");
    assert_eq!(fenced(&replies[2]), "echo TSBENCH_DONE");
}

#[tokio::test]
async fn gold_through_tools_runs_the_same_command() {
    let replies = replies("mock/gold", PATCH, &tools(Some("submit")), "s", 2).await;
    let arguments: Value = serde_json::from_str(&replies[0].tool_calls[0].arguments).unwrap();
    assert_eq!(replies[0].tool_calls[0].name, "run_command");
    assert_eq!(after(&[arguments["command"].as_str().unwrap().to_owned()]), b"it's `done`\n");
    assert_eq!((replies[1].tool_calls[0].name.as_str(), &replies[1].finish), ("submit", &Finish::Tools));
    let replies = super::offline::replies("mock/empty", PATCH, &tools(None), "s", 1).await;
    assert!(replies[0].tool_calls.is_empty() && !replies[0].text.is_empty());
}

#[tokio::test]
async fn a_fix_longer_than_an_argument_may_be_comes_in_pieces() {
    let line = "0123456789 abcdefghij\n";
    let body: String = (0..20_000).map(|_| format!("+{line}")).collect();
    let patch = format!(
        "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,20000 @@\n{body}"
    );
    let turns = base64::engine::general_purpose::STANDARD.encode(&patch).len().div_ceil(60_000) + 1;
    let replies = replies("mock/gold", patch.as_bytes(), &shell(), "s", turns + 1).await;
    let commands: Vec<String> = replies[..turns].iter().map(fenced).collect();
    assert_eq!(after(&commands), line.repeat(20_000).into_bytes());
    assert_eq!(fenced(&replies[turns]), "echo TSBENCH_DONE");
}

#[tokio::test]
async fn empty_submits_at_once_and_so_does_gold_without_a_fix() {
    for (id, solution) in [("mock/empty", PATCH), ("mock/gold", b"")] {
        assert_eq!(fenced(&replies(id, solution, &shell(), "s", 1).await[0]), "echo TSBENCH_DONE");
    }
}

#[tokio::test]
async fn random_is_a_coin_that_its_seed_decides() {
    let mut gold = 0;
    for i in 0..400 {
        let seed = format!("run|task|mock/random:0.3|{i}");
        let first = replies("mock/random:0.3", PATCH, &shell(), &seed, 1).await;
        assert_eq!(first, replies("mock/random:0.3", PATCH, &shell(), &seed, 1).await);
        gold += usize::from(first[0].text.contains("git apply"));
        assert!(!replies("mock/random:0", PATCH, &shell(), &seed, 1).await[0].text.contains("git apply"));
        assert!(replies("mock/random:1", PATCH, &shell(), &seed, 1).await[0].text.contains("git apply"));
    }
    // Within four standard deviations of 120: the seeds are fixed, and so is the answer.
    assert!((84..=156).contains(&gold), "{gold}");
}

#[test]
fn names_that_no_model_has_are_refused_with_what_there_is() {
    for id in [
        "mock/",
        "mock/golden",
        "mock/random",
        "mock/random:2",
        "mock/random:-0.1",
        "mock/random:NaN",
        "mock/script:",
        "replay:",
        "gpt",
    ] {
        let error = find(id).unwrap_err();
        assert_eq!(error.class(), "no_model", "{id}");
        assert!(error.to_string().contains("hint:"), "{error}");
    }
}

#[tokio::test]
async fn a_script_says_and_fails_what_its_file_says() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script.jsonl");
    let lines = [
        json!({"text": "```bash\nls\n```", "usage": {"input": 10, "output": 5, "requests": 1}, "cost_usd": 0.25}),
        json!({"tool_calls": [{"name": "run", "arguments": {"command": "ls"}}, {"name": "bad", "arguments": "{"}]}),
        json!({"error": "server"}),
        json!({"error": "context_overflow"}),
        json!({"text": "late", "wait_seconds": 9999.0}),
    ];
    std::fs::write(&file, lines.iter().map(|l| format!("{l}\n")).collect::<String>()).unwrap();
    let gateway = gateways().open(&find(&format!("mock/script:{}", file.display())).unwrap(), context()).unwrap();
    let mut calls = Vec::new();
    let first = gateway.complete(&question(), &mut calls).await.unwrap();
    assert_eq!((first.text.as_str(), first.cost_usd), ("```bash\nls\n```", Some(0.25)));
    let second = gateway.complete(&question(), &mut calls).await.unwrap();
    assert_eq!(
        (second.finish.clone(), second.tool_calls[0].arguments.as_str()),
        (Finish::Tools, "{\"command\":\"ls\"}")
    );
    assert_eq!(second.tool_calls[1].arguments, "{");
    let short = Request { seconds_left: 0.01, ..question() };
    let mut ends = Vec::new();
    for request in [question(), question(), short, question()] {
        let error = gateway.complete(&request, &mut calls).await.unwrap_err();
        ends.push((error.class(), error.is_infra()));
    }
    assert_eq!(ends, [("server", true), ("context_overflow", false), ("time_limit", false), ("exhausted", true)]);
    assert_eq!(classes(&calls), ["reply", "reply", "server", "context_overflow", "time_limit"]);
}

#[tokio::test]
async fn a_trajectory_is_replayed_reply_by_reply_with_its_costs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("trajectory.jsonl");
    let reply = Reply { cost_usd: Some(0.5), seconds: 3.0, ..said("```bash\nls\n```") };
    let turn = json!({"schema": "tsbench.turn/1", "turn": 1, "reply": reply, "command": "ls", "calls": []});
    std::fs::write(&file, format!("{{\"schema\":\"tsbench.turn/1\",\"turn\":0}}\n{turn}\n")).unwrap();
    let gateway = gateways().open(&find(&format!("replay:{}", file.display())).unwrap(), context()).unwrap();
    let mut calls = Vec::new();
    assert_eq!(gateway.complete(&question(), &mut calls).await.unwrap(), reply);
    assert_eq!(calls[0].cost_usd, Some(0.5));
    assert_eq!(gateway.complete(&question(), &mut calls).await.unwrap_err().class(), "exhausted");
}

#[test]
fn a_bad_script_is_named_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("script.jsonl");
    for (text, what) in [
        ("{\"text\": \"a\"}\n{oops\n", "line 2"),
        ("{\"txt\": \"a\"}\n", "line 1"),
        ("{\"wait_seconds\": -1}\n", "line 1"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error =
            gateways().open(&find(&format!("mock/script:{}", file.display())).unwrap(), context()).err().unwrap();
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn faults_of_models_toml_are_told_with_line_and_remedy_and_without_its_values() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("models.toml");
    let good = "[[models]]\nid = \"a/b\"\nname = \"B\"\nmaker = \"A\"\ntier = \"paid\"\ndialect = \"openai\"\n";
    let url = "base_url = \"http://127.0.0.1:1/v1\"\n";
    for (more, what) in [
        (String::new(), "line 2: \"a/b\": base_url is missing"),
        (format!("base_url = \"http://me:{CANARY}@host/v1\"\n"), "base_url must have no user"),
        (format!("base_url = \"http://host/v1?key={CANARY}\"\n"), "base_url must have no user, query"),
        ("base_url = \"ftp://host\"\n".to_owned(), "must begin with http"),
        (format!("{url}key_env = \"{CANARY}\"\n"), "key_env must be the name of a variable"),
        (format!("{url}price = {{ input = -1.0, output = 1.0 }}\n"), "price.input"),
        (format!("{url}price = {{ input = 1.0, output = 1.0, out = 1.0 }}\n"), "line 8"),
        (format!("{url}temprature = 0\n"), "line 8"),
        (format!("{url}max_output_tokens = 8192\ncontext_tokens = 8192\n"), "max_output_tokens"),
        (format!("{url}request_seconds = 0\n"), "request_seconds"),
        (format!("{url}cutoff = \"2025\"\n"), "cutoff"),
        (format!("{url}concurrent = 0\n"), "concurrent"),
        (format!("{url}{good}{url}"), "two models have the id"),
    ] {
        std::fs::write(&file, format!("{good}{more}")).unwrap();
        let error = Models::read(&file).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("hint:") && error.contains("models.toml"), "{what}: {error}");
        assert!(!error.contains(CANARY), "{error}");
    }
}

#[test]
fn the_models_of_this_repository_are_well_described() {
    let models = Models::read(std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/models.toml"))).unwrap();
    let local = models.find("local/smollm2-135m").unwrap();
    assert_eq!(local.key_env, None);
    assert!(local.base_url.unwrap().starts_with("http://127.0.0.1:8011/"));
    assert!(
        models.list.iter().all(|m| m.key_env.is_some() || m.price.is_some()),
        "a model without a key has a known price"
    );
}
