use super::{ChartError, Head};
use serde::{Deserialize, Serialize};

/// A diagram of boxes and arrows, laid out from its description.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Title and description.
    pub head: Head,
    /// The way in which layers follow each other.
    pub direction: Direction,
    /// Names of the layers in order, drawn beside them; may be shorter than the layers or empty.
    pub layers: Vec<String>,
    /// The boxes.
    pub nodes: Vec<Node>,
    /// The arrows; one whose ends are not both boxes is left out.
    pub edges: Vec<Edge>,
}

/// The way in which layers follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From left to right; good for up to five layers.
    Right,
    /// From top to bottom.
    #[default]
    Down,
}

/// A box of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// The name by which edges refer to it.
    pub id: String,
    /// The name in the box.
    pub label: String,
    /// Smaller words under the name; may be empty.
    pub note: String,
    /// The layer in which it stands, from 0.
    pub layer: usize,
    /// An extra class for emphasis, a single word of letters, digits, `-` and `_`; may be empty.
    pub class: String,
}

/// An arrow of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Edge {
    /// Id of the box in which it starts.
    pub from: String,
    /// Id of the box to which it points.
    pub to: String,
    /// Words beside it; may be empty.
    pub label: String,
}

/// Draws a diagram.
pub fn flow(flow: &Flow) -> Result<String, ChartError> {
    let _ = flow;
    Ok(String::new())
}
