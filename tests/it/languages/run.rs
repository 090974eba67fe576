//! Tasks of the demo suite that need nothing installed, run by their own tools where this machine has them: before the
//! fix, after it, and under attack.

use super::{Tree, demo, files};
use crate::needs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tsbench::languages::{Places, by_name, is_test_path, protects};
use tsbench::reports::{Key, Report, Seal, verdict_of};

pub struct Task {
    pub name: &'static str,
    language: &'static str,
    package: Option<&'static str>,
}

const GO: Task = Task { name: "go-job-queue", language: "go", package: None };
pub const NODE: Task =
    Task { name: "ts-monorepo-duration", language: "typescript", package: Some("packages/duration") };

fn write(root: &Path, files: &Tree) {
    for (path, bytes) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// What came of one run.
pub struct Ran {
    pub report: Report,
    failed: bool,
    pub targets: Vec<Option<bool>>,
    pub guards: Vec<Option<bool>>,
}

impl Ran {
    pub fn believed(&self) -> bool {
        self.report.seal == Seal::Whole && self.report.agrees(self.failed)
    }

    pub fn resolved(&self) -> bool {
        self.believed() && self.targets.iter().chain(&self.guards).all(|v| *v == Some(true))
    }
}

/// Runs a task's hidden tests over its tree with some files changed, as scoring does.
pub fn run(task: &Task, fixed: bool, changes: &[(&str, String)]) -> Ran {
    let dir = demo(task.name);
    let language = by_name(task.language).unwrap();
    let start = files(&dir.join("repo"));
    let plan = language.detect(&start, task.package, None).unwrap();
    let temp = tempfile::tempdir().unwrap();
    let path = |name: &str| temp.path().join(name).to_str().unwrap().to_owned();
    write(&temp.path().join("tree"), &start);
    if fixed {
        let patch = std::fs::File::open(dir.join("solution.patch")).unwrap();
        let done = Command::new("git").args(["apply", "-"]).current_dir(path("tree")).stdin(patch).status().unwrap();
        assert!(done.success());
    }
    let kept =
        changes.iter().filter(|(p, _)| !is_test_path(p) && !protects(&plan.protected, p) && !protects(&plan.mixed, p));
    write(&temp.path().join("tree"), &kept.map(|(p, t)| ((*p).to_owned(), t.clone().into_bytes())).collect());
    write(&temp.path().join("tree"), &files(&dir.join("tests")));
    for tool in language.tools() {
        write(&temp.path().join("tools"), &Tree::from([(tool.name.to_owned(), tool.bytes.to_vec())]));
    }
    let at = Places {
        tree: path("tree"),
        // What compilers keep between runs.
        home: Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages").to_str().unwrap().to_owned(),
        tools: path("tools"),
        report: path("report"),
        path: std::env::var("PATH").unwrap(),
    };
    let key = Key::new([9; 32]);
    let test = language.test(&plan, &at, &key);
    let mut child = Command::new(&test.words[0])
        .args(&test.words[1..])
        .current_dir(&test.dir)
        .env_clear()
        .env("HOME", &at.home)
        .env("PATH", &at.path)
        .envs(test.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&test.stdin).unwrap();
    let failed = !child.wait().unwrap().success();
    let found: Vec<(String, Vec<u8>)> =
        if Path::new(&at.report).is_dir() { files(Path::new(&at.report)).into_iter().collect() } else { Vec::new() };
    let report = language.read(&plan, &found, &key);
    let spec: toml::Table = toml::from_str(&std::fs::read_to_string(dir.join("task.toml")).unwrap()).unwrap();
    let verdicts =
        |key: &str| spec[key].as_array().unwrap().iter().map(|id| verdict_of(id.as_str().unwrap(), &report)).collect();
    Ran { targets: verdicts("targets"), guards: verdicts("guards"), failed, report }
}

fn is_red_then_green(task: &Task) {
    let red = run(task, false, &[]);
    assert!(red.believed() && red.failed, "{:?} {:?}", red.report.seal, red.report.problems);
    assert!(red.targets.iter().all(|v| *v == Some(false)) && red.guards.iter().all(|v| *v == Some(true)));
    let green = run(task, true, &[]);
    assert!(green.resolved(), "{:?} {:?}", green.report.seal, green.report.cases);
}

#[test]
fn a_go_task_is_red_before_its_fix_and_green_after_it() {
    if needs::program("go") {
        is_red_then_green(&GO);
    }
}

#[test]
fn a_task_of_nodes_runner_is_red_before_its_fix_and_green_after_it() {
    if needs::program("node") {
        is_red_then_green(&NODE);
    }
}

/// Code that prints the pass of every test of the task in the words of Go's testing package.
fn go_forgery(mark: &str, then: &str) -> String {
    let text = std::fs::read_to_string(demo(GO.name).join("task.toml")).unwrap();
    let names = text.split('"').filter_map(|s| s.strip_prefix("queue::"));
    let lines: String =
        names.map(|n| format!("\tfmt.Print(\"{mark}=== RUN   {n}\\n{mark}--- PASS: {n} (0.00s)\\n\")\n")).collect();
    format!(
        "package queue\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc init() {{\n{lines}\tfmt.Println(\"PASS\")\n\t_ = os.Args\n\t{then}\n}}\n"
    )
}

#[test]
fn attacks_on_a_go_task_resolve_nothing() {
    if !needs::program("go") {
        return;
    }
    for (name, path, text) in [
        ("leave at import", "queue/evil.go", go_forgery("", "os.Exit(0)")),
        ("leave at import with a failure", "queue/evil.go", go_forgery("", "os.Exit(1)")),
        ("print passes", "queue/evil.go", go_forgery("\\x16", "")),
        (
            "a TestMain of its own",
            "queue/zz_test.go",
            "package queue\nimport (\"os\"; \"testing\")\nfunc TestMain(m *testing.M) { os.Exit(0) }\n".into(),
        ),
        ("another module", "go.mod", "module example.org/other\n\ngo 1.22\n".into()),
        ("at the path of a hidden test", "queue/queue_test.go", "package queue\n".into()),
        ("code that does not build", "queue/evil.go", "package queue\n\nfunc {\n".into()),
    ] {
        let ran = run(&GO, false, &[(path, text)]);
        assert!(!ran.resolved(), "{name}: {:?}", ran.report);
        // What could not be dropped takes every verdict with it.
        let any = ran.targets.contains(&Some(true));
        assert!(!any || !ran.believed(), "{name}: {:?}", ran.report);
    }
}

#[test]
fn attacks_on_a_task_of_nodes_runner_resolve_nothing() {
    if !needs::program("node") {
        return;
    }
    let source = "packages/duration/src/index.js";
    let real = std::fs::read_to_string(demo(NODE.name).join("repo").join(source)).unwrap();
    for (name, path, text) in [
        ("leave at import", source, "process.exit(0);\n".to_owned()),
        (
            "print passes and leave",
            source,
            "console.log('TAP version 13\\nok 1 - format\\n1..1');\nprocess.exit(0);\n".into(),
        ),
        (
            "assertions that hold",
            source,
            format!(
                "import assert from 'node:assert/strict';\nfor (const k of Object.keys(assert)) try {{ assert[k] = () => {{}}; }} catch {{}}\n{real}"
            ),
        ),
        (
            "look for the key",
            source,
            format!(
                "import fs from 'node:fs';\nif (process.env.TSBENCH_KEY || fs.readFileSync('/proc/self/environ').includes('report')) process.exit(0);\n{real}"
            ),
        ),
        ("a script of its own", "packages/duration/package.json", "{\"scripts\":{\"test\":\"true\"}}".into()),
        ("at the path of a hidden test", "packages/duration/test/duration.test.js", String::new()),
    ] {
        let ran = run(&NODE, false, &[(path, text)]);
        assert!(!ran.resolved() && ran.targets.iter().all(|v| *v != Some(true)), "{name}: {:?}", ran.report);
    }
}
