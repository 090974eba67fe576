//! Bytes of a JSON text looked at many at a time: where a string stops, where a run of digits ends and what it says.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;
/// How many bytes [`stop`] looks at.
pub(super) const WIDE: usize = 16;

/// The first of sixteen bytes at which a string cannot go on: a quote, a backslash, a control character.
#[inline]
pub(super) fn stop(bytes: &[u8; WIDE]) -> Option<usize> {
    first(bytes, stops)
}

/// As [`stop`], for bytes of which none is a backslash and all are ASCII.
#[inline]
pub(super) fn plain_stop(bytes: &[u8; WIDE]) -> Option<usize> {
    first(bytes, |eight| (eight ^ (ONES * 2)).wrapping_sub(ONES * 0x21) & HIGH)
}

/// The first of sixteen bytes of which the high bit is found.
#[inline]
fn first(bytes: &[u8; WIDE], found: impl Fn(u64) -> u64) -> Option<usize> {
    let all = u128::from_le_bytes(*bytes);
    let (low, high) = (found(all as u64), found((all >> 64) as u64));
    // None is told apart first: then the processor goes on without waiting for the place.
    if low | high == 0 {
        return None;
    }
    let place = if low == 0 { 64 + high.trailing_zeros() } else { low.trailing_zeros() };
    Some(place as usize / 8)
}

/// The high bit of every byte of eight at which a string cannot go on.
///
/// The lowest bit is exact; a borrow can only mark bytes after it.
#[inline]
fn stops(eight: u64) -> u64 {
    // With this bit turned, a quote comes next after the control characters.
    let (low, slash) = (eight ^ (ONES * 2), eight ^ (ONES * 0x5c));
    ((low.wrapping_sub(ONES * 0x21) & !low) | (slash.wrapping_sub(ONES) & !slash)) & HIGH
}

/// How many of eight bytes are digits before the first that is none, and the number that they say.
#[inline]
pub(super) fn digits(bytes: &[u8; 8]) -> (usize, u64) {
    let value = u64::from_le_bytes(*bytes) ^ (ONES * 0x30);
    // A byte above nine gets its high bit; the lowest such bit is exact, a carry can only mark bytes after it.
    let other = (value.wrapping_add(ONES * 0x76) | value) & HIGH;
    let count = other.trailing_zeros() / 8;
    // The digits move to the end, with zeros before them; twice, because a shift by all bits is none.
    let value = (value << (32 - 4 * count)) << (32 - 4 * count);
    let pairs = value.wrapping_mul(10).wrapping_add(value >> 8);
    const ENDS: u64 = 0x0000_00ff_0000_00ff;
    let high = (pairs & ENDS).wrapping_mul(100 + (1_000_000 << 32));
    let low = ((pairs >> 16) & ENDS).wrapping_mul(1 + (10_000 << 32));
    (count as usize, high.wrapping_add(low) >> 32)
}

/// Whether the eight bytes that `mask` chooses by its set bits are digits.
#[inline]
pub(super) fn are_digits(bytes: u64, mask: u64) -> bool {
    let value = (bytes ^ (ONES * 0x30)) & mask;
    (value.wrapping_add(ONES * 0x76) | value) & HIGH == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_string_stops_where_it_must(bytes in prop::array::uniform16(prop_oneof![any::<u8>(), 0x1e_u8..0x24, 0x5b_u8..0x5e, 0x7e_u8..0x82])) {
            let want = bytes.iter().position(|b| *b < 0x20 || *b == b'"' || *b == b'\\');
            prop_assert_eq!(stop(&bytes), want);
            let plain = bytes.map(|b| if b & 0x7f == b'\\' { b'/' } else { b & 0x7f });
            prop_assert_eq!(plain_stop(&plain), stop(&plain));
        }

        #[test]
        fn digits_end_where_they_end_and_say_what_they_say(bytes in prop::array::uniform8(prop_oneof![b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', any::<u8>(), 0x2e_u8..0x3c])) {
            let want: Vec<u8> = bytes.iter().copied().take_while(u8::is_ascii_digit).collect();
            let value = want.iter().fold(0, |n, d| n * 10 + u64::from(d - b'0'));
            prop_assert_eq!(digits(&bytes), (want.len(), value));
            prop_assert_eq!(are_digits(u64::from_le_bytes(bytes), u64::MAX), want.len() == 8);
        }
    }
}
