//! Progress on standard error: a bar where that is a terminal, lines where it is not.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The longest silence on a standard error that is no terminal.
const SILENCE: Duration = Duration::from_secs(60);

/// How far one long piece of work is.
pub struct Progress {
    bar: ProgressBar,
    lines: Option<Lines>,
}

/// The lines that stand for a bar where nothing can be drawn.
struct Lines {
    state: Arc<(Mutex<State>, Condvar)>,
    /// Says how things are where nobody has said anything for a while; ended and waited for with the progress.
    teller: Mutex<Option<JoinHandle<()>>>,
}

/// What is under way.
struct State {
    /// The stage, and what of it began last.
    words: (String, String),
    /// Steps done, and all of them; 0 where their number is not known.
    steps: (u64, u64),
    began: Instant,
    spoke: Instant,
    over: bool,
}

impl State {
    /// How things are, in one line.
    fn line(&self) -> String {
        let (stage, last) = &self.words;
        let steps = match self.steps {
            (0, 0) => String::new(),
            (done, 0) => format!(", {done} done"),
            (done, all) => format!(", {done} of {all} done"),
        };
        let last = if last.is_empty() { String::new() } else { format!("; {last}") };
        format!("{stage}{steps}, {} s{last}", self.began.elapsed().as_secs())
    }
}

impl Lines {
    fn start() -> Lines {
        let now = Instant::now();
        let state = State { words: Default::default(), steps: (0, 0), began: now, spoke: now, over: false };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        let shared = Arc::clone(&state);
        let teller = std::thread::spawn(move || tell_in_silence(&shared));
        Lines { state, teller: Mutex::new(Some(teller)) }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.state.1.notify_all();
    }

    fn end(&self) {
        self.change(|state| state.over = true);
        let teller = self.teller.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(teller) = teller {
            // A thread that prints cannot fail in a way that matters here.
            drop(teller.join());
        }
    }
}

/// Says how things are whenever nothing was said for so long, until the work is over.
fn tell_in_silence(shared: &(Mutex<State>, Condvar)) {
    let mut state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.over {
        let left = SILENCE.saturating_sub(state.spoke.elapsed());
        if left.is_zero() {
            if !state.words.0.is_empty() {
                eprintln!("{}", state.line());
            }
            state.spoke = Instant::now();
            continue;
        }
        state = shared.1.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
    }
}

impl Progress {
    /// Starts; nothing is said with `quiet`.
    pub fn start(quiet: bool) -> Progress {
        let bar = ProgressBar::new(0);
        let terminal = std::io::stderr().is_terminal();
        if quiet || !terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{msg:<28} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Progress { bar, lines: (!quiet && !terminal).then(Lines::start) }
    }

    /// Begins a stage of `total` steps; 0 where their number is not known.
    pub fn stage(&self, name: &str, total: u64) {
        tracing::info!("{name}");
        self.bar.set_message(name.to_owned());
        self.bar.set_length(total);
        self.bar.set_position(0);
        if let Some(lines) = &self.lines {
            lines.change(|state| {
                state.words = (name.to_owned(), String::new());
                state.steps = (0, total);
                state.began = Instant::now();
                state.spoke = state.began;
            });
        }
    }

    /// A part of the stage begins.
    pub fn begin(&self, what: &str) {
        tracing::info!("{what}");
        self.bar.set_message(what.to_owned());
        if let Some(lines) = &self.lines {
            eprintln!("{what}");
            lines.change(|state| (state.words.1, state.spoke) = (what.to_owned(), Instant::now()));
        }
    }

    /// One step done.
    pub fn step(&self) {
        self.bar.inc(1);
        if let Some(lines) = &self.lines {
            lines.change(|state| state.steps.0 += 1);
        }
    }

    /// Says beside the bar how things are.
    pub fn tell(&self, how: &str) {
        self.bar.set_message(how.to_owned());
        if let Some(lines) = &self.lines {
            lines.change(|state| how.clone_into(&mut state.words.1));
        }
    }

    /// Prints something above the bar.
    pub fn above(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
        if let Some(lines) = &self.lines {
            lines.change(|state| state.spoke = Instant::now());
        }
    }

    /// Ends the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        self.lines.iter().for_each(Lines::end);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.lines.iter().for_each(Lines::end);
    }
}
