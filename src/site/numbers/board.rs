//! The numbers of a whole board, now and in a release.

use super::entry::{Scope, costs, rates};
use super::number::{Number, Of};
use crate::results::slug;
use crate::schema::Outcome;
use crate::site::board::Board;
use crate::stats::cost::dollars;
use crate::stats::display::Format;
use crate::stats::proportion::share;
use std::collections::{BTreeMap, BTreeSet};

/// Totals over all entries.
pub(super) fn whole(b: &Board<'_>) -> Vec<Number> {
    let of = Of { board: Some(b.config.id.clone()), ..Of::default() };
    let mut s = Scope::new(format!("board.{}", b.config.id), of);
    totals(&mut s, b);
    for (i, outcome) in Outcome::ALL.into_iter().enumerate() {
        let of = Of { outcome: Some(outcome.word()), ..s.of.clone() };
        let n: u64 = b.entries.iter().map(|e| e.totals.outcomes[i]).sum();
        s.with("outcome", outcome.word(), of, Format::Count, Some(n as f64));
    }
    s.count("limit_hits", b.entries.iter().map(|e| e.totals.limit_hits).sum());
    s.count("unrun", b.entries.iter().filter(|e| e.totals.lines == 0).count() as u64);
    s.count("tasks_fixed", (0..b.tasks.len()).filter(|t| b.entries.iter().any(|e| e.cells[*t].c > 0)).count() as u64);
    s.count("tasks_covered", (0..b.tasks.len()).filter(|t| b.entries.iter().any(|e| e.cells[*t].n > 0)).count() as u64);
    let distinct = |f: &dyn Fn(&crate::schema::TaskDetail) -> Option<String>| {
        b.tasks.iter().filter_map(f).collect::<BTreeSet<_>>().len() as u64
    };
    s.count("repos", distinct(&|t| t.repo.clone()));
    s.count("languages", distinct(&|t| t.language.clone()));
    for (grader, attempts) in graders(b) {
        let of = Of { grader: Some(grader.to_owned()), ..s.of.clone() };
        s.with("graded_by", &grader_key(grader), of, Format::Count, Some(attempts as f64));
    }
    s.list
}

/// The end of the id of a grader's count.
pub fn grader_key(grader: &str) -> String {
    if grader.is_empty() { "unnamed".to_owned() } else { format!("v-{}", slug(grader)) }
}

/// Counted attempts by the grader that scored them, where a board has more than one; lines that name none are of "".
pub fn graders<'b>(b: &'b Board<'_>) -> BTreeMap<&'b str, u64> {
    let named: BTreeSet<&str> = b.runs.iter().flat_map(|r| &r.graders).map(|g| g.grader.as_str()).collect();
    let mut found = BTreeMap::new();
    if named.len() < 2 {
        return found;
    }
    for run in &b.runs {
        for row in run.effective().filter(|row| row.outcome.counts(run.run.scoring.infra)) {
            *found.entry(run.grader(row.line)).or_default() += 1;
        }
    }
    if found.len() < 2 { BTreeMap::new() } else { found }
}

fn totals(s: &mut Scope, b: &Board<'_>) {
    let sum = |f: &dyn Fn(&crate::site::board::Entry) -> u64| b.entries.iter().map(f).sum::<u64>();
    let (attempts, excluded) = (sum(&|e| e.totals.attempts), sum(&|e| e.totals.excluded));
    s.count("attempts", attempts);
    s.count("planned", sum(&|e| e.planned));
    s.count("fixed", sum(&|e| e.fixed()));
    s.put("rate", Format::Percent, share(sum(&|e| e.fixed()), attempts));
    s.count("excluded", excluded);
    s.put("excluded_share", Format::Percent, share(excluded, attempts + excluded));
    s.count("entries", b.entries.len() as u64);
    s.count("entries_with_data", sum(&|e| u64::from(e.totals.attempts > 0)));
    s.count("tasks_total", b.tasks.len() as u64);
    let priced = sum(&|e| e.cells.iter().map(|c| u64::from(c.priced)).sum());
    let cost: i128 = b.entries.iter().flat_map(|e| &e.cells).map(|c| i128::from(c.cost)).sum();
    s.put("cost_total", Format::Usd2, (priced > 0).then(|| dollars(cost)));
    let spent: i128 = b.entries.iter().map(|e| e.totals.spent).sum();
    s.put("cost_spent", Format::Usd2, b.entries.iter().any(|e| e.totals.priced_lines > 0).then(|| dollars(spent)));
    s.count("cost_unknown", attempts - priced);
}

/// What a release says of a board: totals, rates and money, over the runs planned by its day.
pub(super) fn in_release(b: &Board<'_>, version: &str) -> Vec<Number> {
    let of = Of { board: Some(b.config.id.clone()), release: Some(version.to_owned()), ..Of::default() };
    let mut s = Scope::new(format!("release.{version}.board.{}", b.config.id), of.clone());
    totals(&mut s, b);
    let mut list = s.list;
    for e in &b.entries {
        let of = Of { entry: Some(e.key.clone()), ..of.clone() };
        let mut s = Scope::new(format!("release.{version}.board.{}.{}", b.config.id, e.key), of);
        s.count("attempts", e.totals.attempts);
        s.count("fixed", e.fixed());
        s.count("tasks_covered", e.cells.iter().filter(|c| c.n > 0).count() as u64);
        rates(&mut s, b, e);
        costs(&mut s, e);
        list.append(&mut s.list);
    }
    list
}
