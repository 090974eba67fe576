//! Tasks become task folders of Harbor. What only we know stays beside the solution, so that they come back whole.

use super::{ExchangeError, Losses};
use crate::git::Mode;
use crate::tasks::{Files, Material, Task, TaskSuite, leaves, read_folder, write_links};
use std::fmt::Write as _;
use std::path::Path;

/// Where the parts of a task's folder go that Harbor has no place for.
pub(super) const REST: &str = "solution/tsbench/";
/// The suite's description among them.
pub(super) const SUITE: &str = "suite.toml";
/// Our folders and files, and theirs.
pub(super) const MOVES: [(&str, &str); 5] = [
    ("repo/", "environment/repo/"),
    ("tests/", "tests/tree/"),
    ("grader/", "tests/grader/"),
    ("solution.patch", "solution/solution.patch"),
    ("problem.md", "instruction.md"),
];
/// The folder in which work is done.
const WORK: &str = "/app";

/// Writes a suite as a folder of task folders; what is lost.
pub fn export(suite: &TaskSuite, mirrors: &Path, out: &Path) -> Result<(usize, Losses), ExchangeError> {
    if out.symlink_metadata().is_ok() {
        return Err(ExchangeError::Exists(out.to_owned()));
    }
    let of_suite = suite.dir.join(SUITE);
    let of_suite = std::fs::read(&of_suite).map_err(ExchangeError::io(of_suite))?;
    let mut losses = Losses::default();
    let mut all = Files::new();
    let mut count = 0;
    for task in &suite.tasks {
        let id = &task.spec.id;
        if task.spec.sealed.is_some() {
            losses.add(id, "left out: it is sealed");
            continue;
        }
        let Some(tools) = Tools::of(&task.spec.language, task.spec.runtime.as_deref()) else {
            losses.add(id, format!("left out: no image is known for {}", task.spec.language));
            continue;
        };
        let mut files = folder(task, &Material::prepare(task, mirrors)?, &tools)?;
        if let Some(link) = leaving(&files) {
            losses.add(id, format!("left out: the link {link} leads out of its tree"));
            continue;
        }
        files.insert(format!("{REST}{SUITE}"), (Mode::File, of_suite.clone()));
        losses.add(id, "targets and guards: the reward tells of the whole run, and names of tests are not read");
        losses.add(id, "protected paths: what a solution may not touch is not restored, but for the hidden tests");
        all.extend(files.into_iter().map(|(path, file)| (format!("{id}/{path}"), file)));
        count += 1;
    }
    if count == 0 {
        return Ok((0, losses));
    }
    let in_tree = |path: &str| path.split_once('/').is_some_and(|(_, p)| inside_tree(p).is_some());
    write_links(out, &all, &in_tree).map_err(|e| match e {
        crate::tasks::TaskError::Bad { what, .. } => {
            ExchangeError::bad(out, what, "Harbor copies folders as they are; take the file out of the task")
        }
        e => e.into(),
    })?;
    Ok((count, losses))
}

/// The place of a file within the tree that is copied as a whole; nothing for other files.
fn inside_tree(path: &str) -> Option<&str> {
    ["environment/repo/", "tests/tree/"].iter().find_map(|tree| path.strip_prefix(tree))
}

/// A link that would not lead to a file of its own tree.
fn leaving(files: &Files) -> Option<&str> {
    let links = files.iter().filter(|(_, (mode, _))| *mode == Mode::Link);
    links.map(|(p, (_, t))| (p, t)).find(|(p, t)| inside_tree(p).is_some_and(|i| leaves(i, t))).map(|(p, _)| p.as_str())
}

/// A language's public image, how it is installed, and how its tests are run.
pub(super) struct Tools {
    pub image: String,
    pub install: &'static str,
    pub test: &'static str,
}

impl Tools {
    pub fn of(language: &str, runtime: Option<&str>) -> Option<Tools> {
        let (image, version, suffix, install, test) = match language {
            "python" => (
                "python",
                "3.12",
                "",
                "export PIP_BREAK_SYSTEM_PACKAGES=1 && python -m pip install --quiet pytest && for f in requirements*.txt; do [ ! -f \"$f\" ] || python -m pip install --quiet -r \"$f\"; done && if [ -f pyproject.toml ] || [ -f setup.py ]; then python -m pip install --quiet -e .; fi",
                "python -m pytest -q",
            ),
            "typescript" | "javascript" => (
                "node",
                "22",
                "",
                "if [ -f pnpm-lock.yaml ]; then corepack enable && pnpm install --frozen-lockfile; elif [ -f package-lock.json ]; then npm ci; else npm install; fi",
                "npm test",
            ),
            "go" => ("golang", "1.24", "", "go mod download", "go test ./..."),
            "java" => (
                "maven",
                "3-eclipse-temurin-21",
                "",
                "mvn -q -B test-compile dependency:go-offline && (mvn -q -B test || true)",
                "mvn -q -B -o test",
            ),
            _ => return None,
        };
        let version = runtime.filter(|_| language != "java").unwrap_or(version);
        Some(Tools { image: format!("{image}:{version}{suffix}"), install, test })
    }
}

fn folder(task: &Task, material: &Material, tools: &Tools) -> Result<Files, ExchangeError> {
    let mut files = Files::new();
    for (path, file) in read_folder(&task.dir)? {
        let moved = MOVES.iter().find_map(|(ours, theirs)| Some(format!("{theirs}{}", path.strip_prefix(ours)?)));
        files.insert(moved.unwrap_or_else(|| format!("{REST}{path}")), file);
    }
    if task.spec.source.is_some() || task.spec.base.is_some() {
        for (path, entry) in material.store.read(&material.start)? {
            files.insert(format!("environment/repo/{path}"), (entry.mode, material.store.bytes(&entry.blob)?));
        }
        files.insert("solution/solution.patch".into(), (Mode::File, material.solution.clone()));
    }
    for (path, entry) in &material.hidden.files {
        files.insert(format!("tests/tree/{path}"), (entry.mode, material.store.bytes(&entry.blob)?));
    }
    let texts = [
        ("task.toml", Mode::File, about(task)),
        ("environment/Dockerfile", Mode::File, dockerfile(tools)),
        ("tests/test.sh", Mode::Executable, test_script(task, material, tools)),
        (
            "solution/solve.sh",
            Mode::Executable,
            format!("#!/bin/bash\nset -e\ncd {WORK}\ngit apply --whitespace=nowarn /solution/solution.patch\n"),
        ),
    ];
    files.extend(texts.into_iter().map(|(path, mode, text)| (path.to_owned(), (mode, text.into_bytes()))));
    Ok(files)
}

fn dockerfile(tools: &Tools) -> String {
    format!(
        "ARG BASE={}\nFROM ${{BASE}}\nUSER root\nRUN command -v git >/dev/null || (apt-get update && apt-get install -y --no-install-recommends git)\nWORKDIR {WORK}\nCOPY repo/ {WORK}/\nRUN {}\n",
        tools.image, tools.install
    )
}

/// `task.toml` of Harbor.
fn about(task: &Task) -> String {
    let (spec, limits) = (&task.spec, &task.limits);
    let q = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let suite = task.suite.split('@').next().unwrap_or_default();
    let words: Vec<String> = spec.use_cases.iter().map(|w| q(w)).collect();
    format!(
        "schema_version = \"1.4\"\n\n[task]\nname = {}\nversion = {}\ndescription = {}\nkeywords = [{}]\n\n[metadata]\nlanguage = {}\ndifficulty = {}\nsource = \"tsbench\"\n\n[agent]\ntimeout_sec = 900.0\n\n[verifier]\ntimeout_sec = {}.0\n\n[environment]\nbuild_timeout_sec = {}.0\ncpus = {}\nmemory_mb = {}\nstorage_mb = {}\nnetwork_mode = \"no-network\"\nworkdir = \"{WORK}\"\n",
        q(&format!("{suite}/{}", spec.id)),
        q(task.suite.split('@').nth(1).unwrap_or("1")),
        q(&spec.title),
        words.join(", "),
        q(&spec.language),
        q(spec.difficulty.as_deref().unwrap_or("unknown")),
        limits.tests_seconds,
        limits.install_seconds,
        limits.cpu_thousandths.div_ceil(1000).max(1),
        limits.memory_mb,
        limits.disk_mb,
    )
}

/// `tests/test.sh`: hidden tests over the tree, the suite, and a reward.
fn test_script(task: &Task, material: &Material, tools: &Tools) -> String {
    let mut text =
        format!("#!/bin/bash\nmkdir -p /logs/verifier\necho 0 > /logs/verifier/reward.txt\ncd {WORK} || exit 0\n");
    for path in &material.hidden.removed {
        let _ = writeln!(text, "rm -rf -- {}", quoted(path));
    }
    if !material.hidden.files.is_empty() {
        // With the time of now: builders take a file that is older than what they made of it for built.
        let _ = writeln!(text, "cp -RP /tests/tree/. {WORK}/");
    }
    let run = match &task.spec.scorecard {
        None => {
            let package = task.spec.package.as_deref().map_or(String::new(), |p| format!("cd {} && ", quoted(p)));
            format!("({package}{})", tools.test)
        }
        Some(card) => {
            let words: Vec<String> = card.command.iter().map(|w| quoted(w)).collect();
            let checks: Vec<String> = card.checks.iter().map(|c| quoted(c)).collect();
            format!(
                "(cd /tests/grader && for check in {}; do\n  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')\n  last=$(printf '%s\\n' \"$token\" | TSBENCH_TREE={WORK} {} \"$check\" | tail -n 1)\n  [ \"$last\" = \"passed $token\" ] || {{ echo \"not passed: $check\"; exit 1; }}\ndone)",
                checks.join(" "),
                words.join(" ")
            )
        }
    };
    let _ = writeln!(text, "if {run}; then echo 1 > /logs/verifier/reward.txt; fi");
    text
}

/// A word for the shell, whatever it holds.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_for_the_shell_stays_one_word() {
        assert_eq!(quoted("a b; rm -rf $HOME"), "'a b; rm -rf $HOME'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
