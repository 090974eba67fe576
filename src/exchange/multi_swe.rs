//! Rows of Multi-SWE-bench.

use super::instance::{BESIDE, Instance, beside, column, day, text};
use serde_json::{Map, Value, json};

/// Maps of tests that must pass after the fix and did not before: they failed, were skipped, or were not there.
const FIXED: [&str; 3] = ["f2p_tests", "s2p_tests", "n2p_tests"];
const KEPT: &str = "p2p_tests";

/// Reads a row.
pub(super) fn read(map: &Map<String, Value>) -> Result<Instance, String> {
    let (org, repo) = (text(map, "org")?, text(map, "repo")?);
    let number = number(map)?;
    let base = map.get("base").and_then(|b| b.get("sha")).and_then(Value::as_str).ok_or("base.sha is missing")?;
    let (title, problem) = statement(map)?;
    // A row of ours says which task it is; what others call instance_id is the same in other words.
    let own = map.get("instance_id").and_then(Value::as_str).filter(|_| map.contains_key(BESIDE));
    let mut targets = Vec::new();
    for key in FIXED {
        targets.extend(map.get(key).and_then(Value::as_object).into_iter().flat_map(|m| m.keys().cloned()));
    }
    targets.sort();
    targets.dedup();
    let guards = map.get(KEPT).and_then(Value::as_object).map(|m| m.keys().cloned().collect()).unwrap_or_default();
    Ok(Instance {
        id: own.map_or_else(|| format!("{org}__{repo}-{number}"), str::to_owned),
        repo: format!("{org}/{repo}"),
        base_commit: base.to_owned(),
        patch: text(map, "fix_patch")?.to_owned(),
        test_patch: text(map, "test_patch")?.to_owned(),
        problem,
        title: Some(title),
        targets,
        guards,
        language: map.get("lang").and_then(Value::as_str).map(str::to_owned),
        day: map.get("created_at").and_then(day),
        difficulty: None,
        beside: beside(map)?,
        evaluation: Default::default(),
        used: vec![
            BESIDE,
            "org",
            "repo",
            "number",
            "base",
            "title",
            "resolved_issues",
            "fix_patch",
            "test_patch",
            "lang",
            "f2p_tests",
            "s2p_tests",
            "n2p_tests",
            "p2p_tests",
            "instance_id",
            "created_at",
        ],
    })
}

/// The number is a number in some files and a text in others.
fn number(map: &Map<String, Value>) -> Result<u64, String> {
    let value = map.get("number").ok_or("number is missing")?;
    let found = value.as_u64().or_else(|| value.as_str().and_then(|t| t.parse().ok()));
    found.ok_or_else(|| format!("number is {value}"))
}

/// Title and text of the issues that the change resolves, or of the change itself.
fn statement(map: &Map<String, Value>) -> Result<(String, String), String> {
    let of = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let issues = map.get("resolved_issues").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let whole = Value::Object(map.clone());
    let parts = if issues.is_empty() { std::slice::from_ref(&whole) } else { issues };
    let texts: Vec<String> =
        parts.iter().map(|i| format!("# {}\n\n{}\n", of(i, "title").trim(), of(i, "body").trim())).collect();
    let title = parts.iter().map(|i| of(i, "title")).find(|t| !t.is_empty()).ok_or("there is no title")?;
    Ok((title, texts.join("\n")))
}

/// The row of an instance.
pub(super) fn write(instance: &Instance, origin: Option<&Value>) -> Value {
    if let Some(row) = origin.and_then(Value::as_object) {
        let mut row = row.clone();
        let same = read(&row).is_ok_and(|known| {
            (&known.targets, &known.guards) == (&instance.targets, &instance.guards)
                && known.problem == instance.problem
        });
        row.insert("fix_patch".into(), instance.patch.as_str().into());
        row.insert("test_patch".into(), instance.test_patch.as_str().into());
        if !same {
            row.extend(told(instance));
        }
        // A column of ours says what is so today.
        if row.contains_key(BESIDE) {
            row.extend(column(instance));
        }
        return Value::Object(row);
    }
    let (org, repo) = instance.repo.split_once('/').unwrap_or(("", &instance.repo));
    let title = instance.title.clone().unwrap_or_default();
    let tests = told(instance);
    let number = instance.id.rsplit_once('-').and_then(|(_, n)| n.parse::<u64>().ok()).unwrap_or(0);
    let mut row = json!({
        "org": org, "repo": repo, "number": number, "state": "closed", "title": title, "body": "",
        "base": {"label": "", "ref": "", "sha": instance.base_commit}, "hints": "",
        "lang": instance.language.clone().unwrap_or_default(), "instance_id": instance.id,
        "fix_patch": instance.patch, "test_patch": instance.test_patch,
    });
    if let Some(map) = row.as_object_mut() {
        map.extend(tests);
        map.extend(column(instance));
    }
    row
}

/// Statement and tests in this format's words. What tests did before the hidden ones were there is not known.
fn told(instance: &Instance) -> Map<String, Value> {
    let of = |names: &[String], run: &str, test: &str| -> Value {
        names
            .iter()
            .map(|n| (n.clone(), json!({"run": run, "test": test, "fix": "PASS"})))
            .collect::<Map<_, _>>()
            .into()
    };
    let result = |passed: &[String], failed: &[String]| {
        json!({"passed_count": passed.len(), "failed_count": failed.len(), "skipped_count": 0,
               "passed_tests": passed, "failed_tests": failed, "skipped_tests": []})
    };
    let all: Vec<String> = instance.targets.iter().chain(&instance.guards).cloned().collect();
    let title = instance.title.clone().unwrap_or_default();
    let value = json!({
        "resolved_issues": [{"number": 0, "title": title, "body": instance.problem}],
        "f2p_tests": of(&instance.targets, "NONE", "FAIL"), "p2p_tests": of(&instance.guards, "PASS", "PASS"),
        "s2p_tests": {}, "n2p_tests": {}, "fixed_tests": of(&instance.targets, "NONE", "FAIL"),
        "run_result": result(&instance.guards, &[]),
        "test_patch_result": result(&instance.guards, &instance.targets), "fix_patch_result": result(&all, &[]),
    });
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
