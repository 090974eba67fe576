//! Suites given out and taken in.

use super::Exit;
use super::proving::tasks_word;
use super::say;
use crate::exchange::{Losses, export_dataset, import_dataset};
use crate::gateway::{ModelEntry, Models};
use crate::schema::Model;
use crate::tasks::{TaskSuite, load};
use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const TOOL: &str = concat!("tsbench ", env!("CARGO_PKG_VERSION"));

/// Formats of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Our own: lines, a Parquet table and a card, for the `datasets` library
    Dataset,
}

/// Give a suite out.
#[derive(Args, Debug)]
pub struct Export {
    /// Folder of suites
    #[arg(long, default_value = "tasks", env = "TSBENCH_TASKS")]
    tasks: PathBuf,
    /// The suite, by id or id@version
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: String,
    /// Folder of bare mirrors named owner__name.git, for tasks whose trees are not kept here
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    mirrors: PathBuf,
    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Dataset, env = "TSBENCH_FORMAT")]
    format: Format,
    /// The version that is meant: a dataset has its suite's, and another is an error
    #[arg(long, env = "TSBENCH_VERSION")]
    version: Option<String>,
    /// Folder or file to write; what is there already is never changed
    #[arg(long, env = "TSBENCH_OUT")]
    out: PathBuf,
    /// File that describes the models, for the labels of a dataset
    #[arg(long, default_value = "models.toml", env = "TSBENCH_MODELS")]
    models_file: PathBuf,
}

/// Take tasks in.
#[derive(Args, Debug)]
pub struct Import {
    /// What to read: a dataset's folder, a file of rows, a folder of tasks
    #[arg(long, visible_alias = "from", env = "TSBENCH_DATASET")]
    dataset: PathBuf,
    /// What it is
    #[arg(long, value_enum, default_value_t = Format::Dataset, env = "TSBENCH_FORMAT")]
    format: Format,
    /// Folder of suites
    #[arg(long, default_value = "tasks", env = "TSBENCH_TASKS")]
    tasks: PathBuf,
    /// Folder of bare mirrors named owner__name.git, to hold tasks against their digests
    #[arg(long, default_value = "mirrors", env = "TSBENCH_MIRRORS")]
    mirrors: PathBuf,
}

fn suite(args: &Export) -> anyhow::Result<TaskSuite> {
    let suites = load(&args.tasks)?;
    let known = suites.iter().map(|s| s.suite.word()).collect::<Vec<_>>().join(", ");
    let found = suites.into_iter().find(|s| args.suite == s.suite.id || args.suite == s.suite.word());
    let found = found.with_context(|| format!("find the suite {:?}\nhint: there are: {known}", args.suite))?;
    if let Some(asked) = args.version.as_ref().filter(|v| **v != found.suite.version) {
        anyhow::bail!(
            "export {} as version {asked}: the suite's version is {}\nhint: a dataset has the version of its suite; \
             raise it in suite.toml when a task has changed",
            found.suite.id,
            found.suite.version
        );
    }
    Ok(found)
}

/// What was lost, on standard error.
pub(super) fn tell(losses: &Losses) {
    for line in losses.to_string().lines() {
        eprintln!("{line}");
    }
}

/// Models with their cutoffs; none where there is no file of models.
fn models(args: &Export) -> anyhow::Result<Vec<Model>> {
    if !args.models_file.is_file() {
        eprintln!("no labels for models: there is no {}", args.models_file.display());
        return Ok(Vec::new());
    }
    Ok(Models::read(&args.models_file)?.list.iter().map(ModelEntry::planned).collect())
}

/// Runs `tsbench tasks export`.
pub fn export(args: &Export) -> anyhow::Result<Exit> {
    let suite = suite(args)?;
    match args.format {
        Format::Dataset => {
            let (dir, losses) = export_dataset(&suite, &models(args)?, &args.mirrors, &args.out, TOOL)?;
            tell(&losses);
            say!("{}", dir.display());
            eprintln!("{} written", tasks_word(suite.tasks.len()));
        }
    }
    Ok(Exit::Good)
}

/// Runs `tsbench tasks import`.
pub fn import(args: &Import) -> anyhow::Result<Exit> {
    match args.format {
        Format::Dataset => {
            let taken = import_dataset(&args.dataset, &args.tasks, &args.mirrors)?;
            for id in &taken.unchecked {
                eprintln!("not held against its digest, for want of a mirror or a key: {id}");
            }
            say!("{}", taken.dir.display());
            eprintln!("{} taken in", tasks_word(taken.tasks.len()));
        }
    }
    Ok(Exit::Good)
}
