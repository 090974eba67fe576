//! Reports that real tools wrote, and reports that nobody should believe.

use proptest::prelude::*;
use std::path::Path;
use tsbench::reports::{Case, GoNames, Key, Report, Seal, Status, parse_go, parse_junit, parse_sealed, verdict_of};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/reports").join(name)).unwrap()
}

/// The key that the fixtures were sealed with.
fn key() -> Key {
    Key::new([7; 32])
}

fn sealed(name: &str) -> Report {
    parse_sealed(&fixture(name), &key())
}

fn states(report: &Report) -> Vec<(&str, Status)> {
    report.cases.iter().map(|c| (c.id.as_str(), c.status)).collect()
}

#[test]
fn pytest_phases_make_one_case_each() {
    let report = sealed("pytest.jsonl");
    assert_eq!((&report.seal, report.exit), (&Seal::Whole, Some(1)));
    let id = |name: &str| format!("pkg/tests/test_a.py::{name}");
    let of = |name: &str| report.cases.iter().find(|c| c.id == id(name)).unwrap().status;
    for (name, status) in [
        ("test_ok", Status::Passed),
        ("test_bad", Status::Failed),
        ("test_skip", Status::Skipped),
        ("test_xf", Status::ExpectedFailure),
        ("test_xp", Status::UnexpectedPass),
        ("test_p[x::y]", Status::Passed),
        ("test_p[\\xe9]", Status::Passed),
        ("test_setup", Status::Errored),
        ("test_teardown", Status::Errored),
        ("TestU::test_sub", Status::Passed),
        ("test_lone_surrogate", Status::Failed),
    ] {
        assert_eq!(of(name), status, "{name}");
    }
    assert_eq!(report.cases.len(), 12);
    assert!(report.problems[0].starts_with("collect pkg/tests/test_b.py: "), "{:?}", report.problems);
    assert_eq!(verdict_of(&id("test_p"), &report), Some(true));
    assert!(report.agrees(true) && !report.agrees(false));
}

#[test]
fn reporters_of_javascript_name_file_and_all_titles() {
    let common = |dir: &str, file: &str| {
        [
            ("outer > inner > adds", Status::Passed),
            ("outer > inner > fails", Status::Failed),
            ("outer > skipped", Status::Skipped),
        ]
        .map(|(title, status)| (format!("{dir}/{file}::{title}"), status))
    };
    for (name, dir, file) in [
        ("vitest.jsonl", "v", "a.test.ts"),
        ("jest.jsonl", "j", "a.test.js"),
        ("mocha.jsonl", "m", "a.spec.js"),
        ("node.jsonl", "n", "a.test.mjs"),
    ] {
        let report = sealed(name);
        assert_eq!(report.seal, Seal::Whole, "{name}");
        for (id, status) in common(dir, file) {
            assert!(report.cases.iter().any(|c| c.id == id && c.status == status), "{name}: {id}");
        }
        assert!(report.agrees(true), "{name}");
    }
    for (name, file) in [("vitest.jsonl", "v/b.test.ts"), ("jest.jsonl", "j/b.test.js"), ("node.jsonl", "n/b.test.mjs")]
    {
        assert!(sealed(name).problems.iter().any(|p| p.starts_with(&format!("load {file}: "))), "{name}");
    }
    let hook = sealed("mocha.jsonl");
    assert!(hook.cases.iter().any(|c| c.id.contains("\"before all\" hook") && c.status == Status::Errored));
    assert_eq!(verdict_of("n/a.test.mjs::parent > child", &sealed("node.jsonl")), Some(true));
}

#[test]
fn go_tests_are_named_by_folder_and_builds_that_fail_are_problems() {
    let names = GoNames { module: "example.com/demo".into(), dir: "go".into() };
    let report = parse_go(&fixture("go.jsonl"), &names);
    assert_eq!(
        states(&report),
        [
            ("go::TestAdd/small", Status::Passed),
            ("go::TestAdd/wrong", Status::Failed),
            ("go::TestAdd", Status::Failed),
            ("go::TestSkip", Status::Skipped),
            ("go/evil::TestE", Status::Passed),
            ("go/sub::TestPanic", Status::Failed),
        ]
    );
    assert!(report.cases[1].message.contains("Add(1, 2)"));
    assert!(report.problems[0].contains("undefined: undefined"), "{:?}", report.problems);
    assert_eq!(verdict_of("go/sub::TestAfter", &report), None, "what a panic kept from running is missing");
}

#[test]
fn go_ends_without_begins_are_not_passes() {
    let names = GoNames { module: "m".into(), dir: String::new() };
    let line =
        |action: &str, test: &str| format!("{{\"Action\":\"{action}\",\"Package\":\"m\",\"Test\":\"{test}\"}}\n");
    let report = parse_go(line("pass", "TestA").as_bytes(), &names);
    assert_eq!(verdict_of(".::TestA", &report), Some(false));
    let twice = [line("run", "TestA"), line("run", "TestA"), line("pass", "TestA")].concat();
    assert!(!parse_go(twice.as_bytes(), &names).problems.is_empty());
    let open = parse_go(line("run", "TestA").as_bytes(), &names);
    assert_eq!(states(&open), [(".::TestA", Status::Errored)]);
    assert!(open.problems[0].contains("never came to its end"));
    let noise = parse_go(b"go: downloading x\n{\"Action\":3}\n[]\n\xff\n", &names);
    assert_eq!(noise, Report::default());
}

#[test]
fn surefire_reports_name_class_and_method() {
    let report = parse_junit(&fixture("surefire-java-money-split-1.xml"));
    assert_eq!(report.cases.len(), 23);
    let class = "org.example.money.MoneyTest";
    assert_eq!(verdict_of(&format!("{class}::sharesAddUp"), &report), Some(false), "three of seven variants fail");
    assert_eq!(verdict_of(&format!("{class}::sharesAddUp(long)[4]"), &report), Some(true));
    let broken = report.cases.iter().find(|c| c.id == format!("{class}::allocatesByRatiosThatAreLarge")).unwrap();
    assert_eq!(broken.status, Status::Errored);
    assert!(broken.message.contains("Exception"), "{}", broken.message);
    let failed = report.cases.iter().find(|c| c.id == format!("{class}::givesNothingToAShareOfNothing")).unwrap();
    assert!(failed.status == Status::Failed && failed.message.contains("expected"), "{}", failed.message);
    let nested = parse_junit(&fixture("surefire-java-route-table-2.xml"));
    let ids = [nested, parse_junit(&fixture("surefire-java-route-table-4.xml"))].map(|r| r.cases).concat();
    assert!(
        ids.iter().any(|c: &Case| c.id == "org.example.routes.RouteTableTest$Order::aDeadEndIsNoAnswer"),
        "{ids:?}"
    );
}

#[test]
fn xml_that_breaks_every_schema_is_read_as_far_as_it_goes() {
    let report = parse_junit(&fixture("hostile.xml"));
    assert_eq!(
        states(&report),
        [
            ("a.B::entity&b;", Status::Passed),
            ("a.B::skips", Status::Skipped),
            ("a.B::aborts", Status::Errored),
            ("a.B::flaky", Status::Passed),
            ("a.B::nested", Status::Passed),
            ("::bare", Status::Passed),
        ]
    );
    assert_eq!(report.cases[0].seconds, Some(1234.5));
    assert_eq!((report.cases[3].seconds, report.cases[4].seconds), (None, None));
    assert!(report.cases[2].message.contains("second"));
    assert_eq!(report.problems, ["the report ends inside an element"]);
    let deep = "<a>".repeat(1000);
    assert!(parse_junit(deep.as_bytes()).problems[0].contains("nests deeper"));
}

#[test]
fn a_report_is_whole_only_as_its_reporter_closed_it() {
    let bytes = fixture("pytest.jsonl");
    let text = String::from_utf8(bytes.clone()).unwrap();
    let cut = &bytes[..bytes.len() / 2];
    assert_eq!(parse_sealed(cut, &key()).seal, Seal::Open);
    assert_eq!(parse_sealed(b"", &key()).seal, Seal::Open);
    let broken = |bytes: &[u8], key: &Key| assert!(matches!(parse_sealed(bytes, key).seal, Seal::Broken(_)));
    broken(&bytes, &Key::new([8; 32]));
    broken(text.replacen("\"failed\"", "\"passed\"", 1).as_bytes(), &key());
    broken(text.replacen("\"exit\": 1", "\"exit\": 0", 1).as_bytes(), &key());
    broken(format!("{text}{{\"id\":\"x\",\"status\":\"passed\"}}\n").as_bytes(), &key());
    broken(format!("{{\"id\":\"x\",\"status\":\"passed\"}}\n{text}").as_bytes(), &key());
    broken(b"{\"end\":true}\n", &key());
}

/// Lines sealed as a reporter seals them.
fn seal(lines: &str) -> Vec<u8> {
    let count = lines.lines().count();
    let mac = key().sign(format!("{lines}end {count} 0").as_bytes());
    format!("{lines}{{\"end\":true,\"lines\":{count},\"exit\":0,\"mac\":\"{mac}\"}}\n").into_bytes()
}

#[test]
fn signs_of_tampering_break_a_report_that_is_sealed() {
    let pass = "{\"id\":\"a\",\"status\":\"passed\"}\n";
    assert_eq!(parse_sealed(&seal(pass), &key()).seal, Seal::Whole);
    let report = parse_sealed(&seal(&format!("{pass}{{\"tamper\":\"replaced\"}}\n")), &key());
    assert_eq!(report.seal, Seal::Broken("replaced".into()));
}

#[test]
fn a_test_that_was_only_set_up_has_not_passed() {
    let setup = "{\"id\":\"a\",\"phase\":\"setup\",\"status\":\"passed\"}\n";
    let down = "{\"id\":\"a\",\"phase\":\"teardown\",\"status\":\"passed\"}\n";
    let report = parse_sealed(&seal(&format!("{setup}{down}")), &key());
    assert_eq!(states(&report), [("a", Status::Unfinished)]);
}

#[test]
fn sizes_are_capped() {
    let long = "x".repeat(10_000);
    let lines = format!(
        "{{\"id\":\"{long}\",\"status\":\"passed\"}}\n{{\"id\":\"a\",\"status\":\"failed\",\"message\":\"{long}\"}}\n"
    );
    let report = parse_sealed(lines.as_bytes(), &key());
    assert_eq!(report.cases.len(), 2);
    assert!(report.cases[0].id.len() < 4096 && report.cases[1].message.len() < 2100);
    assert!(report.problems.is_empty());
}

proptest! {
    #[test]
    fn no_bytes_make_a_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        parse_sealed(&bytes, &key());
        parse_junit(&bytes);
        parse_go(&bytes, &GoNames::default());
    }

    #[test]
    fn no_change_of_a_real_report_makes_a_parser_panic(
        at in 0_usize..6000, with in prop::collection::vec(any::<u8>(), 0..30), cut in 0_usize..40,
    ) {
        for name in ["pytest.jsonl", "go.jsonl", "surefire-java-money-split-1.xml", "hostile.xml", "vitest.jsonl"] {
            let mut bytes = fixture(name);
            let at = at % bytes.len();
            let end = (at + cut).min(bytes.len());
            let changed = bytes[at..end] != with[..];
            bytes.splice(at..end, with.iter().copied());
            let report = parse_sealed(&bytes, &key());
            prop_assert!(!changed || report.seal != Seal::Whole || !name.ends_with("pytest.jsonl"));
            parse_junit(&bytes);
            parse_go(&bytes, &GoNames { module: "example.com/demo".into(), dir: String::new() });
        }
    }
}
