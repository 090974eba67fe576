use std::sync::{Mutex, PoisonError};

/// Faults of one kind in a row, over all attempts, after which a run is paused: the next ones would fail too.
pub const MOST_FAULTS: u32 = 5;

/// Counts faults of one kind in a row.
#[derive(Debug, Default)]
pub struct Burst {
    state: Mutex<(String, u32)>,
}

impl Burst {
    /// A fault of a kind; true where there were too many of them.
    pub fn fault(&self, class: &str) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 != class {
            *state = (class.to_owned(), 0);
        }
        state.1 += 1;
        state.1 >= MOST_FAULTS
    }

    /// Something went well.
    pub fn good(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = (String::new(), 0);
    }

    /// The kind of which there were too many.
    pub fn class(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.1 >= MOST_FAULTS).then(|| state.0.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_faults_of_one_kind_in_a_row_are_a_burst() {
        let burst = Burst::default();
        assert_eq!([(); 4].map(|()| burst.fault("server")), [false; 4]);
        burst.good();
        assert!(!burst.fault("server"));
        assert_eq!([(); 4].map(|()| burst.fault("timeout")), [false; 4]);
        assert_eq!(burst.class(), None);
        assert!(burst.fault("timeout"));
        assert_eq!(burst.class().as_deref(), Some("timeout"));
    }
}
