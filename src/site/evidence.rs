//! What stands around the numbers of a published site: digests, lists of files, lists of pages, feeds and titles.

use super::board::Board;
use super::config::Config;
use super::error::SiteError;
use super::extract::{attribute, bare_values, decode, has_digit, loose_digits, statements, tags};
use super::feed;
use super::names::Names;
use super::numbers::Computed;
use super::pages::{
    ABOUT, EVIDENCE, HEALTH, Told, about_task, demanded, evidence, health_log, pages_of_tasks, task_path,
};
use super::published::{Sources, data_digest, frame, manifest};
use super::verify::Difference;
use super::write::{SUMS, hex, is_plain};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A difference about a file as a whole.
pub(super) fn about(file: &str, place: &str, stated: impl Into<String>, recomputed: impl Into<String>) -> Difference {
    Difference {
        id: format!("file {file}"),
        place: place.to_owned(),
        stated: stated.into(),
        recomputed: recomputed.into(),
    }
}

/// Every file in the folder of a site, in byte order; the list of digests is not one of them.
pub(super) fn files(site: &Path) -> Result<Vec<String>, SiteError> {
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(site) {
        let entry = entry.map_err(|e| SiteError::Io { path: site.to_owned(), cause: e.into() })?;
        if entry.file_type().is_file() {
            let short = entry.path().strip_prefix(site).unwrap_or(entry.path()).display().to_string();
            if short != SUMS {
                found.push(short);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Compares every file with the list of digests, both ways; returns how many the list holds.
pub(super) fn digests(site: &Path, present: &[String], out: &mut Vec<Difference>) -> Result<usize, SiteError> {
    let path = site.join(SUMS);
    let text = std::fs::read_to_string(&path).map_err(SiteError::io(&path))?;
    let listed: BTreeMap<&str, &str> =
        text.lines().filter_map(|l| l.split_once("  ")).filter(|(_, p)| is_plain(p)).map(|(s, p)| (p, s)).collect();
    if listed.is_empty() {
        return Err(SiteError::content(path.display().to_string(), "lists no file", "name the folder of a built site"));
    }
    let compared = listed.par_iter().filter_map(|(file, sha)| {
        let found = std::fs::read(site.join(file)).map_or_else(|_| "missing".to_owned(), |b| hex(&b));
        (found != **sha).then(|| about(file, SUMS, *sha, found))
    });
    out.extend(compared.collect::<Vec<_>>());
    // A host may ask for files of its own: hidden ones, and the name of a domain.
    let of_host = |f: &&String| f.split('/').any(|part| part.starts_with('.')) || *f == "CNAME";
    let unknown = present.iter().filter(|f| !of_host(f)).filter(|f| !listed.contains_key(f.as_str()));
    out.extend(unknown.map(|f| about(f, SUMS, "not listed", "in the folder")));
    let odd = text.lines().filter(|line| line.split_once("  ").is_none_or(|(_, path)| !is_plain(path)));
    out.extend(odd.map(|line| about(&brief(line), SUMS, "a line", "no digest with the path of a file of the site")));
    Ok(listed.len())
}

/// Everything about the site that is neither a number nor a page, against what the raw files make of it.
pub(super) fn around(
    site: &Path,
    config: &Config,
    computed: &Computed<'_>,
    sources: Sources<'_>,
    present: &[String],
) -> Result<Vec<Difference>, SiteError> {
    let Sources { data, suites, .. } = sources;
    let mut out = raw_manifest(site, sources, present)?;
    let published = json(site, "data/numbers.json")?;
    let as_of = published.get("as_of").and_then(Value::as_str).unwrap_or("").to_owned();
    let own = frame(config, computed, sources, &as_of)?;
    for (key, value) in own.as_object().into_iter().flatten().filter(|(k, _)| *k != "numbers") {
        let stated = published.get(key).unwrap_or(&Value::Null);
        // Numbers are compared as numbers: 1.0 is 1.
        if stated != value {
            out.push(Difference {
                id: key.clone(),
                place: "data/numbers.json".into(),
                stated: brief(&stated.to_string()),
                recomputed: brief(&value.to_string()),
            });
        }
    }
    let digest = data_digest(sources);
    let mut pages: Vec<String> = present.iter().filter(|f| f.ends_with(".html") && *f != "404.html").cloned().collect();
    pages.sort();
    for (file, text) in [
        ("feed.xml", feed::atom(config, &as_of, &digest)),
        ("CITATION.cff", feed::citation(config, &as_of, &digest)),
        ("robots.txt", feed::robots(&config.base_url)),
        ("sitemap.xml", feed::sitemap(&config.base_url, &pages, &as_of)),
    ] {
        let stated = std::fs::read_to_string(site.join(file)).unwrap_or_default();
        out.extend(first_line(&stated, &text).map(|(stated, own)| about(file, file, stated, own)));
    }
    let there: BTreeSet<&str> = present.iter().map(String::as_str).collect();
    let absent = demanded(config, computed, data, suites).into_iter().filter(|p| !there.contains(p.as_str()));
    out.extend(absent.map(|p| about(&p, "the site", "missing", "a page that the raw files demand")));
    let names = Names::new(config, data, suites);
    let told: HashMap<String, Told<'_>> = pages_of_tasks(computed, suites).into_iter().collect();
    let attempts = pages_of_evidence(computed, sources);
    let of_pages = present.par_iter().filter(|f| f.ends_with(".html"));
    let of_pages = of_pages.flat_map_iter(|f| {
        let own = attempts.get(f).and_then(|(b, t)| evidence(b, *t, sources.artifacts, f));
        page(site, f, (&digest, told.get(f).copied(), own.map(|e| e.html)), &names)
    });
    out.extend(of_pages.collect::<Vec<_>>());
    Ok(out)
}

/// The pages on which attempts may have evidence: board and task.
fn pages_of_evidence<'c>(computed: &'c Computed<'_>, sources: Sources<'_>) -> HashMap<String, (&'c Board<'c>, u32)> {
    let has_any = |b: &&Board<'_>| b.runs.iter().any(|r| sources.artifacts.of(&r.run.run).is_some());
    let boards = computed.boards.iter().filter(has_any);
    boards
        .flat_map(|b| (0..b.tasks.len()).map(move |t| (task_path(&b.config.id, &b.tasks[t].id), (b, t as u32))))
        .collect()
}

/// The evidence of a page against what the published files make of it: the first line that differs, and in which attempt.
fn shown_evidence(file: &str, html: &str, own: Option<&str>) -> Option<Difference> {
    let at = html.find(EVIDENCE);
    let (Some(at), Some(own)) = (at, own) else {
        let word = |there: bool| if there { "evidence of attempts" } else { "no evidence of attempts" };
        return (at.is_some() != own.is_some()).then(|| about(file, file, word(at.is_some()), word(own.is_some())));
    };
    let rest = &html[at..];
    if rest.starts_with(own) && html.matches(EVIDENCE).count() == 1 {
        return None;
    }
    let same = rest.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
    let whole = own[..own.floor_char_boundary(same)].rfind("<details class=\"attempt\"").map_or("", |i| &own[i..]);
    let anchor = whole.split(" id=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("evidence");
    let (stated, recomputed) = first_line(rest, own).unwrap_or_default();
    Some(about(file, &format!("{file}#{anchor}"), stated, recomputed))
}

/// The first line that two texts do not share.
fn first_line(stated: &str, own: &str) -> Option<(String, String)> {
    if stated == own {
        return None;
    }
    let (mut a, mut b) = (stated.lines(), own.lines());
    loop {
        match (a.next(), b.next()) {
            (Some(x), Some(y)) if x == y => {}
            (x, y) => return Some((brief(x.unwrap_or("nothing more")), brief(y.unwrap_or("nothing more")))),
        }
    }
}

fn brief(text: &str) -> String {
    if text.chars().count() > 300 { text.chars().take(300).chain("…".chars()).collect() } else { text.to_owned() }
}

/// The manifest, and the pieces that lie in the folder, against the raw files put together again.
fn raw_manifest(site: &Path, sources: Sources<'_>, present: &[String]) -> Result<Vec<Difference>, SiteError> {
    let place = "data/manifest.json";
    let by_path = |value: &Value| -> BTreeMap<String, Value> {
        let list = value.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
        list.into_iter().map(|f| (f.get("path").and_then(Value::as_str).unwrap_or("").to_owned(), f)).collect()
    };
    let stated = by_path(&json(site, place)?);
    let own = by_path(&serde_json::from_slice(&manifest(sources)?)?);
    let all: BTreeSet<&String> = stated.keys().chain(own.keys()).collect();
    let word = |v: Option<&Value>| v.map_or_else(|| "missing".to_owned(), Value::to_string);
    let listed = all.into_iter().filter(|p| stated.get(*p) != own.get(*p));
    let mut out: Vec<Difference> = listed.map(|p| about(p, place, word(stated.get(p)), word(own.get(p)))).collect();
    if !out.is_empty() {
        out.push(about(place, place, "the raw files", "other raw files"));
    }
    for (path, file) in &own {
        let sha = file.get("sha256").and_then(Value::as_str).unwrap_or("");
        let found = std::fs::read(site.join(path)).map_or_else(|_| "missing".to_owned(), |b| hex(&b));
        if found != sha {
            out.push(about(path, "data/raw", found, sha));
        }
    }
    let unknown = present.iter().filter(|f| f.starts_with("data/artifacts/") && !own.contains_key(*f));
    out.extend(unknown.map(|f| about(f, "data/artifacts", "in the folder", "in no index")));
    Ok(out)
}

/// What a page quotes from a task's folder and from the log of its audits is what the published lines make of them, and
/// no page quotes anything else.
fn quoted(file: &str, html: &str, told: Option<Told<'_>>) -> Vec<Difference> {
    let text = told.and_then(|t| t.text).map(about_task);
    let log = told.filter(|t| !t.audits.is_empty()).map(|t| health_log(t.suite, t.task, t.audits));
    let task = told.map_or("no task", |t| t.task);
    let holds = |begins: &str, own: &Option<String>| match own {
        None => !html.contains(begins),
        Some(own) => html.matches(begins).count() == 1 && html.contains(own.as_str()),
    };
    let mut out = Vec::new();
    if !holds(ABOUT, &text) || statements(html) != usize::from(text.is_some()) {
        out.push(about(file, file, "a statement or facts of a task", format!("those of {task}")));
    }
    if !holds(HEALTH, &log) {
        out.push(about(file, file, "a log of audits", format!("that of {task}")));
    }
    out
}

/// What a page says outside its numbers: typed digits, title and previews, and the digest at its foot.
fn page(
    site: &Path,
    file: &str,
    (digest, told, evidence): (&str, Option<Told<'_>>, Option<String>),
    names: &Names,
) -> Vec<Difference> {
    let Ok(html) = std::fs::read_to_string(site.join(file)) else { return Vec::new() };
    let mut out: Vec<Difference> =
        loose_digits(&html).into_iter().map(|text| about(file, file, text, "a digit without an id")).collect();
    out.extend(quoted(file, &html, told));
    out.extend(shown_evidence(file, &html, evidence.as_deref()));
    let values = bare_values(&html).into_iter().filter(|text| !names.holds(text));
    out.extend(values.map(|text| about(file, file, text, "a number of a chart without an id")));
    let head = html.find("</head").map_or(html.as_str(), |i| &html[..i]);
    let titles = head.split("<title>").skip(1).filter_map(|t| t.split("</title>").next()).map(decode);
    let told = tags(head).filter(|t| t.starts_with("meta ")).filter_map(|tag| {
        let key = attribute(tag, "name").or_else(|| attribute(tag, "property"))?;
        let is_text = ["description", "title", "site_name", "alt"].iter().any(|k| key.ends_with(k));
        if is_text { attribute(tag, "content") } else { None }
    });
    for text in titles.chain(told).filter(|t| has_digit(t)) {
        if let Some(word) = names.unexplained(&text) {
            out.push(about(file, file, brief(&text), format!("{word:?} is in no name of the raw files")));
        }
    }
    let foot = html.rfind("<footer").map_or("", |i| &html[i..]);
    for found in digests_in(foot).filter(|found| *found != digest) {
        out.push(about(file, file, found, digest));
    }
    if foot.contains("class=\"digest\"") && !foot.contains(digest) {
        out.push(about(file, file, "another digest of the raw files", digest));
    }
    out
}

/// Everything in a text that could be a SHA-256.
fn digests_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_hexdigit()).filter(|w| w.len() == 64)
}

pub(super) fn json(site: &Path, file: &str) -> Result<Value, SiteError> {
    let path = site.join(file);
    let text = std::fs::read_to_string(&path).map_err(SiteError::io(&path))?;
    serde_json::from_str(&text).map_err(|e| {
        SiteError::content(path.display().to_string(), e.to_string(), "the file is written by tsbench-site build")
    })
}
