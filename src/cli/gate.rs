use super::Exit;
use super::proving::{Proving, Tried, counts_in_words, each, is_ours, tasks_word};
use super::say;
use super::score::not_isolated;
use crate::gate::Proof;
use crate::schema::{Outcome, ProofKind};
use crate::scoring::ScoreError;
use crate::tasks::Task;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::json;

/// Prove tasks: the human fix resolves, the empty patch and every cheat do not.
#[derive(Args, Debug)]
pub struct Gate {
    #[command(flatten)]
    proving: Proving,
    /// Print every proof as JSON, one line a task
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench gate`: 1 where a task is not proven.
pub fn run(args: &Gate) -> anyhow::Result<Exit> {
    let which = &args.proving.which;
    let tasks = which.find()?;
    let (mut unproven, mut broken, mut ours) = (0, 0, 0);
    let all = tasks.len();
    let finished = each(&args.proving, tasks, "proving tasks", |task, _, end| {
        match &end {
            Ok(tried) if !tried.proven.good() => unproven += 1,
            Err(e) if is_ours(e) => ours += 1,
            Err(_) => broken += 1,
            Ok(_) => {}
        }
        print(task, &end, args.json);
        Ok(())
    })?;
    if !finished {
        eprintln!("interrupted: the tasks that were done are told above");
        return Ok(Exit::Interrupted);
    }
    let are = |count: usize| format!("{} {}", tasks_word(count), if count == 1 { "is" } else { "are" });
    if unproven + broken + ours == 0 {
        eprintln!("{} proven", are(all));
        return Ok(Exit::Good);
    }
    eprintln!("{} not proven, {} could not be run", are(unproven), broken + ours);
    Ok(if unproven + broken == 0 { Exit::Missing } else { Exit::No })
}

fn print(task: &Task, end: &Result<Tried, ScoreError>, as_json: bool) {
    let id = task.spec.id.as_str();
    if as_json {
        let value = match end {
            Ok(t) => {
                json!({"task": id, "proven": t.proven.good(), "seconds": t.seconds, "install_seconds": t.install_seconds, "proofs": t.proven.proofs})
            }
            Err(e) => json!({"task": id, "proven": false, "error": {"class": e.class(), "message": e.to_string()}}),
        };
        say!("{value}");
        return;
    }
    match end {
        Ok(t) => {
            let proofs = &t.proven.proofs;
            let word = if t.proven.good() { "proven" } else { "NOT PROVEN" };
            let counts: Vec<(ProofKind, usize, usize)> =
                ProofKind::ALL.into_iter().map(|k| counted(proofs, k)).collect();
            let bare = proofs.first().and_then(|p| not_isolated(&p.verdict.isolation));
            let bare = bare.map_or(String::new(), |how| format!("\t{how}"));
            say!("{id}\t{word}\t{}\t{:.1} s{bare}", counts_in_words(&counts), t.seconds);
            proofs.iter().filter(|p| !p.good).for_each(|p| explain(id, p, &task.spec.targets));
        }
        Err(e) => say!("{id}\tfailed to {e}"),
    }
}

/// Tries of a kind, and how many of them resolved the task.
fn counted(proofs: &[Proof], kind: ProofKind) -> (ProofKind, usize, usize) {
    let of_kind = || proofs.iter().filter(|p| p.kind == kind);
    (kind, of_kind().filter(|p| p.verdict.outcome == Outcome::Resolved).count(), of_kind().count())
}

/// Why something resolves a task that must not.
fn why_resolved(kind: ProofKind, targets: &[String]) -> String {
    let shown: Vec<&str> = targets.iter().take(5).map(String::as_str).collect();
    let more = if targets.len() > shown.len() { ", …" } else { "" };
    let when = if kind == ProofKind::Empty { "before the fix" } else { "with it" };
    format!("all targets pass {when}: {}{more}", shown.join(", "))
}

fn explain(id: &str, p: &Proof, targets: &[String]) {
    let must = if p.kind.must_resolve() { "must resolve the task" } else { "must not resolve the task" };
    let tried = format!("{} ({})", p.kind.word(), p.name);
    say!("{id}\t{tried} {must}, and was {}", p.verdict.outcome);
    if !p.kind.must_resolve() && p.verdict.outcome == Outcome::Resolved {
        say!("{id}\t{}", why_resolved(p.kind, targets));
    }
    if p.kind.must_resolve() {
        // Why a right solution does not resolve, as often as not.
        p.verdict.not_scored().iter().for_each(|what| say!("{id}\tnot scored, {what}"));
    }
    p.verdict.error.iter().for_each(|e| say!("{id}\t{}: {}", e.class, e.message.trim_end()));
    let not_passed = p.verdict.targets.failed.iter().chain(&p.verdict.guards.failed);
    for test in not_passed.take(5) {
        let how = if p.missing.contains(test) { "is missing from the report" } else { "did not pass" };
        say!("{id}\t{test} {how}");
    }
    for line in p.log.lines().rev().take(15).collect::<Vec<_>>().into_iter().rev() {
        say!("{id}\t| {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_resolves_and_must_not_is_told_with_the_targets() {
        let targets = ["a::b".to_owned(), "a::c".to_owned()];
        assert_eq!(why_resolved(ProofKind::Empty, &targets), "all targets pass before the fix: a::b, a::c");
        assert_eq!(why_resolved(ProofKind::Wrong, &targets[..1]), "all targets pass with it: a::b");
    }
}
