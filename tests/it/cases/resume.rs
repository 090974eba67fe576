//! Runs that are cut off between the agent's work and its line, and daemons that go away: no model is paid twice.

use crate::attempts::world::{World, ends_with, stderr};
use serde_json::{Value, json};
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tsbench::attempts::{Ledger, cells, read_plan};
use tsbench::schema::{Attempt, Outcome, Usage};
use wiremock::matchers::path_regex;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A model that mends the task in two replies; how many requests it was sent.
async fn mender() -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let respond = move |request: &wiremock::Request| {
        counted.fetch_add(1, Ordering::SeqCst);
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let spoken = body["messages"].as_array().unwrap().iter().any(|m| m["role"] == "assistant");
        let text = if spoken { "```bash\necho TSBENCH_DONE\n```" } else { "```bash\necho yes >answer.txt\n```" };
        ResponseTemplate::new(200).set_body_json(json!({"model": "m-2",
            "choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}))
    };
    Mock::given(wiremock::matchers::any()).respond_with(respond).mount(&server).await;
    (server, count)
}

fn models(server: &MockServer) -> String {
    format!(
        "[[models]]\nid = \"m/x\"\nname = \"X\"\nmaker = \"M\"\ntier = \"paid\"\ndialect = \"openai\"\nbase_url = \"{}/v1\"\n\
         price = {{ input = 1.0, output = 2.0 }}\n",
        server.uri()
    )
}

const FLAGS: [&str; 3] = ["--repeats", "1", "--no-probe"];

#[tokio::test(flavor = "multi_thread")]
async fn work_that_was_finished_before_a_crash_is_scored_and_not_paid_for_again() {
    let Some(world) = World::new() else { return };
    // The check waits as long as a file is there, so that the run can be ended while it scores.
    let hold = world.write("hold", "");
    let check = format!("while [ -e '{}' ]; do sleep 0.05; done\n", hold.display());
    let rest = fs::read_to_string(world.dir.path().join("tasks/tiny/say-yes/grader/check.sh")).unwrap();
    world.write("tasks/tiny/say-yes/grader/check.sh", &(check + &rest));
    let (server, count) = mender().await;
    world.write("models.toml", &models(&server));
    for (run, damage, paid) in [("whole", None, 2), ("half", Some("diff --git"), 4)] {
        fs::write(&hold, "").unwrap();
        let before = count.load(Ordering::SeqCst);
        let mut child = world.run(run, "m/x", &FLAGS).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let (folder, begun) = (world.evidence(run, "m/x"), Instant::now());
        while !folder.join("worked.json").is_file() && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(world.lines(run).is_empty() && folder.join("worked.json").is_file());
        if let Some(half) = damage {
            fs::write(folder.join("patch.diff"), half).unwrap();
        }
        fs::remove_file(&hold).unwrap();
        tokio::task::block_in_place(|| ends_with(0, &mut world.resume(run, &["--no-probe"])));
        assert_eq!(count.load(Ordering::SeqCst) - before, paid, "{run}: half a patch is no work");
        let line = &world.lines(run)[0];
        assert_eq!((line.outcome, line.stop.as_deref(), line.turns), (Outcome::Resolved, Some("submitted"), Some(2)));
        assert_eq!(line.served_models, ["m-2"]);
        assert!(line.seconds.unwrap().agent.is_some() && line.patch.as_ref().unwrap().bytes > 0);
        if damage.is_none() {
            let usage = Usage { input: 200, output: 20, requests: 2, ..Usage::default() };
            assert_eq!((line.usage, line.cost_usd), (Some(usage), Some(240e-6)), "all that it cost, and once");
        }
        assert!(!folder.join("worked.json").exists(), "a line that counts needs no record beside it");
        tokio::task::block_in_place(|| ends_with(0, &mut world.resume(run, &["--no-probe"])));
        assert_eq!(world.lines(run).len(), 1);
    }
}

/// A daemon of which only so much is there that a run begins; how often it was asked for an image.
async fn daemon(pings_that_fail: u64) -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let answers = [
        ("/info$", ResponseTemplate::new(200).set_body_json(json!({"ServerVersion": "1"}))),
        ("/version$", ResponseTemplate::new(200).set_body_json(json!({"Version": "27.0", "ApiVersion": "1.46"}))),
        ("/containers/json", ResponseTemplate::new(200).set_body_json(json!([]))),
        ("/volumes", ResponseTemplate::new(200).set_body_json(json!({"Volumes": []}))),
    ];
    for (path, answer) in answers {
        Mock::given(path_regex(path)).respond_with(answer).mount(&server).await;
    }
    let away = ResponseTemplate::new(500).set_body_json(json!({"message": "away"}));
    if pings_that_fail > 0 {
        Mock::given(path_regex("_ping$"))
            .respond_with(away.clone())
            .up_to_n_times(pings_that_fail)
            .mount(&server)
            .await;
    }
    Mock::given(path_regex("_ping$"))
        .respond_with(ResponseTemplate::new(200).set_body_string("OK"))
        .mount(&server)
        .await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let respond = move |_: &wiremock::Request| {
        counted.fetch_add(1, Ordering::SeqCst);
        away.clone()
    };
    Mock::given(path_regex("/images/")).respond_with(respond).mount(&server).await;
    (server, count)
}

/// A run that asks this daemon.
fn with_daemon(world: &World, run: &str, server: &MockServer, wait: &str) -> Command {
    let mut command = world.run(run, "mock/gold", &FLAGS);
    let local: Vec<_> =
        command.get_args().map(ToOwned::to_owned).map(|a| if a == "local" { "docker".into() } else { a }).collect();
    let here = command.get_current_dir().unwrap().to_owned();
    command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.args(local).current_dir(here).stdin(Stdio::null());
    command.args(["--docker", &format!("tcp://{}", server.address()), "--daemon-wait-seconds", wait]);
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_stays_away_pauses_the_run_with_one_error_and_burns_no_try() {
    let Some(world) = World::new() else { return };
    let (server, asked) = daemon(u64::MAX).await;
    let out = tokio::task::block_in_place(|| ends_with(3, &mut with_daemon(&world, "away", &server, "0")));
    let told = stderr(&out);
    assert_eq!(told.matches("error: ").count(), 1, "{told}");
    assert!(told.contains("went away") && told.contains("hint: start it again, then tsbench resume"), "{told}");
    assert_eq!((asked.load(Ordering::SeqCst), world.lines("away").len()), (1, 0), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_comes_back_is_waited_for_before_a_try_is_burnt() {
    let Some(world) = World::new() else { return };
    let (server, asked) = daemon(1).await;
    let out = tokio::task::block_in_place(|| ends_with(1, &mut with_daemon(&world, "back", &server, "60")));
    let told = stderr(&out);
    assert!(told.contains("waiting for it") && told.contains("answers again"), "{told}");
    // One that met the absence, and three that met another fault.
    assert_eq!(asked.load(Ordering::SeqCst), 4, "{told}");
    let line = &world.lines("back")[0];
    assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::InfraError, Some("harness_error")));
}

#[test]
fn no_line_is_written_that_a_reader_of_results_refuses() {
    let Some(world) = World::new() else { return };
    ends_with(0, &mut world.run("lines", "mock/gold,mock/empty", &["--repeats", "1"]));
    let (dir, lines) = (world.out("lines"), world.lines("lines"));
    let plan = read_plan(&dir).unwrap().unwrap();
    assert_eq!(cells(&plan).len(), 2);
    type Change = fn(&mut Attempt);
    let changes: [(&str, Change); 4] = [
        ("usage", |line| line.usage = Some(Usage { input: u64::MAX, ..Usage::default() })),
        ("cost_usd", |line| line.cost_usd = Some(1e30)),
        ("turns", |line| line.turns = Some(u64::MAX)),
        ("score", |line| line.outcome = Outcome::Unresolved),
    ];
    for (case, change) in changes {
        let mut bad = lines.iter().find(|l| l.outcome == Outcome::Resolved).unwrap().clone();
        change(&mut bad);
        let (mut ledger, before, _) = Ledger::open(&dir).unwrap();
        let (line, refused) = ledger.append(bad.clone(), &plan.run).unwrap();
        assert!(refused.unwrap().contains(case), "{case}");
        drop(ledger);
        let now = world.lines("lines");
        assert_eq!((now.len(), now.last()), (before.len() + 1, Some(&line)));
        let text = serde_json::to_vec(&line).unwrap();
        assert_eq!(tsbench::results::faults_of_line(&text, &plan.run).len(), 0, "{case}");
        if case == "score" {
            assert_eq!((line.outcome, line.error.as_ref().unwrap().class.as_str()), (Outcome::InfraError, "line"));
        } else {
            assert_eq!(
                (line.outcome, line.usage.is_some() && line.cost_usd.is_some() && line.turns.is_some()),
                (bad.outcome, false)
            );
        }
    }
}
