//! Sentences of pages that follow from the data and from the publisher's words.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A new leaderboard whose example was replaced by a run of the suite `mine@1.0`.
struct Site {
    dir: TempDir,
}

fn call(program: &str, args: &[&str], at: &Path) -> (bool, String, String) {
    let out = Command::new(program).args(args).current_dir(at).env_remove("SOURCE_DATE_EPOCH").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.success(), text(&out.stdout), text(&out.stderr))
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let (good, _, said) = call(env!("CARGO_BIN_EXE_tsbench-site"), &["init", "board"], dir.path());
        assert!(good, "{said}");
        std::fs::remove_dir_all(dir.path().join("board/results/2026-01-01-example")).unwrap();
        Site { dir }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("board")
    }

    /// A run of two models at three tasks: the second model of the list fixes all, the first none.
    fn run(&self, name: &str, more: Value, line: Value) {
        let folder = self.root().join("results").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let models = ["a/none", "b/all"].map(|id| json!({"id": id, "name": id, "maker": "M", "tier": "local"}));
        let mut plan = json!({
            "schema": "tsbench.run/1", "run": name, "suite": "mine@1.0", "source": "own", "models": models,
            "agent": {"name": "shell", "version": "1"}, "condition": "default", "tasks": ["x", "y", "z"], "repeats": 1,
            "planned_attempts": 6, "scoring": {"infra": "exclude"}, "created_at": "2026-02-01T00:00:00Z",
        });
        plan.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        std::fs::write(folder.join("run.json"), plan.to_string()).unwrap();
        let mut text = String::new();
        for (model, outcome) in [("a/none", "unresolved"), ("b/all", "resolved")] {
            for task in ["x", "y", "z"] {
                let mut value = json!({
                    "schema": "tsbench.attempt/1", "run": name, "suite": "mine@1.0", "task": task, "model": model,
                    "repeat": 0, "outcome": outcome,
                });
                value.as_object_mut().unwrap().extend(line.as_object().unwrap().clone());
                text.push_str(&format!("{value}\n"));
            }
        }
        std::fs::write(folder.join("attempts.jsonl"), text).unwrap();
    }

    fn config(&self, more: &str) {
        let path = self.root().join("content/site.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text + more).unwrap();
    }

    fn build(&self) -> String {
        let (good, _, said) = call(env!("CARGO_BIN_EXE_tsbench-site"), &["build", "--quiet"], &self.root());
        assert!(good, "{said}");
        let (good, found, wrong) = call(env!("CARGO_BIN_EXE_tsbench-site"), &["verify"], &self.root());
        assert!(good, "{found}{wrong}");
        said
    }

    fn page(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join("public").join(path)).unwrap()
    }
}

#[test]
fn what_replaces_the_example_of_a_new_site_is_on_its_board() {
    let site = Site::new();
    site.run("r1", json!({}), json!({}));
    site.build();
    let home = site.page("index.html");
    assert!(!home.contains("No agents have been evaluated yet"), "{home}");
    assert!(home.contains("attempts fixed the bug</h1>") && home.contains("mine@1.0"), "{home}");
    let about = site.page("about.html");
    assert!(about.contains("runs of this harness by the publisher of this site"), "{about}");
    let data = site.page("data.html");
    assert!(data.contains("@misc{myleaderboard2026,"), "{data}");
}

#[test]
fn a_site_without_a_board_and_without_anything_to_show_says_what_to_do() {
    let site = Site::new();
    std::fs::remove_dir_all(site.root().join("tasks")).unwrap();
    let (good, _, said) = call(env!("CARGO_BIN_EXE_tsbench-site"), &["build"], &site.root());
    assert!(!good && said.contains("has no [[board]]") && said.contains("hint:"), "{said}");
}

#[test]
fn a_board_tells_successes_in_its_own_words_and_no_fact_that_is_empty() {
    let site = Site::new();
    site.run("r1", json!({}), json!({}));
    let words = "verb = \"solved\"\nunit = \"puzzle\"\nnoun = \"solution\"\n";
    site.config(&format!("[[board]]\nid = \"b\"\ntitle = \"B\"\nsuite = \"mine@1.0\"\n{words}"));
    site.build();
    let pages = ["index.html", "task/b/x.html", "tasks/b.html", "pairs/b.html", "model/b~sall.html"];
    let text: String = pages.iter().map(|p| site.page(p)).collect();
    assert!(text.contains("attempts solved the puzzle</h1>") && text.contains("Cost per solution"), "{text}");
    assert!(text.contains("<span class=\"outcome o-resolved\">Solved</span>"), "{text}");
    for wrong in ["fixed the bug", "Fixed", ">fixed<", "fixes", " a fix", "repositories</dt>", "ran into a limit</dt>"]
    {
        assert!(!text.contains(wrong), "{wrong}: {}", &text[text.find(wrong).unwrap_or(0)..][..200]);
    }
    site.config("[[board]]\nid = \"c\"\ntitle = \"C\"\nsuite = \"mine@1.0\"\nverb = \"30% better\"\n");
    let (good, _, said) = call(env!("CARGO_BIN_EXE_tsbench-site"), &["build"], &site.root());
    assert!(!good && said.contains("is no word"), "{said}");
}

#[test]
fn pages_that_send_readers_to_the_source_are_named_where_there_is_none() {
    let site = Site::new();
    site.run("r1", json!({}), json!({}));
    let head = "+++\ntitle = \"Help\"\ndescription = \"Help.\"\n+++\n";
    std::fs::write(site.root().join("content/help.md"), format!("{head}Please open an\nissue.\n")).unwrap();
    let said = site.build();
    assert!(said.contains("source_url") && said.contains("help.md") && !said.contains("about.md"), "{said}");
    let path = site.root().join("content/site.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("source_url = \"\"", "source_url = \"https://github.com/a/b\"")).unwrap();
    assert!(!site.build().contains("source_url"));
    let home = site.page("index.html");
    assert!(
        home.contains("href=\"https://github.com/a/b\"") && home.contains("https://github.com/a/b/issues"),
        "{home}"
    );
}

#[test]
fn graders_limits_tasks_and_agents_that_differ_are_caveats_with_numbers_by_id() {
    let site = Site::new();
    let plan = |turns: u64, digest: &str| {
        let agent = json!({"name": "shell", "version": "1", "digest": digest});
        json!({"limits": {"turns": turns}, "suite_digest": digest, "agent": agent})
    };
    site.run("r1", plan(3, "d1"), json!({"digests": {"grader": "g/1"}, "condition": "default"}));
    site.build();
    let alone = site.page("index.html");
    assert!(!alone.contains("differ.</strong>"), "{alone}");
    let of_b = json!({"models": [{"id": "a/none", "name": "a/none", "maker": "M", "tier": "local"}, {"id": "b/all", "name": "b/all", "maker": "M", "tier": "local"}]});
    let mut other = plan(40, "d2");
    other.as_object_mut().unwrap().extend(of_b.as_object().unwrap().clone());
    site.run("r2", other, json!({"digests": {"grader": "g/2"}}));
    site.build();
    let home = site.page("index.html");
    assert!(home.contains("Two versions of the grader scored this board"), "{home}");
    for grader in ["g/1", "g/2"] {
        let id = format!("data-n=\"board.mine-1-0.graded_by.v-{}\"", grader.replace('/', "~s"));
        assert!(home.contains(&format!("<code>{grader}</code>")) && home.contains(&id), "{id}: {home}");
    }
    for caveat in ["Limits differ.", "Tasks differ.", "Agents differ."] {
        assert!(home.contains(caveat), "{caveat}");
    }
}

#[test]
fn imported_runs_say_where_their_raw_files_stayed() {
    for (from, words) in [
        (json!("harbor"), "stayed in the job’s folder"),
        (json!("inspect"), "stayed in its logs"),
        (json!("ts_bench"), "published without its raw files"),
        (json!("a_later_tool"), "taken over without what lay beside them"),
        (Value::Null, "taken over without what lay beside them"),
    ] {
        let site = Site::new();
        site.run("r1", json!({"source": "imported", "imported_from": from}), json!({}));
        site.build();
        assert!(site.page("index.html").contains(words), "{from}");
        assert!(site.page("about.html").contains("outcomes of another system"));
    }
}

#[test]
fn two_models_of_one_name_on_a_board_are_a_warning() {
    let site = Site::new();
    let models = ["a/none", "b/all"].map(|id| json!({"id": id, "name": "X", "maker": "M", "tier": "local"}));
    site.run("r1", json!({"models": models}), json!({}));
    let said = site.build();
    assert!(said.contains("have one name, \"X\"") && said.contains("a/none") && said.contains("b/all"), "{said}");
}

#[test]
fn models_that_are_made_up_are_called_so() {
    let site = Site::new();
    let models = ["a/none", "mock/gold"].map(|id| json!({"id": id, "name": id, "maker": "M", "tier": "local"}));
    site.run("r1", json!({"models": models}), json!({}));
    let path = site.root().join("results/r1/attempts.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("b/all", "mock/gold")).unwrap();
    site.build();
    assert!(site.page("index.html").contains("Made-up models."));
    assert!(site.page("about.html").contains("Some of the models on it are made up."));
}

#[test]
fn stats_stand_in_the_order_of_the_board_with_the_rank_first() {
    let site = Site::new();
    site.run("r1", json!({}), json!({}));
    let (good, table, said) = call(env!("CARGO_BIN_EXE_tsbench"), &["stats", "--in", "results"], &site.root());
    assert!(good, "{said}");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[1].starts_with("rank  ") || lines[1].starts_with("rank "), "{table}");
    assert!(table.find("b/all").unwrap() < table.find("a/none").unwrap(), "{table}");
    let (_, text, _) = call(env!("CARGO_BIN_EXE_tsbench"), &["stats", "--in", "results", "--json"], &site.root());
    let value: Value = serde_json::from_str(&text).unwrap();
    let entries = value["numbers"].as_array().unwrap().iter().filter(|n| n["versus"].is_null());
    let mut order: Vec<&str> = entries.filter_map(|n| n["entry"].as_str()).collect();
    order.dedup();
    assert_eq!(order, ["b~sall", "a~snone"]);
}
