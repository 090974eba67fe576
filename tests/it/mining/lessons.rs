//! Built repositories in which earlier miners went wrong, with the right result for each.

use super::lines;
use super::world::World;
use tsbench::git::{Applied, Store};
use tsbench::languages::{Plan, by_name};
use tsbench::schema::Candidate;
use tsbench::validation::read_candidates;

/// Mines the mirror; its candidates.
fn mined(world: &World) -> Vec<Candidate> {
    let mirror = world.mirror();
    let (exit, ..) = world.call(&["mine", "--from-mirror", mirror.to_str().unwrap(), "--out", "out"]);
    assert_eq!(exit, 0);
    read_candidates(&world.path("out/candidates.jsonl")).unwrap()
}

/// Paths that a patch touches.
fn touched(patch: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(patch);
    let heads = text.lines().filter_map(|l| l.strip_prefix("diff --git a/"));
    heads.map(|l| l.split(" b/").next().unwrap().to_owned()).collect()
}

/// L-01: the branch of a pull request is behind the main line, and the merge is compared with the main line's side.
#[test]
fn a_merge_of_a_branch_that_is_behind_undoes_nothing_of_the_main_line() {
    let world = World::new();
    world.write("shop.py", "def price(count):\n    return count * 3\n\n\ndef name():\n    return 'shop'\n");
    world.write("tests/test_shop.py", "import shop\n");
    world.commit("Start");
    world.git(&["checkout", "-q", "-b", "side"]);
    world.write("shop.py", "def price(count):\n    return count * 4\n\n\ndef name():\n    return 'shop'\n");
    world.write("tests/test_shop.py", "import shop\nassert shop.price(1) == 4\n");
    world.commit("Dearer");
    world.git(&["checkout", "-q", "main"]);
    world.write("newer.py", "def newer():\n    return 1\n");
    world.write("tests/test_newer.py", "import newer\n");
    let main = world.commit("A newer feature with its tests");
    world.git(&["merge", "-q", "--no-ff", "-m", "Merge pull request #814 from a/side\n\nDearer", "side"]);
    let candidates = mined(&world);
    assert_eq!((candidates.len(), candidates[0].base.as_deref()), (1, Some(main.as_str())));
    let change = candidates[0].resolve(&world.path("mirrors")).unwrap().ok().unwrap();
    assert_eq!(touched(&change.solution), ["shop.py"]);
    assert_eq!(touched(&change.tests), ["tests/test_shop.py"]);
    let removed: Vec<String> = String::from_utf8_lossy(&change.solution)
        .lines()
        .filter(|l| l.starts_with('-') && !l.starts_with("---"))
        .map(str::to_owned)
        .collect();
    assert_eq!(removed, ["-    return count * 3"], "no line goes that the change does not replace");
}

/// L-02: tests at the root are tests, and so is what they read.
#[test]
fn tests_at_the_root_and_their_fixtures_are_hidden_with_the_tests() {
    let world = World::new();
    world.write("src/main/java/x/Shop.java", "class Shop {}\n");
    world.write("shop.py", "x = 1\n");
    world.commit("Start");
    let of_tests = [
        "conftest.py",
        "src/test/java/x/Fixture.java",
        "src/test/resources/prices.xml",
        "testdata/prices.txt",
        "tests/conftest.py",
        "tests/data/prices.json",
        "tests/helper.py",
    ];
    for path in of_tests {
        world.write(path, "new\n");
    }
    world.write("src/main/java/x/Shop.java", "class Shop { int price; }\n");
    world.write("docs/tests.md", "About tests\n");
    world.commit("Prices (#1044)");
    let change = mined(&world)[0].resolve(&world.path("mirrors")).unwrap().ok().unwrap();
    assert_eq!(touched(&change.tests), of_tests);
    assert_eq!(touched(&change.solution), ["docs/tests.md", "src/main/java/x/Shop.java"]);
}

/// L-04: names of new tests are read in every layout and in each language of the JVM.
#[test]
fn tests_of_java_kotlin_and_groovy_are_named_however_they_are_laid_out() {
    let language = by_name("java").unwrap();
    let patch = |path: &str, lines: &[&str]| {
        let body: String = lines.iter().map(|l| format!("+{l}\n")).collect();
        format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{} @@\n{body}", lines.len())
    };
    let java = [
        "package x;",
        "class ShopTest {",
        "  @Test void oneLine() { go(); }",
        "  @Test",
        "  public void twoLines() {",
        "  }",
        "  @ParameterizedTest @ValueSource(ints = {1, 2})",
        "  void eachOf(int n) { }",
        "  void helper() { }",
        "}",
    ];
    let kotlin = [
        "package x",
        "class ShopTest {",
        "  @Test fun oneLine() { go() }",
        "  @Test",
        "  fun `two lines`() {",
        "  }",
        "}",
    ];
    let groovy = [
        "package x",
        "class ShopTest {",
        "  @Test void oneLine() { go() }",
        "  @Test",
        "  void twoLines() {",
        "  }",
        "}",
    ];
    let plan = Plan::default();
    for (path, lines, names) in [
        ("src/test/java/x/ShopTest.java", &java[..], &["oneLine", "twoLines", "eachOf"][..]),
        ("src/test/kotlin/x/ShopTest.kt", &kotlin, &["oneLine", "two lines"]),
        ("src/test/groovy/x/ShopTest.groovy", &groovy, &["oneLine", "twoLines"]),
    ] {
        let mut found = language.ids_in_diff(&plan, patch(path, lines).as_bytes());
        let mut wanted: Vec<String> = names.iter().map(|n| format!("x.ShopTest::{n}")).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{path}");
    }
}

/// L-05: a change is whole: new files and folders, bytes, what is gone, what moved, what may be run.
#[test]
fn every_kind_of_change_survives_in_the_two_halves() {
    let world = World::new();
    world.write("old.py", "gone = 1\n");
    world.write("moves.py", "x = 1\ny = 2\nz = 3\n");
    world.write("run.sh", "#!/bin/sh\n");
    world.write("shop.py", "x = 1\n");
    world.commit("Start");
    world.write("new.py", "x = 2\n");
    world.write("a/new/folder/part.py", "x = 3\n");
    world.write("picture.bin", [0_u8, 159, 146, 150, 255, 10, 0]);
    world.write("tests/test_new.py", "import new\n");
    world.write("tests/data.bin", [0_u8, 1, 2, 255]);
    std::fs::remove_file(world.path("repo/old.py")).unwrap();
    world.git(&["mv", "moves.py", "moved.py"]);
    world.git(&["update-index", "--chmod=+x", "run.sh"]);
    world.git(&["config", "core.fileMode", "false"]);
    let fix = world.commit("Everything at once (#5)");
    let change = mined(&world)[0].resolve(&world.path("mirrors")).unwrap().ok().unwrap();
    let store: &Store = &change.store;
    let Applied::Strict(half) = store.apply(&change.start, &change.solution).unwrap() else { panic!("the fix") };
    let Applied::Strict(whole) = store.apply(&half, &change.tests).unwrap() else { panic!("the tests") };
    assert_eq!(whole, store.tree_of(&fix).unwrap(), "both halves together are the commit");
    let wanted = ["a/new/folder/part.py", "moved.py", "moves.py", "new.py", "old.py", "picture.bin", "run.sh"];
    assert_eq!(touched(&change.solution), wanted);
}

/// L-24: the package inside a monorepo is a part of the candidate. That scoring keeps it is shown by the chain.
#[test]
fn the_package_under_test_is_found_and_kept() {
    let world = World::new();
    for package in ["kit", "tool"] {
        world.write(&format!("{package}/go.mod"), format!("module example.com/{package}\n\ngo 1.21\n"));
        world.write(&format!("{package}/a.go"), format!("package {package}\n"));
    }
    world.commit("Start");
    world.write("kit/a.go", "package kit\n\nconst A = 1\n");
    world.write("kit/a_test.go", "package kit\n");
    world.write("tool/a.go", "package tool\n\nconst A = 1\n");
    world.commit("A (#3)");
    assert_eq!(mined(&world)[0].package.as_deref(), Some("kit"));
}

/// the fix in the text of the problem is cut under its heading, and told of where it stands elsewhere.
#[test]
fn a_message_is_cut_at_its_solution_and_a_fix_that_it_quotes_is_warned_of() {
    let world = World::new();
    world.write("shop.py", "def price(count):\n    return count * 3\n");
    world.commit("Start");
    world.write("shop.py", "def price(count):\n    return _rounded_up(count * 3, step=5)\n");
    world.write("tests/test_shop.py", "from shop import price\nassert price(2) == 10\n");
    let cut = "Prices are odd (#1)\n\nThey should be multiples of five.\n\n### Suggested fix\n\n`return _rounded_up(count * 3, step=5)`\n";
    world.commit(cut);
    world.write("shop.py", "def price(count):\n    return _rounded_down(count * 3, step=5)\n\n\ndef _rounded_down(amount, step):\n    return amount // step * step\n");
    world.write("tests/test_shop.py", "from shop import price\nassert price(2) == 5\n");
    world.commit("Prices are high (#2)\n\nUse this: `return _rounded_down(count * 3, step=5)`\n");
    let candidates = mined(&world);
    let statement = |c: &Candidate| c.resolve(&world.path("mirrors")).unwrap().ok().unwrap().statement.text;
    assert_eq!(statement(&candidates[1]), "Prices are odd\n\nThey should be multiples of five.\n");
    assert_eq!(candidates[1].warnings, [""; 0]);
    let warnings = &candidates[0].warnings;
    assert!(warnings[0].contains("a line of the fix: \"return _rounded_down(count * 3, step=5)\""), "{warnings:?}");
    assert!(warnings[1].contains("\"_rounded_down\", which the fix alone has"), "{warnings:?}");
    assert_eq!(lines(&world.path("out/candidates.jsonl")).len(), 2);
}
