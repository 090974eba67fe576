//! Whose results a board shows, and what its runs do not have in common: found in the runs, never written by hand.

use super::entries::whole;
use super::href;
use super::limits::{count, list, named};
use crate::results::RunFile;
use crate::schema::{Importer, Source};
use crate::site::board::{Board, Entry};
use crate::site::config::Config;
use crate::site::numbers::{Computed, Numbers, grader_key, graders as graded};
use crate::site::text::{escape, link, name};
use std::collections::{BTreeMap, BTreeSet};

/// Models whose id begins so are programs of the harness.
const MADE_UP: &str = "mock/";

/// One item a board: what its results are and where they come from. For pages of content, as seen from the site's root.
pub fn sources(config: &Config, computed: &Computed<'_>) -> String {
    let mut out = String::from("<ul class=\"sources\">");
    for (i, b) in computed.boards.iter().enumerate() {
        let to = href("", &super::board::path(&b.config.id, i == 0));
        let to = if to.is_empty() { "./".to_owned() } else { to };
        out.push_str(&format!("<li>{}: {}.", link(&to, &name(&b.config.title)), whose(config, b)));
        if let Some(models) = made_up_of(b) {
            out.push_str(&format!(" {models}"));
        }
        out.push_str("</li>");
    }
    out.push_str("</ul>");
    out
}

/// The kinds of source of a board's runs and records, in words.
fn whose(config: &Config, b: &Board<'_>) -> String {
    let by = if config.author.is_empty() { "the publisher of this site".to_owned() } else { name(&config.author) };
    let has = |source: Source| b.runs.iter().any(|r| r.run.source == source);
    let mut kinds = Vec::new();
    if has(Source::Own) {
        kinds.push(format!("runs of this harness by {by}"));
    }
    if has(Source::Imported) {
        kinds.push(
            "outcomes of another system, imported attempt by attempt, which that system scored itself".to_owned(),
        );
    }
    if has(Source::Publisher) || !b.publishers.is_empty() {
        kinds.push("figures quoted from their publisher, without the attempts behind them".to_owned());
    }
    if kinds.is_empty() { "nothing yet".to_owned() } else { list(&kinds) }
}

/// Says whether only made-up models have attempts on a board, or some.
fn made_up_of(b: &Board<'_>) -> Option<&'static str> {
    let ran: Vec<&Entry> = b.entries.iter().filter(|e| e.totals.lines > 0).collect();
    let made_up = ran.iter().filter(|e| e.model.id.starts_with(MADE_UP)).count();
    match made_up {
        0 => None,
        n if n == ran.len() => Some("All models on it are made up, so that it measures nothing."),
        _ => Some("Some of the models on it are made up."),
    }
}

/// Names the entries that are no models.
pub(super) fn made_up(b: &Board<'_>, entries: &[&Entry], out: &mut Vec<String>) {
    let found: Vec<&Entry> = entries.iter().copied().filter(|e| e.model.id.starts_with(MADE_UP)).collect();
    if found.is_empty() {
        return;
    }
    let (are, they) = if found.len() == 1 { ("is", "it hands") } else { ("are", "they hand") };
    out.push(format!(
        "<strong>Made-up models.</strong> {} {are} part of the harness: {they} in the human fix or nothing, as told. That shows that the harness works, and measures nothing.",
        named(b, &found)
    ));
}

/// Says which versions of the grader scored a board, where it is more than one.
pub(super) fn graders(b: &Board<'_>, numbers: &Numbers, out: &mut Vec<String>) {
    let by = graded(b);
    let named = by.keys().filter(|g| !g.is_empty()).count();
    if by.is_empty() || named == 0 {
        return;
    }
    let parts: Vec<String> = by
        .keys()
        .map(|grader| {
            let id = whole(b, &format!("graded_by.{}", grader_key(grader)));
            let attempts = count(numbers, &id, "attempt", "attempts");
            match grader.is_empty() {
                true => format!("a grader that their lines do not name ({attempts})"),
                false => format!("<code>{}</code> ({attempts})", escape(grader)),
            }
        })
        .collect();
    let what = match by.len() {
        2 if named == 2 => "Two versions of the grader scored",
        _ => "More than one grader scored",
    };
    out.push(format!(
        "<strong>Graders differ.</strong> {what} this board: {}. A patch may be judged otherwise by another.",
        list(&parts)
    ));
}

/// Says what the runs of a board have not in common although a comparison needs it.
pub(super) fn differing_runs(b: &Board<'_>, out: &mut Vec<String>) {
    let runs: Vec<&RunFile> = b.runs.iter().copied().filter(|r| !r.rows.is_empty()).collect();
    let digests: BTreeSet<&str> = runs.iter().filter_map(|r| r.run.suite_digest.as_deref()).collect();
    if digests.len() > 1 {
        out.push("<strong>Tasks differ.</strong> Not every run had the same tasks, although all name the same version of the suite: the digests in their plans differ.".to_owned());
    }
    let mut builds: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for r in &runs {
        builds.entry(r.run.agent_word()).or_default().extend(r.run.agent.digest.as_deref());
    }
    let changed: Vec<String> = builds.iter().filter(|(_, d)| d.len() > 1).map(|(word, _)| name(word)).collect();
    if !changed.is_empty() {
        out.push(format!(
            "<strong>Agents differ.</strong> Not every run had the same {}: digests of the agent differ under one name.",
            list(&changed)
        ));
    }
    let limits = differing_limits(&runs);
    if !limits.is_empty() {
        out.push(format!(
            "<strong>Limits differ.</strong> Not every run gave its attempts the same limits ({}): a model with less of them might do better with more. The page of each run states its own.",
            limits.iter().map(|l| format!("<code>{}</code>", escape(l))).collect::<Vec<_>>().join(", ")
        ));
    }
    if runs.windows(2).any(|w| w[0].run.scoring.infra != w[1].run.scoring.infra) {
        out.push("<strong>Policies differ.</strong> Faults of the infrastructure count as failures in some of these runs and are left out in others.".to_owned());
    }
}

/// The limits in which runs of one harness differ; what a plan does not say is not compared.
fn differing_limits(runs: &[&RunFile]) -> Vec<String> {
    let mut said: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in runs.iter().flat_map(|r| &r.run.limits) {
        said.entry(key).or_default().insert(value.to_string());
    }
    said.into_iter().filter(|(_, values)| values.len() > 1).map(|(key, _)| key.to_owned()).collect()
}

/// Says what is missing of imported attempts, in the words that fit the tool they came from.
pub(super) fn imported(b: &Board<'_>, numbers: &Numbers, out: &mut Vec<String>) {
    let all: Vec<&RunFile> = b.runs.iter().copied().filter(|r| r.run.source == Source::Imported).collect();
    if all.is_empty() {
        return;
    }
    let which = if all.len() == b.runs.len() { "All" } else { "Some" };
    let attempts = count(numbers, &whole(b, "attempts"), "attempt", "attempts");
    let lead = format!("<strong>Imported.</strong> {which} of the {attempts} of this board");
    let is = if which == "All" && numbers.value(&whole(b, "attempts")) == Some(1.0) { "is" } else { "are" };
    let mut told = BTreeSet::new();
    for run in all {
        let from = match (run.has_artifacts, run.run.imported_from) {
            (true, _) => "outcomes of another system, as it scored them",
            (false, Some(Importer::Harbor)) => {
                "imported from Harbor, as its verifiers rewarded them: patches and trajectories stayed in the job’s folder, so that none can be checked here"
            }
            (false, Some(Importer::Inspect)) => {
                "imported from Inspect, as its scorers judged them: transcripts stayed in its logs, so that none can be checked here"
            }
            (false, Some(Importer::TsBench)) => {
                "outcomes that another system published without its raw files: no patch, transcript or test report can be checked here"
            }
            (false, Some(Importer::Other) | None) => {
                "outcomes of another system, taken over without what lay beside them: no patch, transcript or test report can be checked here"
            }
        };
        told.insert(from);
    }
    out.extend(told.into_iter().map(|from| format!("{lead} {is} {from}.")));
}
