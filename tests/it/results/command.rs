use super::folder::{Folder, attempt, jsonl, with};
use assert_cmd::Command;
use serde_json::Value;

fn check(folder: &Folder, more: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("tsbench").unwrap();
    let output = command.args(["results", "check", "--results"]).arg(folder.root()).args(more).output().unwrap();
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn faulty() -> Folder {
    Folder::with(jsonl(&[attempt(0, "resolved"), with("outcome", "fixed".into()), with("cost_usd", (-1).into())]))
}

#[test]
fn a_good_folder_ends_with_0_and_says_nothing_on_standard_output() {
    let (code, out, err) = check(&Folder::with(jsonl(&[attempt(0, "resolved")])), &[]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains("1 run, 0 publisher records, 1 readable attempt, 0 errors, 0 warnings"), "{err}");
}

#[test]
fn every_fault_is_printed_with_its_remedy_and_the_end_is_1() {
    let (code, out, _) = check(&faulty(), &[]);
    assert_eq!(code, 1);
    assert!(out.contains("error: results/r/attempts.jsonl:2: outcome: unknown outcome"), "{out}");
    assert!(out.contains("error: results/r/attempts.jsonl:3: cost_usd: a negative cost"), "{out}");
    assert_eq!(out.matches("\nhint: ").count(), 2);
}

#[test]
fn a_warning_alone_ends_with_0() {
    let (code, out, _) = check(&Folder::with(attempt(0, "resolved").to_string()), &[]);
    assert_eq!(code, 0);
    assert!(out.starts_with("warning: "), "{out}");
}

#[test]
fn faults_are_printed_as_json() {
    let (code, out, _) = check(&faulty(), &["--json"]);
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, json["runs"].as_u64(), json["faults"].as_array().map(Vec::len)), (1, Some(1), Some(2)));
    let fault = &json["faults"][0];
    assert_eq!(
        (fault["level"].as_str(), fault["file"].as_str(), fault["line"].as_u64(), fault["field"].as_str()),
        (Some("error"), Some("results/r/attempts.jsonl"), Some(2), Some("outcome"))
    );
    assert!(fault["hint"].as_str().is_some_and(|h| !h.is_empty()));
}

#[test]
fn a_missing_folder_ends_with_2_and_a_hint() {
    let folder = Folder::new();
    let (code, out, err) = check(&folder, &[]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("hint:"), "{err}");
}

#[test]
fn terminal_codes_of_hostile_lines_are_not_printed() {
    let mut bad = with("task", "\u{1b}[2J\u{7}".into());
    bad["outcome"] = "\u{1b}[31mred".into();
    let (_, out, _) = check(&Folder::with(jsonl(&[bad])), &[]);
    assert!(!out.contains('\u{1b}') && !out.contains('\u{7}'), "{out:?}");
}

#[test]
fn a_reader_of_faults_who_has_gone_changes_no_exit_code() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tsbench"));
    command.args(["results", "check", "--results", "no/such/folder"]).stderr(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
