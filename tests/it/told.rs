//! What programs say at their edges: output that cannot be written, daemons that are not there, patches that are none,
//! scorings that are broken off.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn tsbench(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.args(args).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("DOCKER_HOST").stdin(Stdio::null());
    command
}

fn told(command: &mut Command) -> (i32, String, String) {
    let done = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code().unwrap_or(-1), text(&done.stdout), text(&done.stderr))
}

#[test]
fn data_that_cannot_be_written_are_an_error_and_a_reader_who_has_gone_is_none() {
    for args in [&["tasks", "list"][..], &["--help"], &["models", "list"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let done = tsbench(args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(3), "{args:?} {said}");
        assert!(said.contains("standard output") && said.contains("hint:"), "{said}");
        let (read, write) = std::io::pipe().unwrap();
        drop(read);
        let gone = tsbench(args).stdout(write).stderr(Stdio::piped()).output().unwrap();
        assert!(
            gone.status.success() && !String::from_utf8_lossy(&gone.stderr).contains("error"),
            "{args:?} {}",
            String::from_utf8_lossy(&gone.stderr)
        );
    }
}

#[test]
fn a_daemon_that_is_named_and_cannot_be_used_is_named_by_every_verb() {
    let patch = "tasks/demo/go-job-queue/solution.patch";
    let score = ["score", "--suite", "demo", "--task", "go-job-queue", "--patch", patch];
    let gate = ["gate", "--suite", "demo", "--task", "go-job-queue", "--quiet"];
    for address in ["garbage", "ssh://me@host", "npipe:////./pipe/docker", "tcp://127.0.0.1:1"] {
        for variable in ["DOCKER_HOST", "TSBENCH_DOCKER"] {
            for args in [&score[..], &gate, &["clean"]] {
                let (code, _, err) = told(tsbench(args).env(variable, address));
                assert_eq!(code, 3, "{args:?} {err}");
                assert!(err.contains(address) && err.contains("hint:"), "{err}");
                assert!(address.starts_with("tcp") || err.contains(variable) && err.contains("unix:///"), "{err}");
            }
            let (code, out, _) = told(tsbench(&["doctor"]).env(variable, address));
            assert!(code == 3 && out.contains(address) && out.contains("missing  docker"), "{out}");
        }
    }
    // The flag stands before the variables.
    let (_, _, err) = told(tsbench(&["clean", "--docker", "tcp://127.0.0.1:2"]).env("DOCKER_HOST", "garbage"));
    assert!(err.contains("tcp://127.0.0.1:2"), "{err}");
}

/// Runs a verb in a scrubbed local sandbox, with a cache of its own.
fn local(args: &[&str], cache: &Path) -> Command {
    let mut command = tsbench(args);
    command.args(["--sandbox", "local", "--cache"]).arg(cache);
    command
}

/// A folder of suites with one task of the demo suite alone, which a test may change.
fn copy_of(task: &str, dir: &Path) -> PathBuf {
    let (demo, tasks) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo"), dir.join("tasks"));
    crate::health::copy_folder(&demo.join(task), &tasks.join("demo").join(task));
    std::fs::copy(demo.join("suite.toml"), tasks.join("demo/suite.toml")).unwrap();
    tasks
}

#[test]
fn a_text_that_is_no_patch_is_told_in_words_for_its_author() {
    if !crate::needs::program("go") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("p");
    std::fs::write(&file, "I would change the heap.\n").unwrap();
    let args = ["score", "--suite", "demo", "--task", "go-job-queue", "--patch", file.to_str().unwrap()];
    let (code, out, err) = told(&mut local(&args, &dir.path().join("cache")));
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("it is no patch") && !out.contains("allow-empty"), "{out}");
    assert!(out.contains("not isolated"), "{out}");
}

#[test]
fn a_grader_that_cannot_be_started_is_a_fault_of_the_task_and_no_verdict() {
    if !crate::needs::program("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tasks = copy_of("py-version-ranges", dir.path());
    let spec = tasks.join("demo/py-version-ranges/task.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    std::fs::write(&spec, text.replace("\"python3\", \"grade.py\"", "\"no-such-program\", \"grade.py\"")).unwrap();
    let patch = tasks.join("demo/py-version-ranges/solution.patch");
    let args = ["score", "--patch", patch.to_str().unwrap(), "--tasks", tasks.to_str().unwrap()];
    let (code, out, err) = told(&mut local(&args, &dir.path().join("cache")));
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("\"no-such-program\"") && err.contains("scorecard.command") && err.contains("hint:"), "{err}");
}

#[test]
fn a_check_that_never_ends_has_run_out_of_time() {
    if !crate::needs::program("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tasks = copy_of("py-version-ranges", dir.path());
    let spec = "id = \"py-version-ranges\"\ntitle = \"T\"\nlanguage = \"python\"\n[scorecard]\n\
                command = [\"python3\", \"grade.py\"]\nchecks = [\"one\"]\n[limits]\ntests_seconds = 1\n";
    std::fs::write(tasks.join("demo/py-version-ranges/task.toml"), spec).unwrap();
    std::fs::write(tasks.join("demo/py-version-ranges/grader/grade.py"), "import time\ntime.sleep(600)\n").unwrap();
    let patch = tasks.join("demo/py-version-ranges/solution.patch");
    let args = ["score", "--json", "--patch", patch.to_str().unwrap(), "--tasks", tasks.to_str().unwrap()];
    let (code, out, err) = told(&mut local(&args, &dir.path().join("cache")));
    assert_eq!(code, 1, "{err}");
    let verdict: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&verdict["outcome"], &verdict["error"]["class"]), (&"timed_out".into(), &"tests_timed_out".into()));
}

#[test]
fn a_file_where_a_folder_stood_is_judged_as_any_other_change() {
    if !crate::needs::program("go") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo/go-job-queue/repo");
    let folder = std::fs::read_dir(&tree).unwrap().flatten().find(|e| e.path().is_dir()).unwrap();
    let name = folder.file_name().into_string().unwrap();
    let mut patch = String::new();
    for file in walkdir::WalkDir::new(folder.path()).into_iter().flatten().filter(|e| e.file_type().is_file()) {
        let path = file.path().strip_prefix(&tree).unwrap().display().to_string();
        let text = std::fs::read_to_string(file.path()).unwrap();
        patch.push_str(&format!("--- a/{path}\n+++ /dev/null\n@@ -1,{} +0,0 @@\n", text.lines().count()));
        text.lines().for_each(|line| patch.push_str(&format!("-{line}\n")));
    }
    patch.push_str(&format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+a file\n"));
    let file = dir.path().join("p.patch");
    std::fs::write(&file, patch).unwrap();
    let args = ["score", "--json", "--suite", "demo", "--task", "go-job-queue", "--patch", file.to_str().unwrap()];
    let (code, out, err) = told(&mut local(&args, &dir.path().join("cache")));
    assert_eq!(code, 1, "{err}");
    let verdict: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&verdict["outcome"], &verdict["applied"]), (&"unresolved".into(), &"strict".into()), "{out}");
}

#[test]
fn a_runtime_that_is_not_there_is_told_with_those_that_are() {
    let dir = tempfile::tempdir().unwrap();
    let tasks = copy_of("py-opening-hours", dir.path());
    let spec = tasks.join("demo/py-opening-hours/task.toml");
    let text = std::fs::read_to_string(&spec).unwrap();
    std::fs::write(&spec, text.replacen("language", "runtime = \"9.9\"\nlanguage", 1)).unwrap();
    let patch = tasks.join("demo/py-opening-hours/solution.patch");
    let args = ["score", "--patch", patch.to_str().unwrap(), "--tasks", tasks.to_str().unwrap()];
    let (code, out, err) = told(&mut local(&args, &dir.path().join("cache")));
    assert_eq!((code, out.as_str()), (3, ""), "{err}");
    assert!(err.contains("9.9") && err.contains("runtime") && err.contains("hint:") && !err.contains("OCI"), "{err}");
}

#[test]
fn a_scoring_that_is_broken_off_ends_with_its_code_and_leaves_nothing() {
    if !crate::needs::program("python3") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tasks = copy_of("py-version-ranges", dir.path());
    // A grader that never comes to its end.
    std::fs::write(tasks.join("demo/py-version-ranges/grader/grade.py"), "import time\ntime.sleep(600)\n").unwrap();
    let patch = tasks.join("demo/py-version-ranges/solution.patch");
    let predictions = dir.path().join("p.json");
    let (out, report) = (dir.path().join("o.jsonl"), dir.path().join("r.json"));
    let one = vec!["score", "--patch", patch.to_str().unwrap()];
    let many = vec![
        "score",
        "--predictions",
        predictions.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
        "--report",
        report.to_str().unwrap(),
    ];
    let text = std::fs::read_to_string(&patch).unwrap();
    let line = serde_json::json!({"py-version-ranges": {"model_name_or_path": "m", "model_patch": text}});
    std::fs::write(&predictions, line.to_string()).unwrap();
    for (args, signal) in [(&one, "-TERM"), (&one, "-INT"), (&one, "-HUP"), (&many, "-INT")] {
        let cache = dir.path().join("cache");
        let mut command = local(args, &cache);
        command.arg("--tasks").arg(&tasks);
        // Where these tests themselves are started to outlive a terminal, the program would be too, and ignore its end.
        let mut fresh = Command::new("env");
        fresh.arg("--default-signal=HUP").arg(command.get_program()).args(command.get_args());
        fresh.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("DOCKER_HOST").stdin(Stdio::null());
        let command = fresh.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let boxes = cache.join("boxes");
        let busy = || std::fs::read_dir(&boxes).is_ok_and(|d| d.count() > 0);
        let until = Instant::now() + Duration::from_secs(120);
        while !busy() && child.try_wait().unwrap().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself: {:?}", child.wait_with_output());
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(4), "{args:?} {said}");
        assert!(said.contains("interrupted") && !busy(), "{said}");
        assert!(!said.contains("does not apply"), "{said}");
    }
    let told: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    assert_eq!(told["error_ids"], serde_json::json!([]), "what was not scored is no error");
    assert_eq!(told["incomplete_ids"], serde_json::json!(["py-version-ranges"]));
    assert_eq!(told["submitted_ids"], serde_json::json!([]));
}
