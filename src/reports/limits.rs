use super::{Case, Report};

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

impl Report {
    /// Takes a case, within the limits.
    pub(super) fn push(&mut self, mut case: Case) {
        if case.id.len() > MOST_ID {
            self.problem(&format!("the id of a case is longer than {MOST_ID} bytes: {}", cut(&case.id, 80)));
        } else if self.cases.len() >= MOST_CASES {
            self.problem(&format!("there are more than {MOST_CASES} cases"));
        } else {
            case.message = cut(&case.message, MOST_MESSAGE);
            self.cases.push(case);
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
