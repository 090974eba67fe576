use super::paths::literal;
use super::plan::{env, stdin, words};
use super::{
    Files, Language, LanguageError, Merged, Mixed, Places, Plan, Release, Step, TestCommand, Tool, diff, go_mod,
    releases, versions,
};
use crate::reports::{GoNames, Key, Report, Status, open_parcel, parse_go};
use std::collections::BTreeSet;

/// Go: modules and `go test -json`.
///
/// What code under test can forge: it runs in the test binary, whose output `go test` reads. Code written against this
/// launcher can print the marks of the testing package and fill the log that proves that the tests came to their end.
/// It cannot do so by printed lines alone, by leaving early, by tests of its own or by replacing a module.
pub struct Go;

const TOOLS: [Tool; 2] = [
    Tool { name: "launch.sh", bytes: include_bytes!("launch.sh") },
    Tool { name: "go_exec.sh", bytes: include_bytes!("go_exec.sh") },
];

const PROTECTED: [&str; 6] =
    ["**/*_test.go", "**/testdata/**", "**/{go.sum,go.work.sum}", "**/go.env", "**/.go-version", "**/Makefile"];

impl Language for Go {
    fn name(&self) -> &'static str {
        "go"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["go"]
    }

    fn image(&self) -> &'static str {
        "tsbench/go:1"
    }

    fn tools(&self) -> &'static [Tool] {
        &TOOLS
    }

    fn detect(&self, tree: &dyn Files, package: Option<&str>, runtime: Option<&str>) -> Result<Plan, LanguageError> {
        let package = package.unwrap_or("");
        // The module is the nearest one above the package.
        let mut dir = package;
        let file = loop {
            let path = if dir.is_empty() { "go.mod".to_owned() } else { format!("{dir}/go.mod") };
            match tree.text(&path) {
                Some(text) => break (path, text),
                None if dir.is_empty() => {
                    return Err(LanguageError::missing(
                        "the Go module",
                        "there is no go.mod in the package's folder or above it",
                    ));
                }
                None => dir = dir.rsplit_once('/').map_or("", |(above, _)| above),
            }
        };
        let directive = |name: &str| {
            let line = file.1.lines().find_map(|l| l.trim().strip_prefix(name).filter(|r| r.starts_with([' ', '\t'])));
            line.and_then(|r| r.split_whitespace().next()).map(|v| v.trim_matches('"').to_owned())
        };
        let Some(module) = directive("module") else {
            return Err(LanguageError::Bad { path: file.0, what: "there is no module line".into() });
        };
        let mut plan =
            Plan { manager: "go".into(), runner: "go test".into(), package: package.into(), ..Plan::default() };
        let pinned = || {
            tree.text(".go-version")
                .and_then(|t| versions::first_line(&t))
                .or_else(|| versions::tool_version(&tree.text(".tool-versions")?, "golang"))
        };
        let toolchain = || directive("toolchain").and_then(|t| t.strip_prefix("go").map(str::to_owned));
        plan.runtime = runtime.map(str::to_owned).or_else(pinned).or_else(toolchain).unwrap_or_default();
        plan.learn("module", [module]);
        plan.learn("dir", [dir.to_owned()]);
        let inside = package.strip_prefix(dir).unwrap_or("").trim_start_matches('/');
        plan.learn("pattern", [if inside.is_empty() { "./...".to_owned() } else { format!("./{inside}/...") }]);
        plan.protected = PROTECTED.map(str::to_owned).to_vec();
        plan.protected.extend(vendored(tree));
        plan.mixed = vec!["**/{go.mod,go.work}".into()];
        Ok(plan)
    }

    fn install(&self, plan: &Plan, at: &Places) -> Vec<Step> {
        let step = |text: &str, may_fail| Step {
            words: words(text),
            dir: module_dir(plan, at),
            env: environment(plan, at, true),
            may_fail,
        };
        // The second step builds what the tests need and fails only where the tree does not build yet.
        vec![
            step("go mod download", false),
            step(&format!("go test -count=1 -run=^$ {}", plan.fact("pattern").unwrap_or("./...")), true),
        ]
    }

    fn lacks_runtime(&self, plan: &Plan, _step: &Step, log: &str) -> bool {
        // Other versions are fetched as modules by the go command itself.
        let said = ["toolchain not available", "invalid GOTOOLCHAIN", "invalid toolchain", "golang.org/toolchain@"];
        !plan.runtime.is_empty() && said.iter().any(|s| log.contains(s))
    }

    fn version(&self, plan: &Plan, at: &Places) -> Step {
        Step {
            words: words("go env GOVERSION"),
            dir: module_dir(plan, at),
            env: environment(plan, at, false),
            may_fail: false,
        }
    }

    fn test(&self, plan: &Plan, at: &Places, key: &Key) -> TestCommand {
        let (tools, report) = (&at.tools, &at.report);
        let mut words = words(&format!("/bin/sh {tools}/launch.sh go"));
        words.push(plan.fact("dir").filter(|d| !d.is_empty()).unwrap_or(".").to_owned());
        words.extend(["go", "test", "-json", "-count=1"].map(str::to_owned));
        words.push(format!("-exec=/bin/sh {tools}/go_exec.sh {report} {}", at.tree));
        words.push(plan.fact("pattern").unwrap_or("./...").to_owned());
        TestCommand { words, dir: at.tree.clone(), env: environment(plan, at, false), stdin: stdin(at, key) }
    }

    fn read(&self, plan: &Plan, files: &[(String, Vec<u8>)], key: &Key) -> Report {
        let names = GoNames {
            module: plan.fact("module").unwrap_or("").to_owned(),
            dir: plan.fact("dir").unwrap_or("").to_owned(),
        };
        let lines = files.iter().find(|(name, _)| name == "go.jsonl");
        let mut report = lines.map_or_else(Report::default, |(_, bytes)| parse_go(bytes, &names));
        (report.seal, report.exit) = open_parcel(files, key);
        believe(&mut report, files);
        report
    }

    fn is_build_failure(&self, report: &Report, _stdout: &[u8], stderr: &[u8]) -> bool {
        let marks = ["[build failed]", "[setup failed]", "syntax error", "build constraints exclude"];
        report.problems.iter().any(|p| p.starts_with("build of ") || marks.iter().any(|m| p.contains(m)))
            || marks.iter().any(|m| String::from_utf8_lossy(stderr).contains(m))
    }

    fn ids_in_diff(&self, _plan: &Plan, patch: &[u8]) -> Vec<String> {
        let named = |(file, line): (String, String)| {
            let name = diff::name_after(&line, "func ")?;
            let rest = name
                .strip_prefix("Test")
                .or_else(|| name.strip_prefix("Fuzz"))
                .or_else(|| name.strip_prefix("Example"))?;
            let test = file.ends_with("_test.go") && !rest.starts_with(char::is_lowercase) && name != "TestMain";
            test.then(|| format!("{}::{name}", file.rsplit_once('/').map_or(".", |(dir, _)| dir)))
        };
        diff::added(patch).into_iter().filter_map(named).collect()
    }

    fn files_of(&self, id: &str, tree: &dyn Files) -> Vec<String> {
        let Some((dir, name)) = id.split_once("::") else { return Vec::new() };
        let function = format!("func {}(", name.split('/').next().unwrap_or(name));
        let here = |p: &String| p.ends_with("_test.go") && p.rsplit_once('/').map_or(".", |(d, _)| d) == dir;
        let files = tree.paths().into_iter().filter(here);
        files.filter(|p| tree.text(p).is_some_and(|t| t.contains(&function))).collect()
    }

    fn merge(&self, mixed: &Mixed<'_>) -> Option<Merged> {
        go_mod::merge(mixed)
    }

    fn releases(&self, tree: &dyn Files, listing: &[String]) -> Vec<Release> {
        releases::go(tree, listing)
    }
}

/// The launcher notes of each binary whether the testing package closed its log, which it does after the last test. What
/// a binary without such a log says of passes is not believed; binaries of other packages are not to blame for it.
fn believe(report: &mut Report, files: &[(String, Vec<u8>)]) {
    let mut closed = BTreeSet::new();
    for (_, log) in files.iter().filter(|(name, _)| name.starts_with("log-")) {
        let log = String::from_utf8_lossy(log);
        match log.lines().collect::<Vec<_>>().as_slice() {
            ["# test log", _, folder] => drop(closed.insert((*folder).to_owned())),
            [.., "exit 0", folder] => {
                report.doubts.push(format!("a test binary left before its tests came to their end, in {folder}"));
            }
            _ => {}
        }
    }
    for case in report.cases.iter_mut().filter(|c| c.status == Status::Passed) {
        if !case.id.split("::").next().is_some_and(|folder| closed.contains(folder)) {
            case.status = Status::Unfinished;
            case.message = "its test binary never came to its end".into();
        }
    }
}

/// Globs of the modules' own copies of others: such a folder stands beside a `go.mod` or `go.work`, and one of that name
/// within a package is code or data.
fn vendored(tree: &dyn Files) -> Vec<String> {
    let paths = tree.paths();
    let roots = paths.iter().filter_map(|p| p.strip_suffix("go.mod").or_else(|| p.strip_suffix("go.work")));
    let roots: BTreeSet<String> = roots.filter(|r| r.is_empty() || r.ends_with('/')).map(literal).collect();
    roots.into_iter().map(|root| format!("{root}vendor{{,/**}}")).collect()
}

fn module_dir(plan: &Plan, at: &Places) -> String {
    plan.fact("dir").filter(|d| !d.is_empty()).map_or_else(|| at.tree.clone(), |d| format!("{}/{d}", at.tree))
}

fn environment(plan: &Plan, at: &Places, network: bool) -> Vec<(String, String)> {
    let mut pairs = env(&[("GOFLAGS", ""), ("GOWORK", ""), ("GOENV", "off"), ("CI", "1")]);
    // Releases have three parts since 1.21.
    let toolchain = match plan.runtime.split('.').collect::<Vec<_>>().as_slice() {
        [""] => "local".to_owned(),
        [major, minor] if minor.parse::<u32>().is_ok_and(|m| m >= 21) => format!("go{major}.{minor}.0"),
        _ => format!("go{}", plan.runtime),
    };
    pairs.push(("GOTOOLCHAIN".into(), toolchain));
    pairs.push(("GOMODCACHE".into(), format!("{}/gomod", at.home)));
    pairs.push(("GOCACHE".into(), format!("{}/gobuild", at.home)));
    pairs.push(("PATH".into(), at.path.clone()));
    if !network {
        pairs.push(("GOPROXY".into(), "off".into()));
    }
    pairs
}
