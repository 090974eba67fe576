//! Numbers as text. Rounding is half away from zero on the exact value of the double, as `toFixed` does it, so that
//! a reader's own script prints the same digits.

/// How a value is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A share as "30.0%", "<0.1%" or ">99.9%" where the digits would claim 0 or 100.
    Percent,
    /// A difference of shares as "+7.8 points", always signed.
    Points,
    /// A size of a difference of shares as "29.5 points", without a sign.
    Gap,
    /// A whole number as "1,234".
    Count,
    /// One decimal.
    Decimal1,
    /// Two decimals.
    Decimal2,
    /// Dollars as "$9.30".
    Usd2,
    /// Dollars as "$0.465".
    Usd3,
    /// A p-value as "0.0312", "<0.0001" below that.
    P,
    /// Whole seconds as "80 s".
    Seconds,
}

impl Format {
    /// Appends the text of a value, without the detour over a text of its own where the value is a usual one.
    pub fn push(self, out: &mut String, value: Option<f64>) {
        let usual = match (self, value) {
            (Self::Count, Some(v)) if v.fract() == 0.0 => units(v, 0).map(|u| ("", u, 0, "")),
            (Self::Seconds, Some(v)) => units(v, 0).map(|u| ("", u, 0, " s")),
            (Self::Usd3, Some(v)) => units(v, 3).map(|u| ("$", u, 3, "")),
            _ => None,
        };
        let Some((before, units, decimals, after)) = usual.filter(|u| u.1 < 1000 * SCALES[u.2]) else {
            out.push_str(&self.text(value));
            return;
        };
        out.push_str(before);
        push_decimal(out, units, decimals);
        out.push_str(after);
    }

    /// The text of a value; "no data" for `None` and for anything that is not finite in percent.
    #[must_use]
    pub fn text(self, value: Option<f64>) -> String {
        let Some(value) = value.filter(|v| (v * 100.0).is_finite()) else {
            return "no data".to_owned();
        };
        let value = if self == Self::P { value } else { settled(value) };
        let (minus, size) = (if value < 0.0 { "\u{2212}" } else { "" }, value.abs());
        match self {
            // Small whole counts are what pages hold most of.
            Self::Count if (0.0..1000.0).contains(&value) && value.fract() == 0.0 => (value as u32).to_string(),
            Self::Percent => percent(value, minus),
            Self::Points => {
                let sign = if value < 0.0 { minus } else { "+" };
                format!("{sign}{} points", fixed(size * 100.0, 1))
            }
            Self::Gap => format!("{minus}{} points", grouped(&fixed(size * 100.0, 1))),
            Self::Count => format!("{minus}{}", grouped(&fixed(size, 0))),
            Self::Decimal1 => format!("{minus}{}", grouped(&fixed(size, 1))),
            Self::Decimal2 => format!("{minus}{}", grouped(&fixed(size, 2))),
            Self::Usd2 => format!("{minus}${}", grouped(&fixed(size, 2))),
            Self::Usd3 => format!("{minus}${}", grouped(&fixed(size, 3))),
            Self::P if value > 0.0 && value < 0.0001 => "<0.0001".to_owned(),
            Self::P => format!("{minus}{}", fixed(size, 4)),
            Self::Seconds => format!("{minus}{} s", grouped(&fixed(size, 0))),
        }
    }
}

/// A sum of doubles that misses a whole number by its rounding is that whole number: 24 of 24 are all, and not nearly so.
///
/// A p-value is never settled, for a tiny one is no rounding.
fn settled(value: f64) -> f64 {
    let whole = value.round();
    if (value - whole).abs() <= SLACK { whole + 0.0 } else { value }
}

/// What sums of up to a million shares are off at most.
const SLACK: f64 = 1e-12;

fn percent(value: f64, minus: &str) -> String {
    let text = fixed(value.abs() * 100.0, 1);
    if value > 0.0 && (value < 0.0005 || text == "0.0") {
        "<0.1%".to_owned()
    } else if value < 1.0 && (value >= 0.9995 || text == "100.0") && value > 0.0 {
        ">99.9%".to_owned()
    } else {
        format!("{minus}{}%", grouped(&text))
    }
}

/// A value that is not negative with that many decimals, half away from zero on its exact binary value.
fn fixed(value: f64, decimals: usize) -> String {
    if let Some(text) = fixed_fast(value, decimals) {
        return text;
    }
    // Rust rounds exact ties to even. A tie has at most decimals + 1 binary places, so this product is whole
    // exactly then (or when there is nothing to round), and one decimal more prints the value exactly.
    let scaled = value * (1_u64 << (decimals + 1)) as f64;
    if scaled.fract() != 0.0 {
        return format!("{value:.decimals$}");
    }
    let mut digits = format!("{value:.0$}", decimals + 1).into_bytes();
    let tie = digits.pop() == Some(b'5');
    if decimals == 0 {
        digits.pop();
    }
    if tie {
        round_up(&mut digits);
    }
    String::from_utf8(digits).unwrap_or_default()
}

/// The same for values whose rounding is not in doubt.
fn fixed_fast(value: f64, decimals: usize) -> Option<String> {
    let mut text = String::with_capacity(12);
    push_decimal(&mut text, units(value, decimals)?, decimals);
    Some(text)
}

/// Powers of ten by number of decimals.
const SCALES: [u64; 7] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

/// A value in whole units of its last decimal, where rounding is not in doubt: small ones clearly off a tie.
///
/// Below 1e9 the product is exact to 1e-7, so a distance of 1e-6 from one half decides the rounding.
fn units(value: f64, decimals: usize) -> Option<u64> {
    let scaled = value * *SCALES.get(decimals)? as f64;
    let clear = (0.0..1e9).contains(&scaled) && (scaled.fract() - 0.5).abs() >= 1e-6;
    clear.then(|| scaled.round() as u64)
}

/// Appends whole units with their decimal point.
fn push_decimal(out: &mut String, units: u64, decimals: usize) {
    let scale = SCALES[decimals];
    push_digits(out, units / scale, 1);
    if decimals > 0 {
        out.push('.');
        push_digits(out, units % scale, decimals);
    }
}

/// Appends a whole number in so many digits or more.
fn push_digits(out: &mut String, mut value: u64, least: usize) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    while value > 0 || digits.len() - at < least {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Appends the shortest decimal that reads back as the same double, without an exponent; -0 is 0.
pub fn push_shortest(out: &mut String, value: f64) {
    use std::fmt::Write as _;
    // A numeral of at most fifteen digits is the only one so short that reads as its double, and the quotient of two
    // exact integers is rounded as reading it is: where it gives the value back, it is the shortest numeral.
    let whole = (value * 1e6).round();
    if !(0.0..1e15).contains(&whole) || whole / 1e6 != value {
        let _ = write!(out, "{}", value + 0.0);
        return;
    }
    let (mut units, mut decimals) = (whole as u64, 6);
    if value.fract() == 0.0 {
        (units, decimals) = (value as u64, 0);
    }
    while decimals > 0 && units.is_multiple_of(10) {
        (units, decimals) = (units / 10, decimals - 1);
    }
    push_decimal(out, units, decimals);
}

/// Adds one unit in the last place of a decimal numeral.
fn round_up(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        match digit {
            b'.' => {}
            b'9' => *digit = b'0',
            _ => {
                *digit += 1;
                return;
            }
        }
    }
    digits.insert(0, b'1');
}

/// Commas between groups of three digits before the point.
fn grouped(numeral: &str) -> String {
    if numeral.find('.').unwrap_or(numeral.len()) < 4 {
        return numeral.to_owned();
    }
    let whole = numeral.find('.').unwrap_or(numeral.len());
    let mut text = String::with_capacity(numeral.len() + whole / 3);
    for (place, digit) in numeral.char_indices() {
        if place > 0 && place < whole && (whole - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_way_of_rounding_prints_what_the_long_way_prints(value in prop_oneof![0.0..1e6_f64, 0.0..1.0_f64, 0.0..1e-3_f64], decimals in 0_usize..5) {
            if let Some(text) = super::fixed_fast(value, decimals) {
                prop_assert_eq!(text, format!("{:.1$}", value, decimals));
            }
        }
        #[test]
        fn the_short_way_of_appending_prints_what_the_long_way_prints(value in prop_oneof![-10.0..2e3_f64, 0.0..2e9_f64, (0..9_999_999_u32).prop_map(|n| f64::from(n) / 1000.0), (0..2000_u32).prop_map(f64::from)]) {
            for format in [Count, Seconds, Usd3, Usd2, P, Percent] {
                let mut text = String::new();
                format.push(&mut text, Some(value));
                prop_assert_eq!(text, format.text(Some(value)));
            }
        }
        #[test]
        fn the_shortest_numeral_is_the_one_that_the_language_prints(value in prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()), 0.0..1e3_f64, (0..99_999_999_u32, 0..9_i32).prop_map(|(n, d)| f64::from(n) / 10_f64.powi(d)), (0..99_999_999_u32).prop_map(|n| f64::from(n) * 1e-3)]) {
            let mut text = String::new();
            super::push_shortest(&mut text, value);
            prop_assert_eq!(text, format!("{}", value + 0.0));
        }
    }

    use super::Format::{Count, Decimal1, Decimal2, Gap, P, Percent, Points, Seconds, Usd2, Usd3};

    #[test]
    fn every_format_prints_as_the_contract_says() {
        assert_eq!(Percent.text(Some(0.3)), "30.0%");
        assert_eq!(Percent.text(Some(0.999_499_999)), "99.9%");
        assert_eq!(Percent.text(Some(0.9995)), ">99.9%");
        assert_eq!(Points.text(Some(0.078)), "+7.8 points");
        assert_eq!(Points.text(Some(-0.078)), "\u{2212}7.8 points");
        assert_eq!(Points.text(Some(0.0)), "+0.0 points");
        assert_eq!(Gap.text(Some(0.295)), "29.5 points");
        assert_eq!(Count.text(Some(1234.0)), "1,234");
        assert_eq!(Count.text(Some(1_234_567.0)), "1,234,567");
        assert_eq!(Count.text(Some(999.0)), "999");
        assert_eq!(Decimal1.text(Some(36.2)), "36.2");
        assert_eq!(Decimal2.text(Some(-1.0)), "\u{2212}1.00");
        assert_eq!(Usd2.text(Some(9.3)), "$9.30");
        assert_eq!(Usd2.text(Some(1234.5)), "$1,234.50");
        assert_eq!(Usd3.text(Some(0.465)), "$0.465");
        assert_eq!(P.text(Some(0.0312)), "0.0312");
        assert_eq!(P.text(Some(0.000_099)), "<0.0001");
        assert_eq!(P.text(Some(1.0)), "1.0000");
        assert_eq!(Seconds.text(Some(80.0)), "80 s");
        assert_eq!(Seconds.text(None), "no data");
        assert_eq!(Count.text(Some(f64::NAN)), "no data");
    }

    #[test]
    fn a_sum_that_misses_a_whole_number_by_its_rounding_is_that_number() {
        let thirds = (0..24).fold(0.0, |sum, _| sum + 1.0 / 24.0);
        assert!(thirds != 1.0, "the sum must be off, or it shows nothing");
        assert_eq!(Percent.text(Some(thirds)), "100.0%");
        assert_eq!(Percent.text(Some(0.999_999_999_999_999_7)), "100.0%");
        assert_eq!(Percent.text(Some(1.000_000_000_000_000_2)), "100.0%");
        assert_eq!(Percent.text(Some(1e-17)), "0.0%");
        assert_eq!(Percent.text(Some(-1e-17)), "0.0%");
        assert_eq!(Points.text(Some(-1e-17)), "+0.0 points");
        assert_eq!(Points.text(Some(-0.0)), "+0.0 points");
        assert_eq!(Gap.text(Some(-1e-17)), "0.0 points");
        for format in [Count, Decimal1, Decimal2, Usd2, Usd3, Seconds] {
            assert_eq!(format.text(Some(-1e-17)), format.text(Some(0.0)), "{format:?}");
        }
        assert_eq!(Decimal1.text(Some(0.3 - 0.1 - 0.2)), "0.0");
        // What is not there by rounding alone keeps its words.
        assert_eq!(Percent.text(Some(1e-9)), "<0.1%");
        assert_eq!(Percent.text(Some(1.0 - 1e-9)), ">99.9%");
        assert_eq!(P.text(Some(1e-17)), "<0.0001");
    }

    #[test]
    fn exact_ties_round_away_from_zero() {
        assert_eq!(Decimal1.text(Some(0.25)), "0.3");
        assert_eq!(Decimal1.text(Some(0.75)), "0.8");
        assert_eq!(Decimal1.text(Some(-0.25)), "\u{2212}0.3");
        assert_eq!(Decimal1.text(Some(99.95)), "100.0"); // 99.950000000000003
        assert_eq!(Decimal1.text(Some(9.95)), "9.9"); // 9.9499999999999993
        assert_eq!(Decimal2.text(Some(9.875)), "9.88");
        assert_eq!(Decimal2.text(Some(0.125)), "0.13");
        assert_eq!(Count.text(Some(0.5)), "1");
        assert_eq!(Count.text(Some(2.5)), "3");
        assert_eq!(Count.text(Some(999.5)), "1,000");
        assert_eq!(Usd3.text(Some(0.0625)), "$0.063");
        assert_eq!(Percent.text(Some(0.0625)), "6.3%");
    }
}
