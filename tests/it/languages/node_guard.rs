//! Attacks on Node's own runner from within the process of the tests. Most of them resolve a task of that runner where it
//! runs unguarded; each file of `fixtures/node_guard` is put before the code under test.

use super::run::{NODE, run};
use super::{demo, files};
use std::path::Path;

const SOURCE: &str = "packages/duration/src/index.js";

/// The code under test behind an attack, which is called from within the tests where it wants to be.
fn under_attack(attack: &str) -> String {
    let real = std::fs::read_to_string(demo(NODE.name).join("repo").join(SOURCE)).unwrap();
    let calls = "export function format(...a) {\n  try { globalThis.__inTest?.(); } catch {}\n  return format_(...a);\n}\nfunction format_";
    format!("{attack}\n{}", real.replacen("export function format", calls, 1))
}

#[test]
fn what_nodes_runner_stands_on_cannot_be_changed_by_the_code_under_test() {
    if !crate::needs::program("node") {
        return;
    }
    let attacks = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/node_guard"));
    assert!(attacks.len() >= 12);
    for (name, text) in attacks {
        let ran = run(&NODE, false, &[(SOURCE, under_attack(&String::from_utf8(text).unwrap()))]);
        assert!(!ran.resolved() && !ran.targets.contains(&Some(true)), "{name}: {:?}", ran.report);
    }
}

#[test]
fn code_that_inherits_from_what_is_guarded_works_as_ever() {
    if !crate::needs::program("node") {
        return;
    }
    let code = include_str!("../fixtures/node_harmless.mjs");
    let ran = run(&NODE, false, &[(SOURCE, under_attack(code))]);
    assert!(ran.believed() && ran.guards.iter().all(|v| *v == Some(true)), "{:?}", ran.report);
}
