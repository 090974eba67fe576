use crate::schema::wildcard;

/// Whether a path matches a glob: `*` within a name, `**` over folders (also none), `?` one character, `{a,b}` either.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    braces(glob).iter().any(|glob| {
        let glob: Vec<&str> = glob.split('/').collect();
        let path: Vec<&str> = path.split('/').collect();
        parts(&glob, &path)
    })
}

/// A glob without braces for each way to choose between their parts; a brace that does not close is a character.
fn braces(glob: &str) -> Vec<String> {
    let Some(open) = glob.find('{') else { return vec![glob.to_owned()] };
    let Some(close) = glob[open..].find('}').map(|i| open + i) else { return vec![glob.to_owned()] };
    let rest = braces(&glob[close + 1..]);
    let head = &glob[..open];
    glob[open + 1..close].split(',').flat_map(|part| rest.iter().map(move |r| format!("{head}{part}{r}"))).collect()
}

fn parts(glob: &[&str], path: &[&str]) -> bool {
    match glob.split_first() {
        None => path.is_empty(),
        // A run of `**` is one: without this, a glob of many could take for ever.
        Some((&"**", rest)) if rest.first() == Some(&"**") => parts(rest, path),
        Some((&"**", rest)) => (0..=path.len()).any(|n| parts(rest, &path[n..]) && (!rest.is_empty() || n > 0)),
        Some((first, rest)) => path.split_first().is_some_and(|(p, left)| wildcard(first, p) && parts(rest, left)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_what_it_says() {
        for (glob, path) in [
            ("**/conftest.py", "conftest.py"),
            ("**/conftest.py", "a/b/conftest.py"),
            ("**/*.{js,ts}", "a/x.ts"),
            ("**/node_modules/**", "node_modules/a/b"),
            ("vitest.config.*", "vitest.config.mts"),
            ("a/**/b", "a/b"),
            ("**", "a/b"),
            ("te?t*", "tests"),
        ] {
            assert!(glob_matches(glob, path), "{glob} {path}");
        }
        for (glob, path) in
            [("conftest.py", "a/conftest.py"), ("**/*.js", "a/x.ts"), ("a/**", "a"), ("*.py", "a/b.py"), ("a{b", "ab")]
        {
            assert!(!glob_matches(glob, path), "{glob} {path}");
        }
    }
}
