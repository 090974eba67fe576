//! How candidates of one call share the machine.

use tokio::sync::RwLock;

/// Runs go side by side; one that took too long is tried again while no other goes on, since a busy machine says nothing
/// about a candidate.
#[derive(Debug, Default)]
pub struct Turns(RwLock<()>);

/// How validation comes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace<'a> {
    /// A step of this name begins.
    Begins(&'a str),
    /// A run of the tests has ended.
    RunEnds,
}

impl Turns {
    /// Makes something beside others, and once more alone where it is late; `again` is called before that.
    pub async fn twice<T, F: Future<Output = T>>(
        &self,
        make: impl Fn() -> F,
        late: impl Fn(&T) -> bool,
        again: impl FnOnce(),
    ) -> T {
        let first = {
            let _beside = self.0.read().await;
            make().await
        };
        if !late(&first) {
            return first;
        }
        let _alone = self.0.write().await;
        again();
        make().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn what_is_late_is_made_once_more_and_only_then_alone() {
        let turns = Arc::new(Turns::default());
        let (running, made) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut all = tokio::task::JoinSet::new();
        for late in [true, false, false, true] {
            let (turns, running, made) = (Arc::clone(&turns), Arc::clone(&running), Arc::clone(&made));
            all.spawn(async move {
                let tries = AtomicUsize::new(0);
                let make = || async {
                    let beside = running.fetch_add(1, Ordering::SeqCst);
                    let second = tries.fetch_add(1, Ordering::SeqCst) == 1;
                    assert!(!second || beside == 0, "{beside} beside a run that should be alone");
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    made.fetch_add(1, Ordering::SeqCst);
                    second
                };
                turns.twice(make, |second| late && !second, || {}).await
            });
        }
        let mut ends: Vec<bool> = Vec::new();
        while let Some(end) = all.join_next().await {
            ends.push(end.unwrap());
        }
        ends.sort_unstable();
        assert_eq!((ends, made.load(Ordering::SeqCst)), (vec![false, false, true, true], 6));
    }
}
