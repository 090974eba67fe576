use super::Exit;
use super::say;
use crate::results::{Dataset, read};
use crate::site::numbers::{Computed, Number, compute};
use crate::site::{Board, Config, Entry, ordered};
use crate::stats::cost::dollars;
use clap::Args;
use clap::builder::BoolishValueParser;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Print the numbers without the site.
#[derive(Args, Debug)]
pub struct Stats {
    /// Folder of runs, or its parent, or one attempts.jsonl beside its run.json
    #[arg(long = "in", env = "TSBENCH_IN")]
    input: PathBuf,
    /// Numbers of attempts for pass@k and pass^k
    #[arg(long, value_delimiter = ',', default_value = "1,5", env = "TSBENCH_K", value_parser = clap::value_parser!(u32).range(1..))]
    k: Vec<u32>,
    /// Names and keys of models; without it they are those of the runs
    #[arg(long, env = "TSBENCH_SITE_CONFIG")]
    config: Option<PathBuf>,
    /// Print what was counted of each model at each task as CSV, and no estimate
    #[arg(long, env = "TSBENCH_CELLS", value_parser = BoolishValueParser::new())]
    cells: bool,
    /// Print every number as JSON
    #[arg(long, env = "TSBENCH_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// Runs `tsbench stats`.
pub fn run(args: &Stats) -> anyhow::Result<Exit> {
    let folder = if args.input.is_file() { args.input.parent().unwrap_or(&args.input) } else { &args.input };
    let data = read(folder)?;
    for fault in &data.faults {
        eprintln!("{fault}");
    }
    if data.has_errors() {
        eprintln!("error: the results have faults, so no number is printed");
        return Ok(Exit::Usage);
    }
    let mut config = match &args.config {
        Some(path) => Config::read(path)?,
        None => Config::plain("results"),
    };
    config.boards = Config::boards_of(&data);
    if args.cells {
        return print_cells(&config, &data);
    }
    let computed = compute(&config, &data, Some(&args.k))?;
    if args.json {
        print_json(&computed, &data)?;
    } else {
        print_table(&computed, &args.k);
    }
    Ok(Exit::Good)
}

/// One line a model and task: what the raw lines say, summed.
fn print_cells(config: &Config, data: &Dataset) -> anyhow::Result<Exit> {
    let mut out = String::from("suite,model,agent,condition,task,attempts,fixed,excluded,priced,cost_usd\n");
    for board in &config.boards {
        let b = Board::gather(config, board, data, &|_| true)?;
        let tasks: Vec<String> = b.tasks.iter().map(|t| csv_field(&t.id)).collect();
        for e in &b.entries {
            let [suite, model, agent, condition] =
                [&b.config.suite, &e.model.id, &e.agent, &e.condition].map(|t| csv_field(t));
            for (task, c) in tasks.iter().zip(&e.cells).filter(|(_, c)| c.n + c.excluded > 0) {
                let cost = dollars(i128::from(c.cost));
                let _ = writeln!(
                    out,
                    "{suite},{model},{agent},{condition},{task},{},{},{},{},{cost}",
                    c.n, c.c, c.excluded, c.priced
                );
            }
        }
    }
    say!("{}", out.trim_end());
    Ok(Exit::Good)
}

/// A text as a field of CSV.
fn csv_field(text: &str) -> String {
    let plain = !text.contains([',', '"', '\n', '\r']);
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

fn print_json(computed: &Computed<'_>, data: &Dataset) -> anyhow::Result<()> {
    let runs: Vec<&str> = data.runs.iter().map(|r| r.run.run.as_str()).collect();
    let order: HashMap<(&str, &str), usize> = computed
        .boards
        .iter()
        .flat_map(|b| {
            let entries = ordered(b, &computed.numbers).into_iter().enumerate();
            entries.map(|(place, e)| ((b.config.id.as_str(), e.key.as_str()), place))
        })
        .collect();
    let boards: HashMap<&str, usize> =
        computed.boards.iter().enumerate().map(|(i, b)| (b.config.id.as_str(), i)).collect();
    let mut numbers: Vec<&Number> = computed.numbers.list().iter().collect();
    // Boards as they stand, and in each what is of the whole, then its entries as the table shows them, then the rest.
    numbers.sort_by_key(|n| {
        let board = n.of.board.as_deref();
        let entry = board.zip(n.of.entry.as_deref()).filter(|_| n.of.versus.is_none());
        let place = entry.and_then(|key| order.get(&key)).map_or(0, |place| place + 1);
        (board.and_then(|b| boards.get(b)).copied().unwrap_or(usize::MAX), n.of.versus.is_some(), place)
    });
    let value: Value = json!({"schema": "tsbench.stats/1", "runs": runs, "numbers": numbers});
    say!("{}", serde_json::to_string_pretty(&value)?);
    Ok(())
}

fn print_table(computed: &Computed<'_>, ks: &[u32]) {
    let ks: BTreeSet<u32> = ks.iter().copied().collect();
    let n = &computed.numbers;
    for b in &computed.boards {
        say!("{}", b.config.suite);
        let wording = b.config.wording();
        let mut heads = vec![
            "rank".to_owned(),
            "model".into(),
            wording.verb.to_owned(),
            "rate".into(),
            "these tasks".into(),
            "tasks like these".into(),
            "other repositories".into(),
            "cost/attempt".into(),
            format!("cost/{}", wording.noun),
            "excluded".into(),
        ];
        for k in &ks {
            heads.extend([format!("pass@{k}"), format!("pass^{k}")]);
        }
        let mut rows = vec![heads];
        // In the order of the board, the best first.
        for e in ordered(b, n) {
            let id = |stat: &str| format!("board.{}.{}.{stat}", b.config.id, e.key);
            let text = |stat: &str| n.text(&id(stat)).to_owned();
            let range = |lo: &str, hi: &str| {
                if n.value(&id(lo)).is_some() { format!("{} to {}", text(lo), text(hi)) } else { "no data".into() }
            };
            let mut row = vec![
                range("rank_lo", "rank_hi"),
                name_of(b, e),
                format!("{} of {}", text("fixed"), text("attempts")),
                text("rate"),
                range("wilson_lo", "wilson_hi"),
                range("taw_lo", "taw_hi"),
                range("repo_lo", "repo_hi"),
                text("cost_per_attempt"),
                text("cost_per_fix"),
                text("excluded"),
            ];
            for k in &ks {
                row.extend([text(&format!("pass_at.{k}")), text(&format!("pass_hat.{k}"))]);
            }
            rows.push(row);
        }
        print_aligned(&rows);
        say!("");
    }
}

/// The entry's name, with agent and condition where several entries bear it.
fn name_of(b: &Board<'_>, e: &Entry) -> String {
    let shared = b.entries.iter().filter(|x| x.name() == e.name()).count() > 1;
    if shared { format!("{} {} {}", e.name(), e.agent, e.condition) } else { e.name().to_owned() }
}

fn print_aligned(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0))
        .collect();
    for row in rows {
        let line: Vec<String> = row.iter().zip(&widths).map(|(text, width)| format!("{text:<width$}")).collect();
        say!("{}", line.join("  ").trim_end());
    }
}
