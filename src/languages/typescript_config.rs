//! What a patch may say in a configuration of vitest: names for its own code. It is code, so that no word of the patch's
//! own file is taken over; where names can be read from it as data, they are written anew.

use super::paths::{join, parent};
use super::typescript_alias::{Names, own_place};
use super::typescript_modules::bare;
use super::typescript_text::{Token, tokens};
use super::{Merged, Mixed, Plan};
use std::collections::{BTreeMap, BTreeSet};

/// Words of an expression that makes a path from the folder of the file.
const OF_PATHS: [&str; 16] = [
    "URL",
    "__dirname",
    "cwd",
    "dirname",
    "file",
    "fileURLToPath",
    "import",
    "join",
    "meta",
    "new",
    "normalize",
    "path",
    "pathname",
    "process",
    "resolve",
    "url",
];

/// Globs of configurations that names may be added to: the one that vitest finds in the folder of the package, where it is
/// alone, or where there is none yet.
pub(super) fn globs(plan: &Plan, paths: &BTreeSet<String>) -> Vec<String> {
    let begins = ["vitest.", "vite.config."].map(|name| join(&plan.package, name));
    let beside =
        |p: &&String| begins.iter().any(|b| p.strip_prefix(b.as_str()).is_some_and(|rest| !rest.contains('/')));
    let there: Vec<&String> = paths.iter().filter(beside).collect();
    let argued = plan
        .facts("arguments")
        .iter()
        .any(|word| ["-c", "--config", "--root", "-r"].iter().any(|o| word.starts_with(o)));
    if plan.runner != "vitest" || argued {
        return Vec::new();
    }
    match there.as_slice() {
        [] => vec![join(&plan.package, "vitest.config.{ts,mts,js,mjs}")],
        [one] if [".ts", ".mts", ".js", ".mjs"].iter().any(|end| one.ends_with(end)) && one.contains(".config.") => {
            vec![super::paths::literal(one)]
        }
        _ => Vec::new(),
    }
}

/// The trusted file, or one that says nothing, with the names of the patch that are nobody's and lead to code.
pub(super) fn merge(mixed: &Mixed<'_>) -> Option<Merged> {
    let (trusted, theirs) = (std::str::from_utf8(mixed.trusted).ok()?, std::str::from_utf8(mixed.theirs).ok()?);
    let known = aliases(trusted);
    let names = Names::of(mixed.start);
    let dir = parent(mixed.path);
    let free = |key: &str| names.is_free(key) && names.is_free(&format!("{key}/*"));
    let added: BTreeMap<String, String> = aliases(theirs)
        .into_iter()
        .map(|(key, target)| (key.trim_end_matches('/').to_owned(), target))
        .filter(|(key, target)| !known.contains_key(key) && free(key) && !key.contains('*') && !target.contains('*'))
        .filter_map(|(key, target)| Some((key, own_place(dir, &target)?)))
        .collect();
    if added.is_empty() {
        return None;
    }
    let up = "../".repeat(dir.split('/').filter(|part| !part.is_empty()).count());
    let from = if up.is_empty() { "./".to_owned() } else { up };
    let entry = |(key, place): (&String, &String)| {
        format!("{key:?}: decodeURIComponent(new URL({:?}, import.meta.url).pathname),", format!("{from}{place}"))
    };
    let entries: Vec<String> = added.iter().map(entry).collect();
    let text = written(trusted, &entries.join(" "))?;
    let keys: Vec<String> = added.keys().map(|key| format!("{key:?}")).collect();
    let put_back = vec![format!("everything but the names {}", keys.join(", "))];
    Some(Merged { bytes: text.into_bytes(), put_back, version: None })
}

/// A configuration with more names; nothing where its text does not show the one place for them.
fn written(trusted: &str, entries: &str) -> Option<String> {
    if trusted.trim().is_empty() {
        return Some(format!("export default {{ resolve: {{ alias: {{ {entries} }} }} }};\n"));
    }
    let only = |what: &str| {
        let mut all = trusted.match_indices(what);
        all.next().filter(|_| all.next().is_none()).map(|(at, _)| at + what.len())
    };
    let (at, text) = match () {
        () if trusted.contains("alias") => (only("alias: {")?, format!(" {entries}")),
        () if trusted.contains("resolve:") => return None,
        () => (only("defineConfig({")?, format!(" resolve: {{ alias: {{ {entries} }} }},")),
    };
    Some(format!("{}{text}{}", &trusted[..at], &trusted[at..]))
}

/// The names that a configuration gives to places, of those that can be read without running it.
fn aliases(text: &str) -> BTreeMap<String, String> {
    let tokens: Vec<Token<'_>> = tokens(text).into_iter().filter(|t| *t != Token::Sign('\n')).collect();
    let opens = [Token::Word("alias"), Token::Sign(':'), Token::Sign('{')];
    let mut places = tokens.windows(3).enumerate().filter(|(_, w)| *w == opens.as_slice()).map(|(at, _)| at + 3);
    let (Some(start), None) = (places.next(), places.next()) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    let (mut depth, mut entry) = (0_usize, Vec::new());
    for token in &tokens[start..] {
        let ends = depth == 0 && [Token::Sign(','), Token::Sign('}')].contains(token);
        if ends {
            found.extend(alias(&entry));
            entry.clear();
            if *token == Token::Sign('}') {
                break;
            }
            continue;
        }
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(_) | Token::Text(_) | Token::Word(_) => {}
        }
        entry.push(*token);
    }
    found
}

/// A name and the one path in what follows it, where nothing else is there but what makes a path whole.
fn alias(entry: &[Token<'_>]) -> Option<(String, String)> {
    let (Token::Text(key) | Token::Word(key), [Token::Sign(':'), value @ ..]) = entry.split_first()? else {
        return None;
    };
    let mut path = None;
    for token in value {
        match token {
            Token::Text(text) if path.is_none() => path = Some(*text),
            Token::Text(_) => return None,
            Token::Word(word) if !OF_PATHS.contains(word) => return None,
            Token::Sign(sign) if !"().,:".contains(*sign) => return None,
            Token::Word(_) | Token::Sign(_) => {}
        }
    }
    Some(((*key).to_owned(), bare(path?).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(old: &str, new: &str) -> Option<String> {
        let start: BTreeMap<String, Vec<u8>> = [
            ("package.json".to_owned(), br#"{"devDependencies":{"vitest":"3"}}"#.to_vec()),
            ("package-lock.json".to_owned(), br#"{"node_modules/vitest":{}}"#.to_vec()),
            ("vitest.config.ts".to_owned(), old.into()),
        ]
        .into();
        let (trusted, theirs) = (old.as_bytes(), new.as_bytes());
        let made = merge(&Mixed { start: &start, path: "vitest.config.ts", trusted, theirs, runtime: None })?;
        Some(String::from_utf8(made.bytes).unwrap())
    }

    #[test]
    fn names_are_read_however_a_path_is_made_and_written_anew() {
        for value in [
            "fileURLToPath(new URL('./src', import.meta.url))",
            "path.resolve(__dirname, \"./src\")",
            "resolve(import.meta.dirname, 'src')",
            "new URL('./src/', import.meta.url).pathname",
            "\"./src\"",
        ] {
            let text = format!(
                "import evil from './evil';\nexport default defineConfig({{ resolve: {{ alias: {{ '@': {value} }} }} }});"
            );
            let made = merged("", &text).unwrap_or_else(|| panic!("{value}"));
            assert!(made.contains("\"@\": decodeURIComponent(new URL(\"./src\"") && !made.contains("evil"), "{made}");
        }
    }

    #[test]
    fn names_come_into_a_configuration_that_is_there_and_nothing_else_does() {
        let old = "import { defineConfig } from 'vitest/config';\nexport default defineConfig({\n  test: { globals: true },\n});\n";
        let new =
            "export default defineConfig({ test: { setupFiles: './evil' }, resolve: { alias: { '~': './src' } } });";
        let made = merged(old, new).unwrap();
        assert!(
            made.contains("defineConfig({ resolve: { alias: { \"~\": ") && made.contains("globals: true"),
            "{made}"
        );
        assert!(!made.contains("evil"));
        let old = "export default defineConfig({ resolve: { alias: { '@': './lib' } } });";
        let made = merged(old, "x({ resolve: { alias: { '@': './evil', '~': './src' } } })").unwrap();
        assert!(made.contains("alias: { \"~\": ") && made.contains("'@': './lib'") && !made.contains("evil"), "{made}");
        assert_eq!(merged("export default { resolve: { conditions: [] } }", new), None);
    }

    #[test]
    fn names_that_are_computed_or_not_ones_own_do_not_count() {
        for entry in [
            "'@': evil('./src')",
            "'@': process.env.X + './src'",
            "'@': './src', '@': './tests'",
            "vitest: './src/fake.ts'",
            "'vitest/config': './src/fake.ts'",
            "'node:assert': './src/fake.ts'",
            "assert: './src/fake.ts'",
            "'@': '../outside'",
            "'@': './tests'",
            "'@/test': './src/fake'",
            "'*': './src'",
            "[evil]: './src'",
            "...evil",
            "'@': `./${evil}`",
            "'@': './node_modules/x'",
        ] {
            let text = format!("export default {{ resolve: {{ alias: {{ {entry} }} }} }}");
            let made = merged("", &text);
            assert!(made.is_none(), "{entry}: {made:?}");
        }
    }
}
