//! Runs of other tools taken in, and runs given out to them.

use super::Exit;
use super::results::TOOL;
use super::say;
use crate::results::{
    ImportedRuns, PredictionForm, RunFile, Slice, artifacts_of, atif_trajectory, attempts_of, import_harbor,
    import_inspect, mini_trajectory, predictions_of, predictions_text, read, report_name, report_of, slug,
};
use anyhow::Context;
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A job of Harbor.
#[derive(Args, Debug)]
pub struct Harbor {
    /// The job's folder
    job: PathBuf,
    /// The suite, id@version; the dataset's name where it is not given
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: Option<String>,
    /// Folder to write run folders into
    #[arg(long, default_value = "results", env = "TSBENCH_RESULTS")]
    out: PathBuf,
}

/// A log of Inspect.
#[derive(Args, Debug)]
pub struct Inspect {
    /// The log, as `inspect log dump` prints it
    log: PathBuf,
    /// The suite, id@version; the task's name and version where it is not given
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: Option<String>,
    /// The scorer that decides, where there are several
    #[arg(long, env = "TSBENCH_SCORER")]
    scorer: Option<String>,
    /// Folder to write run folders into
    #[arg(long, default_value = "results", env = "TSBENCH_RESULTS")]
    out: PathBuf,
}

/// What a run is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Predictions as a JSON map by task
    PredictionsMap,
    /// Predictions as a JSON list
    PredictionsList,
    /// Predictions, one a line
    Predictions,
    /// The report of a run of SWE-bench, version 2
    SweBenchReport,
    /// Trajectories of mini-swe-agent, and its preds.json
    MiniSweAgent,
    /// Trajectories in the agent trajectory interchange format
    Atif,
}

/// Write a run in the formats of other tools.
#[derive(Args, Debug)]
pub struct Export {
    /// The run's folder
    run: PathBuf,
    /// What to write
    #[arg(long, value_enum, env = "TSBENCH_FORMAT")]
    format: Format,
    /// The model; needed where the run has several
    #[arg(long, env = "TSBENCH_MODEL")]
    model: Option<String>,
    /// The condition; the run's own where it is not given
    #[arg(long, env = "TSBENCH_CONDITION")]
    condition: Option<String>,
    /// The repeat, from 0 on
    #[arg(long, default_value_t = 0, env = "TSBENCH_REPEAT")]
    repeat: u32,
    /// File or, for trajectories, folder to write; for a report also a folder that exists
    #[arg(long, env = "TSBENCH_OUT")]
    out: PathBuf,
}

/// Runs `tsbench results import harbor`.
pub fn harbor(args: &Harbor) -> anyhow::Result<Exit> {
    Ok(told(&import_harbor(&args.job, &args.out, args.suite.as_deref(), TOOL)?))
}

/// Runs `tsbench results import inspect`.
pub fn inspect(args: &Inspect) -> anyhow::Result<Exit> {
    let (suite, scorer) = (args.suite.as_deref(), args.scorer.as_deref());
    Ok(told(&import_inspect(&args.log, &args.out, suite, scorer, TOOL)?))
}

fn told(imported: &ImportedRuns) -> Exit {
    lose(&imported.losses);
    for dir in &imported.dirs {
        say!("{}", dir.display());
    }
    Exit::Good
}

fn lose(losses: &[String]) {
    for loss in losses {
        eprintln!("loss: {loss}");
    }
}

/// Runs `tsbench results export`.
pub fn export(args: &Export) -> anyhow::Result<Exit> {
    let run = the_run(&args.run)?;
    let slice = slice(args, &run)?;
    if attempts_of(&run, &slice).is_empty() {
        anyhow::bail!(
            "export {}: it has no attempt of {:?}, condition {:?}, repeat {}\nhint: choose with --model, --condition and --repeat",
            run.run.run,
            slice.model,
            slice.condition,
            slice.repeat
        );
    }
    match args.format {
        Format::Predictions => predictions(&run, &slice, PredictionForm::Lines, &args.out)?,
        Format::PredictionsMap => predictions(&run, &slice, PredictionForm::Map, &args.out)?,
        Format::PredictionsList => predictions(&run, &slice, PredictionForm::List, &args.out)?,
        Format::SweBenchReport => {
            let (report, losses) = report_of(&run, &slice);
            lose(&losses);
            let named = args.out.join(report_name(slice.model, &run.run.run));
            let out = if args.out.is_dir() { named } else { args.out.clone() };
            write_new(&out, &format!("{report:#}\n"))?;
        }
        Format::MiniSweAgent | Format::Atif => trajectories(args, &run, &slice)?,
    }
    Ok(Exit::Good)
}

fn the_run(dir: &Path) -> anyhow::Result<RunFile> {
    let mut data = read(dir)?;
    for fault in &data.faults {
        eprintln!("{fault}");
    }
    if data.runs.len() != 1 {
        anyhow::bail!("export a run: {} has {}\nhint: name the folder of one run", dir.display(), data.runs.len());
    }
    Ok(data.runs.remove(0))
}

fn slice<'r>(args: &'r Export, run: &'r RunFile) -> anyhow::Result<Slice<'r>> {
    let ids: Vec<&str> = run.run.models.iter().map(|m| m.id.as_str()).collect();
    let known = || format!("choose a model of the run with --model: {}", ids.join(", "));
    let model = match (&args.model, ids.as_slice()) {
        (Some(model), _) => {
            *ids.iter().find(|id| *id == model).with_context(|| format!("find {model:?}\nhint: {}", known()))?
        }
        (None, [only]) => only,
        (None, _) => anyhow::bail!("export a run of several models\nhint: {}", known()),
    };
    let condition = args.condition.as_deref().unwrap_or(&run.run.condition);
    Ok(Slice { model, condition, repeat: args.repeat })
}

fn predictions(run: &RunFile, slice: &Slice<'_>, form: PredictionForm, out: &Path) -> anyhow::Result<()> {
    let (list, losses) = predictions_of(run, slice)?;
    lose(&losses);
    write_new(out, &predictions_text(&list, form))
}

fn trajectories(args: &Export, run: &RunFile, slice: &Slice<'_>) -> anyhow::Result<()> {
    let mini = args.format == Format::MiniSweAgent;
    let mut lost = Vec::new();
    for (attempt, dir) in attempts_of(run, slice) {
        if !dir.join("trajectory.jsonl").is_file() {
            let place = artifacts_of(&attempt.task, &attempt.model, &attempt.condition, attempt.repeat);
            lost.push(format!("{:?}: there is no trajectory in artifacts/{place}", attempt.task));
            continue;
        }
        let name = slug(&attempt.task);
        let (value, file): (Value, _) = match mini {
            true => (mini_trajectory(&attempt, &dir)?, format!("{name}/{name}.traj.json")),
            false => (atif_trajectory(&attempt, &dir)?, format!("{name}/agent/trajectory.json")),
        };
        write_new(&args.out.join(file), &format!("{value:#}\n"))?;
    }
    if mini {
        predictions(run, slice, PredictionForm::Map, &args.out.join("preds.json"))?;
    }
    lost.push(
        "requests, retries and the body of each answer: trajectories of this format have no place for them".into(),
    );
    lose(&lost);
    Ok(())
}

/// Writes a file that is not there yet, and names it.
fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(dir) = path.parent().filter(|d| !d.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).with_context(|| format!("write {}", dir.display()))?;
    }
    let file = std::fs::File::create_new(path);
    file.and_then(|mut f| f.write_all(text.as_bytes())).with_context(|| format!("write {}", path.display()))?;
    say!("{}", path.display());
    Ok(())
}
