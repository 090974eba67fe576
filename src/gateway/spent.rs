use super::Call;
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
        match call.usage {
            Some(usage) => {
                self.known.input += usage.input;
                self.known.cached_input += usage.cached_input;
                self.known.cache_write += usage.cache_write;
                self.known.output += usage.output;
            }
            None if call.billable => self.without_usage += 1,
            None => {}
        }
        match call.cost_usd {
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
