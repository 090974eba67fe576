use super::world::{World, edit, files, line};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

fn small() -> World {
    let world = World::new("");
    let lines = [line("t1", "m1", 0, "resolved"), line("t1", "m2", 0, "unresolved"), line("t2", "m1", 0, "unresolved")];
    world.run("r1", &["t1", "t2"], &["m1", "m2"], 1, json!({}), &lines);
    world
}

fn beside(world: &World) -> Vec<String> {
    fs::read_dir(world.dir.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.starts_with('.'))
        .collect()
}

fn start(world: &World) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_tsbench-site"))
        .current_dir(world.dir.path())
        .args(["build", "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a command that must fail for bad input says.
fn refusal(world: &World, args: &[&str]) -> String {
    let failed = world.command(args).assert().code(2);
    String::from_utf8(failed.get_output().stderr.clone()).unwrap()
}

fn said(world: &World, args: &[&str]) -> String {
    let done = world.command(args).assert().success();
    String::from_utf8(done.get_output().stderr.clone()).unwrap()
}

fn assert_clean(world: &World) {
    world.command(&["build", "--out", "clean"]).assert().success();
    assert!(files(&world.path("public")) == files(&world.path("clean")));
    fs::remove_dir_all(world.path("clean")).unwrap();
    assert_eq!(beside(world), Vec::<String>::new(), "no lock and no stage is left");
}

#[test]
fn builds_at_once_into_one_folder_wait_for_each_other() {
    let world = small();
    for round in 0..2 {
        let builds: Vec<_> = (0..4).map(|_| start(&world)).collect();
        for build in builds {
            let end = build.wait_with_output().unwrap();
            assert!(end.status.success(), "round {round}: {}", String::from_utf8_lossy(&end.stderr));
        }
        assert_clean(&world);
        world.content("about.md", "Changed.");
    }
}

#[test]
fn a_build_that_waits_says_so() {
    let world = small();
    let lock = fs::File::create(world.path(".tsbench-site-public.lock")).unwrap();
    lock.lock().unwrap();
    let mut build = start(&world);
    let mut first = String::new();
    let mut told = std::io::BufReader::new(build.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut told, &mut first).unwrap();
    assert!(first.contains("another build") && first.contains("public"), "{first}");
    assert!(!world.path("public").exists());
    drop(lock);
    std::io::Read::read_to_end(&mut told, &mut Vec::new()).unwrap();
    assert!(build.wait().unwrap().success());
}

#[test]
fn a_build_after_killed_ones_is_whole_and_removes_what_they_left() {
    let world = small();
    for pause in [0, 5, 15, 30, 60, 120] {
        world.content("about.md", &format!("Version `{pause}`."));
        let mut build = start(&world);
        std::thread::sleep(std::time::Duration::from_millis(pause));
        let _ = build.kill();
        build.wait().unwrap();
    }
    fs::create_dir_all(world.path(".tsbench-site-public.stage/files/task")).unwrap();
    fs::write(world.path(".tsbench-site-public.stage/files/task/x.html"), "half").unwrap();
    world.build();
    assert_clean(&world);
}

#[test]
fn moves_that_a_kill_cut_short_are_done_before_anything_else() {
    let world = small();
    let site = world.build();
    let stage = world.path(".tsbench-site-public.stage");
    fs::create_dir_all(stage.join("files/new")).unwrap();
    fs::write(stage.join("files/new/page.html"), "moved").unwrap();
    fs::write(stage.join("journal"), "runs.html\ngone-already.html\n../outside\n").unwrap();
    fs::write(world.path("outside"), "mine").unwrap();
    // This build itself fails: what was begun before is complete all the same.
    fs::write(world.path("content/about.md"), "no head").unwrap();
    edit(&world.path("content/site.toml"), "s@1", "s@2");
    refusal(&world, &["build"]);
    fs::remove_file(world.path("content/about.md")).unwrap();
    refusal(&world, &["build"]);
    assert_eq!(fs::read_to_string(site.join("new/page.html")).unwrap(), "moved");
    assert!(!site.join("runs.html").exists() && !stage.exists());
    assert_eq!(fs::read_to_string(world.path("outside")).unwrap(), "mine");
}

#[test]
fn nothing_is_written_through_a_link_inside_the_site() {
    let world = small();
    let site = world.build();
    fs::rename(site.join("task"), world.path("elsewhere")).unwrap();
    symlink(world.path("elsewhere"), site.join("task")).unwrap();
    let before = files(&world.path("elsewhere"));
    edit(&world.path("content/site.toml"), "title = \"Test\"", "title = \"Other\"");
    let text = refusal(&world, &["build"]);
    assert!(text.contains("public/task is a link") || text.contains("public/task: is a link"), "{text}");
    assert!(text.contains("hint:"), "{text}");
    assert!(before == files(&world.path("elsewhere")));
    fs::remove_file(site.join("task")).unwrap();
    fs::write(world.path("note.html"), "mine").unwrap();
    fs::remove_file(site.join("runs.html")).unwrap();
    symlink(world.path("note.html"), site.join("runs.html")).unwrap();
    assert!(refusal(&world, &["build"]).contains("runs.html"));
    assert_eq!(fs::read_to_string(world.path("note.html")).unwrap(), "mine");
}

#[test]
fn a_site_may_lie_behind_a_link_that_leads_to_a_folder() {
    let world = small();
    fs::create_dir_all(world.path("disk/site")).unwrap();
    symlink(world.path("disk/site"), world.path("public")).unwrap();
    world.build();
    assert!(world.path("public").is_symlink() && world.path("disk/site/index.html").is_file());
    world.build();
    fs::remove_file(world.path("public")).unwrap();
    symlink("nowhere", world.path("public")).unwrap();
    assert!(refusal(&world, &["build"]).contains("leads nowhere"));
}

#[test]
fn a_site_is_not_built_over_its_own_sources() {
    let world = small();
    let before = files(world.dir.path());
    for out in [".", "..", "results", "results/site", "content/../content", "site-templates/x", "/"] {
        let text = refusal(&world, &["build", "--out", out]);
        assert!(text.contains("hint: name a folder of its own"), "{out}: {text}");
    }
    fs::write(world.path("file"), "").unwrap();
    assert!(refusal(&world, &["build", "--out", "file"]).contains("is a file"));
    fs::remove_file(world.path("file")).unwrap();
    assert!(before == files(world.dir.path()));
}

#[test]
fn a_run_on_no_board_is_named_and_links_to_no_page_that_does_not_exist() {
    let world = small();
    let other = line("x", "m9", 0, "resolved").with(json!({"suite": "other@1"}));
    world.run("stray", &["x"], &["m9"], 1, json!({"suite": "other@1"}), &[other]);
    let text = said(&world, &["build"]);
    for want in ["warning:", "\"stray\"", "\"other@1\"", "no board", "\"b\" of s@1"] {
        assert!(text.contains(want), "{want} in {text}");
    }
    assert!(!fs::read_to_string(world.path("public/run/stray.html")).unwrap().contains("model/m9"));
    world.command(&["check"]).assert().success();
}

#[test]
fn a_board_that_shows_nothing_names_the_suites_that_exist() {
    let world = small();
    edit(&world.path("content/site.toml"), "s@1", "s@9");
    let text = refusal(&world, &["build"]);
    assert!(text.contains("site.toml") && text.contains("\"s@9\"") && text.contains("\"s@1\""), "{text}");
    edit(&world.path("content/site.toml"), "suite = \"s@9\"", "suite = \"s@1\"\nruns = [\"r7\"]");
    let text = refusal(&world, &["build"]);
    assert!(text.contains("\"r7\"") && text.contains("\"r1\""), "{text}");
    let empty = World::new("");
    assert!(!said(&empty, &["build"]).contains("warning"));
    empty.command(&["check"]).assert().success();
}

#[test]
fn a_suite_that_nobody_has_run_has_a_board_that_says_so() {
    let world = small();
    let path = world.path("content/site.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "[[board]]\nid = \"new\"\ntitle = \"New\"\nsuite = \"new@1\"\nnote = \"n\"\n").unwrap();
    assert!(refusal(&world, &["build"]).contains("\"new@1\""), "a suite that is nowhere is a mistake");
    let task = world.path("tasks/new/one");
    fs::create_dir_all(&task).unwrap();
    fs::write(world.path("tasks/new/suite.toml"), "id = \"new\"\nversion = \"1\"\ntitle = \"New\"\n").unwrap();
    fs::write(task.join("problem.md"), "# One\n\nIt is wrong.\n").unwrap();
    fs::write(task.join("task.toml"), "id = \"one\"\ntitle = \"One\"\nlanguage = \"go\"\ntargets = [\"a::T\"]\n")
        .unwrap();
    said(&world, &["build"]);
    let page = fs::read_to_string(world.path("public/board/new.html")).unwrap();
    assert!(page.contains("No agents have been evaluated yet"), "{page}");
    world.command(&["check"]).assert().success();
    world.command(&["verify"]).assert().success();
}

#[test]
fn a_model_that_no_run_has_is_a_warning() {
    let world = small();
    let path = world.path("content/site.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text + "[[model]]\nkey = \"typo\"\nid = \"m11\"\n").unwrap();
    let text = said(&world, &["build"]);
    assert!(
        text.contains("warning: content/site.toml") && text.contains("\"m11\"") && text.contains("\"m1\""),
        "{text}"
    );
}

#[test]
fn choices_that_cannot_be_used_name_their_file_and_the_way_out() {
    let site = |more: &str| format!("title = \"T\"\n[[board]]\nid = \"b\"\ntitle = \"B\"\nsuite = \"s@1\"\n{more}");
    let releases = "[[release]]\nversion = \"one\"\nuntil = \"2026-01-01\"\n[[release]]\nversion = \"One\"\nuntil = \"2026-02-01\"\n";
    for (text, want) in [
        (site("").replace("id = \"b\"", "id = \"raw\""), "board id \"raw\""),
        (site(releases), "two releases"),
        (site("").replace("title = \"T\"", "title = \"T\"\nsource_url = \"javascript:alert(1)\""), "source_url"),
        (site("").replace("title = \"T\"", "title = \"T\"\nbase_url = \"httpx://a\""), "base_url"),
    ] {
        let world = small();
        fs::write(world.path("content/site.toml"), text).unwrap();
        let text = refusal(&world, &["build"]);
        assert!(text.contains(want) && text.contains("site.toml") && text.contains("hint:"), "{text}");
    }
    let world = small();
    fs::remove_file(world.path("content/site.toml")).unwrap();
    assert!(refusal(&world, &["build"]).contains("tsbench-site init"));
    assert!(refusal(&world, &["build", "--root", "nowhere"]).contains("--root"));
}

#[test]
fn a_content_page_that_cannot_be_used_is_named_with_the_cause() {
    for name in ["index", "404", "data", "verify", "runs", "releases"] {
        let world = small();
        world.content(&format!("{name}.md"), "Words.");
        let text = refusal(&world, &["build"]);
        assert!(text.contains(&format!("{name}.md")) && text.contains("give the file another name"), "{text}");
    }
    for (bytes, want) in [("\u{feff}+++\n", "byte order mark"), ("+++\r\ntitle = \"a\"\r\n+++\r\n", "CRLF")] {
        let world = small();
        fs::write(world.path("content/about.md"), bytes).unwrap();
        let text = refusal(&world, &["build"]);
        assert!(text.contains("about.md") && text.contains(want), "{text}");
    }
}

#[test]
fn the_cause_of_an_error_is_told_once() {
    let world = small();
    fs::remove_file(world.path("content/site.toml")).unwrap();
    fs::create_dir(world.path("content/site.toml")).unwrap();
    let text = refusal(&world, &["build"]);
    assert_eq!(text.matches("os error").count(), 1, "{text}");
}

#[test]
fn pages_say_what_was_published_and_compared_in_plain_words() {
    let world = World::new("");
    let first = [line("t1", "m1", 0, "infra_error"), line("t1", "m1", 0, "resolved"), line("t2", "m2", 0, "resolved")];
    world.run("r1", &["t1", "t2"], &["m1", "m2"], 1, json!({}), &first);
    let text = said(&world, &["build"]);
    assert!(text.contains(": 2 attempts"), "a replaced line is no attempt: {text}");
    let page = |name: &str| fs::read_to_string(world.path("public").join(name)).unwrap();
    let pair = page("pair/b/m1--m2.html");
    assert!(pair.contains("No task was attempted by both") && !pair.contains("do their rates differ"), "{pair}");
    assert!(page("task/b/t1.html").contains("outcomes alone"));
    let run = fs::read_dir(world.path("results")).unwrap().next().unwrap().unwrap().path();
    let left = run.join("artifacts/t1/m1/0");
    fs::create_dir_all(&left).unwrap();
    world.build();
    assert!(page("task/b/t1.html").contains("outcomes alone"), "an empty folder is no evidence");
    fs::write(left.join("patch.diff"), "+x\n").unwrap();
    world.build();
    assert!(!page("task/b/t1.html").contains("outcomes alone"));
}

#[test]
fn the_smallest_gap_has_no_sign() {
    let world = World::new("");
    let tasks = ["t1", "t2", "t3"];
    let fixed = |m: &str, t: &str| if m == "m1" || t == "t1" { "resolved" } else { "unresolved" };
    let lines: Vec<_> =
        tasks.iter().flat_map(|t| ["m1", "m2"].map(|m| (t, m))).map(|(t, m)| line(t, m, 0, fixed(m, t))).collect();
    world.run("r", &tasks, &["m1", "m2"], 1, json!({}), &lines);
    world.build();
    let gap = &world.numbers()["pair.b.m1.m2.mde"];
    let text = gap["text"].as_str().unwrap();
    assert!(text.ends_with(" points") && text.starts_with(|c: char| c.is_ascii_digit()), "{gap}");
}

#[test]
fn one_attempt_is_not_called_attempts() {
    let world = World::new("");
    let one = line("t1", "m1", 0, "timed_out").with(json!({"cost_usd": null}));
    world.run("r1", &["t1"], &["m1"], 1, json!({"task_details": [{"id": "t1", "repo": "a/b"}]}), &[one]);
    world.build();
    let home = fs::read_to_string(world.path("public/index.html")).unwrap();
    for want in
        ["1</data> attempt:", "1</data> attempt ran into", "1</data> attempt does not say", "1</data> repository;"]
    {
        assert!(home.contains(want), "{want} in {home}");
    }
}

#[test]
fn comparing_with_a_site_that_does_not_exist_says_what_to_name() {
    let world = small();
    world.build();
    let text = refusal(&world, &["diff", "nowhere", "public"]);
    assert!(text.contains("nowhere does not exist") || text.contains("nowhere: does not exist"), "{text}");
    assert!(text.contains("hint: name a built site"), "{text}");
}
