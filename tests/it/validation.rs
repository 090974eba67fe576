//! Candidates of a made-up repository become tasks or reasoned rejections: pure refusals everywhere, the rest in Docker.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A repository with one commit a candidate, and its bare mirror.
struct World {
    dir: TempDir,
}

const MAIN: &str = "package shop\n\nfunc Price(count int) int {\n\treturn count * 3\n}\n";

/// A guard, a test tied to the time zone, and subtests whose names no two runs share.
const TESTS: &str = r#"package shop

import (
	"fmt"
	"math/rand"
	"os"
	"testing"
)

func TestPrice(t *testing.T) {
	if Price(2) != 6 {
		t.Fatal("price")
	}
}

func TestZone(t *testing.T) {
	if os.Getenv("TZ") != "UTC" {
		t.Fatal("not at home")
	}
}

func TestNames(t *testing.T) {
	t.Run(fmt.Sprint(rand.Uint64()), func(t *testing.T) {})
}
"#;

const TOTAL: &str = "package shop\n\n// SumOfPrices adds the prices of all counts given.\nfunc Total(counts ...int) int {\n\tsum := 0\n\tfor _, count := range counts {\n\t\tsum += Price(count)\n\t}\n\treturn sum\n}\n";

const TOTAL_TEST: &str = "\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 9 {\n\t\tt.Fatal(\"total\")\n\t}\n}\n";

impl World {
    fn new() -> World {
        let world = World { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.path("repo")).unwrap();
        world.git(&["init", "-q", "-b", "main"]);
        world.write("go.mod", "module example.com/shop\n\ngo 1.21\n");
        world.write("shop.go", MAIN);
        world.write("shop_test.go", TESTS);
        world.commit("Start");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path("repo").join(name), text).unwrap();
    }

    fn git(&self, args: &[&str]) -> String {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.path("repo"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Makes the mirror and calls the program; its exit code and what it printed of each candidate.
    fn validate(&self, candidates: &[String], more: &[&str]) -> (i32, Vec<Value>) {
        std::fs::create_dir_all(self.path("mirrors")).unwrap();
        let mirror = self.path("mirrors/me__shop.git");
        if !mirror.exists() {
            self.git(&["clone", "-q", "--mirror", ".", mirror.to_str().unwrap()]);
        }
        std::fs::write(self.path("candidates.jsonl"), candidates.join("\n")).unwrap();
        let done = self
            .tsbench()
            .args(["validate", "--candidates", "candidates.jsonl", "--suite", "mined", "--json", "--runs", "2"])
            .args(more)
            .output()
            .unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        eprintln!("{text}{}", String::from_utf8_lossy(&done.stderr));
        (done.status.code().unwrap(), text.lines().map(|l| serde_json::from_str(l).unwrap()).collect())
    }

    fn tsbench(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        command.current_dir(self.dir.path());
        command
    }

    fn rejections(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("tasks/mined/rejections.jsonl")).unwrap();
        text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.path(path)).unwrap()).unwrap()
    }
}

fn candidate(id: &str, fix: &str) -> String {
    serde_json::json!({"id": id, "repo": "me/shop", "fix": fix}).to_string()
}

#[test]
fn a_change_without_tests_or_with_tests_alone_or_with_secret_names_is_rejected_before_anything_runs() {
    let world = World::new();
    world.write("shop.go", &MAIN.replace('3', "4"));
    let code = world.commit("Dearer");
    world.write("shop_test.go", &TESTS.replace("Price(2) != 6", "Price(2) != 8"));
    let tests = world.commit("Tests of the new price");
    world.write("total.go", TOTAL);
    world.write("shop_test.go", &format!("{TESTS}{TOTAL_TEST}"));
    let secret = world.commit("Sum things up");
    let all = [candidate("code", &code), candidate("tests", &tests), candidate("secret", &secret)];
    let (exit, found) = world.validate(&all, &["--sandbox", "local", "--cache", "cache"]);
    assert_eq!((exit, found.len()), (1, 3));
    let mut stages: Vec<(String, String)> = world
        .rejections()
        .iter()
        .map(|r| (r["id"].as_str().unwrap().to_owned(), r["stage"].as_str().unwrap().to_owned()))
        .collect();
    stages.sort();
    let wanted = [("code", "source"), ("secret", "unsolvable"), ("tests", "source")];
    assert_eq!(stages, wanted.map(|(i, s)| (i.to_owned(), s.to_owned())));
    let secret = world.rejections().into_iter().find(|r| r["id"] == "secret").unwrap();
    assert_eq!(secret["evidence"], serde_json::json!(["Total: shop_test.go, line 27"]));
    assert!(secret["at"].as_str().unwrap().ends_with('Z'));
    let left: Vec<_> = std::fs::read_dir(world.path("tasks")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["mined"], "nothing half-made is left");
}

#[test]
fn a_merge_keeps_what_the_main_line_gained_in_the_meantime() {
    let world = World::new();
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("total.go", TOTAL);
    world.write("total_test.go", &format!("package shop\n\nimport \"testing\"\n{TOTAL_TEST}"));
    world.commit("Side");
    world.git(&["checkout", "-q", "main"]);
    world.write("more.go", "package shop\n\nconst More = 1\n");
    let main = world.commit("More on the main line");
    world.git(&["merge", "-q", "--no-ff", "-m", "Merge pull request #7 from a/b\n\nSum things up", "side"]);
    let merge = world.git(&["rev-parse", "HEAD"]);
    let (exit, _) = world.validate(&[candidate("merge", &merge)], &["--sandbox", "local", "--cache", "cache"]);
    // The names are secret, so it ends before anything runs; what matters is what it was compared with.
    assert_eq!(exit, 1);
    let rejection = &world.rejections()[0];
    assert_eq!(
        (&rejection["stage"], &rejection["evidence"]),
        (&"unsolvable".into(), &serde_json::json!(["Total: total_test.go, line 6"]))
    );
    let changed = world.git(&["diff", "--name-only", &main, &merge]);
    assert_eq!(changed, "total.go\ntotal_test.go", "the first parent is the base");
}

#[test]
fn a_bad_line_of_candidates_is_named_and_so_is_a_missing_mirror() {
    let world = World::new();
    std::fs::write(world.path("c.jsonl"), "{\"repo\":\"me/shop\",\"fix\":\"a\",\"fixx\":1}\n").unwrap();
    let call = |args: &[&str]| {
        let done =
            world.tsbench().args(["validate", "--sandbox", "local", "--cache", "c"]).args(args).output().unwrap();
        (done.status.code().unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    let (exit, said) = call(&["--candidates", "c.jsonl", "--suite", "s"]);
    assert!(exit == 2 && said.contains("c.jsonl, line 1") && said.contains("fixx") && said.contains("hint:"), "{said}");
    let (exit, said) = call(&["--repo", "a/b", "--fix", "abc", "--id", "x", "--suite", "s"]);
    assert!(exit == 2 && said.contains("a__b.git") && said.contains("hint:"), "{said}");
    let (exit, said) = call(&["--repo", "a/b", "--fix", "abc", "--id", "../x", "--suite", "s"]);
    assert!(exit == 2 && said.contains("../x"), "{said}");
}

#[test]
fn what_is_asked_for_and_is_not_there_is_told_once_and_in_its_own_words() {
    let world = World::new();
    world.write("shop.go", &MAIN.replace('3', "4"));
    world.write("shop_test.go", &TESTS.replace("Price(2) != 6", "Price(2) != 8"));
    let fix = world.commit("Dearer");
    world.validate(&[], &["--sandbox", "local", "--cache", "cache"]);
    let call = |args: &[&str]| {
        let fixed = ["validate", "--sandbox", "local", "--cache", "c", "--id", "x", "--suite", "s", "--repo"];
        let done = world.tsbench().args(fixed).args(args).output().unwrap();
        (done.status.code().unwrap(), String::from_utf8(done.stderr).unwrap())
    };
    for (args, words) in [
        (
            &["me/shop", "--fix", &fix, "--package", "nope"][..],
            "\"nope\" as the package: the starting tree has no such folder",
        ),
        (&["me/shop", "--fix", &fix, "--base", &fix], "between the two nothing was changed"),
        (
            &["me/shop", "--fix", "deadbeef"],
            "\"deadbeef\" as the commit of the fix: the mirror mirrors/me__shop.git has no such",
        ),
        (&["me/shop", "--fix", &fix, "--language", "rust"], "the language \"rust\"\nhint: there are python"),
        (&["a/b", "--fix", &fix], "hint: tsbench mirror add"),
    ] {
        let (exit, said) = call(args);
        assert_eq!(exit, 2, "{said}");
        assert!(said.contains(words) && said.matches("hint:").count() == 1, "{args:?}: {said}");
        assert_eq!(said.matches("error: failed to").count(), 1, "{said}");
        assert!(!said.contains("fatal:") && said.lines().count() == 2, "{said}");
    }
    assert!(!world.path("tasks/s").exists(), "nothing was rejected: nothing was looked at");
}

#[test]
fn candidates_are_proven_in_docker_and_every_rejection_has_its_reason() {
    if !crate::needs::image("tsbench/go:1") {
        return;
    }
    let world = World::new();
    world.write("total.go", TOTAL);
    world.write("shop_test.go", &format!("{TESTS}{TOTAL_TEST}"));
    let good =
        world.commit("Add Total (#3)\n\nThere should be a Total of several counts.\n\n## Solution\n\nAdd them up.");
    world.write("shop.go", &MAIN.replace("return count * 3", "return 3 * count"));
    let names = "\nfunc TestMoreNames(t *testing.T) {\n\tt.Run(fmt.Sprint(rand.Uint64()), func(t *testing.T) {})\n\tt.Fail()\n}\n";
    world.write("shop_test.go", &format!("{TESTS}{TOTAL_TEST}{names}"));
    let flaky = world.commit("Turn a product around");
    // What the installation runs leaves git objects in the image.
    let main = "package shop\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.MkdirAll(\"/tmp/copy/objects/pack\", 0o755)\n\tos.WriteFile(\"/tmp/copy/objects/pack/a.pack\", nil, 0o644)\n\tos.Exit(m.Run())\n}\n";
    world.write("main_test.go", main);
    world.commit("A setup of the tests");
    world.write("shop.go", &MAIN.replace('3', "4"));
    world.write("shop_test.go", &TESTS.replace("Price(2) != 6", "Price(2) != 8"));
    let leak = world.commit("Dearer");
    let all = [candidate("good", &good), candidate("flaky", &flaky), candidate("leak", &leak)];
    let (exit, found) = world.validate(&all, &["--jobs", "2"]);
    assert_eq!((exit, found.len()), (1, 3));
    accepted(&world, &good);
    let mut log = world.rejections();
    log.sort_by_key(|r| r["id"].as_str().unwrap().to_owned());
    assert_eq!((&log[0]["id"], &log[0]["stage"]), (&"flaky".into(), &"flaky".into()));
    assert_eq!((&log[1]["id"], &log[1]["stage"]), (&"leak".into(), &"leak".into()));
    assert_eq!(log[1]["evidence"], serde_json::json!(["git objects: /tmp/copy/objects"]));
    let again = world.validate(&all[..1], &[]);
    assert_eq!(again.0, 2, "a task that is there is not overwritten");
    world
        .tsbench()
        .args(["gate", "--task", "good", "--mirrors", "mirrors", "--runs", "1", "--no-exploits"])
        .assert()
        .success();
}

/// The accepted task: its new test, the guards that the broken build hid, and what was left out.
fn accepted(world: &World, fix: &str) {
    let text = std::fs::read_to_string(world.path("tasks/mined/good/task.toml")).unwrap();
    let task: toml::Table = toml::from_str(&text).unwrap();
    let list = |key: &str| -> Vec<String> {
        task[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(list("targets"), [".::TestTotal"]);
    assert_eq!(list("guards"), [".::TestNames", ".::TestPrice"]);
    assert_eq!(task["source"]["fix_commit"].as_str(), Some(fix));
    let problem = std::fs::read_to_string(world.path("tasks/mined/good/problem.md")).unwrap();
    assert_eq!(problem, "Add Total\n\nThere should be a Total of several counts.\n");
    let validation = world.json("tasks/mined/good/validation.json");
    let left: Vec<(&str, &str)> = validation["dropped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["id"].as_str().unwrap(), d["why"].as_str().unwrap()))
        .collect();
    assert!(left.contains(&(".::TestZone", "environment_dependent")), "{left:?}");
    assert!(left.iter().any(|(id, why)| id.starts_with(".::TestNames/") && *why == "flaky"), "{left:?}");
    let certificate = world.json("tasks/mined/good/certificate.json");
    assert_eq!(certificate["findings"], serde_json::json!([]));
    assert_eq!((&certificate["unread"], certificate.get("unread_paths")), (&0.into(), None), "{certificate}");
    assert!(certificate["files"].as_u64() > Some(1000) && certificate["lines"].as_u64() > Some(0));
    assert!(Path::new(&world.path("tasks/mined/suite.toml")).is_file());
}
