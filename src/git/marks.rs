//! Marks of patches, `\ No newline at end of file`, that stand behind lines which do not end a file.
//!
//! Git takes such a mark at its word and glues the line to the next one, which nobody means.

use super::apply::place;
use super::patch_text::{Hunk, Kind, Section, kind, trimmed};

/// Takes away the marks of a section that cannot be right for its file as it was, if there was one; tells whether any was.
pub(super) fn remove_strays(section: &mut Section<'_>, file: Option<&[u8]>) -> bool {
    let count = section.hunks.len();
    let mut found = false;
    for (number, hunk) in section.hunks.iter_mut().enumerate() {
        let is_last = number + 1 == count;
        let strays: Vec<usize> = (0..hunk.body.len())
            .filter(|at| kind(hunk.body[*at]) == Kind::Mark && !(is_last && is_right(hunk, *at, file)))
            .collect();
        found |= !strays.is_empty();
        let mut at = 0;
        hunk.body.retain(|_| {
            at += 1;
            !strays.contains(&(at - 1))
        });
    }
    found
}

/// Whether a mark of the last hunk stands behind the last line of its file, before the patch or after it.
fn is_right(hunk: &Hunk<'_>, at: usize, file: Option<&[u8]>) -> bool {
    let follows = |kinds: &[Kind]| hunk.body[at..].iter().any(|l| kinds.contains(&kind(l)));
    let without_end = file.is_none_or(|f| !f.ends_with(b"\n"));
    match at.checked_sub(1).map(|before| kind(hunk.body[before])) {
        Some(Kind::Context) => {
            !follows(&[Kind::Context, Kind::Removed, Kind::Added]) && without_end && ends_file(hunk, file)
        }
        Some(Kind::Removed) => !follows(&[Kind::Context, Kind::Removed]) && without_end && ends_file(hunk, file),
        Some(Kind::Added) => !follows(&[Kind::Context, Kind::Added, Kind::Removed]) && ends_file(hunk, file),
        Some(Kind::Mark | Kind::Other) | None => false,
    }
}

/// Whether the old lines of a hunk are the last ones of the file.
fn ends_file(hunk: &Hunk<'_>, file: Option<&[u8]>) -> bool {
    let Some(file) = file else { return true };
    let old = hunk.body.iter().filter(|l| matches!(kind(l), Kind::Context | Kind::Removed));
    let old: Vec<&[u8]> = old.map(|l| trimmed(l.get(1..).unwrap_or(b"")).trim_ascii()).collect();
    let lines: Vec<&[u8]> = file.split_inclusive(|b| *b == b'\n').map(|l| trimmed(l).trim_ascii()).collect();
    match place(hunk, file) {
        Some(first) => first + old.len() > lines.len(),
        None => lines.ends_with(&old),
    }
}
