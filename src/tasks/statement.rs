use super::message::without_references;
use super::programs::{is_of_program, without_programs};

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// One line for lists.
    pub title: String,
    /// The text, Markdown.
    pub text: String,
}

/// Headings under which people write down the fix.
const SOLUTIONS: [&str; 26] = [
    "suggested fix",
    "suggested fixes",
    "suggested solution",
    "suggested change",
    "suggested changes",
    "suggested patch",
    "proposed fix",
    "proposed solution",
    "proposed solutions",
    "proposed change",
    "proposed changes",
    "proposed patch",
    "possible fix",
    "possible solution",
    "potential fix",
    "potential solution",
    "solution",
    "solutions",
    "fix",
    "the fix",
    "how to fix",
    "fix suggestion",
    "patch",
    "implementation",
    "root cause",
    "root cause analysis",
];

/// Lines at the end of a message that tell of people and tools, not of the problem.
const TRAILERS: [&str; 12] = [
    "change-id:",
    "co-authored-by:",
    "signed-off-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
    "reported-by:",
    "suggested-by:",
    "approved-by:",
    "git-svn-id:",
    "cherry-picked from",
    "(cherry picked",
];

/// A statement of a commit's message: what the pull request was called and what it says, without trailers, comments and
/// what programs wrote, and without what stands under a heading such as "Solution". It tells of the fix nonetheless: a
/// person should read it.
pub fn of_commit(message: &str) -> Statement {
    let message = without_programs(message);
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
    let title = without_references(title).to_owned();
    let kept = body.into_iter().filter(|l| {
        let low = l.trim().to_lowercase();
        !TRAILERS.iter().any(|t| low.starts_with(t))
    });
    let kept: Vec<&str> = kept.collect();
    let text = cut(&kept.join("\n"));
    let text = if text.is_empty() { format!("{title}\n") } else { format!("{title}\n\n{text}\n") };
    Statement { title, text }
}

/// A statement of the issues that a change closes, in their order, each by its title and its text: without the comments of
/// templates and what programs wrote, and without what stands under a heading such as "Suggested fix".
pub fn of_issues(issues: &[(String, String)]) -> Statement {
    let title = issues.first().map_or("", |(title, _)| title.trim()).to_owned();
    let mut text = String::new();
    for (number, (title, body)) in issues.iter().enumerate() {
        let body = cut(&without_programs(body));
        let mark = if number == 0 { "" } else { "## " };
        let line = title.split_whitespace().collect::<Vec<_>>().join(" ");
        text.push_str(&format!("{mark}{line}\n\n{body}{}", if body.is_empty() { "" } else { "\n\n" }));
    }
    Statement { title, text: format!("{}\n", text.trim_end()) }
}

/// A statement that a person wrote: its first line without marks is the title.
pub fn of_text(text: &str) -> Statement {
    let title = text.lines().map(|l| l.trim_start_matches('#').trim()).find(|l| !l.is_empty()).unwrap_or("");
    Statement { title: title.to_owned(), text: format!("{}\n", text.trim_end()) }
}

/// A text without the sections whose heading announces a solution; a section ends at the next heading of its height.
fn cut(text: &str) -> String {
    let (mut kept, mut fence, mut inside) = (Vec::new(), None, None);
    for line in text.lines() {
        let bare = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|m| bare.starts_with(m));
        let heading = if fence.is_some() || mark.is_some() { None } else { heading(bare) };
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            _ => {}
        }
        if let Some((level, word)) = heading {
            inside = match inside {
                Some(outer) if outer < level => Some(outer),
                _ => (SOLUTIONS.contains(&word.as_str()) || is_of_program(&word)).then_some(level),
            };
        }
        if inside.is_none() {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// Below every heading with marks of its own.
const BOLD: usize = 7;

/// Height and lower-case text of a line that is a heading: `## Fix`, `**Fix**`, `**Fix:** as follows`, `Fix:`.
fn heading(line: &str) -> Option<(usize, String)> {
    let word = |text: &str| {
        let end = |c: char| matches!(c, '#' | '*' | ':' | '?' | '!' | '_') || c.is_whitespace();
        text.trim_matches(end).to_lowercase()
    };
    let marks = line.chars().take_while(|c| *c == '#').count();
    if (1..BOLD).contains(&marks) {
        return Some((marks, word(line)));
    }
    if let Some((bold, _)) = line.strip_prefix("**").and_then(|rest| rest.split_once("**")) {
        return Some((BOLD, word(bold)));
    }
    let plain = line.strip_suffix(':').map(word).filter(|w| SOLUTIONS.contains(&w.as_str()));
    plain.map(|w| (BOLD, w))
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

    #[test]
    fn only_the_section_of_a_solution_is_cut_and_a_heading_in_code_is_none() {
        let body = "It is slow.\n\n## Solution\n\nUse a map.\n\n### How\n\n```\n## To reproduce\n```\nLike so.\n\n## To reproduce\n\n```python\n# fix\nrun(1)\n```\n";
        let made = of_issues(&[("Slow".into(), body.into())]);
        assert_eq!(made.text, "Slow\n\nIt is slow.\n\n## To reproduce\n\n```python\n# fix\nrun(1)\n```\n");
        for line in ["**Suggested fix:** use a map", "**Possible solution**", "Proposed fix:"] {
            let made = of_issues(&[("T".into(), format!("Slow.\n\n{line}\nA map.\n\n**Version**\n3"))]);
            assert_eq!(made.text, "T\n\nSlow.\n\n**Version**\n3\n", "{line}");
        }
    }

    #[test]
    fn every_issue_is_told_and_comments_of_templates_are_not() {
        let first = ("It is slow\n".to_owned(), "<!-- Describe\r\nit -->Very.\r\nReally.<!-- no end".to_owned());
        let made = of_issues(&[first, ("And late".into(), String::new()), ("And dear".into(), "So.".into())]);
        assert_eq!(made.title, "It is slow");
        assert_eq!(made.text, "It is slow\n\nVery.\nReally.\n\n## And late\n\n## And dear\n\nSo.\n");
    }
}
