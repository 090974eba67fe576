use super::*;

/// The names of a text with their roles, those left out that have none of these.
fn roles(path: &str, text: &str) -> Vec<(String, Role)> {
    read(path, text.as_bytes()).unwrap().words.into_iter().map(|w| (w.name, w.role)).collect()
}

fn has(path: &str, text: &str, wanted: &[(&str, Role)]) {
    let found = roles(path, text);
    for (name, role) in wanted {
        assert!(found.contains(&((*name).to_owned(), *role)), "{name} as {role:?}: {found:?}");
    }
}

#[test]
fn declarations_of_python_are_found_by_what_others_can_reach() {
    let text = "from a.b import (\n    c as d,\n    e,\n)\nLIMIT = 3\nclass K(Base):\n    limit: int = 3\n    def f(self, most=1, *rest, **more):\n        self.total, near = 1, 2\n        for i, (j, k) in z: pass\n        other.size = g(h=3)\n        def inner(): pass\n        return f'{x.inside}'\n    def test_f(self): pass\nPoint = namedtuple('Point', 'left top')\n";
    has(
        "a.py",
        text,
        &[
            ("b", Role::Uses(Use::Module)),
            ("c", Role::Uses(Use::Import)),
            ("e", Role::Uses(Use::Import)),
            ("d", Role::Variable),
            ("LIMIT", Role::Variable),
            ("K", Role::Member),
            ("Base", Role::Uses(Use::Name)),
            ("limit", Role::Member),
            ("f", Role::Member),
            ("most", Role::Parameter),
            ("rest", Role::Local),
            ("total", Role::Sets(true)),
            ("near", Role::Local),
            ("k", Role::Local),
            ("size", Role::Sets(false)),
            ("h", Role::Uses(Use::Keyword)),
            ("inner", Role::Local),
            ("inside", Role::Uses(Use::Member)),
            ("test_f", Role::Test),
            ("top", Role::Member),
        ],
    );
}

#[test]
fn declarations_of_typescript_and_javascript_are_found() {
    let text = "import def, { a as b } from './m/ledger.js';\nconst { drain, x: y } = require('../store');\nclass K<T> extends B { limit = 3; constructor(private readonly owner: N, r?: string) { this.v = r; } get m(): T { return { aa: 1, bb }; } }\ninterface I { p?: number; q(x: number): void }\nenum E { ONE, TWO = 2 }\nexport type Shape = { side: string };\nexport const f = (w) => w.foo.bar();\nconst local = () => { const near = 1; };\nObject.defineProperty(f, 'defined', {});\n";
    has(
        "a.ts",
        text,
        &[
            ("a", Role::Uses(Use::Import)),
            ("b", Role::Local),
            ("ledger", Role::Uses(Use::Module)),
            ("store", Role::Uses(Use::Module)),
            ("drain", Role::Takes),
            ("x", Role::Uses(Use::Member)),
            ("K", Role::Member),
            ("B", Role::Uses(Use::Name)),
            ("limit", Role::Member),
            ("owner", Role::Member),
            ("r", Role::Local),
            ("v", Role::Sets(true)),
            ("aa", Role::Key),
            ("bb", Role::Key),
            ("p", Role::Member),
            ("q", Role::Member),
            ("TWO", Role::Member),
            ("Shape", Role::Member),
            ("side", Role::Member),
            ("f", Role::Variable),
            ("foo", Role::Uses(Use::Member)),
            ("bar", Role::Uses(Use::Call)),
            ("near", Role::Local),
            ("defined", Role::Member),
        ],
    );
    has(
        "a.js",
        "exports.go = function () {}; const el = <Foo size={1} />;\n",
        &[("go", Role::Sets(false)), ("Foo", Role::Uses(Use::Name)), ("size", Role::Uses(Use::Keyword))],
    );
}

#[test]
fn declarations_of_java_are_found_whatever_their_methods_return() {
    let text = "package a.b;\nimport a.b.C;\nimport static a.b.D.MAX;\n/** isRecord in words. */\n@Ann(key = 1) class K<T> extends B<G> {\n  private final Map<String, List<V>> fld = null, other;\n  <R> R[] conv(int a) { int loc = this.fld.size(); x.foo(arg); return Foo::bar; }\n  Map<String, T> getMap() { return null; }\n  T t() { return null; }\n  @Override public void run() {}\n  @ParameterizedTest void checks() {}\n  enum En { ONE { void z() {} } }\n  record P(int rx) {}\n  @interface An { int elem(); }\n}\n";
    has(
        "K.java",
        text,
        &[
            ("C", Role::Uses(Use::Import)),
            ("MAX", Role::Uses(Use::Import)),
            ("D", Role::Uses(Use::Module)),
            ("Ann", Role::Uses(Use::Name)),
            ("key", Role::Uses(Use::Keyword)),
            ("K", Role::Member),
            ("G", Role::Uses(Use::Name)),
            ("fld", Role::Member),
            ("other", Role::Member),
            ("conv", Role::Member),
            ("getMap", Role::Member),
            ("t", Role::Member),
            ("loc", Role::Local),
            ("fld", Role::Uses(Use::Own)),
            ("foo", Role::Uses(Use::Call)),
            ("arg", Role::Uses(Use::Name)),
            ("bar", Role::Uses(Use::Member)),
            ("run", Role::Overrides),
            ("checks", Role::Test),
            ("ONE", Role::Member),
            ("rx", Role::Member),
            ("elem", Role::Member),
        ],
    );
    assert!(!roles("K.java", text).iter().any(|(name, _)| name == "isRecord"));
    has("L.java", "@Data class L { int size; }", &[("getSize", Role::Member), ("setSize", Role::Member)]);
}

#[test]
fn declarations_of_go_are_found() {
    let text = "package shop\nimport other \"example.com/a/ledger\"\ntype S[T any] struct { Retries int; Embedded }\ntype I interface { Do(x int) error }\nconst ( First = iota; Second )\nvar v = 1\nfunc (s *S) Drain(most int) (n int) { x := s.Foo; _ = S{Retries: 3}; y.Bar(); return }\nfunc TestX(t *testing.T) {}\n";
    has(
        "a.go",
        text,
        &[
            ("other", Role::Local),
            ("ledger", Role::Uses(Use::Module)),
            ("S", Role::Member),
            ("Retries", Role::Member),
            ("Embedded", Role::Member),
            ("Do", Role::Member),
            ("Second", Role::Variable),
            ("v", Role::Variable),
            ("Drain", Role::Member),
            ("most", Role::Local),
            ("x", Role::Local),
            ("Foo", Role::Uses(Use::Member)),
            ("Retries", Role::Uses(Use::Keyword)),
            ("Bar", Role::Uses(Use::Call)),
            ("TestX", Role::Test),
            ("T", Role::Uses(Use::Member)),
        ],
    );
}

#[test]
fn comments_and_strings_hold_no_names_and_what_is_no_source_is_not_read() {
    for (path, text) in [
        ("a.py", "# drain\n\"\"\"drain it\"\"\"\nx = 'call drain(3)'\n"),
        ("a.ts", "// drain\n/* drain */ const x = 'drain it' + `drain`;\n"),
        ("A.java", "/* drain */ class A { // drain\n String x = \"drain it\"; }\n"),
        ("a.go", "package a // drain\nvar x = \"drain it\" + `drain`\n"),
    ] {
        assert!(!roles(path, text).iter().any(|(name, _)| name == "drain"), "{path}");
    }
    assert!(read("a.txt", b"drain").is_none() && read("Makefile", b"drain").is_none());
    assert!(read("a.py", &vec![b'a'; MOST_BYTES + 1]).is_none());
}

#[test]
fn what_does_not_parse_is_read_as_far_as_it_goes() {
    has("a.py", "def drain(:\n  return ledger.total(\n", &[("total", Role::Uses(Use::Member))]);
    let deep = "(".repeat(50_000);
    assert!(read("a.py", deep.as_bytes()).is_some());
}
