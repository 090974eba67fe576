//! What the rows of all benchmarks of repositories have in common, and each format's own way to say it.

use super::evaluation::{self, Evaluation};
use super::literal;
use super::multi_swe;
use super::pro;
use crate::schema::{Limits, Suite};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Formats of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFormat {
    /// SWE-bench and all that have its columns.
    SweBench,
    /// SWE-bench-Live: lists are lists, commands in place of a script.
    SweBenchLive,
    /// SWE-bench Pro: lists are Python's, keys are small.
    SweBenchPro,
    /// Multi-SWE-bench: a repository, a number, and what each test did.
    MultiSwe,
}

impl RowFormat {
    /// Every format.
    pub const ALL: [RowFormat; 4] =
        [RowFormat::SweBench, RowFormat::SweBenchLive, RowFormat::SweBenchPro, RowFormat::MultiSwe];

    /// The word in flags and files.
    pub const fn word(self) -> &'static str {
        match self {
            RowFormat::SweBench => "swe-bench",
            RowFormat::SweBenchLive => "swe-bench-live",
            RowFormat::SweBenchPro => "swe-bench-pro",
            RowFormat::MultiSwe => "multi-swe-bench",
        }
    }

    /// The keys of the two lists of tests.
    const fn lists(self) -> (&'static str, &'static str) {
        match self {
            RowFormat::SweBenchPro => ("fail_to_pass", "pass_to_pass"),
            _ => ("FAIL_TO_PASS", "PASS_TO_PASS"),
        }
    }

    /// The key of the language, where the format has one.
    const fn language(self) -> &'static str {
        match self {
            RowFormat::SweBenchPro => "repo_language",
            _ => "language",
        }
    }
}

/// An instance, whatever the format of its row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instance {
    pub id: String,
    pub repo: String,
    pub base_commit: String,
    pub patch: String,
    pub test_patch: String,
    pub problem: String,
    /// Title, where the format has one.
    pub title: Option<String>,
    pub targets: Vec<String>,
    pub guards: Vec<String>,
    pub language: Option<String>,
    /// Day on which the change was proposed or merged, `YYYY-MM-DD`.
    pub day: Option<String>,
    pub difficulty: Option<String>,
    /// What only we have a word for.
    pub beside: Beside,
    /// Keys of the row that are used.
    pub used: Vec<&'static str>,
    /// How the harness of the format grades it, for rows of SWE-bench that are made of a task.
    pub evaluation: Evaluation,
}

/// The column for what a task has and the formats have not; readers pass by columns that they do not know.
pub(super) const BESIDE: &str = "tsbench";

/// What stands in that column, as JSON in a text, so that every table can hold it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_cases: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Targets and guards as we name them, where the harness of the format names them otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// The suite that the task was given out from: its version and the rules of all its tasks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
}

/// The column of a row, if the row has it.
pub(super) fn beside(map: &Map<String, Value>) -> Result<Beside, String> {
    match map.get(BESIDE) {
        None | Some(Value::Null) => Ok(Beside::default()),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|e| format!("{BESIDE}: {e}")),
        Some(_) => Err(format!("{BESIDE} is no text")),
    }
}

/// Reads a row; the text says what is wrong with it.
pub fn read(format: RowFormat, row: &Value) -> Result<Instance, String> {
    let map = row.as_object().ok_or("is no map of columns")?;
    if format == RowFormat::MultiSwe {
        return multi_swe::read(map);
    }
    let (targets, guards) = format.lists();
    let problem = text(map, "problem_statement")?;
    let known = beside(map)?;
    let ours = |ids: &Vec<String>, key: &str| if ids.is_empty() { list(map, key) } else { Ok(ids.clone()) };
    // In a row of ours these are made of the task, and are made anew when it goes out again.
    let made = if map.contains_key(BESIDE) { evaluation::COLUMNS.to_vec() } else { Vec::new() };
    let mut instance = Instance {
        id: text(map, "instance_id")?.to_owned(),
        repo: text(map, "repo")?.to_owned(),
        base_commit: text(map, "base_commit")?.to_owned(),
        patch: text(map, "patch")?.to_owned(),
        test_patch: text(map, "test_patch")?.to_owned(),
        problem: match format {
            RowFormat::SweBenchPro => format!("{problem}{}", pro::more(map)),
            _ => problem.to_owned(),
        },
        title: known.title.clone(),
        targets: ours(&known.targets, targets)?,
        guards: ours(&known.guards, guards)?,
        language: map.get(format.language()).and_then(Value::as_str).map(str::to_owned),
        day: map.get("created_at").and_then(day),
        difficulty: map.get("difficulty").and_then(Value::as_str).filter(|d| is_difficulty(d)).map(str::to_owned),
        beside: Beside { targets: Vec::new(), guards: Vec::new(), ..known },
        evaluation: Evaluation::default(),
        used: vec![
            BESIDE,
            "instance_id",
            "repo",
            "base_commit",
            "patch",
            "test_patch",
            "problem_statement",
            targets,
            guards,
            format.language(),
            "created_at",
            if format == RowFormat::SweBenchPro { pro::REQUIREMENTS } else { "" },
            if format == RowFormat::SweBenchPro { pro::INTERFACE } else { "" },
            if map.get("difficulty").and_then(Value::as_str).is_some_and(is_difficulty) { "difficulty" } else { "" },
        ],
    };
    instance.used.extend(made);
    Ok(instance)
}

fn is_difficulty(word: &str) -> bool {
    ["easy", "medium", "hard"].contains(&word)
}

pub(super) fn text<'m>(map: &'m Map<String, Value>, key: &str) -> Result<&'m str, String> {
    match map.get(key) {
        Some(Value::String(text)) => Ok(text),
        None => Err(format!("{key} is missing")),
        Some(_) => Err(format!("{key} is no text")),
    }
}

/// A list of names: a list, a list in a text as JSON has it, or as Python prints it.
fn list(map: &Map<String, Value>, key: &str) -> Result<Vec<String>, String> {
    let value = map.get(key).ok_or_else(|| format!("{key} is missing"))?;
    names(value).ok_or_else(|| format!("{key} is no list of names, neither as JSON nor as Python prints one"))
}

fn names(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(list) => list.iter().map(|v| v.as_str().map(str::to_owned)).collect(),
        Value::String(text) => match serde_json::from_str::<Vec<String>>(text) {
            Ok(list) => Some(list),
            Err(_) => literal::strings(text),
        },
        _ => None,
    }
}

/// The day of a text such as `2023-01-05T…`, or of seconds or milliseconds since 1970, as tables have it.
pub(super) fn day(value: &Value) -> Option<String> {
    if let Some(number) = value.as_i64() {
        let seconds = if number.abs() > 100_000_000_000 { number / 1000 } else { number };
        let at = jiff::Timestamp::from_second(seconds).ok()?;
        return Some(at.strftime("%Y-%m-%d").to_string());
    }
    let text = value.as_str()?.get(..10)?;
    text.parse::<jiff::civil::Date>().ok().map(|d| d.to_string())
}

/// The row of an instance: as it came in where it did, with what the task says put over it.
pub fn write(format: RowFormat, instance: &Instance, origin: Option<&Value>, version: &str) -> Value {
    if format == RowFormat::MultiSwe {
        return multi_swe::write(instance, origin);
    }
    let mut row = match origin.and_then(Value::as_object) {
        Some(map) => map.clone(),
        None => blank(format, instance, version),
    };
    let texts = [
        ("instance_id", &instance.id),
        ("repo", &instance.repo),
        ("base_commit", &instance.base_commit),
        ("patch", &instance.patch),
        ("test_patch", &instance.test_patch),
    ];
    for (key, value) in texts {
        row.insert(key.to_owned(), value.as_str().into());
    }
    let problem = match format {
        RowFormat::SweBenchPro => pro::take_apart(&mut row, &instance.problem),
        _ => instance.problem.clone(),
    };
    row.insert("problem_statement".to_owned(), problem.into());
    // A column of ours says what is so today.
    if row.contains_key(BESIDE) {
        row.extend(column(instance));
        row.extend(instance.evaluation.columns());
    }
    let (targets, guards) = format.lists();
    for (key, list) in [(targets, &instance.targets), (guards, &instance.guards)] {
        let list = &instance.evaluation.named(list);
        // A list that says the same stays in the words in which it came.
        if row.get(key).and_then(names).as_ref() != Some(list) {
            let value = match format {
                RowFormat::SweBenchLive => json!(list),
                RowFormat::SweBenchPro => literal::print(list).into(),
                _ => json!(list).to_string().into(),
            };
            row.insert(key.to_owned(), value);
        }
    }
    Value::Object(row)
}

/// The columns that a format promises, for a task that did not come from it.
fn blank(format: RowFormat, instance: &Instance, version: &str) -> Map<String, Value> {
    let day = instance.day.as_ref().map(|d| format!("{d}T00:00:00Z")).unwrap_or_default();
    let language = instance.language.clone().unwrap_or_default();
    let value = match format {
        RowFormat::SweBenchLive => json!({
            "created_at": day, "docker_image": "", "rebuild_cmds": [], "test_cmds": [], "print_cmds": [],
            "log_parser": "", "language": language,
        }),
        RowFormat::SweBenchPro => json!({
            "repo_language": language, "before_repo_set_cmd": format!("git checkout {}", instance.base_commit),
            "selected_test_files_to_run": literal::print(&test_files(&instance.test_patch)), "dockerhub_tag": "",
            "requirements": "", "interface": "",
        }),
        _ => json!({
            "hints_text": "", "created_at": day, "version": version, "environment_setup_commit": instance.base_commit,
            "difficulty": instance.difficulty.clone().unwrap_or_default(), "language": language,
        }),
    };
    let mut map = match value {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    map.extend(column(instance));
    map.extend(instance.evaluation.columns());
    map
}

/// The column for what only we have, where there is anything for it.
pub(super) fn column(instance: &Instance) -> Option<(String, Value)> {
    let mut beside = instance.beside.clone();
    if instance.evaluation.renames() {
        beside.targets.clone_from(&instance.targets);
        beside.guards.clone_from(&instance.guards);
    }
    let text = serde_json::to_string(&beside).ok().filter(|_| beside != Beside::default())?;
    Some((BESIDE.to_owned(), text.into()))
}

/// The files that a patch changes, by their new names.
pub(super) fn test_files(patch: &str) -> Vec<String> {
    patch.lines().filter_map(|l| l.strip_prefix("+++ b/")).map(|p| p.trim_end().to_owned()).collect()
}
