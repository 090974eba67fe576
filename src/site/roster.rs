//! Who stands in the rows of a board: models driven by agents under conditions, each with its own key.

use super::board::{Cell, Entry, Totals};
use super::config::{BoardConfig, Config};
use super::error::SiteError;
use crate::results::{RunFile, slug};
use crate::schema::Model;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Entries in order of their keys, and for each run its entries by model and variant.
type EntryMaps = (Vec<Entry>, Vec<HashMap<(u16, u16), usize>>);

/// What tells entries apart: model, agent, condition.
pub(super) type Id = (String, String, String);

/// The entries of a run: each model under the plan's agent and conditions, and under others that its lines name.
pub(super) fn ids(run: &RunFile) -> Vec<Id> {
    let of_plan = |condition: &str| (run.run.agent_word(), condition.to_owned());
    let own: Vec<(String, String)> = run.run.planned_conditions().into_iter().map(of_plan).collect();
    let variants = || own.iter().chain(run.variants.iter().filter(|v| !own.contains(v)));
    run.run
        .models
        .iter()
        .flat_map(|m| variants().map(|(agent, condition)| (m.id.clone(), agent.clone(), condition.clone())))
        .collect()
}

pub(super) fn entries(
    config: &Config,
    board: &BoardConfig,
    runs: &[&RunFile],
    keys: &BTreeMap<Id, String>,
    tasks: usize,
) -> Result<EntryMaps, SiteError> {
    let mut found: BTreeMap<Id, Entry> = BTreeMap::new();
    for run in runs {
        let plan = &run.run;
        let (agent, conditions) = (plan.agent_word(), plan.planned_conditions());
        let whole = plan.tasks.len() as u64 * u64::from(plan.repeats);
        for id in ids(run) {
            let Some(model) = plan.models.iter().find(|m| m.id == id.0) else { continue };
            let is_planned = id.1 == agent && conditions.contains(&id.2.as_str());
            let entry = found.entry(id).or_insert_with_key(|id| Entry {
                key: keys.get(id).cloned().unwrap_or_default(),
                model: named(config, model),
                agent: id.1.clone(),
                condition: id.2.clone(),
                planned: 0,
                whole: 0,
                totals: Totals::default(),
                cells: vec![Cell::default(); tasks],
            });
            // What a run holds beside its plan was not planned.
            entry.planned += if is_planned { whole } else { 0 };
            entry.whole += whole;
        }
    }
    let mut entries: Vec<(Id, Entry)> = found.into_iter().collect();
    entries.sort_by(|a, b| a.1.key.cmp(&b.1.key));
    if let Some(pair) = entries.windows(2).find(|w| w[0].1.key == w[1].1.key) {
        let what = format!(
            "board {:?}: models {:?} and {:?} share the key {:?}",
            board.id, pair[0].0.0, pair[1].0.0, pair[0].1.key
        );
        return Err(SiteError::content("content/site.toml", what, "give each model its own key in a [[model]] table"));
    }
    let place: HashMap<&Id, usize> = entries.iter().enumerate().map(|(i, (id, _))| (id, i)).collect();
    let maps = runs
        .iter()
        .map(|run| {
            let mut map = HashMap::new();
            for (m, model) in run.run.models.iter().enumerate() {
                for (v, (agent, condition)) in run.variants.iter().enumerate() {
                    if let Some(i) = place.get(&(model.id.clone(), agent.clone(), condition.clone())) {
                        map.insert((m as u16, v as u16), *i);
                    }
                }
            }
            map
        })
        .collect();
    drop(place);
    Ok((entries.into_iter().map(|(_, e)| e).collect(), maps))
}

fn named(config: &Config, model: &Model) -> Model {
    let mut model = model.clone();
    if let Some(c) = config.model(&model.id) {
        for (to, from) in [(&mut model.name, &c.name), (&mut model.maker, &c.maker)] {
            if !from.is_empty() {
                to.clone_from(from);
            }
        }
        if !c.cutoff.is_empty() {
            model.cutoff = Some(c.cutoff.clone());
        }
    }
    model
}

/// A model's key, followed by what tells its entries apart.
pub(super) fn keys(config: &Config, found: BTreeSet<Id>) -> BTreeMap<Id, String> {
    let base = |id: &str| config.model(id).map_or_else(|| slug(id), |m| m.key.clone());
    let key = |(id, agent, condition): &Id| {
        let mut key = base(id);
        if found.iter().any(|(i, a, _)| i == id && a != agent) {
            key.push('-');
            key.push_str(&slug(agent));
        }
        if condition != "default" {
            key.push('-');
            key.push_str(&slug(condition));
        }
        key
    };
    let keys: Vec<String> = found.iter().map(key).collect();
    found.into_iter().zip(keys).collect()
}
