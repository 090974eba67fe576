//! Golden vectors of comparisons, ranks, power, repeatability, cost, time and contamination.

use super::against_golden::{Case, each_case};
use serde_json::Value;
use tsbench::stats::cluster::clustered;
use tsbench::stats::contamination::cutoff_gap;
use tsbench::stats::cost::{Fieller, TaskCost, cost, nano_dollars, per_fix_floor};
use tsbench::stats::multiplicity::{benjamini_hochberg, holm};
use tsbench::stats::paired::{Cell, compare, matched_cells};
use tsbench::stats::power::{
    Variance, attempts_needed, mcnemar_power, multiplier, smallest_gap, tasks_needed, zero_fix_tasks,
};
use tsbench::stats::ranks::rank;
use tsbench::stats::repeatability::repeatability;
use tsbench::stats::task_aware::task_aware;
use tsbench::stats::time_to_fix::{End, time_to_fix};
use tsbench::stats::{Interval, TaskCount, Z};

#[test]
fn paired_comparisons_meet_their_vectors() {
    each_case("paired", |case| {
        let (a, b) = (case.tasks("/in/a_tasks_n_c"), case.tasks("/in/b_tasks_n_c"));
        let got = compare(&a, &b, case.real("/in/z")).unwrap();
        for key in case.keys("/out") {
            let pointer = format!("/out/{key}");
            match key.as_str() {
                "delta" => case.number(&pointer, Some(got.delta)),
                "a_better_tasks" | "mcnemar_b" => case.exactly(&pointer, got.a_better),
                "b_better_tasks" | "mcnemar_c" => case.exactly(&pointer, got.b_better),
                "tied_tasks" => case.exactly(&pointer, got.tied),
                "signflip_p" => case.number(&pointer, Some(got.p)),
                "signflip_p_exact" => {
                    let text = case.read(&pointer).as_str().unwrap();
                    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
                    let want = over.parse::<f64>().unwrap() / under.parse::<f64>().unwrap();
                    assert!((got.p - want).abs() <= 1e-12 * want);
                }
                "sign_test_p" | "mcnemar_exact_p" => case.number(&pointer, Some(got.sign_test_p)),
                "mcnemar_mid_p" => case.number(&pointer, got.mcnemar_mid_p),
                "r_shrunk" => case.number(&pointer, Some(got.correlation)),
                "mover_lo" => case.number(&pointer, Some(got.interval.lo)),
                "mover_hi" => case.number(&pointer, Some(got.interval.hi)),
                "paired_se" => case.number(&pointer, got.se),
                "t_lo" => case.number(&pointer, got.t_interval.map(|i| i.lo)),
                "t_hi" => case.number(&pointer, got.t_interval.map(|i| i.hi)),
                "mover_unpaired_lo" => case.number(&pointer, Some(got.unpaired.lo)),
                "mover_unpaired_hi" => case.number(&pointer, Some(got.unpaired.hi)),
                other => panic!("nothing compares {other}"),
            }
        }
    });
}

#[test]
fn matched_cells_meet_their_vectors() {
    each_case("matched", |case| {
        let rows = |pointer| case.read(pointer).as_array().unwrap().clone();
        let (a, b) = (rows("/in/a"), rows("/in/b"));
        let got = matched_cells(&cells(&a), &cells(&b));
        case.exactly("/out/matched_cells", got.cells);
        case.exactly("/out/a_unmatched", got.a_unmatched);
        case.exactly("/out/b_unmatched", got.b_unmatched);
        case.exactly("/out/matched_tasks", got.tasks);
        case.exactly("/out/a_only", got.a_only);
        case.exactly("/out/b_only", got.b_only);
        case.number("/out/delta_cells", got.delta_cells);
        case.number("/out/delta_tasks", got.delta_tasks);
        case.number("/out/signflip_p", got.p);
    });
}

fn cells(rows: &[Value]) -> Vec<Cell<'_>> {
    let cell = |row: &'_ Value| -> Option<(u32, bool)> {
        Some((u32::try_from(row[2].as_u64()?).ok()?, row[3].as_u64()? == 1))
    };
    rows.iter()
        .map(|row| {
            let (repeat, fixed) = cell(row).unwrap();
            Cell { run: row[0].as_str().unwrap(), task: row[1].as_str().unwrap(), repeat, fixed }
        })
        .collect()
}

#[test]
fn adjusted_p_values_meet_their_vectors() {
    each_case("multiplicity", |case| {
        let p = case.reals("/in/p");
        case.numbers("/out/holm", &holm(&p));
        case.numbers("/out/bh", &benjamini_hochberg(&p));
    });
}

#[test]
fn ranks_meet_their_vectors() {
    each_case("ranks", |case| {
        let index = |v: &Value| usize::try_from(v.as_u64().unwrap()).unwrap();
        let pairs = case.read("/in/significantly_better").as_array().unwrap();
        let better: Vec<(usize, usize)> = pairs.iter().map(|p| (index(&p[0]), index(&p[1]))).collect();
        let got = rank(&case.reals("/in/scores"), &better);
        case.exactly("/out/rank_lo", got.iter().map(|r| r.lo).collect::<Vec<_>>());
        case.exactly("/out/rank_hi", got.iter().map(|r| r.hi).collect::<Vec<_>>());
        case.exactly("/out/tie_group", got.iter().map(|r| r.tie_group).collect::<Vec<_>>());
    });
}

#[test]
fn power_meets_its_vectors() {
    each_case("power", |case| match case.read("/id").as_str() {
        Some("zero-fix planning") => {
            let got = zero_fix_tasks(case.real("/in/upper_target"), case.real("/in/z"));
            case.number("/out/tasks_needed", got);
            case.number("/out/ceil", got.map(f64::ceil));
        }
        Some("exact McNemar power") => {
            let (a, b) = (case.real("/in/p_a_only"), case.real("/in/p_b_only"));
            let got = mcnemar_power(a, b, case.whole("/in/tasks"), case.real("/in/alpha"));
            case.number("/out/power", got);
        }
        _ => planned(case),
    });
}

fn planned(case: &Case) {
    let variance = Variance {
        between: case.real("/in/omega2_between"),
        within_a: case.real("/in/within_a"),
        within_b: case.real("/in/within_b"),
    };
    let (delta, tasks) = (case.real("/in/delta"), usize::try_from(case.whole("/in/tasks")).unwrap());
    let multiplier = multiplier(case.real("/in/alpha"), case.real("/in/power")).unwrap();
    let at = variance.at(case.real("/in/k_a"), case.real("/in/k_b"));
    let needed = at.and_then(|v| tasks_needed(v, delta, multiplier));
    let attempts = attempts_needed(variance, delta, tasks, multiplier);
    case.number("/out/var_d", at);
    case.number("/out/tasks_needed", needed);
    case.number("/out/tasks_needed_ceil", needed.map(f64::ceil));
    case.number("/out/mde", at.and_then(|v| smallest_gap(v, tasks, multiplier)));
    case.number("/out/attempts_per_task_needed_at_these_tasks", attempts);
    case.number("/out/attempts_ceil", attempts.map(f64::ceil));
}

#[test]
fn repeatability_meets_its_vectors() {
    each_case("repeatability", |case| {
        let got = repeatability(&case.tasks("/in/tasks_n_c"));
        case.exactly("/out/tasks_with_repeats", got.tasks);
        case.exactly("/out/mixed_tasks", got.mixed);
        case.number("/out/mixed_fraction", got.mixed_share);
        case.number("/out/disagreement", got.disagreement);
        case.number("/out/agreement", got.agreement);
        case.number("/out/fleiss_kappa", got.kappa);
    });
}

#[test]
fn cluster_errors_meet_their_vectors() {
    each_case("cluster", |case| {
        let got = clustered(&case.tasks("/in/tasks_n_c")).unwrap();
        for key in case.keys("/out") {
            let value = match key.as_str() {
                "micro_rate" => Some(got.micro),
                "se_naive" => Some(got.se_naive),
                "se_CR0" => Some(got.se_cr0),
                "se_CR1" => got.se_cr1,
                "macro_rate" => Some(got.macro_rate),
                "se_macro" => got.se_macro,
                "t_crit_975" => got.t,
                "t_interval_macro" => {
                    case.interval("/out/t_interval_macro", got.t_interval);
                    continue;
                }
                "icc_anova" => got.icc,
                "design_effect" => got.design_effect,
                "n_eff_attempts" => got.n_eff,
                other => panic!("nothing compares {other}"),
            };
            case.number(&format!("/out/{key}"), value);
        }
    });
}

#[test]
fn costs_meet_their_vectors() {
    each_case("cost", |case| {
        let rows = case.read("/in/rows_cost_fixes_attempts_per_task").as_array().unwrap();
        let count = |v: &Value| u32::try_from(v.as_u64().unwrap()).unwrap();
        let task = |row: &Value| TaskCost {
            nanos: nano_dollars(row[0].as_str().unwrap().parse().unwrap()).unwrap().into(),
            fixes: count(&row[1]),
            attempts: count(&row[2]),
        };
        let tasks: Vec<TaskCost> = rows.iter().map(task).collect();
        let got = cost(&tasks).unwrap();
        case.number("/out/cost_per_attempt", Some(got.per_attempt));
        case.number("/out/total_cost", Some(got.total));
        case.exactly("/out/fixes", got.fixes);
        case.exactly("/out/attempts", got.attempts);
        case.number("/out/cost_per_fix", got.per_fix);
        case.number("/out/se", got.per_fix_se);
        case.interval("/out/log_ci", got.per_fix_interval);
        let upper = task_aware(&vec![0.0; tasks.len()], Z).map(|t| t.interval.hi);
        let floor = upper.filter(|_| got.fixes == 0).and_then(|hi| per_fix_floor(got.per_attempt, hi));
        case.number("/out/lower_bound", floor);
        let between = match got.fieller {
            Fieller::Between(interval) => Some(interval),
            Fieller::AtLeast(lower) => {
                case.note("/out/fieller_note");
                case.number("/out/fieller_lower_only", Some(lower));
                None
            }
            Fieller::Undefined => None,
        };
        case.interval("/out/fieller", between);
    });
}

#[test]
fn times_to_fix_meet_their_vectors() {
    each_case("time_to_fix", |case| {
        let rows = case.read("/in/attempts_seconds_event").as_array().unwrap();
        let end = |text: &str| match text {
            "fix" => End::Fix,
            "gaveup" => End::GaveUp,
            "timeout" => End::TimedOut,
            other => panic!("{other}"),
        };
        let attempts: Vec<(f64, End)> =
            rows.iter().map(|row| (row[0].as_f64().unwrap(), end(row[1].as_str().unwrap()))).collect();
        let got = time_to_fix(&attempts).unwrap();
        let steps = case.keys("/out").contains(&"fixed_within".to_owned());
        assert!(steps);
        for (index, (time, share)) in got.steps.iter().enumerate() {
            case.number(&format!("/out/fixed_within/{index}/0"), Some(*time));
            case.number(&format!("/out/fixed_within/{index}/1"), Some(*share));
            assert_eq!(got.fixed_by(*time), *share);
        }
        if got.steps.is_empty() {
            case.exactly("/out/fixed_within", Vec::<f64>::new());
        }
        case.number("/out/median_time_to_fix", got.median);
        case.number("/out/share_fixed", Some(got.share_fixed));
        case.number("/out/mean_time_all_attempts", Some(got.mean_time));
    });
}

#[test]
fn cutoff_gaps_meet_their_vectors() {
    each_case("contamination", |case| {
        // The values are tenths.
        let tasks = |pointer| -> Vec<TaskCount> {
            let values = case.reals(pointer);
            values.iter().map(|v| TaskCount { n: 10, c: (v * 10.0).round() as u32 }).collect()
        };
        let got = cutoff_gap(&tasks("/in/before"), &tasks("/in/after"), case.real("/in/z"));
        let interval: Option<Interval> = got.map(|g| g.interval);
        case.number("/out/delta", got.map(|g| g.delta));
        case.number("/out/lo", interval.map(|i| i.lo));
        case.number("/out/hi", interval.map(|i| i.hi));
        case.number("/out/perm_p", got.and_then(|g| g.p));
    });
}
