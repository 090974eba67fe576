//! Suites given out and taken in.

use super::Exit;
use super::machine::Machine;
use super::made_by_running;
use super::proving::tasks_word;
use super::say;
use crate::exchange::{
    Imported, Losses, Mirrors, RowFormat, export_dataset, export_harbor, export_rows, export_thinkbench,
    import_dataset, import_harbor, import_rows, import_thinkbench, read_harbor, read_thinkbench,
};
use crate::gateway::{ModelEntry, Models};
use crate::schema::{Infra, Limits, Model, Suite};
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
    /// Rows of SWE-bench, and of all that have its columns
    SweBench,
    /// Rows of SWE-bench-Live
    SweBenchLive,
    /// Rows of SWE-bench Pro
    SweBenchPro,
    /// Rows of Multi-SWE-bench
    MultiSweBench,
    /// Task folders of Harbor
    Harbor,
    /// Task folders of Thinkbench
    Thinkbench,
}

impl Format {
    const fn rows(self) -> Option<RowFormat> {
        match self {
            Format::SweBench => Some(RowFormat::SweBench),
            Format::SweBenchLive => Some(RowFormat::SweBenchLive),
            Format::SweBenchPro => Some(RowFormat::SweBenchPro),
            Format::MultiSweBench => Some(RowFormat::MultiSwe),
            Format::Dataset | Format::Harbor | Format::Thinkbench => None,
        }
    }
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
    /// Folder in which to make mirrors of trees that are in no repository, for rows
    #[arg(long, env = "TSBENCH_WRITE_MIRRORS")]
    write_mirrors: Option<PathBuf>,
    /// File that describes the models, for the labels of a dataset [default: models.toml, where there is one]
    #[arg(long, env = "TSBENCH_MODELS")]
    models_file: Option<PathBuf>,
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
    /// The suite that the tasks go into; a dataset brings its own
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: Option<String>,
    /// Language of tasks that do not tell it
    #[arg(long, env = "TSBENCH_LANGUAGE")]
    language: Option<String>,
    #[command(flatten)]
    machine: Machine,
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

/// Models with their cutoffs; none where there is no file of models and none was named.
fn models(args: &Export) -> anyhow::Result<Vec<Model>> {
    let usual = PathBuf::from("models.toml");
    let named = args.models_file.as_ref().filter(|f| !f.as_os_str().is_empty());
    if named.is_none() && !usual.is_file() {
        eprintln!("no labels for models: there is no {}", usual.display());
        return Ok(Vec::new());
    }
    Ok(Models::read(named.unwrap_or(&usual))?.list.iter().map(ModelEntry::planned).collect())
}

/// Runs `tsbench tasks export`.
pub fn export(args: &Export) -> anyhow::Result<Exit> {
    let suite = suite(args)?;
    let (place, count, losses) = match args.format {
        Format::Dataset if suite.tasks.is_empty() => (args.out.clone(), 0, Losses::default()),
        Format::Dataset => {
            let (dir, losses) = export_dataset(&suite, &models(args)?, &args.mirrors, &args.out, TOOL)?;
            (dir, suite.tasks.len(), losses)
        }
        Format::Harbor => with_place(args, export_harbor(&suite, &args.mirrors, &args.out)?),
        Format::Thinkbench => with_place(args, export_thinkbench(&suite, &args.mirrors, &args.out)?),
        Format::SweBench | Format::SweBenchLive | Format::SweBenchPro | Format::MultiSweBench => {
            let format = args.format.rows().context("find the format of rows")?;
            let mirrors = Mirrors { read: &args.mirrors, write: args.write_mirrors.as_deref() };
            with_place(args, export_rows(format, &suite, mirrors, &args.out)?)
        }
    };
    tell(&losses);
    if count == 0 {
        let what = &suite.suite.id;
        anyhow::bail!(
            "export {what}: no task of it can be written\nhint: what is left out is told above, with the reason"
        );
    }
    say!("{}", place.display());
    eprintln!("{} written", tasks_word(count));
    Ok(Exit::Good)
}

fn with_place(args: &Export, (count, losses): (usize, Losses)) -> (PathBuf, usize, Losses) {
    (args.out.clone(), count, losses)
}

/// Runs `tsbench tasks import`: 1 where something could not be taken in.
pub fn import(args: &Import) -> anyhow::Result<Exit> {
    if args.format == Format::Dataset {
        let taken = import_dataset(&args.dataset, &args.tasks, &args.mirrors)?;
        for id in &taken.unchecked {
            eprintln!("not held against its digest, for want of a mirror or a key: {id}");
        }
        say!("{}", taken.dir.display());
        eprintln!("{} taken in", tasks_word(taken.tasks.len()));
        return Ok(Exit::Good);
    }
    let suite = new_suite(args)?;
    if args.dataset.symlink_metadata().is_err() {
        anyhow::bail!(
            "find {}: there is no file or folder of that name\nhint: name what to take in with --from",
            args.dataset.display()
        );
    }
    let imported = match args.format.rows() {
        Some(format) => import_rows(format, &args.dataset, &args.tasks, &suite)?,
        None if args.format == Format::Harbor => {
            let mut tasks = read_harbor(&args.dataset)?;
            for task in &mut tasks {
                task.language = task.language.take().or_else(|| args.language.clone());
            }
            made_by_running::solve(&args.machine, &mut tasks)?;
            import_harbor(&tasks, &args.tasks, &suite)?
        }
        None => {
            let mut tasks = read_thinkbench(&args.dataset)?;
            made_by_running::declare(&args.machine, &mut tasks)?;
            import_thinkbench(&tasks, &args.tasks, &suite)?
        }
    };
    told(args, &imported)
}

fn told(args: &Import, imported: &Imported) -> anyhow::Result<Exit> {
    tell(&imported.losses);
    for (id, why) in &imported.refused {
        eprintln!("not taken in: {}: {why}", id.escape_debug());
    }
    let missing = imported.repos.iter().filter(|repo| {
        let name = format!("{}.git", repo.replace('/', "__"));
        !args.mirrors.join(name).is_dir()
    });
    for repo in missing {
        eprintln!("hint: the trees are in {repo}: tsbench mirror add {repo}");
    }
    if let Some(dir) = &imported.dir {
        say!("{}", dir.display());
    }
    eprintln!("{} taken in, {} not", tasks_word(imported.tasks.len()), imported.refused.len());
    Ok(if imported.refused.is_empty() { Exit::Good } else { Exit::No })
}

/// The suite to take tasks into, as it would be made.
fn new_suite(args: &Import) -> anyhow::Result<Suite> {
    let id = args.suite.clone().context("take tasks in\nhint: name the suite that they go into with --suite")?;
    Ok(Suite {
        title: id.clone(),
        id,
        version: "1.0".to_owned(),
        note: format!("Taken in by {TOOL}."),
        licence: None,
        infra: Infra::Exclude,
        repeats: 3,
        limits: Limits::default(),
    })
}
