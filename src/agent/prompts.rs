//! Prompt packs: text files with names in double braces, replaced file by file by a condition.

use super::AgentError;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The texts of one agent under one condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompts {
    /// Name of the condition.
    pub condition: String,
    /// SHA-256 over the names and the bytes of all texts, hex.
    pub digest: String,
    texts: BTreeMap<String, String>,
}

/// `conditions/<name>/manifest.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    schema: String,
    name: String,
    version: String,
    #[serde(default)]
    note: String,
    /// Files below `prompts/`, each with the file of the pack that stands in its place.
    replaces: BTreeMap<String, String>,
}

const SCHEMA: &str = "tsbench.condition/1";
const CANONICAL: &str = "default";

/// Every name that a text may use.
const NAMES: [&str; 17] = [
    "command",
    "command_seconds",
    "end",
    "home",
    "instructions",
    "left_out",
    "language",
    "minutes",
    "problem",
    "stderr",
    "stdout",
    "submit",
    "tests",
    "tool",
    "turn",
    "turns",
    "what",
];

/// A text that begins the work must hold the problem as it is.
const PROBLEM: &str = "{{problem}}";

/// The names of the conditions that a run of one makes: the canonical one beside it, so that both can be compared.
pub fn conditions_of(condition: &str) -> Vec<String> {
    let mut all = vec![CANONICAL.to_owned()];
    if condition != CANONICAL {
        all.push(condition.to_owned());
    }
    all
}

impl Prompts {
    /// Reads the texts of an agent (`prompts/<agent>/*.md` and `prompts/language/*.md`) under a condition.
    pub fn read(prompts: &Path, conditions: &Path, agent: &str, condition: &str) -> Result<Prompts, AgentError> {
        let mut texts = BTreeMap::new();
        for folder in [agent, "language"] {
            for (name, text) in texts_in(&prompts.join(folder))? {
                texts.insert(format!("{folder}/{name}"), text);
            }
        }
        if condition != CANONICAL {
            replace(&mut texts, prompts, &conditions.join(condition), condition)?;
        }
        for (name, text) in &texts {
            check(&prompts.join(name), text)?;
        }
        let first = format!("{agent}/first.md");
        if !texts.get(&first).is_some_and(|t| t.contains(PROBLEM)) {
            let hint = "a condition may change how a task is put, never the task";
            return Err(AgentError::prompt(prompts.join(&first), format!("it must be there and hold {PROBLEM}"), hint));
        }
        let list: String = texts.iter().map(|(name, text)| format!("{} {name}\n", hex(text.as_bytes()))).collect();
        let digest = hex(format!("tsbench.prompts/1\n{list}").as_bytes());
        Ok(Prompts { condition: condition.to_owned(), digest, texts })
    }

    /// A text with values in place of names. Values are taken as they are: braces within them mean nothing.
    pub fn fill(&self, name: &str, values: &[(&str, &str)]) -> Result<String, AgentError> {
        let missing =
            || AgentError::prompt(name, "there is no such prompt file", "take it from the repository's prompts/");
        let text = self.texts.get(name).ok_or_else(missing)?;
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once("{{") {
            let (key, left) = after.split_once("}}").unwrap_or((after, ""));
            let value = values.iter().find(|(k, _)| *k == key).map(|(_, v)| *v);
            let none =
                || AgentError::prompt(name, format!("{{{{{key}}}}} has no value here"), "remove it from this file");
            out.push_str(before);
            out.push_str(value.ok_or_else(none)?);
            rest = left;
        }
        out.push_str(rest);
        Ok(out)
    }
}

fn texts_in(folder: &Path) -> Result<BTreeMap<String, String>, AgentError> {
    let hint = "name the folder of prompts with --prompts; the repository's is prompts/";
    let bad = |e: std::io::Error| AgentError::prompt(folder, e.to_string(), hint);
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(bad)? {
        let path = entry.map_err(bad)?.path();
        if let Some(name) = path.file_name().and_then(|n| n.to_str()).filter(|n| n.ends_with(".md")) {
            found.insert(name.to_owned(), std::fs::read_to_string(&path).map_err(bad)?);
        }
    }
    Ok(found)
}

fn replace(
    texts: &mut BTreeMap<String, String>,
    prompts: &Path,
    pack: &Path,
    condition: &str,
) -> Result<(), AgentError> {
    let file = pack.join("manifest.toml");
    let bad = |what: String, hint: &str| AgentError::prompt(&file, what, hint);
    let text = std::fs::read_to_string(&file)
        .map_err(|e| bad(e.to_string(), "a condition is a folder of --conditions with a manifest.toml"))?;
    let manifest: Manifest = toml::from_str(&text)
        .map_err(|e| bad(e.to_string(), "a manifest has schema, name, version, note and a table [replaces]"))?;
    let _ = &manifest.note;
    if manifest.schema != SCHEMA || manifest.name != condition || manifest.version.trim().is_empty() {
        let what = format!("expected schema {SCHEMA:?}, name {condition:?} and a version");
        return Err(bad(what, "give folder and pack one name"));
    }
    if manifest.replaces.is_empty() {
        return Err(bad("it replaces nothing".into(), "name files below prompts/ in [replaces]"));
    }
    // A pack may serve several agents; what belongs to others is checked to be there and left alone.
    let known: BTreeSet<&String> = texts.keys().collect();
    let mut new = Vec::new();
    for (name, own) in &manifest.replaces {
        let plain = |p: &str| p.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
        if !plain(name) || !plain(own) || !prompts.join(name).is_file() {
            let what = format!("{name:?} is no file below {}", prompts.display());
            return Err(bad(what, "a pack replaces prompt files that there are"));
        }
        let text = std::fs::read_to_string(pack.join(own))
            .map_err(|e| AgentError::prompt(pack.join(own), e.to_string(), "write the file that the manifest names"))?;
        if known.contains(name) {
            new.push((name.clone(), text));
        }
    }
    texts.extend(new);
    Ok(())
}

/// Every name in double braces must be one that this program knows.
fn check(file: &Path, text: &str) -> Result<(), AgentError> {
    for (i, line) in text.lines().enumerate() {
        for part in line.split("{{").skip(1) {
            let name = part.split_once("}}").map_or(part, |(name, _)| name);
            if !NAMES.contains(&name) {
                let what = format!("line {}: unknown name {{{{{name}}}}}", i + 1);
                return Err(AgentError::prompt(file, what, &format!("there are: {}", NAMES.join(", "))));
            }
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}
