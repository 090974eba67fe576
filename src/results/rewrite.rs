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
        (Value::Array(old), Value::Array(new)) => {
            let lengths_agree = old.len() == new.len();
            let known = std::mem::take(old);
            for (i, value) in new.into_iter().enumerate() {
                // Records in a list have identities; without one, only a list of the old length keeps its places.
                let before = match value.get("id") {
                    Some(id) => known.iter().find(|o| o.get("id") == Some(id)),
                    None => known.get(i).filter(|_| lengths_agree),
                };
                let mut merged = before.cloned().unwrap_or(Value::Null);
                overlay(&mut merged, value);
                old.push(merged);
            }
        }
        (old, new) => *old = new,
    }
}
