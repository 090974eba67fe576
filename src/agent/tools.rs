//! The agent `tools`: reading, searching, editing and testing by function calls.

use super::lookup::{Lookup, look_up};
use super::session::{Halt, Session};
use super::tool_calls::{arguments, line, list, of_reply, text};
use super::{AgentError, Output, Step, Stop, Tools, Turn};
use crate::gateway::{GatewayError, Message, Reply, Tool, ToolCall};
use std::time::Instant;

/// Lines that one reading shows.
const MOST_LINES: usize = 400;
/// Bytes of a pattern: below what one argument of a program may have.
const MOST_PATTERN: usize = 16 << 10;
/// Bytes of a path: as many as a kernel takes.
const MOST_PATH: usize = 4095;

/// Works until something ends it.
pub(super) async fn run(session: &mut Session<'_>) -> Result<Stop, Halt> {
    let instructions = session.instructions()?;
    session.messages.push(Message::system(session.text("tools/system.md", &[("instructions", &instructions)])?));
    session.messages.push(Message::user(session.text("tools/first.md", &[])?));
    let mut tools = list();
    loop {
        let begun = Instant::now();
        let reply = ask(session, &mut tools).await?;
        let calls = of_reply(&reply);
        if calls.is_empty() {
            let seconds = begun.elapsed().as_secs_f64();
            session.keep(&Turn {
                reply: Some(&reply),
                note: Some("no tool was called"),
                seconds,
                ..Turn::default()
            })?;
            let told = session.text("tools/no_call.md", &[])?;
            session.messages.push(Message::user(told));
            continue;
        }
        let mut end = None;
        for (i, (id, call)) in calls.iter().enumerate() {
            let of = (i == 0).then_some(&reply);
            // What a reply asks for after the end is answered, since each call needs an answer, and not done.
            let (told, stop) = if end.is_some() {
                ("not done: the work is over".to_owned(), None)
            } else {
                carry_out(session, call, of, begun).await?
            };
            end = end.or(stop);
            session.messages.push(match id {
                Some(id) => Message::tool(*id, told),
                None => Message::user(session.text("tools/result.md", &[("tool", &call.name), ("stdout", &told)])?),
            });
        }
        if let Some(stop) = end {
            return Ok(stop);
        }
    }
}

/// Asks with function calling; a provider that does not know it is asked without from then on, and the model is told
/// to write its calls as JSON.
async fn ask(session: &mut Session<'_>, tools: &mut Vec<Tool>) -> Result<Reply, Halt> {
    let first = session.trace.turns() == 0 && !tools.is_empty();
    match session.ask(tools).await {
        Err(Halt::Fault(AgentError::Gateway(GatewayError::BadRequest { .. } | GatewayError::Server { .. })))
            if first =>
        {
            let described: Vec<String> =
                tools.iter().map(|t| format!("- {}: {} Arguments: {}", t.name, t.description, t.parameters)).collect();
            let how = session.text("tools/json.md", &[("what", &described.join("\n"))])?;
            if let Some(system) = session.messages.first_mut() {
                system.text.push_str(&how);
            }
            tools.clear();
            session.ask(tools).await
        }
        end => end,
    }
}

type Told = (String, Option<Stop>);

async fn carry_out(
    session: &mut Session<'_>,
    call: &ToolCall,
    reply: Option<&Reply>,
    begun: Instant,
) -> Result<Told, Halt> {
    let turn = Turn { reply, tool: Some(&call.name), command: Some(&call.arguments), ..Turn::default() };
    if call.name == Tools::SUBMIT {
        let stop = session.submit().await?;
        let note = if stop.is_some() { "submitted" } else { "nothing was changed" };
        session.keep(&Turn { note: Some(note), seconds: begun.elapsed().as_secs_f64(), ..turn })?;
        let note = session.submission_note.clone();
        return Ok((session.text("tools/unchanged.md", &[("left_out", &note)])?, stop));
    }
    let step = session.repetition.next(&format!("{} {}", call.name, call.arguments));
    if step == Step::TooOften {
        let seconds = begun.elapsed().as_secs_f64();
        session.keep(&Turn { note: Some("the same call again"), seconds, ..turn })?;
        return Ok(("the same call again".into(), Some(Stop::RepeatedCommand)));
    }
    let output = done(session, call).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let ran = matches!(call.name.as_str(), Tools::RUN | "run_tests");
    let command = if call.name == Tools::RUN { arguments(call).ok() } else { None };
    let command = command.as_ref().and_then(|m| text(m, "command").ok()).unwrap_or(&call.arguments);
    session.keep(&Turn { output: Some(output.clone()), seconds, command: Some(command), ..turn })?;
    let mut told = if ran { format!("exit code {}\n", output.exit) } else { String::new() };
    told.push_str(&output.stdout);
    if !output.stderr.is_empty() {
        told.push_str(&format!("\n[standard error]\n{}", output.stderr));
    }
    if step == Step::Again {
        told.push_str(&session.text("tools/repeated.md", &[])?);
    }
    Ok((told, None))
}

/// What a tool gives. What the model asks wrongly is an answer for it, never a fault.
async fn done(session: &mut Session<'_>, call: &ToolCall) -> Result<Output, AgentError> {
    let map = match arguments(call) {
        Ok(map) => map,
        Err(why) => return Ok(refused(why)),
    };
    let named = |name: &str| text(&map, name).map(str::to_owned);
    Ok(match call.name.as_str() {
        "read_file" => match named("path").and_then(|p| inside(&p)) {
            Ok(path) => read(session, &path, line(&map, "first_line"), line(&map, "last_line")).await?,
            Err(why) => refused(why),
        },
        "search" => {
            let at = map.get("path").and_then(|p| p.as_str()).filter(|p| !p.is_empty()).unwrap_or(".");
            match (named("pattern"), if at == "." { Ok(at.to_owned()) } else { inside(at) }) {
                (Ok(pattern), Ok(path)) => search(session, &pattern, &path).await?,
                (Err(why), _) | (_, Err(why)) => refused(why),
            }
        }
        "edit_file" => match (named("path").and_then(|p| inside(&p)), named("old"), named("new")) {
            (Ok(path), Ok(old), Ok(new)) => edit(session, &path, &old, &new).await?,
            (Err(why), _, _) | (_, Err(why), _) | (_, _, Err(why)) => refused(why),
        },
        Tools::RUN => match named("command") {
            Ok(command) => session.run(&command).await?,
            Err(why) => refused(why),
        },
        "run_tests" => {
            let tests = session.work.tests.to_owned();
            session.run(&tests).await?
        }
        other => refused(format!("there is no tool {other:?}")),
    })
}

fn refused(why: String) -> Output {
    Output { exit: 1, end: None, stdout: String::new(), stderr: why, cut: 0 }
}

fn said(text: String) -> Output {
    Output { exit: 0, end: None, stdout: text, stderr: String::new(), cut: 0 }
}

/// A path below the workspace, without anything that leads elsewhere.
fn inside(path: &str) -> Result<String, String> {
    let path = path.strip_prefix("/workspace/").unwrap_or(path);
    let parts: Vec<&str> = path.split('/').filter(|p| !matches!(*p, "" | ".")).collect();
    if path.len() > MOST_PATH {
        return Err(format!("a path has at most {MOST_PATH} bytes"));
    }
    if path.starts_with('/') || parts.is_empty() || parts.contains(&"..") || path.contains('\0') {
        return Err(format!("{path:?} is no path below the root of the repository"));
    }
    Ok(parts.join("/"))
}

async fn read(
    session: &mut Session<'_>,
    path: &str,
    first: Option<usize>,
    last: Option<usize>,
) -> Result<Output, AgentError> {
    let bytes = match look_up(session.sandbox, path).await? {
        Lookup::Found(_, bytes) => bytes,
        Lookup::Missing(_) => return Ok(refused(format!("there is no {path}"))),
        Lookup::Unusable(why) => return Ok(refused(format!("{path}: {why}"))),
    };
    let text = String::from_utf8_lossy(&bytes);
    let (all, first) = (text.lines().count(), first.unwrap_or(1).max(1));
    if first > all.max(1) {
        return Ok(refused(format!("{path} has {all} lines")));
    }
    let last = last.unwrap_or(usize::MAX).min(first.saturating_add(MOST_LINES - 1)).min(all);
    let mut shown: String =
        text.lines().enumerate().take(last).skip(first - 1).map(|(i, l)| format!("{:>5}  {l}\n", i + 1)).collect();
    if last < all || first > 1 {
        shown.push_str(&format!("(lines {first} to {last} of {all})\n"));
    }
    let (shown, cut) = super::cut(shown.as_bytes(), b"", 0, session.means.limits.stream_characters.saturating_mul(4));
    Ok(Output { cut, ..said(shown) })
}

async fn search(session: &mut Session<'_>, pattern: &str, path: &str) -> Result<Output, AgentError> {
    // A single dash would be the standard input.
    let path = if path == "-" { "./-" } else { path };
    let skipped = ["--exclude-dir=.git", "--exclude-dir=node_modules", "--devices=skip"];
    let words = ["grep", "-rnIE"].into_iter().chain(skipped).chain(["-e", pattern, "--", path]);
    let words: Vec<&str> = words.collect();
    if pattern.contains('\0') || pattern.len() > MOST_PATTERN {
        return Ok(refused(format!("a pattern has at most {MOST_PATTERN} bytes, and no NUL")));
    }
    let found = session.exec(&words).await?;
    if found.exit == 1 { Ok(refused("nothing was found".into())) } else { Ok(found) }
}

async fn edit(session: &mut Session<'_>, path: &str, old: &str, new: &str) -> Result<Output, AgentError> {
    let written = match (look_up(session.sandbox, path).await?, old.is_empty()) {
        (Lookup::Unusable(why), _) => Err(why),
        (Lookup::Found(..), true) => Err("is there: say which text to replace".to_owned()),
        (Lookup::Missing(_), false) => return Ok(refused(format!("there is no {path}"))),
        (Lookup::Missing(place), true) => place.create(session.sandbox, new.as_bytes().to_vec()).await?,
        (Lookup::Found(file, bytes), false) => match replaced(&bytes, old.as_bytes(), new.as_bytes()) {
            Ok(bytes) => file.replace(session.sandbox, bytes).await?,
            Err(count) => return Ok(refused(format!("the old text occurs {count} times in {path}; it must once"))),
        },
    };
    Ok(match written {
        Ok(()) => said(format!("{path} was written")),
        Err(why) => refused(format!("{path}: {why}")),
    })
}

/// The bytes with the one occurrence of a text replaced, or how often it occurs.
fn replaced(bytes: &[u8], old: &[u8], new: &[u8]) -> Result<Vec<u8>, usize> {
    let found: Vec<usize> = memchr::memmem::find_iter(bytes, old).collect();
    match found.as_slice() {
        [at] => Ok([&bytes[..*at], new, &bytes[at + old.len()..]].concat()),
        other => Err(other.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_nowhere_else() {
        for (path, good) in [
            ("a/b.py", Some("a/b.py")),
            ("./a//b", Some("a/b")),
            ("/workspace/a", Some("a")),
            ("/etc/passwd", None),
            ("a/../../b", None),
            ("", None),
            (".", None),
            ("a\0b", None),
            (&"a/".repeat(3000), None),
        ] {
            assert_eq!(inside(path).ok().as_deref(), good, "{path:?}");
        }
    }

    #[test]
    fn an_edit_needs_a_text_that_occurs_once() {
        assert_eq!(replaced(b"a b c", b"b", b"xx"), Ok(b"a xx c".to_vec()));
        assert_eq!(replaced(b"a b b", b"b", b"x"), Err(2));
        assert_eq!(replaced(b"a", b"b", b"x"), Err(0));
    }
}
