//! Every number of a site, computed once from the boards; what pages, files and verification read.

mod board;
mod entry;
mod family;
mod group;
mod number;
mod pair;
mod publisher;
mod task;

pub use board::{grader_key, graders};
pub use family::{FIELDS, Families, Field, cell_id, file_id, health_base, push_part, suite_id, task_base};
pub use group::{WAYS, groups};
pub use number::{Number, Numbers, Of, UNKNOWN, data_element, push_data, push_formatted, push_value};
pub use publisher::prefix as publisher_prefix;

use super::board::Board;
use super::config::Config;
use super::error::SiteError;
use crate::results::Dataset;
use rayon::prelude::*;

/// The boards of a site and all their numbers.
#[derive(Debug)]
pub struct Computed<'d> {
    /// Boards in the order of the configuration.
    pub boards: Vec<Board<'d>>,
    /// For each release, its boards.
    pub releases: Vec<Vec<Board<'d>>>,
    /// All numbers.
    pub numbers: Numbers,
}

/// Computes everything that a site states.
/// `more` names further k of pass@k and pass^k, beside those that the boards show.
pub fn compute<'d>(config: &Config, data: &'d Dataset, more: Option<&[u32]>) -> Result<Computed<'d>, SiteError> {
    let boards = gather(config, data, &|_| true)?;
    let mut list: Vec<Number> = boards.par_iter().flat_map_iter(|b| board_numbers(b, more.unwrap_or(&[]))).collect();
    let mut releases = Vec::new();
    for release in &config.releases {
        let until = release.until.as_str();
        let of_release = gather(config, data, &|created| created.get(..10).is_some_and(|day| day <= until))?;
        list.extend(
            of_release.par_iter().flat_map_iter(|b| board::in_release(b, &release.version)).collect::<Vec<_>>(),
        );
        releases.push(of_release);
    }
    list.extend(data.runs.iter().flat_map(task::run));
    Ok(Computed { boards, releases, numbers: Numbers::new(list) })
}

fn gather<'d>(config: &Config, data: &'d Dataset, keep: &dyn Fn(&str) -> bool) -> Result<Vec<Board<'d>>, SiteError> {
    config.boards.iter().map(|b| Board::gather(config, b, data, keep)).collect()
}

fn board_numbers(b: &Board<'_>, more: &[u32]) -> Vec<Number> {
    let mut ks = entry::ks(b);
    ks.extend(more.iter().filter(|k| **k > 0));
    ks.sort_unstable();
    ks.dedup();
    // Drawing the weights is one thread's work: everything that does not need them is done meanwhile.
    let (entries, (pairs, others)) = rayon::join(
        || {
            let weights = entry::weights(b);
            b.entries.par_iter().flat_map_iter(|e| entry::all(b, e, weights.as_ref(), &ks)).collect::<Vec<_>>()
        },
        || rayon::join(|| pair::all(b), || [group::all(b), task::all(b), publisher::all(b)].concat()),
    );
    [board::whole(b), entries, pairs, others].concat()
}
