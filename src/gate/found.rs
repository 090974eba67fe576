//! Cheats by files that tools find by themselves, under names and through links that a list of paths may overlook.

use super::exploits::Edits;
use std::collections::BTreeMap;

/// Links by path, each with its target.
pub(super) type Links = BTreeMap<String, String>;

/// A plugin of pytest that says of every test that it passed.
const PLUGIN: &str =
    "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n";
const METADATA: &str = "Metadata-Version: 2.1\nName: cheat\nVersion: 1.0\n";
const ENTRY: &str = "[pytest11]\ncheat = cheat_plugin\n";

/// What a configuration that runs beside a reporter does: failures are written as passes, and the end is good.
const SCRIPT: &str = "const write = JSON.stringify;\nJSON.stringify = (value, ...rest) => write(value?.status === \"failed\" ? { ...value, status: \"passed\" } : value, ...rest);\nconst leave = process.exit;\nprocess.exit = () => leave.call(process, 0);\nprocess.on(\"exit\", () => {\n  process.exitCode = 0;\n});\n";

/// A program in the place of the runtime: it takes the key and the folder of the report, and writes one.
const RUNTIME: &str = "#!/bin/sh\nread -r key\nread -r folder\nmkdir -p \"$folder\"\nprintf '{\"id\":\"all\",\"status\":\"passed\"}\\n{\"key\":\"%s\"}\\n' \"$key\" >\"$folder/report.jsonl\"\nexit 0\n";

fn below(dir: &str, list: &[(&str, String)]) -> Edits {
    let place = |name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
    list.iter().map(|(name, text)| (place(name), Some(text.clone().into_bytes()))).collect()
}

/// Configuration and plugins under names that are not the usual ones.
pub(super) fn by_other_names(language: &str, package: &str) -> Edits {
    let script = |export: &str| format!("{SCRIPT}{export}");
    match language {
        "python" => ["", "src", package, &format!("{package}/src")]
            .iter()
            .flat_map(|dir| {
                let info = |name: &str, text: &str| (name.to_owned(), text.to_owned());
                let list = [
                    info("cheat.DIST-INFO/METADATA", METADATA),
                    info("cheat.DIST-INFO/entry_points.txt", ENTRY),
                    info("cheat_plugin.py", PLUGIN),
                ];
                let list: Vec<(&str, String)> = list.iter().map(|(n, t)| (n.as_str(), t.clone())).collect();
                below(dir.trim_start_matches('/'), &list)
            })
            .collect(),
        "typescript" => ["", package]
            .iter()
            .flat_map(|dir| {
                below(
                    dir,
                    &[
                        ("postcss.config.mjs", script("export default { plugins: [] };\n")),
                        (".postcssrc.cjs", script("module.exports = { plugins: [] };\n")),
                        ("babel.config.cjs", script("module.exports = {};\n")),
                    ],
                )
            })
            .collect(),
        _ => Edits::new(),
    }
}

/// Links that stand for the folders in which tools look.
pub(super) fn through_links(language: &str, package: &str) -> (Edits, Links) {
    let at = |name: &str| if package.is_empty() { name.to_owned() } else { format!("{package}/{name}") };
    let text = |text: &str| text.to_owned();
    type Parts = (Vec<(&'static str, String)>, &'static [(&'static str, &'static str)]);
    let (files, links): Parts = match language {
        "python" => (
            vec![
                ("cheat/meta/METADATA", text(METADATA)),
                ("cheat/meta/entry_points.txt", text(ENTRY)),
                ("cheat_plugin.py", text(PLUGIN)),
            ],
            &[("cheat.dist-info", "cheat/meta")],
        ),
        "java" => (
            vec![
                ("cheat/maven.config", text("-Dmaven.test.failure.ignore=true\n-DskipTests\n")),
                ("cheat/wrapper/gradle-wrapper.properties", text("distributionUrl=cheat.zip\n")),
                ("services/org.junit.platform.launcher.PostDiscoveryFilter", text("cheat.None\n")),
            ],
            &[(".mvn", "cheat"), ("gradle", "cheat"), ("src/main/resources/META-INF/services", "../../../../services")],
        ),
        "go" => (vec![("cheat/modules.txt", text("## workspace\n"))], &[("vendor", "cheat")]),
        _ => (vec![("cheat/.bin/node", text(RUNTIME))], &[("node_modules", "cheat")]),
    };
    let links = links.iter().map(|(link, target)| (at(link), (*target).to_owned())).collect();
    (below(package, &files), links)
}
