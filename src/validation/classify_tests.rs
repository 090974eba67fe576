use super::*;
use proptest::prelude::*;

const P: Option<Status> = Some(Status::Passed);
const F: Option<Status> = Some(Status::Failed);
const S: Option<Status> = Some(Status::Skipped);

/// Runs of the one test `t`.
fn runs(states: &[Option<Status>]) -> Vec<Ran> {
    states.iter().map(|s| Ran { cases: s.iter().map(|s| ("t".to_owned(), *s)).collect() }).collect()
}

fn of(red: &[Option<Status>], green: &[Option<Status>], change: Change) -> Result<bool, Fate> {
    kind("t", &Runs { red: runs(red), green: runs(green), ..Runs::default() }, &|_| change)
}

#[test]
fn a_target_fails_before_in_all_runs_and_passes_after_in_all() {
    assert_eq!(of(&[F, F, F], &[P, P, P], Change::None), Ok(true));
    assert_eq!(of(&[S, S, S], &[P, P, P], Change::None), Ok(true), "a skipped test has not passed");
    assert_eq!(of(&[P, P, P], &[P, P, P], Change::Changed), Ok(false), "a new test that passes before is a guard");
}

#[test]
fn a_test_that_differs_between_runs_is_flaky_and_so_is_one_that_is_missing_from_some() {
    assert_eq!(of(&[F, P, F], &[P, P, P], Change::None), Err(Fate::Flaky));
    assert_eq!(of(&[F, F, F], &[P, F, P], Change::None), Err(Fate::Flaky));
    assert_eq!(of(&[P, P, None], &[P, P, P], Change::None), Err(Fate::Flaky));
}

#[test]
fn what_does_not_pass_after_the_fix_is_told_apart_by_what_it_did_before() {
    assert_eq!(of(&[P, P], &[F, F], Change::None), Err(Fate::Regressed));
    assert_eq!(of(&[P, P], &[None, None], Change::None), Err(Fate::Regressed));
    assert_eq!(of(&[S, S], &[S, S], Change::None), Err(Fate::NotPassing));
}

#[test]
fn a_test_that_could_not_run_before_is_a_target_only_where_the_change_shows_why() {
    let made = |change, before: &[Option<Status>]| {
        let runs = Runs { red: runs(&[None; 3]), green: runs(&[P; 3]), before: runs(before), ..Runs::default() };
        kind("t", &runs, &|_| change)
    };
    assert_eq!(made(Change::Changed, &[P; 3]), Ok(true), "its new form cannot pass without the fix");
    assert_eq!(made(Change::InChangedFile, &[None; 3]), Ok(true), "it is new");
    assert_eq!(made(Change::InChangedFile, &[P; 3]), Ok(false), "it passed before the hidden tests came");
    assert_eq!(made(Change::None, &[P; 3]), Ok(false));
    assert_eq!(made(Change::InChangedFile, &[F; 3]), Err(Fate::NotRunBefore));
    assert_eq!(made(Change::InChangedFile, &[P, F, P]), Err(Fate::Flaky));
    assert_eq!(made(Change::None, &[None; 3]), Err(Fate::NotRunBefore));
    assert_eq!(made(Change::InChangedFile, &[]), Err(Fate::NotRunBefore));
}

#[test]
fn a_guard_that_another_time_zone_breaks_is_dropped_and_a_target_is_not() {
    let made = |red| {
        let runs = Runs { red: runs(red), green: runs(&[P; 3]), elsewhere: runs(&[P, F]), ..Runs::default() };
        kind("t", &runs, &|_| Change::None)
    };
    assert_eq!(made(&[P; 3]), Err(Fate::EnvironmentDependent));
    assert_eq!(made(&[F; 3]), Ok(true));
}

#[test]
fn a_test_that_stands_twice_ends_as_the_worse_of_both() {
    let case = |status| crate::reports::Case { id: "t".into(), status, seconds: None, message: String::new() };
    let report = Report { cases: vec![case(Status::Failed), case(Status::Passed)], ..Report::default() };
    assert_eq!(Ran::of(&report).cases["t"], Status::Failed);
}

fn status() -> impl Strategy<Value = Option<Status>> {
    prop::sample::select(vec![None, P, F, S, Some(Status::Errored), Some(Status::ExpectedFailure)])
}

fn ran() -> impl Strategy<Value = Ran> {
    prop::collection::vec(status(), 4).prop_map(|all| Ran {
        cases: all.into_iter().enumerate().filter_map(|(i, s)| s.map(|s| (format!("t{i}"), s))).collect(),
    })
}

fn some() -> impl Strategy<Value = Vec<Ran>> {
    prop::collection::vec(ran(), 1..4)
}

proptest! {
    #[test]
    fn every_test_is_one_thing_and_what_counts_held_in_every_run(
        red in some(), green in some(), before in prop::collection::vec(ran(), 0..3),
        elsewhere in prop::collection::vec(ran(), 0..3), named in 0_usize..3,
    ) {
        let change = [Change::Changed, Change::InChangedFile, Change::None][named];
        let runs = Runs { red, green, before, elsewhere };
        let sorted = sort(&runs, &|_| change);
        let ids: BTreeSet<String> = runs.red.iter().chain(&runs.green).flat_map(|r| r.cases.keys().cloned()).collect();
        let dropped = sorted.dropped.iter().map(|d| d.id.clone());
        let mut all: Vec<String> = sorted.targets.iter().chain(&sorted.guards).cloned().chain(dropped).collect();
        all.sort();
        prop_assert_eq!(all, ids.into_iter().collect::<Vec<_>>());
        for id in sorted.targets.iter().chain(&sorted.guards) {
            prop_assert!(runs.green.iter().all(|r| r.state(id) == State::Passed));
        }
        for id in &sorted.targets {
            prop_assert!(runs.red.iter().all(|r| r.state(id) != State::Passed));
        }
        for id in &sorted.guards {
            let held = |all: &[Ran]| all.iter().all(|r| r.state(id) == State::Passed);
            prop_assert!(held(&runs.red) || runs.red.iter().all(|r| r.state(id) == State::Absent) && held(&runs.before));
            prop_assert!(held(&runs.elsewhere));
        }
    }

    #[test]
    fn the_order_of_runs_does_not_matter(red in some(), green in some()) {
        let runs = Runs { red, green, ..Runs::default() };
        let turned = Runs {
            red: runs.red.iter().rev().cloned().collect(),
            green: runs.green.iter().rev().cloned().collect(),
            ..Runs::default()
        };
        prop_assert_eq!(sort(&runs, &|_| Change::None), sort(&turned, &|_| Change::None));
    }
}
