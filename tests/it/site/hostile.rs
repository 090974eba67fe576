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

#[test]
fn names_with_controls_directions_marks_and_line_ends_verify() {
    let world = World::new("");
    let tasks = ["a|b", "a|b|fixed", "100%", "t\u{202e}x", "t\u{2066}", "t\u{200b}", "t\u{feff}", "t\u{1b}[1m"];
    let more = ["t\nu", "t\r\nu", "t\0", "t\u{7f}", "t\u{85}", "t\"q\"", "\u{663}\u{660}"];
    let tasks: Vec<&'static str> = tasks.into_iter().chain(more).collect();
    let models = ["m|0\u{202e}", "m\n\u{feff}"];
    let cost = json!({"cost_usd": 0.5, "turns": 3, "condition": "c|\u{1b}\n"});
    let lines: Vec<_> = tasks
        .iter()
        .flat_map(|t| {
            models.map(|m| line(t, m, 0, if t.len() % 2 == 0 { "resolved" } else { "unresolved" }).with(cost.clone()))
        })
        .collect();
    world.run("r|\u{2066}\n", &tasks, &models, 1, json!({"condition": "c|\u{1b}\n"}), &lines);
    let site = world.build();
    world.command(&["verify", "--results", "results"]).assert().success();
    world.command(&["check"]).assert().success();
    for (name, bytes) in files(&site).iter().filter(|(n, _)| n.ends_with(".html")) {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let ids = text.split(" data-n=\"").skip(1).chain(text.split(" data-base=\"").skip(1));
        assert!(ids.map(|id| id.split('"').next().unwrap()).all(|id| id.is_ascii()), "{name}");
    }
}

/// A site that does not build names the file at fault and what stands there.
fn refused(world: &World, file: &str, what: &str) {
    let failed = world.command(&["build"]).assert().code(2);
    let text = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(text.contains(file) && text.contains(what) && text.contains("hint:"), "{file}, {what}: {text}");
}

#[test]
fn typed_digits_of_the_publisher_are_refused_where_they_stand() {
    let board = "[[board]]\nid = \"b\"\ntitle = \"SWE 2.0\"\nsuite = \"s@1\"\n";
    for (head, rest, what) in [
        ("tagline = \"It fixed 30%\"\n", "", "It fixed 30%"),
        ("tagline = \"It fixed \u{663}\u{660} of all\"\n", "", "tagline"),
        ("source_url = \"javascript:alert(1)\"\n", "", "javascript"),
        ("", "note = \"Haiku fixed 3 of 4\"\n", "note of board"),
        ("", "[[release]]\nversion = \"2026\"\nuntil = \"2026-01-03\"\nnote = \"Now 30%\"\n", "note of release"),
    ] {
        let world = World::new("");
        fs::write(world.path("content/site.toml"), format!("title = \"Test\"\n{head}{board}{rest}")).unwrap();
        refused(&world, "site.toml", what);
    }
}

#[test]
fn content_states_no_number_of_its_own_and_runs_nothing() {
    for (body, what) in [
        ("It fixed <span class=\"name\">99.9%</span>.", "99.9%"),
        ("It fixed <data value=\"9\">9</data>.", "9"),
        ("It fixed <data value=\"9\" data-n=\"board.b.m.fixed\">9</data>.", "board.b.m.fixed"),
        ("It fixed <time>99%</time>.", "99%"),
        ("![It fixed 99%](x.png)", "99%"),
        ("<p title=\"99%\">x</p>", "99%"),
        ("It fixed \u{669}\u{669}%.", "typed digit"),
        ("# It {.name}\n\n## 99% {.name}", "99%"),
        ("<svg><text>99%</text></svg>", "<svg>"),
        ("<script>go()</script>", "<script>"),
        ("<p onclick=\"go()\">x</p>", "onclick"),
        ("<iframe src=\"x\"></iframe>", "<iframe>"),
        ("![x](https://x.example/a.png)", "another site"),
        ("[x](javascript:go())", "javascript"),
        ("x\n\n</main></body></html>", "</main"),
        ("<style>p { color: red }</style>", "<style>"),
    ] {
        let world = World::new("");
        world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved")]);
        world.content("page.md", body);
        refused(&world, "page.md", what);
    }
    for head in ["title = \"30% fixed\"\ndescription = \"x\"", "title = \"x\"\ndescription = \"30% fixed\""] {
        let world = World::new("");
        fs::write(world.path("content/page.md"), format!("+++\n{head}\n+++\nx\n")).unwrap();
        refused(&world, "page.md", "30% fixed");
    }
}

#[test]
fn names_that_hold_digits_can_be_used_everywhere() {
    let world = World::new("");
    let text = "title = \"Bench 3\"\n[[board]]\nid = \"b\"\ntitle = \"SWE 2.0\"\nsuite = \"s@1\"\n[[board]]\nid = \"c\"\ntitle = \"SWE 2.1\"\nsuite = \"s@1\"\nnote = \"Version `2.1` of the suite.\"\n[[release]]\nversion = \"2026.1\"\nuntil = \"2026-02-01\"\nnote = \"Holds `2.0`.\"\n";
    fs::write(world.path("content/site.toml"), text).unwrap();
    let details = json!({"task_details": [{"id": "t1", "repo": "o/r2", "title": "Fix issue 7434"}]});
    world.run("run 1", &["t1"], &["GPT-4.1 mini"], 1, details, &[line("t1", "GPT-4.1 mini", 0, "resolved")]);
    world.content("page.md", "About <span class=\"name\">SWE 2.0</span> and `1.96`, since <time>2026-01-02</time>: {{ n(\"board.b.fixed\") }}.");
    world.build();
    world.command(&["verify"]).assert().success();
    world.command(&["check"]).assert().success();
}

#[test]
fn check_names_what_a_page_must_not_hold() {
    let world = World::new("");
    world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved")]);
    let site = world.build();
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    for (html, what) in [
        ("<script>alert(1)</script>", "a script without src"),
        ("<img src=\"https://x.example/a.png\" alt=\"\">", "another site"),
        ("<a href=\"javascript:alert(1)\">x</a>", "runs code"),
        ("</main>", "expected one </main>"),
        ("</body></html>", "expected one </body>"),
        ("<p onmouseover=\"go()\">x</p>", "onmouseover"),
    ] {
        fs::write(site.join("index.html"), page.replacen("</h1>", &format!("</h1>{html}"), 1)).unwrap();
        let out = world.command(&["check"]).assert().code(1);
        let text = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
        assert!(text.contains("index.html") && text.contains(what), "{html}: {text}");
    }
}
