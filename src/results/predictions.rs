//! Predictions: which patch a model gave for which instance, in every form in which tools write them.

use super::ResultsError;
use super::json_text::Entries;
use crate::schema::no_text;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// One patch of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prediction {
    /// The instance.
    pub instance_id: String,
    /// The model; empty where the file does not say it.
    pub model: String,
    /// The patch; empty where the model gave none.
    pub patch: String,
}

/// The predictions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predictions {
    /// One for each instance, in the order of the file.
    pub list: Vec<Prediction>,
    /// What was read otherwise than it stands, in words.
    pub notes: Vec<String>,
}

/// Forms in which predictions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictionForm {
    /// A map by instance, as mini-swe-agent writes it.
    Map,
    /// A list.
    List,
    /// One object a line.
    Lines,
}

const HINT: &str = "predictions are a JSON map by instance, a JSON list, or JSON lines, with instance_id, model_name_or_path and model_patch";

/// Reads a file of predictions: a map by instance, a list, or lines; blank lines are passed by.
pub fn read_predictions(path: &Path) -> Result<Predictions, ResultsError> {
    let bytes = std::fs::read(path).map_err(ResultsError::io(path))?;
    let bad = |what: String| ResultsError::Import { path: path.to_owned(), what, hint: HINT.into() };
    if let Some((what, hint)) = no_text(&bytes) {
        return Err(ResultsError::Import { path: path.to_owned(), what, hint: hint.into() });
    }
    let mut found = Predictions::default();
    let mut add = |place: &str, key: Option<&str>, value: &Value| -> Result<(), ResultsError> {
        let one = prediction(key, value).map_err(|why| bad(format!("{place}: {why}")))?;
        found.take(one, key);
        Ok(())
    };
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(Value::Array(list)) => {
            for (i, value) in list.iter().enumerate() {
                add(&format!("entry {}", i + 1), None, value)?;
            }
        }
        Ok(value @ Value::Object(_)) if is_one(&value) => add("entry 1", None, &value)?,
        Ok(Value::Object(_)) => {
            let Entries(all) = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
            for (key, value) in &all {
                add(&format!("{key:?}"), Some(key), value)?;
            }
        }
        Ok(_) => return Err(bad("neither a map nor a list".into())),
        Err(_) => {
            for (i, line) in bytes.split(|b| *b == b'\n').enumerate() {
                if line.iter().all(u8::is_ascii_whitespace) {
                    continue;
                }
                let place = format!("line {}", i + 1);
                let value: Value = serde_json::from_slice(line).map_err(|e| bad(format!("{place}: {e}")))?;
                add(&place, None, &value)?;
            }
        }
    }
    let models: BTreeSet<&str> = found.list.iter().map(|p| p.model.as_str()).filter(|m| !m.is_empty()).collect();
    if models.len() > 1 {
        let names: Vec<&str> = models.into_iter().collect();
        found.notes.push(format!(
            "it holds predictions of {} models, which one report counts together: {}; a file for each model gives each a \
             report of its own",
            names.len(),
            names.join(", ")
        ));
    }
    Ok(found)
}

/// Keys of a prediction whose values are no maps; in a map by instance each value is one.
const OF_ONE: [&str; 7] = ["instance_id", "model_name_or_path", "model_patch", "patch", "fix_patch", "prefix", "org"];

/// Whether a map is a single prediction.
fn is_one(value: &Value) -> bool {
    OF_ONE.iter().any(|key| value.get(key).is_some_and(|v| !v.is_object()))
        || value.pointer("/test_result/git_patch").is_some()
}

impl Predictions {
    /// Where an instance stands twice the last one counts, as in SWE-bench; here that is said.
    fn take(&mut self, one: Prediction, key: Option<&str>) {
        if key.is_some_and(|k| k != one.instance_id) {
            self.notes.push(format!(
                "{:?} says that it is about {:?}, which counts",
                key.unwrap_or(""),
                one.instance_id
            ));
        }
        if one.model.is_empty() {
            self.notes.push(format!("{:?} names no model", one.instance_id));
        }
        match self.list.iter_mut().find(|p| p.instance_id == one.instance_id) {
            Some(before) => {
                self.notes.push(format!("{:?} stands twice: the last one counts", one.instance_id));
                *before = one;
            }
            None => self.list.push(one),
        }
    }
}

fn prediction(key: Option<&str>, value: &Value) -> Result<Prediction, String> {
    let map = value.as_object().ok_or("is no object")?;
    let text = |name: &str| match map.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("{name} is no text")),
    };
    let instance_id = match text("instance_id")?.map(str::to_owned).or_else(|| multi_id(map)) {
        Some(id) if id.is_empty() => return Err("instance_id is empty".into()),
        Some(id) => id,
        None => key.map(str::to_owned).ok_or("instance_id is missing")?,
    };
    let nested = value.pointer("/test_result/git_patch");
    let named = ["model_patch", "patch", "fix_patch"].into_iter().find_map(|name| map.get(name));
    let patch = match named.or(nested) {
        Some(Value::String(patch)) => patch.clone(),
        Some(Value::Null) => String::new(),
        None => return Err("there is no model_patch".into()),
        Some(_) => return Err("model_patch is no text".into()),
    };
    let openhands = value.pointer("/metadata/llm_config/model").and_then(Value::as_str);
    let model = text("model_name_or_path")?.or(text("prefix")?).or(openhands).unwrap_or_default().to_owned();
    Ok(Prediction { instance_id, model, patch })
}

/// The id of a prediction of Multi-SWE-bench, which has its parts; the number is a text in some files.
fn multi_id(map: &Map<String, Value>) -> Option<String> {
    let (org, repo) = (map.get("org")?.as_str()?, map.get("repo")?.as_str()?);
    let number = map.get("number")?;
    let number = number.as_u64().or_else(|| number.as_str()?.parse().ok())?;
    Some(format!("{org}__{repo}-{number}"))
}

/// Predictions as the text of a file.
pub fn predictions_text(list: &[Prediction], form: PredictionForm) -> String {
    let one =
        |p: &Prediction| json!({"instance_id": p.instance_id, "model_name_or_path": p.model, "model_patch": p.patch});
    match form {
        PredictionForm::Map => {
            let map: Map<String, Value> = list.iter().map(|p| (p.instance_id.clone(), one(p))).collect();
            format!("{:#}\n", Value::Object(map))
        }
        PredictionForm::List => format!("{:#}\n", list.iter().map(one).collect::<Value>()),
        PredictionForm::Lines => list.iter().map(|p| format!("{}\n", one(p))).collect(),
    }
}
