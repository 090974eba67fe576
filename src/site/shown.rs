//! Whether the publisher's choices and the results fit together: nothing is left out in silence.

use super::SiteError;
use super::config::{BoardConfig, Config};
use crate::results::{Dataset, Fault, Level};
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = "content/site.toml";

/// Warnings for runs and models that no page shows; an error for a board that shows nothing although there are results.
/// The suites of `tasks/` in `known` may have a board before anybody has run them: it says that there is nothing yet.
pub(super) fn on_boards(config: &Config, data: &Dataset, known: &[&str]) -> Result<Vec<Fault>, SiteError> {
    let runs = data.runs.iter().map(|r| (r.run.run.as_str(), r.run.suite.as_str()));
    let records = data.publishers.iter().map(|p| (p.record.run.as_str(), p.record.suite.as_str()));
    let suites: BTreeMap<&str, &str> = runs.chain(records).collect();
    if suites.is_empty() {
        return Ok(Vec::new());
    }
    for board in &config.boards {
        if !known.contains(&board.suite.as_str()) || !board.runs.is_empty() {
            check(board, &suites)?;
        }
    }
    let mut warnings = Vec::new();
    for (run, suite) in &suites {
        if !config.boards.iter().any(|b| b.shows(run, suite)) {
            let boards = config.boards.iter().map(|b| format!("{:?} of {}", b.id, b.suite));
            warnings.push(warning(
                format!("run {run:?} of suite {suite:?} is on no board"),
                format!("add a [[board]] for its suite, or name it in runs; there are {}", list(boards)),
            ));
        }
    }
    let run_models = data.runs.iter().flat_map(|r| r.run.models.iter());
    let known: BTreeSet<&str> =
        run_models.chain(data.publishers.iter().flat_map(|p| &p.record.models)).map(|m| m.id.as_str()).collect();
    for model in config.models.iter().filter(|m| !known.contains(m.id.as_str())) {
        warnings.push(warning(
            format!("[[model]] {:?}: no run has a model {:?}", model.key, model.id),
            format!("the runs have {}", list(known.iter().map(|id| format!("{id:?}")))),
        ));
    }
    warnings.extend(shared_names(config, data));
    Ok(warnings)
}

/// Warnings for models that readers cannot tell apart: two ids under one name on one board.
fn shared_names(config: &Config, data: &Dataset) -> Vec<Fault> {
    let mut warnings = Vec::new();
    for board in &config.boards {
        let runs = data.runs.iter().filter(|r| board.shows(&r.run.run, &r.run.suite));
        let mut names: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for model in runs.flat_map(|r| &r.run.models) {
            let chosen = config.model(&model.id).map(|c| c.name.as_str()).filter(|n| !n.is_empty());
            let name = super::text::clean(chosen.unwrap_or(&model.name)).trim().to_owned();
            names.entry(name).or_default().insert(&model.id);
        }
        for (name, ids) in names.into_iter().filter(|(_, ids)| ids.len() > 1) {
            warnings.push(warning(
                format!(
                    "board {:?}: the models {} have one name, {name:?}",
                    board.id,
                    list(ids.iter().map(|id| format!("{id:?}")))
                ),
                "give each a name of its own: [[model]] with key, id and name".to_owned(),
            ));
        }
    }
    warnings
}

fn check(board: &BoardConfig, suites: &BTreeMap<&str, &str>) -> Result<(), SiteError> {
    if !suites.values().any(|s| *s == board.suite) {
        let known: BTreeSet<&&str> = suites.values().collect();
        return Err(SiteError::content(
            FILE,
            format!("board {:?}: no run is of suite {:?}", board.id, board.suite),
            format!("results/ has runs of {}", list(known.into_iter().map(|s| format!("{s:?}")))),
        ));
    }
    let of_suite = |run: &str| suites.get(run).is_some_and(|s| *s == board.suite);
    if let Some(run) = board.runs.iter().find(|r| !of_suite(r)) {
        let known = suites.iter().filter(|(_, s)| **s == board.suite).map(|(r, _)| format!("{r:?}"));
        return Err(SiteError::content(
            FILE,
            format!("board {:?}: runs names {run:?}, which is no run of suite {:?}", board.id, board.suite),
            format!("its runs are {}", list(known)),
        ));
    }
    Ok(())
}

/// The first of many names.
fn list(names: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = names.collect();
    let more = if all.len() > 8 { format!(" and {} more", all.len() - 8) } else { String::new() };
    format!("{}{more}", all[..all.len().min(8)].join(", "))
}

fn warning(what: String, hint: String) -> Fault {
    Fault { level: Level::Warning, file: FILE.to_owned(), line: None, field: None, what, hint }
}
