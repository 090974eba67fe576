//! The scoring of an attempt's patch: tried again by itself, since it rolls no dice and asks no model.

use super::one::MOST_TRIES;
use super::{Bench, Cell, Fault, Phase};
use crate::agent::{Ended, Stop};
use crate::schema::Failure;
use crate::scoring::{Scored, score};

/// How a scoring ended.
pub(super) enum End {
    /// With a verdict, or with nothing that could be scored; and the content address of the image.
    Scored(Option<Box<Scored>>, String),
    /// With faults of ours, as often as they are borne.
    Fault(Failure),
    /// Somebody ended it.
    Stopped,
    /// The daemon of the sandboxes is gone.
    Gone,
}

impl Bench {
    /// Scores the patch. Faults of ours are tried again here alone, and a lost daemon is waited for.
    pub(super) async fn scored(&self, cell: &Cell, ended: &Ended) -> End {
        let mut number = 1;
        loop {
            let end = tokio::select! {
                end = self.score_once(cell, ended) => end,
                () = self.until(Phase::Abort) => return End::Stopped,
            };
            let fault = match end {
                Ok((scored, image)) => return End::Scored(scored.map(Box::new), image),
                Err(fault) => fault,
            };
            if self.may_try_again(cell, &fault, &mut number).await {
                continue;
            }
            return match *self.parts.phase.borrow() {
                _ if fault.daemon && self.lost_daemon().is_some() => End::Gone,
                Phase::Abort => End::Stopped,
                Phase::Run | Phase::Finish if number < MOST_TRIES && self.burst.class().is_none() => End::Stopped,
                Phase::Run | Phase::Finish => End::Fault(fault.failure),
            };
        }
    }

    async fn score_once(&self, cell: &Cell, ended: &Ended) -> Result<(Option<Scored>, String), Fault> {
        let prepared = self.ready(&cell.task).await.map_err(|e| Fault::from(&e))?;
        let image = prepared.ready.image_id.clone();
        let patch = match &ended.patch {
            Ok(patch) if ended.stop != Stop::RunBudget => patch,
            Ok(_) | Err(_) => return Ok((None, image)),
        };
        let scored = score(&prepared.ready, patch, &self.parts.provider, false).await;
        scored.map(|scored| (Some(scored), image)).map_err(|e| Fault::from(&e))
    }
}
