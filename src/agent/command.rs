//! Agents that are programs: run inside, with the model as the only place that they can reach.
//!
//! The program speaks to an address of its own machine. A bridge inside hands each request to a socket, the harness adds
//! the key and passes it on, and what it may cost and how often it may ask is watched here.

use super::budget::Metered;
use super::door::{Door, Knock, SOCKET};
use super::program::{Names, PROGRAM, Program};
use super::session::{Halt, Session, shown, worst};
use super::{AgentError, Stop, Trace, Turn};
use crate::gateway::{GatewayError, Passed, Relay};
use crate::sandbox::{Command, End, File, SOCKETS, Sandbox};
use std::time::Instant;

const BRIDGE: &[u8] = include_bytes!("bridge.pl");
/// Folder of the bridge and of the problem.
const BESIDE: &str = "/home/agent/bridge";
/// What stands where a program expects a key.
const NO_KEY: &str = "no-key-is-needed-here";

/// What a program works with.
pub struct Way<'a> {
    /// The program.
    pub program: &'a Program,
    /// The way to its model.
    pub relay: &'a dyn Relay,
    /// Where its requests arrive.
    pub door: &'a mut Door,
}

/// What was seen of the requests.
#[derive(Default)]
struct Seen {
    /// The limit that refused a request.
    limit: Option<Stop>,
    /// The fault of the newest request.
    fault: Option<GatewayError>,
    /// A request was passed on or refused for a limit.
    asked: bool,
}

/// Puts a program's files into a sandbox.
pub async fn put_program(program: &Program, sandbox: &mut dyn Sandbox) -> Result<(), AgentError> {
    Ok(sandbox.put(&program.files, PROGRAM).await?)
}

/// Runs the lines that install a program; what they say where one of them fails.
pub async fn install_program(
    program: &Program,
    sandbox: &mut dyn Sandbox,
    env: &[(String, String)],
    seconds: u64,
) -> Result<(), AgentError> {
    put_program(program, sandbox).await?;
    for line in &program.install {
        let command = Command { dir: PROGRAM.to_owned(), env: env.to_vec(), seconds, ..Command::shell(line) };
        let done = sandbox.exec(&command).await?;
        if !done.end.good() {
            let log = format!("{}\n{}", done.stdout.text(), done.stderr.text());
            let tail: Vec<&str> = log.lines().rev().take(20).collect();
            let log = tail.into_iter().rev().collect::<Vec<_>>().join("\n");
            return Err(AgentError::Install { program: program.name.clone(), line: line.clone(), log });
        }
    }
    Ok(())
}

/// Works until the program ends or is ended.
pub(super) async fn run(session: &mut Session<'_>, way: &mut Way<'_>) -> Result<Stop, Halt> {
    let instructions = session.instructions()?;
    let problem = session.text("command/first.md", &[("instructions", &instructions)])?;
    let files = [File::new("bridge.pl", BRIDGE.to_vec()), File::new("problem.md", problem.into_bytes())];
    session.sandbox.put(&files, BESIDE).await.map_err(AgentError::from)?;
    let command = command(session, way);
    let shown_command = command.words[3..].join(" ");
    let begun = Instant::now();
    let (means, left) = (session.means, session.left());
    let mut seen = Seen::default();
    let done = {
        let (sandbox, trace) = (&mut *session.sandbox, &mut *session.trace);
        let running = sandbox.exec(&command);
        tokio::pin!(running);
        loop {
            let knock = tokio::select! {
                done = &mut running => break done,
                Some(knock) = way.door.next() => knock,
            };
            let passing = pass(knock, way.relay, means, trace, left - begun.elapsed().as_secs_f64(), &mut seen);
            tokio::pin!(passing);
            let done = tokio::select! {
                done = &mut running => Some(done),
                end = &mut passing => { end?; None }
            };
            if let Some(done) = done {
                // The call may be paid for: it is waited for and told.
                passing.await?;
                break done;
            }
        }
    }
    .map_err(AgentError::from)?;
    let end = done.end;
    let output = shown(&done, command.seconds, means.limits.stream_characters);
    let seconds = begun.elapsed().as_secs_f64();
    let log = output.stderr.clone();
    session.keep(&Turn { command: Some(&shown_command), output: Some(output), seconds, ..Turn::default() })?;
    if matches!(end, End::Exit(code) if code != 0) && !seen.asked {
        // The model had no part in it: the program could not even begin.
        let tail: String = log.chars().skip(log.chars().count().saturating_sub(500)).collect();
        let program = way.program.name.clone();
        return Err(AgentError::Program { program, end: format!("{end:?}"), log: tail }.into());
    }
    stop_of(&end, seen)
}

/// Why the work is over. A program that failed after a fault of the provider is no failure of the model.
fn stop_of(end: &End, seen: Seen) -> Result<Stop, Halt> {
    match (end, seen) {
        (End::TimedOut, _) => Ok(Stop::TimeLimit),
        (_, Seen { limit: Some(stop), .. }) => Ok(stop),
        (End::Exit(0), _) => Ok(Stop::Submitted),
        (_, Seen { fault: Some(GatewayError::ContextOverflow { .. }), .. }) => Ok(Stop::ContextLimit),
        (_, Seen { fault: Some(fault), .. }) => Err(fault.into()),
        _ => Ok(Stop::AgentFailed),
    }
}

fn command(session: &Session<'_>, way: &Way<'_>) -> Command {
    let inside = |path: &str| session.sandbox.path(path);
    let (program, problem) = (inside(PROGRAM), inside(&format!("{BESIDE}/problem.md")));
    let names = Names { program: &program, problem: &problem, model: &way.relay.entry().id };
    let mut words = vec!["perl".to_owned(), inside(&format!("{BESIDE}/bridge.pl"))];
    words.push(inside(&format!("{SOCKETS}/{SOCKET}")));
    words.extend(way.program.command.iter().map(|word| names.fill(word)));
    let mut env = session.work.env.to_vec();
    let plain = "http://127.0.0.1:{port}";
    let own = [
        ("OPENAI_BASE_URL", "http://127.0.0.1:{port}/v1"),
        ("OPENAI_API_BASE", "http://127.0.0.1:{port}/v1"),
        ("OPENAI_API_KEY", NO_KEY),
        ("ANTHROPIC_BASE_URL", plain),
        ("ANTHROPIC_API_KEY", NO_KEY),
        ("OLLAMA_HOST", plain),
        ("TSBENCH_ENDPOINT", plain),
        ("TSBENCH_MODEL", names.model),
        ("TSBENCH_PROBLEM", names.problem),
        ("TSBENCH_TESTS", session.work.tests),
    ];
    env.extend(own.map(|(name, value)| (name.to_owned(), value.to_owned())));
    env.extend(way.program.env.iter().map(|(name, value)| (name.clone(), names.fill(value))));
    let limits = session.means.limits;
    Command { env, seconds: limits.agent_seconds, output_bytes: limits.stream_characters * 8, ..Command::new(words) }
}

/// Passes one request on, within what the attempt and the run may still use.
async fn pass(
    knock: Knock,
    relay: &dyn Relay,
    means: &super::Means<'_>,
    trace: &mut Trace,
    left: f64,
    seen: &mut Seen,
) -> Result<(), AgentError> {
    seen.asked = true;
    let begun = Instant::now();
    let (limits, entry) = (means.limits, relay.entry());
    let most_output = limits.max_output_tokens.min(entry.max_output_tokens);
    // The whole body stands for what is read: at most one token a byte.
    let worst = worst(entry, knock.asked.body.len(), most_output, None);
    let before = *trace.spent();
    let may_cost = before.known_usd + before.without_cost as f64 * worst + worst;
    let limit = if trace.turns() >= limits.turns {
        Some((Stop::TurnLimit, "the attempt has had all its replies"))
    } else if left <= 0.0 {
        Some((Stop::TimeLimit, "the attempt's time is over"))
    } else if limits.attempt_budget_usd.is_some_and(|most| may_cost > most) {
        Some((Stop::CostLimit, "the attempt's budget is spent"))
    } else {
        None
    };
    let reserved = match limit {
        None => means.budget.reserve(worst).ok_or((Stop::RunBudget, "the run's budget is spent")),
        Some(limit) => Err(limit),
    };
    let mut reserved = match reserved {
        Ok(reserved) => reserved,
        Err((stop, why)) => {
            seen.limit = Some(stop);
            // A program that is gone asks no more.
            knock.answer.send(Passed::refused(403, why)).ok();
            return Ok(());
        }
    };
    let mut metered = Metered::new(trace, &mut reserved, worst, limits.attempt_budget_usd);
    let passed = relay.pass(&knock.asked, most_output, left, &mut metered).await;
    let after = trace.spent();
    let unknown = (after.without_cost - before.without_cost) as f64 * worst;
    reserved.settle(after.known_usd - before.known_usd + unknown);
    seen.fault.clone_from(&passed.error);
    let note = passed.error.as_ref().map(|e| e.class());
    let seconds = begun.elapsed().as_secs_f64();
    if passed.reply.is_some() || passed.error.is_some() {
        trace.step(&Turn { reply: passed.reply.as_ref(), note, seconds, ..Turn::default() })?;
    }
    knock.answer.send(passed).ok(); // as above
    Ok(())
}
