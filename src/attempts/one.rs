//! One attempt: tried again where a fault of ours ended it, scored, and told in one line.

use super::bench::Prepared;
use super::daemon::Daemon;
use super::evidence::{TRAJECTORY, folder_of, keep_patch, keep_report, leftover_spent, put_aside};
use super::line::Known;
use super::scored::End;
use super::worked::Worked;
use super::{AttemptsError, Bench, Cell, Fault, Phase};
use crate::agent::{Door, Ended, Kind, Means, Stop, Trace, Way, Work, attempt, put_program};
use crate::gateway::{MockContext, Spent};
use crate::sandbox::Sandbox;
use crate::schema::{Attempt, Failure, Outcome};
use crate::scoring::{Network, Ready, Scored, open_for_agent, surroundings};
use std::path::Path;
use std::time::{Duration, Instant};

/// Tries of an attempt, and of its scoring, that faults of ours end.
pub(super) const MOST_TRIES: u32 = 3;

/// How one try of the agent ended.
pub(super) enum Tried {
    Ended(Ended),
    Fault(Fault),
    Stopped,
}

/// What went before the scoring.
struct Made {
    spent: Spent,
    turns: u64,
    tries: u64,
    served_models: Vec<String>,
    started_at: String,
    /// Seconds of an earlier session that count too.
    seconds_before: f64,
    script: Option<String>,
    end: Tried,
}

impl From<Worked> for Made {
    fn from(worked: Worked) -> Made {
        Made {
            spent: worked.spent,
            turns: worked.turns,
            tries: worked.tries,
            served_models: worked.served_models,
            started_at: worked.started_at,
            seconds_before: worked.seconds,
            script: worked.script,
            end: Tried::Ended(worked.ended),
        }
    }
}

impl Bench {
    /// Makes one attempt; `has_line` says that an excluded line of it is there. None where the daemon of the sandboxes is
    /// gone, so that there is nothing to tell yet. An error is one of this machine's disk.
    pub(super) async fn one(&self, cell: &Cell, has_line: bool) -> Result<Option<Attempt>, AttemptsError> {
        let begun = Instant::now();
        let folder = self.parts.dir.join(folder_of(cell));
        // What an agent finished before this session is scored, and not paid for again.
        let made = match Worked::find(&folder)? {
            Some(worked) => Made::from(worked),
            None => self.tries(cell, &folder, has_line).await?,
        };
        let (mut scored, mut fault, mut image): (Option<Box<Scored>>, _, _) = (None, None, None);
        match &made.end {
            Tried::Ended(ended) => match self.scored(cell, ended).await {
                End::Scored(done, of_image) => (scored, image) = (done, Some(of_image)),
                End::Fault(found) => fault = Some(found),
                End::Stopped => fault = Some(Failure { class: STOPPED.into(), message: NOT_SCORED.into() }),
                End::Gone => return Ok(None),
            },
            Tried::Fault(fault) if fault.daemon && self.lost_daemon().is_some() => return Ok(None),
            Tried::Fault(_) | Tried::Stopped => {}
        }
        let log = scored.as_ref().map_or("", |s| s.log.as_str());
        let verdict = scored.as_ref().map(|s| &s.verdict);
        keep_report(&folder, verdict, log, self.parts.gateways.secrets())?;
        let ended = match &made.end {
            Tried::Ended(ended) => Some(ended),
            Tried::Fault(_) | Tried::Stopped => None,
        };
        let (outcome, stop, error) = without_verdict(&made.end, fault);
        Ok(Some(self.line(Known {
            cell,
            started_at: made.started_at,
            seconds: made.seconds_before + begun.elapsed().as_secs_f64(),
            spent: made.spent,
            turns: made.turns,
            tries: made.tries,
            image,
            script: made.script,
            served_models: made.served_models,
            ended,
            verdict,
            outcome,
            stop,
            error,
        })))
    }

    /// Lets the agent work until it ends, or until faults of ours have ended it too often. Work that is finished is kept.
    async fn tries(&self, cell: &Cell, folder: &Path, has_line: bool) -> Result<Made, AttemptsError> {
        let (begun, started_at) = (Instant::now(), (self.parts.clock)());
        let script = script_digest(&cell.model);
        let mut spent = leftover_spent(folder, has_line);
        let mut number = 1;
        loop {
            let tries = put_aside(folder)?;
            let secrets = self.parts.gateways.secrets().clone();
            let mut trace = Trace::create(&folder.join(TRAJECTORY), secrets, self.parts.clock, spent)?;
            let end = self.agent_try(cell, &mut trace).await;
            trace.finish(match &end {
                Tried::Stopped => Some("stopped by us"),
                Tried::Fault(fault) => Some(&fault.failure.message),
                Tried::Ended(..) => None,
            })?;
            spent = *trace.spent();
            let again = match &end {
                Tried::Fault(fault) => self.may_try_again(cell, fault, &mut number).await,
                Tried::Ended(..) => {
                    self.burst.good();
                    false
                }
                Tried::Stopped => false,
            };
            if !again {
                let (turns, served_models, seconds) = (trace.turns(), trace.served_models(), begun.elapsed());
                if let Tried::Ended(ended) = &end {
                    keep_patch(
                        folder,
                        ended.patch.as_ref().map_or(&[][..], Vec::as_slice),
                        self.parts.gateways.secrets(),
                    )?;
                    let worked = Worked {
                        ended: ended.clone(),
                        spent,
                        turns,
                        tries,
                        served_models: served_models.clone(),
                        started_at: started_at.clone(),
                        seconds: seconds.as_secs_f64(),
                        script: script.clone(),
                    };
                    // The work of an attempt that the run's budget ended is not finished.
                    if ended.stop != Stop::RunBudget {
                        worked.keep(folder)?;
                    }
                }
                let seconds_before = seconds.as_secs_f64();
                return Ok(Made { spent, turns, tries, served_models, started_at, seconds_before, script, end });
            }
        }
    }

    /// Waits for what a fault needs, and says whether there is another try; `number` counts those that were burnt.
    pub(super) async fn may_try_again(&self, cell: &Cell, fault: &Fault, number: &mut u32) -> bool {
        if fault.daemon {
            match self.await_daemon().await {
                Daemon::Back => return *self.parts.phase.borrow() == Phase::Run,
                Daemon::Gone => return false,
                Daemon::Answers => {}
            }
        }
        let burst = self.burst.fault(&fault.kind(&cell.task));
        if burst || *number >= MOST_TRIES || *self.parts.phase.borrow() != Phase::Run {
            return false;
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(u64::from(*number))) => {}
            () = self.until(Phase::Finish) => {}
        }
        *number += 1;
        true
    }

    async fn agent_try(&self, cell: &Cell, trace: &mut Trace) -> Tried {
        let prepared = tokio::select! {
            made = self.ready(&cell.task) => match made {
                Ok(prepared) => prepared,
                Err(e) => return Tried::Fault(Fault::from(&e)),
            },
            () = self.until(Phase::Abort) => return Tried::Stopped,
        };
        let (mut sandbox, mut door) = match self.open(cell, &prepared).await {
            Ok(opened) => opened,
            Err(fault) => return Tried::Fault(fault),
        };
        let end = tokio::select! {
            end = self.in_sandbox(cell, &prepared, sandbox.as_mut(), door.as_mut(), trace) => Some(end),
            () = self.until(Phase::Abort) => None,
        };
        // Whatever came of it, the sandbox is ended; the first fault is the one that counts.
        let closed = sandbox.close().await;
        match end {
            Some(Ok(ended)) => {
                if let Err(e) = closed {
                    // The patch is here. What could not be ended is swept when the run ends.
                    (self.parts.tell)(&format!("warning: a sandbox of {} could not be ended yet: {e}", cell.task));
                }
                Tried::Ended(ended)
            }
            Some(Err(fault)) => Tried::Fault(fault),
            None => Tried::Stopped,
        }
    }

    /// A sandbox for the agent; for a program with the way to its model.
    async fn open(&self, cell: &Cell, prepared: &Prepared) -> Result<(Box<dyn Sandbox>, Option<Door>), Fault> {
        let (ready, provider) = (&prepared.ready, &self.parts.provider);
        let seconds = self.limits.agent_seconds;
        let Kind::Command(program) = &self.parts.agent else {
            let sandbox = open_for_agent(ready, provider, &ready.image, Network::None, seconds).await;
            return Ok((sandbox.map_err(|e| Fault::from(&e))?, None));
        };
        let image = self.image_with(prepared, program).await?;
        let door = Door::open(&cell.model).map_err(|e| Fault::from(&e))?;
        let way = Network::Sockets(door.folder());
        let sandbox = open_for_agent(ready, provider, &image, way, seconds).await.map_err(|e| Fault::from(&e))?;
        Ok((sandbox, Some(door)))
    }

    async fn in_sandbox(
        &self,
        cell: &Cell,
        prepared: &Prepared,
        sandbox: &mut dyn Sandbox,
        door: Option<&mut Door>,
        trace: &mut Trace,
    ) -> Result<Ended, Fault> {
        let ready = &prepared.ready;
        let before = prepared.begin(sandbox).await.map_err(|e| Fault::from(&e))?;
        let (env, home) = surroundings(ready, sandbox).await.map_err(|e| Fault::from(&e))?;
        let entry = self.entry(&cell.model).ok_or_else(|| Fault::plan("such model"))?;
        let prompts = self.parts.prompts.get(&cell.condition).ok_or_else(|| Fault::plan("such condition"))?;
        let mock = MockContext {
            solution: ready.material.solution.clone(),
            seed: cell.seed(&self.parts.plan.seed),
            agent: self.parts.agent.answers(),
        };
        let gateway = self.parts.gateways.open(entry, mock.clone()).map_err(|e| Fault::from(&e))?;
        let relay = self.parts.gateways.relay(entry, mock).map_err(|e| Fault::from(&e))?;
        let mut way = match (&self.parts.agent, door) {
            (Kind::Command(program), Some(door)) => {
                put_program(program, sandbox).await.map_err(|e| Fault::from(&e))?;
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
        attempt(&self.parts.agent, &work, &means, way.as_mut(), sandbox, trace).await.map_err(|e| Fault::from(&e))
    }
}

/// The digest of the file from which a scripted or replayed model speaks: another file is another model.
fn script_digest(model: &str) -> Option<String> {
    let file = model.strip_prefix("mock/script:").or_else(|| model.strip_prefix("replay:"))?;
    // A file that cannot be read is told when the model is opened.
    std::fs::read(file).ok().map(|bytes| crate::tasks::sha256(&bytes))
}

/// The class of a scoring that was not finished because we stopped it.
const STOPPED: &str = "stopped";
const NOT_SCORED: &str = "stopped before it was scored";

/// How an attempt counts as long as no verdict says it, why it stopped, and what went wrong.
fn without_verdict(end: &Tried, fault: Option<Failure>) -> (Outcome, Option<&'static str>, Option<Failure>) {
    match (end, fault) {
        (Tried::Stopped, _) => (Outcome::Stopped, Some("cancelled"), None),
        (Tried::Fault(fault), _) => (Outcome::InfraError, Some(fault.origin.stop()), Some(fault.failure.clone())),
        (Tried::Ended(ended), Some(fault)) if fault.class == STOPPED => {
            (Outcome::Stopped, Some(ended.stop.word()), Some(fault))
        }
        (Tried::Ended(ended), Some(fault)) => (Outcome::InfraError, Some(ended.stop.word()), Some(fault)),
        (Tried::Ended(ended), None) => match &ended.patch {
            _ if ended.stop == Stop::RunBudget => (Outcome::Stopped, Some(ended.stop.word()), None),
            Err(why) => {
                let error = Failure { class: why.class().into(), message: why.why().to_owned() };
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
