use super::axis::{share, span};
use super::raster::{Ink, Raster, Type};
use super::{ChartError, Range};
use serde::{Deserialize, Serialize};

/// The picture of a link preview, 1200 by 630 pixels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Card {
    /// The headline, e.g. the name of the site.
    pub title: String,
    /// The line under it: board, suite, number of tasks.
    pub board: String,
    /// The models from top to bottom; five are drawn, a last line counts the rest.
    pub rows: Vec<CardRow>,
    /// The last line on the left: date, or what the intervals mean.
    pub footer: String,
}

/// One model of a card.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardRow {
    /// Name of the model.
    pub name: String,
    /// The rate, a share from 0 to 1; none draws an empty track with `text` on it.
    pub rate: Option<f64>,
    /// The interval around it.
    pub interval: Option<Range>,
    /// The rate as text.
    pub text: String,
}

const SIZE: (u32, u32) = (1200, 630);
const EDGE: i32 = 64;
/// Models that are drawn.
const MOST: usize = 5;
const ROW: i32 = 62;
const TOP: i32 = 224;
/// Where the axis of shares begins and ends.
const AXIS: (i32, i32) = (420, 990);

/// Draws the card as a PNG.
pub fn card(card: &Card) -> Result<Vec<u8>, ChartError> {
    let mut raster = Raster::new(SIZE.0, SIZE.1)?;
    raster.rect((0, 0), (1200, 10), Ink::Accent);
    let title = Type { size: 62.0, bold: true };
    let text = raster.fit(&card.title, title, 1072.0);
    raster.text((64.0, 96.0), &text, title, Ink::Text);
    let line = Type { size: 32.0, bold: false };
    let text = raster.fit(&card.board, line, 1072.0);
    raster.text((64.0, 148.0), &text, line, Ink::Grey);
    let drawn = card.rows.len().min(MOST);
    if drawn > 0 {
        axis(&mut raster, drawn);
    }
    for (row, item) in card.rows.iter().take(MOST).enumerate() {
        model(&mut raster, item, TOP + row as i32 * ROW);
    }
    footer(&mut raster, card);
    raster.png()
}

fn at(value: f64) -> i32 {
    AXIS.0 + (value * f64::from(AXIS.1 - AXIS.0)).round() as i32
}

/// Hairlines at every fifth of the axis, and its ends in words.
fn axis(raster: &mut Raster<'_>, rows: usize) {
    let kind = Type { size: 22.0, bold: false };
    let high = rows as i32 * ROW;
    for fifth in 0..=5 {
        let x = at(f64::from(fifth) / 5.0);
        raster.rect((x, TOP - 6), (2, high), Ink::Hair);
        let text = format!("{}%", fifth * 20);
        let wide = raster.measure(&text, kind);
        let place = (x as f32 + 1.0 - wide / 2.0, (TOP - 16) as f32);
        raster.text(place, &text, kind, Ink::Grey);
    }
}

fn model(raster: &mut Raster<'_>, row: &CardRow, top: i32) {
    let (middle, baseline) = ((top + ROW / 2 - 6) as f32, (top + ROW / 2 + 4) as f32);
    let name = Type { size: 32.0, bold: false };
    let text = raster.fit(&row.name, name, 336.0);
    raster.text((64.0, baseline), &text, name, Ink::Text);
    let value = Type { size: 36.0, bold: true };
    let text = raster.fit(&row.text, if share(row.rate).is_some() { value } else { name }, 150.0);
    let Some(rate) = share(row.rate) else {
        for dash in 0..(AXIS.1 - AXIS.0) / 14 {
            raster.rect((AXIS.0 + dash * 14, top + ROW / 2 - 7), (7, 2), Ink::Grey);
        }
        let kind = Type { size: 26.0, bold: false };
        let wide = raster.measure(&text, kind);
        raster.text((1136.0 - wide, baseline), &text, kind, Ink::Grey);
        return;
    };
    if let Some(range) = span(row.interval) {
        let (from, to) = (at(range.lo), at(range.hi));
        raster.rect((from, top + ROW / 2 - 9), ((to - from).max(2), 6), Ink::Accent);
    }
    raster.dot((at(rate) as f32 + 1.0, middle), 12.0, Ink::Accent);
    let wide = raster.measure(&text, value);
    raster.text((1136.0 - wide, baseline + 2.0), &text, value, Ink::Text);
}

/// How many more models there are, and the last line.
fn footer(raster: &mut Raster<'_>, card: &Card) {
    raster.rect((EDGE, 552), (1072, 2), Ink::Hair);
    let kind = Type { size: 26.0, bold: false };
    let more = card.rows.len().saturating_sub(MOST);
    let words = match (card.rows.len(), more) {
        (0, _) => "no results yet".to_owned(),
        (_, 0) => String::new(),
        (_, 1) => "and 1 more model".to_owned(),
        (_, n) => format!("and {n} more models"),
    };
    let wide = raster.measure(&words, kind);
    let text = raster.fit(&card.footer, kind, 1040.0 - wide);
    raster.text((64.0, 592.0), &text, kind, Ink::Grey);
    raster.text((1136.0 - wide, 592.0), &words, kind, Ink::Grey);
}
