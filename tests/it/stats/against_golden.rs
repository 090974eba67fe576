//! Reads golden files and sees to it that every leaf of every case is compared or read.

use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tsbench::stats::{Interval, TaskCount};

/// Files and the tests that meet them; `every_golden_file_has_a_test` compares this list with the folder.
const FILES: [&str; 25] = [
    "binomial_other",
    "bootstrap",
    "cluster",
    "contamination",
    "cost",
    "display",
    "exclusions",
    "matched",
    "multiplicity",
    "paired",
    "pass_at_k",
    "pass_hat_k",
    "power",
    "ranks",
    "repeatability",
    "repo_aware_wilson",
    "rng",
    "special",
    "suite_average",
    "task_aware_wilson",
    "time_to_fix",
    "two_claims",
    "two_level_bias",
    "wilson",
    "wilson_cc",
];

/// Cases of all files together, as counted when they were made.
const CASES: usize = 735;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden")
}

fn load(name: &str) -> Value {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// One golden case with the leaves that a test has compared or read so far.
pub struct Case {
    label: String,
    value: Value,
    abs: f64,
    rel: f64,
    seen: RefCell<BTreeSet<String>>,
}

/// Runs a check on every case of a file and fails if a leaf of a case was neither compared nor read.
pub fn each_case(name: &str, check: impl Fn(&Case)) {
    assert!(FILES.contains(&name), "{name} is not listed");
    let file = load(name);
    let known = ["schema", "estimator", "definition", "routes", "tolerance", "max_route_disagreement", "cases"];
    for key in file.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "{name}: nothing reads {key}");
    }
    assert_eq!(file["schema"], "bench-stats-golden/1");
    let tolerance = |key: &str| file["tolerance"][key].as_f64().unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for (index, value) in cases.iter().enumerate() {
        let case = Case {
            label: format!("{name}[{index}]"),
            value: value.clone(),
            abs: tolerance("abs"),
            rel: tolerance("rel"),
            seen: RefCell::new(BTreeSet::new()),
        };
        check(&case);
        case.finish();
    }
}

impl Case {
    /// A part of the case; everything below it counts as read.
    pub fn read(&self, pointer: &str) -> &Value {
        self.seen.borrow_mut().insert(pointer.to_owned());
        self.value.pointer(pointer).unwrap_or(&Value::Null)
    }

    pub fn has(&self, pointer: &str) -> bool {
        self.value.pointer(pointer).is_some()
    }

    /// Keys of an object, without counting them as read.
    pub fn keys(&self, pointer: &str) -> Vec<String> {
        self.value.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    }

    pub fn real(&self, pointer: &str) -> f64 {
        self.read(pointer).as_f64().unwrap_or_else(|| panic!("{} {pointer}", self.label))
    }

    pub fn whole(&self, pointer: &str) -> u64 {
        self.read(pointer).as_u64().unwrap_or_else(|| panic!("{} {pointer}", self.label))
    }

    pub fn reals(&self, pointer: &str) -> Vec<f64> {
        self.read(pointer).as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    }

    pub fn tasks(&self, pointer: &str) -> Vec<TaskCount> {
        let count = |v: &Value| u32::try_from(v.as_u64().unwrap()).unwrap();
        let pairs = self.read(pointer).as_array().unwrap();
        pairs.iter().map(|pair| TaskCount { n: count(&pair[0]), c: count(&pair[1]) }).collect()
    }

    /// The value there must be `got` within the tolerance of the file; null must be `None`.
    pub fn number(&self, pointer: &str, got: Option<f64>) {
        assert!(self.has(pointer), "{} has no {pointer}", self.label);
        let want = self.read(pointer).as_f64();
        assert!(want.is_some() || self.read(pointer).is_null(), "{} {pointer}", self.label);
        let good = match (want, got) {
            (None, None) => true,
            (Some(want), Some(got)) => {
                got.is_finite() && ((got - want).abs() <= self.abs || (got - want).abs() <= self.rel * want.abs())
            }
            _ => false,
        };
        assert!(good, "{} {pointer}: want {want:?}, got {got:?}", self.label);
    }

    pub fn numbers(&self, pointer: &str, got: &[f64]) {
        let want = self.value.pointer(pointer).unwrap().as_array().unwrap();
        assert_eq!(want.len(), got.len(), "{} {pointer}", self.label);
        for (index, got) in got.iter().enumerate() {
            self.number(&format!("{pointer}/{index}"), Some(*got));
        }
        // Also marks an empty list.
        self.read(pointer);
    }

    /// A pair of ends; `None` is null or two nulls.
    pub fn interval(&self, pointer: &str, got: Option<Interval>) {
        if self.value.pointer(pointer).is_some_and(Value::is_null) {
            return self.number(pointer, got.map(|i| i.lo));
        }
        self.number(&format!("{pointer}/0"), got.map(|i| i.lo));
        self.number(&format!("{pointer}/1"), got.map(|i| i.hi));
    }

    /// The value there must be exactly this.
    pub fn exactly(&self, pointer: &str, got: impl Into<Value>) {
        assert!(self.has(pointer), "{} has no {pointer}", self.label);
        assert_eq!(*self.read(pointer), got.into(), "{} {pointer}", self.label);
    }

    /// Text for people, if present.
    pub fn note(&self, pointer: &str) {
        assert!(self.read(pointer).is_string() || !self.has(pointer), "{} {pointer}", self.label);
    }

    fn finish(&self) {
        let mut leaves = Vec::new();
        collect(&self.value, String::new(), &mut leaves);
        let seen = self.seen.borrow();
        for leaf in leaves {
            let met = leaf.match_indices('/').any(|(at, _)| seen.contains(&leaf[..at])) || seen.contains(&leaf);
            let note = leaf == "/id" || leaf == "/why";
            assert!(met || note, "{}: nothing compares {leaf}", self.label);
        }
    }
}

fn collect(value: &Value, pointer: String, leaves: &mut Vec<String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                collect(value, format!("{pointer}/{key}"), leaves);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                collect(value, format!("{pointer}/{index}"), leaves);
            }
        }
        _ => leaves.push(pointer),
    }
}

#[test]
fn every_golden_file_has_a_test_and_no_case_is_missing() {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            names.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    assert_eq!(names, FILES.iter().map(|name| (*name).to_owned()).collect());
    let cases: usize = FILES.iter().map(|name| load(name)["cases"].as_array().unwrap().len()).sum();
    assert_eq!(cases, CASES);
    let sources =
        [include_str!("golden_bootstrap.rs"), include_str!("golden_estimates.rs"), include_str!("golden_intervals.rs")];
    for name in FILES {
        let call = format!("each_case(\"{name}\"");
        assert!(sources.iter().any(|source| source.contains(&call)), "{name} has no test");
    }
}

#[test]
#[should_panic(expected = "nothing compares /out/hi")]
fn a_leaf_that_nothing_compares_fails() {
    each_case("wilson", |case| {
        case.read("/in");
        case.read("/out/p");
        case.read("/out/lo");
    });
}
