//! Recomputes a published site from its raw files and compares every number that it states.

use super::artifacts::Artifacts;
use super::config::Config;
use super::copies::{join_shards, same_artifacts, same_raw};
use super::csv::records;
use super::error::SiteError;
use super::evidence::{about, around, digests, files, json};
use super::extract::stated;
use super::numbers::{Computed, Families, compute};
use super::published::Sources;
use super::suites::Suites;
use super::whole::{built, other_scripts, renamed, strangers};
use crate::results::{Dataset, Evidence, Level, RunFile, contradicted, read_with, slug};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// One statement of the site that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// Number, or file where a file as a whole is meant.
    pub id: String,
    /// Where it is stated.
    pub place: String,
    /// What the site says.
    pub stated: String,
    /// What the raw files give.
    pub recomputed: String,
}

/// What verification found.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Numbers recomputed.
    pub numbers: usize,
    /// Statements of numbers in pages, charts and tables that were compared.
    pub statements: usize,
    /// Files whose digests were compared.
    pub files: usize,
    /// Everything that does not hold, in order of id and place.
    pub differences: Vec<Difference>,
    /// What a reader should know though nothing is wrong with it.
    pub notes: Vec<String>,
}

/// Verifies the site in `site` from its own raw files and, where given, from `results` as well. Its temporary files lie
/// in `work`.
pub fn verify(site: &Path, results: Option<&Path>, work: &Path) -> Result<Verified, SiteError> {
    let mut out = Verified::default();
    built(site)?;
    let strangers = strangers(site)?;
    if !strangers.is_empty() {
        // Nothing is read through a link, and reading a pipe might never end.
        let told = |(path, what): (String, &'static str)| about(&path, "the site’s folder", "a file or a folder", what);
        out.differences = strangers.into_iter().map(told).collect();
        return Ok(out);
    }
    let files = files(site)?;
    out.notes = other_scripts(&files)?;
    out.differences.extend(renamed(site, &files));
    out.files = digests(site, &files, &mut out.differences)?;
    let path = site.join("data/site.json");
    let text = std::fs::read_to_string(&path).map_err(SiteError::io(&path))?;
    let config: Config = serde_json::from_str(&text).map_err(|e| {
        SiteError::content(path.display().to_string(), e.to_string(), "the file is written by tsbench-site build")
    })?;
    config.validate("data/site.json")?;
    let (suites, wrong) = Suites::published(site)?;
    out.differences.extend(wrong.into_iter().map(|(path, why)| about(&path, &path, "a usable file", why)));
    let joined = join_shards(site, work)?;
    let mut own = read_with(joined.path(), &|_, _, _, _| Ok(()))?;
    let place = "the site’s raw files";
    faults(&own, place, &mut out);
    let (artifacts, wrong) = Artifacts::published(site, &own)?;
    out.differences.extend(wrong.into_iter().map(|(path, why)| about(&path, &path, "a usable index", why)));
    out.differences.extend(against_evidence(&own, &artifacts));
    let theirs = results.map(|results| read_with(results, &|_, _, _, _| Ok(()))).transpose()?;
    if let Some(theirs) = &theirs {
        out.differences.extend(same_raw(&own, theirs));
        out.differences.extend(same_artifacts(&artifacts, theirs));
    }
    compare(site, &config, (&mut own, &suites, &artifacts), &files, place, &mut out)?;
    if let Some(mut theirs) = theirs {
        let place = "the results folder";
        faults(&theirs, place, &mut out);
        compare(site, &config, (&mut theirs, &suites, &artifacts), &files, place, &mut out)?;
    }
    out.differences.sort();
    out.differences.dedup();
    Ok(out)
}

/// Faults of raw files that forbid their use are differences too: the site was not built from these.
fn faults(data: &Dataset, source: &str, out: &mut Verified) {
    out.differences.extend(data.faults.iter().filter(|f| f.level == Level::Error).map(|fault| Difference {
        id: format!("line {}", fault.file),
        place: source.to_owned(),
        stated: "a usable raw file".into(),
        recomputed: fault.to_string(),
    }));
}

/// Where published reports and patches contradict the lines of their attempts.
fn against_evidence(own: &Dataset, artifacts: &Artifacts) -> Vec<Difference> {
    let of_run = |run: &RunFile| {
        let Some(of) = artifacts.of(&run.run.run) else { return Vec::new() };
        let cut: HashSet<&str> = of.files().filter(|f| f.is_cut()).map(|f| f.path.as_str()).collect();
        let (shown, file) = (of.shown(), format!("data/raw/{}/attempts", slug(&run.run.run)));
        let evidence = Evidence { dir: of.root(), shown: &shown, is_cut: &|path| cut.contains(path) };
        contradicted(run, &file, evidence)
    };
    let faults = own.runs.iter().flat_map(of_run);
    faults
        .map(|fault| Difference {
            id: format!("line {}", fault.file),
            place: "published evidence".into(),
            stated: "what the line says".into(),
            recomputed: fault.to_string(),
        })
        .collect()
}

/// Compares the site with what the raw files give. Where two plans disagree about a task, either may be the changed
/// one: both are named, and the numbers are recomputed with the word of each.
fn compare(
    site: &Path,
    config: &Config,
    (data, suites, artifacts): (&mut Dataset, &Suites, &Artifacts),
    files: &[String],
    source: &str,
    out: &mut Verified,
) -> Result<(), SiteError> {
    let plain = data.runs.iter().map(|r| r.run.task_details.clone()).collect::<Vec<_>>();
    let disagreements = agree(data, false);
    out.differences.extend(disagreements.iter().cloned());
    compare_with(site, config, Sources { data, suites, artifacts }, files, source, out)?;
    if !disagreements.is_empty() {
        data.runs.iter_mut().zip(plain).for_each(|(run, details)| run.run.task_details = details);
        agree(data, true);
        compare_with(site, config, Sources { data, suites, artifacts }, files, source, out)?;
    }
    Ok(())
}

/// Makes the plans of one suite agree about each task, by the word of the first that says it or of the last; returns
/// where they did not.
fn agree(data: &mut Dataset, last: bool) -> Vec<Difference> {
    type Facts = [Option<String>; 4];
    let mut known: BTreeMap<(String, String), Facts> = BTreeMap::new();
    let mut kinds: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut out = Vec::new();
    let mut order: Vec<usize> = (0..data.runs.len()).collect();
    if last {
        order.reverse();
    }
    for i in order {
        let run = &mut data.runs[i].run;
        for d in &mut run.task_details {
            let facts = known.entry((run.suite.clone(), d.id.clone())).or_default();
            let own = [
                ("repo", &mut d.repo),
                ("language", &mut d.language),
                ("merged_at", &mut d.merged_at),
                ("difficulty", &mut d.difficulty),
            ];
            for ((name, said), fact) in own.into_iter().zip(facts) {
                match fact {
                    None => fact.clone_from(said),
                    Some(fact) if said.as_ref().is_some_and(|s| s != fact) => {
                        let file = format!("data/raw/{}/run.json", slug(&run.run));
                        let stated = format!("{name} of {}: {}", d.id, said.as_deref().unwrap_or(""));
                        out.push(about(&file, "task_details", stated, format!("{fact} in another plan of the suite")));
                        *said = Some(fact.clone());
                    }
                    Some(_) => {}
                }
            }
            let of_task = kinds.entry((run.suite.clone(), d.id.clone())).or_default();
            if of_task.is_empty() {
                of_task.clone_from(&d.use_cases);
            } else if !d.use_cases.is_empty() && d.use_cases != *of_task {
                let file = format!("data/raw/{}/run.json", slug(&run.run));
                let stated = format!("use_cases of {}: {}", d.id, d.use_cases.join(", "));
                let other = format!("{} in another plan of the suite", of_task.join(", "));
                out.push(about(&file, "task_details", stated, other));
                d.use_cases.clone_from(of_task);
            }
        }
    }
    out
}

fn compare_with(
    site: &Path,
    config: &Config,
    sources: Sources<'_>,
    files: &[String],
    source: &str,
    out: &mut Verified,
) -> Result<(), SiteError> {
    let computed = match compute(config, sources.data, None) {
        Ok(computed) => computed,
        // Raw files that give no table cannot be those that the site was made from.
        Err(SiteError::Content { file, what, .. }) => {
            out.differences.push(about(&file, source, "every number of the site", what));
            return Ok(());
        }
        Err(other) => return Err(other),
    };
    let families = Families::new(&computed.boards, sources);
    let truth = Truth { computed: &computed, families: &families };
    out.numbers = computed.numbers.list().len();
    let (mut statements, mut differences) = listed(site, &truth)?;
    differences.extend(around(site, config, &computed, sources, files)?);
    let of_files: Vec<(usize, Vec<Difference>)> =
        files.par_iter().map(|file| in_file(site, file, &truth)).collect::<Result<_, _>>()?;
    for (n, found) in of_files {
        statements += n;
        differences.extend(found);
    }
    out.statements = statements;
    out.differences.extend(differences);
    Ok(())
}

struct Truth<'a> {
    computed: &'a Computed<'a>,
    families: &'a Families<'a>,
}

impl Truth<'_> {
    fn of(&self, id: &str) -> Option<(Option<f64>, String)> {
        match self.computed.numbers.get(id) {
            Some(n) => Some((n.value, n.text.clone())),
            None => self.families.look_up(id),
        }
    }

    /// A statement against the raw files; none where it holds.
    fn check(&self, id: &str, value: &str, text: Option<&str>, place: &str) -> Option<Difference> {
        let stated = text.map_or_else(|| value.to_owned(), |t| format!("{value} “{t}”"));
        let differs = |recomputed: String| {
            Some(Difference { id: id.to_owned(), place: place.to_owned(), stated: stated.clone(), recomputed })
        };
        let Some((truth, words)) = self.of(id) else { return differs("no such number".into()) };
        let same_value = match truth {
            None => value.is_empty(),
            Some(v) => value.parse::<f64>().is_ok_and(|s| (s - v).abs() <= 1e-12 * v.abs().max(1.0)),
        };
        let recomputed = truth.map_or_else(|| "no data".to_owned(), |v| format!("{v} “{words}”"));
        (!same_value || text.is_some_and(|t| t != words)).then(|| differs(recomputed)).flatten()
    }
}

type Found = (usize, Vec<Difference>);

/// `data/numbers.json` against the raw files, both ways.
fn listed(site: &Path, truth: &Truth<'_>) -> Result<Found, SiteError> {
    let place = "data/numbers.json";
    let value = json(site, place)?;
    let list = value.get("numbers").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut seen = std::collections::HashSet::new();
    let mut differences = Vec::new();
    for n in &list {
        let id = n.get("id").and_then(Value::as_str).unwrap_or("");
        seen.insert(id.to_owned());
        differences.extend(truth.check(id, &plain(n.get("value")), n.get("text").and_then(Value::as_str), place));
        if let Some(known) = truth.computed.numbers.get(id) {
            // What a number says of itself must be what it is: statistic, scope, format.
            let mine = serde_json::to_value(known)?;
            let own = |v: &Value| {
                v.as_object().map(|o| {
                    o.iter()
                        .filter(|(k, _)| *k != "value" && *k != "text")
                        .map(|(k, v)| (k.clone(), v.clone()))
                        .collect::<BTreeMap<_, _>>()
                })
            };
            if own(&mine) != own(n) {
                differences.push(Difference {
                    id: id.to_owned(),
                    place: place.into(),
                    stated: n.to_string(),
                    recomputed: mine.to_string(),
                });
            }
        }
    }
    for n in truth.computed.numbers.list().iter().filter(|n| !seen.contains(&n.id)) {
        differences.push(Difference {
            id: n.id.clone(),
            place: place.into(),
            stated: "absent".into(),
            recomputed: n.text.clone(),
        });
    }
    Ok((list.len(), differences))
}

fn plain(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(v) => v.to_string(),
    }
}

/// The statements of one file: a page, or a table as JSON with its CSV.
fn in_file(site: &Path, file: &str, truth: &Truth<'_>) -> Result<Found, SiteError> {
    let path = site.join(file);
    if file.ends_with(".html") {
        let Ok(html) = std::fs::read_to_string(&path) else { return Ok((0, Vec::new())) };
        let found = stated(&html);
        let differences = found.iter().filter_map(|s| truth.check(&s.id, &s.value, Some(&s.text), file)).collect();
        return Ok((found.len(), differences));
    }
    let is_table = file.starts_with("data/") && file.ends_with(".json") && file.matches('/').count() == 2;
    if !is_table {
        return Ok((0, Vec::new()));
    }
    let Ok(value) = json(site, file) else {
        return Ok((
            1,
            vec![Difference {
                id: format!("file {file}"),
                place: file.to_owned(),
                stated: "a table".into(),
                recomputed: "not JSON".into(),
            }],
        ));
    };
    let mut count = 0;
    let mut differences = Vec::new();
    walk(&value, &mut |id, value, text| {
        count += 1;
        differences.extend(truth.check(id, value, Some(text), file));
    });
    differences.extend(csv_agrees(&path, file, &value));
    Ok((count, differences))
}

/// Every `{"n", "value", "text"}` of a table.
fn walk(value: &Value, visit: &mut dyn FnMut(&str, &str, &str)) {
    match value {
        Value::Object(map) => match (map.get("n").and_then(Value::as_str), map.get("text").and_then(Value::as_str)) {
            (Some(id), Some(text)) => visit(id, &plain(map.get("value")), text),
            _ => map.values().for_each(|v| walk(v, visit)),
        },
        Value::Array(list) => list.iter().for_each(|v| walk(v, visit)),
        _ => {}
    }
}

/// The numbers of each line of a CSV file are those of the same row of the JSON beside it.
fn csv_agrees(path: &Path, file: &str, table: &Value) -> Vec<Difference> {
    let csv: PathBuf = path.with_extension("csv");
    let name = file.replace(".json", ".csv");
    let Ok(text) = std::fs::read_to_string(&csv) else { return Vec::new() };
    let rows = table.as_array().map_or(&[][..], Vec::as_slice);
    let lines: Vec<Vec<String>> = records(&text).into_iter().skip(1).collect();
    let differs =
        |id: String, stated: String, recomputed: String| Difference { id, place: name.clone(), stated, recomputed };
    if lines.len() != rows.len() {
        return vec![differs(
            format!("file {name}"),
            format!("{} rows", lines.len()),
            format!("{} rows in the JSON table", rows.len()),
        )];
    }
    let mut out = Vec::new();
    for (line, row) in lines.iter().zip(rows) {
        let mut found: Vec<f64> = line.iter().filter_map(|f| f.parse().ok()).collect();
        walk(row, &mut |id, value, _| {
            let Ok(wanted) = value.parse::<f64>() else { return };
            // Each stated number is used up once; what is left over names things, such as k.
            match found.iter().position(|f| (f - wanted).abs() <= 1e-12 * wanted.abs().max(1.0)) {
                Some(at) => {
                    found.remove(at);
                }
                None => out.push(differs(id.to_owned(), line.join(","), value.to_owned())),
            }
        });
    }
    out
}
