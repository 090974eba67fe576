//! The picture that other sites show beside a link: rates with their ranges, and the day.

use super::config::Config;
use super::error::SiteError;
use super::numbers::Computed;
use super::pages::{full_name, ordered};
use super::write::{Output, hex};
use crate::charts::{Card, CardRow, Range, card};

/// Draws and stages the picture of the first board; returns its path.
pub fn write(config: &Config, computed: &Computed<'_>, out: &Output, as_of: &str) -> Result<Option<String>, SiteError> {
    let Some(b) = computed.boards.first().filter(|b| !b.runs.is_empty()) else { return Ok(None) };
    let numbers = &computed.numbers;
    let rows = ordered(b, numbers)
        .into_iter()
        .map(|e| {
            let id = |stat: &str| format!("board.{}.{}.{stat}", b.config.id, e.key);
            let rate = numbers.value(&id("rate"));
            let interval = Range::of(numbers.value(&id("wilson_lo")), numbers.value(&id("wilson_hi")));
            let text = if rate.is_some() {
                format!("{} of {}", numbers.text(&id("fixed")), numbers.text(&id("attempts")))
            } else {
                "not run".into()
            };
            CardRow { name: full_name(b, e), rate, interval, text }
        })
        .collect();
    let day = as_of.get(..10).unwrap_or(as_of);
    let picture = Card {
        title: config.title.clone(),
        board: format!("{} · {} {}", b.config.title, b.tasks.len(), if b.tasks.len() == 1 { "task" } else { "tasks" }),
        rows,
        footer: format!("Data as of {day}. Bars: 95% range for these tasks."),
    };
    let bytes = card(&picture).map_err(|e| SiteError::Draw("preview".into(), e.to_string()))?;
    let path = format!("assets/card.{}.png", &hex(&bytes)[..8]);
    out.put(&path, &bytes)?;
    Ok(Some(path))
}
