/// What a project's script hands to its test runner.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Arguments as the runner gets them.
    pub(super) arguments: Vec<String>,
    /// Patterns that the script leaves to the shell.
    pub(super) patterns: Vec<String>,
    /// `NAME=value` before the runner.
    pub(super) environment: Vec<String>,
}

/// Options that we set ourselves or that change nothing but the output; with a value of its own where true.
const DROPPED: [(&str, bool); 24] = [
    ("run", false),
    ("watch", false),
    ("--run", false),
    ("--test", false),
    ("--watch", false),
    ("-w", false),
    ("--watchAll", false),
    ("--ui", false),
    ("--verbose", false),
    ("--silent", false),
    ("--coverage", false),
    ("--collectCoverage", false),
    ("--experimental-test-coverage", false),
    ("--passWithNoTests", false),
    ("--bail", false),
    ("-b", false),
    ("--exit", false),
    ("--ci", false),
    ("--reporter", true),
    ("--reporters", true),
    ("-R", true),
    ("--test-reporter", true),
    ("--test-reporter-destination", true),
    ("--outputFile", true),
];

/// Reads the part of a script that calls the runner; a script that does not gives nothing.
pub(super) fn arguments(script: &str, runner: &str) -> Arguments {
    let mut found = Arguments::default();
    for command in commands(script) {
        let is_runner = |(word, _): &(String, bool)| {
            let name = word.rsplit('/').next().unwrap_or(word);
            name == runner
                || runner != "node" && name == format!("{runner}.js")
                || runner == "vitest" && name == "vitest.mjs"
                || runner == "node" && name == "tsx"
        };
        let Some(at) = command.iter().position(is_runner) else { continue };
        found.environment = command[..at].iter().filter(|(w, _)| assigns(w)).map(|(w, _)| w.clone()).collect();
        let mut words = command[at + 1..].iter();
        if runner == "node" && command[at].0.ends_with("tsx") {
            found.arguments.extend(["--import".into(), "tsx".into()]);
        }
        while let Some((word, quoted)) = words.next() {
            let name = word.split('=').next().unwrap_or(word);
            let dropped =
                DROPPED.iter().find(|(d, _)| *d == name || name.starts_with("--coverage.") && *d == "--coverage");
            match dropped {
                Some((_, true)) if !word.contains('=') => drop(words.next()),
                Some(_) => {}
                None if !quoted && word.contains(['*', '?']) && word.chars().all(plain) => {
                    found.patterns.push(word.clone())
                }
                None => found.arguments.push(word.clone()),
            }
        }
        break;
    }
    found
}

/// Characters that mean nothing to a shell but for the stars.
fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_./-*?@".contains(c)
}

fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}

/// The words of each command of a script, each with whether it stood in quotes.
fn commands(script: &str) -> Vec<Vec<(String, bool)>> {
    let (mut all, mut now) = (Vec::new(), Vec::new());
    let (mut word, mut quoted, mut open): (Option<String>, bool, Option<char>) = (None, false, None);
    for c in script.chars().chain([' ', ';']) {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                (open, quoted) = (Some(c), true);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() || "&|;".contains(c) => {
                if let Some(done) = word.take() {
                    now.push((done, quoted));
                }
                quoted = false;
                if !c.is_whitespace() && !now.is_empty() {
                    all.push(std::mem::take(&mut now));
                }
            }
            None => word.get_or_insert_default().push(c),
        }
    }
    if !now.is_empty() {
        all.push(now);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn a_script_gives_what_its_runner_gets() {
        let script = "npm run build && cross-env NODE_OPTIONS='--a --b' jest --coverage --config jest.unit.js --reporters default src";
        let found = arguments(script, "jest");
        assert_eq!(found.arguments, strings(&["--config", "jest.unit.js", "src"]));
        assert_eq!(found.environment, strings(&["NODE_OPTIONS=--a --b"]));
        let found = arguments("mocha -r ts-node/register 'test/**/*.ts' -R dot", "mocha");
        assert_eq!(found.arguments, strings(&["-r", "ts-node/register", "test/**/*.ts"]));
        let found = arguments("node --import tsx --test test/*.test.js", "node");
        assert_eq!((found.arguments, found.patterns), (strings(&["--import", "tsx"]), strings(&["test/*.test.js"])));
        assert_eq!(arguments("tsc", "vitest"), Arguments::default());
        let found = arguments("node --test $(rm -rf *)", "node");
        assert!(found.patterns.is_empty());
    }
}
