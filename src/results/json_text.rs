//! JSON of other tools, which may be no text at all, or name a key twice.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// Why bytes are no text that JSON can be read from, and what to do; with the line where it begins.
pub(super) fn no_text(bytes: &[u8]) -> Option<(String, &'static str)> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Some(("line 1: it starts with a byte-order mark".into(), "save it as UTF-8 without a byte-order mark"));
    }
    let end = std::str::from_utf8(bytes).err()?.valid_up_to();
    let line = bytes[..end].iter().filter(|b| **b == b'\n').count() + 1;
    let start = memchr::memrchr(b'\n', &bytes[..end]).map_or(0, |i| i + 1);
    Some((format!("line {line}: it is not UTF-8 from byte {} of the line on", end - start + 1), "save it as UTF-8"))
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
