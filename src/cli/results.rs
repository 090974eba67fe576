use super::Exit;
use super::reprice;
use super::results_formats;
use super::say;
use crate::results::{Level, RECORDS, import_thinkbench, import_ts_bench, read};
use clap::builder::BoolishValueParser;
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

/// Check raw results, import what others published, write it for other tools, or price attempts again.
#[derive(Args, Debug)]
pub struct Results {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand, Debug)]
enum Verb {
    /// List every fault of every file, with line, field and remedy
    Check {
        /// Folder that holds <run>/run.json, or its parent
        #[arg(long, default_value = "results", env = "TSBENCH_RESULTS")]
        results: PathBuf,
        /// Print the faults as JSON
        #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
        json: bool,
    },
    /// Print every field of run.json and attempts.jsonl, and what of them must agree
    Contract,
    /// Turn another system's published figures into run folders
    Import {
        #[command(subcommand)]
        format: Format,
    },
    /// Write a run in the formats of other tools
    Export(results_formats::Export),
    /// Compute costs again from tokens and today's prices
    Reprice(reprice::Reprice),
}

#[derive(Subcommand, Debug)]
enum Format {
    /// TS-Bench's published outcomes: one run a model
    TsBench(Source),
    /// Thinkbench's published aggregates: one publisher-reported record
    Thinkbench(Source),
    /// A job of Harbor: one run a scaffold
    Harbor(results_formats::Harbor),
    /// A log of Inspect, as `inspect log dump` prints it
    Inspect(results_formats::Inspect),
}

#[derive(Args, Debug)]
struct Source {
    /// File with the published figures
    file: PathBuf,
    /// Folder to write run folders into
    #[arg(long, default_value = "results", env = "TSBENCH_RESULTS")]
    out: PathBuf,
}

pub(super) const TOOL: &str = concat!("tsbench ", env!("CARGO_PKG_VERSION"));

/// Runs `tsbench results`.
pub fn run(args: &Results) -> anyhow::Result<Exit> {
    match &args.verb {
        Verb::Check { results, json } => check(results, *json),
        Verb::Contract => {
            // The head of the page is for the site.
            say!("{}", RECORDS.splitn(3, "+++").nth(2).unwrap_or(RECORDS).trim());
            Ok(Exit::Good)
        }
        Verb::Reprice(args) => reprice::run(args),
        Verb::Export(args) => results_formats::export(args),
        Verb::Import { format: Format::Harbor(args) } => results_formats::harbor(args),
        Verb::Import { format: Format::Inspect(args) } => results_formats::inspect(args),
        Verb::Import { format: Format::TsBench(s) } => {
            for dir in import_ts_bench(&s.file, &s.out, TOOL)? {
                say!("{}", dir.display());
            }
            Ok(Exit::Good)
        }
        Verb::Import { format: Format::Thinkbench(s) } => {
            say!("{}", import_thinkbench(&s.file, &s.out, TOOL)?.display());
            Ok(Exit::Good)
        }
    }
}

fn check(folder: &std::path::Path, as_json: bool) -> anyhow::Result<Exit> {
    let data = read(folder)?;
    let errors = data.faults.iter().filter(|f| f.level == Level::Error).count();
    let warnings = data.faults.len() - errors;
    if as_json {
        let faults: Vec<_> = data
            .faults
            .iter()
            .map(|f| {
                let level = if f.level == Level::Error { "error" } else { "warning" };
                json!({"level": level, "file": f.file, "line": f.line, "field": f.field, "what": f.what, "hint": f.hint})
            })
            .collect();
        say!(
            "{}",
            serde_json::to_string_pretty(
                &json!({"runs": data.runs.len(), "publisher_records": data.publishers.len(), "faults": faults})
            )?
        );
    } else {
        for fault in &data.faults {
            say!("{fault}");
        }
    }
    let attempts: usize = data.runs.iter().map(|r| r.rows.len()).sum();
    let many = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    eprintln!(
        "{}, {}, {}, {}, {}",
        many(data.runs.len(), "run"),
        many(data.publishers.len(), "publisher record"),
        many(attempts, "readable attempt"),
        many(errors, "error"),
        many(warnings, "warning")
    );
    Ok(if errors > 0 { Exit::No } else { Exit::Good })
}
