use super::Infra;
use serde::{Deserialize, Serialize};

/// `suite.toml`: a versioned set of tasks and the rules they share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Short name, the folder's.
    pub id: String,
    /// Version.
    pub version: String,
    /// Title for readers.
    pub title: String,
    /// What the suite is and where its tasks come from.
    #[serde(default)]
    pub note: String,
    /// Licence under which its tasks may be given on, as an SPDX identifier; code of other repositories keeps its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Whether faults of the infrastructure count as failures.
    #[serde(default)]
    pub infra: Infra,
    /// Attempts at each task that a run makes unless told otherwise.
    #[serde(default = "three")]
    pub repeats: u32,
    /// Limits of every task that does not set its own.
    #[serde(default)]
    pub limits: Limits,
}

const fn three() -> u32 {
    3
}

impl Suite {
    /// The suite as raw lines name it, `id@version`.
    pub fn word(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }
}

/// What one scoring of a task may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Seconds for installing dependencies.
    pub install_seconds: u64,
    /// Seconds for one run of the tests.
    pub tests_seconds: u64,
    /// Memory, MiB.
    pub memory_mb: u64,
    /// Processors, in thousandths.
    pub cpu_thousandths: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Bytes that may be written below the work folder, MiB.
    pub disk_mb: u64,
    /// Bytes kept of each output stream.
    pub output_bytes: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            install_seconds: 600,
            tests_seconds: 180,
            memory_mb: 2048,
            cpu_thousandths: 2000,
            processes: 512,
            disk_mb: 2048,
            output_bytes: 64 << 10,
        }
    }
}

/// `task.toml`: what a task is. Its texts and trees are files beside it or objects of a mirror.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSpec {
    /// Identity, the folder's name.
    pub id: String,
    /// Title for readers.
    pub title: String,
    /// Language whose tools install and test it.
    pub language: String,
    /// Exact version of the language's runtime; the language's default where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// `easy`, `medium` or `hard`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// What the work is, such as `bug fixing`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub use_cases: Vec<String>,
    /// Folder of the package under test inside a monorepo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Tests that fail before the human fix and pass after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Tests that pass before and after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// Globs of paths that a patch may not change, beside those of the language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub protected: Vec<String>,
    /// Globs of paths that a patch may change although the language protects them: tests that are the work itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unprotected: Vec<String>,
    /// Own limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Where tree and patches come from, if not from files beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<TaskSource>,
    /// A commit of a mirror as the starting tree, where fix and hidden tests are files beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<TaskBase>,
    /// A grader that prints a scorecard, for tasks judged by checks instead of named tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorecard: Option<Scorecard>,
    /// What is kept back of a task whose tests and fix are sealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Sealed>,
}

/// A starting tree that a mirror has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskBase {
    /// `owner/name`.
    pub repo: String,
    /// The commit, 40 hex digits.
    pub commit: String,
    /// Day on which the human fix was made or merged, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
}

/// The public half of a sealed task: commitments to what nobody may read yet, and how much of it there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// SHA-256 of the archive of the sealed files, hex. A random salt is one of them, so that nothing can be guessed.
    pub archive_sha256: String,
    /// SHA-256 of `sealed.age`, the archive encrypted, hex.
    pub file_sha256: String,
    /// Number of targets.
    pub targets: u64,
    /// Number of guards.
    pub guards: u64,
    /// Number of a scorecard's checks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<u64>,
}

impl TaskSpec {
    /// The day on which the human fix was merged, where it is known.
    pub fn merged_at(&self) -> Option<&str> {
        let source = self.source.as_ref().and_then(|s| s.merged_at.as_deref());
        source.or_else(|| self.base.as_ref().and_then(|b| b.merged_at.as_deref()))
    }
}

/// A merged change of a repository, pinned by digests so that nothing of it is kept here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskSource {
    /// `owner/name`.
    pub repo: String,
    /// Commit that the fix was made on, 40 hex digits.
    pub base_commit: String,
    /// Commit that holds the fix, 40 hex digits.
    pub fix_commit: String,
    /// Number of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u64>,
    /// Number of the issue that it closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<u64>,
    /// Day of the merge, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_at: Option<String>,
    /// SHA-256 of the human fix as a patch.
    pub solution_sha256: String,
    /// SHA-256 of the hidden tests as a patch.
    pub tests_sha256: String,
}

/// A grader that runs declared checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scorecard {
    /// Every check by id: the fixed denominator.
    pub checks: Vec<String>,
    /// Program that runs one check, as words; the check's id is added as the last.
    pub command: Vec<String>,
}
