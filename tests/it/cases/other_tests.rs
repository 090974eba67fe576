//! What happens to a test that is neither target nor guard changes no verdict.

use crate::needs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tsbench::languages::by_name;
use tsbench::reports::{Key, Report, Seal, Status, parse_junit, parse_sealed, verdict_of};
use tsbench::tasks::sha256;

fn key() -> Key {
    Key::new([7; 32])
}

fn sealed(lines: &[&str], exit: i32) -> Report {
    let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
    let mac = key().sign(format!("{text}end {} {exit}", lines.len()).as_bytes());
    let end = format!("{{\"end\":true,\"lines\":{},\"exit\":{exit},\"mac\":\"{mac}\"}}\n", lines.len());
    parse_sealed((text + &end).as_bytes(), &key())
}

fn phase(phase: &str, status: &str) -> String {
    format!("{{\"id\":\"t::x\",\"phase\":\"{phase}\",\"status\":\"{status}\"}}")
}

#[test]
fn a_test_that_its_project_runs_again_is_what_its_runner_makes_of_it() {
    use Status::{Failed, Passed, Skipped, Unfinished};
    let runs: [(&[(&str, &str)], Status); 8] = [
        (
            &[("setup", "passed"), ("call", "rerun"), ("setup", "passed"), ("call", "passed"), ("teardown", "passed")],
            Passed,
        ),
        (
            &[("setup", "passed"), ("call", "rerun"), ("setup", "passed"), ("call", "failed"), ("teardown", "passed")],
            Failed,
        ),
        (&[("setup", "rerun"), ("setup", "passed"), ("call", "passed"), ("teardown", "passed")], Passed),
        (
            &[
                ("setup", "passed"),
                ("call", "passed"),
                ("teardown", "rerun"),
                ("setup", "passed"),
                ("call", "passed"),
                ("teardown", "passed"),
            ],
            Passed,
        ),
        // No new set-up.
        (&[("setup", "passed"), ("call", "retried"), ("call", "passed"), ("teardown", "passed")], Passed),
        // The call that failed is not told.
        (
            &[
                ("setup", "passed"),
                ("teardown", "passed"),
                ("setup", "passed"),
                ("call", "passed"),
                ("teardown", "passed"),
            ],
            Passed,
        ),
        (&[("setup", "passed"), ("call", "rerun"), ("setup", "skipped"), ("teardown", "passed")], Skipped),
        (&[("setup", "passed"), ("call", "rerun"), ("setup", "passed"), ("teardown", "passed")], Unfinished),
    ];
    for (phases, status) in runs {
        let lines: Vec<String> = phases.iter().map(|(p, s)| phase(p, s)).collect();
        let report = sealed(&lines.iter().map(String::as_str).collect::<Vec<_>>(), i32::from(status == Failed));
        let found: Vec<_> = report.cases.iter().map(|c| c.status).collect();
        assert_eq!((found, &report.seal), (vec![status], &Seal::Whole), "{phases:?}");
        assert!(report.agrees(status == Failed), "{phases:?}");
    }
}

#[test]
fn a_flaky_test_of_a_java_build_passed_and_one_out_of_reruns_failed() {
    let xml = r#"<testsuite tests="3" failures="1">
      <testcase classname="g.A" name="flaky"><flakyFailure message="once"><stackTrace>x</stackTrace></flakyFailure></testcase>
      <testcase classname="g.A" name="odd"><flakyError message="once"/><flakyFailure message="twice"/></testcase>
      <testcase classname="g.A" name="bad"><failure message="m">t</failure><rerunFailure message="m"/><rerunError/></testcase>
    </testsuite>"#;
    let report = parse_junit(xml.as_bytes());
    let found: Vec<_> = report.cases.iter().map(|c| c.status).collect();
    assert_eq!(found, [Status::Passed, Status::Passed, Status::Failed]);
    let read = |counts: &str, exit: i32| {
        let (xml, counts) = (xml.as_bytes().to_vec(), counts.as_bytes().to_vec());
        let listed = format!("exit {exit}\n{}  counts\n{}  r.xml\n", sha256(&counts), sha256(&xml));
        let seal = format!("{listed}code {}\n", key().enclose(&listed)).into_bytes();
        let files = [("counts".to_owned(), counts), ("r.xml".to_owned(), xml), ("seal".to_owned(), seal)];
        by_name("java").unwrap().read(&Default::default(), &files, &key())
    };
    let told = "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0, Flakes: 2\n";
    let report = read(told, 1);
    assert!(report.seal == Seal::Whole && report.agrees(true), "{:?}", report.seal);
    assert_eq!(verdict_of("g.A::flaky", &report), Some(true));
    assert!(read(told, 0).agrees(false), "a build that counts a failure and ends well was told to");
    let Seal::Broken(why) = read("[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n", 0).seal else { panic!() };
    assert!(why.contains("g.A::bad"), "{why}");
}

#[test]
fn a_run_and_a_report_that_disagree_name_the_tests_and_the_reason() {
    let failed = r#"{"id":"t::x","status":"failed","message":"assert 1 == 2"}"#;
    let report = sealed(&[failed, r#"{"problem":"collect t.py: no module"}"#], 0);
    let why = report.disagreement(false).unwrap();
    assert!(why.contains("t::x (assert 1 == 2)") && why.contains("collect t.py"), "{why}");
    assert!(
        sealed(&[r#"{"id":"t::x","status":"passed"}"#], 1).disagreement(true).unwrap().contains("none of the 1 tests")
    );
    let many: Vec<String> = (0..50).map(|i| failed.replace("t::x", &format!("t::{}{i}", "x".repeat(5000)))).collect();
    let why = sealed(&many.iter().map(String::as_str).collect::<Vec<_>>(), 0).disagreement(false).unwrap();
    assert!(why.len() < 1200 && why.contains("47 more"), "{why}");
}

#[test]
fn a_sign_of_tampering_with_a_name_takes_the_pass_from_that_test_alone() {
    let pass = |id: &str| format!("{{\"id\":\"{id}\",\"status\":\"passed\"}}");
    let tamper = |id: &str| format!("{{\"tamper\":\"code under test replaced x\",\"id\":\"{id}\"}}");
    let report = sealed(&[&pass("a"), &tamper("a"), &pass("b")], 0);
    assert_eq!((verdict_of("a", &report), verdict_of("b", &report)), (Some(false), Some(true)));
    assert!(report.seal == Seal::Whole && report.agrees(false));
    assert!(matches!(sealed(&[&pass("a"), &tamper("none")], 0).seal, Seal::Broken(_)));
}

#[test]
fn a_long_id_is_the_same_wherever_it_is_cut_and_fails_nothing() {
    let long = format!("t::{}ü", "ü".repeat(3000));
    let report =
        sealed(&[&format!("{{\"id\":\"{long}\",\"status\":\"passed\"}}"), r#"{"id":"b","status":"passed"}"#], 0);
    assert!(report.agrees(false) && report.cases[0].id.len() <= 4096);
    assert_eq!((verdict_of(&long, &report), verdict_of("b", &report)), (Some(true), Some(true)));
    assert_eq!(verdict_of(&report.cases[0].id, &report), Some(true));
    assert_eq!(verdict_of(&format!("{long}x"), &report), None);
    let xml = format!("<testsuite><testcase classname=\"t\" name=\"{}\"/></testsuite>", &long[3..]);
    assert_eq!(parse_junit(xml.as_bytes()).cases[0].id, report.cases[0].id);
}

fn tools(language: &str, dir: &Path) {
    for tool in by_name(language).unwrap().tools() {
        std::fs::write(dir.join(tool.name), tool.bytes).unwrap();
    }
}

/// Runs a command as scoring does, and reads the report that it leaves.
fn ran(command: &mut Command, dir: &Path) -> (Report, bool) {
    let (root, folder) = (dir.join("tree"), dir.join("report"));
    let given = format!("{}\n{}\n{}\n", key().word(), folder.display(), root.display());
    let mut child =
        command.current_dir(&root).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(given.as_bytes()).unwrap();
    let failed = !child.wait().unwrap().success();
    (parse_sealed(&std::fs::read(folder.join("report.jsonl")).unwrap(), &key()), failed)
}

const ODD_PY: &str = r#"
import builtins, hashlib, hmac, json, os, sys, time, unittest
import pytest

def test_target():
    pass

@pytest.mark.parametrize("text", [1, 2, 3], ids=["a" * 5000, "\x00\x1b[31m", "\ud800"])
def test_names(text):
    pass

def test_while_it_runs(monkeypatch):
    for where, name in [(builtins, n) for n in ("open", "print", "abs")] + [
        (json, "dumps"), (os, "write"), (os, "getpid"), (os.path, "join"), (os.path, "abspath"), (hmac, "new"),
        (time, "perf_counter"), (unittest.case.TestCase, "assertEqual"),
    ]:
        monkeypatch.setattr(where, name, lambda *a, **k: 0 / 0)

def test_for_ever(capsys):
    json.dumps = json.loads = hmac.new = hashlib.sha256 = os.getpid = time.time = lambda *a, **k: 0 / 0
    json.encoder.encode_basestring_ascii = lambda s: "forged"
    unittest.case.TestCase.assertTrue = lambda *a: None

def test_prints(capfd):
    os.system("head -c 300000 /dev/urandom")
    print("\x1b[2J1 passed\n" * 10)

def test_descriptors():
    for name in os.listdir("/proc/self/fd"):
        if os.path.exists("/proc/self/fd/" + name) and "report.jsonl" in os.readlink("/proc/self/fd/" + name):
            os.close(int(name))

def test_forks():
    if os.fork() == 0:
        raise SystemExit(3)

class TestLast(unittest.TestCase):
    def test_guard(self):
        self.assertTrue(True)
        with self.assertRaises(AssertionError):
            self.assertTrue(False)
"#;

#[test]
fn what_a_python_test_replaces_prints_and_closes_changes_no_other_test() {
    let pytest = Command::new("python3").args(["-c", "import pytest"]).stderr(Stdio::null()).status();
    if !pytest.is_ok_and(|s| s.success()) {
        needs::skipped("pytest");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    tools("python", dir.path());
    std::fs::create_dir(dir.path().join("tree")).unwrap();
    std::fs::write(dir.path().join("tree/test_odd.py"), ODD_PY).unwrap();
    let mut command = Command::new("python3");
    command.arg(dir.path().join("python_reporter.py")).args(["-q", "-p", "no:cacheprovider"]);
    let (report, failed) = ran(command.env("PYTHONDONTWRITEBYTECODE", "1"), dir.path());
    assert_eq!((&report.seal, report.disagreement(failed)), (&Seal::Whole, None), "{report:?}");
    for (id, passed) in [("test_target", true), ("TestLast::test_guard", true), ("test_for_ever", false)] {
        assert_eq!(verdict_of(&format!("test_odd.py::{id}"), &report), Some(passed), "{id}: {report:?}");
    }
    let long = format!("test_odd.py::test_names[{}]", "a".repeat(5000));
    assert_eq!(verdict_of(&long, &report), Some(true));
}

const ODD_JS: &str = r#"
const { EventEmitter } = require("node:events");
const runner = new EventEmitter();
const Reporter = require(process.argv[2] + "/mocha_reporter.cjs");
new Reporter(runner);
const here = process.cwd();
const test = (title) => ({ title, file: here + "/a.spec.js", duration: 1, titlePath: () => ["outer", title] });
runner.emit("pass", test("target"));
runner.emit("pass", test("é".repeat(3000)));
runner.emit("pass", test("\ud800 \u0000 \u001b[31m"));
const broken = () => { throw new Error("replaced"); };
const fs = require("node:fs"), path = require("node:path"), crypto = require("node:crypto");
JSON.stringify = Buffer.from = fs.writeSync = fs.closeSync = path.join = path.resolve = path.relative = broken;
crypto.createHash = crypto.createHmac = crypto.Hmac.prototype.update = crypto.Hash.prototype.update = broken;
for (const name of ["trim", "slice", "normalize", "split"]) String.prototype[name] = broken;
for (const name of ["map", "join", "push", Symbol.iterator]) Array.prototype[name] = broken;
Buffer.prototype.toString = Number.isFinite = Array.isArray = Date.now = process.cwd = process.exit = broken;
String.prototype.toJSON = Object.prototype.toJSON = () => "forged";
globalThis.String = globalThis.Buffer = broken;
runner.emit("retry", test("again"));
runner.emit("pass", test("guard"));
const odd = { get stack() { throw 1; }, get message() { throw 2; } };
runner.emit("fail", test("other"), odd);
runner.emit("end");
process.exitCode = 1;
"#;

#[test]
fn what_a_javascript_test_replaces_changes_no_report() {
    if !needs::program("node") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    tools("typescript", dir.path());
    std::fs::create_dir(dir.path().join("tree")).unwrap();
    std::fs::write(dir.path().join("odd.cjs"), ODD_JS).unwrap();
    let mut command = Command::new("node");
    let (report, failed) = ran(command.arg(dir.path().join("odd.cjs")).arg(dir.path()), dir.path());
    assert_eq!((&report.seal, report.disagreement(failed)), (&Seal::Whole, None), "{report:?}");
    for (title, passed) in [("target", true), ("guard", true), ("other", false), (&"é".repeat(3000), true)] {
        assert_eq!(verdict_of(&format!("a.spec.js::outer > {title}"), &report), Some(passed), "{title}: {report:?}");
    }
}
