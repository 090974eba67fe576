//! A run that is killed at any moment goes on as if nothing had been.

use super::world::{World, ends_with};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Duration;
use tsbench::schema::{Attempt, Outcome};

const MODELS: &str = "mock/gold,mock/empty,mock/random:0.5";
const SAME: [&str; 6] = ["--repeats", "20", "--seed", "s", "--jobs", "2"];

type Identity = (String, String, String, u32);

fn outcomes(lines: &[Attempt]) -> BTreeMap<Identity, (Outcome, Option<String>, Option<String>)> {
    let of = |l: &Attempt| {
        let identity = (l.task.clone(), l.model.clone(), l.condition.clone(), l.repeat);
        (identity, (l.outcome, l.stop.clone(), l.patch.as_ref().map(|p| p.sha256.clone())))
    };
    lines.iter().map(of).collect()
}

/// Numbers without an order that a reader would see: the moments of the kills.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_run_killed_at_twenty_moments_and_resumed_has_every_attempt_once_and_the_same_verdicts() {
    let Some(world) = World::new() else { return };
    ends_with(0, &mut world.run("calm", MODELS, &SAME));
    let calm = world.lines("calm");
    assert_eq!(calm.len(), 60);
    assert!(calm.iter().any(|l| l.outcome == Outcome::Resolved) && calm.iter().any(|l| l.outcome == Outcome::NoPatch));

    let mut state = 11;
    let (mut killed, mut before) = (0, Vec::new());
    for _ in 0..20 {
        let mut command = world.run("shaken", MODELS, &SAME);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30 + random(&mut state) % 700));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // What was kept stays as it was, to the byte; only its end may be half a line.
        let now = std::fs::read(world.out("shaken").join("attempts.jsonl")).unwrap_or_default();
        let whole = now.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        assert!(now.starts_with(&before), "a line was lost");
        before = now[..whole].to_vec();
    }
    let out = ends_with(0, &mut world.resume("shaken", &["--jobs", "2"]));
    assert!(killed >= 15, "{killed} kills met a run at work: {}", super::world::stderr(&out));

    let shaken = world.lines("shaken");
    assert_eq!(shaken.len(), 60, "none lost, none twice");
    assert_eq!(outcomes(&shaken), outcomes(&calm));
    let identities: BTreeSet<Identity> = outcomes(&shaken).into_keys().collect();
    assert_eq!(identities.len(), 60);
    assert_eq!(world.boxes(), 0, "nothing is left of what was killed");
    let again = ends_with(0, &mut world.resume("shaken", &[]));
    assert_eq!((again.stdout.len(), world.lines("shaken").len()), (0, 60), "there is nothing left to do");
}
