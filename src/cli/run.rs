use super::Exit;
use super::machine::Kind as SandboxKind;
use super::running::{Working, go_on, now};
use crate::agent::{Kind, Limits, Prompts, conditions_of};
use crate::attempts::{Plan, digest_of_suite};
use crate::gateway::ModelEntry;
use crate::schema::{Agent, RUN_SCHEMA, Run as RunPlan, Scoring, Source, TaskDetail};
use crate::tasks::{Task, TaskSuite, sha256};
use anyhow::Context;
use clap::Args;
use clap::builder::BoolishValueParser;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Let models work on tasks: the plan is locked first, and each attempt is one line the moment it ends.
///
/// The same command goes on with a run that was cut off. Faults that are no model's are tried again, three times in all.
#[derive(Args, Debug)]
pub struct Run {
    /// The suite, by id or id@version
    #[arg(long, env = "TSBENCH_SUITE")]
    suite: String,
    /// Models by id, separated by commas: of models.toml, or mock/gold, mock/empty, mock/random:P, mock/script:FILE, replay:FILE
    #[arg(long, value_delimiter = ',', required = true, env = "TSBENCH_RUN_MODELS")]
    models: Vec<String>,
    /// Tasks by id, separated by commas; all of the suite where it is absent
    #[arg(long, value_delimiter = ',', env = "TSBENCH_RUN_TASKS")]
    tasks: Vec<String>,
    /// Attempts at each task by each model [default: the suite's]
    #[arg(long, env = "TSBENCH_REPEATS", value_parser = clap::value_parser!(u32).range(1..))]
    repeats: Option<u32>,
    /// The agent: shell, tools, or the name of a folder of --agents
    #[arg(long, default_value = "shell", env = "TSBENCH_AGENT")]
    agent: String,
    /// The prompt pack; another than default is run beside it
    #[arg(long, default_value = "default", env = "TSBENCH_CONDITION")]
    condition: String,
    /// US dollars that one attempt may cost
    #[arg(long, env = "TSBENCH_ATTEMPT_BUDGET_USD")]
    attempt_budget_usd: Option<f64>,
    /// Replies of the model in one attempt
    #[arg(long, default_value_t = Limits::default().turns, env = "TSBENCH_TURNS", value_parser = clap::value_parser!(u64).range(1..))]
    turns: u64,
    /// Seconds of one attempt
    #[arg(long, default_value_t = Limits::default().agent_seconds, env = "TSBENCH_AGENT_SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    agent_seconds: u64,
    /// Tokens of one reply, for models that do not ask for less in models.toml
    #[arg(long, default_value_t = Limits::default().max_output_tokens, env = "TSBENCH_MAX_OUTPUT_TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    max_output_tokens: u64,
    /// Folder of the logs of audits: a task that they have in quarantine is no measure of a model
    #[arg(long, default_value = "health", env = "TSBENCH_HEALTH")]
    health: PathBuf,
    /// Run tasks in quarantine too
    #[arg(long, env = "TSBENCH_WITH_QUARANTINED", value_parser = BoolishValueParser::new())]
    with_quarantined: bool,
    /// What order and chance depend on [default: the name of the run]
    #[arg(long, env = "TSBENCH_SEED")]
    seed: Option<String>,
    /// What to say of the run
    #[arg(long, env = "TSBENCH_NOTE")]
    note: Option<String>,
    /// The run's folder, such as results/2026-01-31-my-run; its name is the run's
    #[arg(long, env = "TSBENCH_OUT")]
    out: PathBuf,
    #[command(flatten)]
    working: Working,
}

/// Runs `tsbench run`.
pub fn run(args: &Run) -> anyhow::Result<Exit> {
    let (models, secrets) = args.working.keys()?;
    let settings: Vec<ModelEntry> = args.models.iter().map(|id| models.find(id)).collect::<Result<_, _>>()?;
    let distinct: BTreeSet<&String> = args.models.iter().collect();
    anyhow::ensure!(distinct.len() == args.models.len(), "use --models: a model is named twice\nhint: name each once");
    let suite = args.working.suite(&args.suite)?;
    let plan = plan(args, &suite, settings)?;
    if !args.with_quarantined {
        healthy(&args.health, &plan)?;
    }
    go_on(&args.working, &args.out, plan, secrets, &suite)
}

/// Refuses tasks that the newest audits have in quarantine: what they say of a model would be taken back.
fn healthy(folder: &Path, plan: &Plan) -> anyhow::Result<()> {
    let suite = plan.run.suite.as_str();
    let id = suite.split('@').next().unwrap_or(suite);
    let (lines, torn) = crate::health::read(&folder.join(format!("{id}.jsonl")))?;
    if let Some(torn) = torn {
        eprintln!("warning: {torn}");
    }
    let standings = crate::health::standings(lines.iter());
    for task in &plan.run.tasks {
        let standing = standings.get(&(suite, task.as_str())).filter(|s| s.is_quarantined());
        let Some(answer) = standing.and_then(|s| s.answer) else { continue };
        let (at, reason) = (&answer.at, &answer.reason);
        anyhow::bail!(
            "run {task} of {suite}: it is in quarantine since the audit of {at}: {reason}\n\
             hint: leave it out with --tasks, mend it and audit it again, or say --with-quarantined"
        );
    }
    Ok(())
}

fn plan(args: &Run, suite: &TaskSuite, settings: Vec<ModelEntry>) -> anyhow::Result<Plan> {
    let name = args.out.file_name().and_then(|n| n.to_str()).filter(|n| !n.trim().is_empty());
    let name = name.context("name the run\nhint: --out results/NAME")?.to_owned();
    let agent = Kind::read(&args.working.agents, &args.agent)?;
    let packs = args.working.packs(&agent, &args.condition)?;
    let tasks = chosen(&args.tasks, suite)?;
    let all = args.working.digests(&suite.tasks)?;
    let repeats = args.repeats.unwrap_or(suite.suite.repeats);
    let limits = Limits {
        turns: args.turns,
        agent_seconds: args.agent_seconds,
        attempt_budget_usd: args.attempt_budget_usd,
        max_output_tokens: args.max_output_tokens,
        ..Limits::default()
    };
    let conditions = conditions_of(&args.condition).len() as u64;
    let planned = settings.len() as u64 * tasks.len() as u64 * u64::from(repeats) * conditions;
    let limits = serde_json::to_value(limits)?.as_object().cloned().unwrap_or_default();
    Ok(Plan {
        seed: args.seed.clone().unwrap_or_else(|| name.clone()),
        isolation: match args.working.machine.sandbox {
            SandboxKind::Docker | SandboxKind::Podman => "docker",
            SandboxKind::Local => "none",
        }
        .to_owned(),
        budget_usd: args.working.budget_usd,
        task_digests: all.iter().filter(|(id, _)| tasks.contains(id)).map(|(k, v)| (k.clone(), v.clone())).collect(),
        prompt_digests: packs.iter().map(|(name, pack)| (name.clone(), pack.digest.clone())).collect(),
        run: RunPlan {
            schema: RUN_SCHEMA.to_owned(),
            run: name,
            suite: suite.suite.word(),
            suite_digest: Some(digest_of_suite(&all)),
            source: Source::Own,
            imported_from: None,
            models: settings.iter().map(ModelEntry::planned).collect(),
            agent: described(&agent, &packs),
            condition: args.condition.clone(),
            task_details: suite.tasks.iter().filter(|t| tasks.contains(&t.spec.id)).map(detail).collect(),
            tasks,
            repeats,
            limits,
            planned_attempts: planned,
            scoring: Scoring { infra: suite.suite.infra },
            created_at: now(),
            tool: Some(concat!("tsbench ", env!("CARGO_PKG_VERSION")).to_owned()),
            note: args.note.clone(),
        },
        settings,
    })
}

/// What readers of results are told of a task.
fn detail(task: &Task) -> TaskDetail {
    let (spec, source) = (&task.spec, task.spec.source.as_ref());
    let tested = spec.scorecard.is_none();
    TaskDetail {
        id: spec.id.clone(),
        repo: source.map(|s| s.repo.clone()),
        language: Some(spec.language.clone()),
        merged_at: source.and_then(|s| s.merged_at.clone()),
        difficulty: spec.difficulty.clone(),
        use_cases: spec.use_cases.clone(),
        targets: tested.then_some(spec.targets.len() as u64),
        guards: tested.then_some(spec.guards.len() as u64),
        title: Some(spec.title.clone()),
    }
}

/// The agent with the digest of what it says where no condition changes it.
pub fn described(agent: &Kind, packs: &BTreeMap<String, Prompts>) -> Agent {
    let texts = packs.get("default").map_or("", |pack| pack.digest.as_str());
    let files = agent.files_digest().map(|digest| format!("{digest}\n")).unwrap_or_default();
    let digest = sha256(format!("tsbench.agent/1\n{}@{}\n{texts}\n{files}", agent.name(), agent.version()).as_bytes());
    Agent { name: agent.name().to_owned(), version: agent.version().to_owned(), digest: Some(digest) }
}

/// The tasks asked for, in the order of the suite.
fn chosen(names: &[String], suite: &TaskSuite) -> anyhow::Result<Vec<String>> {
    let known: Vec<&String> = suite.tasks.iter().map(|t| &t.spec.id).collect();
    if let Some(unknown) = names.iter().find(|n| !known.contains(n)) {
        anyhow::bail!("find the task {unknown:?} in {}\nhint: tsbench tasks list names every task", suite.suite.word());
    }
    Ok(known.into_iter().filter(|id| names.is_empty() || names.contains(id)).cloned().collect())
}
