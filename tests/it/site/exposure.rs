//! What a model may have read of a task is a label on its page, and filters nothing; so is a seal.

use super::world::{World, line};
use serde_json::json;
use std::fs;

#[test]
fn each_model_has_its_label_on_the_page_of_a_task_and_every_attempt_counts() {
    let world = World::new("");
    let models = json!([
        {"id": "old", "name": "old", "maker": "M", "tier": "paid", "cutoff": "2023-01-01"},
        {"id": "near", "name": "near", "maker": "M", "tier": "paid", "cutoff": "2024-05-01"},
        {"id": "new", "name": "new", "maker": "M", "tier": "paid", "cutoff": "2024-07-01"},
        {"id": "untold", "name": "untold", "maker": "M", "tier": "paid"},
    ]);
    let details = json!([{"id": "dated", "merged_at": "2024-07-01"}, {"id": "own"}]);
    let names = ["old", "near", "new", "untold"];
    let lines = names.iter().flat_map(|m| [line("dated", m, 0, "resolved"), line("own", m, 0, "unresolved")]);
    let lines: Vec<_> = lines.collect();
    world.run("r", &["dated", "own"], &names, 1, json!({"models": models, "task_details": details}), &lines);
    let site = world.build();
    let page = |task: &str| fs::read_to_string(site.join(format!("task/b/{task}.html"))).unwrap();
    let dated = page("dated");
    let rows: Vec<&str> = dated.split("<tr>").filter(|r| r.contains("attempts")).collect();
    for (model, label) in [("old", "after its cutoff"), ("near", "soon after its cutoff"), ("new", "before its cutoff")]
    {
        let row = rows.iter().find(|r| r.contains(&format!(">{model}<"))).unwrap();
        assert!(row.contains(&format!(">{label}<")), "{model}: {row}");
    }
    assert!(!page("own").contains("its cutoff"), "a task without a day has no label");
    for model in names {
        let n = &world.numbers()[&format!("board.b.{model}.attempts")];
        assert_eq!(n["value"].as_f64(), Some(2.0), "{model}");
    }
}

#[test]
fn a_sealed_task_shows_what_its_publisher_committed_to_and_how_much_is_sealed() {
    let world = World::new("");
    let commitment = "ab".repeat(32);
    let dir = world.path("tasks/s/t");
    fs::create_dir_all(&dir).unwrap();
    fs::write(world.path("tasks/s/suite.toml"), "id = \"s\"\nversion = \"1\"\ntitle = \"S\"\n").unwrap();
    fs::write(dir.join("problem.md"), "It is sealed.\n").unwrap();
    let spec = format!(
        "id = \"t\"\ntitle = \"Sealed\"\nlanguage = \"go\"\n[sealed]\narchive_sha256 = \"{commitment}\"\nfile_sha256 = \"{}\"\ntargets = 3\nguards = 7\n",
        "cd".repeat(32)
    );
    fs::write(dir.join("task.toml"), spec).unwrap();
    world.run("r", &["t"], &["m"], 1, json!({}), &[line("t", "m", 0, "resolved")]);
    let page = fs::read_to_string(world.build().join("task/b/t.html")).unwrap();
    assert!(page.contains(&format!("<code>{commitment}</code>")), "{page}");
    let all = super::world::files(&world.path("public/data"));
    let (_, bytes) = all.iter().find(|(name, _)| name.contains("tasks-0000")).unwrap();
    let found = String::from_utf8(bytes.clone()).unwrap();
    let told: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!((&told["targets"], &told["guards"], &told["sealed"]), (&json!(3), &json!(7), &json!(commitment)));
}
