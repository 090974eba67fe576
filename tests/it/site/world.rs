//! A leaderboard in a temporary folder, changed step by step and built by the real program.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// One line of a run, as few words as a test needs.
pub struct Line {
    pub task: &'static str,
    pub model: &'static str,
    pub repeat: u32,
    pub outcome: &'static str,
    pub more: Value,
}

pub fn line(task: &'static str, model: &'static str, repeat: u32, outcome: &'static str) -> Line {
    Line { task, model, repeat, outcome, more: json!({}) }
}

impl Line {
    pub fn with(mut self, more: Value) -> Line {
        self.more = more;
        self
    }
}

pub struct World {
    pub dir: TempDir,
}

impl World {
    /// A folder with one board `b` for the suite `s@1` and the given `site.toml` text after it.
    pub fn new(more: &str) -> World {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("content")).unwrap();
        fs::create_dir(dir.path().join("results")).unwrap();
        let text = format!("title = \"Test\"\n[[board]]\nid = \"b\"\ntitle = \"Board\"\nsuite = \"s@1\"\n{more}");
        fs::write(dir.path().join("content/site.toml"), text).unwrap();
        World { dir }
    }

    /// The project itself: its results, content and templates.
    pub fn bundled() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Adds a run of tasks × models with the given lines; `more` overrides fields of the plan.
    pub fn run(
        &self,
        name: &str,
        tasks: &[&str],
        models: &[&str],
        repeats: u32,
        more: Value,
        lines: &[Line],
    ) -> &World {
        let dir = self.path("results").join(format!("run-{}", tasks.len() + lines.len() + name.len() * 1000));
        fs::create_dir_all(&dir).unwrap();
        let list: Vec<Value> =
            models.iter().map(|m| json!({"id": m, "name": m, "maker": "Maker", "tier": "paid"})).collect();
        let mut plan = json!({
            "schema": "tsbench.run/1", "run": name, "suite": "s@1", "source": "own", "models": list,
            "agent": {"name": "shell", "version": "1"}, "condition": "default", "tasks": tasks, "repeats": repeats,
            "planned_attempts": tasks.len() * models.len() * repeats as usize, "created_at": "2026-01-02T03:04:05Z"
        });
        merge(&mut plan, &more);
        fs::write(dir.join("run.json"), plan.to_string()).unwrap();
        let text: String = lines
            .iter()
            .map(|l| {
                let mut value = json!({"schema": "tsbench.attempt/1", "run": name, "suite": "s@1", "task": l.task, "model": l.model, "repeat": l.repeat, "outcome": l.outcome});
                merge(&mut value, &l.more);
                format!("{value}\n")
            })
            .collect();
        fs::write(dir.join("attempts.jsonl"), text).unwrap();
        self
    }

    pub fn content(&self, name: &str, body: &str) -> &World {
        let text = format!("+++\ntitle = \"Page\"\ndescription = \"A page\"\n+++\n{body}\n");
        fs::write(self.path("content").join(name), text).unwrap();
        self
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = site_program();
        command.current_dir(self.dir.path()).args(args);
        command
    }

    /// Builds and returns the site's folder.
    pub fn build(&self) -> PathBuf {
        self.command(&["build"]).assert().success();
        self.path("public")
    }

    /// The published numbers by id.
    pub fn numbers(&self) -> BTreeMap<String, Value> {
        numbers(&self.path("public"))
    }
}

pub fn site_program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench-site"));
    command.env_remove("SOURCE_DATE_EPOCH");
    command
}

pub fn numbers(site: &Path) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(site.join("data/numbers.json")).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    value["numbers"].as_array().unwrap().iter().map(|n| (n["id"].as_str().unwrap().to_owned(), n.clone())).collect()
}

pub fn merge(to: &mut Value, from: &Value) {
    for (key, value) in from.as_object().unwrap() {
        to[key] = value.clone();
    }
}

/// Every file of a folder with its bytes.
pub fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(dir) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            found
                .insert(entry.path().strip_prefix(dir).unwrap().display().to_string(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

/// Replaces the first occurrence in a file; fails where there is none.
pub fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} holds no {from:?}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

pub fn copy(from: &Path, to: &Path) {
    for (name, bytes) in files(from) {
        let path = to.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}
