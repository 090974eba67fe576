use super::world::{World, copy, edit, line};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

fn world() -> World {
    let world = World::new("");
    let tasks = ["t1", "t2", "t3", "t4"];
    let mut lines = Vec::new();
    for (i, t) in tasks.into_iter().enumerate() {
        for r in 0..3 {
            lines.push(
                line(t, "m1", r, if (i as u32 + r).is_multiple_of(2) { "resolved" } else { "unresolved" })
                    .with(json!({"cost_usd": 0.25, "turns": 7, "seconds": {"agent": 12.5, "total": 20.0}})),
            );
            lines.push(line(t, "m2", r, "unresolved").with(json!({"cost_usd": 0.01})));
        }
    }
    let details: Vec<Value> = tasks
        .iter()
        .enumerate()
        .map(|(i, t)| json!({"id": t, "repo": format!("o/r{}", i / 2), "merged_at": format!("2026-0{}-01", i + 1)}))
        .collect();
    world.run("r", &tasks, &["m1", "m2"], 3, json!({"task_details": details}), &lines);
    world.build();
    world
}

/// Ids that verification names after an edit of a copy of the site.
fn named(world: &World, change: &dyn Fn(&Path), results: Option<&str>) -> Vec<String> {
    let copied = world.path("copy");
    let _ = fs::remove_dir_all(&copied);
    copy(&world.path("public"), &copied);
    change(&copied);
    let mut args = vec!["verify", "--json", "--site", "copy"];
    args.extend(results.iter().flat_map(|r| ["--results", r]));
    let out = world.command(&args).assert().code(1);
    let value: Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    value["differences"].as_array().unwrap().iter().map(|d| d["id"].as_str().unwrap().to_owned()).collect()
}

fn attempts(dir: &Path) -> PathBuf {
    walkdir::WalkDir::new(dir)
        .into_iter()
        .map(|e| e.unwrap().into_path())
        .find(|p| p.file_name().unwrap().to_str().unwrap().starts_with("attempts") && p.extension().unwrap() == "jsonl")
        .unwrap()
}

#[test]
fn an_honest_site_verifies() {
    let world = world();
    let out = world.command(&["verify", "--json", "--results", "results"]).assert().success();
    let value: Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    assert!(value["numbers"].as_u64().unwrap() > 200 && value["statements"].as_u64().unwrap() > 400, "{value}");
}

#[test]
fn one_changed_outcome_in_the_sites_raw_lines_names_every_number_it_moves() {
    let world = world();
    let ids = named(
        &world,
        &|site| edit(&attempts(&site.join("data/raw")), "\"outcome\":\"unresolved\"", "\"outcome\":\"resolved\""),
        None,
    );
    for id in [
        "board.b.m1.fixed",
        "board.b.m1.rate",
        "board.b.m1.wilson_hi",
        "board.b.m1.taw_hi",
        "board.b.fixed",
        "pair.b.m1.m2.delta",
        "run.r.fixed",
        "board.b.m1.pass_at.3",
        "board.b.m1.cost_per_fix",
    ] {
        assert!(
            ids.iter().any(|i| i == id) || id.contains("m1") && ids.iter().any(|i| *i == id.replace("m1", "m2")),
            "{id} in {ids:?}"
        );
    }
    assert!(
        ids.iter().any(|i| i.starts_with("cell|b|")) && ids.iter().any(|i| i.starts_with("file data/raw/")),
        "{ids:?}"
    );
}

#[test]
fn one_changed_outcome_in_the_readers_own_results_is_named_too() {
    let world = world();
    edit(&attempts(&world.path("results")), "\"outcome\":\"unresolved\"", "\"outcome\":\"timed_out\"");
    let ids = named(&world, &|_| {}, Some("results"));
    assert!(
        ids.iter().any(|i| i.ends_with("outcome.timed_out")) && ids.iter().any(|i| i.starts_with("file data/raw/")),
        "{ids:?}"
    );
}

#[test]
fn one_digit_changed_in_a_page_a_chart_a_file_or_a_table_is_named() {
    let world = world();
    let n = world.numbers();
    let rate = n["board.b.m1.rate"]["text"].as_str().unwrap().to_owned();
    let places: [(&str, String, String, &str); 6] = [
        (
            "index.html",
            format!("data-n=\"board.b.m1.rate\">{rate}</data>"),
            "data-n=\"board.b.m1.rate\">99.0%</data>".into(),
            "board.b.m1.rate",
        ),
        (
            "index.html",
            "<data value=\"12\" data-n=\"board.b.m1.attempts\"".into(),
            "<data value=\"13\" data-n=\"board.b.m1.attempts\"".into(),
            "board.b.m1.attempts",
        ),
        (
            "task/b/t1.html",
            "data-n=\"/turns\">7</data>".into(),
            "data-n=\"/turns\">8</data>".into(),
            "line|r|t1|m1|default|0|/turns",
        ),
        (
            "data/numbers.json",
            "\"id\":\"board.b.m2.attempts\",\"stat\":\"attempts\",\"board\":\"b\",\"entry\":\"m2\",\"value\":12.0"
                .into(),
            "\"id\":\"board.b.m2.attempts\",\"stat\":\"attempts\",\"board\":\"b\",\"entry\":\"m2\",\"value\":11.0"
                .into(),
            "board.b.m2.attempts",
        ),
        (
            "data/b/board.json",
            "{\"n\":\"board.b.m1.rate\",\"value\":0".into(),
            "{\"n\":\"board.b.m1.rate\",\"value\":1".into(),
            "board.b.m1.rate",
        ),
        (
            "data/b/board.csv",
            format!(",{},", n["board.b.m1.wilson_lo"]["value"]),
            ",0.123,".into(),
            "board.b.m1.wilson_lo",
        ),
    ];
    for (file, from, to, id) in places {
        let ids = named(&world, &|site| edit(&site.join(file), &from, &to), None);
        assert!(ids.iter().any(|i| i == id), "{file}: {id} in {ids:?}");
        assert!(ids.iter().any(|i| *i == format!("file {file}")), "{file}: the digest is named too in {ids:?}");
    }
    let ids = named(&world, &|site| edit(&site.join("index.html"), "data-value=\"0.5\"", "data-value=\"0.6\""), None);
    assert!(ids.iter().any(|i| i.starts_with("board.b.")), "a number in a chart: {ids:?}");
}

#[test]
fn a_statistic_that_is_renamed_or_removed_is_named() {
    let world = world();
    let ids = named(
        &world,
        &|site| edit(&site.join("data/numbers.json"), "\"stat\":\"wilson_lo\"", "\"stat\":\"taw_lo\""),
        None,
    );
    assert!(ids.iter().any(|i| i.ends_with("wilson_lo")), "{ids:?}");
    let ids = named(
        &world,
        &|site| edit(&site.join("index.html"), "data-n=\"board.b.m1.rate\"", "data-n=\"board.b.m1.rat\""),
        None,
    );
    assert!(ids.iter().any(|i| i == "board.b.m1.rat"), "{ids:?}");
}

#[test]
fn a_manifest_forged_to_fit_a_changed_line_does_not_help() {
    let world = world();
    let ids = named(
        &world,
        &|site| {
            let raw = attempts(&site.join("data/raw"));
            edit(&raw, "\"outcome\":\"unresolved\"", "\"outcome\":\"resolved\"");
            fs::remove_file(site.join("SHA256SUMS")).unwrap();
            let sums: String = super::world::files(site).iter().map(|(n, b)| format!("{}  {n}\n", sha256(b))).collect();
            fs::write(site.join("SHA256SUMS"), sums).unwrap();
        },
        None,
    );
    assert!(ids.iter().any(|i| i.ends_with(".rate")) && !ids.iter().any(|i| i.starts_with("file ")), "{ids:?}");
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[test]
fn stats_prints_the_sites_numbers_without_the_site() {
    let world = world();
    let run = |args: &[&str]| {
        let out = assert_cmd::Command::new(env!("CARGO_BIN_EXE_tsbench"))
            .current_dir(world.dir.path())
            .args(["stats", "--in", "results"])
            .args(args)
            .assert()
            .success();
        String::from_utf8(out.get_output().stdout.clone()).unwrap()
    };
    let value: Value = serde_json::from_str(&run(&["--k", "1,3", "--json"])).unwrap();
    let rate = value["numbers"].as_array().unwrap().iter().find(|n| n["id"] == "board.s-1.m1.rate").unwrap();
    assert_eq!(rate["value"], world.numbers()["board.b.m1.rate"]["value"]);
    let table = run(&["--k", "1,3"]);
    assert!(table.contains("pass@3") && table.contains("6 of 12") && table.contains("50.0%"), "{table}");
}
