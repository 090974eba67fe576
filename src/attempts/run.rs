//! Attempts side by side: begun in their order, written as they end.

use super::{AttemptsError, Bench, Cell, Ledger, Phase};
use crate::schema::{Attempt, Outcome};
use std::sync::Arc;
use tokio::task::JoinSet;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every attempt has its line.
    Done,
    /// Somebody ended it.
    Interrupted,
    /// The next call might have cost more than was left.
    Budget,
    /// Too many faults of one kind in a row: its class, and the text of the last one.
    Paused {
        /// Class.
        class: String,
        /// Text.
        message: String,
    },
}

/// A line, and how far the run is.
pub struct Seen<'a> {
    /// The line, which is on the disk.
    pub line: &'a Attempt,
    /// Attempts that ended in this session.
    pub ended: usize,
    /// US dollars of the run as far as they are known, with the most that unknown calls can have cost.
    pub spent_usd: f64,
}

/// Makes these attempts, `jobs` side by side, and tells of each line the moment it is on the disk.
pub async fn run(
    bench: Arc<Bench>,
    mut ledger: Ledger,
    cells: Vec<(Cell, bool)>,
    jobs: usize,
    mut seen: impl FnMut(&Seen<'_>),
) -> Result<Ending, AttemptsError> {
    let mut waiting = cells.into_iter();
    let mut going: JoinSet<Result<Attempt, AttemptsError>> = JoinSet::new();
    let (mut ended, mut over_budget, mut last_fault, mut left) = (0, false, String::new(), false);
    loop {
        let may_begin = *bench.parts.phase.borrow() == Phase::Run && !over_budget && bench.burst.class().is_none();
        while may_begin && going.len() < jobs.max(1) {
            let Some((cell, has_line)) = waiting.next() else { break };
            let bench = Arc::clone(&bench);
            going.spawn(async move { bench.one(&cell, has_line).await });
        }
        if going.is_empty() {
            left |= waiting.next().is_some();
            break;
        }
        let Some(end) = going.join_next().await else { break };
        let line = end.map_err(|e| AttemptsError::Join(e.to_string()))??;
        ledger.append(&line)?;
        ended += 1;
        over_budget |= line.stop.as_deref() == Some("run_budget");
        left |= line.outcome == Outcome::Stopped;
        if let (Outcome::InfraError, Some(error)) = (line.outcome, &line.error) {
            last_fault.clone_from(&error.message);
        }
        seen(&Seen { line: &line, ended, spent_usd: bench.parts.budget.spent() });
    }
    Ok(match bench.burst.class() {
        Some(class) => Ending::Paused { class, message: last_fault },
        None if *bench.parts.phase.borrow() != Phase::Run && left => Ending::Interrupted,
        None if over_budget => Ending::Budget,
        None => Ending::Done,
    })
}
