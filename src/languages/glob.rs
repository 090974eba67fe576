use crate::schema::wildcard;

/// Whether a path matches a glob: `*` within a name, `**` over folders (also none), `?` one character, `{a,b}` either.
pub fn glob_matches(glob: &str, path: &str) -> bool {
    let path: Vec<&str> = path.split('/').collect();
    ready(glob).iter().any(|glob| parts(glob, &path))
}

/// Globs made ready to be asked of many paths.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    all: Vec<Vec<String>>,
    folded: bool,
}

impl Globs {
    /// Globs that protect paths, in whatever letters: some tools fold them when they look for their files.
    pub fn folded(globs: &[String]) -> Globs {
        Globs { all: globs.iter().flat_map(|g| ready(&g.to_lowercase())).collect(), folded: true }
    }

    /// Globs that name paths letter by letter.
    pub fn exact(globs: &[String]) -> Globs {
        Globs { all: globs.iter().flat_map(|g| ready(g)).collect(), folded: false }
    }

    /// Whether one of them covers a path.
    pub fn cover(&self, path: &str) -> bool {
        let folded = if self.folded { path.to_lowercase() } else { path.to_owned() };
        let path: Vec<&str> = folded.split('/').collect();
        self.all.iter().any(|glob| parts(glob, &path))
    }
}

/// The parts of a glob, once for each way to choose between what stands in its braces.
fn ready(glob: &str) -> Vec<Vec<String>> {
    braces(glob).iter().map(|g| g.split('/').map(str::to_owned).collect()).collect()
}

/// A glob without braces for each way to choose between their parts; a brace that does not close is a character.
fn braces(glob: &str) -> Vec<String> {
    let Some(open) = glob.find('{') else { return vec![glob.to_owned()] };
    let Some(close) = glob[open..].find('}').map(|i| open + i) else { return vec![glob.to_owned()] };
    let rest = braces(&glob[close + 1..]);
    let head = &glob[..open];
    glob[open + 1..close].split(',').flat_map(|part| rest.iter().map(move |r| format!("{head}{part}{r}"))).collect()
}

fn parts(glob: &[String], path: &[&str]) -> bool {
    match glob.split_first() {
        None => path.is_empty(),
        // A run of `**` is one: without this, a glob of many could take for ever.
        Some((first, rest)) if first == "**" && rest.first().is_some_and(|next| next == "**") => parts(rest, path),
        Some((first, rest)) if first == "**" => {
            (0..=path.len()).any(|n| parts(rest, &path[n..]) && (!rest.is_empty() || n > 0))
        }
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
