//! The files from which a reader recomputes the site: raw bytes, manifest, numbers.

use super::artifacts::{Artifacts, RunArtifacts};
use super::config::Config;
use super::error::SiteError;
use super::numbers::Computed;
use super::suites::Suites;
use super::write::{Output, hex};
use crate::results::{Dataset, slug};
use serde::Serialize;
use serde_json::Value;

/// Everything raw that a site is made from.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// Lines, plans and records.
    pub data: &'a Dataset,
    /// Folders of tasks and logs of audits.
    pub suites: &'a Suites,
    /// What lies beside the lines.
    pub artifacts: &'a Artifacts,
}

#[derive(Serialize)]
struct Manifest<'a> {
    schema: &'static str,
    files: Vec<RawFile<'a>>,
}

/// A raw file as published.
#[derive(Clone, Debug, Serialize)]
pub struct RawFile<'a> {
    /// Path in the site.
    pub path: String,
    /// Size.
    pub bytes: u64,
    /// SHA-256 in hex.
    pub sha256: &'a str,
    /// Run it belongs to; empty for a suite's.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub run: &'a str,
    /// Suite that it tells about; empty for a run's.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub suite: &'a str,
    /// Lines, for pieces of attempts files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// Every raw file, in byte order of the paths.
pub fn raw_files(sources: Sources<'_>) -> Vec<RawFile<'_>> {
    let Sources { data, suites, artifacts } = sources;
    let of_suites = suites.files.iter().map(|f| RawFile {
        path: f.path.clone(),
        bytes: f.bytes.len() as u64,
        sha256: &f.sha256,
        run: "",
        suite: &f.suite,
        lines: f.lines,
    });
    let mut files: Vec<RawFile<'_>> = of_suites.collect();
    for p in &data.publishers {
        let run = p.record.run.as_str();
        files.push(RawFile {
            path: format!("data/raw/{}/publisher.json", slug(run)),
            bytes: p.bytes.len() as u64,
            sha256: &p.sha256,
            run,
            suite: "",
            lines: None,
        });
    }
    for r in &data.runs {
        let run = r.run.run.as_str();
        let folder = slug(run);
        files.push(RawFile {
            path: format!("data/raw/{folder}/run.json"),
            bytes: r.plan_bytes.len() as u64,
            sha256: &r.plan_sha256,
            run,
            suite: "",
            lines: None,
        });
        for (i, s) in r.shards.iter().enumerate() {
            files.push(RawFile {
                path: format!("data/raw/{folder}/attempts-{i:04}.jsonl"),
                bytes: s.len,
                sha256: &s.sha256,
                run,
                suite: "",
                lines: Some(s.lines),
            });
        }
    }
    files.extend(artifacts.runs().flat_map(|(run, of)| artifact_files(run, of)));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// What a run published beside its lines: the index, and each file that is not left out.
fn artifact_files<'a>(run: &'a str, of: &'a RunArtifacts) -> impl Iterator<Item = RawFile<'a>> {
    let index = of.index.iter().map(move |f| RawFile {
        path: f.path.clone(),
        bytes: f.bytes.len() as u64,
        sha256: &f.sha256,
        run,
        suite: "",
        lines: f.lines,
    });
    let files = of.files().filter(|f| !f.is_left_out()).map(move |f| RawFile {
        path: of.site_path(f),
        bytes: f.published,
        sha256: &f.sha256,
        run,
        suite: "",
        lines: None,
    });
    index.chain(files)
}

/// SHA-256 over the raw files' digests and paths, as `sha256sum` would list them.
pub fn data_digest(sources: Sources<'_>) -> String {
    let lines: String = raw_files(sources).iter().map(|f| format!("{}  {}\n", f.sha256, f.path)).collect();
    hex(lines.as_bytes())
}

#[derive(Serialize)]
struct NumbersFile<'a> {
    schema: &'static str,
    as_of: &'a str,
    data_sha256: String,
    boards: Vec<BoardInfo<'a>>,
    releases: Vec<ReleaseInfo<'a>>,
    numbers: &'a [super::numbers::Number],
}

#[derive(Serialize)]
struct BoardInfo<'a> {
    id: &'a str,
    suite: &'a str,
    runs: Vec<&'a str>,
    entries: Vec<EntryInfo<'a>>,
    tasks: &'a [crate::schema::TaskDetail],
}

#[derive(Serialize)]
struct EntryInfo<'a> {
    key: &'a str,
    model: &'a str,
    agent: &'a str,
    condition: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cutoff: Option<&'a str>,
}

#[derive(Serialize)]
struct ReleaseInfo<'a> {
    version: &'a str,
    board: &'a str,
    runs: Vec<&'a str>,
}

/// Stages plans, records, manifest, numbers and the configuration that verification needs.
pub fn write(
    out: &Output,
    config: &Config,
    computed: &Computed<'_>,
    sources: Sources<'_>,
    as_of: &str,
) -> Result<(), SiteError> {
    let Sources { data, suites, .. } = sources;
    for p in &data.publishers {
        out.put_with_digest(&format!("data/raw/{}/publisher.json", slug(&p.record.run)), &p.bytes, p.sha256.clone())?;
    }
    for r in &data.runs {
        out.put_with_digest(&format!("data/raw/{}/run.json", slug(&r.run.run)), &r.plan_bytes, r.plan_sha256.clone())?;
    }
    let (numbers, (suites, manifest)) = rayon::join(
        || out.put("data/numbers.json", &line(&numbers(config, computed, sources, as_of))?),
        || rayon::join(|| suites.write(out), || out.put("data/manifest.json", &manifest(sources)?)),
    );
    numbers.and(suites).and(manifest)?;
    out.put("data/site.json", &line(config)?)
}

/// `data/manifest.json`.
pub fn manifest(sources: Sources<'_>) -> Result<Vec<u8>, SiteError> {
    line(&Manifest { schema: "tsbench.manifest/1", files: raw_files(sources) })
}

/// What `data/numbers.json` says beside the numbers: boards, entries, tasks, releases, digest.
pub fn frame(config: &Config, computed: &Computed<'_>, sources: Sources<'_>, as_of: &str) -> Result<Value, SiteError> {
    let mut file = numbers(config, computed, sources, as_of);
    file.numbers = &[];
    Ok(serde_json::to_value(file)?)
}

fn numbers<'a>(
    config: &'a Config,
    computed: &'a Computed<'_>,
    sources: Sources<'_>,
    as_of: &'a str,
) -> NumbersFile<'a> {
    let releases = config
        .releases
        .iter()
        .zip(&computed.releases)
        .flat_map(|(r, boards)| {
            boards.iter().map(|b| ReleaseInfo {
                version: &r.version,
                board: &b.config.id,
                runs: b.runs.iter().map(|r| r.run.run.as_str()).collect(),
            })
        })
        .collect();
    NumbersFile {
        schema: "tsbench.numbers/1",
        as_of,
        data_sha256: data_digest(sources),
        boards: computed.boards.iter().map(info).collect(),
        releases,
        numbers: computed.numbers.list(),
    }
}

fn line<T: Serialize>(value: &T) -> Result<Vec<u8>, SiteError> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn info<'a>(b: &'a super::board::Board<'a>) -> BoardInfo<'a> {
    BoardInfo {
        id: &b.config.id,
        suite: &b.config.suite,
        runs: b
            .runs
            .iter()
            .map(|r| r.run.run.as_str())
            .chain(b.publishers.iter().map(|p| p.record.run.as_str()))
            .collect(),
        entries: b
            .entries
            .iter()
            .map(|e| EntryInfo {
                key: &e.key,
                model: &e.model.id,
                agent: &e.agent,
                condition: &e.condition,
                cutoff: e.model.cutoff.as_deref(),
            })
            .collect(),
        tasks: &b.tasks,
    }
}
