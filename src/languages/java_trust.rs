//! Files and folders of a tree that decide over its build since the build's own files name them.

use super::Files;
use super::paths::literal;
use std::collections::BTreeSet;

/// Elements of a `pom.xml` that name files which decide over what is built or tested, alone or among other words.
const FILES: [&str; 12] = [
    "relativePath",
    "module",
    "suiteXmlFile",
    "includesFile",
    "excludesFile",
    "filter",
    "systemPropertiesFile",
    "propertiesFile",
    "argLine",
    "arg",
    "compilerArg",
    "additionalClasspathElement",
];

/// Elements that name folders of tests, or of classes that stand on the path of tests.
const FOLDERS: [&str; 2] = ["testSourceDirectory", "additionalClasspathElement"];

/// Words that a build which makes plugins of Gradle has in its scripts.
const MAKES_PLUGINS: [&str; 5] =
    ["kotlin-dsl", "java-gradle-plugin", "groovy-gradle-plugin", "gradlePlugin {", "gradlePlugin{"];

/// Globs of everything that the build of a tree names; `package` is the folder under test, which stays changeable.
pub(super) fn globs(tree: &dyn Files, package: &str) -> Vec<String> {
    let paths = tree.paths();
    let here = Here { tree, paths: &paths, package };
    let mut found = BTreeSet::new();
    for path in &paths {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name.ends_with(".gradle") || name.ends_with(".gradle.kts") {
            here.gradle(folder, &tree.text(path).unwrap_or_default(), &mut found);
        } else if name.ends_with("pom.xml") {
            here.maven(folder, &tree.text(path).unwrap_or_default(), &mut found);
        }
    }
    found.extend(here.plugins());
    found.into_iter().collect()
}

struct Here<'a> {
    tree: &'a dyn Files,
    paths: &'a [String],
    package: &'a str,
}

impl Here<'_> {
    /// Included builds that make plugins, and every file that a build script names outside of sources.
    fn gradle(&self, folder: &str, text: &str, found: &mut BTreeSet<String>) {
        for (before, name) in strings(text) {
            let mut lines = before.rsplit('\n');
            // The call may stand on the line above its argument.
            let call = lines.find(|l| !l.trim().is_empty()).unwrap_or("");
            for place in places(folder, name) {
                let of_tests =
                    call.contains("srcDir") && place.to_lowercase().contains("test") && self.is_folder(&place);
                if of_tests || call.contains("includeBuild") && self.is_build_logic(&place, before) {
                    found.insert(format!("{}/**", literal(&place)));
                } else if self.is_file(&place) && !place.contains("src/") && !place.ends_with(".md") {
                    found.insert(literal(&place));
                }
            }
        }
    }

    /// Whether an included build makes what the build is made with, and not a part of what is built.
    fn is_build_logic(&self, folder: &str, before: &str) -> bool {
        if folder.is_empty() || self.package == folder || self.package.starts_with(&format!("{folder}/")) {
            return false;
        }
        let below = format!("{folder}/");
        let mut scripts = self.paths.iter().filter(|p| p.starts_with(&below) && p.contains(".gradle"));
        let managed = before
            .rsplit_once("pluginManagement")
            .is_some_and(|(_, rest)| rest.matches('{').count() > rest.matches('}').count());
        managed
            || scripts.any(|p| {
                p.contains("/src/main/")
                    || self.tree.text(p).is_some_and(|t| MAKES_PLUGINS.iter().any(|m| t.contains(m)))
            })
    }

    /// What the elements of a `pom.xml` name, and its folders of resources for tests.
    fn maven(&self, folder: &str, text: &str, found: &mut BTreeSet<String>) {
        let of = |tags: &[&str]| tags.iter().flat_map(|tag| elements(text, tag)).collect::<Vec<_>>();
        // An option is a path, or has one behind a sign: `@args`, `-javaagent:a.jar`, `-Dx=file`.
        let ends = |c: char| c.is_whitespace() || "@:=,;\"'".contains(c);
        let files = of(&FILES).into_iter().flat_map(|v| v.split(ends)).flat_map(|word| places(folder, word));
        found.extend(files.filter(|p| self.is_file(p)).map(|p| literal(&p)));
        // A profile is switched on by a file that is there or not.
        let switches = of(&["exists", "missing"]).into_iter().flat_map(|word| places(folder, word));
        found.extend(switches.filter(|p| !p.is_empty()).map(|p| literal(&p)));
        let sources: Vec<String> = of(&["sourceDirectory"]).into_iter().flat_map(|word| places(folder, word)).collect();
        let holds_code =
            |p: &str| p.contains("src/main") || sources.iter().any(|s| s == p || s.starts_with(&format!("{p}/")));
        let mut folders = of(&FOLDERS);
        folders.extend(of(&["testResource"]).into_iter().flat_map(|inner| elements(inner, "directory")));
        let folders = folders.into_iter().flat_map(|word| places(folder, word));
        let plain = folders.filter(|p| !p.is_empty() && self.is_folder(p) && !holds_code(p));
        found.extend(plain.map(|p| format!("{}/**", literal(&p))));
    }

    /// The sources of modules that other modules are built with: as plugins, as extensions, or as what plugins need.
    fn plugins(&self) -> Vec<String> {
        let poms: Vec<(&str, String)> = self
            .paths
            .iter()
            .filter_map(|p| {
                Some((p.strip_suffix("/pom.xml").or_else(|| p.strip_suffix("pom.xml"))?, self.tree.text(p)?))
            })
            .collect();
        let mut used = BTreeSet::new();
        for (_, text) in &poms {
            for element in ["plugin", "extension"].iter().flat_map(|tag| elements(text, tag)) {
                // What a plugin is told to work on is code like any other.
                let own = without(&without(element, "configuration"), "executions");
                used.extend(elements(&own, "artifactId").into_iter().map(|n| n.trim().to_owned()));
            }
        }
        let name = |text: &str| {
            let own = ["parent", "build", "dependencies", "dependencyManagement", "profiles"]
                .iter()
                .fold(text.to_owned(), |text, tag| without(&text, tag));
            elements(&own, "artifactId").first().map(|n| n.trim().to_owned())
        };
        let tested = |folder: &str| folder.is_empty() || folder == self.package;
        let is_used =
            |(folder, text): &&(&str, String)| !tested(folder) && name(text).is_some_and(|n| used.contains(&n));
        poms.iter().filter(is_used).map(|(folder, _)| format!("{}/src/main/**", literal(folder))).collect()
    }

    fn is_file(&self, path: &str) -> bool {
        self.paths.binary_search_by(|p| p.as_str().cmp(path)).is_ok()
    }

    fn is_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let at = self.paths.partition_point(|p| p.as_str() < below.as_str());
        self.paths.get(at).is_some_and(|p| p.starts_with(&below))
    }
}

/// The strings of a script that could be paths, each with what stands before it.
fn strings(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (start, mark) in text.match_indices(['"', '\'']) {
        let rest = &text[start + 1..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        if let Some(end) = line.find(mark).filter(|end| *end > 0) {
            found.push((&text[..start], &line[..end]));
        }
    }
    found
}

/// Where a name may lead: from the folder of the file that has it, and from the root. A name of variables leads nowhere.
fn places<'a>(folder: &'a str, name: &str) -> impl Iterator<Item = String> + use<'a> {
    const ROOTS: [&str; 10] = [
        "${project.basedir}",
        "${project.rootDir}",
        "${rootProject.projectDir}",
        "${session.executionRootDirectory}",
        "${maven.multiModuleProjectDirectory}",
        "${basedir}",
        "${rootDir}",
        "${projectDir}",
        "$rootDir",
        "$projectDir",
    ];
    let name = name.trim();
    let bare = ROOTS.iter().find_map(|r| name.strip_prefix(r)).unwrap_or(name).trim_start_matches('/').to_owned();
    let literal = (!bare.contains('$')).then_some(bare);
    literal.into_iter().flat_map(move |bare| {
        let from = |folder: &str| {
            let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
            for part in bare.split('/').filter(|p| !p.is_empty() && *p != ".") {
                if part == ".." {
                    parts.pop()?;
                } else {
                    parts.push(part);
                }
            }
            Some(parts.join("/"))
        };
        [from(folder), from("")].into_iter().flatten().collect::<BTreeSet<_>>()
    })
}

/// What the elements of a name hold, outermost first; nested ones of the same name are not looked for.
fn elements<'a>(text: &'a str, tag: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at + open.len()..];
        let Some(end) = rest.find('>') else { break };
        // Another element whose name begins so, or one that holds nothing.
        if !rest.starts_with(['>', ' ', '\t', '\r', '\n']) || rest[..end].ends_with('/') {
            continue;
        }
        let inner = &rest[end + 1..];
        let Some(length) = inner.find(&close) else { break };
        found.push(&inner[..length]);
        rest = &inner[length + close.len()..];
    }
    found
}

/// A text without the elements of a name.
fn without(text: &str, tag: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for inner in elements(text, tag) {
        let start = inner.as_ptr() as usize - text.as_ptr() as usize;
        out.push_str(&text[from..start]);
        from = start + inner.len();
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_by_their_whole_names_and_taken_out_alone() {
        let text = "<plugins><plugin a='b'>x</plugin><plugin/><plugin>y</plugin></plugins>x";
        assert_eq!(elements(text, "plugin"), ["x", "y"]);
        assert_eq!(without(text, "plugin"), "<plugins><plugin a='b'></plugin><plugin/><plugin></plugin></plugins>x");
    }

    #[test]
    fn names_of_a_build_lead_to_places_from_its_folder_and_from_the_root() {
        let of = |name: &str| places("a/b", name).collect::<Vec<_>>();
        assert_eq!(of("${project.basedir}/x/./y.xml"), ["a/b/x/y.xml", "x/y.xml"]);
        assert_eq!(of("../c"), ["a/c"]);
        assert!(of("${other}/c").is_empty() && of("../../../c").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn no_build_file_breaks_the_search(text in "(<plugin>|</plugin>|<argLine>|</argLine>|includeBuild|[\\n\"'<>/ \u{e9}]|[a-z.]{1,3}){0,40}") {
            let tree: std::collections::BTreeMap<String, Vec<u8>> =
                [("pom.xml".to_owned(), text.clone().into()), ("settings.gradle".to_owned(), text.into())].into();
            globs(&tree, "");
        }
    }
}
