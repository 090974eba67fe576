//! `content/site.toml`: what the publisher decides, and nothing that the data decide.

use super::SiteError;
use super::wording::Wording;
use crate::results::Dataset;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The publisher's choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Name of the site.
    pub title: String,
    /// One line about it.
    #[serde(default)]
    pub tagline: String,
    /// Where the source is kept; pages lead there for corrections.
    #[serde(default)]
    pub source_url: String,
    /// Address of the published site, without a final slash; needed for absolute links in feeds and previews.
    #[serde(default)]
    pub base_url: String,
    /// How to cite the site: who is named as its author.
    #[serde(default)]
    pub author: String,
    /// Folder of suites beside the results: the statements of tasks. `tasks` where it is empty and there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tasks: String,
    /// Published tables, the first one on the home page; one for each suite with results where none is named.
    #[serde(default, rename = "board")]
    pub boards: Vec<BoardConfig>,
    /// Short keys, names and makers of models.
    #[serde(default, rename = "model")]
    pub models: Vec<ModelConfig>,
    /// Data releases, oldest first.
    #[serde(default, rename = "release")]
    pub releases: Vec<ReleaseConfig>,
}

/// One published table: one suite version and the runs shown on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardConfig {
    /// Short name used in addresses and number ids.
    pub id: String,
    /// Title.
    pub title: String,
    /// Suite with its version.
    pub suite: String,
    /// One or two sentences for readers.
    #[serde(default)]
    pub note: String,
    /// Only these runs; all runs of the suite where empty.
    #[serde(default)]
    pub runs: Vec<String>,
    /// What a good attempt did, such as `solved`; `fixed` where it is empty. [`Wording`] makes sentences of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub verb: String,
    /// To what it did that: `bug` where no verb is given, else `task`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What came of it: `fix` where no verb is given, else `success`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub noun: String,
}

/// A model's short key, and the name that readers see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Short name used in addresses and number ids: small letters, digits and hyphens.
    pub key: String,
    /// Identity in raw lines.
    pub id: String,
    /// Name.
    #[serde(default)]
    pub name: String,
    /// Maker.
    #[serde(default)]
    pub maker: String,
    /// Knowledge cutoff, `YYYY-MM-DD`, with the place it is published at in `cutoff_source`.
    #[serde(default)]
    pub cutoff: String,
    /// Where the cutoff is published.
    #[serde(default)]
    pub cutoff_source: String,
}

/// A data release: every run whose plan was locked by the end of a day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseConfig {
    /// Name, such as `2026-09-19`.
    pub version: String,
    /// Last day of plans in it, `YYYY-MM-DD`.
    pub until: String,
    /// What changed and why, in words.
    #[serde(default)]
    pub note: String,
}

/// Folders of the site's data beside those of its boards.
const RESERVED: [&str; 7] = ["raw", "attempts", "site", "releases", "suites", "tasks", "health"];

impl BoardConfig {
    /// A board of a suite under its own name, without choices.
    pub fn of_suite(suite: &str) -> BoardConfig {
        BoardConfig {
            id: key_of(suite),
            title: suite.to_owned(),
            suite: suite.to_owned(),
            note: String::new(),
            runs: Vec::new(),
            verb: String::new(),
            unit: String::new(),
            noun: String::new(),
        }
    }

    /// The words in which its pages tell a success.
    pub fn wording(&self) -> Wording<'_> {
        Wording::new(&self.verb, &self.unit, &self.noun)
    }

    /// Whether a run of a suite is on the board.
    pub fn shows(&self, run: &str, suite: &str) -> bool {
        suite == self.suite && (self.runs.is_empty() || self.runs.iter().any(|r| r == run))
    }
}

impl Config {
    /// Reads and checks `site.toml`.
    pub fn read(path: &Path) -> Result<Config, SiteError> {
        let text = std::fs::read_to_string(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => SiteError::content(
                path.display().to_string(),
                "is missing",
                "name the folder of the leaderboard with --root, or begin one: tsbench-site init DIR",
            ),
            _ => SiteError::io(path)(e),
        })?;
        Config::parse(&text, &path.display().to_string())
    }

    /// Reads and checks the text of a `site.toml` named `file`.
    pub fn parse(text: &str, file: &str) -> Result<Config, SiteError> {
        let config: Config = toml::from_str(text).map_err(|e| {
            SiteError::content(file, e.to_string().trim_end(), "correct the field that the marker points at")
        })?;
        config.validate(file)?;
        Ok(config)
    }

    /// Names the first choice that cannot be used.
    pub fn validate(&self, file: &str) -> Result<(), SiteError> {
        let bad =
            |what: String| Err(SiteError::content(file, what, "use small letters, digits and hyphens, each key once"));
        let mut seen = std::collections::HashSet::new();
        for (kind, key) in
            self.boards.iter().map(|b| ("board", &b.id)).chain(self.models.iter().map(|m| ("model", &m.key)))
        {
            let plain =
                !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
            if !plain || !seen.insert((kind, key.as_str())) {
                return bad(format!("{kind} key {key:?} is not plain, or stands twice"));
            }
        }
        if let Some(b) = self.boards.iter().find(|b| RESERVED.contains(&b.id.as_str())) {
            return Err(SiteError::content(
                file,
                format!("board id {:?} is the name of a folder that every site has", b.id),
                format!("use another; taken are {}", RESERVED.join(", ")),
            ));
        }
        for b in &self.boards {
            for (field, word) in [("verb", &b.verb), ("unit", &b.unit), ("noun", &b.noun)] {
                if !super::wording::is_word(word) {
                    return Err(SiteError::content(
                        file,
                        format!("board {:?}: {field} {word:?} is no word", b.id),
                        "write it in letters, as it stands in a sentence: verb = \"solved\", unit = \"task\", noun = \"solution\"",
                    ));
                }
            }
        }
        let mut ids = std::collections::HashSet::new();
        if let Some(m) = self.models.iter().find(|m| !ids.insert(m.id.as_str())) {
            return bad(format!("model {:?} has two keys", m.id));
        }
        self.validate_releases(file)?;
        self.validate_addresses(file)
    }

    fn validate_releases(&self, file: &str) -> Result<(), SiteError> {
        for (what, day) in self
            .models
            .iter()
            .filter(|m| !m.cutoff.is_empty())
            .map(|m| (&m.key, &m.cutoff))
            .chain(self.releases.iter().map(|r| (&r.version, &r.until)))
        {
            if day.parse::<jiff::civil::Date>().is_err() {
                return Err(SiteError::content(
                    file,
                    format!("{what}: expected a day as YYYY-MM-DD, found {day:?}"),
                    "write the day as YYYY-MM-DD",
                ));
            }
        }
        if let Some(r) = self.releases.iter().find(|r| {
            !r.version.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.') || r.version.is_empty()
        }) {
            return Err(SiteError::content(
                file,
                format!("release {:?} has a version that cannot be part of an address", r.version),
                "use letters, digits, hyphens and dots",
            ));
        }
        if !self.releases.is_sorted_by(|a, b| a.until < b.until) {
            return Err(SiteError::content(
                file,
                "releases are not in order of their days",
                "list the oldest first, each with its own day",
            ));
        }
        let mut versions = std::collections::HashSet::new();
        if let Some(r) = self.releases.iter().find(|r| !versions.insert(r.version.to_ascii_lowercase())) {
            return Err(SiteError::content(
                file,
                format!("two releases have the version {:?}", r.version),
                "give each its own, which differs in more than capitals",
            ));
        }
        Ok(())
    }

    fn validate_addresses(&self, file: &str) -> Result<(), SiteError> {
        if !self.tasks.is_empty() && !super::write::is_plain(&self.tasks) {
            return Err(SiteError::content(
                file,
                format!("tasks {:?} is no folder inside the leaderboard's own", self.tasks),
                "write a path from the leaderboard's folder down, such as tasks",
            ));
        }
        if !self.source_url.is_empty() && !is_web(&self.source_url) {
            return Err(SiteError::content(
                file,
                format!("source_url {:?} is no address of a page", self.source_url),
                "begin it with https://, or leave it empty",
            ));
        }
        if !self.base_url.is_empty() && (!is_web(&self.base_url) || self.base_url.ends_with('/')) {
            return Err(SiteError::content(
                file,
                format!("base_url {:?} is not an address without a final slash", self.base_url),
                "write it like the address of the home page, https:// first and without the last /",
            ));
        }
        Ok(())
    }

    /// A configuration without choices.
    pub fn plain(title: &str) -> Config {
        Config {
            title: title.to_owned(),
            tagline: String::new(),
            source_url: String::new(),
            base_url: String::new(),
            author: String::new(),
            tasks: String::new(),
            boards: Vec::new(),
            models: Vec::new(),
            releases: Vec::new(),
        }
    }

    /// One board for each suite that the results hold, in order of their names.
    pub fn boards_of(data: &Dataset) -> Vec<BoardConfig> {
        let runs = data.runs.iter().map(|r| &r.run.suite);
        let suites: BTreeSet<&String> = runs.chain(data.publishers.iter().map(|p| &p.record.suite)).collect();
        suites.into_iter().map(|s| BoardConfig::of_suite(s)).collect()
    }

    /// The short key and shown names of a model, if the publisher gave any.
    pub fn model(&self, id: &str) -> Option<&ModelConfig> {
        self.models.iter().find(|m| m.id == id)
    }
}

/// Whether a text is an address that a browser opens: http or https, a host, no space or quote.
fn is_web(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|r| {
        !r.is_empty()
            && !r.starts_with('/')
            && !r.contains([' ', '"', '\'', '<', '>', '\\'])
            && !r.contains(char::is_control)
    })
}

/// A plain key made of any text.
fn key_of(text: &str) -> String {
    text.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
