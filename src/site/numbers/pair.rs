//! Each pair of a board's entries, and the ranks that follow from all pairs.

use super::entry::Scope;
use super::number::{Number, Of};
use crate::site::board::Board;
use crate::stats::display::Format;
use crate::stats::paired::{Paired, compare};
use crate::stats::power::{multiplier, observed_variance, smallest_gap, tasks_needed};
use crate::stats::ranks::{Pair, ranked};
use crate::stats::{TaskCount, Z};
use rayon::prelude::*;

/// Numbers of pairs and ranks.
pub(super) fn all(b: &Board<'_>) -> Vec<Number> {
    let counts: Vec<Vec<TaskCount>> =
        b.entries.iter().map(|e| e.cells.iter().map(|c| TaskCount { n: c.n, c: c.c }).collect()).collect();
    let places: Vec<(usize, usize)> =
        (0..counts.len()).flat_map(|i| (i + 1..counts.len()).map(move |j| (i, j))).collect();
    let compared: Vec<Option<Paired>> = places.par_iter().map(|(i, j)| compare(&counts[*i], &counts[*j], Z)).collect();
    let pairs = places
        .iter()
        .zip(&compared)
        .filter_map(|((a, b), c)| c.as_ref().map(|c| Pair { a: *a, b: *b, delta: c.delta, p: c.p, p_holm: 1.0 }))
        .collect();
    let views: Vec<&[TaskCount]> = counts.iter().map(Vec::as_slice).collect();
    let ranked = ranked(&views, pairs);
    let mut list = Vec::new();
    for (entry, rank) in b.entries.iter().zip(&ranked.ranks) {
        let mut s = super::entry::scope(b, entry);
        s.put("rank_lo", Format::Count, rank.as_ref().map(|r| r.lo as f64));
        s.put("rank_hi", Format::Count, rank.as_ref().map(|r| r.hi as f64));
        s.put("tie_group", Format::Count, rank.as_ref().map(|r| r.tie_group as f64));
        list.append(&mut s.list);
    }
    let adjusted = |i: usize, j: usize| {
        ranked.pairs.binary_search_by_key(&(i, j), |p| (p.a, p.b)).ok().map(|at| ranked.pairs[at].p_holm)
    };
    for ((i, j), paired) in places.iter().zip(&compared) {
        list.extend(pair(b, (*i, *j), paired.as_ref(), adjusted(*i, *j), (&counts[*i], &counts[*j])));
    }
    list
}

fn pair(
    b: &Board<'_>,
    (i, j): (usize, usize),
    paired: Option<&Paired>,
    p_holm: Option<f64>,
    (left, right): (&[TaskCount], &[TaskCount]),
) -> Vec<Number> {
    let (one, two) = (&b.entries[i].key, &b.entries[j].key);
    let of =
        Of { board: Some(b.config.id.clone()), entry: Some(one.clone()), versus: Some(two.clone()), ..Of::default() };
    let mut s = Scope::new(format!("pair.{}.{one}.{two}", b.config.id), of);
    let only = |a: &[TaskCount], b: &[TaskCount]| a.iter().zip(b).filter(|(x, y)| x.n > 0 && y.n == 0).count() as u64;
    s.count("matched_tasks", paired.map_or(0, |p| p.matched as u64));
    s.count("only_a", only(left, right));
    s.count("only_b", only(right, left));
    s.put("delta", Format::Points, paired.map(|p| p.delta));
    s.range(["delta_lo", "delta_hi"], Format::Points, paired.map(|p| p.interval));
    s.put("p", Format::P, paired.map(|p| p.p));
    s.put("p_holm", Format::P, p_holm);
    s.count("a_better", paired.map_or(0, |p| p.a_better as u64));
    s.count("b_better", paired.map_or(0, |p| p.b_better as u64));
    s.count("tied", paired.map_or(0, |p| p.tied as u64));
    let variance = observed_variance(left, right);
    let z = multiplier(0.05, 0.8);
    // Where nothing varies the formula gives a gap of 0, which no set of tasks can see: it is not stated.
    let gap = variance.filter(|v| *v > 0.0).and_then(|v| smallest_gap(v, paired?.matched, z?));
    s.put("mde", Format::Gap, gap);
    let needed = variance.filter(|v| *v > 0.0).and_then(|v| tasks_needed(v, paired?.delta, z?));
    s.put("tasks_needed", Format::Count, needed.map(f64::ceil));
    s.list
}
