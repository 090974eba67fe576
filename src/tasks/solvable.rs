//! Names that hidden tests use, that the fix brings, and that nobody could know.

use super::syntax::{Role, Source, Use, is_name, read};
use std::collections::{BTreeMap, BTreeSet};

/// Files by path.
pub(super) type Texts = BTreeMap<String, Vec<u8>>;

/// A name that nobody could know, and where a hidden test first uses it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The name.
    pub name: String,
    /// The file of tests.
    pub file: String,
    /// The line in it, from 1 on.
    pub line: usize,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}, line {}", self.name, self.file, self.line)
    }
}

/// The names that a change brings, by how they can be used.
#[derive(Debug, Default)]
struct Brought {
    /// Types, functions, members, variables of modules.
    members: BTreeSet<String>,
    /// Arguments and properties that are given by name.
    keywords: BTreeSet<String>,
    /// Files and folders that can be imported.
    modules: BTreeSet<String>,
}

impl Brought {
    fn by(fix: &Texts, before: &dyn Fn(&str) -> bool) -> Brought {
        let mut brought = Brought { modules: new_modules(fix, before), ..Brought::default() };
        for (path, bytes) in fix {
            let Some(Source { words, strings }) = read(path, bytes) else { continue };
            for word in words {
                match word.role {
                    Role::Member | Role::Test | Role::Variable | Role::Sets(_) | Role::Key | Role::Overrides => {
                        brought.members.insert(word.name);
                    }
                    // An object of options has no declaration in a language without types: what is read of it is one.
                    Role::Parameter | Role::Takes | Role::Uses(Use::Member | Use::Own) => {
                        brought.keywords.insert(word.name);
                    }
                    Role::Local | Role::Nothing => {}
                    Role::Uses(Use::Name | Use::Call | Use::Keyword | Use::Import | Use::Module) => {}
                }
            }
            if path.ends_with(".py") {
                // `kwargs.pop("most_calls")` takes an argument of that name.
                brought.keywords.extend(strings);
            }
        }
        brought
    }

    fn has(&self, name: &str, how: Use) -> bool {
        let member = self.members.contains(name);
        match how {
            Use::Name | Use::Member | Use::Call | Use::Own => member,
            Use::Keyword => member || self.keywords.contains(name),
            Use::Import => member || self.modules.contains(name),
            Use::Module => self.modules.contains(name),
        }
    }
}

/// Stems of the files that a change adds, and folders that it makes. A file that stands for its folder has no name of its
/// own.
fn new_modules(fix: &Texts, before: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for path in fix.keys().filter(|p| !before(p)) {
        let mut parts: Vec<&str> = path.split('/').collect();
        let file = parts.pop().unwrap_or("");
        let stem = file.split('.').next().unwrap_or(file);
        if !["index", "__init__", "__main__", "main", "mod", "package-info", ""].contains(&stem) {
            found.insert(stem.to_owned());
        }
        for depth in 1..=parts.len() {
            if !before(&format!("{}/", parts[..depth].join("/"))) {
                found.insert(parts[depth - 1].to_owned());
            }
        }
    }
    found
}

/// The names that tests declare themselves.
#[derive(Debug, Default)]
struct Own {
    names: BTreeSet<String>,
    members: BTreeSet<String>,
    parameters: BTreeSet<String>,
}

impl Own {
    fn of(source: &Source) -> Own {
        let mut own = Own::default();
        for word in &source.words {
            let name = word.name.clone();
            match word.role {
                Role::Member => {
                    own.names.insert(name.clone());
                    own.members.insert(name);
                }
                Role::Parameter => {
                    own.names.insert(name.clone());
                    own.parameters.insert(name);
                }
                Role::Test | Role::Variable | Role::Local | Role::Takes => {
                    own.names.insert(name);
                }
                Role::Sets(true) | Role::Key => {
                    own.members.insert(name);
                }
                Role::Sets(false) | Role::Overrides | Role::Uses(_) | Role::Nothing => {}
            }
        }
        own
    }
}

/// How a hidden test uses a name, if it does.
const fn used(role: Role) -> Option<Use> {
    match role {
        Role::Uses(how) => Some(how),
        Role::Sets(false) | Role::Takes | Role::Overrides => Some(Use::Member),
        Role::Key => Some(Use::Keyword),
        Role::Member | Role::Test | Role::Variable | Role::Parameter | Role::Local | Role::Sets(true) => None,
        Role::Nothing => None,
    }
}

/// Names that hidden tests use, that the fix brings, and that nobody could know: neither the tree before it nor the
/// statement has them.
///
/// `tests` and `fix` are the files that the change adds or changes, as it leaves them, and `before` the starting tree.
/// Members of what comes from libraries cannot be known: a name counts only where the fix itself declares it.
pub(super) fn unknown_names(tests: &Texts, fix: &Texts, before: &Texts, statement: &str) -> Vec<Missing> {
    let brought = Brought::by(fix, &|path| has(before, path));
    let stated: BTreeSet<&str> = words(statement).collect();
    let sources: Vec<(&String, Source)> = tests.iter().filter_map(|(p, b)| Some((p, read(p, b)?))).collect();
    let own: Vec<Own> = sources.iter().map(|(_, source)| Own::of(source)).collect();
    let helpers = |at: usize, name: &str| own.iter().enumerate().any(|(i, o)| i != at && o.members.contains(name));
    let mut found: BTreeMap<String, Missing> = BTreeMap::new();
    for (at, (path, source)) in sources.iter().enumerate() {
        for word in &source.words {
            let name = word.name.as_str();
            let Some(how) = used(word.role).filter(|how| brought.has(name, *how)) else { continue };
            let ours = match how {
                Use::Name => own[at].names.contains(name),
                Use::Member | Use::Call => word.role != Role::Overrides && own[at].members.contains(name),
                Use::Own => own[at].members.contains(name) || own[at].names.contains(name),
                Use::Keyword => own[at].parameters.contains(name),
                Use::Import | Use::Module => false,
            };
            let helped = !matches!(how, Use::Module | Use::Keyword) && helpers(at, name);
            if !ours && !helped && !stated.contains(name) && !found.contains_key(name) {
                let missing = Missing { name: name.to_owned(), file: (*path).clone(), line: word.line };
                found.insert(name.to_owned(), missing);
            }
        }
    }
    let names: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    let known = known(&names, before);
    found.values().filter(|m| !known.contains(m.name.as_str())).cloned().collect()
}

/// Whether the tree has a file, or a folder where the path ends with a slash.
fn has(tree: &Texts, path: &str) -> bool {
    match path.strip_suffix('/') {
        None => tree.contains_key(path),
        Some(_) => tree.range(path.to_owned()..).next().is_some_and(|(p, _)| p.starts_with(path)),
    }
}

/// Which of these names the code of the fix declares, and neither the tests nor the tree before it has.
pub(super) fn own_names(asked: &BTreeSet<&str>, fix: &Texts, tests: &Texts, before: &Texts) -> BTreeSet<String> {
    let all = |texts: &Texts, counts: fn(&Role) -> bool| -> BTreeSet<String> {
        let words = texts.iter().filter_map(|(path, bytes)| read(path, bytes)).flat_map(|s| s.words);
        words.filter(|w| counts(&w.role)).map(|w| w.name).filter(|n| asked.contains(n.as_str())).collect()
    };
    let tested = all(tests, |_| true);
    let declared = all(fix, |role| !matches!(role, Role::Uses(_) | Role::Nothing));
    let mut names: BTreeSet<String> = declared.into_iter().filter(|n| !tested.contains(n)).collect();
    let left = names.iter().map(String::as_str).collect();
    let known: BTreeSet<String> = known(&left, before).into_iter().map(str::to_owned).collect();
    names.retain(|n| !known.contains(n));
    names
}

/// Which of these names a tree has. What looks like a name counts wherever it stands. A plain word must be one in code:
/// prose that happens to hold it tells nobody of a function.
fn known<'a>(names: &BTreeSet<&'a str>, tree: &Texts) -> BTreeSet<&'a str> {
    let mut known = BTreeSet::new();
    for (path, bytes) in tree {
        if known.len() == names.len() {
            break;
        }
        let parts = path.split('/').map(|part| part.split('.').next().unwrap_or(part));
        known.extend(parts.filter_map(|part| names.get(part)));
        if bytes.contains(&0) {
            continue;
        }
        let text = String::from_utf8_lossy(bytes);
        let here: BTreeSet<&str> = words(&text).filter_map(|w| names.get(w)).copied().collect();
        let mut plain: Vec<&str> = here.into_iter().filter(|n| !known.contains(n)).collect();
        plain.retain(|name| !(is_coined(name) && known.insert(*name)));
        if plain.is_empty() || is_prose(path) {
            continue;
        }
        match read(path, bytes) {
            Some(source) => {
                let has = |name: &&str| {
                    source.words.iter().any(|w| w.name == **name) || source.strings.iter().any(|s| s == *name)
                };
                known.extend(plain.into_iter().filter(has));
            }
            None => known.extend(plain),
        }
    }
    known
}

/// Whether a word is a name by its looks, and no word of a language that people speak.
pub(super) fn is_coined(name: &str) -> bool {
    name.trim_matches('_').contains(['_', '$']) || name.chars().skip(1).any(char::is_uppercase)
}

/// Whether a file is written for people.
fn is_prose(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let ends = [".md", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm", ".tex", ".org", ".po", ".svg", ".css"];
    ends.iter().any(|end| file.ends_with(end)) || !file.contains('.') && !file.starts_with("makefile")
}

/// Every word of a text that could be a name.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|w| is_name(w))
}

#[cfg(test)]
#[path = "solvable_tests.rs"]
mod tests;
