//! A path that a model gets wrong is answered, in Docker as in a local sandbox, and never ends an attempt.

use crate::attempts::world::{World, ends_with};
use serde_json::{Value, json};
use std::fs;
use tsbench::schema::Outcome;

/// What the model asks for, and words of the answer that it is given.
fn asked() -> Vec<(&'static str, Value, &'static str)> {
    let edit = |path: &str, old: &str, new: &str| ("edit_file", json!({"path": path, "old": old, "new": new}));
    let read = |path: &str| ("read_file", json!({"path": path}));
    let (long, deep) = ("a".repeat(300), "d/".repeat(900) + "f");
    let setting = "mkdir -p dir; seq 1 900000 >big.txt; ln -s answer.txt link; ln -s loop loop; ln -s no/where gone; \
        mkfifo pipe; ln -s /dev/zero zero; printf 'caf\\351' >latin; ln -s .. out; \
        printf no >$'end\\n'; printf no >end";
    let of = |(tool, arguments): (&'static str, Value), answer| (tool, arguments, answer);
    vec![
        ("run_command", json!({"command": setting}), "exit code 0"),
        of(read("answer.txt/x"), "Not a directory"),
        of(edit("answer.txt/new", "", "x"), "Not a directory"),
        of(read("dir"), "is a folder"),
        of(edit("dir", "", "x"), "is a folder"),
        of(edit("dir", "a", "x"), "is a folder"),
        of(read(&long), "File name too long"),
        of(edit(&long, "", "x"), "File name too long"),
        of(read(&deep), "there is no d/d"),
        of(read(&"d/".repeat(3000)), "at most 4095 bytes"),
        of(read("loop"), "Too many levels"),
        of(edit("loop/x", "", "x"), "Too many levels"),
        of(read("gone"), "a link to nothing"),
        of(edit("gone", "", "x"), "a link to nothing"),
        of(read("pipe"), "is no file but a fifo"),
        of(edit("pipe", "", "x"), "is no file but a fifo"),
        of(read("zero"), "is no file but a character special file"),
        of(read("a\nb"), "there is no a\nb"),
        of(read("../x"), "is no path below"),
        of(read("a\u{0}b"), "is no path below"),
        of(read("latin"), "caf\u{fffd}"),
        of(read("big.txt"), "more than 4194304"),
        of(edit("big.txt", "", "OVER"), "more than 4194304"),
        of(edit("link", "", "OVER"), "is there: say which text"),
        ("search", json!({"pattern": "x".repeat(200_000)}), "a pattern has at most"),
        ("search", json!({"pattern": "x", "path": "pipe"}), "nothing was found"),
        ("search", json!({"pattern": "x", "path": long}), "File name too long"),
        of(edit("end\n", "no", "other\n"), "was written"),
        of(edit("out/x", "", "x"), "leads out of the repository"),
        ("read_file", json!({"path": "answer.txt", "first_line": "9"}), "answer.txt has 1 lines"),
        of(edit("new/\u{e9} -n", "", "made\n"), "was written"),
        of(edit("link", "no", "yes"), "was written"),
        ("submit", json!({}), ""),
    ]
}

fn mistakes_are_answers(sandbox: &str) {
    let Some(world) = World::new() else { return };
    let asked = asked();
    let line = |(tool, arguments, _): &(&str, Value, &str)| {
        json!({"tool_calls": [{"name": tool, "arguments": arguments}], "finish": "tools"}).to_string() + "\n"
    };
    world.write("paths.jsonl", &asked.iter().map(line).collect::<String>());
    let model = "mock/script:paths.jsonl";
    let mut run = world.run_in(sandbox, "paths", model, &["--repeats", "1", "--agent", "tools"]);
    ends_with(0, &mut run);
    let line = &world.lines("paths")[0];
    assert_eq!((line.outcome, line.stop.as_deref()), (Outcome::Resolved, Some("submitted")), "{:?}", line.error);
    let evidence = world.evidence("paths", model);
    let steps: Vec<Value> = fs::read_to_string(evidence.join("trajectory.jsonl"))
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap())
        .filter(|step| step["tool"].is_string())
        .collect();
    assert_eq!(steps.len(), asked.len());
    for ((tool, arguments, answer), step) in asked.iter().zip(&steps) {
        let output =
            format!("exit code {}\n{}{}", step["output"]["exit"], step["output"]["stdout"], step["output"]["stderr"]);
        let escaped = answer.replace('\n', "\\n");
        let arguments: String = arguments.to_string().chars().take(80).collect();
        assert!(output.contains(&escaped), "{tool} {arguments}: {output}");
    }
    let patch = String::from_utf8_lossy(&fs::read(evidence.join("patch.diff")).unwrap()).into_owned();
    assert!(
        patch.contains("+yes") && patch.contains("+made") && patch.contains("+other") && !patch.contains("OVER"),
        "nothing was overwritten"
    );
    let named = &line.patch.as_ref().unwrap().left_out;
    let names: Vec<&str> = named.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, ["loop", "out", "pipe", "zero"], "{named:?}");
}

#[test]
fn a_path_that_a_model_gets_wrong_is_an_answer() {
    mistakes_are_answers("local");
}

#[test]
fn a_path_that_a_model_gets_wrong_is_an_answer_in_docker_too() {
    if crate::needs::image("tsbench/go:1") {
        mistakes_are_answers("docker");
    }
}

#[test]
fn every_agent_that_runs_commands_is_told_what_ends_with_them() {
    let prompts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    for (file, words) in [
        ("shell/first.md", "everything that it started is ended"),
        ("tools/system.md", "everything that it started is ended"),
        ("command/first.md", "what you started and what still runs is ended"),
    ] {
        assert!(fs::read_to_string(prompts.join(file)).unwrap().contains(words), "{file}");
    }
}
