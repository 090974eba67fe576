//! The values that fields of a line may hold, each read as its contract says.

use super::Stop;
use super::chunk::are_digits;
use super::key::{self, Key, pack};
use super::scan::Scan;
use crate::schema::Outcome;
use std::borrow::Cow;

/// The largest count of tokens, bytes or requests of one attempt: millions of attempts sum in 64 bits.
pub(super) const MAX_WHOLE: u64 = 1_000_000_000_000;
/// The largest count of tests, turns or retries.
pub(super) const MAX_SMALL: u64 = u32::MAX as u64 - 1;

pub(super) fn once(seen: &mut u32, bit: u32) -> Option<()> {
    let fresh = *seen & (1 << bit) == 0;
    *seen |= 1 << bit;
    fresh.then_some(())
}

pub(super) fn same(s: &mut Scan<'_>, want: &str) -> Option<()> {
    (*s.text_bytes()? == *want.as_bytes()).then_some(())
}

/// None where the value is wrong, and none inside where it is null, which says as much as leaving the field out.
#[inline]
pub(super) fn nullable<'a, T>(s: &mut Scan<'a>, read: impl FnOnce(&mut Scan<'a>) -> Option<T>) -> Option<Option<T>> {
    if s.null() { Some(None) } else { read(s).map(Some) }
}

pub(super) fn words<'a>(s: &mut Scan<'a>) -> Option<Option<Cow<'a, str>>> {
    nullable(s, Scan::text)
}

/// Seconds from 0; not a number stands for null.
#[inline]
pub(super) fn span(s: &mut Scan<'_>) -> Option<f64> {
    s.double().filter(|t| t.is_nan() || *t >= 0.0)
}

#[inline]
pub(super) fn time<'a>(s: &mut Scan<'a>) -> Option<Option<Cow<'a, [u8]>>> {
    nullable(s, |s| s.text_bytes().filter(|t| is_plain_time(t) || std::str::from_utf8(t).is_ok_and(is_time)))
}

/// The grader that digests name; none where they name none, or not by a text.
pub(super) fn grader<'a>(s: &mut Scan<'a>) -> Option<Option<Cow<'a, str>>> {
    let mut named = None;
    s.object(|s, key| {
        if key != key::GRADER {
            return s.skip();
        }
        s.space();
        // Of a key that stands twice the last counts, as it does to every reader of JSON objects.
        named = None;
        if s.peek() == Some(b'"') { s.text().map(|text| named = Some(text)) } else { s.skip() }
    })?;
    Some(named)
}

/// How many texts a list has.
pub(super) fn texts(s: &mut Scan<'_>) -> Option<u32> {
    let mut count = 0;
    s.array(|s| {
        count += 1;
        s.pass_text()
    })?;
    Some(count)
}

pub(super) fn failure<'a>(s: &mut Scan<'a>) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
    let (mut seen, mut class, mut message) = (0, None, None);
    s.object(|s, key| match key {
        key::CLASS => once(&mut seen, 0).and_then(|()| words(s)).map(|t| class = t),
        key::MESSAGE => once(&mut seen, 1).and_then(|()| words(s)).map(|t| message = t),
        _ => s.skip(),
    })?;
    Some((class.unwrap_or_default(), message.unwrap_or_default()))
}

/// How an attempt counts.
#[inline]
pub(super) fn outcome(s: &mut Scan<'_>) -> Option<Outcome> {
    const KEYS: [Key; Outcome::ALL.len()] = packed(&Outcome::ALL);
    let word = s.key()?;
    KEYS.iter().zip(Outcome::ALL).find_map(|(key, outcome)| (*key == word).then_some(outcome))
}

const fn packed(all: &[Outcome; Outcome::ALL.len()]) -> [Key; Outcome::ALL.len()] {
    let (mut keys, mut i) = ([0; Outcome::ALL.len()], 0);
    while i < all.len() {
        keys[i] = pack(all[i].word());
        i += 1;
    }
    keys
}

/// Why an agent stopped.
#[inline]
pub(super) fn stop(s: &mut Scan<'_>) -> Option<Stop> {
    s.text_bytes().map(|word| Stop::of_bytes(&word))
}

/// Whether a text is an RFC 3339 time.
pub(super) fn is_time(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok()
}

/// The common shape `2026-01-31T12:00:00Z`, but for the last days of months, which need a calendar.
#[inline]
pub(super) fn is_plain_time(text: &[u8]) -> bool {
    let Ok(t) = <&[u8; 20]>::try_from(text) else {
        return false;
    };
    let [a @ .., _, _, _, _] = t;
    let (Some(low), Some(middle), Some(high)) = (a.first_chunk(), a.last_chunk(), t.last_chunk()) else {
        return false;
    };
    // `2026-01-`, `31T12:00` and `12:00:00Z` without its first: eight bytes each, the last two lap.
    let (low, middle, high) = (u64::from_le_bytes(*low), u64::from_le_bytes(*middle), u64::from_le_bytes(*high));
    let digits = are_digits(low, DATE.1) && are_digits(middle, HOURS.1) && are_digits(high, SECONDS.1);
    let signs = low & !DATE.1 == DATE.0 && middle & !HOURS.1 == HOURS.0 && high & !SECONDS.1 == SECONDS.0;
    let two = |i: usize| (t[i] & 15) * 10 + (t[i + 1] & 15);
    digits
        && signs
        && matches!(two(5), 1..=12)
        && matches!(two(8), 1..=28)
        && two(11) <= 23
        && two(14) <= 59
        && two(17) <= 59
}

/// The signs of eight bytes of a time, and where its digits are.
const fn pattern(text: [u8; 8]) -> (u64, u64) {
    let (mut signs, mut digits, mut i) = ([0; 8], [0; 8], 0);
    while i < 8 {
        if text[i] == b'0' {
            digits[i] = 0xff;
        } else {
            signs[i] = text[i];
        }
        i += 1;
    }
    (u64::from_le_bytes(signs), u64::from_le_bytes(digits))
}

const DATE: (u64, u64) = pattern(*b"0000-00-");
const HOURS: (u64, u64) = pattern(*b"00T00:00");
const SECONDS: (u64, u64) = pattern(*b"0:00:00Z");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_time_is_a_time() {
        let good = "2026-01-28T23:59:59Z";
        assert!(is_plain_time(good.as_bytes()));
        for i in 0..good.len() {
            for byte in 0..128_u8 {
                let mut text = good.as_bytes().to_vec();
                text[i] = byte;
                let text = String::from_utf8(text).unwrap();
                if is_plain_time(text.as_bytes()) {
                    assert!(text.parse::<jiff::Timestamp>().is_ok(), "{text}");
                } else if text.is_ascii() && byte.is_ascii_digit() && text.parse::<jiff::Timestamp>().is_ok() {
                    assert_eq!(&text[8..9], "2", "only the last days of months are not plain: {text}");
                }
            }
        }
        for text in
            ["", "2026-01-28T23:59:59", "2026-01-28T23:59:59.5Z", "2026-01-29T23:59:59Z", "2026-00-28T23:59:59Z"]
        {
            assert!(!is_plain_time(text.as_bytes()), "{text}");
        }
    }
}
