//! Task folders of Thinkbench that do not say what they should.

use super::world::{copy, fixture, said, tsbench};
use std::path::Path;

fn import(dir: &Path, code: i32) -> String {
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", "thinkbench", "--suite", "taken", "--sandbox", "local"]);
    command.arg("--from").arg(dir.join("set")).arg("--tasks").arg(dir.join("out"));
    said(command.arg("--cache").arg(dir.join("cache")), code)
}

/// The task `romans` as the only one of a set, with a grader that prints this and a manifest, where one is given.
fn romans(print: Option<&str>, manifest: Option<&str>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy(&fixture("thinkbench/tasks/romans"), &dir.path().join("set/tasks/romans"));
    if let Some(print) = print {
        std::fs::write(dir.path().join("set/tasks/romans/grade.py"), format!("print('''{print}''')\n")).unwrap();
    }
    if let Some(manifest) = manifest {
        std::fs::write(dir.path().join("set/manifest.json"), manifest).unwrap();
    }
    dir
}

#[test]
fn a_grader_whose_scorecard_is_none_or_whose_reference_fails_is_refused_with_the_form() {
    let form = "expected {\"checks\": [{\"id\": \"…\", \"passed\": true}, …]}";
    for (print, what) in [
        ("hello", "printed \"hello\" as its last line when run on the reference: that is no JSON"),
        ("{\"adds\": true}", "there is no list named checks"),
        ("{\"checks\": [{\"name\": \"a\"}]}", "a check has no id"),
        ("{\"checks\": [{\"id\": \"a\", \"ok\": true}]}", "the check \"a\" does not say whether it passed"),
        ("{\"checks\": []}", "it names no check"),
        ("{\"checks\": [{\"id\": \"a\", \"passed\": true}, {\"id\": \"a\", \"passed\": true}]}", "\"a\" stands twice"),
    ] {
        let dir = romans(Some(print), None);
        let told = import(dir.path(), 1);
        assert!(told.contains(what) && told.contains(form) && told.contains("grade.py"), "{print}: {told}");
        assert!(told.contains("tasks/romans)"), "the path is told: {told}");
        assert!(!dir.path().join("out/taken").exists());
    }
    let half = "{\"checks\": [{\"id\": \"a\", \"passed\": true}, {\"id\": \"b\", \"passed\": false}]}";
    let told = import(romans(Some(half), None).path(), 1);
    assert!(told.contains("its reference passes 1 of 2 checks of its own grader, and not b"), "{told}");
}

#[test]
fn a_manifest_of_another_form_is_refused_with_the_form() {
    let form = "expected [{\"slug\": \"…\", \"graded_behaviors\": [{\"id\": \"…\"}, …]}, …]";
    for (manifest, code, what) in [
        ("[{\"slug\": \"romans\", \"graded_behaviors\": 5}]", 1, "its graded_behaviors are no list"),
        ("[{\"slug\": \"romans\", \"graded_behaviors\": [\"a\"]}]", 1, "are not each a map with an id"),
        ("[{\"slug\": \"romans\", \"graded_behaviors\": [{\"id\": \"a\"}, {\"id\": \"a\"}]}]", 1, "\"a\" stands twice"),
        ("[{\"slug\": \"romans\"}, {\"slug\": \"romans\"}]", 1, "it stands there twice"),
        ("{\"romans\": []}", 2, "it is no list of tasks"),
        ("[{\"id\": \"romans\"}]", 2, "its entry 1 has no slug"),
        ("garbage", 2, "expected value"),
    ] {
        let dir = romans(None, Some(manifest));
        let told = import(dir.path(), code);
        assert!(told.contains(what) && told.contains(form) && told.contains("manifest.json"), "{manifest}: {told}");
    }
    let none = "[{\"slug\": \"romans\", \"graded_behaviors\": []}]";
    assert!(import(romans(None, Some(none)).path(), 1).contains("no checks are declared for it"));
}

#[test]
fn statements_and_files_that_cannot_be_taken_as_they_are_are_refused() {
    let spoil = |spoil: &dyn Fn(&Path)| {
        let dir = romans(None, Some("[{\"slug\": \"romans\", \"graded_behaviors\": [{\"id\": \"a\"}]}]"));
        spoil(&dir.path().join("set/tasks/romans"));
        import(dir.path(), 1)
    };
    let told = spoil(&|task| std::fs::write(task.join("brief.txt"), " \n").unwrap());
    assert!(told.contains("not taken in: romans: brief.txt is empty"), "{told}");
    let told = spoil(&|task| std::fs::write(task.join("brief.txt"), b"\xff\xfe").unwrap());
    assert!(told.contains("brief.txt is not UTF-8 from byte 1 on"), "{told}");
    let told = spoil(&|task| {
        std::fs::create_dir_all(task.join("setup")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", task.join("setup/pw")).unwrap();
    });
    assert!(told.contains("setup/pw is a link to \"/etc/passwd\": put the file itself there"), "{told}");
}
