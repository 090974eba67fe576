//! Whether tests that a task names are there to be run, as far as their files show it.

use super::Material;
use super::syntax::{Role, Source, is_name, read};
use crate::git::{GitError, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// Forms of ids by language.
const FORMS: [(&str, &str); 5] = [
    ("python", "tests/test_slug.py::test_accents"),
    ("typescript", "tests/cache.test.ts::Cache > refuses a size of 0"),
    ("javascript", "tests/cache.test.js::Cache > refuses a size of 0"),
    ("java", "org.example.MoneyTest::sharesAddUp"),
    ("go", "queue::TestMove"),
];

/// The starting tree with its hidden tests, read as far as it is asked for.
struct Tests<'a> {
    material: &'a Material,
    files: Tree,
    read: BTreeMap<String, Source>,
}

/// What is wrong with ids of tests, in words; those of languages that are not known here are left alone.
pub(super) fn undeclared(
    language: &str,
    lists: &[(&str, &[String])],
    material: &Material,
) -> Result<Vec<String>, GitError> {
    let Some((_, form)) = FORMS.iter().find(|(name, _)| *name == language) else { return Ok(Vec::new()) };
    let mut files = material.store.read(&material.start)?;
    files.retain(|path, _| !material.hidden.removed.contains(path));
    files.extend(material.hidden.files.clone());
    let mut tests = Tests { material, files, read: BTreeMap::new() };
    let mut found = Vec::new();
    for (field, ids) in lists {
        for id in *ids {
            let why = match id.split_once("::") {
                None => Some(format!("which names no place: write it as {form}")),
                Some((place, name)) => tests.fault(language, place, name)?,
            };
            found.extend(why.map(|why| format!("task.toml: {field} has {id:?}, {why}")));
        }
    }
    Ok(found)
}

impl Tests<'_> {
    fn fault(&mut self, language: &str, place: &str, name: &str) -> Result<Option<String>, GitError> {
        match language {
            "python" => self.python(place, name),
            "java" => self.java(place, name),
            "go" => self.go(place, name),
            _ => self.script(place, name),
        }
    }

    fn text(&self, path: &str) -> Result<Vec<u8>, GitError> {
        self.files.get(path).map_or(Ok(Vec::new()), |entry| self.material.store.bytes(&entry.blob))
    }

    /// The names that a file declares or imports, and whether it makes some that cannot be seen.
    fn names(&mut self, path: &str) -> Result<(BTreeSet<String>, bool), GitError> {
        if !self.read.contains_key(path) {
            let source = read(path, &self.text(path)?).unwrap_or_default();
            self.read.insert(path.to_owned(), source);
        }
        let words = self.read.get(path).map_or(&[][..], |source| &source.words);
        let uses = |role: Role| matches!(role, Role::Uses(how) if how != super::syntax::Use::Import);
        let declared = words.iter().filter(|w| !uses(w.role)).map(|w| w.name.clone()).collect();
        let makes = ["setattr", "globals", "parameterized", "load_tests", "ddt", "vars", "exec"];
        Ok((declared, words.iter().any(|w| makes.contains(&w.name.as_str()))))
    }

    /// Whether some file of a kind declares a name: a class may have its tests from another one.
    fn anywhere(&mut self, end: &str, name: &str) -> Result<bool, GitError> {
        let paths: Vec<String> = self.files.keys().filter(|p| p.ends_with(end)).cloned().collect();
        for path in paths {
            let bytes = self.text(&path)?;
            if String::from_utf8_lossy(&bytes).contains(name) && self.names(&path)?.0.contains(name) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn python(&mut self, place: &str, name: &str) -> Result<Option<String>, GitError> {
        if !self.files.contains_key(place) {
            return Ok(Some(no_file(place)));
        }
        let bare = name.split('[').next().unwrap_or(name);
        let function = bare.rsplit("::").next().unwrap_or(bare);
        // Documents and files of data have tests of other names.
        if !place.ends_with(".py") || !is_name(function) {
            return Ok(None);
        }
        let (declared, makes) = self.names(place)?;
        if declared.contains(function) || makes || self.anywhere(".py", function)? {
            return Ok(None);
        }
        Ok(Some(no_function(function, place, &declared)))
    }

    fn java(&mut self, place: &str, name: &str) -> Result<Option<String>, GitError> {
        let outer = place.split('$').next().unwrap_or(place);
        let path = outer.replace('.', "/");
        let files: Vec<String> = self.files.keys().filter(|p| stem_is(p, &path)).cloned().collect();
        let method = name.split(['(', '[']).next().unwrap_or(name);
        let Some(file) = files.first() else {
            // A class need not have the name of its file.
            let class = outer.rsplit('.').next().unwrap_or(outer);
            let other = self.files.keys().any(|p| [".kt", ".groovy", ".scala"].iter().any(|end| p.ends_with(end)));
            let known = other || self.anywhere(".java", class)?;
            return Ok((!known).then(|| format!("and no file of the hidden tests or of the tree declares {class}")));
        };
        if !file.ends_with(".java") || !is_name(method) {
            return Ok(None);
        }
        let (declared, _) = self.names(&file.clone())?;
        if declared.contains(method) || self.anywhere(".java", method)? {
            return Ok(None);
        }
        Ok(Some(no_function(method, file, &declared)))
    }

    fn go(&mut self, place: &str, name: &str) -> Result<Option<String>, GitError> {
        let folder = if place == "." { "" } else { place };
        let inside = |p: &&String| p.ends_with("_test.go") && p.rsplit_once('/').map_or("", |(f, _)| f) == folder;
        let files: Vec<String> = self.files.keys().filter(inside).cloned().collect();
        if files.is_empty() {
            return Ok(Some(format!("and the folder {place:?} has no file of tests")));
        }
        let function = name.split('/').next().unwrap_or(name);
        let mut all = BTreeSet::new();
        for file in files {
            all.extend(self.names(&file)?.0);
        }
        let there = all.contains(function) || !is_name(function);
        Ok((!there).then(|| no_function(function, place, &all)))
    }

    fn script(&mut self, place: &str, name: &str) -> Result<Option<String>, GitError> {
        if !self.files.contains_key(place) {
            return Ok(Some(no_file(place)));
        }
        let text = String::from_utf8_lossy(&self.text(place)?).replace('\\', "");
        if has_made_titles(&text) {
            return Ok(None);
        }
        // Of a title for many cases, such as `refuses %d`, only the beginning is sure.
        let titles: Vec<&str> = match text.contains(".each") {
            true => text.split(['"', '\'', '`']).filter(|t| t.contains(['%', '$'])).collect(),
            false => Vec::new(),
        };
        let fits = |part: &str| titles.iter().any(|t| part.starts_with(t.split(['%', '$']).next().unwrap_or("")));
        let missing = name.split(" > ").find(|part| !text.contains(part) && !fits(part));
        Ok(missing.map(|part| format!("and no test or group of {place:?} is called {part:?}")))
    }
}

/// Whether titles of tests are made by code, so that they cannot be read.
fn has_made_titles(text: &str) -> bool {
    // A title that ends with the quote that it began with, and puts nothing in.
    let literal = |rest: &str| {
        let rest = rest.trim_start();
        let quote = rest.chars().next().filter(|c| ['"', '\'', '`'].contains(c));
        quote.is_some_and(|q| rest[1..].split(q).next().is_some_and(|title| !title.contains("${")))
    };
    let calls = ["it", "test", "describe", "suite", "specify", "context"];
    let alone = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
    let made = |call: &&str| {
        let with = format!("{call}(");
        text.match_indices(&with).any(|(at, _)| alone(&text[..at]) && !literal(&text[at + with.len()..]))
    };
    calls.iter().any(made)
}

fn stem_is(file: &str, path: &str) -> bool {
    let Some((stem, _)) = file.rsplit_once('.') else { return false };
    stem == path || stem.strip_suffix(path).is_some_and(|above| above.ends_with('/'))
}

fn no_file(place: &str) -> String {
    format!("and neither the hidden tests nor the starting tree have the file {place:?}")
}

/// The function that is not there, and the one that may be meant.
fn no_function(function: &str, place: &str, declared: &BTreeSet<String>) -> String {
    let near = declared.iter().filter(|d| is_test(d)).map(|d| (distance(d, function), d)).min();
    let meant = near.filter(|(steps, _)| *steps <= 2).map(|(_, d)| format!("; {d} is there")).unwrap_or_default();
    format!("and {place} declares no {function}{meant}")
}

fn is_test(name: &str) -> bool {
    name.to_lowercase().contains("test") || name.chars().next().is_some_and(char::is_lowercase)
}

/// Letters to put in, leave out or exchange until one word is the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut last = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (last + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            last = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_far_apart_as_their_letters() {
        for (a, b, steps) in [("test_acents", "test_accents", 1), ("a", "a", 0), ("", "abc", 3), ("ab", "ba", 2)] {
            assert_eq!(distance(a, b), steps, "{a} {b}");
        }
    }

    #[test]
    fn titles_that_code_makes_cannot_be_missed() {
        assert!(!has_made_titles("describe('a', () => { it(\"b\", f); test(\n  `c`, f) })"));
        assert!(!has_made_titles("test.each([1])('a %d', f); x.submit(name)"), "its beginning can be read");
        for text in ["it(name, f)", "it(`a ${x}`, f)"] {
            assert!(has_made_titles(text), "{text}");
        }
    }

    #[test]
    fn a_class_has_the_file_of_its_name() {
        assert!(stem_is("src/test/java/a/b/CTest.java", "a/b/CTest") && stem_is("CTest.java", "CTest"));
        assert!(!stem_is("src/xa/b/CTest.java", "a/b/CTest"));
    }
}
