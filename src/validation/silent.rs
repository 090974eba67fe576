//! Changed files of tests of which no test was run: a missing extra, a build tag, a pattern that does not find them.

use super::ValidationError;
use super::candidate::Change;
use super::classify::{Change as Changed, Ran};
use super::names::{as_added, change_of};
use crate::scoring::Ready;

/// Those files that declare tests, none of which any of these runs reports.
pub(super) fn silent_files(change: &Change, ready: &Ready, runs: &[Ran]) -> Result<Vec<String>, ValidationError> {
    let mut silent = Vec::new();
    for (path, entry) in &ready.material.hidden.files {
        let text = String::from_utf8_lossy(&change.store.bytes(&entry.blob)?).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let declared = ready.language.ids_in_diff(&ready.plan, &as_added(path, &lines));
        let heard = |ran: &Ran| ran.cases.keys().any(|id| change_of(id, &declared, false) == Changed::Changed);
        if !declared.is_empty() && !runs.iter().any(heard) {
            silent.push(path.clone());
        }
    }
    Ok(silent)
}
