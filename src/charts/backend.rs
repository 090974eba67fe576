//! Writes what plotters draws as small SVG: classes instead of colours, tenths of a pixel, text as text.
//!
//! plotters rounds to whole units, so a canvas is ten times as large as its picture and every coordinate
//! here is a number of tenths. plotters knows no classes either, so a "colour" is an index into a table of
//! pens, and a pen is the attributes of an element.

use super::text::push_escaped;
use plotters::style::RGBColor;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt::Write;
use std::rc::Rc;

/// Tenths of a pixel in a pixel.
pub(super) const FINE: f64 = 10.0;
/// Font size that the root element sets; a text of this size does not repeat it.
pub(super) const FONT: f64 = 12.0;

/// The attributes of an element: ` class="…"` and what else it carries, and the words of its tooltip.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pen {
    /// Attributes, escaped, each with a space before it.
    pub attributes: String,
    /// The content of a `<title>` inside the element; may be empty.
    pub tip: String,
}

/// The picture as far as it is drawn.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    /// Elements, in the order of drawing.
    pub body: String,
    /// The pens in use.
    pub pens: Vec<Pen>,
}

impl Sheet {
    /// The "colour" that selects this pen.
    pub fn ink(&mut self, pen: Pen) -> RGBColor {
        let at = self.pens.iter().rev().take(64).position(|p| *p == pen).map(|back| self.pens.len() - 1 - back);
        let at = at.unwrap_or_else(|| {
            self.pens.push(pen);
            self.pens.len() - 1
        });
        let [_, r, g, b] = u32::try_from(at).unwrap_or(u32::MAX).to_be_bytes();
        RGBColor(r, g, b)
    }

    fn pen(&self, color: BackendColor) -> Pen {
        let (r, g, b) = color.rgb;
        let at = u32::from_be_bytes([0, r, g, b]);
        usize::try_from(at).ok().and_then(|at| self.pens.get(at)).cloned().unwrap_or_default()
    }
}

/// A drawing backend of plotters whose result stays in a shared sheet.
pub(super) struct Backend {
    /// Width and height in tenths.
    pub size: (u32, u32),
    /// Where the elements go.
    pub sheet: Rc<RefCell<Sheet>>,
}

/// Appends a number of tenths as a decimal with at most one digit after the point.
pub(super) fn push_tenths(out: &mut String, tenths: i32) {
    if tenths < 0 {
        out.push('-');
    }
    let abs = tenths.unsigned_abs();
    let _ = write!(out, "{}", abs / 10);
    if !abs.is_multiple_of(10) {
        let _ = write!(out, ".{}", abs % 10);
    }
}

fn push_attribute(out: &mut String, name: &str, tenths: i32) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_tenths(out, tenths);
    out.push('"');
}

/// Appends path data in relative steps.
fn push_path(out: &mut String, points: &[BackendCoord], closed: bool) {
    let mut at: Option<BackendCoord> = None;
    for &(x, y) in points {
        match at {
            None => {
                out.push('M');
                push_tenths(out, x);
                out.push(' ');
                push_tenths(out, y);
            }
            Some((px, py)) if (x, y) == (px, py) => continue,
            Some((px, py)) if y == py => {
                out.push('h');
                push_tenths(out, x - px);
            }
            Some((px, py)) if x == px => {
                out.push('v');
                push_tenths(out, y - py);
            }
            Some((px, py)) => {
                out.push('l');
                push_tenths(out, x - px);
                if y >= py {
                    out.push(' ');
                }
                push_tenths(out, y - py);
            }
        }
        at = Some((x, y));
    }
    if closed {
        out.push('z');
    }
}

impl Backend {
    fn element(
        &self,
        color: BackendColor,
        name: &str,
        write: impl FnOnce(&mut String),
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let mut sheet = self.sheet.borrow_mut();
        let pen = sheet.pen(color);
        let out = &mut sheet.body;
        out.push('<');
        out.push_str(name);
        out.push_str(&pen.attributes);
        write(out);
        if name != "text" {
            if pen.tip.is_empty() {
                out.push_str("/>");
                return Ok(());
            }
            out.push('>');
        }
        if !pen.tip.is_empty() {
            out.push_str("<title>");
            push_escaped(out, &pen.tip);
            out.push_str("</title>");
        }
        out.push_str("</");
        out.push_str(name);
        out.push('>');
        Ok(())
    }
}

impl DrawingBackend for Backend {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        self.draw_rect(at, (at.0 + 1, at.1 + 1), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.draw_path([from, to], style)
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
        _fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.element(style.color(), "rect", |out| {
            push_attribute(out, "x", from.0.min(to.0));
            push_attribute(out, "y", from.1.min(to.1));
            push_attribute(out, "width", (to.0 - from.0).abs());
            push_attribute(out, "height", (to.1 - from.1).abs());
        })
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        self.element(style.color(), "path", |out| {
            // Without a style sheet an open path would be filled with black.
            out.push_str(if points.len() > 2 { " fill=\"none\" d=\"" } else { " d=\"" });
            push_path(out, &points, false);
            out.push('"');
        })
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let points: Vec<BackendCoord> = corners.into_iter().collect();
        self.element(style.color(), "path", |out| {
            out.push_str(" d=\"");
            push_path(out, &points, true);
            out.push('"');
        })
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.element(style.color(), "circle", |out| {
            push_attribute(out, "cx", center.0);
            push_attribute(out, "cy", center.1);
            push_attribute(out, "r", i32::try_from(radius).unwrap_or(i32::MAX));
        })
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let size = style.size() / FINE;
        let anchor = style.anchor();
        // SVG places text by its baseline; these are the heights of common interface fonts.
        let down = match anchor.v_pos {
            VPos::Top => 0.8,
            VPos::Center => 0.35,
            VPos::Bottom => -0.2,
        };
        let baseline = at.1 + (down * style.size()).round() as i32;
        self.element(style.color(), "text", |out| {
            push_attribute(out, "x", at.0);
            push_attribute(out, "y", baseline);
            match anchor.h_pos {
                HPos::Left => {}
                HPos::Center => out.push_str(" text-anchor=\"middle\""),
                HPos::Right => out.push_str(" text-anchor=\"end\""),
            }
            if (size - FONT).abs() > 0.01 {
                let _ = write!(out, " font-size=\"{size}\"");
            }
            out.push('>');
            push_escaped(out, text);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_one_decimal_and_no_negative_zero() {
        let mut out = String::new();
        for tenths in [0, 5, 10, -5, -10, 12345] {
            push_tenths(&mut out, tenths);
            out.push(' ');
        }
        assert_eq!(out, "0 0.5 1 -0.5 -1 1234.5 ");
    }

    #[test]
    fn a_path_is_relative_and_skips_points_that_do_not_move() {
        let mut out = String::new();
        push_path(&mut out, &[(0, 0), (10, 0), (10, 0), (10, 25), (0, 0)], true);
        assert_eq!(out, "M0 0h1v2.5l-1-2.5z");
    }
}
