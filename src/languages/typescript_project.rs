use super::json::object;
use super::paths::join;
use super::{Files, LanguageError, Places, Plan, script, versions};
use serde_json::{Map, Value};

type Package = Map<String, Value>;

const RUNNERS: [&str; 3] = ["vitest", "jest", "mocha"];

/// Lockfiles in the order in which they are believed.
const LOCKS: [(&str, &str); 4] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("package-lock.json", "npm"), ("npm-shrinkwrap.json", "npm")];

/// Reads a project.
pub(super) fn plan(tree: &dyn Files, package: &str, runtime: Option<&str>) -> Result<Plan, LanguageError> {
    let own_path = join(package, "package.json");
    let own = read(tree, &own_path)?
        .ok_or_else(|| LanguageError::missing(&own_path, "a package under test has a package.json"))?;
    let root = if package.is_empty() { own.clone() } else { read(tree, "package.json")?.unwrap_or_default() };
    let mut plan = Plan { package: package.into(), ..Plan::default() };
    manager(tree, &mut plan, &own, &root);
    plan.runtime = match runtime {
        Some(version) => version.to_owned(),
        None => node_version(tree, package, &[&own, &root], &mut plan.notes).unwrap_or_default(),
    };
    plan.runner = runner(tree, package, &own, &root)?;
    let text = own.get("scripts").and_then(|s| s.get("test")).and_then(Value::as_str).unwrap_or("");
    let asked = script::arguments(&resolve(&own, text), &plan.runner);
    plan.learn("arguments", asked.arguments);
    plan.learn("patterns", asked.patterns);
    plan.learn("environment", asked.environment);
    if plan.runner == "jest"
        && [&own, &root].iter().find_map(|p| dependency(p, "jest")).is_none_or(|v| major(v).is_none_or(|m| m >= 29))
    {
        plan.learn("workers", ["yes".to_owned()]);
    }
    plan.caches = vec![
        ("npm".into(), "cache/npm".into()),
        ("pnpm".into(), "cache/pnpm".into()),
        ("yarn".into(), "cache/yarn".into()),
    ];
    Ok(plan)
}

fn read(tree: &dyn Files, path: &str) -> Result<Option<Package>, LanguageError> {
    let Some(text) = tree.text(path) else { return Ok(None) };
    object(&text)
        .map(Some)
        .ok_or_else(|| LanguageError::Bad { path: path.to_owned(), what: "it is not a JSON object".into() })
}

/// A script that only calls another (`npm run test:unit`) stands for that one.
fn resolve(package: &Package, text: &str) -> String {
    let called =
        ["npm run ", "pnpm run ", "yarn run ", "pnpm ", "yarn "].iter().find_map(|p| text.trim().strip_prefix(p));
    let script = called.and_then(|name| package.get("scripts")?.get(name.split_whitespace().next()?)?.as_str());
    script.unwrap_or(text).to_owned()
}

/// The folder whose lockfile rules, and whose manager that is.
fn manager(tree: &dyn Files, plan: &mut Plan, own: &Package, root: &Package) {
    let field = |p: &Package| {
        let text = p.get("packageManager")?.as_str()?.split('+').next()?.to_owned();
        ["npm", "pnpm", "yarn"].contains(&text.split('@').next()?).then_some(text)
    };
    let mut dir = plan.package.clone();
    let mut found: Vec<&str> = Vec::new();
    loop {
        found.extend(LOCKS.iter().filter(|(file, _)| tree.has(&join(&dir, file))).map(|(_, manager)| *manager));
        if !found.is_empty() || dir.is_empty() {
            break;
        }
        dir = dir.rsplit_once('/').map_or_else(String::new, |(above, _)| above.to_owned());
    }
    if found.is_empty() {
        plan.notes.push("there is no lockfile: versions of dependencies are those of the day of the install".into());
        plan.learn("no_lock", ["yes".to_owned()]);
        dir = if tree.has("package.json") && root.contains_key("workspaces") {
            String::new()
        } else {
            plan.package.clone()
        };
    }
    found.dedup();
    if found.len() > 1 {
        plan.notes.push(format!("lockfiles of {}: the first one is believed", found.join(" and ")));
    }
    let pinned = field(own).or_else(|| field(root));
    plan.manager = pinned.unwrap_or_else(|| match found.first() {
        Some(&"pnpm") => pnpm_of(&tree.text(&join(&dir, "pnpm-lock.yaml")).unwrap_or_default()),
        Some(&"yarn") => {
            let berry = tree.text(&join(&dir, "yarn.lock")).is_some_and(|t| t.contains("\n__metadata:"));
            if berry { "yarn@4.9.2".into() } else { "yarn@1.22.22".into() }
        }
        _ => "npm".into(),
    });
    plan.learn("install_dir", [dir]);
}

/// The manager that wrote a lockfile of this version.
fn pnpm_of(lock: &str) -> String {
    let version =
        lock.lines().find_map(|l| l.strip_prefix("lockfileVersion:")).unwrap_or("").trim().trim_matches(['\'', '"']);
    match version.split('.').next() {
        Some("5") => "pnpm@7.33.7".into(),
        Some("6") => "pnpm@8.15.9".into(),
        _ => "pnpm@9.15.9".into(),
    }
}

fn node_version(tree: &dyn Files, package: &str, packages: &[&Package], notes: &mut Vec<String>) -> Option<String> {
    let file = |name: &str| tree.text(&join(package, name)).or_else(|| tree.text(name));
    let field =
        |table: &str, key: &str| packages.iter().find_map(|p| p.get(table)?.get(key)?.as_str().map(str::to_owned));
    let found = file(".nvmrc")
        .and_then(|t| versions::first_line(&t))
        .or_else(|| file(".node-version").and_then(|t| versions::first_line(&t)))
        .or_else(|| versions::tool_version(&file(".tool-versions")?, "nodejs"))
        .or_else(|| field("volta", "node"));
    if let Some(found) = found {
        return versions::node_line(&found);
    }
    let engines = field("engines", "node")?;
    let exact = engines.trim().trim_start_matches(['^', '~', '=', 'v']);
    let exact = exact.trim_end_matches(".x").trim_end_matches(".x");
    if !exact.is_empty() && exact.chars().all(|c| c.is_ascii_digit() || c == '.') {
        // `^20.1.0` allows any 20 from there on; the newest one serves.
        let any = engines.trim().starts_with('^');
        return Some(if any { exact.split('.').next().unwrap_or(exact).to_owned() } else { exact.to_owned() });
    }
    notes.push(format!("engines.node is {engines:?}, a range: the image's Node is used"));
    None
}

fn dependency<'a>(package: &'a Package, name: &str) -> Option<&'a str> {
    ["devDependencies", "dependencies"].iter().find_map(|t| package.get(*t)?.get(name)?.as_str())
}

fn major(range: &str) -> Option<u32> {
    let digits = range.trim_start_matches(|c: char| !c.is_ascii_digit());
    digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn runner(tree: &dyn Files, package: &str, own: &Package, root: &Package) -> Result<String, LanguageError> {
    let paths = tree.paths();
    let configured = |dir: &str, name: &str| {
        let starts = if name == "mocha" { join(dir, ".mocharc") } else { join(dir, &format!("{name}.config.")) };
        paths.iter().any(|p| p.strip_prefix(&starts).is_some_and(|rest| !rest.contains('/')))
    };
    let mut candidates: Vec<Vec<&str>> = Vec::new();
    for (dir, manifest) in [(package, own), ("", root)] {
        let text = manifest.get("scripts").and_then(|s| s.get("test")).and_then(Value::as_str).unwrap_or("");
        let text = resolve(manifest, text);
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == '/').collect();
        candidates.push(RUNNERS.into_iter().filter(|r| words.contains(r)).collect());
        candidates.push(if words.contains(&"--test") { vec!["node"] } else { Vec::new() });
        candidates.push(RUNNERS.into_iter().filter(|r| dependency(manifest, r).is_some()).collect());
        candidates.push(RUNNERS.into_iter().filter(|r| configured(dir, r) || manifest.contains_key(*r)).collect());
    }
    let found = candidates.iter().find(|c| c.len() == 1).or_else(|| candidates.iter().find(|c| c.len() > 1));
    match found.map(Vec::as_slice) {
        Some([one]) => Ok((*one).to_owned()),
        Some(several) => Err(LanguageError::Ambiguous {
            found: several.iter().map(|r| (*r).to_owned()).collect(),
            hint: "name the one that `npm test` calls in the scripts of package.json".into(),
        }),
        None => Err(LanguageError::missing("the test runner", "vitest, jest, mocha and `node --test` are known")),
    }
}

/// Runs the scripts of dependencies that have some, by name: without names, npm and pnpm would run those of the root too.
const REBUILD: &str = r#"
const fs = require("fs"), { spawnSync } = require("child_process"), found = new Set();
const list = (dir) => { try { return fs.readdirSync(dir); } catch { return []; } };
const look = (dir) => {
  let text;
  try { text = JSON.parse(fs.readFileSync(`${dir}/package.json`)); } catch { return; }
  const s = text.scripts ?? {};
  if (s.preinstall || s.install || s.postinstall || fs.existsSync(`${dir}/binding.gyp`)) found.add(text.name);
  if (!fs.lstatSync(dir).isSymbolicLink()) all(`${dir}/node_modules`);
};
const all = (dir) => {
  for (const name of list(dir)) {
    if (name.startsWith("@")) for (const inner of list(`${dir}/${name}`)) look(`${dir}/${name}/${inner}`);
    else if (!name.startsWith(".") && !fs.lstatSync(`${dir}/${name}`).isSymbolicLink()) look(`${dir}/${name}`);
  }
};
all("node_modules");
for (const one of list("node_modules/.pnpm")) all(`node_modules/.pnpm/${one}/node_modules`);
const extra = process.argv[1] === "pnpm" ? ["--config.dangerouslyAllowAllBuilds=true"] : ["--no-audit", "--no-fund"];
if (found.size) process.exit(spawnSync(process.argv[1], ["rebuild", ...found, ...extra], { stdio: "inherit" }).status ?? 1);
"#;

/// The commands of an installation: words, whether they may fail, and whether the pinned Node runs them.
pub(super) fn install(plan: &Plan, at: &Places) -> Vec<(Vec<String>, bool, bool)> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let home = &at.home;
    let mut steps = Vec::new();
    if !plan.runtime.is_empty() {
        // Node comes as a package, so that a registry is all that is needed for an exact version.
        let code = "case $(uname -m) in aarch64|arm64) a=arm64;; *) a=x64;; esac; exec npm install --no-audit --no-fund --prefix \"$1\" \"node-linux-$a@$2\"";
        steps.push((
            vec!["/bin/sh".into(), "-c".into(), code.into(), "sh".into(), format!("{home}/node"), plan.runtime.clone()],
            false,
            false,
        ));
    }
    let (name, version) = plan.manager.split_once('@').unwrap_or((&plan.manager, ""));
    let version = match (name, version, major(&plan.runtime)) {
        ("npm", "", Some(old)) if old < 20 => {
            ["6.14.18", "8.19.4", "10.9.4"][usize::from(old > 14) + usize::from(old > 16)]
        }
        (_, version, _) => version,
    };
    if !version.is_empty() {
        let package = if name == "yarn" && major(version).is_some_and(|m| m >= 2) { "@yarnpkg/cli-dist" } else { name };
        steps.push((
            words(&format!("npm install --no-audit --no-fund --prefix {home}/manager {package}@{version}")),
            false,
            false,
        ));
    }
    let locked = plan.fact("no_lock").is_none();
    let berry = name == "yarn" && major(version).is_some_and(|m| m >= 2);
    let text = match (name, locked) {
        ("pnpm", true) => "pnpm install --frozen-lockfile --ignore-scripts",
        ("pnpm", false) => "pnpm install --ignore-scripts",
        ("yarn", true) if berry => "yarn install --immutable",
        // Where `CI` is set, Yarn writes no lockfile unless it is told to.
        ("yarn", false) if berry => "yarn install --no-immutable",
        ("yarn", true) => "yarn install --frozen-lockfile --ignore-scripts --non-interactive",
        ("yarn", false) => "yarn install --ignore-scripts --non-interactive --no-lockfile",
        (_, true) => "npm ci --ignore-scripts --no-audit --no-fund",
        (_, false) => "npm install --ignore-scripts --no-audit --no-fund --no-package-lock",
    };
    steps.push((words(&format!("/usr/bin/env {text}")), false, true));
    // The scripts of dependencies run, those of the root (hooks, builds) do not; one that cannot is seen in the tests.
    let by = if name == "pnpm" { "pnpm" } else { "npm" };
    let rebuild = ["/usr/bin/env", "node", "-e", REBUILD, by].map(str::to_owned).to_vec();
    steps.push((rebuild, true, true));
    steps
}
