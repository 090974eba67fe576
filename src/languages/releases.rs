//! Releases of a project among the files of an image: where each language's tools put them.

use super::Files;
use super::json::text_of;
use std::collections::BTreeSet;

/// A package of the project's own name among the files of an image.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// Its name.
    pub package: String,
    /// Its version, where the path tells it.
    pub version: Option<String>,
    /// A file that shows it.
    pub path: String,
}

/// `…/site-packages/name-1.2.dist-info/…`. What was installed from the tree itself says so in `direct_url.json`, which
/// is then the file that shows it.
pub(super) fn python(tree: &dyn Files, listing: &[String]) -> Vec<Release> {
    let text = |name: &str| tree.text(name).unwrap_or_default();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for path in tree.paths().iter().filter(|p| p.ends_with("pyproject.toml")) {
        let table: Option<toml::Table> = toml::from_str(&text(path)).ok();
        let of = |keys: &[&str]| {
            let mut at = table.as_ref()?;
            for key in keys {
                at = at.get(*key)?.as_table()?;
            }
            at.get("name")?.as_str().map(plain)
        };
        names.extend(of(&["project"]).into_iter().chain(of(&["tool", "poetry"])));
    }
    let quoted = |line: &str| {
        let value = line.trim().strip_prefix("name")?.trim_start().strip_prefix('=')?.trim();
        let value = value.trim_end_matches(',').trim_matches(['"', '\'']);
        (!value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))).then(|| plain(value))
    };
    names.extend(["setup.py", "setup.cfg"].iter().filter_map(|f| text(f).lines().find_map(quoted)));
    let mut found: Vec<Release> = Vec::new();
    for path in listing {
        let Some((folder, file)) = path.rsplit_once('/') else { continue };
        let info = folder.rsplit('/').next().and_then(|f| f.strip_suffix(".dist-info"));
        let Some((name, version)) = info.and_then(|i| i.rsplit_once('-')) else { continue };
        if !folder.contains("-packages/") || !names.contains(&plain(name)) {
            continue;
        }
        let (package, version) = (plain(name), Some(version.to_owned()));
        match found.iter_mut().find(|c| c.path.rsplit_once('/').is_some_and(|(f, _)| f == folder)) {
            Some(known) if file == "direct_url.json" => known.path.clone_from(path),
            Some(_) => {}
            None => found.push(Release { package, version, path: path.clone() }),
        }
    }
    found
}

/// Whether a `direct_url.json` says that a package was installed from a folder, which can only be the tree.
pub(super) fn from_folder(path: &str, bytes: &[u8]) -> bool {
    path.ends_with("/direct_url.json") && String::from_utf8_lossy(bytes).contains("\"file://")
}

/// Names of Python packages are the same in either case and with any of `-_.`.
pub(super) fn plain(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

/// `…/node_modules/name/package.json`; packages of the workspace are links, which no listing of files follows.
pub(super) fn node(tree: &dyn Files, listing: &[String]) -> Vec<Release> {
    let paths = tree.paths();
    let own = paths.iter().filter(|p| *p == "package.json" || p.ends_with("/package.json"));
    let names: BTreeSet<String> = own.filter_map(|p| text_of(&tree.read(p)?, "name")).collect();
    let copy = |path: &String| {
        let (_, name) = path.strip_suffix("/package.json")?.rsplit_once("/node_modules/")?;
        names.contains(name).then(|| Release { package: name.to_owned(), version: None, path: path.clone() })
    };
    listing.iter().filter_map(copy).collect()
}

/// `…/group/artifact/1.2/artifact-1.2.jar` in a Maven repository.
pub(super) fn java(tree: &dyn Files, listing: &[String]) -> Vec<Release> {
    let paths = tree.paths();
    let poms = paths.iter().filter(|p| *p == "pom.xml" || p.ends_with("/pom.xml"));
    let names: BTreeSet<(String, String)> = poms.filter_map(|p| coordinates(&tree.text(p)?)).collect();
    let mut found = Vec::new();
    for path in listing.iter().filter(|p| p.ends_with(".jar")) {
        for (group, artifact) in &names {
            let middle = format!("/{}/{artifact}/", group.replace('.', "/"));
            let version = path.split_once(&middle).and_then(|(_, rest)| rest.split_once('/'));
            if let Some((version, _)) = version {
                let package = format!("{group}:{artifact}");
                found.push(Release { package, version: Some(version.to_owned()), path: path.clone() });
            }
        }
    }
    found
}

/// Group and artifact of a pom.xml; the group may be its parent's.
fn coordinates(pom: &str) -> Option<(String, String)> {
    let tag = |text: &str, name: &str| {
        let value = text.split_once(&format!("<{name}>"))?.1.split('<').next()?.trim().to_owned();
        (!value.is_empty() && !value.contains('$')).then_some(value)
    };
    let (before, parent, after) = match pom.split_once("<parent>").map(|(b, r)| (b, r.split_once("</parent>"))) {
        Some((before, Some((parent, after)))) => (before, parent, after),
        _ => ("", "", pom),
    };
    // What stands in the sections below is of others.
    let head = ["<dependencies>", "<build>", "<dependencyManagement>", "<profiles>", "<developers>", "<licenses>"]
        .iter()
        .filter_map(|s| after.find(s))
        .min()
        .map_or(after, |end| &after[..end]);
    let own = format!("{before}{head}");
    Some((tag(&own, "groupId").or_else(|| tag(parent, "groupId"))?, tag(&own, "artifactId")?))
}

/// `…/module@v1.2.3/…` in a module cache, where capital letters are written `!x`.
pub(super) fn go(tree: &dyn Files, listing: &[String]) -> Vec<Release> {
    let paths = tree.paths();
    let files = paths.iter().filter(|p| *p == "go.mod" || p.ends_with("/go.mod"));
    let module = |text: String| {
        text.lines().find_map(|l| l.trim().strip_prefix("module ").map(|m| m.trim().trim_matches('"').to_owned()))
    };
    let mut found: BTreeSet<Release> = BTreeSet::new();
    for package in files.filter_map(|p| module(tree.text(p)?)) {
        let escaped: String = package
            .chars()
            .map(|c| if c.is_ascii_uppercase() { format!("!{}", c.to_ascii_lowercase()) } else { c.to_string() })
            .collect();
        let middle = format!("/{escaped}@");
        for path in listing {
            let version = path.split_once(&middle).and_then(|(_, rest)| rest.split_once('/'));
            if let Some((version, _)) = version
                && !found.iter().any(|c| c.package == package && c.version.as_deref() == Some(version))
            {
                let version = Some(version.to_owned());
                found.insert(Release { package: package.clone(), version, path: path.clone() });
            }
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn tree(files: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
        files.iter().map(|(p, t)| ((*p).to_owned(), t.as_bytes().to_vec())).collect()
    }

    fn list(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|p| (*p).to_owned()).collect()
    }

    fn versions(releases: &[Release]) -> Vec<(&str, Option<&str>)> {
        releases.iter().map(|c| (c.package.as_str(), c.version.as_deref())).collect()
    }

    #[test]
    fn a_release_of_a_python_project_is_found_and_one_of_the_tree_shows_where_it_is_from() {
        let own = tree(&[("pyproject.toml", "[project]\nname = \"Shop_Kit\"\n")]);
        let paths = list(&[
            "/v/lib/python3/site-packages/shop_kit-2.0.dist-info/METADATA",
            "/v/lib/python3/site-packages/shop_kit-2.0.dist-info/direct_url.json",
            "/v/lib/python3/site-packages/shop_kit_more-1.0.dist-info/METADATA",
        ]);
        let found = python(&own, &paths);
        assert_eq!(versions(&found), [("shop-kit", Some("2.0"))]);
        assert!(from_folder(&found[0].path, b"{\"url\": \"file:///workspace\"}"));
        assert!(!from_folder(&found[0].path, b"{\"url\": \"https://x/y\"}"));
        let old = tree(&[("setup.py", "setup(\n    name='shop.kit',\n)")]);
        assert_eq!(python(&old, &paths).len(), 1);
    }

    #[test]
    fn releases_are_found_where_npm_maven_and_go_put_them() {
        let own = tree(&[("a/package.json", "{\"name\": \"@shop/kit\"}")]);
        let paths =
            list(&["/w/node_modules/x/node_modules/@shop/kit/package.json", "/w/node_modules/kit/package.json"]);
        assert_eq!(versions(&node(&own, &paths)), [("@shop/kit", None)]);
        let own = tree(&[(
            "pom.xml",
            "<project><parent><groupId>org.p</groupId><artifactId>up</artifactId></parent><artifactId>kit</artifactId><dependencies><dependency><groupId>q</groupId></dependency></dependencies></project>",
        )]);
        let paths = list(&["/h/m2/org/p/kit/1.9/kit-1.9.jar", "/h/m2/org/p/up/3/up-3.jar"]);
        assert_eq!(versions(&java(&own, &paths)), [("org.p:kit", Some("1.9"))]);
        let own = tree(&[("go.mod", "module example.com/Shop/kit\n\ngo 1.22\n")]);
        let paths =
            list(&["/h/gomod/example.com/!shop/kit@v1.4.0/kit.go", "/h/gomod/example.com/!shop/kit@v1.4.0/go.mod"]);
        assert_eq!(versions(&go(&own, &paths)), [("example.com/Shop/kit", Some("v1.4.0"))]);
    }
}
