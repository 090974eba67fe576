use super::*;

fn texts(files: &[(&str, &str)]) -> Texts {
    files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
}

/// The unknown names of a change whose statement is given.
fn unknown(tests: (&str, &str), fix: (&str, &str), before: &[(&str, &str)], statement: &str) -> Vec<String> {
    let found = unknown_names(&texts(&[tests]), &texts(&[fix]), &texts(before), statement);
    found.into_iter().map(|m| m.name).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn a_new_function_that_nobody_named_is_unknown() {
    let tests = ("tests/test_a.py", "from shop.store import Ledger\nassert store.drain_all(3) == 4\n");
    let fix = ("shop/store.py", "class Ledger:\n    def drain_all(self, most): pass\n");
    let base = [("shop/store.py", "x = 1\n")];
    assert_eq!(unknown(tests, fix, &base, ""), ["Ledger", "drain_all"]);
    assert_eq!(unknown(tests, fix, &base, "Add `drain_all` and a Ledger."), NONE);
    let knows = [("shop/store.py", "drain_all = Ledger\n")];
    assert_eq!(unknown(tests, fix, &knows, ""), NONE);
    let found = unknown_names(&texts(&[tests]), &texts(&[fix]), &texts(&base), "");
    assert_eq!(found[1].to_string(), "drain_all: tests/test_a.py, line 2");
}

#[test]
fn names_of_libraries_and_of_the_tests_themselves_are_nobodys_secret() {
    let tests = ("test_a.py", "def helper_one(x):\n    return pickle.dumps(helper_one(x))\n");
    let fix = ("a.py", "total = helper_one\nstate = pickle.dumps(1)\n");
    assert_eq!(unknown(tests, fix, &[], ""), NONE);
}

#[test]
fn what_the_fix_only_uses_is_not_its_own() {
    let go = ("a.go", "package a\nimport \"math\"\nfunc f() bool { return v.major == math.MaxUint64 }\n");
    assert_eq!(unknown(("a_test.go", "package a\nvar x = math.MaxUint64\n"), go, &[], ""), NONE);
    let python = ("a.py", "import pickle\ndef f(state):\n    return pickle.dumps(state).removeprefix('a')\n");
    assert_eq!(unknown(("test_a.py", "assert pickle.dumps(1).removeprefix('a')\n"), python, &[], ""), NONE);
}

#[test]
fn variables_inside_of_functions_and_parameters_bring_no_member() {
    let fix = ("a.py", "def f(disabled):\n    paused = disabled\n    return paused\n");
    assert_eq!(unknown(("test_a.py", "assert not logger.disabled and job.paused\n"), fix, &[], ""), NONE);
    assert_eq!(unknown(("test_a.py", "f(disabled=True)\n"), fix, &[], "f"), ["disabled"]);
    let script = ("a.ts", "export function f(x) { const paused = x; return paused; }\n");
    assert_eq!(unknown(("a.test.ts", "expect(job.paused).toBe(1)\n"), script, &[], "f"), NONE);
}

#[test]
fn methods_of_java_count_whatever_they_return() {
    let fix = (
        "src/main/java/a/Bag.java",
        "package a;\nclass Bag<T> {\n  public Map<String, T> getMap() { return m; }\n  String[] getNames() { return n; }\n  T pick() { return t; }\n  Bag withMost(int most) { return this; }\n  static final int NO_LIMIT = -1;\n}\n",
    );
    let tests = (
        "src/test/java/a/BagTest.java",
        "package a;\nimport static a.Bag.NO_LIMIT;\nclass BagTest {\n  @Test void withMost() { run(new Bag().withMost(NO_LIMIT).getMap(), bag.getNames(), Bag::pick); }\n}\n",
    );
    let base = [("src/main/java/a/Bag.java", "package a;\nclass Bag<T> {}\n")];
    assert_eq!(unknown(tests, fix, &base, ""), ["NO_LIMIT", "getMap", "getNames", "pick", "withMost"]);
    assert_eq!(unknown(tests, fix, &base, "`getMap`, `getNames`, NO_LIMIT and pick"), ["withMost"]);
}

#[test]
fn names_in_comments_licences_strings_and_prose_of_tests_count_for_nothing() {
    let fix = (
        "src/main/java/a/Bag.java",
        "package a;\nclass Bag { boolean isRecord; Domain domain() { return d; } class Domain {} }\n",
    );
    let tests = (
        "src/test/java/a/BagTest.java",
        "/* Public Domain. */\npackage a;\n/** Whether isRecord holds. {@link Domain} */\nclass BagTest { // domain()\n  @Test void t() { fail(\"domain isRecord\"); }\n}\n",
    );
    assert_eq!(unknown(tests, fix, &[], "Bag"), NONE);
    let prose = unknown_names(
        &texts(&[("tests/notes.md", "call drain()"), ("tests/data.txt", "drain()")]),
        &texts(&[("a.py", "def drain(): pass\n")]),
        &Texts::new(),
        "",
    );
    assert_eq!(prose, []);
}

#[test]
fn prose_of_the_tree_tells_of_no_function_and_code_does() {
    let tests = ("test_a.py", "assert store.drain(3) == 4\n");
    let fix = ("a.py", "def drain(most): pass\n");
    for (path, text) in
        [("README.md", "Let it drain.\n"), ("b.py", "# let it drain\n"), ("b.py", "x = 'let it drain'\n")]
    {
        assert_eq!(unknown(tests, fix, &[(path, text)], ""), ["drain"], "{path}: {text}");
    }
    for (path, text) in [
        ("b.py", "drain = 1\n"),
        ("b.py", "getattr(x, 'drain')\n"),
        ("api.json", "{\"drain\": 1}"),
        ("b.kt", "fun drain() {}"),
        ("drain/b.py", ""),
    ] {
        assert_eq!(unknown(tests, fix, &[(path, text)], ""), NONE, "{path}: {text}");
    }
    let coined = ("a.py", "def drain_all(most): pass\n");
    let tests = ("test_a.py", "store.drain_all(3)\n");
    assert_eq!(unknown(tests, coined, &[("README.md", "There will be a drain_all.")], ""), NONE);
}

#[test]
fn arguments_fields_and_new_files_count() {
    let fix = ("a.py", "def f(most_calls=3, **more):\n    more.pop('least_calls', 0)\n");
    assert_eq!(
        unknown(("test_a.py", "f(most_calls=4, least_calls=1)\n"), fix, &[], ""),
        ["f", "least_calls", "most_calls"]
    );
    let go = ("a.go", "package a\ntype C struct { Retries int }\n");
    assert_eq!(unknown(("a_test.go", "package a\nvar c = C{Retries: 3}\n"), go, &[], "C"), ["Retries"]);
    let test = ("t/a.test.js", "import { x } from '../src/ledger.js'\nx({ most: 3 })\n");
    let script = ("src/ledger.js", "export function x({ most = 1 }) {}\n");
    assert_eq!(unknown(test, script, &[("src/a.js", "")], ""), ["ledger", "most", "x"]);
    let options = ("src/a.js", "export function x(options) { return options.most; }\n");
    let test = ("t/a.test.js", "x({ most: 3 })\n");
    assert_eq!(unknown(test, options, &[("src/a.js", "const x = 1")], ""), ["most"]);
}

#[test]
fn names_in_imports_of_several_lines_and_as_arguments_count() {
    let fix = ("shop/forms.py", "FORM_A = 'a'\nFORM_B = 'b'\nclass Tool:\n    pass\n");
    let tests = ("tests/test_forms.py", "from shop.forms import (\n    FORM_A,\n    FORM_B as B,\n)\nrun(Tool, B)\n");
    assert_eq!(unknown(tests, fix, &[("shop/forms.py", "")], ""), ["FORM_A", "FORM_B", "Tool"]);
}

#[test]
fn a_method_that_a_new_interface_asks_for_is_no_helper_of_the_tests() {
    let fix = ("src/main/java/a/Sink.java", "package a;\ninterface Sink { void drained(int count); }\n");
    let test = (
        "src/test/java/a/SinkTest.java",
        "package a;\nclass SinkTest { Sink s = new Sink() { @Override public void drained(int c) {} }; }\n",
    );
    assert_eq!(unknown(test, fix, &[], "Add a Sink."), ["drained"]);
    let helper = ("test_a.py", "class Fake:\n    def drain(self): pass\nFake().drain()\n");
    assert_eq!(unknown(helper, ("a.py", "def drain(): pass\n"), &[], ""), NONE);
}

#[test]
fn helpers_in_other_files_of_tests_are_the_tests_own() {
    let tests =
        texts(&[("tests/tools.py", "def build(): pass\n"), ("tests/test_a.py", "from tools import build\nbuild()\n")]);
    let fix = texts(&[("a.py", "def build(): pass\n")]);
    assert_eq!(unknown_names(&tests, &fix, &Texts::new(), ""), []);
}
