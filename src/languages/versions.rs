/// The first line with something on it, without comment and a leading `v`.
pub(super) fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(|l| l.split('#').next().unwrap_or("").trim()).find(|l| !l.is_empty())?;
    Some(line.strip_prefix('v').filter(|r| r.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(line).to_owned())
}

/// The version of a tool in `.tool-versions`.
pub(super) fn tool_version(text: &str, tool: &str) -> Option<String> {
    text.lines().map(|l| l.split('#').next().unwrap_or("")).find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(tool)).then(|| words.next()).flatten().and_then(first_line)
    })
}

/// Names of the lines of Node that are kept for long.
const LINES: [(&str, &str); 9] = [
    ("carbon", "8"),
    ("dubnium", "10"),
    ("erbium", "12"),
    ("fermium", "14"),
    ("gallium", "16"),
    ("hydrogen", "18"),
    ("iron", "20"),
    ("jod", "22"),
    ("krypton", "24"),
];

/// A version of Node as digits; nothing for words that ask for whatever is newest.
pub(super) fn node_line(word: &str) -> Option<String> {
    let word = word.trim();
    let digits = match word.strip_prefix("lts/") {
        Some(line) => LINES.iter().find(|(name, _)| line.eq_ignore_ascii_case(name)).map_or("", |(_, major)| major),
        None => word.trim_start_matches('v').trim_end_matches(".x"),
    };
    (digits.starts_with(|c: char| c.is_ascii_digit()) && digits.chars().all(|c| c.is_ascii_digit() || c == '.'))
        .then(|| digits.to_owned())
}

/// Whether an installed version is the one that was asked for: `3.12` asks for any 3.12.
pub fn is_version(asked: &str, installed: &str) -> bool {
    let part = |v: &str| v.trim().trim_start_matches('v').split('.').map(str::to_owned).collect::<Vec<_>>();
    let (asked, installed) = (part(asked), part(installed));
    asked.iter().zip(installed.iter().map(Some).chain(std::iter::repeat(None))).all(|(a, i)| i == Some(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_their_tools_write_them() {
        assert_eq!(first_line("\n# c\n v20.11.1 # x\n").as_deref(), Some("20.11.1"));
        assert_eq!(node_line("lts/Iron").as_deref(), Some("20"));
        assert_eq!(node_line("v18.x").as_deref(), Some("18"));
        assert_eq!(node_line("lts/*").or(node_line("latest")), None);
        assert_eq!(first_line("lts/iron").as_deref(), Some("lts/iron"));
        assert_eq!(tool_version("ruby 3\nnodejs  22.1.0 20.0.0\n", "nodejs").as_deref(), Some("22.1.0"));
    }

    #[test]
    fn a_shorter_version_asks_for_any_that_begins_with_it() {
        assert!(is_version("3.12", "3.12.1") && is_version("20.11.1", "v20.11.1"));
        assert!(!is_version("3.1", "3.12.1") && !is_version("3.12.1", "3.12"));
    }
}
