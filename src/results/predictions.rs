//! Predictions: which patch a model gave for which instance, in every form in which tools write them.

use super::ResultsError;
use serde_json::{Map, Value, json};
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
        Ok(Value::Object(map)) => {
            for (key, value) in &map {
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
    Ok(found)
}

/// Whether a map is a single prediction: then it says which instance it is about.
fn is_one(value: &Value) -> bool {
    value.get("instance_id").is_some_and(Value::is_string) || value.get("fix_patch").is_some_and(Value::is_string)
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
    let text = |name: &str| map.get(name).and_then(Value::as_str);
    let instance_id = match text("instance_id").map(str::to_owned).or_else(|| multi_id(map)) {
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
    let model = text("model_name_or_path").or_else(|| text("prefix")).unwrap_or_default().to_owned();
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
