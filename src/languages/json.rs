use super::Merged;
use crate::schema::is_test_path;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The keys of a package.json that describe the code and its needs. Every other key belongs to some tool or decides over
/// tests and installation, so that a tool that nobody here has heard of is covered too.
const CODE: [&str; 51] = [
    "activationEvents",
    "author",
    "bin",
    "browser",
    "bugs",
    "bundleDependencies",
    "bundledDependencies",
    "categories",
    "contributes",
    "contributors",
    "cpu",
    "customElements",
    "dependencies",
    "description",
    "devDependencies",
    "displayName",
    "engines",
    "es2015",
    "es2020",
    "esnext",
    "exports",
    "files",
    "funding",
    "homepage",
    "icon",
    "imports",
    "jsdelivr",
    "jsnext:main",
    "keywords",
    "libc",
    "license",
    "main",
    "man",
    "module",
    "oclif",
    "optionalDependencies",
    "os",
    "peerDependencies",
    "peerDependenciesMeta",
    "private",
    "publisher",
    "react-native",
    "repository",
    "sideEffects",
    "source",
    "style",
    "type",
    "types",
    "typesVersions",
    "typings",
    "version",
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

/// What a package.json says to tools, as JSON; its scripts are read elsewhere.
pub(super) fn settings(text: &str) -> String {
    let Some(mut map) = object(text) else { return String::new() };
    map.retain(|key, _| !CODE.contains(&key.as_str()) && !["name", "scripts", "workspaces"].contains(&key.as_str()));
    serde_json::to_string(&map).unwrap_or_default()
}

/// Every file that a package.json gives out as the package's own.
pub(super) fn entries(map: &Map<String, Value>) -> Vec<String> {
    let keys = ["main", "module", "browser", "exports", "types", "typings", "source", "bin"];
    keys.iter().filter_map(|key| map.get(*key)).flat_map(texts).collect()
}

/// A package.json of a patch with everything that decides over tests and installation as it was. A new one has no
/// trusted bytes: it keeps what describes its code, and neither a name nor aliases, by which the tests below it would
/// find another library than before.
pub(super) fn merge_package(trusted: &[u8], theirs: &[u8]) -> Option<Merged> {
    let read = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(object);
    let new = trusted.is_empty();
    let (trusted, asked) = (if new { Map::new() } else { read(trusted)? }, read(theirs)?);
    let mut theirs = asked.clone();
    theirs.retain(|key, _| CODE.contains(&key.as_str()) && !(new && key == "imports"));
    for (key, value) in &trusted {
        if !CODE.contains(&key.as_str()) {
            theirs.insert(key.clone(), value.clone());
        }
    }
    for key in ["imports", "exports"] {
        keep_helpers(key, &trusted, &mut theirs);
    }
    for key in ["browser", "react-native"] {
        keep_packages(trusted.get(key), theirs.get_mut(key));
    }
    let put_back = differences(&asked, &theirs);
    let mut text = serde_json::to_string_pretty(&theirs).ok()?;
    text.push('\n');
    Some(Merged { bytes: text.into_bytes(), put_back, version: None })
}

/// The keys in which two tables differ, those of their own tables after a point: `"scripts.test"`.
pub(super) fn differences(asked: &Map<String, Value>, made: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    let empty = Map::new();
    for key in keys(asked, made) {
        let (a, b) = (asked.get(key), made.get(key));
        let table = |value: Option<&Value>| value.is_none_or(Value::is_object);
        let inner = |value: Option<&'_ Value>| value.and_then(Value::as_object).unwrap_or(&empty).clone();
        let (a_in, b_in) = (inner(a), inner(b));
        match () {
            () if a == b => {}
            () if table(a) && table(b) && !(a_in.is_empty() && b_in.is_empty()) => {
                let own = keys(&a_in, &b_in).into_iter().filter(|k| a_in.get(*k) != b_in.get(*k));
                found.extend(own.map(|k| format!("\"{key}.{k}\"")));
            }
            () => found.push(format!("\"{key}\"")),
        }
    }
    found
}

fn keys<'a>(a: &'a Map<String, Value>, b: &'a Map<String, Value>) -> BTreeSet<&'a String> {
    a.keys().chain(b.keys()).collect()
}

/// Names by which tests reach their helpers or a library stay theirs; names of code may move.
fn keep_helpers(key: &str, trusted: &Map<String, Value>, theirs: &mut Map<String, Value>) {
    let Some(Value::Object(before)) = trusted.get(key) else { return };
    let of_tests = |value: &Value| {
        let own = |t: &String| t.starts_with("./") && !is_test_path(&t[2..]);
        texts(value).iter().any(|t| !own(t))
    };
    let kept: Map<String, Value> = before
        .iter()
        .filter(|(name, value)| name.starts_with(['.', '#']) && of_tests(value))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if kept.is_empty() {
        return;
    }
    let mut after = match theirs.remove(key) {
        Some(Value::Object(map)) if map.keys().all(|name| name.starts_with(['.', '#'])) => map,
        Some(whole) if key == "exports" => Map::from_iter([(".".to_owned(), whole)]),
        _ => Map::new(),
    };
    // A name beside a pattern that covers it would be taken first.
    after.retain(|name, _| before.contains_key(name) || !kept.keys().any(|k| crate::schema::wildcard(k, name)));
    after.extend(kept);
    theirs.insert(key.to_owned(), Value::Object(after));
}

/// A table of replacements keeps its say over the package's own files; over packages it says what it said.
fn keep_packages(trusted: Option<&Value>, theirs: Option<&mut Value>) {
    let Some(Value::Object(theirs)) = theirs else { return };
    let before = trusted.and_then(Value::as_object);
    theirs.retain(|name, _| name.starts_with('.') || before.is_some_and(|b| b.contains_key(name)));
    for (name, value) in before.into_iter().flatten().filter(|(name, _)| !name.starts_with('.')) {
        theirs.insert(name.clone(), value.clone());
    }
}

/// All texts of a value, however deep; serde_json reads no deeper than 128.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().flat_map(texts).collect(),
        Value::Object(map) => map.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(trusted: &str, theirs: &str) -> Map<String, Value> {
        let bytes = merge_package(trusted.as_bytes(), theirs.as_bytes()).unwrap().bytes;
        object(std::str::from_utf8(&bytes).unwrap()).unwrap()
    }

    #[test]
    fn a_patch_keeps_its_exports_and_not_its_scripts() {
        let map = merged(
            r#"{"name":"a","scripts":{"test":"vitest"},"dependencies":{}}"#,
            r#"{"name":"a","scripts":{"test":"true"},"jest":{"setupFiles":["./x"]},"exports":"./b.js","dependencies":{"c":"1"}}"#,
        );
        assert_eq!(map["scripts"]["test"], "vitest");
        assert!(!map.contains_key("jest") && map["exports"] == "./b.js" && map["dependencies"]["c"] == "1");
        assert_eq!(merge_package(b"{}", b"[]"), None);
        assert_eq!(merge_package(b"[]", b"{}"), None);
    }

    #[test]
    fn keys_of_tools_that_nobody_listed_stay_as_they_were() {
        for tool in ["postcss", "svelte", "prettier", "ts-node", "a tool of next year", "__proto__"] {
            let theirs = serde_json::json!({tool: {"plugins": {"./src/evil.cjs": {}}}, "main": "./b.js"}).to_string();
            let map = merged("{}", &theirs);
            assert!(!map.contains_key(tool) && map["main"] == "./b.js", "{tool}");
            let map = merged(&serde_json::json!({ tool: 1 }).to_string(), &theirs);
            assert_eq!(map[tool], 1, "{tool}");
        }
    }

    #[test]
    fn a_patch_cannot_name_a_package_after_a_library() {
        assert_eq!(merged(r#"{"name":"calc"}"#, r#"{"name":"chai","exports":"./fake.js"}"#)["name"], "calc");
        assert!(!merged("{}", r#"{"name":"chai"}"#).contains_key("name"));
    }

    #[test]
    fn a_new_package_json_describes_code_alone() {
        let map = merged("", r##"{"type":"commonjs","name":"chai","scripts":{},"jest":{},"imports":{"#x":"./y.js"}}"##);
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [("type".to_owned(), Value::from("commonjs"))]);
        assert_eq!(merge_package(b"", b"no table"), None);
    }

    #[test]
    fn aliases_of_tests_and_libraries_stay_and_those_of_code_may_move() {
        let before = r##"{"imports":{"#expect":"chai","#t/*":"./test/*","#util":"./lib/util.js"}}"##;
        let map = merged(
            before,
            r##"{"imports":{"#expect":"./src/fake.js","#t/help.js":"./src/fake.js","#util":"./src/util.js","#new":"./src/new.js"}}"##,
        );
        let imports = map["imports"].as_object().unwrap();
        assert!(imports["#expect"] == "chai" && imports["#t/*"] == "./test/*" && !imports.contains_key("#t/help.js"));
        assert!(imports["#util"] == "./src/util.js" && imports["#new"] == "./src/new.js");
        assert_eq!(merged(before, r#"{"imports":7}"#)["imports"]["#expect"], "chai");
        let map =
            merged(r#"{"exports":{".":"./a.js","./testing":"./test/help.js"}}"#, r#"{"exports":{"import":"./b.js"}}"#);
        assert!(map["exports"]["."]["import"] == "./b.js" && map["exports"]["./testing"] == "./test/help.js");
    }

    #[test]
    fn a_table_for_browsers_replaces_own_files_alone() {
        let map = merged(
            r#"{"browser":{"fs":false}}"#,
            r#"{"browser":{"./a.js":"./b.js","chai":"./fake.js","fs":"./fake.js"}}"#,
        );
        assert_eq!(map["browser"], serde_json::json!({"./a.js":"./b.js","fs":false}));
        assert_eq!(merged("{}", r#"{"browser":"./b.js"}"#)["browser"], "./b.js");
    }
}
