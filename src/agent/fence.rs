/// The text of the last whole fenced block whose tag is `bash`, `sh` or nothing; none where there is no such block.
///
/// Fences are followed from the beginning, as Markdown reads them: a fence ends with at least as many of the characters
/// it began with, alone on a line. So a closing fence is never taken for an opening one, prose between two blocks is
/// never a command, and a block that is cut off does not count.
pub fn last_command(reply: &str) -> Option<String> {
    blocks(reply)
        .into_iter()
        .filter(|(tag, _)| matches!(tag.as_str(), "" | "bash" | "sh"))
        .map(|(_, body)| body)
        .next_back()
}

/// Every whole fenced block: its tag in small letters, and its text without the last line end.
pub(super) fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize, String, Vec<&str>)> = None;
    for line in text.lines() {
        match &mut open {
            None => open = opening(line).map(|(mark, length, tag)| (mark, length, tag, Vec::new())),
            Some((mark, length, tag, body)) => {
                if closes(line, *mark, *length) {
                    found.push((std::mem::take(tag), body.join("\n")));
                    open = None;
                } else {
                    body.push(line);
                }
            }
        }
    }
    found
}

/// At most three blanks, as Markdown allows before a fence.
fn dedent(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(' ');
    (line.len() - bare.len() <= 3).then_some(bare)
}

fn opening(line: &str) -> Option<(char, usize, String)> {
    let bare = dedent(line)?;
    let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let info = bare.trim_start_matches(mark);
    let length = bare.len() - info.len();
    // A line such as ```ls``` is code within a line and opens nothing.
    let is_fence = length >= 3 && !(mark == '`' && info.contains('`'));
    is_fence.then(|| (mark, length, info.split_whitespace().next().unwrap_or("").to_lowercase()))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    dedent(line).is_some_and(|bare| {
        let rest = bare.trim_start_matches(mark);
        bare.len() - rest.len() >= length && rest.trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_block_with_a_tag_of_a_shell_or_none_is_the_command() {
        for (reply, command) in [
            ("```bash\nls\n```", Some("ls")),
            ("```\nls\n```", Some("ls")),
            ("a\n```sh\nls -l\n```\nb\n```bash\npwd\n```\nc", Some("pwd")),
            ("```python\nprint(1)\n```\nprose\n```bash\nls\n```", Some("ls")),
            ("```bash\nls\n```\nand\n```python\nprint(1)\n```", Some("ls")),
            ("````bash\ncat <<'E'\n```\nE\n````", Some("cat <<'E'\n```\nE")),
            ("~~~bash\nls\n~~~", Some("ls")),
            ("  ```bash\r\nls\r\n  ```\r\n", Some("ls")),
            ("```Bash title=x\nls\n```  ", Some("ls")),
            ("```bash\n```", Some("")),
            ("```bash\nls", None),
            ("```ls```", None),
            ("no block", None),
            ("", None),
            ("```python\n1\n```", None),
            ("     ```bash\nls\n```", None),
        ] {
            assert_eq!(last_command(reply).as_deref(), command, "{reply:?}");
        }
    }

    proptest! {
        #[test]
        fn prose_around_blocks_is_never_a_command(
            before in "[a-z \n]{0,30}", code in "[a-z ]{1,20}", between in "[a-z \n]{0,30}", command in "[a-z]{1,20}",
        ) {
            let reply = format!("{before}\n```python\n{code}\n```\n{between}\n```bash\n{command}\n```\n{before}");
            prop_assert_eq!(last_command(&reply), Some(command));
        }

        #[test]
        fn any_text_is_read_without_a_panic_and_a_command_is_part_of_it(reply in "(```|~~~|bash|sh|\n| |a|é){0,40}") {
            if let Some(command) = last_command(&reply) {
                prop_assert!(reply.contains(&command));
                prop_assert!(reply.lines().count() >= command.lines().count() + 2);
            }
        }
    }
}
