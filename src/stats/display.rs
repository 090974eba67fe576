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
    /// The text of a value; "no data" for `None` and for anything that is not finite in percent.
    #[must_use]
    pub fn text(self, value: Option<f64>) -> String {
        let Some(value) = value.filter(|v| (v * 100.0).is_finite()) else {
            return "no data".to_owned();
        };
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

/// The same for values whose rounding is not in doubt: small ones whose scaled value is clearly off a tie.
///
/// Below 1e9 the product is exact to 1e-7, so a distance of 1e-6 from one half decides the rounding.
fn fixed_fast(value: f64, decimals: usize) -> Option<String> {
    let scale: u64 = *[1, 10, 100, 1000, 10_000].get(decimals)?;
    let scaled = value * scale as f64;
    if !(0.0..1e9).contains(&scaled) || (scaled.fract() - 0.5).abs() < 1e-6 {
        return None;
    }
    let units = scaled.round() as u64;
    Some(match decimals {
        0 => units.to_string(),
        _ => format!("{}.{:0decimals$}", units / scale, units % scale),
    })
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
