use super::classify::Change;
use crate::languages::{Language, Plan};
use std::collections::BTreeMap;

/// Lines of the new text of a file that a patch adds, as ranges; an empty one stands where lines were only removed.
type Blocks = BTreeMap<String, Vec<(usize, usize)>>;

/// Names of the tests that a patch adds or changes. `text` gives a file as the patch leaves it.
///
/// A test counts as changed where a line inside it was: so names come from whole files, not from added lines alone.
pub fn changed_tests(
    language: &dyn Language,
    plan: &Plan,
    patch: &[u8],
    text: &dyn Fn(&str) -> Option<String>,
) -> Vec<String> {
    let mut found = language.ids_in_diff(plan, patch);
    for (path, blocks) in blocks(patch) {
        let Some(text) = text(&path) else { continue };
        let lines: Vec<&str> = text.lines().collect();
        let declared = |count: usize| language.ids_in_diff(plan, &as_added(&path, &lines[..count.min(lines.len())]));
        for (from, to) in blocks {
            let above = declared(from);
            found.extend(declared(to).into_iter().skip(above.len()));
            let Some(last) = above.last() else { continue };
            let at = first_with(above.len(), from, &|count| declared(count).len());
            let head = indent(lines.get(at.wrapping_sub(1)).copied().unwrap_or(""));
            let inside = lines[from.min(lines.len())..].iter().find(|l| !l.trim().is_empty()).map(|l| indent(l));
            if inside.is_some_and(|inside| inside > head) {
                found.push(last.clone());
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What the changed names and files say of a reported test.
pub(super) fn change_of(id: &str, names: &[String], in_changed_file: bool) -> Change {
    let (place, name) = id.split_once("::").unwrap_or(("", id));
    let outer = |p: &str| p.split('$').next().unwrap_or(p).to_owned();
    let bare = name.split(['[', '(']).next().unwrap_or(name);
    let is = |changed: &String| {
        let (at, title) = changed.split_once("::").unwrap_or(("", changed));
        let title_bare = title.split(['[', '(']).next().unwrap_or(title);
        let same = bare == title_bare
            || name == title
            || name.ends_with(&format!(" > {title}"))
            || name.starts_with(&format!("{title}/"));
        outer(at) == outer(place) && same
    };
    match names.iter().any(is) {
        true => Change::Changed,
        false if in_changed_file => Change::InChangedFile,
        false => Change::None,
    }
}

/// Lines as a patch that adds a file with them.
pub(super) fn as_added(path: &str, lines: &[&str]) -> Vec<u8> {
    let mut patch = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n", lines.len());
    for line in lines {
        patch.push('+');
        patch.push_str(line);
        patch.push('\n');
    }
    patch.into_bytes()
}

/// The smallest count up to `most` at which there are `wanted` names; names only ever come to more.
fn first_with(wanted: usize, most: usize, names: &dyn Fn(usize) -> usize) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if names(middle) >= wanted { high = middle } else { low = middle + 1 }
    }
    low
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// The blocks of a patch that was made by git.
fn blocks(patch: &[u8]) -> Blocks {
    let text = String::from_utf8_lossy(patch);
    let mut found = Blocks::new();
    let (mut path, mut at, mut left) = (String::new(), 0_usize, (0_usize, 0_usize));
    let mut open: Option<usize> = None;
    for line in text.lines() {
        if left == (0, 0) {
            close(&mut found, &path, &mut open, at);
            if let Some(name) = line.strip_prefix("+++ ") {
                path = name.strip_prefix("b/").unwrap_or(name).trim_matches('"').to_owned();
            } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(hunk) {
                left = (old.1, new.1);
                at = if new.1 == 0 { new.0 } else { new.0.saturating_sub(1) };
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => {
                open.get_or_insert(at);
                (at, left.1) = (at + 1, left.1.saturating_sub(1));
            }
            Some(b'-') => {
                open.get_or_insert(at);
                left.0 = left.0.saturating_sub(1);
            }
            Some(b'\\') => {}
            _ => {
                close(&mut found, &path, &mut open, at);
                (at, left) = (at + 1, (left.0.saturating_sub(1), left.1.saturating_sub(1)));
            }
        }
    }
    close(&mut found, &path, &mut open, at);
    found
}

fn close(found: &mut Blocks, path: &str, open: &mut Option<usize>, at: usize) {
    if let Some(from) = open.take() {
        found.entry(path.to_owned()).or_default().push((from, at));
    }
}

/// `1,2 +3,4 @@ …` as both sides' beginnings and lengths.
fn hunk(text: &str) -> Option<((usize, usize), (usize, usize))> {
    let side = |word: &str| {
        let (from, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((from.parse().ok()?, count.parse().ok()?))
    };
    let mut words = text.split_whitespace();
    Some((side(words.next()?)?, side(words.next()?.strip_prefix('+')?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::by_name;

    const AFTER: &str = "import shop\n\nclass TestShop:\n    def test_old(self):\n        assert shop.new() == 2\n\n    def test_new(self):\n        assert 1\n\ndef helper():\n    return 3\n";

    fn names(patch: &str) -> Vec<String> {
        let language = by_name("python").unwrap();
        changed_tests(language, &Plan::default(), patch.as_bytes(), &|_| Some(AFTER.to_owned()))
    }

    #[test]
    fn a_test_with_a_changed_line_and_a_new_one_are_named_with_their_class() {
        let patch = "--- a/tests/test_shop.py\n+++ b/tests/test_shop.py\n@@ -3,3 +3,6 @@\n class TestShop:\n     def test_old(self):\n-        assert shop.new() == 1\n+        assert shop.new() == 2\n+\n+    def test_new(self):\n+        assert 1\n";
        let found = names(patch);
        assert!(found.contains(&"tests/test_shop.py::TestShop::test_old".to_owned()), "{found:?}");
        assert!(found.contains(&"tests/test_shop.py::TestShop::test_new".to_owned()), "{found:?}");
    }

    #[test]
    fn a_new_test_does_not_change_the_one_above_it_nor_does_what_stands_outside() {
        let added = "--- a/tests/test_shop.py\n+++ b/tests/test_shop.py\n@@ -5,1 +5,4 @@\n         assert shop.new() == 2\n+\n+    def test_new(self):\n+        assert 1\n";
        let found = names(added);
        assert!(!found.contains(&"tests/test_shop.py::TestShop::test_old".to_owned()), "{found:?}");
        let helper =
            "--- a/tests/test_shop.py\n+++ b/tests/test_shop.py\n@@ -9,1 +9,3 @@\n \n+def helper():\n+    return 3\n";
        assert_eq!(names(helper), [""; 0]);
    }

    #[test]
    fn a_report_names_a_test_longer_than_a_patch_does() {
        let names: Vec<String> =
            ["t/a.test.ts::adds", "p/x_test::TestA", "a.b.CTest::m", "t/p.py::T::test_x"].map(str::to_owned).to_vec();
        for (id, want) in [
            ("t/a.test.ts::math > adds", Change::Changed),
            ("t/a.test.ts::math > subtracts", Change::InChangedFile),
            ("p/x_test::TestA/sub", Change::Changed),
            ("a.b.CTest::m(int)[1]", Change::Changed),
            ("a.b.CTest$Inner::m", Change::Changed),
            ("t/p.py::T::test_x[1-2]", Change::Changed),
            ("t/p.py::T::test_xy", Change::InChangedFile),
        ] {
            assert_eq!(change_of(id, &names, true), want, "{id}");
        }
        assert_eq!(change_of("other::m", &names, false), Change::None);
    }
}
