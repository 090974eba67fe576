//! Charts: numbers in, pictures out.
//!
//! In: one plain struct a chart, with every word, number and number id already decided by the caller.
//! Out: inline SVG as text (and one PNG for link previews), the same bytes for the same input.
//! This room must not know where a number comes from, which page shows it, or what colour it has:
//! an element carries classes (listed in [`palette`]) and the style sheet of the site does the rest.
//!
//! Pictures are 720 px wide ([`WIDTH`]) with text of 12 px or more. A page shows them at that size and
//! lets its reader scroll where the screen is narrower, for shrunken text is no text.

mod axis;
mod backend;
mod canvas;
mod card;
mod curve;
mod ends;
mod field;
mod flow;
mod flow_graph;
mod flow_place;
mod flow_route;
mod interval;
mod label;
mod months;
pub mod palette;
mod pencil;
mod raster;
mod scatter;
mod slope;
mod steps;
mod text;

pub use card::{Card, CardRow, card};
pub use curve::{Curve, CurveKind, CurvePlot, CurvePoint, curves};
pub use field::{Field, FieldPicture, Lane, Mark, field};
pub use flow::{Direction, Edge, Flow, Node, flow};
pub use interval::{IntervalPlot, IntervalRow, intervals};
pub use label::{Head, Label, Range};
pub use months::{Month, MonthPlot, MonthRule, months};
pub use scatter::{Cost, ScatterPlot, ScatterPoint, frontier, scatter};
pub use slope::{Estimate, SlopePlot, SlopeRow, slope};
pub use steps::{StepPlot, StepSeries, steps};

/// Width of every chart in CSS pixels.
pub const WIDTH: u32 = 720;

/// Why a picture could not be drawn; none of these depends on the data.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The drawing library refused an element.
    #[error("could not draw the chart: {0}")]
    Draw(String),
    /// The built-in font could not be read.
    #[error("could not read the built-in font: {0}")]
    Font(String),
    /// The PNG could not be encoded.
    #[error("could not encode the image: {0}")]
    Encode(#[from] png::EncodingError),
}
