//! From a merged change to a task: solvability, limits of time, statements.

use crate::mining::world::World;
use serde_json::Value;
use std::path::Path;

const LOCAL: [&str; 4] = ["--sandbox", "local", "--cache", "cache"];

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// A repository whose only test asks for a price, with one change that makes it dearer.
fn shop(message: &str) -> (World, String) {
    let world = World::new();
    let manifest = r#"{"name":"shop","version":"1.0.0","private":true,"scripts":{"test":"node --test"}}"#;
    world.write("package.json", manifest);
    world.write("src/shop.js", "exports.price = (count) => count * 3;\n");
    world.write("test/shop.test.js", "// Nothing yet.\n");
    world.commit("Start");
    world.write("src/shop.js", "function roundedPrice(count) { return count * 4; }\nexports.price = roundedPrice;\n");
    let waiting = world.path("go");
    world.write(
        "test/shop.test.js",
        format!(
            "const test = require('node:test');\nconst assert = require('node:assert');\nconst fs = require('node:fs');\nconst {{ price }} = require('../src/shop.js');\ntest('price', () => {{\n  assert.equal(price(2), 8);\n  while (process.env.TZ.includes('Kiritimati') && !fs.existsSync({waiting:?}));\n}});\n"
        ),
    );
    let fix = world.commit(message);
    world.mirror();
    (world, fix)
}

fn validate(world: &World, more: &[&str]) -> (i32, String, String) {
    let fixed = ["validate", "--repo", "me/shop", "--suite", "s", "--runs", "1", "--json"];
    world.call(&[&fixed[..], &LOCAL, more].concat())
}

#[test]
fn names_that_tests_need_are_told_with_their_lines_and_words_of_comments_are_not() {
    let world = World::new();
    world.write("src/main/java/a/Bag.java", "package a;\npublic class Bag<T> {}\n");
    world.write("src/test/java/a/BagTest.java", "package a;\nclass BagTest {}\n");
    world.commit("Start");
    world.write(
        "src/main/java/a/Bag.java",
        "package a;\npublic class Bag<T> {\n  public Map<String, T> getMap() { return null; }\n  Bag<T> withMost(int most) { return this; }\n  boolean isRecord() { return false; }\n  static class Domain {}\n}\n",
    );
    world.write(
        "src/test/java/a/BagTest.java",
        "/* Public Domain. */\npackage a;\nclass BagTest {\n  /** Whether it isRecord. */\n  @Test void withMost() {\n    check(new Bag<String>().withMost(3).getMap());\n  }\n}\n",
    );
    world.commit("A bag of things (#3) (closes #2)\n\nIt should have `getMap`.");
    let mirror = world.mirror();
    let (exit, _, said) = world.call(&["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out"]);
    assert_eq!(exit, 0, "{said}");
    let candidate = &lines(&world.path("out/candidates.jsonl"))[0];
    assert_eq!((&candidate["pull_request"], &candidate["issue"]), (&3.into(), &2.into()));
    let warnings = candidate["warnings"].to_string();
    assert!(warnings.contains("withMost: src/test/java/a/BagTest.java, line 6"), "{warnings}");
    assert!(!["getMap:", "isRecord", "Domain"].iter().any(|w| warnings.contains(w)), "{warnings}");
}

#[test]
fn a_run_out_of_time_decides_nothing_and_the_next_call_with_more_time_accepts() {
    if !crate::needs::program("node") {
        return;
    }
    let (world, fix) = shop("Dearer (#12) (closes #3)");
    let (exit, out, said) = validate(&world, &["--fix", &fix, "--tests-seconds", "3"]);
    assert_eq!(exit, 3, "neither accepted nor rejected: {said}");
    let end: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(
        (&end["task"], &end["accepted"]),
        (&"me__shop-12".into(), &false.into()),
        "the message names the number"
    );
    assert_eq!((&end["undecided"]["what"], &end["undecided"]["seconds"]), (&"elsewhere".into(), &3.into()));
    assert!(said.contains("hint:") && said.contains("--tests-seconds"), "{said}");
    assert!(said.contains("me__shop-12: installation\nme__shop-12: green run 1 of 1\n"), "steps on a pipe: {said}");
    assert!(said.contains("elsewhere run, which took too long, alone") && said.contains("1 undecided"), "{said}");
    let suite = world.path("tasks/s");
    assert_eq!(lines(&suite.join("undecided.jsonl"))[0]["flag"], "--tests-seconds");
    assert!(!suite.join("rejections.jsonl").exists() && !suite.join("me__shop-12").exists());

    std::fs::write(world.path("go"), "").unwrap();
    std::fs::write(world.path("p.md"), "Dearer prices are asked for, see roundedPrice.\n\nDearer for everybody\n")
        .unwrap();
    let (exit, out, said) = validate(&world, &["--fix", &fix, "--tests-seconds", "60", "--problem", "p.md"]);
    assert_eq!(exit, 0, "{said}");
    let end: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(end["accepted"], true);
    let warnings = end["warnings"].to_string();
    assert!(warnings.contains("roundedPrice") && warnings.contains("the fix alone has"), "{warnings}");
    let task: toml::Table = toml::from_str(&world.read("tasks/s/me__shop-12/task.toml")).unwrap();
    assert_eq!(task["limits"]["tests_seconds"].as_integer(), Some(60), "scoring needs the time too");
    assert_eq!(task["source"]["pull_request"].as_integer(), Some(12));
    let certificate: Value = serde_json::from_str(&world.read("tasks/s/me__shop-12/certificate.json")).unwrap();
    assert_eq!(certificate["unread"], 0, "{certificate}");
}

#[test]
fn a_base_that_does_not_come_before_the_fix_is_refused_in_words() {
    let (world, fix) = shop("Dearer (#12)");
    world.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    world.write("README.md", "Read\n");
    let other = world.commit("Aside");
    world.mirror();
    let (exit, _, said) = validate(&world, &["--fix", &fix, "--base", &other]);
    assert!(exit == 2 && said.contains("does not come before the fix") && said.contains("--unrelated-base"), "{said}");
    assert!(!world.path("tasks/s").exists(), "nothing was looked at");
    let (_, _, said) = validate(&world, &["--fix", &fix, "--base", &other, "--unrelated-base", "--language", "rust"]);
    assert!(said.contains("the language \"rust\""), "it went on to the next question: {said}");
}

#[test]
fn a_commit_that_names_nothing_has_an_id_by_itself_and_is_mined_where_asked_for() {
    let (world, fix) = shop("Dearer");
    let id = format!("me__shop-{}", &fix[..10]);
    let (_, _, said) = validate(&world, &["--fix", &fix, "--language", "rust"]);
    assert!(
        said.contains("the language \"rust\"") && !said.contains("--pull-request"),
        "no number is demanded: {said}"
    );
    let mirror = world.path("mirrors/me__shop.git");
    let mine = ["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out", "--json"];
    let (_, out, _) = world.call(&mine);
    assert_eq!(serde_json::from_str::<Value>(&out).unwrap()["candidates"], 0);
    let more = [&mine[..], &["--without-pull-request"]].concat();
    for _ in 0..2 {
        let (exit, out, said) = world.call(&more);
        let table: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((exit, &table["candidates"]), (0, &1.into()), "{said}");
        assert_eq!(table["rejected"].as_array().unwrap().len(), 1, "only what has nothing before it: {out}");
    }
    let found = lines(&world.path("out/candidates.jsonl"));
    assert_eq!((found.len(), found[0]["id"].as_str()), (1, Some(id.as_str())));
    let (exit, _, said) = world.call(&["mine", "--repo", "a/b", "--out", "o", "--without-pull-request"]);
    assert!(exit == 2 && said.contains("--from-mirror"), "{said}");
}

#[test]
fn ids_without_a_place_and_misspelt_targets_are_faults_that_name_what_is_meant() {
    let dir = tempfile::tempdir().unwrap();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks/demo");
    let tasks = dir.path().join("tasks");
    crate::health::copy_folder(&demo, &tasks.join("demo"));
    let check = || {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_tsbench"));
        let done = command.args(["tasks", "check", "--tasks"]).arg(&tasks).output().unwrap();
        (done.status.code().unwrap(), String::from_utf8(done.stdout).unwrap())
    };
    assert_eq!(check(), (0, String::new()), "every task of the suite is in order");
    for task in ["py-opening-hours", "go-job-queue", "java-money-split", "ts-ttl-cache"] {
        let file = tasks.join("demo").join(task).join("task.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let mut spec: toml::Table = toml::from_str(&text).unwrap();
        let first = spec["targets"][0].as_str().unwrap().to_owned();
        let bare = first.split(['[', '(']).next().unwrap();
        let misspelt = format!("{}x", &bare[..bare.len() - 1]);
        let wrong = ["no_place".to_owned(), misspelt.clone()];
        spec["targets"].as_array_mut().unwrap().extend(wrong.into_iter().map(toml::Value::String));
        std::fs::write(&file, toml::to_string(&spec).unwrap()).unwrap();
        let (exit, out) = check();
        assert_eq!(exit, 1);
        assert!(out.contains("targets has \"no_place\", which names no place"), "{out}");
        assert!(out.contains(&format!("targets has {misspelt:?}, and ")), "{task}: {out}");
        std::fs::write(&file, text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_a_person_starts_is_not_swept_whatever_labels_its_image_has() {
    use tsbench::sandbox::{DockerHost, Patience, Provider};
    if !crate::needs::image("tsbench/base:1") {
        return;
    }
    let docker = |args: &[&str]| {
        let done = std::process::Command::new("docker").args(args).output().unwrap();
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    };
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = format!("tsbench.host={}", host.trim());
    // The labels of an image of an earlier version, whose owner is long gone.
    let labels = ["tsbench.owner=1-1", &host, "tsbench.boot=x", "tsbench.run=r", "tsbench.task=t", "tsbench.expires=1"];
    let labels: Vec<&str> = labels.iter().flat_map(|label| ["--label", label]).collect();
    let end = ["--entrypoint", "sleep", "tsbench/base:1", "60"];
    let id = docker(&[&["run", "-d", "--rm", "--network", "none"][..], &labels, &end].concat());
    let provider = Provider::Docker(DockerHost::connect(None, Patience::default()).await.unwrap());
    let swept = provider.sweep().await.unwrap();
    let left = docker(&["ps", "-q", "--no-trunc", "--filter", &format!("id={id}")]);
    docker(&["rm", "-f", &id]);
    assert_eq!(left, id, "{:?}", swept.sandboxes);
}
