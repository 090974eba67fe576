//! Agents that are programs: what they can reach, what they are charged, and whose fault it is when they end.

use super::runs::{entry, provider, trajectory};
use super::world::{World, ends_with, stderr};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use tsbench::schema::Outcome;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A program of one script, in the world's own folder of agents.
fn program(world: &World, script: &str) {
    let manifest = "schema = 'tsbench.program/1'\nname = 'mine'\nversion = '1.0'\ncommand = ['bash', '{program}/run.sh', '{model}']\n";
    world.write("agents/mine/agent.toml", manifest);
    world.write("agents/mine/run.sh", script);
}

/// A request to the model, by what every image has; prints status and body.
const ASK: &str = r#"
ask() { # ask PATH BODY
    perl -MHTTP::Tiny -e 'my $a = HTTP::Tiny->new(timeout => 60)->post($ARGV[0], {content => $ARGV[1]}); print "$a->{status} $a->{content}\n"' "$TSBENCH_ENDPOINT$1" "$2"
}
"#;

#[test]
fn a_small_program_is_an_agent_like_any_other() {
    let Some(world) = World::new() else { return };
    ends_with(0, &mut world.run("loop", "mock/gold,mock/empty", &["--agent", "loop", "--repeats", "2"]));
    let lines = world.lines("loop");
    assert_eq!(lines.len(), 4);
    for line in &lines {
        let gold = line.model == "mock/gold";
        assert_eq!(line.outcome, if gold { Outcome::Resolved } else { Outcome::NoPatch });
        assert_eq!((line.agent.as_str(), line.stop.as_deref()), ("loop@1.0", Some("submitted")));
        assert_eq!(line.turns, Some(if gold { 2 } else { 1 }));
    }
    let turns = trajectory(&world.evidence("loop", "mock/gold"));
    assert!(turns[0]["reply"]["text"].as_str().unwrap().contains("git apply"), "replies are kept as they pass");
    assert!(turns.last().unwrap()["command"].as_str().unwrap().contains("loop.pl"));
    assert_eq!(turns.last().unwrap()["output"]["exit"], 0);
    ends_with(0, &mut world.resume("loop", &[]));
    program(&world, "exit 0");
    let told = stderr(&ends_with(2, &mut world.resume("loop", &[])));
    assert!(told.contains("loop/agent.toml") && told.contains("hint:"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_reaches_its_model_with_a_key_that_it_never_sees() {
    let Some(world) = World::new() else { return };
    let key = "canary-9a8b7c6d5e4f-program";
    let server = provider().await;
    world.write("models.toml", &entry(&server, "key_env = \"FIRST_KEY\"\n"));
    program(
        &world,
        &format!(
            "{ASK}\nask /v1/chat/completions '{{\"model\": \"another\", \"messages\": [{{\"role\": \"user\", \"content\": \"hi\"}}], \"max_tokens\": 999999}}'\nask /v1/embeddings '{{}}'\nask /v1/chat/completions 'no json'\nenv | rev\necho yes >answer.txt\n"
        ),
    );
    tokio::task::block_in_place(|| {
        let mut command = world.run("keyed", "m/x", &["--agent", "mine", "--repeats", "1"]);
        ends_with(0, command.env("FIRST_KEY", key))
    });
    let line = &world.lines("keyed")[0];
    assert_eq!((line.outcome, line.turns), (Outcome::Resolved, Some(1)));
    assert_eq!(line.usage.map(|u| (u.input, u.requests)), Some((1000, 1)), "a request that goes nowhere costs nothing");
    let asked = server.received_requests().await.unwrap();
    let asked: Vec<_> = asked.iter().filter(|r| !r.url.path().ends_with("/models")).collect();
    let last = asked.last().unwrap();
    assert_eq!(last.headers.get("authorization").unwrap().to_str().unwrap(), format!("Bearer {key}"));
    let body: Value = serde_json::from_slice(&last.body).unwrap();
    assert_ne!(body["model"], "another", "the plan's model is asked, whatever the program names");
    assert!(body["max_tokens"].as_u64().unwrap() < 999_999);
    let turns = trajectory(&world.evidence("keyed", "m/x"));
    let printed = turns.last().unwrap()["output"]["stdout"].as_str().unwrap();
    assert!(printed.starts_with("200 ") && printed.contains("\n404 ") && printed.contains("\n400 "), "{printed}");
    let turned: String = key.chars().rev().collect();
    for file in
        walkdir::WalkDir::new(world.out("keyed")).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file())
    {
        let text = String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned();
        assert!(!text.contains(key) && !text.contains(&turned), "{}", file.path().display());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streamed_answer_is_handed_on_and_its_tokens_are_counted() {
    let Some(world) = World::new() else { return };
    let server = MockServer::start().await;
    let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"o\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"k\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";
    let answer = ResponseTemplate::new(200).set_body_raw(stream, "text/event-stream");
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    world.write("models.toml", &entry(&server, ""));
    program(&world, &format!("{ASK}\nask /v1/chat/completions '{{\"messages\": [], \"stream\": true}}' >&2\n"));
    tokio::task::block_in_place(|| {
        ends_with(0, &mut world.run("stream", "m/x", &["--agent", "mine", "--repeats", "1", "--no-probe"]))
    });
    let line = &world.lines("stream")[0];
    assert_eq!(line.usage.map(|u| (u.input, u.output)), Some((5, 2)));
    let turns = trajectory(&world.evidence("stream", "m/x"));
    assert_eq!(turns[0]["reply"]["text"], "ok");
    assert!(turns[1]["output"]["stderr"].as_str().unwrap().contains("data: [DONE]"), "as the provider sent it");
    let body: Value = serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap();
    assert_eq!(body["stream_options"]["include_usage"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_of_a_provider_are_not_the_programs_and_its_own_failure_is() {
    let Some(world) = World::new() else { return };
    let server = MockServer::start().await;
    let broken = ResponseTemplate::new(500).set_body_json(json!({"error": {"message": "down"}}));
    Mock::given(method("POST")).respond_with(broken).mount(&server).await;
    world.write("models.toml", &entry(&server, ""));
    let ask = format!("{ASK}\nask /v1/chat/completions '{{\"messages\": []}}'\necho yes >answer.txt\n");
    program(&world, &format!("{ask}exit 3\n"));
    let run = |name: &str| {
        tokio::task::block_in_place(|| {
            world.run(name, "m/x", &["--agent", "mine", "--repeats", "1", "--no-probe"]).output().unwrap()
        })
    };
    run("down");
    let line = &world.lines("down")[0];
    assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::InfraError, Some("provider_error")));
    let ok = ResponseTemplate::new(200)
        .set_body_json(json!({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}));
    server.reset().await;
    Mock::given(method("POST")).respond_with(ok).mount(&server).await;
    run("own");
    let line = &world.lines("own")[0];
    assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::Resolved, Some("agent_failed")), "its work is judged");
    program(&world, "echo cannot begin >&2\nexit 3\n");
    run("never");
    let line = &world.lines("never")[0];
    assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::InfraError, Some("harness_error")), "nobody was asked");
    assert!(line.error.as_ref().unwrap().message.contains("cannot begin"), "{:?}", line.error);
    program(&world, "sleep 600\n");
    tokio::task::block_in_place(|| {
        let flags = ["--agent", "mine", "--repeats", "1", "--no-probe", "--agent-seconds", "2"];
        ends_with(0, &mut world.run("slow", "m/x", &flags))
    });
    assert_eq!(world.lines("slow")[0].outcome, Outcome::TimedOut);
    assert_eq!(world.boxes(), 0);
}

#[test]
fn a_program_has_as_many_replies_as_the_plan_gives_it() {
    let Some(world) = World::new() else { return };
    let body = "{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}";
    program(&world, &format!("{ASK}\nfor i in 1 2 3 4; do ask /v1/chat/completions '{body}'; done\n"));
    ends_with(0, &mut world.run("turns", "mock/empty", &["--agent", "mine", "--repeats", "1", "--turns", "2"]));
    let line = &world.lines("turns")[0];
    assert_eq!((line.turns, line.stop.as_deref()), (Some(2), Some("turn_limit")));
    let turns = trajectory(&world.evidence("turns", "mock/empty"));
    let printed = turns.last().unwrap()["output"]["stdout"].as_str().unwrap();
    assert_eq!((printed.matches("\n403 ").count(), printed.matches("200 ").count()), (2, 2), "{printed}");
}

#[test]
fn a_program_in_a_container_reaches_its_model_and_nothing_else() {
    if !crate::needs::image("tsbench/go:1") {
        return;
    }
    let (root, dir) = (Path::new(env!("CARGO_MANIFEST_DIR")), tempfile::tempdir().unwrap());
    let agent = dir.path().join("agents/mine");
    fs::create_dir_all(&agent).unwrap();
    let canary = "canary-1f2e3d4c5b6a-outside";
    let listener = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        r#"{ASK}
ask /v1/chat/completions '{{"messages": [{{"role": "user", "content": "x"}}]}}' | cut -c1-3
echo "interfaces $(ls /sys/class/net | tr '\n' ' ')"
for host in 172.17.0.1 172.18.0.1 1.1.1.1; do
    timeout 5 bash -c "exec 3<>/dev/tcp/$host/{port}" 2>/dev/null && echo "REACHED $host"
done
timeout 5 bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo "REACHED the harness's machine"
getent hosts example.org >/dev/null && echo "REACHED a name server"
ls /var/run/docker.sock 2>/dev/null
echo "door $(ls -A /run/tsbench)"
touch /run/tsbench/more 2>/dev/null && echo "WROTE to the door"
echo "user $(id -u)"
env | rev
"#
    );
    fs::write(agent.join("run.sh"), script).unwrap();
    let manifest = "schema = 'tsbench.program/1'\nname = 'mine'\nversion = '1.0'\ninstall = ['echo installed >made-by-install']\ncommand = ['bash', '-c', 'cat {program}/made-by-install; bash {program}/run.sh']\n";
    fs::write(agent.join("agent.toml"), manifest).unwrap();
    fs::write(dir.path().join(".env"), format!("SOME_KEY={canary}\n")).unwrap();
    let out = dir.path().join("closed");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(root).args(["run", "--suite", "demo", "--tasks", "go-text-columns", "--repeats", "1"]);
    command.args(["--models", "mock/empty", "--agent", "mine", "--agents"]).arg(dir.path().join("agents"));
    command.arg("--out").arg(&out).arg("--env-file").arg(dir.path().join(".env")).env("OTHER_KEY", canary);
    let end = command.output().unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    let folder = out.join("artifacts/go-text-columns").join(tsbench::results::slug("mock/empty")).join("0");
    let turns = trajectory(&folder);
    let printed = turns.last().unwrap()["output"]["stdout"].as_str().unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[..5], ["installed", "200", "interfaces lo ", "door model.sock", "user 1000"], "{printed}");
    let turned: String = canary.chars().rev().collect();
    assert!(!printed.contains(&turned) && printed.contains("=HTAP"), "{printed}");
}
