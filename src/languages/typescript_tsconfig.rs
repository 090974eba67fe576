//! What a patch may say in a `tsconfig.json`: how its code is checked and written, and names for its own code.

use super::paths::{join, parent};
use super::typescript_alias::{Names, overlaps, own_place};
use super::{Merged, Mixed, json};
use serde_json::{Map, Value};

/// Options about what a compiler finds fault with, and about how code is written that means the same.
const FREE: [&str; 48] = [
    "allowJs",
    "allowUnreachableCode",
    "allowUnusedLabels",
    "alwaysStrict",
    "checkJs",
    "declaration",
    "declarationMap",
    "emitDecoratorMetadata",
    "erasableSyntaxOnly",
    "exactOptionalPropertyTypes",
    "experimentalDecorators",
    "forceConsistentCasingInFileNames",
    "inlineSources",
    "isolatedDeclarations",
    "isolatedModules",
    "lib",
    "module",
    "moduleDetection",
    "moduleResolution",
    "noEmit",
    "noEmitOnError",
    "noErrorTruncation",
    "noFallthroughCasesInSwitch",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noImplicitThis",
    "noPropertyAccessFromIndexSignature",
    "noUncheckedIndexedAccess",
    "noUncheckedSideEffectImports",
    "noUnusedLocals",
    "noUnusedParameters",
    "preserveConstEnums",
    "pretty",
    "resolveJsonModule",
    "allowImportingTsExtensions",
    "rewriteRelativeImportExtensions",
    "skipDefaultLibCheck",
    "skipLibCheck",
    "sourceMap",
    "strict",
    "strictBindCallApply",
    "strictBuiltinIteratorReturn",
    "strictFunctionTypes",
    "strictNullChecks",
    "strictPropertyInitialization",
    "useDefineForClassFields",
    "useUnknownInCatchVariables",
];

/// Options that a patch may switch on and not off: without them, what tests say would mean something else.
const SWITCHED_ON: [&str; 4] =
    ["allowSyntheticDefaultImports", "downlevelIteration", "esModuleInterop", "verbatimModuleSyntax"];

/// Ways to write JSX that name no module but the usual one.
const JSX: [&str; 4] = ["preserve", "react", "react-jsx", "react-jsxdev"];

/// Versions of the language, the oldest first that writes loops and classes as they stand.
const TARGETS: [&str; 13] = [
    "es6", "es2015", "es2016", "es2017", "es2018", "es2019", "es2020", "es2021", "es2022", "es2023", "es2024",
    "es2025", "esnext",
];

/// The trusted file with what a patch may say; nothing for one that is new, which would change what was said above it.
pub(super) fn merge(mixed: &Mixed<'_>) -> Option<Merged> {
    let read = |bytes: &[u8]| std::str::from_utf8(bytes).ok().and_then(parse);
    let (mut made, asked) = (read(mixed.trusted)?, read(mixed.theirs)?);
    let options = |of: &Map<String, Value>| of.get("compilerOptions").and_then(Value::as_object).cloned();
    let before = options(&made).unwrap_or_default();
    let theirs = options(&asked).unwrap_or_default();
    let mut after = before.clone();
    for (key, value) in &theirs {
        let old = before.get(key);
        let counts = match key.as_str() {
            "target" => is_newer(old, value),
            "jsx" => value.as_str().is_some_and(|v| JSX.contains(&v)),
            "paths" => false,
            key if SWITCHED_ON.contains(&key) => *value == Value::Bool(true),
            key => FREE.contains(&key) && is_plain(value),
        };
        if counts {
            after.insert(key.clone(), value.clone());
        }
    }
    // What is no longer said, of what need not be said at all.
    after.retain(|key, _| theirs.contains_key(key) || !FREE.contains(&key.as_str()));
    let paths = paths(mixed, &before, &theirs);
    if !paths.is_empty() {
        after.insert("paths".to_owned(), Value::Object(paths));
    }
    if !after.is_empty() || before != after {
        made.insert("compilerOptions".to_owned(), Value::Object(after));
    }
    let put_back = json::differences(&asked, &made);
    let mut text = serde_json::to_string_pretty(&made).ok()?;
    text.push('\n');
    Some(Merged { bytes: text.into_bytes(), put_back, version: None })
}

/// A word, a switch, or a list of words.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().all(Value::is_string),
        value => value.is_boolean() || value.is_string(),
    }
}

/// Whether a version of the language is at least the one that was asked for.
fn is_newer(old: Option<&Value>, new: &Value) -> bool {
    let place = |value: &Value| TARGETS.iter().position(|t| value.as_str().is_some_and(|v| v.to_lowercase() == *t));
    let Some(new) = place(new) else { return false };
    old.is_none_or(|old| place(old).is_none_or(|old| old <= new))
}

/// Names for code: those that were there, which may move among code, and new ones that are nobody's.
fn paths(mixed: &Mixed<'_>, before: &Map<String, Value>, theirs: &Map<String, Value>) -> Map<String, Value> {
    let of =
        |options: &Map<String, Value>| options.get("paths").and_then(Value::as_object).cloned().unwrap_or_default();
    let (known, wanted) = (of(before), of(theirs));
    let base = |options: &Map<String, Value>| options.get("baseUrl").and_then(Value::as_str).map(str::to_owned);
    let (own_base, their_base) = (base(before), base(theirs));
    let names = Names::of(mixed.start);
    let targets = |options: Option<&str>, value: &Value| -> Option<Vec<String>> {
        let dir = join(parent(mixed.path), options.unwrap_or("").trim_start_matches("./").trim_end_matches('/'));
        let dir = dir.trim_end_matches("/.").trim_end_matches('.').trim_end_matches('/');
        value.as_array()?.iter().map(|t| own_place(dir, t.as_str()?)).collect()
    };
    let mut made = known.clone();
    for (key, value) in &wanted {
        let counts = match known.get(key) {
            Some(old) => targets(own_base.as_deref(), old).is_some(),
            None => names.is_free(key) && !known.keys().any(|k| overlaps(k, key)),
        };
        if !counts || targets(their_base.as_deref(), value).is_none() {
            continue;
        }
        made.insert(key.clone(), rebased(value, own_base.as_deref(), their_base.as_deref()));
    }
    made
}

/// Targets from another base, where the patch's own base does not count.
fn rebased(value: &Value, own: Option<&str>, theirs: Option<&str>) -> Value {
    let plain = |base: Option<&str>| base.unwrap_or("").trim_start_matches("./").trim_matches(['.', '/']).to_owned();
    let (own, theirs) = (plain(own), plain(theirs));
    let Some(list) = value.as_array().filter(|_| own != theirs && own.is_empty()) else { return value.clone() };
    let moved = list.iter().filter_map(Value::as_str).map(|t| format!("./{theirs}/{}", t.trim_start_matches("./")));
    Value::Array(moved.map(Value::String).collect())
}

/// JSON with comments and commas before the ends, as the compiler reads it.
pub(super) fn parse(text: &str) -> Option<Map<String, Value>> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let (mut quoted, mut escaped) = (false, false);
    while let Some(c) = chars.next() {
        match c {
            _ if quoted => {
                (quoted, escaped) = (c != '"' || escaped, c == '\\' && !escaped);
                plain.push(c);
            }
            '"' => {
                quoted = true;
                plain.push(c);
            }
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' => {
                let kept = plain.trim_end().strip_suffix(',').map(str::len);
                plain.truncate(kept.unwrap_or(plain.len()));
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    json::object(&plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn merged(old: &str, new: &str) -> (Map<String, Value>, Vec<String>) {
        let start: BTreeMap<String, Vec<u8>> = [
            ("package.json".to_owned(), br#"{"name":"cache","devDependencies":{"vitest":"3"}}"#.to_vec()),
            ("package-lock.json".to_owned(), br#"{"node_modules/vitest":{}}"#.to_vec()),
            ("tsconfig.json".to_owned(), old.into()),
        ]
        .into();
        let (trusted, theirs) = (old.as_bytes(), new.as_bytes());
        let mixed = Mixed { start: &start, path: "tsconfig.json", trusted, theirs, runtime: None };
        let made = merge(&mixed).unwrap();
        (parse(std::str::from_utf8(&made.bytes).unwrap()).unwrap(), made.put_back)
    }

    #[test]
    fn comments_and_last_commas_are_no_fault_and_strings_are_kept() {
        let map = parse("\u{feff}{ // a\n \"a\": \"//x\\\"/*\", /* , } */ \"b\": [1, 2,\n], }").unwrap();
        assert_eq!(Value::Object(map), serde_json::json!({"a": "//x\"/*", "b": [1, 2]}));
        assert_eq!(parse("[]"), None);
    }

    #[test]
    fn options_of_ones_own_code_count_and_what_reaches_tests_is_put_back_by_name() {
        let old = r#"{"compilerOptions":{"target":"ES2022","strict":true,"noUnusedLocals":true},"include":["src"]}"#;
        let new = r#"{"extends":"./evil.json","compilerOptions":{"target":"ES2023","strict":false,"lib":["ES2023"],
            "jsx":"react-jsx","jsxImportSource":"evil","moduleSuffixes":[".evil",""],"baseUrl":"src","importHelpers":true,
            "noEmitHelpers":true,"rootDirs":["a"],"plugins":[{}],"esModuleInterop":true,"removeComments":true},"include":["x"]}"#;
        let (made, lost) = merged(old, new);
        let options = serde_json::json!({"target":"ES2023","strict":false,"lib":["ES2023"],"jsx":"react-jsx","esModuleInterop":true});
        assert_eq!((made["compilerOptions"].clone(), made["include"].clone()), (options, serde_json::json!(["src"])));
        let names = [
            "baseUrl",
            "importHelpers",
            "jsxImportSource",
            "moduleSuffixes",
            "noEmitHelpers",
            "plugins",
            "removeComments",
            "rootDirs",
        ];
        let mut wanted: Vec<String> = names.iter().map(|n| format!("\"compilerOptions.{n}\"")).collect();
        wanted.extend(["\"extends\"", "\"include\""].map(str::to_owned));
        assert_eq!(lost, wanted);
    }

    #[test]
    fn an_older_target_is_put_back() {
        for target in ["ES5", "es3", "ES2021", "x"] {
            let new = format!("{{\"compilerOptions\":{{\"target\":\"{target}\"}}}}");
            let (made, lost) = merged(r#"{"compilerOptions":{"target":"ES2022"}}"#, &new);
            assert_eq!((made["compilerOptions"]["target"].as_str(), lost.len()), (Some("ES2022"), 1), "{target}");
        }
        assert_eq!(merged("{}", r#"{"compilerOptions":{"target":"ES5"}}"#).1.len(), 1);
        assert_eq!(merged("{}", r#"{"compilerOptions":{"target":"ES2020"}}"#).1.len(), 0);
    }

    #[test]
    fn names_of_ones_own_code_count_and_those_that_tests_or_libraries_have_do_not() {
        let old = r#"{"compilerOptions":{"paths":{"$help/*":["./tests/help/*"],"$old":["./src/old.ts"]}}}"#;
        let new = r#"{"compilerOptions":{"baseUrl":".","paths":{"@/*":["./src/*"],"$old":["src/new.ts"],"$help/*":["./src/fake/*"],
            "$help/a":["./src/fake.ts"],"vitest":["./src/fake.ts"],"node:assert":["./src/fake.ts"],"*":["./src/*"],
            "@/x":["../outside"],"~/*":["./tests/*"]}}}"#;
        let (made, lost) = merged(old, new);
        let paths = serde_json::json!({"@/*":["./src/*"],"$old":["src/new.ts"],"$help/*":["./tests/help/*"]});
        assert_eq!(made["compilerOptions"]["paths"], paths);
        assert_eq!(lost, ["\"compilerOptions.baseUrl\"", "\"compilerOptions.paths\""]);
        let (made, _) = merged(
            "{}",
            r#"{"compilerOptions":{"baseUrl":"./src","paths":{"@/*":["*"],"~/*":["./*"],"@/a":["a.ts"]}}}"#,
        );
        let paths = serde_json::json!({"@/*":["./src/*"],"~/*":["./src/*"],"@/a":["./src/a.ts"]});
        assert_eq!(made["compilerOptions"]["paths"], paths);
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_the_reading(text in "([{}\\[\\]\",:/*\\\\\n\u{e9}]|//|/\\*|\"a\"){0,40}") {
            parse(&text);
        }
    }
}
