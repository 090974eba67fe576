//! What a commit's message says of the pull request and the issues that it belongs to.

/// What a message names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// The pull request.
    pub pull_request: Option<u64>,
    /// Issues that it closes, in the order in which they are named.
    pub issues: Vec<u64>,
    /// Whether it takes another commit back.
    pub reverts: bool,
}

/// Words by which GitHub closes an issue.
const CLOSES: [&str; 9] = ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"];

/// Reads a message.
pub(super) fn named(message: &str) -> Named {
    let subject = message.lines().next().unwrap_or("").trim();
    let merged = subject.strip_prefix("Merge pull request #").map(leading);
    // A commit that takes back `Fix it (#12)` is called `Revert "Fix it (#12)" (#13)`.
    let squashed = subject.strip_suffix(')').and_then(|s| s.rsplit_once("(#")).map(|(_, number)| number.parse().ok());
    Named {
        pull_request: merged.or(squashed).flatten(),
        issues: closed(message),
        reverts: subject.starts_with("Revert \"") || message.contains("This reverts commit "),
    }
}

/// The number that a text begins with.
fn leading(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The issues that a message closes by GitHub's words: `fixes #9`, `Closes: #9`, `resolved owner/name#9`.
pub(super) fn closed(message: &str) -> Vec<u64> {
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
        ] {
            assert_eq!(named(message).pull_request, number, "{message}");
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
