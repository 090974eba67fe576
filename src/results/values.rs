//! The values that fields of a line may hold, each read as its contract says.

use super::key;
use super::scan::Scan;
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
    (s.text()? == want).then_some(())
}

/// None where the value is wrong, and none inside where it is null, which says as much as leaving the field out.
#[inline]
pub(super) fn nullable<'a, T>(s: &mut Scan<'a>, read: impl FnOnce(&mut Scan<'a>) -> Option<T>) -> Option<Option<T>> {
    if s.null() { Some(None) } else { read(s).map(Some) }
}

pub(super) fn words<'a>(s: &mut Scan<'a>) -> Option<Option<Cow<'a, str>>> {
    nullable(s, Scan::text)
}

pub(super) fn whole(s: &mut Scan<'_>) -> Option<Option<u64>> {
    nullable(s, |s| s.number()?.whole(MAX_WHOLE))
}

pub(super) fn small(s: &mut Scan<'_>) -> Option<Option<u32>> {
    nullable(s, |s| s.number()?.whole(MAX_SMALL).map(|n| n as u32))
}

/// Seconds from 0; not a number stands for null.
pub(super) fn span(s: &mut Scan<'_>) -> Option<f64> {
    Some(nullable(s, |s| s.number()?.value().filter(|t| *t >= 0.0))?.unwrap_or(f64::NAN))
}

pub(super) fn time<'a>(s: &mut Scan<'a>) -> Option<Option<Cow<'a, str>>> {
    nullable(s, |s| s.text().filter(|t| is_time(t)))
}

fn texts(s: &mut Scan<'_>) -> Option<()> {
    s.array(|s| s.text().map(|_| ()))
}

/// `{passed, total}`; tests have the names of those that did not pass beside them.
pub(super) fn pair(s: &mut Scan<'_>, names: bool) -> Option<(u32, u32)> {
    let (mut seen, mut passed, mut total) = (0, None, None);
    s.object(|s, key| match key {
        key::PASSED => once(&mut seen, 0).and_then(|()| s.number()?.whole(MAX_SMALL)).map(|n| passed = Some(n as u32)),
        key::TOTAL => once(&mut seen, 1).and_then(|()| s.number()?.whole(MAX_SMALL)).map(|n| total = Some(n as u32)),
        key::FAILED if names => once(&mut seen, 2).and_then(|()| nullable(s, texts)).map(|_| ()),
        _ => s.skip(),
    })?;
    passed.zip(total).filter(|(passed, total)| passed <= total)
}

pub(super) fn patch(s: &mut Scan<'_>) -> Option<()> {
    let mut seen = 0;
    s.object(|s, key| match key {
        key::SHA256 => once(&mut seen, 0).and_then(|()| words(s)).map(|_| ()),
        key::BYTES => once(&mut seen, 1).and_then(|()| whole(s)).map(|_| ()),
        key::FILES => once(&mut seen, 2).and_then(|()| whole(s)).map(|_| ()),
        key::APPLIED => once(&mut seen, 3).and_then(|()| words(s)).map(|_| ()),
        key::DROPPED => once(&mut seen, 4).and_then(|()| nullable(s, texts)).map(|_| ()),
        _ => s.skip(),
    })
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

/// Whether a text is an RFC 3339 time.
pub(super) fn is_time(text: &str) -> bool {
    is_plain_time(text) || text.parse::<jiff::Timestamp>().is_ok()
}

/// The common shape `2026-01-31T12:00:00Z`, but for the last days of months, which need a calendar.
pub(super) fn is_plain_time(text: &str) -> bool {
    let Ok(t) = <&[u8; 20]>::try_from(text.as_bytes()) else { return false };
    let two =
        |i: usize| (t[i].is_ascii_digit() && t[i + 1].is_ascii_digit()).then(|| (t[i] - b'0') * 10 + (t[i + 1] - b'0'));
    let within = |i: usize, low: u8, high: u8| two(i).is_some_and(|n| (low..=high).contains(&n));
    t[4] == b'-'
        && t[7] == b'-'
        && t[10] == b'T'
        && t[13] == b':'
        && t[16] == b':'
        && t[19] == b'Z'
        && within(0, 0, 99)
        && within(2, 0, 99)
        && within(5, 1, 12)
        && within(8, 1, 28)
        && within(11, 0, 23)
        && within(14, 0, 59)
        && within(17, 0, 59)
}
