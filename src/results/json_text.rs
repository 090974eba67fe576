//! JSON of other tools, which may name a key twice.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// Parses JSON as Python writes it: a `NaN` or an infinity, which JSON has no word for, becomes a text of that name.
pub(super) fn python_json(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|fault| {
        let named = with_named_constants(bytes);
        // What is wrong for another reason is told as it stands in the file.
        serde_json::from_slice(&named).map_err(|_| fault)
    })
}

/// The text with quotes around each constant that is no JSON.
fn with_named_constants(bytes: &[u8]) -> Vec<u8> {
    const CONSTANTS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    let mut out = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut in_text) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let constant = if in_text { None } else { CONSTANTS.iter().find(|c| rest.starts_with(c)) };
        if let Some(constant) = constant {
            out.extend([b"\"", *constant, b"\""].concat());
            at += constant.len();
            continue;
        }
        out.push(byte);
        at += 1;
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                out.extend(bytes.get(at));
                at += 1;
            }
            _ => {}
        }
    }
    out
}

/// A map with every entry that stands in it, in its order, also those of a key that stands twice.
pub(super) struct Entries(pub Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Entries, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Entries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    all.push(entry);
                }
                Ok(Entries(all))
            }
        }
        from.deserialize_map(All)
    }
}

#[cfg(test)]
mod tests {
    use super::python_json;
    use serde_json::json;

    #[test]
    fn a_constant_of_python_is_a_text_and_a_text_stays_one() {
        let read = python_json(br#"{"a": NaN, "b": [-Infinity, Infinity, 1], "c": "x \" NaN", "\\": "\\"}"#).unwrap();
        let wanted = json!({"a": "NaN", "b": ["-Infinity", "Infinity", 1], "c": "x \" NaN", "\\": "\\"});
        assert_eq!(read, wanted);
    }

    #[test]
    fn what_is_no_json_for_another_reason_is_told_where_it_stands() {
        let fault = python_json(b"{\"a\": NaN, \"b\": }").unwrap_err();
        assert_eq!(fault.line(), 1);
        assert!(python_json(b"NaN NaN").is_err() && python_json(b"").is_err());
    }
}
