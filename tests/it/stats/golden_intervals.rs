//! Golden vectors of proportions, their intervals and pass@k.

use super::against_golden::{Case, each_case};
use tsbench::stats::display::Format;
use tsbench::stats::pass_k::{
    Curve, pass_at, pass_at_bounds, pass_hat, pass_hat_bounds, suite_value, task_rate, totals,
};
use tsbench::stats::proportion::{
    agresti_coull, clopper_pearson, exclusions, jeffreys, jeffreys_raw, share, wilson, wilson_corrected, zero_upper,
};
use tsbench::stats::repeatability::rerun_se;
use tsbench::stats::repo_aware::repo_aware;
use tsbench::stats::special::{normal_cdf, normal_quantile, t_quantile};
use tsbench::stats::task_aware::task_aware;
use tsbench::stats::{Interval, TaskCount, Z, rates};

#[test]
fn wilson_meets_its_vectors() {
    each_case("wilson", |case| {
        let (x, n, z) = (case.whole("/in/x"), case.whole("/in/n"), case.real("/in/z"));
        let got = wilson(x, n, z);
        case.number("/out/p", share(x, n));
        ends(case, got);
        if case.has("/seed_page") {
            case.interval("/seed_page", got);
        }
    });
}

fn ends(case: &Case, got: Option<Interval>) {
    case.number("/out/lo", got.map(|i| i.lo));
    case.number("/out/hi", got.map(|i| i.hi));
}

#[test]
fn wilson_with_continuity_correction_meets_its_vectors() {
    each_case("wilson_cc", |case| {
        ends(case, wilson_corrected(case.whole("/in/x"), case.whole("/in/n"), case.real("/in/z")));
    });
}

#[test]
fn the_other_binomial_intervals_meet_their_vectors() {
    each_case("binomial_other", |case| {
        let (x, n, confidence) = (case.whole("/in/x"), case.whole("/in/n"), case.real("/in/confidence"));
        case.interval("/out/clopper_pearson", clopper_pearson(x, n, confidence));
        case.interval("/out/jeffreys_raw", jeffreys_raw(x, n, confidence));
        case.interval("/out/jeffreys", jeffreys(x, n, confidence));
        case.interval("/out/agresti_coull", agresti_coull(x, n, confidence));
        let upper = if x == 0 { zero_upper(n, confidence) } else { None };
        case.number("/out/zero_one_sided_95_upper", upper);
    });
}

#[test]
fn special_functions_meet_their_vectors() {
    each_case("special", |case| {
        let arguments = case.reals("/in");
        let got = match case.read("/fn").as_str().unwrap() {
            "norm_ppf" => normal_quantile(arguments[0]),
            "norm_cdf" => Some(normal_cdf(arguments[0])),
            "t_ppf" => t_quantile(arguments[0], arguments[1] as usize),
            other => panic!("{other}"),
        };
        case.number("/out", got);
    });
}

fn one_task(case: &Case) -> (TaskCount, u32) {
    let whole = |pointer| u32::try_from(case.whole(pointer)).unwrap();
    (TaskCount { n: whole("/in/n"), c: whole("/in/c") }, whole("/in/k"))
}

/// "3/4" or "1" as a double.
fn ratio(text: &str) -> f64 {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap()
}

fn exact_and_bounds(case: &Case, value: Option<f64>, fraction: Option<f64>, bounds: Option<Interval>) {
    case.number("/out", value);
    if case.has("/exact") {
        let want = ratio(case.read("/exact").as_str().unwrap());
        assert!((value.unwrap() - want).abs() <= 1e-12);
        // Whole numbers of a million attempts need not fit; those of up to a hundred must.
        assert!(fraction.is_some_and(|f| (f - want).abs() <= 1e-15) || case.whole("/in/n") > 100);
    }
    if case.has("/bounds") {
        case.interval("/bounds", bounds);
    }
}

fn fraction(curve: Curve, task: TaskCount, k: u32) -> Option<f64> {
    curve.fraction(task, k).map(|f| f.over as f64 / f.under as f64)
}

#[test]
fn pass_at_k_meets_its_vectors() {
    each_case("pass_at_k", |case| {
        let (task, k) = one_task(case);
        exact_and_bounds(case, pass_at(task, k), fraction(Curve::At, task, k), pass_at_bounds(task, k));
    });
}

#[test]
fn pass_hat_k_meets_its_vectors() {
    each_case("pass_hat_k", |case| {
        let (task, k) = one_task(case);
        exact_and_bounds(case, pass_hat(task, k), fraction(Curve::Hat, task, k), pass_hat_bounds(task, k));
    });
}

#[test]
fn suite_averages_meet_their_vectors() {
    each_case("suite_average", |case| {
        let tasks = case.tasks("/in/tasks_n_c");
        let sums = totals(&tasks);
        for key in case.keys("/out") {
            let pointer = format!("/out/{key}");
            match key.as_str() {
                "macro_rate" => case.number(&pointer, task_rate(&tasks)),
                "micro_rate" => case.number(&pointer, share(sums.fixes, sums.attempts)),
                "attempts" => case.exactly(&pointer, sums.attempts),
                "fixes" => case.exactly(&pointer, sums.fixes),
                "tasks" => case.exactly(&pointer, sums.tasks),
                "tasks_ever_fixed" => case.exactly(&pointer, sums.ever_fixed),
                "tasks_always_fixed" => case.exactly(&pointer, sums.always_fixed),
                curve => {
                    let which = if curve.starts_with("pass@") { Curve::At } else { Curve::Hat };
                    let got = suite_value(&tasks, which, curve[5..].parse().unwrap());
                    case.number(&format!("{pointer}/value"), got.value);
                    case.number(&format!("{pointer}/value_on_covered_tasks"), got.on_covered);
                    case.exactly(&format!("{pointer}/tasks_covered"), got.covered);
                    case.exactly(&format!("{pointer}/tasks_total"), got.total);
                }
            }
        }
    });
}

/// Values of a case, which its exact fractions must repeat.
fn values(case: &Case) -> Vec<f64> {
    let values = case.reals("/in/values");
    if case.has("/in/exact") {
        let exact = case.read("/in/exact").as_array().unwrap();
        assert_eq!(exact.len(), values.len());
        for (value, text) in values.iter().zip(exact) {
            assert!((value - ratio(text.as_str().unwrap())).abs() <= 1e-15);
        }
    }
    values
}

#[test]
fn task_aware_wilson_meets_its_vectors() {
    each_case("task_aware_wilson", |case| {
        let values = values(case);
        let got = task_aware(&values, case.real("/in/z"));
        case.number("/out/mean", got.map(|t| t.mean));
        case.number("/out/phi", got.map(|t| t.phi));
        case.number("/out/n_eff", got.map(|t| t.n_eff));
        ends(case, got.map(|t| t.interval));
        if case.has("/pooled_wilson_same_attempts") {
            let attempts = 240;
            let fixes = (values.iter().sum::<f64>() * 10.0).round() as u64;
            case.interval("/pooled_wilson_same_attempts", wilson(fixes, attempts, Z));
        }
    });
}

#[test]
fn repository_aware_wilson_meets_its_vectors() {
    each_case("repo_aware_wilson", |case| {
        let (values, z) = (values(case), case.real("/in/z"));
        let repos: Vec<u64> = case.read("/in/repo").as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
        let got = repo_aware(&values, &repos, z);
        case.number("/out/mean", task_aware(&values, z).map(|t| t.mean));
        assert!(got.is_none_or(|r| (r.mean - case.real("/out/mean")).abs() <= 1e-12));
        case.number("/out/phi", got.map(|r| r.phi));
        case.number("/out/n_eff", got.map(|r| r.n_eff));
        ends(case, got.map(|r| r.interval));
        if case.has("/in/t_crit") {
            case.number("/in/t_crit", got.map(|r| r.critical));
        }
    });
}

#[test]
fn the_two_claims_meet_their_vectors() {
    each_case("two_claims", |case| {
        let (tasks, z) = (case.tasks("/in/tasks_n_c"), case.real("/in/z"));
        let sums = totals(&tasks);
        case.interval("/out/same_tasks_pooled_wilson", wilson(sums.fixes, sums.attempts, z));
        case.interval("/out/new_tasks_taw", task_aware(&rates(&tasks), z).map(|t| t.interval));
        case.number("/out/rerun_se_macro", rerun_se(&tasks));
    });
}

#[test]
fn exclusions_meet_their_vectors() {
    each_case("exclusions", |case| {
        let (x, n) = (case.whole("/in/fixes"), case.whole("/in/valid_attempts"));
        let (excluded, z) = (case.whole("/in/infra_excluded"), case.real("/in/z"));
        let got = exclusions(x, n, excluded, z);
        case.number("/out/rate_valid", share(x, n));
        case.interval("/out/wilson_valid", wilson(x, n, z));
        case.number("/out/rate_all_excluded_failed", got.map(|e| e.worst));
        case.number("/out/rate_all_excluded_fixed", got.map(|e| e.best));
        case.interval("/out/sensitivity_interval", got.map(|e| e.sensitivity));
        case.number("/out/excluded_share", got.map(|e| e.share));
    });
}

#[test]
fn displayed_percentages_meet_their_vectors() {
    each_case("display", |case| {
        let value = case.read("/in").as_f64();
        case.exactly("/out", Format::Percent.text(value));
    });
}
