use super::folder::{Folder, attempt, jsonl, line, with};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use tsbench::results::{Level, Stop};
use tsbench::schema::Outcome;

#[test]
fn a_good_line_is_a_row_with_all_it_says() {
    let data = Folder::with(jsonl(&[line()])).read();
    assert_eq!(data.faults, []);
    let run = &data.runs[0];
    let row = &run.rows[0];
    assert_eq!(
        (row.task, row.model, row.repeat, row.line, row.outcome, row.stop),
        (0, 0, 0, 1, Outcome::Unresolved, Stop::Submitted)
    );
    assert_eq!(
        (row.cost_nano(), row.agent_seconds(), row.total_seconds(), row.turns(), row.tokens()),
        (Some(125_000_000), Some(10.5), Some(13.0), Some(4), Some((100, 7)))
    );
    assert_eq!((row.targets, row.guards, row.has_error), ((0, 1), (4, 4), false));
    assert_eq!(run.variants, [("shell@1".to_owned(), "default".to_owned())]);
    assert_eq!(run.newest, "2026-09-19T00:01:00Z");
}

#[test]
fn a_short_line_says_nothing_that_it_does_not_say() {
    let short = json!({"schema": "tsbench.attempt/1", "run": "r", "suite": "core@1.0", "task": "c__c-3", "model": "m/two", "repeat": 9, "outcome": "no_patch"});
    let data = Folder::with(jsonl(&[short])).read();
    assert_eq!(data.faults, []);
    let row = &data.runs[0].rows[0];
    assert_eq!(
        (row.cost_nano(), row.agent_seconds(), row.total_seconds(), row.turns(), row.tokens(), row.stop),
        (None, None, None, None, None, Stop::Unsaid)
    );
    assert_eq!(data.runs[0].variants, [("shell@1".to_owned(), "default".to_owned())]);
}

#[test]
fn a_null_says_as_much_as_leaving_the_field_out() {
    for field in [
        "agent",
        "condition",
        "stop",
        "score",
        "tests",
        "patch",
        "usage",
        "cost_usd",
        "seconds",
        "turns",
        "retries",
        "error",
        "digests",
        "host",
        "tool",
        "started_at",
        "finished_at",
    ] {
        assert_eq!(Folder::with(jsonl(&[with(field, Value::Null)])).read().faults, [], "{field}");
    }
}

#[test]
fn a_line_that_is_not_json_is_an_error() {
    assert!(Folder::with("{\"schema\": oops}\n").error(1, "").contains("not JSON"));
    assert!(Folder::with("[]\n").error(1, "").contains("not a JSON object"));
    assert!(Folder::with("hello\n").error(1, "").contains("not JSON"));
    assert!(Folder::with(format!("{} {}\n", line(), line())).error(1, "").contains("not JSON"));
}

#[test]
fn a_missing_field_is_an_error_that_names_it() {
    for field in ["schema", "run", "suite", "task", "model", "repeat", "outcome"] {
        let mut short = line();
        short.as_object_mut().unwrap().remove(field);
        assert_eq!(Folder::with(jsonl(&[short])).error(1, field), "is missing");
    }
}

#[test]
fn an_unknown_outcome_is_an_error_and_never_not_fixed() {
    for word in ["fixed", "Resolved", "", "resolved "] {
        let folder = Folder::with(jsonl(&[with("outcome", word.into())]));
        assert!(folder.error(1, "outcome").contains("resolved, unresolved, no_patch"));
        assert!(folder.read().runs[0].rows.is_empty());
        assert!(folder.read().has_errors());
    }
}

#[test]
fn a_second_line_of_one_identity_is_an_error_that_names_both() {
    let folder = Folder::with(jsonl(&[attempt(0, "unresolved"), attempt(1, "resolved"), attempt(0, "resolved")]));
    let what = folder.error(3, "repeat");
    assert!(what.contains("line 1 and again on line 3") && what.contains("a__a-1") && what.contains("m/one"), "{what}");
}

#[test]
fn a_later_line_replaces_an_excluded_one() {
    let data = Folder::with(jsonl(&[
        attempt(0, "infra_error"),
        attempt(1, "resolved"),
        attempt(0, "stopped"),
        attempt(0, "unresolved"),
    ]))
    .read();
    assert_eq!(data.faults, []);
    let kept: Vec<_> = data.runs[0].effective().map(|r| (r.repeat, r.outcome, r.line)).collect();
    assert_eq!(kept, [(0, Outcome::Unresolved, 4), (1, Outcome::Resolved, 2)]);
    assert_eq!(data.runs[0].rows.iter().filter(|r| r.superseded).map(|r| r.line).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn an_infrastructure_error_that_counts_is_not_replaced() {
    let folder = Folder::with(jsonl(&[attempt(0, "infra_error"), attempt(0, "resolved")]));
    let mut plan = super::folder::plan("r");
    plan["scoring"] = json!({"infra": "fail"});
    folder.put("r/run.json", plan.to_string());
    assert!(folder.error(2, "repeat").contains("line 1 and again on line 2"));
}

#[test]
fn an_excluded_line_does_not_replace_a_counted_one() {
    assert!(
        Folder::with(jsonl(&[attempt(0, "unresolved"), attempt(0, "stopped")])).error(2, "repeat").contains("line 1")
    );
}

#[test]
fn a_condition_of_its_own_is_another_attempt() {
    let mut other = line();
    other["condition"] = "terse".into();
    let data = Folder::with(jsonl(&[line(), other])).read();
    assert_eq!((data.faults.len(), data.runs[0].rows.len(), data.runs[0].variants.len()), (0, 2, 2));
}

#[test]
fn a_last_line_cut_short_is_a_warning_and_the_rest_is_used() {
    let whole = jsonl(&[attempt(0, "resolved"), attempt(1, "unresolved")]);
    let second = whole.find('\n').unwrap() + 1;
    for cut in second + 1..whole.len() - 1 {
        let folder = Folder::with(&whole[..cut]);
        let fault = folder.fault();
        assert_eq!((fault.level, fault.line), (Level::Warning, Some(2)), "{cut}: {fault}");
        assert_eq!(folder.read().runs[0].rows.len(), 1);
    }
}

#[test]
fn a_cut_inside_a_character_is_a_cut() {
    let bytes = format!("{}\n{{\"task\": \"é", line());
    assert_eq!(Folder::with(&bytes.as_bytes()[..bytes.len() - 1]).fault().level, Level::Warning);
}

#[test]
fn a_line_cut_short_elsewhere_is_an_error() {
    let whole = attempt(0, "resolved").to_string();
    let folder = Folder::with(format!("{}\n{}", &whole[..40], jsonl(&[attempt(1, "resolved")])));
    assert!(folder.error(1, "").contains("not JSON"));
}

#[test]
fn a_missing_last_line_end_is_a_warning_and_the_line_is_used() {
    let folder = Folder::with(line().to_string());
    assert_eq!((folder.fault().level, folder.fault().line), (Level::Warning, Some(1)));
    assert_eq!(folder.read().runs[0].rows.len(), 1);
}

#[test]
fn what_json_does_not_know_as_a_number_is_an_error_that_names_the_field() {
    for word in ["NaN", "Infinity", "-Infinity"] {
        let text = line().to_string().replace("0.125", word);
        assert!(
            Folder::with(format!("{text}\n")).error(1, "cost_usd").contains(&format!("{word} is not a JSON number"))
        );
    }
    assert!(
        Folder::with(format!("{}\n", line().to_string().replace("0.125", "1e999")))
            .error(1, "")
            .contains("out of range")
    );
}

#[test]
fn a_negative_cost_is_an_error() {
    assert!(Folder::with(jsonl(&[with("cost_usd", (-0.5).into())])).error(1, "cost_usd").contains("negative"));
    assert!(Folder::with(jsonl(&[with("cost_usd", 1e7.into())])).error(1, "cost_usd").contains("more than"));
}

#[test]
fn carriage_returns_and_byte_order_marks_are_errors() {
    assert!(Folder::with(format!("{}\r\n", line())).error(1, "").contains("CRLF"));
    assert!(Folder::with(format!("\u{feff}{}\n", line())).error(1, "").contains("byte-order mark"));
}

#[test]
fn invalid_utf_8_is_an_error_of_its_line_alone() {
    let good = jsonl(&[attempt(0, "resolved"), attempt(1, "resolved")]);
    let mut bytes = good.clone().into_bytes();
    bytes.extend(b"{\"task\": \"\xff\"}\n");
    bytes.extend(jsonl(&[attempt(2, "resolved")]).bytes());
    let folder = Folder::with(bytes);
    assert!(folder.error(3, "").contains("invalid UTF-8 at byte 11"));
    assert_eq!(folder.read().runs[0].rows.len(), 3);
}

#[test]
fn an_empty_line_is_an_error() {
    assert_eq!(
        Folder::with(format!("{}\n\n{}\n", attempt(0, "resolved"), attempt(1, "resolved"))).error(2, ""),
        "the line is empty"
    );
    assert_eq!(Folder::with(format!("{}\n \t\n", line())).error(2, ""), "the line is empty");
}

#[test]
fn what_is_not_in_the_plan_is_an_error() {
    for (field, value) in [
        ("task", json!("d__d-4")),
        ("model", json!("m/three")),
        ("repeat", json!(10)),
        ("condition", json!("verbose")),
        ("agent", json!("shell@2")),
        ("run", json!("other")),
        ("suite", json!("core@1.1")),
        ("schema", json!("tsbench.attempt/2")),
    ] {
        let folder = Folder::with(jsonl(&[with(field, value)]));
        let what = folder.error(1, field);
        assert!(what.contains("plan") || what.contains("expected"), "{what}");
    }
}

#[test]
fn a_line_without_an_agent_means_the_default_one() {
    let mut plan = super::folder::plan("r");
    plan["agent"]["version"] = "2".into();
    let mut silent = line();
    silent.as_object_mut().unwrap().remove("agent");
    let folder = Folder::with(jsonl(&[silent]));
    folder.put("r/run.json", plan.to_string());
    assert!(folder.error(1, "agent").contains("shell@1"));
}

#[test]
fn a_key_that_stands_twice_is_an_error_that_names_it() {
    let text = line().to_string();
    for (key, again) in [
        ("outcome", text.replacen('{', "{\"outcome\":\"resolved\",", 1)),
        ("usage.input", text.replace("\"input\":100", "\"input\":100,\"input\":100")),
        ("tests.targets.passed", text.replace("\"targets\":{", "\"targets\":{\"passed\":0,")),
        ("cost_usd", text.replacen('{', "{\"cost_\\u0075sd\":1,", 1)),
    ] {
        assert!(Folder::with(format!("{again}\n")).error(1, key).contains("twice"), "{key}");
    }
}

#[test]
fn a_wrong_type_in_any_field_is_an_error_that_names_it() {
    let wrong_for = |value: &Value| match value {
        Value::String(_) => json!(7),
        _ => json!("seven"),
    };
    let mut fields: Vec<String> = Vec::new();
    for (key, value) in line().as_object().unwrap() {
        fields.push(key.clone());
        if let Some(inner) = value.as_object().filter(|_| !["digests", "host", "score"].contains(&key.as_str())) {
            fields.extend(inner.keys().map(|k| format!("{key}.{k}")));
        }
    }
    fields.retain(|f| f != "host");
    fields.extend(["tests.targets.failed", "tests.guards.failed"].map(str::to_owned));
    assert!(fields.len() > 35, "{fields:?}");
    for field in fields {
        let pointer = format!("/{}", field.replace('.', "/"));
        let wrong = wrong_for(line().pointer(&pointer).unwrap());
        Folder::with(jsonl(&[with(&field, wrong)])).error(1, &field);
    }
    for (field, wrong) in [
        ("repeat", json!(1.0)),
        ("repeat", json!(-1)),
        ("turns", json!(4.5)),
        ("turns", json!(1e300)),
        ("usage.output", json!(-1)),
        ("usage.input", json!(u64::MAX)),
        ("seconds.total", json!(-1)),
        ("patch.dropped", json!([1])),
        ("started_at", json!("yesterday")),
        ("finished_at", json!("2026-02-30T00:00:00Z")),
        ("error", json!([])),
        ("error", json!("text")),
        ("score", json!({"passed": 1})),
        ("score", json!({"passed": 3, "total": 2})),
        ("tests.guards", json!({"passed": 2, "total": 1})),
        ("cost_usd", json!(true)),
    ] {
        Folder::with(jsonl(&[with(field, wrong)])).error(1, field);
    }
    Folder::with(jsonl(&[with("error", json!({"class": 1, "message": "x"}))])).error(1, "error.class");
}

#[test]
fn a_score_and_the_outcome_must_agree() {
    let mut full = with("score", json!({"passed": 2, "total": 2}));
    assert!(Folder::with(jsonl(&[full.clone()])).error(1, "score").contains("does not agree"));
    full["outcome"] = "resolved".into();
    full["tests"] = Value::Null;
    assert_eq!(Folder::with(jsonl(&[full])).read().faults, []);
}

#[test]
fn nesting_without_end_is_an_error() {
    for deep in
        ["[".repeat(100_000), format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "{\"a\":".repeat(100_000)]
    {
        assert!(Folder::with(format!("{deep}\n")).error(1, "").starts_with("not JSON: recursion limit"));
        let inside = line().to_string().replacen('{', &format!("{{\"extra\":{deep},"), 1);
        assert!(Folder::with(format!("{inside}\n")).error(1, "").starts_with("not JSON: recursion limit"));
    }
}

#[test]
fn unknown_stop_words_and_fields_are_kept() {
    let data =
        Folder::with(jsonl(&[with("stop", "bored".into()), with("future", json!({"a": [1, null]}))].map(|mut l| {
            l["repeat"] = if l.get("future").is_some() { 1.into() } else { 0.into() };
            l
        })))
        .read();
    assert_eq!(data.faults, []);
    assert_eq!(data.runs[0].rows[0].stop, Stop::Other);
}

#[test]
fn the_newest_end_is_the_newest_moment() {
    let ends = ["2026-09-19T00:01:00Z", "2026-09-19T00:01:00.5Z", "2026-09-19T02:00:59+02:00", "2026-09-18T23:59:59Z"];
    let lines: Vec<Value> = ends
        .iter()
        .enumerate()
        .map(|(i, end)| {
            let mut l = attempt(i as u32, "resolved");
            l["finished_at"] = (*end).into();
            l
        })
        .collect();
    assert_eq!(Folder::with(jsonl(&lines)).read().runs[0].newest, "2026-09-19T00:01:00.5Z");
}

#[test]
fn every_fault_of_a_file_is_listed_in_one_go_and_in_order() {
    let mut two = with("cost_usd", (-1).into());
    two["task"] = "nowhere".into();
    let text = format!(
        "oops\n{two}\n{}\n\n{}\n{}\n",
        attempt(3, "resolved"),
        attempt(3, "resolved"),
        with("outcome", "fixed".into())
    );
    let found: Vec<_> = Folder::with(text)
        .read()
        .faults
        .iter()
        .map(|f| (f.line.unwrap(), f.field.clone().unwrap_or_default()))
        .collect();
    let want =
        [(1, ""), (2, "task"), (2, "cost_usd"), (4, ""), (5, "repeat"), (6, "outcome")].map(|(l, f)| (l, f.to_owned()));
    assert_eq!(found, want);
}

#[test]
fn a_fault_does_not_repeat_a_long_text() {
    let fault = Folder::with(jsonl(&[with("task", "x".repeat(100_000).into())])).fault();
    assert!(fault.to_string().len() < 500, "{}", fault.to_string().len());
}

/// Peak memory of this process in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn a_line_of_a_hundred_megabytes_is_an_error_and_is_not_read_into_memory() {
    const SIZE: u64 = 100 << 20;
    let folder = Folder::with(jsonl(&[attempt(0, "resolved")]));
    // A file with a hole: it needs no disk, and reads as zeros.
    let mut file = File::options().append(false).write(true).open(folder.root().join("r/attempts.jsonl")).unwrap();
    let start = file.seek(SeekFrom::End(0)).unwrap();
    file.seek(SeekFrom::Start(start + SIZE)).unwrap();
    file.write_all(b"\n").unwrap();
    file.write_all(jsonl(&[attempt(1, "resolved"), attempt(1, "resolved")]).as_bytes()).unwrap();
    let before = peak();
    let data = folder.read();
    // Other tests run beside this one, so the bound is half the line, not a few kilobytes.
    assert!(peak() - before < SIZE / 2, "peak memory grew by {}", peak() - before);
    let found: Vec<_> = data.faults.iter().map(|f| (f.line.unwrap(), f.what.contains("bytes"))).collect();
    assert_eq!(found, [(2, true), (4, false)]);
    assert!(data.faults[1].what.contains("line 3 and again on line 4"));
}
