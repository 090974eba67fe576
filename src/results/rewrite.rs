use super::ResultsError;
use serde::Serialize;
use serde_json::Value;

/// Writes a known record over the value it was read from, so that fields unknown to this version survive.
pub fn rewrite<T: Serialize>(read: &Value, known: &T) -> Result<Value, ResultsError> {
    let mut out = read.clone();
    overlay(&mut out, serde_json::to_value(known)?);
    Ok(out)
}

fn overlay(old: &mut Value, new: Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in new {
                overlay(old.entry(key).or_insert(Value::Null), value);
            }
        }
        (old, new) => *old = new,
    }
}
