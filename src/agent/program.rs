//! Agents that are programs of their own: a folder `agents/<name>/` with `agent.toml` and whatever it runs.

use super::AgentError;
use crate::sandbox::File;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Where the folder of a program is inside.
pub const PROGRAM: &str = "/home/agent/program";

const SCHEMA: &str = "tsbench.program/1";
/// Bytes of a program's folder; larger things are installed.
const MOST: u64 = 64 << 20;
/// Names of agents that are no programs.
const TAKEN: [&str; 4] = ["shell", "tools", "command", "language"];

/// An agent that is a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its version, of what it installs too.
    pub version: String,
    /// Lines of the shell that install it, with a network, once for each task's image.
    pub install: Vec<String>,
    /// The words that start it.
    pub command: Vec<String>,
    /// Its environment.
    pub env: BTreeMap<String, String>,
    /// SHA-256 over its files, hex.
    pub digest: String,
    /// Its files.
    pub files: Vec<File>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    schema: String,
    name: String,
    version: String,
    #[serde(default)]
    #[expect(dead_code, reason = "for readers of the file")]
    note: String,
    #[serde(default)]
    install: Vec<String>,
    command: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// What words and variables of a program may name.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The program's folder.
    pub program: &'a str,
    /// The file with the problem.
    pub problem: &'a str,
    /// The model.
    pub model: &'a str,
}

impl Names<'_> {
    /// A word with its names filled in. `{port}` stays: it is known when the program starts.
    pub fn fill(&self, word: &str) -> String {
        word.replace("{program}", self.program).replace("{problem}", self.problem).replace("{model}", self.model)
    }
}

impl Program {
    /// Reads the program of a name.
    pub fn read(agents: &Path, name: &str) -> Result<Program, AgentError> {
        let folder = agents.join(name);
        let file = folder.join("agent.toml");
        let text = std::fs::read_to_string(&file).map_err(|e| {
            let hint = "agents are shell, tools, and the folders of --agents that hold an agent.toml";
            AgentError::prompt(&file, e.to_string(), hint)
        })?;
        let manifest: Manifest = toml::from_str(&text)
            .map_err(|e| AgentError::prompt(&file, e.to_string(), "content/reproduce.md shows an agent.toml"))?;
        let bad = |what: String, hint: &str| Err(AgentError::prompt(&file, what, hint));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if manifest.schema != SCHEMA {
            return bad(
                format!("schema {:?}; expected {SCHEMA:?}", manifest.schema),
                "write the file for this version",
            );
        }
        if manifest.name != name || name.is_empty() || !name.chars().all(plain) || TAKEN.contains(&name) {
            let what = format!("name {:?} in the folder {name:?}", manifest.name);
            return bad(what, "both are the same: lower-case letters, digits and -, and no name of the harness's own");
        }
        if manifest.version.trim().is_empty() || manifest.version.contains(['@', ' ']) || manifest.command.is_empty() {
            return bad("version or command says nothing".into(), "give a version such as 1.2.0 and the words to run");
        }
        let files = files(&folder)?;
        let digest = digest(&files);
        let Manifest { name, version, install, command, env, .. } = manifest;
        Ok(Program { name, version, install, command, env, digest, files })
    }
}

fn files(folder: &Path) -> Result<Vec<File>, AgentError> {
    let bad =
        |path: &Path, what: String| AgentError::prompt(path, what, "an agent's folder holds files alone, and few");
    let (mut found, mut bytes) = (Vec::new(), 0);
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|e| bad(folder, e.to_string()))?;
        let path = entry.path();
        if entry.file_type().is_dir() {
            continue;
        }
        let name = path.strip_prefix(folder).ok().and_then(Path::to_str);
        let (Some(name), true) = (name, entry.file_type().is_file()) else {
            return Err(bad(path, "is no file, or has a name that is no text".into()));
        };
        let metadata = entry.metadata().map_err(|e| bad(path, e.to_string()))?;
        bytes += metadata.len();
        if bytes > MOST {
            return Err(bad(path, format!("the folder is larger than {} MiB", MOST >> 20)));
        }
        let content = std::fs::read(path).map_err(|e| bad(path, e.to_string()))?;
        let mode = if metadata.permissions().mode() & 0o111 == 0 { 0o644 } else { 0o755 };
        found.push(File { mode, ..File::new(name, content) });
    }
    Ok(found)
}

fn digest(files: &[File]) -> String {
    let hex = |bytes: &[u8]| Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect::<String>();
    let line = |file: &File| match &file.body {
        crate::sandbox::Body::Bytes(bytes) => format!("{} {:o} {}\n", hex(bytes), file.mode, file.path),
        crate::sandbox::Body::Link(target) => format!("link {target} {}\n", file.path),
        crate::sandbox::Body::Dir => format!("folder {}\n", file.path),
    };
    hex(format!("{SCHEMA}\n{}", files.iter().map(line).collect::<String>()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str) -> Result<Program, AgentError> {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("mine");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("agent.toml"), text).unwrap();
        Program::read(dir.path(), "mine")
    }

    const GOOD: &str = "schema = 'tsbench.program/1'\nname = 'mine'\nversion = '1.0'\ncommand = ['run', '{problem}']\n";

    #[test]
    fn a_program_is_what_its_folder_holds() {
        let program = with(GOOD).unwrap();
        assert_eq!((program.name.as_str(), program.files.len()), ("mine", 1));
        assert_ne!(program.digest, with(&GOOD.replace("1.0", "1.1")).unwrap().digest);
        let names = Names { program: "/p", problem: "/q", model: "m" };
        assert_eq!(names.fill("{program}/x {problem} {model} {port}"), "/p/x /q m {port}");
    }

    #[test]
    fn a_manifest_that_says_something_else_is_refused_with_the_file() {
        for (from, to) in [
            ("program/1", "program/9"),
            ("'mine'", "'shell'"),
            ("'1.0'", "''"),
            ("['run', '{problem}']", "[]"),
            ("command", "comand"),
        ] {
            let told = with(&GOOD.replace(from, to)).unwrap_err().to_string();
            assert!(told.contains("agent.toml") && told.contains("hint:"), "{told}");
        }
        assert!(Program::read(Path::new("no/such"), "none").unwrap_err().to_string().contains("none/agent.toml"));
    }
}
