use crate::schema::{HealthLine, HealthProof, HealthState, Outcome, ProofKind};
use std::collections::BTreeMap;

/// Names of failed tests that a line keeps; the counts say how many there were.
const MOST_FAILED: usize = 20;

/// The isolation that keeps a patch from the machine.
const ISOLATED: &str = "docker";

/// What the newest lines say of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing<'l> {
    /// Its newest line.
    pub newest: &'l HealthLine,
    /// Its newest line that is an answer, if there is one.
    pub answer: Option<&'l HealthLine>,
}

impl Standing<'_> {
    /// Whether the task is not to be used until an audit finds it healthy.
    pub fn is_quarantined(&self) -> bool {
        self.answer.is_some_and(|l| l.state != HealthState::Healthy)
    }
}

/// The standing of every task by suite (`id@version`) and id; of lines with one time the later counts as newer.
pub fn standings<'l>(lines: impl Iterator<Item = &'l HealthLine>) -> BTreeMap<(&'l str, &'l str), Standing<'l>> {
    let mut found: BTreeMap<(&str, &str), Standing<'l>> = BTreeMap::new();
    for line in lines {
        let standing =
            found.entry((line.suite.as_str(), line.task.as_str())).or_insert(Standing { newest: line, answer: None });
        if time(line) >= time(standing.newest) {
            standing.newest = line;
        }
        if line.state != HealthState::Unknown && standing.answer.is_none_or(|a| time(line) >= time(a)) {
            standing.answer = Some(line);
        }
    }
    found
}

fn time(line: &HealthLine) -> Option<jiff::Timestamp> {
    line.at.parse().ok()
}

/// The state that the proofs of an audit show, and why it is not healthy; `before` are the task's earlier lines.
///
/// An audit that tried less than it could, or with less isolation than the answer that stands, finds no task healthy:
/// what it left out may be what condemned the task.
pub fn judged(proofs: &[HealthProof], isolation: &str, before: &[&HealthLine]) -> (HealthState, String) {
    if let Some(p) = proofs.iter().find(|p| p.outcome == Outcome::InfraError) {
        let why = p.error.as_ref().map_or("a fault of the infrastructure", |e| e.message.as_str());
        return (HealthState::Unknown, format!("{} {}: {why}", p.kind.word(), p.name));
    }
    if !proofs.is_empty() && proofs.iter().all(|p| p.good) {
        let untried = untried(proofs, isolation, before);
        return match untried.is_empty() {
            true => (HealthState::Healthy, String::new()),
            false => (HealthState::Unknown, format!("not everything was tried: {}", untried.join(", "))),
        };
    }
    let bad: Vec<&HealthProof> = proofs.iter().filter(|p| !p.good).collect();
    let Some(first) = bad.first() else { return lost("nothing was tried", before) };
    let tests = first.targets.failed.iter().chain(&first.guards.failed).next();
    let tests = tests.map(|t| format!("; not passed: {t}")).unwrap_or_default();
    let what = format!("{} {}: {}{tests}", first.kind.word(), first.name, first.outcome.word());
    for kind in [ProofKind::Fix, ProofKind::Empty] {
        let of_kind: Vec<&HealthProof> = proofs.iter().filter(|p| p.kind == kind).collect();
        if of_kind.iter().any(|p| p.good != of_kind[0].good) {
            return (HealthState::Drifted, format!("runs of one thing differ: {what}"));
        }
    }
    lost(&what, before)
}

/// What an audit left out, in words.
fn untried(proofs: &[HealthProof], isolation: &str, before: &[&HealthLine]) -> Vec<String> {
    let kinds = [ProofKind::Fix, ProofKind::Empty, ProofKind::Exploit];
    let missing = kinds.into_iter().filter(|k| proofs.iter().all(|p| p.kind != *k));
    let mut untried: Vec<String> = missing.map(|k| format!("no {}", k.word())).collect();
    let answers = before.iter().filter(|l| l.state != HealthState::Unknown);
    let standing = answers.max_by_key(|l| time(l));
    if isolation != ISOLATED && standing.is_some_and(|l| l.isolation == ISOLATED) {
        untried.push(format!("isolation {isolation}, where the answer that stands has {ISOLATED}"));
    }
    untried
}

/// The state of a task that is not healthy and why: drifted if it once was, else broken.
pub fn lost(why: &str, before: &[&HealthLine]) -> (HealthState, String) {
    match before.iter().rev().find(|l| l.state == HealthState::Healthy) {
        Some(line) => (HealthState::Drifted, format!("healthy on {}, not now: {why}", line.at)),
        None => (HealthState::Broken, why.to_owned()),
    }
}

/// The names of failed tests that a line keeps.
pub fn failed_shown(failed: &[String]) -> Vec<String> {
    failed.iter().take(MOST_FAILED).cloned().collect()
}
