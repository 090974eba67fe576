//! Properties that hold for every input, not only for the golden ones.

use proptest::collection::vec;
use proptest::prelude::*;
use tsbench::stats::bootstrap::Weights;
use tsbench::stats::contamination::{cutoff_gap, permutation_p};
use tsbench::stats::cost::{TaskCost, cost};
use tsbench::stats::curves::{Method, curves};
use tsbench::stats::display::Format;
use tsbench::stats::multiplicity::{benjamini_hochberg, holm};
use tsbench::stats::paired::{Cell, compare, matched_cells};
use tsbench::stats::pass_k::{pass_at, pass_hat, task_rate, totals};
use tsbench::stats::power::observed_variance;
use tsbench::stats::proportion::{exclusions, share, wilson};
use tsbench::stats::ranks::board;
use tsbench::stats::repeatability::repeatability;
use tsbench::stats::repo_aware::repo_aware;
use tsbench::stats::sign_flip::sign_flip_p;
use tsbench::stats::task_aware::task_aware;
use tsbench::stats::{Interval, TaskCount, Z, rates};

fn count(most: u32) -> impl Strategy<Value = TaskCount> {
    (1..=most).prop_flat_map(|n| (Just(n), 0..=n)).prop_map(|(n, c)| TaskCount { n, c })
}

fn tasks(most: usize) -> impl Strategy<Value = Vec<TaskCount>> {
    vec(count(10), 1..=most)
}

fn pairs(most: usize) -> impl Strategy<Value = (Vec<TaskCount>, Vec<TaskCount>)> {
    vec((count(6), count(6)), 1..=most).prop_map(|pairs| pairs.into_iter().unzip())
}

fn inside(interval: Interval) -> bool {
    0.0 <= interval.lo && interval.lo <= interval.hi && interval.hi <= 1.0
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12
}

/// The definition, by all sign choices, over a denominator that every n up to 6 divides.
fn sign_flip_by_enumeration(a: &[TaskCount], b: &[TaskCount]) -> f64 {
    let sixtieths = |t: &TaskCount| i64::from(t.c * 60 / t.n);
    let d: Vec<i64> = a.iter().zip(b).map(|(a, b)| sixtieths(a) - sixtieths(b)).collect();
    let observed = d.iter().sum::<i64>().abs();
    let signed = |signs: u32| d.iter().enumerate().map(|(i, d)| if signs >> i & 1 == 1 { -d } else { *d }).sum::<i64>();
    let all = 1_u32 << d.len();
    let far = (0..all).filter(|signs| signed(*signs).abs() >= observed).count();
    far as f64 / f64::from(all)
}

proptest! {
    #[test]
    fn wilson_brackets_its_share_and_is_symmetric_monotone_and_shrinking(x in 0_u64..=1000, more in 0_u64..=1000) {
        let n = (x + more).max(1);
        let (here, p) = (wilson(x, n, Z).unwrap(), share(x, n).unwrap());
        prop_assert!(inside(here) && here.lo <= p && p <= here.hi);
        let mirrored = wilson(n - x, n, Z).unwrap();
        prop_assert!(close(here.lo, 1.0 - mirrored.hi) && close(here.hi, 1.0 - mirrored.lo));
        if x < n {
            let next = wilson(x + 1, n, Z).unwrap();
            prop_assert!(next.lo > here.lo && next.hi >= here.hi);
        }
        let twice = wilson(2 * x, 2 * n, Z).unwrap();
        prop_assert!(twice.hi - twice.lo < here.hi - here.lo);
    }

    #[test]
    fn task_aware_wilson_brackets_its_mean(values in vec(0.0..=1.0_f64, 1..60)) {
        let got = task_aware(&values, Z).unwrap();
        prop_assert!(inside(got.interval) && got.interval.lo <= got.mean && got.mean <= got.interval.hi);
        prop_assert!(got.phi > 0.0 && got.phi <= 1.0 && got.n_eff >= values.len() as f64);
    }

    #[test]
    fn with_one_attempt_a_task_the_task_aware_range_is_wilson(fixed in vec(any::<bool>(), 1..80)) {
        let values: Vec<f64> = fixed.iter().map(|f| f64::from(u8::from(*f))).collect();
        let fixes = fixed.iter().filter(|f| **f).count() as u64;
        let (taw, plain) = (task_aware(&values, Z).unwrap().interval, wilson(fixes, fixed.len() as u64, Z).unwrap());
        prop_assert!(close(taw.lo, plain.lo) && close(taw.hi, plain.hi));
    }

    #[test]
    fn tasks_that_always_or_never_pass_give_a_wider_range_than_pooled_attempts(
        fixed in vec(any::<bool>(), 2..40), n in 2_u32..=10,
    ) {
        let tasks: Vec<TaskCount> = fixed.iter().map(|f| TaskCount { n, c: if *f { n } else { 0 } }).collect();
        let sums = totals(&tasks);
        let pooled = wilson(sums.fixes, sums.attempts, Z).unwrap();
        let taw = task_aware(&rates(&tasks), Z).unwrap().interval;
        prop_assert!(taw.hi - taw.lo >= pooled.hi - pooled.lo);
    }

    #[test]
    fn repository_aware_wilson_brackets_its_mean_and_does_not_depend_on_names(
        rows in vec((0.0..=1.0_f64, 0_u8..5), 2..40),
    ) {
        let (values, repos): (Vec<f64>, Vec<u8>) = rows.into_iter().unzip();
        let renamed: Vec<String> = repos.iter().map(|r| format!("repo-{}", 9 - r)).collect();
        if let Some(got) = repo_aware(&values, &repos, Z) {
            prop_assert!(inside(got.interval) && got.interval.lo <= got.mean && got.mean <= got.interval.hi);
            let other = repo_aware(&values, &renamed, Z).unwrap();
            prop_assert!(close(got.phi, other.phi) && close(got.interval.lo, other.interval.lo));
        }
    }

    #[test]
    fn pass_at_k_rises_pass_hat_k_falls_and_both_begin_at_the_rate(task in count(12)) {
        let rate = task.rate().unwrap();
        prop_assert!(close(pass_at(task, 1).unwrap(), rate) && close(pass_hat(task, 1).unwrap(), rate));
        for k in 1..task.n {
            prop_assert!(pass_at(task, k + 1) >= pass_at(task, k));
            prop_assert!(pass_hat(task, k + 1) <= pass_hat(task, k));
        }
        prop_assert_eq!(pass_at(task, task.n + 1), None);
        prop_assert_eq!(pass_hat(task, 0), None);
    }

    #[test]
    fn pass_at_k_is_the_share_of_subsets_with_a_fix(task in count(10), k in 1_u32..=10) {
        prop_assume!(k <= task.n);
        let subsets = (0_u32..1 << task.n).filter(|s| s.count_ones() == k);
        let fixed = (1_u32 << task.c) - 1;
        let (any, all, of) = subsets.fold((0_u32, 0_u32, 0_u32), |(any, all, of), s| {
            (any + u32::from(s & fixed != 0), all + u32::from(s & !fixed == 0), of + 1)
        });
        prop_assert!(close(pass_at(task, k).unwrap(), f64::from(any) / f64::from(of)));
        prop_assert!(close(pass_hat(task, k).unwrap(), f64::from(all) / f64::from(of)));
    }

    #[test]
    fn swapping_the_sides_mirrors_a_comparison((a, b) in pairs(25)) {
        let (one, other) = (compare(&a, &b, Z).unwrap(), compare(&b, &a, Z).unwrap());
        prop_assert!(close(one.delta, -other.delta) && close(one.p, other.p));
        prop_assert!(close(one.interval.lo, -other.interval.hi) && close(one.interval.hi, -other.interval.lo));
        prop_assert!(one.interval.lo <= one.delta && one.delta <= one.interval.hi);
        prop_assert!(one.p > 0.0 && one.p <= 1.0 && one.sign_test_p > 0.0 && one.sign_test_p <= 1.0);
        prop_assert_eq!((one.a_better, one.b_better, one.tied), (other.b_better, other.a_better, other.tied));
    }

    #[test]
    fn the_sign_flip_p_is_what_enumeration_gives((a, b) in pairs(10)) {
        let (got, want) = (sign_flip_p(&a, &b), sign_flip_by_enumeration(&a, &b));
        prop_assert!((got - want).abs() <= 1e-12 * want, "{} {}", got, want);
    }

    #[test]
    fn the_order_of_tasks_and_unmatched_tasks_never_move_a_comparison((a, b) in pairs(20), extra in tasks(4)) {
        let mut rows: Vec<(TaskCount, TaskCount)> = a.iter().copied().zip(b.iter().copied()).collect();
        rows.reverse();
        rows.extend(extra.iter().map(|t| (*t, TaskCount::default())));
        let (more_a, more_b): (Vec<TaskCount>, Vec<TaskCount>) = rows.into_iter().unzip();
        let (plain, longer) = (compare(&a, &b, Z).unwrap(), compare(&more_a, &more_b, Z).unwrap());
        prop_assert!(close(plain.delta, longer.delta) && close(plain.p, longer.p));
        prop_assert!(close(plain.interval.lo, longer.interval.lo) && close(plain.interval.hi, longer.interval.hi));
        prop_assert_eq!((longer.matched, longer.only_a, longer.only_b), (a.len(), extra.len(), 0));
    }

    #[test]
    fn an_unmatched_cell_never_moves_the_difference(fixed in vec((any::<bool>(), any::<bool>()), 1..12)) {
        let cell = |repeat: usize, fixed| {
            let task = if repeat.is_multiple_of(3) { "t" } else { "u" };
            Cell { run: "r", task, repeat: repeat as u32, fixed }
        };
        let mut a: Vec<Cell<'_>> = fixed.iter().enumerate().map(|(i, f)| cell(i, f.0)).collect();
        let b: Vec<Cell<'_>> = fixed.iter().enumerate().map(|(i, f)| cell(i, f.1)).collect();
        let before = matched_cells(&a, &b);
        a.push(Cell { run: "other", task: "t", repeat: 0, fixed: true });
        let after = matched_cells(&a, &b);
        prop_assert_eq!((before.delta_tasks, before.delta_cells, before.p), (after.delta_tasks, after.delta_cells, after.p));
        prop_assert_eq!(after.a_unmatched, 1);
    }

    #[test]
    fn adjusted_p_values_are_never_below_the_raw_ones(p in vec(1e-9..=1.0_f64, 1..30)) {
        for ((raw, holm), bh) in p.iter().zip(holm(&p)).zip(benjamini_hochberg(&p)) {
            prop_assert!(holm >= *raw && holm <= 1.0 && bh >= *raw && bh <= holm + 1e-15);
        }
    }

    #[test]
    fn ranks_bracket_the_place_by_score_and_do_not_depend_on_the_order_of_entries(
        entries in vec(vec(count(5), 12), 2..6),
    ) {
        let slices: Vec<&[TaskCount]> = entries.iter().map(Vec::as_slice).collect();
        let got = board(&slices);
        let scores: Vec<f64> = entries.iter().map(|e| task_rate(e).unwrap()).collect();
        for (rank, score) in got.ranks.iter().zip(&scores) {
            let rank = rank.unwrap();
            let place = 1 + scores.iter().filter(|s| *s > score).count();
            prop_assert!(rank.lo <= place && place <= rank.hi, "{:?} {}", rank, place);
        }
        let mirrored: Vec<&[TaskCount]> = slices.iter().rev().copied().collect();
        for (one, other) in got.ranks.iter().zip(board(&mirrored).ranks.iter().rev()) {
            let (one, other) = (one.unwrap(), other.unwrap());
            prop_assert_eq!((one.lo, one.hi), (other.lo, other.hi));
        }
        for pair in &got.pairs {
            prop_assert!(pair.p > 0.0 && pair.p_holm >= pair.p && pair.p_holm <= 1.0);
        }
    }

    #[test]
    fn exclusion_bounds_bracket_the_headline(x in 0_u64..50, more in 0_u64..50, excluded in 0_u64..20) {
        let n = (x + more).max(1);
        let (got, rate, range) = (exclusions(x, n, excluded, Z).unwrap(), share(x, n).unwrap(), wilson(x, n, Z).unwrap());
        prop_assert!(got.worst <= rate && rate <= got.best);
        prop_assert!(got.sensitivity.lo <= got.worst && got.best <= got.sensitivity.hi);
        if excluded == 0 {
            prop_assert_eq!(got.sensitivity, range);
        }
    }

    #[test]
    fn disagreement_is_a_probability(tasks in tasks(30)) {
        let got = repeatability(&tasks);
        prop_assert!(got.disagreement.is_none_or(|d| (0.0..=1.0).contains(&d)));
        prop_assert!(got.kappa.is_none_or(|k| k <= 1.0 && k.is_finite()));
    }

    #[test]
    fn cost_ranges_bracket_their_value(rows in vec((0_i64..5_000_000_000, count(6)), 1..20)) {
        let tasks: Vec<TaskCost> =
            rows.iter().map(|(nanos, t)| TaskCost { nanos: (*nanos).into(), fixes: t.c, attempts: t.n }).collect();
        let got = cost(&tasks).unwrap();
        let brackets = |value: f64, i: Interval| i.lo <= value && value <= i.hi;
        prop_assert!(got.per_attempt_interval.is_none_or(|i| brackets(got.per_attempt, i)));
        prop_assert!(got.per_fix_interval.is_none_or(|i| brackets(got.per_fix.unwrap(), i)));
    }

    #[test]
    fn the_cutoff_gap_has_a_p_value_and_swapping_the_sides_mirrors_it((before, after) in (tasks(12), tasks(12))) {
        let (one, other) = (cutoff_gap(&before, &after, Z).unwrap(), cutoff_gap(&after, &before, Z).unwrap());
        prop_assert!(close(one.delta, -other.delta) && close(one.interval.lo, -other.interval.hi));
        let (p, q) = (one.p.unwrap(), other.p.unwrap());
        prop_assert!(p > 0.0 && p <= 1.0 && (p - q).abs() <= 1e-12);
    }

    #[test]
    fn the_permutation_p_is_what_enumeration_gives(before in vec(count(4), 1..6), after in vec(count(4), 1..6)) {
        let twelfths = |t: &TaskCount| i64::from(t.c * 12 / t.n);
        let all: Vec<i64> = before.iter().chain(&after).map(twelfths).collect();
        let (chosen, total) = (before.len() as u32, all.iter().sum::<i64>());
        let gap = |set: u32| {
            let sum: i64 = (0..all.len()).filter(|i| set >> i & 1 == 1).map(|i| all[i]).sum();
            (sum * all.len() as i64 - total * i64::from(chosen)).abs()
        };
        let observed = gap((1 << chosen) - 1);
        let sets: Vec<u32> = (0..1_u32 << all.len()).filter(|s| s.count_ones() == chosen).collect();
        let far = sets.iter().filter(|s| gap(**s) >= observed).count();
        prop_assert!(close(permutation_p(&before, &after).unwrap(), far as f64 / sets.len() as f64));
    }

    #[test]
    fn a_text_is_never_nan_whatever_the_value(bits in any::<u64>()) {
        use Format::{Count, Decimal1, Decimal2, P, Percent, Points, Seconds, Usd2, Usd3};
        let value = f64::from_bits(bits);
        for format in [Percent, Points, Count, Decimal1, Decimal2, Usd2, Usd3, P, Seconds] {
            let text = format.text(Some(value));
            prop_assert!((value * 100.0).is_finite() == (text != "no data"));
            prop_assert!(!text.contains("NaN") && !text.contains("inf"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn curves_are_in_range_and_keep_their_order(tasks in vec((0_u32..=4).prop_map(|c| TaskCount { n: 4, c }), 1..30), seed in any::<u64>()) {
        let weights = Weights::draw(seed, tasks.len(), 999);
        let points = curves(&weights, &tasks, &[1, 2, 3, 4, 5]);
        for pair in points[..4].windows(2) {
            prop_assert!(pair[1].at.value >= pair[0].at.value && pair[1].hat.value <= pair[0].hat.value);
        }
        for point in &points[..4] {
            prop_assert!(inside(point.at.interval.unwrap()) && inside(point.hat.interval.unwrap()));
        }
        prop_assert_eq!((points[4].at.value, points[4].at.method, points[4].tasks), (None, Method::None, 0));
    }

    /// A task that nobody covered is as good as absent, apart from the draws that it takes.
    #[test]
    fn a_task_without_attempts_never_moves_a_value(tasks in vec((0_u32..=3).prop_map(|c| TaskCount { n: 3, c }), 8..20)) {
        let mut longer = tasks.clone();
        longer.push(TaskCount::default());
        let plain = curves(&Weights::draw(1, tasks.len(), 999), &tasks, &[1, 2]);
        let wider = curves(&Weights::draw(1, longer.len(), 999), &longer, &[1, 2]);
        for (one, other) in plain.iter().zip(&wider) {
            prop_assert_eq!((one.at.value, one.hat.value), (other.at.value, other.hat.value));
            prop_assert!(other.at.interval.is_some_and(inside));
        }
    }
}

#[test]
fn replicates_that_draw_only_missing_tasks_are_dropped_and_counted() {
    let mut tasks = vec![TaskCount::default(); 200];
    for (place, task) in tasks.iter_mut().take(8).enumerate() {
        *task = TaskCount { n: 4, c: place as u32 % 5 };
    }
    let weights = Weights::draw(7, 200, 9999);
    let none = (0..9999).filter(|b| weights.row(*b)[..8].iter().sum::<u32>() == 0).count();
    assert!(none > 0);
    let got = curves(&weights, &tasks, &[2])[0];
    assert_eq!(got.at.method, Method::Bca);
    assert_eq!(got.at.dropped, none);
}

#[test]
fn sign_flip_stays_in_range_when_the_sum_lies_outside_the_window_or_the_lattice_is_too_fine() {
    let all = vec![TaskCount { n: 1, c: 1 }; 2000];
    let none = vec![TaskCount { n: 1, c: 0 }; 2000];
    let p = sign_flip_p(&all, &none);
    assert!(p > 0.0 && p < 1e-200);
    // Attempts of every number up to 40 have a common denominator of 16 digits.
    let count = |i: u32, by: u32| TaskCount { n: 1 + i % 40, c: i * by % (2 + i % 40) };
    let a: Vec<TaskCount> = (0..400).map(|i| count(i, 7)).collect();
    let b: Vec<TaskCount> = (0..400).map(|i| count(i, 11)).collect();
    let p = sign_flip_p(&a, &b);
    assert!(p > 0.0 && p <= 1.0 && (p - sign_flip_p(&b, &a)).abs() <= 1e-12);
    assert_eq!(sign_flip_p(&a, &a), 1.0);
}

#[test]
fn a_truncated_sign_flip_equals_the_exact_binomial_tail() {
    // 300 tasks of one attempt: 180 for A, 120 for B, which is McNemar's test.
    let side = |wins: std::ops::Range<u32>| -> Vec<TaskCount> {
        (0..300).map(|i| TaskCount { n: 1, c: u32::from(wins.contains(&i)) }).collect()
    };
    let (a, b) = (side(0..180), side(180..300));
    let want = tsbench::stats::binomial::sign_test_p(180, 120);
    assert!((sign_flip_p(&a, &b) - want).abs() <= 1e-12 * want);
}

#[test]
fn constant_rates_have_no_correlation_and_equal_differences_no_variance() {
    let side =
        |rows: &[(u32, u32)]| -> Vec<TaskCount> { rows.iter().map(|(n, c)| TaskCount { n: *n, c: *c }).collect() };
    let (a, b) = (side(&[(10, 1); 24]), side(&[(10, 3); 24]));
    assert_eq!(compare(&a, &b, Z).unwrap().correlation, 0.0);
    // As doubles 0.3 - 0.1, 0.5 - 0.3 and 0.9 - 0.7 are three numbers.
    let (a, b) = (side(&[(10, 3), (10, 5), (10, 9)]), side(&[(10, 1), (10, 3), (10, 7)]));
    assert_eq!(compare(&a, &b, Z).unwrap().se, Some(0.0));
    let single = side(&[(1, 1), (1, 1)]);
    assert_eq!(observed_variance(&single, &side(&[(1, 0), (1, 0)])), Some(0.0));
}
