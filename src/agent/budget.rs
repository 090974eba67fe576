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
    fn without_a_limit_everything_goes_and_is_counted() {
        let budget = Budget::new(None, 0.0);
        budget.reserve(1e9).unwrap().settle(2.0);
        assert_eq!(budget.spent(), 2.0);
    }
}
