use super::{Bench, Cell};
use crate::agent::Ended;
use crate::gateway::Spent;
use crate::schema::{ATTEMPT_SCHEMA, Attempt, Failure, Outcome, Patch, Seconds, Tests, Verdict};
use crate::scoring::GRADER;
use crate::tasks::sha256;
use serde_json::{Map, Value, json};

/// Characters of a fault's text in a line.
const MOST_MESSAGE: usize = 2000;

/// What is known of an attempt when its line is written.
pub(super) struct Known<'a> {
    pub cell: &'a Cell,
    pub started_at: String,
    pub seconds: f64,
    pub spent: Spent,
    pub turns: u64,
    pub tries: u64,
    /// Content address of the image, once the task was ready.
    pub image: Option<String>,
    /// Digest of the file of a scripted or replayed model.
    pub script: Option<String>,
    /// Models that the provider says it used.
    pub served_models: Vec<String>,
    /// How the agent ended, if it did.
    pub ended: Option<&'a Ended>,
    /// What scoring says, if it did.
    pub verdict: Option<&'a Verdict>,
    /// How it counts where there is no verdict, and why.
    pub outcome: Outcome,
    pub stop: Option<&'static str>,
    pub error: Option<Failure>,
}

impl Bench {
    /// The line of an attempt.
    pub(super) fn line(&self, known: Known<'_>) -> Attempt {
        let Known { cell, spent, verdict, ended, .. } = &known;
        let run = &self.parts.plan.run;
        let outcome = verdict.map_or(known.outcome, |v| counted(v.outcome, known.stop));
        let tested = verdict.filter(|v| v.seconds.tests.is_some());
        let error = known.error.clone().or_else(|| verdict.and_then(|v| v.error.clone()));
        let error = error.or_else(|| ended.and_then(nothing_but_left_out));
        let secrets = self.parts.gateways.secrets();
        Attempt {
            schema: ATTEMPT_SCHEMA.to_owned(),
            run: run.run.clone(),
            suite: run.suite.clone(),
            task: cell.task.clone(),
            model: cell.model.clone(),
            agent: run.agent_word(),
            condition: cell.condition.clone(),
            repeat: cell.repeat,
            outcome,
            score: verdict.and_then(|v| v.score),
            stop: known.stop.map(str::to_owned),
            tests: tested
                .filter(|v| v.score.is_none())
                .map(|v| Tests { targets: v.targets.clone(), guards: v.guards.clone() }),
            patch: ended.and_then(|e| patch(e, *verdict)),
            usage: spent.usage(),
            cost_usd: spent.cost_usd(),
            seconds: Some(Seconds {
                agent: ended.map(|e| millis(e.seconds)),
                install: verdict.and_then(|v| v.seconds.install).map(millis),
                tests: tested.and_then(|v| v.seconds.tests).map(millis),
                total: Some(millis(known.seconds)),
            }),
            served_models: known.served_models.clone(),
            turns: Some(known.turns),
            retries: Some(known.tries),
            error: error.map(|e| Failure { message: secrets.redact(&short(&e.message)), ..e }),
            digests: Some(self.digests(&known)),
            host: Some(self.parts.host.clone()),
            tool: Some(self.parts.tool.clone()),
            started_at: Some(known.started_at.clone()),
            finished_at: Some((self.parts.clock)()),
        }
    }

    fn digests(&self, known: &Known<'_>) -> Map<String, Value> {
        let prompt = self.parts.plan.prompt_digests.get(&known.cell.condition);
        let mut all = Map::new();
        let of = [
            ("task", self.parts.plan.task_digests.get(&known.cell.task).map(|d| json!(d))),
            ("image", known.image.as_ref().map(|i| json!(i))),
            ("script", known.script.as_ref().map(|d| json!(d))),
            ("prompt", prompt.map(|d| json!(d))),
            ("agent", self.parts.plan.run.agent.digest.as_ref().map(|d| json!(d))),
            ("grader", Some(json!(GRADER))),
        ];
        all.extend(of.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?))));
        all
    }
}

/// A patch that is empty because the time was over is a timeout, not a choice.
fn counted(outcome: Outcome, stop: Option<&'static str>) -> Outcome {
    if outcome == Outcome::NoPatch && stop == Some("time_limit") { Outcome::TimedOut } else { outcome }
}

fn patch(ended: &Ended, verdict: Option<&Verdict>) -> Option<Patch> {
    let bytes = ended.patch.as_ref().ok().filter(|bytes| !bytes.is_empty())?;
    Some(Patch {
        sha256: sha256(bytes),
        bytes: bytes.len() as u64,
        files: verdict.map_or(0, |v| v.files),
        applied: verdict.and_then(|v| v.applied.clone()),
        dropped: verdict.map(|v| v.dropped.clone()).unwrap_or_default(),
        put_back: verdict.map(|v| v.put_back.clone()).unwrap_or_default(),
        left_out: ended.left_out.clone(),
    })
}

/// What is said of a patch that is empty because no patch can have what the agent changed.
fn nothing_but_left_out(ended: &Ended) -> Option<Failure> {
    let is_empty = ended.patch.as_ref().is_ok_and(Vec::is_empty);
    let message = format!("no patch can have these files: {}", ended.left_out.join("; "));
    (is_empty && !ended.left_out.is_empty()).then(|| Failure { class: "left_out".to_owned(), message })
}

fn millis(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

/// The end of a long text: that is where causes stand.
fn short(text: &str) -> String {
    let skip = text.chars().count().saturating_sub(MOST_MESSAGE);
    text.chars().skip(skip).collect()
}
