//! Counts of tokens as providers tell them: what cannot be a count is refused here, and no sum ever holds it.

use serde_json::{Map, Value};

/// Most tokens of one call: a thousand times what the largest windows hold. A sum of a thousand such calls is still a
/// number that every reader of results takes.
pub const MOST_TOKENS: u64 = 1_000_000_000;

/// US dollars of one call beyond which a cost is no cost.
pub const MOST_USD: f64 = 1e6;

/// The usage of an answer: an object that can be read part by part.
pub(super) struct Told<'a>(&'a Map<String, Value>);

impl<'a> Told<'a> {
    /// The object under a name; none where there is none, or it is no object.
    pub(super) fn within(answer: &'a Value) -> Option<Told<'a>> {
        answer.get("usage")?.as_object().map(Told)
    }

    /// An answer that holds the counts itself.
    pub(super) fn itself(answer: &'a Value) -> Option<Told<'a>> {
        answer.as_object().map(Told)
    }

    /// A count at a path of names; none where it is absent or null, an error in words where it cannot be a count.
    pub(super) fn count(&self, path: &[&str]) -> Result<Option<u64>, String> {
        let mut found = None;
        let mut map = Some(self.0);
        for name in path {
            found = map.and_then(|m| m.get(*name)).filter(|v| !v.is_null());
            map = found.and_then(Value::as_object);
        }
        let Some(value) = found else { return Ok(None) };
        match value.as_u64().filter(|n| *n <= MOST_TOKENS) {
            Some(n) => Ok(Some(n)),
            None => {
                let shown: String = value.to_string().chars().take(60).collect();
                Err(format!("{}: expected a whole number from 0 to {MOST_TOKENS}, found {shown}", path.join(".")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_cannot_be_a_count_is_refused_with_its_name() {
        let answer = json!({"usage": {"a": 5, "b": null, "c": {"d": 7}, "big": u64::MAX, "most": MOST_TOKENS,
            "over": MOST_TOKENS + 1, "less": -1, "part": 1.5, "text": "12"}});
        let told = Told::within(&answer).unwrap();
        assert_eq!(told.count(&["a"]), Ok(Some(5)));
        assert_eq!((told.count(&["b"]), told.count(&["x"]), told.count(&["a", "d"])), (Ok(None), Ok(None), Ok(None)));
        assert_eq!((told.count(&["c", "d"]), told.count(&["most"])), (Ok(Some(7)), Ok(Some(MOST_TOKENS))));
        for name in ["big", "over", "less", "part", "text", "c"] {
            let refused = told.count(&[name]).unwrap_err();
            assert!(refused.starts_with(name) && refused.contains("from 0 to 1000000000"), "{refused}");
        }
    }
}
