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

/// Writes the list of digests anew, as a publisher would who changed files and hides it.
fn sign(site: &Path) {
    fs::remove_file(site.join("SHA256SUMS")).unwrap();
    let sums: String = super::world::files(site).iter().map(|(n, b)| format!("{}  {n}\n", sha256(b))).collect();
    fs::write(site.join("SHA256SUMS"), sums).unwrap();
}

#[test]
fn digests_forged_to_fit_a_changed_line_do_not_help() {
    let world = world();
    let ids = named(
        &world,
        &|site| {
            let raw = attempts(&site.join("data/raw"));
            edit(&raw, "\"outcome\":\"unresolved\"", "\"outcome\":\"resolved\"");
            sign(site);
        },
        None,
    );
    assert!(ids.iter().any(|i| i.ends_with(".rate")), "{ids:?}");
}

#[test]
fn a_lie_beside_the_numbers_is_named_though_the_digests_were_written_anew() {
    let world = world();
    let digest = {
        let text = fs::read_to_string(world.path("public/data/numbers.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        value["data_sha256"].as_str().unwrap().to_owned()
    };
    let other = sha256(b"another");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(world.path("public/data/manifest.json")).unwrap()).unwrap();
    let raw = &manifest["files"][0];
    let bytes = format!("\"bytes\":{}", raw["bytes"]);
    let main = "<main id=\"main\" tabindex=\"-1\">";
    let page = world.path("public/task/b/t1.html");
    let page = fs::read_to_string(page).unwrap();
    let title = page.split("<title>").nth(1).unwrap().split("</title>").next().unwrap().to_owned();
    type Lie<'l> = (&'l str, &'l str, String, &'l str);
    let lies: [Lie<'_>; 14] = [
        ("data/manifest.json", raw["sha256"].as_str().unwrap(), other.clone(), "file data/manifest.json"),
        ("data/manifest.json", &bytes, "\"bytes\":1".into(), "file data/manifest.json"),
        ("data/manifest.json", "\"lines\":24", "\"lines\":25".into(), "file data/manifest.json"),
        ("data/numbers.json", &digest, other.clone(), "data_sha256"),
        ("data/numbers.json", "2026-01-01\"", "2025-01-01\"".into(), "boards"),
        ("index.html", &digest, other.clone(), "file index.html"),
        ("feed.xml", &digest, other.clone(), "file feed.xml"),
        ("CITATION.cff", &digest, other.clone(), "file CITATION.cff"),
        ("sitemap.xml", "task/b/t1<", "task/b/t9<".into(), "file sitemap.xml"),
        ("index.html", main, format!("{main}<p>It fixed 99.9% of all.</p>"), "file index.html"),
        ("index.html", " data-n=\"board.b.m1.rate\"", String::new(), "file index.html"),
        ("task/b/t1.html", &title, format!("{title} fixed 99.9%"), "file task/b/t1.html"),
        (
            "index.html",
            "<meta name=\"description\" content=\"",
            "<meta name=\"description\" content=\"97% ".into(),
            "file index.html",
        ),
        (
            "index.html",
            "<meta property=\"og:title\" content=\"",
            "<meta property=\"og:title\" content=\"97% ".into(),
            "file index.html",
        ),
    ];
    for (file, from, to, id) in lies {
        let change = |site: &Path| {
            edit(&site.join(file), from, &to);
            sign(site);
        };
        let ids = named(&world, &change, None);
        assert!(ids.iter().any(|i| i == id), "{file} {to:?}: {id} in {ids:?}");
    }
}

#[test]
fn a_number_of_a_chart_that_lost_its_id_is_named() {
    let world = world();
    let page = fs::read_to_string(world.path("public/index.html")).unwrap();
    let at = page.find("data-value=\"0.5\"").unwrap();
    let from = page[..at].rfind("<text").unwrap();
    let tag = &page[from..from + page[from..].find('>').unwrap() + 1];
    let id = attribute(tag, " data-n=\"");
    let ids = named(
        &world,
        &|site| edit(&site.join("index.html"), &format!(" data-n=\"{id}\" data-value=\"0.5\""), ""),
        None,
    );
    assert!(ids.iter().all(|i| i == "file index.html"), "{ids:?}");
    let out = world.command(&["verify", "--site", "copy"]).assert().code(1);
    assert!(String::from_utf8_lossy(&out.get_output().stdout).contains("a number of a chart without an id"));
}

fn attribute(tag: &str, name: &str) -> String {
    tag.split(name).nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn a_page_that_is_missing_or_that_no_build_made_is_named() {
    let world = world();
    let gone = |site: &Path| {
        fs::remove_file(site.join("task/b/t2.html")).unwrap();
        let map = fs::read_to_string(site.join("sitemap.xml")).unwrap();
        let kept: String = map.lines().filter(|l| !l.contains("task/b/t2<")).map(|l| format!("{l}\n")).collect();
        fs::write(site.join("sitemap.xml"), kept).unwrap();
        sign(site);
    };
    let ids = named(&world, &gone, None);
    assert_eq!(ids, ["file task/b/t2.html"]);
    let added = |site: &Path| {
        let page = fs::read_to_string(site.join("index.html")).unwrap();
        fs::write(site.join("extra.html"), page.replace("board.b.m1.rate", "board.b.m1.rat")).unwrap();
    };
    let ids = named(&world, &added, None);
    for id in ["file extra.html", "board.b.m1.rat", "file sitemap.xml"] {
        assert!(ids.iter().any(|i| i == id), "{id} in {ids:?}");
    }
}

#[test]
fn targets_guards_sizes_and_left_out_attempts_are_numbers_that_are_checked() {
    let world = World::new("");
    world.run(
        "r",
        &["t"],
        &["m"],
        2,
        json!({"task_details": [{"id": "t", "repo": "o/r", "targets": 3, "guards": 41}]}),
        &[line("t", "m", 0, "resolved"), line("t", "m", 1, "infra_error")],
    );
    world.build();
    assert_eq!(world.numbers()["task.b.t.guards"]["text"], "41");
    world.command(&["verify"]).assert().success();
    for (file, from, to, id) in [
        ("task/b/t.html", "data-n=\"task.b.t.targets\">3<", "data-n=\"task.b.t.targets\">4<", "task.b.t.targets"),
        (
            "task/b/t.html",
            "data-n=\"cell|b|m|t|excluded\">1<",
            "data-n=\"cell|b|m|t|excluded\">2<",
            "cell|b|m|t|excluded",
        ),
        ("run/r.html", "/run.json|bytes\">", "/run.json|bytes\">9", "file|data/raw/r/run.json|bytes"),
        ("data.html", "/run.json|bytes\">", "/run.json|bytes\">9", "file|data/raw/r/run.json|bytes"),
    ] {
        let ids = named(&world, &|site| edit(&site.join(file), from, to), None);
        assert!(ids.iter().any(|i| i == id), "{file}: {id} in {ids:?}");
    }
}

#[test]
fn a_site_without_results_verifies() {
    let world = World::new("");
    world.build();
    world.command(&["verify"]).assert().success();
}

#[test]
fn a_plan_changed_against_another_plan_is_a_difference_that_names_the_file_and_the_numbers() {
    let world = World::new("");
    for run in ["a", "abc"] {
        let details = json!({"task_details": [{"id": "t", "repo": "o/r", "merged_at": "2026-01-01"}]});
        world.run(run, &["t"], &["m"], 1, details, &[line("t", "m", 0, "resolved")]);
    }
    world.build();
    for run in ["a", "abc"] {
        let change = |site: &Path| edit(&site.join(format!("data/raw/{run}/run.json")), "2026-01-01\"", "2025-07-01\"");
        let ids = named(&world, &change, None);
        assert!(ids.contains(&format!("file data/raw/{run}/run.json")), "{ids:?}");
        assert!(ids.iter().any(|i| i.starts_with("board.b.") && i.contains("2025-07")), "{ids:?}");
    }
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
    let cells = run(&["--cells"]);
    assert_eq!(cells.lines().count(), 9, "a heading and two models at four tasks: {cells}");
    assert!(cells.contains("s@1,m1,shell@1,default,t1,3,") && cells.contains(",3,0.75"), "{cells}");
    let table = run(&["--k", "1,3"]);
    assert!(table.contains("pass@3") && table.contains("6 of 12") && table.contains("50.0%"), "{table}");
}
