//! Faults of suites and tasks: all of them named in one call, none of them in the way of other tasks, and nothing scored by
//! what cannot be meant.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A suite `s` with one task `t`, which is sound.
struct World {
    dir: TempDir,
}

const SUITE: &str = "id = \"s\"\nversion = \"1\"\ntitle = \"S\"\n";
const SPEC: &str = "id = \"t\"\ntitle = \"T\"\nlanguage = \"go\"\ntargets = [\"queue::TestCancelAmongOthers\"]\nguards = [\"queue::TestCancel\"]\n";

impl World {
    fn new() -> World {
        let world = World { dir: tempfile::tempdir().unwrap() };
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo/go-job-queue");
        crate::health::copy_folder(&demo, &world.task("t"));
        world.write("s/suite.toml", SUITE);
        world.write("s/t/task.toml", SPEC);
        world
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn task(&self, name: &str) -> PathBuf {
        self.root().join("s").join(name)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Exit code, standard output and standard error of a verb over these tasks.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        let done = command.args(args).arg("--tasks").arg(self.root()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (done.status.code().unwrap(), text(&done.stdout), text(&done.stderr))
    }

    /// What `tasks check` says, which must find something wrong.
    fn faults(&self) -> String {
        let (code, out, err) = self.run(&["tasks", "check"]);
        assert_eq!(code, 1, "{out}{err}");
        out
    }

    /// What `score` says of the task, which it must refuse.
    fn refusal(&self) -> String {
        let patch = self.task("t").join("solution.patch");
        let cache = self.root().join("cache");
        let args =
            ["score", "--sandbox", "local", "--cache", cache.to_str().unwrap(), "--patch", patch.to_str().unwrap()];
        let (code, out, err) = self.run(&args);
        assert!(code == 2 && out.is_empty(), "{code} {out} {err}");
        err
    }
}

#[test]
fn what_looks_like_a_part_of_a_task_and_is_none_is_named() {
    let world = World::new();
    world.write("s/t/Solution.patch", "x");
    world.write("s/t/test/a_test.go", "package a\n");
    world.write("s/t/extra/a", "x");
    world.write("s/t/notes.md", "for readers\n");
    world.write("s/u/Task.toml", SPEC);
    let faults = world.faults();
    for words in
        ["\"Solution.patch\" is no part", "\"tests\" would be", "\"extra\" is no part", "\"u\" has no task.toml"]
    {
        assert!(faults.contains(words), "{words}: {faults}");
    }
    assert!(!faults.contains("notes.md"), "{faults}");
}

#[test]
fn a_text_that_no_terminal_and_no_version_takes_is_a_fault_of_its_field() {
    let world = World::new();
    world.write("s/t/task.toml", &SPEC.replace("\"T\"", "\"T\\u001b[2J\"\nruntime = \"1; rm -rf /\""));
    let faults = world.faults();
    assert!(faults.contains("title has a control character") && faults.contains("runtime \"1; rm"), "{faults}");
    std::fs::write(world.task("t").join("task.toml"), b"id = \"t\"\ntitle = \"\xff\"\n").unwrap();
    let faults = world.faults();
    assert!(faults.contains("line 2 is not UTF-8"), "{faults}");
}

#[test]
fn a_sound_task_has_no_fault() {
    let (code, out, err) = World::new().run(&["tasks", "check"]);
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
}

#[test]
fn what_cannot_be_meant_is_a_fault_of_its_field_and_nothing_is_scored_by_it() {
    for (more, words) in [
        ("protected = [\"[\"]", "protected has the glob \"[\""),
        ("protected = [\"{a,b\"]", "\"{a,b\", which opens a brace that is not closed"),
        ("unprotected = [\"../**\"]", "unprotected has the glob \"../**\""),
        ("[limits]\ntests_seconds = 0", "limits.tests_seconds is 0; expected 1 to"),
        ("[limits]\nmemory_mb = 99999999999999", "limits.memory_mb is 99999999999999; expected"),
        ("[limits]\nprocesses = 0", "limits.processes is 0"),
        ("[limits]\noutput_bytes = 0", "limits.output_bytes is 0"),
    ] {
        let world = World::new();
        world.write("s/t/task.toml", &format!("{SPEC}{more}\n"));
        let (faults, refusal) = (world.faults(), world.refusal());
        assert!(faults.contains(&format!("t: task.toml: {words}")) || faults.contains(words), "{more}: {faults}");
        assert!(refusal.contains(words) && refusal.contains("task.toml"), "{more}: {refusal}");
    }
    for (from, to, words) in [
        (
            "\"queue::TestCancelAmongOthers\"",
            "\"queue::TestCancelAmongOthers\", \"queue::TestCancelAmongOthers\"",
            "targets has \"queue::TestCancelAmongOthers\" twice",
        ),
        ("\"queue::TestCancel\"", "\" \"", "guards has an empty id"),
        ("\"queue::TestCancel\"", "\"queue::TestCancelAmongOthers\"", "is both a target and a guard"),
    ] {
        let world = World::new();
        world.write("s/t/task.toml", &SPEC.replace(from, to));
        assert!(world.faults().contains(words) && world.refusal().contains(words), "{to}");
    }
    let world = World::new();
    world.write("s/t/task.toml", &SPEC.replace("\"queue::TestCancelAmongOthers\"", ""));
    assert!(world.faults().contains("targets is empty") && world.refusal().contains("targets is empty"));
    let world = World::new();
    world.write("s/suite.toml", &format!("{SUITE}[limits]\ncpu_thousandths = 0\n"));
    assert!(world.faults().contains("suite.toml: limits.cpu_thousandths is 0"));
}

#[test]
fn a_scorecard_needs_a_grader_that_can_be_started() {
    let world = World::new();
    let card =
        "id = \"t\"\ntitle = \"T\"\nlanguage = \"go\"\n[scorecard]\nchecks = [\"a\"]\ncommand = [\"./grade.sh\"]\n";
    world.write("s/t/task.toml", card);
    assert!(world.faults().contains("no folder grader/"));
    world.write("s/t/grader/grade.sh", "#!/bin/sh\n");
    assert!(world.faults().contains("name an interpreter before it"));
}

#[test]
fn a_fix_that_touches_protected_paths_alone_is_a_fault() {
    let world = World::new();
    world.write("s/t/task.toml", &format!("{SPEC}protected = [\"queue/**\"]\n"));
    let faults = world.faults();
    assert!(
        faults.contains("solution.patch changes protected paths alone") && faults.contains("queue/queue.go"),
        "{faults}"
    );
}

#[test]
fn links_that_lead_out_and_what_is_no_file_are_faults_of_their_place() {
    for (place, target) in [("repo/passwd", "/etc/passwd"), ("tests/queue/up", "../../../x"), ("repo/a/b", "../../c")] {
        let world = World::new();
        let link = world.task("t").join(place);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
        let (faults, refusal) = (world.faults(), world.refusal());
        for told in [faults, refusal] {
            assert!(told.contains(place) && told.contains("leads out of the tree"), "{told}");
        }
    }
    let world = World::new();
    let pipe = world.task("t").join("repo/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let faults = world.faults();
    assert!(faults.matches("repo/pipe").count() == 1 && faults.contains("a pipe, a socket or a device"), "{faults}");
}

#[test]
fn suites_have_faults_too_and_each_is_told_with_its_field() {
    for (from, to, words) in [
        ("version = \"1\"", "version = \"\"", "suite.toml: version \"\""),
        ("version = \"1\"", "version = \"1 0\"", "suite.toml: version \"1 0\""),
        ("version = \"1\"", "version = \"a@1/2\"", "suite.toml: version \"a@1/2\""),
        ("title = \"S\"", "title = \"S\"\nrepeats = 0", "suite.toml: repeats is 0"),
        ("title = \"S\"", "title = \" \"", "s: suite.toml: title is empty"),
    ] {
        let world = World::new();
        world.write("s/suite.toml", &SUITE.replace(from, to));
        let faults = world.faults();
        assert!(faults.contains(words), "{to}: {faults}");
    }
    let world = World::new();
    world.write("s/t/task.toml", &SPEC.replace("title = \"T\"", "title = \"\""));
    assert!(world.faults().contains("t: task.toml: title is empty"));
    fs::remove_dir_all(world.task("t")).unwrap();
    assert!(world.faults().contains("s: suite.toml: the suite has no task"));
}

#[test]
fn one_broken_task_hides_no_other_and_stands_in_no_others_way() {
    let world = World::new();
    for name in ["a", "b"] {
        world.write(&format!("s/{name}/task.toml"), "nonsense = = 1\n");
    }
    world.write("broken/suite.toml", "id = \n");
    world.write("s/t/task.toml", &format!("{SPEC}protected = [\"[\"]\n"));
    let faults = world.faults();
    for begin in ["a: use ", "b: use ", "broken: use ", "t: task.toml: protected"] {
        assert!(faults.lines().any(|l| l.starts_with(begin)), "{begin}: {faults}");
    }
    let (code, out, err) = world.run(&["tasks", "list", "--task", "t"]);
    assert!(code == 0 && out.contains("s@1\tt\tgo"), "{err}");
    let (code, _, err) = world.run(&["tasks", "list", "--suite", "s"]);
    assert!(code == 2 && err.contains("s/a/task.toml"), "what is meant and cannot be read is told: {err}");
}

#[test]
fn a_folder_without_suites_is_named_with_what_a_suite_is() {
    let world = World { dir: tempfile::tempdir().unwrap() };
    for args in [["tasks", "list"], ["tasks", "check"]] {
        let (code, _, err) = world.run(&args);
        assert!(code == 2 && err.contains(&world.root().display().to_string()) && err.contains("suite.toml"), "{err}");
    }
    fs::write(world.root().join("suite.toml"), SUITE).unwrap();
    let (_, _, err) = world.run(&["tasks", "show", "nothing"]);
    assert!(err.contains("hint:"), "{err}");
}
