use super::{ChartError, Head, Label};
use crate::schema::Outcome;
use serde::{Deserialize, Serialize};

/// Every attempt as one mark, in lanes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Title and description.
    pub head: Head,
    /// The lanes from top to bottom.
    pub lanes: Vec<Lane>,
    /// Whether a key of the outcomes that occur stands above the lanes.
    pub key: bool,
}

/// One lane: a model, a repository or an outcome.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lane {
    /// Name of the lane.
    pub name: String,
    /// What the lane holds, e.g. "72 of 240 fixed"; may be empty.
    pub count: Label,
    /// The attempts in the order in which they are drawn.
    pub marks: Vec<Mark>,
    /// Ascending positions in `marks` before which a gap is left, e.g. where the next task begins.
    pub breaks: Vec<usize>,
    /// The words on an empty lane, e.g. "not run".
    pub missing: String,
}

/// One attempt of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it is left out of the rate; drawn as an outline.
    pub excluded: bool,
}

/// A drawn field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldPicture {
    /// The picture.
    pub svg: String,
    /// How many attempts one mark stands for; 1 up to 100,000 attempts. The caption must say it where it is more.
    pub per_mark: usize,
}

/// Draws every attempt as one mark, and above 100,000 one mark for several.
pub fn field(field: &Field) -> Result<FieldPicture, ChartError> {
    let _ = field;
    Ok(FieldPicture { svg: String::new(), per_mark: 1 })
}
