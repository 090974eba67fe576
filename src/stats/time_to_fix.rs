//! Time (or turns) to a fix: cumulative incidence, because giving up competes with fixing.

use super::finite;

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It fixed the task.
    Fix,
    /// It stopped without a fix: a competing end.
    GaveUp,
    /// It was cut off at its limit: censored there.
    TimedOut,
}

/// Cumulative incidence of a fix (Aalen-Johansen), with what a reader expects beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeToFix {
    /// (time, share fixed by then), at every time with a fix, ascending.
    pub steps: Vec<(f64, f64)>,
    /// First time with a share of at least one half; `None` is "not reached".
    pub median: Option<f64>,
    /// Attempts that ended in a fix, of all.
    pub share_fixed: f64,
    /// Mean time of all attempts, however they ended.
    pub mean_time: f64,
}

impl TimeToFix {
    /// Share fixed within `time`.
    #[must_use]
    pub fn fixed_by(&self, time: f64) -> f64 {
        let reached = self.steps.iter().take_while(|(at, _)| *at <= time);
        reached.last().map_or(0.0, |(_, share)| *share)
    }
}

/// Cumulative incidence over attempts; `None` when empty or a time is negative or not finite.
///
/// At one time, fixes and give-ups happen before censoring, so a timeout at `t` is still at risk at `t`.
#[must_use]
pub fn time_to_fix(attempts: &[(f64, End)]) -> Option<TimeToFix> {
    let valid = |time: f64| time.is_finite() && time >= 0.0;
    if attempts.is_empty() || !attempts.iter().all(|(time, _)| valid(*time)) {
        return None;
    }
    let mut sorted = attempts.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all = attempts.len() as f64;
    let (mut at_risk, mut undecided, mut incidence) = (sorted.len(), 1.0, 0.0);
    let mut steps = Vec::new();
    for same in sorted.chunk_by(|a, b| a.0 == b.0) {
        let count = |end: End| same.iter().filter(|(_, e)| *e == end).count();
        let (fixes, gave_up) = (count(End::Fix), count(End::GaveUp));
        let share = |ends: usize| undecided * ends as f64 / at_risk as f64;
        if fixes > 0 {
            incidence = f64::min(incidence + share(fixes), 1.0);
            steps.push((same[0].0, incidence));
        }
        undecided = share(at_risk - fixes - gave_up);
        at_risk -= same.len();
    }
    // One part in 10^12 forgives the rounding of sums of thirds and the like.
    let median = steps.iter().find(|(_, share)| *share >= 0.5 - 1e-12).map(|(time, _)| *time);
    let fixes = attempts.iter().filter(|(_, end)| *end == End::Fix).count();
    let mean_time = finite(attempts.iter().map(|(time, _)| time / all).sum())?;
    Some(TimeToFix { steps, median, share_fixed: fixes as f64 / all, mean_time })
}
