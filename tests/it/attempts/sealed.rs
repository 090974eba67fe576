//! What an attempt's container must not hold: keys, the fix, the hidden tests, a history.

use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const TASK: &str = "go-text-columns";
/// In the hidden tests and nowhere else; in the fix and nowhere else. Built from halves, so that a search for them in a
/// container does not find the command that searches.
const HIDDEN: [&str; 2] = ["TestWrapCounts", "Columns"];
const FIX: [&str; 2] = ["fitting is how", " many bytes"];
const CANARY: &str = "canary-3d5e7f9a1b2c-container";

#[test]
fn the_container_of_an_attempt_holds_no_key_no_fix_no_hidden_test_and_no_history() {
    if !crate::needs::image("tsbench/go:1") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |path: &str| fs::read_to_string(root.join("tasks/demo").join(TASK).join(path)).unwrap();
    assert!(text("tests/columns_test.go").contains(&HIDDEN.concat()) && text("solution.patch").contains(&FIX.concat()));
    let search = |[a, b]: [&str; 2]| {
        format!("a='{a}'; b='{b}'; grep -rlIsF -- \"$a$b\" / --exclude-dir=proc --exclude-dir=sys | sed 's/^/FOUND /'")
    };
    let commands = [
        "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | rev; env | rev; find / -xdev -name '.env*' -type f".to_owned(),
        search(HIDDEN),
        search(FIX),
        "git log --all --format=%an; git remote; git reflog | wc -l; git fsck --lost-found 2>&1 | grep -c dangling; ls -A ..".to_owned(),
        "ls /sys/class/net; id -u; go test ./... >/dev/null && echo tests run".to_owned(),
        search(["func Test", "WrapKeepsEmptyLines"]),
        "echo TSBENCH_DONE".to_owned(),
        "echo  TSBENCH_DONE".to_owned(),
        "echo TSBENCH_DONE".to_owned(),
    ];
    let lines: Vec<String> =
        commands.iter().map(|c| json!({"text": format!("```bash\n{c}\n```")}).to_string()).collect();
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("look.jsonl");
    fs::write(&script, lines.join("\n")).unwrap();
    fs::write(dir.path().join(".env"), format!("SOME_KEY={CANARY}\n")).unwrap();
    let out = dir.path().join("sealed");
    let model = format!("mock/script:{}", script.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.current_dir(root).args(["run", "--suite", "demo", "--tasks", TASK, "--repeats", "1", "--models", &model]);
    command.arg("--out").arg(&out).arg("--env-file").arg(dir.path().join(".env")).env("OTHER_KEY", CANARY);
    let end = command.output().unwrap();
    assert!(end.status.success(), "{}", String::from_utf8_lossy(&end.stderr));
    let folder = out.join("artifacts").join(TASK).join(tsbench::results::slug(&model)).join("0");
    let trajectory = fs::read_to_string(folder.join("trajectory.jsonl")).unwrap();
    let turns: Vec<Value> = trajectory.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let said = |turn: usize| turns[turn]["output"]["stdout"].as_str().unwrap();
    let turned: String = CANARY.chars().rev().collect();
    assert!(!said(0).contains(&turned) && said(0).contains("=HTAP") && !said(0).contains(".env"), "{}", said(0));
    assert_eq!((said(1), said(2)), ("", ""), "nothing of the fix or of the hidden tests is anywhere");
    let git: Vec<&str> = said(3).lines().collect();
    assert_eq!(git[..3], ["TS-Bench", "1", "0"], "one commit, no remote, nothing else: {}", said(3));
    assert_eq!(said(4), "lo\n1000\ntests run\n");
    assert!(said(5).contains("FOUND /workspace/columns_test.go"), "the search finds what is there: {}", said(5));
    assert!(!trajectory.contains(CANARY) && !fs::read_to_string(out.join("run.json")).unwrap().contains(CANARY));
}
