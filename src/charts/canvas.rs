//! A canvas in pixels over the drawing area of plotters: what the charts draw with.

use super::backend::{Backend, FINE, FONT, Pen, Sheet};
use super::text::{BOLD, clean, fit, push_escaped, token, width};
use super::{ChartError, Head, Label, WIDTH};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, RGBColor, ShapeStyle, TextStyle};
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// Which point of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A picture being drawn. The first failure is kept and returned at the end, so that drawing reads as drawing.
pub(super) struct Canvas {
    height: f64,
    sheet: Rc<RefCell<Sheet>>,
    area: DrawingArea<Backend, Shift>,
    shortened: Vec<String>,
    failed: Option<ChartError>,
}

fn tenths(v: f64) -> i32 {
    (v * FINE).round() as i32
}

fn point((x, y): (f64, f64)) -> (i32, i32) {
    (tenths(x), tenths(y))
}

fn shape(ink: RGBColor) -> ShapeStyle {
    ShapeStyle { color: ink.to_rgba(), filled: true, stroke_width: 1 }
}

impl Canvas {
    /// An empty picture of the common width.
    pub fn new(height: f64) -> Canvas {
        let sheet = Rc::new(RefCell::new(Sheet::default()));
        // plotters moves what lies outside its area to the edge; a picture that grows must not be held back.
        let size = (tenths(f64::from(WIDTH)).unsigned_abs(), u32::from(u16::MAX) * 1000);
        let area = Backend { size, sheet: Rc::clone(&sheet) }.into_drawing_area();
        Canvas { height, sheet, area, shortened: Vec::new(), failed: None }
    }

    fn ink(&self, class: &str, tip: &str) -> RGBColor {
        self.sheet.borrow_mut().ink(Pen { attributes: format!(" class=\"{class}\""), tip: tip.to_owned() })
    }

    fn draw<E>(&mut self, element: &E)
    where
        for<'b> &'b E: PointCollection<'b, (i32, i32)>,
        E: Drawable<Backend>,
    {
        if let Err(error) = self.area.draw(element) {
            self.failed.get_or_insert(ChartError::Draw(error.to_string()));
        }
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        self.path(&[from, to], class);
    }

    /// A line through these points.
    pub fn path(&mut self, points: &[(f64, f64)], class: &str) {
        let style = shape(self.ink(class, ""));
        self.draw(&PathElement::new(points.iter().copied().map(point).collect::<Vec<_>>(), style));
    }

    /// A filled shape with these corners.
    pub fn polygon(&mut self, corners: &[(f64, f64)], class: &str) {
        let style = shape(self.ink(class, ""));
        self.draw(&Polygon::new(corners.iter().copied().map(point).collect::<Vec<_>>(), style));
    }

    /// A rectangle by its upper left corner, width and height.
    pub fn rect(&mut self, (x, y): (f64, f64), (w, h): (f64, f64), class: &str) {
        let style = shape(self.ink(class, ""));
        self.draw(&Rectangle::new([point((x, y)), point((x + w, y + h))], style));
    }

    /// A dot; `tip` is shown to a pointer that rests on it.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, class: &str, tip: &str) {
        let style = shape(self.ink(class, tip));
        self.draw(&Circle::new(point(at), tenths(radius), style));
    }

    /// A label whose middle height is at `y`; nothing where it has no text.
    pub fn label(&mut self, (x, y): (f64, f64), at: At, size: f64, class: &str, label: &Label) {
        self.write((x, y), at, size, class, label, "");
    }

    /// Words whose middle height is at `y`.
    pub fn words(&mut self, (x, y): (f64, f64), at: At, class: &str, text: &str) {
        self.write((x, y), at, FONT, class, &Label::words(text), "");
    }

    /// A name, cut with an ellipsis where it does not fit; the whole name goes into its tooltip and the
    /// description.
    pub fn name(&mut self, (x, y): (f64, f64), at: At, size: f64, class: &str, name: &str, room: f64) {
        let (text, cut) = fit(name, size, room / weight(class));
        if cut {
            let whole = clean(name);
            self.write((x, y), at, size, class, &Label::words(text), &whole);
            if !self.shortened.contains(&whole) {
                self.shortened.push(whole);
            }
        } else {
            self.write((x, y), at, size, class, &Label::words(text), "");
        }
    }

    fn write(&mut self, (x, y): (f64, f64), at: At, size: f64, class: &str, label: &Label, tip: &str) {
        if label.text.is_empty() {
            return;
        }
        let mut attributes = format!(" class=\"{class}\"");
        if let Some((id, value)) = label.number.as_ref().filter(|(_, value)| value.is_finite()) {
            attributes.push_str(" data-n=\"");
            push_escaped(&mut attributes, id);
            let _ = write!(attributes, "\" data-value=\"{value}\"");
        }
        let ink = self.sheet.borrow_mut().ink(Pen { attributes, tip: tip.to_owned() });
        let h_pos = match at {
            At::Start => HPos::Left,
            At::Middle => HPos::Center,
            At::End => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", size * FINE)).color(&ink).pos(Pos::new(h_pos, VPos::Center));
        self.draw(&Text::new(label.text.clone(), point((x, y)), style));
    }

    /// Marks that are already SVG, for a chart that writes too many to pass through plotters.
    pub fn raw(&mut self, svg: &str) {
        self.sheet.borrow_mut().body.push_str(svg);
    }

    /// Makes the picture taller or lower than first planned.
    pub fn resize(&mut self, height: f64) {
        self.height = height;
    }

    /// The whole picture.
    pub fn finish(self, head: &Head) -> Result<String, ChartError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let sheet = self.sheet.borrow();
        let id = token(&head.id);
        let height = self.height.ceil();
        let mut out = String::with_capacity(sheet.body.len() + 600);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart-svg\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
             height=\"{height}\" font-size=\"{FONT}\"><title id=\"{id}-title\">"
        );
        push_escaped(&mut out, &head.title);
        let _ = write!(out, "</title><desc id=\"{id}-desc\">");
        push_escaped(&mut out, &head.desc);
        if !self.shortened.is_empty() {
            out.push_str(" Names shortened in the picture: ");
            push_escaped(&mut out, &self.shortened.join(", "));
            out.push('.');
        }
        out.push_str("</desc>");
        out.push_str(&sheet.body);
        out.push_str("</svg>");
        Ok(out)
    }
}

/// How much wider than the table of widths says the letters of a class are.
fn weight(class: &str) -> f64 {
    if ["end", "label", "title"].iter().any(|heavy| class.starts_with(heavy)) { BOLD } else { 1.0 }
}

/// Room of the widest of these texts, at most `most`.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64, most: f64) -> f64 {
    texts.into_iter().map(|t| width(t, size)).fold(0.0, f64::max).min(most)
}
