use super::Plan;
use crate::agent::conditions_of;
use crate::schema::Attempt;
use crate::tasks::sha256;
use std::collections::HashMap;

/// One attempt of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Task.
    pub task: String,
    /// Model.
    pub model: String,
    /// Condition.
    pub condition: String,
    /// 0-based repeat.
    pub repeat: u32,
}

impl From<&Attempt> for Cell {
    fn from(line: &Attempt) -> Cell {
        Cell {
            task: line.task.clone(),
            model: line.model.clone(),
            condition: line.condition.clone(),
            repeat: line.repeat,
        }
    }
}

impl Cell {
    /// The text from which chance for this cell is drawn. The condition is no part of it, so that the same chance meets
    /// every condition.
    pub fn seed(&self, seed: &str) -> String {
        format!("{seed}|{}|{}|{}", self.task, self.model, self.repeat)
    }
}

/// Every cell of a plan, in an order that the seed alone decides: neither models nor tasks come in blocks, so that a
/// slow hour of a provider does not fall on one of them.
pub fn cells(plan: &Plan) -> Vec<Cell> {
    let mut all = Vec::new();
    for condition in conditions_of(&plan.run.condition) {
        for task in &plan.run.tasks {
            for model in &plan.run.models {
                for repeat in 0..plan.run.repeats {
                    let cell =
                        Cell { task: task.clone(), model: model.id.clone(), condition: condition.clone(), repeat };
                    let place = sha256(format!("order|{condition}|{}", cell.seed(&plan.seed)).as_bytes());
                    all.push((place, cell));
                }
            }
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.into_iter().map(|(_, cell)| cell).collect()
}

/// The cells that have no line that counts, in their order; with each, whether it has an excluded line.
pub fn remaining(plan: &Plan, lines: &[Attempt]) -> Vec<(Cell, bool)> {
    // Of two lines of one cell the later stands.
    let done: HashMap<Cell, bool> =
        lines.iter().map(|l| (Cell::from(l), l.outcome.excluded(plan.run.scoring.infra))).collect();
    let of = |cell: Cell| match done.get(&cell) {
        None => Some((cell, false)),
        Some(true) => Some((cell, true)),
        Some(false) => None,
    };
    cells(plan).into_iter().filter_map(of).collect()
}
