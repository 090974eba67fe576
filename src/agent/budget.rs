use super::Trace;
use crate::gateway::{Call, CallLog, Spent};
use std::sync::{Mutex, PoisonError};

/// Money of a run, shared by attempts side by side. What a call may cost is set aside before the call is made.
#[derive(Debug)]
pub struct Budget {
    most: Option<f64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spent: f64,
    reserved: f64,
}

/// Money set aside for one call. Dropped without [`Reservation::settle`], it counts as spent: the call may have been
/// charged.
#[derive(Debug)]
pub struct Reservation<'b> {
    budget: &'b Budget,
    usd: f64,
}

impl Budget {
    /// A budget of US dollars, of which some are spent already; none is no limit.
    pub fn new(most: Option<f64>, spent: f64) -> Budget {
        Budget { most, state: Mutex::new(State { spent, reserved: 0.0 }) }
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the most aside that a call may cost, or none where that might be more than is left.
    pub fn reserve(&self, usd: f64) -> Option<Reservation<'_>> {
        self.with(|s| {
            if self.most.is_some_and(|most| s.spent + s.reserved + usd > most) {
                return None;
            }
            s.reserved += usd;
            Some(Reservation { budget: self, usd })
        })
    }

    /// What was spent, as far as it is known, and what unknown costs may have been.
    pub fn spent(&self) -> f64 {
        self.with(|s| s.spent)
    }
}

impl Reservation<'_> {
    /// Sets more aside, until it is this much in all; false where that might be more than is left.
    pub fn raise_to(&mut self, usd: f64) -> bool {
        let more = usd - self.usd;
        if more <= 0.0 {
            return true;
        }
        let fits = self.budget.with(|s| {
            let fits = self.budget.most.is_none_or(|most| s.spent + s.reserved + more <= most);
            s.reserved += if fits { more } else { 0.0 };
            fits
        });
        self.usd += if fits { more } else { 0.0 };
        fits
    }

    /// Ends the reservation with what the call did cost.
    pub fn settle(mut self, usd: f64) {
        let reserved = std::mem::replace(&mut self.usd, 0.0);
        self.budget.with(|s| {
            s.reserved = (s.reserved - reserved).max(0.0);
            s.spent += usd;
        });
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let usd = self.usd;
        self.budget.with(|s| {
            s.reserved = (s.reserved - usd).max(0.0);
            s.spent += usd;
        });
    }
}

/// A trajectory that knows what one more try of the same request may cost.
pub(super) struct Metered<'a, 'b> {
    trace: &'a mut Trace,
    reserved: &'a mut Reservation<'b>,
    before: Spent,
    worst: f64,
    /// US dollars of the attempt, where they are limited.
    most: Option<f64>,
}

impl<'a, 'b> Metered<'a, 'b> {
    /// A meter for one request, for which `worst` was set aside.
    pub fn new(trace: &'a mut Trace, reserved: &'a mut Reservation<'b>, worst: f64, most: Option<f64>) -> Self {
        let before = *trace.spent();
        Metered { trace, reserved, before, worst, most }
    }
}

impl CallLog for Metered<'_, '_> {
    fn call(&mut self, call: Call) {
        self.trace.call(call);
    }

    fn affords_another(&mut self) -> bool {
        let spent = self.trace.spent();
        let unknown = |calls: u64| calls as f64 * self.worst;
        let of_attempt = spent.known_usd + unknown(spent.without_cost) + self.worst;
        let of_request =
            spent.known_usd - self.before.known_usd + unknown(spent.without_cost - self.before.without_cost);
        self.most.is_none_or(|most| of_attempt <= most) && self.reserved.raise_to(of_request + self.worst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_that_is_set_aside_cannot_be_set_aside_again() {
        let budget = Budget::new(Some(1.0), 0.25);
        let first = budget.reserve(0.5).unwrap();
        assert!(budget.reserve(0.5).is_none());
        first.settle(0.125);
        assert_eq!(budget.spent(), 0.375);
        assert!(budget.reserve(0.625).is_some(), "exactly what is left may be spent");
        assert_eq!(budget.spent(), 1.0, "a call that was given up may have been charged");
        assert!(budget.reserve(0.1).is_none());
    }

    #[test]
    fn more_is_set_aside_for_one_more_try_as_long_as_there_is_more() {
        let budget = Budget::new(Some(1.0), 0.25);
        let mut reserved = budget.reserve(0.25).unwrap();
        assert!(reserved.raise_to(0.5) && reserved.raise_to(0.25));
        assert!(budget.reserve(0.5).is_none());
        assert!(!reserved.raise_to(1.0));
        reserved.settle(0.375);
        assert_eq!(budget.spent(), 0.625);
        assert!(budget.reserve(0.375).is_some(), "what was set aside and not spent is free again");
    }

    #[test]
    fn without_a_limit_everything_goes_and_is_counted() {
        let budget = Budget::new(None, 0.0);
        budget.reserve(1e9).unwrap().settle(2.0);
        assert_eq!(budget.spent(), 2.0);
    }
}
