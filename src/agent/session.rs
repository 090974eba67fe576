//! What all agents have in common: asking the model within time and money, and running commands.

use super::budget::Metered;
use super::work::{Means, Work, taken};
use super::{AgentError, Output, Repetition, Stop, Taken, Trace, Turn, Unpatched, cut};
use crate::gateway::{Finish, GatewayError, Message, ModelEntry, Reply, Request, Tool};
use crate::sandbox::{Command, End, Finished, Sandbox, SandboxError};
use std::time::Instant;

/// Bytes of a command: below what one argument of a program may have.
const MOST_COMMAND: usize = 120_000;

/// Why an agent's loop ended.
pub(super) enum Halt {
    /// As agents end.
    Stop(Stop),
    /// A fault of ours or of the provider.
    Fault(AgentError),
}

impl<E: Into<AgentError>> From<E> for Halt {
    fn from(e: E) -> Halt {
        Halt::Fault(e.into())
    }
}

/// One attempt at work.
pub(super) struct Session<'a> {
    pub work: &'a Work<'a>,
    pub means: &'a Means<'a>,
    pub sandbox: &'a mut dyn Sandbox,
    pub trace: &'a mut Trace,
    pub messages: Vec<Message>,
    pub repetition: Repetition,
    /// Seconds of failed tries of requests and of waits between them, and of readings of the workspace.
    pub waited: f64,
    begun: Instant,
    /// Bytes of the last request, and the tokens that they were.
    measured: Option<(usize, u64)>,
    refused_submission: bool,
    /// The patch that was handed in.
    pub handed_in: Option<Result<Taken, Unpatched>>,
    /// What a submission without a change is told beside that: the files that no patch can have.
    pub submission_note: String,
}

impl<'a> Session<'a> {
    pub fn new(
        work: &'a Work<'a>,
        means: &'a Means<'a>,
        sandbox: &'a mut dyn Sandbox,
        trace: &'a mut Trace,
    ) -> Session<'a> {
        Session {
            work,
            means,
            sandbox,
            trace,
            messages: Vec::new(),
            repetition: Repetition::new(means.limits.same_commands),
            waited: 0.0,
            begun: Instant::now(),
            measured: None,
            refused_submission: false,
            handed_in: None,
            submission_note: String::new(),
        }
    }

    /// Seconds that are left of the attempt's time.
    pub fn left(&self) -> f64 {
        self.means.limits.agent_seconds as f64 - (self.begun.elapsed().as_secs_f64() - self.waited)
    }

    /// A prompt text with what every text may use, and more.
    pub fn text(&self, name: &str, more: &[(&str, &str)]) -> Result<String, AgentError> {
        let limits = self.means.limits;
        let (turns, minutes) = (limits.turns.to_string(), limits.agent_seconds.div_ceil(60).to_string());
        let (turn, command_seconds) = (self.trace.turns().to_string(), limits.command_seconds.to_string());
        let mut values = vec![
            ("command_seconds", command_seconds.as_str()),
            ("home", self.work.home),
            ("language", self.work.language),
            ("minutes", &minutes),
            ("problem", self.work.problem.trim()),
            ("submit", super::SUBMIT),
            ("tests", self.work.tests),
            ("turn", &turn),
            ("turns", &turns),
        ];
        values.extend(more);
        self.means.prompts.fill(name, &values)
    }

    /// The instructions for the task's language.
    pub fn instructions(&self) -> Result<String, AgentError> {
        Ok(self.text(&format!("language/{}.md", self.work.language), &[])?.trim_end().to_owned())
    }

    /// The next reply, which also joins the conversation.
    pub async fn ask(&mut self, tools: &[Tool]) -> Result<Reply, Halt> {
        let limits = self.means.limits;
        if self.trace.turns() >= limits.turns {
            return Err(Halt::Stop(Stop::TurnLimit));
        }
        let left = self.left();
        if left <= 0.0 {
            return Err(Halt::Stop(Stop::TimeLimit));
        }
        let entry = self.means.gateway.entry();
        let max_output_tokens = limits.max_output_tokens.min(entry.max_output_tokens);
        let request =
            Request { messages: self.messages.clone(), tools: tools.to_vec(), max_output_tokens, seconds_left: left };
        let bytes = bytes_of(&request);
        let worst = worst(entry, bytes, max_output_tokens, self.measured);
        let before = *self.trace.spent();
        let unknown = before.without_cost as f64 * worst;
        if let Some(budget) = limits.attempt_budget_usd.filter(|most| before.known_usd + unknown + worst > *most) {
            if self.trace.turns() == 0 && before.known_usd + unknown == 0.0 {
                // No model could have done anything with it.
                return Err(Halt::Fault(AgentError::Budget { budget, first: worst }));
            }
            return Err(Halt::Stop(Stop::CostLimit));
        }
        let Some(mut reserved) = self.means.budget.reserve(worst) else { return Err(Halt::Stop(Stop::RunBudget)) };
        let asked = Instant::now();
        let mut metered = Metered::new(self.trace, &mut reserved, worst, limits.attempt_budget_usd);
        let end = self.means.gateway.complete(&request, &mut metered).await;
        let after = self.trace.spent();
        // A call of unknown cost may have cost all that it could.
        reserved.settle(after.known_usd - before.known_usd + (after.without_cost - before.without_cost) as f64 * worst);
        let reply = match end {
            Ok(reply) => reply,
            Err(GatewayError::ContextOverflow { .. }) => return Err(Halt::Stop(Stop::ContextLimit)),
            Err(GatewayError::OutOfTime { .. }) => return Err(Halt::Stop(Stop::TimeLimit)),
            Err(e) => return Err(e.into()),
        };
        self.waited += reply.waited_seconds.clamp(0.0, asked.elapsed().as_secs_f64());
        self.measured = reply.usage.map(|u| (bytes, u.input + u.cached_input + u.cache_write)).filter(|m| m.1 > 0);
        let mut message = Message::assistant(&reply);
        if reply.is_empty() {
            // Providers refuse a message of nothing.
            message.text = if reply.finish == Finish::Refusal { "(refused)" } else { "(no output)" }.to_owned();
        }
        self.messages.push(message);
        Ok(reply)
    }

    /// Runs a line of the shell.
    pub async fn run(&mut self, command: &str) -> Result<Output, AgentError> {
        if command.len() > MOST_COMMAND || command.contains('\0') {
            let why = format!("a command has at most {MOST_COMMAND} bytes, and no NUL");
            return Ok(Output { exit: 126, end: None, stdout: String::new(), stderr: why, cut: 0 });
        }
        self.exec(&["bash", "-c", command]).await
    }

    /// Runs a program.
    pub async fn exec(&mut self, words: &[&str]) -> Result<Output, AgentError> {
        let most = self.means.limits.stream_characters;
        let seconds = self.means.limits.command_seconds.min(self.left().ceil().max(1.0) as u64);
        let command = Command {
            env: self.work.env.to_vec(),
            seconds,
            output_bytes: most.saturating_mul(8),
            ..Command::new(words.iter().copied())
        };
        match self.sandbox.exec(&command).await {
            Ok(done) => Ok(shown(&done, seconds, most)),
            // The words were checked: what is wrong is the folder that the agent left.
            Err(SandboxError::BadInput { what }) => {
                Ok(Output { exit: 126, end: None, stdout: String::new(), stderr: what, cut: 0 })
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Takes a submission: one without any change is sent back once.
    pub async fn submit(&mut self) -> Result<Option<Stop>, AgentError> {
        let begun = Instant::now();
        let taken = taken(self.work, self.sandbox).await?;
        self.waited += begun.elapsed().as_secs_f64();
        let changed = !matches!(&taken, Ok(taken) if taken.patch.is_empty());
        self.submission_note = match &taken {
            Ok(taken) if !taken.left_out.is_empty() => {
                format!(
                    "\nThese files cannot be part of a patch, and count as unchanged: {}",
                    taken.left_out.join("; ")
                )
            }
            Ok(_) | Err(_) => String::new(),
        };
        self.handed_in = Some(taken);
        if changed || std::mem::replace(&mut self.refused_submission, true) {
            return Ok(Some(Stop::Submitted));
        }
        Ok(None)
    }

    /// Keeps one step.
    pub fn keep(&mut self, turn: &Turn<'_>) -> Result<(), AgentError> {
        self.trace.step(turn)
    }
}

/// The most that a call can cost, with at most one token a byte of what was not measured before; 0 without a price.
/// `measured` are the bytes of an earlier part of the request, and the tokens that they were.
pub(super) fn worst(entry: &ModelEntry, bytes: usize, output: u64, measured: Option<(usize, u64)>) -> f64 {
    let Some(price) = entry.price else { return 0.0 };
    let input = match measured {
        Some((known, tokens)) => tokens + bytes.saturating_sub(known) as u64,
        None => bytes as u64,
    };
    let dearest = price.input.max(price.cache_write.unwrap_or(0.0));
    (input as f64 * dearest + output as f64 * price.output) / 1e6
}

fn bytes_of(request: &Request) -> usize {
    let counted = serde_json::to_vec(&(&request.messages, &request.tools)).map_or(usize::MAX, |b| b.len());
    counted.saturating_add(request.messages.len() * 16)
}

/// What a model is shown of a command's end.
pub(super) fn shown(done: &Finished, seconds: u64, most: usize) -> Output {
    let (stdout, cut_out) = cut(&done.stdout.head, &done.stdout.tail, done.stdout.cut(), most);
    let (mut stderr, cut_err) = cut(&done.stderr.head, &done.stderr.tail, done.stderr.cut(), most);
    let (exit, end, note) = match done.end {
        End::Exit(code) => (i64::from(code), None, None),
        End::Signal(n) => (128 + i64::from(n), Some("signal"), Some(format!("ended by signal {n}"))),
        End::TimedOut => (-1, Some("timed_out"), Some(format!("killed after {seconds} s"))),
        End::OutOfMemory => (-1, Some("out_of_memory"), Some("killed for lack of memory".to_owned())),
        End::DiskLimit => (-1, Some("disk_limit"), Some("killed: it wrote more than it may".to_owned())),
    };
    if let Some(note) = note {
        if !stderr.is_empty() && !stderr.ends_with('\n') {
            stderr.push('\n');
        }
        stderr.push_str(&note);
    }
    Output { exit, end, stdout, stderr, cut: cut_out + cut_err }
}
