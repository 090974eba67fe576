use serde_json::{Map, Value};

/// The keys of a package.json that decide over tests and installation rather than over the code.
const TRUSTED: [&str; 18] = [
    "scripts",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "tap",
    "nyc",
    "c8",
    "babel",
    "browserslist",
    "packageManager",
    "volta",
    "engines",
    "workspaces",
    "overrides",
    "resolutions",
    "pnpm",
    "devEngines",
];

/// A package.json as a table; nothing where it is not one.
pub(super) fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(map)) => Some(map),
        _ => None,
    }
}

/// A text of a package.json.
pub(super) fn text_of(bytes: &[u8], key: &str) -> Option<String> {
    let map = std::str::from_utf8(bytes).ok().and_then(object)?;
    map.get(key)?.as_str().map(str::to_owned)
}

/// A package.json of a patch with everything that decides over tests and installation as it was.
pub(super) fn merge_package(trusted: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let read = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(object);
    let (trusted, mut theirs) = (read(trusted)?, read(theirs)?);
    for key in TRUSTED {
        match trusted.get(key) {
            Some(value) => theirs.insert(key.to_owned(), value.clone()),
            None => theirs.remove(key),
        };
    }
    let mut text = serde_json::to_string_pretty(&theirs).ok()?;
    text.push('\n');
    Some(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_keeps_its_exports_and_not_its_scripts() {
        let merged = merge_package(
            br#"{"name":"a","scripts":{"test":"vitest"},"dependencies":{}}"#,
            br#"{"name":"a","scripts":{"test":"true"},"jest":{"setupFiles":["./x"]},"exports":"./b.js","dependencies":{"c":"1"}}"#,
        );
        let text = String::from_utf8(merged.unwrap()).unwrap();
        let map = object(&text).unwrap();
        assert_eq!(map["scripts"]["test"], "vitest");
        assert!(!map.contains_key("jest") && map["exports"] == "./b.js" && map["dependencies"]["c"] == "1");
        assert_eq!(merge_package(b"{}", b"[]"), None);
    }
}
