use super::Exit;
use super::say;
use crate::attempts::{Cell, folder_of, parse};
use crate::schema::{Attempt, not_scored};
use anyhow::Context;
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Print one attempt readably: its line, its turns, its patch.
#[derive(Args, Debug)]
pub struct Show {
    /// The attempt's folder, such as results/RUN/artifacts/TASK/MODEL/0
    #[arg(env = "TSBENCH_ATTEMPT")]
    attempt: PathBuf,
    /// Print every output whole
    #[arg(long, env = "TSBENCH_WHOLE", value_parser = clap::builder::BoolishValueParser::new())]
    whole: bool,
}

/// Lines of an output that are shown.
const MOST_LINES: usize = 12;

/// Runs `tsbench show`.
pub fn run(args: &Show) -> anyhow::Result<Exit> {
    let folder = if args.attempt.is_file() { args.attempt.parent().unwrap_or(Path::new(".")) } else { &args.attempt };
    let trajectory = folder.join("trajectory.jsonl");
    let text = std::fs::read_to_string(&trajectory).with_context(|| {
        let hint = "hint: name the folder of an attempt, such as results/RUN/artifacts/TASK/MODEL/0";
        format!("read {}\n{hint}", trajectory.display())
    })?;
    match line_of(folder)? {
        Some(line) => head(&line),
        None => say!("no line tells of this attempt: it did not end, or this is an earlier try"),
    }
    for (i, line) in text.lines().enumerate() {
        match serde_json::from_str::<Value>(line) {
            Ok(turn) => step(&turn, args.whole),
            Err(e) => say!("\nline {} cannot be read: {e}", i + 1),
        }
    }
    match std::fs::read(folder.join("patch.diff")) {
        Ok(patch) => say!("\npatch\n{}", printable(String::from_utf8_lossy(&patch).trim_end())),
        Err(_) => say!("\nno patch"),
    }
    Ok(Exit::Good)
}

/// The line that tells of a folder, from the run's file above it; the last where there are several.
fn line_of(folder: &Path) -> anyhow::Result<Option<Attempt>> {
    let folder = folder.canonicalize()?;
    let Some(run) = folder.ancestors().find(|a| a.join("attempts.jsonl").is_file()) else { return Ok(None) };
    let file = run.join("attempts.jsonl");
    let bytes = std::fs::read(&file)?;
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |i| i + 1);
    let is_it = |l: &Attempt| {
        let (task, model, condition) = (l.task.clone(), l.model.clone(), l.condition.clone());
        run.join(folder_of(&Cell { task, model, condition, repeat: l.repeat })) == folder
    };
    Ok(parse(&bytes[..whole], &file)?.into_iter().rfind(is_it))
}

fn head(line: &Attempt) {
    let unknown = || "unknown".to_owned();
    say!("{} · {} · {} · repeat {} · {}", line.task, line.model, line.agent, line.repeat, line.condition);
    say!("outcome {} · stop {}", line.outcome, line.stop.as_deref().unwrap_or("-"));
    if !line.served_models.is_empty() {
        say!("answered as {}", printable(&line.served_models.join(", ")));
    }
    let lost = line.patch.as_ref().and_then(|p| not_scored(&p.dropped, &p.put_back));
    lost.iter().for_each(|lost| say!("not scored, {}", printable(lost)));
    if let Some(t) = &line.tests {
        say!("targets {} of {} · guards {} of {}", t.targets.passed, t.targets.total, t.guards.passed, t.guards.total);
    }
    if let Some(score) = &line.score {
        say!("checks {} of {}", score.passed, score.total);
    }
    let tokens = line.usage.map_or_else(unknown, |u| {
        format!("{} in, {} cached, {} out, {} requests", u.input, u.cached_input, u.output, u.requests)
    });
    say!("tokens {tokens} · cost {}", line.cost_usd.map_or_else(unknown, |usd| format!("${usd:.6}")));
    let seconds = line.seconds.unwrap_or_default();
    let shown = |s: Option<f64>| s.map_or("-".to_owned(), |s| format!("{s:.1} s"));
    say!("agent {} · tests {} · all {}", shown(seconds.agent), shown(seconds.tests), shown(seconds.total));
    if let Some(e) = &line.error {
        say!("{}: {}", e.class, printable(&e.message));
    }
}

fn step(turn: &Value, whole: bool) {
    let text = |pointer: &str| turn.pointer(pointer).and_then(Value::as_str).unwrap_or("");
    if turn["reply"].is_object() {
        say!("\n── turn {} · {} ──", turn["turn"], text("/at"));
        say!("{}", printable(text("/reply/text").trim_end()));
    }
    if let Some(command) = turn["command"].as_str() {
        let tool = turn["tool"].as_str().map(|t| format!("{t} ")).unwrap_or_default();
        say!("$ {tool}{}", printable(command));
    }
    if let Some(output) = turn["output"].as_object() {
        for name in ["stdout", "stderr"] {
            let text = output.get(name).and_then(Value::as_str).unwrap_or("");
            shown(name, text, whole);
        }
        say!("exit {}", output.get("exit").unwrap_or(&Value::Null));
    }
    if let Some(note) = turn["note"].as_str() {
        say!("({})", printable(note));
    }
    for call in turn["calls"].as_array().into_iter().flatten().filter(|c| c["error"].is_string()) {
        say!("call failed: {}", printable(call["error"].as_str().unwrap_or("")));
    }
}

fn shown(name: &str, text: &str, whole: bool) {
    let lines: Vec<&str> = text.lines().collect();
    let most = if whole { usize::MAX } else { MOST_LINES };
    for line in lines.iter().take(most) {
        say!("  {name}│ {}", printable(line));
    }
    if lines.len() > most {
        say!("  {name}│ … {} more lines; --whole shows them", lines.len() - most);
    }
}

/// What a terminal would obey is shown instead: text from models is hostile.
fn printable(text: &str) -> String {
    text.chars().map(|c| if (c.is_control() && c != '\n' && c != '\t') || turns(c) { '\u{fffd}' } else { c }).collect()
}

/// Characters that change the direction of what follows, so that a line reads as another.
fn turns(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}')
}
