//! Numbers of a JSON text, exact to the bit.

use super::chunk::digits;
use super::scan::Scan;

/// A number as it stands in the text.
pub(super) struct Number<'a> {
    raw: &'a str,
    /// The digits without sign and point, while they are few enough to be exact.
    digits: u64,
    count: usize,
    fraction: usize,
    plain: bool,
}

/// Powers of ten that a double holds exactly, as far as short decimals need them.
const EXACT: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
/// Powers of ten by which digits before others count.
const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
/// The least that so many digits say without a zero before others.
const FEWEST: [u64; 9] = [0, 0, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

impl Number<'_> {
    /// The number as a whole one from 0 to `most`.
    fn whole(&self, most: u64) -> Option<u64> {
        (self.plain && self.fraction == 0 && self.count <= 19 && self.digits <= most).then_some(self.digits)
    }

    /// The nearest double, none where it would be infinite.
    fn value(&self) -> Option<f64> {
        if self.plain && self.count <= 15 {
            return Some(exact(self.digits, self.fraction));
        }
        self.raw.parse::<f64>().ok().filter(|v| v.is_finite())
    }
}

/// A decimal of up to fifteen digits: both sides are exact, so their quotient is rounded once, as the standard parser
/// does it.
#[inline]
fn exact(digits: u64, fraction: usize) -> f64 {
    digits as f64 / EXACT[fraction]
}

impl<'a> Scan<'a> {
    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Option<Number<'a>> {
        self.space();
        let start = self.at;
        let negative = self.ate_here(b'-');
        let zero = self.peek() == Some(b'0');
        let (mut count, mut said) = self.digits(0);
        if count == 0 || (count > 1 && zero) {
            return None;
        }
        let mut fraction = 0;
        if self.ate_here(b'.') {
            (fraction, said) = self.digits(said);
            count += fraction;
            if fraction == 0 {
                return None;
            }
        }
        let power = matches!(self.peek(), Some(b'e' | b'E'));
        if power {
            self.at += 1;
            if !self.ate_here(b'+') {
                self.ate_here(b'-');
            }
            if self.digits(0).0 == 0 {
                return None;
            }
        }
        let raw = self.said(start, self.at)?;
        let number = Number { raw, digits: said, count, fraction, plain: !negative && !power };
        // A power or a great many digits may name what no double holds.
        if (power || count > 300) && number.value().is_none() {
            return None;
        }
        Some(number)
    }

    /// Reads a number as a whole one from 0 to `most`; none inside where a null stands for it.
    #[inline]
    pub fn whole(&mut self, most: u64) -> Option<Option<u64>> {
        let (count, value) = self.ahead().map(digits).unwrap_or_default();
        // A point or a power after the digits is refused by whatever reads on.
        if count == 0 || count > 7 || value < FEWEST[count] {
            return self.any_whole(most);
        }
        self.at += count;
        (value <= most).then_some(Some(value))
    }

    #[cold]
    #[inline(never)]
    fn any_whole(&mut self, most: u64) -> Option<Option<u64>> {
        if self.null() { Some(None) } else { self.number()?.whole(most).map(Some) }
    }

    /// Reads a number as the nearest double; not a number where a null stands for it.
    #[inline]
    pub fn double(&mut self) -> Option<f64> {
        let start = self.at;
        self.short_double().or_else(|| {
            self.at = start;
            self.any_double()
        })
    }

    #[cold]
    #[inline(never)]
    fn any_double(&mut self) -> Option<f64> {
        if self.null() { Some(f64::NAN) } else { self.number()?.value() }
    }

    /// Up to seven digits, and as many after a point.
    #[inline]
    fn short_double(&mut self) -> Option<f64> {
        let (count, mut value) = digits(self.ahead()?);
        let mut fraction = 0;
        if count == 0 || count > 7 || value < FEWEST[count] {
            return None;
        }
        self.at += count;
        if self.ate_here(b'.') {
            let (count, more) = digits(self.ahead()?);
            (count > 0 && count < 8).then_some(())?;
            self.at += count;
            (value, fraction) = (value * TENS[count] + more, count);
        }
        // A power is left to the reader of any number.
        (!matches!(self.peek(), Some(b'e' | b'E'))).then(|| exact(value, fraction))
    }

    /// Passes over digits; gives how many there are, and the number that they make after others.
    #[inline]
    fn digits(&mut self, before: u64) -> (usize, u64) {
        let (start, mut all) = (self.at, before);
        while let Some(eight) = self.ahead() {
            let (count, value) = digits(eight);
            all = all.wrapping_mul(TENS[count]).wrapping_add(value);
            self.at += count;
            if count < 8 {
                return (self.at - start, all);
            }
        }
        while let Some(d) = self.peek().filter(u8::is_ascii_digit) {
            all = all.wrapping_mul(10).wrapping_add(u64::from(d - b'0'));
            self.at += 1;
        }
        (self.at - start, all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::Text;
    use super::*;
    use proptest::prelude::*;

    fn scan(text: &str) -> Scan<'_> {
        Scan::new(Text::new(text.as_bytes()).unwrap(), 0, 0)
    }

    proptest! {
        #[test]
        fn a_written_number_reads_back_to_the_bit(value in prop::num::f64::POSITIVE | prop::num::f64::NORMAL, places in 0_usize..18) {
            for text in [format!("{value:?}"), format!("{:.places$}", value % 1e6), format!("{value:e}")] {
                let want = text.parse::<f64>().ok().map(f64::to_bits);
                let number = scan(&text).number().and_then(|n| n.value());
                prop_assert_eq!(number.map(f64::to_bits), want);
                // Within a longer text the digits are read many at a time.
                for text in [text.clone(), format!("{text}, \"more\": 12345678")] {
                    prop_assert_eq!(scan(&text).double().map(f64::to_bits), want);
                }
            }
        }

        #[test]
        fn a_whole_number_reads_back_up_to_the_most(value in prop_oneof![0..200_u64, 0..10_000_000_000_000_000_000_u64, 0..100_000_000_u64], most in prop_oneof![Just(u64::MAX), 0..1000_u64]) {
            for text in [format!("{value}"), format!("{value}, \"more\": 1")] {
                prop_assert_eq!(scan(&text).whole(most), (value <= most).then_some(Some(value)));
            }
        }
    }

    #[test]
    fn what_is_no_number_is_none_in_every_way() {
        for text in ["", "-", "+1", ".5", "01", "00", "1.", "1.x", "x", "1e", "1e+", "-.5", "0123456, 1234567890"] {
            let more = format!("{text} , 1234567890");
            for text in [text, &more] {
                assert_eq!(scan(text).double(), None, "{text}");
                // After the one digit of `1.` or `1e` a reader finds neither a comma nor an end.
                let mut scan = scan(text);
                assert!(scan.whole(9).is_none() || !(scan.is_done() || scan.peek() == Some(b',')), "{text}");
            }
        }
    }
}
