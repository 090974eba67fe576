//! Paths of modules: what a name means from a folder, and what would be found in its place.

use super::paths::literal;
use std::collections::BTreeSet;

/// Files that a module's name may mean: itself, with an extension, or a folder's index.
pub(super) fn resolved(paths: &BTreeSet<String>, path: &str) -> Vec<String> {
    if path.is_empty() {
        return Vec::new();
    }
    if paths.contains(path) {
        return vec![path.to_owned()];
    }
    // `./a.js` may stand for `a.ts`.
    let stems = [path, script_stem(path).unwrap_or(path)];
    for start in [format!("{}.", stems[0]), format!("{}.", stems[1]), format!("{path}/index.")] {
        let is_script = |p: &&String| script_stem(p).is_some() || DATA.iter().any(|d| p.ends_with(d));
        let hit = paths.range(start.clone()..).take_while(|p| p.starts_with(&start));
        let found: Vec<String> =
            hit.filter(|p| !p[start.len()..].contains('/')).filter(is_script).take(20).cloned().collect();
        let exact: Vec<String> = found.iter().filter(|p| !p[start.len()..].contains('.')).cloned().collect();
        if !exact.is_empty() {
            return exact;
        }
    }
    Vec::new()
}

const SCRIPTS: [&str; 8] = [".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"];
const DATA: [&str; 5] = [".json", ".json5", ".yml", ".yaml", ".toml"];

/// A path without the ending of a script, where it has one.
pub(super) fn script_stem(path: &str) -> Option<&str> {
    SCRIPTS.iter().find_map(|s| path.strip_suffix(s))
}

/// Globs of a named file and of all that would be found in its place.
pub(super) fn candidates(path: &str) -> Vec<String> {
    // A package.json is merged, so that what tools read of it stays anyway.
    if path.is_empty() || path.contains('*') || path.rsplit('/').next() == Some("package.json") {
        return Vec::new();
    }
    let exact = literal(path);
    if DATA.iter().any(|d| path.ends_with(d)) {
        return vec![exact];
    }
    if let Some(stem) = script_stem(path) {
        return vec![exact, format!("{}.*", literal(stem))];
    }
    vec![format!("{exact}.*"), format!("{exact}/index.*"), format!("{exact}/package.json"), exact]
}

/// The name that led to the index of a folder, where that is how a file was found.
pub(super) fn stem_of_index<'a>(path: &'a str, places: &'a [String]) -> &'a str {
    let folder = places.iter().find(|p| path.strip_prefix(p.as_str()).is_some_and(|r| r.starts_with("/index.")));
    folder.map_or(path, String::as_str)
}

/// A name without what stands for a folder, `<rootDir>/` or `${here}/`, and without what bundlers add.
pub(super) fn bare(name: &str) -> &str {
    let name = name.strip_prefix("<rootDir>/").unwrap_or(name);
    let name = match name.strip_prefix("${").and_then(|rest| rest.split_once("}/")) {
        Some((_, rest)) => rest,
        None => name,
    };
    name.split(['?', '#']).next().unwrap_or(name).trim_start_matches("file:")
}

/// A path from a folder, without dots; nothing where it leaves the tree or is the tree.
pub(super) fn normal(dir: &str, name: &str) -> Option<String> {
    if name.starts_with('/') || name.len() > 1000 {
        return None;
    }
    let mut parts: Vec<&str> = dir.split('/').filter(|p| !p.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_its_tree() {
        assert_eq!(normal("a/b", "../c/./d.js").as_deref(), Some("a/c/d.js"));
        assert_eq!(normal("", "./x"), Some("x".to_owned()));
        for name in ["../../../x", "/etc/passwd", "../..", "", "."] {
            assert_eq!(normal(if name.is_empty() || name == "." { "" } else { "a/b" }, name), None, "{name}");
        }
    }

    #[test]
    fn whatever_a_name_resolves_to_is_among_its_candidates() {
        for file in ["d/a.js", "d/a.ts", "d/a.mts", "d/a/index.ts", "d/a.json"] {
            let paths = BTreeSet::from([file.to_owned(), "d/ab.js".to_owned(), "d/a/b.js".to_owned()]);
            assert_eq!(resolved(&paths, "d/a"), [file]);
            let globs = candidates("d/a");
            for other in ["d/a.js", "d/a.ts", "d/a.mts", "d/a/index.js", "d/a.json", "d/a", "d/a/package.json"] {
                assert!(crate::languages::protects(&globs, other), "{other}");
            }
            assert!(!crate::languages::protects(&globs, "d/ab.js") && !crate::languages::protects(&globs, "d/a/b.js"));
        }
        let paths = BTreeSet::from(["d/a.ts".to_owned()]);
        assert_eq!(resolved(&paths, "d/a.js"), ["d/a.ts"]);
        assert!(crate::languages::protects(&candidates("d/a.js"), "d/a.ts"));
        assert!(candidates("d/package.json").is_empty());
    }

    #[test]
    fn what_stands_for_a_folder_is_no_part_of_a_name() {
        for name in ["<rootDir>/a.js", "${__dirname}/a.js", "a.js?x", "file:a.js"] {
            assert_eq!(bare(name), "a.js", "{name}");
        }
    }
}
