use super::folder::{Folder, jsonl, line};
use proptest::prelude::*;
use serde_json::Value;
use tsbench::results::{Level, Row, RunFile};
use tsbench::schema::{Attempt, Counts, Failure, Outcome, Patch, Seconds, TestCounts, Tests, Usage};

fn some<T: Clone + std::fmt::Debug + 'static>(inner: impl Strategy<Value = T> + 'static) -> BoxedStrategy<Option<T>> {
    prop::option::of(inner).boxed()
}

fn count() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..1000, 0_u64..=1_000_000_000_000]
}

fn seconds() -> BoxedStrategy<Option<f64>> {
    some(0.0_f64..1e6)
}

fn counts() -> impl Strategy<Value = TestCounts> {
    (0_u64..50, 0_u64..50, prop::collection::vec("\\PC{0,8}", 0..3)).prop_map(|(passed, more, failed)| TestCounts {
        passed,
        total: passed + more,
        failed,
    })
}

prop_compose! {
    fn details()(
        stop in some("[a-z_]{1,12}"), tests in some((counts(), counts())), patch in some(("[0-9a-f]{64}", count(), count(), some("\\PC{0,6}"))),
        usage in some((count(), count(), count(), count(), count())), cost_usd in some(prop_oneof![Just(0.0), 0.0_f64..1e6]), seconds in some((seconds(), seconds(), seconds(), seconds())),
        turns in some(0_u64..1000), error in some(("[a-z]{0,8}", "\\PC{0,500}")), tool in some("\\PC{0,10}"),
        ended in some((0_i64..4_000_000_000, 0_i64..1000)),
    ) -> Attempt {
        let time = ended.map(|(s, ms)| jiff::Timestamp::from_millisecond(s * 1000 + ms).unwrap().to_string());
        Attempt {
            stop, cost_usd, turns, tool,
            tests: tests.map(|(targets, guards)| Tests { targets, guards }),
            patch: patch.map(|(sha256, bytes, files, applied)| Patch { sha256, bytes, files, applied, dropped: vec!["\u{1}\"".into()], put_back: vec!["a: \"b\"".into()], left_out: vec!["p: \u{1}".into()] }),
            usage: usage.map(|(input, cached_input, cache_write, output, requests)| Usage { input, cached_input, cache_write, output, requests }),
            seconds: seconds.map(|(agent, install, tests, total)| Seconds { agent, install, tests, total }),
            error: error.map(|(class, message)| Failure { class, message }),
            started_at: time.clone(), finished_at: time,
            ..serde_json::from_value(line()).unwrap()
        }
    }
}

/// The attempt with those claims alone that can be true together.
fn consistent(mut a: Attempt) -> Attempt {
    let judged = matches!(a.outcome, Outcome::Resolved | Outcome::Unresolved | Outcome::TimedOut);
    a.tests = a.tests.filter(|_| judged);
    a.score = a.score.filter(|_| judged);
    for counts in a.tests.iter_mut().flat_map(|t| [&mut t.targets, &mut t.guards]) {
        counts.total += 1;
        if a.outcome == Outcome::Resolved {
            counts.passed = counts.total;
        } else {
            counts.total = counts.total.max(counts.passed + 1);
        }
        counts.failed = (counts.passed..counts.total).map(|i| format!("test {i}")).collect();
    }
    a.patch = a.patch.filter(|_| judged);
    if let Some(patch) = &mut a.patch {
        patch.bytes = patch.bytes.max(1);
    }
    a
}

prop_compose! {
    fn attempt()(a in claiming()) -> Attempt {
        consistent(a)
    }
}

prop_compose! {
    /// Fields that need not agree with each other.
    fn claiming()(
        base in details(), task in 0_usize..3, model in 0_usize..2, terse in any::<bool>(), repeat in 0_u32..10, outcome in 0_usize..8, score in some((0_u64..9, 1_u64..9)),
    ) -> Attempt {
        let outcome = Outcome::ALL[outcome];
        let score = score.map(|(passed, more)| Counts {
            passed: passed + 1,
            total: if outcome == Outcome::Resolved { passed + 1 } else { passed + 1 + more },
        });
        Attempt {
            task: ["a__a-1", "b__b-2", "c__c-3"][task].into(), model: ["m/one", "m/two"][model].into(),
            condition: (if terse { "terse" } else { "default" }).into(), repeat, outcome, score, ..base
        }
    }
}

/// A row holds what its attempt says.
fn same(run: &RunFile, row: &Row, a: &Attempt) -> Result<(), TestCaseError> {
    prop_assert_eq!(&run.run.tasks[row.task as usize], &a.task);
    prop_assert_eq!(&run.run.models[usize::from(row.model)].id, &a.model);
    prop_assert_eq!(&run.variants[usize::from(row.variant)], &(a.agent.clone(), a.condition.clone()));
    prop_assert_eq!((row.repeat, row.outcome), (a.repeat, a.outcome));
    prop_assert_eq!(row.cost_usd(), a.cost_usd);
    prop_assert_eq!(row.cost_nano(), a.cost_usd.map(|c| (c * 1e9).round() as i64));
    prop_assert_eq!(row.agent_seconds(), a.seconds.and_then(|s| s.agent));
    prop_assert_eq!(row.total_seconds(), a.seconds.and_then(|s| s.total));
    prop_assert_eq!(row.turns().map(u64::from), a.turns);
    prop_assert_eq!(row.tokens(), a.usage.map(|u| (u.input, u.output)));
    let tests = a.tests.clone().unwrap_or_default();
    prop_assert_eq!(row.targets, (tests.targets.passed as u32, tests.targets.total as u32));
    prop_assert_eq!(row.guards, (tests.guards.passed as u32, tests.guards.total as u32));
    let text = run.error_text(row.line).map(|e| (e.class.clone(), e.message.clone()));
    prop_assert_eq!(text, a.error.as_ref().map(|e| (e.class.clone(), e.message.chars().take(400).collect())));
    Ok(())
}

/// The effective rows without their lines, in an order that does not depend on the file's.
fn effective(run: &RunFile) -> Vec<String> {
    let mut rows: Vec<String> = run
        .effective()
        .map(|r| {
            format!(
                "{:?}",
                (
                    r.task,
                    r.model,
                    &run.variants[usize::from(r.variant)],
                    r.repeat,
                    r.outcome,
                    r.cost_nano(),
                    r.turns(),
                    r.tokens(),
                    r.targets
                )
            )
        })
        .collect();
    rows.sort();
    rows
}

/// Places in a JSON text where a byte changes what it means.
fn spoiled() -> impl Strategy<Value = Vec<u8>> {
    good_and_spoiled().prop_map(|(_, bytes)| bytes)
}

/// A good line, and the same with a few bytes changed.
fn good_and_spoiled() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let pieces = [
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "-1",
        "1e999",
        "0.5",
        "\"x\"",
        "\"repeat\":0,",
        "\u{e9}",
        "\n",
        "\r",
        "\\ud800",
        " ",
    ];
    (attempt(), prop::collection::vec((any::<prop::sample::Index>(), 0_usize..19, any::<bool>()), 1..4)).prop_map(
        move |(a, edits)| {
            let good = serde_json::to_vec(&a).unwrap();
            let mut bytes = good.clone();
            for (at, piece, replace) in edits {
                let i = at.index(bytes.len());
                let end = if replace { (i + 1).min(bytes.len()) } else { i };
                bytes.splice(i..end, pieces[piece].bytes());
            }
            bytes.push(b'\n');
            (good, bytes)
        },
    )
}

/// What is said about a 1-based line: its row without its place, its error text, its faults but that it stands twice.
fn said(bytes: &[u8], line: u32) -> (Option<String>, Option<String>, Vec<String>) {
    let data = Folder::with(bytes).read();
    let run = &data.runs[0];
    let row = run.rows.iter().find(|r| r.line == line).map(|r| {
        let mut row = r.clone();
        (row.line, row.variant, row.superseded) = (0, 0, false);
        format!("{:?} {row:?}", run.variants[usize::from(r.variant)])
    });
    let faults = data.faults.iter().filter(|f| f.line == Some(line.into()) && !f.what.contains("again on line"));
    (
        row,
        run.error_text(line).map(|e| e.message.clone()),
        faults.map(|f| format!("{:?} {}", f.field, f.what)).collect(),
    )
}

/// Values of any kind in any field of a good line.
fn odd() -> impl Strategy<Value = Value> {
    let pointers = [
        "/schema",
        "/run",
        "/suite",
        "/task",
        "/model",
        "/agent",
        "/condition",
        "/repeat",
        "/outcome",
        "/stop",
        "/score",
        "/score/passed",
        "/score/total",
        "/tests",
        "/tests/targets",
        "/tests/targets/passed",
        "/tests/targets/failed",
        "/tests/guards",
        "/tests/guards/total",
        "/patch",
        "/patch/sha256",
        "/patch/bytes",
        "/patch/files",
        "/patch/applied",
        "/patch/dropped",
        "/usage",
        "/usage/input",
        "/usage/cached_input",
        "/usage/output",
        "/usage/requests",
        "/cost_usd",
        "/seconds",
        "/seconds/agent",
        "/seconds/install",
        "/seconds/tests",
        "/seconds/total",
        "/turns",
        "/retries",
        "/error",
        "/digests",
        "/host",
        "/tool",
        "/started_at",
        "/finished_at",
    ];
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2_i64..12).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,4}".prop_map(Value::from),
        Just(serde_json::json!({})),
        Just(serde_json::json!([])),
        Just(serde_json::json!(["x"])),
        Just(serde_json::json!([1])),
        Just(serde_json::json!({"passed": 1, "total": 1, "class": "c", "input": 1})),
        Just(serde_json::json!("2026-01-31T10:00:00Z")),
        Just(serde_json::json!("resolved")),
    ];
    prop::collection::vec((prop::sample::select(pointers.to_vec()), value), 1..3).prop_map(|edits| {
        let mut line = line();
        for (pointer, value) in edits {
            if let Some(place) = line.pointer_mut(pointer) {
                *place = value;
            }
        }
        line
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), plan in prop::collection::vec(any::<u8>(), 0..60)) {
        Folder::with(&bytes).read();
        let folder = Folder::new();
        folder.put("r/run.json", &plan).put("s/publisher.json", &plan);
        prop_assert!(folder.read().has_errors());
    }

    #[test]
    fn a_spoiled_line_never_panics_and_never_vanishes(bytes in spoiled()) {
        let data = Folder::with(&bytes).read();
        let lines = bytes.iter().filter(|b| **b == b'\n').count();
        let rows = data.runs[0].rows.len();
        let faulty: std::collections::BTreeSet<u64> = data.faults.iter().filter(|f| f.field.as_deref() != Some("repeat") || !f.what.contains("again")).filter_map(|f| f.line).collect();
        prop_assert_eq!(rows + faulty.len(), lines, "{:?}", data.faults);
    }

    #[test]
    fn a_line_that_is_accepted_is_json_to_every_reader(bytes in spoiled()) {
        let data = Folder::with(&bytes).read();
        let lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        for row in &data.runs[0].rows {
            prop_assert!(serde_json::from_slice::<Value>(lines[row.line as usize - 1]).is_ok());
        }
    }

    #[test]
    fn a_line_is_judged_alike_alone_and_between_others((good, spoiled) in good_and_spoiled()) {
        let first = spoiled.split_inclusive(|b| *b == b'\n').next().unwrap();
        let between = [&good, b"\n".as_slice(), first, &good, b"\n"].concat();
        prop_assert_eq!(said(first, 1), said(&between, 2));
    }

    #[test]
    fn an_odd_value_is_judged_alike_alone_and_between_others(odd in odd()) {
        let between = jsonl(&[line(), odd.clone(), line()]);
        prop_assert_eq!(said(jsonl(&[odd]).as_bytes(), 1), said(between.as_bytes(), 2));
    }

    #[test]
    fn attempts_of_one_shape_read_back_each_as_its_own_row(one in attempt(), other in attempt()) {
        // The fields of one with the values of the other: null stays null.
        fn mix(one: Value, other: &Value) -> Value {
            match (one, other) {
                (Value::Object(map), Value::Object(others)) => {
                    Value::Object(map.into_iter().map(|(k, v)| { let v = others.get(&k).map_or(v.clone(), |o| mix(v, o)); (k, v) }).collect())
                }
                (one, other) if one.is_null() || other.is_null() => one,
                (_, other) => other.clone(),
            }
        }
        let [a, b] = [&one, &other].map(|a| serde_json::to_value(a).unwrap());
        let mut mixed = mix(a.clone(), &b);
        mixed["score"] = a["score"].clone();
        mixed["outcome"] = a["outcome"].clone();
        mixed["tests"] = a["tests"].clone();
        mixed["repeat"] = ((one.repeat + 1) % 10).into();
        let data = Folder::with(jsonl(&[a, mixed.clone()])).read();
        prop_assert_eq!(&data.faults, &[]);
        let mixed: Attempt = serde_json::from_value(mixed).unwrap();
        let row = data.runs[0].rows.iter().find(|r| r.line == 2).unwrap();
        same(&data.runs[0], row, &mixed)?;
    }

    #[test]
    fn claims_that_contradict_each_other_are_named_by_both_readers(a in claiming(), graded in any::<bool>(), class in prop::sample::select(vec!["no_tests", "x"])) {
        let mut line = serde_json::to_value(&a).unwrap();
        if graded {
            line["digests"] = serde_json::json!({"grader": "tsbench-score/1"});
        }
        if !line["error"].is_null() {
            line["error"]["class"] = class.into();
        }
        // A mark before the line makes it one for the slow reader, which names the mark as well.
        let text = jsonl(&[line]);
        let faults = |bytes: Vec<u8>| Folder::with(bytes).read().faults;
        let fast: Vec<String> = faults(text.clone().into_bytes()).iter().map(|f| f.to_string()).collect();
        let slow: Vec<String> = faults(["\u{feff}", &text].concat().into_bytes()).iter().skip(1).map(|f| f.to_string()).collect();
        prop_assert_eq!(fast, slow);
    }

    #[test]
    fn a_refused_line_has_a_reason_with_a_field(line in odd()) {
        let data = Folder::with(jsonl(&[line])).read();
        prop_assert_eq!(data.runs[0].rows.is_empty(), data.has_errors());
        for fault in &data.faults {
            prop_assert!(fault.level == Level::Error && fault.field.is_some() && fault.line == Some(1), "{}", fault);
        }
    }

    #[test]
    fn a_written_attempt_reads_back_as_the_same_row(a in attempt()) {
        let data = Folder::with(serde_json::to_string(&a).unwrap() + "\n").read();
        prop_assert_eq!(&data.faults, &[]);
        same(&data.runs[0], &data.runs[0].rows[0], &a)?;
        prop_assert_eq!(data.runs[0].newest.as_str(), a.finished_at.as_deref().unwrap_or(""));
    }

    #[test]
    fn the_order_of_lines_does_not_change_what_counts(attempts in prop::collection::vec(attempt(), 1..12), seed in any::<prop::sample::Index>()) {
        let mut seen = std::collections::HashSet::new();
        let mut lines: Vec<Value> = attempts.iter().filter(|a| seen.insert((&a.task, &a.model, &a.condition, a.repeat))).map(|a| serde_json::to_value(a).unwrap()).collect();
        let one = Folder::with(jsonl(&lines)).read();
        let n = lines.len();
        lines.rotate_left(seed.index(n));
        let half = n / 2;
        lines[..half].reverse();
        let two = Folder::with(jsonl(&lines)).read();
        prop_assert_eq!(&one.faults, &[]);
        prop_assert_eq!(effective(&one.runs[0]), effective(&two.runs[0]));
        prop_assert_eq!(&one.runs[0].newest, &two.runs[0].newest);
    }
}
