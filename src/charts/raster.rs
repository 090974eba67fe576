//! A raster of two inks on white with the built-in font.
//!
//! A pixel is an index into a palette of fifteen shades each of ink, grey and accent, so that the file is
//! small, quick to encode and the same everywhere.

use super::ChartError;
use super::text::clean;
use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

/// Shades of each ink between white and full.
const SHADES: u8 = 15;

/// What is drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    /// `#121417`.
    Text,
    /// `#5b606b`.
    Grey,
    /// `#0072b2`.
    Accent,
    /// `#dfe2e8`.
    Hair,
}

const INKS: [(Ink, [u8; 3]); 4] = [
    (Ink::Text, [0x12, 0x14, 0x17]),
    (Ink::Grey, [0x5b, 0x60, 0x6b]),
    (Ink::Accent, [0x00, 0x72, 0xb2]),
    (Ink::Hair, [0xdf, 0xe2, 0xe8]),
];

/// White paper and what is drawn on it.
pub(super) struct Raster<'f> {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
    regular: FontRef<'f>,
    bold: FontRef<'f>,
}

/// Size and weight of a text.
#[derive(Clone, Copy)]
pub(super) struct Type {
    /// Height in pixels.
    pub size: f32,
    /// Whether it is bold.
    pub bold: bool,
}

fn font(bytes: &'static [u8]) -> Result<FontRef<'static>, ChartError> {
    FontRef::try_from_slice(bytes).map_err(|error| ChartError::Font(error.to_string()))
}

impl Raster<'_> {
    /// Empty paper.
    pub fn new(width: u32, height: u32) -> Result<Raster<'static>, ChartError> {
        let pixels = vec![0; (width * height) as usize];
        Ok(Raster { width, height, pixels, regular: font(dejavu::sans::regular())?, bold: font(dejavu::sans::bold())? })
    }

    /// Covers a share of a pixel; the last ink on a pixel wins unless it covers hardly any of it.
    fn cover(&mut self, x: i32, y: i32, share: f32, ink: Ink) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        let shade = (share.clamp(0.0, 1.0) * f32::from(SHADES)).round() as u8;
        if x >= self.width || y >= self.height || shade == 0 {
            return;
        }
        let pixel = &mut self.pixels[(y * self.width + x) as usize];
        let held = if *pixel == 0 { 0 } else { (*pixel - 1) % SHADES + 1 };
        if *pixel == 0 || shade >= SHADES / 2 || shade > held {
            *pixel = ink as u8 * SHADES + shade;
        }
    }

    /// A filled rectangle of whole pixels.
    pub fn rect(&mut self, (x, y): (i32, i32), (w, h): (i32, i32), ink: Ink) {
        for row in y..y + h {
            for column in x..x + w {
                self.cover(column, row, 1.0, ink);
            }
        }
    }

    /// A filled circle with smooth edges; `white` clears a ring around it.
    pub fn dot(&mut self, (x, y): (f32, f32), radius: f32, ink: Ink) {
        let ring = radius + 3.0;
        let (left, top, side) = ((x - ring).floor() as i32, (y - ring).floor() as i32, (2.0 * ring).ceil() as i32 + 1);
        for row in top..=top + side {
            for column in left..=left + side {
                let away = (column as f32 + 0.5 - x).hypot(row as f32 + 0.5 - y);
                if away <= ring {
                    self.clear(column, row);
                }
                self.cover(column, row, radius + 0.5 - away, ink);
            }
        }
    }

    fn clear(&mut self, x: i32, y: i32) {
        if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
            && x < self.width
            && y < self.height
        {
            self.pixels[(y * self.width + x) as usize] = 0;
        }
    }

    fn face(&self, bold: bool) -> &FontRef<'_> {
        if bold { &self.bold } else { &self.regular }
    }

    /// Room that a text takes, in pixels.
    pub fn measure(&self, text: &str, kind: Type) -> f32 {
        let face = self.face(kind.bold).as_scaled(PxScale::from(kind.size));
        let mut last = None;
        let mut wide = 0.0;
        for c in clean(text).chars() {
            let id = face.glyph_id(c);
            wide += last.map_or(0.0, |l| face.kern(l, id)) + face.h_advance(id);
            last = Some(id);
        }
        wide
    }

    /// The text, cut with an ellipsis where it is wider than the room.
    pub fn fit(&self, text: &str, kind: Type, room: f32) -> String {
        let whole = clean(text);
        if self.measure(&whole, kind) <= room {
            return whole;
        }
        let mut out: Vec<char> = whole.chars().take(200).collect();
        while !out.is_empty() {
            out.pop();
            let cut = format!("{}…", out.iter().collect::<String>().trim_end());
            if self.measure(&cut, kind) <= room {
                return cut;
            }
        }
        String::new()
    }

    /// A line of text whose baseline begins here.
    pub fn text(&mut self, (x, y): (f32, f32), text: &str, kind: Type, ink: Ink) {
        let mut drawn: Vec<(i32, i32, f32)> = Vec::new();
        let scale = PxScale::from(kind.size);
        let face = self.face(kind.bold).as_scaled(scale);
        let (mut at, mut last) = (x, None);
        for c in clean(text).chars() {
            let id = face.glyph_id(c);
            at += last.map_or(0.0, |l| face.kern(l, id));
            let glyph: Glyph = id.with_scale_and_position(scale, point(at, y));
            at += face.h_advance(id);
            last = Some(id);
            let Some(outline) = face.font().outline_glyph(glyph) else { continue };
            let bounds = outline.px_bounds();
            let (left, top) = (bounds.min.x as i32, bounds.min.y as i32);
            outline.draw(|gx, gy, share| {
                drawn.push((left + i32::try_from(gx).unwrap_or(0), top + i32::try_from(gy).unwrap_or(0), share));
            });
        }
        for (px, py, share) in drawn {
            self.cover(px, py, share, ink);
        }
    }

    /// The picture as a PNG.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        let mut palette = vec![255; 3];
        for (_, colour) in INKS {
            for shade in 1..=u16::from(SHADES) {
                let mix = |c: u8| 255 - (255 - u16::from(c)) * shade / u16::from(SHADES);
                palette.extend(colour.map(mix).map(|v| u8::try_from(v).unwrap_or(255)));
            }
        }
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width, self.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(palette);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(out)
    }
}
