//! The classes of the pictures, and colours for them that were checked.
//!
//! Nothing here is written into a picture: a style sheet gives every class its colour, and this is what it
//! has to know. Text and lines in a series colour have a contrast of 4.5 to 1 or more, marks of 3 to 1 or
//! more, on white (`#fff`) and on the dark ground (`#121417`); the tests of this file measure it.
//! Colour never carries a meaning alone: lines are named at their ends, marks differ in shape.
//!
//! | class | on | has to look like |
//! |---|---|---|
//! | `chart-svg` | the picture | the width of its attributes; scrolls rather than shrinks |
//! | `tick`, `muted` | text | grey, 4.5 to 1 |
//! | `name`, `label` | text | ink; `label` heavier, figures of equal width |
//! | `halo` | text over marks | outlined with the colour of the paper |
//! | `grid`, `axis`, `separator`, `rule`, `leader` | lines | hairlines; `rule` dashed |
//! | `whisker r0`, `r1`, `r2`, `rest` | ranges from narrow to wide | 6, 3 and 1 px thick; `rest` grey |
//! | `dot`, `dot old`, `dot rest`, `dot every` | estimates | filled with a ring of paper; `old` and `every` hollow |
//! | `line`, `line every`, `line other`, `line key` | curves | 2 px, no fill; `every` dashed, `other` grey and thin |
//! | `band` | around curves | the series colour, a sixth as strong |
//! | `frontier`, `change` | lines | 1.5 px, no fill |
//! | `empty`, `strip` | rectangles | `empty` a dashed outline; `strip` a faint ground |
//! | `mark o-…`, `mark o-… excluded` | paths of the field | filled; the outline of an excluded mark is in its path |
//! | `s0` … `s7` | lines, dots, bands, `end` texts | one colour a slot |
//! | `box`, `note`, `edge`, `edge back`, `arrow`, `layer`, `edge-label` | diagrams | paper with a hairline; ink lines |
//!
//! The site's style sheet does all this; a test holds it to the colours of this file.

/// A class and its colour on white and on the dark ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swatch {
    /// The class.
    pub class: &'static str,
    /// On white.
    pub light: &'static str,
    /// On the dark ground.
    pub dark: &'static str,
}

const fn swatch(class: &'static str, light: &'static str, dark: &'static str) -> Swatch {
    Swatch { class, light, dark }
}

/// Colours of the eight named series.
pub const SERIES: [Swatch; 8] = [
    swatch("s0", "#0072b2", "#56b4e9"),
    swatch("s1", "#c04f00", "#e69f00"),
    swatch("s2", "#411386", "#9b67e9"),
    swatch("s3", "#916446", "#c7968a"),
    swatch("s4", "#8d1fd6", "#e64ca8"),
    swatch("s5", "#473315", "#83a550"),
    swatch("s6", "#86136f", "#c0eddb"),
    swatch("s7", "#500b35", "#dfdf90"),
];

/// Colours of the outcomes.
pub const OUTCOMES: [Swatch; 8] = [
    swatch("o-resolved", "#0072b2", "#56b4e9"),
    swatch("o-unresolved", "#8a8f9c", "#6f7685"),
    swatch("o-no_patch", "#642d12", "#ba3a21"),
    swatch("o-patch_failed", "#3b3f4a", "#d8dbe2"),
    swatch("o-timed_out", "#c04f00", "#e69f00"),
    swatch("o-infra_error", "#822bda", "#9f2bda"),
    swatch("o-stopped", "#5b606b", "#a3a9b5"),
    swatch("o-observed", "#5b606b", "#a3a9b5"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let v = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn colours_stand_out_from_both_grounds() {
        for (swatches, least) in [(SERIES, 4.5), (OUTCOMES, 3.0)] {
            for s in swatches {
                assert!(contrast(s.light, "#ffffff") >= least, "{} on white", s.class);
                assert!(contrast(s.dark, "#121417") >= least, "{} on dark", s.class);
            }
        }
    }

    /// The value of a custom property in a block of the style sheet.
    fn property<'s>(block: &'s str, name: &str) -> Option<&'s str> {
        block.split_once(&format!("--{name}: "))?.1.split(';').next()
    }

    #[test]
    fn the_style_sheet_of_the_site_gives_every_class_its_two_colours() {
        let sheet = include_str!("../../site-templates/site.css");
        let (light, rest) = sheet.split_once("@media screen and (prefers-color-scheme: dark)").unwrap();
        let (auto, chosen) = rest.split_once("@media screen {").unwrap();
        for s in SERIES.iter().chain(&OUTCOMES) {
            // A class takes its colour from a custom property: ".s0 { --c: var(--s0); }".
            let rule = sheet.split(&format!(".{}", s.class)).skip(1).find(|r| r.starts_with([' ', ','])).unwrap();
            let name = rule.split_once("--c: var(--").unwrap().1.split(')').next().unwrap();
            assert_eq!(property(light, name), Some(s.light), "{} in light", s.class);
            for dark in [auto, chosen] {
                assert_eq!(property(dark, name), Some(s.dark), "{} in dark", s.class);
            }
        }
    }
}
