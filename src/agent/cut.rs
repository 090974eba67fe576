/// A stream as a model is shown it: at most `most` characters, the first half and the last half of them with a line
/// between that says what is missing; and the bytes that were left out. `head` and `tail` are what was kept of the
/// stream, `lost` the bytes between them that nobody has. Bytes that are no text are replaced.
pub fn cut(head: &[u8], tail: &[u8], lost: u64, most: usize) -> (String, u64) {
    if lost == 0 {
        let whole = String::from_utf8_lossy(&[head, tail].concat()).into_owned();
        let Some(middle) = whole.chars().count().checked_sub(most).filter(|n| *n > 0) else { return (whole, 0) };
        let first = most.div_ceil(2);
        let (from, to) = (at(&whole, first), at(&whole, first + middle));
        return joined(&whole[..from], (to - from) as u64, &whole[to..]);
    }
    let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
    let from = at(&head, most.div_ceil(2));
    let to = at(&tail, tail.chars().count().saturating_sub(most / 2));
    joined(&head[..from], lost + (head.len() - from) as u64 + to as u64, &tail[to..])
}

fn joined(head: &str, cut: u64, tail: &str) -> (String, u64) {
    (format!("{head}\n[... {cut} bytes cut ...]\n{tail}"), cut)
}

/// The byte at which the character of a number begins; the end where there are fewer.
fn at(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_stream_is_whole_and_a_long_one_loses_its_middle() {
        assert_eq!(cut(b"abc", b"", 0, 3), ("abc".into(), 0));
        assert_eq!(cut(b"abcd", b"efgh", 0, 4), ("ab\n[... 4 bytes cut ...]\ngh".into(), 4));
        assert_eq!(cut(b"abcd", b"efgh", 10, 4), ("ab\n[... 14 bytes cut ...]\ngh".into(), 14));
        assert_eq!(cut("äöü".as_bytes(), b"", 0, 2).0, "ä\n[... 2 bytes cut ...]\nü");
        assert_eq!(cut(b"\xffa", b"", 0, 9).0, "\u{fffd}a");
    }

    proptest! {
        #[test]
        fn never_more_characters_than_allowed_beside_the_mark(
            head in prop::collection::vec(any::<u8>(), 0..60), tail in prop::collection::vec(any::<u8>(), 0..60),
            lost in 0u64..3, most in 0usize..40,
        ) {
            let (text, gone) = cut(&head, &tail, lost, most);
            let mark = if gone > 0 { format!("\n[... {gone} bytes cut ...]\n").chars().count() } else { 0 };
            prop_assert!(text.chars().count() <= most + mark);
            prop_assert!(gone >= lost);
        }
    }
}
