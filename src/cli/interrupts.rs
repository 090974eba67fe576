//! The signals by which somebody ends a program before it is done.

use super::hang_up::outlives_terminal;
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// From the keyboard, by another program, or by closing the terminal: from its making on, none of them ends the process.
pub struct Interrupts {
    by_hand: Signal,
    terminated: Signal,
    /// None where whoever started the program wants it to outlive the terminal, as `nohup` does.
    hung_up: Option<Signal>,
}

impl Interrupts {
    /// Listens, inside a runtime.
    pub fn new() -> io::Result<Interrupts> {
        Ok(Interrupts {
            by_hand: signal(SignalKind::interrupt())?,
            terminated: signal(SignalKind::terminate())?,
            hung_up: if outlives_terminal() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    /// Waits for the next one.
    pub async fn heard(&mut self) {
        let hung_up = async {
            match &mut self.hung_up {
                Some(hung_up) => hung_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! { _ = self.by_hand.recv() => {}, _ = self.terminated.recv() => {}, _ = hung_up => {} }
    }
}
