/// The lines that a patch adds, each with the file that they come into; `---`/`+++` headers count, with or without git's.
pub(super) fn added(diff: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(diff);
    let (mut file, mut found, mut left) = (String::new(), Vec::new(), 0_u64);
    for line in text.lines() {
        // Within a hunk, a line that begins with `+++` is an added line that begins with `++`.
        if left == 0 {
            if let Some(path) = line.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or(path).trim_end();
                file = path.strip_prefix("b/").unwrap_or(path).trim_matches('"').to_owned();
            } else if let Some(hunk) = line.strip_prefix("@@ ") {
                left = counts(hunk);
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => {
                left = left.saturating_sub(1);
                found.push((file.clone(), line[1..].to_owned()));
            }
            Some(b'-') => left = left.saturating_sub(1),
            Some(b'\\') => {}
            _ => left = left.saturating_sub(2),
        }
    }
    found
}

/// Lines of both sides that a hunk `-a,b +c,d @@` holds.
fn counts(hunk: &str) -> u64 {
    let side = |word: Option<&str>| match word.and_then(|w| w.get(1..)).map(|w| w.split_once(',')) {
        Some(Some((_, count))) => count.parse().unwrap_or(0),
        Some(None) => 1,
        None => 0,
    };
    let mut words = hunk.split_whitespace();
    let (old, new): (u64, u64) = (side(words.next()), side(words.next()));
    old.saturating_add(new)
}

/// The word that follows a prefix in a line, up to the first character that is not of a name.
pub(super) fn name_after<'a>(line: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(prefix)?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_come_with_their_file_and_headers_in_hunks_are_lines() {
        let diff = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+++ d\n--- old/y\n+++ y\t2024\n@@ -0,0 +1 @@\n+e\n\\ No newline\n";
        let found = added(diff);
        assert_eq!(found, [("x".into(), "c".into()), ("x".into(), "++ d".into()), ("y".into(), "e".into())]);
    }
}
