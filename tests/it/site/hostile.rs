use super::world::{World, files, line};
use serde_json::json;
use std::fs;

const SCRIPT: &str = "<script>alert(1)</script>";

#[test]
fn hostile_names_and_texts_stay_text_inside_the_site() {
    let world = World::new("");
    let error = "</script><img src=x onerror=alert(2)>\u{1b}[31mred\u{1b}[0m \u{202e}gnp.exe \u{2066}x";
    world.run(
        "../../run",
        &["../../etc/passwd", "t{{ 7*7 }}"],
        &[SCRIPT, "a\u{202e}b"],
        1,
        json!({"note": SCRIPT, "task_details": [{"id": "../../etc/passwd", "repo": "\"><script>alert(3)</script>", "title": SCRIPT}]}),
        &[
            line("../../etc/passwd", SCRIPT, 0, "unresolved").with(json!({"error": {"class": SCRIPT, "message": error}, "stop": SCRIPT})),
            line("t{{ 7*7 }}", "a\u{202e}b", 0, "resolved"),
        ],
    );
    let outside = files(world.dir.path()).len();
    let site = world.build();
    let found = files(&site);
    assert_eq!(files(world.dir.path()).len(), outside + found.len(), "no file outside the site");
    assert!(found.keys().all(|name| !name.contains("..")), "no name climbs");
    for (name, bytes) in found.iter().filter(|(n, _)| n.ends_with(".html") || n.ends_with(".xml")) {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains("<script>alert") && !text.contains("<img src=x"), "{name}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\u{2066}'), "{name}");
    }
    let all: String = found
        .iter()
        .filter(|(n, _)| n.starts_with("task/"))
        .map(|(_, b)| String::from_utf8_lossy(b).into_owned())
        .collect();
    assert!(all.contains("&lt;/script&gt;&lt;img src=x"), "the error is shown as text");
    assert!(all.contains("t{{ 7*7 }}"), "a template in a name is not run");
    world.command(&["check"]).assert().success();
    world.command(&["verify"]).assert().success();
}

#[test]
fn two_names_that_a_file_system_would_fold_are_told_apart() {
    let world = World::new("");
    let tasks = ["Task", "task", "ta/sk", "ta~ssk", "ta:sk", "t\u{e4}sk", "ta\u{308}sk"];
    let lines: Vec<_> = ["Task", "task", "ta/sk", "ta~ssk", "ta:sk", "t\u{e4}sk", "ta\u{308}sk"]
        .into_iter()
        .flat_map(|t| ["M", "m"].map(|m| line(t, m, 0, "resolved")))
        .collect();
    world.run("r", &tasks, &["M", "m"], 1, json!({}), &lines);
    let site = world.build();
    let pages: std::collections::BTreeSet<String> = fs::read_dir(site.join("task/b"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap().to_lowercase())
        .collect();
    assert_eq!(pages.len(), tasks.len());
    world.command(&["verify"]).assert().success();
}

#[test]
fn two_models_with_one_key_are_an_error_that_names_both() {
    let world = World::new("[[model]]\nkey = \"x\"\nid = \"one\"\n");
    world.run(
        "r",
        &["t"],
        &["one", "x"],
        1,
        json!({}),
        &[line("t", "one", 0, "resolved"), line("t", "x", 0, "resolved")],
    );
    let failed = world.command(&["build"]).assert().code(2);
    let text = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(text.contains("\"one\"") && text.contains("\"x\"") && text.contains("hint:"), "{text}");
}

#[test]
fn spreadsheet_formulas_in_names_are_disarmed() {
    let world = World::new("");
    world.run("r", &["=HYPERLINK(\"x\")"], &["@m"], 1, json!({}), &[line("=HYPERLINK(\"x\")", "@m", 0, "resolved")]);
    let site = world.build();
    let csv: String = files(&site)
        .into_iter()
        .filter(|(n, _)| n.ends_with(".csv"))
        .map(|(_, b)| String::from_utf8(b).unwrap())
        .collect();
    assert!(csv.lines().all(|l| !l.starts_with('=') && !l.contains(",=") && !l.contains(",@")), "{csv}");
}

#[test]
fn two_runs_that_disagree_about_a_task_are_an_error_that_names_both_facts() {
    let world = World::new("");
    for (run, repo) in [("one", "a/b"), ("three", "c/d")] {
        let details = json!({"task_details": [{"id": "t", "repo": repo}]});
        world.run(run, &["t"], &["m"], 1, details, &[line("t", "m", 0, "resolved")]);
    }
    let failed = world.command(&["build"]).assert().code(2);
    let text = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(text.contains("a/b") && text.contains("c/d") && text.contains("repo") && text.contains("hint:"), "{text}");
}
