//! Figures quoted from publisher-reported records: stated, traced, never computed with.

use super::entry::Scope;
use super::number::{Number, Of};
use crate::results::slug;
use crate::site::board::Board;
use crate::stats::display::Format;

/// The id prefix of one published row.
pub fn prefix(board: &str, record: &str, row: usize) -> String {
    format!("publisher.{board}.{}.{row}", slug(record))
}

pub(super) fn all(b: &Board<'_>) -> Vec<Number> {
    let mut list = Vec::new();
    for file in &b.publishers {
        for (i, row) in file.record.rows.iter().enumerate() {
            let mut s = Scope::new(prefix(&b.config.id, &file.record.run, i), Of::default());
            let mut quote = |field: &str, format: Format, value: Option<f64>| {
                let of = Of {
                    board: Some(b.config.id.clone()),
                    file: Some(file.record.run.clone()),
                    pointer: Some(format!("/rows/{i}/{field}")),
                    ..Of::default()
                };
                s.list.push(Number::new(format!("{}.{field}", s.prefix), "quoted", &of, format, value));
            };
            quote("attempts", Format::Count, Some(row.attempts as f64));
            quote("solved", Format::Count, row.solved.map(|v| v as f64));
            quote("mean_score", Format::Percent, row.mean_score);
            quote("seconds", Format::Seconds, row.seconds);
            quote("tokens", Format::Count, row.tokens);
            quote("cached_share", Format::Percent, row.cached_share);
            quote("cost_usd", Format::Usd2, row.cost_usd);
            list.append(&mut s.list);
        }
    }
    list
}
