//! Formats in which the beginning of a line says what the line is.

use super::language::Program;
use super::{Paper, line_end, program};

/// A change: heads, lines added, lines removed.
pub(super) fn diff(paper: &mut Paper<'_, '_>) {
    const HEADS: [&str; 12] = [
        "@@",
        "+++ ",
        "--- ",
        "diff ",
        "index ",
        "new file",
        "deleted file",
        "old mode",
        "new mode",
        "rename ",
        "similarity ",
        "Binary ",
    ];
    each(paper, |paper, at, end| {
        let line = &paper.text[at..end];
        let class = match line.bytes().next() {
            _ if HEADS.iter().any(|h| line.starts_with(h)) => 'h',
            Some(b'+') => 'i',
            Some(b'-') => 'd',
            _ => return,
        };
        paper.mark(at, end, class);
    });
}

/// A session: a line with a prompt is a command, any other what it prints.
pub(super) fn console(paper: &mut Paper<'_, '_>, p: &Program) {
    each(paper, |paper, at, end| {
        let line = &paper.text[at..end];
        if ["$ ", "# ", "> ", "% "].iter().any(|prompt| line.starts_with(prompt)) {
            paper.mark(at, at + 2, 'p');
            program::scan(paper, p, at + 2, end);
        }
    });
}

fn each<'o, 't>(paper: &mut Paper<'o, 't>, mut take: impl FnMut(&mut Paper<'o, 't>, usize, usize)) {
    let (bytes, mut at) = (paper.bytes(), 0);
    while at < bytes.len() {
        let end = line_end(bytes, at, bytes.len());
        take(paper, at, end);
        at = end + 1;
    }
}
