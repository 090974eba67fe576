//! The agent `shell`: one command a turn, in one fenced block.

use super::session::{Halt, Session};
use super::{Output, Step, Stop, Turn, last_command};
use crate::gateway::Message;
use std::time::Instant;

/// Works until something ends it.
pub(super) async fn run(session: &mut Session<'_>) -> Result<Stop, Halt> {
    let instructions = session.instructions()?;
    // Some providers refuse a conversation that begins with a system message alone: all of it is the user's.
    let first = session.text("shell/first.md", &[("instructions", &instructions)])?;
    session.messages.push(Message::user(first));
    loop {
        let begun = Instant::now();
        let reply = session.ask(&[]).await?;
        let command = last_command(&reply.text);
        let mut turn = Turn { reply: Some(&reply), command: command.as_deref(), ..Turn::default() };
        let Some(command) = command.as_deref() else {
            turn.note = Some("no command");
            turn.seconds = begun.elapsed().as_secs_f64();
            session.keep(&turn)?;
            tell(session, "shell/no_command.md", &[])?;
            continue;
        };
        if command.trim() == super::SUBMIT {
            let stop = session.submit().await?;
            turn.note = Some(if stop.is_some() { "submitted" } else { "nothing was changed" });
            turn.seconds = begun.elapsed().as_secs_f64();
            session.keep(&turn)?;
            match stop {
                Some(stop) => return Ok(stop),
                None => {
                    let note = session.submission_note.clone();
                    tell(session, "shell/unchanged.md", &[("left_out", &note)])?;
                }
            }
            continue;
        }
        let step = session.repetition.next(command);
        if step == Step::TooOften {
            turn.note = Some("the same command again");
            turn.seconds = begun.elapsed().as_secs_f64();
            session.keep(&turn)?;
            return Ok(Stop::RepeatedCommand);
        }
        let output = session.run(command).await?;
        turn.output = Some(output.clone());
        turn.seconds = begun.elapsed().as_secs_f64();
        session.keep(&turn)?;
        observe(session, command, &output, step)?;
    }
}

fn tell(session: &mut Session<'_>, name: &str, values: &[(&str, &str)]) -> Result<(), Halt> {
    let text = session.text(name, values)?;
    session.messages.push(Message::user(text));
    Ok(())
}

fn observe(session: &mut Session<'_>, command: &str, output: &Output, step: Step) -> Result<(), Halt> {
    let exit = output.exit.to_string();
    let values = [("command", command), ("end", exit.as_str()), ("stdout", &output.stdout), ("stderr", &output.stderr)];
    let mut text = session.text("shell/observation.md", &values)?;
    if step == Step::Again {
        text.push_str(&session.text("shell/repeated.md", &[])?);
    }
    session.messages.push(Message::user(text));
    Ok(())
}
