//! What attempts left behind: published, shown, checked.

use super::world::{World, copy, edit, files, line};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const PATCH: &str =
    "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 41 # <b>&\n context 7\n";

fn turn(number: u32, reply: &str, command: &str, stdout: &str) -> Value {
    json!({
        "schema": "tsbench.turn/1", "turn": number, "at": "2026-01-02T03:04:05Z",
        "reply": {"text": reply, "finish": "stop", "usage": null, "cost_usd": 0.01, "seconds": 1.5},
        "command": command, "output": {"exit": 3, "stdout": stdout, "stderr": "warned 12 times", "cut": 9},
        "seconds": 2.5, "usage": {"input": 100, "cached_input": 11, "output": 20, "requests": 1}, "cost_usd": 0.01,
        "calls": [{"request": {"messages": []}, "status": 503, "error": "busy 99"}]
    })
}

/// The folder of the run of a name.
fn run_dir(world: &World, name: &str) -> PathBuf {
    let all = fs::read_dir(world.path("results")).unwrap().map(|e| e.unwrap().path());
    let is_it = |dir: &PathBuf| {
        let plan: Value = serde_json::from_slice(&fs::read(dir.join("run.json")).unwrap()).unwrap();
        plan["run"] == name
    };
    all.into_iter().find(is_it).unwrap()
}

fn put(world: &World, path: &str, bytes: &[u8]) {
    let path = run_dir(world, "r").join("artifacts").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest;
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Three attempts at one task in a run with artifacts, of which one left everything, one a trajectory and one nothing;
/// and a run without any.
fn world() -> World {
    let world = World::new("");
    let full = json!({
        "stop": "turn_limit", "cost_usd": 0.25, "turns": 2, "usage": {"input": 1234, "output": 56, "requests": 2},
        "seconds": {"agent": 12.5, "install": 3.25, "tests": 4.5, "total": 20.0},
        "tests": {"targets": {"passed": 1, "total": 2, "failed": ["test_a[99]"]}, "guards": {"passed": 3, "total": 3, "failed": []}},
        "patch": {"sha256": sha256(PATCH.as_bytes()), "bytes": PATCH.len(), "files": 1, "applied": "strict", "dropped": ["tests/x.py"]},
        "digests": {"task": "sha256:77", "image": "sha256:88"}, "tool": "tsbench 0.1.0", "started_at": "2026-01-02T03:04:05Z"
    });
    let lines = [
        line("t", "m", 0, "unresolved").with(full),
        line("t", "m", 1, "timed_out").with(json!({"stop": "time_limit", "turns": 1})),
        line("t", "m", 2, "no_patch"),
    ];
    world.run("r", &["t", "u"], &["m"], 3, json!({}), &lines);
    world.run("plain", &["t"], &["n"], 1, json!({}), &[line("t", "n", 0, "resolved")]);
    put(&world, "t/m/0/patch.diff", PATCH.as_bytes());
    let turns =
        [turn(1, "I look.\n```bash\nls -la\n```", "ls -la", "x.py 33"), turn(2, "Thought 8.", "cat x.py", "a = 1")];
    put(&world, "t/m/0/trajectory.jsonl", turns.map(|t| format!("{t}\n")).concat().as_bytes());
    let report = json!({"schema": "tsbench.report/1", "verdict": null, "log": "1 failed, 4 passed"});
    put(&world, "t/m/0/report.json", report.to_string().as_bytes());
    put(&world, "t/m/0/try-1/trajectory.jsonl", b"");
    put(&world, "t/m/1/trajectory.jsonl", format!("{}\nnot a turn\n", turn(1, "", "sleep 900", "")).as_bytes());
    world
}

fn page(world: &World, name: &str) -> String {
    fs::read_to_string(world.path("public").join(name)).unwrap()
}

/// The section of an attempt on the page of the task.
fn section(html: &str, anchor: &str) -> String {
    let from = html.find(&format!("id=\"{anchor}\"")).unwrap_or_else(|| panic!("no {anchor}"));
    let rest = &html[html[..from].rfind("<details class=\"attempt\"").unwrap()..];
    rest[..rest.find("</div></details>").unwrap()].to_owned()
}

#[test]
fn the_page_of_a_task_shows_what_each_attempt_left() {
    let world = world();
    world.build();
    let html = page(&world, "task/b/t.html");
    assert!(html.contains("<a href=\"#evidence-m-0\">evidence</a>") && !html.contains("#evidence-n-0"));
    let full = section(&html, "evidence-m-0");
    for part in [
        "data-base=\"line|r|t|m|default|0|\"",
        "<data value=\"0.25\" data-n=\"/cost_usd\">$0.250</data>",
        "input <code>1,234</code>",
        "<data value=\"12.5\" data-n=\"/seconds/agent\">",
        "install <code>3.25 s</code>",
        "<dt>Stop</dt><dd><code>turn_limit</code>",
        "<dd><span class=\"name\">image</span> <code>sha256:88</code>",
        "Of the targets did not pass:</p><ul class=\"tests\"><li><code>test_a[99]</code></li>",
        "<p>All guards passed.</p>",
        "Its digest is that of the raw line",
        "<span class=\"d\">-a = 1</span>\n<span class=\"i\">+a = 41 # &lt;b&gt;&amp;</span>\n context 7",
        "the task protects it: <code>tests/x.py</code>",
        "Turn <code>1</code>: <code>ls -la</code>, exit <code>3</code>",
        "<pre><code>I look.\n```bash\nls -la\n```</code></pre>",
        "<p class=\"what\">Command</p><pre><code>cat x.py</code></pre>",
        "<pre><code>x.py 33</code></pre>",
        "<p class=\"what\">Standard error</p><pre><code>warned 12 times</code></pre>",
        "<code>9</code> bytes were cut before the model saw it",
        "A call of the model failed with status <code>503</code></p><pre><code>busy 99</code></pre>",
        "<pre><code>1 failed, 4 passed</code></pre>",
        "href=\"../../data/artifacts/r/files/t/m/0/try-1/trajectory.jsonl\"",
    ] {
        assert!(full.contains(part), "{part} in {full}");
    }
    assert_eq!(full.matches("ls -la").count(), 2, "a command that the reply holds is not shown again: {full}");
    assert_eq!(
        fs::read(world.path("public/data/artifacts/r/files/t/m/0/patch.diff")).unwrap(),
        PATCH.as_bytes(),
        "as it is"
    );
    let manifest = page(&world, "data/manifest.json");
    assert!(
        manifest.contains("data/artifacts/r/files/t/m/0/patch.diff") && manifest.contains(&sha256(PATCH.as_bytes()))
    );
    assert!(page(&world, "run/r.html").contains("index-0000.jsonl"));
    world.command(&["check"]).assert().success();
    world.command(&["verify", "--results", "results"]).assert().success();
}

#[test]
fn missing_evidence_is_said() {
    let world = world();
    world.build();
    let html = page(&world, "task/b/t.html");
    let some = section(&html, "evidence-m-1");
    for part in [
        "The attempt left no change",
        "No report was kept",
        "No test ran",
        "An empty reply",
        "is no turn that can be shown",
    ] {
        assert!(some.contains(part), "{part} in {some}");
    }
    let none = section(&html, "evidence-m-2");
    for part in ["The attempt left no change", "No trajectory was kept", "No report was kept"] {
        assert!(none.contains(part), "{part} in {none}");
    }
    assert!(html.contains("<span class=\"name\">plain</span> has outcomes alone"), "{html}");
    assert!(!page(&world, "task/b/u.html").contains("class=\"evidence\""), "nobody tried this task");
    assert!(
        !world.path("public/data/artifacts/plain").exists() && !page(&world, "run/plain.html").contains("artifacts")
    );
}

#[test]
fn a_board_without_artifacts_has_no_evidence_and_no_index() {
    let world = World::new("");
    world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved")]);
    world.build();
    assert!(!page(&world, "task/b/t.html").contains("evidence-") && !world.path("public/data/artifacts").exists());
    world.command(&["verify"]).assert().success();
}

#[test]
fn the_home_page_counts_attempts_that_ran_into_a_limit() {
    let world = world();
    world.build();
    let stat = "<dt>ran into a limit</dt><dd><data value=\"2\" data-n=\"board.b.limit_hits\">2</data></dd>";
    assert!(page(&world, "index.html").contains(stat));
}

#[test]
fn hostile_texts_stay_text_and_show_their_controls() {
    let world = world();
    let evil = "</code></pre></details></div></main><script>alert(1)</script>\u{1b}[31m\u{202e}gnp.exe\u{2066} \0 \
                <data value=\"1\" data-n=\"x\">97%</data><div class=\"evidence\">";
    put(&world, "t/m/0/patch.diff", [format!("+{evil}\n").as_bytes(), b"+\xff\xfe 98\r\n"].concat().as_slice());
    let mut hostile = turn(1, evil, &format!("echo '{evil}'"), evil);
    hostile["note"] = evil.into();
    hostile["tool"] = evil.into();
    hostile["seconds"] = json!(1e300);
    hostile["output"]["end"] = evil.into();
    put(&world, "t/m/0/trajectory.jsonl", format!("{hostile}\n{{\"turn\": -1}}\n[[[[\n\u{1b}\n").as_bytes());
    put(&world, "t/m/0/report.json", json!({"log": evil}).to_string().as_bytes());
    let attempts = run_dir(&world, "r").join("attempts.jsonl");
    edit(&attempts, "test_a[99]", "</li><script>alert(2)</script>\\u001b[1m 96");
    edit(&attempts, "sha256:88", "<img src=x onerror=alert(3)>");
    world.build();
    let html = page(&world, "task/b/t.html");
    for bad in ["<script>alert", "<img src=x", "\u{1b}", "\u{202e}", "\u{2066}", "\0", "\r"] {
        assert!(!html.contains(bad), "{bad:?}");
    }
    let full = section(&html, "evidence-m-0");
    assert!(full.contains("&lt;script&gt;alert(1)&lt;/script&gt;\u{fffd}[31m\u{fffd}gnp.exe\u{fffd}"), "{full}");
    assert!(full.contains("1e300 s") && full.contains("Its digest is not that of the raw line"), "{full}");
    assert_eq!(html.matches("<div class=\"evidence\"").count(), 1);
    world.command(&["check"]).assert().success();
    world.command(&["verify"]).assert().success();
}

#[test]
fn nothing_outside_the_folders_of_attempts_is_published() {
    let world = world();
    let secret = world.path("secret");
    fs::create_dir(&secret).unwrap();
    for name in ["patch.diff", "trajectory.jsonl"] {
        fs::write(secret.join(name), "a secret 123").unwrap();
    }
    let artifacts = run_dir(&world, "r").join("artifacts");
    symlink(secret.join("patch.diff"), artifacts.join("t/m/1/patch.diff")).unwrap();
    symlink(&secret, artifacts.join("t/m/2")).unwrap();
    put(&world, "t/m/0/index.html", b"a secret 123");
    put(&world, "t/m/0/try-x/patch.diff", b"a secret 123");
    put(&world, "t/m/7/patch.diff", b"a secret 123");
    symlink(&secret, run_dir(&world, "plain").join("artifacts")).unwrap();
    let out = world.command(&["build"]).assert().success();
    let told = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    for part in [
        "\"t/m/1/patch.diff\" is a link",
        "and so for 1 more",
        "\"t/m/0/index.html\" belongs to no line",
        "artifacts of plain",
        "which is not followed",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    let published = files(&world.path("public"));
    assert!(published.values().all(|bytes| !String::from_utf8_lossy(bytes).contains("a secret 123")));
    let found: Vec<&String> = published.keys().filter(|n| n.starts_with("data/artifacts/")).collect();
    assert_eq!(
        found,
        [
            "data/artifacts/r/files/t/m/0/patch.diff",
            "data/artifacts/r/files/t/m/0/report.json",
            "data/artifacts/r/files/t/m/0/trajectory.jsonl",
            "data/artifacts/r/files/t/m/0/try-1/trajectory.jsonl",
            "data/artifacts/r/files/t/m/1/trajectory.jsonl",
            "data/artifacts/r/index-0000.jsonl",
        ]
    );
    world.command(&["verify"]).assert().success();
}

#[test]
fn a_file_that_the_host_does_not_take_is_cut_at_a_line_and_the_page_says_so() {
    let world = world();
    let one = format!("{}\n", turn(1, "word ", "ls", &"0123456789".repeat(100_000)));
    put(&world, "t/m/1/trajectory.jsonl", one.repeat(27).as_bytes());
    let out = world.command(&["build"]).assert().success();
    assert!(String::from_utf8_lossy(&out.get_output().stderr).contains("1 files are cut"));
    let published = fs::read(world.path("public/data/artifacts/r/files/t/m/1/trajectory.jsonl")).unwrap();
    assert!(published.len() <= 25 << 20 && published.ends_with(b"\n") && published.len().is_multiple_of(one.len()));
    let some = section(&page(&world, "task/b/t.html"), "evidence-m-1");
    assert!(
        some.contains(">Whole trajectory</a>, cut: of <code>") && some.contains("characters are left out here"),
        "{some}"
    );
    assert!(some.len() < 200_000, "each turn is cut");
    world.command(&["check"]).assert().success();
    world.command(&["verify", "--results", "results"]).assert().success();
}

#[test]
fn a_page_of_many_attempts_ends_in_links() {
    let world = World::new("");
    let lines: Vec<_> = (0..120).map(|r| line("t", "m", r, "unresolved").with(json!({"turns": 300}))).collect();
    world.run("r", &["t"], &["m"], 120, json!({}), &lines);
    let turns: String = (1..=300).map(|n| format!("{}\n", turn(n, &"<&>".repeat(3000), "x", "y"))).collect();
    for r in 0..120 {
        put(&world, &format!("t/m/{r}/patch.diff"), "+\n".repeat(100_000).as_bytes());
        put(&world, &format!("t/m/{r}/trajectory.jsonl"), turns.as_bytes());
    }
    world.build();
    let html = page(&world, "task/b/t.html");
    assert!(html.len() < 8 << 20, "{} bytes", html.len());
    let first = section(&html, "evidence-m-0");
    assert!(first.contains("Cut after <code>64 KiB</code>") && first.contains("more lines are in"));
    assert!(html.contains("<li id=\"evidence-m-119\">") && html.contains("<a href=\"#evidence-m-119\">evidence</a>"));
    world.command(&["check"]).assert().success();
    world.command(&["verify"]).assert().success();
}

/// What verification says after a change of a copy of the site, its list of digests made to fit: ids and places.
fn named(world: &World, change: &dyn Fn(&Path)) -> Vec<String> {
    let copied = world.path("copy");
    let _ = fs::remove_dir_all(&copied);
    copy(&world.path("public"), &copied);
    change(&copied);
    let lines = files(&copied).into_iter().filter(|(n, _)| n != "SHA256SUMS");
    let text: String = lines.map(|(n, b)| format!("{}  {n}\n", sha256(&b))).collect();
    fs::write(copied.join("SHA256SUMS"), text).unwrap();
    let out = world.command(&["verify", "--json", "--site", "copy"]).assert().code(1);
    let value: Value = serde_json::from_slice(&out.get_output().stdout).unwrap();
    let text = |d: &Value, key: &str| d[key].as_str().unwrap().to_owned();
    let all = value["differences"].as_array().unwrap();
    all.iter().flat_map(|d| [text(d, "id"), text(d, "place")]).collect()
}

#[test]
fn evidence_that_is_not_what_was_published_is_named_wherever_it_stands() {
    let world = world();
    world.build();
    let task = "task/b/t.html";
    let files = "data/artifacts/r/files/t/m";
    let (patch, turns) = (format!("{files}/0/patch.diff"), format!("{files}/1/trajectory.jsonl"));
    let (index, digest) = ("data/artifacts/r/index-0000.jsonl", sha256(PATCH.as_bytes()));
    let m0 = "task/b/t.html#evidence-m-0".to_owned();
    let lies: [(&str, &str, &str, String); 14] = [
        (task, "+a = 41", "+a = 42", m0.clone()),
        (task, "<pre><code>x.py 33</code>", "<pre><code>x.py 34</code>", m0.clone()),
        (task, "<pre><code>I look.", "<pre><code>I cheat.", m0.clone()),
        (task, "<code>test_a[99]</code>", "<code>test_b[99]</code>", m0.clone()),
        (task, "<code>turn_limit</code></dd>", "<code>submitted</code></dd>", m0.clone()),
        (task, "input <code>1,234</code>", "input <code>1,235</code>", m0),
        (task, "The attempt left no change", "The attempt left a change", "task/b/t.html#evidence-m-1".into()),
        (task, "<div class=\"evidence\">", "<div class=\"other\">", format!("file {task}")),
        ("index.html", "<h1", "<div class=\"evidence\">x</div><h1", "file index.html".into()),
        (&patch, "+a = 41", "+a = 42", format!("file {patch}")),
        (&turns, "sleep 900", "sleep 901", format!("file {turns}")),
        (index, &digest, &sha256(b"another"), format!("file {index}")),
        (index, "t/m/0/patch.diff", "t/m/9/patch.diff", format!("file {index}")),
        (index, "tsbench.artifact/1", "tsbench.artifact/2", format!("file {index}")),
    ];
    for (file, from, to, id) in lies {
        let ids = named(&world, &|site| edit(&site.join(file), from, to));
        assert!(ids.contains(&id), "{file} {to:?}: {id} in {ids:?}");
    }
    let gone = named(&world, &|site| fs::remove_file(site.join(&patch)).unwrap());
    assert!(gone.contains(&format!("file {patch}")), "{gone:?}");
    let added = format!("{files}/2/patch.diff");
    let more = named(&world, &|site| {
        fs::create_dir_all(site.join(files).join("2")).unwrap();
        fs::write(site.join(&added), "+x\n").unwrap();
    });
    assert!(more.contains(&format!("file {added}")), "{more:?}");
    let unindexed = named(&world, &|site| fs::remove_dir_all(site.join("data/artifacts")).unwrap());
    assert!(
        unindexed.contains(&format!("file {task}")) && unindexed.contains(&format!("file {patch}")),
        "{unindexed:?}"
    );
}

#[test]
fn a_readers_own_copy_of_an_artifact_that_differs_is_named() {
    let world = world();
    world.build();
    put(&world, "t/m/0/patch.diff", PATCH.replace("41", "42").as_bytes());
    let out = world.command(&["verify", "--results", "results"]).assert().code(1);
    let told = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(told.contains("data/artifacts/r/files/t/m/0/patch.diff"), "{told}");
}

#[test]
fn a_line_that_replaces_another_has_the_evidence_of_the_last() {
    let world = World::new("");
    let lines = [
        line("t", "m", 0, "infra_error").with(json!({"stop": "provider_error"})),
        line("t", "m", 0, "resolved").with(json!({"stop": "submitted", "condition": "default"})),
        line("t", "m", 1, "resolved").with(json!({"condition": "terse v2"})),
    ];
    world.run("r", &["t"], &["m"], 2, json!({"condition": "terse v2"}), &lines);
    put(&world, "t/m/0/patch.diff", PATCH.as_bytes());
    put(&world, "t/m/1-terse~x20_v2/patch.diff", PATCH.as_bytes());
    world.build();
    let html = page(&world, "task/b/t.html");
    assert_eq!(html.matches("<details class=\"attempt\"").count(), 2, "{html}");
    assert_eq!(
        html.matches("<span class=\"d\">-a = 1</span>").count(),
        2,
        "a condition has a folder of its own: {html}"
    );
    assert!(html.contains("<code>submitted</code>") && !html.contains("<code>provider_error</code>"));
    world.command(&["verify"]).assert().success();
}

#[cfg(feature = "harness")]
#[test]
fn pages_look_for_evidence_where_runs_leave_it() {
    use tsbench::attempts::{Cell, folder_of};
    for (task, model, condition) in
        [("t", "m", "default"), ("T/\u{e4}", "a/b:c", "terse v2"), ("..", "~", "Default"), ("", "x", "0")]
    {
        let cell = Cell { task: task.into(), model: model.into(), condition: condition.into(), repeat: 7 };
        let looked = Path::new("artifacts").join(tsbench::results::artifacts_of(task, model, condition, 7));
        assert_eq!(folder_of(&cell), looked);
    }
}
