//! Every published number, once: its id, its statistic, its parameters and its value.

use crate::stats::display::{Format, push_shortest};
use serde::Serialize;
use std::collections::HashMap;

/// A published number. Its parameters say which raw lines it is computed from.
#[derive(Clone, Debug, Serialize)]
pub struct Number {
    /// Identity, as pages quote it.
    pub id: String,
    /// The statistic; the page on method defines each.
    pub stat: &'static str,
    /// What the statistic is over.
    #[serde(flatten)]
    pub of: Of,
    /// The value; none means no data.
    pub value: Option<f64>,
    /// How the value is written.
    #[serde(serialize_with = "write_format")]
    pub format: Format,
    /// The value as written.
    pub text: String,
}

/// What a statistic is over; absent parts do not restrict.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Of {
    /// Board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// Release: only runs planned by its day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Row of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Second row of a pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub versus: Option<String>,
    /// Task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// `repo`, `language` or `month`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<&'static str>,
    /// Value of `by`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Attempts of pass@k and pass^k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k: Option<u32>,
    /// Outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// Grader as raw lines name it, empty for lines that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grader: Option<String>,
    /// Turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u32>,
    /// Minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// Publisher-reported record, by its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// JSON pointer into the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

fn write_format<S: serde::Serializer>(format: &Format, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(match format {
        Format::Percent => "percent",
        Format::Points => "points",
        Format::Gap => "gap",
        Format::Count => "count",
        Format::Decimal1 => "decimal1",
        Format::Decimal2 => "decimal2",
        Format::Usd2 => "usd2",
        Format::Usd3 => "usd3",
        Format::P => "p",
        Format::Seconds => "seconds",
    })
}

impl Number {
    /// A number over `of`.
    pub fn new(id: String, stat: &'static str, of: &Of, format: Format, value: Option<f64>) -> Number {
        // A value that is no number is no data: nothing else may reach a page.
        let value = value.filter(|v| v.is_finite());
        Number { id, stat, of: of.clone(), value, format, text: format.text(value) }
    }
}

/// All numbers of a site.
#[derive(Debug, Default)]
pub struct Numbers {
    list: Vec<Number>,
    index: HashMap<String, usize>,
}

impl Numbers {
    /// Collects numbers; the last of two with one id would win, so ids are made to be unique.
    pub fn new(list: Vec<Number>) -> Numbers {
        let index = list.iter().enumerate().map(|(i, n)| (n.id.clone(), i)).collect();
        Numbers { list, index }
    }

    /// All of them, in the order in which they were computed.
    pub fn list(&self) -> &[Number] {
        &self.list
    }

    /// One of them.
    pub fn get(&self, id: &str) -> Option<&Number> {
        self.index.get(id).map(|i| &self.list[*i])
    }

    /// Its value; none where there is no such number or no data.
    pub fn value(&self, id: &str) -> Option<f64> {
        self.get(id).and_then(|n| n.value)
    }

    /// Its text.
    pub fn text(&self, id: &str) -> &str {
        self.get(id).map_or("no data", |n| n.text.as_str())
    }

    /// The number as an element of a page; an unknown id is marked so that the build finds it.
    pub fn data(&self, id: &str) -> String {
        match self.get(id) {
            Some(n) => data_element(&n.id, n.value, &n.text),
            None => {
                format!("<data value=\"\" data-n=\"{UNKNOWN}{}\">unknown number</data>", crate::site::text::escape(id))
            }
        }
    }
}

/// Prefix of a quoted id that no number has.
pub const UNKNOWN: &str = "unknown!";

/// `<data value data-n>text</data>`.
pub fn data_element(id: &str, value: Option<f64>, text: &str) -> String {
    let mut out = String::with_capacity(40 + id.len() + text.len());
    push_data(&mut out, id, value, text);
    out
}

/// Appends `<data value data-n>text</data>`.
pub fn push_data(out: &mut String, id: &str, value: Option<f64>, text: &str) {
    out.push_str("<data value=\"");
    push_value(out, value);
    out.push_str("\" data-n=\"");
    crate::site::text::push_escaped(out, id);
    out.push_str("\">");
    // A text such as "<0.1%" is no tag.
    crate::site::text::push_escaped(out, text);
    out.push_str("</data>");
}

/// Appends `<data value data-n>text</data>` with the text that the format gives, for an id that needs no escaping.
pub fn push_formatted(out: &mut String, id: &str, value: f64, format: Format) {
    out.push_str("<data value=\"");
    push_value(out, Some(value));
    out.push_str("\" data-n=\"");
    out.push_str(id);
    out.push_str("\">");
    format.push(out, Some(value));
    out.push_str("</data>");
}

/// Appends the shortest text that reads back as the same number, empty for no data.
pub fn push_value(out: &mut String, value: Option<f64>) {
    if let Some(v) = value {
        push_shortest(out, v);
    }
}
