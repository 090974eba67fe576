//! Gates that are killed at any moment: the next one sweeps what they left and finishes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use tsbench::schema::{HealthLine, HealthState};

/// Containers, volumes and networks of the processes given, by their names.
fn left_of(processes: &[u32]) -> Vec<String> {
    let list = |args: &[&str]| {
        let out = Command::new("docker").args(args).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let names = list(&["ps", "--all", "--format", "{{.Names}}"])
        + &list(&["network", "ls", "--format", "{{.Name}}"])
        + &list(&["volume", "ls", "--format", "{{.Name}}"]);
    let ours = |name: &&str| processes.iter().any(|p| name.contains(&format!("-{p}-")));
    names.lines().filter(ours).map(str::to_owned).collect()
}

fn audit(log: &Path, jobs: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.args(["audit", "--suite", "demo", "--task", "go-text-columns", "--runs", "1", "--no-exploits", "--quiet"]);
    command.args(["--jobs", jobs, "--tasks"]).arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tasks"));
    command.arg("--health").arg(log).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

fn lines(log: &Path) -> Vec<HealthLine> {
    let text = std::fs::read_to_string(log.join("demo.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_killed_at_ten_moments_leaves_nothing_that_the_next_one_does_not_sweep() {
    let test = "a_gate_killed_at_ten_moments_leaves_nothing_that_the_next_one_does_not_sweep";
    if super::sandbox::docker_place(test).await.is_none() || !crate::needs::image("tsbench/go:1") {
        return;
    }
    let log = tempfile::tempdir().unwrap();
    let mut killed = Vec::new();
    for moment in 0..10_u64 {
        let mut gate = audit(log.path(), "1").stderr(Stdio::null()).spawn().unwrap();
        // Spread over the steps of a gate without any order between them.
        tokio::time::sleep(Duration::from_millis(200 + moment * 7919 % 6000)).await;
        gate.kill().unwrap();
        gate.wait().unwrap();
        killed.push(gate.id());
    }
    let before = lines(log.path());
    let last = audit(log.path(), "1").output().unwrap();
    // Without the cheats it is no answer, which is told by the exit code; what was tried went as it must.
    assert_eq!(last.status.code(), Some(3), "{}", String::from_utf8_lossy(&last.stderr));
    assert_eq!(left_of(&killed), Vec::<String>::new());
    let after = lines(log.path());
    assert_eq!(after[..before.len()], before[..], "what was kept stays");
    assert_eq!(after.len(), before.len() + 1, "the last gate is kept once");
    let last = after.last().unwrap();
    assert_eq!(last.state, HealthState::Unknown);
    assert!(last.proofs.len() == 2 && last.proofs.iter().all(|p| p.good), "{:?}", last.proofs);
}
