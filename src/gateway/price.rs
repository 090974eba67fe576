use crate::schema::Usage;
use serde::{Deserialize, Serialize};

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Input that was not cached.
    pub input: f64,
    /// Input read from a cache; the price of input where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Input written to a cache; the price of input where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Output.
    pub output: f64,
}

impl Price {
    /// Nothing costs anything.
    pub const FREE: Price = Price { input: 0.0, cached_input: None, cache_write: None, output: 0.0 };

    /// US dollars for these tokens.
    pub fn of(&self, usage: &Usage) -> f64 {
        let parts = [
            (usage.input, self.input),
            (usage.cached_input, self.cached_input.unwrap_or(self.input)),
            (usage.cache_write, self.cache_write.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price).sum::<f64>() / 1e6
    }

    /// True where nothing costs anything.
    pub(super) fn is_free(&self) -> bool {
        let parts = [Some(self.input), self.cached_input, self.cache_write, Some(self.output)];
        parts.into_iter().flatten().all(|price| price == 0.0)
    }

    /// The name of a price that is not a number of dollars.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let parts = [
            ("input", Some(self.input)),
            ("cached_input", self.cached_input),
            ("cache_write", self.cache_write),
            ("output", self.output.into()),
        ];
        parts.into_iter().find(|(_, p)| p.is_some_and(|p| !p.is_finite() || p < 0.0)).map(|(name, _)| name)
    }
}
