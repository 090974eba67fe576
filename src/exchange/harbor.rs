//! Task folders of Harbor become tasks: our own come back whole, those of others are judged by the reward of their tests.

use super::harbor_export::{MOVES, REST};
use super::import_rows::{Imported, title_of};
use super::intake::{Intake, plain_spec, spec_text};
use super::{ExchangeError, Losses};
use crate::git::{Mode, Store};
use crate::schema::{Limits, Scorecard, Suite, TaskSpec};
use crate::tasks::{Files, read_folder};
use serde_json::json;
use std::path::Path;
use toml::{Table, Value};

/// A folder, read and not yet a task.
#[derive(Clone, Debug)]
pub struct HarborTask {
    /// The id that it will have.
    pub id: String,
    /// The tree that an agent starts from.
    pub start: Files,
    /// The folder that its scripts take for the work folder.
    pub workdir: String,
    /// Files beside its `solve.sh`, where it has one and no patch.
    pub solution: Option<Files>,
    /// The solution as a patch, once it is known.
    pub patch: Option<Vec<u8>>,
    /// Language, as stated or guessed.
    pub language: Option<String>,
    files: Files,
    about: Table,
}

/// Reads the task folders of a folder, or the one that it is.
pub fn read(dir: &Path) -> Result<Vec<HarborTask>, ExchangeError> {
    let mut dirs = vec![dir.to_owned()];
    if !dir.join("task.toml").is_file() {
        dirs.clear();
        for entry in std::fs::read_dir(dir).map_err(ExchangeError::io(dir))? {
            dirs.push(entry.map_err(ExchangeError::io(dir))?.path());
        }
        dirs.retain(|d| d.join("task.toml").is_file());
        dirs.sort();
    }
    if dirs.is_empty() {
        return Err(ExchangeError::bad(dir, "no folder in it has a task.toml", "name the folder of task folders"));
    }
    dirs.iter().map(|d| read_one(d)).collect()
}

fn read_one(dir: &Path) -> Result<HarborTask, ExchangeError> {
    let files = read_folder(dir)?;
    let path = dir.join("task.toml");
    let text = text(&files, "task.toml").unwrap_or_default();
    let about: Table = toml::from_str(&text)
        .map_err(|e| ExchangeError::bad(&path, e.to_string(), "it is not the task.toml of a Harbor task"))?;
    let name = about.get("task").and_then(|t| t.get("name")).and_then(Value::as_str);
    let folder = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let id = name.and_then(|n| n.rsplit('/').next()).unwrap_or(folder).to_owned();
    let docker = text_of_dockerfile(&files);
    let stated = at(&about, "environment", "workdir").and_then(Value::as_str).map(str::to_owned);
    let workdir = stated.or_else(|| last(&docker, "WORKDIR")).unwrap_or_else(|| "/app".to_owned());
    let start = tree(&files, &docker, &workdir);
    let language = at(&about, "metadata", "language").and_then(Value::as_str).map(str::to_lowercase);
    let language = language.or_else(|| guess(&start).map(str::to_owned));
    let patch = files.get("solution/solution.patch").map(|(_, bytes)| bytes.clone());
    let below: Files = strip(&files, "solution/");
    let solution = (patch.is_none() && below.contains_key("solve.sh")).then_some(below);
    Ok(HarborTask { id, start, workdir, solution, patch, language, files, about })
}

fn text(files: &Files, name: &str) -> Option<String> {
    files.get(name).map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
}

fn strip(files: &Files, folder: &str) -> Files {
    files.iter().filter_map(|(p, f)| Some((p.strip_prefix(folder)?.to_owned(), f.clone()))).collect()
}

fn at<'t>(table: &'t Table, section: &str, key: &str) -> Option<&'t Value> {
    table.get(section)?.get(key)
}

fn text_of_dockerfile(files: &Files) -> Vec<Vec<String>> {
    let text = text(files, "environment/Dockerfile").unwrap_or_default().replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.map(|l| l.split_whitespace().map(str::to_owned).collect()).collect()
}

fn last(docker: &[Vec<String>], word: &str) -> Option<String> {
    docker.iter().rfind(|l| l[0].eq_ignore_ascii_case(word)).and_then(|l| l.get(1).cloned())
}

/// The files that the image's recipe copies into the work folder.
fn tree(files: &Files, docker: &[Vec<String>], workdir: &str) -> Files {
    let context = strip(files, "environment/");
    let mut found = Files::new();
    for words in docker.iter().filter(|l| l[0].eq_ignore_ascii_case("COPY") && l.len() == 3 && !l[1].starts_with("--"))
    {
        let (from, to) = (words[1].trim_start_matches("./").trim_end_matches('/'), words[2].as_str());
        let to = to.strip_prefix(workdir).unwrap_or(to).trim_start_matches("./").trim_matches('/');
        let to = if to == "." { "" } else { to };
        for (path, file) in &context {
            let inside = match from {
                "." | "" => Some(path.as_str()),
                folder => path.strip_prefix(folder).and_then(|p| p.strip_prefix('/')),
            };
            let name = match inside {
                Some(inside) if to.is_empty() => inside.to_owned(),
                Some(inside) => format!("{to}/{inside}"),
                // A single file goes into a folder, or gets a name.
                None if path == from && (to.is_empty() || words[2].ends_with('/')) => {
                    format!("{to}/{}", from.rsplit('/').next().unwrap_or(from)).trim_start_matches('/').to_owned()
                }
                None if path == from => to.to_owned(),
                None => continue,
            };
            if !["Dockerfile", "docker-compose.yaml", ".dockerignore"].contains(&name.as_str()) {
                found.insert(name, file.clone());
            }
        }
    }
    found
}

fn guess(start: &Files) -> Option<&'static str> {
    let count = |ends: &[&str]| start.keys().filter(|p| ends.iter().any(|e| p.ends_with(e))).count();
    let all = [
        ("python", count(&[".py"])),
        ("typescript", count(&[".ts", ".js", ".mjs"])),
        ("go", count(&[".go"])),
        ("java", count(&[".java"])),
    ];
    all.into_iter().max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0).map(|(name, _)| name)
}

/// Takes folders in as tasks of a suite below `root`.
pub fn import(tasks: &[HarborTask], root: &Path, suite: &Suite) -> Result<Imported, ExchangeError> {
    let mut intake = Intake::new(root, suite)?;
    let mut out = Imported::default();
    for task in tasks {
        let files = match ours(task) {
            Some(files) => Ok(files),
            None => theirs(task, &mut out.losses)?,
        };
        let refused = match &files {
            Ok(files) => intake.add(&task.id, files)?,
            Err(why) => Some(why.clone()),
        };
        match refused {
            Some(why) => out.refused.push((task.id.clone(), why)),
            None => out.tasks.push(task.id.clone()),
        }
    }
    out.dir = intake.finish()?;
    Ok(out)
}

/// The folder of a task that was given out by us, as it was.
fn ours(task: &HarborTask) -> Option<Files> {
    let spec: TaskSpec = toml::from_str(&text(&task.files, &format!("{REST}task.toml"))?).ok()?;
    let mirrored = spec.source.is_some() || spec.base.is_some();
    let mut files = strip(&task.files, REST);
    for (ours, theirs) in MOVES {
        let skip = match ours {
            "repo/" => mirrored,
            "solution.patch" => spec.source.is_some(),
            "tests/" => mirrored || files.contains_key("tests.patch"),
            _ => false,
        };
        if !skip {
            let inside = task.files.iter().filter_map(|(p, f)| Some((format!("{ours}{}", p.strip_prefix(theirs)?), f)));
            files.extend(inside.map(|(path, file)| (path, file.clone())));
        }
    }
    Some(files)
}

/// A task of somebody else: its tests as a grader with one check, the reward.
fn theirs(task: &HarborTask, losses: &mut Losses) -> Result<Result<Files, String>, ExchangeError> {
    if task.about.contains_key("steps") {
        return Ok(Err("it has steps, and a task here is one piece of work".into()));
    }
    let Some(instruction) = text(&task.files, "instruction.md") else {
        return Ok(Err("there is no instruction.md".into()));
    };
    let Some(language) = task.language.as_deref() else {
        return Ok(Err("nothing tells its language: name it with --language".into()));
    };
    if !task.files.contains_key("tests/test.sh") {
        return Ok(Err("there is no tests/test.sh".into()));
    }
    let Some(patch) = &task.patch else {
        return Ok(Err("it has no solution, so that nothing shows that its tests are right".into()));
    };
    tell(task, losses);
    if ["go", "java"].contains(&language) {
        let what = format!("the reward is read by Python, which the image of {language} has not: the gate will tell");
        losses.add(&task.id, what);
    }
    let problem = without_canary(&instruction);
    let described = at(&task.about, "task", "description").and_then(Value::as_str).filter(|d| !d.trim().is_empty());
    let mut spec = plain_spec(&task.id, described.unwrap_or(&title_of(&problem)), language);
    let difficulty = at(&task.about, "metadata", "difficulty").and_then(Value::as_str);
    spec.difficulty = difficulty.filter(|d| ["easy", "medium", "hard"].contains(d)).map(str::to_owned);
    spec.limits = Some(limits(&task.about));
    spec.scorecard = Some(Scorecard {
        checks: vec!["reward".to_owned()],
        command: ["python3", "-I", "harbor_run.py"].map(str::to_owned).into(),
    });
    let env = at(&task.about, "verifier", "env").and_then(Value::as_table).cloned().unwrap_or_default();
    let env: serde_json::Map<_, _> = env
        .into_iter()
        .filter_map(|(k, v)| v.as_str().filter(|v| !v.contains("${")).map(|v| (k.clone(), v.into())))
        .collect();
    let about = json!({"workdir": task.workdir, "env": env});
    let mut files: Files = task.start.iter().map(|(p, f)| (format!("repo/{p}"), f.clone())).collect();
    let needs_project = language == "python"
        && !task.start.keys().any(|p| p.ends_with(".toml") || p == "requirements.txt" || p == "setup.py");
    if needs_project {
        files.insert("repo/requirements.txt".into(), (Mode::File, b"# nothing\n".to_vec()));
        losses.add(&task.id, "requirements.txt is added to the tree, so that Python's tools take it for a project");
    }
    files.extend(strip(&task.files, "tests/").into_iter().map(|(p, f)| (format!("grader/tests/{p}"), f)));
    let own = [
        ("task.toml", spec_text(&spec)?),
        ("problem.md", problem.into_bytes()),
        ("solution.patch", patch.clone()),
        ("grader/harbor.json", format!("{about:#}\n").into_bytes()),
        ("grader/harbor_run.py", include_bytes!("harbor_run.py").to_vec()),
    ];
    files.extend(own.into_iter().map(|(path, bytes)| (path.to_owned(), (Mode::File, bytes))));
    Ok(Ok(files))
}

/// What a Harbor task has and ours has not.
fn tell(task: &HarborTask, losses: &mut Losses) {
    let mut lost = |what: &str| losses.add(&task.id, what);
    lost("the reward is a file that the code under test can reach: the gate tries, and a person should read the tests");
    let runs = text_of_dockerfile(&task.files).iter().any(|l| l[0].eq_ignore_ascii_case("RUN"));
    if runs || at(&task.about, "environment", "docker_image").is_some() {
        lost("the image: its recipe is not run, the language's own tools install what the tree asks for");
    }
    if task.files.keys().any(|p| p.starts_with("environment/docker-compose")) {
        lost("the services of docker-compose.yaml: there is one container");
    }
    let network = at(&task.about, "environment", "network_mode").and_then(Value::as_str);
    let allowed = at(&task.about, "environment", "allow_internet").and_then(Value::as_bool);
    if network.is_some_and(|n| n != "no-network") || allowed == Some(true) {
        lost("the network: there is none");
    }
    for (section, keys) in [
        ("environment", &["env", "healthcheck", "mcp_servers", "skills_dir", "gpus", "gpu_types", "tpu", "os"][..]),
        ("agent", &["timeout_sec", "user", "network_mode", "allowed_hosts"]),
        ("verifier", &["user", "environment_mode", "collect", "environment"]),
        ("solution", &["env"]),
    ] {
        for key in keys.iter().filter(|k| at(&task.about, section, k).is_some()) {
            lost(&format!("{section}.{key} of task.toml"));
        }
    }
    for key in ["artifacts", "multi_step_reward_strategy"].iter().filter(|k| task.about.contains_key(**k)) {
        lost(&format!("{key} of task.toml"));
    }
}

/// The instruction without the comment lines at its beginning that mark it for filters.
fn without_canary(text: &str) -> String {
    let comment = |l: &&str| {
        let l = l.trim();
        l.is_empty() || (l.starts_with('#') || l.starts_with("<!--")) && l.to_lowercase().contains("canary")
    };
    let skip: usize = text.split_inclusive('\n').take_while(comment).map(str::len).sum();
    let marked = text.lines().take_while(comment).any(|l| !l.trim().is_empty());
    if marked { text[skip..].to_owned() } else { text.to_owned() }
}

/// Limits, from today's fields and those of older versions.
fn limits(about: &Table) -> Limits {
    let number = |section: &str, key: &str| {
        let value = at(about, section, key)?;
        value.as_integer().map(|n| n as f64).or_else(|| value.as_float()).filter(|n| *n > 0.0)
    };
    let size = |key: &str| {
        let text = at(about, "environment", key)?.as_str()?;
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let unit = text[digits.len()..].trim().to_ascii_uppercase();
        let factor = if unit.starts_with('G') { 1024 } else { 1 };
        digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor))
    };
    let mut limits = Limits::default();
    if let Some(s) = number("verifier", "timeout_sec") {
        limits.tests_seconds = s.ceil() as u64;
    }
    if let Some(s) = number("environment", "build_timeout_sec") {
        limits.install_seconds = s.ceil() as u64;
    }
    if let Some(n) = number("environment", "cpus") {
        limits.cpu_thousandths = (n * 1000.0) as u64;
    }
    if let Some(n) = number("environment", "memory_mb").map(|n| n as u64).or_else(|| size("memory")) {
        limits.memory_mb = n;
    }
    if let Some(n) = number("environment", "storage_mb").map(|n| n as u64).or_else(|| size("storage")) {
        limits.disk_mb = n;
    }
    limits
}

impl HarborTask {
    /// Takes what a script made of the tree as the solution.
    pub fn solve(&mut self, after: &Files) -> Result<(), ExchangeError> {
        let store = Store::new()?;
        let patch = store.diff(&store.write_files(&self.start)?, &store.write_files(after)?, &[])?;
        self.patch = Some(patch).filter(|p| !p.is_empty());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_mark_a_task_for_filters_are_not_told_to_agents() {
        let marked = "<!-- harbor-canary GUID 1 -->\n# canary: do not train\n\nFix it.\n# canary stays here\n";
        assert_eq!(without_canary(marked), "Fix it.\n# canary stays here\n");
        assert_eq!(without_canary("# Title\n\nFix it.\n"), "# Title\n\nFix it.\n");
    }

    #[test]
    fn limits_are_read_from_new_and_old_fields() {
        let of = |text: &str| limits(&toml::from_str(text).unwrap());
        let new = of(
            "[environment]\ncpus = 2\nmemory_mb = 3000\nstorage_mb = 500\nbuild_timeout_sec = 60.0\n[verifier]\ntimeout_sec = 7.5\n",
        );
        assert_eq!((new.cpu_thousandths, new.memory_mb, new.disk_mb), (2000, 3000, 500));
        assert_eq!((new.install_seconds, new.tests_seconds), (60, 8));
        let old = of("[environment]\nmemory = \"2G\"\nstorage = \"512M\"\n");
        assert_eq!((old.memory_mb, old.disk_mb), (2048, 512));
    }
}
