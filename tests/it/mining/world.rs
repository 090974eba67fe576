//! Made-up repositories and their mirrors.

use assert_cmd::Command;
use std::path::PathBuf;
use tempfile::TempDir;

/// A repository, and folders beside it for mirrors and what is mined.
pub struct World {
    pub dir: TempDir,
}

impl World {
    pub fn new() -> World {
        let world = World { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.path("repo")).unwrap();
        world.git(&["init", "-q", "-b", "main"]);
        world
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.path("repo").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn git(&self, args: &[&str]) -> String {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"])
            .args(args)
            .current_dir(self.path("repo"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The mirror `me/shop` of the repository as it is now.
    pub fn mirror(&self) -> PathBuf {
        let mirror = self.path("mirrors/me__shop.git");
        std::fs::create_dir_all(self.path("mirrors")).unwrap();
        let _ = std::fs::remove_dir_all(&mirror);
        self.git(&["clone", "-q", "--mirror", ".", mirror.to_str().unwrap()]);
        mirror
    }

    pub fn tsbench(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
        command.current_dir(self.dir.path());
        for name in ["GITHUB_TOKEN", "TSBENCH_GITHUB_TOKEN"] {
            command.env_remove(name);
        }
        command
    }

    /// Calls the program; its exit code, what it printed and what it said.
    pub fn call(&self, args: &[&str]) -> (i32, String, String) {
        let done = self.tsbench().args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (out, said) = (text(done.stdout), text(done.stderr));
        eprintln!("{args:?}\n{out}{said}");
        (done.status.code().unwrap(), out, said)
    }
}
