//! Checks a built site as a host and a reader would meet it.

use super::error::SiteError;
use super::extract::{links_and_ids, loose_digits, tags};
use super::feed::address;
use super::forbidden::forbidden;
use super::limits::{Plan, check_limits};
use super::whole::{built, strangers};
use super::write::{SUMS, hex};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// Something wrong with a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// File.
    pub file: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

/// What a check found.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Pages read.
    pub pages: usize,
    /// Links followed.
    pub links: usize,
    /// The plan against the host's limits.
    pub plan: Plan,
    /// Everything wrong.
    pub problems: Vec<Problem>,
}

struct Page {
    file: String,
    links: Vec<String>,
    ids: HashSet<String>,
    problems: Vec<Problem>,
}

/// Checks links, anchors, ids, digits, digests, headers and limits of a built site.
pub fn check(site: &Path) -> Result<Checked, SiteError> {
    built(site)?;
    let files = files(site)?;
    let headers_path = site.join("_headers");
    let is_there = files.contains_key("_headers");
    let headers = if is_there { std::fs::read_to_string(&headers_path) } else { Ok(String::new()) };
    let headers = headers.map_err(SiteError::io(&headers_path))?;
    let sizes: Vec<(String, u64)> = files.iter().filter(|(p, _)| *p != SUMS).map(|(p, s)| (p.clone(), *s)).collect();
    let mut out = Checked { plan: check_limits(&sizes, &headers)?, ..Checked::default() };
    if is_there {
        out.problems.extend(header_problems(&headers));
    }
    let other = |(file, what): (String, &str)| Problem { file, what: format!("{what}: a site is files and folders") };
    out.problems.extend(strangers(site)?.into_iter().map(other));
    out.problems.extend(missing(&files));
    out.problems.extend(digest_problems(site, &files)?);
    let pages: Vec<Page> = files
        .keys()
        .filter(|f| f.ends_with(".html"))
        .collect::<Vec<_>>()
        .par_iter()
        .map(|f| page(site, f))
        .collect::<Result<_, _>>()?;
    let served: HashMap<String, &Page> = pages.iter().map(|p| (address(&p.file), p)).collect();
    out.pages = pages.len();
    for p in &pages {
        out.problems.extend(p.problems.iter().cloned());
        for link in &p.links {
            out.links += usize::from(is_local(link));
            out.problems.extend(broken(p, link, &served, &files));
        }
    }
    out.problems.sort();
    Ok(out)
}

type Files = BTreeMap<String, u64>;

fn files(site: &Path) -> Result<Files, SiteError> {
    let mut found = Files::new();
    for entry in walkdir::WalkDir::new(site) {
        let entry = entry.map_err(|e| SiteError::Io { path: site.to_owned(), cause: e.into() })?;
        if entry.file_type().is_file() {
            let short = entry.path().strip_prefix(site).unwrap_or(entry.path()).display().to_string();
            let size =
                entry.metadata().map_err(|e| SiteError::Io { path: entry.path().to_owned(), cause: e.into() })?.len();
            found.insert(short, size);
        }
    }
    Ok(found)
}

fn missing(files: &Files) -> Vec<Problem> {
    [
        "index.html",
        "404.html",
        "_headers",
        "robots.txt",
        "sitemap.xml",
        "feed.xml",
        "data/numbers.json",
        "data/manifest.json",
        SUMS,
    ]
    .iter()
    .filter(|f| !files.contains_key(**f))
    .map(|f| Problem {
        file: (*f).to_owned(),
        what: "is missing; without it the host answers wrong addresses or readers cannot verify".into(),
    })
    .collect()
}

/// Headers that a host would join, and policies that would let a page do what ours do not need.
fn header_problems(headers: &str) -> Vec<Problem> {
    let mut rules: Vec<(&str, Vec<(String, String)>)> = Vec::new();
    for line in headers.lines().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#')) {
        if !line.starts_with([' ', '\t']) {
            rules.push((line.trim(), Vec::new()));
        } else if let (Some(rule), Some((name, value))) = (rules.last_mut(), line.trim().split_once(':')) {
            rule.1.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let problem = |what: String| Problem { file: "_headers".into(), what };
    let mut out = Vec::new();
    let policies: Vec<&String> =
        rules.iter().flat_map(|r| &r.1).filter(|h| h.0 == "content-security-policy").map(|h| &h.1).collect();
    match policies.as_slice() {
        [one] if one.contains("default-src 'none'") && !one.contains("unsafe") => {}
        [_] => out.push(problem("the policy is not strict: expected default-src 'none' and nothing unsafe".into())),
        many => {
            out.push(problem(format!("expected one Content-Security-Policy, found {}; a host joins them", many.len())))
        }
    }
    let Some((_, everywhere)) = rules.iter().find(|r| r.0 == "/*") else {
        return vec![problem("has no rule for every page (/*)".into())];
    };
    for (path, own) in rules.iter().filter(|r| r.0 != "/*") {
        for (name, _) in own.iter().filter(|h| everywhere.iter().any(|e| e.0 == h.0)) {
            out.push(problem(format!("{path} repeats {name} of /*; a host joins both values")));
        }
    }
    out
}

fn digest_problems(site: &Path, files: &Files) -> Result<Vec<Problem>, SiteError> {
    let path = site.join(SUMS);
    let text = std::fs::read_to_string(&path).map_err(SiteError::io(&path))?;
    let listed: BTreeMap<&str, &str> =
        text.lines().filter_map(|l| l.split_once("  ")).map(|(sha, p)| (p, sha)).collect();
    let mut out: Vec<Problem> = files
        .par_iter()
        .filter(|(p, _)| *p != SUMS)
        .filter_map(|(p, _)| match listed.get(p.as_str()) {
            None => Some(Problem { file: p.clone(), what: format!("is not in {SUMS}: no build made it") }),
            Some(sha) => (std::fs::read(site.join(p)).map_or(true, |b| hex(&b) != **sha)).then(|| Problem {
                file: p.clone(),
                what: format!("differs from its digest in {SUMS}: it was changed after the build"),
            }),
        })
        .collect();
    out.extend(
        listed
            .keys()
            .filter(|p| !files.contains_key(**p))
            .map(|p| Problem { file: (*p).to_owned(), what: format!("is in {SUMS} and not in the folder") }),
    );
    Ok(out)
}

fn page(site: &Path, file: &str) -> Result<Page, SiteError> {
    let path = site.join(file);
    let html = std::fs::read_to_string(&path).map_err(SiteError::io(&path))?;
    let (links, all_ids) = links_and_ids(&html);
    let mut problems = Vec::new();
    let mut ids = HashSet::new();
    let mut twice = BTreeSet::new();
    for id in all_ids {
        if !ids.insert(id.clone()) {
            twice.insert(id);
        }
    }
    let mut problem = |what: String| problems.push(Problem { file: file.to_owned(), what });
    for id in twice {
        problem(format!("the id {id:?} stands twice"));
    }
    for text in loose_digits(&html) {
        problem(format!("a typed digit in: {text:?}"));
    }
    for tag in ["<h1", "<main", "<body", "</main", "</body", "</html", "</footer"] {
        let found = html.matches(&format!("{tag}>")).count() + html.matches(&format!("{tag} ")).count();
        if found != 1 {
            problem(format!("expected one {tag}>, found {found}"));
        }
    }
    let order: Vec<Option<usize>> = ["<main", "</main", "</body", "</html"].iter().map(|t| html.find(t)).collect();
    if !order.is_sorted() {
        problem("closes its parts in the wrong order".into());
    }
    let wrong: BTreeSet<String> = tags(&html).filter_map(forbidden).collect();
    wrong.into_iter().for_each(problem);
    Ok(Page { file: file.to_owned(), links, ids, problems })
}

fn is_local(link: &str) -> bool {
    !link.contains("://") && !link.starts_with("data:") && !link.starts_with("mailto:")
}

/// Resolves a link as a browser would, from the address at which the page is served.
fn resolve(page: &str, link: &str) -> Option<String> {
    let (path, base) = match link.strip_prefix('/') {
        Some(rest) => (rest, Vec::new()),
        None => (link, address(page).split('/').map(str::to_owned).collect::<Vec<_>>()),
    };
    let mut parts = base;
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part.to_owned()),
        }
    }
    // "./" and "../" end in a folder: the empty last part keeps the slash.
    if (path.ends_with("..") || path == ".") && !parts.is_empty() {
        parts.push(String::new());
    }
    Some(parts.join("/"))
}

fn broken(page: &Page, link: &str, served: &HashMap<String, &Page>, files: &Files) -> Option<Problem> {
    if !is_local(link) {
        return link
            .starts_with("http://")
            .then(|| Problem { file: page.file.clone(), what: format!("links to {link} without encryption") });
    }
    let problem = |what: String| Some(Problem { file: page.file.clone(), what });
    let (path, anchor) = link.split_once('#').map_or((link, None), |(p, a)| (p, Some(a)));
    let path = path.split('?').next().unwrap_or(path);
    let target = if path.is_empty() { Some(address(&page.file)) } else { resolve(&page.file, path) };
    let Some(target) = target else { return problem(format!("links to {link}, which leads out of the site")) };
    match (served.get(target.as_str()), anchor) {
        (Some(_), None) => None,
        (Some(there), Some(anchor)) if there.ids.contains(anchor) => None,
        (Some(_), Some(anchor)) => problem(format!("links to {link}: the page has no id {anchor:?}")),
        (None, _) if files.contains_key(&target) && !target.ends_with(".html") => None,
        (None, _) if files.contains_key(&target) => {
            problem(format!("links to {link}, which the host redirects; link to {}", address(&target)))
        }
        (None, _) => problem(format!("links to {link}: there is no {target:?}")),
    }
}
