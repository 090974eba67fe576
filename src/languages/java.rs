use super::plan::{env, stdin, words};
use super::{
    Files, Language, LanguageError, Merged, Mixed, Places, Plan, Release, Step, Suspect, TestCommand, Tool, diff,
    java_build as build, java_services as services, java_shadow as shadow, java_sources as sources,
    java_trust as trust, java_versions as versions, releases,
};
use crate::reports::{Key, Report, open_parcel, parse_junit};

/// Java: Maven or a Gradle wrapper, and the JUnit XML that they write.
///
/// What code under test can forge: it runs in a JVM that the build tool starts, so code written against that tool can
/// send it results of its own, replace assertions by reflection or instrumentation, or define classes of the libraries
/// while it runs. It cannot do so by reports that are there before or that it writes itself (the build tool's own counts
/// would disagree), by output, by leaving early (the build tool fails), by skipping, by services, or by sources and
/// classes of the patch that stand before the libraries.
pub struct Java;

const TOOLS: [Tool; 2] = [
    Tool { name: "launch.sh", bytes: include_bytes!("launch.sh") },
    Tool { name: "gradle_init.gradle", bytes: include_bytes!("gradle_init.gradle") },
];

/// Build files, and what the test platform loads of its own accord.
const PROTECTED: [&str; 10] = [
    "**/src/{test,testFixtures,integrationTest}/**",
    "**/{pom?*,*-pom}.xml",
    "**/.mvn/**",
    "**/{mvnw,mvnw.cmd,gradlew,gradlew.bat}",
    "**/{gradle.properties,gradle.lockfile}",
    "**/{surefire-reports,test-results}/**",
    "**/{junit-platform,surefire,jqwik,archunit,cucumber,kotest,allure}.properties",
    "**/mockito-extensions/**",
    // Compiled code says nothing to a reader and may be anything; it would go onto the class path as it is.
    "**/*.{class,jar,war,ear,aar,jmod}",
    "**/META-INF/versions/**",
];

/// What is called like a part of the build, and is code where sources stand.
const SUSPECT: [&str; 4] = ["**/{target,build}/**", "**/gradle/**", "**/buildSrc/**", "**/*.{gradle,gradle.kts}"];

impl Language for Java {
    fn name(&self) -> &'static str {
        "java"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["java", "kt", "groovy"]
    }

    fn image(&self) -> &'static str {
        "tsbench/java:1"
    }

    fn tools(&self) -> &'static [Tool] {
        &TOOLS
    }

    fn detect(&self, tree: &dyn Files, package: Option<&str>, runtime: Option<&str>) -> Result<Plan, LanguageError> {
        let mut plan = build::plan(tree, package.unwrap_or(""), runtime)?;
        plan.protected = PROTECTED.map(str::to_owned).to_vec();
        plan.suspect = SUSPECT.map(str::to_owned).to_vec();
        plan.mixed = vec!["**/pom.xml".into(), "**/build.gradle{,.kts}".into()];
        if sources::holds_tests(tree, &tree.paths()) {
            plan.learn("tests in sources", ["yes".to_owned()]);
        }
        let foreign = shadow::foreign(tree);
        plan.protected.extend(foreign.iter().map(|p| format!("**/src/main/*/{}/**", p.replace('.', "/"))));
        plan.learn("foreign", foreign);
        let foreign = services::foreign(tree);
        plan.protected.extend(services::globs(&foreign));
        plan.learn("services", foreign);
        plan.protected.extend(trust::globs(tree, &plan.package));
        Ok(plan)
    }

    fn install(&self, plan: &Plan, at: &Places) -> Vec<Step> {
        let step = |goal: &str, may_fail| Step {
            words: build::command(plan, at, goal, false),
            dir: build::dir(plan, at),
            env: environment(at),
            may_fail,
        };
        // The tests run once, whatever comes of it: build tools fetch what runs tests only when they run some.
        match plan.manager.as_str() {
            "maven" => vec![step("test-compile", false), step("test", true)],
            _ => vec![step("testClasses", false), step("test", true)],
        }
    }

    fn version(&self, plan: &Plan, at: &Places) -> Step {
        Step { words: words("java -version"), dir: build::dir(plan, at), env: environment(at), may_fail: false }
    }

    fn test(&self, plan: &Plan, at: &Places, key: &Key) -> TestCommand {
        let mut all = words(&format!("/bin/sh {}/launch.sh xml", at.tools));
        all.push(plan.fact("dir").filter(|d| !d.is_empty()).unwrap_or(".").to_owned());
        all.extend(build::command(plan, at, "test", true));
        TestCommand { words: all, dir: at.tree.clone(), env: environment(at), stdin: stdin(at, key) }
    }

    fn read(&self, _plan: &Plan, files: &[(String, Vec<u8>)], key: &Key) -> Report {
        let mut report = Report::default();
        for (_, bytes) in files.iter().filter(|(name, _)| name.ends_with(".xml")) {
            report.join(parse_junit(bytes));
        }
        (report.seal, report.exit) = open_parcel(files, key);
        let counts = files.iter().find(|(name, _)| name == "counts").map(|(_, bytes)| String::from_utf8_lossy(bytes));
        let told = build::counts(&counts.unwrap_or_default());
        build::believe(&mut report, told);
        report
    }

    fn is_build_failure(&self, _report: &Report, stdout: &[u8], stderr: &[u8]) -> bool {
        let marks = [
            "COMPILATION ERROR",
            "Fatal error compiling",
            "Compilation failure",
            "Compilation failed; see the compiler",
            "cannot find symbol",
            "class, interface, or enum expected",
            "class, interface, enum, or record expected",
            "';' expected",
            "illegal start of",
            "reached end of file while parsing",
        ];
        [stdout, stderr].iter().any(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            marks.iter().any(|m| text.contains(m))
        })
    }

    fn ids_in_diff(&self, _plan: &Plan, patch: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        let mut armed: Option<String> = None;
        for (file, line) in diff::added(patch) {
            let Some(class) = class_of(&file) else { continue };
            if armed.as_ref().is_some_and(|f| *f != file) {
                armed = None;
            }
            let (annotations, rest) = annotations(line.trim());
            if annotations.iter().any(|a| TESTS.contains(&a.as_str())) {
                armed = Some(file.clone());
            }
            if let Some(name) = method(rest).filter(|n| armed.is_some() || old_style(rest, n)) {
                found.push(format!("{class}::{name}"));
                armed = None;
            } else if !rest.is_empty() && !rest.starts_with("//") && !rest.starts_with('*') && !rest.starts_with("/*") {
                armed = None;
            }
        }
        found
    }

    fn files_of(&self, id: &str, tree: &dyn Files) -> Vec<String> {
        let class = id.split("::").next().unwrap_or(id).split('$').next().unwrap_or(id).replace('.', "/");
        let ends: Vec<String> = ["java", "kt", "groovy"].iter().map(|x| format!("{class}.{x}")).collect();
        let is_it = |p: &String| {
            ends.iter().any(|e| p.strip_suffix(e.as_str()).is_some_and(|head| head.is_empty() || head.ends_with('/')))
        };
        tree.paths().into_iter().filter(is_it).collect()
    }

    fn merge(&self, mixed: &Mixed<'_>) -> Option<Merged> {
        match mixed.path.rsplit('/').next() {
            Some("pom.xml") => versions::merge_pom(mixed),
            Some("build.gradle" | "build.gradle.kts") => versions::merge_gradle(mixed),
            _ => None,
        }
    }

    fn may_be_code(&self, path: &str) -> bool {
        sources::may_be_code(path)
    }

    fn is_code(&self, suspect: &Suspect<'_>) -> bool {
        sources::is_code(suspect)
    }

    fn build_errors(&self, stdout: &[u8], stderr: &[u8]) -> String {
        build::errors(&[stdout, stderr].map(String::from_utf8_lossy).join("\n"))
    }

    fn may_stand_before(&self, _path: &str) -> bool {
        true // a link or a generator may read a file of any name
    }

    fn stands_before(&self, plan: &Plan, path: &str, bytes: &[u8]) -> bool {
        shadow::stands_before(plan.facts("foreign"), path, bytes)
            || services::declared(plan.facts("services"), path, bytes)
    }

    fn releases(&self, tree: &dyn Files, listing: &[String]) -> Vec<Release> {
        releases::java(tree, listing)
    }
}

const TESTS: [&str; 6] = ["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"];

/// `src/test/java/a/b/C.java` → `a.b.C`.
fn class_of(file: &str) -> Option<String> {
    let folders = ["src/test/java/", "src/test/kotlin/", "src/test/groovy/"];
    let inside = folders.iter().find_map(|f| file.find(f).map(|at| &file[at + f.len()..]))?;
    let (stem, _) = inside.rsplit_once('.')?;
    Some(stem.replace('/', "."))
}

/// The annotations at the begin of a line, by their last names, and what follows them.
fn annotations(mut line: &str) -> (Vec<String>, &str) {
    let mut found = Vec::new();
    while let Some(rest) = line.strip_prefix('@') {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_').unwrap_or(rest.len());
        let name = rest[..end].rsplit('.').next().unwrap_or("");
        if name == "interface" {
            break;
        }
        found.push(name.to_owned());
        line = rest[end..].trim_start();
        if line.starts_with('(') {
            let mut depth = 0_i32;
            let close = line.char_indices().find(|(_, c)| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                depth == 0
            });
            line = close.map_or("", |(i, _)| line[i + 1..].trim_start());
        }
    }
    (found, line)
}

/// The name of the method that a line declares, in Java, Kotlin or Groovy.
fn method(line: &str) -> Option<String> {
    if let Some(rest) = line.split("fun ").nth(1).filter(|_| line.contains("fun ")) {
        let quoted = rest.strip_prefix('`').and_then(|r| r.split('`').next());
        return quoted.or_else(|| rest.split('(').next()).map(|n| n.trim().to_owned());
    }
    let (head, _) = line.split_once('(')?;
    let name = head.split_whitespace().next_back()?;
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    let declared = head.split_whitespace().count() >= 2
        && !["new", "return", "throw", "else"].contains(&head.split_whitespace().next()?);
    (word(name) && declared && !head.contains(['=', '.', ';'])).then(|| name.to_owned())
}

/// `public void testX()`, which JUnit 3 takes for a test without an annotation.
fn old_style(line: &str, name: &str) -> bool {
    name.starts_with("test") && line.starts_with("public void ")
}

fn environment(at: &Places) -> Vec<(String, String)> {
    let mut pairs =
        env(&[("CI", "1"), ("MAVEN_OPTS", "-XX:+UseSerialGC"), ("GRADLE_OPTS", "-Dorg.gradle.daemon=false")]);
    pairs.push(("GRADLE_USER_HOME".into(), format!("{}/gradle", at.home)));
    pairs.push(("PATH".into(), at.path.clone()));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_and_methods_are_found_on_one_line_and_on_several() {
        let lines = [
            "@Test void oneLine() {",
            "@Test",
            "@DisplayName(\"a (b)\")",
            "public void several() throws Exception {",
            "@ParameterizedTest(name = \"x\") @ValueSource(ints = {1, 2})",
            "void parameters(int i) {",
            "void helper() {",
            "public void testOld() {",
            "assertThat(x).is(y);",
            "@Test fun `with spaces`() {",
        ];
        let body: String = lines.iter().map(|l| format!("+    {l}\n")).collect();
        let patch =
            format!("--- /dev/null\n+++ b/m/src/test/java/a/b/CTest.java\n@@ -0,0 +1,{} @@\n{body}", lines.len());
        let found = Java.ids_in_diff(&Plan::default(), patch.as_bytes());
        let names: Vec<&str> = found.iter().filter_map(|id| id.strip_prefix("a.b.CTest::")).collect();
        assert_eq!(names, ["oneLine", "several", "parameters", "testOld", "with spaces"]);
    }
}
