//! How a tree is installed and tested, one file a language.
//!
//! In: a read-only view of a tree. Out: a plan, the commands that carry it out, and the report that a run of the tests
//! left. To add a language, write a file beside these, implement [`Language`] and name it in [`all`]. This room must not
//! run anything, nor know how tests count.

mod diff;
mod error;
mod glob;
mod go;
mod go_mod;
mod java;
mod java_build;
mod java_services;
mod java_shadow;
mod java_sources;
mod java_trust;
mod java_versions;
mod json;
mod paths;
mod plan;
mod python;
mod python_code;
mod python_config;
mod python_managers;
mod python_names;
mod python_plugins;
mod python_project;
mod python_requires;
mod python_shadow;
mod releases;
mod script;
mod typescript;
mod typescript_alias;
mod typescript_code;
mod typescript_config;
mod typescript_keys;
mod typescript_modules;
mod typescript_named;
mod typescript_once;
mod typescript_paths;
mod typescript_project;
mod typescript_shadow;
mod typescript_suspect;
mod typescript_text;
mod typescript_tsconfig;
mod versions;

pub use crate::schema::is_test_path;
pub use error::LanguageError;
pub use glob::{Globs, glob_matches};
pub use plan::{Files, Merged, Mixed, Places, Plan, Step, Suspect, TestCommand, Tool, protects};
pub use releases::Release;
pub use versions::is_version;

use crate::reports::{Key, Report};

/// What all languages have in common for the rooms that install and score.
pub trait Language: Sync {
    /// Its name, as `task.toml` writes it.
    fn name(&self) -> &'static str;
    /// Endings of the names of files that hold its code.
    fn extensions(&self) -> &'static [&'static str];
    /// The image that holds its tools.
    fn image(&self) -> &'static str;
    /// Files of ours that the commands need in [`Places::tools`].
    fn tools(&self) -> &'static [Tool];
    /// Reads a tree: which tools, which versions, which paths a patch must not touch.
    ///
    /// `package` is the folder under test inside a monorepo, `runtime` the version that the task asks for.
    fn detect(&self, tree: &dyn Files, package: Option<&str>, runtime: Option<&str>) -> Result<Plan, LanguageError>;
    /// The steps that install everything, with a network, on the tree that the agent starts from.
    fn install(&self, plan: &Plan, at: &Places) -> Vec<Step>;
    /// The program that must be there before anything is installed, where the plan asks for a runtime, and a step that
    /// prints the versions that are there, one a line.
    fn runtimes(&self, _plan: &Plan, _at: &Places) -> Option<(String, Step)> {
        None
    }
    /// Whether a step of the installation failed since the runtime that the plan asks for is not to be had.
    fn lacks_runtime(&self, _plan: &Plan, _step: &Step, _log: &str) -> bool {
        false
    }
    /// The command that prints the exact version of the runtime.
    fn version(&self, plan: &Plan, at: &Places) -> Step;
    /// The command that runs all tests without a network.
    fn test(&self, plan: &Plan, at: &Places, key: &Key) -> TestCommand;
    /// Reads the files that a run left in [`Places::report`].
    fn read(&self, plan: &Plan, files: &[(String, Vec<u8>)], key: &Key) -> Report;
    /// Whether the run ended because the code does not build or cannot be loaded: a result, not a fault of ours.
    fn is_build_failure(&self, report: &Report, stdout: &[u8], stderr: &[u8]) -> bool;
    /// Names of the tests that a patch adds, for runs in which nothing compiles.
    fn ids_in_diff(&self, plan: &Plan, diff: &[u8]) -> Vec<String>;
    /// The files of a tree that a test may stand in.
    fn files_of(&self, id: &str, tree: &dyn Files) -> Vec<String>;
    /// A file that is both configuration of tests and code: what a patch makes of it, with the parts that decide over
    /// tests as they were. Nothing where the patch's version must be dropped whole.
    fn merge(&self, mixed: &Mixed<'_>) -> Option<Merged>;
    /// Whether a file of this name may be code although the name is protected, so that it is worth reading.
    fn may_be_code(&self, _path: &str) -> bool {
        false
    }
    /// Whether a file is code although its name is protected: one that no runner and no tool takes for its own.
    fn is_code(&self, _suspect: &Suspect<'_>) -> bool {
        false
    }
    /// Keeps files with the names of tests that are code from being run as tests.
    fn leave_out(&self, _plan: &Plan, _command: &mut TestCommand, _paths: &[String]) {}
    /// What compilers say of code that does not build, where the report says nothing; empty where they say nothing.
    fn build_errors(&self, _stdout: &[u8], _stderr: &[u8]) -> String {
        String::new()
    }
    /// Whether a file of this name has to be read to know whether it [`Language::stands_before`] something.
    fn may_stand_before(&self, _path: &str) -> bool {
        false
    }
    /// Whether a file of a patch, by what it holds, would be taken in place of what runs or judges the tests.
    fn stands_before(&self, _plan: &Plan, _path: &str, _bytes: &[u8]) -> bool {
        false
    }
    /// Packages of the tree's own names among the files of an image, given by their absolute paths: releases of the
    /// project that came along as somebody's dependency.
    fn releases(&self, tree: &dyn Files, listing: &[String]) -> Vec<Release>;
    /// The version of a copy, of its path and the bytes of the file that shows it; nothing where it is the tree itself.
    fn version_of_release(&self, release: &Release, _bytes: &[u8]) -> Option<String> {
        Some(release.version.clone().unwrap_or_default())
    }
}

/// Every language.
pub fn all() -> [&'static dyn Language; 4] {
    [&typescript::TypeScript, &python::Python, &java::Java, &go::Go]
}

/// The language of a name; `javascript` is `typescript`.
pub fn by_name(name: &str) -> Result<&'static dyn Language, LanguageError> {
    let wanted = if name == "javascript" { "typescript" } else { name };
    all().into_iter().find(|l| l.name() == wanted).ok_or_else(|| LanguageError::Unknown { name: name.to_owned() })
}
