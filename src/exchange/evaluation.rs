//! What the harness of SWE-bench needs beside a row to grade it: an image, a script that runs the tests, and a parser of
//! its own that reads what the script prints.

use super::Losses;
use super::harbor_export::{Tools, quoted};
use super::instance::Instance;
use crate::tasks::{Material, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Where the harness keeps the repository.
const WORK: &str = "/testbed";
/// The columns, in the order of [`Evaluation::columns`].
pub(super) const COLUMNS: [&str; 5] = ["image", "dockerfile", "eval_script", "log_parser", "eval_type"];

/// The columns of a row by which it is graded, and the names of its tests as the parser gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    columns: Vec<(&'static str, String)>,
    names: BTreeMap<String, String>,
}

impl Evaluation {
    /// The columns with their values.
    pub(super) fn columns(&self) -> impl Iterator<Item = (String, serde_json::Value)> + '_ {
        self.columns.iter().map(|(key, value)| ((*key).to_owned(), value.as_str().into()))
    }

    /// The names of tests as the parser gives them, each once.
    pub(super) fn named(&self, ids: &[String]) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let name = |id: &String| self.names.get(id).unwrap_or(id).clone();
        ids.iter().map(name).filter(|name| seen.insert(name.clone())).collect()
    }

    /// Whether any test has another name there than here.
    pub(super) fn renames(&self) -> bool {
        !self.names.is_empty()
    }
}

/// How one language is tested and read.
struct Way {
    parser: &'static str,
    command: String,
    names: BTreeMap<String, String>,
}

/// Makes the columns of a task of ours; what the harness cannot do as we do it is named.
pub(super) fn evaluation(task: &Task, material: &Material, row: &Instance, losses: &mut Losses) -> Evaluation {
    let id = &task.spec.id;
    let Some(tools) = Tools::of(&task.spec.language, task.spec.runtime.as_deref()) else {
        losses.add(id, format!("image and eval_script: none are known for {}", task.spec.language));
        return Evaluation::default();
    };
    let way = way(task, &tools, losses);
    losses.add(
        id,
        "the image is published nowhere: build it from the column dockerfile, in the folder of mirrors that --write-mirrors makes",
    );
    losses.add(id, "protected paths: the harness puts back the hidden tests alone");
    let values = [
        format!("sweb.eval.x86_64.{id}:latest").to_lowercase(),
        dockerfile(row, &tools),
        script(material, row, &way.command),
        way.parser.to_owned(),
        "pass_and_fail".to_owned(),
    ];
    Evaluation { columns: COLUMNS.into_iter().zip(values).collect(), names: way.names }
}

fn way(task: &Task, tools: &Tools, losses: &mut Losses) -> Way {
    let (spec, id) = (&task.spec, &task.spec.id);
    let ids: Vec<&str> = spec.targets.iter().chain(&spec.guards).map(String::as_str).collect();
    let inside =
        spec.package.as_deref().map_or(String::new(), |p| format!("cd {} && ", quoted(&format!("{WORK}/{p}"))));
    match spec.language.as_str() {
        "python" => {
            let names = ids.iter().map(|t| ((*t).to_owned(), pytest_name(t))).filter(|(id, name)| id != name);
            let names: BTreeMap<String, String> = names.collect();
            let mut all: Vec<String> = ids.iter().map(|t| pytest_name(t)).collect();
            all.sort();
            let twice: BTreeSet<&str> = all.windows(2).filter(|w| w[0] == w[1]).map(|w| w[0].as_str()).collect();
            if !twice.is_empty() {
                let twice = twice.into_iter().collect::<Vec<_>>().join(", ");
                losses.add(id, format!("names of tests that its parser takes for one: {twice}"));
            }
            let files: BTreeSet<&str> = ids.iter().map(|t| t.split("::").next().unwrap_or(t)).collect();
            let files: Vec<String> = files.into_iter().map(|f| quoted(&format!("{WORK}/{f}"))).collect();
            let command = format!(
                "{inside}python -m pytest -rA --color=no -p no:cacheprovider --rootdir={WORK} {}",
                files.join(" ")
            );
            Way { parser: "parse_log_pytest_v2", command, names }
        }
        "go" => {
            let folder = |t: &str| {
                t.rsplit_once("::").map_or(String::new(), |(folder, _)| place(folder, spec.package.as_deref()))
            };
            let folders: BTreeSet<String> = ids.iter().map(|t| folder(t)).collect();
            let folders: Vec<String> = folders.iter().map(|f| quoted(f)).collect();
            let names: BTreeMap<String, String> =
                ids.iter().filter_map(|t| Some(((*t).to_owned(), t.rsplit_once("::")?.1.to_owned()))).collect();
            let mut owners: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            names.iter().for_each(|(id, name)| _ = owners.entry(name).or_default().insert(id));
            let shared: Vec<&str> = owners.iter().filter(|(_, ids)| ids.len() > 1).map(|(name, _)| *name).collect();
            if !shared.is_empty() {
                losses.add(
                    id,
                    format!(
                        "names of tests in several packages, of which its parser sees the last alone: {}",
                        shared.join(", ")
                    ),
                );
            }
            let command = format!("{inside}go test -v -count=1 {}", folders.join(" "));
            Way { parser: "parse_log_gotest", command, names }
        }
        language => {
            losses.add(
                id,
                format!(
                    "names of tests: no parser of the harness reads those of {language} in the form file or class::name, so that it calls every patch unresolved"
                ),
            );
            let parser = if language == "java" { "parse_log_maven" } else { "parse_log_vitest" };
            Way { parser, command: format!("{inside}{}", tools.test), names: BTreeMap::new() }
        }
    }
}

/// The argument of `go test` for a folder of a package, seen from the folder in which the tests run.
fn place(folder: &str, package: Option<&str>) -> String {
    let inner = package.and_then(|p| folder.strip_prefix(p)).map_or(folder, |rest| rest.trim_start_matches('/'));
    if inner.is_empty() || inner == "." { ".".to_owned() } else { format!("./{inner}") }
}

/// The name that `parse_log_pytest_v2` makes of a test that passed: it drops what looks like a colour and every control
/// character, and makes one blank of several.
fn pytest_name(id: &str) -> String {
    let mut line = String::new();
    let mut rest = id;
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        line.push_str(before);
        let digits = from[1..].len() - from[1..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_colour = digits > 0 && from[1 + digits..].starts_with('m');
        let end = if is_colour { digits + 2 } else { 1 };
        line.push_str(if is_colour { "" } else { "[" });
        rest = &from[end..];
    }
    line.push_str(rest);
    let line: String = line.chars().filter(|c| !('\u{1}'..='\u{1f}').contains(c)).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The recipe of the image: the tree at its commit from a mirror, installed.
fn dockerfile(row: &Instance, tools: &Tools) -> String {
    let (image, commit) = (&tools.image, &row.base_commit);
    let mirror = format!("{}.git", row.repo.replace('/', "__"));
    format!(
        "FROM {image}\nUSER root\nRUN command -v git >/dev/null || (apt-get update && apt-get install -y --no-install-recommends git)\nCOPY {mirror} /mirror\nRUN git init -q {WORK} && git config --global --add safe.directory '*' && git -C /mirror config uploadpack.allowAnySHA1InWant true && git -C {WORK} fetch -q --depth 1 file:///mirror {commit} && git -C {WORK} checkout -q FETCH_HEAD && rm -rf /mirror\nWORKDIR {WORK}\nRUN {}\n",
        tools.install
    )
}

/// The script: hidden tests over the tree, the tests between two marks, the tree as it was.
fn script(material: &Material, row: &Instance, command: &str) -> String {
    let known = material.store.read(&material.start).unwrap_or_default();
    let paths = || material.hidden.files.keys().chain(&material.hidden.removed);
    let list =
        |wanted: bool| paths().filter(|p| known.contains_key(*p) == wanted).map(|p| quoted(p)).collect::<Vec<_>>();
    let (old, new) = (list(true).join(" "), list(false).join(" "));
    let restore = if old.is_empty() { String::new() } else { format!("git checkout {} -- {old}\n", row.base_commit) };
    let clear = if new.is_empty() { String::new() } else { format!("rm -rf -- {new}\n") };
    let mut mark = String::from("EOF_TSBENCH");
    while row.test_patch.contains(&mark) {
        mark.push('_');
    }
    let mut text = format!(
        "#!/bin/bash\nset -uxo pipefail\ncd {WORK}\ngit config --global --add safe.directory {WORK}\n{restore}{clear}"
    );
    let line_end = if row.test_patch.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(text, "git apply --whitespace=nowarn - <<'{mark}'\n{}{line_end}{mark}", row.test_patch);
    let _ = writeln!(text, ": '>>>>> Start Test Output'\n({command})\n: '>>>>> End Test Output'");
    text.push_str(&restore);
    text.push_str(&clear);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_single_blanks_stays_and_one_that_looks_like_a_colour_does_not() {
        for same in
            ["t.py::test_a", "t.py::test_a[Mo 10:00]", "t.py::test_a[x-40]", "t.py::test_a[a - b]", "t.py::t[m]"]
        {
            assert_eq!(pytest_name(same), same);
        }
        assert_eq!(pytest_name("t.py::test_a[5m]"), "t.py::test_a]");
        assert_eq!(pytest_name("t.py::test_a[a  b]"), "t.py::test_a[a b]");
        assert_eq!(pytest_name("t.py::test_a[12mx][3]"), "t.py::test_ax][3]");
    }

    #[test]
    fn a_package_of_go_is_seen_from_the_folder_of_its_module() {
        assert_eq!(place(".", None), ".");
        assert_eq!(place("queue", None), "./queue");
        assert_eq!(place("mods/a/queue", Some("mods/a")), "./queue");
        assert_eq!(place("mods/a", Some("mods/a")), ".");
    }
}
