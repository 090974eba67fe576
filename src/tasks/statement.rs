/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// One line for lists.
    pub title: String,
    /// The text, Markdown.
    pub text: String,
}

/// Headings under which people write down the fix.
const SOLUTIONS: [&str; 8] = [
    "suggested fix",
    "suggested solution",
    "proposed fix",
    "proposed solution",
    "possible solution",
    "solution",
    "fix",
    "the fix",
];

/// Lines at the end of a message that tell of people and tools, not of the problem.
const TRAILERS: [&str; 7] = [
    "change-id:",
    "co-authored-by:",
    "signed-off-by:",
    "reviewed-by:",
    "acked-by:",
    "cherry-picked from",
    "(cherry picked",
];

/// A statement of a commit's message: what the pull request was called and what it says, without trailers and without
/// what stands under a heading such as "Solution". It tells of the fix nonetheless: a person should read it.
pub fn of_commit(message: &str) -> Statement {
    let mut lines = message.lines();
    let subject = lines.next().unwrap_or("").trim();
    let mut body: Vec<&str> = lines.collect();
    // GitHub's merge commits have the title of the pull request as their body.
    let title = if subject.starts_with("Merge pull request ") || subject.starts_with("Merge branch ") {
        let at = body.iter().position(|l| !l.trim().is_empty());
        at.map_or(subject, |at| body.remove(at).trim())
    } else {
        subject
    };
    let title = without_number(title).to_owned();
    let kept = body.into_iter().filter(|l| {
        let low = l.trim().to_lowercase();
        !TRAILERS.iter().any(|t| low.starts_with(t))
    });
    let kept: Vec<&str> = kept.collect();
    let text = cut(&kept.join("\n"));
    let text = if text.is_empty() { format!("{title}\n") } else { format!("{title}\n\n{text}\n") };
    Statement { title, text }
}

/// A statement that a person wrote: its first line without marks is the title.
pub fn of_text(text: &str) -> Statement {
    let title = text.lines().map(|l| l.trim_start_matches('#').trim()).find(|l| !l.is_empty()).unwrap_or("");
    Statement { title: title.to_owned(), text: format!("{}\n", text.trim_end()) }
}

/// `A title (#12)` → `A title`.
fn without_number(title: &str) -> &str {
    let inner = title.strip_suffix(')').and_then(|t| t.rsplit_once("(#"));
    inner.filter(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())).map_or(title, |(t, _)| t.trim_end())
}

/// A text up to the first heading of a solution.
fn cut(text: &str) -> String {
    let is_solution = |line: &str| {
        let marked = line.starts_with('#') || line.starts_with("**");
        let bare = line.trim_matches(|c: char| c == '#' || c == '*' || c == ':' || c.is_whitespace()).to_lowercase();
        marked && SOLUTIONS.contains(&bare.as_str())
    };
    let kept: Vec<&str> = text.lines().take_while(|l| !is_solution(l.trim())).collect();
    kept.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_squashed_message_loses_number_and_trailers() {
        let made = of_commit("Fix the clock (#12)\n\nIt ran late.\n\nChange-Id: Iab\nCo-authored-by: A <a@b>\n");
        assert_eq!(made, Statement { title: "Fix the clock".into(), text: "Fix the clock\n\nIt ran late.\n".into() });
    }

    #[test]
    fn the_title_of_a_merge_is_its_first_line_of_text() {
        let made = of_commit("Merge pull request #5 from a/b\n\nThe clock runs late\n");
        assert_eq!((made.title.as_str(), made.text.as_str()), ("The clock runs late", "The clock runs late\n"));
    }

    #[test]
    fn what_stands_under_a_heading_of_a_solution_is_cut() {
        for heading in ["### Suggested fix", "## Solution", "# Fix:", "**Proposed solution**"] {
            let made = of_commit(&format!("T\n\nIt is slow.\n\n{heading}\nUse a map.\n"));
            assert_eq!(made.text, "T\n\nIt is slow.\n", "{heading}");
        }
        assert!(of_commit("T\n\nThe fix is easy.\n").text.contains("easy"), "a sentence is no heading");
    }
}
