//! Lists as Python prints them, read without running anything.

/// The texts of a Python list or tuple of strings such as `['a', "b\n"]`; none where the text is anything else.
pub fn strings(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|t| t.strip_suffix(']'))
        .or_else(|| text.strip_prefix('(').and_then(|t| t.strip_suffix(')')))?;
    let mut rest = inner.trim_start();
    let mut found = Vec::new();
    while !rest.is_empty() {
        let (value, after) = string(rest)?;
        found.push(value);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(after) => rest = after.trim_start(),
            None if rest.is_empty() => {}
            None => return None,
        }
    }
    Some(found)
}

/// A list as Python prints it.
pub fn print(list: &[String]) -> String {
    let one = |text: &String| {
        // Python takes double quotes only for a text that has single ones and no double ones.
        let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
        let mut out = String::from(quote);
        for c in text.chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c if c == quote => out.extend(['\\', c]),
                c if u32::from(c) < 0x20 || u32::from(c) == 0x7f => out.push_str(&format!("\\x{:02x}", u32::from(c))),
                c => out.push(c),
            }
        }
        out.push(quote);
        out
    };
    format!("[{}]", list.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// One string literal at the start, and what follows it.
fn string(text: &str) -> Option<(String, &str)> {
    let body = text.strip_prefix(['u', 'U']).unwrap_or(text);
    let quote = body.chars().next().filter(|c| *c == '\'' || *c == '"')?;
    let mut out = String::new();
    let mut chars = body.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((out, &body[at + 1..]));
        }
        if c != '\\' {
            out.push(c);
            continue;
        }
        let (_, c) = chars.next()?;
        match c {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            '0' => out.push('\0'),
            '\\' | '\'' | '"' => out.push(c),
            'x' => out.push(code(&mut chars, 2)?),
            'u' => out.push(code(&mut chars, 4)?),
            'U' => out.push(code(&mut chars, 8)?),
            // An unknown escape is kept as it stands, as Python does.
            other => out.extend(['\\', other]),
        }
    }
    None
}

fn code(chars: &mut impl Iterator<Item = (usize, char)>, digits: usize) -> Option<char> {
    let mut value = 0;
    for _ in 0..digits {
        value = value * 16 + chars.next()?.1.to_digit(16)?;
    }
    char::from_u32(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_as_python_prints_them_are_read() {
        let list = strings(r#"['test/a.js | works', "it's", 'a\'b"c', 'back\\slash \x41 \u00e9', u'x',]"#).unwrap();
        assert_eq!(list, ["test/a.js | works", "it's", "a'b\"c", "back\\slash A é", "x"]);
        assert_eq!(strings("[]").unwrap(), [""; 0]);
        assert_eq!(strings(" ( 'a' , 'b' ) ").unwrap(), ["a", "b"]);
    }

    #[test]
    fn code_is_not_a_list() {
        for text in
            ["__import__('os').system('x')", "['a' + 'b']", "['a', b]", "['a'", "{'a': 1}", "['a' 'b']", "[1]", ""]
        {
            assert_eq!(strings(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let list: Vec<String> = ["a", "it's", "say \"no\"", "both ' and \"", "tab\tnew\nline", "\u{1}", "ünï", "\\n"]
            .map(str::to_owned)
            .into();
        assert_eq!(strings(&print(&list)).unwrap(), list);
        assert_eq!(print(&["it's".to_owned()]), "[\"it's\"]");
    }
}
