use super::world::{World, copy, edit, files, line, numbers, site_program};
use serde_json::json;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tempfile::TempDir;

fn bundled(out: &Path, extra: &[(&str, &str)], threads: &str, cwd: &Path) {
    let mut command = site_program();
    command
        .current_dir(cwd)
        .args(["build", "--threads", threads, "--root"])
        .arg(World::bundled())
        .arg("--out")
        .arg(out);
    for (name, value) in extra {
        command.env(name, value);
    }
    command.assert().success();
}

#[test]
fn the_bundled_results_give_the_published_figures() {
    let dir = TempDir::new().unwrap();
    bundled(dir.path(), &[], "2", Path::new("."));
    let n = numbers(dir.path());
    let text = |id: &str| n[&format!("board.tsbench.{id}")]["text"].as_str().unwrap().to_owned();
    for (id, want) in [
        ("attempts", "667"),
        ("fixed", "6"),
        ("cost_total", "$9.30"),
        ("haiku.fixed", "6"),
        ("haiku.attempts", "20"),
        ("haiku.wilson_lo", "14.5%"),
        ("haiku.wilson_hi", "51.9%"),
        ("haiku.tasks_covered", "20"),
        ("haiku.tasks_total", "24"),
        ("qwen25.fixed", "0"),
        ("qwen25.attempts", "240"),
        ("qwen25.wilson_lo", "0.0%"),
        ("qwen25.wilson_hi", "1.6%"),
        ("qwen25.taw_hi", "13.8%"),
        ("codestral.fixed", "0"),
        ("codestral.attempts", "240"),
        ("codestral.wilson_hi", "1.6%"),
        ("codestral.taw_hi", "13.8%"),
        ("qwen3.attempts", "167"),
        ("qwen3.wilson_hi", "2.2%"),
        ("qwen3.tasks_covered", "17"),
        ("gptoss.attempts", "0"),
        ("gptoss.rate", "no data"),
        ("gptoss.taw_hi", "no data"),
        ("unrun", "1"),
        ("qwen25.outcome.timed_out", "25"),
        ("qwen3.outcome.timed_out", "8"),
        ("qwen25.outcome.patch_failed", "2"),
        ("codestral.outcome.patch_failed", "1"),
        ("qwen3.outcome.patch_failed", "1"),
        ("haiku.repo.trpc~strpc.fixed", "4"),
    ] {
        assert_eq!(text(id), want, "{id}");
    }
    let home = fs::read_to_string(dir.path().join("index.html")).unwrap();
    for state in ["Stopped early", "Complete", "Not run"] {
        assert!(home.contains(state), "{state}");
    }
    let reported = fs::read_to_string(dir.path().join("board/thinkbench.html")).unwrap();
    assert!(
        reported.contains("Reported by the publisher") && !reported.contains("Tie group"),
        "publisher figures are shown apart and unranked"
    );
}

#[test]
fn two_builds_are_the_same_bytes_with_other_threads_zone_language_and_folder() {
    let (one, two, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    bundled(one.path(), &[("TZ", "UTC"), ("LANG", "C")], "1", Path::new("."));
    bundled(
        two.path(),
        &[("TZ", "Asia/Kathmandu"), ("LANG", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")],
        "2",
        elsewhere.path(),
    );
    assert!(files(one.path()) == files(two.path()));
}

fn small() -> World {
    let world = World::new("");
    let lines: Vec<_> = ["t1", "t2", "t3"]
        .iter()
        .flat_map(|t| ["m1", "m2"].map(|m| line(t, m, 0, if *t == "t1" { "resolved" } else { "unresolved" })))
        .collect();
    world.run("r1", &["t1", "t2", "t3"], &["m1", "m2"], 2, json!({}), &lines);
    world
}

fn stamps(dir: &Path) -> Vec<(String, u64, i64)> {
    files(dir)
        .keys()
        .map(|name| (name.clone(), fs::metadata(dir.join(name)).unwrap()))
        .map(|(n, m)| (n, m.ino(), m.mtime_nsec()))
        .collect()
}

#[test]
fn building_again_without_a_change_rewrites_no_file() {
    let world = small();
    let site = world.build();
    let before = stamps(&site);
    world.build();
    assert_eq!(before, stamps(&site));
}

#[test]
fn a_rebuild_after_any_change_equals_a_clean_build() {
    let world = small();
    let site = world.build();
    let attempts = walkdir::WalkDir::new(world.path("results"))
        .into_iter()
        .map(|e| e.unwrap().into_path())
        .find(|p| p.ends_with("attempts.jsonl"))
        .unwrap();
    let append = || {
        let text = fs::read_to_string(&attempts).unwrap();
        let first = text.lines().next().unwrap().replace("\"repeat\":0", "\"repeat\":1");
        fs::write(&attempts, text.clone() + &first + "\n").unwrap();
    };
    let steps: [&dyn Fn(); 5] = [
        &append,
        &|| {
            world.content("about.md", "Of {{ n(\"board.b.attempts\") }} attempts.");
        },
        &|| edit(&world.path("content/site.toml"), "title = \"Test\"", "title = \"Other\""),
        &|| {
            fs::create_dir(world.path("site-templates")).unwrap();
            fs::write(world.path("site-templates/site.css"), "main{color:red}").unwrap();
        },
        &|| fs::remove_file(world.path("content/about.md")).unwrap(),
    ];
    for (i, step) in steps.iter().enumerate() {
        step();
        world.build();
        world.command(&["build", "--out", "clean"]).assert().success();
        assert!(files(&site) == files(&world.path("clean")), "after step {i}");
        fs::remove_dir_all(world.path("clean")).unwrap();
    }
}

#[test]
fn a_failed_build_leaves_the_old_site_and_nothing_else() {
    let world = small();
    let site = world.build();
    let before = files(&site);
    world.run("r2", &["t1"], &["m1"], 1, json!({}), &[line("t1", "m1", 0, "fixed")]);
    let failed = world.command(&["build"]).assert().code(2);
    let text = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(
        text.contains("attempts.jsonl:1") && text.contains("unknown outcome \"fixed\"") && text.contains("hint:"),
        "{text}"
    );
    assert!(before == files(&site));
    let left: Vec<String> = fs::read_dir(world.dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with('.'))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "the stage is gone");
}

#[test]
fn a_folder_that_no_build_made_is_not_touched() {
    let world = small();
    fs::create_dir(world.path("public")).unwrap();
    fs::write(world.path("public/thesis.txt"), "mine").unwrap();
    let failed = world.command(&["build"]).assert().code(2);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("no earlier build made"));
    assert_eq!(fs::read_to_string(world.path("public/thesis.txt")).unwrap(), "mine");
}

#[test]
fn a_typed_digit_in_a_sentence_fails_the_build_and_a_quoted_number_does_not() {
    let world = small();
    world.content("about.md", "It fixed {{ n(\"board.b.fixed\") }} of {{ n(\"board.b.attempts\") }}; z is `1.96`.");
    world.build();
    world.content("about.md", "It fixed 2 of {{ n(\"board.b.attempts\") }}.");
    let failed = world.command(&["build"]).assert().code(2);
    let text = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(text.contains("about.md") && text.contains("typed digit") && text.contains("It fixed 2"), "{text}");
    world.content("about.md", "It fixed {{ n(\"board.b.fixxed\") }}.");
    let failed = world.command(&["build"]).assert().code(2);
    assert!(String::from_utf8_lossy(&failed.get_output().stderr).contains("board.b.fixxed"));
}

#[test]
fn excluded_attempts_are_shown_with_both_denominators() {
    let world = World::new("");
    world.run(
        "r",
        &["t1", "t2"],
        &["m"],
        2,
        json!({}),
        &[
            line("t1", "m", 0, "resolved"),
            line("t1", "m", 1, "infra_error"),
            line("t2", "m", 0, "stopped"),
            line("t2", "m", 1, "observed"),
        ],
    );
    world.build();
    let n = world.numbers();
    for (id, want) in [
        ("attempts", json!(1.0)),
        ("excluded", json!(2.0)),
        ("rate", json!(1.0)),
        ("worst_rate", json!(1.0 / 3.0)),
        ("best_rate", json!(1.0)),
        ("tasks_covered", json!(1.0)),
    ] {
        assert_eq!(n[&format!("board.b.m.{id}")]["value"], want, "{id}");
    }
}

#[test]
fn a_run_may_count_infrastructure_faults_as_failures() {
    let world = World::new("");
    world.run(
        "r",
        &["t1", "t2"],
        &["m"],
        1,
        json!({"scoring": {"infra": "fail"}}),
        &[line("t1", "m", 0, "resolved"), line("t2", "m", 0, "infra_error")],
    );
    world.build();
    let n = world.numbers();
    assert_eq!(n["board.b.m.attempts"]["value"], json!(2.0));
    assert_eq!(n["board.b.m.rate"]["value"], json!(0.5));
    assert_eq!(n["board.b.m.excluded"]["value"], json!(0.0));
    assert_eq!(n["board.b.m.outcome.infra_error"]["value"], json!(1.0));
}

#[test]
fn an_unknown_cost_is_counted_and_never_free() {
    let world = World::new("");
    world.run(
        "r",
        &["t1", "t2"],
        &["m"],
        1,
        json!({}),
        &[
            line("t1", "m", 0, "resolved").with(json!({"cost_usd": 0.5})),
            line("t2", "m", 0, "unresolved").with(json!({"cost_usd": null})),
        ],
    );
    world.build();
    let n = world.numbers();
    assert_eq!(n["board.b.m.cost_unknown"]["value"], json!(1.0));
    assert_eq!(n["board.b.m.cost_per_attempt"]["value"], json!(0.5));
}

#[test]
fn init_gives_a_site_that_builds_checks_and_verifies() {
    let dir = TempDir::new().unwrap();
    let root = dir.path().join("mine");
    site_program().arg("init").arg(&root).assert().success();
    for verb in [&["build"][..], &["check"], &["verify"], &["build"]] {
        site_program().current_dir(&root).args(verb).assert().success();
    }
    site_program().arg("init").arg(&root).assert().code(2);
}

#[test]
fn diff_names_what_changed_between_two_builds() {
    let world = small();
    let site = world.build();
    copy(&site, &world.path("old"));
    world.command(&["diff", "old", "public"]).assert().success();
    world.run("r2", &["t1", "t2", "t3"], &["m1"], 1, json!({}), &[line("t2", "m1", 0, "resolved")]);
    world.build();
    let out = world.command(&["diff", "old", "public"]).assert().code(1);
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    assert!(text.lines().any(|l| l == "board.b.m1.fixed\t1\t2"), "{text}");
}

#[test]
fn check_finds_what_a_host_or_a_reader_would_trip_over() {
    let world = small();
    let site = world.build();
    world.command(&["check"]).assert().success();
    edit(&site.join("runs.html"), "href=\"releases\"", "href=\"nowhere\"");
    edit(&site.join("data.html"), "href=\"releases\"", "href=\"releases.html\"");
    edit(&site.join("_headers"), "/assets/*\n", "/assets/*\n  Content-Security-Policy: default-src *\n");
    fs::write(site.join("extra.txt"), "").unwrap();
    fs::remove_file(site.join("404.html")).unwrap();
    let out = world.command(&["check"]).assert().code(1);
    let text = String::from_utf8(out.get_output().stdout.clone()).unwrap();
    for want in [
        "runs.html: links to nowhere",
        "the host redirects",
        "one Content-Security-Policy",
        "extra.txt: is not in",
        "404.html",
    ] {
        assert!(text.contains(want), "{want} in {text}");
    }
}

#[test]
fn an_entry_has_one_key_and_its_tasks_one_set_of_facts_in_every_release() {
    let world = World::new("[[release]]\nversion = \"first\"\nuntil = \"2026-01-31\"\nnote = \"\"\n");
    let own = json!({"task_details": [{"id": "t"}]});
    world.run("one", &["t"], &["m"], 1, own, &[line("t", "m", 0, "resolved")]);
    let later = json!({
        "agent": {"name": "shell", "version": "2"}, "created_at": "2026-03-01T00:00:00Z",
        "task_details": [{"id": "t", "repo": "a/b"}]
    });
    let lines = [line("t", "m", 0, "resolved").with(json!({"agent": "shell@2"}))];
    world.run("three", &["t"], &["m"], 1, later, &lines);
    world.build();
    let numbers = world.numbers();
    let of_board: Vec<&str> =
        numbers.values().filter(|n| n["release"].is_null()).filter_map(|n| n["entry"].as_str()).collect();
    let of_release: Vec<&str> =
        numbers.values().filter(|n| n["release"] == "first").filter_map(|n| n["entry"].as_str()).collect();
    assert!(!of_release.is_empty() && of_release.iter().all(|key| of_board.contains(key)), "{of_release:?}");
    let covered = numbers.values().find(|n| n["release"] == "first" && n["stat"] == "repos_covered").unwrap();
    assert_eq!(covered["value"], 1.0);
}

#[test]
fn every_line_of_a_table_as_csv_has_the_fields_of_its_heading() {
    let world = TempDir::new().unwrap();
    bundled(world.path(), &[], "1", world.path());
    let tables =
        files(world.path()).into_iter().filter(|(name, _)| name.starts_with("data/") && name.ends_with(".csv"));
    let mut seen = 0;
    for (name, bytes) in tables {
        let text = String::from_utf8(bytes).unwrap();
        // Commas inside quotes separate nothing.
        let fields = |line: &str| line.split('"').step_by(2).map(|outside| outside.matches(',').count()).sum::<usize>();
        let mut lines = text.lines();
        let heading = fields(lines.next().unwrap());
        for line in lines {
            assert_eq!(fields(line), heading, "{name}: {line}");
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}
