use super::paths::literal;
use std::collections::BTreeSet;

/// What runners and package managers load without being asked, and what decides which tests run.
const PROTECTED: [&str; 21] = [
    "**/node_modules/**",
    "**/{.config,.cache,.vite,.swc}/**",
    "**/{.env,.env.*}",
    "**/{vitest,vite,jest,babel,playwright,postcss,tailwind,svelte,uno,unocss,swc,nyc,c8,tap,ava,mocha,node}.config.*",
    "**/vitest.{workspace,projects,setup}.*",
    "**/jest{.,-}{preset,setup,resolver,environment,transform}*",
    "**/{vitest,test,tests,mocha}{.,-}{setup,preset,env,environment}*",
    "**/setup{.,-}{jest,vitest,mocha,test,tests}*",
    "**/setupTests.*",
    "**/mocha.opts",
    "**/{.yarnrc.yml,.pnpmfile.*,pnpmfile.*,pnpm-workspace.yaml}",
    "**/package.{json5,yaml,yml}",
    "**/{deno,bunfig,import_map}.{json,jsonc,toml}",
    "**/browserslist",
    "**/.watchmanconfig",
    "**/.pnp.*",
    "**/.yarn/**",
    "**/{package-lock.json,npm-shrinkwrap.json,pnpm-lock.yaml,yarn.lock}",
    "**/{.nvmrc,.node-version,.tool-versions}",
    "**/{lerna,nx,turbo}.json",
    "**/__mocks__/**",
];

/// Any tool's own file, also of tools that nobody here has heard of: `.postcssrc`, `.mocharc.yml`, `.npmrc`. Such a name
/// may also be that of a file of the code.
pub(super) const SUSPECT: [&str; 2] = ["**/.*rc", "**/.*rc.*"];

/// Configuration of the compiler, parts of which a patch may say.
pub(super) const COMPILER: &str = "**/{tsconfig,jsconfig}*.json";

/// Folders with a package.json in which every `NAME.config.EXT` is taken for the configuration of a tool.
const MOST_FOLDERS: usize = 200;

/// The folders in which tools look for their configuration: those of packages, and those above the package under test,
/// the shallow ones first. Deeper in a package, `app.config.ts` is code.
pub(super) fn folders(paths: &BTreeSet<String>, package: &str) -> Vec<String> {
    let above = package.match_indices('/').map(|(at, _)| package[..at].to_owned());
    let mut found: BTreeSet<(usize, String)> = paths
        .iter()
        .filter(|p| !p.split('/').any(|f| f == "node_modules"))
        .filter_map(|p| p.strip_suffix("package.json"))
        .filter(|dir| dir.is_empty() || dir.ends_with('/'))
        .map(|dir| (dir.matches('/').count(), dir.trim_end_matches('/').to_owned()))
        .collect();
    // These come first, however many others there are.
    found.extend(above.chain([String::new(), package.to_owned()]).map(|dir| (0, dir)));
    let mut folders: Vec<String> = found.into_iter().map(|(_, dir)| dir).take(MOST_FOLDERS).collect();
    let mut seen = BTreeSet::new();
    folders.retain(|dir| seen.insert(dir.clone()));
    folders
}

/// Globs of all configuration, by its names alone.
pub(super) fn globs(folders: &[String]) -> Vec<String> {
    let config = |dir: &String| [literal(dir), "*.config.*".into()].join(if dir.is_empty() { "" } else { "/" });
    PROTECTED.iter().map(|g| (*g).to_owned()).chain(folders.iter().map(config)).collect()
}

/// Tools that no runner of tests loads; what their configuration names may be code.
const APART: [&str; 9] =
    ["build", "commitlint", "eslint", "playwright", "prettier", "release", "rollup", "tsup", "webpack"];

/// Whether a path is a configuration that may name further files. It is a quick look at names, for every path of a tree.
pub(super) fn is_configuration(path: &str, folders: &BTreeSet<&str>) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let tool = ["vitest.", "vite.config.", "jest.config.", "jest-preset.", "babel.config.", "postcss.config."];
    let by_name = name == "package.json"
        || name.starts_with('.') && (name.ends_with("rc") || name.contains("rc."))
        || (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.ends_with(".json")
        || tool.iter().any(|t| name.starts_with(t))
        || name.contains(".config.") && folders.contains(dir) && !APART.iter().any(|t| name.starts_with(t));
    by_name && !path.split('/').any(|f| f == "node_modules")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages::protects;

    fn of(manifests: &[&str], package: &str) -> Vec<String> {
        let mut found = globs(&folders(&manifests.iter().map(|p| (*p).to_owned()).collect(), package));
        found.extend(SUSPECT.into_iter().chain([COMPILER]).map(str::to_owned));
        found
    }

    #[test]
    fn configuration_of_any_tool_is_protected_where_tools_look_and_code_of_such_names_is_not() {
        let found = of(&["package.json", "packages/a/package.json"], "packages/a");
        for path in [
            "postcss.config.mjs",
            "packages/a/postcss.config.cts",
            "packages/postcss.config.js",
            "packages/a/web/postcss.config.js",
            "tool-of-next-year.config.ts",
            "packages/a/tool-of-next-year.config.json",
            "packages/tool-of-next-year.config.json",
            ".postcssrc",
            "packages/a/.postcssrc.json",
            "src/.babelrc.js",
            ".config/postcssrc.mjs",
            ".env.test",
            "browserslist",
            "jsconfig.json",
            "package.yaml",
            "deno.json",
        ] {
            assert!(protects(&found, path), "{path}");
        }
        for path in [
            "src/app.config.ts",
            "packages/a/src/app.config.ts",
            "packages/a/src/environment.ts",
            "config/index.ts",
            "src/rc.ts",
            "src/config.ts",
            "src/source.rc.ts",
        ] {
            assert!(!protects(&found, path), "{path}");
        }
    }

    #[test]
    fn a_tree_of_a_thousand_packages_is_no_list_of_a_thousand_globs() {
        let many: Vec<String> = (0..1000).map(|i| format!("p/{i}/package.json")).collect();
        let found = of(&many.iter().map(String::as_str).collect::<Vec<_>>(), "z/y/x");
        assert!(found.len() <= PROTECTED.len() + SUSPECT.len() + 1 + MOST_FOLDERS);
        assert!(protects(&found, "z/y/x/a.config.js") && protects(&found, "z/a.config.js"));
    }

    #[test]
    fn configuration_of_bundlers_and_linters_names_nothing_that_tests_trust() {
        let folders = BTreeSet::from([""]);
        for path in ["vitest.config.ts", "uno.config.js", ".mocharc.yml", "a/tsconfig.json", "a/package.json"] {
            assert!(is_configuration(path, &folders), "{path}");
        }
        for path in ["rollup.config.js", "eslint.config.mjs", "src/app.config.ts", "node_modules/a/package.json"] {
            assert!(!is_configuration(path, &folders), "{path}");
        }
    }

    #[test]
    fn a_folder_is_taken_as_it_is_named() {
        let found = of(&["a{b,c}/package.json"], "");
        assert!(protects(&found, "a{b,c}/x.config.js") && !protects(&found, "ab/x.config.js"));
    }
}
