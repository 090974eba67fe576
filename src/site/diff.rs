//! What changed between the numbers of two builds.

use super::error::SiteError;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A number that differs between two builds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// Number.
    pub id: String,
    /// Text in the old build; none where it was absent.
    pub old: Option<String>,
    /// Text in the new build; none where it is absent.
    pub new: Option<String>,
    /// The new rate lies outside the old range of its own model, and no attempts were added: look twice.
    pub startling: bool,
}

type Numbers = BTreeMap<String, (Option<f64>, String)>;

/// Reads `data/numbers.json` of a site, or the file itself.
fn read(place: &Path) -> Result<Numbers, SiteError> {
    let path = if place.is_dir() { place.join("data/numbers.json") } else { place.to_owned() };
    let bad =
        |what: &str| SiteError::content(path.display().to_string(), what, "name a built site or its data/numbers.json");
    let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => bad("does not exist"),
        _ => SiteError::io(&path)(e),
    })?;
    let value: Value = serde_json::from_str(&text).map_err(|e| bad(&e.to_string()))?;
    let list = value.get("numbers").and_then(Value::as_array).ok_or_else(|| bad("holds no numbers"))?;
    list.iter()
        .map(|n| {
            let id = n.get("id").and_then(Value::as_str).ok_or_else(|| bad("holds a number without an id"))?;
            let text = n.get("text").and_then(Value::as_str).unwrap_or("").to_owned();
            Ok((id.to_owned(), (n.get("value").and_then(Value::as_f64), text)))
        })
        .collect()
}

/// Every number that was added, removed or changed, in order of the ids.
pub fn diff(old: &Path, new: &Path) -> Result<Vec<Change>, SiteError> {
    let (old, new) = (read(old)?, read(new)?);
    let mut changes = Vec::new();
    for (id, (value, text)) in &old {
        match new.get(id) {
            None => changes.push(Change { id: id.clone(), old: Some(text.clone()), new: None, startling: false }),
            Some((v, t)) if v != value || t != text => changes.push(Change {
                id: id.clone(),
                old: Some(text.clone()),
                new: Some(t.clone()),
                startling: startling(id, *v, &old, &new),
            }),
            Some(_) => {}
        }
    }
    for (id, (_, text)) in new.iter().filter(|(id, _)| !old.contains_key(*id)) {
        changes.push(Change { id: id.clone(), old: None, new: Some(text.clone()), startling: false });
    }
    changes.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(changes)
}

fn startling(id: &str, value: Option<f64>, old: &Numbers, new: &Numbers) -> bool {
    let Some(prefix) = id.strip_suffix(".rate") else { return false };
    let of = |numbers: &Numbers, stat: &str| numbers.get(&format!("{prefix}.{stat}")).and_then(|n| n.0);
    let outside = match (value, of(old, "wilson_lo"), of(old, "wilson_hi")) {
        (Some(v), Some(lo), Some(hi)) => v < lo || v > hi,
        _ => false,
    };
    outside && of(old, "attempts") >= of(new, "attempts")
}
