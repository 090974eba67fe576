//! What the text of a configuration names: modules that it imports, and files behind keys that runners load.
//!
//! Texts are read as words, strings and signs, not parsed. A comment that looks like an import counts as one, which
//! protects a file too many; nothing is unbounded, whatever the text holds.

use super::typescript_keys::{How, how};

/// Something that a text names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    /// As written.
    pub(super) name: String,
    pub(super) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    Word(&'a str),
    Sign(char),
}

/// The words, strings and signs of a text. Strings end with their line, so that a lone quote in a comment or a regular
/// expression hides no more than its line.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if ['"', '\'', '`'].contains(&c) {
            let mut escaped = false;
            let end = after.char_indices().take(MOST_OF_STRING).take_while(|(_, c)| *c != '\n').find(|(_, d)| {
                let ends = *d == c && !escaped;
                escaped = *d == '\\' && !escaped;
                ends
            });
            if let Some((end, _)) = end {
                found.push(Token::Text(&after[..end]));
                rest = &after[end + 1..];
                continue;
            }
        } else if word(c) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            found.push(Token::Word(&rest[..end]));
            rest = &rest[end..];
            continue;
        }
        if c == '\n' || !c.is_whitespace() {
            found.push(Token::Sign(c));
        }
        rest = after;
    }
    found
}

/// Everything that a configuration in JavaScript, TypeScript or JSON names.
pub(super) fn references(text: &str, rc: bool) -> Vec<Reference> {
    let tokens = tokens(text);
    let mut found = imports(&tokens);
    let mut variables = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let (Token::Word(key) | Token::Text(key)) = token else { continue };
        let Some(how) = how(key, rc) else { continue };
        let (names, variable) = value(&tokens[at + 1..]);
        found.extend(names.into_iter().map(|name| Reference { name: name.to_owned(), how }));
        variables.extend(variable.map(|v| (v, how)));
    }
    // `setupFiles: files` means what stands behind `files =`; no further.
    let how_of = |name: &str| variables.iter().take(MOST_VARIABLES).find(|(v, _)| *v == name).map(|(_, how)| *how);
    let named = tokens.iter().enumerate().filter_map(|(at, token)| match token {
        Token::Word(name) => how_of(name).map(|how| (at, how)),
        _ => None,
    });
    for (at, how) in named.take(MOST_LOOKUPS) {
        let (names, _) = value(&tokens[at + 1..]);
        found.extend(names.into_iter().map(|name| Reference { name: name.to_owned(), how }));
    }
    found
}

/// Characters of a string, variables behind keys that are looked up, how often, and tokens of one value that are read.
const MOST_OF_STRING: usize = 1000;
const MOST_VARIABLES: usize = 50;
const MOST_LOOKUPS: usize = 500;
const MOST_OF_VALUE: usize = 1000;

/// Modules of imports, of exports from elsewhere and of `require`.
pub(super) fn imported(text: &str) -> Vec<Reference> {
    imports(&tokens(text))
}

fn imports(tokens: &[Token<'_>]) -> Vec<Reference> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        let called = match *word {
            "from" | "import" | "require" => true,
            "resolve" => {
                at > 1
                    && tokens[at - 1] == Token::Sign('.')
                    && [Token::Word("require"), Token::Word("meta")].contains(&tokens[at - 2])
            }
            _ => false,
        };
        let mut next = tokens[at + 1..].iter().filter(|t| **t != Token::Sign('\n'));
        let name = match next.next().filter(|_| called) {
            Some(Token::Text(name)) => Some(*name),
            // Between the bracket and the name may stand a comment for a bundler, or `path.join(__dirname,`.
            Some(Token::Sign('(')) => next.take(20).take_while(|t| **t != Token::Sign(';')).find_map(|t| match t {
                Token::Text(name) => Some(*name),
                _ => None,
            }),
            _ => None,
        };
        found.extend(name.map(|name| Reference { name: name.to_owned(), how: How::Import }));
    }
    found
}

/// The strings of a value that starts with `:` or `=`, and the variable that it is where it holds no string. Strings of
/// tables within lists are options of what the list names.
fn value<'a>(tokens: &[Token<'a>]) -> (Vec<&'a str>, Option<&'a str>) {
    if !matches!(tokens.first(), Some(Token::Sign(':' | '='))) {
        return (Vec::new(), None);
    }
    let (mut found, mut variable, mut open) = (Vec::new(), None, Vec::new());
    let mut complete = false;
    for (at, token) in tokens[1..].iter().take(MOST_OF_VALUE).enumerate() {
        match token {
            Token::Sign(c @ ('(' | '[' | '{')) => open.push(*c),
            Token::Sign(')' | ']' | '}') => {
                if open.pop().is_none() {
                    break;
                }
                complete = open.is_empty();
            }
            Token::Sign(',' | ';') if open.is_empty() => break,
            Token::Sign('\n') if open.is_empty() && complete => break,
            Token::Sign(_) => {}
            Token::Text(text) => {
                complete |= open.is_empty();
                let tables = open.iter().skip(1).filter(|c| **c == '{').count();
                if tables == 0 {
                    found.push(*text);
                }
            }
            Token::Word(word) => variable = variable.or((at == 0).then_some(*word)),
        }
    }
    let variable = variable.filter(|_| found.is_empty());
    (found, variable)
}

/// Everything that a configuration in YAML names.
pub(super) fn references_of_yaml(text: &str) -> Vec<Reference> {
    let (mut found, mut key) = (Vec::new(), None);
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let (said, value) = match line.strip_prefix("- ") {
            Some(item) => (None, item),
            None => match line.split_once(':') {
                Some((name, value)) => (Some(name), value),
                None => (None, line),
            },
        };
        if let Some(said) = said {
            key = how(said.trim_matches(['"', '\'', ' ']), true);
        }
        let Some(how) = key else { continue };
        let names = value.split(',').map(|v| v.trim_matches([' ', '"', '\'', '[', ']']));
        found.extend(names.filter(|n| !n.is_empty()).map(|name| Reference { name: name.to_owned(), how }));
    }
    found
}

/// Every string of a text: a list of projects has no keys.
pub(super) fn strings(text: &str) -> Vec<Reference> {
    let texts = tokens(text).into_iter().filter_map(|t| match t {
        Token::Text(name) => Some(Reference { name: name.to_owned(), how: How::Config }),
        _ => None,
    });
    texts.collect()
}

/// What the words of a command line name: values of options that load something.
pub(super) fn references_of_command(words: &[String]) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut option = None;
    for word in words {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(n, v)| (n, Some(v)));
        if name.starts_with('-') {
            option = how(name, true);
        }
        let value = if name.starts_with('-') { value } else { Some(word.as_str()) };
        if let (Some(how), Some(value)) = (option, value) {
            found.extend(value.split(',').map(|name| Reference { name: name.to_owned(), how }));
            option = None;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: Vec<Reference>, wanted: How) -> Vec<String> {
        found.into_iter().filter(|r| r.how == wanted).map(|r| r.name).collect()
    }

    #[test]
    fn imports_are_found_however_they_are_written() {
        for text in [
            "import './x'",
            "import x from \"./x\";",
            "import {\n a,\n b\n} from\n './x'",
            "export * from `./x`",
            "const { a } = require('./x')",
            "await import(/* @vite-ignore */ './x')",
            "require.resolve('./x')",
            "import.meta.resolve('./x')",
            "// don't\nconst r = /[\"]/; require('./x')",
            "require(\n  './x',\n)",
        ] {
            assert_eq!(names(references(text, false), How::Import), ["./x"], "{text}");
        }
        for text in ["path.resolve(__dirname, 'x')", "alias: { from: './x' }", "new URL('./x', import.meta.url)"] {
            assert!(references(text, false).is_empty(), "{text}");
        }
    }

    #[test]
    fn files_of_a_configuration_are_found_behind_their_keys() {
        let text =
            "export default { setupFiles: ['./a.ts', \"b.ts\"], alias: { x: './src/x' }, globalSetup: './g.ts' }";
        assert_eq!(names(references(text, false), How::Setup), ["./a.ts", "b.ts", "./g.ts"]);
        for text in [
            r#"{"jest":{"setupFiles":["x"]}}"#,
            "const setupFiles = ['x'];\nexport default { setupFiles }",
            "const boot = ['x']\nexport default { setupFiles: boot }",
            "setupFiles:\n  ci\n  ? 'x'\n : []",
            "globalSetup: path.resolve(__dirname, 'x'), entry: 'y'",
            "transform: { '^a': 'x' }",
            "plugins: [['x', { alias: './src/x' }], react({ include: 'y' })]",
        ] {
            assert!(names(references(text, false), How::Setup).contains(&"x".to_owned()), "{text}");
            assert!(!references(text, false).iter().any(|r| r.name.contains("./src/x") || r.name == "y"), "{text}");
        }
        assert_eq!(names(references("{ require: './src/x.cjs', file: 'y' }", false), How::Require), [""; 0]);
        assert_eq!(names(references("{ require: 'ts-node/register' }", true), How::Require), ["ts-node/register"]);
    }

    #[test]
    fn yaml_needs_no_quotes() {
        let text = "require:\n  - ts-node/register # x\n  - './b'\nextension: [ts]\nfile: a.js\nspec: [c.js, d.js]\n";
        assert_eq!(names(references_of_yaml(text), How::Require), ["ts-node/register", "./b"]);
        assert_eq!(names(references_of_yaml(text), How::Setup), ["a.js", "c.js", "d.js"]);
    }

    #[test]
    fn options_of_a_command_name_their_files() {
        let words = ["--config", "build/jest.unit.js", "src/a", "--import=./r.mjs", "-r", "x/y", "--dir", "src/b.js"];
        let found = references_of_command(&words.map(str::to_owned));
        assert_eq!(names(found.clone(), How::Config), ["build/jest.unit.js"]);
        assert_eq!(names(found.clone(), How::Setup), ["./r.mjs"]);
        assert_eq!(names(found, How::Require), ["x/y"]);
    }

    #[test]
    fn no_text_is_read_for_ever() {
        for piece in
            ["setupFiles:", "setupFiles:a,a=", "import(", "`", "'", "'\\", "{[(", "plugins: [", "/*", "é\\\"", "\n-:"]
        {
            let text = piece.repeat(20_000);
            let started = std::time::Instant::now();
            references(&text, true);
            references_of_yaml(&text);
            assert!(started.elapsed().as_secs() < 20, "{piece}");
        }
    }
}
