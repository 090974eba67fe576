//! Attempts side by side: begun in their order, written as they end.

use super::worked::Worked;
use super::{AttemptsError, Bench, Cell, Ledger, Phase, folder_of};
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
    /// The daemon of the sandboxes went away and did not come back.
    DaemonLost {
        /// What was seen.
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
    /// What a reader would have refused of the line as it was first, a fault of this program.
    pub mended: Option<&'a str>,
}

/// Makes these attempts, `jobs` side by side, and tells of each line the moment it is on the disk.
pub async fn run(
    bench: Arc<Bench>,
    mut ledger: Ledger,
    cells: Vec<(Cell, bool)>,
    jobs: usize,
    mut seen: impl FnMut(&Seen<'_>),
) -> Result<Ending, AttemptsError> {
    let run = &bench.parts.plan.run;
    let mut waiting = cells.into_iter();
    let mut going: JoinSet<Result<(Cell, Option<Attempt>), AttemptsError>> = JoinSet::new();
    let (mut ended, mut over_budget, mut last_fault, mut left) = (0, false, String::new(), false);
    loop {
        let runs = *bench.parts.phase.borrow() == Phase::Run && bench.lost_daemon().is_none();
        let may_begin = runs && !over_budget && bench.burst.class().is_none();
        while may_begin && going.len() < jobs.max(1) {
            let Some((cell, has_line)) = waiting.next() else { break };
            let bench = Arc::clone(&bench);
            going.spawn(async move { bench.one(&cell, has_line).await.map(|line| (cell, line)) });
        }
        if going.is_empty() {
            left |= waiting.next().is_some();
            break;
        }
        let Some(end) = going.join_next().await else { break };
        let (cell, line) = end.map_err(|e| AttemptsError::Join(e.to_string()))??;
        let Some(line) = line else {
            left = true;
            continue;
        };
        let (line, mended) = ledger.append(line, run)?;
        if !line.outcome.excluded(run.scoring.infra) {
            Worked::forget(&bench.parts.dir.join(folder_of(&cell)))?;
        }
        ended += 1;
        over_budget |= line.stop.as_deref() == Some("run_budget");
        left |= line.outcome == Outcome::Stopped;
        if let (Outcome::InfraError, Some(error)) = (line.outcome, &line.error) {
            last_fault.clone_from(&error.message);
        }
        let spent_usd = bench.parts.budget.spent();
        seen(&Seen { line: &line, ended, spent_usd, mended: mended.as_deref() });
    }
    Ok(match bench.burst.class() {
        _ if bench.lost_daemon().is_some() => {
            Ending::DaemonLost { message: bench.lost_daemon().unwrap_or_default().to_owned() }
        }
        Some(class) => Ending::Paused { class, message: last_fault },
        None if *bench.parts.phase.borrow() != Phase::Run && left => Ending::Interrupted,
        None if over_budget => Ending::Budget,
        None => Ending::Done,
    })
}
