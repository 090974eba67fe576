use std::collections::VecDeque;

/// What was kept of an output stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Its first bytes.
    pub head: Vec<u8>,
    /// Its last bytes that are not in `head`.
    pub tail: Vec<u8>,
    /// Bytes that the stream had; more than were kept where it was cut.
    pub total: u64,
}

impl Kept {
    /// Bytes that are in neither part.
    pub fn cut(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The stream for a reader: invalid UTF-8 replaced, and a line in place of what was cut.
    pub fn text(&self) -> String {
        match self.cut() {
            0 => String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat()).into_owned(),
            cut => format!(
                "{}\n[... {cut} bytes cut ...]\n{}",
                String::from_utf8_lossy(&self.head),
                String::from_utf8_lossy(&self.tail)
            ),
        }
    }
}

/// Takes a stream in pieces and keeps its beginning and its end in bounded memory.
#[derive(Debug)]
pub struct Keeper {
    most_head: usize,
    most_tail: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Keeper {
    /// A keeper of at most `most` bytes: half from the beginning, half from the end.
    pub fn new(most: usize) -> Keeper {
        let most_head = most.div_ceil(2);
        Keeper { most_head, most_tail: most - most_head, head: Vec::new(), tail: VecDeque::new(), total: 0 }
    }

    /// Take the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        self.total = self.total.saturating_add(piece.len() as u64);
        let (first, rest) = piece.split_at(piece.len().min(self.most_head - self.head.len()));
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(self.most_tail)..];
        let too_many = (self.tail.len() + rest.len()).saturating_sub(self.most_tail);
        self.tail.drain(..too_many);
        self.tail.extend(rest);
    }

    /// What was kept.
    pub fn kept(self) -> Kept {
        Kept { head: self.head, tail: self.tail.into(), total: self.total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(most: usize, pieces: &[&[u8]]) -> Kept {
        let mut keeper = Keeper::new(most);
        pieces.iter().for_each(|p| keeper.take(p));
        keeper.kept()
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let all = kept(10, &[b"abc", b"", b"defg"]);
        assert_eq!((all.total, all.cut(), all.text().as_str()), (7, 0, "abcdefg"));
    }

    #[test]
    fn a_long_stream_loses_its_middle_and_says_how_much() {
        let all = kept(4, &[b"abc", b"def", b"ghi"]);
        assert_eq!((all.head.as_slice(), all.tail.as_slice(), all.cut()), (&b"ab"[..], &b"hi"[..], 5));
        assert_eq!(all.text(), "ab\n[... 5 bytes cut ...]\nhi");
    }

    #[test]
    fn nothing_may_be_kept_and_all_is_counted() {
        assert_eq!(kept(0, &[b"abc"]), Kept { head: vec![], tail: vec![], total: 3 });
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..200), most in 0usize..64, step in 1usize..20) {
            let whole = kept(most, &[&bytes]);
            let parts: Vec<&[u8]> = bytes.chunks(step).collect();
            prop_assert_eq!(&kept(most, &parts), &whole);
            prop_assert!(whole.head.len() + whole.tail.len() <= most);
            prop_assert!(bytes.starts_with(&whole.head) && bytes.ends_with(&whole.tail));
            prop_assert_eq!(whole.cut() == 0, bytes.len() <= most);
        }
    }
}
