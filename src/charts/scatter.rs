use super::{ChartError, Head, Label, Range};
use serde::{Deserialize, Serialize};

/// Cost of an attempt against fix rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterPlot {
    /// Title and description.
    pub head: Head,
    /// What the horizontal axis measures, in US dollars.
    pub x_axis: String,
    /// What the vertical axis measures.
    pub y_axis: String,
    /// One point per model.
    pub points: Vec<ScatterPoint>,
}

/// What a model costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Cost {
    /// US dollars; 0 or less counts as free.
    Known(f64),
    /// Nothing is charged, e.g. a local model.
    Free,
    /// Nobody recorded it.
    #[default]
    Unknown,
}

/// One model of a scatter plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScatterPoint {
    /// Name of the model.
    pub name: String,
    /// Where it stands on the horizontal axis.
    pub cost: Cost,
    /// The rate, a share from 0 to 1; none is listed below the plot instead.
    pub rate: Option<f64>,
    /// The interval around the rate.
    pub interval: Option<Range>,
    /// The rate as text, drawn behind the name; may be empty.
    pub value: Label,
}

/// Positions of the points that no other point beats in both cost and rate, from cheap to dear. A free
/// point costs nothing; a point of unknown cost or rate is never among them.
pub fn frontier(points: &[ScatterPoint]) -> Vec<usize> {
    let _ = points;
    Vec::new()
}

/// Draws cost against rate.
pub fn scatter(plot: &ScatterPlot) -> Result<String, ChartError> {
    let _ = plot;
    Ok(String::new())
}
