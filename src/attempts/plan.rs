use super::AttemptsError;
use crate::agent::Limits;
use crate::gateway::ModelEntry;
use crate::schema::{RUN_SCHEMA, Run};
use crate::tasks::sha256;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// `run.json`: the plan that every reader knows, and what is needed to go on with it anywhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The plan as pages and verifiers read it.
    #[serde(flatten)]
    pub run: Run,
    /// What order and chance depend on.
    pub seed: String,
    /// `docker`, or `none` where nothing keeps commands from the machine.
    pub isolation: String,
    /// US dollars that the run may cost; another budget is no other plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// Digest of each task.
    pub task_digests: BTreeMap<String, String>,
    /// Digest of the prompt files of each condition.
    pub prompt_digests: BTreeMap<String, String>,
    /// How each model is asked, as `models.toml` had it.
    pub settings: Vec<ModelEntry>,
}

impl Plan {
    /// The limits of its attempts.
    pub fn limits(&self) -> Result<Limits, AttemptsError> {
        Ok(serde_json::from_value(Value::Object(self.run.limits.clone()))?)
    }
}

/// What may change while a run goes on, and decides nothing about its results.
///
/// How many attempts there are follows from the rest, and earlier versions counted those of one condition.
const FREE: [&str; 5] = ["created_at", "tool", "note", "budget_usd", "planned_attempts"];
/// The same within the settings of a model: where the key is, what it costs, how fast it may be asked.
const FREE_SETTINGS: [&str; 6] =
    ["price", "key_env", "requests_per_minute", "concurrent", "request_seconds", "idle_seconds"];

const RUN_JSON: &str = "run.json";

/// Reads the locked plan of a run's folder; none where there is none yet.
pub fn read_plan(dir: &Path) -> Result<Option<Plan>, AttemptsError> {
    let file = dir.join(RUN_JSON);
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(AttemptsError::io(&file)(e)),
    };
    let hint = "only runs of tsbench run can be gone on with";
    let bad = |what: String| AttemptsError::Bad { file: file.clone(), what, hint };
    let plan: Plan = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
    if plan.run.schema != RUN_SCHEMA {
        return Err(bad(format!("schema {:?}; expected {RUN_SCHEMA:?}", plan.run.schema)));
    }
    Ok(Some(plan))
}

/// Locks a plan: written whole, on the disk, and never over another one.
pub fn lock(dir: &Path, plan: &Plan) -> Result<(), AttemptsError> {
    std::fs::create_dir_all(dir).map_err(AttemptsError::io(dir))?;
    let file = dir.join(RUN_JSON);
    let mut text = serde_json::to_vec_pretty(plan)?;
    text.push(b'\n');
    // Half a plan must not pass for one: it gets its name when it is whole.
    let mut part = tempfile::Builder::new().prefix(".run-").tempfile_in(dir).map_err(AttemptsError::io(dir))?;
    part.write_all(&text).and_then(|()| part.as_file().sync_all()).map_err(AttemptsError::io(&file))?;
    let kept = part.persist_noclobber(&file).map_err(|e| AttemptsError::io(&file)(e.error))?;
    // A temporary file is its owner's alone; a plan is for all to read.
    let all = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    kept.set_permissions(all).map_err(AttemptsError::io(&file))?;
    std::fs::File::open(dir).and_then(|d| d.sync_all()).map_err(AttemptsError::io(dir))
}

/// Where two plans are not the same, in words; nothing where one goes on with the other.
pub fn differences(locked: &Plan, wanted: &Plan) -> Vec<String> {
    let of = |plan: &Plan| serde_json::to_value(plan).unwrap_or(Value::Null);
    let mut found = Vec::new();
    compare("", &of(locked), &of(wanted), &mut found);
    found
}

fn compare(place: &str, locked: &Value, wanted: &Value, found: &mut Vec<String>) {
    let name = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match (locked, wanted) {
        (Value::Object(a), Value::Object(b)) => {
            let free: &[&str] = match place {
                "" => &FREE,
                p if p.starts_with("settings[") => &FREE_SETTINGS,
                _ => &[],
            };
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys.into_iter().filter(|k| !free.contains(&k.as_str())) {
                let at = |map: &serde_json::Map<String, Value>| map.get(key).cloned().unwrap_or(Value::Null);
                compare(&name(key), &at(a), &at(b), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                compare(&format!("{place}[{i}]"), a, b, found);
            }
        }
        (a, b) if a != b => found.push(format!("  {place}: locked {a}, now {b}")),
        _ => {}
    }
}

/// Digest of a suite, of the digests of all its tasks.
pub fn digest_of_suite(digests: &BTreeMap<String, String>) -> String {
    let list: String = digests.iter().map(|(task, digest)| format!("{digest} {task}\n")).collect();
    sha256(format!("tsbench.suite/1\n{list}").as_bytes())
}
