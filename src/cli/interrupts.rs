//! The signals by which somebody ends a program before it is done.

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
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Ok(Interrupts {
            by_hand: signal(SignalKind::interrupt())?,
            terminated: signal(SignalKind::terminate())?,
            hung_up: if ignores_hang_up(&status) { None } else { Some(signal(SignalKind::hangup())?) },
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

/// Whether a process's `status` of `/proc` says that it ignores signal 1, which stands in the lowest bit.
fn ignores_hang_up(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::ignores_hang_up;

    #[test]
    fn a_program_under_nohup_is_told_from_one_at_a_terminal() {
        assert!(ignores_hang_up("Name:\tx\nSigIgn:\t0000000000001001\n"));
        assert!(!ignores_hang_up("SigIgn:\t0000000000001000\n"));
        assert!(!ignores_hang_up(""));
    }
}
