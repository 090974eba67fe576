use super::plan::words;
use super::{Files, LanguageError, Places, Plan, versions};
use crate::reports::{Report, Seal, Status, naming};

/// Checks that say nothing about behaviour, switched off by the names that their plugins give them.
const SKIPPED: [&str; 14] = [
    "animal.sniffer.skip",
    "checkstyle.skip",
    "pmd.skip",
    "cpd.skip",
    "spotbugs.skip",
    "enforcer.skip",
    "license.skip",
    "maven.javadoc.skip",
    "rat.skip",
    "spotless.check.skip",
    "spotless.apply.skip",
    "formatter.skip",
    "japicmp.skip",
    "gpg.skip",
];

/// Reads a build.
pub(super) fn plan(tree: &dyn Files, package: &str, runtime: Option<&str>) -> Result<Plan, LanguageError> {
    let gradle_files = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
    let at = |dir: &str, name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
    let maven = |dir: &str| tree.has(&at(dir, "pom.xml"));
    let gradle = |dir: &str| gradle_files.iter().any(|f| tree.has(&at(dir, f)));
    // The build of a module is run from the root where that one knows it.
    let (manager, dir) = match () {
        () if maven("") && (package.is_empty() || maven(package)) => ("maven", ""),
        () if gradle("") => ("gradle", ""),
        () if !package.is_empty() && maven(package) => ("maven", package),
        () if !package.is_empty() && gradle(package) => ("gradle", package),
        () => {
            return Err(LanguageError::missing(
                "how the Java project is built",
                "there is no pom.xml, build.gradle or build.gradle.kts",
            ));
        }
    };
    if manager == "gradle" && !tree.has(&at(dir, "gradlew")) {
        return Err(LanguageError::missing(
            "the Gradle wrapper",
            "a Gradle project is built by its own gradlew, which pins the version",
        ));
    }
    let mut plan = Plan { manager: manager.into(), package: package.into(), ..Plan::default() };
    plan.runner = if manager == "maven" { "surefire".into() } else { "gradle".into() };
    plan.learn("dir", [dir.to_owned()]);
    plan.learn("module", [package.strip_prefix(dir).unwrap_or(package).trim_start_matches('/').to_owned()]);
    plan.runtime = runtime.unwrap_or("").to_owned();
    if let Some(level) = level(tree, &[package, dir]) {
        plan.notes.push(format!("the project is written for Java {level}; one modern JDK builds all"));
        plan.learn("level", [level]);
    }
    Ok(plan)
}

/// The version of the language that a build asks for, from the files of its own tool.
fn level(tree: &dyn Files, dirs: &[&str]) -> Option<String> {
    let at = |dir: &str, name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
    let texts = |name: &'static str| dirs.iter().filter_map(move |d| tree.text(&at(d, name)));
    let tags = ["maven.compiler.release", "maven.compiler.source", "java.version", "release", "source", "target"];
    let stated = |pom: &String| {
        tags.iter().find_map(|tag| {
            let value = pom.split_once(&format!("<{tag}>"))?.1.split('<').next()?.trim();
            (!value.is_empty() && !value.contains('$')).then(|| value.to_owned())
        })
    };
    let pinned = texts(".java-version").find_map(|t| versions::first_line(&t));
    let found = pinned.or_else(|| texts("pom.xml").find_map(|pom| stated(&pom)))?;
    Some(found.strip_prefix("1.").map_or(found.clone(), str::to_owned))
}

/// The folder that the build runs in.
pub(super) fn dir(plan: &Plan, at: &Places) -> String {
    plan.fact("dir").filter(|d| !d.is_empty()).map_or_else(|| at.tree.clone(), |d| format!("{}/{d}", at.tree))
}

/// The command for a goal.
pub(super) fn command(plan: &Plan, at: &Places, goal: &str, offline: bool) -> Vec<String> {
    let module = plan.fact("module").unwrap_or("");
    if plan.manager == "gradle" {
        let task = if module.is_empty() { goal.to_owned() } else { format!(":{}:{goal}", module.replace('/', ":")) };
        let mut all = words("/bin/sh ./gradlew --no-daemon --console=plain --continue");
        all.extend(["--init-script".to_owned(), format!("{}/gradle_init.gradle", at.tools)]);
        all.extend(offline.then(|| "--offline".to_owned()));
        all.push(task);
        return all;
    }
    let mut all = words("mvn -B -fae -Dstyle.color=never -DskipTests=false -Dmaven.test.skip=false");
    all.extend(words("-Dsurefire.rerunFailingTestsCount=0 -Dsurefire.skipAfterFailureCount=0 -Dsurefire.failIfNoSpecifiedTests=false"));
    all.push("-Dmaven.test.redirectTestOutputToFile=true".into());
    all.push(format!("-Dmaven.test.failure.ignore={}", !offline));
    all.push(format!("-Dmaven.repo.local={}/m2", at.home));
    all.extend(SKIPPED.iter().map(|s| format!("-D{s}=true")));
    all.extend(offline.then(|| "-o".to_owned()));
    if !module.is_empty() {
        all.extend(["-pl".to_owned(), module.to_owned(), "-am".to_owned()]);
    }
    all.push(goal.to_owned());
    all
}

/// Lines of compilers that are told, and letters of all of them.
const MOST_LINES: usize = 20;
const MOST_LETTERS: usize = 1_200;

/// What compilers say of code that does not build: each line about a place in a source or about the compiler itself, with
/// what belongs to it.
pub(super) fn errors(output: &str) -> String {
    let bare = |line: &str| line.trim_start().trim_start_matches("[ERROR]").trim().to_owned();
    let begins = |line: &str| {
        let place = [".java:", ".kt:", ".groovy:", ".scala:"].iter().any(|end| line.contains(end));
        let of_compiler = ["Fatal error compiling", "invalid source release", "invalid target release"];
        let fault = line.contains("error:") || line.starts_with("e: ") || line.trim_start().starts_with("[ERROR]");
        place && fault || of_compiler.iter().any(|words| line.contains(words))
    };
    let belongs =
        |line: &str| ["symbol:", "location:", "required:", "found:", "reason:"].iter().any(|w| line.starts_with(w));
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for line in output.lines() {
        let text = bare(line);
        open = begins(line) || open && belongs(&text);
        // Maven says everything twice.
        if open && !found.contains(&text) && found.len() < MOST_LINES {
            found.push(text);
        }
    }
    found.join("\n").chars().take(MOST_LETTERS).collect()
}

/// What a build tool counts in all its modules, of its lines `Tests run: N, Failures: F, Errors: E, Skipped: S`: run,
/// failed, skipped. Lines about one class alone also have a time and are left out.
pub(super) fn counts(text: &str) -> (u64, u64, u64) {
    let mut all = (0, 0, 0);
    for line in text.lines().filter(|l| !l.contains("Time elapsed")) {
        let number = |name: &str| {
            let rest = line.split_once(name).map_or("", |(_, r)| r).trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
        };
        let failed = number("Failures:").saturating_add(number("Errors:"));
        all = (add(all.0, number("Tests run:")), add(all.1, failed), add(all.2, number("Skipped:")));
    }
    all
}

/// Takes a report for broken that does not have what the build tool counted. A tool that counts the failures of the report
/// and ends well all the same was told to do so by its project.
pub(super) fn believe(report: &mut Report, told: (u64, u64, u64)) {
    let of = |which: &dyn Fn(Status) -> bool| report.cases.iter().filter(|c| which(c.status)).count() as u64;
    let found = (of(&|_| true), of(&Status::is_failure), of(&|s| s == Status::Skipped));
    if report.seal != Seal::Whole {
        return;
    }
    if found == told {
        report.forgiven = told.1 > 0;
        return;
    }
    let what = |(run, failed, skipped)| format!("{run} run, {failed} failed, {skipped} skipped");
    let failed = report.cases.iter().filter(|c| c.status.is_failure()).map(|c| c.id.clone());
    let named = if found.1 > 0 { format!(" ({})", naming(failed)) } else { String::new() };
    report.seal = Seal::Broken(format!("the build tool counts {}, the files say {}{named}", what(told), what(found)));
}

fn add(a: u64, b: u64) -> u64 {
    a.saturating_add(b)
}
