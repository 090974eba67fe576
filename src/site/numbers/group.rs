//! Breakdowns by what tasks are: repository, language, difficulty, use case, merge month.

use super::entry::Scope;
use super::number::{Number, Of};
use crate::results::slug;
use crate::schema::TaskDetail;
use crate::site::board::Board;
use crate::stats::Z;
use crate::stats::display::Format;
use crate::stats::proportion::{share, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// The ways to break a board down.
pub const WAYS: [&str; 5] = ["repo", "language", "difficulty", "use_case", "month"];

/// The groups of a task under one way, as far as it says them; several only for use cases.
pub fn groups_of<'t>(task: &'t TaskDetail, by: &str) -> Vec<&'t str> {
    let one = match by {
        "repo" => task.repo.as_deref(),
        "language" => task.language.as_deref(),
        "difficulty" => task.difficulty.as_deref(),
        "use_case" => return task.use_cases.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect(),
        _ => task.merged_at.as_deref().and_then(|d| d.get(..7)),
    };
    one.into_iter().collect()
}

/// The groups of a board under one way, with the indices of their tasks.
pub fn groups<'b>(b: &'b Board<'_>, by: &str) -> BTreeMap<&'b str, Vec<usize>> {
    let mut found: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, task) in b.tasks.iter().enumerate() {
        for group in groups_of(task, by) {
            found.entry(group).or_default().push(i);
        }
    }
    found
}

pub(super) fn all(b: &Board<'_>) -> Vec<Number> {
    let mut list = Vec::new();
    for by in WAYS {
        for (group, tasks) in groups(b, by) {
            let of =
                Of { board: Some(b.config.id.clone()), by: Some(by), group: Some(group.to_owned()), ..Of::default() };
            let end = format!("{by}.{}", slug(group));
            let mut s = Scope::new(format!("board.{}.{end}", b.config.id), of.clone());
            s.count("tasks_total", tasks.len() as u64);
            let of_all = b.entries.iter().flat_map(|e| tasks.iter().map(|t| &e.cells[*t]));
            let (n, x) = of_all.fold((0, 0), |(n, x), c| (n + u64::from(c.n), x + u64::from(c.c)));
            rate(&mut s, n, x);
            list.append(&mut s.list);
            for e in b.entries.iter().filter(|e| e.totals.attempts > 0) {
                let of = Of { entry: Some(e.key.clone()), ..of.clone() };
                let mut s = Scope::new(format!("board.{}.{}.{end}", b.config.id, e.key), of);
                let (n, x) = tasks
                    .iter()
                    .map(|t| &e.cells[*t])
                    .fold((0, 0), |(n, x), c| (n + u64::from(c.n), x + u64::from(c.c)));
                rate(&mut s, n, x);
                list.append(&mut s.list);
            }
        }
    }
    list
}

fn rate(s: &mut Scope, n: u64, x: u64) {
    s.count("attempts", n);
    s.count("fixed", x);
    s.put("rate", Format::Percent, share(x, n));
    s.range(["wilson_lo", "wilson_hi"], Format::Percent, wilson(x, n, Z));
}
