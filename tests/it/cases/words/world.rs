//! A folder in which lines of the documents are run: what a reader has who followed the page so far.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;
use tsbench::tasks::{read_folder, write_folder};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The task of the suite `demo` that is small enough to be copied about.
const TASK: &str = "go-job-queue";
/// A run of this repository that has evidence.
const RUN: &str = "2026-11-30-demo-mocks-shell";

/// The site of this repository, built once for all blocks, in another place: its files are links to the same bytes.
fn copy_site(to: &Path) {
    static BUILT: OnceLock<TempDir> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench-site"));
        command.args(["build", "--quiet", "--root"]).arg(root()).arg("--out").arg(dir.path().join("public"));
        assert!(command.output().unwrap().status.success());
        dir
    });
    let copied = Command::new("cp").arg("-al").arg(built.path().join("public")).arg(to).status().unwrap();
    assert!(copied.success());
}

/// A scratch folder and where in it the shell is.
pub struct World {
    dir: TempDir,
    at: PathBuf,
    /// Settings that lines made: `NAME=value`, as the shell wrote them.
    settings: String,
    /// What the last line printed.
    said: String,
}

impl World {
    /// What the lines of a block need.
    pub fn for_block(lines: &[String]) -> World {
        let dir = tempfile::tempdir().unwrap();
        let here = dir.path().to_owned();
        for name in ["results", "health", "content", "models.toml", "prompts", "agents", "conditions", "scripts"] {
            std::os::unix::fs::symlink(root().join(name), here.join(name)).unwrap();
        }
        let mut world = World { at: here.clone(), dir, settings: String::new(), said: String::new() };
        let all = lines.join("\n");
        if all.contains("--suite mine") {
            let tree = read_folder(&root().join("tasks/demo")).unwrap();
            write_folder(&here.join("tasks/demo"), &tree).unwrap();
        } else {
            std::os::unix::fs::symlink(root().join("tasks"), here.join("tasks")).unwrap();
        }
        if all.contains("theirs.jsonl") {
            let export =
                "tsbench tasks export --format swe-bench --suite demo --out theirs.jsonl --write-mirrors mirrors";
            world.must(export);
        } else if all.contains("--suite mine") {
            write_folder(
                &here.join(format!("tasks/mine/{TASK}")),
                &read_folder(&root().join("tasks/demo").join(TASK)).unwrap(),
            )
            .unwrap();
            std::fs::write(here.join("tasks/mine/suite.toml"), "id = \"mine\"\nversion = \"1.0\"\ntitle = \"Mine\"\n")
                .unwrap();
        }
        if all.contains("preds.jsonl") {
            let empty = format!("{{\"instance_id\":\"{TASK}\",\"model_name_or_path\":\"m/m\",\"model_patch\":\"\"}}\n");
            std::fs::write(here.join("preds.jsonl"), empty).unwrap();
        }
        let reads_site = ["public", "SHA256SUMS", "data/raw"].iter().any(|w| all.contains(w));
        if reads_site && !all.contains("init") {
            copy_site(&here.join("public"));
        }
        if all.contains("published") {
            copy_site(&here.join("published"));
        }
        if all.contains("sha256sum") || all.contains("data/raw") {
            world.at = here.join("public");
        }
        world
    }

    fn must(&mut self, line: &str) {
        assert_eq!(self.run(line), None, "{line}");
    }

    /// Runs a line as the shell would; what went wrong, if anything did.
    pub fn run(&mut self, line: &str) -> Option<String> {
        let line = self.filled(line);
        if let Some(to) = line.strip_prefix("cd ") {
            self.at = self.at.join(to);
            return (!self.at.is_dir()).then(|| "leads to no folder".to_owned());
        }
        if line.starts_with("export ") || line.starts_with("same=") {
            self.settings.push_str(&format!("{line}\n"));
            return None;
        }
        let out = self.shell(&format!("set -euo pipefail\n{}{line}", self.settings));
        self.said = String::from_utf8_lossy(&out.stdout).into_owned();
        (!out.status.success()).then(|| {
            format!("ended with {:?}: {}{}", out.status.code(), self.said, String::from_utf8_lossy(&out.stderr))
        })
    }

    /// Starts the run of a line of `scripts/run` with no daemon at hand: it must end with 3 for want of that alone.
    pub fn start(&mut self, line: &str) -> Option<String> {
        let words = line.split(' ').skip_while(|w| *w != "scripts/run").skip(1).collect::<Vec<_>>();
        let (models, more) = words.split_first()?;
        let line = format!(
            "OPENROUTER_API_KEY=key ANTHROPIC_API_KEY=key OPENAI_API_KEY=key tsbench run --models {models} {} --suite demo --out scratch/run --docker unix://$PWD/none.sock",
            more.join(" ")
        );
        let out = self.shell(&line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        let is_daemon = out.status.code() == Some(3) && said.contains("none.sock");
        (!is_daemon).then(|| format!("does not start: {:?}: {said}", out.status.code()))
    }

    /// The line with names in place of what stands for them.
    fn filled(&self, line: &str) -> String {
        let recipient = self.said.split_whitespace().find(|w| w.starts_with("age1")).unwrap_or("age1");
        let evidence = format!("results/{RUN}/artifacts/{TASK}/mock~sgold/0");
        line.replace("results/<run>/artifacts/<task>/<model>/0", &evidence)
            .replace("<run>", RUN)
            .replace("age1…", recipient)
            .replace('…', "x")
    }

    fn shell(&self, script: &str) -> Output {
        let program = Path::new(env!("CARGO_BIN_EXE_tsbench")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.arg("-c").arg(script).current_dir(&self.at).env("PATH", path).env("HOME", self.dir.path());
        command.output().unwrap()
    }
}
