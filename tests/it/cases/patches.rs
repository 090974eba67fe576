//! A patch is read leniently where its intent is certain, and refused with its line where it is not.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use tsbench::git::{Applied, Mode, Store, TreeId};
use tsbench::languages::by_name;
use tsbench::scoring::{Candidate, candidate};

const CORE: &str =
    "def add(a, b):\n    return a - b\n\n\ndef twice(x):\n    return x + x\n\n\ndef third(x):\n    return x / 3\n";

fn store(files: &[(&str, &str)]) -> (Store, TreeId) {
    let store = Store::new().unwrap();
    let files = files.iter().map(|(p, t)| ((*p).to_owned(), (Mode::File, t.as_bytes().to_vec()))).collect();
    let tree = store.write_files(&files).unwrap();
    (store, tree)
}

fn app() -> (Store, TreeId) {
    store(&[("app/core.py", CORE), ("README.md", "x\n"), (".gitignore", "*.png\n")])
}

fn text(store: &Store, tree: &TreeId, path: &str) -> String {
    let entry = store.read(tree).unwrap()[path].clone();
    String::from_utf8(store.bytes(&entry.blob).unwrap()).unwrap()
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures/cases/patches").join(name)).unwrap()
}

#[track_caller]
fn lenient(store: &Store, tree: &TreeId, patch: &[u8]) -> TreeId {
    match store.apply(tree, patch).unwrap() {
        Applied::Lenient(after) => after,
        other => panic!("{other:?}\n{}", String::from_utf8_lossy(patch)),
    }
}

#[track_caller]
fn refused(store: &Store, tree: &TreeId, patch: &[u8]) -> String {
    match store.apply(tree, patch).unwrap() {
        Applied::Refused(why) => why,
        other => panic!("{other:?}\n{}", String::from_utf8_lossy(patch)),
    }
}

#[test]
fn what_says_nothing_of_the_intent_fails_no_patch() {
    let (store, tree) = app();
    let fixed = CORE.replace("a - b", "a + b");
    for name in [
        "wrong-counts.patch",
        "wrong-counts-blank-end.patch",
        "wrong-counts-signature.patch",
        "multi-nogit-wrongcount.patch",
        "noprefix.patch",
        "huge-context-0.patch",
    ] {
        let after = lenient(&store, &tree, &fixture(name));
        assert_eq!(text(&store, &after, "app/core.py"), fixed, "{name}");
    }
    let both = lenient(&store, &tree, &fixture("multi-nogit-wrongcount.patch"));
    assert_eq!(text(&store, &both, "README.md"), "y\n");
}

#[test]
fn bytes_that_are_missing_of_a_file_that_counts_for_nothing_are_passed_by() {
    let (store, tree) = app();
    let cached = |path: &str| path.ends_with(".pyc");
    let beside = store.apply_beside(&tree, &fixture("pycache.patch"), &cached).unwrap();
    assert_eq!(beside.passed, ["app/__pycache__/core.cpython-311.pyc"]);
    let Applied::Lenient(after) = beside.applied else { panic!("{:?}", beside.applied) };
    assert!(text(&store, &after, "app/core.py").contains("a + b"));
    // The tree ignores it.
    let beside = store.apply_beside(&tree, &fixture("binary-nodata-new.patch"), &cached).unwrap();
    assert_eq!(beside.passed, ["out.png"]);
    assert!(matches!(beside.applied, Applied::Lenient(_)));
    let (store, tree) = super::patches::store(&[("app/core.py", CORE)]);
    let why = refused(&store, &tree, &fixture("binary-nodata-new.patch"));
    assert_eq!(why, "line 4 of the patch: it says that out.png differs and does not have its bytes");
}

#[test]
fn a_hunk_about_a_dropped_file_need_not_fit() {
    let (store, tree) = app();
    let patch = "--- a/tests/test_new.py\n+++ b/tests/test_new.py\n@@ -1,2 +1,2 @@\n no such\n-line\n+x\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-x\n+y\n";
    let beside = store.apply_beside(&tree, patch.as_bytes(), &|p| p.starts_with("tests/")).unwrap();
    assert_eq!(beside.passed, ["tests/test_new.py"]);
    assert!(matches!(beside.applied, Applied::Lenient(_)), "{:?}", beside.applied);
    assert!(
        refused(&store, &tree, patch.as_bytes()).contains("line 1 of the patch: tests/test_new.py is not in the tree")
    );
}

#[test]
fn a_refusal_names_the_line_and_the_file() {
    let (store, tree) = app();
    for (patch, why) in [
        (
            "I changed it:\n\n--- a/app/core.py\n+++ b/app/core.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return b - a\n+    return a + b\n \n",
            "line 5 of the patch: the lines that the hunk shows of app/core.py are not in it",
        ),
        ("--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch: none.py is not in the tree"),
        (
            "--- a/app/core.py\n+++ b/app/core.py\n@@ ... @@\n-    return a - b\n+    return a + b\n",
            "line 3 of the patch: the header of the hunk has no line numbers",
        ),
        ("@@ -1 +1 @@\n-x\n+y\n", "line 1 of the patch: a hunk stands here without the header of its file"),
        (
            "--- a/README.md\n+++ b/README.md\n@@ -1,4 +1,4 @@\n-x\n+y\nand then\n+z\n",
            "line 6 of the patch: the line is neither context nor a change of the hunk above it",
        ),
        (
            "--- a/app/core.py\n+++ b/app/core.py\n@@ -5,0 +6 @@\n+# where?\n",
            "line 3 of the patch: the hunk adds lines and shows none of the file around them",
        ),
        (
            "diff --git a/README.md b/README.md\nnew file mode 100644\n--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+x\n",
            "line 1 of the patch: README.md is in the tree already",
        ),
    ] {
        let told = refused(&store, &tree, patch.as_bytes());
        assert!(told.starts_with(why), "{told}");
    }
}

#[test]
fn lines_that_look_like_the_end_of_a_patch_are_lines_of_its_hunks() {
    let before = "-- totals\nselect 1;\n- \nselect 2;\n2.39\n-- end\n";
    let after = "++ b\nselect 1;\nselect 2;\n2.39\n";
    let (store, tree) = store(&[("a.sql", before)]);
    let patch =
        "--- a/a.sql\n+++ b/a.sql\n@@ -1,6 +1,4 @@\n--- totals\n+++ b\n select 1;\n-- \n select 2;\n 2.39\n--- end\n";
    assert!(matches!(store.apply(&tree, patch.as_bytes()).unwrap(), Applied::Strict(_)));
    for counts in ["-1,9 +1,9", "-1,1 +1,1", "-1 +1"] {
        let wrong = patch.replace("-1,6 +1,4", counts) + "-- \n2.39.5\n\n";
        let made = lenient(&store, &tree, wrong.as_bytes());
        assert_eq!(text(&store, &made, "a.sql"), after, "{counts}");
    }
}

#[test]
fn too_small_a_count_loses_no_line_and_prose_behind_a_hunk_is_none() {
    let (store, tree) = app();
    let both = CORE.replace("a - b", "a + b").replace("x + x", "2 * x");
    let patch = "--- a/app/core.py\n+++ b/app/core.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n \n \n def twice(x):\n-    return x + x\n+    return 2 * x\n \n \n def third(x):\n";
    let after = lenient(&store, &tree, patch.as_bytes());
    assert_eq!(text(&store, &after, "app/core.py"), both);
    let prose = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-x\n+y\n\n- it is y now\n- and not x\n";
    let Applied::Strict(after) = store.apply(&tree, prose.as_bytes()).unwrap() else {
        panic!("it fits as it is counted")
    };
    assert_eq!(text(&store, &after, "README.md"), "y\n");
}

#[test]
fn a_hunk_that_fits_in_two_places_and_names_neither_is_not_placed() {
    let (store, tree) = store(&[("a", "begin\nsame\nmore\nsame\nend\n")]);
    let at = |n: usize| format!("--- a/a\n+++ b/a\n@@ -{n} +{n} @@\n-same\n+other\n");
    for (n, whole) in [(2, "begin\nother\nmore\nsame\nend\n"), (4, "begin\nsame\nmore\nother\nend\n")] {
        assert_eq!(text(&store, &lenient(&store, &tree, at(n).as_bytes()), "a"), whole);
    }
    assert!(refused(&store, &tree, at(3).as_bytes()).starts_with("line 3 of the patch"));
}

#[test]
fn a_mark_for_the_end_of_a_file_that_stands_elsewhere_is_ignored() {
    const MARK: &str = "\\ No newline at end of file\n";
    let (store, tree) = store(&[("a", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"), ("b", "x\n")]);
    let first = "--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    let second = "@@ -5,3 +5,3 @@\n five\n-six\n+6\n seven\n";
    let other = "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n";
    let added = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    for patch in [
        format!("{first}{MARK}"),
        format!("{first}{MARK}{second}"),
        format!("{first}{second}{MARK}{other}"),
        format!("{first}{MARK}{MARK}{other}"),
        format!("{added}{MARK}"),
        first.replace("-two\n", &format!("-two\n{MARK}")),
        first.replace("+2\n", &format!("+2\n{MARK}")),
    ] {
        let after = lenient(&store, &tree, patch.as_bytes());
        let six = if patch.contains("+6") { "6" } else { "six" };
        let whole = format!("one\n2\nthree\nfour\nfive\n{six}\nseven\neight\n");
        assert_eq!(text(&store, &after, "a"), whole, "{patch}");
    }
}

#[test]
fn a_mark_for_the_end_of_a_file_that_is_right_counts() {
    let mark = "\\ No newline at end of file\n";
    let (store, tree) = store(&[("bare", "one\ntwo"), ("ended", "one\ntwo\n")]);
    for (path, body, whole) in [
        ("bare", format!("-one\n+1\n two\n{mark}"), "1\ntwo"),
        ("bare", format!(" one\n-two\n{mark}+2\n{mark}"), "one\n2"),
        ("bare", format!(" one\n-two\n{mark}+2\n"), "one\n2\n"),
        ("ended", format!(" one\n-two\n+2\n{mark}"), "one\n2"),
    ] {
        let patch = format!("--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n{body}");
        let Applied::Strict(after) = store.apply(&tree, patch.as_bytes()).unwrap() else { panic!("{patch}") };
        assert_eq!(text(&store, &after, path), whole, "{patch}");
    }
    let patch = format!("--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n{mark}");
    let Applied::Strict(after) = store.apply(&tree, patch.as_bytes()).unwrap() else { panic!("{patch}") };
    assert_eq!(text(&store, &after, "new"), "one\ntwo");
}

/// The candidates of the patches that `spoil` makes of a right one, after that of the right one itself.
fn candidates(spoil: &dyn Fn(&str) -> Vec<String>) -> Vec<Candidate> {
    let crate::scoring::World { task, material, .. } = crate::scoring::world("py-opening-hours");
    let tree = material.store.read(&material.start).unwrap();
    let files: BTreeMap<String, Vec<u8>> =
        tree.iter().map(|(p, e)| (p.clone(), material.store.bytes(&e.blob).unwrap())).collect();
    let language = by_name(&task.spec.language).unwrap();
    let plan = language.detect(&files, task.spec.package.as_deref(), None).unwrap();
    let right = String::from_utf8(material.solution.clone()).unwrap();
    let patches = [vec![right.clone()], spoil(&right)].concat();
    patches.iter().map(|p| candidate(&task, &material, language, &plan, p.as_bytes()).unwrap()).collect()
}

#[test]
fn a_mark_behind_a_right_fix_loses_nothing_of_it() {
    let made = candidates(&|right| vec![format!("{right}\\ No newline at end of file\n")]);
    assert_eq!((made[0].applied, made[1].applied), (Some("strict"), Some("lenient")), "{}", made[1].refusal);
    assert_eq!(made[0].tree, made[1].tree);
}

#[test]
fn a_change_of_tests_that_cannot_be_made_fails_no_right_fix() {
    let new = "--- /dev/null\n+++ b/tests/test_new.py\n";
    let parts = [
        ("tests/data.bin", "diff --git a/tests/data.bin b/tests/data.bin\nnew file mode 100644\nindex 0000000..1234567\nBinary files /dev/null and b/tests/data.bin differ\n".to_owned()),
        ("tests/test_new.py", format!("diff --git a/tests/test_new.py b/tests/test_new.py\nnew file mode 100644\n{new}@@ -0,0 +1,3 @@\n+import os\n context\n-gone\n+x = 1\n")),
        ("tests/test_new.py", format!("{new}@@ -0,0 +1,2 @@\n+import os\n+import re\n@@ -3 +... @@\n+x = 1\n")),
        ("tests/test_new.py", format!("{new}@@ -0,0 +1,9 @@\n+import os\nprose\n+x = 1\n")),
        ("tests/test_none.py", "--- a/tests/test_none.py\n+++ b/tests/test_none.py\n@@ -1 +1 @@\n-a\n+b\n".to_owned()),
    ];
    let made = candidates(&|right| {
        parts.iter().flat_map(|(_, part)| [format!("{part}{right}"), format!("{right}{part}")]).collect()
    });
    for (number, made_of) in made[1..].iter().enumerate() {
        let (path, part) = &parts[number / 2];
        let git_reads_past = part.contains("@@ -3 +...") && made_of.applied == Some("strict");
        assert!(git_reads_past || made_of.applied == Some("lenient"), "{}\n{part}", made_of.refusal);
        assert_eq!(made_of.tree, made[0].tree, "{part}");
        assert_eq!(made_of.dropped, [*path], "{part}");
    }
}

/// Ways in which models and mail spoil a patch without a word about its intent.
fn mangled(patch: &str, how: usize) -> String {
    let headers = |f: &dyn Fn(&str) -> Option<String>| -> String {
        patch
            .split_inclusive('\n')
            .filter_map(|l| if l.starts_with("@@ -") { f(l) } else { Some(l.to_owned()) })
            .collect()
    };
    let counts = |n: usize| {
        headers(&|l| {
            let number = |part: &str| part.split(',').next().unwrap_or(part).to_owned();
            let mut words = l.split(' ');
            let (old, new) = (words.nth(1)?, words.next()?);
            Some(format!("@@ {},{n} {},{n} @@\n", number(old), number(new)))
        })
    };
    let bare = |patch: &str| -> String {
        patch.split_inclusive('\n').filter(|l| !l.starts_with("diff --git ") && !l.starts_with("index ")).collect()
    };
    match how {
        0 => counts(99),
        1 => format!("{}\n\n\n", counts(77)),
        2 => format!("{}-- \n2.39.5\n\n", counts(1)),
        3 => bare(&counts(42)),
        4 => format!("Here it is:\n\n```diff\n{}```\n\nIt is\n- right\n+ good\n", counts(50)),
        5 => format!(
            "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nSubject: x\n---\n a | 2 +-\n\n{patch}-- \n2.39.5\n"
        ),
        6 => patch
            .replace("diff --git a/src", "diff --git src")
            .replace(" b/src", " src")
            .replace("--- a/src", "--- src")
            .replace("+++ b/src", "+++ src"),
        7 => patch.trim_end_matches('\n').to_owned(),
        _ => patch.to_owned(),
    }
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        "[a-z]{1,6}",
        Just(String::new()),
        Just("-- totals".to_owned()),
        Just("- ".to_owned()),
        Just("-- ".to_owned()),
        Just("++ b/more".to_owned()),
        Just("@@ -1 +1 @@".to_owned()),
        Just("diff --git a/x b/x".to_owned()),
        Just("2.39.5".to_owned()),
    ];
    prop::collection::vec(line, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_patch_of_git_means_the_same_however_it_is_mangled(
        old in prop::collection::vec(lines(), 1..4), new in prop::collection::vec(lines(), 4), how in 0_usize..9,
    ) {
        let store = Store::new().unwrap();
        let tree = |all: &[Vec<String>]| {
            // The last line is none that could be the end of a patch.
            let file = |(i, l): (usize, &Vec<String>)| (format!("src/f{i}.sql"), (Mode::File, (l.join("\n") + "\nlast\n").into_bytes()));
            store.write_files(&all.iter().enumerate().map(file).collect::<BTreeMap<_, _>>()).unwrap()
        };
        let (before, after) = (tree(&old), tree(&new[..old.len()]));
        prop_assume!(before != after);
        let patch = String::from_utf8(store.diff(&before, &after, &[]).unwrap()).unwrap();
        let spoilt = mangled(&patch, how);
        // What is removed or added may look like the header of a file; with wrong counts nobody could tell.
        let looks = |l: &str| l.starts_with("--- totals") || l.starts_with("-- ") || l.starts_with("--- ") && !l.contains("/f");
        prop_assume!(how > 4 || !patch.lines().any(looks));
        let made = store.apply(&before, spoilt.as_bytes()).unwrap();
        let (Applied::Strict(end) | Applied::Lenient(end)) = &made else { panic!("{made:?}\n{spoilt}") };
        prop_assert_eq!(end, &after, "{}", spoilt);
    }
}
