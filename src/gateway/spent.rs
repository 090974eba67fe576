use super::Call;
use super::usage::{MOST_TOKENS, MOST_USD};
use crate::schema::Usage;

/// What the calls of an attempt used and cost, failed ones too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens that are known.
    pub known: Usage,
    /// US dollars that are known: what a budget must compare with.
    pub known_usd: f64,
    /// Billable calls whose tokens nobody told.
    pub without_usage: u64,
    /// Billable calls whose cost is unknown.
    pub without_cost: u64,
}

impl Spent {
    /// Count one try.
    pub fn add(&mut self, call: &Call) {
        self.known.requests += 1;
        match call.usage.filter(is_usage) {
            Some(usage) => {
                let known = &mut self.known;
                for (sum, part) in [
                    (&mut known.input, usage.input),
                    (&mut known.cached_input, usage.cached_input),
                    (&mut known.cache_write, usage.cache_write),
                    (&mut known.output, usage.output),
                ] {
                    *sum = sum.saturating_add(part);
                }
            }
            None if call.billable => self.without_usage += 1,
            None => {}
        }
        match call.cost_usd.filter(is_cost) {
            Some(cost) => self.known_usd += cost,
            None if call.billable => self.without_cost += 1,
            None => {}
        }
    }

    /// All tokens, or none if a part of them is unknown.
    pub fn usage(&self) -> Option<Usage> {
        (self.without_usage == 0).then_some(self.known)
    }

    /// US dollars, or none if a part of them is unknown: unknown is not zero.
    pub fn cost_usd(&self) -> Option<f64> {
        (self.without_cost == 0).then_some(self.known_usd)
    }
}

/// Whether counts can be those of one call.
pub(super) fn is_usage(usage: &Usage) -> bool {
    [usage.input, usage.cached_input, usage.cache_write, usage.output].iter().all(|n| *n <= MOST_TOKENS)
}

/// Whether an amount can be what one call costs.
pub(super) fn is_cost(usd: &f64) -> bool {
    (0.0..=MOST_USD).contains(usd)
}
