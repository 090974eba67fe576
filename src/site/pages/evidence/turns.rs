//! The turns of a trajectory: what the model said, what was run, what came of it.

use super::quote::{first_line, number, push_block, push_code, whole};
use super::{Case, push_label};
use crate::schema::Usage;
use crate::site::artifacts::Artifact;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

/// Turns of one attempt on a page.
const MOST_TURNS: usize = 200;
/// Characters of each text of a turn.
const MOST_TEXT: usize = 2000;
/// Calls of tools in one reply, and failed calls of the model.
const MOST_CALLS: usize = 20;
/// Bytes of one attempt's turns on a page.
const MOST_BYTES: usize = 1 << 20;

/// One line of a trajectory, as far as a page shows it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Turn {
    turn: Option<u64>,
    reply: Option<Reply>,
    tool: Option<String>,
    command: Option<String>,
    output: Option<Output>,
    note: Option<String>,
    seconds: Option<f64>,
    usage: Option<Usage>,
    cost_usd: Option<f64>,
    calls: Option<Vec<Call>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reply {
    text: Option<String>,
    tool_calls: Option<Vec<ToolCall>>,
    finish: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToolCall {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Output {
    exit: Option<i64>,
    end: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    cut: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Call {
    status: Option<u64>,
    error: Option<String>,
}

/// Appends the turns after the paragraph that names the file, which is still open.
pub fn push(out: &mut String, case: &Case<'_>, file: &Artifact, bytes: &[u8]) {
    let mut lines = bytes.split(|b| *b == b'\n').filter(|l| !l.is_empty());
    let begin = out.len();
    out.push_str("</p>\n");
    let mut shown = 0;
    for line in lines.by_ref() {
        shown += 1;
        match serde_json::from_slice::<Turn>(line) {
            Ok(turn) => push_turn(out, &turn),
            Err(_) => {
                let _ = writeln!(out, "<p class=\"note\">Line {} is no turn that can be shown.</p>", whole(shown));
            }
        }
        if shown as usize >= MOST_TURNS || out.len() - begin > MOST_BYTES {
            break;
        }
    }
    let more = lines.count() as u64;
    if shown == 0 {
        out.push_str("<p class=\"note\">It is empty: the model was never asked, or the attempt was cut off.</p>\n");
    }
    if more > 0 {
        let href = crate::site::text::escape(&case.href(file));
        let _ = writeln!(
            out,
            "<p class=\"note\">{} more lines are in <a href=\"{href}\">the whole trajectory</a>.</p>",
            whole(more)
        );
    }
}

fn push_turn(out: &mut String, turn: &Turn) {
    out.push_str("<details class=\"turn\"><summary>");
    push_head(out, turn);
    out.push_str("</summary>\n");
    push_measures(out, turn);
    let mut said = "";
    if let Some(reply) = &turn.reply {
        said = reply.text.as_deref().unwrap_or("");
        push_reply(out, reply);
    }
    // An agent of the shell takes its command from the reply: it is not shown twice.
    if let Some(command) = turn.command.as_deref().filter(|c| !said.contains(c.trim())) {
        push_label(out, if turn.tool.is_some() { "Arguments of the tool" } else { "Command" });
        push_block(out, command, MOST_TEXT);
    }
    if let Some(output) = &turn.output {
        push_output(out, output);
    }
    if let Some(note) = turn.note.as_deref().filter(|n| !n.trim().is_empty()) {
        push_label(out, "What the model was told");
        push_block(out, note, MOST_TEXT);
    }
    let failed = turn.calls.iter().flatten().filter(|c| c.error.is_some());
    for call in failed.take(MOST_CALLS) {
        out.push_str("<p class=\"what\">A call of the model failed");
        if let Some(status) = call.status {
            let _ = write!(out, " with status {}", whole(status));
        }
        out.push_str("</p>");
        push_block(out, call.error.as_deref().unwrap_or(""), MOST_TEXT);
    }
    out.push_str("</details>\n");
}

/// What a folded turn shows: its number, what was run, how that ended.
fn push_head(out: &mut String, turn: &Turn) {
    match (turn.turn, &turn.reply) {
        (Some(n), Some(_)) => {
            let _ = write!(out, "Turn {}", whole(n));
        }
        (Some(n), None) if turn.command.is_some() || turn.tool.is_some() => {
            let _ = write!(out, "Turn {}, a further call", whole(n));
        }
        _ => out.push_str("Outside the turns"),
    }
    if let Some(tool) = &turn.tool {
        out.push_str(", tool ");
        push_code(out, tool, 40);
    }
    match &turn.command {
        Some(command) => {
            out.push_str(": ");
            push_code(out, &first_line(command, 80), 90);
        }
        None if turn.reply.is_some() => out.push_str(": no command"),
        None => {}
    }
    if let Some(output) = &turn.output {
        match (&output.end, output.exit) {
            (Some(end), _) => {
                out.push_str(", ended ");
                push_code(out, end, 40);
            }
            (None, Some(exit)) => {
                let _ = write!(out, ", exit <code>{exit}</code>");
            }
            (None, None) => {}
        }
    }
}

/// Time, tokens and cost of a turn, as its line says them.
fn push_measures(out: &mut String, turn: &Turn) {
    let mut parts = Vec::new();
    parts.extend(turn.seconds.map(|s| number(s, " s")));
    parts.extend(turn.usage.map(|u| {
        let (input, output) = (u.input.saturating_add(u.cached_input).saturating_add(u.cache_write), u.output);
        format!("{} tokens in, {} out", whole(input), whole(output))
    }));
    parts.extend(turn.cost_usd.map(|c| format!("cost {}", number(c, " USD"))));
    if !parts.is_empty() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", parts.join(", "));
    }
}

fn push_reply(out: &mut String, reply: &Reply) {
    let text = reply.text.as_deref().unwrap_or("");
    let calls = reply.tool_calls.as_deref().unwrap_or(&[]);
    if !text.trim().is_empty() {
        push_label(out, "Reply");
        push_block(out, text, MOST_TEXT);
    } else if calls.is_empty() {
        out.push_str("<p class=\"what\">An empty reply</p>");
    }
    for call in calls.iter().take(MOST_CALLS) {
        out.push_str("<p class=\"what\">Call of the tool ");
        push_code(out, call.name.as_deref().unwrap_or(""), 80);
        out.push_str("</p>");
        push_block(out, call.arguments.as_deref().unwrap_or(""), MOST_TEXT);
    }
    if calls.len() > MOST_CALLS {
        let _ = writeln!(out, "<p class=\"note\">{} calls in all.</p>", whole(calls.len() as u64));
    }
    match &reply.finish {
        Some(Value::String(word)) if word != "stop" && word != "tools" => {
            out.push_str("<p class=\"note\">The model ended with ");
            push_code(out, word, 80);
            out.push_str(".</p>\n");
        }
        Some(Value::Object(other)) => {
            out.push_str("<p class=\"note\">The model ended with ");
            push_code(out, &Value::Object(other.clone()).to_string(), 80);
            out.push_str(".</p>\n");
        }
        _ => {}
    }
}

fn push_output(out: &mut String, output: &Output) {
    let streams = [("Output", &output.stdout), ("Standard error", &output.stderr)];
    let mut any = false;
    for (label, text) in streams {
        if let Some(text) = text.as_deref().filter(|t| !t.is_empty()) {
            any = true;
            push_label(out, label);
            push_block(out, text, MOST_TEXT);
        }
    }
    if !any {
        out.push_str("<p class=\"what\">No output</p>\n");
    }
    if let Some(cut) = output.cut.filter(|n| *n > 0) {
        let _ = writeln!(out, "<p class=\"note\">{} bytes were cut before the model saw it.</p>", whole(cut));
    }
}
