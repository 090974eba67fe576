//! Mirrors: made, kept up to date, and mined without any network.

use super::world::World;
use super::{field, lines};
use serde_json::{Value, json};

/// A main line with every kind of commit.
fn world() -> World {
    let world = World::new();
    world.write("shop.py", "def price(count):\n    return count * 3\n");
    world.write("tests/test_shop.py", "from shop import price\n");
    world.commit("Start (#1)");
    world.write("shop.py", "def price(count):\n    return count * 4\n");
    world.write("tests/test_shop.py", "from shop import price\nassert price(1) == 4\n");
    world.commit("Dearer (#12)\n\nFixes #9 and closes #10.");
    world.write("README.md", "Read\n");
    world.commit("Words (#13)");
    world.commit("Nothing to see");
    world.write("tests/test_more.py", "import shop\n");
    world.commit("Tests (#14)");
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("shop.py", "def price(count):\n    return count * 5\n");
    world.write("tests/test_more.py", "import shop\nassert shop.price(1) == 5\n");
    world.commit("Dearer again\n\nResolves: #20");
    world.git(&["checkout", "-q", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "Merge pull request #15 from a/side\n\nDearer again", "side"]);
    world.git(&["revert", "--no-edit", "-m", "1", "HEAD"]);
    world.write("shop.py", "def price(count):\n    return count * 6\n");
    world.write("tests/test_more.py", "import shop\nassert shop.price(1) == 6\n");
    world.commit("Dearest\n\nCloses #21");
    world
}

#[test]
fn the_main_line_of_a_mirror_gives_its_candidates_and_a_reason_for_every_other_commit() {
    let world = world();
    let mirror = world.mirror();
    let args = ["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out"];
    let (exit, out, said) = world.call(&args);
    assert_eq!(exit, 0, "{said}");
    assert!(out.starts_with("me/shop\tseen 8\tdecided before 0\tnot asked for 0\tcandidates 3\t"), "{out}");
    let candidates = lines(&world.path("out/candidates.jsonl"));
    let head = world.git(&["rev-parse", "HEAD"]);
    let own = format!("me__shop-{}", &head[..10]);
    assert_eq!(field(&candidates, "id"), [own.as_str(), "me__shop-15", "me__shop-12"], "newest first");
    let named: Vec<(&Value, &Value)> = candidates.iter().map(|c| (&c["pull_request"], &c["issue"])).collect();
    let (none, twenty) = (json!(null), json!(20));
    assert_eq!(named[1..], [(&json!(15), &twenty), (&json!(12), &json!(9))], "a merged commit may name the issue");
    assert_eq!(named[0], (&none, &json!(21)));
    let reasons: Vec<(String, String)> = lines(&world.path("out/rejections.jsonl"))
        .iter()
        .map(|r| (r["reason"].as_str().unwrap().to_owned(), r["evidence"][0].as_str().unwrap().to_owned()))
        .collect();
    let wanted = [
        ("it takes another change back", "Revert \"Merge pull request #15 from a/side\""),
        ("it changes tests alone", "tests/test_more.py"),
        ("its message names no pull request and no issue", "Nothing to see"),
        ("it changes no test", "README.md"),
        ("nothing stood before it", "Start (#1)"),
    ];
    // A revert names nothing that it closes unless it says so.
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    assert_eq!(reasons[1..], wanted[1..].iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>());
    assert!(reasons[0].1.starts_with("Revert"), "{reasons:?}");
    let before = (candidates, lines(&world.path("out/rejections.jsonl")));
    let (exit, out, _) = world.call(&args);
    assert!(exit == 0 && out.contains("decided before 8"), "{out}");
    assert_eq!((lines(&world.path("out/candidates.jsonl")), lines(&world.path("out/rejections.jsonl"))), before);
}

#[test]
fn filters_leave_out_without_rejecting_and_what_is_wrong_is_said_with_a_remedy() {
    let world = world();
    let mirror = world.mirror();
    let from = ["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out"];
    let (exit, out, _) = world.call(&[&from[..], &["--language", "go", "--json"]].concat());
    let table: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &table["candidates"], &table["not_asked_for"]), (0, &json!(0), &json!(3)));
    let (_, out, _) = world.call(&[&from[..], &["--path", "tests/test_m*.py", "--json"]].concat());
    let table: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(table["candidates"], json!(2), "{table}");
    let (exit, _, said) = world.call(&[&from[..], &["--since", "yesterday"]].concat());
    assert!(exit == 2 && said.contains("YYYY-MM-DD"), "{said}");
    let (exit, _, said) = world.call(&[&from[..], &["--language", "cobol"]].concat());
    assert!(exit == 2 && said.contains("cobol"), "{said}");
    let (exit, _, said) = world.call(&[&from[..], &["--prove"]].concat());
    assert!(exit == 2 && said.contains("--suite"), "{said}");
    let (exit, _, said) = world.call(&["mine", "--from-mirror", "repo", "--out", "out"]);
    assert!(exit == 2 && said.contains("owner__name.git"), "{said}");
    let (exit, _, said) = world.call(&["mine", "--from-mirror", "nowhere", "--repo", "me/shop", "--out", "out"]);
    assert!(exit == 2 && said.contains("nowhere") && said.contains("hint:"), "{said}");
    std::fs::write(world.path("out/candidates.jsonl"), "{\"repo\":1}\n").unwrap();
    let (exit, _, said) = world.call(&from);
    assert!(exit == 2 && said.contains("candidates.jsonl line 1") && said.contains("hint:"), "{said}");
}

#[test]
fn a_mirror_is_made_whole_kept_up_to_date_and_forgets_nothing() {
    let world = world();
    let forgotten = world.git(&["rev-parse", "HEAD"]);
    let (exit, out, said) = world.call(&["mirror", "add", "repo", "--repo", "me/shop"]);
    assert!(exit == 0 && out.starts_with("me/shop\tadded\t"), "{out}{said}");
    let (exit, out, _) = world.call(&["mirror", "add", "repo", "--repo", "me/shop"]);
    assert!(exit == 0 && out.starts_with("me/shop\tthere already\t"), "{out}");
    world.git(&["reset", "-q", "--hard", "HEAD~2"]);
    world.write("new.py", "x = 1\n");
    let new = world.commit("New");
    let (exit, out, said) = world.call(&["mirror", "update"]);
    assert!(exit == 0 && out == "me/shop\tup to date\n", "{out}{said}");
    let mirror = world.path("mirrors/me__shop.git");
    let has = |commit: &str| {
        let done =
            std::process::Command::new("git").arg("--git-dir").arg(&mirror).args(["cat-file", "-e", commit]).output();
        done.unwrap().status.success()
    };
    assert!(has(&new) && has(&forgotten), "a commit that a task names stays");
    let config = std::fs::read_to_string(mirror.join("config")).unwrap();
    assert!(config.contains("mirror = true"), "{config}");
    let left: Vec<_> = std::fs::read_dir(world.path("mirrors")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["me__shop.git"], "nothing half-made is left");
}

#[test]
fn hostile_and_missing_origins_make_no_mirror() {
    let world = world();
    for (origin, repo) in [
        ("ext::sh -c touch% pwned", "me/shop"),
        ("https://me:secret@127.0.0.1/me/shop", "me/shop"),
        ("repo", "../../evil"),
        ("repo", "me/shop.git/.."),
        ("file:///nowhere/me/shop", "me/shop"),
        ("me/../shop", "me/shop"),
    ] {
        let (exit, _, said) = world.call(&["mirror", "add", origin, "--repo", repo]);
        assert!(exit != 0 && said.contains("error:"), "{origin} {repo}: {said}");
        assert!(!said.contains("secret"), "{said}");
    }
    let (exit, _, said) = world.call(&["mirror", "add", "repo"]);
    assert!(exit == 2 && said.contains("--repo"), "{said}");
    let left = std::fs::read_dir(world.path("mirrors")).map_or(0, Iterator::count);
    assert!(left == 0 && !world.path("pwned").exists() && !world.path("repo/pwned").exists());
    let (exit, _, said) = world.call(&["mirror", "update"]);
    assert!(exit == 2 && said.contains("hint:"), "{said}");
}

#[test]
fn a_mirror_without_a_main_line_is_told_with_what_is_wrong_and_what_to_do() {
    let world = world();
    let mirror = world.mirror();
    let mine = || world.call(&["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out"]);
    let head = mirror.join("HEAD");
    std::fs::write(&head, "ref: refs/heads/nowhere\n").unwrap();
    let (exit, _, said) = mine();
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("its HEAD names refs/heads/nowhere, which is not there; there are: "), "{said}");
    assert!(said.contains("hint: name the branch") && said.contains("symbolic-ref HEAD refs/heads/main"), "{said}");
    std::fs::remove_dir_all(&mirror).unwrap();
    let made = std::process::Command::new("git").args(["init", "-q", "--bare"]).arg(&mirror).status().unwrap();
    assert!(made.success());
    let (exit, _, said) = mine();
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("it has no commit") && said.contains("hint: "), "{said}");
    std::fs::remove_file(&head).unwrap();
    let (exit, _, said) = mine();
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("find a bare mirror at") && !said.contains("fatal"), "{said}");
}

#[test]
fn what_cannot_be_meant_is_refused_before_anything_is_mined() {
    let world = world();
    let mirror = world.mirror();
    let from = mirror.to_str().unwrap();
    for (more, why) in [
        (["--prove", "--suite", "../x"].as_slice(), "\"../x\" as the id of a suite"),
        (&["--path", "{a,"], "it opens a brace that is never closed"),
        (&["--path", "src/"], "end it with /**"),
    ] {
        let (exit, _, said) = world.call(&[&["mine", "--from-mirror", from, "--out", "out"], more].concat());
        assert_eq!(exit, 2, "{said}");
        assert!(said.contains(why), "{said}");
        assert!(!world.path("out").exists(), "{more:?}");
    }
}
