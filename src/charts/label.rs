use serde::{Deserialize, Serialize};

/// A text in a chart; a number carries the id under which its reader can recompute it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The words or the formatted number.
    pub text: String,
    /// Id and value of the number, written as `data-n` and `data-value`.
    pub number: Option<(String, f64)>,
}

impl Label {
    /// A label of words alone.
    pub fn words(text: impl Into<String>) -> Label {
        Label { text: text.into(), number: None }
    }

    /// A label that shows the number with this id.
    pub fn number(text: impl Into<String>, id: impl Into<String>, value: f64) -> Label {
        Label { text: text.into(), number: Some((id.into(), value)) }
    }
}

/// What a reader who cannot see the picture is told, and the id that makes both unique on a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Head {
    /// Id of the chart on its page; `<id>-title` and `<id>-desc` are derived from it.
    pub id: String,
    /// The content of `<title>`: what the chart shows, in one line.
    pub title: String,
    /// The content of `<desc>`: the finding in words and where the same data stands as a table.
    pub desc: String,
}

/// An interval, in the unit of the axis (a share from 0 to 1 for rates).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Range {
    /// The interval between two ends, or none where an end is missing.
    pub fn of(lo: Option<f64>, hi: Option<f64>) -> Option<Range> {
        Some(Range { lo: lo?, hi: hi? })
    }
}
