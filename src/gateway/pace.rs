//! The limits of a model's rate, over all attempts of a run.

use super::ModelEntry;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Lets tries of one model begin.
#[derive(Debug)]
pub(super) struct Pace {
    places: Option<Arc<Semaphore>>,
    /// Time between two beginnings, and when the next may be.
    between: Option<(Duration, Mutex<Instant>)>,
}

impl Pace {
    pub(super) fn of(entry: &ModelEntry) -> Pace {
        Pace {
            places: entry.concurrent.map(|n| Arc::new(Semaphore::new(n.min(Semaphore::MAX_PERMITS)))),
            between: entry
                .requests_per_minute
                .map(|n| (Duration::from_secs_f64((60.0 / n).min(3600.0)), Mutex::new(Instant::now()))),
        }
    }

    /// Waits until a try may begin. The place is given back when the permit is dropped.
    pub(super) async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        let place = match &self.places {
            // It is never closed.
            Some(places) => places.clone().acquire_owned().await.ok(),
            None => None,
        };
        if let Some((between, next)) = &self.between {
            let mine = {
                let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                let mine = (*next).max(Instant::now());
                *next = mine + *between;
                mine
            };
            tokio::time::sleep_until(mine).await;
        }
        place
    }
}
