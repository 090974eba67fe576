//! The last look at a line of ours: no line is written that a reader of results refuses.

use super::AttemptsError;
use crate::results::{Fault, faults_of_line};
use crate::schema::{Attempt, Failure, Outcome, Run};

/// The class of an attempt whose line could not be told as it was.
const CLASS: &str = "line";

/// A line that every reader takes, and what was refused of it as it was, if something was.
///
/// A number that no reader takes is unknown in the line that is written. A line that contradicts itself says that the
/// attempt ended by a fault of ours, and is made again.
pub(super) fn sound_line(line: Attempt, run: &Run) -> Result<(Attempt, Option<String>), AttemptsError> {
    let found = faults(&line, run)?;
    if found.is_empty() {
        return Ok((line, None));
    }
    let said = |f: &Fault| f.field.as_ref().map_or_else(|| f.what.clone(), |name| format!("{name}: {}", f.what));
    let told = found.iter().map(said).collect::<Vec<_>>().join("; ");
    let line = without_refused_numbers(line, &found);
    if faults(&line, run)?.is_empty() {
        return Ok((line, Some(told)));
    }
    let message = format!("the line of this attempt contradicted itself, a fault of tsbench: {told}");
    let line = Attempt {
        outcome: Outcome::InfraError,
        stop: Some("harness_error".to_owned()),
        score: None,
        tests: None,
        patch: None,
        error: Some(Failure { class: CLASS.to_owned(), message }),
        ..line
    };
    Ok((line, Some(told)))
}

fn faults(line: &Attempt, run: &Run) -> Result<Vec<Fault>, AttemptsError> {
    Ok(faults_of_line(&serde_json::to_vec(line)?, run))
}

/// The line with every number unknown that is refused, and what a number belongs to with it.
fn without_refused_numbers(line: Attempt, found: &[Fault]) -> Attempt {
    let refused = |group: &str| {
        let of_group =
            |field: &str| field == group || field.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'));
        found.iter().any(|fault| fault.field.as_deref().is_some_and(of_group))
    };
    Attempt {
        usage: line.usage.filter(|_| !refused("usage")),
        cost_usd: line.cost_usd.filter(|_| !refused("cost_usd")),
        seconds: line.seconds.filter(|_| !refused("seconds")),
        turns: line.turns.filter(|_| !refused("turns")),
        retries: line.retries.filter(|_| !refused("retries")),
        ..line
    }
}
