//! What a tree's own files make part of its tests, and what a patch may therefore not change or put in its place.

use super::{Tree, all_dropped, merged, none_dropped, places, tree};
use tsbench::languages::{Plan, by_name, protects};

fn plan(language: &str, files: &[(&str, &str)], package: Option<&str>) -> Plan {
    by_name(language).unwrap().detect(&tree(files), package, None).unwrap()
}

const PROJECT: (&str, &str) = ("pyproject.toml", "[project]\nname='calc'\n");

#[test]
fn metadata_of_python_packages_is_protected_in_every_form_and_in_whatever_letters() {
    all_dropped(
        &plan("python", &[PROJECT], None),
        &[
            "src/evil.DIST-INFO/entry_points.txt",
            "src/evil.dist-info",
            "Evil.Egg-Info",
            "evil.EGG-INFO/entry_points.txt",
            "lib/x.egg/EGG-INFO/entry_points.txt",
            "x.egg",
            "x.egg-link",
            "EGG-INFO/entry_points.txt",
            "src/calc/core.pyc",
            ".hypothesis/unicode_data/x.gz",
        ],
    );
}

#[test]
fn plugins_that_the_options_of_a_project_name_are_protected_with_those_that_they_name() {
    for (path, options) in [
        ("pyproject.toml", "[project]\nname='calc'\n[tool.pytest.ini_options]\naddopts = '-q -p support.plugin'\n"),
        ("pyproject.toml", "[project]\nname='calc'\n[tool.pytest]\naddopts = ['-psupport.plugin']\n"),
        ("pytest.ini", "[pytest]\naddopts =\n    -q\n    -p support.plugin\n"),
        ("tox.ini", "[pytest]\naddopts = -p support.plugin\n"),
        ("setup.cfg", "[tool:pytest]\naddopts = -p support.plugin\n"),
        ("pytest.ini", "[pytest]\nenv =\n    PYTEST_PLUGINS=other,support.plugin\n"),
        ("tests/test_a.py", "pytest_plugins = 'support.plugin'\n"),
    ] {
        let mut all = vec![
            ("setup.py", ""),
            ("src/support/__init__.py", ""),
            ("src/support/plugin.py", "pytest_plugins = ('support.deep.more',)\n"),
            ("src/support/deep/more/__init__.py", "pytest_plugins = 'support.last'"),
            ("src/support/last.py", ""),
            ("src/calc/__init__.py", ""),
        ];
        all.push((path, options));
        let plan = plan("python", &all, None);
        all_dropped(
            &plan,
            &["src/support/plugin.py", "support/plugin.py", "src/support/deep/more/a.py", "src/support/last.py"],
        );
        none_dropped(&plan, &["src/calc/core.py", "src/support/other.py", "src/calc/plugin.py"]);
    }
}

#[test]
fn files_that_the_options_of_pytest_name_are_protected_and_code_that_they_measure_is_not() {
    let options = "[pytest]\naddopts = -c ci/other.conf @args.txt --cov=calc --cov-config=./cov.cfg src/calc/core.py\npython_files = check_*.py test*.py\nenv_files = .test.env\n";
    let plan = plan(
        "python",
        &[
            PROJECT,
            ("pytest.ini", options),
            ("ci/other.conf", ""),
            ("args.txt", ""),
            ("cov.cfg", ""),
            (".test.env", ""),
            ("src/calc/core.py", ""),
        ],
        None,
    );
    all_dropped(&plan, &["ci/other.conf", "args.txt", "cov.cfg", ".test.env", "checks/check_add.py"]);
    none_dropped(&plan, &["src/calc/core.py", "src/calc/testing.py", "README.md"]);
}

#[test]
fn a_new_module_cannot_take_the_place_of_a_library_or_of_the_standard_library() {
    let project = "[project]\nname='calc'\ndependencies=['PyYAML>=6']\n[dependency-groups]\ndev=['some-checker']\n[tool.pytest.ini_options]\npythonpath=['./code']\naddopts='-p xyz_plugin'\n";
    let plan = plan(
        "python",
        &[
            ("pyproject.toml", project),
            ("src/calc/__init__.py", ""),
            ("src/calc/queue.py", ""),
            ("other/deep/__init__.py", ""),
            ("code/more.py", ""),
            ("lib/more.py", ""),
            ("tests/test_a.py", "import calc\nfrom marvellous.api import x\n"),
        ],
        None,
    );
    all_dropped(
        &plan,
        &[
            "src/parameterized.py",
            "src/parameterized",
            "parameterized/__init__.py",
            "src/hypothesis/__init__.py",
            "lib/_heapq.cpython-312-x86_64-linux-gnu.so",
            "src/json/__init__.py",
            "queue.py",
            "src/yaml.py",
            "code/some_checker.py",
            "src/xyz_plugin.py",
            "other/marvellous/__init__.py",
            "src/calc/pytest.py",
        ],
    );
    none_dropped(
        &plan,
        &[
            "src/calc/queue.py",
            "src/calc/json.py",
            "src/calc/mock/__init__.py",
            "src/calc/hypothesis.py",
            "src/calcs.py",
            "src/calc_more/__init__.py",
            "json/data.json",
            "calendar.csv",
            "src/calc/__init__.py",
        ],
    );
}

#[test]
fn modules_of_the_trees_own_may_be_changed_whatever_their_names() {
    let plan = plan(
        "python",
        &[
            ("setup.py", "setup(name='x', install_requires=['attrs', 'six>=1'])"),
            ("attr/__init__.py", ""),
            ("src/six.py", ""),
            ("tests/unittest/test_a.py", "import six, helper"),
        ],
        None,
    );
    none_dropped(&plan, &["attr/__init__.py", "attr/new.py", "src/six.py"]);
    all_dropped(&plan, &["src/unittest.py", "helper.py"]);
}

#[test]
fn a_package_of_pep_420_is_no_folder_of_the_path() {
    let plan = plan(
        "python",
        &[PROJECT, ("src/big/cloud/calc/__init__.py", ""), ("tests/test_a.py", "from big.cloud import calc")],
        None,
    );
    none_dropped(&plan, &["src/big/cloud/queue/__init__.py", "src/big/types.py"]);
    all_dropped(&plan, &["src/queue/__init__.py"]);
}

#[test]
fn packages_that_hold_tests_stay_packages_so_that_no_folder_of_them_comes_onto_the_path() {
    let plan = plan(
        "python",
        &[
            PROJECT,
            ("src/calc/__init__.py", "a"),
            ("src/calc/tests/__init__.py", ""),
            ("src/calc/tests/test_a.py", ""),
            ("plain/test_b.py", ""),
        ],
        None,
    );
    assert!(protects(&plan.mixed, "src/calc/__init__.py") && !protects(&plan.mixed, "src/calc/core.py"));
    assert_eq!(merged("python", "src/calc/__init__.py", b"a", b"b").unwrap().bytes, b"b");
    none_dropped(&plan, &["src/calc/queue.py", "src/calc/__init__.py"]);
    all_dropped(&plan, &["plain/queue.py"]);
}

#[test]
fn names_of_a_hostile_tree_make_no_glob_that_covers_everything() {
    let hostile: Tree = tree(&[
        (
            "pyproject.toml",
            "[project]\nname='calc'\n[tool.pytest.ini_options]\npythonpath=['../..', '/', '{']\naddopts='-p * -p a..b -p'\npython_files=['*', '*.py', '**']\n",
        ),
        ("{/*/__init__.py", ""),
        ("tests/test_a.py", "import *, {\nfrom  import x\npytest_plugins = ['', '*', '../x']"),
    ]);
    let plan = by_name("python").unwrap().detect(&hostile, None, None).unwrap();
    none_dropped(&plan, &["src/calc/core.py", "a.py", "x.txt"]);
}

#[test]
fn folders_of_a_package_in_a_monorepo_are_those_that_count() {
    let plan = plan(
        "python",
        &[
            ("packages/a/pyproject.toml", "[project]\nname='calc'\n"),
            ("packages/a/source/calc/__init__.py", ""),
            ("packages/b/src/more/__init__.py", ""),
        ],
        Some("packages/a"),
    );
    all_dropped(&plan, &["packages/a/source/mock.py", "packages/a/mock.py", "mock.py"]);
    none_dropped(&plan, &["packages/a/source/calc/mock.py", "packages/a/source/calcs/__init__.py"]);
}

fn steps(plan: &Plan) -> String {
    by_name("python").unwrap().install(plan, &places()).into_iter().map(|s| s.words.join(" ") + "\n").collect()
}

#[test]
fn a_project_without_a_lockfile_is_installed_by_the_manager_that_reads_what_it_needs() {
    for (files, manager, command) in [
        (
            vec![("pyproject.toml", "[tool.poetry]\nname='a'\n[tool.poetry.group.test]\noptional=true\n")],
            "poetry",
            "poetry install --no-interaction --with test\n",
        ),
        (
            vec![(
                "pyproject.toml",
                "[project]\nname='a'\n[tool.poetry]\n[build-system]\nbuild-backend='poetry.core.masonry.api'\n",
            )],
            "poetry",
            "poetry install --no-interaction\n",
        ),
        (
            vec![("pyproject.toml", "[project]\nname='a'\n[tool.uv]\ndev-dependencies=['b']\n")],
            "uv",
            "uv sync --all-groups --inexact\n",
        ),
        (vec![("Pipfile", "[packages]\n")], "pipenv", "pipenv install --dev --skip-lock\n"),
    ] {
        let plan = plan("python", &files, None);
        assert_eq!(plan.manager, manager);
        assert!(plan.notes.iter().any(|n| n.contains("no lockfile")), "{manager}");
        assert!(steps(&plan).contains(command), "{}", steps(&plan));
    }
    for table in ["[tool.uv.pip]\nx=1\n", "[tool.poetry-dynamic-versioning]\nx=1\n", ""] {
        let text = format!("[project]\nname='a'\n{table}");
        assert_eq!(plan("python", &[("pyproject.toml", &text)], None).manager, "pip", "{table}");
    }
}

#[test]
fn every_dependency_group_that_tests_may_need_is_installed() {
    let text = "[project]\nname='a'\n[dependency-groups]\ndev=[]\nunit-tests=[]\ndocs=[]\n";
    let steps = steps(&plan("python", &[("pyproject.toml", text)], None));
    assert!(steps.contains("-e . --group dev --group unit-tests\n"), "{steps}");
}
