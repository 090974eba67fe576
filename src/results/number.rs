//! A number of a JSON text, exact to the bit.

/// A number as it stands in the text.
pub(super) struct Number<'a> {
    pub raw: &'a str,
    /// The digits without sign and point, while they are few enough to be exact.
    pub digits: u64,
    pub count: usize,
    pub fraction: usize,
    pub plain: bool,
}

/// Powers of ten that a double holds exactly, as far as short decimals need them.
const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

impl Number<'_> {
    /// The number as a whole one from 0 to `most`.
    #[inline]
    pub fn whole(&self, most: u64) -> Option<u64> {
        (self.plain && self.fraction == 0 && self.count <= 19 && self.digits <= most).then_some(self.digits)
    }

    /// The nearest double, none where it would be infinite.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        if self.plain && self.count <= 15 {
            // Both are exact, so their quotient is rounded once, as the standard parser does it.
            return Some(self.digits as f64 / TENS[self.fraction]);
        }
        self.raw.parse::<f64>().ok().filter(|v| v.is_finite())
    }
}
