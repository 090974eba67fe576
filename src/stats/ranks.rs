//! Ranks with their uncertainty: rank intervals and tie groups from the adjusted pairwise tests.

use super::TaskCount;
use super::multiplicity::holm;
use super::paired::mean_difference;
use super::pass_k::task_rate;
use super::sign_flip::sign_flip_p;

/// Adjusted p at or below which a pair counts as separated.
pub const ALPHA: f64 = 0.05;
/// Task sets smaller than this get counts and intervals, but no ranks.
pub const LEAST_TASKS: usize = 10;

/// Where an entry stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// 1 + entries significantly better.
    pub lo: usize,
    /// Entries less those significantly worse.
    pub hi: usize,
    /// Tie group, from 1: "not separable from the group's leader".
    pub tie_group: usize,
}

/// Rank intervals (simultaneous, from adjusted tests) and tie groups.
///
/// `better` holds pairs (winner, loser) of indices into `scores`. Anchor rule: the best remaining score, earliest
/// first, opens a group, and every remaining entry that is not significantly worse than it joins.
#[must_use]
pub fn rank(scores: &[f64], better: &[(usize, usize)]) -> Vec<Rank> {
    let entries = scores.len();
    let mut worse_than = vec![vec![false; entries]; entries];
    let mut ranks = vec![Rank { lo: 1, hi: entries, tie_group: 0 }; entries];
    for (winner, loser) in better {
        if *winner < entries && *loser < entries && !worse_than[*winner][*loser] {
            worse_than[*winner][*loser] = true;
            ranks[*loser].lo += 1;
            ranks[*winner].hi -= 1;
        }
    }
    let mut order: Vec<usize> = (0..entries).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    let mut group = 0;
    while let Some(anchor) = order.first().copied() {
        group += 1;
        let joins = |entry: &usize| *entry == anchor || !worse_than[anchor][*entry];
        for entry in order.iter().filter(|entry| joins(entry)) {
            ranks[*entry].tie_group = group;
        }
        order.retain(|entry| !joins(entry));
    }
    ranks
}

/// One pair of a board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// First entry, an index.
    pub a: usize,
    /// Second entry, a larger index.
    pub b: usize,
    /// Mean difference in rate over matched tasks, A minus B.
    pub delta: f64,
    /// Exact sign-flip p by task.
    pub p: f64,
    /// Holm-adjusted over all pairs of the board that have a matched task.
    pub p_holm: f64,
}

/// All pairs of a board, and the ranks that follow from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    /// Pairs with a matched task, ordered by (a, b).
    pub pairs: Vec<Pair>,
    /// One rank an entry; `None` for entries without attempts and for all when the board cannot be ranked.
    pub ranks: Vec<Option<Rank>>,
}

/// Compares every entry with every other. `entries` hold one count a task, in the same task order, `n == 0` where
/// there is no attempt.
///
/// There are no ranks with fewer than ten tasks or when two entries with attempts share no task.
#[must_use]
pub fn board(entries: &[&[TaskCount]]) -> Board {
    let mut pairs = Vec::new();
    for (a, left) in entries.iter().enumerate() {
        for (b, right) in entries.iter().enumerate().skip(a + 1) {
            if let Some(delta) = mean_difference(left, right) {
                pairs.push(Pair { a, b, delta, p: sign_flip_p(left, right), p_holm: 1.0 });
            }
        }
    }
    ranked(entries, pairs)
}

/// As [`board`], for pairs that are compared already: ordered by (a, b), `p_holm` not yet adjusted.
#[must_use]
pub fn ranked(entries: &[&[TaskCount]], mut pairs: Vec<Pair>) -> Board {
    let adjusted = holm(&pairs.iter().map(|pair| pair.p).collect::<Vec<_>>());
    for (pair, p_holm) in pairs.iter_mut().zip(adjusted) {
        pair.p_holm = p_holm;
    }
    let ranks = ranks_of(entries, &pairs);
    Board { pairs, ranks }
}

fn ranks_of(entries: &[&[TaskCount]], pairs: &[Pair]) -> Vec<Option<Rank>> {
    let tasks = entries.iter().map(|entry| entry.len()).max().unwrap_or(0);
    let scored: Vec<(usize, f64)> = entries.iter().enumerate().filter_map(|(i, e)| Some((i, task_rate(e)?))).collect();
    let mut ranks = vec![None; entries.len()];
    if tasks < LEAST_TASKS || pairs.len() < scored.len() * scored.len().saturating_sub(1) / 2 {
        return ranks;
    }
    let place = |entry: usize| scored.iter().position(|(i, _)| *i == entry);
    let separated = pairs.iter().filter(|pair| pair.p_holm <= ALPHA && pair.delta != 0.0);
    let better: Vec<(usize, usize)> = separated
        .filter_map(|pair| {
            let (a, b) = (place(pair.a)?, place(pair.b)?);
            Some(if pair.delta > 0.0 { (a, b) } else { (b, a) })
        })
        .collect();
    let scores: Vec<f64> = scored.iter().map(|(_, score)| *score).collect();
    for ((entry, _), rank) in scored.iter().zip(rank(&scores, &better)) {
        ranks[*entry] = Some(rank);
    }
    ranks
}
