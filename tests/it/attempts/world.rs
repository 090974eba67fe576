//! A made-up suite of one tiny task, judged by a check of its own, and runs of it in processes of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tsbench::schema::Attempt;

pub const TASK: &str = "say-yes";

/// A folder with a suite, a cache and results.
pub struct World {
    pub dir: tempfile::TempDir,
}

const FILES: [(&str, &str); 7] = [
    ("tasks/tiny/suite.toml", "id = \"tiny\"\nversion = \"1\"\ntitle = \"Tiny\"\n"),
    (
        "tasks/tiny/say-yes/task.toml",
        "id = \"say-yes\"\ntitle = \"Say yes\"\nlanguage = \"go\"\n\n[scorecard]\nchecks = [\"yes\"]\ncommand = [\"sh\", \"check.sh\"]\n",
    ),
    ("tasks/tiny/say-yes/problem.md", "answer.txt must say yes.\n"),
    ("tasks/tiny/say-yes/repo/go.mod", "module tiny\n\ngo 1.19\n"),
    ("tasks/tiny/say-yes/repo/answer.txt", "no\n"),
    (
        "tasks/tiny/say-yes/solution.patch",
        "diff --git a/answer.txt b/answer.txt\n--- a/answer.txt\n+++ b/answer.txt\n@@ -1 +1 @@\n-no\n+yes\n",
    ),
    (
        "tasks/tiny/say-yes/grader/check.sh",
        "read -r token\ngrep -qx yes \"$TSBENCH_TREE/answer.txt\" && echo \"passed $token\"\n",
    ),
];

impl World {
    /// The suite, or a loud skip where this machine lacks the tools of its language.
    pub fn new() -> Option<World> {
        if !["go", "setsid", "prlimit"].into_iter().all(crate::needs::program) {
            return None;
        }
        let world = World { dir: tempfile::tempdir().unwrap() };
        for (name, text) in FILES {
            world.write(name, text);
        }
        world.write("models.toml", "models = []\n");
        Some(world)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn out(&self, run: &str) -> PathBuf {
        self.dir.path().join("results").join(run)
    }

    /// `tsbench run` into `results/<run>`.
    pub fn run(&self, run: &str, models: &str, more: &[&str]) -> Command {
        self.run_in("local", run, models, more)
    }

    /// The same in sandboxes of this kind.
    pub fn run_in(&self, sandbox: &str, run: &str, models: &str, more: &[&str]) -> Command {
        let mut command = self.command_in(sandbox, "run");
        command.args(["--suite", "tiny", "--models", models, "--out"]).arg(self.out(run)).args(more);
        command
    }

    pub fn resume(&self, run: &str, more: &[&str]) -> Command {
        let mut command = self.command("resume");
        command.arg(self.out(run)).args(more);
        command
    }

    fn command(&self, verb: &str) -> Command {
        self.command_in("local", verb)
    }

    fn command_in(&self, sandbox: &str, verb: &str) -> Command {
        let (here, root) = (self.dir.path(), Path::new(env!("CARGO_MANIFEST_DIR")));
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        command.arg(verb).current_dir(here).stdin(Stdio::null());
        command.args(["--sandbox", sandbox, "--cache"]).arg(here.join("cache"));
        let own = here.join("agents");
        command.arg("--agents").arg(if own.is_dir() { own } else { root.join("agents") });
        command.arg("--prompts").arg(root.join("prompts")).arg("--conditions").arg(root.join("conditions"));
        command
    }

    /// The lines of a run, each of them whole.
    pub fn lines(&self, run: &str) -> Vec<Attempt> {
        let text = fs::read_to_string(self.out(run).join("attempts.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The folder of evidence of a model's first attempt.
    pub fn evidence(&self, run: &str, model: &str) -> PathBuf {
        self.out(run).join("artifacts").join(TASK).join(tsbench::results::slug(model)).join("0")
    }

    /// Sandboxes that are there.
    pub fn boxes(&self) -> usize {
        fs::read_dir(self.dir.path().join("cache/boxes")).map_or(0, Iterator::count)
    }
}

/// Runs a command to its end and checks its exit code.
pub fn ends_with(code: i32, command: &mut Command) -> Output {
    let out = command.output().unwrap();
    let text = format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(code), "{text}");
    out
}

pub fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}
