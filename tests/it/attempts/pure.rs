//! What needs no sandbox: what is left of a plan, where plans differ, torn lines, prompt packs, patches.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tsbench::agent::{Captured, Files, Limits, Prompts, patch, prints};
use tsbench::attempts::{AttemptsError, Cell, Ledger, Plan, cells, differences, lock, read_plan, remaining};
use tsbench::gateway::{ModelEntry, Models};
use tsbench::git::{Mode, Store};
use tsbench::schema::{ATTEMPT_SCHEMA, Agent, Attempt, Outcome, RUN_SCHEMA, Run, Scoring, Source};

fn plan() -> Plan {
    let entry = |id: &str| Models::default().find(id).unwrap();
    let settings: Vec<ModelEntry> = vec![entry("mock/gold"), entry("mock/empty")];
    let limits = serde_json::to_value(Limits::default()).unwrap().as_object().cloned().unwrap();
    Plan {
        run: Run {
            schema: RUN_SCHEMA.into(),
            run: "r".into(),
            suite: "tiny@1".into(),
            suite_digest: None,
            source: Source::Own,
            imported_from: None,
            models: settings.iter().map(ModelEntry::planned).collect(),
            agent: Agent { name: "shell".into(), version: "1".into(), digest: None },
            condition: "default".into(),
            tasks: vec!["a".into(), "b".into()],
            task_details: Vec::new(),
            repeats: 3,
            limits,
            planned_attempts: 12,
            scoring: Scoring::default(),
            created_at: "2026-01-01T00:00:00Z".into(),
            tool: None,
            note: None,
        },
        seed: "s".into(),
        isolation: "docker".into(),
        budget_usd: None,
        task_digests: BTreeMap::new(),
        prompt_digests: BTreeMap::new(),
        settings,
    }
}

fn line(cell: &Cell, outcome: Outcome) -> Attempt {
    let mut value = serde_json::json!({"schema": ATTEMPT_SCHEMA, "run": "r", "suite": "tiny@1", "outcome": outcome});
    value["task"] = cell.task.as_str().into();
    value["model"] = cell.model.as_str().into();
    value["condition"] = cell.condition.as_str().into();
    value["repeat"] = cell.repeat.into();
    serde_json::from_value(value).unwrap()
}

#[test]
fn the_seed_alone_decides_the_order_and_nothing_comes_in_blocks() {
    let (mut one, mut other) = (plan(), plan());
    other.run.created_at = "2027-01-01T00:00:00Z".into();
    assert_eq!(cells(&one), cells(&other));
    other.seed = "t".into();
    assert_ne!(cells(&one), cells(&other));
    let set = |plan: &Plan| cells(plan).iter().map(|c| format!("{c:?}")).collect::<BTreeSet<_>>();
    assert_eq!((set(&one), set(&one).len()), (set(&other), 12));
    one.run.repeats = 50;
    let runs = cells(&one).windows(2).filter(|w| w[0].model != w[1].model).count();
    assert!(runs > 60, "models alternate: {runs} changes");
}

#[test]
fn another_condition_is_run_beside_the_canonical_one_at_the_same_chances() {
    let mut plan = plan();
    plan.run.condition = "brief".into();
    let all = cells(&plan);
    assert_eq!(all.len(), 24);
    let seeds = |condition: &str| -> BTreeSet<String> {
        all.iter().filter(|c| c.condition == condition).map(|c| c.seed("s")).collect()
    };
    assert_eq!((seeds("default"), seeds("brief").len()), (seeds("brief"), 12));
}

#[test]
fn what_counts_is_done_and_what_is_excluded_is_made_again() {
    let plan = plan();
    let all = cells(&plan);
    let lines = [
        line(&all[0], Outcome::Resolved),
        line(&all[1], Outcome::InfraError),
        line(&all[2], Outcome::Stopped),
        line(&all[3], Outcome::InfraError),
        line(&all[3], Outcome::Unresolved),
        line(&all[4], Outcome::TimedOut),
        line(&all[5], Outcome::NoPatch),
    ];
    let left = remaining(&plan, &lines);
    let expected: Vec<(Cell, bool)> = [(1, true), (2, true)]
        .into_iter()
        .chain((6..12).map(|i| (i, false)))
        .map(|(i, had)| (all[i].clone(), had))
        .collect();
    assert_eq!(left, expected);
    assert_eq!(remaining(&plan, &[]).len(), 12);
}

#[test]
fn where_infrastructure_counts_as_failure_it_is_not_made_again() {
    let mut plan = plan();
    plan.run.scoring.infra = tsbench::schema::Infra::Fail;
    let all = cells(&plan);
    assert_eq!(remaining(&plan, &[line(&all[0], Outcome::InfraError)]).len(), 11);
    assert_eq!(remaining(&plan, &[line(&all[0], Outcome::Stopped)]).len(), 12);
}

#[test]
fn a_changed_plan_is_told_field_by_field_and_what_decides_nothing_is_free() {
    let (locked, mut wanted) = (plan(), plan());
    wanted.run.created_at = "2027-01-01T00:00:00Z".into();
    wanted.run.note = Some("x".into());
    wanted.budget_usd = Some(3.0);
    wanted.settings[0].price = None;
    wanted.settings[0].concurrent = Some(1);
    assert_eq!(differences(&locked, &wanted), Vec::<String>::new());
    wanted.run.repeats = 4;
    wanted.settings[1].temperature = Some(0.5);
    wanted.run.tasks.pop();
    let found = differences(&locked, &wanted).join("\n");
    assert_eq!(found.lines().count(), 3, "{found}");
    for part in
        ["repeats: locked 3, now 4", "settings[1].temperature: locked null, now 0.5", "tasks: locked [\"a\",\"b\"]"]
    {
        assert!(found.contains(part), "{part} in {found}");
    }
}

#[test]
fn a_plan_is_locked_once() {
    let dir = tempfile::tempdir().unwrap();
    let (run, mut other) = (dir.path().join("r"), plan());
    assert_eq!(read_plan(&run).unwrap(), None);
    lock(&run, &plan()).unwrap();
    other.seed = "t".into();
    assert!(matches!(lock(&run, &other), Err(AttemptsError::Io { .. })));
    assert_eq!(read_plan(&run).unwrap(), Some(plan()));
    let names: Vec<_> = fs::read_dir(&run).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["run.json"], "nothing half written is left");
}

#[test]
fn a_line_cut_off_anywhere_is_removed_and_told_and_the_rest_stays() {
    let plan = plan();
    let all = cells(&plan);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("attempts.jsonl");
    let (mut ledger, lines, torn) = Ledger::open(dir.path()).unwrap();
    assert!(lines.is_empty() && torn.is_none());
    ledger.append(line(&all[0], Outcome::Resolved), &plan.run).unwrap();
    assert!(matches!(Ledger::open(dir.path()), Err(AttemptsError::Busy { .. })), "one process at a time");
    drop(ledger);
    let whole = fs::read(&file).unwrap();
    for cut in 1..whole.len() {
        fs::write(&file, [whole.as_slice(), &whole[..cut]].concat()).unwrap();
        let (_, lines, torn) = Ledger::open(dir.path()).unwrap();
        assert_eq!((lines.len(), torn.unwrap().bytes, fs::read(&file).unwrap()), (1, cut, whole.clone()));
    }
    fs::write(&file, [whole.as_slice(), b"{}\n"].concat()).unwrap();
    let text = Ledger::open(dir.path()).unwrap_err().to_string();
    assert!(text.contains("attempts.jsonl") && text.contains("line 2") && text.contains("hint:"), "{text}");
}

fn pack(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<Prompts, tsbench::agent::AgentError>) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join("c").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let prompts = Path::new(env!("CARGO_MANIFEST_DIR")).join("prompts");
    let read = Prompts::read(&prompts, dir.path(), "shell", "c");
    (dir, read)
}

const MANIFEST: &str =
    "schema = \"tsbench.condition/1\"\nname = \"c\"\nversion = \"1\"\n[replaces]\n\"shell/first.md\" = \"own.md\"\n";

#[test]
fn a_condition_replaces_texts_and_never_the_task() {
    let (_dir, good) = pack(&[("manifest.toml", MANIFEST), ("own.md", "Do: {{problem}} Done?")]);
    let good = good.unwrap();
    // Braces in a problem are the problem's.
    assert_eq!(good.fill("shell/first.md", &[("problem", "a {{turn}} b")]).unwrap(), "Do: a {{turn}} b Done?");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let canonical = Prompts::read(&root.join("prompts"), &root.join("conditions"), "shell", "default").unwrap();
    assert_ne!(canonical.digest, good.digest);
    for (files, told) in [
        (vec![("manifest.toml", MANIFEST), ("own.md", "Do it.")], "{{problem}}"),
        (vec![("manifest.toml", MANIFEST), ("own.md", "{{problem}} {{solution}}")], "unknown name {{solution}}"),
        (vec![("manifest.toml", MANIFEST)], "own.md"),
        (vec![("manifest.toml", "schema = 1")], "schema"),
        (vec![("manifest.toml", &MANIFEST.replace("shell/first.md", "../tasks/x.md"))], "is no file below"),
        (vec![], "manifest.toml"),
    ] {
        let text = pack(&files).1.unwrap_err().to_string();
        assert!(text.contains(told) && text.contains("hint:"), "{told} in {text}");
    }
}

#[test]
fn every_condition_of_the_repository_can_be_used_by_every_agent() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for entry in fs::read_dir(root.join("conditions")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        for agent in ["shell", "tools"] {
            Prompts::read(&root.join("prompts"), &root.join("conditions"), agent, &name).unwrap();
        }
    }
}

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(path, text)| ((*path).to_owned(), (Mode::File, text.as_bytes().to_vec()))).collect()
}

#[test]
fn a_patch_holds_new_changed_and_removed_files_and_nothing_that_is_ignored_or_was_there() {
    let store = Store::new().unwrap();
    let start = files(&[
        (".gitignore", "*.log\nbuild/\n"),
        ("a.txt", "a\n"),
        ("b.txt", "b\n"),
        ("kept.log", "1\n"),
        ("d/x", "x\n"),
    ]);
    let tree = store.write_files(&start).unwrap();
    // An installation had made and changed files before the agent came.
    let mut before = start.clone();
    before.extend(files(&[("installed.txt", "i\n"), ("b.txt", "b, installed\n")]));
    let mut after = before.clone();
    after.remove("a.txt");
    after.remove("d/x");
    after.extend(files(&[
        ("d", "now a file\n"),
        ("new/é.txt", "new\n"),
        (":(top)*", "odd\n"),
        ("no\nline.log", "no\n"),
        ("out.log", "no\n"),
        ("build/x.o", "no\n"),
        ("kept.log", "2\n"),
    ]));
    after.insert("run.sh".into(), (Mode::Executable, b"#!/bin/sh\n".to_vec()));
    let (before, after) = (Captured::from(before), Captured::from(after));
    let made = patch(&store, &tree, &prints(&before), &after).unwrap();
    let tsbench::git::Applied::Strict(end) = store.apply(&tree, &made).unwrap() else { panic!("it applies") };
    let names: Vec<String> = store.read(&end).unwrap().into_keys().collect();
    assert_eq!(names, [".gitignore", ":(top)*", "b.txt", "d", "kept.log", "new/é.txt", "run.sh"]);
    assert_eq!(store.read(&end).unwrap()["run.sh"].mode, Mode::Executable);
    let text = String::from_utf8_lossy(&made);
    assert!(!text.contains("installed") && text.contains("+2"), "{text}");
    assert_eq!(patch(&store, &tree, &prints(&before), &before).unwrap(), b"", "nothing done, nothing to hand in");
}
