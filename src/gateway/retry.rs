//! How long to wait before another try, and how many tries there are.

use super::mock::chance;
use std::time::Duration;

/// Tries and the waits between them.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// Most tries of one request.
    pub tries: u32,
    /// Wait before the second try, where the provider asks for none; each further wait is twice as long.
    pub first: Duration,
    /// Longest wait, also where the provider asks for more.
    pub most: Duration,
}

impl Default for Retry {
    fn default() -> Retry {
        Retry { tries: 5, first: Duration::from_secs(1), most: Duration::from_secs(60) }
    }
}

impl Retry {
    /// The wait after the 1-based try `tried`. Without the provider's wish it varies between half and all of the wait
    /// with the seed, so that attempts that failed together do not return together.
    pub(super) fn wait(&self, tried: u32, asked: Option<f64>, seed: &str) -> Duration {
        if let Some(seconds) = asked {
            return Duration::from_secs_f64(seconds.clamp(0.0, self.most.as_secs_f64()));
        }
        let full = self.first.saturating_mul(2u32.saturating_pow(tried.saturating_sub(1))).min(self.most);
        full.mul_f64(0.5 + 0.5 * chance(&format!("{seed}|{tried}")))
    }
}

/// The seconds that `Retry-After` asks for: a number, or a date seen from `now`. Nonsense asks for nothing.
pub(super) fn asked(value: &str, now: jiff::Timestamp) -> Option<f64> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds.is_finite() && seconds >= 0.0).then(|| seconds.min(86_400.0));
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    let seconds = (date.as_millisecond() - now.as_millisecond()) as f64 / 1000.0;
    Some(seconds.clamp(0.0, 86_400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        assert_eq!(asked("7", now), Some(7.0));
        assert_eq!(asked(" 0.25 ", now), Some(0.25));
        assert_eq!(asked("Sun, 01 Mar 2026 12:00:30 GMT", now), Some(30.0));
        assert_eq!(asked("Sun, 01 Mar 2026 11:00:00 GMT", now), Some(0.0));
        assert_eq!(asked("99999999999", now), Some(86_400.0));
        for nonsense in ["", "soon", "-3", "NaN", "inf"] {
            assert_eq!(asked(nonsense, now), None, "{nonsense}");
        }
    }

    #[test]
    fn waits_double_stay_below_the_most_and_repeat_with_their_seed() {
        let retry = Retry::default();
        for tried in 1..40 {
            let wait = retry.wait(tried, None, "seed");
            let full = f64::from(2u32.saturating_pow(tried - 1)).min(60.0);
            assert!(wait.as_secs_f64() >= full / 2.0 && wait.as_secs_f64() <= full, "{tried}: {wait:?}");
            assert_eq!(wait, retry.wait(tried, None, "seed"));
        }
        assert_ne!(retry.wait(1, None, "a"), retry.wait(1, None, "b"));
        assert_eq!(retry.wait(1, Some(3600.0), "seed"), Duration::from_secs(60));
        assert_eq!(retry.wait(4, Some(2.0), "seed"), Duration::from_secs(2));
    }
}
