use super::plan::{env, stdin};
use super::typescript_once::Once;
use super::{
    Files, Language, LanguageError, Merged, Mixed, Places, Plan, Release, Step, Suspect, TestCommand, Tool, diff, json,
    releases, typescript_config as config, typescript_named::named, typescript_paths as paths,
    typescript_project as project, typescript_suspect as suspect, typescript_tsconfig as tsconfig,
};
use crate::reports::{Key, Report, parse_sealed};
use std::collections::BTreeSet;

/// TypeScript and JavaScript: npm, pnpm or yarn, and vitest, jest, mocha or Node's own runner.
///
/// What code under test can forge: with vitest, Node's runner and jest from version 29 it runs in worker processes, from
/// which code written against that runner can send results of its own to the main process; with mocha and older jests it
/// runs in the process of the reporter and can reach its key. It can replace assertions of libraries (`expect`), not those
/// of Node itself, and not what Node's runner is built on. It cannot do so by files (configuration, setup files and
/// packages are protected), by lines of output, by exit codes, by leaving early, by skipping, or by a report of its own.
pub struct TypeScript;

const TOOLS: [Tool; 7] = [
    Tool { name: "freeze.cjs", bytes: include_bytes!("freeze.cjs") },
    Tool { name: "node_guard.cjs", bytes: include_bytes!("node_guard.cjs") },
    Tool { name: "report_writer.cjs", bytes: include_bytes!("report_writer.cjs") },
    Tool { name: "vitest_reporter.mjs", bytes: include_bytes!("vitest_reporter.mjs") },
    Tool { name: "jest_reporter.cjs", bytes: include_bytes!("jest_reporter.cjs") },
    Tool { name: "mocha_reporter.cjs", bytes: include_bytes!("mocha_reporter.cjs") },
    Tool { name: "node_reporter.mjs", bytes: include_bytes!("node_reporter.mjs") },
];

impl Language for TypeScript {
    fn name(&self) -> &'static str {
        "typescript"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["ts", "tsx", "js", "jsx", "cjs", "mjs", "cts", "mts", "vue", "svelte"]
    }

    fn image(&self) -> &'static str {
        "tsbench/node:1"
    }

    fn tools(&self) -> &'static [Tool] {
        &TOOLS
    }

    fn detect(&self, tree: &dyn Files, package: Option<&str>, runtime: Option<&str>) -> Result<Plan, LanguageError> {
        let tree = &Once::new(tree);
        let mut plan = project::plan(tree, package.unwrap_or(""), runtime)?;
        let all: BTreeSet<String> = tree.paths().into_iter().collect();
        let folders = paths::folders(&all, &plan.package);
        plan.protected = paths::globs(&folders);
        plan.protected.extend(named(tree, &plan, &all, &folders));
        plan.suspect = paths::SUSPECT.into_iter().chain([paths::COMPILER]).map(str::to_owned).collect();
        plan.mixed = vec!["**/package.json".into(), paths::COMPILER.into()];
        plan.rewritten = config::globs(&plan, &all);
        Ok(plan)
    }

    fn install(&self, plan: &Plan, at: &Places) -> Vec<Step> {
        project::install(plan, at)
            .into_iter()
            .map(|(words, may_fail, pinned)| {
                let dir = install_dir(plan, at);
                let mut env = environment(plan, at);
                if !pinned {
                    // What brings Node cannot run on the Node that it brings.
                    env.retain(|(name, _)| name != "PATH");
                    env.push(("PATH".into(), at.path.clone()));
                }
                Step { words, dir, env, may_fail }
            })
            .collect()
    }

    fn lacks_runtime(&self, plan: &Plan, step: &Step, log: &str) -> bool {
        // Exact versions of Node come as packages.
        let brings = step.words.iter().any(|w| w.contains("node-linux-"));
        brings
            && !plan.runtime.is_empty()
            && ["ETARGET", "E404", "EINVALIDTAGNAME"].iter().any(|code| log.contains(code))
    }

    fn version(&self, plan: &Plan, at: &Places) -> Step {
        let words = ["/usr/bin/env", "node", "--version"].map(str::to_owned).to_vec();
        Step { words, dir: plan.dir(at), env: environment(plan, at), may_fail: false }
    }

    fn test(&self, plan: &Plan, at: &Places, key: &Key) -> TestCommand {
        let reporter = |file: &str| format!("{}/{file}", at.tools);
        let own: Vec<String> = match plan.runner.as_str() {
            "vitest" => vec![
                "vitest".into(),
                "run".into(),
                format!("--reporter={}", reporter("vitest_reporter.mjs")),
                "--coverage.enabled=false".into(),
                "--bail=0".into(),
                "--passWithNoTests=false".into(),
            ],
            "jest" => {
                let mut words = vec![
                    "jest".to_owned(),
                    "--ci".into(),
                    "--no-cache".into(),
                    format!("--reporters={}", reporter("jest_reporter.cjs")),
                    "--coverage=false".into(),
                    "--watchAll=false".into(),
                    "--bail=0".into(),
                    "--passWithNoTests=false".into(),
                    "--forceExit".into(),
                ];
                if plan.fact("workers").is_some() {
                    // A limit on the memory of idle workers makes jest use workers even for one file.
                    words.push("--workerIdleMemoryLimit=4GB".into());
                }
                words
            }
            "mocha" => vec![
                "mocha".into(),
                format!("--require={}", reporter("freeze.cjs")),
                "--reporter".into(),
                reporter("mocha_reporter.cjs"),
                "--exit".into(),
            ],
            _ => vec![
                "node".into(),
                format!("--require={}", reporter("node_guard.cjs")),
                format!("--require={}", reporter("freeze.cjs")),
                "--test".into(),
                format!("--test-reporter={}", reporter("node_reporter.mjs")),
                "--test-reporter-destination=stdout".into(),
            ],
        };
        let mut words = match own[0].as_str() {
            "node" => vec!["/usr/bin/env".to_owned()],
            _ => ["/bin/sh", "-c", RUNNER, "sh", &bins(plan, at).join(":")].map(str::to_owned).to_vec(),
        };
        words.extend(own);
        words.extend(plan.facts("arguments").iter().cloned());
        if let [first, ..] = plan.facts("patterns") {
            // Patterns that the project's script leaves to the shell; they hold nothing but names and stars.
            let patterns = [std::slice::from_ref(first), &plan.facts("patterns")[1..]].concat().join(" ");
            words =
                [vec!["/bin/sh".into(), "-c".into(), format!("exec \"$@\" {patterns}"), "sh".into()], words].concat();
        }
        let mut pairs = environment(plan, at);
        pairs.extend(
            plan.facts("environment").iter().filter_map(|e| e.split_once('=')).map(|(k, v)| (k.into(), v.into())),
        );
        TestCommand { words, dir: plan.dir(at), env: pairs, stdin: stdin(at, key) }
    }

    fn read(&self, _plan: &Plan, files: &[(String, Vec<u8>)], key: &Key) -> Report {
        files
            .iter()
            .find(|(name, _)| name == "report.jsonl")
            .map_or_else(Report::default, |(_, bytes)| parse_sealed(bytes, key))
    }

    fn is_build_failure(&self, report: &Report, stdout: &[u8], stderr: &[u8]) -> bool {
        let marks = [
            "SyntaxError",
            "Transform failed",
            "error TS",
            "ERR_MODULE_NOT_FOUND",
            "Cannot find module",
            "is not a constructor",
        ];
        let said = [stdout, stderr].map(String::from_utf8_lossy);
        report.problems.iter().any(|p| p.starts_with("load "))
            || report.cases.is_empty() && said.iter().any(|s| marks.iter().any(|m| s.contains(m)))
    }

    fn ids_in_diff(&self, _plan: &Plan, patch: &[u8]) -> Vec<String> {
        // Titles of the tests alone: which suites they stand in, a patch need not show.
        let named = |(file, line): (String, String)| {
            let line = line.trim_start();
            let rest = ["it(", "test("].iter().find_map(|p| line.strip_prefix(p))?.trim_start();
            let quote = rest.chars().next().filter(|c| ['"', '\'', '`'].contains(c))?;
            let title = rest[1..].split(quote).next()?.trim();
            super::is_test_path(&file).then(|| format!("{file}::{title}"))
        };
        diff::added(patch).into_iter().filter_map(named).collect()
    }

    fn files_of(&self, id: &str, _tree: &dyn Files) -> Vec<String> {
        id.split("::").next().map(str::to_owned).into_iter().collect()
    }

    fn merge(&self, mixed: &Mixed<'_>) -> Option<Merged> {
        match mixed.path.rsplit('/').next() {
            Some("package.json") => json::merge_package(mixed.trusted, mixed.theirs),
            Some(name) if name.starts_with("tsconfig") || name.starts_with("jsconfig") => tsconfig::merge(mixed),
            Some(_) => config::merge(mixed),
            None => None,
        }
    }

    fn may_be_code(&self, path: &str) -> bool {
        suspect::may_be_code(path)
    }

    fn is_code(&self, file: &Suspect<'_>) -> bool {
        suspect::is_code(file)
    }

    fn leave_out(&self, plan: &Plan, command: &mut TestCommand, paths: &[String]) {
        let folder = if plan.package.is_empty() { String::new() } else { format!("{}/", plan.package) };
        let by_name = |path: &&str| path.contains(".test.") || path.contains(".spec.");
        let inside = paths.iter().filter_map(|p| p.strip_prefix(folder.as_str())).filter(by_name);
        if plan.runner == "vitest" {
            command.words.extend(inside.map(|path| format!("--exclude={path}")));
        }
    }

    fn releases(&self, tree: &dyn Files, listing: &[String]) -> Vec<Release> {
        releases::node(tree, listing)
    }

    fn version_of_release(&self, _release: &Release, bytes: &[u8]) -> Option<String> {
        Some(json::text_of(bytes, "version").unwrap_or_default())
    }
}

fn install_dir(plan: &Plan, at: &Places) -> String {
    plan.fact("install_dir").filter(|d| !d.is_empty()).map_or_else(|| at.tree.clone(), |d| format!("{}/{d}", at.tree))
}

/// Starts the tree's own runner, which may have a namesake on the machine. A folder of packages is no link: where the
/// installation made none, a patch could put one.
const RUNNER: &str = r#"places=$1 name=$2; shift 2; IFS=:
for dir in $places; do
  if [ -x "$dir/$name" ] && [ ! -L "${dir%/.bin}" ] && [ ! -L "$dir" ]; then exec "$dir/$name" "$@"; fi
done
exec /usr/bin/env "$name" "$@""#;

/// The folders of programs that packages bring, the nearest first.
fn bins(plan: &Plan, at: &Places) -> Vec<String> {
    let mut dirs =
        [plan.dir(at), install_dir(plan, at), at.tree.clone()].map(|d| format!("{d}/node_modules/.bin")).to_vec();
    dirs.dedup();
    dirs
}

fn environment(plan: &Plan, at: &Places) -> Vec<(String, String)> {
    let mut pairs = env(&[
        ("CI", "1"),
        ("NO_COLOR", "1"),
        ("NODE_ENV", "test"),
        ("YARN_NODE_LINKER", "node-modules"),
        ("YARN_ENABLE_TELEMETRY", "0"),
        ("YARN_ENABLE_SCRIPTS", "false"),
        ("npm_config_package_manager_strict", "false"),
        ("npm_config_manage_package_manager_versions", "false"),
        ("npm_config_update_notifier", "false"),
        ("NEXT_TELEMETRY_DISABLED", "1"),
    ]);
    let home = &at.home;
    // What a patch may make a folder of comes last: neither `node` nor a program of the system is found there.
    let mut path = Vec::new();
    if !plan.runtime.is_empty() {
        path.extend(["x64", "arm64"].map(|arch| format!("{home}/node/node_modules/node-linux-{arch}/bin")));
    }
    path.push(format!("{home}/manager/node_modules/.bin"));
    path.push(at.path.clone());
    path.extend(bins(plan, at));
    pairs.push(("PATH".into(), path.join(":")));
    for (name, folder) in [
        ("npm_config_cache", "cache/npm"),
        ("npm_config_store_dir", "cache/pnpm"),
        ("YARN_CACHE_FOLDER", "cache/yarn"),
        ("YARN_GLOBAL_FOLDER", "cache/berry"),
    ] {
        pairs.push((name.into(), format!("{home}/{folder}")));
    }
    pairs
}
