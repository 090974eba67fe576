//! The map of rooms in `src/lib.rs` is the truth: this reads every import and fails on an arrow that it does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The table of rooms: each with the rooms that it may use, besides the open one.
type Map = BTreeMap<String, BTreeSet<String>>;

/// The room that every other may use.
const OPEN: &str = "schema";

/// The rows `//! | room | … | may use |` of a text.
fn map_of(lib: &str) -> Map {
    let rows: Vec<Vec<String>> = lib
        .lines()
        .filter_map(|l| l.strip_prefix("//! |"))
        .map(|l| l.trim_end_matches('|').split('|').map(|c| c.trim().trim_matches('`').to_owned()).collect())
        .collect();
    let rooms: BTreeSet<String> = rows.iter().skip(2).map(|r| r[0].clone()).collect();
    let uses = |cell: &str| match cell {
        "all" => rooms.clone(),
        "–" => BTreeSet::new(),
        list => list.split(',').map(|r| r.trim().trim_matches('`').to_owned()).collect(),
    };
    rows.iter().skip(2).map(|r| (r[0].clone(), uses(&r[2]))).collect()
}

/// A text without comments, and without what stands in quotes.
fn code_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |i| i + 2)
        } else if c == '"' {
            let inner = rest[1..].char_indices().scan(false, |escaped, (i, c)| {
                let ends = c == '"' && !*escaped;
                *escaped = c == '\\' && !*escaped;
                Some((i, ends))
            });
            inner.into_iter().find(|(_, ends)| *ends).map_or(rest.len(), |(i, _)| i + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\") {
            rest[1..].find('\'').map_or(rest.len(), |i| i + 2)
        } else {
            out.push(c);
            c.len_utf8()
        };
        rest = &rest[skip..];
    }
    out
}

/// Everything that a text names behind `crate::` or the package's name: the first segment of each path.
fn named(text: &str) -> BTreeSet<String> {
    let code = code_of(text);
    let mut found = BTreeSet::new();
    for root in ["crate::", "tsbench::"] {
        for (at, _) in code.match_indices(root) {
            let stands_alone = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            let after = code[at + root.len()..].trim_start();
            if !stands_alone {
                continue;
            }
            match after.strip_prefix('{') {
                Some(group) => found.extend(heads(group)),
                None => {
                    found.insert(word(after));
                }
            }
        }
    }
    found
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first segments of the paths of a group `a::b, c::{d, e}, f}`.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                found.push(word(group[from..i].trim()));
                from = i + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    found.retain(|w| !w.is_empty());
    found
}

/// A source file as the checker sees it: its path under `src`, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

/// Every breach of the map by these files.
fn breaches(map: &Map, sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for Source { path, text } in sources {
        let shown = path.display();
        let parts: Vec<&str> = path.iter().filter_map(|p| p.to_str()).collect();
        let stem = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
        let mut bad = |what: String| found.push(format!("{shown}: {what}"));
        if parts
            .iter()
            .any(|p| ["utils", "util", "common", "helpers", "helper", "misc"].contains(&p.trim_end_matches(".rs")))
        {
            bad("a name that says nothing about what is inside".into());
        }
        let lines = text.lines().count();
        if lines > 400 {
            bad(format!("{lines} lines; at most 400"));
        }
        if stem == "mod" && !text.starts_with("//!") {
            bad("a mod.rs without a charter".into());
        }
        let Some(room) = parts.first().filter(|_| parts.len() > 1) else { continue };
        let allowed: Box<dyn Fn(&str) -> bool> = if *room == "bin" {
            Box::new(|to| to == "cli")
        } else if let Some(uses) = map.get(*room) {
            Box::new(move |to| to == *room || to == OPEN || uses.contains(to))
        } else {
            bad(format!("the folder {room} is not in the map"));
            continue;
        };
        for to in named(text) {
            if !allowed(&to) {
                bad(format!("{room} may not use {to}"));
            }
        }
    }
    found
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources() -> Vec<Source> {
    walkdir::WalkDir::new(src())
        .sort_by_file_name()
        .into_iter()
        .map(Result::unwrap)
        .filter(|e| e.path().extension().is_some_and(|x| x == "rs"))
        .map(|e| Source {
            path: e.path().strip_prefix(src()).unwrap().to_owned(),
            text: std::fs::read_to_string(e.path()).unwrap(),
        })
        .collect()
}

fn map() -> Map {
    map_of(&std::fs::read_to_string(src().join("lib.rs")).unwrap())
}

#[test]
fn the_code_follows_the_map() {
    let found = breaches(&map(), &sources());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_map_names_every_room_and_only_rooms() {
    let folders: BTreeSet<String> = std::fs::read_dir(src())
        .unwrap()
        .map(|e| e.unwrap())
        .filter(|e| e.file_type().unwrap().is_dir() && e.file_name() != "bin")
        .map(|e| e.file_name().into_string().unwrap())
        .collect();
    assert_eq!(map().into_keys().collect::<BTreeSet<_>>(), folders);
    for room in &folders {
        assert!(src().join(room).join("mod.rs").is_file(), "{room} has no mod.rs");
    }
}

#[test]
fn the_map_has_no_circle() {
    let map = map();
    fn reaches(map: &Map, from: &str, to: &str, left: usize) -> bool {
        left > 0
            && map
                .get(from)
                .is_some_and(|uses| uses.iter().any(|u| u != from && (u == to || reaches(map, u, to, left - 1))))
    }
    for room in map.keys() {
        assert!(!reaches(&map, room, room, map.len()), "{room} uses itself through others");
    }
}

/// A map and a file made up for one breach.
fn made_up(path: &str, text: &str) -> Vec<String> {
    let map = map_of(
        "//! | room | in → out | may use |\n//! |---|---|---|\n//! | `schema` | a | – |\n//! | `stats` | b | – |\n//! | `site` | c | stats |\n//! | `cli` | d | all |\n",
    );
    breaches(&map, &[Source { path: path.into(), text: text.into() }])
}

#[test]
fn a_forbidden_arrow_is_found_however_it_is_written() {
    for text in [
        "use crate::site::Page;",
        "use crate::{schema::Run, site::{self, Page}};",
        "pub use crate::site;",
        "fn f() { let x = crate::site::page(); }",
        "fn f(c: char) -> bool { c == '\"' || crate::site::ok() }",
        "#[cfg(test)]\nmod tests { use crate::site::Page; }",
        "use tsbench::site::Page;",
    ] {
        assert_eq!(made_up("stats/rank.rs", text), ["stats/rank.rs: stats may not use site"], "{text}");
    }
    assert_eq!(made_up("bin/x.rs", "use tsbench::site;").len(), 1);
    assert_eq!(made_up("schema/mod.rs", "//! Words.\nuse crate::stats::rank;").len(), 1);
}

#[test]
fn an_allowed_arrow_is_not_found() {
    for (path, text) in [
        ("site/page.rs", "use crate::stats::rank;\nuse crate::{schema::Run, site::Page};"),
        ("cli/mod.rs", "//! All.\nuse crate::{site, stats};"),
        ("stats/mod.rs", "//! See [`crate::site`].\n// use crate::site;\nconst A: &str = \"crate::site\";"),
        ("bin/x.rs", "use tsbench::cli;"),
        ("lib.rs", "pub mod site;"),
    ] {
        assert_eq!(made_up(path, text), [] as [&str; 0], "{text}");
    }
}

#[test]
fn a_room_outside_the_map_and_a_file_out_of_shape_are_found() {
    assert_eq!(made_up("cellar/mod.rs", "//! Wine."), ["cellar/mod.rs: the folder cellar is not in the map"]);
    assert_eq!(made_up("stats/mod.rs", "mod rank;"), ["stats/mod.rs: a mod.rs without a charter"]);
    assert_eq!(made_up("stats/utils.rs", "").len(), 1);
    assert_eq!(made_up("stats/common/mod.rs", "//! Things.").len(), 1);
    assert_eq!(made_up("stats/long.rs", &"\n".repeat(401)), ["stats/long.rs: 401 lines; at most 400"]);
    assert_eq!(made_up("stats/full.rs", &"\n".repeat(400)), [] as [&str; 0]);
}
