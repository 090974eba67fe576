//! Golden vectors of the random numbers and the bootstrap, bit for bit.

use super::against_golden::{Case, each_case};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tsbench::stats::bootstrap::{REPLICATES, Weights, acceleration, bca, exact_percentile, percentile_sums};
use tsbench::stats::curves::{Estimate, Method, curves};
use tsbench::stats::fraction::{Fraction, Lattice};
use tsbench::stats::pass_k::{Curve, pass_at, suite_value};
use tsbench::stats::rng::{SplitMix64, Xoshiro128, seed_of};
use tsbench::stats::task_aware::task_aware;
use tsbench::stats::{Interval, TaskCount, Z};

fn seed(case: &Case, pointer: &str) -> u64 {
    u64::from_str_radix(case.read(pointer).as_str().unwrap(), 16).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn random_numbers_meet_their_vectors_bit_for_bit() {
    each_case("rng", |case| match case.read("/id").as_str().unwrap() {
        "stream" => {
            let seed = seed(case, "/in/seed_hex");
            let mut split = SplitMix64(seed);
            let outputs: Vec<String> = (0..4).map(|_| format!("{:016x}", split.next_u64())).collect();
            case.exactly("/out/splitmix64_hex", outputs);
            let mut rng = Xoshiro128::new(seed);
            case.exactly("/out/state_u32", rng.state().to_vec());
            let numbers: Vec<u32> = (0..12).map(|_| rng.next_u32()).collect();
            case.exactly("/out/xoshiro128ss_u32", numbers);
        }
        "below" => {
            let (mut rng, n) = (Xoshiro128::new(seed(case, "/in/seed_hex")), case.whole("/in/n") as u32);
            let draws = case.read("/out").as_array().unwrap().len();
            case.exactly("/out", (0..draws).map(|_| rng.below(n)).collect::<Vec<_>>());
        }
        "below with rejections" => rejections(case),
        "seed from text" => {
            let seed = seed_of(case.read("/in/utf8").as_str().unwrap());
            case.exactly("/out/seed_hex", format!("{seed:016x}"));
        }
        other => panic!("{other}"),
    });
}

fn rejections(case: &Case) {
    let (mut rng, n) = (Xoshiro128::new(seed(case, "/in/seed_hex")), case.whole("/in/n") as u32);
    let mut raw = rng.clone();
    let bytes: Vec<u8> = (0..case.whole("/in/draws")).flat_map(|_| rng.below(n).to_le_bytes()).collect();
    case.exactly("/out/sha256_of_u32le_draws", hex(&Sha256::digest(&bytes)));
    let mut consumed = 0;
    while raw.state() != rng.state() {
        raw.next_u32();
        consumed += 1;
    }
    case.exactly("/out/raw_outputs_consumed", consumed);
}

#[test]
fn the_bootstrap_meets_its_vectors_bit_for_bit() {
    each_case("bootstrap", |case| {
        let tasks = case.tasks("/in/tasks_n_c");
        let seed = seed(case, "/in/seed_hex");
        assert_eq!(seed, seed_of(case.read("/in/seed_text").as_str().unwrap()));
        let replicates = case.whole("/in/B") as usize;
        assert_eq!(replicates, REPLICATES);
        let weights = Weights::draw(seed, tasks.len(), replicates);
        let mut hash = Sha256::new();
        for replicate in 0..replicates {
            let row = weights.row(replicate);
            hash.update(row.iter().map(|w| u8::try_from(*w).unwrap()).collect::<Vec<u8>>());
        }
        case.exactly("/weights_sha256_u8", hex(&hash.finalize()));
        case.exactly("/first_replicate_weights", weights.row(0));
        case.exactly("/last_replicate_weights", weights.row(replicates - 1));
        for statistic in case.keys("/out") {
            one_statistic(case, &statistic, &tasks, &weights);
        }
    });
}

fn one_statistic(case: &Case, statistic: &str, tasks: &[TaskCount], weights: &Weights) {
    let at = |key: &str| format!("/out/{statistic}/{key}");
    let (curve, k) = match statistic {
        "rate" => (Curve::At, 1),
        _ if statistic.starts_with("pass@") => (Curve::At, statistic[5..].parse().unwrap()),
        _ => (Curve::Hat, statistic[5..].parse().unwrap()),
    };
    let fractions: Vec<Fraction> = tasks.iter().map(|t| curve.fraction(*t, k).unwrap()).collect();
    let lattice = Lattice::new(&fractions, tasks.len()).unwrap();
    let denominator = lattice.denominator * tasks.len() as u64;
    case.exactly(&at("denominator"), denominator);
    let value = suite_value(tasks, curve, k).value;
    case.number(&at("value"), value);
    let sums = weights.sums(&lattice);
    case.exactly(&at("replicate_sums_first5"), sums[..5].to_vec());
    let (lo, hi) = percentile_sums(&sums).unwrap();
    case.exactly(&at("percentile_95_sums"), vec![lo, hi]);
    let scaled = |sum: u64| sum as f64 / denominator as f64;
    case.exactly(&at("percentile_95"), vec![scaled(lo), scaled(hi)]);
    if case.has(&at("exact_percentile_95")) {
        case.interval(&at("exact_percentile_95"), exact_percentile(&lattice));
    }
    let levels: Vec<(u64, usize)> = lattice.numerators.iter().map(|a| (*a, 1)).collect();
    let mut replicates: Vec<f64> = sums.iter().map(|s| *s as f64).collect();
    let observed = lattice.numerators.iter().sum::<u64>() as f64;
    let bca = acceleration(&levels).and_then(|a| bca(&mut replicates, observed, denominator as f64, a));
    case.number(&at("bca_z0"), bca.map(|b| b.z0));
    case.number(&at("bca_a"), bca.map(|b| b.a));
    case.interval(&at("bca_95"), bca.map(|b| b.interval));
    if case.has(&at("degenerate")) {
        case.exactly(&at("degenerate"), bca.is_none());
    }
    let values: Vec<f64> = tasks.iter().map(|t| curve.value(*t, k).unwrap()).collect();
    let taw = task_aware(&values, Z).map(|t| t.interval);
    case.interval(&at("show_task_aware_wilson"), taw);
    let point = curves(weights, tasks, &[k])[0];
    let estimate = if curve == Curve::At { point.at } else { point.hat };
    assert_eq!(estimate, expected(value, bca.map(|b| b.interval), taw, &values));
}

/// What the fast path must say, given what the plain one found.
fn expected(value: Option<f64>, bca: Option<Interval>, taw: Option<Interval>, values: &[f64]) -> Estimate {
    let at = |end: f64| values.iter().filter(|v| **v == end).count();
    let few = values.len() - at(0.0).max(at(1.0)) < 5;
    let (interval, method) = match bca {
        Some(interval) if !few => (Some(interval), Method::Bca),
        _ => (taw, Method::TaskAware),
    };
    Estimate { value, interval, method, dropped: 0 }
}

/// Redrawing attempts with replacement puts the mean of unbiased pass@k at the biased plug-in value.
#[test]
fn the_two_level_bootstrap_is_biased_as_its_vectors_say() {
    each_case("two_level_bias", |case| {
        let (n, k) = (case.whole("/in/n") as u32, case.whole("/in/k") as u32);
        let fixes = case.read("/in/fixes").as_array().unwrap();
        let tasks: Vec<TaskCount> =
            fixes.iter().map(|c: &Value| TaskCount { n, c: c.as_u64().unwrap() as u32 }).collect();
        let unbiased = suite_value(&tasks, Curve::At, k).value.unwrap();
        let redrawn = |task: &TaskCount| -> f64 {
            let chance = task.rate().unwrap();
            let weight = |c: u32| tsbench::stats::binomial::probability(n.into(), c.into(), chance);
            (0..=n).map(|c| weight(c) * pass_at(TaskCount { n, c }, k).unwrap()).sum()
        };
        let centre = tasks.iter().map(redrawn).sum::<f64>() / tasks.len() as f64;
        case.number("/out/unbiased", Some(unbiased));
        case.number("/out/centre_of_two_level_bootstrap", Some(centre));
        case.number("/out/shift", Some(centre - unbiased));
    });
}
