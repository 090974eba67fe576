//! A folder for temporary files that is gone however the program ends.

use super::Exit;
use super::hang_up::outlives_terminal;
use anyhow::Context;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Whether a signal has ended the work: nothing of it is told any more.
static ENDED: AtomicBool = AtomicBool::new(false);

/// The folder. A signal that ends the program removes it first.
pub struct Work(TempDir);

impl Work {
    /// Makes the folder and listens for signals from now on.
    pub fn new() -> anyhow::Result<Work> {
        let dir = tempfile::Builder::new().prefix("tsbench-verify-").tempdir().context("make a temporary folder")?;
        let path = dir.path().to_owned();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (tell, mut told) = mpsc::channel(1);
        // Listened for before the thread starts, so that no signal meets the default.
        let guard = runtime.enter();
        let hang_up = (!outlives_terminal()).then(SignalKind::hangup);
        for kind in [SignalKind::interrupt(), SignalKind::terminate()].into_iter().chain(hang_up) {
            let (mut heard, tell) = (signal(kind)?, tell.clone());
            runtime.spawn(async move {
                heard.recv().await;
                // Another signal was first: it ends the program.
                _ = tell.send(kind).await;
            });
        }
        drop(guard);
        std::thread::spawn(move || {
            if let Some(kind) = runtime.block_on(told.recv()) {
                ENDED.store(true, Ordering::SeqCst);
                remove(&path);
                std::process::exit(128 + kind.as_raw_value());
            }
        });
        Ok(Work(dir))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Removes a folder that other threads may still write into: until it stays away.
fn remove(path: &Path) {
    const TRIES: usize = 100;
    for _ in 0..TRIES {
        // What cannot be removed now is tried again; what can never be removed is not waited for.
        _ = std::fs::remove_dir_all(path);
        std::thread::sleep(Duration::from_millis(20));
        if !path.exists() {
            return;
        }
    }
}

/// The end of a command whose folder was taken away from under it: the signal's own thread ends the program.
pub fn unless_ended(end: anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    while end.is_err() && ENDED.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(20));
    }
    end
}
