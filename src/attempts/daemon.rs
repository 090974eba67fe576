//! A daemon that went away is waited for: what it cut off is no try, and no reason to ask a model again.

use super::{Bench, Phase};
use std::time::{Duration, Instant};

/// Time between two questions whether it is back, and between two words about it.
const PAUSE: Duration = Duration::from_secs(2);
const WORD: Duration = Duration::from_secs(30);

/// What became of a daemon that seemed lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Daemon {
    /// It answers: the fault was another.
    Answers,
    /// It was away, and answers again.
    Back,
    /// It stays away, or nobody waits for it any more.
    Gone,
}

impl Bench {
    /// Waits for the daemon of the sandboxes, as long as the run may.
    pub(super) async fn await_daemon(&self) -> Daemon {
        let Err(mut cause) = self.parts.provider.answers().await else { return Daemon::Answers };
        let (begun, patience) = (Instant::now(), self.parts.daemon_patience);
        let mut told: Option<Instant> = None;
        loop {
            if self.gone.get().is_some() {
                return Daemon::Gone;
            }
            if begun.elapsed() >= patience {
                let seconds = begun.elapsed().as_secs();
                // Whoever waits beside this one has the same to say.
                self.gone.set(format!("no answer for {seconds} s: {cause}")).ok();
                return Daemon::Gone;
            }
            if told.is_none_or(|at| at.elapsed() >= WORD) {
                told = Some(Instant::now());
                let left = patience.saturating_sub(begun.elapsed()).as_secs();
                (self.parts.tell)(&format!(
                    "the daemon of the sandboxes does not answer: waiting for it, up to {left} s more"
                ));
            }
            let pause = PAUSE.min(patience.saturating_sub(begun.elapsed()));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.until(Phase::Finish) => return Daemon::Gone,
            }
            match self.parts.provider.answers().await {
                Ok(()) => {
                    (self.parts.tell)("the daemon of the sandboxes answers again");
                    return Daemon::Back;
                }
                Err(e) => cause = e,
            }
        }
    }

    /// Why no sandbox can be had any more, if that is so.
    pub(super) fn lost_daemon(&self) -> Option<&str> {
        self.gone.get().map(String::as_str)
    }
}
