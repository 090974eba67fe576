//! Numbers of which there is one a raw line or a cell: named by rule, not listed.

use crate::results::{Dataset, Row, RunFile};
use crate::site::board::Board;
use crate::stats::display::Format;
use std::collections::HashMap;

/// Looks up `cell|board|entry|task|what` and `line|run|task|model|condition|repeat|/pointer`.
pub struct Families<'a> {
    boards: HashMap<&'a str, BoardIndex<'a>>,
    runs: HashMap<&'a str, RunIndex<'a>>,
}

/// A board with the places of its entries and tasks.
type BoardIndex<'a> = (&'a Board<'a>, HashMap<&'a str, usize>, HashMap<&'a str, usize>);

struct RunIndex<'a> {
    run: &'a RunFile,
    tasks: HashMap<&'a str, u32>,
    models: HashMap<&'a str, u16>,
}

impl<'a> Families<'a> {
    /// Indexes boards and runs.
    pub fn new(boards: &'a [Board<'a>], data: &'a Dataset) -> Families<'a> {
        let boards = boards
            .iter()
            .map(|b| {
                let entries = b.entries.iter().enumerate().map(|(i, e)| (e.key.as_str(), i)).collect();
                let tasks = b.tasks.iter().enumerate().map(|(i, t)| (t.id.as_str(), i)).collect();
                (b.config.id.as_str(), (b, entries, tasks))
            })
            .collect();
        let runs = data
            .runs
            .iter()
            .map(|run| {
                let tasks = run.run.tasks.iter().enumerate().map(|(i, t)| (t.as_str(), i as u32)).collect();
                let models = run.run.models.iter().enumerate().map(|(i, m)| (m.id.as_str(), i as u16)).collect();
                (run.run.run.as_str(), RunIndex { run, tasks, models })
            })
            .collect();
        Families { boards, runs }
    }

    /// Value and text of a family's number; none where the id names nothing.
    pub fn look_up(&self, id: &str) -> Option<(Option<f64>, String)> {
        let parts: Vec<&str> = id.split('|').collect();
        match parts[..] {
            ["cell", board, entry, task, what] => self.cell(board, entry, task, what),
            ["line", run, task, model, condition, repeat, pointer] => {
                self.line((run, task, model, condition, repeat.parse().ok()?), pointer)
            }
            _ => None,
        }
    }

    fn cell(&self, board: &str, entry: &str, task: &str, what: &str) -> Option<(Option<f64>, String)> {
        let (b, entries, tasks) = self.boards.get(board)?;
        let cell = &b.entries[*entries.get(entry)?].cells[*tasks.get(task)?];
        let value = match what {
            "fixed" => cell.c,
            "attempts" => cell.n,
            _ => return None,
        };
        Some((Some(f64::from(value)), value.to_string()))
    }

    fn line(
        &self,
        (run, task, model, condition, repeat): (&str, &str, &str, &str, u32),
        pointer: &str,
    ) -> Option<(Option<f64>, String)> {
        let index = self.runs.get(run)?;
        let (task, model) = (*index.tasks.get(task)?, *index.models.get(model)?);
        let rows = &index.run.rows;
        let from = rows.partition_point(|r| (r.task, r.model) < (task, model));
        let row = rows[from..].iter().take_while(|r| r.task == task && r.model == model).find(|r| {
            !r.superseded && r.repeat == repeat && index.run.variants[usize::from(r.variant)].1 == condition
        })?;
        let (value, format) = field(row, pointer)?;
        Some((value, format.text(value)))
    }
}

/// The fields of a raw line that pages state, and how they are written.
pub fn field(row: &Row, pointer: &str) -> Option<(Option<f64>, Format)> {
    let pair = |value: u32, total: u32| (total > 0).then_some(f64::from(value));
    Some(match pointer {
        "/cost_usd" => (row.cost_usd(), Format::Usd3),
        "/turns" => (row.turns().map(f64::from), Format::Count),
        "/seconds/agent" => (row.agent_seconds(), Format::Seconds),
        "/seconds/total" => (row.total_seconds(), Format::Seconds),
        "/usage/output" => (row.output_tokens().map(|t| t as f64), Format::Count),
        "/tests/targets/passed" => (pair(row.targets.0, row.targets.1), Format::Count),
        "/tests/targets/total" => (pair(row.targets.1, row.targets.1), Format::Count),
        "/tests/guards/passed" => (pair(row.guards.0, row.guards.1), Format::Count),
        "/tests/guards/total" => (pair(row.guards.1, row.guards.1), Format::Count),
        _ => return None,
    })
}
