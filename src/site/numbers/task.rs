//! The numbers of single tasks and of single runs.

use super::entry::Scope;
use super::number::{Number, Of};
use crate::results::{RunFile, slug};
use crate::schema::Outcome;
use crate::site::board::Board;
use crate::stats::cost::dollars;
use crate::stats::display::Format;

/// Totals of each task of a board.
pub(super) fn all(b: &Board<'_>) -> Vec<Number> {
    let mut list = Vec::with_capacity(b.tasks.len() * 3);
    for (i, task) in b.tasks.iter().enumerate() {
        let of = Of { board: Some(b.config.id.clone()), task: Some(task.id.clone()), ..Of::default() };
        let mut s = Scope::new(format!("task.{}.{}", b.config.id, slug(&task.id)), of);
        let cells = || b.entries.iter().map(|e| &e.cells[i]);
        s.count("attempts", cells().map(|c| u64::from(c.n)).sum());
        s.count("fixed", cells().map(|c| u64::from(c.c)).sum());
        s.count("entries_with_data", cells().filter(|c| c.n > 0).count() as u64);
        // What the plans say of the task's tests; where they say nothing, pages do not either.
        for (stat, said) in [("targets", task.targets), ("guards", task.guards)] {
            if let Some(said) = said {
                s.count(stat, said);
            }
        }
        list.append(&mut s.list);
    }
    list
}

/// Totals of a run, whether or not a board shows it.
pub(super) fn run(run: &RunFile) -> Vec<Number> {
    let of = Of { run: Some(run.run.run.clone()), ..Of::default() };
    let mut s = Scope::new(format!("run.{}", slug(&run.run.run)), of);
    let infra = run.run.scoring.infra;
    let count = |f: &dyn Fn(Outcome) -> bool| run.effective().filter(|r| f(r.outcome)).count() as u64;
    s.count("attempts", count(&|o| o.counts(infra)));
    s.count("planned", run.run.planned_attempts);
    s.count("fixed", count(&|o| o == Outcome::Resolved));
    s.count("excluded", count(&|o| o.excluded(infra)));
    let priced = run.rows.iter().any(|r| r.cost_nano().is_some());
    let spent: i128 = run.rows.iter().filter_map(|r| r.cost_nano()).map(i128::from).sum();
    s.put("cost_spent", Format::Usd2, priced.then(|| dollars(spent)));
    s.list
}
