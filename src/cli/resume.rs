use super::Exit;
use super::machine::Kind as SandboxKind;
use super::run::described;
use super::running::{Working, go_on};
use crate::agent::Kind;
use crate::attempts::{Plan, digest_of_suite, read_plan};
use crate::gateway::ModelEntry;
use anyhow::Context;
use clap::Args;
use std::path::PathBuf;

/// Go on with a run that was cut off, stopped or paused: what has a line that counts is left alone.
///
/// Tasks, prompts and models must be as they were when the plan was locked.
#[derive(Args, Debug)]
pub struct Resume {
    /// The run's folder
    #[arg(env = "TSBENCH_RUN")]
    dir: PathBuf,
    #[command(flatten)]
    working: Working,
}

/// Runs `tsbench resume`.
pub fn run(args: &Resume) -> anyhow::Result<Exit> {
    let locked = read_plan(&args.dir)?
        .with_context(|| format!("find a run in {}\nhint: tsbench run begins one", args.dir.display()))?;
    let local = matches!(args.working.machine.sandbox, SandboxKind::Local);
    anyhow::ensure!(
        (locked.isolation == "none") == local,
        "go on with {}: its attempts ran with isolation {:?}\nhint: {}",
        args.dir.display(),
        locked.isolation,
        if local { "leave --sandbox local out" } else { "add --sandbox local" }
    );
    let (models, secrets) = args.working.keys()?;
    let agent = Kind::read(&args.working.agents, &locked.run.agent.name)?;
    let suite = args.working.suite(&locked.run.suite)?;
    let packs = args.working.packs(&agent, &locked.run.condition)?;
    let all = args.working.digests(&suite.tasks)?;
    // What is here now in place of what was locked: the difference, if there is one, is shown and refused.
    let now = |entry: &ModelEntry| models.find(&entry.id).unwrap_or_else(|_| entry.clone());
    let mut wanted = Plan {
        isolation: match args.working.machine.sandbox {
            SandboxKind::Docker | SandboxKind::Podman => "docker",
            SandboxKind::Local => "none",
        }
        .to_owned(),
        budget_usd: args.working.budget_usd.or(locked.budget_usd),
        task_digests: all
            .iter()
            .filter(|(id, _)| locked.run.tasks.contains(id))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        prompt_digests: packs.iter().map(|(name, pack)| (name.clone(), pack.digest.clone())).collect(),
        settings: locked.settings.iter().map(now).collect(),
        ..locked.clone()
    };
    wanted.run.suite_digest = Some(digest_of_suite(&all));
    wanted.run.agent = described(&agent, &packs);
    go_on(&args.working, &args.dir, wanted, secrets, &suite)
}
