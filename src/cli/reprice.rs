//! Costs computed again from tokens, where a price was wrong or unknown.

use super::Exit;
use super::say;
use crate::gateway::Models;
use crate::results::rewrite;
use crate::schema::Attempt;
use anyhow::{Context, bail};
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compute the cost of each attempt again from its tokens and the prices of today's models.toml.
///
/// A line without tokens, and a line of a model that the file does not describe, stay as they are. Where the file has no
/// price, the cost becomes unknown. Lines whose cost does not change keep every byte.
#[derive(Args, Debug)]
pub struct Reprice {
    /// Folder of a run, or its parent
    dir: PathBuf,
    /// File that describes the models
    #[arg(long, default_value = "models.toml", env = "TSBENCH_MODELS")]
    models: PathBuf,
    /// Print what would change, and change nothing
    #[arg(long, env = "TSBENCH_DRY_RUN", value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Print the changes as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// A cost that is not what it was.
struct Change {
    file: PathBuf,
    line: usize,
    model: String,
    task: String,
    repeat: u32,
    old: Option<f64>,
    new: Option<f64>,
}

/// What was found beside changes.
#[derive(Default)]
struct Found {
    same: usize,
    without_tokens: usize,
    unknown_models: BTreeSet<String>,
}

/// Runs `tsbench results reprice`.
pub fn run(args: &Reprice) -> anyhow::Result<Exit> {
    let models = Models::read(&args.models)?;
    let (mut changes, mut found) = (Vec::new(), Found::default());
    for file in files(&args.dir)? {
        let before = changes.len();
        let text = reprice(&file, &models, &mut changes, &mut found)?;
        if changes.len() > before && !args.dry_run {
            replace(&file, &text)?;
        }
    }
    tell(args.json, &changes)?;
    for model in &found.unknown_models {
        eprintln!("warning: {} does not describe {model:?}: its lines stay as they are", args.models.display());
    }
    eprintln!(
        "{} costs {}, {} are as they were, {} lines have no tokens to price",
        changes.len(),
        if args.dry_run { "would change" } else { "changed" },
        found.same,
        found.without_tokens
    );
    Ok(Exit::Good)
}

/// The files of lines of a run, or of all runs in a folder.
fn files(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let own = dir.join("attempts.jsonl");
    if own.is_file() {
        return Ok(vec![own]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).with_context(|| format!("read {}", dir.display()))? {
        let file = entry.with_context(|| format!("read {}", dir.display()))?.path().join("attempts.jsonl");
        if file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        bail!("find attempts.jsonl in {} or one folder below\nhint: name the folder of a run", dir.display());
    }
    Ok(files)
}

/// The text of a file with its costs computed again.
fn reprice(file: &Path, models: &Models, changes: &mut Vec<Change>, found: &mut Found) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file).with_context(|| format!("read {}", file.display()))?;
    let mut out = String::with_capacity(text.len());
    for (i, line) in text.split_inclusive('\n').enumerate() {
        if line.trim().is_empty() {
            out.push_str(line);
            continue;
        }
        let at = || format!("read {}:{}\nhint: tsbench results check lists every fault", file.display(), i + 1);
        let value: Value = serde_json::from_str(line).with_context(at)?;
        let mut attempt: Attempt = serde::Deserialize::deserialize(&value).with_context(at)?;
        let Some(cost) = cost(&attempt, models, found) else {
            out.push_str(line);
            continue;
        };
        if cost == attempt.cost_usd {
            found.same += 1;
            out.push_str(line);
            continue;
        }
        changes.push(Change {
            file: file.to_owned(),
            line: i + 1,
            model: attempt.model.clone(),
            task: attempt.task.clone(),
            repeat: attempt.repeat,
            old: attempt.cost_usd,
            new: cost,
        });
        attempt.cost_usd = cost;
        out.push_str(&rewrite(&value, &attempt)?.to_string());
        out.push_str(if line.ends_with('\n') { "\n" } else { "" });
    }
    Ok(out)
}

/// The cost of an attempt by today's prices; nothing where there is nothing to go by.
fn cost(attempt: &Attempt, models: &Models, found: &mut Found) -> Option<Option<f64>> {
    let Ok(entry) = models.find(&attempt.model) else {
        found.unknown_models.insert(attempt.model.clone());
        return None;
    };
    let Some(usage) = attempt.usage else {
        found.without_tokens += 1;
        return None;
    };
    Some(entry.price.map(|price| price.of(&usage)))
}

/// Puts the new text in the file's place, whole or not at all.
fn replace(file: &Path, text: &str) -> anyhow::Result<()> {
    let dir = file.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        let old = std::fs::File::open(file)?;
        old.try_lock().map_err(|_| std::io::Error::other("a run is writing to it; wait for its end"))?;
        let mut new = tempfile::NamedTempFile::new_in(dir)?;
        new.write_all(text.as_bytes())?;
        new.as_file().set_permissions(old.metadata()?.permissions())?;
        new.as_file().sync_all()?;
        new.persist(file)?;
        std::fs::File::open(dir)?.sync_all()
    };
    write().with_context(|| format!("write {}", file.display()))
}

fn tell(as_json: bool, changes: &[Change]) -> anyhow::Result<()> {
    if as_json {
        let all: Vec<Value> = changes
            .iter()
            .map(|c| {
                json!({"file": c.file, "line": c.line, "model": c.model, "task": c.task, "repeat": c.repeat,
                    "old_usd": c.old, "new_usd": c.new})
            })
            .collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(());
    }
    let shown = |usd: Option<f64>| usd.map_or("unknown".to_owned(), |usd| format!("${usd}"));
    for c in changes {
        let place = format!("{}:{}", c.file.display(), c.line);
        say!("{place}: {} {} repeat {}: {} → {}", c.model, c.task, c.repeat, shown(c.old), shown(c.new));
    }
    Ok(())
}
