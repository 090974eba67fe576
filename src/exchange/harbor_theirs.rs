//! A Harbor task of somebody else: its tests become a grader with one check, the reward.

use super::harbor::{HarborTask, at, strip};
use super::import_rows::title_of;
use super::intake::{plain_spec, spec_text, text_of};
use super::{ExchangeError, Losses};
use crate::git::Mode;
use crate::schema::{Limits, Scorecard};
use crate::tasks::Files;
use serde_json::json;
use toml::{Table, Value};

/// A task of somebody else: its tests as a grader with one check, the reward.
pub(super) fn theirs(task: &HarborTask, losses: &mut Losses) -> Result<Result<Files, String>, ExchangeError> {
    if task.about.contains_key("steps") {
        return Ok(Err("it has steps, and a task here is one piece of work".into()));
    }
    let instruction = match text_of(&task.files, "instruction.md") {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(Err("there is no instruction.md: write there what an agent is to do".into())),
        Err(why) => return Ok(Err(why)),
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
    if problem.trim().is_empty() {
        return Ok(Err("instruction.md is empty: write there what an agent is to do".into()));
    }
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
    for (name, _) in env.iter().filter(|(_, v)| v.as_str().is_none_or(|v| v.contains("${"))) {
        losses
            .add(&task.id, format!("verifier.env.{name} of task.toml: its value is taken from the machine it runs on"));
    }
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
    task.told.iter().for_each(|what| lost(what));
    if task.runs || at(&task.about, "environment", "docker_image").is_some() {
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
    for (section, key) in LIMITS {
        let value = at(&task.about, section, key);
        let good = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|n| n as f64)).is_some_and(|n| n > 0.0);
        if let Some(value) = value.filter(|v| !good(v)) {
            lost(&format!("{section}.{key} of task.toml is {value}, which is no limit: the usual one is taken"));
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

/// Limits that are numbers above zero.
const LIMITS: [(&str, &str); 5] = [
    ("verifier", "timeout_sec"),
    ("environment", "build_timeout_sec"),
    ("environment", "cpus"),
    ("environment", "memory_mb"),
    ("environment", "storage_mb"),
];

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
