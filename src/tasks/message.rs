//! What a commit's message says of the pull request and the issues that it belongs to.

/// What a message names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// The pull request.
    pub pull_request: Option<u64>,
    /// Issues that it closes, in the order in which they are named.
    pub issues: Vec<u64>,
    /// Whether it takes another commit back.
    pub reverts: bool,
}

/// Words by which GitHub closes an issue.
const CLOSES: [&str; 9] = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];
/// Words behind which the number of a pull request stands.
const PULLS: [&str; 7] = ["pr", "pull", "pull request", "pull-request", "mr", "merge request", "merged pr"];
/// How the subjects of merges begin, before the number of the pull request.
const MERGES: [&str; 4] = ["Merge pull request #", "Merge PR #", "Merged PR #", "Merged PR "];

/// Reads a message.
pub fn named(message: &str) -> Named {
    let subject = message.lines().next().unwrap_or("").trim();
    let merged = MERGES.iter().find_map(|start| subject.strip_prefix(start)).map(leading);
    Named {
        pull_request: merged.unwrap_or_else(|| pull_request(subject)),
        issues: closed(message),
        reverts: subject.starts_with("Revert \"") || message.contains("This reverts commit "),
    }
}

/// A subject without the references at its end: `A title (#12) (closes #3)` → `A title`.
pub(super) fn without_references(subject: &str) -> &str {
    let mut rest = subject.trim_end();
    while let Some((before, inner)) = last_group(rest) {
        if !inner.contains('#') && !inner.contains("/pull/") {
            break;
        }
        rest = before;
    }
    rest
}

/// A subject before its last part in brackets, and what stands in these.
fn last_group(subject: &str) -> Option<(&str, &str)> {
    let text = subject.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';'));
    let open = match text.chars().next_back()? {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    let (before, inner) = text[..text.len() - 1].rsplit_once(open)?;
    Some((before.trim_end(), inner.trim()))
}

/// The pull request that the brackets at the end of a subject name. A number alone is one, and the last of several: GitHub
/// adds it. A number behind a word is what the word says.
///
/// A commit that takes back `Fix it (#12)` is called `Revert "Fix it (#12)" (#13)`.
fn pull_request(subject: &str) -> Option<u64> {
    let (mut rest, mut bare) = (subject, None);
    while let Some((before, inner)) = last_group(rest) {
        let mut last = String::new();
        for item in inner.split([',', ';', '&']).flat_map(|part| part.split(" and ")) {
            let item = item.trim();
            if let Some((_, number)) = item.split_once("/pull/") {
                return leading(number);
            }
            let Some((word, number)) = item.split_once(['#', '!']) else { continue };
            let word = word.trim().trim_end_matches(':').to_lowercase();
            // `closes #1, #2` closes both.
            last = if word.is_empty() { last } else { word };
            let whole = number.bytes().all(|b| b.is_ascii_digit());
            if PULLS.contains(&last.as_str()) {
                return leading(number);
            }
            if last.is_empty() && bare.is_none() && whole && item.starts_with('#') {
                bare = number.parse().ok();
            }
        }
        rest = before;
    }
    bare
}

/// The number that a text begins with.
fn leading(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The issues that a message closes by GitHub's words: `fixes #9`, `Closes: #9`, `resolved owner/name#9`.
pub fn closed(message: &str) -> Vec<u64> {
    let mut found = Vec::new();
    let words: Vec<&str> = message.split(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | ',' | ';')).collect();
    let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
    for pair in words.windows(2) {
        let word = pair[0].trim_end_matches(':').to_ascii_lowercase();
        let Some((before, number)) = pair[1].split_once('#') else { continue };
        let issue = before.is_empty() || before.contains('/');
        if !CLOSES.contains(&word.as_str()) || !issue {
            continue;
        }
        if let Some(number) = leading(number).filter(|n| !found.contains(n)) {
            found.push(number);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_and_squashes_name_their_pull_request() {
        for (message, number) in [
            ("Merge pull request #279 from x/fix-inc\n\nFix edge cases", Some(279)),
            ("fix: resolve alias value (#228)", Some(228)),
            ("Revert \"Fix it (#12)\" (#13)", Some(13)),
            ("Revert \"Fix it (#12)\"", None),
            ("Merge branch 'main' of x (#no)", None),
            ("See #12 for more", None),
            ("", None),
            ("A number too large (#99999999999999999999)", None),
            ("Add a locale (#2721) (closes #1670)", Some(2721)),
            ("Add a locale (closes #1670) (#2721)", Some(2721)),
            ("Keep statistics (fixes #519, #520) (#653).", Some(653)),
            ("Keep statistics (#653, fixes #519) [skip ci]", Some(653)),
            ("Read more formats (#1496) (#1499)", Some(1499)),
            ("Fix it (closes #1670)", None),
            ("Fix it (see #12; refs #13)", None),
            ("Fix it (pull request #12)", Some(12)),
            ("Fix it (PR #12, issue #9)", Some(12)),
            ("Fix it (https://example.org/o/r/pull/12)", Some(12)),
            ("Merged PR 77: Fix it", Some(77)),
            ("Fix it (#12) (backport) (v2.x)", Some(12)),
        ] {
            assert_eq!(named(message).pull_request, number, "{message}");
        }
    }

    #[test]
    fn a_title_loses_the_references_at_its_end_and_nothing_else() {
        for (subject, title) in [
            ("Add a locale (#2721) (closes #1670)", "Add a locale"),
            ("Add a locale (closes #1670) (#2721)", "Add a locale"),
            ("Add a locale (de)", "Add a locale (de)"),
            ("Add a locale (de) (#1)", "Add a locale (de)"),
            ("See #12 for more", "See #12 for more"),
        ] {
            assert_eq!(without_references(subject), title);
        }
    }

    #[test]
    fn issues_are_closed_by_githubs_words_alone() {
        for (message, issues) in [
            ("Keep statistics (fixes #519) (#653)", vec![519]),
            ("Closes: #4, resolves owner/name#5 and FIXED #4", vec![4, 5]),
            ("Fixes\n#7", vec![7]),
            ("prefixes #8; see #9; fix it #10", vec![]),
            ("fix GH#8", vec![]),
        ] {
            assert_eq!(closed(message), issues, "{message}");
        }
    }

    #[test]
    fn what_is_taken_back_is_known() {
        assert!(named("Revert \"x\"").reverts);
        assert!(named("Undo x\n\nThis reverts commit 0123.").reverts);
        assert!(!named("Revert to the old order (#3)").reverts);
    }
}
