use super::world::{World, copy, edit, files, line};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const PROBLEM: &str = "# It fails at 42\n\nSee `f(7)` and [the report](https://x.example/1) with 3 <b>bold</b> words.\n\n```python\nx = 99\n```\n";

/// A board whose suite has a folder with the tasks `t1`, which is on the board, and `t2`, which is not.
fn world() -> World {
    let world = World::new("");
    fs::create_dir_all(world.path("tasks/s")).unwrap();
    let suite = "id = \"s\"\nversion = \"1\"\ntitle = \"Suite 1\"\nnote = \"Made in 2026.\"\n";
    fs::write(world.path("tasks/s/suite.toml"), suite).unwrap();
    task(&world, "t1", PROBLEM);
    task(&world, "t2", "Another one, with 5.\n");
    world.run("r", &["t1", "t9"], &["m"], 1, json!({}), &[line("t1", "m", 0, "resolved")]);
    world
}

fn task(world: &World, id: &str, problem: &str) {
    let dir = world.path("tasks/s").join(id);
    fs::create_dir_all(&dir).unwrap();
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let spec = format!(
        "id = \"{id}\"\ntitle = \"Title 8 of {id}\"\nlanguage = \"python\"\ndifficulty = \"easy\"\nuse_cases = [\"bug fixing\"]\n\
         targets = [\"a\", \"b\"]\nguards = [\"c\", \"d\", \"e\"]\n[source]\nrepo = \"o/r\"\nbase_commit = \"{sha}\"\nfix_commit = \"{sha}\"\n\
         pull_request = 17\nsolution_sha256 = \"\"\ntests_sha256 = \"\"\n"
    );
    fs::write(dir.join("task.toml"), spec).unwrap();
    fs::write(dir.join("problem.md"), problem).unwrap();
}

fn page(world: &World, name: &str) -> String {
    fs::read_to_string(world.path("public").join(name)).unwrap()
}

#[test]
fn the_page_of_a_task_tells_what_its_folder_says() {
    let world = world();
    world.build();
    let html = page(&world, "task/b/t1.html");
    for part in [
        "<h1><span class=\"name\">Title 8 of t1</span></h1>",
        "<blockquote class=\"statement\"><h3>It fails at 42</h3>",
        "<code>f(7)</code>",
        "<a href=\"https://x.example/1\" rel=\"nofollow noopener\">the report</a>",
        "&lt;b&gt;bold&lt;/b&gt;",
        "<dt>Targets</dt><dd><data value=\"2\" data-n=\"/targets\">2</data>",
        "<a href=\"https://github.com/o/r/pull/17\"><code>#17</code></a>",
        "bug fixing",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(!page(&world, "task/b/t9.html").contains("statement"), "a task without a folder has none");
    assert!(
        page(&world, "suite/s~x40_1/t2.html").contains("Another one, with 5."),
        "a task on no board has a page too"
    );
    assert!(page(&world, "suites.html").contains("<data value=\"2\" data-n=\"suite|s@1|tasks\">2</data>"));
    world.command(&["check"]).assert().success();
    world.command(&["verify", "--results", "results"]).assert().success();
}

#[test]
fn a_site_whose_configuration_names_another_folder_reads_that_one_and_a_missing_one_is_an_error() {
    let world = world();
    fs::rename(world.path("tasks"), world.path("suites")).unwrap();
    let site = world.path("content/site.toml");
    let text = fs::read_to_string(&site).unwrap();
    fs::write(&site, format!("tasks = \"suites\"\n{text}")).unwrap();
    world.build();
    assert!(page(&world, "task/b/t1.html").contains("class=\"statement\""));
    world.command(&["verify"]).assert().success();
    for (wrong, word) in [("nowhere", "is no folder"), ("../tasks", "is no folder inside")] {
        fs::write(&site, format!("tasks = \"{wrong}\"\n{text}")).unwrap();
        let out = world.command(&["build"]).assert().code(2);
        assert!(String::from_utf8_lossy(&out.get_output().stderr).contains(word), "{wrong}");
    }
}

/// Ids that verification names after a change of a copy of the site, its list of digests made to fit.
fn named(world: &World, change: &dyn Fn(&Path)) -> Vec<String> {
    let copied = world.path("copy");
    let _ = fs::remove_dir_all(&copied);
    copy(&world.path("public"), &copied);
    change(&copied);
    sign(&copied);
    let out = world.command(&["verify", "--json", "--site", "copy"]).assert().code(1);
    let value: Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    value["differences"].as_array().unwrap().iter().map(|d| d["id"].as_str().unwrap().to_owned()).collect()
}

fn sign(site: &Path) {
    use sha2::Digest;
    let hex = |bytes: &[u8]| sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let lines = files(site).into_iter().filter(|(n, _)| n != "SHA256SUMS").map(|(n, b)| format!("{}  {n}\n", hex(&b)));
    let text: String = lines.collect();
    fs::write(site.join("SHA256SUMS"), text).unwrap();
}

#[test]
fn a_statement_that_is_not_the_published_one_is_named_wherever_it_stands() {
    let world = world();
    world.build();
    let block = "<blockquote class=\"statement\"><p>97 of 100</p></blockquote>";
    let lies: [(&str, &str, String, &str); 7] = [
        ("task/b/t1.html", "It fails at 42", "It fails at 43".into(), "file task/b/t1.html"),
        ("task/b/t1.html", "<h1>", format!("{block}<h1>"), "file task/b/t1.html"),
        ("task/b/t9.html", "<h1>", format!("{block}<h1>"), "file task/b/t9.html"),
        ("index.html", "<h1", format!("{block}<h1"), "file index.html"),
        ("task/b/t1.html", "data-n=\"/targets\">2<", "data-n=\"/targets\">3<".into(), "task|s@1|t1|/targets"),
        ("suites.html", "s@1|tasks\">2<", "s@1|tasks\">3<".into(), "suite|s@1|tasks"),
        (
            "data/tasks/s~x40_1/tasks-0000.jsonl",
            "fails at 42",
            "fails at 43".into(),
            "file data/tasks/s~x40_1/tasks-0000.jsonl",
        ),
    ];
    for (file, from, to, id) in lies {
        let ids = named(&world, &|site| edit(&site.join(file), from, &to));
        assert!(ids.iter().any(|i| i == id), "{file} {to:?}: {id} in {ids:?}");
    }
    let ids = named(&world, &|site| {
        let (one, two) = (site.join("task/b/t1.html"), site.join("suite/s~x40_1/t2.html"));
        let text = fs::read_to_string(&one).unwrap();
        fs::write(&one, fs::read_to_string(&two).unwrap()).unwrap();
        fs::write(&two, text).unwrap();
    });
    assert!(ids.iter().any(|i| i == "file task/b/t1.html"), "the statement of another task: {ids:?}");
}

#[test]
fn a_content_page_quotes_no_statement() {
    let world = world();
    world.content("a.md", "<blockquote class=\"statement\">97% fixed</blockquote>");
    let out = world.command(&["build"]).assert().code(2);
    assert!(String::from_utf8_lossy(&out.get_output().stderr).contains("quotes a statement"));
}

#[test]
fn a_task_folder_that_cannot_be_used_is_named_and_nothing_outside_it_is_published() {
    let world = world();
    world.build();
    let before = files(&world.path("public"));
    let dir = world.path("tasks/s/t2");
    type Break = (&'static str, &'static dyn Fn(&Path), &'static str);
    let breaks: [Break; 5] = [
        ("another id", &|d| edit(&d.join("task.toml"), "id = \"t2\"", "id = \"t3\""), "is not the folder's name"),
        ("an unknown field", &|d| edit(&d.join("task.toml"), "title", "titel"), "titel"),
        ("no statement", &|d| fs::remove_file(d.join("problem.md")).unwrap(), "problem.md"),
        ("bytes", &|d| fs::write(d.join("problem.md"), b"\xff\xfe").unwrap(), "is not UTF-8"),
        (
            "a link",
            &|d| {
                fs::remove_file(d.join("problem.md")).unwrap();
                std::os::unix::fs::symlink("/etc/hostname", d.join("problem.md")).unwrap();
            },
            "is a link",
        ),
    ];
    for (what, change, word) in breaks {
        fs::remove_dir_all(&dir).unwrap();
        task(&world, "t2", "Text.\n");
        change(&dir);
        let out = world.command(&["build"]).assert().code(2);
        let told = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
        assert!(told.contains(word) && told.contains("t2"), "{what}: {told}");
    }
    assert_eq!(files(&world.path("public")), before, "a failed build leaves the site as it was");
}

#[test]
fn a_hostile_statement_stays_text_and_a_long_one_is_cut_with_a_note() {
    let world = world();
    let hostile = "</blockquote></div></main><script>alert(1)</script> <data value=\"1\" data-n=\"x\">1</data> unknown! \
                   {{ 7*7 }} <!--large-->\n\n[x](javascript:alert(2)) ![y](https://x.example/y.png) \u{202e}\u{1b}[31m\n\n> > 9\n\n1. 8\n";
    task(&world, "t1", hostile);
    task(&world, "t2", &"word 12345 and more\n".repeat(5000));
    world.build();
    let html = page(&world, "task/b/t1.html");
    assert!(!html.contains("<script>alert") && !html.contains("<img") && !html.contains("href=\"javascript"), "{html}");
    assert!(html.contains("&lt;/blockquote&gt;") && html.contains("{{ 7*7 }}") && !html.contains('\u{202e}'), "{html}");
    let long = page(&world, "suite/s~x40_1/t2.html");
    assert!(
        long.contains("The statement is cut after") && long.contains("data-n=\"/problem_bytes\">100,000<"),
        "{long}"
    );
    world.command(&["check"]).assert().success();
    world.command(&["verify"]).assert().success();
}

fn log(world: &World, lines: &[(&str, &str, &str)]) {
    fs::create_dir_all(world.path("health")).unwrap();
    let none = json!({"passed": 0, "total": 2, "failed": []});
    let proof = |kind: &str, outcome: &str| json!({"kind": kind, "name": "run 1", "good": true, "outcome": outcome, "targets": none, "guards": none, "seconds": 1.5});
    let line = |(task, at, state): &(&str, &str, &str)| {
        let fix = if *state == "healthy" { "resolved" } else { "unresolved" };
        let proofs = [
            proof("fix", fix),
            proof("fix", "resolved"),
            proof("empty", "unresolved"),
            proof("exploit", "patch_failed"),
        ];
        json!({"schema": "tsbench.health/1", "suite": "s@1", "task": task, "at": at, "tool": "tsbench 0.1.0", "isolation": "docker",
            "state": state, "reason": if *state == "healthy" { "" } else { "fix run 1: <b>unresolved</b>" }, "proofs": proofs})
    };
    let text: String = lines.iter().map(|l| format!("{}\n", line(l))).collect();
    fs::write(world.path("health/s.jsonl"), text).unwrap();
}

const LOG: [(&str, &str, &str); 4] = [
    ("t1", "2026-03-02T03:04:05Z", "healthy"),
    ("t1", "2026-04-02T03:04:05.678Z", "drifted"),
    ("t2", "2026-03-02T03:04:06Z", "healthy"),
    ("t9", "2026-03-02T03:04:07Z", "unknown"),
];

#[test]
fn the_page_of_a_task_shows_every_audit_and_lists_show_the_state_now() {
    let world = world();
    log(&world, &LOG);
    world.build();
    let html = page(&world, "task/b/t1.html");
    for part in [
        "in quarantine",
        "<time datetime=\"2026-04-02T03:04:05.678Z\">2026-04-02 03:04</time>",
        "<span class=\"pill drifted\">drifted</span><span class=\"sub name\">fix run 1: &lt;b&gt;unresolved&lt;/b&gt;</span>",
        "<data value=\"1\" data-n=\"/fix/resolved\">1</data><span class=\"of\">/</span><data value=\"2\" data-n=\"/fix/total\">2</data>",
        "<data value=\"6\" data-n=\"/seconds\">6 s</data>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(html.find("pill drifted").unwrap() < html.find("pill healthy").unwrap(), "the newest is first");
    assert!(
        page(&world, "task/b/t9.html").contains("No audit came to an answer"),
        "a task without a folder has a log too"
    );
    assert!(page(&world, "suite/s~x40_1/t2.html").contains("pill healthy"));
    assert!(page(&world, "tasks/b.html").contains("pill drifted"));
    assert!(page(&world, "suite/s~x40_1.html").contains("pill healthy"));
    let raw = fs::read(world.path("health/s.jsonl")).unwrap();
    assert_eq!(fs::read(world.path("public/data/health/s/health-0000.jsonl")).unwrap(), raw, "the log as it is");
    assert!(
        page(&world, "data/numbers.json").contains("\"as_of\":\"2026-04-02T03:04:05Z\""),
        "the newest datum is an audit"
    );
    world.command(&["check"]).assert().success();
    world.command(&["verify", "--results", "results"]).assert().success();
}

#[test]
fn one_digit_or_word_of_a_log_that_was_changed_is_named() {
    let world = world();
    log(&world, &LOG);
    world.build();
    let raw = "data/health/s/health-0000.jsonl";
    let base = "health|s@1|t1|2026-04-02T03:04:05.678Z|";
    let lies: [(&str, &str, &str, String); 7] = [
        (
            "task/b/t1.html",
            "data-n=\"/fix/resolved\">1<",
            "data-n=\"/fix/resolved\">2<",
            format!("{base}/fix/resolved"),
        ),
        (
            "task/b/t1.html",
            "<data value=\"6\" data-n=\"/seconds\"",
            "<data value=\"5\" data-n=\"/seconds\"",
            format!("{base}/seconds"),
        ),
        ("task/b/t1.html", "pill drifted\">drifted", "pill healthy\">healthy", "file task/b/t1.html".into()),
        ("task/b/t1.html", "2026-04-02 03:04", "2026-04-03 03:04", "file task/b/t1.html".into()),
        ("index.html", "<h1", "<div class=\"health-log\"></div><h1", "file index.html".into()),
        (raw, "\"outcome\":\"unresolved\"", "\"outcome\":\"resolved\"", format!("file {raw}")),
        (raw, "\"state\":\"drifted\"", "\"state\":\"healthy\"", "file task/b/t1.html".into()),
    ];
    for (file, from, to, id) in lies {
        let ids = named(&world, &|site| edit(&site.join(file), from, to));
        assert!(ids.contains(&id), "{file} {to:?}: {id} in {ids:?}");
    }
    let ids = named(&world, &|site| {
        let text = fs::read_to_string(site.join(raw)).unwrap();
        let second = text.match_indices("\"seconds\":1.5").nth(4).unwrap().0;
        fs::write(site.join(raw), format!("{}\"seconds\":1.6{}", &text[..second], &text[second + 13..])).unwrap();
    });
    assert!(ids.contains(&format!("{base}/seconds")) && ids.contains(&format!("file {raw}")), "{ids:?}");
}

#[test]
fn a_fault_in_a_log_ends_the_build_and_names_the_line() {
    let world = world();
    log(&world, &LOG);
    let path = world.path("health/s.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    for (broken, word) in [
        (text.replacen("drifted", "fine", 1), "line 2"),
        (text.replacen("\"passed\":0", "\"passed\":9", 1), "line 1: guards of \"run 1\": 9 passed of 2"),
        (text.replacen("drifted", "healthy", 1), "line 2: state \"healthy\""),
    ] {
        fs::write(&path, broken).unwrap();
        let out = world.command(&["build"]).assert().code(2);
        let told = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
        assert!(told.contains("health/s.jsonl") && told.contains(word) && told.contains("hint:"), "{told}");
    }
}

#[test]
fn a_log_whose_last_line_was_cut_off_is_used_without_it_and_told() {
    let world = world();
    log(&world, &LOG);
    let path = world.path("health/s.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let whole = text.trim_end().rfind('\n').unwrap() + 1;
    fs::write(&path, &text[..text.len() - 5]).unwrap();
    let out = world.command(&["build"]).assert().success();
    let told = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    assert!(told.contains("health/s.jsonl") && told.contains("the last line was cut off"), "{told}");
    let published = fs::read_to_string(world.path("public/data/health/s/health-0000.jsonl")).unwrap();
    assert_eq!(published, text[..whole]);
    world.command(&["verify", "--results", "results"]).assert().success();
}
