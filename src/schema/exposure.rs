use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// Whether a model may have read a task's human fix while it was trained. It is a label and filters nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Exposure {
    /// Merged by the model's knowledge cutoff.
    Before,
    /// Merged in the days after the cutoff in which makers still add to what a model reads.
    Margin,
    /// Merged later.
    After,
    /// One of the two days is not known.
    Unknown,
}

impl Exposure {
    /// Days after a cutoff that are not yet safe.
    pub const MARGIN_DAYS: i64 = 90;

    /// The label of a fix for a model, of two days `YYYY-MM-DD`.
    pub fn of(merged: Option<&str>, cutoff: Option<&str>) -> Exposure {
        let day = |text: Option<&str>| text.and_then(|t| t.parse::<Date>().ok());
        let (Some(merged), Some(cutoff)) = (day(merged), day(cutoff)) else { return Exposure::Unknown };
        let margin = cutoff.saturating_add(jiff::Span::new().days(Self::MARGIN_DAYS));
        match merged {
            m if m <= cutoff => Exposure::Before,
            m if m <= margin => Exposure::Margin,
            _ => Exposure::After,
        }
    }

    /// Whether the model may have seen the fix.
    pub const fn at_risk(self) -> bool {
        matches!(self, Exposure::Before | Exposure::Margin)
    }

    /// The word in files.
    pub const fn word(self) -> &'static str {
        match self {
            Exposure::Before => "before",
            Exposure::Margin => "margin",
            Exposure::After => "after",
            Exposure::Unknown => "unknown",
        }
    }

    /// The words shown to readers.
    pub const fn label(self) -> &'static str {
        match self {
            Exposure::Before => "before its cutoff",
            Exposure::Margin => "soon after its cutoff",
            Exposure::After => "after its cutoff",
            Exposure::Unknown => "not known",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exposure;

    #[test]
    fn ninety_days_after_a_cutoff_are_not_yet_safe() {
        for (merged, want) in [
            ("2024-06-01", Exposure::Before),
            ("2024-06-02", Exposure::Margin),
            ("2024-08-30", Exposure::Margin),
            ("2024-08-31", Exposure::After),
        ] {
            assert_eq!(Exposure::of(Some(merged), Some("2024-06-01")), want, "{merged}");
        }
    }

    #[test]
    fn a_day_that_is_missing_or_is_none_says_nothing() {
        for (merged, cutoff) in [(None, Some("2024-06-01")), (Some("2024-06-01"), None), (Some("June"), Some("2024"))] {
            assert_eq!(Exposure::of(merged, cutoff), Exposure::Unknown);
            assert!(!Exposure::of(merged, cutoff).at_risk());
        }
    }

    #[test]
    fn every_word_is_the_one_that_files_hold() {
        for e in [Exposure::Before, Exposure::Margin, Exposure::After, Exposure::Unknown] {
            assert_eq!(serde_json::to_value(e).unwrap(), e.word());
        }
    }
}
