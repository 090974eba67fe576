//! From a mirror to proven tasks in Docker, in one command that may be cut off anywhere.

use super::world::World;
use super::{field, lines};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

const MAIN: &str = "package kit\n\nfunc Price(count int) int {\n\treturn count * 3\n}\n";

/// L-11: one test a time zone of the system. L-08: a test that no two runs share. L-07: skipped and known to be broken.
const TESTS: &str = r#"package kit

import (
	"fmt"
	"math/rand"
	"os"
	"testing"
	"time"
)

func TestPrice(t *testing.T) {
	if Price(2) != 6 {
		t.Fatal("price")
	}
}

func TestZones(t *testing.T) {
	zones, _ := os.ReadDir("/usr/share/zoneinfo/Europe")
	for _, zone := range zones {
		t.Run(zone.Name(), func(t *testing.T) {
			if _, err := time.LoadLocation("Europe/" + zone.Name()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestSometimes(t *testing.T) {
	t.Run(fmt.Sprint(rand.Uint64()), func(t *testing.T) {})
}

func TestSkipped(t *testing.T) {
	t.Skip("not here")
}

func TestKnownToBeBroken(t *testing.T) {
	t.Fatal("known")
}
"#;

const TOTAL_TEST: &str = "\nfunc TestTotal(t *testing.T) {\n\tif Total(1, 2) != 9 {\n\t\tt.Fatal(\"total\")\n\t}\n}\n";

/// A repository of two packages, with a change that is a task, one whose test is never run, and one that only tests which
/// come and go tell apart.
fn world() -> World {
    let world = World::new();
    world.write("tool/go.mod", "module example.com/tool\n\ngo 1.21\n");
    world.write("tool/tool.go", "package tool\n");
    world.write("kit/go.mod", "module example.com/kit\n\ngo 1.21\n");
    world.write("kit/kit.go", MAIN);
    world.write("kit/kit_test.go", TESTS);
    world.commit("Start");
    // L-05: the fix is a new file in a new folder, which a new file of the package uses.
    world.write("kit/sums/sums.go", "package sums\n\nfunc Of(all []int) (sum int) {\n\tfor _, one := range all {\n\t\tsum += one\n\t}\n\treturn\n}\n");
    world.write("kit/total.go", "package kit\n\nimport \"example.com/kit/sums\"\n\n// Total is the price of all these counts taken together.\nfunc Total(counts ...int) int {\n\treturn Price(sums.Of(counts))\n}\n");
    world.write("kit/kit_test.go", format!("{TESTS}{TOTAL_TEST}"));
    world.commit("Add Total (#3)\n\nThere should be a Total of several counts.");
    // A-04: the only changed file of tests is left out by a tag.
    world.write("kit/kit.go", MAIN.replace("return count * 3", "return 3 * count"));
    world.write(
        "kit/far_test.go",
        "//go:build integration\n\npackage kit\n\nimport \"testing\"\n\nfunc TestFar(t *testing.T) {}\n",
    );
    world.commit("Turn a product around (#4)");
    world.write("kit/kit.go", MAIN.replace("return count * 3", "return count + count + count"));
    world.write("kit/kit_test.go", format!("{TESTS}{TOTAL_TEST}// The end.\n"));
    world.commit("Sums in place of products (#5)");
    world.mirror();
    world
}

const CHAIN: [&str; 14] = [
    "mine",
    "--from-mirror",
    "mirrors/me__shop.git",
    "--out",
    "out",
    "--prove",
    "--suite",
    "mined",
    "--runs",
    "2",
    "--jobs",
    "2",
    "--quiet",
    "--json",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_that_is_killed_goes_on_and_every_accepted_task_is_proven() {
    let test = "a_chain_that_is_killed_goes_on_and_every_accepted_task_is_proven";
    if crate::sandbox::docker_place(test).await.is_none() || !crate::needs::image("tsbench/go:1") {
        return;
    }
    tokio::task::block_in_place(|| {
        let world = world();
        let before = kill_after_first(&world);
        let (exit, out, said) = world.call(&CHAIN);
        assert_eq!(exit, 0, "{said}");
        let table: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&table["candidates"], &table["proven"], &table["accepted"]), (&json!(3), &json!(3), &json!(1)));
        let proven = lines(&world.path("out/proven.jsonl"));
        assert_eq!(proven[..before.len()], before[..], "what was decided stays");
        let mut ids = field(&proven, "id");
        ids.sort();
        assert_eq!(ids, ["me__shop-3", "me__shop-4", "me__shop-5"], "each is decided once");
        decided(&world, &proven);
        accepted(&world);
        gold(&world);
        let (exit, out, _) = world.call(&CHAIN);
        assert_eq!((exit, serde_json::from_str::<Value>(&out).unwrap()["accepted"].clone()), (0, json!(1)));
        assert_eq!(lines(&world.path("out/proven.jsonl")), proven, "a second call proves nothing again");
        assert_eq!(lines(&world.path("health/mined.jsonl")).len(), 1);
        cut_off_before_it_was_noted(&world, &proven);
    });
}

/// Ends the chain by force as soon as it has decided something, in the middle of a line; what it had decided.
fn kill_after_first(world: &World) -> Vec<Value> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.args(CHAIN).current_dir(world.dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut chain = command.spawn().unwrap();
    let file = world.path("out/proven.jsonl");
    while chain.try_wait().unwrap().is_none() {
        if std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n')) {
            chain.kill().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    chain.wait().unwrap();
    let decided = lines(&file);
    std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(b"{\"id\":\"me__sh").unwrap();
    decided
}

/// Rejections have their stage and what shows it, each once.
fn decided(world: &World, proven: &[Value]) {
    let stage = |id: &str| proven.iter().find(|l| l["id"] == id).unwrap()["stage"].clone();
    assert_eq!((stage("me__shop-4"), stage("me__shop-5")), (json!("empty"), json!("flaky")));
    let log = lines(&world.path("tasks/mined/rejections.jsonl"));
    let mut ids = field(&log, "id");
    ids.sort();
    assert_eq!(ids, ["me__shop-4", "me__shop-5"]);
    let empty = log.iter().find(|r| r["id"] == "me__shop-4").unwrap();
    assert_eq!(empty["evidence"], json!(["kit/far_test.go"]));
}

fn accepted(world: &World) {
    let task: toml::Table = toml::from_str(&world.read("tasks/mined/me__shop-3/task.toml")).unwrap();
    let list = |key: &str| -> Vec<&str> { task[key].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect() };
    assert_eq!(task["package"].as_str(), Some("kit"));
    assert_eq!(list("targets"), ["kit::TestTotal"]);
    assert_eq!(list("guards"), ["kit::TestPrice", "kit::TestSometimes", "kit::TestZones"]);
    let validation: Value = serde_json::from_str(&world.read("tasks/mined/me__shop-3/validation.json")).unwrap();
    let why = |start: &str| -> Vec<&str> {
        let dropped = validation["dropped"].as_array().unwrap().iter();
        let of = dropped.filter(|d| d["id"].as_str().unwrap().starts_with(start));
        of.map(|d| d["why"].as_str().unwrap()).collect()
    };
    assert_eq!((why("kit::TestSkipped"), why("kit::TestKnown")), (vec!["not_passing"], vec!["not_passing"]));
    let zones = why("kit::TestZones/");
    assert!(zones.len() > 20 && zones.iter().all(|w| *w == "environment_dependent"), "{zones:?}");
    let sometimes = why("kit::TestSometimes/");
    assert!(sometimes.len() >= 2 && sometimes.iter().all(|w| *w == "flaky"), "{sometimes:?}");
    let health = &lines(&world.path("health/mined.jsonl"))[0];
    assert_eq!((&health["task"], &health["state"]), (&json!("me__shop-3"), &json!("healthy")));
    let cheats = health["proofs"].as_array().unwrap().iter().filter(|p| p["kind"] == "exploit").count();
    assert!(cheats > 5, "{cheats} cheats were tried");
}

/// L-05: a model that gives the human fix resolves the task, although the fix is of new files alone.
fn gold(world: &World) {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::write(world.path("models.toml"), "models = []\n").unwrap();
    let mut command = world.tsbench();
    command.args([
        "run",
        "--suite",
        "mined",
        "--models",
        "mock/gold",
        "--repeats",
        "1",
        "--out",
        "results/gold",
        "--quiet",
    ]);
    for folder in ["prompts", "conditions", "agents"] {
        command.arg(format!("--{folder}")).arg(root.join(folder));
    }
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let attempts = lines(&world.path("results/gold/attempts.jsonl"));
    assert_eq!((attempts.len(), &attempts[0]["outcome"]), (1, &json!("resolved")));
    assert_eq!(attempts[0]["patch"]["files"], json!(2), "both new files are in the patch");
}

/// What was decided and not noted is taken from the logs, and is not run again.
fn cut_off_before_it_was_noted(world: &World, proven: &[Value]) {
    std::fs::remove_file(world.path("out/proven.jsonl")).unwrap();
    let (exit, _, said) = world.call(&CHAIN);
    assert_eq!(exit, 0, "{said}");
    let again = lines(&world.path("out/proven.jsonl"));
    let ends = |all: &[Value]| {
        let mut ends: Vec<(String, Value)> =
            all.iter().map(|l| (l["id"].as_str().unwrap().to_owned(), l["accepted"].clone())).collect();
        ends.sort_by(|a, b| a.0.cmp(&b.0));
        ends
    };
    assert_eq!(ends(&again), ends(proven));
    assert_eq!(lines(&world.path("health/mined.jsonl")).len(), 1);
    assert_eq!(lines(&world.path("tasks/mined/rejections.jsonl")).len(), 2);
}
