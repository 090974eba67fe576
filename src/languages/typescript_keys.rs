//! Keys of configurations and options of commands whose values are loaded by a runner or a tool.

/// How a text names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// By an import, `require` or `export from`.
    Import,
    /// By a key that names more configuration.
    Config,
    /// By a key that names a file which is loaded before or around the tests.
    Setup,
    /// By a key whose value mocha looks for in the folder of the package before it looks for a package.
    Require,
}

/// Keys and options, without dashes and in small letters, whose values are configuration.
const CONFIG: &[&str] = &[
    "babelconfig",
    "c",
    "config",
    "configfile",
    "extends",
    "package",
    "preset",
    "presets",
    "project",
    "projects",
    "tsconfig",
    "workspace",
];

/// Keys and options whose values are loaded before or around the tests.
const SETUP: &[&str] = &[
    "customprovidermodule",
    "dependencyextractor",
    "env",
    "environment",
    "envfile",
    "envfileifexists",
    "experimentalloader",
    "filter",
    "globalsetup",
    "globalteardown",
    "hasteimplmodulepath",
    "loader",
    "moduleloader",
    "opts",
    "plugins",
    "pool",
    "prettierpath",
    "reporters",
    "resolver",
    "runner",
    "runtime",
    "sequencer",
    "setupfiles",
    "setupfilesafterenv",
    "setupfilesaftereach",
    "setuptestframeworkscriptfile",
    "snapshotenvironment",
    "snapshotresolver",
    "snapshotserializers",
    "testenvironment",
    "testresultsprocessor",
    "testrunner",
    "testsequencer",
    "transform",
    "watchplugins",
];

/// Keys that name files in a tool's own file and code in others, such as the `exports` of a bundler.
const IN_RC: &[&str] = &["file", "import", "nodeoption", "r", "require", "spec"];

/// What a key or an option of the command line names; `rc` where nothing but tests is configured.
pub(super) fn how(key: &str, rc: bool) -> Option<How> {
    let key: String = key.chars().filter(|c| *c != '-').map(|c| c.to_ascii_lowercase()).collect();
    match key.as_str() {
        "r" | "require" if rc => Some(How::Require),
        k if CONFIG.contains(&k) => Some(How::Config),
        k if SETUP.contains(&k) || rc && IN_RC.contains(&k) => Some(How::Setup),
        _ => None,
    }
}
