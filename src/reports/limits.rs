use super::seal::hex;
use super::{Case, Report};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Bytes of one report file that are read.
pub const MOST_BYTES: usize = 256 << 20;
/// Bytes of one line.
pub const MOST_LINE: usize = 4 << 20;
/// Cases of one report.
pub const MOST_CASES: usize = 500_000;
/// Problems of one report that are kept.
const MOST_PROBLEMS: usize = 100;
/// Bytes of an id.
const MOST_ID: usize = 4096;
/// Bytes that are kept of a longer one, before its digest.
const HEAD_OF_ID: usize = 4000;
/// Bytes of a message that are kept.
const MOST_MESSAGE: usize = 2000;
/// Elements inside elements.
pub const MOST_DEPTH: usize = 64;

/// The first bytes of a text, cut between characters, with a mark where something is missing.
pub fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    format!("{}…", &text[..end])
}

/// An id as reports keep it: of one that is too long, its begin and a digest of the whole.
///
/// Our reporters cut by the same rule, so that an id is the same wherever it is cut.
pub fn fitted(id: &str) -> Cow<'_, str> {
    if id.len() <= MOST_ID {
        return Cow::Borrowed(id);
    }
    let digest = hex(&Sha256::digest(id.as_bytes()));
    Cow::Owned(format!("{}{}", cut(id, HEAD_OF_ID), &digest[..32]))
}

impl Report {
    /// Takes a case, within the limits.
    pub(super) fn push(&mut self, mut case: Case) {
        if self.cases.len() >= MOST_CASES {
            // A limit of ours is no failure of a test.
            self.doubt(&format!("there are more than {MOST_CASES} cases; the rest was left out"));
            return;
        }
        if let Cow::Owned(id) = fitted(&case.id) {
            case.id = id;
        }
        case.message = cut(&case.message, MOST_MESSAGE);
        self.cases.push(case);
    }

    /// Notes what the runner may have taken for a failure or not, within the limits and once.
    pub(super) fn doubt(&mut self, text: &str) {
        let text = cut(text.trim(), MOST_MESSAGE);
        if self.doubts.len() < MOST_PROBLEMS && !self.doubts.contains(&text) {
            self.doubts.push(text);
        }
    }

    /// Notes what went wrong beside the cases, within the limits and once.
    pub(super) fn problem(&mut self, text: &str) {
        let text = cut(text.trim(), MOST_MESSAGE);
        if self.problems.len() < MOST_PROBLEMS && !self.problems.contains(&text) {
            self.problems.push(text);
        }
    }
}
