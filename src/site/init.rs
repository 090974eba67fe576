//! A working leaderboard for somebody else's data.

use super::error::SiteError;
use crate::results::RECORDS;
use crate::schema::{ATTEMPT_SCHEMA, RUN_SCHEMA};
use std::fs;
use std::path::{Path, PathBuf};

const SITE: &str = r#"# What the publisher decides. Everything else comes from results/.
title = "My leaderboard"
tagline = "Coding agents on my tasks"
source_url = ""
# The address of the published site, without a final slash. Feeds and link previews need it.
base_url = ""
author = ""
# Suites are read from tasks/ where there is one, and logs of audits from health/.

# Without a [[board]] there is one for each suite that has results. With one, the first is the home page.
# [[board]]
# id = "main"
# title = "My tasks"
# suite = "mine@1.0"
# note = "What the tasks are, in a sentence."
# verb = "solved"          # what a good attempt did, to what, and what came of it; without these: fixed, bug, fix
# unit = "task"
# noun = "solution"

# A model's short key is part of addresses and number ids; names here win over those in run.json.
# [[model]]
# key = "careful"
# id = "example/careful"
# name = "Careful example"
# maker = "Example"

# A release is every run whose plan was locked by the end of a day.
# [[release]]
# version = "2026-01-31"
# until = "2026-01-31"
# note = "First results."
"#;

const ABOUT: &str = r#"+++
title = "About"
description = "What this leaderboard shows and who publishes it."
nav = true
order = 10
+++
What this leaderboard shows, and who runs it. Replace this page by your own words.

Whose results each board shows follows from its runs:

{{ sources() }}

A digit typed into a sentence fails the build; a constant of a definition stands in backticks. A result is quoted by its
id, as `{% raw %}{{ n("ID") }}{% endraw %}`; `data/numbers.json` of the built site lists every id.
"#;

const WRANGLER: &str = r#"# Hosting on Cloudflare Pages: npx wrangler pages deploy
name = "my-leaderboard"
pages_build_output_dir = "./public"
compatibility_date = "2026-01-01"
"#;

const SUITE: &str = r#"id = "example"
version = "1.0"
title = "Example tasks"
note = "One small bug three times, written by tsbench-site init: a whole task folder to copy and change."
"#;

const TASK: &str = r#"id = "ID"
title = "The task ID"
language = "python"
difficulty = "easy"
use_cases = ["bug fixing"]
targets = ["tests/test_total.py::test_empty"]
guards = ["tests/test_total.py::test_two"]
"#;

/// The tree that an agent starts from, the human fix, and the hidden tests, by path.
const TREE: [(&str, &str); 5] = [
    (
        "repo/pyproject.toml",
        r#"[build-system]
requires = ["setuptools>=68"]
build-backend = "setuptools.build_meta"

[project]
name = "orders"
version = "1.0.0"

[tool.setuptools]
py-modules = ["orders"]
"#,
    ),
    (
        "repo/orders.py",
        r#"def total(prices):
    """The sum of prices in cents."""
    rest = list(prices)
    return rest[0] + sum(rest[1:])
"#,
    ),
    (
        "repo/tests/test_total.py",
        r#"from orders import total


def test_two():
    assert total([3, 4]) == 7
"#,
    ),
    (
        "tests/tests/test_total.py",
        r#"from orders import total


def test_two():
    assert total([3, 4]) == 7


def test_empty():
    assert total([]) == 0
"#,
    ),
    (
        "solution.patch",
        r#"diff --git a/orders.py b/orders.py
--- a/orders.py
+++ b/orders.py
@@ -1,4 +1,3 @@
 def total(prices):
     """The sum of prices in cents."""
-    rest = list(prices)
-    return rest[0] + sum(rest[1:])
+    return sum(prices)
"#,
    ),
];

const PROBLEM: &str = r#"# The total of an empty order is wrong

```python
total([])  # raises IndexError; 0 is expected
```

Write statements as a user would report a bug: what was done, what happened, what was expected.
"#;

/// Writes the files of a new leaderboard into a folder that is absent or empty; returns their paths.
pub fn init(dir: &Path) -> Result<Vec<PathBuf>, SiteError> {
    if dir.exists() && fs::read_dir(dir).map_err(SiteError::io(dir))?.next().is_some() {
        return Err(SiteError::content(dir.display().to_string(), "is not empty", "name a new folder"));
    }
    let run = "2026-01-01-example";
    let files = [
        ("content/site.toml".to_owned(), SITE.to_owned()),
        ("content/about.md".to_owned(), ABOUT.to_owned()),
        ("content/records.md".to_owned(), RECORDS.to_owned()),
        ("wrangler.toml".to_owned(), WRANGLER.to_owned()),
        (".gitignore".to_owned(), "/public\n.tsbench-site-*\n".to_owned()),
        ("tasks/example/suite.toml".to_owned(), SUITE.to_owned()),
        (format!("results/{run}/run.json"), plan(run)?),
        (format!("results/{run}/attempts.jsonl"), lines(run)?),
    ];
    let tasks = TASKS.iter().flat_map(|id| {
        let spec = TASK.replace("ID", id);
        let texts = [("task.toml", spec), ("problem.md", PROBLEM.to_owned())];
        let tree = TREE.map(|(path, text)| (path, text.to_owned()));
        texts.into_iter().chain(tree).map(move |(path, text)| (format!("tasks/example/{id}/{path}"), text))
    });
    let mut written = Vec::new();
    for (name, text) in files.into_iter().chain(tasks) {
        let path = dir.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(SiteError::io(parent))?;
        }
        fs::write(&path, text).map_err(SiteError::io(&path))?;
        written.push(path);
    }
    Ok(written)
}

const MODELS: [&str; 2] = ["example/careful", "example/hasty"];
const TASKS: [&str; 3] = ["example-one", "example-two", "example-three"];

fn plan(run: &str) -> Result<String, SiteError> {
    let model = |id: &str, name: &str| serde_json::json!({"id": id, "name": name, "maker": "Example", "tier": "local"});
    let plan = serde_json::json!({
        "schema": RUN_SCHEMA, "run": run, "suite": "example@1.0", "source": "own",
        "models": [model(MODELS[0], "Careful"), model(MODELS[1], "Hasty example")],
        "agent": {"name": "shell", "version": "1"}, "condition": "default", "tasks": TASKS, "repeats": 2,
        "limits": {"turns": 40, "wall_seconds": 900}, "planned_attempts": 12, "scoring": {"infra": "exclude"},
        "created_at": "2026-01-01T00:00:00Z", "tool": concat!("tsbench ", env!("CARGO_PKG_VERSION")),
        "note": "An example written by tsbench-site init. It is not a measurement.",
    });
    Ok(serde_json::to_string_pretty(&plan)? + "\n")
}

fn lines(run: &str) -> Result<String, SiteError> {
    let mut out = String::new();
    for (m, model) in MODELS.iter().enumerate() {
        for (t, task) in TASKS.iter().enumerate() {
            for repeat in 0..2 {
                // Any pattern would do; this one shows fixes, failures and a left-out attempt.
                let outcome = match (m, t, repeat) {
                    (0, 0 | 1, _) | (1, 0, 0) => "resolved",
                    (1, 2, 1) => "infra_error",
                    _ => "unresolved",
                };
                let line = serde_json::json!({
                    "schema": ATTEMPT_SCHEMA, "run": run, "suite": "example@1.0", "task": task, "model": model, "agent": "shell@1",
                    "condition": "default", "repeat": repeat, "outcome": outcome, "cost_usd": null,
                });
                out.push_str(&serde_json::to_string(&line)?);
                out.push('\n');
            }
        }
    }
    Ok(out)
}
