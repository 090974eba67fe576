//! Tags, attributes and comments of HTML and XML.

use super::{Paper, is_word};

/// Gives a document its classes.
pub(super) fn scan(paper: &mut Paper<'_, '_>) {
    let bytes = paper.bytes();
    let mut at = 0;
    while let Some(i) = memchr::memchr(b'<', &bytes[at..]) {
        at += i;
        let rest = &bytes[at..];
        at = if rest.starts_with(b"<!--") {
            let end = memchr::memmem::find(&rest[4..], b"-->").map_or(bytes.len(), |i| at + 4 + i + 3);
            paper.mark(at, end, 'c');
            end
        } else if rest.get(1).is_some_and(|b| b.is_ascii_alphabetic() || b"/!?".contains(b)) {
            tag(paper, bytes, at)
        } else {
            at + 1
        };
    }
}

fn is_name(b: u8) -> bool {
    is_word(b) || b"-:.@".contains(&b)
}

/// A tag that begins at `at`; returns its end.
fn tag(paper: &mut Paper<'_, '_>, bytes: &[u8], at: usize) -> usize {
    let skip = |at: usize| bytes[at..].iter().position(|b| !is_name(*b)).map_or(bytes.len(), |i| at + i);
    let mut end = skip(at + 2);
    paper.mark(at, end, 'k');
    while let Some(b) = bytes.get(end) {
        let from = end;
        match b {
            b'>' => {
                paper.mark(from, from + 1, 'k');
                return from + 1;
            }
            // A tag that is not closed ends where the next begins.
            b'<' => return from,
            b'"' | b'\'' => {
                end = memchr::memchr(*b, &bytes[from + 1..]).map_or(bytes.len(), |i| from + 1 + i + 1);
                paper.mark(from, end, 's');
            }
            b if is_name(*b) => {
                end = skip(from);
                paper.mark(from, end, 'a');
            }
            _ => end += 1,
        }
    }
    end
}
