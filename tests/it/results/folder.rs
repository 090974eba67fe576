//! Results folders made for one test.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tsbench::results::{Dataset, Fault, Level, read};

/// A results folder that vanishes with the test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with one run named `r` and these bytes as its attempts.
    pub fn with(attempts: impl AsRef<[u8]>) -> Folder {
        let folder = Folder::new();
        folder.put("r/run.json", plan("r").to_string()).put("r/attempts.jsonl", attempts);
        folder
    }

    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Folder {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    pub fn root(&self) -> PathBuf {
        self.path().join("results")
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn read(&self) -> Dataset {
        read(self.path()).unwrap()
    }

    /// The one fault of the folder.
    pub fn fault(&self) -> Fault {
        let mut faults = self.read().faults;
        assert_eq!(faults.len(), 1, "{faults:#?}");
        faults.remove(0)
    }

    /// The one error of the folder, which must name this line and field of the attempts and a remedy.
    pub fn error(&self, line: u64, field: &str) -> String {
        let fault = self.fault();
        assert_eq!(
            (fault.level, fault.file.as_str(), fault.line),
            (Level::Error, "results/r/attempts.jsonl", Some(line)),
            "{fault}"
        );
        assert_eq!(fault.field.as_deref().unwrap_or(""), field, "{fault}");
        assert!(!fault.hint.is_empty(), "{fault}");
        fault.what
    }
}

/// A plan of two models at three tasks, ten times each.
pub fn plan(name: &str) -> Value {
    json!({
        "schema": "tsbench.run/1", "run": name, "suite": "core@1.0", "source": "own",
        "models": [
            {"id": "m/one", "name": "One", "maker": "A", "tier": "paid"},
            {"id": "m/two", "name": "Two", "maker": "B", "tier": "local", "cutoff": "2026-01-31"},
        ],
        "agent": {"name": "shell", "version": "1"}, "condition": "terse",
        "tasks": ["a__a-1", "b__b-2", "c__c-3"],
        "repeats": 10, "planned_attempts": 60, "created_at": "2026-09-19T00:00:00Z",
    })
}

/// A good line with every field of the contract.
pub fn line() -> Value {
    json!({
        "schema": "tsbench.attempt/1", "run": "r", "suite": "core@1.0", "task": "a__a-1", "model": "m/one",
        "agent": "shell@1", "condition": "default", "repeat": 0, "outcome": "unresolved", "stop": "submitted",
        "score": {"passed": 1, "total": 2},
        "tests": {"targets": {"passed": 0, "total": 1, "failed": ["x"]}, "guards": {"passed": 4, "total": 4, "failed": []}},
        "patch": {"sha256": "00", "bytes": 10, "files": 1, "applied": "strict", "dropped": ["tests/x"]},
        "usage": {"input": 100, "cached_input": 0, "cache_write": 0, "output": 7, "requests": 3},
        "cost_usd": 0.125, "seconds": {"agent": 10.5, "install": null, "tests": 2.0, "total": 13.0},
        "turns": 4, "retries": 0, "error": null, "digests": {"task": "00"}, "host": {"cpu": "x"}, "tool": "tsbench 0.1.0",
        "started_at": "2026-09-19T00:00:00Z", "finished_at": "2026-09-19T00:01:00Z",
    })
}

/// The good line with one field set; a dotted path reaches into objects.
pub fn with(path: &str, value: Value) -> Value {
    let mut line = line();
    let pointer = format!("/{}", path.replace('.', "/"));
    match line.pointer_mut(&pointer) {
        Some(place) => *place = value,
        None => {
            line.as_object_mut().unwrap().insert(path.to_owned(), value);
        }
    }
    line
}

/// The good line at another repeat and outcome, without what would say another one.
pub fn attempt(repeat: u32, outcome: &str) -> Value {
    let mut line = with("repeat", repeat.into());
    line["outcome"] = outcome.into();
    for field in ["score", "tests", "patch"] {
        line[field] = Value::Null;
    }
    line
}

/// Lines as a file.
pub fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|l| format!("{l}\n")).collect()
}
