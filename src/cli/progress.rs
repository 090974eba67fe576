//! Progress on standard error, where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar for one long piece of work; it draws nothing where standard error is no terminal.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Starts a bar, hidden with `quiet`.
    pub fn start(quiet: bool) -> Progress {
        let bar = ProgressBar::new(0);
        if quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Progress { bar }
    }

    /// Begins a stage of `total` steps; 0 where their number is not known.
    pub fn stage(&self, name: &str, total: u64) {
        tracing::info!("{name}");
        self.bar.set_message(name.to_owned());
        self.bar.set_length(total);
        self.bar.set_position(0);
    }

    /// One step done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Says beside the bar how things are.
    pub fn tell(&self, how: &str) {
        self.bar.set_message(how.to_owned());
    }

    /// Prints something above the bar.
    pub fn above(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Ends the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
