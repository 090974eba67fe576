//! Whole runs in processes of this machine: faults, limits, budgets, interruptions, recordings, keys.

use super::world::{TASK, World, ends_with, stderr};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tsbench::schema::Outcome;

/// A script of replies, each one command.
fn script(world: &World, name: &str, commands: &[&str]) -> String {
    let line = |c: &&str| json!({"text": format!("I do this:\n```bash\n{c}\n```\n")}).to_string();
    let text: Vec<String> = commands.iter().map(line).collect();
    world.write(name, &(text.join("\n") + "\n"));
    format!("mock/script:{name}")
}

pub fn trajectory(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("trajectory.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

#[test]
fn a_recorded_trajectory_replays_to_the_same_patch_and_verdict() {
    let Some(world) = World::new() else { return };
    let commands = ["cat answer.txt", "mkdir -p new && echo x >new/file && echo yes >answer.txt", "echo TSBENCH_DONE"];
    let model = script(&world, "work.jsonl", &commands);
    for agent in ["shell", "tools"] {
        let (first, second) = (format!("first-{agent}"), format!("second-{agent}"));
        let model = if agent == "shell" { model.as_str() } else { "mock/gold" };
        ends_with(0, &mut world.run(&first, model, &["--repeats", "1", "--agent", agent]));
        let recorded = world.evidence(&first, model).join("trajectory.jsonl");
        let replay = format!("replay:{}", recorded.display());
        ends_with(0, &mut world.run(&second, &replay, &["--repeats", "1", "--agent", agent]));
        let (a, b) = (&world.lines(&first)[0], &world.lines(&second)[0]);
        assert_eq!((a.outcome, &a.stop, a.turns), (b.outcome, &b.stop, b.turns));
        assert_eq!((a.outcome, a.stop.as_deref()), (Outcome::Resolved, Some("submitted")));
        assert!(a.patch.is_some());
        assert_eq!(a.patch, b.patch, "{agent}");
    }
    let line = &world.lines("first-shell")[0];
    assert_eq!((line.patch.as_ref().unwrap().files, line.score.unwrap().passed), (2, 1));
    let shown = ends_with(
        0,
        std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"))
            .arg("show")
            .arg(world.evidence("first-shell", &model)),
    );
    let shown = String::from_utf8(shown.stdout).unwrap();
    for part in ["outcome resolved", "turn 2", "$ cat answer.txt", "stdout│ no", "new/file"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

#[test]
fn what_a_model_does_wrong_is_told_to_it_and_ends_by_the_rules() {
    let Some(world) = World::new() else { return };
    let many = "echo yes >answer.txt; sleep 0.01";
    let repeats = script(&world, "repeats.jsonl", &["echo yes >answer.txt", "ls", "ls", "ls", "ls"]);
    let limit = script(&world, "limit.jsonl", &["true 1", "true 2", "true 3", many, "true 5", "true 6"]);
    let unsure = script(&world, "unsure.jsonl", &["echo TSBENCH_DONE", many, "echo TSBENCH_DONE"]);
    let silent = "mock/script:silent.jsonl";
    world.write(
        "silent.jsonl",
        "{\"text\": \"\"}\n{\"text\": \"no block\", \"finish\": \"refusal\"}\n{\"error\": \"context_overflow\"}\n",
    );
    let models = [repeats.as_str(), &limit, &unsure, silent].join(",");
    ends_with(0, &mut world.run("wrong", &models, &["--repeats", "1", "--turns", "5"]));
    let of = |model: &str| world.lines("wrong").into_iter().find(|l| l.model == model).unwrap();
    for (model, outcome, stop, turns) in [
        (repeats.as_str(), Outcome::Resolved, "repeated_command", 4),
        (&limit, Outcome::Resolved, "turn_limit", 5),
        (&unsure, Outcome::Resolved, "submitted", 3),
        (silent, Outcome::NoPatch, "context_limit", 2),
    ] {
        let line = of(model);
        assert_eq!((line.outcome, line.stop.as_deref(), line.turns), (outcome, Some(stop), Some(turns)), "{model}");
        assert_eq!(line.error, None);
    }
    let turns = trajectory(&world.evidence("wrong", silent));
    assert_eq!(turns[0]["note"], "no command");
    let asked = &turns[2]["calls"][0];
    assert_eq!((&asked["class"], &asked["messages_before"]), (&json!("context_overflow"), &json!(3)));
    let told = asked["request"]["messages"].as_array().unwrap();
    assert_eq!(told.len(), 2, "only what is new is written again");
    assert!(told[1]["text"].as_str().unwrap().contains("There was no command"));
}

#[test]
fn faults_of_a_provider_are_tried_again_kept_and_after_five_in_a_row_the_run_pauses() {
    let Some(world) = World::new() else { return };
    world.write("down.jsonl", "{\"text\": \"```bash\\necho yes >answer.txt\\n```\"}\n{\"error\": \"server\"}\n");
    let model = "mock/script:down.jsonl";
    let paused = ends_with(1, &mut world.run("down", model, &["--repeats", "6"]));
    let text = stderr(&paused);
    assert!(text.contains("paused after 5 faults") && text.contains("server") && text.contains("hint:"), "{text}");
    let lines = world.lines("down");
    assert_eq!(lines.len(), 2, "three tries of the first attempt, two of the second");
    assert!(lines.iter().all(|l| l.outcome == Outcome::InfraError && l.error.as_ref().unwrap().class == "server"));
    assert_eq!((lines[0].retries, lines[0].usage.unwrap().requests), (Some(2), 6), "calls of every try are counted");
    let folder = world.out("down").join("artifacts").join(TASK).join(tsbench::results::slug(model));
    let first = folder.join(lines[0].repeat.to_string());
    assert!(first.join("try-1/trajectory.jsonl").is_file() && first.join("try-2/trajectory.jsonl").is_file());
    assert!(!first.join("try-3").exists() && first.join("trajectory.jsonl").is_file());
    // The provider is well again: what failed is made again, and its line replaces the other.
    world.write(
        "down.jsonl",
        "{\"text\": \"```bash\\necho yes >answer.txt\\n```\"}\n{\"text\": \"```bash\\necho TSBENCH_DONE\\n```\"}\n",
    );
    ends_with(0, &mut world.resume("down", &[]));
    let lines = world.lines("down");
    assert_eq!(lines.len(), 8);
    assert_eq!(lines.iter().filter(|l| l.outcome == Outcome::Resolved).count(), 6);
    let check = std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"))
        .args(["results", "check", "--results"])
        .arg(world.dir.path().join("results"))
        .output()
        .unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[test]
fn a_changed_plan_is_refused_with_the_difference_and_changes_nothing() {
    let Some(world) = World::new() else { return };
    ends_with(0, &mut world.run("plan", "mock/empty", &["--repeats", "1"]));
    let locked = fs::read(world.out("plan").join("run.json")).unwrap();
    let refused = ends_with(2, &mut world.run("plan", "mock/empty", &["--repeats", "2"]));
    assert!(stderr(&refused).contains("repeats: locked 1, now 2"), "{}", stderr(&refused));
    world.write("tasks/tiny/say-yes/problem.md", "answer.txt must say yes!\n");
    let refused = ends_with(2, &mut world.resume("plan", &[]));
    assert!(stderr(&refused).contains("task_digests.say-yes"), "{}", stderr(&refused));
    assert_eq!(fs::read(world.out("plan").join("run.json")).unwrap(), locked);
    assert_eq!(world.lines("plan").len(), 1);
}

#[test]
fn interrupted_twice_a_run_marks_what_is_going_on_as_stopped_and_goes_on_later() {
    let Some(world) = World::new() else { return };
    world.write("slow.jsonl", "{\"text\": \"```bash\\nsleep 50\\n```\"}\n");
    let mut command = world.run("slow", "mock/script:slow.jsonl,mock/gold", &["--repeats", "1", "--jobs", "2"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while world.lines("slow").is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, Signal::INT).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    kill_process(pid, Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let lines = world.lines("slow");
    let stopped: Vec<_> = lines.iter().filter(|l| l.outcome == Outcome::Stopped).collect();
    assert_eq!((lines.len(), stopped.len(), stopped[0].stop.as_deref()), (2, 1, Some("cancelled")));
    assert_eq!(world.boxes(), 0);
    world.write(
        "slow.jsonl",
        "{\"text\": \"```bash\\necho yes >answer.txt\\n```\"}\n{\"text\": \"```bash\\necho TSBENCH_DONE\\n```\"}\n",
    );
    ends_with(0, &mut world.resume("slow", &[]));
    assert_eq!(world.lines("slow").last().unwrap().outcome, Outcome::Resolved);
    assert_eq!(world.lines("slow").len(), 3);
}

/// A model over HTTP that gives another command in each reply, with tokens.
pub async fn provider() -> wiremock::MockServer {
    let server = wiremock::MockServer::start().await;
    let counter = std::sync::atomic::AtomicU64::new(0);
    let reply = move |_: &wiremock::Request| {
        let n = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        wiremock::ResponseTemplate::new(200).set_body_json(json!({
            "id": "x", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
                "content": format!("```bash\necho {n} >answer.txt\n```")}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        }))
    };
    wiremock::Mock::given(wiremock::matchers::any()).respond_with(reply).mount(&server).await;
    server
}

pub fn entry(server: &wiremock::MockServer, more: &str) -> String {
    format!(
        "[[models]]\nid = \"m/x\"\nname = \"X\"\nmaker = \"M\"\ntier = \"paid\"\ndialect = \"openai\"\nbase_url = \"{}/v1\"\n\
         max_output_tokens = 200\n{more}",
        server.uri()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_of_an_attempt_and_of_a_run_are_kept_and_an_unknown_price_has_none() {
    let Some(world) = World::new() else { return };
    let server = provider().await;
    // A reply costs 1000 × 10 + 100 × 100 millionths: two cents.
    world.write("models.toml", &entry(&server, "price = { input = 10.0, output = 100.0 }\n"));
    let limited = ["--repeats", "1", "--attempt-budget-usd", "0.15", "--no-probe"];
    tokio::task::block_in_place(|| ends_with(0, &mut world.run("attempt", "m/x", &limited)));
    let line = &world.lines("attempt")[0];
    assert_eq!((line.stop.as_deref(), line.outcome), (Some("cost_limit"), Outcome::Unresolved));
    assert!(line.cost_usd.unwrap() > 0.03 && line.cost_usd.unwrap() <= 0.15, "{:?}", line.cost_usd);
    let limited = ["--repeats", "3", "--turns", "5", "--budget-usd", "0.2", "--no-probe", "--jobs", "2"];
    let stopped = tokio::task::block_in_place(|| ends_with(4, &mut world.run("run", "m/x", &limited)));
    assert!(stderr(&stopped).contains("budget"), "{}", stderr(&stopped));
    let lines = world.lines("run");
    let cost: f64 = lines.iter().filter_map(|l| l.cost_usd).sum();
    assert!(cost > 0.05 && cost <= 0.2, "{cost}");
    assert!(lines.iter().any(|l| l.outcome == Outcome::Stopped && l.stop.as_deref() == Some("run_budget")));
    let more = ["--budget-usd", "5", "--no-probe"];
    tokio::task::block_in_place(|| ends_with(0, &mut world.resume("run", &more)));
    assert_eq!(world.lines("run").iter().filter(|l| l.outcome == Outcome::Unresolved).count(), 3);
    world.write("models.toml", &entry(&server, ""));
    let refused = tokio::task::block_in_place(|| ends_with(2, &mut world.run("free", "m/x", &["--budget-usd", "1"])));
    assert!(stderr(&refused).contains("price of m/x is unknown"), "{}", stderr(&refused));
    tokio::task::block_in_place(|| ends_with(0, &mut world.run("free", "m/x", &["--repeats", "1", "--turns", "2"])));
    let line = &world.lines("free")[0];
    assert_eq!((line.cost_usd, line.usage.unwrap().input), (None, 2000), "unknown is not zero");
}

/// Another word for a text, which nothing that looks for the text finds.
fn turned(text: &str) -> String {
    text.chars().rev().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_environment_and_file_are_in_no_sandbox_trajectory_log_or_artifact() {
    let Some(world) = World::new() else { return };
    let (one, two) = ("canary-7f3a91c2d4e5-environment", "canary-0b1c2d3e4f5a-dotenv");
    let server = provider().await;
    world.write(".env", &format!("SECOND_KEY=\"{two}\"\n"));
    // The commands write what they see backwards, so that no redaction could hide it.
    let look = "env | rev; cat .env ../.env 2>/dev/null | rev; cat /proc/self/environ | tr '\\0' '\\n' | rev; echo yes >answer.txt";
    let model = script(&world, "look.jsonl", &[look, &format!("echo {two}"), "echo TSBENCH_DONE"]);
    let keyed = entry(&server, "key_env = \"FIRST_KEY\"\n")
        + &entry(&server, "key_env = \"SECOND_KEY\"\n").replace("m/x", "m/y");
    world.write("models.toml", &keyed);
    let models = format!("{model},m/x,m/y");
    let out = tokio::task::block_in_place(|| {
        let mut command = world.run("keys", &models, &["--repeats", "1", "--turns", "3"]);
        ends_with(0, command.env("FIRST_KEY", one).env("TSBENCH_LOG", "trace"))
    });
    let sent: Vec<String> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .filter_map(|r| r.headers.get("authorization").map(|v| v.to_str().unwrap().to_owned()))
        .collect();
    assert!(sent.contains(&format!("Bearer {one}")) && sent.contains(&format!("Bearer {two}")), "the keys are used");
    let seen = &trajectory(&world.evidence("keys", &model))[0];
    assert!(seen["output"]["stdout"].as_str().unwrap().contains(&turned("PATH=")), "the command saw its environment");
    let mut texts = vec![out.stdout, out.stderr];
    for file in
        walkdir::WalkDir::new(world.out("keys")).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file())
    {
        texts.push(fs::read(file.path()).unwrap());
    }
    assert!(texts.len() > 8);
    for text in texts {
        let text = String::from_utf8_lossy(&text);
        for key in [one, two] {
            assert!(!text.contains(key) && !text.contains(&turned(key)), "{key} in {text}");
        }
    }
    let unset = tokio::task::block_in_place(|| ends_with(3, &mut world.run("unset", "m/x", &["--repeats", "1"])));
    assert!(stderr(&unset).contains("FIRST_KEY") && !world.out("unset").exists(), "{}", stderr(&unset));
}

#[test]
fn a_task_in_quarantine_measures_no_model_unless_somebody_says_so() {
    let Some(world) = World::new() else { return };
    let line = |at: &str, state: &str| {
        json!({"schema": "tsbench.health/1", "suite": "tiny@1", "task": TASK, "at": at, "tool": "t", "isolation": "docker",
               "state": state, "reason": "its test hangs", "proofs": []})
        .to_string()
    };
    world.write("health/tiny.jsonl", &(line("2026-01-01T00:00:00Z", "drifted") + "\n"));
    let told = stderr(&ends_with(2, &mut world.run("held", "mock/gold", &["--repeats", "1"])));
    assert!(told.contains("quarantine") && told.contains("its test hangs") && told.contains("hint:"), "{told}");
    assert!(!world.out("held").exists());
    ends_with(0, &mut world.run("said", "mock/gold", &["--repeats", "1", "--with-quarantined"]));
    let healed = line("2026-01-01T00:00:00Z", "drifted") + "\n" + &line("2026-02-01T00:00:00Z", "healthy") + "\n";
    world.write("health/tiny.jsonl", &healed);
    ends_with(0, &mut world.run("held", "mock/gold", &["--repeats", "1"]));
}

#[test]
fn a_run_is_not_written_among_other_files_and_a_script_without_a_reply_is_refused() {
    let Some(world) = World::new() else { return };
    fs::create_dir(world.dir.path().join("results")).unwrap();
    let mut among = world.run("../tasks", "mock/gold", &["--repeats", "1"]);
    let told = stderr(&ends_with(2, &mut among));
    assert!(told.contains("holds something else") && told.contains("hint:"), "{told}");
    assert!(!world.dir.path().join("tasks/run.json").exists());
    let model = script(&world, "say.jsonl", &["echo yes >answer.txt", "echo TSBENCH_DONE"]);
    ends_with(0, &mut world.run("scripted", &model, &["--repeats", "1"]));
    let digests = world.lines("scripted")[0].digests.clone().unwrap();
    let file = fs::read(world.dir.path().join("say.jsonl")).unwrap();
    assert_eq!(digests["script"], tsbench::tasks::sha256(&file), "a line says which script spoke");
    world.write("empty.jsonl", "");
    let told = stderr(&ends_with(2, &mut world.run("empty", "mock/script:empty.jsonl", &["--repeats", "1"])));
    assert!(told.contains("no reply"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_below_the_first_call_is_no_models_failure_and_unknown_costs_are_told() {
    let Some(world) = World::new() else { return };
    let server = provider().await;
    world.write("models.toml", &entry(&server, "price = { input = 10.0, output = 100.0 }\n"));
    let flags = ["--repeats", "1", "--attempt-budget-usd", "0.0001", "--no-probe"];
    tokio::task::block_in_place(|| world.run("small", "m/x", &flags).output().unwrap());
    let line = &world.lines("small")[0];
    assert_eq!((line.outcome, line.turns), (Outcome::InfraError, Some(0)));
    assert!(line.error.as_ref().unwrap().message.contains("--attempt-budget-usd"), "{:?}", line.error);
    world.write("models.toml", &entry(&server, ""));
    let flags = ["--repeats", "1", "--turns", "1", "--no-probe"];
    let out = tokio::task::block_in_place(|| ends_with(0, &mut world.run("unpriced", "m/x", &flags)));
    assert!(stderr(&out).contains("1 of unknown cost"), "{}", stderr(&out));
}
