//! Task folders of Harbor that are not as they should be, and trees that need more than plain files.

use super::world::{copy, demo, fixture, said, tsbench};
use std::path::Path;
use tsbench::tasks::load;

fn import(dir: &Path, code: i32) -> String {
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", "harbor", "--suite", "taken", "--sandbox", "local"]);
    command.arg("--from").arg(dir.join("set")).arg("--tasks").arg(dir.join("tasks"));
    said(command.arg("--cache").arg(dir.join("cache")), code)
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A set of the good task `fix-counter` and copies of it, each spoilt in one way.
fn set(dir: &Path, names: &[&str]) {
    for name in ["fix-counter"].iter().chain(names) {
        copy(&fixture("harbor/fix-counter"), &dir.join("set").join(name));
        let toml = dir.join("set").join(name).join("task.toml");
        let text = std::fs::read_to_string(&toml).unwrap();
        let named =
            text.lines().map(|l| if l.starts_with("name = ") { format!("name = \"x/{name}\"") } else { l.into() });
        std::fs::write(toml, named.collect::<Vec<_>>().join("\n")).unwrap();
    }
}

#[test]
fn a_bad_folder_is_named_with_its_reason_and_the_others_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["empty", "latin", "linked", "away", "toml", "copy", "lacks", "evil"];
    set(dir.path(), &names);
    let at = |name: &str| dir.path().join("set").join(name);
    write(&at("empty/instruction.md"), b" \n");
    write(&at("latin/instruction.md"), b"Count \xff words\n");
    let instruction = at("linked/instruction.md");
    std::fs::remove_file(&instruction).unwrap();
    std::os::unix::fs::symlink("task.toml", &instruction).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", at("away/tests/pw")).unwrap();
    write(&at("toml/task.toml"), b"no toml");
    let recipe = std::fs::read_to_string(at("copy/environment/Dockerfile")).unwrap();
    write(&at("copy/environment/Dockerfile"), format!("{recipe}\nCOPY nothing.py .\n").as_bytes());
    write(&at("lacks/solution/solve.sh"), b"#!/bin/bash\ncp /app/made-by-run.txt /app/x\n");
    let evil = std::fs::read_to_string(demo().join("demo/py-opening-hours/task.toml")).unwrap();
    let evil = evil.replace("id = \"py-opening-hours\"", "id = \"../../evil\"");
    write(&at("evil/solution/tsbench/task.toml"), evil.as_bytes());
    let told = import(dir.path(), 1);
    for (name, what) in [
        ("empty", "instruction.md is empty: write there"),
        ("latin", "instruction.md is not UTF-8 from byte 7 on: save it as UTF-8"),
        ("linked", "instruction.md is a link to \"task.toml\": put the text itself there"),
        ("away", "tests/pw is a link to \"/etc/passwd\", out of the task's folder"),
        ("toml", "task.toml: TOML parse error"),
        ("copy", "COPY nothing.py .: environment/ has no \"nothing.py\""),
        ("lacks", "its solve.sh ended with 1, and said "),
        ("evil", "solution/tsbench/task.toml has the id \"../../evil\""),
    ] {
        let start = told.find(&format!("not taken in: {name}: ")).unwrap_or_else(|| panic!("{name}: {told}"));
        let line = &told[start..];
        let line = &line[..line.find("\nnot taken in").unwrap_or(line.len())];
        assert!(line.contains(what), "{name}: {line}");
        assert!(line.contains(&format!("set/{name})")), "the path is told: {line}");
    }
    assert!(told.contains("a file is missing that the tree does not have"), "{told}");
    assert!(told.contains("1 task taken in, 8 not"), "{told}");
    let suite = load(&dir.path().join("tasks")).unwrap().remove(0);
    assert_eq!(suite.tasks.iter().map(|t| t.spec.id.as_str()).collect::<Vec<_>>(), ["fix-counter"]);
    let around: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(around.iter().all(|n| n != "evil"), "{around:?}");
}

#[test]
fn a_link_that_stays_in_its_tree_goes_out_and_one_that_leaves_it_costs_its_task_alone() {
    let dir = tempfile::tempdir().unwrap();
    let suite = dir.path().join("tasks/demo");
    for task in ["py-opening-hours", "py-version-ranges"] {
        copy(&demo().join("demo").join(task), &suite.join(task));
    }
    std::fs::copy(demo().join("demo/suite.toml"), suite.join("suite.toml")).unwrap();
    std::os::unix::fs::symlink("pyproject.toml", suite.join("py-opening-hours/repo/LINK")).unwrap();
    std::os::unix::fs::symlink("../../../x", suite.join("py-version-ranges/repo/AWAY")).unwrap();
    let out = dir.path().join("out");
    let mut command = tsbench();
    command.args(["tasks", "export", "--format", "harbor", "--suite", "demo"]).arg("--out").arg(&out);
    let told = said(command.arg("--tasks").arg(dir.path().join("tasks")), 0);
    let lost = "loss: left out: the link environment/repo/AWAY leads out of its tree (py-version-ranges)";
    assert!(told.contains(lost) && told.contains("1 task written"), "{told}");
    let link = std::fs::read_link(out.join("py-opening-hours/environment/repo/LINK")).unwrap();
    assert_eq!(link, Path::new("pyproject.toml"));
    let mut command = tsbench();
    command.args(["tasks", "import", "--format", "harbor", "--suite", "demo"]).arg("--from").arg(&out);
    said(command.arg("--tasks").arg(dir.path().join("back")), 0);
    assert!(dir.path().join("back/demo/py-opening-hours/repo/LINK").is_symlink());
}

#[test]
fn a_limit_that_is_none_is_told() {
    let dir = tempfile::tempdir().unwrap();
    set(dir.path(), &[]);
    let toml = dir.path().join("set/fix-counter/task.toml");
    let text = std::fs::read_to_string(&toml).unwrap();
    std::fs::write(&toml, text.replace("storage_mb = 512", "storage_mb = -5")).unwrap();
    let told = import(dir.path(), 0);
    assert!(told.contains("loss: environment.storage_mb of task.toml is -5, which is no limit"), "{told}");
    assert!(told.contains("loss: verifier.env.LIMIT of task.toml"), "{told}");
}
