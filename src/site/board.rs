//! One published table: which runs are on it, who stands in its rows, and what was counted at each task.

use super::SiteError;
use super::config::{BoardConfig, Config};
use super::roster::{entries, ids, keys};
use crate::results::{Dataset, PublisherFile, Row, RunFile};
use crate::schema::{Infra, Model, Outcome, TaskDetail};
use crate::stats::TaskCount;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// A row of the table: a model driven by an agent under a condition.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Short name in addresses and number ids.
    pub key: String,
    /// The model, with the publisher's names for it.
    pub model: Model,
    /// Agent as `name@version`.
    pub agent: String,
    /// Prompt pack.
    pub condition: String,
    /// Attempts planned for it.
    pub planned: u64,
    /// Attempts that it has when it has each task as often as its runs repeat it, planned or beside the plan.
    pub whole: u64,
    /// Totals over its attempts.
    pub totals: Totals,
    /// One for each task of the board.
    pub cells: Vec<Cell>,
}

/// What was counted of one entry at one task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Counted attempts.
    pub n: u32,
    /// Fixes.
    pub c: u32,
    /// Attempts left out.
    pub excluded: u32,
    /// Counted attempts whose cost is known.
    pub priced: u32,
    /// Their cost in nano-dollars.
    pub cost: i64,
    /// Fixes among them.
    pub priced_fixes: u32,
}

/// Sums over the attempts of an entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Effective lines by outcome, in the order of [`Outcome::ALL`].
    pub outcomes: [u64; 8],
    /// Counted attempts.
    pub attempts: u64,
    /// Attempts left out.
    pub excluded: u64,
    /// Counted attempts that ran into a limit.
    pub limit_hits: u64,
    /// Nano-dollars of every line, left-out and superseded ones too.
    pub spent: i128,
    /// Seconds of counted attempts that say them, and how many do.
    pub seconds: (f64, u64),
    /// Turns of counted attempts that say them, and how many do.
    pub turns: (u64, u64),
    /// Tokens of counted attempts that say them, and how many do.
    pub tokens: (u128, u64),
    /// Lines of any kind.
    pub lines: u64,
    /// Lines whose cost is known.
    pub priced_lines: u64,
    /// Counted attempts that say how long the agent worked.
    pub timed: u64,
}

/// A published table.
#[derive(Debug)]
pub struct Board<'d> {
    /// The publisher's choices for it.
    pub config: BoardConfig,
    /// Its runs.
    pub runs: Vec<&'d RunFile>,
    /// Its publisher-reported records.
    pub publishers: Vec<&'d PublisherFile>,
    /// Its tasks in byte order of their ids.
    pub tasks: Vec<TaskDetail>,
    /// Its rows in order of their keys.
    pub entries: Vec<Entry>,
    /// Index of each run's tasks in [`Board::tasks`], by run.
    pub task_map: Vec<Vec<u32>>,
    /// Where the rows of each of the board's tasks stand among a run's, by run.
    places: Vec<Vec<Range<u32>>>,
    /// Index of an entry by run, model and variant.
    pub entry_map: Vec<HashMap<(u16, u16), usize>>,
}

impl<'d> Board<'d> {
    /// Gathers the board's runs that `keep` admits.
    pub fn gather(
        config: &Config,
        board: &BoardConfig,
        data: &'d Dataset,
        keep: &dyn Fn(&str) -> bool,
    ) -> Result<Board<'d>, SiteError> {
        let on_board = |run: &str, suite: &str| board.shows(run, suite);
        let all: Vec<&RunFile> = data.runs.iter().filter(|r| on_board(&r.run.run, &r.run.suite)).collect();
        // An entry has one key, in a release too: what tells entries apart is looked for in all runs.
        let keys = keys(config, all.iter().flat_map(|r| ids(r)).collect());
        let runs: Vec<&RunFile> = all.iter().copied().filter(|r| keep(&r.run.created_at)).collect();
        let publishers = data
            .publishers
            .iter()
            .filter(|p| on_board(&p.record.run, &p.record.suite) && keep(&p.record.created_at))
            .collect();
        let tasks = tasks(&all, &runs)?;
        let place: HashMap<&str, u32> = tasks.iter().enumerate().map(|(i, t)| (t.id.as_str(), i as u32)).collect();
        let task_map: Vec<Vec<u32>> =
            runs.iter().map(|r| r.run.tasks.iter().filter_map(|t| place.get(t.as_str()).copied()).collect()).collect();
        drop(place);
        let places = runs.par_iter().zip(&task_map).map(|(run, map)| places(run, map, tasks.len())).collect();
        let (entries, entry_map) = entries(config, board, &runs, &keys, tasks.len())?;
        let mut out = Board { config: board.clone(), runs, publishers, tasks, entries, task_map, places, entry_map };
        out.count();
        Ok(out)
    }

    /// Adds every attempt to its cell; runs in parallel, merged in their order.
    fn count(&mut self) {
        let width = self.tasks.len();
        type Part = BTreeMap<usize, (Totals, Vec<Cell>)>;
        let parts: Vec<Part> = (0..self.runs.len())
            .into_par_iter()
            .map(|r| {
                let mut part = Part::new();
                let (run, tasks, entries) = (self.runs[r], &self.task_map[r], &self.entry_map[r]);
                let mut last = None;
                for row in &run.rows {
                    let id = (row.model, row.variant);
                    let entry = match last {
                        Some((known, e)) if known == id => e,
                        _ => match entries.get(&id) {
                            Some(e) => *e,
                            // Every pair has an entry; were one missing, its lines would be nobody's, never another's.
                            None => continue,
                        },
                    };
                    last = Some((id, entry));
                    let (totals, cells) =
                        part.entry(entry).or_insert_with(|| (Totals::default(), vec![Cell::default(); width]));
                    add(totals, &mut cells[tasks[row.task as usize] as usize], row, run.run.scoring.infra);
                }
                part
            })
            .collect();
        for (entry, (totals, cells)) in parts.into_iter().flatten() {
            let entry = &mut self.entries[entry];
            merge(&mut entry.totals, &totals);
            for (to, from) in entry.cells.iter_mut().zip(cells) {
                to.n += from.n;
                to.c += from.c;
                to.excluded += from.excluded;
                to.priced += from.priced;
                to.cost += from.cost;
                to.priced_fixes += from.priced_fixes;
            }
        }
    }

    /// The attempts of one task in each run, with the run's index; superseded ones too.
    pub fn rows_of(&self, task: u32) -> impl Iterator<Item = (usize, &'d [Row])> + '_ {
        self.runs.iter().zip(&self.places).enumerate().filter_map(move |(r, (run, places))| {
            let place = &places[task as usize];
            (!place.is_empty()).then(|| (r, &run.rows[place.start as usize..place.end as usize]))
        })
    }

    /// Whether every entry of the board is a publisher's word only.
    pub fn is_reported_only(&self) -> bool {
        self.runs.is_empty() && !self.publishers.is_empty()
    }
}

impl Entry {
    /// Counts by task, over the tasks that have a counted attempt.
    pub fn counts(&self) -> Vec<TaskCount> {
        self.cells.iter().filter(|c| c.n > 0).map(|c| TaskCount { n: c.n, c: c.c }).collect()
    }

    /// Fixes.
    pub fn fixed(&self) -> u64 {
        self.totals.outcomes[0]
    }

    /// The state of the plan, as readers see it.
    pub fn status(&self) -> (&'static str, &'static str) {
        if self.totals.attempts == 0 && self.totals.excluded == 0 {
            ("Not run", "notrun")
        } else if self.totals.attempts + self.totals.excluded < self.whole {
            ("Stopped early", "stopped")
        } else {
            ("Complete", "complete")
        }
    }

    /// The entry's name for readers, with agent and condition where they tell entries apart.
    pub fn name(&self) -> &str {
        &self.model.name
    }
}

fn add(totals: &mut Totals, cell: &mut Cell, row: &Row, infra: Infra) {
    totals.spent += i128::from(row.cost_nano().unwrap_or(0));
    totals.lines += 1;
    totals.priced_lines += u64::from(row.cost_nano().is_some());
    if row.superseded {
        return;
    }
    totals.outcomes[row.outcome as usize] += 1;
    if row.outcome.excluded(infra) {
        totals.excluded += 1;
        cell.excluded += 1;
    }
    if !row.outcome.counts(infra) {
        return;
    }
    totals.attempts += 1;
    cell.n += 1;
    cell.c += u32::from(row.outcome == Outcome::Resolved);
    totals.limit_hits += u64::from(row.outcome == Outcome::TimedOut || row.stop.is_limit());
    if let Some(cost) = row.cost_nano() {
        cell.priced += 1;
        cell.cost += cost;
        cell.priced_fixes += u32::from(row.outcome == Outcome::Resolved);
    }
    if let Some(s) = row.total_seconds() {
        totals.seconds = (totals.seconds.0 + s, totals.seconds.1 + 1);
    }
    totals.timed += u64::from(row.agent_seconds().is_some());
    if let Some(t) = row.turns() {
        totals.turns = (totals.turns.0 + u64::from(t), totals.turns.1 + 1);
    }
    if let Some((i, o)) = row.tokens() {
        totals.tokens = (totals.tokens.0 + u128::from(i) + u128::from(o), totals.tokens.1 + 1);
    }
}

fn merge(to: &mut Totals, from: &Totals) {
    for (a, b) in to.outcomes.iter_mut().zip(from.outcomes) {
        *a += b;
    }
    to.attempts += from.attempts;
    to.excluded += from.excluded;
    to.limit_hits += from.limit_hits;
    to.spent += from.spent;
    to.seconds = (to.seconds.0 + from.seconds.0, to.seconds.1 + from.seconds.1);
    to.turns = (to.turns.0 + from.turns.0, to.turns.1 + from.turns.1);
    to.tokens = (to.tokens.0 + from.tokens.0, to.tokens.1 + from.tokens.1);
    to.lines += from.lines;
    to.priced_lines += from.priced_lines;
    to.timed += from.timed;
}

/// Where the rows of each of a board's tasks stand among a run's, which are in order of the run's own tasks.
fn places(run: &RunFile, task_map: &[u32], tasks: usize) -> Vec<Range<u32>> {
    let mut places = vec![0..0; tasks];
    let mut from = 0;
    for rows in run.rows.chunk_by(|a, b| a.task == b.task) {
        let to = from + rows.len() as u32;
        places[task_map[rows[0].task as usize] as usize] = from..to;
        from = to;
    }
    places
}

/// What plans say of a task, and of which each task of a suite has one.
const FACTS: [&str; 5] = ["repo", "language", "merged_at", "difficulty", "use_cases"];

/// The use cases of a task as one text; none where a plan does not say them.
pub fn use_cases(task: &TaskDetail) -> Option<String> {
    (!task.use_cases.is_empty()).then(|| task.use_cases.join(", "))
}

/// The union of the runs' tasks. Facts about them are the board's: a run's detail fills what another leaves open, in a
/// release too, and two that differ end the build.
fn tasks(all: &[&RunFile], runs: &[&RunFile]) -> Result<Vec<TaskDetail>, SiteError> {
    let mut facts: BTreeMap<&str, TaskDetail> = BTreeMap::new();
    for run in all {
        for d in &run.run.task_details {
            let Some(known) = facts.get_mut(d.id.as_str()) else {
                facts.insert(&d.id, d.clone());
                continue;
            };
            let said = [
                (&d.repo, &known.repo),
                (&d.language, &known.language),
                (&d.merged_at, &known.merged_at),
                (&d.difficulty, &known.difficulty),
                (&use_cases(d), &use_cases(known)),
            ];
            for (name, (new, old)) in FACTS.into_iter().zip(said) {
                if let (Some(new), Some(old)) = (new, old)
                    && new != old
                {
                    let what = format!("task {:?}: {name} is {new:?} here and {old:?} in an earlier run", d.id);
                    let file = format!("results/{}/run.json", run.run.run);
                    return Err(SiteError::content(file, what, "a task of one suite version has one of each"));
                }
            }
            fill(&mut known.repo, &d.repo);
            fill(&mut known.language, &d.language);
            fill(&mut known.merged_at, &d.merged_at);
            fill(&mut known.difficulty, &d.difficulty);
            if known.use_cases.is_empty() {
                known.use_cases.clone_from(&d.use_cases);
            }
            fill(&mut known.targets, &d.targets);
            fill(&mut known.guards, &d.guards);
            fill(&mut known.title, &d.title);
        }
    }
    let ids: BTreeSet<&String> = runs.iter().flat_map(|r| &r.run.tasks).collect();
    let unknown = |id: &String| TaskDetail {
        id: id.clone(),
        repo: None,
        language: None,
        merged_at: None,
        difficulty: None,
        use_cases: Vec::new(),
        targets: None,
        guards: None,
        title: None,
    };
    Ok(ids.into_iter().map(|id| facts.remove(id.as_str()).unwrap_or_else(|| unknown(id))).collect())
}

fn fill<T: Clone>(known: &mut Option<T>, new: &Option<T>) {
    if known.is_none() {
        known.clone_from(new);
    }
}
