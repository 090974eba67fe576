use super::{AttemptsError, Burst, Fault, Plan};
use crate::agent::{
    AgentError, Budget, Kind, Limits, Prints, Program, Prompts, begin, capture, install_program, prints,
};
use crate::gateway::{Gateways, ModelEntry};
use crate::git::run_blocking;
use crate::sandbox::{Provider, Sandbox};
use crate::scoring::{Network, Ready, ScoreError, open_for_agent, prepare, surroundings};
use crate::tasks::{Material, Task, sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{OnceCell, watch};

/// How far a run is to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Go on.
    Run,
    /// Begin nothing new; finish what is going on.
    Finish,
    /// End everything and mark it as stopped.
    Abort,
}

/// Everything that the attempts of a run share.
pub struct Bench {
    /// What the run was started with.
    pub parts: Parts,
    /// Limits of an attempt, as the plan locks them.
    pub limits: Limits,
    pub(super) burst: Burst,
    /// Why the daemon of the sandboxes is given up, once it is.
    pub(super) gone: OnceLock<String>,
    slots: BTreeMap<String, Slot>,
}

/// One task, made ready when its first attempt needs it.
struct Slot {
    task: Task,
    mirrors: PathBuf,
    ready: OnceCell<Arc<Prepared>>,
}

/// A task that is ready, and its workspace as an installation leaves it.
pub(super) struct Prepared {
    pub ready: Ready,
    before: OnceCell<Prints>,
    /// The task's image with the agent's program installed.
    with_program: OnceCell<String>,
}

/// What a run is started with.
pub struct Parts {
    /// The locked plan.
    pub plan: Plan,
    /// The run's folder.
    pub dir: PathBuf,
    /// The agent.
    pub agent: Kind,
    /// Where commands run.
    pub provider: Arc<Provider>,
    /// The models' gateways.
    pub gateways: Gateways,
    /// Prompt texts by condition.
    pub prompts: BTreeMap<String, Prompts>,
    /// Money of the run.
    pub budget: Budget,
    /// The time now, RFC 3339.
    pub clock: fn() -> String,
    /// What raw lines say of this machine.
    pub host: serde_json::Value,
    /// Program and version.
    pub tool: String,
    /// How long a daemon that went away is waited for.
    pub daemon_patience: Duration,
    /// Tells somebody what a run waits for.
    pub tell: fn(&str),
    /// Watched while attempts go on.
    pub phase: watch::Receiver<Phase>,
}

impl Bench {
    /// A bench for these tasks; `mirrors` holds the mirrors of those that have a source.
    pub fn new(parts: Parts, tasks: Vec<Task>, mirrors: &std::path::Path) -> Result<Bench, AttemptsError> {
        let slot =
            |task: Task| (task.spec.id.clone(), Slot { task, mirrors: mirrors.to_owned(), ready: OnceCell::new() });
        let limits = parts.plan.limits()?;
        let slots = tasks.into_iter().map(slot).collect();
        Ok(Bench { parts, limits, burst: Burst::default(), gone: OnceLock::new(), slots })
    }

    pub(super) async fn ready(&self, task: &str) -> Result<Arc<Prepared>, ScoreError> {
        let missing = || {
            ScoreError::Task(crate::tasks::TaskError::Missing {
                what: format!("the task {task:?}"),
                hint: "it is in the plan: put its folder back".into(),
            })
        };
        let slot = self.slots.get(task).ok_or_else(missing)?;
        let made = slot.ready.get_or_try_init(|| async {
            let material = Material::prepare(&slot.task, &slot.mirrors)?;
            let ready = prepare(&slot.task, material, &self.parts.provider).await?;
            Ok::<_, ScoreError>(Arc::new(Prepared { ready, before: OnceCell::new(), with_program: OnceCell::new() }))
        });
        made.await.map(Arc::clone)
    }

    /// The image in which a program works: the task's own, or one made from it with the program installed.
    pub(super) async fn image_with(&self, prepared: &Prepared, program: &Program) -> Result<String, Fault> {
        let made = prepared.with_program.get_or_try_init(|| self.install(&prepared.ready, program));
        made.await.cloned()
    }

    async fn install(&self, ready: &Ready, program: &Program) -> Result<String, Fault> {
        if program.install.is_empty() {
            return Ok(ready.image.clone());
        }
        let provider = &self.parts.provider;
        let digest = sha256(format!("tsbench.program-image/1\n{}\n{}\n", ready.image_id, program.digest).as_bytes());
        let name = format!("tsbench/agent:{}", &digest[..24]);
        if provider.image(&name).await.map_err(|e| Fault::from(&e))?.is_some() {
            return Ok(name);
        }
        let seconds = ready.task.limits.install_seconds;
        let opened = open_for_agent(ready, provider, &ready.image, Network::All, seconds * 4).await;
        let mut sandbox = opened.map_err(|e| Fault::from(&e))?;
        let end = async {
            let (env, _) = surroundings(ready, sandbox.as_mut()).await.map_err(|e| Fault::from(&e))?;
            let installed = install_program(program, sandbox.as_mut(), &env, seconds).await;
            installed.map_err(|e| Fault::from(&e))?;
            sandbox.snapshot(&name).await.map_err(|e| Fault::from(&e))
        };
        let end = end.await;
        // The first fault is the one that counts.
        let closed = sandbox.close().await.map_err(|e| Fault::from(&e));
        end?;
        closed.map(|()| name)
    }

    pub(super) fn entry(&self, model: &str) -> Option<&ModelEntry> {
        self.parts.plan.settings.iter().find(|e| e.id == model)
    }

    /// Until the phase is at least this.
    pub(super) async fn until(&self, phase: Phase) {
        let mut watched = self.parts.phase.clone();
        if watched.wait_for(|now| *now >= phase).await.is_err() {
            // Nobody is left who could change it.
            std::future::pending::<()>().await;
        }
    }
}

impl Prepared {
    /// Makes the workspace's first commit and tells what it held before; that is the same for every attempt.
    pub async fn begin(&self, sandbox: &mut dyn Sandbox) -> Result<&Prints, AgentError> {
        begin(sandbox).await?;
        self.before
            .get_or_try_init(|| async {
                let material = &self.ready.material;
                let captured = capture(sandbox, &material.store, &material.start).await?;
                let captured = captured.map_err(|e| AgentError::Workspace { what: e.why().to_owned() })?;
                Ok(run_blocking(|| prints(&captured)))
            })
            .await
    }
}
