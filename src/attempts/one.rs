//! One attempt: tried again where a fault of ours ended it, scored, and told in one line.

use super::bench::Prepared;
use super::evidence::{TRAJECTORY, folder_of, keep_patch, keep_report, leftover_spent, put_aside};
use super::line::Known;
use super::{AttemptsError, Bench, Cell, Phase};
use crate::agent::{AgentError, Door, Ended, Kind, Means, Stop, Trace, Way, Work, attempt, put_program};
use crate::gateway::{MockContext, Spent};
use crate::sandbox::Sandbox;
use crate::schema::{Attempt, Failure, Outcome};
use crate::scoring::{Network, Ready, ScoreError, Scored, open_for_agent, score, surroundings};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Tries of an attempt, and of its scoring, that faults of ours end.
const MOST_TRIES: u32 = 3;

/// How one try of the agent ended.
enum Tried {
    Ended(Ended, Arc<Prepared>),
    Fault(Failure),
    Stopped,
}

/// What went before the scoring.
struct Made {
    spent: Spent,
    turns: u64,
    tries: u64,
    end: Tried,
}

impl Bench {
    /// Makes one attempt; `has_line` says that an excluded line of it is there. An error is one of this machine's disk.
    pub(super) async fn one(&self, cell: &Cell, has_line: bool) -> Result<Attempt, AttemptsError> {
        let (begun, started_at) = (Instant::now(), (self.parts.clock)());
        let script = script_digest(&cell.model);
        let folder = self.parts.dir.join(folder_of(cell));
        let before = leftover_spent(&folder, has_line);
        let made = self.tries(cell, &folder, before).await?;
        let (mut scored, mut fault) = (None, None);
        if let Tried::Ended(ended, prepared) = &made.end {
            keep_patch(&folder, ended.patch.as_deref().unwrap_or_default(), self.parts.gateways.secrets())?;
            match self.scored(ended, prepared).await {
                Ok(done) => scored = done,
                Err(failure) => fault = Some(failure),
            }
        }
        let log = scored.as_ref().map_or("", |s: &Scored| s.log.as_str());
        let verdict = scored.as_ref().map(|s| &s.verdict);
        keep_report(&folder, verdict, log, self.parts.gateways.secrets())?;
        let (ended, image) = match &made.end {
            Tried::Ended(ended, prepared) => (Some(ended), Some(prepared.ready.image_id.clone())),
            Tried::Fault(_) | Tried::Stopped => (None, None),
        };
        let (outcome, stop, error) = without_verdict(&made.end, fault);
        Ok(self.line(Known {
            cell,
            started_at,
            seconds: begun.elapsed().as_secs_f64(),
            spent: made.spent,
            turns: made.turns,
            tries: made.tries,
            image,
            script,
            ended,
            verdict,
            outcome,
            stop,
            error,
        }))
    }

    /// Lets the agent work until it ends, or until faults of ours have ended it too often.
    async fn tries(&self, cell: &Cell, folder: &Path, mut spent: Spent) -> Result<Made, AttemptsError> {
        let mut number = 1;
        loop {
            let tries = put_aside(folder)?;
            let secrets = self.parts.gateways.secrets().clone();
            let mut trace = Trace::create(&folder.join(TRAJECTORY), secrets, self.parts.clock, spent)?;
            let end = self.agent_try(cell, &mut trace).await;
            trace.finish(match &end {
                Tried::Stopped => Some("stopped by us"),
                Tried::Fault(failure) => Some(&failure.message),
                Tried::Ended(..) => None,
            })?;
            spent = *trace.spent();
            let again = match &end {
                Tried::Fault(failure) => {
                    // A task that cannot be made ready says nothing about the next one.
                    let ours = matches!(failure.class.as_str(), "task" | "language" | "install");
                    let class =
                        if ours { format!("{} of {}", failure.class, cell.task) } else { failure.class.clone() };
                    !self.burst.fault(&class) && number < MOST_TRIES && *self.parts.phase.borrow() == Phase::Run
                }
                Tried::Ended(..) => {
                    self.burst.good();
                    false
                }
                Tried::Stopped => false,
            };
            if !again {
                return Ok(Made { spent, turns: trace.turns(), tries, end });
            }
            tokio::select! {
                () = tokio::time::sleep(Duration::from_secs(u64::from(number))) => {}
                () = self.until(Phase::Finish) => {}
            }
            number += 1;
        }
    }

    async fn agent_try(&self, cell: &Cell, trace: &mut Trace) -> Tried {
        let prepared = tokio::select! {
            made = self.ready(&cell.task) => match made {
                Ok(prepared) => prepared,
                Err(e) => return Tried::Fault(failure(e.class(), &e)),
            },
            () = self.until(Phase::Abort) => return Tried::Stopped,
        };
        let (mut sandbox, mut door) = match self.open(cell, &prepared).await {
            Ok(opened) => opened,
            Err(failure) => return Tried::Fault(failure),
        };
        let end = tokio::select! {
            end = self.in_sandbox(cell, &prepared, sandbox.as_mut(), door.as_mut(), trace) => Some(end),
            () = self.until(Phase::Abort) => None,
        };
        // Whatever came of it, the sandbox is ended; the first fault is the one that counts.
        let closed = sandbox.close().await;
        match (end, closed) {
            (Some(Ok(ended)), Ok(())) => Tried::Ended(ended, prepared),
            (Some(Err(failure)), _) => Tried::Fault(failure),
            (Some(Ok(_)), Err(e)) => Tried::Fault(failure("sandbox", &e)),
            (None, _) => Tried::Stopped,
        }
    }

    /// A sandbox for the agent; for a program with the way to its model.
    async fn open(&self, cell: &Cell, prepared: &Prepared) -> Result<(Box<dyn Sandbox>, Option<Door>), Failure> {
        let of_score = |e: ScoreError| failure(e.class(), &e);
        let of_agent = |e: AgentError| failure(e.class(), &e);
        let (ready, provider) = (&prepared.ready, &self.parts.provider);
        let seconds = self.limits.agent_seconds;
        let Kind::Command(program) = &self.parts.agent else {
            let sandbox = open_for_agent(ready, provider, &ready.image, Network::None, seconds).await;
            return Ok((sandbox.map_err(of_score)?, None));
        };
        let image = self.image_with(prepared, program).await?;
        let door = Door::open(&cell.model).map_err(of_agent)?;
        let way = Network::Sockets(door.folder());
        Ok((open_for_agent(ready, provider, &image, way, seconds).await.map_err(of_score)?, Some(door)))
    }

    async fn in_sandbox(
        &self,
        cell: &Cell,
        prepared: &Prepared,
        sandbox: &mut dyn Sandbox,
        door: Option<&mut Door>,
        trace: &mut Trace,
    ) -> Result<Ended, Failure> {
        let ready = &prepared.ready;
        let of_agent = |e: AgentError| failure(e.class(), &e);
        let of_score = |e: ScoreError| failure(e.class(), &e);
        let before = prepared.begin(sandbox).await.map_err(of_agent)?;
        let (env, home) = surroundings(ready, sandbox).await.map_err(of_score)?;
        let unknown = |what: &str| Failure { class: "plan".into(), message: format!("there is no {what} in the plan") };
        let entry = self.entry(&cell.model).ok_or_else(|| unknown("such model"))?;
        let prompts = self.parts.prompts.get(&cell.condition).ok_or_else(|| unknown("such condition"))?;
        let mock = MockContext {
            solution: ready.material.solution.clone(),
            seed: cell.seed(&self.parts.plan.seed),
            agent: self.parts.agent.answers(),
        };
        let gateway = self.parts.gateways.open(entry, mock.clone()).map_err(|e| failure(e.class(), &e))?;
        let relay = self.parts.gateways.relay(entry, mock).map_err(|e| failure(e.class(), &e))?;
        let mut way = match (&self.parts.agent, door) {
            (Kind::Command(program), Some(door)) => {
                put_program(program, sandbox).await.map_err(of_agent)?;
                Some(Way { program, relay: relay.as_ref(), door })
            }
            _ => None,
        };
        let tests = tests_command(ready, &home);
        let work = Work {
            problem: &ready.task.problem,
            language: ready.language.name(),
            tests: &tests,
            home: &home,
            env: &env,
            store: &ready.material.store,
            start: &ready.material.start,
            before,
        };
        let means = Means { gateway: gateway.as_ref(), prompts, limits: &self.limits, budget: &self.parts.budget };
        attempt(&self.parts.agent, &work, &means, way.as_mut(), sandbox, trace).await.map_err(of_agent)
    }

    /// Scores the patch; none where there is nothing to score. Scoring again rolls no dice, so that faults of ours are
    /// tried again here alone.
    async fn scored(&self, ended: &Ended, prepared: &Prepared) -> Result<Option<Scored>, Failure> {
        let Ok(patch) = &ended.patch else { return Ok(None) };
        if ended.stop == Stop::RunBudget {
            return Ok(None);
        }
        let mut number = 1;
        loop {
            let end = tokio::select! {
                end = score(&prepared.ready, patch, &self.parts.provider, false) => end,
                () = self.until(Phase::Abort) => {
                    return Err(Failure { class: STOPPED.into(), message: "stopped before it was scored".into() });
                }
            };
            match end {
                Ok(scored) => return Ok(Some(scored)),
                Err(e) if self.burst.fault(e.class()) || number == MOST_TRIES => return Err(failure(e.class(), &e)),
                Err(_) => number += 1,
            }
        }
    }
}

/// The digest of the file from which a scripted or replayed model speaks: another file is another model.
fn script_digest(model: &str) -> Option<String> {
    let file = model.strip_prefix("mock/script:").or_else(|| model.strip_prefix("replay:"))?;
    // A file that cannot be read is told when the model is opened.
    std::fs::read(file).ok().map(|bytes| crate::tasks::sha256(&bytes))
}

/// Classes of faults that no provider had a part in.
const OURS: [&str; 14] = [
    "sandbox",
    "git",
    "workspace",
    "trace",
    "prompt",
    "task",
    "language",
    "install",
    "random",
    "plan",
    "setup",
    "door",
    "program",
    "budget",
];

/// The class of a scoring that was not finished because we stopped it.
const STOPPED: &str = "stopped";

pub(super) fn failure(class: &str, e: &dyn std::fmt::Display) -> Failure {
    Failure { class: class.to_owned(), message: e.to_string() }
}

/// How an attempt counts as long as no verdict says it, why it stopped, and what went wrong.
fn without_verdict(end: &Tried, fault: Option<Failure>) -> (Outcome, Option<&'static str>, Option<Failure>) {
    match (end, fault) {
        (Tried::Stopped, _) => (Outcome::Stopped, Some("cancelled"), None),
        (Tried::Fault(failure), _) => {
            let ours = OURS.contains(&failure.class.as_str());
            (Outcome::InfraError, Some(if ours { "harness_error" } else { "provider_error" }), Some(failure.clone()))
        }
        (Tried::Ended(ended, _), Some(fault)) if fault.class == STOPPED => {
            (Outcome::Stopped, Some(ended.stop.word()), Some(fault))
        }
        (Tried::Ended(ended, _), Some(fault)) => (Outcome::InfraError, Some(ended.stop.word()), Some(fault)),
        (Tried::Ended(ended, _), None) => match &ended.patch {
            _ if ended.stop == Stop::RunBudget => (Outcome::Stopped, Some(ended.stop.word()), None),
            Err(why) => {
                let error = Failure { class: "workspace_unreadable".into(), message: why.clone() };
                (Outcome::PatchFailed, Some(ended.stop.word()), Some(error))
            }
            Ok(_) => (Outcome::InfraError, Some(ended.stop.word()), None),
        },
    }
}

/// The command that runs the tests of the repository, for a person at its root.
fn tests_command(ready: &Ready, home: &str) -> String {
    let plan = &ready.plan;
    let command = match (ready.language.name(), plan.runner.as_str()) {
        ("python", _) => "python -m pytest -q".to_owned(),
        ("go", _) => "go test ./...".to_owned(),
        ("java", _) if plan.manager == "gradle" => "./gradlew --offline test".to_owned(),
        ("java", _) => format!("mvn -o -q -Dmaven.repo.local={home}/m2 test"),
        (_, "vitest") => "npx vitest run".to_owned(),
        (_, "jest") => "npx jest".to_owned(),
        (_, "mocha") => "npx mocha".to_owned(),
        _ => "node --test".to_owned(),
    };
    if plan.package.is_empty() { command } else { format!("cd {} && {command}", plan.package) }
}
