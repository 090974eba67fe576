//! What follows from audits: states, quarantine, and a log that survives a cut.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tsbench::health::{append, judged, parse, read, standings};
use tsbench::schema::{Failure, HEALTH_SCHEMA, HealthLine, HealthProof, HealthState, Outcome, ProofKind, TestCounts};

fn proof(kind: ProofKind, outcome: Outcome) -> HealthProof {
    let good = (outcome == Outcome::Resolved) == kind.must_resolve();
    HealthProof {
        kind,
        name: "run 1".into(),
        good,
        outcome,
        error: None,
        targets: TestCounts::default(),
        guards: TestCounts::default(),
        score: None,
        seconds: Some(1.5),
    }
}

fn line(task: &str, at: &str, state: HealthState) -> HealthLine {
    HealthLine {
        schema: HEALTH_SCHEMA.into(),
        suite: "demo@1.1".into(),
        task: task.into(),
        at: at.into(),
        tool: "tsbench 0".into(),
        isolation: "docker".into(),
        task_sha256: None,
        image: None,
        state,
        reason: String::new(),
        proofs: Vec::new(),
    }
}

use HealthState::{Broken, Drifted, Healthy, Unknown};
use Outcome::{InfraError, Resolved, Unresolved};
use ProofKind::{Alternate, Empty, Exploit, Fix, Wrong};

fn state(proofs: &[(ProofKind, Outcome)], before: &[HealthLine]) -> HealthState {
    let proofs: Vec<HealthProof> = proofs.iter().map(|(k, o)| proof(*k, *o)).collect();
    judged(&proofs, "docker", &before.iter().collect::<Vec<_>>()).0
}

#[test]
fn a_task_is_healthy_if_its_fix_resolves_it_and_nothing_else_does() {
    assert_eq!(state(&[(Fix, Resolved), (Empty, Unresolved), (Exploit, Unresolved)], &[]), Healthy);
    assert_eq!(state(&[(Fix, Resolved), (Empty, Unresolved), (Exploit, Resolved)], &[]), Broken);
    assert_eq!(state(&[(Fix, Unresolved), (Empty, Unresolved)], &[]), Broken);
    assert_eq!(state(&[], &[]), Broken, "a task at which nothing was tried is not proven");
}

#[test]
fn a_task_that_was_healthy_or_whose_runs_differ_has_drifted() {
    let before = [line("t", "2026-01-01T00:00:00Z", Healthy), line("t", "2026-02-01T00:00:00Z", Drifted)];
    assert_eq!(state(&[(Fix, Unresolved), (Empty, Unresolved)], &before), Drifted);
    assert_eq!(state(&[(Fix, Unresolved)], &before[1..]), Broken, "a task that was never healthy");
    assert_eq!(state(&[(Fix, Resolved), (Empty, Unresolved), (Fix, Unresolved), (Empty, Unresolved)], &[]), Drifted);
    let (_, why) = judged(&[proof(Fix, Unresolved)], "docker", &before.iter().collect::<Vec<_>>());
    assert!(why.contains("healthy on 2026-01-01T00:00:00Z") && why.contains("fix run 1: unresolved"), "{why}");
}

#[test]
fn a_right_solution_that_fails_and_a_wrong_one_that_passes_are_told_by_name() {
    let fix = [proof(Fix, Resolved), proof(Empty, Unresolved), proof(Exploit, Unresolved)];
    for (kind, outcome, word) in [(Alternate, Unresolved, "alternate"), (Wrong, Resolved, "wrong solution")] {
        let all: Vec<HealthProof> = fix.iter().cloned().chain([proof(kind, outcome)]).collect();
        assert!(!all[3].good);
        let (state, why) = judged(&all, "docker", &[]);
        assert_eq!(state, Broken);
        assert!(why.starts_with(word), "{why}");
    }
}

#[test]
fn an_audit_that_tried_less_releases_nobody_and_says_what_it_left_out() {
    let all = [proof(Fix, Resolved), proof(Empty, Unresolved), proof(Exploit, Unresolved)];
    let (jan, feb) = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z");
    let before = [line("t", jan, Healthy), line("t", feb, Drifted)];
    let judge = |proofs: &[HealthProof], isolation| judged(proofs, isolation, &before.iter().collect::<Vec<_>>());
    assert_eq!(judge(&all, "docker"), (Healthy, String::new()));
    let (state, why) = judge(&all[..2], "docker");
    assert_eq!((state, &*why), (Unknown, "not everything was tried: no cheat"));
    let (state, why) = judge(&all, "none");
    assert_eq!(state, Unknown);
    assert!(why.starts_with("not everything was tried: isolation none"), "{why}");
    let mut now = line("t", "2026-03-01T00:00:00Z", state);
    now.reason = why;
    let lines = [before[0].clone(), before[1].clone(), now];
    assert!(standings(lines.iter())[&("demo@1.1", "t")].is_quarantined());
    assert_eq!(judged(&all, "none", &[]).0, Healthy, "no stronger answer stands");
    assert_eq!(judge(&[proof(Fix, Unresolved)], "none").0, Drifted, "less can still condemn");
}

#[test]
fn a_fault_of_the_infrastructure_is_no_answer_whatever_else_was_seen() {
    let mut lost = proof(Fix, InfraError);
    lost.error = Some(Failure { class: "lost".into(), message: "the daemon is gone".into() });
    let (state, why) = judged(&[proof(Empty, Resolved), lost], "docker", &[]);
    assert_eq!(state, Unknown);
    assert!(why.contains("the daemon is gone"), "{why}");
}

#[test]
fn a_task_is_in_quarantine_until_its_newest_answer_is_healthy() {
    let (jan, feb, mar) = ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z");
    let held = |lines: &[HealthLine]| standings(lines.iter())[&("demo@1.1", "t")].is_quarantined();
    assert!(!held(&[line("t", jan, Healthy)]));
    assert!(held(&[line("t", jan, Healthy), line("t", feb, Drifted)]));
    assert!(held(&[line("t", feb, Broken), line("t", jan, Healthy)]), "the time counts, not the place in the file");
    assert!(held(&[line("t", feb, Drifted), line("t", mar, Unknown)]), "a fault of ours releases nobody");
    assert!(!held(&[line("t", feb, Drifted), line("t", mar, Healthy)]));
    assert!(!held(&[line("t", feb, Healthy), line("t", mar, Unknown)]), "a fault of ours condemns nobody");
    assert!(!held(&[line("t", feb, Unknown)]));
}

#[test]
fn a_line_that_was_cut_off_is_told_removed_and_written_again_by_the_next_audit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("health/demo.jsonl");
    let (one, two) = (line("t", "2026-01-01T00:00:00Z", Healthy), line("t", "2026-02-01T00:00:00Z", Drifted));
    assert_eq!(append(&path, &one).unwrap(), None);
    assert_eq!(append(&path, &two).unwrap(), None);
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    // Cut after every byte of the second line.
    for cut in first..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (lines, torn) = read(&path).unwrap();
        assert_eq!(lines, std::slice::from_ref(&one));
        assert_eq!(torn.map(|t| t.bytes), (cut > first).then_some((cut - first) as u64));
        assert_eq!(append(&path, &two).unwrap().is_some(), cut > first);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
    fs::write(&path, &whole[..10]).unwrap();
    assert_eq!(read(&path).unwrap().0, []);
    assert_eq!(read(&dir.path().join("none.jsonl")).unwrap(), (Vec::new(), None), "no log is an empty log");
}

#[test]
fn a_fault_in_a_log_is_named_with_file_and_line() {
    let good = serde_json::to_string(&line("t", "2026-01-01T00:00:00Z", Healthy)).unwrap();
    for (second, word) in [
        ("not json", "expected"),
        (&*good.replace("health/1", "health/2"), "schema"),
        (&*good.replace("demo@", "other@"), "in the log of"),
        (&*good.replace("2026-01-01T", "yesterday "), "RFC 3339"),
        (&*good.replace("healthy", "fine"), "unknown variant"),
        (&*good, "a second audit"),
    ] {
        let told =
            parse(format!("{good}\n{second}\n").as_bytes(), "demo", "health/demo.jsonl").unwrap_err().to_string();
        assert!(told.contains("health/demo.jsonl line 2") && told.contains(word), "{second}: {told}");
    }
    let (mut bad, mut more) = (line("u", "2026-01-01T00:00:00Z", Healthy), line("u", "2026-01-01T00:00:00Z", Broken));
    bad.proofs = vec![proof(Fix, Unresolved)];
    more.proofs = vec![proof(Fix, Unresolved)];
    more.proofs[0].guards.passed = 3;
    for (line, word) in [(bad, "healthy"), (more, "3 passed of 0")] {
        let text = format!("{good}\n{}\n", serde_json::to_string(&line).unwrap());
        let told = parse(text.as_bytes(), "demo", "health/demo.jsonl").unwrap_err().to_string();
        assert!(told.contains("health/demo.jsonl line 2") && told.contains(word), "{told}");
    }
    let cut = parse(good.as_bytes(), "demo", "health/demo.jsonl").unwrap_err().to_string();
    assert!(cut.contains("line 1: is cut off") && cut.contains("tsbench audit"), "{cut}");
}

#[test]
fn a_line_of_the_first_version_stays_readable() {
    let text = include_str!("golden/health-1.jsonl");
    let lines = parse(text.as_bytes(), "demo", "golden").unwrap();
    assert_eq!(lines[0].count(Fix), tsbench::schema::Counts { passed: 2, total: 3 });
    assert_eq!((lines[0].state, lines[0].proofs.len()), (Drifted, 4));
}

fn tsbench(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(dir).args(args).args([
        "--tasks",
        concat!(env!("CARGO_MANIFEST_DIR"), "/tasks"),
        "--suite",
        "demo",
    ]);
    command
}

#[test]
fn the_list_of_tasks_tells_the_state_of_each() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("health/demo.jsonl");
    append(&path, &line("go-job-queue", "2026-01-01T00:00:00Z", Healthy)).unwrap();
    append(&path, &line("py-opening-hours", "2026-01-01T00:00:00Z", Drifted)).unwrap();
    let out = tsbench(dir.path(), &["tasks", "list"]).assert().success();
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    let state = |task: &str| text.lines().find(|l| l.contains(task)).unwrap().split('\t').nth(4).unwrap().to_owned();
    assert_eq!(
        [state("go-job-queue"), state("py-opening-hours"), state("ts-ttl-cache")],
        ["healthy", "drifted", "not audited"]
    );
    let out = tsbench(dir.path(), &["tasks", "list", "--json"]).assert().success();
    let list: serde_json::Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    let of = |task: &str| list.as_array().unwrap().iter().find(|t| t["task"]["id"] == task).unwrap()["health"].clone();
    assert_eq!(of("py-opening-hours")["quarantined"], true);
    assert_eq!(of("ts-ttl-cache"), serde_json::Value::Null);
}

#[test]
fn an_audit_without_docker_says_what_is_missing_and_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let socket = format!("unix://{}/none.sock", dir.path().display());
    tsbench(dir.path(), &["audit", "--docker", &socket, "--quiet"]).assert().code(3);
    assert!(!dir.path().join("health").exists());
}

#[test]
fn a_log_that_cannot_be_written_is_told_before_the_machine_is_asked_for_anything() {
    let dir = tempfile::tempdir().unwrap();
    let socket = format!("unix://{}/none.sock", dir.path().display());
    let args = ["audit", "--docker", &socket, "--quiet", "--health", "/proc/none"];
    let out = tsbench(dir.path(), &args).assert().code(2);
    let told = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    assert!(told.contains("write /proc/none/demo.jsonl") && told.contains("hint:"), "{told}");
}

#[test]
fn what_a_machine_lacks_and_numbers_that_make_no_sense_have_their_own_exits() {
    let dir = tempfile::tempdir().unwrap();
    let podman = Path::new("/run/podman/podman.sock");
    if !podman.exists() {
        let mut command = tsbench(dir.path(), &["gate", "--sandbox", "podman", "--quiet"]);
        command.env("XDG_RUNTIME_DIR", dir.path()).assert().code(3);
    }
    for verb in ["gate", "audit"] {
        tsbench(dir.path(), &[verb, "--jobs", "0"]).assert().code(2);
    }
}

#[test]
fn an_empty_variable_chooses_no_task_and_an_unknown_language_is_a_fault() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks");
    command.args(["tasks", "check", "--tasks"]).arg(&from).env("TSBENCH_TASK", "").env("TSBENCH_SUITE", "");
    command.assert().success();
    let task = dir.path().join("tasks/demo/py-opening-hours");
    fs::create_dir_all(task.parent().unwrap()).unwrap();
    fs::copy(from.join("demo/suite.toml"), dir.path().join("tasks/demo/suite.toml")).unwrap();
    copy_folder(&from.join("demo/py-opening-hours"), &task);
    let spec = fs::read_to_string(task.join("task.toml")).unwrap();
    fs::write(task.join("task.toml"), spec.replace("language = \"python\"", "language = \"cobol\"")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    let out = command.current_dir(dir.path()).args(["tasks", "check"]).assert().code(1);
    let told = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert!(told.contains("py-opening-hours") && told.contains("cobol"), "{told}");
    let told = String::from_utf8(out.get_output().stderr.clone()).unwrap();
    assert!(told.contains("1 task, 1 with faults"), "{told}");
}

pub fn copy_folder(from: &Path, to: &Path) {
    for file in walkdir::WalkDir::new(from).into_iter().map(Result::unwrap).filter(|e| e.file_type().is_file()) {
        let to = to.join(file.path().strip_prefix(from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file.path(), to).unwrap();
    }
}

/// The running containers whose owner is a process.
fn containers_of(pid: u32) -> Vec<String> {
    let args = ["ps", "--format", "{{.ID}} {{.Label \"tsbench.owner\"}}"];
    let out = std::process::Command::new("docker").args(args).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().filter(|l| l.contains(&format!(" {pid}-"))).map(str::to_owned).collect()
}

#[test]
fn a_gate_or_audit_that_is_ended_says_so_and_leaves_no_sandbox_running() {
    if !crate::needs::image("tsbench/python:1") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (verb, signal) in [("gate", "-TERM"), ("audit", "-TERM"), ("gate", "-INT")] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"))
            .current_dir(dir.path())
            .args([verb, "--quiet", "--runs", "1000", "--suite", "demo", "--task", "py-opening-hours"])
            .args(["--tasks", concat!(env!("CARGO_MANIFEST_DIR"), "/tasks")])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let start = std::time::Instant::now();
        // The first of them makes the task's image, from a registry and beside every other test.
        while containers_of(pid).is_empty() && start.elapsed().as_secs() < 900 {
            assert!(child.try_wait().unwrap().is_none(), "{verb} ended by itself: {child:?}");
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        let begun = !containers_of(pid).is_empty();
        std::process::Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
        let out = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(begun, "{verb}: no sandbox in a quarter of an hour: {told}");
        assert_eq!(out.status.code(), Some(4), "{verb} {signal}: {told}");
        assert_eq!(told.matches("interrupted").count(), 1, "{told}");
        assert_eq!(containers_of(pid), Vec::<String>::new(), "{verb} {signal}");
    }
}

/// A suite of one task whose fix is right, whose fix is wrong, and right again.
#[test]
fn an_audit_finds_drift_quarantines_it_by_name_and_releases_it() {
    if !crate::needs::image("tsbench/python:1") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo");
    let task = dir.path().join("tasks/demo/py-opening-hours");
    copy_folder(&from.join("py-opening-hours"), &task);
    fs::copy(from.join("suite.toml"), dir.path().join("tasks/demo/suite.toml")).unwrap();
    let audit = |code: i32| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        let args = ["audit", "--runs", "1", "--quiet"];
        let out = command.current_dir(dir.path()).args(args).assert().code(code);
        String::from_utf8(out.get_output().stdout.clone()).unwrap()
    };
    let text = audit(0);
    assert!(text.contains("py-opening-hours\thealthy\tfix 1 of 1\tempty 0 of 1"), "{text}");
    assert!(text.contains("\talternates 1 of 1\twrong 0 of 2"), "{text}");
    let spec = fs::read_to_string(task.join("task.toml")).unwrap();
    fs::write(
        task.join("task.toml"),
        spec.replace("targets = [", "targets = [\n    \"tests/test_none.py::test_none\","),
    )
    .unwrap();
    let text = audit(1);
    assert!(text.contains("py-opening-hours\tdrifted\tfix 0 of 1"), "{text}");
    assert!(text.contains("quarantine\tdemo@1.1\tpy-opening-hours\tdrifted") && text.contains("test_none"), "{text}");
    fs::write(task.join("task.toml"), spec).unwrap();
    assert!(!audit(0).contains("quarantine"));
    let (lines, torn) = read(&dir.path().join("health/demo.jsonl")).unwrap();
    assert_eq!(lines.iter().map(|l| l.state).collect::<Vec<_>>(), [Healthy, Drifted, Healthy]);
    assert!(torn.is_none() && lines.iter().all(|l| l.isolation == "docker" && l.image.is_some()));
    assert_eq!(lines[0].task_sha256, lines[2].task_sha256);
    assert_ne!(lines[0].task_sha256, lines[1].task_sha256);
}
