//! Trees and patches as git objects: nothing is checked out, a patch goes on whole or not at all.

use proptest::prelude::*;
use std::collections::BTreeMap;
use tsbench::git::{Applied, Mode, Store, TreeId};

type Files = BTreeMap<String, (Mode, Vec<u8>)>;

fn files(list: &[(&str, &str)]) -> Files {
    list.iter().map(|(p, t)| ((*p).to_owned(), (Mode::File, t.as_bytes().to_vec()))).collect()
}

fn texts(store: &Store, tree: &TreeId) -> BTreeMap<String, String> {
    store
        .read(tree)
        .unwrap()
        .into_iter()
        .map(|(p, e)| (p, String::from_utf8_lossy(&store.bytes(&e.blob).unwrap()).into_owned()))
        .collect()
}

#[test]
fn a_diff_carries_new_files_deletions_modes_links_and_binaries() {
    let store = Store::new().unwrap();
    let mut before = files(&[
        ("a.txt", "one\n"),
        ("gone.txt", "x\n"),
        ("run.sh", "#!/bin/sh\n"),
        ("old/name.txt", "the same text\nin both\n"),
    ]);
    before.insert("bin".into(), (Mode::File, vec![0, 1, 2, 255]));
    let mut after = before.clone();
    after.remove("gone.txt");
    after.insert("new/dir/file.txt".into(), (Mode::File, b"new\n".to_vec()));
    after.insert("empty".into(), (Mode::File, Vec::new()));
    after.insert("run.sh".into(), (Mode::Executable, b"#!/bin/sh\n".to_vec()));
    after.insert("link".into(), (Mode::Link, b"a.txt".to_vec()));
    after.insert("bin".into(), (Mode::File, vec![9, 0, 9, 0, 200]));
    let moved = after.remove("old/name.txt").unwrap();
    after.insert("new/name.txt".into(), moved);
    let (before, after) = (store.write_files(&before).unwrap(), store.write_files(&after).unwrap());
    let patch = store.diff(&before, &after, &[]).unwrap();
    assert_eq!(store.apply(&before, &patch).unwrap(), Applied::Strict(after));
}

#[test]
fn a_patch_that_fits_only_in_part_changes_nothing() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n2\n3\n"), ("b", "1\n2\n3\n")])).unwrap();
    let patch = b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n--- a/b\n+++ b/b\n@@ -1,3 +1,3 @@\n 1\n-no such line\n+x\n 3\n";
    assert!(matches!(store.apply(&tree, patch).unwrap(), Applied::Refused(_)));
    assert_eq!(texts(&store, &tree)["a"], "1\n2\n3\n");
}

#[test]
fn an_applied_patch_is_never_reversed() {
    let store = Store::new().unwrap();
    let (one, two) =
        (store.write_files(&files(&[("a", "1\n")])).unwrap(), store.write_files(&files(&[("a", "2\n")])).unwrap());
    let patch = store.diff(&one, &two, &[]).unwrap();
    assert!(matches!(store.apply(&two, &patch).unwrap(), Applied::Refused(_)));
}

#[test]
fn wrong_line_counts_are_mended_in_one_recorded_way() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n2\n3\n")])).unwrap();
    let patch = b"--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n 1\n-2\n+two\n 3\n";
    let Applied::Lenient(after) = store.apply(&tree, patch).unwrap() else { panic!("expected the lenient way") };
    assert_eq!(texts(&store, &after)["a"], "1\ntwo\n3\n");
}

#[test]
fn a_patch_without_text_is_empty() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n")])).unwrap();
    assert_eq!(store.apply(&tree, b" \n\t\n").unwrap(), Applied::Empty);
}

#[test]
fn paths_that_leave_the_tree_are_refused() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n")])).unwrap();
    for path in ["../evil", "/etc/evil", ".git/hooks/post-checkout", "x/../../evil", "x/.GIT/config"] {
        let patch = format!(
            "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        );
        assert!(matches!(store.apply(&tree, patch.as_bytes()).unwrap(), Applied::Refused(_)), "{path}");
    }
}

#[test]
fn a_name_that_no_sandbox_can_hold_is_refused_and_named() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n")])).unwrap();
    let part = "p".repeat(250);
    let cases: [(Vec<u8>, &str, &str); 5] = [
        (b"src/\xff\xfe.txt".to_vec(), "src/\\xff\\xfe.txt", "not UTF-8"),
        ("n".repeat(300).into_bytes(), "nnn", "255 bytes"),
        (vec![part.as_str(); 16].join("/").into_bytes(), "ppp", "longer than"),
        (vec!["d"; 102].join("/").into_bytes(), "d/d", "100 folders"),
        // Deeper than git's own limit for trees.
        (vec!["d"; 3_000].join("/").into_bytes(), "d/d", "longer than"),
    ];
    for (path, named, why) in cases {
        let patch =
            [b"diff --git a/", &path[..], b" b/", &path, b"\nnew file mode 100644\n--- /dev/null\n+++ b/", &path]
                .concat();
        let patch = [&patch[..], b"\n@@ -0,0 +1 @@\n+x\n"].concat();
        let Applied::Refused(said) = store.apply(&tree, &patch).unwrap() else { panic!("{named} is not refused") };
        assert!(said.contains(named) && said.contains(why) && said.len() < 300, "{said}");
    }
    let deepest = vec!["d"; 101].join("/");
    let patch = format!("--- /dev/null\n+++ b/{deepest}\n@@ -0,0 +1 @@\n+x\n");
    assert!(matches!(store.apply(&tree, patch.as_bytes()).unwrap(), Applied::Strict(_)));
}

#[test]
fn a_missing_last_newline_of_a_patch_is_added_in_the_recorded_way() {
    let store = Store::new().unwrap();
    let tree = store.write_files(&files(&[("a", "1\n2\n3\n")])).unwrap();
    let patch = b"--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3";
    let Applied::Lenient(after) = store.apply(&tree, patch).unwrap() else { panic!("expected the lenient way") };
    assert_eq!(texts(&store, &after)["a"], "1\ntwo\n3\n");
}

#[test]
fn carriage_returns_survive_in_patches() {
    let store = Store::new().unwrap();
    let (one, two) = (
        store.write_files(&files(&[("a", "1\r\n2\r\n")])).unwrap(),
        store.write_files(&files(&[("a", "1\r\n3\r\n")])).unwrap(),
    );
    let patch = store.diff(&one, &two, &[]).unwrap();
    assert_eq!(store.apply(&one, &patch).unwrap(), Applied::Strict(two));
}

#[test]
fn export_rules_of_a_project_lose_no_file() {
    let store = Store::new().unwrap();
    let tree = store
        .write_files(&files(&[
            (".gitattributes", "secret export-ignore\n*.txt text eol=crlf\n"),
            ("secret", "kept\n"),
            ("a.txt", "1\n"),
        ]))
        .unwrap();
    assert_eq!(texts(&store, &tree)["secret"], "kept\n");
    assert_eq!(texts(&store, &tree)["a.txt"], "1\n");
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-z][a-z0-9 äö._-]{0,6}[a-z0-9]", 1..4).prop_map(|p| p.join("/"))
}

fn tree() -> impl Strategy<Value = Files> {
    let file = (prop_oneof![Just(Mode::File), Just(Mode::Executable)], prop::collection::vec(any::<u8>(), 0..60));
    prop::collection::btree_map(path(), file, 0..6).prop_map(|files| {
        // A name cannot be a file and a folder at once.
        let names: Vec<String> = files.keys().cloned().collect();
        files.into_iter().filter(|(p, _)| !names.iter().any(|n| n.starts_with(&format!("{p}/")))).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_two_trees_differ_by_a_patch_that_turns_one_into_the_other(a in tree(), b in tree()) {
        let store = Store::new().unwrap();
        let (a, b) = (store.write_files(&a).unwrap(), store.write_files(&b).unwrap());
        let patch = store.diff(&a, &b, &[]).unwrap();
        let applied = store.apply(&a, &patch).unwrap();
        if a == b {
            prop_assert_eq!(applied, Applied::Empty);
        } else {
            prop_assert_eq!(applied, Applied::Strict(b));
        }
    }
    #[test]
    fn any_bytes_as_a_patch_are_refused_or_applied_without_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let store = Store::new().unwrap();
        let tree = store.write_files(&files(&[("a", "1\n")])).unwrap();
        prop_assert!(store.apply(&tree, &bytes).is_ok());
    }
}
