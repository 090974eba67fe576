//! The parts of GitHub's answers that are read.

use serde::Deserialize;

/// `data` of an answer about a list of pull requests.
#[derive(Debug, Deserialize)]
pub(super) struct ListData {
    pub repository: Listed,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub pull_requests: Page<PullRequest>,
}

/// `data` of an answer about one pull request.
#[derive(Debug, Deserialize)]
pub(super) struct OneData<T> {
    pub repository: One<T>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct One<T> {
    pub pull_request: Option<T>,
}

/// A page of a list. A node that GitHub could not tell of is null.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<T> {
    #[serde(default = "none")]
    pub nodes: Option<Vec<Option<T>>>,
    pub page_info: PageInfo,
    #[serde(default)]
    pub total_count: Option<u64>,
}

fn none<T>() -> Option<T> {
    None
}

impl<T> Page<T> {
    /// The nodes that were told of.
    pub(super) fn into_nodes(self) -> impl Iterator<Item = T> {
        self.nodes.unwrap_or_default().into_iter().flatten()
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PageInfo {
    pub has_next_page: bool,
    pub end_cursor: Option<String>,
}

impl PageInfo {
    /// Where the next page begins, if there is one.
    pub(super) fn next(&self) -> Option<String> {
        self.end_cursor.clone().filter(|_| self.has_next_page)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PullRequest {
    pub number: u64,
    pub merged_at: Option<String>,
    pub updated_at: Option<String>,
    pub merge_commit: Option<MergeCommit>,
    pub commits: Option<Commits>,
    pub closing_issues_references: Option<Page<Issue>>,
    pub files: Option<Page<ChangedFile>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MergeCommit {
    pub oid: String,
    pub message_headline: String,
    pub parents: Nodes<Oid>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Nodes<T> {
    pub nodes: Vec<T>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Oid {
    pub oid: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Commits {
    pub total_count: u64,
    pub nodes: Vec<CommitNode>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct CommitNode {
    pub commit: Headline,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Headline {
    pub message_headline: String,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Issue {
    pub number: u64,
    pub title: String,
    #[serde(default)]
    pub body: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct ChangedFile {
    pub path: String,
}

/// More files of a pull request.
#[derive(Debug, Deserialize)]
pub(super) struct MoreFiles {
    pub files: Option<Page<ChangedFile>>,
}

/// More issues of a pull request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MoreIssues {
    pub closing_issues_references: Option<Page<Issue>>,
}

/// How a pull request came onto its base.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Landing {
    pub commits: Commits,
    pub merge_commit: Option<Landed>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Landed {
    pub history: Nodes<Past>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Past {
    pub oid: String,
    pub message_headline: String,
}
